//! Refusals of S3 workloads.

use super::{S3, refusal};

#[test]
fn s3_workloads() {
    let plan = |line: &str| {
        format!(
            "[[workload]]\nkind = \"s3\"\noperation = \"put\"\n{line}\n[[target]]\nbuiltin = \"s3-memory\"\n"
        )
    };
    for (line, expected) in [
        (
            "size = \"1KX\"",
            r#"plan.toml:4:8: size: "1KX" has the unknown unit "KX"; write for example "64KiB" (2^16 bytes), "1MB" (10^6) or "1000" (bytes)"#,
        ),
        (
            "size = -1",
            r#"plan.toml:4:8: size: "-1" is not a size; write for example "64KiB", "1MB" or "1000" (bytes)"#,
        ),
        (
            "size = \"6GiB\"",
            "plan.toml:4:8: size: 6GiB is more than one PUT can carry; the most is 5GiB",
        ),
        (
            "objects = 0",
            "plan.toml:4:11: objects: 0 is too small; the minimum is 1",
        ),
        (
            "bucket = \"ab\"",
            r#"plan.toml:4:10: bucket: "ab" is not a bucket name: it has 3 to 63 characters; write for example "tenbin-bench""#,
        ),
        (
            "bucket = \"My_Bucket\"",
            r#"plan.toml:4:10: bucket: "My_Bucket" is not a bucket name: it is made of lower-case letters, digits, '-' and '.'; write for example "tenbin-bench""#,
        ),
        (
            "bucket = \"-ab\"",
            r#"plan.toml:4:10: bucket: "-ab" is not a bucket name: it begins and ends with a letter or a digit; write for example "tenbin-bench""#,
        ),
        (
            "bucket = \"a..b\"",
            r#"plan.toml:4:10: bucket: "a..b" is not a bucket name: it has no two dots in a row; write for example "tenbin-bench""#,
        ),
        (
            "bucket = \"10.0.0.1\"",
            r#"plan.toml:4:10: bucket: "10.0.0.1" is not a bucket name: it does not look like an IP address; write for example "tenbin-bench""#,
        ),
        (
            "style = \"virtaul\"",
            r#"plan.toml:4:9: style: "virtaul" is not one of "path", "virtual"; did you mean "virtual"?"#,
        ),
        (
            "payload = \"none\"",
            r#"plan.toml:4:11: payload: "none" is not one of "signed", "unsigned", "streaming", "trailer""#,
        ),
        (
            "headers = [\"Host: x\"]",
            r#"plan.toml:4:12: headers: Tenbin sets "Host" itself: it follows from the URL of the target"#,
        ),
        (
            "headers = [\"X-Amz-Meta-Owner: me\"]",
            r#"plan.toml:4:12: headers: Tenbin sets "X-Amz-Meta-Owner" itself: use metadata (--metadata)"#,
        ),
        (
            "headers = [\"x-a:  hush  two\"]",
            r#"plan.toml:4:12: headers: the value of header "x-a" must be ASCII, not empty and without consecutive spaces, because it is signed"#,
        ),
        (
            "headers = [\"x-a: 1\", \"X-A: 2\"]",
            r#"plan.toml:4:11: headers: "x-a" is there twice"#,
        ),
        (
            "verify = true",
            r#"plan.toml:4:10: verify: only "get", "get-part" and "zip-get" return content to verify; this is "put""#,
        ),
        (
            "range = \"0-5\"",
            r#"plan.toml:4:9: range: only "get" reads a part of an object; this is "put""#,
        ),
        (
            "page = 10",
            r#"plan.toml:4:8: page: only "list" and "zip-list" list keys; this is "put""#,
        ),
        (
            "size = \"1KiB,1MiB\"",
            r#"plan.toml:4:8: size: "1KiB" has no share, a number above 0; write for example "1KiB:60,1MiB:40""#,
        ),
        (
            "data = \"existing\"",
            r#"plan.toml:4:8: data: "put" would change objects that are not Tenbin's own; take "keep" or "fresh""#,
        ),
        (
            "payload = \"trailer\"",
            r#"plan.toml:4:11: payload: "trailer" requires a checksum to send after the content, such as checksum = "crc32c""#,
        ),
        (
            "metadata = [\"owner=me\"]",
            r#"plan.toml:4:13: metadata: "owner=me" has no colon after its name; write for example "owner: tenbin""#,
        ),
        (
            "method = \"GET\"",
            r#"plan.toml:4:10: method: is for workloads of kind "http"; this one is of kind "s3""#,
        ),
    ] {
        assert_eq!(refusal(&plan(line)), expected);
    }
    for (operation, line, expected) in [
        (
            "multipart",
            "payload = \"streaming\"",
            r#"plan.toml:4:11: payload: "streaming" is not supported for the parts of "multipart"; use "signed" or "unsigned""#,
        ),
        (
            "get-part",
            "content = \"unique\"",
            r#"plan.toml:4:11: content: "unique" is not supported for the parts of "get-part"; use "pool""#,
        ),
        (
            "get-part",
            "data = \"existing\"",
            r#"plan.toml:4:8: data: the parts of objects that Tenbin did not create are unknown; use data = "keep" or "fresh" with "get-part""#,
        ),
    ] {
        let text = plan(line).replace("\"put\"", &format!("{operation:?}"));
        assert_eq!(refusal(&text), expected);
    }
    assert_eq!(
        refusal("[[workload]]\nkind = \"s3\"\n[[target]]\nbuiltin = \"s3-memory\"\n"),
        r#"plan.toml:1:1: an S3 workload needs its operation: "put", "get", "delete", "list" or another, or several with shares: "get:70,put:30""#
    );
    assert_eq!(
        refusal(
            "[[workload]]\nkind = \"s3\"\noperation = \"put\"\n[[target]]\nbuiltin = \"http\"\n"
        ),
        r#"plan.toml:4:1: target "http" is a built-in HTTP server, which does not speak S3, and workload "put-1MiB" does; use builtin = "s3-memory" or "s3-durable""#
    );
}

#[test]
fn keys_of_our_own_go_over_tls_only() {
    let plan = |target: &str| {
        format!(
            "{S3}encryption = \"sse-c\"\n[[target]]\nname = \"m\"\nsignature = \"none\"\n{target}\n"
        )
    };
    for target in [
        "url = \"http://h:9000\"",
        "url = \"http://127.0.0.1:{port}\"\ncommand = [\"server\", \"{port}\"]",
    ] {
        assert_eq!(
            refusal(&plan(target)),
            r#"plan.toml: workload "w" has encryption = "sse-c", which sends a key with every request and requires TLS, but the URL of target "m" is http://; use an https URL, or encryption = "sse-s3""#
        );
    }
}

#[test]
fn a_stretch_longer_than_the_object_is_refused_wherever_it_begins() {
    let get = "[[workload]]\nkind = \"s3\"\noperation = \"get\"\nsize = \"4KiB\"\n\
               range = \"random:1MiB\"\n[[target]]\nbuiltin = \"s3-memory\"\n";
    assert_eq!(
        refusal(get),
        r#"plan.toml:5:9: range: a range of 1MiB does not fit into objects of 4KiB; use a shorter range or larger objects"#
    );
}

#[test]
fn payloads_in_chunks_need_signatures_of_version_4() {
    let plan = |payload: &str| {
        format!(
            "{S3}checksum = \"crc32c\"\npayload = \"{payload}\"\n[[target]]\nname = \"m\"\n\
             url = \"http://h:9000\"\nsignature = \"none\"\n"
        )
    };
    for payload in ["streaming", "trailer"] {
        assert_eq!(
            refusal(&plan(payload)),
            r#"plan.toml: workload "w" sends its payload in chunks, which requires signature version 4, but target "m" has signature = "none"; use payload = "signed" or "unsigned""#
        );
    }
}
