//! Tests the signer with the published AWS Signature Version 4 test suite.
//!
//! The suite tests signing for services in general. The test itself does what S3 never needs: it
//! resolves dot segments, and merges and folds headers. `data/README.md` names the source of the
//! data.

#![allow(clippy::unwrap_used, reason = "a test may")]

use serde_json::Value;
use sha2::{Digest, Sha256};
use tenbin_plan::Credentials;
use tenbin_workloads::s3::sigv4::{EMPTY_SHA256, Signed, Signer};
use tenbin_workloads::s3::uri::{canonical_query, decode, encode_path};

/// 2015-08-30T12:36:00Z, the time of every case of the suite.
const MOMENT: u64 = 1_440_938_160;

#[test]
fn every_case_of_the_suite_is_signed_as_published() {
    let suite: Vec<Value> =
        serde_json::from_str(include_str!("data/aws-sigv4-suite.json")).unwrap();
    assert_eq!(suite.len(), 38);
    for case in &suite {
        check(case);
    }
}

fn check(case: &Value) {
    let name = text(&case["name"]);
    let context = &case["context"];
    assert_eq!(
        text(&context["timestamp"]),
        "2015-08-30T12:36:00Z",
        "{name}"
    );
    let credentials = Credentials::literal(
        text(&context["credentials"]["access_key_id"]),
        text(&context["credentials"]["secret_access_key"]),
    );
    let mut signer = Signer::new(
        &credentials,
        text(&context["region"]),
        text(&context["service"]),
    );
    let request = Request::parse(text(&case["request"]));
    let date = signer.at(MOMENT);

    let payload_hash = if context["sign_body"].as_bool().unwrap() {
        hex(&Sha256::digest(&request.body))
    } else {
        String::from_utf8(EMPTY_SHA256.to_vec()).unwrap()
    };
    let mut headers = request.headers.clone();
    headers.retain(|(header, _)| header != "x-amz-date");
    headers.push((
        "x-amz-date".into(),
        String::from_utf8(date.to_vec()).unwrap(),
    ));
    if context["sign_body"] == true {
        headers.push(("x-amz-content-sha256".into(), payload_hash.clone()));
    }
    if let Some(token) = context["credentials"]["token"].as_str()
        && context["omit_session_token"] != true
    {
        headers.push(("x-amz-security-token".into(), token.into()));
    }
    headers.sort_by(|a, b| a.0.cmp(&b.0));
    let headers: Vec<(&str, &[u8])> = headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_bytes()))
        .collect();

    let mut path = decode(request.path.as_bytes());
    if context["normalize"] == true {
        path = without_dots(&path);
    }
    let signature = signer.sign(&Signed {
        method: request.method.as_bytes(),
        path: &encode_path(&path),
        query: &request.query,
        headers: &headers,
        payload_hash: payload_hash.as_bytes(),
    });
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(
        shown(signer.canonical_request()),
        text(&case["canonical_request"]),
        "canonical request of {name}"
    );
    assert_eq!(
        shown(signer.string_to_sign()),
        text(&case["string_to_sign"]),
        "string to sign of {name}"
    );
    assert_eq!(
        shown(&signature),
        text(&case["signature"]),
        "signature of {name}"
    );
}

struct Request {
    method: String,
    path: String,
    query: Vec<u8>,
    /// Headers with names in lower case; the values of a repeated header are joined in order.
    headers: Vec<(String, String)>,
    body: String,
}

impl Request {
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let start = lines.next().unwrap();
        let (method, rest) = start.split_once(' ').unwrap();
        let (target, _) = rest.rsplit_once(' ').unwrap();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut headers: Vec<(String, String)> = Vec::new();
        for line in lines.filter(|line| !line.is_empty()) {
            match line.split_once(':') {
                _ if line.starts_with(' ') => {
                    let (_, value) = headers.last_mut().unwrap();
                    *value = format!("{value} {}", line.trim());
                }
                Some((name, value)) => add(&mut headers, name, value),
                None => panic!("{line:?} is not a header"),
            }
        }
        Self {
            method: method.into(),
            path: path.into(),
            query: query_of(query),
            headers,
            body: body.into(),
        }
    }
}

fn add(headers: &mut Vec<(String, String)>, name: &str, value: &str) {
    let name = name.to_lowercase();
    let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
    match headers.iter_mut().find(|(known, _)| *known == name) {
        Some((_, values)) => *values = format!("{values},{value}"),
        None => headers.push((name, value)),
    }
}

fn query_of(query: &str) -> Vec<u8> {
    let pairs: Vec<(Vec<u8>, Vec<u8>)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (decode(name.as_bytes()), decode(value.as_bytes())))
        .collect();
    canonical_query(
        pairs
            .iter()
            .map(|(name, value)| (name.as_slice(), value.as_slice())),
    )
}

/// The path without `.`, `..` and empty segments; a trailing slash stays.
fn without_dots(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|&b| b == b'/') {
        match segment {
            b"" | b"." => {}
            b".." => drop(kept.pop()),
            name => kept.push(name),
        }
    }
    let mut out = [&b"/"[..], &kept.join(&b'/')].concat();
    if path.ends_with(b"/") && !kept.is_empty() {
        out.push(b'/');
    }
    out
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
