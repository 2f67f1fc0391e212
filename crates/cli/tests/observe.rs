//! Server cost is measured for launched servers, for running servers and for servers on another
//! machine; unknown figures are reported as unknown, not as 0.
#![cfg(target_os = "linux")]

mod common;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use common::{Certificates, Nginx, Outcome, OwnServer, Scratch, Tenbin};
use serde_json::Value;

const SOON: Duration = Duration::from_secs(30);
const TOKEN: &str = "c2VjcmV0LW9mLXRoaXMtdGVzdA";
const OTHER_TOKEN: &str = "YW5vdGhlci1zZWNyZXQtdG9rZW4";

fn slices_of<'r>(result: &'r Value, target: &str) -> Vec<&'r Value> {
    let all = result["slices"].as_array().expect("slices").iter();
    all.filter(|slice| slice["target"] == target).collect()
}

fn result_of<'r>(result: &'r Value, target: &str) -> &'r Value {
    let mut all = result["results"].as_array().expect("results").iter();
    all.find(|one| one["target"] == target).expect("its result")
}

fn has_finding(result: &Value, rule: &str) -> bool {
    let mut all = result["findings"].as_array().expect("findings").iter();
    all.any(|one| one["rule"] == rule)
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("no number: {value}"))
}

/// Starts the built-in HTTP server.
fn http_server(scratch: &Scratch) -> OwnServer {
    OwnServer::start(scratch, ["serve", "http", "--listen", "127.0.0.1:0"])
}

/// CPU time of the server process so far, seconds, at 100 clock ticks per second.
fn cpu_seconds(server: &OwnServer) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.running.pid()));
    let stat = stat.expect("its process");
    let (_, fields) = stat.rsplit_once(") ").expect("the fields behind its name");
    let fields: Vec<&str> = fields.split(' ').collect();
    let ticks = |at: usize| fields[at].parse::<f64>().expect("ticks");
    (ticks(11) + ticks(12)) / 100.0
}

/// Runs a short HTTP measurement.
fn weigh(scratch: &Scratch, options: &str) -> Outcome {
    let load = "--connections 2 --warmup 0s --slice 500ms";
    Tenbin::line(scratch, format!("http {options} {load}")).run()
}

fn expect_done(run: &Outcome) {
    run.expect_measured();
    assert!(!run.stderr.contains("panicked at"), "{run}");
}

#[test]
fn what_a_launched_server_cost_adds_up() {
    let scratch = Scratch::new("cost");
    let run = weigh(&scratch, "--builtin own=http --rounds 2");
    expect_done(&run);
    run.expect_stdout("Server cost");

    let result = scratch.result();
    let own = result_of(&result, "own");
    let product = number(&own["server_cpu"]["value"]) * number(&own["per_core_second"]["value"]);
    assert!((product - 1.0).abs() < 1e-9, "{own}");
    assert_eq!(own["scope"], "processes");
    let memory =
        ["rss_start_bytes", "peak_rss_bytes", "rss_end_bytes"].map(|key| number(&own[key]));
    assert!(
        memory[0] > 0.0 && memory[0] <= memory[1] && memory[2] <= memory[1],
        "{own}"
    );

    let slices = slices_of(&result, "own");
    assert_eq!(slices.len(), 2);
    for slice in slices {
        if slice["ok"] == 0 {
            // A stalled machine can leave a slice without responses.
            continue;
        }
        let used = &slice["server"];
        let (cpu, seconds) = (number(&used["cpu_seconds"]), number(&used["seconds"]));
        assert!(cpu > 0.0 && seconds > 0.0, "{slice}");
        let most = [&used["rss_start_bytes"], &used["rss_end_bytes"]].map(number);
        assert!(
            most.iter().all(|rss| *rss <= number(&used["rss_bytes"])),
            "{slice}"
        );
        // The server often waits for its connections, which causes voluntary context switches.
        assert!(number(&used["voluntary_switches"]) > 0.0, "{slice}");
        assert!(used["involuntary_switches"].is_u64(), "{slice}");
        // The server shares Tenbin's control group, so figures of the group would include Tenbin.
        assert!(used.get("group").is_none(), "{slice}");
        assert!(number(&slice["machine"]["seconds"]) > 0.0, "{slice}");
        assert_eq!(slice["wire"]["connections"], 2, "{slice}");
    }
    let page = std::fs::read_to_string(scratch.run().expect("a run").join("SUMMARY.md"));
    assert!(
        page.expect("SUMMARY.md")
            .contains("<summary>Server cost</summary>")
    );
    assert!(!has_finding(&result, "unobserved"));
    scratch.expect_nobody_left(SOON);
}

#[test]
fn a_server_that_was_there_is_observed_by_number_and_by_port() {
    let scratch = Scratch::new("by-pid");
    let server = http_server(&scratch);
    let (url, pid) = (server.url(), server.running.pid());
    let before = cpu_seconds(&server);
    let run = weigh(
        &scratch,
        &format!(
            "--target number={url} --target port={url} --observe number=pid:{pid} \
             --observe port=port --rounds 2"
        ),
    );
    expect_done(&run);
    let used_in_all = cpu_seconds(&server) - before;
    let result = scratch.result();
    let mut sum = 0.0;
    for target in ["number", "port"] {
        for slice in slices_of(&result, target) {
            sum += number(&slice["server"]["cpu_seconds"]);
            assert!(number(&slice["server"]["rss_bytes"]) > 0.0, "{slice}");
            assert_eq!(slice["machine"]["target_here"], true);
        }
    }
    // Settling time is not in the slices; the kernel counts CPU time in ticks.
    assert!(
        sum <= used_in_all + 0.05 && sum > used_in_all * 0.2,
        "{sum} s in slices, {used_in_all} s in all"
    );
    let plan = std::fs::read_to_string(scratch.run().expect("a run").join("plan.toml"));
    let plan = plan.expect("plan.toml");
    assert!(
        plan.contains(&format!("observe = {{ pid = {pid} }}")),
        "{plan}"
    );
    assert!(plan.contains("observe = { port = true }"), "{plan}");
}

/// CPU seconds that a target used in all slices.
fn used_by(result: &Value, target: &str) -> f64 {
    let slices = slices_of(result, target).into_iter();
    let used = slices.map(|slice| number(&slice["server"]["cpu_seconds"]));
    used.sum()
}

#[test]
fn servers_of_one_name_are_told_apart_by_directory_and_cgroup() {
    const NAME: &str = "tenbin-web";
    let scratch = Scratch::new("within");
    // The working directory of each server is its own.
    let homes = ["within-a", "within-b"].map(Scratch::new);
    let [a, b] = homes.each_ref().map(|home| {
        let words = ["serve", "http", "--listen", "127.0.0.1:0"];
        OwnServer::called(NAME, home, words)
    });
    let [in_a, in_b] = homes.each_ref().map(|home| {
        let path = home.path().display();
        format!("name:{NAME},dir:{path}")
    });
    let before = [&a, &b].map(cpu_seconds);
    let targets = format!("--target a={} --target b={}", a.url(), b.url());
    let run = weigh(
        &scratch,
        &format!("{targets} --observe a={in_a} --observe b={in_b} --rounds 2"),
    );
    expect_done(&run);
    let used_in_all = [cpu_seconds(&a) - before[0], cpu_seconds(&b) - before[1]];
    let result = scratch.result();
    for (target, in_all) in ["a", "b"].into_iter().zip(used_in_all) {
        let used = used_by(&result, target);
        // Settling time is not in the slices; the kernel counts CPU time in ticks.
        assert!(
            used <= in_all + 0.05 && used > in_all * 0.2,
            "{target}: {used} s in slices, {in_all} s in all"
        );
    }
    let plan = std::fs::read_to_string(scratch.run().expect("a run").join("plan.toml"));
    let plan = plan.expect("plan.toml");
    assert!(plan.contains("name = \"tenbin-web\", dir = \""), "{plan}");

    // All requests go to a. In the directory of b is only b, and in the cgroup are both.
    let cgroup = std::fs::read_to_string(format!("/proc/{}/cgroup", a.running.pid()));
    let cgroup = cgroup.expect("its cgroup");
    let path = cgroup
        .lines()
        .last()
        .and_then(|line| line.splitn(3, ':').nth(2));
    let path = path.expect("the path of a cgroup");
    std::fs::remove_dir_all(scratch.path().join("runs")).expect("removed");
    let targets = format!("--target idle={url} --target group={url}", url = a.url());
    let run = weigh(
        &scratch,
        &format!(
            "{targets} --observe idle={in_b} --observe group=name:{NAME},cgroup:{path} --rounds 2"
        ),
    );
    expect_done(&run);
    let result = scratch.result();
    let (idle, group) = (used_by(&result, "idle"), used_by(&result, "group"));
    assert!(idle < 0.2 * group, "{idle} s of b, {group} s of a and b");

    let refused = weigh(
        &scratch,
        &format!(
            "--target a={} --observe name:{NAME},cgroup:/no/such/group",
            a.url()
        ),
    );
    refused
        .expect_code(3)
        .expect_stderr("in cgroup /no/such/group that this user can see, but 2 of this name");
}

#[test]
fn a_target_of_several_processes_uses_their_sum() {
    let scratch = Scratch::new("several");
    let server = http_server(&scratch);
    let (url, pid) = (server.url(), server.running.pid());
    // A second observed process, which keeps a core busy.
    let mut other = std::process::Command::new("sh")
        .args(["-c", "while :; do :; done"])
        .spawn()
        .expect("a shell");
    let both = format!(
        "--observe two=pid:{pid} --observe two=pid:{} --observe one=pid:{pid}",
        other.id()
    );
    let targets = format!("--target two={url} --target one={url}");
    let run = weigh(&scratch, &format!("--rounds 2 {targets} {both}"));
    other.kill().expect("killed");
    other.wait().expect("ended");
    expect_done(&run);
    let result = scratch.result();
    let [two, one] = ["two", "one"].map(|target| used_by(&result, target));
    assert!(two > one + 0.1, "{two} {one}");
    let plan = std::fs::read_to_string(scratch.run().expect("a run").join("plan.toml"));
    let plan = plan.expect("plan.toml");
    run.expect_stdout(&format!(
        "observed of two: process {pid} and process {}",
        other.id()
    ));
    let list = format!("observe = [{{ pid = {pid} }}, {{ pid = {} }}]", other.id());
    assert!(plan.contains(&list), "{plan}");
    let two = result_of(&result, "two");
    let observed = programs(two, true);
    assert_eq!(observed.len(), 2, "{two}");
    let sum: f64 = observed.iter().map(|p| number(&p["cpu"]["value"])).sum();
    let whole = number(&two["server_cpu"]["value"]);
    // The kernel counts the CPU time of a process in clock ticks.
    assert!((sum / whole - 1.0).abs() < 0.2, "{sum} of {whole}");
    assert!(
        observed.iter().all(|p| number(&p["rss_bytes"]) > 0.0),
        "{two}"
    );
    run.expect_stdout("two: sh").expect_stdout("two: tenbin");
    let page = std::fs::read_to_string(scratch.run().expect("a run").join("SUMMARY.md"));
    assert!(page.expect("SUMMARY.md").contains("| two: sh |"));
}

/// The observed programs of a target, or the unobserved programs.
fn programs(result: &Value, observed: bool) -> Vec<&Value> {
    let all = result["processes"].as_array().into_iter().flatten();
    all.filter(|one| one["observed"] == observed).collect()
}

#[test]
fn a_process_of_the_target_that_is_not_observed_is_named_with_its_cpu() {
    let scratch = Scratch::new("backend");
    let behind = http_server(&scratch);
    let pass = format!("location / {{ proxy_pass {}; }}", behind.url());
    let front = Nginx::serving(&scratch, &pass);
    let pid = behind.running.pid();
    let target = front.target("front");
    let rounds = format!("--target {target} --rounds 6");
    let run = weigh(&scratch, &format!("{rounds} --observe port"));
    expect_done(&run);
    let found = scratch.result();
    let own = result_of(&found, "front");
    let missing = programs(own, false);
    let is_it = |p: &&&Value| {
        p["pids"]
            .as_array()
            .is_some_and(|pids| pids.contains(&pid.into()))
    };
    let it = missing
        .iter()
        .find(is_it)
        .unwrap_or_else(|| panic!("{own}"));
    assert!(
        number(&it["cpu"]["value"]) > 0.0 && number(&it["rss_bytes"]) > 0.0,
        "{it}"
    );
    assert_eq!(programs(own, true)[0]["name"], "nginx");
    run.expect_stdout(", not observed")
        .expect_stdout("not in the sum");
    // The advice names a PID if another test runs a server of the same name at the same time.
    let by_number = format!("--observe pid:{pid}");
    assert!(
        run.stdout.contains(&by_number) || run.stdout.contains("--observe name:tenbin"),
        "{run}"
    );

    std::fs::remove_dir_all(scratch.path().join("runs")).expect("removed");
    let run = weigh(&scratch, &rounds);
    expect_done(&run);
    run.expect_stdout("not observed: add --observe port");
    assert!(result_of(&scratch.result(), "front")["server_cpu"].is_null());
}

#[test]
fn nobody_to_observe_is_told_before_anything_is_measured() {
    let scratch = Scratch::new("nobody");
    let server = http_server(&scratch);
    let target = server.url();
    let run = weigh(
        &scratch,
        &format!("--target {target} --observe pid:4194304"),
    );
    run.expect_code(3)
        .expect_stderr("there is no process 4194304");
    let free = 1;
    let remote = format!("tenbin:http://127.0.0.1:{free}/");
    let token = scratch.write("token", TOKEN);
    let flags = format!("--observe {remote} --observe-token-file {token}");
    let run = weigh(&scratch, &format!("--target {target} {flags}"));
    run.expect_code(3)
        .expect_stderr("cannot be observed: 127.0.0.1: cannot connect to port");
    let run = weigh(&scratch, &format!("--target {target} --observe {remote}"));
    run.expect_code(2).expect_stderr("requires its token");
}

/// Writes a file that only its owner can read.
fn private(scratch: &Scratch, name: &str, text: &str) -> String {
    let file = scratch.write(name, text);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&file, mode).expect("its mode");
    file
}

/// Whether any file in `directory`, recursively, contains this text.
fn holds(directory: &Path, text: &str) -> bool {
    let entries = std::fs::read_dir(directory).expect("a directory").flatten();
    entries.map(|entry| entry.path()).any(|path| {
        if path.is_dir() {
            return holds(&path, text);
        }
        let content = std::fs::read(&path).expect("a file");
        content
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    })
}

#[test]
fn another_machine_tells_over_tls_whoever_shows_the_token() {
    let scratch = Scratch::new("remote");
    let certificates = Certificates::make(&scratch);
    let [ca, cert, key] =
        ["ca.pem", "server.pem", "server.key"].map(|name| certificates.file(name));
    let token = private(&scratch, "token", &format!("{TOKEN}\n"));
    let other = scratch.write("other-token", format!("{OTHER_TOKEN}\n"));
    let server = http_server(&scratch);
    let pid = server.running.pid().to_string();
    let listen = ["observe", "--listen", "127.0.0.1:0", "--token-file", &token];
    let how = ["--tls-cert", &cert, "--tls-key", &key, "--pid", &pid];
    let observer = OwnServer::start(&scratch, listen.iter().chain(&how));
    let told = observer.running.so_far();
    assert!(
        told.contains(&format!("observing process {pid}: 1 process now")),
        "{told}"
    );

    let target = format!("web={}", server.url());
    let remote = format!("tenbin:https://{}/", observer.address);
    let with = |more: &str| {
        weigh(
            &scratch,
            &format!("--target {target} --observe {remote} {more} --rounds 8"),
        )
    };

    let wrong = with(&format!(
        "--observe-token-file {other} --observe-cacert {ca}"
    ));
    wrong
        .expect_code(3)
        .expect_stderr("refuses the token (status 401)");
    wrong.expect_silence_about(OTHER_TOKEN);
    let untrusted = with(&format!("--observe-token-file {token}"));
    untrusted
        .expect_code(3)
        .expect_stderr("the TLS handshake failed");

    let run = with(&format!(
        "--observe-token-file {token} --observe-cacert {ca}"
    ));
    expect_done(&run);
    run.expect_silence_about(TOKEN);
    let told = observer.running.so_far();
    assert!(!told.contains(TOKEN), "{told}");
    assert!(
        !holds(&scratch.path().join("runs"), TOKEN),
        "a secret on disk"
    );

    let result = scratch.result();
    let mut told = 0;
    for slice in slices_of(&result, "web") {
        let used = &slice["server"];
        // The CPU time is unknown if this machine stalled.
        if used["cpu_seconds"].is_null() || slice["ok"] == 0 {
            continue;
        }
        told += 1;
        assert!(number(&used["cpu_seconds"]) > 0.0, "{slice}");
        assert!(number(&used["rss_start_bytes"]) > 0.0, "{slice}");
        assert!(number(&used["voluntary_switches"]) > 0.0, "{slice}");
        assert!(number(&used["missed_seconds"]) >= 0.0, "{slice}");
    }
    assert!(told > 0, "{result}");
    drop((server, observer));
    scratch.expect_nobody_left(SOON);
}

#[test]
fn a_token_that_others_could_read_or_guess_is_refused() {
    let scratch = Scratch::new("observe-refusals");
    let token = private(&scratch, "token", TOKEN);
    let open = scratch.write("open", TOKEN);
    let short = private(&scratch, "short", "sesame\n");
    let own = std::process::id().to_string();
    let observe = |listen: &str, token: &str| {
        let arguments = format!("observe --listen {listen} --token-file {token} --pid {own}");
        Tenbin::line(&scratch, arguments).run()
    };
    let run = observe("0.0.0.0:0", &token);
    run.expect_code(2)
        .expect_stderr("others could read token and figures on the network");
    let run = observe("127.0.0.1:0", &open);
    run.expect_code(2)
        .expect_stderr("every user of this machine can read")
        .expect_stderr("chmod 600");
    let run = observe("127.0.0.1:0", &short);
    run.expect_code(2).expect_stderr("which can be guessed");
    run.expect_silence_about("sesame");
    let run = observe("127.0.0.1:0", &scratch.join("none"));
    run.expect_code(2)
        .expect_stderr("--token-file: cannot read");
}

/// An HTTP server with a page in Prometheus format; stopped when dropped.
struct Page {
    address: SocketAddr,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Page {
    /// Starts the server. `text` creates the page from the seconds since the start.
    fn start(text: fn(f64) -> String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("no waiting");
        let address = listener.local_addr().expect("its address");
        let over = Arc::new(AtomicBool::new(false));
        let (begun, ends) = (Instant::now(), Arc::clone(&over));
        let thread = std::thread::spawn(move || {
            while !ends.load(Ordering::Relaxed) {
                match listener.accept() {
                    Ok((stream, _)) => answer(stream, begun, text),
                    Err(_) => std::thread::sleep(Duration::from_millis(2)),
                }
            }
        });
        Self {
            address,
            over,
            thread: Some(thread),
        }
    }

    fn url(&self) -> String {
        format!("http://{}/metrics", self.address)
    }

    fn end(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the page ends well");
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.end();
    }
}

/// Answers one request and closes the connection, so that every request needs a new connection.
fn answer(mut stream: TcpStream, begun: Instant, text: fn(f64) -> String) {
    stream.set_nonblocking(false).expect("waiting");
    stream
        .set_read_timeout(Some(Duration::from_secs(5)))
        .expect("a limit");
    let mut head = Vec::new();
    let mut part = [0; 1024];
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        match stream.read(&mut part) {
            Ok(0) | Err(_) => return,
            Ok(count) => head.extend_from_slice(&part[..count]),
        }
    }
    let body = text(begun.elapsed().as_secs_f64());
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body.as_bytes());
}

/// Metrics of a process that uses half a core.
fn of_process(seconds: f64) -> String {
    format!(
        "# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total {}\n\
         process_resident_memory_bytes 1.048576e+06\nprocess_start_time_seconds 1.7e+09\n",
        3.0 + seconds / 2.0
    )
}

/// Metrics of a host with two cores, 1.5 of them busy.
fn of_host(seconds: f64) -> String {
    format!(
        "node_cpu_seconds_total{{cpu=\"0\",mode=\"user\"}} {seconds}\n\
         node_cpu_seconds_total{{cpu=\"1\",mode=\"system\"}} {}\n\
         node_cpu_seconds_total{{cpu=\"1\",mode=\"idle\"}} {}\n\
         process_cpu_seconds_total 99\nprocess_resident_memory_bytes 77\n",
        seconds / 2.0,
        seconds / 2.0
    )
}

#[test]
fn a_prometheus_page_tells_of_a_process_or_of_the_whole_host() {
    let scratch = Scratch::new("prometheus");
    let server = http_server(&scratch);
    let (process, host) = (Page::start(of_process), Page::start(of_host));
    let url = server.url();
    let run = weigh(
        &scratch,
        &format!(
            "--target process={url} --target host={url} --observe process=prometheus:{} \
             --observe host=prometheus:{} --rounds 8",
            process.url(),
            host.url()
        ),
    );
    expect_done(&run);
    run.expect_stdout("host (whole host)");
    let result = scratch.result();
    for (target, cores) in [("process", 0.5), ("host", 1.5)] {
        let mut right = 0;
        for slice in slices_of(&result, target) {
            let used = &slice["server"];
            // On a stalled machine, the CPU time is unknown or belongs to a different interval.
            let Some(cpu) = used["cpu_seconds"].as_f64() else {
                continue;
            };
            let busy = cpu / number(&used["seconds"]);
            right += u32::from((cores * 0.5..cores * 1.5).contains(&busy));
            let unknown = ["written_bytes", "voluntary_switches"];
            assert!(unknown.iter().all(|key| used[key].is_null()), "{slice}");
        }
        assert!(right > 0, "{target}: {result}");
    }
    assert_eq!(result_of(&result, "process")["peak_rss_bytes"], 1 << 20);
    assert_eq!(result_of(&result, "process")["scope"], "processes");
    assert_eq!(result_of(&result, "host")["scope"], "host");
    assert!(
        result_of(&result, "host")["peak_rss_bytes"].is_null(),
        "not the exporter's"
    );
    // The CPU time of a host is not compared with the CPU time of a process.
    let comparisons = result["comparisons"].as_array().expect("comparisons");
    assert!(
        comparisons.iter().all(|one| one["metric"] != "server_cpu"),
        "{result}"
    );
}

#[test]
fn who_falls_silent_in_the_run_leaves_figures_unknown_and_the_run_alive() {
    let scratch = Scratch::new("silent");
    let server = http_server(&scratch);
    let mut page = Page::start(of_process);
    let (target, how) = (server.url(), format!("prometheus:{}", page.url()));
    let mut run = Tenbin::line(
        &scratch,
        format!(
            "http --target {target} --observe {how} --connections 2 --warmup 0s \
             --slice 500ms --rounds 16"
        ),
    )
    .start();
    let first_slice_is_over = || {
        let runs = std::fs::read_dir(scratch.path().join("runs"));
        let Some(Ok(entry)) = runs.ok().and_then(|mut runs| runs.next()) else {
            return false;
        };
        let lines = std::fs::read_to_string(entry.path().join("intervals.jsonl"));
        lines.is_ok_and(|text| text.contains(r#""kind":"end""#))
    };
    run.wait_until(SOON, first_slice_is_over);
    page.end();
    let run = run.wait(Duration::from_secs(60));
    expect_done(&run);
    run.expect_stderr("cannot be observed any more, and what it uses is unknown");
    let result = scratch.result();
    let slices = result["slices"].as_array().expect("slices");
    assert_eq!(slices.len(), 16, "{result}");
    let is_known = |slice: &Value| slice["server"]["cpu_seconds"].as_f64() > Some(0.0);
    assert!(slices.iter().any(is_known), "{result}");
    assert!(
        slices[15]["server"].is_null() && slices[15]["server_cpu"].is_null(),
        "not 0"
    );
    assert!(has_finding(&result, "unobserved"), "{result}");
}
