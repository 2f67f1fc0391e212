//! `tenbin s3`: one subcommand for each operation.

mod objects;
mod operations;
pub(crate) mod suite;

use clap::{Args, Subcommand};
use tenbin_plan::{
    At, Draft, LoadDraft, Refusal, S3Draft, S3Operation, Section as _, WorkloadDraft,
};

pub use objects::{MixArgs, ObjectArgs};
pub use operations::OperationCommand;

use super::{
    Deferred, EarlierArgs, Flags, KeyArgs, OutputArgs, ProtocolArgs, RoundsArgs, SuiteArgs,
    TargetArgs,
};

/// The subcommands of `tenbin s3`.
#[derive(Subcommand)]
#[command(after_help = "\
Example:
  export TENBIN_ACCESS_KEY=… TENBIN_SECRET_KEY=…
  tenbin s3 put --size 64KiB --target minio=http://127.0.0.1:9000 \\
      --target versity=http://127.0.0.1:7070")]
pub enum S3Command {
    /// Measure one operation
    #[command(flatten)]
    One(OperationCommand),
    /// Measure a mix of operations with given shares
    // In the help, after `get-part`.
    #[command(display_order = S3Operation::GetPart as usize)]
    Mixed(Deferred<MixedArgs>),
    /// Run a predefined set of operations, object sizes and connection counts
    Suite(Deferred<SuiteArgs>),
}

const EXAMPLES: &str = "\
With one target, Tenbin reports the performance of that target. With two or more, Tenbin compares
every other target with the first, or with the target that --baseline names. Tenbin creates a
missing bucket, and deletes only objects that Tenbin created. All S3 operations share this list of
options; an option that does not apply to the operation is an error.

Examples:
  tenbin s3 put --size 1KiB --size 1MiB --target minio=http://127.0.0.1:9000 \\
      --target versity=http://127.0.0.1:7070 --connections 16 --duration 1m
  tenbin s3 get --builtin memory=s3-memory --builtin durable=s3-durable
  tenbin s3 mixed --operations get:70,put:30 --size 1KiB:60,1MiB:40 --builtin s3-memory
  tenbin s3 put --launch 'minio=minio server --address 127.0.0.1:{port} {data}' \\
      --launch-env 'minio=MINIO_ROOT_USER={access_key}' \\
      --launch-env 'minio=MINIO_ROOT_PASSWORD={secret_key}' --size 64KiB";

/// Options of all S3 operations.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct S3Args {
    /// The systems under test.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// Credentials of the targets.
    #[command(flatten)]
    pub keys: KeyArgs,
    /// Objects and requests.
    #[command(flatten)]
    pub objects: ObjectArgs,
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

/// `tenbin s3 mixed`.
#[derive(Args)]
pub struct MixedArgs {
    /// Operations and shares of the mix.
    #[command(flatten)]
    pub mix: MixArgs,
    /// Options of all S3 operations.
    #[command(flatten)]
    pub common: S3Args,
}

impl ProtocolArgs for S3Command {
    fn draft(&self) -> Result<Draft, Refusal> {
        match self {
            Self::One(OperationCommand { operation, args }) => {
                let of_one = S3Draft {
                    operation: Some(At::flag("--operations", operation.name())),
                    ..S3Draft::default()
                };
                args.draft(operation.name(), &of_one)
            }
            Self::Mixed(mixed) => mixed.common.draft("mixed", &mixed.mix.mix()),
            Self::Suite(suite) => suite.draft(),
        }
    }

    fn output(&self) -> &OutputArgs {
        match self {
            Self::One(one) => &one.args.output,
            Self::Mixed(mixed) => &mixed.common.output,
            Self::Suite(suite) => &suite.output,
        }
    }

    fn earlier(&self) -> Option<&EarlierArgs> {
        match self {
            Self::Suite(suite) => Some(&suite.earlier),
            _ => None,
        }
    }
}

impl S3Args {
    /// The plan for the operations in `mix`; the run directory is named `s3-{name}`.
    fn draft(&self, name: &str, mix: &S3Draft) -> Result<Draft, Refusal> {
        let mut targets = self.targets.drafts()?;
        self.keys.give_all(&mut targets)?;
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere(format!("s3-{name}")));
        draft.load = LoadDraft::clone(&self.load.0);
        draft.targets = targets;
        draft.workloads = self.objects.drafts(mix);
        for workload in &mut draft.workloads {
            workload.value.override_with(&self.workload.0);
        }
        self.rounds.apply(&mut draft);
        Ok(draft)
    }
}
