//! `tenbin s3`: one subcommand for each operation.

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

/// The subcommands of `tenbin s3`.
#[derive(Subcommand)]
#[command(after_help = "\
Example:
  export TENBIN_ACCESS_KEY=… TENBIN_SECRET_KEY=…
  tenbin s3 put --size 64KiB --target minio=http://127.0.0.1:9000 \\
      --target versity=http://127.0.0.1:7070")]
pub enum S3Command {
    /// Measure uploads of objects (PUT)
    Put(S3Args),
    /// Measure downloads of objects or byte ranges (GET), and verify every byte
    Get(S3Args),
    /// Measure deletion of objects, one per request (DELETE)
    Delete(S3Args),
    /// Measure deletion of objects, many per request (DeleteObjects)
    DeleteBatch(S3Args),
    /// Measure listing of keys, page by page (ListObjectsV2)
    List(S3Args),
    /// Measure reading of object metadata (HEAD)
    Stat(S3Args),
    /// Measure copies of objects within the server (CopyObject)
    Copy(S3Args),
    /// Measure multipart uploads, with parts sent in parallel
    Multipart(S3Args),
    /// Measure downloads of single parts of multipart objects (GET with partNumber)
    GetPart(S3Args),
    /// Measure a mix of operations with given shares
    Mixed(MixedArgs),
    /// Measure setting of object tags (PutObjectTagging)
    PutTags(S3Args),
    /// Measure reading of object tags (GetObjectTagging)
    GetTags(S3Args),
    /// Measure deletion of object tags (DeleteObjectTagging)
    DeleteTags(S3Args),
    /// Measure setting of object retention (PutObjectRetention)
    Retain(S3Args),
    /// Measure setting and removal of legal holds (PutObjectLegalHold)
    LegalHold(S3Args),
    /// Measure appends to existing objects, on servers that support appends
    Append(S3Args),
    /// Measure uploads of tar archives that the server unpacks, on servers with this extension
    Snowball(S3Args),
    /// Measure reading of files inside ZIP archives, on servers with this extension
    ZipGet(S3Args),
    /// Measure listing of files inside ZIP archives, on servers with this extension
    ZipList(S3Args),
    /// Measure requests that each create many equal objects, on servers with this extension
    FanOut(S3Args),
    /// Run a predefined set of operations, object sizes and connection counts
    #[command(mut_args(rounds::without_defaults))]
    Suite(SuiteArgs),
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

/// The operations of a subcommand, with the options of the subcommand.
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
    /// The plan for the operations in `mix`; the run directory is named `s3-{name}`.
    fn draft(&self, name: &str, mix: &S3Draft) -> Result<Draft, Refusal> {
        let mut targets = self.targets.drafts()?;
        self.keys.apply(&mut targets)?;
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
