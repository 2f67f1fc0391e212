//! Refusals of targets and of their connection settings.

use super::support::resolve;
use super::{TARGET, WORKLOAD, check, refusal, within};

/// A plan with `written` separate targets and a sweep of `swept` values.
fn with_targets(written: usize, swept: usize) -> String {
    let target = |at| format!("[[target]]\nname = \"t{at}\"\nurl = \"http://127.0.0.1:1\"\n");
    let values: Vec<String> = (1..=swept).map(|value| value.to_string()).collect();
    let sweep = match swept {
        0 => String::new(),
        _ => format!(
            "[[target]]\nname = \"swept\"\ncommand = \"app {{workers}} {{port}}\"\n\
             sweep.workers = [{}]\n",
            values.join(", ")
        ),
    };
    (0..written).map(target).collect::<String>() + &sweep + WORKLOAD
}

#[test]
fn more_than_64_targets_are_refused() {
    // The reported line is the line of the table with the first target too many.
    for (written, swept, line) in [(64, 0, 193), (40, 24, 124)] {
        resolve(&with_targets(written, swept)).expect("64 targets");
        let found = refusal(&with_targets(written + 1, swept));
        assert_eq!(
            found,
            format!(
                "plan.toml:{line}:1: a plan has at most 64 targets, and this one has 65, the values of sweeps \
                 counted; divide it into several plans"
            )
        );
    }
    let found = refusal(&with_targets(2_000, 0));
    assert_eq!(found.lines().count(), 1, "{found}");
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
            "plan.toml:2:7: url: a URL with a user name or password in it is not supported; for an HTTP target, use -H 'Authorization: Basic …'",
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
            r#"plan.toml:2:11: builtin: "s3-memroy" is not one of "http", "http-1-worker", "http-4-workers", "s3-memory", "s3-durable", "blob", "blob-1-worker", "blob-4-workers", "dummy"; did you mean "s3-memory"?"#,
        ),
        (
            "[[target]]",
            "builtin = \"http\"\nurl = \"http://h\"",
            "plan.toml:1:1: a target has either url or builtin, not both",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nready_within = \"1s\"",
            "plan.toml:3:16: ready_within: is for a target that has a command",
        ),
        (
            "[[target]]",
            "command = [\"server\"]\nenv = { MODE = \"fast\" }",
            "plan.toml:2:11: command: does not contain {port}: without it, the server does not learn the port \
             that Tenbin has chosen; add {port}, or state the server's own address as the url of the target",
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
            "command = \"cd x && srv {port}\"",
            r#"plan.toml:2:11: command: "&&" is for a shell, and the command runs without one; set variables with --launch-env, the directory with --launch-dir, or start a shell: sh -c '…'"#,
        ),
        (
            "[[target]]",
            "command = \"cd x\"",
            r#"plan.toml:2:11: command: "cd" is for a shell, and the command runs without one; set variables with --launch-env, the directory with --launch-dir, or start a shell: sh -c '…'"#,
        ),
        (
            "[[target]]",
            "command = \"A={port} srv\"\nenv.A = \"{port}\"",
            r#"plan.toml:2:11: command: sets A, and so does env; leave one out"#,
        ),
        (
            "[[target]]",
            "command = [\"a\", \"--port={prot}\"]",
            r#"plan.toml:2:17: command: unknown placeholder {prot} among {host}, {port}, {data}, {access_key} and {secret_key}; did you mean "port"?"#,
        ),
        (
            "[[target]]",
            "command = [\"a\", \"{secret_key}\"]",
            "plan.toml:2:17: command: {secret_key} is not allowed in a command, which every user of the machine can read; pass it in env",
        ),
        (
            "[[target]]",
            "command = \"a {port}\"\nenv = { P = \"{nope}\" }",
            "plan.toml:3:13: env P: unknown placeholder {nope} among {host}, {port}, {data}, {access_key} and {secret_key}",
        ),
        (
            "[[target]]",
            "command = \"a {port}\"\nurl = \"ftp://h:{port}/\"",
            r#"plan.toml:3:7: url: unknown scheme "ftp" in "ftp://h:{port}/"; use http:// or https://"#,
        ),
        (
            "[[target]]",
            "command = \"a {port}\"\nready = { port = true, log = \"x\" }",
            r#"plan.toml:3:9: ready: give one of { port = true }, { url = "http://…" } and { log = "text" }"#,
        ),
        (
            "[[target]]",
            "command = \"a {port}\"\nurl = \"http://h/{secret_key}\"",
            "plan.toml:3:7: url: {secret_key} is not allowed in a URL, because URLs are printed and logged",
        ),
        (
            "[[target]]",
            "command = \"a {port}\"\nready = { port = 9000 }",
            "plan.toml:3:18: port: must be true, not 9000; the port is the port of the target's url",
        ),
    ]);
    assert_eq!(
        refusal(WORKLOAD),
        "plan.toml: no target to measure; give its URL, --target NAME=URL for each server, --launch NAME='COMMAND {port}' to start one, or a [[target]] table in a plan"
    );
    assert_eq!(
        refusal(&format!("{TARGET}{TARGET}{WORKLOAD}")),
        r#"plan.toml:5:8: name: two targets have the name "a"; rename one"#
    );
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
            r#"plan.toml:2:7: url: "http://a{1...99}.b{1...99}" expands to more than 1000 hosts, the maximum per target"#,
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
            r#"plan.toml:3:8: http: 3 is not one of "1.1", "2""#,
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
            "plan.toml:3:15: tls.key: requires the certificate of this key; set it with cert (--cert)",
        ),
        (
            "[[target]]",
            "url = \"https://h\"\ntls = { cacert = \"x\" }",
            r#"plan.toml:3:9: unknown key "cacert" in tls; did you mean "ca"?"#,
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nunix = \"/s\"\nsource = \"127.0.0.2\"",
            "plan.toml:4:10: source: has no effect with a Unix socket (unix); leave it out",
        ),
        (
            "[[target]]",
            "urls = [\"http://a\", \"http://b\"]\nunix = \"/s\"",
            "plan.toml:3:8: unix: one socket cannot reach several hosts",
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
            "plan.toml:3:10: source: 127.0.0.2 is not an IPv6 address, which ip_version requires; change source or ip_version",
        ),
        (
            "[load]",
            "depth = 0",
            "plan.toml:2:9: depth: 0 is too small; the minimum is 1",
        ),
        (
            "[load]",
            "depth = 4\nkeep_alive = false",
            "plan.toml:2:9: depth: a connection that is closed after every response has one request in flight; leave out keep_alive = false (--no-keep-alive) or depth",
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
fn observing() {
    let one_of = "plan.toml:3:11: observe: give one of { pid = 1234 }, { port = true }, \
                  { port = 8080 }, { name = \"nginx\" }, { tenbin = \"https://…\" } and \
                  { prometheus = \"http://…\" }";
    check(&[
        ("[[target]]", "url = \"http://h\"\nobserve = {}", one_of),
        (
            "[[target]]",
            "url = \"http://h\"\nobserve = { pid = 1, port = 2 }",
            one_of,
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nobserve = [{ port = 1 }, { port = 1 }]",
            "plan.toml:3:26: observe: is listed twice, so its CPU time would be counted twice; remove one",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nobserve = [{ port = 1 }, { port = 2, prot = 1 }]",
            "plan.toml:3:38: unknown key \"prot\" in observe; did you mean \"port\"?",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nobserve = { port = 70000 }",
            "plan.toml:3:20: observe.port: 70000 is too large; the maximum is 65535",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nobserve = { port = false }",
            "plan.toml:3:20: observe.port: false is not a port; write its number, or true for the one in the target's url",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nobserve = { name = \"/usr/sbin/nginx\" }",
            "plan.toml:3:20: observe.name: \"/usr/sbin/nginx\" is not the name of a process; write that of its program, without a path",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nobserve = { tenbin = \"https://h:9901/\" }",
            "plan.toml:3:11: observe: tenbin observe requires its token; name the file with token_file (--observe-token-file), or a variable with token_env (--observe-token-env)",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nobserve = { prometheus = \"http://me:hunter2@h/\" }",
            "plan.toml:3:26: observe.prometheus: a URL with a user name or password in it is not supported; for an HTTP target, use -H 'Authorization: Basic …'",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nobserve = { prometheus = \"http://h/\", insecure = true }",
            "plan.toml:3:50: observe.insecure: is for https, and this page does not begin with https://",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nobserve = { port = true, token_env = \"T\" }",
            "plan.toml:3:38: observe.token_env: is for a page (tenbin or prometheus), and this is a process",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nobserve = { port = true, group = \"g\" }",
            "plan.toml:3:34: observe.group: is for a page of Prometheus' process exporter",
        ),
        (
            "[[target]]",
            "builtin = \"http\"\nobserve = { port = true }",
            "plan.toml:3:11: observe: is not for a built-in server, which is always observed",
        ),
        (
            "[[target]]",
            "command = \"server {port}\"\nobserve = { pid = 7 }",
            "plan.toml:3:11: observe: a launched target has no process yet; use port or name, or leave out observe: launched targets are always observed",
        ),
        (
            "[[target]]",
            "urls = [\"http://a\", \"http://b\"]\nobserve = { port = true }",
            "plan.toml:3:11: observe: a target with several hosts needs several sources; give a list, or use name for processes that are all on this machine",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nunix = \"/s\"\nobserve = { port = true }",
            "plan.toml:4:11: observe: the port of the url is not used with a Unix socket; use pid or name",
        ),
        (
            "[[target]]",
            "url = \"http://h\"\nobserve = { port = 1, prot = 1 }",
            "plan.toml:3:23: unknown key \"prot\" in observe; did you mean \"port\"?",
        ),
    ]);
}
