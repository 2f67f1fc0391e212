//! Rows of S3 operations.

use super::{Method, Reading, Row};
use crate::cost::contender::{Contender, Stable, warp};
use crate::cost::figure::Figure;
use crate::cost::goal::Goal;
use crate::cost::rival;
use crate::cost::server::Kind;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

pub(super) fn rows(stable: &Stable<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for server in [Kind::Minio, Kind::Memory] {
        rows.push(large_get(server, stable));
        rows.push(large_put(server, stable));
    }
    rows.extend([
        small_get(
            "S3 GET 1 KiB, signed, built-in server",
            Kind::Memory,
            stable,
        ),
        small_put(
            "S3 PUT 1 KiB, signed, built-in server",
            Kind::Memory,
            stable,
        ),
        small_get("S3 GET 1 KiB, signed, MinIO", Kind::Minio, stable),
        small_put("S3 PUT 1 KiB, signed, MinIO", Kind::Minio, stable),
        verified("verified GET 1 MiB, built-in server", Kind::Memory, stable),
        verified("verified GET 1 MiB, MinIO", Kind::Minio, stable),
    ]);
    rows.extend(beside_minio_go(stable));
    rows
}

fn large_get(server: Kind, stable: &Stable<'_>) -> Row {
    let name = match server {
        Kind::Minio => "S3 GET 16 MiB, discarded, MinIO",
        _ => "S3 GET 16 MiB, discarded, built-in server",
    };
    let what = "get --size 16MiB --objects 16 --connections 8 --no-verify";
    let contenders = vec![
        stable.s3("tenbin", what),
        stable.minio_go_loop("get", 16 * MIB),
        warp("get --obj.size 16MiB --objects 16 --concurrent 8"),
    ];
    large(name, server, contenders, 0.31)
}

fn large_put(server: Kind, stable: &Stable<'_>) -> Row {
    let name = match server {
        Kind::Minio => "S3 PUT 16 MiB, signed, MinIO",
        _ => "S3 PUT 16 MiB, signed, built-in server",
    };
    let what = "put --size 16MiB --objects 16 --connections 8";
    let contenders = vec![
        stable.s3("tenbin", what),
        stable.minio_go_loop("put", 16 * MIB),
        warp("put --obj.size 16MiB --concurrent 8"),
    ];
    large(name, server, contenders, 0.9)
}

/// Compares Tenbin with warp and with warp's client library, which costs less than warp; a quarter
/// of the library's cost is therefore the harder goal. `seen` is the cost of warp on another
/// machine, CPU seconds per GiB.
fn large(name: &'static str, server: Kind, contenders: Vec<Contender>, seen: f64) -> Row {
    Row {
        name,
        server,
        method: Method::Beyond,
        core_awake: false,
        contenders,
        readings: vec![Reading {
            figure: Figure::CpuPerGib(16 * MIB),
            goals: vec![
                Goal::AtMostTimes("tenbin", 0.25, "warp"),
                Goal::AtMostTimes("tenbin", 0.25, rival::NAME),
                Goal::AtMostTimesElsewhere("tenbin", 0.25, "warp", seen),
            ],
        }],
    }
}

/// The cost of signing GETs: compares requests with a new signature each with plain requests for a
/// presigned URL, for the same bytes of the same server. All requests are for a single object,
/// because the timing of responses for many objects differs on servers with locks, and every
/// wake-up of the load generator adds cost. The plain requests have a longer request line and fewer
/// headers. The work of the server is not counted.
fn small_get(name: &'static str, server: Kind, stable: &Stable<'_>) -> Row {
    let signed = stable.s3(
        "signed",
        "get --size 1KiB --objects 1 --connections 64 --no-verify",
    );
    small(name, server, signed, stable.presigned("plain", "GET", 64))
}

fn small_put(name: &'static str, server: Kind, stable: &Stable<'_>) -> Row {
    let signed = stable.s3("signed", "put --size 1KiB --objects 1 --connections 64");
    small(name, server, signed, stable.presigned("plain", "PUT", 64))
}

fn small(name: &'static str, server: Kind, signed: Contender, plain: Contender) -> Row {
    Row {
        name,
        server,
        method: Method::Beyond,
        core_awake: false,
        contenders: vec![signed, plain],
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![Goal::AtMostAbove("signed", 8.0, "plain")],
        }],
    }
}

fn verified(name: &'static str, server: Kind, stable: &Stable<'_>) -> Row {
    Row {
        name,
        server,
        method: Method::Beyond,
        core_awake: false,
        contenders: vec![
            stable.s3("verified", "get --size 1MiB --objects 64 --connections 16"),
            stable.s3(
                "discarded",
                "get --size 1MiB --objects 64 --connections 16 --no-verify",
            ),
        ],
        readings: vec![Reading {
            figure: Figure::CpuPerGib(MIB),
            goals: vec![Goal::AtMostAbove("verified", 0.25, "discarded")],
        }],
    }
}

/// Compares small operations with warp and with warp's client library: the CPU time of an operation.
fn beside_minio_go(stable: &Stable<'_>) -> [Row; 4] {
    let row = |name, size, [operation, tenbin, theirs]: [&'static str; 3]| Row {
        name,
        server: Kind::Memory,
        method: Method::Beyond,
        core_awake: false,
        contenders: vec![
            stable.s3("tenbin", tenbin),
            stable.minio_go_loop(operation, size),
            warp(theirs),
        ],
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![
                Goal::AtMostTimes("tenbin", 0.5, rival::NAME),
                Goal::AtMostTimes("tenbin", 0.5, "warp"),
            ],
        }],
    };
    [
        row(
            "S3 GET 1 KiB beside minio-go, built-in server",
            KIB,
            [
                "get",
                "get --size 1KiB --objects 16 --connections 8 --no-verify",
                "get --obj.size 1KiB --objects 16 --concurrent 8",
            ],
        ),
        row(
            "S3 PUT 1 KiB beside minio-go, built-in server",
            KIB,
            [
                "put",
                "put --size 1KiB --objects 16 --connections 8",
                "put --obj.size 1KiB --concurrent 8",
            ],
        ),
        row(
            "S3 GET 1 MiB beside minio-go, built-in server",
            MIB,
            [
                "get",
                "get --size 1MiB --objects 16 --connections 8 --no-verify",
                "get --obj.size 1MiB --objects 16 --concurrent 8",
            ],
        ),
        row(
            "S3 PUT 1 MiB beside minio-go, built-in server",
            MIB,
            [
                "put",
                "put --size 1MiB --objects 16 --connections 8",
                "put --obj.size 1MiB --concurrent 8",
            ],
        ),
    ]
}
