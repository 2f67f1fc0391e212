//! `tenbin blob`.

use clap::Args;
use tenbin_plan::{At, BlobDraft, Draft, LoadDraft, Refusal, STORES, Section as _, WorkloadDraft};

use super::flags::Flags;
use super::options::per_target::{PerTarget, TargetGroup};
use super::{KeyArgs, OutputArgs, ProtocolArgs, RoundsArgs, TargetArgs};

const DEFAULT_PHASES: &str = "pgd";

/// `tenbin blob`.
#[derive(Args)]
#[command(after_help = "\
Tenbin sends requests of CubeFS's blobstore access layer to an http:// URL; with --store s3, S3
requests. file:///DIR stores blobs as files in a directory; file:///DIR?sync also syncs every file
to disk. --builtin NAME=dummy does nothing, and so shows the cost of Tenbin itself. All kinds of
stores can be compared with each other. Get and delete phases use the blobs that earlier phases of
the same round stored.

Examples:
  tenbin blob --target http://127.0.0.1:9500 --phases pgd --size 10KiB
  tenbin blob --target http://127.0.0.1:9500 --phases p --locations db --objects 100000
  tenbin blob --target http://127.0.0.1:9500 --phases g --locations db
  tenbin blob --builtin blob=blob --target disk=file:///mnt/data --target durable=file:///mnt/data?sync \\
      --target minio=http://127.0.0.1:9000 --store minio=s3 --size 64KiB")]
pub struct BlobArgs {
    /// The systems under test.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// The protocol of each store.
    #[command(flatten)]
    pub store: StoreArgs,
    /// Credentials of the targets.
    #[command(flatten)]
    pub keys: KeyArgs,
    /// Options of the stored blobs and of the requests for them.
    #[command(flatten)]
    pub blobs: Flags<BlobDraft>,
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

/// Values of `--store`, the protocol of each target.
pub type StoreArgs = PerTarget<Stores>;

/// The flags of blob stores.
pub struct Stores;

impl TargetGroup for Stores {
    const HEADING: &'static str = STORES;
}

impl ProtocolArgs for BlobArgs {
    fn draft(&self) -> Result<Draft, Refusal> {
        let mut targets = self.targets.drafts()?;
        self.keys.give_all(&mut targets)?;
        self.store.give_all(&mut targets)?;
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere("blob"));
        draft.load = LoadDraft::clone(&self.load.0);
        draft.targets = targets;
        let mut work = BlobDraft::clone(&self.blobs.0);
        work.operation
            .get_or_insert_with(|| At::flag("--phases", DEFAULT_PHASES));
        let mut workload = WorkloadDraft::of(work);
        workload.override_with(&self.workload.0);
        draft.workloads = vec![At::nowhere(workload)];
        self.rounds.apply(&mut draft);
        Ok(draft)
    }

    fn output(&self) -> &OutputArgs {
        &self.output
    }
}
