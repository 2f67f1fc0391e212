//! S3 workloads: operations on many objects, with all their settings.

mod draft;
mod facts;
mod fits;
mod keys;
mod lines;
mod mix;
mod operation;
mod print;
mod resolve;

pub use draft::S3Draft;

pub use mix::Mix;
pub use operation::S3Operation;

use crate::bucket::DEFAULT_BUCKET;
use crate::choose::{ByteRange, Choose, Prefixes};
use crate::names::Named;
use crate::sizes::Sizes;
use crate::work::Traits;

/// The properties of all S3 workloads.
pub(crate) const TRAITS: Traits = Traits {
    name: "s3",
    is_object_store: true,
    learns_responses: false,
    benchmark: None,
};

/// S3 operations on many objects.
#[derive(Debug, Clone, PartialEq)]
pub struct S3Work {
    /// The operations and their shares.
    pub mix: Mix,
    /// Sizes of the objects.
    pub sizes: Sizes,
    /// Bucket: created if missing, and removed after the run only if Tenbin created it.
    pub bucket: String,
    /// Number of buckets, 1 to 1000. With several buckets, their names end in `-000`, `-001` and so
    /// on, and objects are distributed over them in turn.
    pub buckets: u32,
    /// Prefix of every key; `None`: a prefix for this run and workload only.
    pub prefix: Option<String>,
    /// Number of distinct objects. Writes cycle through the objects, reads choose among them.
    pub objects: u64,
    /// How keys are named.
    pub keys: KeyOrder,
    /// Levels of prefixes in object keys: the number of prefixes on each level.
    pub prefixes: Prefixes,
    /// How reads choose the next object.
    pub choose: Choose,
    /// Send `Host: bucket.host` instead of `/bucket/…`.
    pub virtual_host: bool,
    /// How the signature covers the payload.
    pub payload: Payload,
    /// Compare every byte read with the content written.
    pub verify: bool,
    /// The checksum that is sent with content and checked in responses.
    pub checksum: Checksum,
    /// Whether every object has different content.
    pub content: ContentKind,
    /// Share of the content that compression can remove, percent.
    pub compressible: u8,
    /// Properties of every object.
    pub stored: Stored,
    /// Whether the data set is created before the run and deleted after it.
    pub data: DataSet,
    /// Size of a part of a multipart upload, bytes; the last part can be smaller.
    pub part_size: u64,
    /// Maximum number of parts of one object in flight.
    pub parts_at_once: u32,
    /// Byte range to read; `None`: the whole object.
    pub range: Option<ByteRange>,
    /// Settings of listings.
    pub listing: Listing,
    /// Objects in one request of `delete-batch`, 1 to 1000.
    pub batch: u32,
    /// Versions of every object; 0: a bucket without versioning.
    pub versions: u32,
    /// Whether PUT in a mix overwrites the objects that are read.
    pub rewrite: bool,
    /// Maximum number of retries of a request that was temporarily refused, within the timeout of
    /// its operation.
    pub retries: u32,
    /// Files per archive (`snowball`, `zip-get`, `zip-list`), or objects per `fan-out`.
    pub entries: u32,
}

impl S3Work {
    /// An operation on this number of objects of one size, bytes, with default settings.
    pub fn new(operation: S3Operation, size: u64, objects: u64) -> Self {
        Self {
            mix: Mix::only(operation),
            sizes: Sizes::fixed(size),
            bucket: DEFAULT_BUCKET.to_owned(),
            buckets: 1,
            prefix: None,
            objects,
            keys: KeyOrder::Sequential,
            prefixes: Prefixes::default(),
            choose: Choose::Uniform,
            virtual_host: false,
            payload: Payload::Signed,
            verify: operation.reads(),
            checksum: Checksum::None,
            content: ContentKind::Pool,
            compressible: 0,
            stored: Stored::default(),
            data: DataSet::Fresh,
            part_size: DEFAULT_PART_SIZE,
            parts_at_once: DEFAULT_PARTS_AT_ONCE,
            range: None,
            listing: Listing::default(),
            batch: DEFAULT_BATCH,
            versions: 0,
            rewrite: false,
            retries: 0,
            entries: DEFAULT_ENTRIES,
        }
    }

    /// Whether the result depends on which requests are sent: true if the workload has several
    /// objects, reads some of them, and every operation is a single request for one object.
    pub fn has_sequence(&self) -> bool {
        use S3Operation::{Delete, Get, GetPart, GetTags, Put, Stat, ZipGet};
        let reads = |op| matches!(op, Get | GetPart | GetTags | Stat | ZipGet);
        let plain = |op| reads(op) || matches!(op, Put | Delete);
        self.objects > 1 && self.mix.operations().any(reads) && self.mix.operations().all(plain)
    }
}

/// Default size of a part, bytes: the smallest that S3 accepts for a part other than the last
/// (Amazon S3 user guide, "Multipart upload limits").
pub const DEFAULT_PART_SIZE: u64 = 5 << 20;
pub(crate) const DEFAULT_PARTS_AT_ONCE: u32 = 4;
pub(crate) const DEFAULT_BATCH: u32 = 100;
pub(crate) const DEFAULT_ENTRIES: u32 = 50;
pub(crate) const DEFAULT_PAGE: u32 = 1000;

/// Maximum number of parts of an object in S3, each up to 5 GiB (Amazon S3 user guide, "Multipart
/// upload limits").
const MOST_PARTS: u64 = 10_000;

/// Properties of stored objects.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stored {
    /// Encryption by the server.
    pub encryption: Encryption,
    /// `x-amz-storage-class`.
    pub storage_class: Option<String>,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// `x-amz-meta-…`: names in lower case, and values, ascending.
    pub metadata: Vec<(String, String)>,
    /// Tags: names and values, in the order given.
    pub tags: Vec<(String, String)>,
}

/// Settings of listings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The listing request.
    pub form: ListForm,
    /// Keys per page, 1 to 1000.
    pub page: u32,
    /// The delimiter of levels in keys; one level is listed. `None`: all keys are listed.
    pub delimiter: Option<String>,
}

impl Default for Listing {
    fn default() -> Self {
        Self {
            form: ListForm::V2,
            page: DEFAULT_PAGE,
            delimiter: None,
        }
    }
}

/// Declares an enum, with the name of each variant in plans.
macro_rules! named {
    ($(#[$about:meta])* $type:ident { $($(#[$each:meta])* $variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum $type {
            $($(#[$each])* $variant),+
        }

        impl Named for $type {
            const NAMES: &'static [(&'static str, Self)] = &[$(($name, Self::$variant)),+];
        }

        impl $type {
            /// Name in plans and on the command line.
            pub fn name(self) -> &'static str {
                Named::name(self)
            }
        }
    };
}

named! {
    /// How keys are named.
    KeyOrder {
        /// Numbers, ascending.
        #[default]
        Sequential = "sequential",
        /// Random hexadecimal digits.
        Random = "random",
    }
}

named! {
    /// How the signature covers the payload.
    Payload {
        /// By its SHA-256, prepared before the run.
        #[default]
        Signed = "signed",
        /// Not covered: `UNSIGNED-PAYLOAD`.
        Unsigned = "unsigned",
        /// Chunk by chunk: `STREAMING-AWS4-HMAC-SHA256-PAYLOAD`.
        Streaming = "streaming",
        /// Not covered, and followed by a checksum: `STREAMING-UNSIGNED-PAYLOAD-TRAILER`.
        Trailer = "trailer",
    }
}

named! {
    /// A checksum that is sent with content.
    Checksum {
        /// None.
        #[default]
        None = "none",
        /// `Content-MD5`, and the ETag of the response if it is an MD5.
        Md5 = "md5",
        /// `x-amz-checksum-crc32`.
        Crc32 = "crc32",
        /// `x-amz-checksum-crc32c`.
        Crc32c = "crc32c",
        /// `x-amz-checksum-crc64nvme`.
        Crc64Nvme = "crc64nvme",
        /// `x-amz-checksum-sha1`.
        Sha1 = "sha1",
        /// `x-amz-checksum-sha256`.
        Sha256 = "sha256",
    }
}

named! {
    /// Whether every object has different content.
    ContentKind {
        /// One of a few dozen bodies, prepared before the run.
        #[default]
        Pool = "pool",
        /// Different content, generated while it is sent.
        Unique = "unique",
    }
}

named! {
    /// Whether the data set is created before the run and deleted after it.
    DataSet {
        /// Created before the run and deleted after it.
        #[default]
        Fresh = "fresh",
        /// Reused if it is complete, otherwise created; not deleted.
        Keep = "keep",
        /// Must exist: nothing is created or deleted.
        Existing = "existing",
    }
}

named! {
    /// The request that lists keys.
    ListForm {
        /// ListObjectsV2.
        #[default]
        V2 = "v2",
        /// ListObjects.
        V1 = "v1",
        /// ListObjectVersions.
        Versions = "versions",
    }
}

named! {
    /// Encryption by the server.
    Encryption {
        /// None.
        #[default]
        None = "none",
        /// With the server's keys.
        SseS3 = "sse-s3",
        /// With a key in every request, generated for the run.
        SseC = "sse-c",
    }
}

/// Where the bucket is in a request: in the path, or in the host name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Path,
    Virtual,
}

impl Named for Style {
    const NAMES: &'static [(&'static str, Self)] =
        &[("path", Self::Path), ("virtual", Self::Virtual)];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::Facts as _;

    #[test]
    fn what_is_put_before_a_run_is_known_from_the_plan() {
        let get = S3Work::new(S3Operation::Get, 10 << 20, 2_500);
        let bytes = 2_500 * (10 << 20);
        let laid_out = |work: &S3Work| work.laid_out().map(|it| (it.objects, it.bytes));
        assert_eq!(laid_out(&get), Some((2_500, bytes)));
        let of = |change: fn(&mut S3Work)| {
            let mut work = get.clone();
            change(&mut work);
            laid_out(&work)
        };
        assert_eq!(of(|work| work.versions = 3), Some((7_500, 3 * bytes)));
        assert_eq!(of(|work| work.data = DataSet::Existing), None);
        assert_eq!(of(|work| work.mix = Mix::only(S3Operation::Put)), None);
        let mix = |text: &str| text.parse().expect("a mix");
        let mut mixed = get.clone();
        mixed.mix = mix("put:50,delete:50");
        assert_eq!(laid_out(&mixed), None);
        mixed.mix = mix("get:70,put:30");
        assert_eq!(laid_out(&mixed), Some((2_500, bytes)));
        mixed.sizes = "1KiB..3KiB:50,4KiB:50".parse().expect("sizes");
        assert_eq!(laid_out(&mixed), Some((2_500, 2_500 * 3 * 1_024)));
    }
}
