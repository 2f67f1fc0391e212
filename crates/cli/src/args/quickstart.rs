//! `tenbin quickstart`.

use clap::Args;
use tenbin_plan::{At, Builtin, Draft, RoundsDraft, S3Draft, S3Operation, WorkloadDraft};

use super::options::target;
use super::{OutputArgs, RoundsArgs};

/// `tenbin quickstart`.
#[derive(Args)]
#[command(mut_args(crate::args::options::rounds::without_defaults))]
#[command(after_help = "\
Starts two built-in S3 servers: one keeps objects in memory, the other syncs every object to disk
before it responds. Compares PUT and GET of 1 KiB and 1 MiB on the two servers, in 16 rounds of
360ms slices. Takes a little over a minute, and leaves only the run directory.")]
pub struct QuickstartArgs {
    /// Duration and rounds.
    #[command(flatten)]
    pub rounds: RoundsArgs,
    /// Output options.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Operation, object size and number of objects of each workload. Even a slow disk stores these
/// objects within seconds.
const WORKLOADS: &[(S3Operation, &str, u32)] = &[
    (S3Operation::Put, "1KiB", 256),
    (S3Operation::Get, "1KiB", 256),
    (S3Operation::Put, "1MiB", 32),
    (S3Operation::Get, "1MiB", 32),
];

impl QuickstartArgs {
    /// The plan: short slices in eight quads (ABBA order), a little over a minute in total.
    pub fn draft(&self) -> Draft {
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere("quickstart"));
        draft.rounds = RoundsDraft {
            count: Some(At::nowhere(16)),
            slice: Some(At::nowhere("360ms")),
            lead: Some(At::nowhere("50ms")),
            gap: Some(At::nowhere("30ms")),
            warmup: Some(At::nowhere("300ms")),
            ..RoundsDraft::default()
        };
        if self.rounds.comparing.adds_twin() {
            // With a twin, the default number of rounds for three targets applies.
            draft.rounds.count = None;
        }
        draft.targets = vec![
            target::own("memory", Builtin::S3Memory),
            target::own("durable", Builtin::S3Durable),
        ];
        draft.workloads = WORKLOADS.iter().map(workload).collect();
        draft.load.connections = Some(At::nowhere(8));
        self.rounds.apply(&mut draft);
        draft
    }
}

fn workload(&(operation, size, objects): &(S3Operation, &str, u32)) -> At<WorkloadDraft> {
    At::nowhere(WorkloadDraft::of(S3Draft {
        operation: Some(At::nowhere(operation.name())),
        size: Some(At::nowhere(size)),
        objects: Some(At::nowhere(objects)),
        ..S3Draft::default()
    }))
}
