//! The names by which plans call the things they choose among: one table each,
//! for the reader, the printer and the messages.

use std::ops::Range;

use crate::model::{Arrivals, Builtin, MayDiffer, Signature};
use crate::way::{HttpVersion, IpVersion, TlsVersion};

/// The region of a target that names none.
pub(crate) const DEFAULT_REGION: &str = "us-east-1";

/// Classes of statuses, by the names that plans call them.
pub(crate) const STATUS_CLASSES: [(&str, Range<u16>); 4] = [
    ("2xx", 200..300),
    ("3xx", 300..400),
    ("4xx", 400..500),
    ("5xx", 500..600),
];

/// What may differ between responses to the same request, by its name in plans.
pub(crate) const MAY_DIFFER: &[(&str, MayDiffer)] = &[
    ("size", MayDiffer::SIZE),
    ("headers", MayDiffer::HEADERS),
    ("body", MayDiffer::BODY),
];

/// A thing that a plan names.
pub(crate) trait Named: Copy + PartialEq + 'static {
    /// Every name with what it means.
    const NAMES: &'static [(&'static str, Self)];

    /// Its name.
    fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|&&(_, value)| value == self)
            .map(|&(name, _)| name)
            .expect("every value stands in its own table")
    }
}

/// What kind of work a workload is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Http,
    S3,
    Blob,
}

impl Named for Kind {
    const NAMES: &'static [(&'static str, Self)] =
        &[("http", Self::Http), ("s3", Self::S3), ("blob", Self::Blob)];
}

impl Named for Builtin {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("http", Self::Http),
        ("s3-memory", Self::S3Memory),
        ("s3-durable", Self::S3Durable),
        ("blob", Self::Blob),
        ("dummy", Self::Dummy),
    ];
}

impl Named for Signature {
    const NAMES: &'static [(&'static str, Self)] =
        &[("v4", Self::V4), ("v2", Self::V2), ("none", Self::None)];
}

impl Signature {
    /// Its name in plans and on the command line: `v4`, `v2`, `none`.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }
}

impl Named for Arrivals {
    const NAMES: &'static [(&'static str, Self)] =
        &[("constant", Self::Constant), ("poisson", Self::Poisson)];
}

/// Whether the bucket stands in the host name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Path,
    Virtual,
}

impl Named for Style {
    const NAMES: &'static [(&'static str, Self)] =
        &[("path", Self::Path), ("virtual", Self::Virtual)];
}

impl Named for HttpVersion {
    const NAMES: &'static [(&'static str, Self)] = &[("1.1", Self::Http1), ("2", Self::Http2)];
}

impl Named for TlsVersion {
    const NAMES: &'static [(&'static str, Self)] = &[("1.2", Self::Tls12), ("1.3", Self::Tls13)];
}

impl Named for IpVersion {
    const NAMES: &'static [(&'static str, Self)] = &[("4", Self::V4), ("6", Self::V6)];
}

impl Builtin {
    /// Its name in plans and on the command line: `http`, `s3-memory`, `s3-durable`,
    /// `blob`, `dummy`.
    pub fn name(self) -> &'static str {
        Named::name(self)
    }

    /// The built-in server of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES
            .iter()
            .find(|&&(known, _)| known == name)
            .map(|&(_, builtin)| builtin)
    }
}
