//! The warp command line on the built-in S3 server, and result files of warp.

mod common;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{Outcome, Running, Scratch, Tenbin, free_port, wait_until};

const ACCESS: &str = "benchadmin";
const SECRET: &str = "hush-this-is-the-secret-key";

/// A built-in S3 server that outlives the runs on it.
struct Store<'a> {
    server: Running,
    host: String,
    scratch: &'a Scratch,
}

impl<'a> Store<'a> {
    fn start(scratch: &'a Scratch) -> Self {
        let host = format!("127.0.0.1:{}", free_port());
        let server = Tenbin::new(scratch, ["serve", "s3", "--listen", &host])
            .env("TENBIN_ACCESS_KEY", ACCESS)
            .env("TENBIN_SECRET_KEY", SECRET)
            .start();
        let up = wait_until(Duration::from_secs(30), || {
            std::net::TcpStream::connect(&host).is_ok()
        });
        assert!(up, "{}", server.so_far());
        Self {
            server,
            host,
            scratch,
        }
    }

    /// Runs `tenbin warp` for one second, with options in the form `--name=value`.
    fn warp(&self, line: &str) -> Outcome {
        let line = format!(
            "warp {line} --host={} --access-key={ACCESS} --secret-key={SECRET} --tls=false \
             --bucket=benchmark --concurrent=4 --duration=1s",
            self.host
        );
        let run = Tenbin::new(self.scratch, line.split(' ')).run();
        // 6: a busy machine can make the run INVALID.
        assert!(
            matches!(run.code, Some(0 | 6)),
            "{run}\n{}",
            self.server.so_far()
        );
        run.expect_silence_about(SECRET);
        run
    }
}

/// The section of a report about one operation.
#[track_caller]
fn section<'a>(run: &'a Outcome, operation: &str) -> &'a str {
    let head = format!("Operation: {operation}. Concurrency: 4.");
    let start = run
        .stdout
        .find(&head)
        .unwrap_or_else(|| panic!("no {head}: {run}"));
    let rest = &run.stdout[start..];
    rest.split("\n\n").next().unwrap_or(rest)
}

/// Objects per second in a section.
#[track_caller]
fn rate(section: &str) -> f64 {
    let before = section.split(" obj/s").next().expect("a rate");
    let number = before.rsplit(' ').next().expect("a number");
    number
        .parse()
        .unwrap_or_else(|_| panic!("no rate in {section}"))
}

#[test]
fn the_lines_of_the_founding_guide_run_and_report_in_warps_words() {
    let scratch = Scratch::new("warp");
    let store = Store::start(&scratch);

    let put = store.warp("put --objects=100 --obj.size=64KiB");
    put.expect_stderr("note: --objects: limits the number of distinct objects");
    let section_of_put = section(&put, "PUT");
    for line in [
        "* Average: ", "* Throughput: min: ", "* Latency: min: ", "* Errors: 0",
    ] {
        assert!(section_of_put.contains(line), "{line}: {put}");
    }
    assert!(rate(section_of_put) > 0.0, "{put}");
    put.expect_stdout("\nVerdict  ")
        .expect_stdout("\nRun      runs/");

    let get = store.warp("get --objects=50 --obj.size=64KiB --full --benchdata=read");
    assert!(section(&get, "GET").contains("* TTFB: "), "{get}");
    get.expect_stderr("read.csv.zst");
    let logged = Tenbin::new(&scratch, ["warp", "analyze", "read.csv.zst"]).run();
    logged
        .expect_code(0)
        .expect_stdout("Operation: GET")
        .expect_stdout("TTFB");

    let delete = store.warp("delete --objects=2000 --batch=10 --obj.size=1KiB");
    assert!(
        !section(&delete, "DELETE batch").contains("MiB/s"),
        "{delete}"
    );

    let mixed = store.warp("mixed --objects=50 --obj.size=16KiB --get-distrib=70 --put-distrib=30");
    mixed.expect_stderr("actually run get 50, stat 21, put 21, delete 7 per cent");
    let share = rate(section(&mixed, "GET"))
        / (rate(section(&mixed, "GET")) + rate(section(&mixed, "PUT")));
    assert!((share - 0.7).abs() < 0.1, "{share}: {mixed}");
    assert!(
        !mixed.stdout.contains("STAT") && !mixed.stdout.contains("DELETE"),
        "{mixed}"
    );
    mixed.expect_stdout("\nTotal\n* Average: ");

    // `warp analyze` reads a run directory of Tenbin like a file of warp.
    let run = put
        .stdout
        .lines()
        .find_map(|line| line.strip_prefix("Run      "))
        .expect("a run directory");
    let again = Tenbin::new(&scratch, ["warp", "analyze", run]).run();
    again.expect_code(0);
    assert_eq!(
        rate(section(&again, "PUT")),
        rate(section_of_put),
        "{again}"
    );
    let same = Tenbin::new(&scratch, ["warp", "cmp", run, run]).run();
    same.expect_code(0)
        .expect_stdout("Verdict: cannot tell: one run each");
    assert!(
        !same.stdout.contains("(-") && !same.stdout.contains("(+1"),
        "{same}"
    );
}

#[test]
fn warps_files_are_read() {
    let scratch = Scratch::new("warp-files");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/fixtures/warp");
    let file = |name: &str| fixtures.join(name).to_str().expect("a path").to_owned();
    let (full, sums) = (file("warp-put-full-cut.csv.zst"), file("warp-put.json.zst"));
    let little = file("warp-get-1k.json.zst");

    Tenbin::new(&scratch, ["warp", "analyze", &full, &little])
        .run()
        .expect_code(0)
        .expect_stdout("* Average: 60.97 MiB/s, 975.52 obj/s")
        .expect_stdout("p99: between 4.2ms and 87.1ms");
    Tenbin::new(&scratch, ["warp", "cmp", &full, &sums])
        .run()
        .expect_code(0)
        .expect_stdout("cannot tell: one run each");
    Tenbin::new(&scratch, ["warp", "merge", &full, &full])
        .run()
        .expect_code(0)
        .expect_stdout("Concurrency: 16");
    Tenbin::new(&scratch, ["warp", "merge", &full, &sums])
        .run()
        .expect_code(2)
        .expect_stderr("did not run PUT at the same time");
    let json = Tenbin::new(&scratch, ["warp", "analyze", "-json", &full]).run();
    json.expect_code(0);
    let document: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(document[0]["operations"][0]["ok"], 5000);
    let garbled = scratch.write("garbled.csv", "idx\tthread\n");
    Tenbin::new(&scratch, ["warp", "analyze", &garbled])
        .run()
        .expect_code(2)
        .expect_stderr("garbled.csv:1: has no column");
}

#[test]
fn the_name_warp_is_enough_and_what_cannot_be_done_is_refused_by_name() {
    let scratch = Scratch::new("warp-name");
    let link = scratch.join("warp");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tenbin"), &link).expect("a link");
    let called = |arguments: &[&str]| {
        let output = Command::new(&link)
            .args(arguments)
            .current_dir(scratch.path())
            .output()
            .expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let (code, help, _) = called(&["put", "--help"]);
    assert_eq!(code, Some(0));
    assert!(
        help.contains("--obj.size") && help.contains("Refused: "),
        "{help}"
    );
    let (code, _, said) = called(&["put", "-autoterm", "-secret-key", "hush", "--objcts=3"]);
    assert_eq!(code, Some(2));
    assert!(
        said.contains("error: --autoterm: ") && !said.contains("hush"),
        "{said}"
    );
    assert!(said.contains("did you mean --objects?"), "{said}");

    let line = "plan warp get --obj.size=1KiB --agents 2 --nats=tls://h:4222 --creds c";
    let plan = Tenbin::new(&scratch, line.split(' '))
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .run();
    plan.expect_code(0)
        .expect_stdout("operation = \"get\"")
        .expect_stdout("[agents]\ncount = 2\nnats = \"tls://h:4222\"\ncreds = \"");
}

#[test]
fn the_distributed_mode_of_warp_names_the_commands_for_agents() {
    let scratch = Scratch::new("warp-client");
    for line in [
        "put --warp-client=load1,load2",
        "client",
        "client load1:7761",
    ] {
        let words = ["warp"].into_iter().chain(line.split(' '));
        let run = Tenbin::new(&scratch, words).run();
        run.expect_code(2)
            .expect_stderr("run `tenbin hub` here, `tenbin agent --nats URL ")
            .expect_stderr("then `tenbin warp COMMAND --agents N --nats URL --creds ");
        assert_eq!(run.stderr.matches("error: ").count(), 1, "{run}");
    }
    let help = Tenbin::new(&scratch, ["warp", "put", "--help"]).run();
    help.expect_code(0)
        .expect_stdout("--agents N --nats URL --creds FILE");
}

#[test]
fn hsbench_runs_and_writes_its_files() {
    let scratch = Scratch::new("hsbench");
    let store = Store::start(&scratch);
    let line = format!(
        "hsbench -u http://{} -a {ACCESS} -s {SECRET} -bp bench -m cipgd -d 1 -t 2 -z 4k -o h.csv \
         -j h.json",
        store.host
    );
    let run = Tenbin::new(&scratch, line.split(' ')).run();
    run.expect_measured();
    run.expect_silence_about(SECRET);
    for mode in ["PUT", "GET", "DEL"] {
        run.expect_stdout(&format!(", Mode: {mode}, Ops: "));
    }
    let csv = std::fs::read_to_string(scratch.join("h.csv")).expect("h.csv");
    assert!(
        csv.starts_with("Loop,Inteval,Duration(s),Mode,Ops,"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 4, "{csv}");
    let json = std::fs::read(scratch.join("h.json")).expect("h.json");
    let rows: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert!(
        rows[0]["Ops"].as_u64() > Some(0) && rows[0]["Slowdowns"] == 0,
        "{rows}"
    );
}
