//! The S3 operations, by name.

use crate::names::Named;

/// An operation of a workload of kind `s3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum S3Operation {
    /// PutObject.
    Put,
    /// GetObject, whole or a range of it.
    Get,
    /// DeleteObject.
    Delete,
    /// DeleteObjects: many in one request.
    DeleteBatch,
    /// ListObjects, ListObjectsV2 or ListObjectVersions, page by page.
    List,
    /// HeadObject.
    Stat,
    /// CopyObject.
    Copy,
    /// CreateMultipartUpload, UploadPart in parallel, CompleteMultipartUpload.
    Multipart,
    /// GetObject by `partNumber`, of objects that were uploaded in parts.
    GetPart,
    /// PutObjectTagging.
    PutTags,
    /// GetObjectTagging.
    GetTags,
    /// DeleteObjectTagging.
    DeleteTags,
    /// PutObjectRetention.
    Retain,
    /// PutObjectLegalHold: one operation sets a legal hold, the next operation releases the hold.
    LegalHold,
    /// PutObject at the end of an existing object.
    Append,
    /// PutObject of an archive that the server unpacks.
    Snowball,
    /// GetObject of a file inside a ZIP archive.
    ZipGet,
    /// ListObjectsV2 of the files inside a ZIP archive.
    ZipList,
    /// One POST that creates many objects with the same content.
    FanOut,
}

impl Named for S3Operation {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("put", Self::Put),
        ("get", Self::Get),
        ("delete", Self::Delete),
        ("delete-batch", Self::DeleteBatch),
        ("list", Self::List),
        ("stat", Self::Stat),
        ("copy", Self::Copy),
        ("multipart", Self::Multipart),
        ("get-part", Self::GetPart),
        ("put-tags", Self::PutTags),
        ("get-tags", Self::GetTags),
        ("delete-tags", Self::DeleteTags),
        ("retain", Self::Retain),
        ("legal-hold", Self::LegalHold),
        ("append", Self::Append),
        ("snowball", Self::Snowball),
        ("zip-get", Self::ZipGet),
        ("zip-list", Self::ZipList),
        ("fan-out", Self::FanOut),
    ];
}

impl S3Operation {
    /// Every operation, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::NAMES.iter().map(|&(_, operation)| operation)
    }

    /// Name in plans and on the command line: `put`, `get-tags`.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }

    /// Whether the operation stores content whose sizes the plan sets.
    pub fn stores(self) -> bool {
        use S3Operation::{Append, FanOut, Multipart, Put, Snowball};
        matches!(self, Put | Multipart | Append | Snowball | FanOut)
    }

    /// Whether responses to the operation have content that can be compared.
    pub fn reads(self) -> bool {
        matches!(self, Self::Get | Self::GetPart | Self::ZipGet)
    }

    /// Whether the operation needs existing objects of the workload.
    pub fn needs_objects(self) -> bool {
        !self.stores() || self == Self::Append
    }

    /// Whether the operation uses up the objects that were created for it.
    pub fn uses_up(self) -> bool {
        matches!(self, Self::Delete | Self::DeleteBatch)
    }
}
