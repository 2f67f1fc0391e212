//! Objects and requests of S3 operations.

use clap::Args;
use tenbin_plan::{At, Field, S3Draft, WorkloadDraft};

use crate::args::{many, set};

/// Stored content, and how it is requested.
#[derive(Args)]
#[command(next_help_heading = "Objects")]
pub struct ObjectArgs {
    /// Object size, for example 64KiB (2^16 bytes), 1MB (10^6) or 0. Any between two: 1KiB..1MiB;
    /// several with shares: 1KiB:60,1MiB:30,64MiB:10; lognormal:64KiB:1.5; file:sizes.txt.
    /// Repeatable, or with commas between plain sizes: one workload for each [default: 1MiB; 1KiB
    /// where content is not the point; 20MiB in parts]
    #[arg(long, value_name = "SIZE")]
    pub size: Vec<String>,
    /// Distinct objects [default: as many as fit in 256 MiB, from 16 to 10000; 1000 to list]
    #[arg(long, value_name = "N")]
    pub objects: Option<u64>,
    /// Bucket, created if missing [default: tenbin-bench]
    #[arg(long, value_name = "NAME")]
    pub bucket: Option<String>,
    /// Number of buckets, named NAME-000 and so on; objects are distributed over them in turn
    #[arg(long, value_name = "N")]
    pub buckets: Option<u32>,
    /// Prefix of every key, before Tenbin's own prefix
    #[arg(long, value_name = "TEXT")]
    pub prefix: Option<String>,
    /// Key names: sequential or random
    #[arg(long, value_name = "ORDER")]
    pub keys: Option<String>,
    /// Number of prefixes per level above the keys: 16/16 is sixteen, with sixteen below each
    #[arg(long, value_name = "N/N…")]
    pub prefixes: Option<String>,
    /// Order of reads: uniform, zipf:1.1, sequential, or once (each object once, so that no cache
    /// holds it)
    #[arg(long, value_name = "HOW")]
    pub choose: Option<String>,
    /// Use the existing data set if it is complete, and keep it after the run
    #[arg(long, conflicts_with = "existing")]
    pub keep: bool,
    /// Use the existing objects below the prefix; create and delete nothing
    #[arg(long)]
    pub existing: bool,
    /// Every object has different content, generated while it is sent
    #[arg(long)]
    pub unique: bool,
    /// Share of the content that a compressor can remove, percent
    #[arg(long, value_name = "PERCENT")]
    pub compressible: Option<u32>,
    /// Do not compare the content that is read with the content that was stored
    #[arg(long)]
    pub no_verify: bool,
    /// Checksum sent with content and checked in responses: md5, crc32, crc32c, crc64nvme, sha1,
    /// sha256
    #[arg(long, value_name = "NAME")]
    pub checksum: Option<String>,
    /// Encryption by the server: sse-s3, or sse-c with a key generated for the run
    #[arg(long, value_name = "KIND")]
    pub encryption: Option<String>,
    /// Storage class of every object
    #[arg(long, value_name = "CLASS")]
    pub storage_class: Option<String>,
    /// Content-Type of every object
    #[arg(long, value_name = "TYPE")]
    pub content_type: Option<String>,
    /// Metadata of every object; repeatable
    #[arg(long, value_name = "NAME: VALUE")]
    pub metadata: Vec<String>,
    /// Tag of every object; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    pub tag: Vec<String>,
    /// Versions of every object, in a bucket with versioning
    #[arg(long, value_name = "N")]
    pub versions: Option<u32>,
    /// Put the bucket in the host name (bucket.host) instead of the path
    #[arg(long, help_heading = "Requests")]
    pub virtual_host: bool,
    /// How the signature covers the payload: signed, unsigned, streaming or trailer [default:
    /// signed]
    #[arg(
        long,
        value_name = "HOW",
        conflicts_with = "unsigned_payload",
        help_heading = "Requests"
    )]
    pub payload: Option<String>,
    /// Sign requests without hashing their payload
    #[arg(long, help_heading = "Requests")]
    pub unsigned_payload: bool,
    /// Send a refused request (408, 429, 500, 502 to 504, a broken connection) again up to N times,
    /// with waits of up to 1s; the operation is timed from its first attempt [default: 0]
    #[arg(long, value_name = "N", help_heading = "Requests")]
    pub retries: Option<u32>,
    /// Part of an object that get reads: random:64KiB or 0-1023
    #[arg(long, value_name = "RANGE", help_heading = "Requests")]
    pub range: Option<String>,
    /// Size of a part of a multipart upload [default: 5MiB]
    #[arg(long, value_name = "SIZE", help_heading = "Requests")]
    pub part_size: Option<String>,
    /// Parts of one object in flight [default: 4]
    #[arg(long, value_name = "N", help_heading = "Requests")]
    pub parts_at_once: Option<u32>,
    /// How keys are listed: v2, v1 or versions [default: v2]
    #[arg(long = "list", value_name = "FORM", help_heading = "Requests")]
    pub form: Option<String>,
    /// Keys per page of a listing [default: 1000]
    #[arg(long, value_name = "N", help_heading = "Requests")]
    pub page: Option<u32>,
    /// Delimiter that divides keys into levels, such as /; list lists one level
    #[arg(long, value_name = "CHAR", help_heading = "Requests")]
    pub delimiter: Option<String>,
    /// Objects per request of delete-batch [default: 100]
    #[arg(long, value_name = "N", help_heading = "Requests")]
    pub batch: Option<u32>,
    /// Files per archive, or objects per fan-out [default: 50]
    #[arg(long, value_name = "N", help_heading = "Requests")]
    pub entries: Option<u32>,
}

impl ObjectArgs {
    /// One workload per size, or one with the default size.
    pub(super) fn drafts(&self, mix: &str, rewrite: bool) -> Vec<At<WorkloadDraft>> {
        let sizes = self.sizes();
        let each = sizes
            .iter()
            .map(|size| WorkloadDraft::of(self.draft(mix, rewrite, size.as_deref())));
        each.map(At::nowhere).collect()
    }

    /// Commas separate plain sizes; in a distribution they are part of the value.
    fn sizes(&self) -> Vec<Option<String>> {
        if self.size.is_empty() {
            return vec![None];
        }
        let split = |text: &String| match text.contains(':') {
            true => vec![text.clone()],
            false => text.split(',').map(str::to_owned).collect(),
        };
        self.size.iter().flat_map(split).map(Some).collect()
    }

    fn draft(&self, mix: &str, rewrite: bool, size: Option<&str>) -> S3Draft {
        let mut draft = S3Draft {
            operation: Some(At::flag("--operations", mix)),
            metadata: many("--metadata", &self.metadata),
            tags: many("--tag", &self.tag),
            ..S3Draft::default()
        };
        set(&mut draft.size, "--size", size);
        set(&mut draft.objects, "--objects", self.objects);
        set(&mut draft.buckets, "--buckets", self.buckets);
        set(&mut draft.compressible, "--compressible", self.compressible);
        set(&mut draft.versions, "--versions", self.versions);
        set(&mut draft.retries, "--retries", self.retries);
        set(
            &mut draft.parts_at_once,
            "--parts-at-once",
            self.parts_at_once,
        );
        set(&mut draft.page, "--page", self.page);
        set(&mut draft.batch, "--batch", self.batch);
        set(&mut draft.entries, "--entries", self.entries);
        let text = |field: &mut Field, flag, value: &Option<String>| {
            set(field, flag, value.as_deref());
        };
        text(&mut draft.bucket, "--bucket", &self.bucket);
        text(&mut draft.prefix, "--prefix", &self.prefix);
        text(&mut draft.keys, "--keys", &self.keys);
        text(&mut draft.prefixes, "--prefixes", &self.prefixes);
        text(&mut draft.choose, "--choose", &self.choose);
        text(&mut draft.checksum, "--checksum", &self.checksum);
        text(&mut draft.encryption, "--encryption", &self.encryption);
        text(
            &mut draft.storage_class,
            "--storage-class",
            &self.storage_class,
        );
        text(
            &mut draft.content_type,
            "--content-type",
            &self.content_type,
        );
        text(&mut draft.payload, "--payload", &self.payload);
        text(&mut draft.range, "--range", &self.range);
        text(&mut draft.part_size, "--part-size", &self.part_size);
        text(&mut draft.list, "--list", &self.form);
        text(&mut draft.delimiter, "--delimiter", &self.delimiter);
        let word = |field: &mut Field, flag, given: bool, word: &str| {
            set(field, flag, given.then_some(word));
        };
        word(
            &mut draft.style,
            "--virtual-host",
            self.virtual_host,
            "virtual",
        );
        word(
            &mut draft.payload,
            "--unsigned-payload",
            self.unsigned_payload,
            "unsigned",
        );
        word(&mut draft.content, "--unique", self.unique, "unique");
        word(&mut draft.data, "--keep", self.keep, "keep");
        word(&mut draft.data, "--existing", self.existing, "existing");
        set(
            &mut draft.verify,
            "--no-verify",
            self.no_verify.then_some(false),
        );
        set(&mut draft.rewrite, "--rewrite", rewrite.then_some(true));
        draft
    }
}
