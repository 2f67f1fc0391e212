//! `tenbin quickstart`.

use clap::{Args, ValueEnum};
use tenbin_plan::{
    At, BlobDraft, Builtin, CORPUS_PATTERNS, CorpusDraft, Draft, HttpDraft, List, RoundsDraft,
    S3Draft, S3Operation, TargetDraft, WorkloadDraft,
};

use super::options::target;
use super::{OutputArgs, RoundsArgs};

/// `tenbin quickstart`.
#[derive(Args)]
#[command(mut_args(crate::args::options::rounds::without_defaults))]
#[command(after_help = "\
http:   two servers that take 5 ms for a request. old has one worker, new has four. About 30
        seconds.
s3:     two object stores. memory keeps objects in memory, durable syncs every object to disk before
        it responds. PUT and GET of 1 KiB and 1 MiB. A little over a minute.
blob:   two blob stores that take 5 ms for a request. old serves one request at a time, new serves
        four. PUT, GET and DELETE of 10 KiB at the same time. About 30 seconds.
search: two Groongas with the same 500 generated pages. uncached has no query cache, cached has one.
        Needs groonga (apt install groonga-bin on Debian and Ubuntu). About 40 seconds.

Leaves only the run directory. tenbin plan quickstart prints the plan.")]
pub struct QuickstartArgs {
    /// Kind of servers
    #[arg(value_enum, default_value = "http")]
    pub kind: QuickstartKind,
    /// Duration and rounds.
    #[command(flatten)]
    pub rounds: RoundsArgs,
    /// Output options.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What `tenbin quickstart` compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum QuickstartKind {
    /// Two HTTP servers
    Http,
    /// Two S3 object stores
    S3,
    /// Two blob stores
    Blob,
    /// Two search servers
    Search,
}

/// Operation, object size and number of objects of each S3 workload. Even a slow disk stores these
/// objects within seconds.
const S3_WORKLOADS: &[(S3Operation, &str, u32)] = &[
    (S3Operation::Put, "1KiB", 256),
    (S3Operation::Get, "1KiB", 256),
    (S3Operation::Put, "1MiB", 32),
    (S3Operation::Get, "1MiB", 32),
];

impl QuickstartArgs {
    /// The plan: short slices in eight quads (ABBA order).
    pub fn draft(&self) -> Draft {
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere("quickstart"));
        draft.rounds = RoundsDraft {
            count: Some(At::nowhere(16)),
            lead: Some(At::nowhere("50ms")),
            gap: Some(At::nowhere("30ms")),
            warmup: Some(At::nowhere("300ms")),
            ..RoundsDraft::default()
        };
        if self.rounds.comparing.adds_twin() {
            // With a twin, the default number of rounds for three targets applies.
            draft.rounds.count = None;
        }
        draft.load.connections = Some(At::nowhere(8));
        match self.kind {
            QuickstartKind::Http => http(&mut draft),
            QuickstartKind::S3 => s3(&mut draft),
            QuickstartKind::Blob => blob(&mut draft),
            QuickstartKind::Search => search(&mut draft),
        }
        self.rounds.apply(&mut draft);
        draft
    }
}

fn http(draft: &mut Draft) {
    draft.rounds.slice = Some(At::nowhere("500ms"));
    draft.targets = vec![
        target::own("old", Builtin::HttpOneWorker),
        target::own("new", Builtin::HttpFourWorkers),
    ];
    draft.workloads = vec![At::nowhere(WorkloadDraft::of(HttpDraft::default()))];
}

fn s3(draft: &mut Draft) {
    draft.rounds.slice = Some(At::nowhere("360ms"));
    draft.targets = vec![
        target::own("memory", Builtin::S3Memory),
        target::own("durable", Builtin::S3Durable),
    ];
    let workload = |&(operation, size, objects): &(S3Operation, &str, u32)| {
        At::nowhere(WorkloadDraft::of(S3Draft {
            operation: Some(At::nowhere(operation.name())),
            size: Some(At::nowhere(size)),
            objects: Some(At::nowhere(objects)),
            ..S3Draft::default()
        }))
    };
    draft.workloads = S3_WORKLOADS.iter().map(workload).collect();
}

/// A mix of operations, because a phase has no probes, which find what limits a target. PUT and DELETE
/// have the same share, so that the number of blobs stays.
fn blob(draft: &mut Draft) {
    draft.rounds.slice = Some(At::nowhere("500ms"));
    draft.targets = vec![
        target::own("old", Builtin::BlobOneWorker),
        target::own("new", Builtin::BlobFourWorkers),
    ];
    draft.workloads = vec![At::nowhere(WorkloadDraft::of(BlobDraft {
        operation: Some(At::nowhere("put:25,get:50,delete:25")),
        size: Some(At::nowhere("10KiB")),
        objects: Some(At::nowhere(200)),
        ..BlobDraft::default()
    }))];
}

/// Starts a Groonga. `$1`: port, `$2`: directory of its database, which is created if missing, `$3`:
/// number of responses that its query cache holds.
const GROONGA: &str = "[ -e \"$2/db\" ] || groonga -n \"$2/db\" quit > /dev/null; \
                       exec groonga -s --protocol http --bind-address 127.0.0.1 --port \"$1\" \
                       --cache-limit \"$3\" --log-path \"$2/groonga.log\" \"$2/db\"";

/// The cache holds the responses to all requests. Two connections, because the load generator needs
/// a processor core, too.
fn search(draft: &mut Draft) {
    draft.rounds.slice = Some(At::nowhere("500ms"));
    draft.load.connections = Some(At::nowhere(2));
    // Groonga closes each connection after its response.
    draft.load.keep_alive = Some(At::nowhere(false));
    draft.corpus = Some(At::nowhere(CorpusDraft {
        synthetic: Some(At::nowhere(500)),
        text_limit: Some(At::nowhere(1_000)),
        terms: Some(At::nowhere(50)),
        ..CorpusDraft::default()
    }));
    draft.targets = vec![groonga("uncached", "0"), groonga("cached", "100")];
    let mut workload = WorkloadDraft::of(HttpDraft {
        patterns: Some(At::nowhere(CORPUS_PATTERNS)),
        hits: Some(At::nowhere("groonga")),
        cache_counters: Some(At::nowhere("groonga")),
        ..HttpDraft::default()
    });
    workload.name = Some(At::nowhere("search"));
    draft.workloads = vec![At::nowhere(workload)];
}

fn groonga(name: &str, cached_responses: &str) -> At<TargetDraft> {
    let words = [
        "sh", "-c", GROONGA, "groonga", "{port}", "{data}", cached_responses,
    ];
    let words = words.into_iter().map(At::nowhere).collect();
    At::nowhere(TargetDraft {
        name: Some(At::nowhere(name)),
        command: Some(At::nowhere(List::Many(words))),
        corpus: Some(At::nowhere("groonga")),
        ..TargetDraft::default()
    })
}
