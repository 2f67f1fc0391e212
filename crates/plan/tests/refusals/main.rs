//! Every refusal names the line, the reason and what to write instead.

#![allow(
    clippy::too_many_lines,
    reason = "a test tells one story, or has a table of cases"
)]

mod loads;
mod s3;
mod secrets;
#[path = "../support/mod.rs"]
mod support;
mod targets;

use support::resolve;

const TARGET: &str = "[[target]]\nname = \"a\"\nurl = \"http://127.0.0.1:1\"\n";

const WORKLOAD: &str = "[[workload]]\nkind = \"http\"\n";

/// The only workload of a plan.
const S3: &str = "[[workload]]\nkind = \"s3\"\noperation = \"put\"\nname = \"w\"\n";

/// The refusal of `text`, which must be refused.
fn refusal(text: &str) -> String {
    resolve(text).expect_err(text).to_string()
}

/// An otherwise correct plan with `line` as the first line of `section`.
fn within(section: &str, line: &str) -> String {
    match section {
        "" => format!("{line}\n{TARGET}{WORKLOAD}"),
        "[[target]]" => format!("[[target]]\n{line}\n{WORKLOAD}"),
        "[[workload]]" => format!("[[workload]]\n{line}\n{TARGET}"),
        section => format!("{section}\n{line}\n{TARGET}{WORKLOAD}"),
    }
}

fn check(table: &[(&str, &str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(section, line, expected)| {
            let found = refusal(&within(section, line));
            (found != *expected)
                .then(|| format!("{line}\n  found    {found}\n  expected {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unknown_keys() {
    check(&[
        (
            "[load]",
            "concurency = 4",
            r#"plan.toml:2:1: unknown key "concurency" in [load]; did you mean "connections"?"#,
        ),
        (
            "[load]",
            "vus = 4",
            r#"plan.toml:2:1: unknown key "vus" in [load]; did you mean "connections"?"#,
        ),
        (
            "[load]",
            "keep-alive = true",
            r#"plan.toml:2:1: unknown key "keep-alive" in [load]; did you mean "keep_alive"?"#,
        ),
        (
            "[rounds]",
            "slcie = \"2s\"",
            r#"plan.toml:2:1: unknown key "slcie" in [rounds]; did you mean "slice"?"#,
        ),
        (
            "[rounds]",
            "connections = 4",
            r#"plan.toml:2:1: unknown key "connections" in [rounds]; "connections" belongs in [load]"#,
        ),
        (
            "",
            "colour = 4",
            r#"plan.toml:1:1: unknown key "colour" at the top of the plan"#,
        ),
        (
            "",
            "clients = 4",
            r#"plan.toml:1:1: unknown key "clients" at the top of the plan; "connections" belongs in [load]"#,
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nready = { prot = true }\ncommand = [\"x\"]",
            "plan.toml:3:9: ready: give one of { port = true }, { url = \"http://…\" } and { log = \"text\" }\nplan.toml:3:11: unknown key \"prot\" in ready; did you mean \"port\"?",
        ),
        (
            "[[workload]]",
            "kind = \"http\"\nload.rps = 4",
            r#"plan.toml:3:6: unknown key "rps" in [workload.load]; did you mean "rate"?"#,
        ),
    ]);
}

#[test]
fn what_is_not_toml_or_not_a_plan() {
    check(&[
        (
            "",
            "name = ",
            "plan.toml:1:8: not TOML: string values must be quoted, expected literal string",
        ),
        (
            "",
            "rounds = 5",
            "plan.toml:1:10: invalid type: integer `5`, expected a table such as [rounds]",
        ),
        (
            "",
            "name = [1]",
            "plan.toml:1:8: invalid type: sequence, expected one value: text, a number, true or false",
        ),
    ]);
    assert_eq!(
        refusal(&format!("[target]\nurl = \"http://h\"\n{WORKLOAD}")),
        "plan.toml:1:2: [target] needs double brackets, [[target]], because a plan can have several"
    );
}

#[test]
fn rounds() {
    check(&[
        (
            "[rounds]",
            "count = 0",
            "plan.toml:2:9: count: 0 is too small; the minimum is 1",
        ),
        (
            "[rounds]",
            "count = \"many\"",
            r#"plan.toml:2:9: count: "many" is not a whole number; write for example 1"#,
        ),
        (
            "[load]",
            "connections = \"16\"",
            r#"plan.toml:2:15: connections: "16" is in quotes; write the number without quotes: 16"#,
        ),
        (
            "[rounds]",
            "slice = 2",
            r#"plan.toml:2:9: slice: "2" has no unit; write for example "500ms", "2s" or "1m30s""#,
        ),
        (
            "[rounds]",
            "slice = \"50ms\"",
            "plan.toml:2:9: slice: 50ms is too short; the minimum is 100ms",
        ),
        (
            "[rounds]",
            "count = 8\nslice = \"1s\"\nduration = \"9s\"",
            "plan.toml:4:12: duration: 9s contradicts 8 rounds of 1s, which make 8s; leave one of the three out",
        ),
        (
            "[rounds]",
            "duration = \"400ms\"",
            "plan.toml:2:12: duration: 400ms over 8 rounds makes slices of 50ms, and the shortest slice is 100ms; set at least 800ms, or fewer rounds",
        ),
    ]);
}

#[test]
fn workloads() {
    check(&[
        (
            "[[workload]]",
            "name = \"w\"",
            r#"plan.toml:1:1: a workload needs its kind: kind = "http", "s3" or "blob""#,
        ),
        (
            "[[workload]]",
            "kind = \"s4\"",
            r#"plan.toml:2:8: kind: "s4" is not one of "http", "s3", "blob"; did you mean "s3"?"#,
        ),
        (
            "[[workload]]",
            "kind = \"http\"\nbucket = \"abc\"",
            r#"plan.toml:3:10: bucket: is for workloads of kind "s3"; this one is of kind "http""#,
        ),
        (
            "[[workload]]",
            "kind = \"http\"\nmethod = \"get\"",
            r#"plan.toml:3:10: method: "get" is not a request method; did you mean "GET"?"#,
        ),
        (
            "[[workload]]",
            "kind = \"http\"\npath = \"a\"",
            r#"plan.toml:3:8: path: "a" does not begin with a slash; did you mean "/a"?"#,
        ),
        (
            "[[workload]]",
            "kind = \"http\"\npath = \"/a b\"",
            r#"plan.toml:3:8: path: "/a b" has ' ' in it; percent-encode it, for example %20 for a space"#,
        ),
        (
            "[[workload]]",
            "kind = \"http\"\nheaders = [\"X\"]",
            r#"plan.toml:3:12: headers: a header has a colon after its name; write for example "Accept: text/html""#,
        ),
        (
            "[[workload]]",
            "kind = \"http\"\nheaders = \"X: a\\r\\nY: b\"",
            r#"plan.toml:3:11: headers: the value of header "X" contains a line break or another control character"#,
        ),
        (
            "[[workload]]",
            "kind = \"http\"\nheaders = [\"Connection: close\"]",
            r#"plan.toml:3:12: headers: Tenbin sets "Connection" itself: use keep_alive (--no-keep-alive)"#,
        ),
        (
            "[[workload]]",
            "kind = \"http\"\nheaders = [\"X: {env:GONE}\"]",
            r#"plan.toml:3:12: headers: the environment variable "GONE" is not set"#,
        ),
        (
            "[[workload]]",
            "kind = \"http\"\nexpect = [100]",
            "plan.toml:3:11: expect: 100 is not a final status; those are 200 to 599",
        ),
        (
            "[[workload]]",
            "kind = \"http\"\nbody = \"a\"\nbody_file = \"b\"",
            "plan.toml:4:13: body_file: give either body or body_file, not both",
        ),
        (
            "[[workload]]",
            "kind = \"http\"\nbody_file = \"gone\"",
            "plan.toml:3:13: body_file: cannot read /made-up/gone: entity not found",
        ),
    ]);
    assert_eq!(
        refusal(TARGET),
        "plan.toml: no workload to send; use tenbin http or tenbin s3, or a [[workload]] table in a plan"
    );
    assert_eq!(
        refusal(&format!(
            "{TARGET}{WORKLOAD}name = \"w\"\n{WORKLOAD}name = \"w\"\n"
        )),
        r#"plan.toml:9:8: name: two workloads have the name "w"; rename one"#
    );
}

#[test]
fn everything_wrong_is_told_at_once_in_order() {
    let text = "\
name = \"bad name\"

[rounds]
slice = \"1ms\"

[load]
concurency = 8
timeout = 5

[[target]]
url = \"ftp://h\"

[[workload]]
kind = \"s3\"
operation = \"putt\"
size = \"1KX\"
";
    insta::assert_snapshot!(refusal(text), @r#"
    plan.toml:1:8: name: "bad name" has ' ' in it; a name is made of letters, digits, '-', '_' and '.', for example "bad-name"
    plan.toml:4:9: slice: 1ms is too short; the minimum is 100ms
    plan.toml:7:1: unknown key "concurency" in [load]; did you mean "connections"?
    plan.toml:8:11: timeout: "5" has no unit; write for example "500ms", "2s" or "1m30s"
    plan.toml:11:7: url: unknown scheme "ftp" in "ftp://h"; use http:// or https://
    plan.toml:15:13: operation: "putt" is not one of "put", "get", "delete", "delete-batch", "list", "stat", "get-attributes", "copy", "multipart", "get-part", "put-tags", "get-tags", "delete-tags", "retain", "legal-hold", "append", "snowball", "zip-get", "zip-list", "fan-out"; did you mean "put"?
    plan.toml:16:8: size: "1KX" has the unknown unit "KX"; write for example "64KiB" (2^16 bytes), "1MB" (10^6) or "1000" (bytes)
    "#);
}

#[test]
fn an_unreadable_plan_names_the_file() {
    let error = tenbin_plan::Draft::read(std::path::Path::new("no/such/plan.toml"));
    assert_eq!(
        error.expect_err("refused").to_string(),
        "no/such/plan.toml: cannot be read: No such file or directory (os error 2)"
    );
}
