//! The warp command line on the built-in S3 server and on MinIO, and result files of warp.

mod common;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{Outcome, Running, Scratch, Store as ObjectStore, Tenbin, free_port, wait_until};

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
fn minio_takes_signatures_of_version_2_and_the_load_of_a_file_for_warp_run() {
    let scratch = Scratch::new("warp-minio");
    let minio = ObjectStore::minio(&scratch, &[], &[]);
    let host = format!("127.0.0.1:{}", minio.port());
    let (access, secret) = (common::ACCESS, common::SECRET);
    let run = |line: String| {
        let run = Tenbin::line(&scratch, line).run();
        run.expect_measured();
        run.expect_silence_about(secret);
        run
    };

    let put = run(format!(
        "warp put --signature=S3V2 --host={host} --access-key={access} --secret-key={secret} \
         --tls=false --bucket=signed --objects=50 --obj.size=16KiB --concurrent=4 --duration=1s"
    ));
    let section_of_put = section(&put, "PUT");
    assert!(section_of_put.contains("* Errors: 0"), "{put}");
    assert!(rate(section_of_put) > 0.0, "{put}");
    let plan = std::fs::read_to_string(scratch.run().expect("a run").join("plan.toml"));
    let plan = plan.expect("plan.toml");
    assert!(plan.contains("signature = \"v2\""), "{plan}");

    let file = scratch.write(
        "get.yml",
        format!(
            "warp:\n  api: v1\n  benchmark: get\n  remote:\n    host:\n      - '{{{{.host}}}}'\n    \
             access-key: {access}\n    secret-key: {secret}\n    bucket: from-file\n    tls: false\n  \
             params:\n    duration: 1s\n    concurrent: 4\n    objects: 50\n    obj:\n      \
             size: {{{{.size}}}}KiB\n"
        ),
    );
    let get = run(format!("warp run {file} --var=host={host} --var=size=16"));
    let section_of_get = section(&get, "GET");
    assert!(section_of_get.contains("* Errors: 0"), "{get}");
    assert!(rate(section_of_get) > 0.0, "{get}");
}

/// Correct operations of the PUTs in the result files, as `tenbin warp` prints them with `-json`.
#[track_caller]
fn puts(scratch: &Scratch, line: &str) -> u64 {
    let run = Tenbin::line(scratch, format!("warp {line} -json")).run();
    run.expect_code(0);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let results = document.as_array().expect("results");
    assert_eq!(results.len(), 1, "{run}");
    let put = &results[0]["operations"][0];
    assert_eq!(put["operation"], "PUT", "{run}");
    put["ok"]
        .as_u64()
        .unwrap_or_else(|| panic!("no sum: {run}"))
}

#[test]
fn the_logs_of_two_runs_at_the_same_time_are_merged() {
    let scratch = Scratch::new("warp-merge");
    let store = Store::start(&scratch);
    let start = |name: &str| {
        let line = format!(
            "warp put --host={} --access-key={ACCESS} --secret-key={SECRET} --tls=false \
             --bucket={name} --objects=100 --obj.size=1KiB --concurrent=4 --duration=4s --full \
             --benchdata={name}",
            store.host
        );
        Tenbin::line(&scratch, line).start()
    };
    let runs = ["first", "second"].map(start);
    for run in runs {
        run.wait(Duration::from_secs(60)).expect_measured();
    }
    let [first, second] =
        ["first", "second"].map(|name| puts(&scratch, &format!("analyze {name}.csv.zst")));
    assert!(first > 0 && second > 0, "{first} {second}");
    let both = "first.csv.zst second.csv.zst";
    assert_eq!(puts(&scratch, &format!("merge {both}")), first + second);
    Tenbin::line(&scratch, format!("warp merge {both}"))
        .run()
        .expect_code(0)
        .expect_stdout("Operation: PUT. Concurrency: 8.");
    // The merged result is shown; warp would write it to a file.
    Tenbin::line(&scratch, format!("warp merge --benchdata=all {both}"))
        .run()
        .expect_code(2)
        .expect_stderr("no file in warp's format is written");
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
