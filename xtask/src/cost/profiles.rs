//! The rows that compare the profile `dist`, of the packages, with `release`.

use super::contender::Stable;
use super::figure::Figure;
use super::goal::Goal;
use super::rows::{Method, Reading, Row};
use super::server::Kind;

/// How much more or less CPU time than the other profile is allowed.
const ALIKE: f64 = 1.1;

pub(super) fn rows(stable: &Stable<'_>) -> Vec<Row> {
    let get = "http --connections 64";
    let tls = "http --insecure --connections 64";
    let http2 = "http --insecure --http 2 --connections 8 --depth 8";
    let put = "s3 put --size 1KiB --objects 1 --connections 64";
    let verified = "s3 get --size 1MiB --objects 64 --connections 16";
    vec![
        row(
            "profiles, keep-alive GET, 64 connections",
            Kind::Nginx,
            get,
            stable,
        ),
        row(
            "profiles, TLS 1.3 keep-alive GET, 64 connections",
            Kind::NginxTls,
            tls,
            stable,
        ),
        row(
            "profiles, HTTP/2 GET over TLS, 8 connections, 8 streams each",
            Kind::NginxTls,
            http2,
            stable,
        ),
        row(
            "profiles, S3 PUT 1 KiB, signed, built-in server",
            Kind::Memory,
            put,
            stable,
        ),
        row(
            "profiles, verified GET 1 MiB, built-in server",
            Kind::Memory,
            verified,
            stable,
        ),
    ]
}

fn row(name: &'static str, server: Kind, what: &'static str, stable: &Stable<'_>) -> Row {
    Row {
        name,
        server,
        method: Method::AtOnce,
        core_awake: false,
        contenders: vec![
            stable.tenbin_with("release", what),
            stable.tenbin_with("dist", what).of_packages(stable),
        ],
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![
                Goal::AtMostTimes("release", ALIKE, "dist"),
                Goal::AtMostTimes("dist", ALIKE, "release"),
            ],
        }],
    }
}
