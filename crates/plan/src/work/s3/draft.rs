//! The keys of S3 workloads.

use super::lines;
use super::operation::QUOTED_NAMES;
use super::{
    Checksum, ContentKind, DataSet, Encryption, Feature, KeyOrder, ListForm, Mix, Payload,
    RequestHeader, S3Operation, Style,
};
use crate::bucket;
use crate::choose::{ByteRange, Choose, Prefixes};
use crate::keys::form::{Kind, SIZES};
use crate::keys::page::{self, Page};
use crate::keys::row::{self, Flag, Key, Takes, choice, switch, text, whole};
use crate::keys::scalar::{List, Scalar};
use crate::keys::section::section;
use crate::units::sizes::{self, Sizes};
use crate::{Sentence, sentence};

const MOST_BUCKETS: u64 = 1000;
const MOST_KEYS_IN_REQUEST: u64 = 1000;
const MOST_PARTS_AT_ONCE: u64 = 1000;
const MOST_VERSIONS: u64 = 1000;
const MOST_RETRIES: u64 = 100;
const MOST_ENTRIES: u64 = 10_000;

/// Help heading of the flags for requests.
const REQUESTS: &str = "Requests";

section! {
    /// The keys of a workload of kind `s3`.
    pub struct S3Draft("in [[workload]]", "a table such as [[workload]]") {
        /// operation, or several with shares: `"get:70,put:30"`. [s3.md](s3.md) describes each
        /// operation and the servers that support it
        operation: Scalar, shown operation = text(QUOTED_NAMES)
        .default_rule("required")
        .synonyms(&["op", "mix"])
        .flag(
            Flag::text(
                "--operations",
                "NAME:SHARE,…",
                "The operations, each with its share: put, get, delete, list, stat, put-tags, \
                 get-tags, delete-tags. get, stat and list use objects that are created before the \
                 run; delete removes objects that put has created",
            )
            .default("get:45,stat:30,put:15,delete:10")
            .under("Operations"),
        );
        /// size of an object, at most 5 GiB
        size: Scalar, shown size = text(
            "`\"64KiB\"`; `\"1KiB..1MiB\"` (uniformly distributed); \
             `\"1KiB:60,1MiB:30,64MiB:10\"` (with shares); `\"lognormal:64KiB:1.5\"` (median, and \
             standard deviation of the logarithm); `\"file:sizes.txt\"` (one per line)",
        )
        .kinds(SIZES)
        .default_rule(
            "`\"1MiB\"`; `\"1KiB\"` for operations without content; `\"20MiB\"` for multipart",
        )
        .synonyms(&["object_size", "sizes"])
        .flag(
            Flag::of(
                "--size",
                Takes::Several("SIZE"),
                "Object size, for example 64KiB (2^16 bytes), 1MB (10^6 bytes) or 0. \
                 Repeatable, or a list such as 1KiB,1MiB: one workload per size. Random sizes: \
                 1KiB..1MiB (uniform); 1KiB:60,1MiB:30,64MiB:10 (sizes with shares); \
                 lognormal:64KiB:1.5 (median, and standard deviation of the natural logarithm); \
                 file:sizes.txt (one size per line)",
            )
            .default("1MiB; 1KiB for operations without content; 20MiB for multipart"),
        );
        /// bucket, created if missing; removed after the run only if Tenbin created it
        bucket: Scalar => String, read bucket::read = text("name").default("tenbin-bench").flag(Flag::text(
            "--bucket",
            "NAME",
            "Bucket, created if missing",
        ).also_in(&["doctor", "suite"]));
        /// number of buckets, named `NAME-000`, `NAME-001` and so on; objects are distributed over
        /// the buckets in turn
        buckets: Scalar => u32 = whole(1, MOST_BUCKETS)
            .default_explained("1", "one bucket, with the name in `bucket`").changes_only()
            .flag(Flag::whole(
                "--buckets",
                "N",
                "Number of buckets. --bucket NAME then means buckets NAME-000, NAME-001 and so \
                 on; objects are distributed over the buckets in turn",
            ));
        /// prefix of every key; in keys that Tenbin creates, `tenbin-<seed>/<workload>/` follows it
        prefix: Scalar => Option<String>, read lines::prefix = text("text")
            .default_rule("none")
            .flag(Flag::text(
                "--prefix",
                "TEXT",
                "Prefix of all keys; in keys that Tenbin creates, tenbin-<seed>/<workload>/ \
                 follows it",
            ));
        /// number of distinct objects. Writes cycle through the objects, reads choose among them
        objects: Scalar, shown objects = whole(1, u64::MAX)
            .default_rule(
                "256 MiB of objects, at least 16, at most 10,000; 1,000 for `\"list\"`",
            )
            .synonyms(&["object_count"])
            .flag(
                Flag::whole("--objects", "N", "Number of distinct objects").default(
                    "as many as fit in 256 MiB, from 16 to 10000; 1000 for list",
                ),
            );
        /// key names: ascending numbers, or random hexadecimal digits
        keys: Scalar => KeyOrder = choice::<KeyOrder>().default("sequential").changes_only().flag(Flag::text(
            "--keys",
            "ORDER",
            "Key names: sequential or random",
        ));
        /// number of prefixes on each level: `"16/16"` is sixteen prefixes with sixteen each below
        prefixes: Scalar => Option<Prefixes> = text("`\"16/16\"`").kinds(&[Kind::Text, Kind::Whole { least: 1, most: u64::MAX }]).flag(Flag::text(
            "--prefixes",
            "N/N…",
            "Number of prefixes (directories) per level above the keys; 16/16 means 16 prefixes \
             with 16 prefixes below each",
        ));
        /// which object is read next. `"once"`: each object at most once in a run, so that no cache
        /// can contain the object; if all objects have been read before a slice starts, the run
        /// ends with a message
        choose: Scalar => Choose = text("`\"uniform\"`, `\"zipf:1.1\"`, `\"sequential\"`, `\"once\"`")
            .kinds(&[Kind::Pattern(r"^(uniform|sequential|once|zipf(:[0-9.]+)?)$")])
            .default("uniform").changes_only()
            .synonyms(&["distribution"])
            .flag(
                Flag::text(
                    "--choose",
                    "HOW",
                    "Order of reads: uniform or zipf:1.1 (random), sequential, or once (each \
                     object at most once, so that no earlier read has put it into a cache)",
                ),
            );
        /// where the bucket is in a request: in the path (`/bucket/key`) or in the host name
        /// (`Host: bucket.host`)
        style: Scalar => Style = choice::<Style>().default("path").flag(
            Flag::of(
                "--virtual-host",
                Takes::Means("virtual"),
                "Put the bucket in the host name (bucket.host) instead of the path",
            )
            .under(REQUESTS)
            .also_in(&["doctor", "suite"]),
        );
        /// `"signed"`: the signature covers the SHA-256 of the content; `"unsigned"`: the signature
        /// does not cover the content; `"streaming"`: every chunk of the content has a signature;
        /// `"trailer"`: the content is not signed, and `checksum` (other than `"md5"`) follows the
        /// content. `"streaming"` and `"trailer"` use chunks of 64 KiB and require
        /// `signature = "v4"`
        payload: Scalar => Payload = choice::<Payload>()
            .default("signed")
            .flag(
                Flag::text(
                    "--payload",
                    "HOW",
                    "How the content is signed: signed (SHA-256 of the content), unsigned, \
                     streaming (a signature for each chunk of 64 KiB) or trailer (not signed, \
                     followed by the --checksum)",
                )
                .under(REQUESTS),
            )
            .flag(
                Flag::of(
                    "--unsigned-payload",
                    Takes::Means("unsigned"),
                    "Sign requests without hashing their payload",
                )
                .under(REQUESTS)
                .also_in(&["suite"]),
            );
        /// compare every byte read with the content written
        verify: Scalar, shown verify = switch()
            .default_rule("`true` where content is read, except with `data = \"existing\"`")
            .comment("compare every byte read with the content written")
            .flag(Flag::of(
                "--no-verify",
                Takes::Switches(false),
                "Do not verify the content of objects that are read",
            ));
        /// checksum sent with content and checked in responses
        checksum: Scalar => Checksum = choice::<Checksum>().default("none").changes_only().flag(
            Flag::text(
                "--checksum",
                "NAME",
                "Checksum sent with content and checked in responses: md5, crc32, crc32c, \
                 crc64nvme, sha1, sha256, sha512, xxhash64, xxhash3, xxhash128",
            ),
        );
        /// `"pool"`: one of a few dozen bodies prepared before the run; `"unique"`: different
        /// content for every object, generated by the load generator while sending; for `"put"`
        /// only
        content: Scalar => ContentKind = choice::<ContentKind>().default("pool").changes_only().flag(Flag::of(
            "--unique",
            Takes::Means("unique"),
            "Generate different content for every object while it is sent",
        ));
        /// share of the content that compression can remove, percent
        compressible: Scalar => u8 = whole(0, 100).default("0").changes_only().flag(Flag::whole(
            "--compressible",
            "PERCENT",
            "Share of the content that a compressor can remove, percent",
        ));
        /// encryption by the server. `"sse-c"` uses a key generated for the run, over TLS or to a
        /// built-in server only
        encryption: Scalar => Encryption = choice::<Encryption>().default("none").changes_only().flag(
            Flag::text(
                "--encryption",
                "KIND",
                "Encryption by the server: sse-s3, or sse-c with a key generated for the run",
            ),
        );
        /// storage class of every object
        storage_class: Scalar => Option<String>, read lines::storage_class = text("text").default_rule("the server's").flag(Flag::text(
            "--storage-class",
            "CLASS",
            "Storage class of every object",
        ));
        /// content type of every object
        content_type: Scalar => Option<String>, read lines::content_type = text("text").default_rule("the server's").flag(Flag::text(
            "--content-type",
            "TYPE",
            "Content-Type of every object",
        ));
        /// metadata of every object
        metadata: List, shown metadata = text("list of `\"name: value\"`").flag(Flag::of(
            "--metadata",
            Takes::Several("NAME: VALUE"),
            "Metadata of every object; repeatable",
        ));
        /// tags of every object
        tags: List, shown tags = text("list of `\"name=value\"`").flag(Flag::of(
            "--tag",
            Takes::Several("NAME=VALUE"),
            "Tag of every object; repeatable",
        ));
        /// `"fresh"`: created before the run and deleted after it. `"keep"`: reused if present with
        /// the right size and parts, otherwise created; not deleted. `"existing"`: all objects
        /// below `prefix`, at most 4,000,000, independent of `objects` and `size`; no object is
        /// created or deleted, and the bucket must exist. With `"keep"` and `"existing"`, the
        /// default seed is 1
        data: Scalar => DataSet = choice::<DataSet>()
            .default("fresh").changes_only()
            .flag(
                Flag::of(
                    "--keep",
                    Takes::Means("keep"),
                    "Reuse the objects of an earlier run, create missing objects, and keep all \
                     objects after the run",
                ),
            )
            .flag(Flag::of(
                "--existing",
                Takes::Means("existing"),
                "Read the existing objects below the prefix; create and delete nothing",
            ));
        /// size of a part of `"multipart"` and `"get-part"`
        part_size: Scalar => u64, read part_size, when has_parts = row::size().default("5MiB").flag(
            Flag::text("--part-size", "SIZE", "Size of a part of a multipart upload")
                .under(REQUESTS),
        );
        /// maximum number of parts of one object in flight
        parts_at_once: Scalar => u32, when has_parts = whole(1, MOST_PARTS_AT_ONCE).default("4").flag(
            Flag::whole("--parts-at-once", "N", "Maximum number of parts of one object in flight")
                .under(REQUESTS),
        );
        /// byte range to read
        range: Scalar => Option<ByteRange> = text("`\"random:64KiB\"` or `\"0-1023\"`")
            .default_rule("the whole object")
            .flag(
                Flag::text(
                    "--range",
                    "RANGE",
                    "Part of an object to read with the get operation: random:64KiB (64 KiB at \
                     a random offset) or 0-1023 (first and last byte)",
                )
                .under(REQUESTS),
            );
        /// listing API
        list: Scalar => ListForm = choice::<ListForm>().default("v2").changes_only().flag(
            Flag::text("--list", "FORM", "Listing API: v2 (ListObjectsV2), v1 (ListObjects) or \
                                               versions (ListObjectVersions)")
                .under(REQUESTS),
        );
        /// keys per page of a listing
        page: Scalar => u32, when lists = whole(1, MOST_KEYS_IN_REQUEST)
            .default("1000")
            .synonyms(&["max_keys"])
            .flag(Flag::whole("--page", "N", "Keys per page of a listing").under(REQUESTS));
        /// delimiter of levels in keys, such as `"/"`; one level is listed
        delimiter: Scalar => Option<String>, read lines::delimiter = text("text").flag(
            Flag::text(
                "--delimiter",
                "CHAR",
                "Delimiter between the levels of keys, such as /; the list operation then \
                 returns one level",
            )
            .under(REQUESTS),
        );
        /// objects in one request of `"delete-batch"`
        batch: Scalar => u32, when deletes_batches = whole(1, MOST_KEYS_IN_REQUEST).default("100").flag(
            Flag::whole("--batch", "N", "Objects per request of delete-batch").under(REQUESTS),
        );
        /// headers of every request to the server, signed: `"x-amz-request-payer: requester"` for a
        /// bucket whose requester pays. They are also sent before and after the load, when objects
        /// are created and deleted. `{env:NAME}` in a value is replaced with an environment
        /// variable; see [Secrets](#secrets). Headers that another key sets are refused
        headers: List, shown headers = text("list of `\"Name: value\"`").synonyms(&["header"]).flag(
            Flag::of(
                "--header",
                Takes::Several("NAME: VALUE"),
                "Header of every request to the server, signed; repeatable, for example \
                 'x-amz-request-payer: requester'. {env:NAME} in the value is replaced with an \
                 environment variable; use this for secrets",
            )
            .short('H')
            .secret()
            .under(REQUESTS)
            .also_in(&["doctor", "suite"]),
        );
        /// number of versions of every object, in a bucket with versioning. 0: no versioning
        versions: Scalar => u32 = whole(0, MOST_VERSIONS).default("0").changes_only().flag(
            Flag::whole(
                "--versions",
                "N",
                "Number of versions of every object, in a bucket with versioning; 0: no versioning",
            ),
        );
        /// in a mix, PUT overwrites the objects that GET reads, each time with different content. A
        /// GET that returns content overwritten before the request was sent is a stale read, which
        /// is a separate error class. Each thread reads and writes separate objects. If `false`,
        /// PUT writes separate objects
        rewrite: Scalar => bool = switch().default("false").changes_only().flag(
            Flag::of(
                "--rewrite",
                Takes::Switches(true),
                "PUT overwrites the objects that are read, and creates no new ones",
            )
            .under("Operations"),
        );
        /// maximum number of retries of a refused request, within the timeout of its operation;
        /// attempts have separate figures: [s3.md](s3.md#servers-that-refuse)
        retries: Scalar => u32 = whole(0, MOST_RETRIES).default("0").changes_only().flag(
            Flag::whole(
                "--retries",
                "N",
                "Retry a rejected request (408, 429, 500, 502 to 504, a broken connection) up \
                 to N times, with waits of up to 1s; the operation time counts from the first \
                 attempt",
            )
            .under(REQUESTS),
        );
        /// files per archive, or objects per fan-out
        entries: Scalar => u32 = whole(1, MOST_ENTRIES).default("50").changes_only().flag(
            Flag::whole("--entries", "N", "Files per archive (snowball, zip-get, zip-list), or \
             objects per request of fan-out")
                .under(REQUESTS),
        );
    }
    stored {
        /// S3 operations on many objects.
        #[derive(Debug, Clone, PartialEq)]
        pub struct S3Work {
            /// The operations and their shares.
            pub mix: Mix = Mix::only(S3Operation::Put),
            /// Sizes of the objects.
            pub sizes: Sizes = Sizes::fixed(0),
            /// Number of distinct objects. Writes cycle through the objects, reads choose among
            /// them.
            pub objects: u64 = 1,
            /// Compare every byte read with the content written.
            pub verify: bool = false,
            /// `x-amz-meta-…`: names in lower case, and values, ascending.
            pub metadata: Vec<(String, String)> = Vec::new(),
            /// Tags: names and values, in the order given.
            pub tags: Vec<(String, String)> = Vec::new(),
            /// Headers of every request, by name.
            pub headers: Vec<RequestHeader> = Vec::new(),
        }
    }
}

fn operation(work: &S3Work, page: &mut Page) {
    page.key(&S3Draft::operation, page::text(&work.mix));
}

fn size(work: &S3Work, page: &mut Page) {
    page.key(&S3Draft::size, page::text(&work.sizes));
}

fn objects(work: &S3Work, page: &mut Page) {
    page.key(&S3Draft::objects, work.objects);
}

fn verify(work: &S3Work, page: &mut Page) {
    if work.mix.any(Feature::Returns) {
        page.key(&S3Draft::verify, work.verify);
    }
}

fn metadata(work: &S3Work, page: &mut Page) {
    pairs(page, &S3Draft::metadata, &work.metadata, ": ");
}

fn headers(work: &S3Work, page: &mut Page) {
    if !work.headers.is_empty() {
        let lines = work.headers.iter();
        let lines = lines.map(|header| page::text(format!("{}: {}", header.name, header.printed)));
        page.key(&S3Draft::headers, page::list(lines));
    }
}

fn tags(work: &S3Work, page: &mut Page) {
    pairs(page, &S3Draft::tags, &work.tags, "=");
}

fn pairs(page: &mut Page, key: &Key, pairs: &[(String, String)], between: &str) {
    if !pairs.is_empty() {
        let pairs = pairs.iter();
        let texts = pairs.map(|(name, value)| page::text(format!("{name}{between}{value}")));
        page.key(key, page::list(texts));
    }
}

fn has_parts(work: &S3Work) -> bool {
    work.mix.any(Feature::Parts)
}

fn lists(work: &S3Work) -> bool {
    work.mix.any(Feature::Pages)
}

fn deletes_batches(work: &S3Work) -> bool {
    work.mix.any(Feature::Batch)
}

fn part_size(scalar: &Scalar) -> Result<u64, Sentence> {
    match sizes::check(scalar.size()?)? {
        0 => Err(sentence!("at-least-a-byte", "must be at least 1 byte")),
        size => Ok(size),
    }
}
