//! Compares MinIO with Versity S3 Gateway; Tenbin launches both and verifies the content.

mod common;

use std::path::Path;
use std::time::Duration;

use common::{Outcome, Scratch, Server, Tenbin, free_port, path_of, search_path, wait_until};

/// A plan for MinIO and Versity S3 Gateway with these workloads and short slices.
fn plan(scratch: &Scratch, workload: &str) -> String {
    // A missing server fails here with advice, not during the run.
    path_of(Server::Minio);
    path_of(Server::Versitygw);
    let example = include_str!("../../../examples/minio-versity.toml");
    let targets = &example[example.find("[[target]]").expect("targets")
        ..example.find("[[workload]]").expect("workloads")];
    scratch.write(
        "plan.toml",
        format!(
            "seed = 7\n[rounds]\ncount = 2\nslice = \"500ms\"\nwarmup = \"200ms\"\n\
             [load]\nconnections = 4\ntimeout = \"20s\"\n{targets}\n{workload}"
        ),
    )
}

/// Number of successful operations by target and operation, from standard output.
fn ok(run: &Outcome, target: &str, operation: &str) -> u64 {
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    list(&document["results"])
        .iter()
        .filter(|result| result["target"] == target)
        .flat_map(|result| list(&result["operations"]))
        .find(|figures| figures["operation"] == operation)
        .and_then(|figures| figures["ok"].as_u64())
        .unwrap_or_else(|| panic!("no ok for {target} {operation}: {run}"))
}

#[test]
fn put_get_and_delete_on_two_real_servers() {
    let scratch = Scratch::new("minio-versity");
    let workloads = ["put", "get", "delete"].map(|operation| {
        format!(
            "[[workload]]\nkind = \"s3\"\noperation = \"{operation}\"\nsize = \"64KiB\"\n\
             objects = 100\n"
        )
    });
    let plan = plan(&scratch, &workloads.concat());
    let run = Tenbin::new(
        &scratch,
        ["run", &plan, "--json", "--ops-log", "ops.csv.zst"],
    )
    .within(Duration::from_secs(120))
    .run();
    run.expect_measured();
    for target in ["minio", "versity"] {
        for operation in ["PUT", "GET", "DELETE"] {
            assert!(
                ok(&run, target, operation) > 0,
                "{target} {operation}: {run}"
            );
        }
    }
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    assert!(!document.to_string().contains("\"wrong\":"), "{run}");
    expect_slow_requests(&document);
    let log = &document["environment"]["request_log"];
    assert_eq!(log["files"].as_array().map(Vec::len), Some(6), "{log}");
    assert_eq!(
        (&log["dropped"], &log["over_limit"]),
        (&0.into(), &0.into())
    );
    let analyzed = Tenbin::new(&scratch, ["warp", "analyze", "ops-get-64KiB-minio.csv.zst"]).run();
    analyzed
        .expect_stdout("Operation: GET")
        .expect_stdout("TTFB");
    scratch.expect_nobody_left(Duration::from_secs(10));
}

/// Fails unless the 20 slowest requests of each workload on each target are listed with their
/// phases, and those to MinIO with the request ID of the server.
fn expect_slow_requests(document: &serde_json::Value) {
    for result in document["results"].as_array().expect("results") {
        let slow = result["slow_requests"].as_array().expect("slow requests");
        assert_eq!(slow.len(), 20, "{result}");
        let longest = &result["operations"][0]["max"];
        for request in slow {
            let seconds = |key: &str| request[key].as_f64().expect("seconds");
            let sum = seconds("first_byte") + seconds("body");
            assert!((sum - seconds("time")).abs() < 1e-9, "{request}");
            assert!(seconds("time") <= longest.as_f64().expect("a time") * 1.01);
            let path = request["request"].as_str().expect("a request");
            assert!(path.contains(" /") && !path.contains("HTTP/"), "{request}");
            assert!(
                request["host"]
                    .as_str()
                    .is_some_and(|host| !host.is_empty())
            );
            let id = request["id"].as_str();
            assert!(result["target"] != "minio" || id.is_some(), "{request}");
        }
    }
}

/// A running MinIO that Tenbin does not start.
struct Minio {
    child: std::process::Child,
    port: u16,
}

const ACCESS: &str = "tenbin-test-user";
const SECRET: &str = "hush-this-is-the-secret-key";

impl Minio {
    fn start(scratch: &Scratch) -> Self {
        let port = free_port();
        let child = std::process::Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "--"])
            .arg(path_of(Server::Minio))
            .args([
                "server",
                "--quiet",
                "--address",
                &format!("127.0.0.1:{port}"),
            ])
            .arg(scratch.join("disk"))
            .env("MINIO_ROOT_USER", ACCESS)
            .env("MINIO_ROOT_PASSWORD", SECRET)
            .env("MINIO_BROWSER", "off")
            .env("PATH", search_path())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("minio starts");
        let up = wait_until(Duration::from_secs(30), || {
            scratch.path().join("disk/.minio.sys/format.json").exists()
                && std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        assert!(up, "minio does not come up");
        // MinIO rejects object operations for a moment after its port opens.
        std::thread::sleep(Duration::from_secs(1));
        Self { child, port }
    }
}

impl Minio {
    fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Minio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Files in a directory, recursively, that contain this text.
fn files_with(directory: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if std::fs::read(&path).is_ok_and(|bytes| {
            bytes
                .windows(text.len())
                .any(|window| window == text.as_bytes())
        }) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn a_server_of_ones_own_is_left_as_it_was_and_the_secret_stays_secret() {
    let scratch = Scratch::new("own-minio");
    let minio = Minio::start(&scratch);
    let disk = scratch.path().join("disk");
    let precious = disk.join("precious");
    std::fs::create_dir(&precious).expect("a bucket of somebody else");
    let target = format!("minio=http://127.0.0.1:{}", minio.port);
    let common = [
        "--target", &target, "--access-key", ACCESS, "--secret-key", SECRET, "--size", "1KiB",
        "--slice", "300ms", "--rounds", "2", "--warmup", "0s", "--connections", "4", "--objects",
        "50",
    ];
    let runs = scratch.path().join("runs");
    for (before, operation) in ["put", "get"].into_iter().enumerate() {
        let arguments = [["s3", operation].as_slice(), &common].concat();
        let mut run = Tenbin::new(&scratch, &arguments).start();
        run.wait_until(Duration::from_secs(20), || {
            std::fs::read_dir(&runs).is_ok_and(|entries| entries.count() > before)
        });
        let titles: Vec<_> = scratch
            .alive()
            .into_iter()
            .filter(|process| process.command.contains("tenbin") && process.pid != minio.pid())
            .collect();
        assert!(!titles.is_empty(), "nobody to look at");
        assert!(
            titles
                .iter()
                .all(|process| !process.command.contains(SECRET)),
            "{titles:?}"
        );
        let run = run.wait(Duration::from_secs(60));
        run.expect_measured();
        run.expect_silence_about(SECRET);
        assert_eq!(files_with(&runs, SECRET), [""; 0]);
    }
    let mut left: Vec<_> = std::fs::read_dir(&disk)
        .expect("the disk")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    left.sort();
    assert_eq!(left, [".minio.sys", "precious"]);
}

#[test]
fn a_proxy_without_its_server_is_named_at_once() {
    let scratch = Scratch::new("s3-proxy-page");
    let nobody = free_port();
    let location = format!("location / {{ proxy_pass http://127.0.0.1:{nobody}; }}");
    let proxy = common::Nginx::serving(&scratch, &location);
    let begun = std::time::Instant::now();
    let store = proxy.target("store");
    let run = Tenbin::new(
        &scratch,
        ["s3", "put", "--size", "1KiB", "--target", &store],
    )
    .env("TENBIN_ACCESS_KEY", ACCESS)
    .env("TENBIN_SECRET_KEY", SECRET)
    .run();
    run.expect_code(3)
        .expect_stderr("responds with status 502 but not with an S3 error")
        .expect_stderr("check that the S3 server behind it runs");
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}: {run}");
}

#[test]
fn a_server_with_one_key_says_where_the_key_is_from_and_what_is_missing() {
    let scratch = Scratch::new("s3-one-key");
    let serve = || Tenbin::new(&scratch, ["serve", "s3", "--listen", "127.0.0.1:0"]);
    let access = serve().env("TENBIN_ACCESS_KEY", "any").run();
    access.expect_code(2).expect_stderr(
        "TENBIN_SECRET_KEY is not set, and TENBIN_ACCESS_KEY is; set TENBIN_SECRET_KEY",
    );
    let secret = serve().env("TENBIN_SECRET_KEY", "hush").run();
    secret
        .expect_code(2)
        .expect_stderr(
            "TENBIN_ACCESS_KEY is not set, and TENBIN_SECRET_KEY is; set TENBIN_ACCESS_KEY",
        )
        .expect_silence_about("hush");
    let line = "serve s3 --listen 127.0.0.1:0 --access-key any";
    let flag = Tenbin::line(&scratch, line).run();
    flag.expect_code(2)
        .expect_stderr("--access-key is given, and neither --secret-key nor TENBIN_SECRET_KEY is; give --secret-key");
}
