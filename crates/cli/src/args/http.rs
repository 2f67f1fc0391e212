//! `tenbin http`.

use std::path::PathBuf;

use clap::Args;
use tenbin_plan::{At, Draft, HttpDraft, Refusal, Scalar, TargetDraft, WorkloadDraft};

use super::patterns::PatternArgs;
use super::stages::StageArgs;
use super::{LoadArgs, OutputArgs, ProtocolArgs, RoundsArgs, TargetArgs, many, set};

/// `tenbin http`.
#[derive(Args)]
#[command(after_help = "\
One target is measured; two or more are compared with the first, or against --baseline.

A status in --expect (204, or 3xx for all from 300 to 399) counts as success [default: 2xx]; all
other values of --expect are conditions.

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
    /// The server to measure, if it already runs; for several servers use --target
    #[arg(value_name = "URL", conflicts_with_all = ["target", "launch", "builtin"])]
    pub url: Option<String>,
    /// The systems under test.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// The request.
    #[command(flatten)]
    pub request: RequestArgs,
    /// Requests from a file.
    #[command(flatten)]
    pub patterns: PatternArgs,
    /// Server stages to read from responses.
    #[command(flatten)]
    pub stages: StageArgs,
    /// The load.
    #[command(flatten)]
    pub load: LoadArgs,
    /// Duration and rounds.
    #[command(flatten)]
    pub rounds: RoundsArgs,
    /// Output options.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// One HTTP request.
#[derive(Args)]
#[command(next_help_heading = "Request")]
pub struct RequestArgs {
    /// Path and query [default: those of each target's URL]
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    /// Request method [default: GET]
    #[arg(long, short = 'X', value_name = "METHOD")]
    pub method: Option<String>,
    /// Request header, repeatable; {env:NAME} in its value stands for an environment variable: use
    /// it for tokens and other secrets
    #[arg(long, short = 'H', value_name = "NAME: VALUE")]
    pub header: Vec<String>,
    /// Request body, as text
    #[arg(long, value_name = "TEXT", conflicts_with = "body_file")]
    pub body: Option<String>,
    /// Request body, from a file
    #[arg(long, value_name = "FILE")]
    pub body_file: Option<PathBuf>,
    /// Permitted differences between responses to the same request, of one target and of several:
    /// size (of the body as sent, for example by compression), headers (media type and encoding),
    /// body (content) [default: none]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub may_differ: Vec<String>,
    /// Compare the content of every response with that before the run [default: a sample that costs
    /// less than 2 %]
    #[arg(long)]
    pub verify: bool,
}

impl ProtocolArgs for HttpArgs {
    fn draft(&self) -> Result<Draft, Refusal> {
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere("http"));
        draft.load = self.load.draft();
        draft.targets = self.targets.drafts()?;
        draft.targets.extend(self.url.as_deref().map(|url| {
            At::nowhere(TargetDraft {
                url: Some(At::nowhere(url)),
                ..TargetDraft::default()
            })
        }));
        let (comparing, statuses) = self.rounds.comparing.without_statuses();
        let mut work = self.request.draft(&statuses);
        self.patterns.apply(&mut work, &mut draft.targets);
        let mut workload = WorkloadDraft::of(work);
        self.stages.apply(&mut workload);
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

impl RequestArgs {
    /// A request that expects one of these statuses, or any status of success if there are none.
    pub(super) fn draft(&self, statuses: &[Scalar]) -> HttpDraft {
        let mut draft = HttpDraft {
            headers: many("--header", &self.header),
            expect: many("--expect", statuses),
            ..HttpDraft::default()
        };
        draft.may_differ = many("--may-differ", &self.may_differ);
        set(&mut draft.verify, "--verify", self.verify.then_some(true));
        set(&mut draft.path, "--path", self.path.as_deref());
        set(&mut draft.method, "--method", self.method.as_deref());
        set(&mut draft.body, "--body", self.body.as_deref());
        let body_file = self
            .body_file
            .as_ref()
            .map(|file| file.display().to_string());
        set(&mut draft.body_file, "--body-file", body_file);
        draft
    }
}
