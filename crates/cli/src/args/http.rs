//! `tenbin http`.

use clap::Args;
use tenbin_plan::{
    At, Draft, HttpDraft, LoadDraft, Refusal, Scalar, Section as _, TargetDraft, WorkloadDraft,
};

use super::flags::Flags;
use super::{OutputArgs, ProtocolArgs, RoundsArgs, UrlOrTargets, many, set};
use crate::args::options::per_target::{name, named};

/// The usual forms of the command, which `tenbin http` without arguments prints.
pub const USUAL_FORMS: [&str; 3] = [
    "tenbin http http://127.0.0.1:8080/",
    "tenbin http --target old=http://127.0.0.1:8080/ --target new=http://127.0.0.1:8081/",
    "tenbin http --launch 'old=./server.old --port {port}' --launch 'new=./server --port {port}'",
];

/// `tenbin http`.
#[derive(Args)]
#[command(after_help = "\
With one target, Tenbin reports the performance of that target. With two or more, Tenbin compares
every other target with the first, or with the target that --baseline names.

--expect takes conditions, and also statuses: --expect 204 or --expect 3xx sets which responses
count as success [default: 2xx].

Examples:
  tenbin http http://127.0.0.1:8080/
  tenbin http --target nginx=http://127.0.0.1:8080/ --target caddy=http://127.0.0.1:8081/
  tenbin http --target http://127.0.0.1:8080/search?q=tea --connections 64 --duration 1m
  tenbin http --target a=http://127.0.0.1:8080 --path /items -X POST \\
      -H 'Content-Type: application/json' --body '{\"name\":\"tea\"}' --expect 201
  tenbin http --launch 'new=./server --port {port}' --launch 'old=./server.old --port {port}' \\
      --rate 2000/s --expect 'p99<20ms' --expect 'new:p99<1.1x baseline'
  tenbin http --target http://127.0.0.1:10041/ --patterns terms.txt --hits groonga \\
      --cache-hit 50% --cache-counters groonga
  tenbin http --target http://127.0.0.1:8080/ --ramp 1..256
  tenbin http --target http://127.0.0.1:8080/ --slo 'p99<10ms,errors<0.1%'")]
pub struct HttpArgs {
    /// The systems under test.
    #[command(flatten)]
    pub targets: UrlOrTargets,
    /// The request.
    #[command(flatten)]
    pub request: RequestArgs,
    /// Options of every workload.
    #[command(flatten)]
    pub workload: Flags<WorkloadDraft>,
    /// The load.
    #[command(flatten)]
    pub load: Flags<LoadDraft>,
    /// Duration and rounds.
    #[command(flatten)]
    pub rounds: RoundsArgs,
    /// Output options.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Options of the request, or of the file of requests.
pub type RequestArgs = Flags<HttpDraft>;

impl ProtocolArgs for HttpArgs {
    fn draft(&self) -> Result<Draft, Refusal> {
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere("http"));
        draft.load = LoadDraft::clone(&self.load.0);
        draft.targets = self.targets.0.drafts()?;
        let (comparing, statuses) = self.rounds.comparing.without_statuses();
        let work = self.request.draft(&statuses, &mut draft.targets);
        let mut workload = WorkloadDraft::of(work);
        workload.override_with(&self.workload.0);
        draft.workloads = vec![At::nowhere(workload)];
        self.rounds.apply(&mut draft);
        draft.expect = None;
        comparing.apply(&mut draft);
        Ok(draft)
    }

    fn output(&self) -> &OutputArgs {
        &self.output
    }
}

impl Flags<HttpDraft> {
    /// The workload of these options. A response with one of `statuses`, by default any 2xx, is a
    /// success. Values of `--cache-counters` that name a target are copied into that target.
    pub(super) fn draft(&self, statuses: &[Scalar], targets: &mut [At<TargetDraft>]) -> HttpDraft {
        let mut draft = HttpDraft::clone(&self.0);
        draft.cache_counters = None;
        draft.expect = many("--expect", statuses);
        let names: Vec<String> = targets.iter().filter_map(name).collect();
        let flag = "--cache-counters";
        for value in self.values(flag) {
            let Some((named, own)) = named(value, &names) else {
                set(&mut draft.cache_counters, flag, Some(value.as_str()));
                continue;
            };
            let mut meant = targets.iter_mut();
            if let Some(target) = meant.find(|target| name(target).as_deref() == Some(named)) {
                set(&mut target.value.cache_counters, flag, Some(own));
            }
        }
        draft
    }
}
