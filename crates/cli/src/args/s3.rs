//! `tenbin s3`.

mod objects;

use clap::{Args, Subcommand};
use tenbin_plan::{
    At, Draft, LoadDraft, Refusal, S3Draft, S3Operation, Section as _, WorkloadDraft,
};

pub use objects::{MixArgs, ObjectArgs};

use super::{
    EarlierArgs, Flags, KeyArgs, OutputArgs, ProtocolArgs, RoundsArgs, SuiteArgs, TargetArgs,
    rounds,
};

/// `tenbin s3`: the operations.
#[derive(Subcommand)]
#[command(after_help = "\
Example:
  export TENBIN_ACCESS_KEY=… TENBIN_SECRET_KEY=…
  tenbin s3 put --size 64KiB --target minio=http://127.0.0.1:9000 \\
      --target versity=http://127.0.0.1:7070")]
pub enum S3Command {
    /// Measure how fast objects are stored
    Put(S3Args),
    /// Measure how fast objects, or parts of them, are read, and verify every byte
    Get(S3Args),
    /// Measure how fast objects are deleted, one by one
    Delete(S3Args),
    /// Measure how fast objects are deleted, many in one request
    DeleteBatch(S3Args),
    /// Measure how fast keys are listed, page by page
    List(S3Args),
    /// Measure how fast the metadata of objects is read (HEAD)
    Stat(S3Args),
    /// Measure how fast objects are copied by the server
    Copy(S3Args),
    /// Measure how fast objects are stored in parts sent in parallel
    Multipart(S3Args),
    /// Measure how fast the parts of such objects are read
    GetPart(S3Args),
    /// Measure several operations together, by shares
    Mixed(MixedArgs),
    /// Measure how fast objects get tags
    PutTags(S3Args),
    /// Measure how fast the tags of objects are read
    GetTags(S3Args),
    /// Measure how fast objects lose their tags
    DeleteTags(S3Args),
    /// Measure how fast objects are put under retention
    Retain(S3Args),
    /// Measure how fast legal holds are set on objects and removed
    LegalHold(S3Args),
    /// Measure how fast data is appended to objects, on servers that support it
    Append(S3Args),
    /// Measure archives that the server unpacks, on servers that support it
    Snowball(S3Args),
    /// Measure reading files inside ZIP archives, on servers that support it
    ZipGet(S3Args),
    /// Measure listing files inside ZIP archives, on servers that support it
    ZipList(S3Args),
    /// Measure storing many objects with the same content, on servers that support it
    FanOut(S3Args),
    /// Measure object stores by a suite of operations, sizes or connections
    #[command(mut_args(rounds::without_defaults))]
    Suite(SuiteArgs),
}

const EXAMPLES: &str = "\
One target is measured; two or more are compared with the first. A missing bucket is created; only
data that Tenbin created are deleted. Options that do not apply to the operation are refused.

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
    /// Stored content, and how it is requested.
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
    /// The mix.
    #[command(flatten)]
    pub mix: MixArgs,
    /// Options of all S3 operations.
    #[command(flatten)]
    pub common: S3Args,
}

/// The operations that a command sends.
enum What<'a> {
    One(S3Operation, &'a S3Args),
    Mixed(&'a MixedArgs),
    Suite(&'a SuiteArgs),
}

impl ProtocolArgs for S3Command {
    fn draft(&self) -> Result<Draft, Refusal> {
        match self.what() {
            What::One(operation, args) => {
                let of_one = S3Draft {
                    operation: Some(At::flag("--operations", operation.name())),
                    ..S3Draft::default()
                };
                args.draft(operation.name(), &of_one)
            }
            What::Mixed(mixed) => mixed.common.draft("mixed", &mixed.mix.0),
            What::Suite(suite) => suite.draft(),
        }
    }

    fn output(&self) -> &OutputArgs {
        match self.what() {
            What::One(_, args) => &args.output,
            What::Mixed(mixed) => &mixed.common.output,
            What::Suite(suite) => &suite.output,
        }
    }

    fn earlier(&self) -> Option<&EarlierArgs> {
        match self {
            Self::Suite(suite) => Some(&suite.earlier),
            _ => None,
        }
    }
}

impl S3Command {
    fn what(&self) -> What<'_> {
        let (operation, args) = match self {
            Self::Put(args) => (S3Operation::Put, args),
            Self::Get(args) => (S3Operation::Get, args),
            Self::Delete(args) => (S3Operation::Delete, args),
            Self::DeleteBatch(args) => (S3Operation::DeleteBatch, args),
            Self::List(args) => (S3Operation::List, args),
            Self::Stat(args) => (S3Operation::Stat, args),
            Self::Copy(args) => (S3Operation::Copy, args),
            Self::Multipart(args) => (S3Operation::Multipart, args),
            Self::GetPart(args) => (S3Operation::GetPart, args),
            Self::PutTags(args) => (S3Operation::PutTags, args),
            Self::GetTags(args) => (S3Operation::GetTags, args),
            Self::DeleteTags(args) => (S3Operation::DeleteTags, args),
            Self::Retain(args) => (S3Operation::Retain, args),
            Self::LegalHold(args) => (S3Operation::LegalHold, args),
            Self::Append(args) => (S3Operation::Append, args),
            Self::Snowball(args) => (S3Operation::Snowball, args),
            Self::ZipGet(args) => (S3Operation::ZipGet, args),
            Self::ZipList(args) => (S3Operation::ZipList, args),
            Self::FanOut(args) => (S3Operation::FanOut, args),
            Self::Mixed(mixed) => return What::Mixed(mixed),
            Self::Suite(suite) => return What::Suite(suite),
        };
        What::One(operation, args)
    }
}

impl S3Args {
    /// The plan for the operations in `mix`; `name` is used for the run directory.
    fn draft(&self, name: &str, mix: &S3Draft) -> Result<Draft, Refusal> {
        let mut targets = self.targets.drafts()?;
        self.keys.apply(&mut targets);
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
