//! `tenbin blob`.

use clap::Args;
use tenbin_plan::{At, BlobDraft, Draft, Refusal, Scalar, TargetDraft, WorkloadDraft};

use super::keys::{name, named, value_for};
use super::stages::StageArgs;
use super::{KeyArgs, LoadArgs, OutputArgs, ProtocolArgs, RoundsArgs, TargetArgs, many, set};

/// `tenbin blob`.
#[derive(Args)]
#[command(after_help = "\
The protocol of a target with a URL is that of the access layer of CubeFS's blobstore, or S3 with
--store s3. file:///DIR is a directory, file:///DIR?sync a directory whose files are synced to disk.
--builtin dummy does nothing, and shows the cost of Tenbin itself. All of them can be compared
with each other. The blobs that a phase stores are read and deleted by the later phases of the round.

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
    /// Protocol of the store, for all targets with a URL or for one: blobstore or s3 [default:
    /// blobstore]
    #[arg(long, value_name = "[NAME=]STORE", help_heading = "Blobs")]
    pub store: Vec<String>,
    /// Credentials of the targets.
    #[command(flatten)]
    pub keys: KeyArgs,
    /// Stored content, and how it is requested.
    #[command(flatten)]
    pub blobs: PhaseArgs,
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

/// Stored content, and how it is requested.
#[derive(Args)]
#[command(next_help_heading = "Blobs")]
pub struct PhaseArgs {
    /// Phases of a round, in this order: p put, g get, d delete, for example pgd or pggg; --rounds
    /// sets the number of repetitions
    #[arg(long, value_name = "PHASES", default_value = "pgd")]
    pub phases: String,
    /// Size of a blob, for example 10KiB or 1MB; any between two: 1KiB..1MiB; several with shares:
    /// 1KiB:60,1MiB:40 [default: 1MiB]
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Largest number of blobs of a phase [default: as many as its time allows]
    #[arg(long, value_name = "N")]
    pub objects: Option<u64>,
    /// Name of the set of blobs, among the locations and in keys [default: blobs among locations,
    /// else the run's own]
    #[arg(long, value_name = "NAME")]
    pub prefix: Option<String>,
    /// Keep locations in this directory, so that a later run finds the blobs; then only phase d
    /// deletes blobs [default: in memory; remaining blobs are deleted at the end]
    #[arg(long, value_name = "DIR")]
    pub locations: Option<String>,
    /// Bucket on S3 stores, created if missing [default: tenbin-bench]
    #[arg(long, value_name = "NAME")]
    pub bucket: Option<String>,
    /// Do not compare the content that is read with the content that was put
    #[arg(long)]
    pub no_verify: bool,
    /// Checksums that the server computes, to be compared, separated by commas: crc32, md5, sha1,
    /// sha256
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub hashes: Vec<String>,
    /// Size above which blobs are stored in pieces (/alloc, /putat, /sign); at most 1GiB [default:
    /// 256MiB]
    #[arg(long, value_name = "SIZE")]
    pub alloc_above: Option<String>,
    /// Send content in blocks of 64 KiB, each with its CRC-32, which the access layer checks
    #[arg(long)]
    pub crc_framed: bool,
    /// Part of a blob that g reads: random:64KiB or 0-1023
    #[arg(long, value_name = "RANGE")]
    pub range: Option<String>,
    /// How often g reads each blob: once, or sequential (again and again until the time is over)
    /// [default: once]
    #[arg(long, value_name = "HOW")]
    pub choose: Option<String>,
    /// Blobs per delete request, up to 1024 [default: 1]
    #[arg(long, value_name = "N")]
    pub batch: Option<u32>,
    /// Read deleted blobs until they are gone, and report how long that takes
    #[arg(long)]
    pub until_gone: bool,
    /// With --until-gone: longest time until a blob is gone; longer is a failure [default: 1m]
    #[arg(long, value_name = "TIME")]
    pub gone_within: Option<String>,
    /// With --until-gone: longest pause between two polls of a blob; the pause is an eighth of the
    /// time since its deletion, and 1ms at least [default: 100ms]
    #[arg(long, value_name = "TIME")]
    pub poll_interval: Option<String>,
    /// With --until-gone: connections for polling deleted blobs, in addition to --connections; as
    /// many blobs are polled at once [default: 16]
    #[arg(long, value_name = "N")]
    pub poll_connections: Option<u32>,
    /// Largest number of failures; one more ends the run [default: no limit]
    #[arg(long, value_name = "N")]
    pub errors: Option<u64>,
}

impl ProtocolArgs for BlobArgs {
    fn draft(&self) -> Result<Draft, Refusal> {
        let mut targets = self.targets.drafts()?;
        self.keys.apply(&mut targets);
        self.name_stores(&mut targets);
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere("blob"));
        draft.load = self.load.draft();
        draft.targets = targets;
        let mut workload = WorkloadDraft::of(self.blobs.draft());
        self.stages.apply(&mut workload);
        draft.workloads = vec![At::nowhere(workload)];
        self.rounds.apply(&mut draft);
        Ok(draft)
    }

    fn output(&self) -> &OutputArgs {
        &self.output
    }
}

impl BlobArgs {
    fn name_stores(&self, targets: &mut [At<TargetDraft>]) {
        let names: Vec<String> = targets.iter().filter_map(name).collect();
        for target in targets {
            let own = name(target);
            let is_named = named_for(&self.store, own.as_deref(), &names);
            let speaks_http = |url: &At<Scalar>| matches!(&url.value, Scalar::Text(url) if url.starts_with("http"));
            let draft = &mut target.value;
            let can_choose = draft.command.is_some() || draft.url.as_ref().is_some_and(speaks_http);
            // What is said to all is for those that have a choice.
            if can_choose || draft.urls.is_some() || is_named {
                let store = value_for(&self.store, own.as_deref(), &names);
                set(&mut draft.store, "--store", store.as_deref());
            }
        }
    }
}

/// Whether a value is for that target by name.
fn named_for(values: &[String], target: Option<&str>, names: &[String]) -> bool {
    let mut named = values.iter().filter_map(|value| named(value, names));
    named.any(|(name, _)| Some(name) == target)
}

impl PhaseArgs {
    fn draft(&self) -> BlobDraft {
        let mut draft = BlobDraft {
            operation: Some(At::flag("--phases", self.phases.as_str())),
            hashes: many("--hashes", &self.hashes),
            ..BlobDraft::default()
        };
        set(&mut draft.size, "--size", self.size.as_deref());
        set(&mut draft.objects, "--objects", self.objects);
        set(&mut draft.prefix, "--prefix", self.prefix.as_deref());
        set(
            &mut draft.locations,
            "--locations",
            self.locations.as_deref(),
        );
        set(&mut draft.bucket, "--bucket", self.bucket.as_deref());
        set(
            &mut draft.verify,
            "--no-verify",
            self.no_verify.then_some(false),
        );
        set(&mut draft.range, "--range", self.range.as_deref());
        set(&mut draft.choose, "--choose", self.choose.as_deref());
        set(&mut draft.batch, "--batch", self.batch);
        set(
            &mut draft.until_gone,
            "--until-gone",
            self.until_gone.then_some(true),
        );
        set(
            &mut draft.alloc_above,
            "--alloc-above",
            self.alloc_above.as_deref(),
        );
        set(
            &mut draft.crc_framed,
            "--crc-framed",
            self.crc_framed.then_some(true),
        );
        set(
            &mut draft.gone_within,
            "--gone-within",
            self.gone_within.as_deref(),
        );
        set(
            &mut draft.poll_interval,
            "--poll-interval",
            self.poll_interval.as_deref(),
        );
        set(
            &mut draft.poll_connections,
            "--poll-connections",
            self.poll_connections,
        );
        set(&mut draft.errors, "--errors", self.errors);
        draft
    }
}
