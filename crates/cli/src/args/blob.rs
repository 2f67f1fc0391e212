//! `tenbin blob`.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use tenbin_plan::{
    At, BlobDraft, Draft, Key, LoadDraft, Refusal, Scalar, Section as _, TargetDraft, WorkloadDraft,
};

use super::flags::{self, Flags, Offered, PerTarget};
use super::keys::{name, named, value_for};
use super::{KeyArgs, OutputArgs, ProtocolArgs, RoundsArgs, TargetArgs, problem, set};

const DEFAULT_PHASES: &str = "pgd";

impl Offered for BlobDraft {
    const HEADING: &'static str = "Blobs";
}

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
pub struct StoreArgs(PerTarget);

fn store_key() -> impl Iterator<Item = &'static Key> {
    TargetDraft::KEYS.iter().filter(|key| key.name == "store")
}

impl Args for StoreArgs {
    fn augment_args(command: Command) -> Command {
        flags::add(command, BlobDraft::HEADING, store_key())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for StoreArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(PerTarget::read(matches, store_key())))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl ProtocolArgs for BlobArgs {
    fn draft(&self) -> Result<Draft, Refusal> {
        let mut targets = self.targets.drafts()?;
        self.keys.apply(&mut targets)?;
        self.name_stores(&mut targets)?;
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

impl BlobArgs {
    fn name_stores(&self, targets: &mut [At<TargetDraft>]) -> Result<(), Refusal> {
        const FLAG: &str = "--store";
        let values = self.store.0.of(FLAG);
        let mut is_used = values.is_empty();
        let names: Vec<String> = targets.iter().filter_map(name).collect();
        for target in targets {
            let own = name(target);
            let is_named = named_for(values, own.as_deref(), &names);
            let speaks_http = |url: &At<Scalar>| matches!(&url.value, Scalar::Text(url) if url.starts_with("http"));
            let draft = &mut target.value;
            let can_choose = draft.command.is_some() || draft.url.as_ref().is_some_and(speaks_http);
            // A value for all targets applies only to launched targets and http URLs, because other
            // targets have a fixed protocol.
            if can_choose || draft.urls.is_some() || is_named {
                let store = value_for(values, own.as_deref(), &names);
                is_used |= store.is_some();
                set(&mut draft.store, FLAG, store.as_deref());
            }
        }
        if is_used {
            Ok(())
        } else {
            Err(problem(format!(
                "{FLAG}: no target has a choice of protocols; it is for --target with an http URL \
             and for --launch"
            )))
        }
    }
}

/// Whether one of the `NAME=VALUE` values names `target`.
fn named_for(values: &[String], target: Option<&str>, names: &[String]) -> bool {
    let mut named = values.iter().filter_map(|value| named(value, names));
    named.any(|(name, _)| Some(name) == target)
}
