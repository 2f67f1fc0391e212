//! Rows with TLS.

use super::{Method, Reading, Row};
use crate::cost::contender::Stable;
use crate::cost::figure::Figure;
use crate::cost::goal::Goal;
use crate::cost::server::Kind;

pub(super) fn rows(stable: &Stable<'_>) -> Vec<Row> {
    vec![
        keep_alive("TLS 1.3 keep-alive GET, 64 connections", false, stable),
        // With TLS the server is the limit, and the wake-ups of a load generator cost more than its
        // work: see docs/performance.md.
        keep_alive(
            "TLS 1.3 keep-alive GET, 64 connections, core kept awake",
            true,
            stable,
        ),
        reconnecting(stable),
        http2(stable),
    ]
}

fn keep_alive(name: &'static str, core_awake: bool, stable: &Stable<'_>) -> Row {
    Row {
        name,
        server: Kind::NginxTls,
        // Excludes the expensive handshakes, which are not part of keep-alive requests.
        method: Method::Beyond,
        core_awake,
        contenders: stable.https(64),
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![Goal::BelowAllBut("tenbin", &[])],
        }],
    }
}

/// A new connection with a full handshake for each request.
fn reconnecting(stable: &Stable<'_>) -> Row {
    Row {
        name: "TLS 1.3 GET, 64 connections, a new connection for each request",
        server: Kind::NginxTls,
        method: Method::Whole,
        core_awake: false,
        contenders: stable.https_reconnecting(64),
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![Goal::BelowAllBut("tenbin", &[])],
        }],
    }
}

fn http2(stable: &Stable<'_>) -> Row {
    Row {
        name: "HTTP/2 GET over TLS, 8 connections, 8 streams each",
        server: Kind::NginxTls,
        method: Method::Beyond,
        core_awake: false,
        contenders: stable.http2(8, 8),
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![Goal::BelowAllBut("tenbin", &[])],
        }],
    }
}
