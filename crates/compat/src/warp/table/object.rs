//! Flags for objects.

use super::MEASURING;
use crate::flag::{Flag, Kind};

const MIXES: &[&str] = &["mixed", "versioned"];

/// Commands that take `--obj.size`.
const SIZED: &[&str] = &[
    "get", "put", "delete", "list", "stat", "mixed", "versioned", "retention", "append", "zip",
    "snowball", "fanout",
];

/// Commands whose objects consist of parts.
const IN_PARTS: &[&str] = &["multipart", "multipart-put"];

const INTERNAL: &str = "warp sets it between its own machines; leave it out";

pub(super) const FLAGS: &[Flag] = &[
    Flag::new(
        SIZED,
        "obj.size",
        Kind::Text,
        "10MiB",
        "object size; min,max with --obj.randsize; size:weight,size:weight,… for several",
    )
    .defaults(&[
        ("delete", "1KiB"),
        ("list", "1KB"),
        ("stat", "1KB"),
        ("retention", "1KiB"),
        ("snowball", "512KiB"),
        ("fanout", "1MiB"),
        ("zip", "10KiB"),
    ]),
    Flag::new(
        SIZED,
        "obj.randsize",
        Kind::Switch,
        "",
        "sizes up to --obj.size, uniform in their logarithm",
    ),
    Flag::new(IN_PARTS, "obj.randsize", Kind::Switch, "", "random sizes")
        .refused("every part has the size of --part.size; leave it out"),
    Flag::new(
        MEASURING,
        "obj.generator",
        Kind::Choice(&["random", "csv"]),
        "random",
        "content of objects",
    )
    .refusing(&[("csv", "objects contain random bytes; leave it out")]),
    Flag::new(
        &[
            "get", "delete", "list", "stat", "mixed", "versioned", "retention",
        ],
        "objects",
        Kind::Whole,
        "2500",
        "objects loaded before the run",
    )
    .defaults(&[
        ("versioned", "250"),
        ("delete", "25000"),
        ("retention", "25000"),
        ("list", "10000"),
        ("stat", "10000"),
    ]),
    Flag::new(
        &["put"],
        "objects",
        Kind::Whole,
        "",
        "distinct objects; warp has no such flag here",
    )
    .noted(
        "limits the number of distinct objects, which are then overwritten until the time \
        is over; warp itself reports a usage error for this flag on put",
    ),
    Flag::new(IN_PARTS, "part.size", Kind::Size, "5MiB", "part size"),
    Flag::new(
        &["get", "put", "zip"],
        "part.size",
        Kind::Size,
        "",
        "part size of stored objects",
    )
    .refused(
        "objects are stored by one PUT each with this command; for parts use warp multipart-put \
        or warp multipart",
    ),
    Flag::new(IN_PARTS, "parts", Kind::Whole, "200", "parts per object")
        .defaults(&[("multipart-put", "100")]),
    Flag::new(
        &["multipart-put"],
        "part.concurrent",
        Kind::Whole,
        "20",
        "parts of one object in flight",
    ),
    Flag::new(
        &["multipart"],
        "obj.name",
        Kind::Text,
        "warp-multipart.bin",
        "name of the object",
    )
    .noted("Tenbin names the objects, so that it deletes only its own"),
    Flag::new(
        &["multipart"],
        "_upload-id",
        Kind::Text,
        "",
        "upload that warp's own machines share",
    )
    .refused(INTERNAL),
    Flag::new(
        &["multipart"],
        "_part-start",
        Kind::Whole,
        "1",
        "first part of one of warp's machines",
    )
    .refused(INTERNAL),
    Flag::new(
        SIZED,
        "disable-multipart",
        Kind::Switch,
        "",
        "store objects without parts",
    ),
    Flag::new(
        IN_PARTS,
        "disable-multipart",
        Kind::Switch,
        "",
        "store objects without parts",
    )
    .refused("this command always uses parts; leave it out"),
    Flag::new(
        MEASURING,
        "disable-sha256-payload",
        Kind::Switch,
        "",
        "sign requests without hashing the payload",
    ),
    Flag::new(
        MEASURING,
        "md5",
        Kind::Switch,
        "",
        "send the MD5 of stored content",
    ),
    Flag::new(
        MEASURING,
        "checksum",
        Kind::Choice(&[
            "", "CRC32", "CRC32-FO", "CRC32C", "CRC32C-FO", "CRC64N", "CRC64NVME", "SHA1",
            "SHA256", "SHA512", "MD5", "MD5CS", "XXH64", "XXH3", "XXH128",
        ]),
        "",
        "checksum of stored content",
    )
    .refusing(&[(
        "MD5CS",
        "Tenbin sends an MD5 as Content-MD5; use --checksum=MD5",
    )]),
    Flag::new(
        MEASURING,
        "encrypt",
        Kind::Switch,
        "",
        "encryption with a client key (SSE-C)",
    ),
    Flag::new(
        MEASURING,
        "sse-s3-encrypt",
        Kind::Switch,
        "",
        "encryption with a server key (SSE-S3)",
    ),
    Flag::new(MEASURING, "storage-class", Kind::Text, "", "storage class"),
    Flag::new(
        MEASURING,
        "add-metadata",
        Kind::List,
        "",
        "NAME=VALUE metadata of stored objects",
    ),
    Flag::new(
        MEASURING,
        "tag",
        Kind::List,
        "",
        "NAME=VALUE tag of stored objects",
    ),
    Flag::new(
        &["get"],
        "range",
        Kind::Switch,
        "",
        "read random ranges, of the size in --range-size",
    ),
    Flag::new(&["get"], "range-size", Kind::Size, "", "size of ranges"),
    Flag::new(
        &["get", "list", "stat", "retention"],
        "versions",
        Kind::Whole,
        "1",
        "versions of each object",
    )
    .defaults(&[("retention", "5")]),
    Flag::new(
        &["get", "stat"],
        "list-existing",
        Kind::Switch,
        "",
        "use existing objects of the bucket",
    ),
    Flag::new(
        &["delete"],
        "list-existing",
        Kind::Switch,
        "",
        "delete existing objects of the bucket",
    )
    .refused("Tenbin deletes only objects that it has created; leave it out"),
    Flag::new(
        &["get", "stat", "delete"],
        "list-flat",
        Kind::Switch,
        "",
        "with --list-existing, exclude objects below prefixes",
    )
    .refused("objects below prefixes are always included; leave it out"),
    Flag::new(&["put"], "post", Kind::Switch, "", "upload as a form")
        .refused("Tenbin stores objects with PUT; leave it out"),
    Flag::new(MIXES, "get-distrib", Kind::Decimal, "45", "share of GET"),
    Flag::new(MIXES, "stat-distrib", Kind::Decimal, "30", "share of STAT"),
    Flag::new(MIXES, "put-distrib", Kind::Decimal, "15", "share of PUT"),
    Flag::new(
        MIXES,
        "delete-distrib",
        Kind::Decimal,
        "10",
        "share of DELETE",
    ),
    Flag::new(
        &["delete"],
        "batch",
        Kind::Whole,
        "100",
        "objects deleted per request",
    ),
    Flag::new(
        &["list"],
        "max-keys",
        Kind::Whole,
        "100",
        "objects per page",
    ),
    Flag::new(
        &["list"],
        "metadata",
        Kind::Switch,
        "",
        "list with metadata (MinIO)",
    )
    .refused("Tenbin lists as S3 defines it; leave it out"),
    Flag::new(
        &["snowball"],
        "objs.per",
        Kind::Whole,
        "50",
        "objects per archive",
    ),
    Flag::new(
        &["snowball"],
        "compress",
        Kind::Switch,
        "",
        "compress archives",
    )
    .refused("archives are sent uncompressed; leave it out"),
    Flag::new(
        &["fanout"],
        "copies",
        Kind::Whole,
        "100",
        "copies of each object",
    ),
    Flag::new(&["zip"], "files", Kind::Whole, "10000", "files per archive"),
];
