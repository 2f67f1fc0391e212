//! All connection settings, on a real nginx: Unix sockets, IPv6, given addresses, source address,
//! several hosts, TLS and HTTP/2.

#[path = "../common/mod.rs"]
mod common;
mod encrypted;

use std::path::PathBuf;

use common::{Nginx, Outcome, OwnServer, Scratch, Tenbin, words};

const SHORT: &str = "--rounds 1 --slice 200ms --warmup 0s --connections 4";

/// Runs a short `tenbin http` with these options.
fn http(scratch: &Scratch, options: &str) -> Outcome {
    Tenbin::line(scratch, format!("http {options} {SHORT}")).run()
}

#[track_caller]
fn expect_measured(run: &Outcome) {
    // Exit code 4 would mean: no correct response.
    run.expect_measured();
}

/// The lines of nginx's access log `name`, one per request.
fn log(scratch: &Scratch, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(scratch.join(name)).expect("an access log");
    text.lines().map(str::to_owned).collect()
}

fn run_directory(scratch: &Scratch) -> PathBuf {
    let runs = std::fs::read_dir(scratch.path().join("runs")).expect("runs");
    let newest = runs.map(|run| run.expect("an entry").path()).max();
    newest.expect("a run")
}

fn environment(scratch: &Scratch) -> serde_json::Value {
    let text = std::fs::read_to_string(run_directory(scratch).join("environment.json"));
    serde_json::from_str(&text.expect("environment.json")).expect("JSON")
}

/// Checks that Tenbin reads and prints the plan of the newest run unchanged; returns the plan.
fn expect_repeatable_plan(scratch: &Scratch) -> String {
    let plan = run_directory(scratch).join("plan.toml");
    let written = std::fs::read_to_string(&plan).expect("plan.toml");
    let again = Tenbin::new(
        scratch,
        ["plan".as_ref(), "file".as_ref(), plan.as_os_str()],
    )
    .run();
    let (directive, printed) = again.stdout.split_once('\n').expect("several lines");
    assert!(directive.starts_with("#:schema "), "{again}");
    assert_eq!(printed, written, "{again}");
    written
}

#[test]
fn a_unix_socket_is_measured_and_a_missing_one_is_named() {
    let scratch = Scratch::new("unix");
    // The path of the scratch directory can be too long for a socket.
    let place = tempfile::tempdir().expect("a directory with a short path");
    let socket = place.path().join("s").display().to_string();
    let log_file = scratch.join("log");
    let (_nginx, _) = Nginx::with_servers(&scratch, |_| {
        format!(
            "server {{ listen unix:{socket}; access_log {log_file}; location / {{ return 200 'hi'; }} }}"
        )
    });
    let url = "--target a=http://db.test/x";
    let run = http(&scratch, &format!("{url} --unix-socket {socket}"));
    expect_measured(&run);
    let seen = log(&scratch, "log");
    assert!(
        seen.len() > 10 && seen.iter().all(|line| line.contains("GET /x")),
        "{seen:?}"
    );
    assert!(expect_repeatable_plan(&scratch).contains(&format!("unix = \"{socket}\"")));

    let missing = format!("{socket}-missing");
    let run = http(&scratch, &format!("{url} --unix-socket {missing}"));
    run.expect_code(3)
        .expect_stderr(&format!("there is no socket {missing}"));
}

#[test]
fn a_launched_target_may_listen_on_a_unix_socket() {
    let scratch = Scratch::new("launched-unix");
    let place = tempfile::tempdir().expect("a directory with a short path");
    let socket = place.path().join("s").display().to_string();
    let home = scratch.path().display().to_string();
    let config = scratch.write(
        "launched.conf",
        format!(
            "daemon off; master_process off; pid {home}/pid; error_log {home}/error.log; \
             events {{ }} http {{ access_log off; client_body_temp_path {home}/body; \
             proxy_temp_path {home}/proxy; fastcgi_temp_path {home}/fastcgi; \
             uwsgi_temp_path {home}/uwsgi; scgi_temp_path {home}/scgi; \
             server {{ listen unix:{socket}; location / {{ return 200 'hi'; }} }} }}"
        ),
    );
    let command = format!("n=nginx -p {home} -e {home}/error.log -c {config}");
    let run = http(
        &scratch,
        &format!(
            "--launch '{command}' --launch-url n=http://localhost/ --unix-socket {socket} \
             --ready n=url:http://localhost/up"
        ),
    );
    expect_measured(&run);
    scratch.expect_nobody_left(std::time::Duration::from_secs(5));
}

#[test]
fn addresses_given_by_hand_take_turns_and_each_must_answer() {
    let scratch = Scratch::new("resolve");
    let log_file = scratch.join("log");
    let (_nginx, port) = Nginx::with_servers(&scratch, |port| {
        format!(
            "log_format where '$server_addr $host'; server {{ listen 127.0.0.1:{port}; \
             listen 127.0.0.3:{port}; listen [::1]:{port}; access_log {log_file} where; \
             location / {{ return 200 'hi'; }} }}"
        )
    });
    let target = format!("a=http://db.test:{port}/");
    let pin = format!("db.test:{port}:127.0.0.1,127.0.0.3,[::1]");
    let run = http(&scratch, &format!("--target {target} --resolve {pin}"));
    expect_measured(&run);
    let seen = log(&scratch, "log");
    // The check before the first slice sends one request to each address.
    for address in ["127.0.0.1", "127.0.0.3", "::1"] {
        let line = format!("{address} db.test");
        assert!(
            seen.iter().filter(|seen| **seen == line).count() > 1,
            "{address}"
        );
    }
    let hosts = &environment(&scratch)["targets"]["a"]["hosts"];
    assert_eq!(hosts[0]["name"], format!("db.test:{port}"));
    assert_eq!(hosts[0]["addresses"][2], format!("[::1]:{port}"));
    assert!(hosts[0]["dns_ns"].is_null(), "nobody was asked: {hosts}");
    assert!(expect_repeatable_plan(&scratch).contains(&pin));

    let dead = format!("db.test:{port}:127.0.0.1,127.0.0.4");
    http(&scratch, &format!("--target {target} --resolve {dead}"))
        .expect_code(3)
        .expect_stderr(&format!("nothing listens on 127.0.0.4:{port}"));
    http(
        &scratch,
        &format!("--target {target} --resolve other.test:1:127.0.0.1"),
    )
    .expect_code(2)
    .expect_stderr("--resolve: no target has a host other.test:1");
}

#[test]
fn ipv6_and_a_source_address_are_used() {
    let scratch = Scratch::new("source");
    let log_file = scratch.join("log");
    let (_nginx, port) = Nginx::with_servers(&scratch, |port| {
        format!(
            "log_format who '$remote_addr'; server {{ listen 127.0.0.1:{port}; \
             listen [::1]:{port}; access_log {log_file} who; location / {{ return 200 'hi'; }} }}"
        )
    });
    let v4 = format!("v4=http://127.0.0.1:{port}/");
    let v6 = format!("v6=http://[::1]:{port}/");
    let run = http(&scratch, &format!("--target {v4} --source v4=127.0.0.2"));
    expect_measured(&run);
    let seen = log(&scratch, "log");
    assert!(
        seen.iter().all(|line| line == "127.0.0.2"),
        "{:?}",
        &seen[..5]
    );
    let run = http(&scratch, &format!("--target {v6}"));
    expect_measured(&run);
    assert_eq!(log(&scratch, "log").last().map(String::as_str), Some("::1"));
}

#[test]
fn every_host_is_looked_at_before_anything_is_measured() {
    let scratch = Scratch::new("hosts");
    let (one, mut two) = (Nginx::start(&scratch), Nginx::start(&scratch));
    let target = format!("pair={}", one.url());
    let host = format!("pair={} weight 3", two.url());
    let options = format!("--target {target} --host '{host}'");
    let run = http(&scratch, &options);
    expect_measured(&run);
    let plan = expect_repeatable_plan(&scratch);
    let urls = format!("urls = [\"{}\", \"{} weight 3\"]", one.url(), two.url());
    assert!(plan.contains(&urls), "{plan}");
    let hosts = &environment(&scratch)["targets"]["pair"]["hosts"];
    assert_eq!(hosts.as_array().map(Vec::len), Some(2), "{hosts}");

    two.kill();
    http(&scratch, &format!("{options} --dead-hosts refuse"))
        .expect_code(3)
        .expect_stderr(&format!("nothing listens on 127.0.0.1:{}", two.port()));
}

/// Results by host of the first target in the newest run.
fn host_results(scratch: &Scratch) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(run_directory(scratch).join("result.json"));
    let document: serde_json::Value =
        serde_json::from_str(&text.expect("result.json")).expect("JSON");
    let hosts = document["results"][0]["hosts"].as_array();
    hosts.cloned().unwrap_or_default()
}

#[test]
fn several_hosts_share_the_requests_by_weight_and_each_hears_its_own_name() {
    let scratch = Scratch::new("weights");
    // The Host header selects the server block; the log has the address and the Host header.
    let (_nginx, port) = Nginx::with_servers(&scratch, |port| {
        let server = |name: &str| {
            let log_file = scratch.join(name);
            format!(
                "server {{ listen 127.0.0.1:{port}; listen 127.0.0.3:{port}; \
                 server_name {name}.test; access_log {log_file} called; \
                 location / {{ return 200 'hi'; }} }} "
            )
        };
        format!(
            "log_format called '$server_addr $http_host'; {}{}{}",
            server("stray"),
            server("one"),
            server("two")
        )
    });
    let target = format!("pair=http://one.test:{port}/");
    let host = format!("pair=http://two.test:{port}/ weight 3");
    let pins = [
        format!("one.test:{port}:127.0.0.1"),
        format!("two.test:{port}:127.0.0.3"),
    ];
    // A number of requests instead of a time: requests cut off at the end are only in the log.
    // `--may-differ body` disables the comparison of responses, which would send requests before
    // the run.
    let line = format!(
        "http --target {target} --host '{host}' --resolve {} --resolve {} --rounds 2 \
         --requests 2000 --slice 20s --warmup 0s --may-differ body --connections 4",
        pins[0], pins[1]
    );
    let run = Tenbin::line(&scratch, line).run();
    expect_measured(&run);

    let hosts = host_results(&scratch);
    let ok = |at: usize| {
        assert_eq!(hosts[at]["failed"], 0, "{run}");
        hosts[at]["ok"].as_u64().expect("a count")
    };
    for (at, (name, address)) in [("one", "127.0.0.1"), ("two", "127.0.0.3")]
        .into_iter()
        .enumerate()
    {
        let called = format!("{name}.test:{port}");
        assert_eq!(hosts[at]["host"], called);
        let seen = log(&scratch, name);
        let line = format!("{address} {called}");
        assert!(seen.iter().all(|seen| *seen == line), "{:?}", seen.first());
        // The check before the first slice sends one request.
        assert_eq!(seen.len() as u64, ok(at) + 1, "{name}");
    }
    assert_eq!(log(&scratch, "stray").len(), 0);
    assert_eq!(ok(0) + ok(1), 4000);
    // Not exactly a quarter, because one host can be connected before the other.
    assert!((700..=1300).contains(&ok(0)), "{} of 4000", ok(0));
}

/// Little's law holds with several slots per connection and with several hosts: rate times latency
/// is the number of requests in flight.
#[test]
fn lanes_and_hosts_obey_little_s_law() {
    let scratch = Scratch::new("lanes");
    let (_nginx, port) = Nginx::with_servers(&scratch, |port| {
        // Responses are slow, so that the delays of a busy machine matter little.
        format!(
            "server {{ listen 127.0.0.1:{port}; listen 127.0.0.3:{port}; \
             location / {{ limit_rate 100k; root {}; }} }} ",
            scratch.path().display()
        )
    });
    std::fs::write(scratch.join("body"), vec![b'x'; 4096]).expect("a body");
    let url = |host: u8| format!("http://127.0.0.{host}:{port}/body");
    for options in [
        format!("--target {} --depth 8", url(1)),
        format!("--target t={} --host t={}", url(1), url(3)),
    ] {
        let length = "--slice 1s --rounds 1 --warmup 0s -c 8";
        let run = Tenbin::line(&scratch, format!("http --json {options} {length}")).run();
        let found: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
        let findings = found["findings"].as_array().expect("findings");
        let broken = findings.iter().find(|one| one["rule"] == "little");
        assert!(broken.is_none(), "{broken:?}");
        assert!(found["results"][0]["ok"].as_u64() > Some(50), "{run}");
    }
}

#[test]
fn an_object_store_with_several_names_is_filled_measured_and_tidied() {
    let scratch = Scratch::new("s3-names");
    let keys = "--access-key tenbin --secret-key secret-of-tests";
    let line = format!("serve s3 --listen 127.0.0.1:0 {keys}");
    let server = OwnServer::start(&scratch, words(line));
    let port = server.address.port();
    for operation in ["get", "delete"] {
        let target = format!("store=http://one.test:{port}");
        let host = format!("store=http://two.test:{port}");
        let pins = ["one", "two"].map(|name| format!("{name}.test:{port}:127.0.0.1"));
        let options = format!(
            "s3 {operation} --target {target} --host {host} --resolve {} --resolve {} \
             --size 1KiB --objects 200",
            pins[0], pins[1]
        );
        let run = Tenbin::line(&scratch, format!("{options} {keys} {SHORT}")).run();
        expect_measured(&run);
        // The server rejects a signature for the wrong host.
        for host in host_results(&scratch) {
            assert!(host["ok"].as_u64() > Some(0), "{host}: {run}");
            assert_eq!(host["failed"], 0, "{run}");
        }
        // The objects and the bucket are deleted.
        assert!(!run.stderr.contains("could not be deleted"), "{run}");
    }
}
