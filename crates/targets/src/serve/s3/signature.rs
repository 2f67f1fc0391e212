//! Checks the requirements of S3 for signed requests that `s3s` does not check.
//!
//! `s3s` verifies the signature over the headers listed in `SignedHeaders`, and accepts any
//! algorithm and any list. S3 requires more ("Create a signed AWS API request" and "Authenticating
//! requests: using query parameters"): `host` and every `x-amz-*` header must be signed. Otherwise
//! an attacker who intercepts a signed request could add `x-amz-copy-source`. Requests with two
//! signatures are refused, so that the signature checked here is the signature that `s3s` verifies.

use std::time::{Duration, SystemTime};

use hyper::header::{AUTHORIZATION, CONTENT_TYPE, DATE, HeaderMap};
use hyper::{Method, Uri};
use s3s::{S3Result, s3_error};

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const DATE_HEADER: &str = "x-amz-date";
/// Parameters of a presigned URL; each parameter must occur exactly once.
const PARAMETERS: [&str; 6] = [
    "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders",
    "X-Amz-Signature",
];
/// Longest validity of a presigned URL, seconds (one week).
const LONGEST: u64 = 604_800;
/// Largest allowed difference between the clocks of client and server.
const MOST_SKEW: Duration = Duration::from_secs(15 * 60);

/// Refuses a request whose signature does not meet S3's requirements. This function does not verify
/// the signature; unsigned requests pass.
///
/// # Errors
/// The S3 error response for the request.
pub(super) fn check(method: &Method, uri: &Uri, headers: &HeaderMap) -> S3Result<()> {
    let query = uri.query().unwrap_or_default();
    let parameters: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .collect();
    let has = |wanted: &str| parameters.iter().any(|(name, _)| name == wanted);
    let in_headers = headers.get_all(AUTHORIZATION).iter().count();
    let presigned = has("X-Amz-Signature") || has("X-Amz-Algorithm");
    let presigned_v2 = has("Signature");
    let ways = in_headers
        + usize::from(presigned)
        + usize::from(presigned_v2)
        + usize::from(is_form(method, headers));
    if ways > 1 {
        return Err(s3_error!(
            InvalidArgument,
            "only one of Authorization header, signature in the query and signed form is allowed"
        ));
    }
    if presigned {
        return check_query(&parameters, headers);
    }
    match headers.get(AUTHORIZATION) {
        None => Ok(()),
        Some(value) => match value.to_str() {
            Ok(value) => check_header(value, headers),
            Err(_) => Err(s3_error!(
                AuthorizationHeaderMalformed,
                "the Authorization header is not ASCII text"
            )),
        },
    }
}

/// Whether the request is a form upload; the signature of a form covers its policy.
fn is_form(method: &Method, headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).map(|value| value.as_bytes());
    let kind = kind.map(<[u8]>::to_ascii_lowercase).unwrap_or_default();
    method == Method::POST && kind.trim_ascii_start().starts_with(b"multipart/form-data")
}

fn check_header(value: &str, headers: &HeaderMap) -> S3Result<()> {
    if value.starts_with("AWS ") {
        // A signature of version 2 always covers all `x-amz-*` headers.
        return check_date_v2(headers);
    }
    let Some((ALGORITHM, fields)) = value.split_once(' ') else {
        return Err(s3_error!(
            InvalidArgument,
            "the type of authorization is not supported; use {ALGORITHM}"
        ));
    };
    let malformed = |why: String| {
        Err(s3_error!(
            AuthorizationHeaderMalformed,
            "the authorization header is malformed: {why}"
        ))
    };
    let [mut credential, mut signed, mut signature] = [None; 3];
    for field in fields.split(',') {
        let (name, value) = field.trim().split_once('=').unwrap_or_default();
        let place = match name {
            "Credential" => &mut credential,
            "SignedHeaders" => &mut signed,
            "Signature" => &mut signature,
            _ => return malformed("it has an unknown field".to_owned()),
        };
        if place.replace(value).is_some() {
            return malformed(format!("{name} occurs twice"));
        }
    }
    let (Some(credential), Some(signed), Some(_)) = (credential, signed, signature) else {
        return malformed("Credential, SignedHeaders or Signature is missing".to_owned());
    };
    let mut dates = headers.get_all(DATE_HEADER).iter();
    let (Some(date), None) = (dates.next(), dates.next()) else {
        return Err(s3_error!(
            AccessDenied,
            "one {DATE_HEADER} header is required"
        ));
    };
    if let Err(why) = check_credential(credential, date.as_bytes()) {
        return malformed(why);
    }
    match names(signed) {
        Ok(signed) => check_signed(&signed, headers),
        Err(why) => malformed(why),
    }
}

fn check_query(parameters: &[(String, String)], headers: &HeaderMap) -> S3Result<()> {
    let wrong = |why: String| Err(s3_error!(AuthorizationQueryParametersError, "{why}"));
    let mut values = [""; PARAMETERS.len()];
    for (wanted, value) in PARAMETERS.iter().zip(&mut values) {
        let mut found = parameters.iter().filter(|(name, _)| name == wanted);
        let (Some((_, only)), None) = (found.next(), found.next()) else {
            return wrong(format!("the query must have {wanted} once"));
        };
        *value = only;
    }
    let [algorithm, credential, date, expires, signed, _] = values;
    if algorithm != ALGORITHM {
        return wrong(format!("X-Amz-Algorithm must be {ALGORITHM}"));
    }
    if let Err(why) = check_credential(credential, date.as_bytes()) {
        return wrong(why);
    }
    if expires
        .parse()
        .ok()
        .is_none_or(|seconds: u64| seconds > LONGEST)
    {
        return wrong(format!("X-Amz-Expires must be 0 to {LONGEST} seconds"));
    }
    match names(signed) {
        Ok(signed) => check_signed(&signed, headers),
        Err(why) => wrong(why),
    }
}

/// Checks `KEY/20150830/REGION/s3/aws4_request`; the day must be the day of `date`. Any region is
/// accepted.
fn check_credential(credential: &str, date: &[u8]) -> Result<(), String> {
    let parts: Vec<&str> = credential.split('/').collect();
    let [_, day, region, service, terminator] = parts.as_slice() else {
        return Err("the credential does not have five parts".to_owned());
    };
    if *terminator != "aws4_request" {
        return Err("the credential does not end with aws4_request".to_owned());
    }
    if *service != "s3" {
        return Err("the credential is not for the service s3".to_owned());
    }
    if region.is_empty() {
        return Err("the credential names no region".to_owned());
    }
    if date.get(..8) != Some(day.as_bytes()) {
        return Err("the day of the credential is not that of the request".to_owned());
    }
    Ok(())
}

/// Parses a list of signed headers: lower case, sorted, without duplicates.
fn names(list: &str) -> Result<Vec<&str>, String> {
    let names: Vec<&str> = list.split(';').collect();
    let is_name = |name: &&str| {
        let is_fit = |byte: u8| !byte.is_ascii_uppercase() && byte.is_ascii_graphic();
        !name.is_empty() && name.bytes().all(is_fit)
    };
    if !names.iter().all(is_name) {
        return Err("SignedHeaders must be names in lower case".to_owned());
    }
    if !names.is_sorted_by(|one, next| one < next) {
        return Err("SignedHeaders must be sorted, each name once".to_owned());
    }
    Ok(names)
}

fn check_signed(signed: &[&str], headers: &HeaderMap) -> S3Result<()> {
    let is_signed = |name: &str| signed.contains(&name);
    let mut sent = headers.keys().map(|name| name.as_str());
    let unsigned = if !is_signed("host") {
        Some("host")
    } else {
        sent.find(|name| name.starts_with("x-amz-") && !is_signed(name))
    };
    if let Some(name) = unsigned {
        return Err(s3_error!(
            AccessDenied,
            "there were headers present in the request which were not signed: {name}"
        ));
    }
    match signed.iter().find(|name| !headers.contains_key(**name)) {
        None => Ok(()),
        Some(name) => Err(s3_error!(
            SignatureDoesNotMatch,
            "the header {name} is signed and was not sent"
        )),
    }
}

/// Checks the date of a version 2 signature, because `s3s` checks only version 4.
fn check_date_v2(headers: &HeaderMap) -> S3Result<()> {
    let date = headers.get(DATE_HEADER).or_else(|| headers.get(DATE));
    let date = date.and_then(|value| httpdate::parse_http_date(value.to_str().ok()?).ok());
    let Some(date) = date else {
        return Err(s3_error!(
            AccessDenied,
            "a valid Date or {DATE_HEADER} header is required"
        ));
    };
    let now = SystemTime::now();
    let skew = now
        .duration_since(date)
        .or_else(|_| date.duration_since(now));
    match skew {
        Ok(skew) if skew <= MOST_SKEW => Ok(()),
        _ => Err(s3_error!(
            RequestTimeTooSkewed,
            "the time of the request differs from that of the server by more than 15 minutes"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(method: &Method, query: &str, headers: &[(&str, &str)]) -> String {
        let uri: Uri = format!("/bucket/object{query}").parse().unwrap();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: hyper::header::HeaderName = name.parse().unwrap();
            map.append(name, value.parse().unwrap());
        }
        match check(method, &uri, &map) {
            Ok(()) => String::new(),
            Err(error) => error.code().as_str().to_owned(),
        }
    }

    #[test]
    fn version_2_requires_a_recent_date() {
        let at = |behind: u64| {
            let date = SystemTime::now() - Duration::from_secs(behind);
            let date = httpdate::fmt_http_date(date);
            let headers = [("authorization", "AWS a:b"), ("date", date.as_str())];
            checked(&Method::GET, "", &headers)
        };
        assert_eq!(at(0), "");
        assert_eq!(at(14 * 60), "");
        assert_eq!(at(16 * 60), "RequestTimeTooSkewed");
        let without = checked(&Method::GET, "", &[("authorization", "AWS a:b")]);
        assert_eq!(without, "AccessDenied");
    }

    #[test]
    fn a_request_has_one_signature() {
        let v4 = ("authorization", "AWS4-HMAC-SHA256 x");
        let form = ("content-type", "Multipart/Form-Data; boundary=b");
        for (method, query, headers) in [
            (Method::GET, "?X-Amz-Signature=0", &[v4][..]),
            (Method::GET, "?Signature=0", &[v4]),
            (Method::GET, "?X-Amz-Signature=0&Signature=0", &[]),
            (Method::GET, "", &[v4, v4]),
            (Method::POST, "", &[v4, form]),
            (Method::POST, "?X-Amz-Algorithm=0", &[form]),
        ] {
            assert_eq!(
                checked(&method, query, headers),
                "InvalidArgument",
                "{query}"
            );
        }
        assert_eq!(checked(&Method::POST, "", &[form]), "");
        assert_eq!(checked(&Method::GET, "?list-type=2", &[]), "");
    }
}
