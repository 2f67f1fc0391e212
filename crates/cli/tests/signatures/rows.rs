//! The test cases, each with a change to the request.

use super::request::{Case, Presigned, Sent};

/// A correctly signed case.
pub(super) struct Base {
    /// Name in the AWS Signature Version 4 test suite.
    pub(super) name: &'static str,
    pub(super) change: fn(Case) -> Case,
}

/// A case with a changed request or key before signing.
pub(super) struct SignedSo {
    pub(super) base: &'static str,
    pub(super) what: &'static str,
    pub(super) change: fn(&mut Case),
    pub(super) expected: (u16, &'static str),
}

/// A case with a change after signing.
pub(super) struct Altered {
    pub(super) base: &'static str,
    pub(super) what: &'static str,
    pub(super) change: fn(&mut Sent),
    pub(super) expected: (u16, &'static str),
}

/// A presigned PUT with a change before or after signing.
pub(super) struct PresignedRow {
    pub(super) what: &'static str,
    pub(super) before: fn(&mut Presigned),
    pub(super) after: fn(&mut Sent),
    pub(super) expected: (u16, &'static str),
}

const OK: (u16, &str) = (200, "");
const NO_MATCH: (u16, &str) = (403, "SignatureDoesNotMatch");
const DENIED: (u16, &str) = (403, "AccessDenied");
const SKEWED: (u16, &str) = (403, "RequestTimeTooSkewed");
const UNKNOWN_KEY: (u16, &str) = (403, "InvalidAccessKeyId");
const MALFORMED: (u16, &str) = (400, "AuthorizationHeaderMalformed");
const IN_QUERY: (u16, &str) = (400, "AuthorizationQueryParametersError");
const ARGUMENT: (u16, &str) = (400, "InvalidArgument");
const NO_HASH: (u16, &str) = (400, "InvalidRequest");
const OTHER_CONTENT: (u16, &str) = (400, "XAmzContentSHA256Mismatch");

const UNRESERVED: &str = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

fn at_path(mut case: Case, path: &str) -> Case {
    case.path = path.to_owned();
    case
}

macro_rules! bases {
    ($($name:literal: $change:expr,)*) => {
        &[$(Base { name: $name, change: $change },)*]
    };
}

pub(super) const BASES: &[Base] = bases! {
    "get-vanilla": |case| case,
    "get-header-key-duplicate": |case| case.with_header(
        &[("my-header1", "value2"), ("my-header1", "value2"), ("my-header1", "value1")],
        ("my-header1", "value2,value2,value1"),
    ),
    "get-header-value-order": |case| case.with_header(
        &[("my-header1", "value4"), ("my-header1", "value1"), ("my-header1", "value3")],
        ("my-header1", "value4,value1,value3"),
    ),
    "get-header-value-trim": |case| case.with_header(
        &[("my-header1", " value1"), ("my-header2", "a   b   c ")],
        ("my-header1", "value1"),
    ).with_header(&[], ("my-header2", "a b c")),
    "get-unreserved": |case| at_path(case, &format!("/bucket/{UNRESERVED}")),
    "get-utf8": |case| at_path(case, "/bucket/%E1%88%B4"),
    "get-space": |case| at_path(case, "/bucket/example%20space/"),
    "get-slashes-unnormalized": |case| at_path(case, "/bucket//example//"),
    "get-slash-dot-slash-unnormalized": |case| at_path(case, "/bucket/./example"),
    "get-vanilla-query": |case| at_path(case, "/bucket")
        .with_query("list-type=2&prefix=o", "list-type=2&prefix=o"),
    "get-vanilla-query-order-key-case": |case| at_path(case, "/bucket")
        .with_query("prefix=o&list-type=2", "list-type=2&prefix=o"),
    "get-vanilla-empty-query-key": |case| at_path(case, "/bucket")
        .with_query("location", "location="),
    "get-vanilla-query-unreserved": |case| at_path(case, "/bucket")
        .with_query(&format!("prefix={UNRESERVED}"), &format!("prefix={UNRESERVED}")),
    "get-vanilla-utf8-query": |case| at_path(case, "/bucket")
        .with_query("prefix=%E1%88%B4", "prefix=%E1%88%B4"),
    "get-vanilla-with-session-token": |case| case.with_header(
        &[("x-amz-security-token", "token")],
        ("x-amz-security-token", "token"),
    ),
    "post-header-key-sort": |case| case.with_header(
        &[("MY-Header1", "value1")],
        ("my-header1", "value1"),
    ),
    "post-vanilla": |case| Case::put(&case.path, "hello"),
    "post-x-www-form-urlencoded": |case| Case::put(&case.path, "hello").with_header(
        &[("Content-Type", "application/x-www-form-urlencoded")],
        ("content-type", "application/x-www-form-urlencoded"),
    ),
};

macro_rules! rows {
    ($row:ident: $($base:literal, $what:literal, $change:expr => $expected:expr,)*) => {
        &[$($row { base: $base, what: $what, change: $change, expected: $expected },)*]
    };
}

pub(super) const SIGNED_SO: &[SignedSo] = rows! { SignedSo:
    "get-vanilla", "another secret", |case| case.secret = "another" => NO_MATCH,
    "get-vanilla", "unknown key", |case| case.key = "AKIDNOBODY" => UNKNOWN_KEY,
    "get-vanilla", "no key", |case| case.key = "" => UNKNOWN_KEY,
    "get-vanilla", "14 minutes late", |case| case.fast = -14 * 60 => OK,
    "get-vanilla", "14 minutes early", |case| case.fast = 14 * 60 => OK,
    "get-vanilla", "16 minutes late", |case| case.fast = -16 * 60 => SKEWED,
    "get-vanilla", "16 minutes early", |case| case.fast = 16 * 60 => SKEWED,
    "get-vanilla", "a day late", |case| case.fast = -86_400 => SKEWED,
    "get-vanilla", "another region", |case| case.region = "eu-central-1" => OK,
    "get-vanilla", "service of the suite", |case| case.service = "service" => MALFORMED,
    "get-vanilla", "service sts", |case| case.service = "sts" => MALFORMED,
    "get-vanilla", "host not signed", |case| {
        case.names = Some(vec!["x-amz-content-sha256", "x-amz-date"]);
    } => DENIED,
    "get-vanilla", "date not signed", |case| {
        case.names = Some(vec!["host", "x-amz-content-sha256"]);
    } => DENIED,
    "get-vanilla", "hash of the payload not signed", |case| {
        case.names = Some(vec!["host", "x-amz-date"]);
    } => DENIED,
    "get-vanilla", "nothing signed", |case| case.names = Some(vec![]) => MALFORMED,
    "get-vanilla-with-session-token", "token not signed", |case| {
        case.names = Some(vec!["host", "x-amz-content-sha256", "x-amz-date"]);
    } => DENIED,
    "get-vanilla", "names not sorted", |case| {
        case.names = Some(vec!["x-amz-date", "host", "x-amz-content-sha256"]);
    } => MALFORMED,
    "get-vanilla", "a name twice", |case| {
        case.names = Some(vec!["host", "host", "x-amz-content-sha256", "x-amz-date"]);
    } => MALFORMED,
    "get-vanilla", "no hash of the payload", |case| case.payload_hash = None => NO_HASH,
    "post-vanilla", "hash of other content", |case| {
        case.payload_hash = Case::get("/").payload_hash;
    } => OTHER_CONTENT,
};

pub(super) const ALTERED: &[Altered] = rows! { Altered:
    "get-vanilla", "method", |sent| sent.method = "DELETE".to_owned() => NO_MATCH,
    "get-vanilla", "path", |sent| sent.path = "/bucket/another".to_owned() => NO_MATCH,
    "get-utf8", "path", |sent| sent.path = "/bucket/%E1%88%B5".to_owned() => NO_MATCH,
    "get-unreserved", "case of the path", |sent| {
        sent.path = sent.path.to_ascii_lowercase();
    } => NO_MATCH,
    "get-space", "space as plus", |sent| {
        sent.path = sent.path.replace("%20", "+");
    } => NO_MATCH,
    "get-slashes-unnormalized", "slashes merged", |sent| {
        sent.path = sent.path.replace("//", "/");
    } => NO_MATCH,
    "get-slash-dot-slash-unnormalized", "dots resolved", |sent| {
        sent.path = sent.path.replace("/./", "/");
    } => NO_MATCH,
    "get-vanilla-query", "value", |sent| sent.in_query("prefix=o", "prefix=p") => NO_MATCH,
    "get-vanilla-query", "parameter removed", |sent| sent.in_query("&prefix=o", "") => NO_MATCH,
    "get-vanilla-query", "parameter added", |sent| sent.query += "&max-keys=1" => NO_MATCH,
    "get-vanilla-query", "order", |sent| {
        sent.query = "prefix=o&list-type=2".to_owned();
    } => OK,
    "get-vanilla-empty-query-key", "removed", |sent| sent.query.clear() => NO_MATCH,
    "get-vanilla-utf8-query", "value", |sent| sent.in_query("%B4", "%B5") => NO_MATCH,
    "get-header-key-duplicate", "a line removed", |sent| {
        sent.headers.pop();
    } => NO_MATCH,
    "get-header-key-duplicate", "a line added", |sent| sent.add("my-header1", "x") => NO_MATCH,
    "get-header-value-order", "order", |sent| sent.headers.reverse() => NO_MATCH,
    "get-header-value-trim", "more space", |sent| {
        sent.set("my-header2", "  a    b c");
    } => OK,
    "get-header-value-trim", "no space", |sent| sent.set("my-header2", "a bc") => NO_MATCH,
    "post-header-key-sort", "value", |sent| sent.set("MY-Header1", "value2") => NO_MATCH,
    "post-header-key-sort", "header removed", |sent| sent.remove("MY-Header1") => NO_MATCH,
    "post-x-www-form-urlencoded", "type", |sent| {
        sent.set("Content-Type", "text/html");
    } => NO_MATCH,
    "get-vanilla", "host", |sent| sent.set("host", "another.example") => NO_MATCH,
    "get-vanilla", "date", |sent| {
        let date = sent.header("x-amz-date");
        let last = if date.ends_with("0Z") { "1Z" } else { "0Z" };
        sent.set("x-amz-date", &format!("{}{last}", &date[..14]));
    } => NO_MATCH,
    "get-vanilla", "date of last year", |sent| {
        let date = sent.header("x-amz-date");
        sent.set("x-amz-date", &format!("2015{}", &date[4..]));
    } => MALFORMED,
    "get-vanilla", "date removed", |sent| sent.remove("x-amz-date") => DENIED,
    "get-vanilla", "date twice", |sent| {
        let date = sent.header("x-amz-date");
        sent.add("x-amz-date", &date);
    } => DENIED,
    "get-vanilla", "hash of the payload", |sent| {
        sent.set("x-amz-content-sha256", "UNSIGNED-PAYLOAD");
    } => NO_MATCH,
    "post-vanilla", "content", |sent| sent.body = "hellO".to_owned() => OTHER_CONTENT,
    "post-vanilla", "hash of the payload and content", |sent| {
        sent.set("x-amz-content-sha256", "UNSIGNED-PAYLOAD");
        sent.body = "stolen".to_owned();
    } => NO_MATCH,
    "post-vanilla", "source of a copy added", |sent| {
        sent.add("x-amz-copy-source", "/bucket/object");
    } => DENIED,
    "post-vanilla", "ACL added", |sent| sent.add("x-amz-acl", "public-read") => DENIED,
    "post-vanilla", "metadata added", |sent| sent.add("X-Amz-Meta-A", "b") => DENIED,
    "get-vanilla", "token added", |sent| sent.add("x-amz-security-token", "t") => DENIED,
    "get-vanilla", "unsigned header without effect", |sent| sent.add("x-trace", "1") => OK,
    "get-vanilla", "added and listed", |sent| {
        sent.add("x-amz-acl", "public-read");
        sent.authorization().names = "host;x-amz-acl;x-amz-content-sha256;x-amz-date".to_owned();
    } => NO_MATCH,
    "get-vanilla", "signature, one digit", |sent| {
        let last = if sent.authorization().signature.ends_with('0') { "1" } else { "0" };
        sent.authorization().signature.replace_range(63.., last);
    } => NO_MATCH,
    "get-vanilla", "signature shortened", |sent| {
        sent.authorization().signature.truncate(32);
    } => NO_MATCH,
    "get-vanilla", "signature empty", |sent| sent.authorization().signature.clear() => NO_MATCH,
    "get-vanilla", "signature of zeros", |sent| {
        sent.authorization().signature = "0".repeat(64);
    } => NO_MATCH,
    "get-vanilla", "no signature", |sent| sent.authorization = None => DENIED,
    "get-vanilla", "key", |sent| {
        let it = &mut sent.authorization().credential;
        *it = it.replacen("AKIDEXAMPLE", "AKIDNOBODY", 1);
    } => UNKNOWN_KEY,
    "get-vanilla", "day of the scope", |sent| {
        let it = &mut sent.authorization().credential;
        it.replace_range(12..16, "2015");
    } => MALFORMED,
    "get-vanilla", "region of the scope", |sent| {
        let it = &mut sent.authorization().credential;
        *it = it.replace("us-east-1", "us-west-2");
    } => NO_MATCH,
    "get-vanilla", "service of the scope", |sent| {
        let it = &mut sent.authorization().credential;
        *it = it.replace("/s3/", "/sts/");
    } => MALFORMED,
    "get-vanilla", "terminator of the scope", |sent| {
        let it = &mut sent.authorization().credential;
        *it = it.replace("aws4_request", "aws5_request");
    } => MALFORMED,
    "get-vanilla", "no terminator", |sent| {
        let it = &mut sent.authorization().credential;
        *it = it.replace("/aws4_request", "");
    } => MALFORMED,
    "get-vanilla", "scope of six parts", |sent| {
        sent.authorization().credential += "/more";
    } => MALFORMED,
    "get-vanilla", "names in upper case", |sent| {
        sent.authorization().names = "Host;x-amz-content-sha256;x-amz-date".to_owned();
    } => MALFORMED,
    "get-vanilla", "names not sorted", |sent| {
        sent.authorization().names = "x-amz-content-sha256;host;x-amz-date".to_owned();
    } => MALFORMED,
    "get-vanilla", "a name twice", |sent| {
        sent.authorization().names = "host;host;x-amz-content-sha256;x-amz-date".to_owned();
    } => MALFORMED,
    "get-vanilla", "no names", |sent| sent.authorization().names.clear() => MALFORMED,
    "get-vanilla", "a name removed", |sent| {
        sent.authorization().names = "host;x-amz-content-sha256".to_owned();
    } => DENIED,
    "get-vanilla", "a name without its header", |sent| {
        sent.authorization().names += ";x-amz-storage-class";
    } => NO_MATCH,
    "get-vanilla", "no SignedHeaders", |sent| {
        let it = sent.authorization();
        let fields = format!("Credential={}, Signature={}", it.credential, it.signature);
        sent.fields = Some(fields);
    } => MALFORMED,
    "get-vanilla", "SignedHeaders twice", |sent| {
        let it = sent.authorization();
        let fields = format!(
            "Credential={}, SignedHeaders={}, SignedHeaders=host, Signature={}",
            it.credential, it.names, it.signature
        );
        sent.fields = Some(fields);
    } => MALFORMED,
    "get-vanilla", "no Credential", |sent| {
        let it = sent.authorization();
        let fields = format!("SignedHeaders={}, Signature={}", it.names, it.signature);
        sent.fields = Some(fields);
    } => MALFORMED,
    "get-vanilla", "no fields", |sent| sent.fields = Some("x".to_owned()) => MALFORMED,
    "get-vanilla", "another algorithm", |sent| {
        sent.authorization().algorithm = "AWS4-HMAC-SHA1".to_owned();
    } => ARGUMENT,
    "post-vanilla", "another algorithm to hide the source of a copy", |sent| {
        sent.authorization().algorithm = "AWS4-HMAC-SHA512".to_owned();
        sent.add("x-amz-copy-source", "/bucket/object");
    } => ARGUMENT,
    "get-vanilla", "Basic", |sent| {
        sent.authorization().algorithm = "Basic".to_owned();
    } => ARGUMENT,
    "get-vanilla", "two Authorization headers", |sent| {
        sent.add("authorization", "AWS4-HMAC-SHA256 x");
    } => ARGUMENT,
    "get-vanilla", "signature in the query as well", |sent| {
        sent.query = "X-Amz-Signature=0".to_owned();
    } => ARGUMENT,
};

macro_rules! presigned {
    ($($what:literal, $before:expr, $after:expr => $expected:expr,)*) => {
        &[$(PresignedRow {
            what: $what,
            before: $before,
            after: $after,
            expected: $expected,
        },)*]
    };
}

pub(super) const PRESIGNED: &[PresignedRow] = presigned! {
    "as it should be", |_| {}, |_| {} => OK,
    "a week", |it| it.expires = "604800", |_| {} => OK,
    "expired", |it| { it.fast = -7_200; }, |_| {} => DENIED,
    "16 minutes early", |it| { it.fast = 16 * 60; }, |_| {} => SKEWED,
    "longer than a week", |it| it.expires = "604801", |_| {} => IN_QUERY,
    "validity below 0", |it| it.expires = "-1", |_| {} => IN_QUERY,
    "validity no number", |it| it.expires = "day", |_| {} => IN_QUERY,
    "another service", |it| it.service = "sts", |_| {} => IN_QUERY,
    "another algorithm", |it| it.algorithm = "AWS4-HMAC-SHA1", |_| {} => IN_QUERY,
    "unknown key", |it| it.key = "AKIDNOBODY", |_| {} => UNKNOWN_KEY,
    "method", |_| {}, |sent| sent.method = "DELETE".to_owned() => NO_MATCH,
    "path", |_| {}, |sent| sent.path = "/bucket/stolen".to_owned() => NO_MATCH,
    "validity made longer", |_| {}, |sent| sent.in_query("=3600", "=7200") => NO_MATCH,
    "expired and made longer", |it| { it.fast = -7_200; }, |sent| {
        sent.in_query("=3600", "=36000");
    } => NO_MATCH,
    "host", |_| {}, |sent| sent.set("host", "another.example") => NO_MATCH,
    "parameter added", |_| {}, |sent| sent.query += "&versionId=1" => NO_MATCH,
    "no signature", |_| {}, |sent| {
        let at = sent.query.find("&X-Amz-Signature").expect("a signature");
        sent.query.truncate(at);
    } => IN_QUERY,
    "no names", |_| {}, |sent| sent.in_query("&X-Amz-SignedHeaders=host", "") => IN_QUERY,
    "empty names", |_| {}, |sent| sent.in_query("Headers=host", "Headers=") => IN_QUERY,
    "names twice", |_| {}, |sent| sent.query += "&X-Amz-SignedHeaders=host" => IN_QUERY,
    "no validity", |_| {}, |sent| sent.in_query("&X-Amz-Expires=3600", "") => IN_QUERY,
    "terminator", |_| {}, |sent| sent.in_query("aws4_request", "aws5_request") => IN_QUERY,
    "source of a copy added", |_| {}, |sent| {
        sent.add("x-amz-copy-source", "/bucket/object");
    } => DENIED,
    "source of a copy added and listed", |_| {}, |sent| {
        sent.add("x-amz-copy-source", "/bucket/object");
        sent.in_query("Headers=host", "Headers=host%3Bx-amz-copy-source");
    } => NO_MATCH,
    "source of a copy listed in an Authorization header", |_| {}, |sent| {
        sent.add("x-amz-copy-source", "/bucket/object");
        sent.add(
            "authorization",
            "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host;x-amz-copy-source, Signature=0",
        );
    } => ARGUMENT,
};
