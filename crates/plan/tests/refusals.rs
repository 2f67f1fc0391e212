//! Every mistake gets its line, its reason and what to write instead.

mod support;

use support::{resolve, resolve_in, world};

const TARGET: &str = "[[target]]\nname = \"a\"\nurl = \"http://127.0.0.1:1\"\n";
const WORKLOAD: &str = "[[workload]]\nkind = \"http\"\n";

/// The refusal of `text`, which must be refused.
fn refusal(text: &str) -> String {
    resolve(text).expect_err(text).to_string()
}

/// `line` as the first line of an otherwise right plan under `section`.
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
            "plan.toml:1:8: string values must be quoted, expected literal string",
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
        "plan.toml:1:2: [target] needs double brackets, [[target]]: there may be several"
    );
}

#[test]
fn rounds() {
    let two = format!("{TARGET}[[target]]\nname = \"b\"\nurl = \"http://127.0.0.1:2\"\n{WORKLOAD}");
    let three = format!("{two}[[target]]\nname = \"c\"\nurl = \"http://127.0.0.1:3\"\n");
    assert_eq!(
        refusal(&format!("[rounds]\ncount = 15\n{two}")),
        "plan.toml:2:9: count: rounds of two targets pair into ABBA quads, so their number is even: 15 is not; use 14 or 16"
    );
    assert_eq!(
        refusal(&format!("[rounds]\ncount = 1\n{two}")),
        "plan.toml:2:9: count: rounds of two targets pair into ABBA quads, so their number is even: 1 is not; use 2"
    );
    assert_eq!(
        refusal(&format!("[rounds]\ncount = 8\n{three}")),
        "plan.toml:2:9: count: rounds of 3 targets form Williams squares, so their number is a multiple of 6: 8 is not; use 6 or 12"
    );
    check(&[
        (
            "[rounds]",
            "count = 0",
            "plan.toml:2:9: count: 0 is too few; the least is 1",
        ),
        (
            "[rounds]",
            "count = \"many\"",
            r#"plan.toml:2:9: count: "many" is not a whole number; write for example 1"#,
        ),
        (
            "[rounds]",
            "slice = 2",
            r#"plan.toml:2:9: slice: "2" has no unit; write for example "500ms", "2s" or "1m30s""#,
        ),
        (
            "[rounds]",
            "slice = \"50ms\"",
            "plan.toml:2:9: slice: 50ms is too short for a slice; the shortest is 100ms",
        ),
        (
            "[rounds]",
            "count = 8\nslice = \"1s\"\nduration = \"9s\"",
            "plan.toml:4:12: duration: 9s contradicts 8 rounds of 1s, which make 8s; leave one of the three out",
        ),
        (
            "[rounds]",
            "duration = \"400ms\"",
            "plan.toml:2:12: duration: 400ms over 8 rounds makes slices of 50ms, and the shortest is 100ms; give at least 800ms, or fewer rounds",
        ),
    ]);
}

#[test]
fn load() {
    check(&[
        (
            "[load]",
            "connections = 0",
            "plan.toml:2:15: connections: 0 is too few; the least is 1",
        ),
        (
            "[load]",
            "connections = -3",
            "plan.toml:2:15: connections: -3 is too few; the least is 1",
        ),
        (
            "[load]",
            "rate = 0",
            r#"plan.toml:2:8: rate: a rate is above 0 and at most 1000000000/s, which 0 is not; write for example "1000/s""#,
        ),
        (
            "[load]",
            "rate = \"9/fortnight\"",
            r#"plan.toml:2:8: rate: "9/fortnight" has the unknown unit "fortnight"; the units are /s, /m and /h, for example "1000/s""#,
        ),
        (
            "[load]",
            "timeout = \"0s\"",
            "plan.toml:2:11: timeout: 0s is too short; the least is 1ms",
        ),
        (
            "[load]",
            "keep_alive = \"no\"",
            r#"plan.toml:2:14: keep_alive: "no" is neither true nor false"#,
        ),
        (
            "[load]",
            "requests = 0",
            "plan.toml:2:12: requests: 0 is too few; the least is 1",
        ),
        (
            "",
            "threads = 0",
            "plan.toml:1:11: threads: 0 is too few; the least is 1",
        ),
    ]);
}

#[test]
fn targets() {
    check(&[
        (
            "[[target]]",
            "name = \"a\"",
            r#"plan.toml:1:1: a target needs a url, a command that starts it, or builtin = "s3-memory" or another built-in server"#,
        ),
        (
            "[[target]]",
            "url = \"127.0.0.1:80\"",
            r#"plan.toml:2:7: url: "127.0.0.1:80" is not a URL; did you mean "http://127.0.0.1:80"?"#,
        ),
        (
            "[[target]]",
            "url = \"htps://h/\"",
            r#"plan.toml:2:7: url: unknown scheme "htps" in "htps://h/"; use http:// or https://"#,
        ),
        (
            "[[target]]",
            "url = \"http:/h:80\"",
            r#"plan.toml:2:7: url: "http:/h:80" is not a URL; did you mean "http://h:80"?"#,
        ),
        (
            "[[target]]",
            "url = \"ftp://h/\"",
            r#"plan.toml:2:7: url: unknown scheme "ftp" in "ftp://h/"; use http:// or https://"#,
        ),
        (
            "[[target]]",
            "url = \"http://h:99999/\"",
            r#"plan.toml:2:7: url: "http://h:99999/" is not a URL (invalid port number); write for example "http://127.0.0.1:8080/""#,
        ),
        (
            "[[target]]",
            "url = \"http://me:hunter2@h/\"",
            "plan.toml:2:7: url: a URL with a user name or password in it is not supported",
        ),
        (
            "[[target]]",
            "url = \"http://h:0/\"",
            r#"plan.toml:2:7: url: "http://h:0/" has port 0, which nothing can listen on"#,
        ),
        (
            "[[target]]",
            "name = \"a b\"\nurl = \"http://h\"",
            r#"plan.toml:2:8: name: "a b" has ' ' in it; a name is made of letters, digits, '-', '_' and '.', for example "a-b""#,
        ),
        (
            "[[target]]",
            "name = \"..\"\nurl = \"http://h\"",
            r#"plan.toml:2:8: name: ".." does not begin with a letter or a digit"#,
        ),
        (
            "[[target]]",
            "builtin = \"s3-memroy\"",
            r#"plan.toml:2:11: builtin: "s3-memroy" is not one of "http", "s3-memory", "s3-durable"; did you mean "s3-memory"?"#,
        ),
        (
            "[[target]]",
            "builtin = \"http\"\nurl = \"http://h\"",
            "plan.toml:1:1: a target has either url or builtin, not both",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nready_within = \"1s\"",
            "plan.toml:3:16: ready_within: is for a target that has a command; this one has url",
        ),
        (
            "[[target]]",
            "command = []",
            "plan.toml:2:11: command: names no program",
        ),
        (
            "[[target]]",
            "command = \"a 'b\"",
            r#"plan.toml:2:11: command: "a 'b" has a quote that is never closed"#,
        ),
        (
            "[[target]]",
            "command = [\"a\", \"--port={prot}\"]",
            r#"plan.toml:2:17: command: unknown placeholder {prot} among {port}, {data}, {access_key} and {secret_key}; did you mean "port"?"#,
        ),
        (
            "[[target]]",
            "command = [\"a\", \"{secret_key}\"]",
            "plan.toml:2:17: command: {secret_key} cannot stand in a command, since every user of the machine can read it there; hand it over in env",
        ),
        (
            "[[target]]",
            "command = \"a\"\nenv = { P = \"{nope}\" }",
            "plan.toml:3:13: env P: unknown placeholder {nope} among {port}, {data}, {access_key} and {secret_key}",
        ),
        (
            "[[target]]",
            "command = \"a\"\nurl = \"ftp://h:{port}/\"",
            r#"plan.toml:3:7: url: unknown scheme "ftp" in "ftp://h:{port}/"; use http:// or https://"#,
        ),
        (
            "[[target]]",
            "command = \"a\"\nready = { port = true, log = \"x\" }",
            r#"plan.toml:3:9: ready: give one of { port = true }, { url = "http://…" } and { log = "text" }"#,
        ),
        (
            "[[target]]",
            "command = \"a\"\nurl = \"http://h/{secret_key}\"",
            "plan.toml:3:7: url: {secret_key} cannot stand in a URL, which is printed and logged",
        ),
        (
            "[[target]]",
            "command = \"a\"\nready = { port = 9000 }",
            "plan.toml:3:18: port: 9000 is not true; the port is the one in the target's url",
        ),
    ]);
    assert_eq!(
        refusal(WORKLOAD),
        "plan.toml: no target to measure; give one with --target NAME=URL, or a [[target]] table in a plan"
    );
    assert_eq!(
        refusal(&format!("{TARGET}{TARGET}{WORKLOAD}")),
        r#"plan.toml:5:8: name: there are two targets called "a""#
    );
}

#[test]
fn workloads() {
    check(&[
        (
            "[[workload]]",
            "name = \"w\"",
            r#"plan.toml:1:1: a workload needs its kind: kind = "http" or kind = "s3""#,
        ),
        (
            "[[workload]]",
            "kind = \"s4\"",
            r#"plan.toml:2:8: kind: "s4" is not one of "http", "s3"; did you mean "s3"?"#,
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
        r#"plan.toml:9:8: name: there are two workloads called "w""#
    );
}

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
            "plan.toml:4:11: objects: 0 is too few; the least is 1",
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
            r#"plan.toml:4:11: payload: "none" is not one of "signed", "unsigned""#,
        ),
        (
            "verify = true",
            r#"plan.toml:4:10: verify: only "get" returns content to verify; this is "put""#,
        ),
        (
            "method = \"GET\"",
            r#"plan.toml:4:10: method: is for workloads of kind "http"; this one is of kind "s3""#,
        ),
    ] {
        assert_eq!(refusal(&plan(line)), expected);
    }
    assert_eq!(
        refusal("[[workload]]\nkind = \"s3\"\n[[target]]\nbuiltin = \"s3-memory\"\n"),
        r#"plan.toml:1:1: an S3 workload needs its operation: "put", "get" or "delete""#
    );
    assert_eq!(
        refusal(
            "[[workload]]\nkind = \"s3\"\noperation = \"put\"\n[[target]]\nbuiltin = \"http\"\n"
        ),
        r#"plan.toml:4:1: target "http" is the built-in http server, which does not speak S3, and workload "put-1MiB" does; use builtin = "s3-memory" or "s3-durable""#
    );
}

const S3: &str = "[[workload]]\nkind = \"s3\"\noperation = \"put\"\nname = \"w\"\n";

#[test]
fn credentials() {
    let target =
        |lines: &str| format!("{S3}[[target]]\nname = \"m\"\nurl = \"http://h:9000\"\n{lines}");
    for (lines, expected) in [
        (
            "",
            r#"plan.toml:5:1: target "m" needs S3 credentials for workload "w"; give --access-key and --secret-key (or TENBIN_ACCESS_KEY and TENBIN_SECRET_KEY), or in a plan access_key_env and secret_key_env"#,
        ),
        (
            "access_key = \"k\"",
            r#"plan.toml:5:1: target "m" has an access key and no secret key; give it with TENBIN_SECRET_KEY or --secret-key-file, or in a plan with secret_key_env or secret_key_file"#,
        ),
        (
            "secret_key = \"hunter2\"",
            r#"plan.toml:5:1: target "m" has a secret key and no access key; give it with --access-key or TENBIN_ACCESS_KEY, or in a plan with access_key or access_key_env"#,
        ),
        (
            "access_key = \"k\"\nsecret_key_env = \"GONE\"",
            r#"plan.toml:9:18: secret_key_env: the environment variable "GONE" is not set"#,
        ),
        (
            "access_key = \"k\"\nsecret_key_file = \"gone\"",
            "plan.toml:9:19: secret_key_file: cannot read /made-up/gone: entity not found",
        ),
        (
            "access_key = \"k\"\nsecret_key = \"hunter2\"\nsecret_key_env = \"X\"",
            "plan.toml:5:1: give either secret_key or secret_key_env, not both",
        ),
        (
            "access_key = \"k\"\nsecret_key = 122",
            "plan.toml:9:14: a key is text; put it in quotes",
        ),
        (
            "access_key = \"k\"\nsecret_key = \"\"",
            "plan.toml:9:14: secret_key: it is empty",
        ),
    ] {
        assert_eq!(refusal(&target(lines)), expected);
    }
}

#[test]
fn a_secret_in_a_command_is_refused_and_not_repeated() {
    let text = format!(
        "{S3}[[target]]\ncommand = \"server --password=hunter22\"\naccess_key = \"k\"\nsecret_key_env = \"PW\"\n"
    );
    let refusal = resolve_in(&text, &mut world(&[("PW", "hunter22")], &[])).expect_err("refused");
    assert_eq!(
        refusal.to_string(),
        "plan.toml:6:11: command: contains the secret key, which every user of the machine could read there; hand it over in env as {secret_key}"
    );
}

#[test]
fn no_refusal_repeats_a_secret() {
    for text in [
        "[[target]]\nsecret_key = hunter2\n",
        "[[target]]\nsecret_key = \"hunter2\n",
        "[[target]]\nsecrte_key = \"hunter2\"\n",
        "[[target]]\nsecret_key = [\"hunter2\"]\n",
        "[[target]]\nsecret_key = { a = \"hunter2\" }\n",
        "[[target]]\nurl = \"http://u:hunter2@h\"\n",
        "[[target]]\nurl = \"https://u:hunter2@h\"\n",
        "[[target]]\ncommand = \"x\"\nurl = \"http://u:hunter2@h\"\n",
        "[[workload]]\nkind = \"http\"\nheaders = [\"Authorization hunter2\"]\n",
        "[[workload]]\nkind = \"http\"\nheaders = [\"Authorization: hunter2\\n\"]\n",
    ] {
        let refusal = refusal(text);
        assert!(!refusal.contains("hunter2"), "{refusal}");
    }
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
    plan.toml:4:9: slice: 1ms is too short for a slice; the shortest is 100ms
    plan.toml:7:1: unknown key "concurency" in [load]; did you mean "connections"?
    plan.toml:8:11: timeout: "5" has no unit; write for example "500ms", "2s" or "1m30s"
    plan.toml:11:7: url: unknown scheme "ftp" in "ftp://h"; use http:// or https://
    plan.toml:15:13: operation: "putt" is not one of "put", "get", "delete"; did you mean "put"?
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

#[test]
fn arrivals_that_contradict_each_other() {
    check(&[
        (
            "[load]",
            "arrivals = \"poisson\"",
            "plan.toml:2:12: arrivals: needs a rate; give one with rate or steps (--rate or --step)",
        ),
        (
            "[load]",
            "rate = 5\narrivals = \"possion\"",
            r#"plan.toml:3:12: arrivals: "possion" is not one of "constant", "poisson"; did you mean "poisson"?"#,
        ),
        (
            "[load]",
            "rate_to = 9",
            "plan.toml:2:11: rate_to: needs a rate to start from",
        ),
        (
            "[load]",
            "rate = 5\nthink = \"1s\"",
            "plan.toml:3:9: think: an open loop (rate, steps or trace) has no think time: nothing in it waits for answers; leave out either",
        ),
        (
            "[load]",
            "think = \"normal:1s\"",
            r#"plan.toml:2:9: think: "normal:1s" is not a think time; write for example "100ms", "uniform:50ms..150ms" or "exponential:100ms""#,
        ),
        (
            "[load]",
            "think = \"uniform:2s..1s\"",
            r#"plan.toml:2:9: think: "uniform:2s..1s" ends before it begins; write for example "uniform:1s..2s""#,
        ),
        (
            "[load]",
            "think = \"uniform:2s\"",
            r#"plan.toml:2:9: think: "uniform:2s" has no end; write for example "uniform:50ms..150ms""#,
        ),
        (
            "[load]",
            "think = \"exponential:2\"",
            r#"plan.toml:2:9: think: "2" has no unit; write for example "500ms", "2s" or "1m30s""#,
        ),
        (
            "[load]",
            "trace_speed = 2",
            "plan.toml:2:15: trace_speed: needs a trace",
        ),
        (
            "[load]",
            "rate = 5\nsteps = [\"1/s for 1s\"]",
            "plan.toml:3:9: steps: give either this or a rate, not both",
        ),
        (
            "[load]",
            "steps = [\"1/s for 1m\"]",
            "plan.toml:2:9: steps: they take 1m together, longer than the slice of 2s",
        ),
        (
            "[load]",
            "steps = [\"1/s\", \"2/s for 0s\"]",
            "plan.toml:2:10: steps: \"1/s\" is not a step; write for example \"100/s for 1s\"\nplan.toml:2:17: steps: \"2/s for 0s\" takes no time; write for example \"100/s for 1s\"",
        ),
    ]);
}

#[test]
fn traces_that_cannot_be_played() {
    let files: &[(&str, &[u8])] = &[
        ("/made-up/good.txt", b"0\n1\n"),
        ("/made-up/bad.txt", b"0\n\n1s\n"),
        ("/made-up/empty.txt", b"# nothing\n"),
    ];
    let refusal = |load: &str| {
        let text = format!("[load]\n{load}\n{TARGET}{WORKLOAD}");
        resolve_in(&text, &mut world(&[], files))
            .expect_err(load)
            .to_string()
    };
    for (load, expected) in [
        (
            "trace = \"none.txt\"",
            "plan.toml:2:9: trace: cannot read /made-up/none.txt: entity not found",
        ),
        (
            "trace = \"bad.txt\"",
            "plan.toml:2:9: trace: /made-up/bad.txt:3: \"1s\" is not a time; write seconds, such as 0.25 or 1767225600.25, or for example 2026-01-01T00:00:00.25Z",
        ),
        (
            "trace = \"empty.txt\"",
            "plan.toml:2:9: trace: /made-up/empty.txt has no arrivals; write one a line, in seconds or as timestamps",
        ),
        (
            "trace = \"good.txt\"\ntrace_speed = 0",
            "plan.toml:3:15: trace_speed: a speed is above 0 and at most 1000000, which 0 is not",
        ),
        (
            "trace = \"good.txt\"\ntrace_speed = \"twice\"",
            "plan.toml:3:15: trace_speed: \"twice\" is not a speed; write for example 2.0, for twice as fast",
        ),
        (
            "trace = \"good.txt\"\narrivals = \"poisson\"",
            "plan.toml:3:12: arrivals: a trace has arrivals of its own; leave out either",
        ),
        (
            "trace = \"good.txt\"\nrate = 5",
            "plan.toml:2:9: trace: give only one of this, a rate and steps",
        ),
        (
            "trace = \"good.txt\"\nthink = \"1s\"",
            "plan.toml:3:9: think: an open loop (rate, steps or trace) has no think time: nothing in it waits for answers; leave out either",
        ),
    ] {
        assert_eq!(refusal(load), expected, "{load}");
    }
}

#[test]
fn ways_to_a_target_that_lead_nowhere() {
    check(&[
        (
            "[[target]]",
            "urls = [\"http://a\", \"https://b\"]",
            r#"plan.toml:2:21: urls: all hosts of a target have the same scheme, and "http://a/" and "https://b/" do not"#,
        ),
        (
            "[[target]]",
            "urls = [\"http://a/x\", \"http://b/y\"]",
            r#"plan.toml:2:23: urls: all hosts of a target have the same path, and "http://a/x" and "http://b/y" do not"#,
        ),
        (
            "[[target]]",
            "urls = [\"http://a\", \"http://a:80\"]",
            r#"plan.toml:2:21: urls: "http://a/" is named twice; give it a weight"#,
        ),
        (
            "[[target]]",
            "urls = [\"http://a weight 0\"]",
            r#"plan.toml:2:9: urls: "weight 0" behind a URL is not a weight; write for example "weight 3", at most 1000"#,
        ),
        (
            "[[target]]",
            "url = \"http://a{4...1}\"",
            "plan.toml:2:7: url: {4...1} is not a range of hosts; write for example {1...4}, with three dots and the smaller number first",
        ),
        (
            "[[target]]",
            "url = \"http://a{1...99}.b{1...99}\"",
            r#"plan.toml:2:7: url: "http://a{1...99}.b{1...99}" makes more than 1000 hosts, the most a target can have"#,
        ),
        (
            "[[target]]",
            "command = \"a\"\nurls = [\"http://h\"]",
            "plan.toml:1:1: a target has either urls or command, not both",
        ),
        (
            "[[target]]",
            "urls = []",
            r#"plan.toml:2:8: urls: is empty; write for example ["http://db1:9000", "http://db2:9000 weight 2"]"#,
        ),
        (
            "[[target]]",
            "builtin = \"http\"\nhttp = 2",
            "plan.toml:3:8: http: is not for a built-in server, which speaks HTTP/1.1 on a port of 127.0.0.1",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nhttp = 3",
            r#"plan.toml:3:8: http: "3" is not one of "1.1", "2""#,
        ),
        (
            "[[target]]",
            "url = \"http://h\"\ntls = { insecure = true }",
            "plan.toml:3:20: tls.insecure: is for https, and the url of this target does not begin with https://",
        ),
        (
            "[[target]]",
            "url = \"https://h\"\ntls = { ca = \"nowhere.pem\" }",
            "plan.toml:3:14: tls.ca: cannot read /made-up/nowhere.pem: entity not found",
        ),
        (
            "[[target]]",
            "url = \"https://h\"\ntls = { key = \"nowhere.pem\" }",
            "plan.toml:3:15: tls.key: a key needs the certificate that it belongs to; give that with cert (--cert)",
        ),
        (
            "[[target]]",
            "url = \"https://h\"\ntls = { cacert = \"x\" }",
            r#"plan.toml:3:9: unknown key "cacert" in tls; did you mean "ca"?"#,
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nunix = \"/s\"\nsource = \"127.0.0.2\"",
            "plan.toml:4:10: source: is of no use with a Unix socket (unix)",
        ),
        (
            "[[target]]",
            "urls = [\"http://a\", \"http://b\"]\nunix = \"/s\"",
            "plan.toml:3:8: unix: one socket cannot lead to several hosts",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nresolve = [\"h:81:127.0.0.1\"]",
            "plan.toml:3:12: resolve: no host of this target is h:81",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nresolve = \"h:80:nowhere\"",
            r#"plan.toml:3:11: resolve: "nowhere" in "h:80:nowhere" is not an address"#,
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nsource = \"eth0\"",
            r#"plan.toml:3:10: source: "eth0" is not an address of this machine; write for example "127.0.0.2""#,
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nsource = \"127.0.0.2\"\nip_version = 6",
            "plan.toml:3:10: source: 127.0.0.2 is not an IPv6 address, and ip_version wants those",
        ),
        (
            "[load]",
            "depth = 0",
            "plan.toml:2:9: depth: 0 is too few; the least is 1",
        ),
        (
            "[load]",
            "depth = 4\nkeep_alive = false",
            "plan.toml:2:9: depth: several requests cannot be out at once on a connection that is closed after every answer; leave out keep_alive = false (--no-keep-alive) or this",
        ),
        (
            "[load]",
            "pipeline = 4",
            r#"plan.toml:2:1: unknown key "pipeline" in [load]; did you mean "depth"?"#,
        ),
    ]);
    let long = format!("url = \"http://h\"\nunix = \"/{}\"", "x".repeat(107));
    let found = refusal(&within("[[target]]", &long));
    assert!(found.contains("has 108 bytes"), "{found}");
}

#[test]
fn more_requests_out_at_once_than_there_is_room_for() {
    let plan = |load: &str, urls: &str| {
        format!(
            "[load]\n{load}\n[[target]]\nname = \"a\"\n{urls}\n[[target]]\nname = \"b\"\n\
             url = \"http://h\"\n{WORKLOAD}"
        )
    };
    let one = "url = \"http://g\"";
    let two = "urls = [\"http://g1\", \"http://g2 weight 9\"]";
    for (load, urls, expected) in [
        (
            "connections = 101\ndepth = 1000",
            one,
            "workload \"http-GET\": 101 connections, 1000 requests deep, could have 101000 requests",
        ),
        (
            "connections = 50001",
            two,
            "workload \"http-GET\": 50001 connections to each of the 2 hosts of target \"a\" could have \
             100002 requests",
        ),
    ] {
        let tail = " out at once, and the most is 100000; lower connections or depth";
        let expected = format!("plan.toml: {expected}{tail}");
        assert_eq!(refusal(&plan(load, urls)), expected);
    }
    for (load, urls) in [
        ("connections = 100\ndepth = 1000", one),
        ("connections = 50000", two),
    ] {
        assert!(resolve(&plan(load, urls)).is_ok(), "{load} {urls}");
    }
}
