//! S3 workloads: operations on many objects, with all their settings.

mod draft;
mod facts;
mod fits;
mod headers;
mod keys;
mod lines;
mod mix;
mod operation;
mod resolve;

pub use draft::{S3Draft, S3Work};
pub use headers::RequestHeader;

pub use mix::Mix;
pub use operation::{Effect, Feature, OperationFacts, S3Operation, SupportProbe};

use crate::keys::names::named;
use crate::units::sizes::Sizes;
use crate::work::Traits;

/// The properties of all S3 workloads.
pub(crate) const TRAITS: Traits = Traits {
    name: "s3",
    is_object_store: true,
    learns_responses: false,
    benchmark: None,
};

impl S3Work {
    /// An operation on this number of objects of one size, bytes, with default settings.
    pub fn new(operation: S3Operation, size: u64, objects: u64) -> Self {
        Self {
            mix: Mix::only(operation),
            sizes: Sizes::fixed(size),
            objects,
            verify: operation.reads(),
            ..Self::default()
        }
    }

    /// Whether the result depends on which requests are sent: true if the workload has several
    /// objects, reads some of them, and every operation is a single request for one object.
    pub fn has_sequence(&self) -> bool {
        let reads = |operation: S3Operation| operation.facts().effect == Effect::Reads;
        let in_sequence = |operation: S3Operation| operation.has(Feature::Sequence);
        let mut operations = self.mix.operations();
        self.objects > 1 && self.mix.operations().any(reads) && operations.all(in_sequence)
    }
}

/// Default size of a part, bytes: the smallest that S3 accepts for a part other than the last
/// (Amazon S3 user guide, "Multipart upload limits").
pub const DEFAULT_PART_SIZE: u64 = 5 << 20;

/// Maximum number of parts of an object in S3, each up to 5 GiB (Amazon S3 user guide, "Multipart
/// upload limits").
const MOST_PARTS: u64 = 10_000;

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
        /// `x-amz-checksum-sha512`.
        Sha512 = "sha512",
        /// `x-amz-checksum-xxhash64`.
        XxHash64 = "xxhash64",
        /// `x-amz-checksum-xxhash3`.
        XxHash3 = "xxhash3",
        /// `x-amz-checksum-xxhash128`.
        XxHash128 = "xxhash128",
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

named! {
    /// Where the bucket is in a request.
    Style {
        /// In the path: `/bucket/key`.
        #[default]
        Path = "path",
        /// In the host name: `bucket.host`.
        Virtual = "virtual",
    }
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
