//! Disturbances on the machine of the load generator are recorded, and reported if they affect the
//! figures; tested with real disturbances, not with fake counters.
#![cfg(target_os = "linux")]

mod common;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use common::{Nginx, Scratch, Spinner, Tenbin, reflector};
use serde_json::Value;

const SOON: Duration = Duration::from_secs(30);

fn run_directory(scratch: &Scratch) -> PathBuf {
    let mut runs = std::fs::read_dir(scratch.path().join("runs")).expect("runs");
    runs.next().expect("a run").expect("an entry").path()
}

fn result(scratch: &Scratch) -> Value {
    let text = std::fs::read_to_string(run_directory(scratch).join("result.json"));
    serde_json::from_str(&text.expect("result.json")).expect("JSON")
}

fn findings<'r>(result: &'r Value, rule: &str) -> Vec<&'r Value> {
    let all = result["findings"].as_array().expect("findings");
    all.iter().filter(|one| one["rule"] == rule).collect()
}

/// The `end` lines of `intervals.jsonl`, one per slice.
fn ends(scratch: &Scratch) -> Vec<Value> {
    let text = std::fs::read_to_string(run_directory(scratch).join("intervals.jsonl"));
    let text = text.expect("intervals.jsonl");
    let lines = text.lines().filter(|line| line.contains(r#""kind":"end""#));
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[test]
fn a_busy_program_beside_the_run_is_seen_and_told() {
    let scratch = Scratch::new("others-busy");
    let plan = scratch.write(
        "plan.toml",
        "[rounds]\ncount = 2\nslice = \"1s\"\nwarmup = \"0s\"\n\
         [load]\nrate = 200\nconnections = 2\n\
         [[target]]\nname = \"own\"\nbuiltin = \"http\"\n[[workload]]\nkind = \"http\"\n",
    );
    let spinners = Spinner::on_all_cores(&scratch);
    let run = Tenbin::new(&scratch, ["run", &plan]).run();
    drop(spinners);
    run.expect_measured();

    let result = result(&scratch);
    let told = findings(&result, "others_busy");
    assert_eq!(told.len(), 1, "{result}");
    assert_eq!(told[0]["severity"], "suspect", "{result}");
    assert_eq!(told[0]["cause"], "generator");

    let ends = ends(&scratch);
    assert_eq!(ends.len(), 2);
    for end in ends {
        let machine = &end["machine"];
        let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{end}"));
        let busy = number(&machine["cpu"]["busy"]);
        let others = number(&machine["others_cpu_seconds"]);
        // The busy time includes Tenbin, the target and other processes.
        assert!(others > 0.1 && others <= busy, "{end}");
        assert!(number(&machine["own_cpu_seconds"]) > 0.0, "{end}");
        assert!(number(&machine["seconds"]) > 0.9, "{end}");
        assert_eq!(machine["target_here"], true);
        assert_eq!(end["wire"]["connections"], 2);
        assert!(number(&end["wire"]["min_rtt_ns"]) > 0.0, "{end}");
    }
}

#[test]
fn a_server_given_by_url_is_told_apart_from_a_busy_program() {
    let scratch = Scratch::new("others-busy-url");
    let nginx = Nginx::start(&scratch);
    let plan = scratch.write(
        "plan.toml",
        format!(
            "[rounds]\ncount = 2\nslice = \"1s\"\nwarmup = \"0s\"\n[load]\nconnections = 4\n\
             [[target]]\nname = \"nginx\"\nurl = \"http://127.0.0.1:{}/\"\n\
             [[workload]]\nkind = \"http\"\n",
            nginx.port()
        ),
    );
    let spinner = Spinner::start(&scratch);
    let run = Tenbin::new(&scratch, ["run", &plan]).run();
    let pid = i64::from(spinner.id());
    drop(spinner);
    run.expect_measured();

    let result = result(&scratch);
    let told = findings(&result, "others_busy");
    assert_eq!(told.len(), 1, "{result}");
    assert_eq!(told[0]["severity"], "suspect", "{result}");
    let ends = ends(&scratch);
    for end in &ends {
        assert!(end["server"].is_null(), "its use is no figure: {end}");
        let machine = &end["machine"];
        let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{end}"));
        assert!(number(&machine["others_cpu_seconds"]) > 0.1, "{end}");
        // Unknown if a reading came late, as it can where no core is idle.
        if let Some(programs) = machine["programs"].as_array() {
            let of = |pid: i64| programs.iter().any(|one| one["pid"] == pid);
            assert!(of(pid), "{end}");
            assert!(!of(i64::from(nginx.pid())), "{end}");
        }
    }
}

/// Runs a plan in a separate network namespace after the shell commands `set_up`.
fn run_in_network(scratch: &Scratch, set_up: &str, plan: &str) -> Output {
    let script = format!(
        "{set_up} && cd '{}' && exec '{}' run '{plan}'",
        scratch.path().display(),
        env!("CARGO_BIN_EXE_tenbin")
    );
    Command::new("unshare")
        .args(["--map-root-user", "--net", "--", "sh", "-c", &script])
        .env(scratch.mark().0, scratch.mark().1)
        .output()
        .expect("unshare can be started")
}

/// Environment variable with the port to listen on, set when a test starts this binary as a target.
const SERVE: &str = "TENBIN_TEST_SERVE";

/// The target of the next test, not a test. The server lets clients close connections first, so
/// that the client ports stay in TIME_WAIT.
#[test]
fn serves() {
    let Ok(port) = std::env::var(SERVE) else {
        return;
    };
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).expect("the port");
    for mut stream in listener.incoming().map_while(Result::ok) {
        std::thread::spawn(move || {
            let mut request = [0; 4096];
            while matches!(stream.read(&mut request), Ok(1..)) {
                let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
                if stream.write_all(answer).is_err() {
                    return;
                }
            }
        });
    }
}

#[test]
fn ports_that_run_out_are_foretold_and_void_the_numbers() {
    let scratch = Scratch::new("few-ports");
    let this = std::env::current_exe().expect("the test's own file");
    let plan = scratch.write(
        "plan.toml",
        format!(
            r#"
[rounds]
count = 2
slice = "1s"
warmup = "0s"

[load]
rate = 100
connections = 2
keep_alive = false
timeout = "1s"

[[target]]
name = "own"
command = ["{}", "--exact", "serves"]
url = "http://127.0.0.1:{{port}}/"
env = {{ {SERVE} = "{{port}}" }}

[[workload]]
kind = "http"
"#,
            this.display()
        ),
    );
    // 64 ports, each unavailable for one minute after use (TIME_WAIT).
    let few_ports = "ip link set lo up && cd /proc/sys/net/ipv4 \
                     && echo 40000 40063 > ip_local_port_range && echo 0 > tcp_tw_reuse";
    let run = run_in_network(&scratch, few_ports, &plan);
    let said = format!("{run:?}");
    assert!(
        String::from_utf8_lossy(&run.stderr).contains("there are 64 ports"),
        "{said}"
    );
    // The second slice has no free port, which can end the run (4).
    assert!(matches!(run.status.code(), Some(4 | 6)), "{said}");
    let result = result(&scratch);
    let told = findings(&result, "port_exhaustion");
    assert_eq!(told.len(), 1, "{result}");
    assert_eq!(told[0]["severity"], "invalid", "{result}");
    scratch.expect_nobody_left(SOON);
}

#[test]
fn an_accept_queue_that_is_too_short_is_told() {
    let scratch = Scratch::new("accept-queue");
    let plan = scratch.write(
        "plan.toml",
        "[rounds]\ncount = 2\nslice = \"500ms\"\nwarmup = \"0s\"\n\
         [load]\nconnections = 300\nkeep_alive = false\n\
         [[target]]\nname = \"own\"\nbuiltin = \"http\"\n[[workload]]\nkind = \"http\"\n",
    );
    let short = "ip link set lo up && echo 1 > /proc/sys/net/core/somaxconn";
    let run = run_in_network(&scratch, short, &plan);
    let result = result(&scratch);
    let told = findings(&result, "accept_queue");
    assert_eq!(told.len(), 1, "{run:?}\n{result}");
    assert_eq!(told[0]["cause"], "server", "{result}");
    scratch.expect_nobody_left(SOON);
}

/// The remote end of the network of the next test, which starts this binary again; not a test.
#[test]
fn reflects() {
    reflector::serve_if_asked();
}

#[test]
fn a_long_way_to_the_target_is_told_from_a_slow_target() {
    let scratch = Scratch::new("distance");
    let server = |name: &str, address: &str| {
        format!(
            "[[target]]\nname = \"{name}\"\nurl = \"http://{address}:{{port}}/\"\n\
             command = [\"{}\", \"serve\", \"http\", \"--listen\", \"{}:{{port}}\"]\n",
            env!("CARGO_BIN_EXE_tenbin"),
            reflector::HERE
        )
    };
    let plan = scratch.write(
        "plan.toml",
        format!(
            "[rounds]\ncount = 2\nslice = \"500ms\"\nwarmup = \"0s\"\n\
             [load]\nconnections = 4\n{}{}[[workload]]\nkind = \"http\"\n",
            server("near", reflector::HERE),
            server("far", reflector::FAR)
        ),
    );
    let network = reflector::set_up(Duration::from_millis(10));
    let run = run_in_network(&scratch, &network, &plan);
    let said = format!("{run:?}");
    assert!(matches!(run.status.code(), Some(0 | 6)), "{said}");
    let result = result(&scratch);
    let told = findings(&result, "network_latency");
    assert_eq!(told.len(), 1, "{result}");
    assert_eq!(told[0]["target"], "far", "{result}");
    assert_eq!(told[0]["cause"], "network");
    for end in ends(&scratch) {
        let shortest = end["wire"]["min_rtt_ns"].as_u64().expect("a round trip");
        // The round-trip times of the two targets are clearly different.
        assert!(!(5_000_000..20_000_000).contains(&shortest), "{end}");
    }
    scratch.expect_nobody_left(SOON);
}
