//! `tenbin s3`.

use clap::{Args, Subcommand};
use tenbin_plan::{At, Draft, Refusal, S3Operation, WorkloadDraft};

use super::{KeyArgs, LoadArgs, OutputArgs, RoundsArgs, TargetArgs, set};

/// `tenbin s3`: the operations.
#[derive(Subcommand)]
#[command(after_help = "\
Example:
  export TENBIN_ACCESS_KEY=… TENBIN_SECRET_KEY=…
  tenbin s3 put --size 64KiB --target minio=http://127.0.0.1:9000 \\
      --target versity=http://127.0.0.1:7070")]
pub enum S3Command {
    /// Weigh how fast objects are stored
    Put(S3Args),
    /// Weigh how fast objects are read, with every byte compared
    Get(S3GetArgs),
    /// Weigh how fast objects are deleted
    Delete(S3Args),
}

const EXAMPLES: &str = "\
One target is measured; two or more are weighed against the first. The bucket is made if it is
missing; only what Tenbin made is deleted.

Examples:
  tenbin s3 put --size 1KiB --size 1MiB --target minio=http://127.0.0.1:9000 \\
      --target versity=http://127.0.0.1:7070 --connections 16 --duration 1m
  tenbin s3 get --builtin memory=s3-memory --builtin durable=s3-durable
  tenbin s3 put --launch 'minio=minio server --address 127.0.0.1:{port} {data}' \\
      --launch-env 'minio=MINIO_ROOT_USER={access_key}' \\
      --launch-env 'minio=MINIO_ROOT_PASSWORD={secret_key}' --size 64KiB";

/// `tenbin s3 put` and `tenbin s3 delete`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct S3Args {
    /// The systems under test.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// Their credentials.
    #[command(flatten)]
    pub keys: KeyArgs,
    /// What is stored.
    #[command(flatten)]
    pub objects: ObjectArgs,
    /// How operations are issued.
    #[command(flatten)]
    pub load: LoadArgs,
    /// How long.
    #[command(flatten)]
    pub rounds: RoundsArgs,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `tenbin s3 get`.
#[derive(Args)]
pub struct S3GetArgs {
    /// What all S3 operations have.
    #[command(flatten)]
    pub common: S3Args,
    /// Do not compare what is read with what was stored
    #[arg(long, help_heading = "Objects")]
    pub no_verify: bool,
}

/// What is stored.
#[derive(Args)]
#[command(next_help_heading = "Objects")]
pub struct ObjectArgs {
    /// Object size, for example 64KiB (2^16 bytes), 1MB (10^6) or 0; repeatable or with commas:
    /// one workload for each [default: 1MiB]
    #[arg(long, value_name = "SIZE", value_delimiter = ',')]
    pub size: Vec<String>,
    /// Bucket, made if missing [default: tenbin-bench]
    #[arg(long, value_name = "NAME")]
    pub bucket: Option<String>,
    /// Distinct objects [default: as many as fit in 256 MiB, from 16 to 10000]
    #[arg(long, value_name = "N")]
    pub objects: Option<u64>,
    /// Put the bucket in the host name (bucket.host) instead of the path
    #[arg(long)]
    pub virtual_host: bool,
    /// Sign requests without hashing their payload
    #[arg(long)]
    pub unsigned_payload: bool,
}

impl S3Command {
    /// The plan as written by the options.
    ///
    /// # Errors
    ///
    /// Options that refer to a target that there is not.
    pub fn draft(&self) -> Result<Draft, Refusal> {
        let verify = match self {
            Self::Get(get) if get.no_verify => Some(false),
            _ => None,
        };
        self.args().draft(self.operation(), verify)
    }

    /// Where results go.
    pub fn output(&self) -> &OutputArgs {
        &self.args().output
    }

    fn args(&self) -> &S3Args {
        match self {
            Self::Put(args) | Self::Delete(args) => args,
            Self::Get(get) => &get.common,
        }
    }

    fn operation(&self) -> S3Operation {
        match self {
            Self::Put(_) => S3Operation::Put,
            Self::Get(_) => S3Operation::Get,
            Self::Delete(_) => S3Operation::Delete,
        }
    }
}

impl S3Args {
    fn draft(&self, operation: S3Operation, verify: Option<bool>) -> Result<Draft, Refusal> {
        let mut targets = self.targets.drafts()?;
        self.keys.apply(&mut targets);
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere(format!("s3-{}", operation.name())));
        draft.load = self.load.draft();
        draft.targets = targets;
        draft.workloads = self.objects.drafts(operation, verify);
        self.rounds.apply(&mut draft);
        Ok(draft)
    }
}

impl ObjectArgs {
    /// One workload for each size, or one of the default size.
    fn drafts(&self, operation: S3Operation, verify: Option<bool>) -> Vec<At<WorkloadDraft>> {
        let mut sizes: Vec<Option<&str>> =
            self.size.iter().map(|size| Some(size.as_str())).collect();
        if sizes.is_empty() {
            sizes.push(None);
        }
        let draft = |size: Option<&str>| {
            let mut draft = WorkloadDraft {
                kind: Some(At::nowhere("s3")),
                operation: Some(At::nowhere(operation.name())),
                ..WorkloadDraft::default()
            };
            set(&mut draft.size, "--size", size);
            set(&mut draft.bucket, "--bucket", self.bucket.as_deref());
            set(&mut draft.objects, "--objects", self.objects);
            let style = self.virtual_host.then_some("virtual");
            set(&mut draft.style, "--virtual-host", style);
            let payload = self.unsigned_payload.then_some("unsigned");
            set(&mut draft.payload, "--unsigned-payload", payload);
            set(&mut draft.verify, "--no-verify", verify);
            At::nowhere(draft)
        };
        sizes.into_iter().map(draft).collect()
    }
}
