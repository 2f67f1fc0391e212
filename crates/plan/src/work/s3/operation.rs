//! The S3 operations: one row each.
//!
//! The command, the names in plans and results, the keys that have an effect, what is loaded and
//! probed before a run, and the table in docs/s3.md follow from the rows. `tenbin_workloads` adds
//! what an operation sends, in a `match` that names every operation.

use super::DEFAULT_PART_SIZE;
use crate::keys::names::Named;

/// What is known of an operation without a server.
#[derive(Debug)]
pub struct OperationFacts {
    /// Name in plans and on the command line: `put`, `get-tags`.
    pub name: &'static str,
    /// Names in results: the operation, then the requests that it consists of.
    pub titles: &'static [&'static str],
    /// Name in the S3 API.
    pub interface: &'static str,
    /// Help of the command.
    pub help: &'static str,
    /// What one operation is, in Markdown.
    pub about: &'static str,
    /// The data that is loaded before a slice or a run, in Markdown.
    pub data: &'static str,
    /// What the operation does to the objects of the workload.
    pub effect: Effect,
    /// Default size of an object, bytes: large for operations on parts, small for operations
    /// without content.
    pub size: u64,
    /// Requests that show whether the server supports the operation; `None` if every server does.
    pub probe: Option<SupportProbe>,
    /// The features of the operation.
    pub features: &'static [Feature],
}

/// What an operation does to the objects of a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Creates objects, and needs none before.
    Creates,
    /// Reads existing objects.
    Reads,
    /// Changes existing objects.
    Changes,
    /// Deletes existing objects: each object only once.
    Deletes,
}

/// A property of an operation on which keys, checks or preparations depend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Stores content whose sizes the plan sets.
    Sends,
    /// The response has content that can be compared.
    Returns,
    /// Reads a part of an object.
    Range,
    /// Its objects are stored in parts.
    Parts,
    /// Lists keys, page by page.
    Pages,
    /// Lists keys by one of several requests, with or without a delimiter.
    Forms,
    /// Deletes many objects in one request.
    Batch,
    /// An archive or a request has several entries, whose number the plan sets.
    Entries,
    /// Works on an archive.
    Archive,
    /// Its content is prepared before the run.
    Prepared,
    /// In a mix, can overwrite the objects that other operations read.
    Rewrites,
    /// Needs or changes the tags of objects.
    Tags,
    /// Locks objects.
    Locks,
    /// Is one request for one object: the choice of objects can be the same for every target.
    Sequence,
    /// No other operation can use its objects, so that it is not part of a mix.
    Alone,
    /// A sample of what it has done is read back after the run.
    ReadBack,
}

/// The requests before the first slice that find out whether a server supports an operation.
#[derive(Debug, Clone, Copy)]
pub struct SupportProbe {
    /// What the server does not support if the requests fail, for example `append`.
    pub what: &'static str,
    /// Number of requests.
    pub requests: u32,
}

impl SupportProbe {
    const fn new(what: &'static str, requests: u32) -> Option<Self> {
        Some(Self { what, requests })
    }
}

/// Values of a key in Markdown, separated by commas.
macro_rules! quoted {
    ($first:literal $(, $name:literal)*) => {
        concat!("`\"", $first, "\"`", $(", `\"", $name, "\"`"),*)
    };
}

/// Declares the operations from their rows: the comment of an operation is its description in the
/// documentation.
macro_rules! operations {
    ($(
        $(#[doc = $about:literal])+
        $operation:ident = $name:literal {
            titles: $titles:expr,
            interface: $interface:literal,
            help: $help:literal,
            data: $data:literal,
            effect: $effect:ident,
            size: $size:expr,
            probe: $probe:expr,
            features: [$($feature:ident),* $(,)?] $(,)?
        }
    )+) => {
        /// An operation of a workload of kind `s3`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum S3Operation {
            $($(#[doc = $about])+ $operation),+
        }

        impl Named for S3Operation {
            const NAMES: &'static [(&'static str, Self)] = &[$(($name, Self::$operation)),+];
        }

        /// The names of all operations as values of a key, in Markdown.
        pub(super) const QUOTED_NAMES: &str = quoted!($($name),+);

        /// Every operation, in the order of [`S3Operation`].
        static OPERATIONS: &[OperationFacts] = &[$(OperationFacts {
            name: $name,
            titles: &$titles,
            interface: $interface,
            help: $help,
            about: concat!($($about),+),
            data: $data,
            effect: Effect::$effect,
            size: $size,
            probe: $probe,
            features: &[$(Feature::$feature),*],
        }),+];
    };
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

operations! {
    /// PutObject; cycles through the objects, in a mix with ever new keys
    Put = "put" {
        titles: ["PUT"], interface: "PutObject",
        help: "Measure uploads of objects (PUT)",
        data: "nothing",
        effect: Creates, size: MIB, probe: None, features: [Sends, Rewrites, Sequence, ReadBack],
    }
    /// GetObject, or with `range` a part of it; every byte is compared by default
    Get = "get" {
        titles: ["GET"], interface: "GetObject",
        help: "Measure downloads of objects or byte ranges (GET), and verify every byte",
        data: "the objects",
        effect: Reads, size: MIB, probe: None, features: [Returns, Range, Sequence],
    }
    /// DeleteObject; a slice ends when all are deleted
    Delete = "delete" {
        titles: ["DELETE"], interface: "DeleteObject",
        help: "Measure deletion of objects, one per request (DELETE)",
        data: "the objects, before each slice; in a mix, DELETE deletes objects that PUT has stored",
        effect: Deletes, size: MIB, probe: None, features: [Sequence, ReadBack],
    }
    /// DeleteObjects with `batch` keys
    DeleteBatch = "delete-batch" {
        titles: ["DELETE batch"], interface: "DeleteObjects",
        help: "Measure deletion of objects, many per request (DeleteObjects)",
        data: "the objects, before each slice",
        effect: Deletes, size: KIB, probe: None, features: [Batch, Alone, ReadBack],
    }
    /// one page of ListObjectsV2, ListObjects or ListObjectVersions; pages of a listing are read in
    /// order, and the keys of a complete listing are counted
    List = "list" {
        titles: ["LIST"], interface: "ListObjectsV2",
        help: "Measure listing of keys, page by page (ListObjectsV2)",
        data: "the objects",
        effect: Reads, size: KIB, probe: None, features: [Pages, Forms],
    }
    /// HeadObject; the size is compared
    Stat = "stat" {
        titles: ["STAT"], interface: "HeadObject",
        help: "Measure reading of object metadata (HEAD)",
        data: "the objects",
        effect: Reads, size: KIB, probe: None, features: [Sequence],
    }
    /// GetObjectAttributes: ETag and size; the size is compared
    GetAttributes = "get-attributes" {
        titles: ["GET attributes"], interface: "GetObjectAttributes",
        help: "Measure reading of object attributes (GetObjectAttributes)",
        data: "the objects",
        effect: Reads, size: KIB, probe: SupportProbe::new("object attributes", 1),
        features: [Sequence],
    }
    /// CopyObject, to keys after those of the objects
    Copy = "copy" {
        titles: ["COPY"], interface: "CopyObject",
        help: "Measure copies of objects within the server (CopyObject)",
        data: "the objects",
        effect: Reads, size: MIB, probe: None, features: [Alone, ReadBack],
    }
    /// an object: create, parts in parallel, complete; the sub-requests have separate figures
    Multipart = "multipart" {
        titles: ["MULTIPART", "CREATE", "PART", "COMPLETE", "ABORT"], interface: "MultipartUpload",
        help: "Measure multipart uploads, with parts sent in parallel",
        data: "nothing",
        effect: Creates, size: 4 * DEFAULT_PART_SIZE, probe: None, features: [Sends, Parts, ReadBack],
    }
    /// GetObject with `partNumber`
    GetPart = "get-part" {
        titles: ["GET part"], interface: "GetObjectPart",
        help: "Measure downloads of single parts of multipart objects (GET with partNumber)",
        data: "objects uploaded in parts",
        effect: Reads, size: 4 * DEFAULT_PART_SIZE, probe: None, features: [Returns, Parts, Sequence, Alone],
    }
    /// PutObjectTagging
    PutTags = "put-tags" {
        titles: ["PUT tags"], interface: "PutObjectTagging",
        help: "Measure setting of object tags (PutObjectTagging)",
        data: "the objects",
        effect: Changes, size: KIB, probe: SupportProbe::new("object tags", 1),
        features: [Tags],
    }
    /// GetObjectTagging
    GetTags = "get-tags" {
        titles: ["GET tags"], interface: "GetObjectTagging",
        help: "Measure reading of object tags (GetObjectTagging)",
        data: "the objects",
        effect: Reads, size: KIB, probe: SupportProbe::new("object tags", 1),
        features: [Tags, Sequence],
    }
    /// DeleteObjectTagging
    DeleteTags = "delete-tags" {
        titles: ["DELETE tags"], interface: "DeleteObjectTagging",
        help: "Measure deletion of object tags (DeleteObjectTagging)",
        data: "the objects",
        effect: Changes, size: KIB, probe: SupportProbe::new("object tags", 1),
        features: [Tags],
    }
    /// PutObjectRetention, for 15 minutes, in governance mode
    Retain = "retain" {
        titles: ["RETAIN"], interface: "PutObjectRetention",
        help: "Measure setting of object retention (PutObjectRetention)",
        data: "the objects, in a bucket with object lock",
        effect: Changes, size: KIB, probe: SupportProbe::new("object lock", 1),
        features: [Locks],
    }
    /// PutObjectLegalHold: one operation sets a legal hold, the next operation releases the hold
    LegalHold = "legal-hold" {
        titles: ["LEGAL HOLD"], interface: "PutObjectLegalHold",
        help: "Measure setting and removal of legal holds (PutObjectLegalHold)",
        data: "the objects, in a bucket with object lock",
        effect: Changes, size: KIB,
        // Sets a legal hold and releases it.
        probe: SupportProbe::new("object lock", 2),
        features: [Locks],
    }
    /// PutObject at an offset, as in S3 Express One Zone
    Append = "append" {
        titles: ["APPEND"], interface: "AppendObject",
        help: "Measure appends to existing objects, on servers that support appends",
        data: "the objects",
        effect: Changes, size: KIB, probe: SupportProbe::new("append", 1),
        features: [Sends, Prepared, Alone, ReadBack],
    }
    /// PutObject of a tar archive that the server unpacks
    Snowball = "snowball" {
        titles: ["SNOWBALL"], interface: "SnowballUpload",
        help: "Measure uploads of tar archives that the server unpacks, on servers with this extension",
        data: "nothing",
        effect: Creates, size: KIB,
        // Stores the archive, then checks an object that the server should have unpacked.
        probe: SupportProbe::new("snowball archives", 2),
        features: [Sends, Entries, Archive, Prepared, Alone],
    }
    /// GetObject of a file inside a ZIP archive
    ZipGet = "zip-get" {
        titles: ["ZIP GET"], interface: "GetObjectFromZip",
        help: "Measure reading of files inside ZIP archives, on servers with this extension",
        data: "archives",
        effect: Reads, size: KIB, probe: SupportProbe::new("reading from ZIP archives", 1),
        features: [Returns, Entries, Archive, Prepared, Sequence, Alone],
    }
    /// ListObjectsV2 of the files inside a ZIP archive
    ZipList = "zip-list" {
        titles: ["ZIP LIST"], interface: "ListObjectsInZip",
        help: "Measure listing of files inside ZIP archives, on servers with this extension",
        data: "archives",
        effect: Reads, size: KIB, probe: SupportProbe::new("listing ZIP archives", 1),
        features: [Pages, Entries, Archive, Prepared, Alone],
    }
    /// one POST that creates `entries` objects with the same content
    FanOut = "fan-out" {
        titles: ["FAN-OUT"], interface: "FanOutUpload",
        help: "Measure requests that each create many equal objects, on servers with this extension",
        data: "nothing",
        effect: Creates, size: MIB, probe: SupportProbe::new("fan-out", 1),
        features: [Sends, Entries, Prepared, Alone],
    }
}

impl S3Operation {
    /// Every operation, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::NAMES.iter().map(|&(_, operation)| operation)
    }

    /// The row of the operation.
    pub fn facts(self) -> &'static OperationFacts {
        &OPERATIONS[self as usize]
    }

    /// Name in plans and on the command line: `put`, `get-tags`.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Name in results: `PUT`, `GET tags`.
    pub fn title(self) -> &'static str {
        self.facts().titles[0]
    }

    /// Whether the operation has this feature.
    pub fn has(self, feature: Feature) -> bool {
        self.facts().features.contains(&feature)
    }

    /// Whether the operation stores content whose sizes the plan sets.
    pub fn stores(self) -> bool {
        self.has(Feature::Sends)
    }

    /// Whether responses to the operation have content that can be compared.
    pub fn reads(self) -> bool {
        self.has(Feature::Returns)
    }

    /// Whether the operation needs existing objects of the workload.
    pub fn needs_objects(self) -> bool {
        self.facts().effect != Effect::Creates
    }

    /// Whether the operation uses up the objects that were created for it.
    pub fn uses_up(self) -> bool {
        self.facts().effect == Effect::Deletes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_has_its_own_row_and_names() {
        for operation in S3Operation::all() {
            let facts = operation.facts();
            assert_eq!(Named::name(operation), facts.name);
            let same = |other: &&OperationFacts| {
                other.name == facts.name || other.titles[0] == facts.titles[0]
            };
            assert_eq!(OPERATIONS.iter().filter(same).count(), 1, "{}", facts.name);
        }
    }
}
