//! Compares Tenbin's figures with a server whose response times are known: short versions of the
//! experiments of `cargo xtask accuracy`. docs/accuracy.md describes the purpose of each
//! experiment, and the injected bug that the experiment has found.
//!
//! Comparisons with the server's log are exact even on a busy machine; comparisons with theory have
//! wide limits. The request rates are low, so that the tests hardly disturb each other.
#![allow(
    clippy::unwrap_used,
    reason = "a file that is missing or cannot be read fails the test"
)]

mod common;

#[path = "../../../xtask/src/hlog.rs"]
mod hlog;
#[allow(dead_code, reason = "each side uses its own part")]
#[path = "../../../xtask/src/accuracy/sides.rs"]
mod sides;
#[allow(dead_code, reason = "each side uses its own part")]
#[path = "../../../xtask/src/accuracy/statistics.rs"]
mod statistics;

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use common::{Agents, OwnServer, Running, Scratch, Server, Tenbin, path_of};
use nix::sys::signal::Signal;
use sides::{Log, Recorded, Served};
use statistics::{
    answered, bytes_each, gaps, growth, mean_response, poisson_p, quantile, rate_received,
    times_due, times_served,
};
use tenbin_engine::{
    Destination, Drive, ErrorClass, Exchange, Judgement, Moment, Next, Part, Route, SliceEvent,
    Workload, drive,
};
use tenbin_plan::Load;

const SOON: Duration = Duration::from_secs(30);

/// Allowed delay between the sending of a response and its measured receipt on a busy machine,
/// milliseconds. The measured times are much longer.
const WAY: f64 = 5.0;

/// A running ground-truth server.
struct Truth<'a> {
    scratch: &'a Scratch,
    running: Running,
    url: String,
}

impl<'a> Truth<'a> {
    fn start(scratch: &'a Scratch, options: &[&str]) -> Self {
        let log = scratch.join("log");
        let fixed = ["serve", "truth", "--listen", "127.0.0.1:0", "--log", &log];
        let server = OwnServer::start(scratch, [&fixed[..], options].concat());
        let url = server.url();
        Self {
            scratch,
            running: server.running,
            url,
        }
    }

    /// Starts one slice without settling time, so that every request of the log except the first
    /// belongs to the slice.
    fn load(&self, options: &[&str]) -> Running {
        let out = self.scratch.join("out");
        let once = [
            "--rounds", "1", "--warmup", "0s", "--lead", "0s", "--gap", "0s",
        ];
        let fixed = ["http", "--target", &self.url, "--seed", "1", "--out", &out];
        // Disables the comparison of responses, which would send requests before the run.
        let alone = ["--may-differ", "body"];
        Tenbin::new(self.scratch, [&fixed[..], &once, &alone, options].concat()).start()
    }

    /// Waits for the end of the slice; returns the server's log and Tenbin's record.
    fn sides(self, load: Running) -> (Vec<Served>, Recorded) {
        let run = load.wait(SOON);
        // The verdict is INVALID if many requests fail.
        run.expect_measured();
        self.running.signal(Signal::SIGTERM);
        self.running.wait(SOON).expect_code(0);
        let log = Log::read(&self.scratch.path().join("log")).unwrap();
        let recorded = Recorded::read(&self.scratch.path().join("out")).unwrap();
        expect_equal_books(&log, &recorded);
        (log.served, recorded)
    }
}

/// Measures one slice on a server; returns the server's log and Tenbin's record.
fn observe(name: &str, server: &[&str], load: &[&str]) -> (Vec<Served>, Recorded) {
    let scratch = Scratch::new(name);
    let truth = Truth::start(&scratch, server);
    let running = truth.load(load);
    truth.sides(running)
}

/// Like [`observe`], with the load from `count` agents.
fn observe_agents(
    name: &str,
    count: usize,
    server: &[&str],
    load: &[&str],
) -> (Vec<Served>, Recorded) {
    let scratch = Scratch::new(name);
    let agents = Agents::start(&scratch, count, &[]);
    observe_with(&scratch, &agents, server, load)
}

fn observe_with(
    scratch: &Scratch,
    agents: &Agents,
    server: &[&str],
    load: &[&str],
) -> (Vec<Served>, Recorded) {
    let truth = Truth::start(scratch, server);
    let options = agents.options(agents.agents.len() as u32);
    let options = options.iter().map(String::as_str);
    let running = truth.load(&load.iter().copied().chain(options).collect::<Vec<_>>());
    truth.sides(running)
}

/// What an agent needs to run with a clock this number of seconds ahead.
fn clock_ahead(seconds: &str) -> Vec<&str> {
    let user = ["unshare", "--user", "--map-root-user", "--kill-child"];
    [&user[..], &["--time", "--monotonic", seconds]].concat()
}

/// Fails unless the server received 400 requests, evenly every 10 ms.
#[track_caller]
fn expect_constant_arrivals(served: &[Served]) {
    assert_eq!(served.len(), 400);
    expect_near("rate", rate_received(served), 100.0, 0.005, 0.0);
    let mut apart = gaps(served);
    apart.sort_by(f64::total_cmp);
    for q in [0.25, 0.75] {
        expect_near("gap", quantile(&apart, q) / 1e6, 10.0, 0.25, 0.0);
    }
}

/// Checks that the server's log and Tenbin's record agree on requests, bytes and connections.
#[track_caller]
fn expect_equal_books(log: &Log, recorded: &Recorded) {
    let logged = log.served.len() as u64 + recorded.censored;
    // In a closed loop, the log contains requests sent just after the end of the window.
    let after_the_end = if recorded.response.is_empty() { 64 } else { 0 };
    let missing = logged.checked_sub(recorded.known());
    assert!(
        missing.is_some_and(|missing| missing <= after_the_end),
        "{} requests recorded, {logged} logged",
        recorded.known()
    );
    let (bytes_in, bytes_out) = bytes_each(&log.served).expect("requests of one length");
    let expected = (bytes_in * recorded.ok, bytes_out * recorded.ok);
    assert_eq!((recorded.sent, recorded.received), expected, "bytes");
    assert_eq!(recorded.opened, log.accepted, "connections");
}

/// Fails if `found` differs from `truth` by more than `share * truth + floor`.
#[track_caller]
fn expect_near(what: &str, found: f64, truth: f64, share: f64, floor: f64) {
    assert!(
        (found - truth).abs() <= share * truth + floor,
        "{what}: {found} where {truth} is true"
    );
}

fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

/// GET requests like those of `tenbin http`.
struct Get;

impl Workload for Get {
    fn operations(&self) -> &[&'static str] {
        &["GET"]
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        exchange.head.clear();
        exchange
            .head
            .extend_from_slice(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        Next::Ready
    }

    fn judge(&mut self, _exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        match status {
            200 => Judgement::Correct,
            _ => Judgement::Failed(ErrorClass::Status, String::new()),
        }
    }
}

/// CPU time of the engine per operation in nanoseconds, with 16 connections for 500 ms.
fn cost_of_an_operation(destination: Destination) -> f64 {
    let plan = Drive {
        rest: None,
        destination,
        load: Load::closed(16),
        seed: 1,
        lead: Duration::from_millis(100),
        stages: false,
        part: Part::default(),
        window: Some(Duration::from_millis(500)),
    };
    let (mut ok, mut recorded, mut cpu) = (0, 0, 0);
    let mut listen = |event| {
        if let SliceEvent::Sample(sample) = event {
            ok += sample.ops[0].counts.ok;
            recorded += sample.ops[0].times.service.len();
            cpu += sample.cpu;
        }
    };
    drive(
        &plan,
        vec![Box::new(Get)],
        &AtomicBool::new(false),
        &mut listen,
    )
    .unwrap();
    // The two counts differ by the requests in flight at the start and end of the window.
    assert!(ok > 0 && recorded.abs_diff(ok) <= 32, "{recorded} of {ok}");
    cpu as f64 / recorded as f64
}

#[test]
fn the_engine_without_a_server_is_ten_times_as_quick() {
    let scratch = Scratch::new("ceiling");
    let truth = Truth::start(&scratch, &[]);
    let address = truth
        .url
        .trim_start_matches("http://")
        .trim_end_matches('/');
    let with = cost_of_an_operation(Destination::Route(Route::plain(address.parse().unwrap())));
    let without = cost_of_an_operation(Destination::Null);
    assert!(with >= 10.0 * without, "{with} ns, {without} ns without");
}

#[test]
fn a_fixed_delay_and_constant_arrivals_are_recorded_as_they_were() {
    let (served, recorded) = observe(
        "fixed",
        &["--service", "fixed:20ms"],
        &["--rate", "100/s", "--slice", "4s", "-c", "8"],
    );
    assert_eq!(served.len(), 400);
    expect_near("rate", rate_received(&served), 100.0, 0.005, 0.0);
    let mut apart = gaps(&served);
    apart.sort_by(f64::total_cmp);
    for q in [0.25, 0.75] {
        expect_near("gap", quantile(&apart, q) / 1e6, 10.0, 0.25, 0.0);
    }
    for (kind, of) in [
        ("response", &recorded.response),
        ("service", &recorded.service),
    ] {
        let found = millis(of.value_at_quantile(0.5));
        assert!(
            (20.0..20.0 + WAY).contains(&found),
            "median {kind}: {found} ms"
        );
    }
}

#[test]
fn percentiles_of_two_modes_are_right() {
    let (served, recorded) = observe(
        "bimodal",
        &["--service", "bimodal:90%:200ms,1s"],
        &["--rate", "200/s", "--slice", "5s", "-c", "128"],
    );
    let truth = times_served(&served);
    // These percentiles are far enough from the step that a few requests do not move them across.
    for q in [0.3, 0.45, 0.94, 0.96] {
        let found = millis(recorded.service.value_at_quantile(q));
        expect_near(
            &format!("p{}", 100.0 * q),
            found,
            quantile(&truth, q),
            0.01,
            WAY,
        );
    }
    let slow = recorded.service.count_between(600_000_000, u64::MAX);
    let truly = times_due(&served)
        .iter()
        .filter(|&&time| time > 600.0)
        .count();
    assert_eq!(slow, truly as u64, "requests of the slow mode");
}

#[test]
fn the_whole_distribution_is_the_servers() {
    let (served, recorded) = observe(
        "log-normal",
        &["--service", "lognormal:100ms:0.5"],
        &["-c", "64", "--slice", "4s"],
    );
    let truth = times_served(&served);
    assert!(truth.len() > 1000, "{} requests are few", truth.len());
    for q in [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99] {
        let found = millis(recorded.service.value_at_quantile(q));
        expect_near(
            &format!("p{}", 100.0 * q),
            found,
            quantile(&truth, q),
            0.02,
            WAY,
        );
    }
}

#[test]
fn a_server_stopped_for_half_of_the_run_does_not_vanish() {
    let scratch = Scratch::new("stopped");
    let truth = Truth::start(&scratch, &["--service", "fixed:1ms"]);
    let load = truth.load(&["--rate", "100/s", "--slice", "6s", "-c", "16"]);
    std::thread::sleep(Duration::from_millis(1500));
    truth.running.signal(Signal::SIGSTOP);
    std::thread::sleep(Duration::from_secs(3));
    truth.running.signal(Signal::SIGCONT);
    let (served, recorded) = truth.sides(load);
    expect_long_stop(&served, &recorded);
}

#[test]
fn a_stall_for_half_of_the_run_does_not_vanish() {
    let (served, recorded) = observe(
        "stall",
        &["--service", "fixed:1ms", "--stall", "2s+3s"],
        &["--rate", "100/s", "--slice", "6s", "-c", "16"],
    );
    expect_long_stop(&served, &recorded);
}

/// Checks the response times of a server that stopped for 3 s of 6 s: the mean is
/// 3² ÷ (2 · 6) = 0.75 s.
#[track_caller]
fn expect_long_stop(served: &[Served], recorded: &Recorded) {
    let mean = recorded.response.mean() / 1e6;
    expect_near(
        "mean response",
        mean,
        mean_response(served, 100.0),
        0.02,
        WAY,
    );
    assert!(mean > 700.0, "mean response: {mean} ms where 750 are true");
    let p99 = millis(recorded.response.value_at_quantile(0.99));
    assert!(p99 > 2_850.0, "p99 of response: {p99} ms");
    // Of 300 requests due during the stop, 16 were in flight; the others waited to be sent.
    let p90 = millis(recorded.lag.value_at_quantile(0.9));
    assert!(p90 > 2_000.0, "p90 of send lag: {p90} ms");
}

#[test]
fn a_stall_over_the_end_is_counted_when_answers_come_after_it() {
    let (served, recorded) = observe(
        "late-answers",
        &["--service", "fixed:1ms", "--stall", "2s+3s"],
        &["--rate", "100/s", "--slice", "4s", "-c", "16"],
    );
    assert_eq!(recorded.response.len(), 400);
    let mean = recorded.response.mean() / 1e6;
    expect_near(
        "mean response",
        mean,
        mean_response(&served, 100.0),
        0.02,
        WAY,
    );
    let longest = times_served(&served).last().copied().unwrap();
    assert!(longest > 2_500.0, "the stall came elsewhere: {longest} ms");
    let p99 = millis(recorded.response.value_at_quantile(0.99));
    assert!(p99 > 0.95 * longest, "p99 {p99} ms, stall {longest} ms");
    // Responses after the window do not count as throughput.
    assert!(recorded.ok < 300, "{} counted as throughput", recorded.ok);
    expect_near(
        "throughput",
        recorded.throughput,
        recorded.ok as f64 / 4.0,
        0.001,
        0.0,
    );
}

#[test]
fn a_stall_over_the_end_is_counted_when_no_answers_come() {
    let (served, recorded) = observe(
        "no-answers",
        &["--service", "fixed:1ms", "--stall", "1500ms+60s"],
        &[
            "--rate", "100/s", "--slice", "3s", "-c", "16", "--timeout", "3s",
        ],
    );
    let unanswered = 300 - served.len() as u64;
    assert!(unanswered > 80, "the stall came elsewhere: {unanswered}");
    assert_eq!(recorded.censored, unanswered, "censored");
    assert_eq!(recorded.errors_of("timeout"), unanswered, "timed out");
    assert_eq!(recorded.failures(), unanswered, "failed");
    let p99 = recorded.at_least(0.99).unwrap();
    assert!(p99 > 2_990.0, "p99 of what they took at least: {p99} ms");
    expect_near(
        "throughput",
        recorded.throughput,
        served.len() as f64 / 3.0,
        0.001,
        0.0,
    );
}

#[test]
fn a_server_that_dies_takes_no_operation_out_of_the_books() {
    let scratch = Scratch::new("dies");
    let truth = Truth::start(&scratch, &["--service", "fixed:1ms"]);
    let options = ["--rate", "100/s", "--slice", "3s", "-c", "16"];
    let load = truth.load(&[&options[..], &["--timeout", "1s"]].concat());
    std::thread::sleep(Duration::from_millis(1500));
    truth.running.signal(Signal::SIGKILL);
    load.wait(SOON).expect_code(6);
    let recorded = Recorded::read(&scratch.path().join("out")).unwrap();
    assert_eq!(recorded.known(), 300, "of 300 that were due");
    // A request that got no connection within the timeout counts as failed, although never sent.
    let lost = recorded.errors_of("connect");
    assert!(lost > 80, "{lost} lost to connections");
}

#[test]
fn arrivals_at_random_are_a_poisson_process() {
    // One thread tests the distribution; two threads test that their arrivals are independent.
    std::thread::scope(|scope| {
        for threads in ["1", "2"] {
            scope.spawn(move || expect_poisson(threads));
        }
    });
}

/// Fails unless the arrivals from `threads` threads are a Poisson process of 50/s.
fn expect_poisson(threads: &str) {
    // The seed is fixed, so attempts differ only in send lag; a busy machine may send arrivals in
    // bursts.
    let mut p = Vec::new();
    while p.len() < 3 && p.iter().all(|&p| p <= 0.01) {
        let load = "--rate 50/s --arrivals poisson --slice 7s -c 16 --threads";
        let load: Vec<&str> = load.split(' ').chain([threads]).collect();
        let (served, recorded) = observe("poisson", &[], &load);
        // Poisson(350) has a standard deviation of 19; the limit is four of them.
        expect_near("requests", recorded.known() as f64, 350.0, 0.0, 76.0);
        // A response takes at least one read of the socket; the fastest takes less than 1 ms.
        let quickest = recorded.service.min();
        assert!((2_000..1_000_000).contains(&quickest), "{quickest} ns");
        p.push(poisson_p(&served, 50.0));
    }
    assert!(
        p.last() > Some(&0.01),
        "p of Kolmogorov–Smirnov, {threads} threads: {p:?}"
    );
}

#[test]
fn an_overloaded_server_shows_its_capacity_and_a_growing_backlog() {
    let (_, recorded) = observe(
        "overload",
        &["--capacity", "200/s"],
        &["--rate", "400/s", "--slice", "4s", "-c", "16"],
    );
    // At the end, 16 requests are in flight, 2 % of the 800 responses.
    expect_near("throughput", recorded.throughput, 200.0, 0.03, 0.0);
    let grown = growth(&recorded.backlog[1..]);
    expect_near("slope of the backlog", grown, 200.0, 0.05, 0.0);
}

#[test]
fn one_queue_takes_as_long_as_it_says() {
    let (served, recorded) = observe(
        "queue",
        &["--service", "exponential:10ms", "--single-queue"],
        &[
            "--rate", "50/s", "--arrivals", "poisson", "--slice", "5s", "-c", "64",
        ],
    );
    let truth = statistics::mean(&times_served(&served));
    let mean = recorded.service.mean() / 1e6;
    expect_near("mean service", mean, truth, 0.03, WAY);
    // The mean is 1 ÷ (μ − λ) = 20 ms; the mean of 250 requests varies by 17 %.
    let theory = statistics::mean(&times_due(&served));
    expect_near("mean at the server", theory, 20.0, 0.6, 0.0);
}

#[test]
fn wrong_answers_are_counted_by_kind_and_their_connections_replaced() {
    let (served, recorded) = observe(
        "wrong",
        &[
            "--service", "fixed:1ms", "--reset", "5%", "--truncate", "5%", "--malformed", "5%",
        ],
        &["--rate", "200/s", "--slice", "3s", "-c", "16"],
    );
    let [reset, truncated, malformed] =
        ["reset", "truncate", "malformed"].map(|answer| answered(&served, answer));
    assert!(reset.min(truncated).min(malformed) > 0, "{served:?}");
    // A truncated response counts as a lost connection, like a reset.
    assert_eq!(recorded.errors_of("reset"), reset + truncated);
    assert_eq!(recorded.errors_of("protocol"), malformed);
    assert_eq!(recorded.failures(), reset + truncated + malformed);
    assert_eq!(recorded.response.len(), answered(&served, "ok"), "right");
}

#[test]
fn a_generator_that_is_late_shows_it_as_send_lag() {
    let scratch = Scratch::new("late");
    let truth = Truth::start(&scratch, &["--service", "fixed:1ms"]);
    let load = truth.load(&["--rate", "100/s", "--slice", "4s", "-c", "64"]);
    std::thread::sleep(Duration::from_millis(1500));
    load.signal(Signal::SIGSTOP);
    std::thread::sleep(Duration::from_secs(1));
    load.signal(Signal::SIGCONT);
    let (served, recorded) = truth.sides(load);
    for (kind, of) in [("lag", &recorded.lag), ("response", &recorded.response)] {
        let longest = millis(of.max());
        assert!(longest > 980.0, "longest {kind}: {longest} ms");
        // Requests due in the stop, except in its last 100 ms.
        let late = of.count_between(100_000_000, u64::MAX);
        assert!(late >= 88, "{late} with a {kind} of 100 ms or more");
    }
    let mean = recorded.response.mean() / 1e6;
    let service = recorded.service.mean() / 1e6;
    assert!(
        service < mean / 2.0,
        "attributed to the server: {service} ms"
    );
    expect_near(
        "mean response",
        mean,
        mean_response(&served, 100.0),
        0.02,
        WAY,
    );
}

#[test]
fn medians_are_those_that_wrk_finds() {
    // The median of three pairs, because a busy machine may disturb one of them.
    let mut ratios = [1, 2, 3].map(|_| {
        let scratch = Scratch::new("wrk");
        let truth = Truth::start(&scratch, &["--service", "fixed:50ms"]);
        let theirs = median_by_wrk(&truth.url);
        let load = truth.load(&["-c", "4", "--slice", "1s"]);
        load.wait(SOON);
        let recorded = Recorded::read(Path::new(&scratch.join("out"))).unwrap();
        millis(recorded.service.value_at_quantile(0.5)) / theirs
    });
    ratios.sort_by(f64::total_cmp);
    expect_near("median ÷ wrk's", ratios[1], 1.0, 0.05, 0.0);
}

/// Median latency in milliseconds that wrk measures with four connections in one second.
fn median_by_wrk(url: &str) -> f64 {
    let said = Command::new(path_of(Server::Wrk))
        .args(["-t", "1", "-c", "4", "-d", "1s", "--latency", url])
        .output()
        .unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let mut words = said.split_whitespace().skip_while(|&word| word != "50%");
    let median = words.nth(1).and_then(|time| time.strip_suffix("ms"));
    median.unwrap_or_else(|| panic!("{said}")).parse().unwrap()
}

#[test]
fn three_agents_send_the_constant_arrivals_of_one_machine() {
    let (served, recorded) = observe_agents(
        "agents-fixed",
        3,
        &["--service", "fixed:20ms"],
        &[
            "--rate", "100/s", "--slice", "4s", "-c", "9", "--threads", "2",
        ],
    );
    expect_constant_arrivals(&served);
    let found = millis(recorded.response.value_at_quantile(0.5));
    assert!((20.0..20.0 + WAY).contains(&found), "median: {found} ms");
}

#[cfg(target_os = "linux")]
#[test]
fn agents_whose_clocks_are_ten_seconds_apart_send_the_constant_arrivals_of_one_machine() {
    let (ahead, behind) = (clock_ahead("5"), clock_ahead("-5"));
    // On a busy machine, messages can be late in one run, but hardly in three.
    let mut skews = Vec::new();
    while skews.len() < 3 && skews.iter().all(|&skew| skew >= 50.0) {
        skews.push(start_skew(&[&[], &ahead, &behind]));
    }
    assert!(skews.last() < Some(&50.0), "starts apart, ms: {skews:?}");
}

/// Fails unless three agents send the constant arrivals of one machine. Returns the largest possible
/// difference between their starts, milliseconds.
#[cfg(target_os = "linux")]
#[track_caller]
fn start_skew(inside: &[&[&str]]) -> f64 {
    let scratch = Scratch::new("agents-clocks");
    let agents = Agents::start_inside(&scratch, inside, &[]);
    let load = "--rate 100/s --slice 4s -c 9 --threads 2";
    let load: Vec<&str> = load.split(' ').collect();
    let server = ["--service", "fixed:20ms"];
    let (served, recorded) = observe_with(&scratch, &agents, &server, &load);
    expect_constant_arrivals(&served);
    let found = millis(recorded.response.value_at_quantile(0.5));
    assert!((20.0..20.0 + WAY).contains(&found), "median: {found} ms");
    let run = std::fs::read_dir(scratch.path().join("out"))
        .unwrap()
        .next();
    let lines = run.unwrap().unwrap().path().join("intervals.jsonl");
    let lines = std::fs::read_to_string(lines).unwrap();
    let end = lines.lines().find(|line| line.contains(r#""kind":"end""#));
    let end: serde_json::Value = serde_json::from_str(end.unwrap()).unwrap();
    millis(end["start_skew_ns"].as_u64().unwrap())
}

#[test]
fn the_random_arrivals_of_three_agents_are_a_poisson_process() {
    // As in `expect_poisson`, a busy machine may send arrivals in bursts.
    let mut p = Vec::new();
    while p.len() < 3 && p.iter().all(|&p| p <= 0.01) {
        let load = "--rate 50/s --arrivals poisson --slice 7s -c 15 --threads 1";
        let load: Vec<&str> = load.split(' ').collect();
        let (served, recorded) = observe_agents("agents-poisson", 3, &[], &load);
        expect_near("requests", recorded.known() as f64, 350.0, 0.0, 76.0);
        p.push(poisson_p(&served, 50.0));
    }
    assert!(p.last() > Some(&0.01), "p of Kolmogorov–Smirnov: {p:?}");
}

#[test]
fn the_merged_distribution_of_three_agents_is_the_servers() {
    let (served, recorded) = observe_agents(
        "agents-log-normal",
        3,
        &["--service", "lognormal:100ms:0.5"],
        &["-c", "64", "--slice", "4s", "--threads", "2"],
    );
    let truth = times_served(&served);
    assert!(truth.len() > 1000, "{} requests are few", truth.len());
    for q in [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99] {
        let found = millis(recorded.service.value_at_quantile(q));
        let what = format!("p{}", 100.0 * q);
        expect_near(&what, found, quantile(&truth, q), 0.02, WAY);
    }
    // The slowest responses lie far apart, so one request at the edge of the window moves p99.9.
    let one = 1.0 / truth.len() as f64;
    let found = millis(recorded.service.value_at_quantile(0.999));
    let (least, most) = (0.999 - one, (0.999 + one).min(1.0));
    let range = 0.98 * quantile(&truth, least)..1.02 * quantile(&truth, most) + WAY;
    assert!(range.contains(&found), "p99.9: {found} ms, true: {range:?}");
}
