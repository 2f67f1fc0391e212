//! Command lines of wrk and ab.

use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use tenbin_compat::{World, ab, wrk};
use tenbin_plan::{Context, Plan};

fn words(line: &str) -> Vec<String> {
    let words: Vec<String> = shlex::split(line).expect("shell words");
    words[1..].to_vec()
}

fn world() -> World<'static> {
    World {
        variable: &|_| None,
        read: &|_| Err(std::io::ErrorKind::NotFound.into()),
    }
}

fn wrk_job(line: &str) -> wrk::WrkJob {
    match wrk::parse(&words(line), &world()) {
        Ok(wrk::Parsed::Measure(job)) => *job,
        other => panic!("{line}: {other:?}"),
    }
}

fn ab_job(line: &str) -> ab::AbJob {
    match ab::parse(&words(line), &world()) {
        Ok(ab::Parsed::Measure(job)) => *job,
        other => panic!("{line}: {other:?}"),
    }
}

/// All mistakes in a command line.
fn wrong(line: &str) -> String {
    let mistakes = if line.starts_with("wrk") {
        wrk::parse(&words(line), &world()).map(|_| ())
    } else {
        ab::parse(&words(line), &world()).map(|_| ())
    };
    mistakes.expect_err(line).to_string()
}

fn resolved(job: &tenbin_compat::WebJob) -> Plan {
    job.draft()
        .resolve(&mut Context {
            cores: 4,
            directory: "/made-up".into(),
            seed: 7,
            environment: Box::new(|_| None),
            open: Box::new(|_| Err(std::io::ErrorKind::NotFound.into())),
            without_files: false,
            random: Box::new(|| 4),
        })
        .unwrap_or_else(|refusal| panic!("{refusal}"))
}

#[test]
fn the_lines_of_the_faq_mean_what_they_say() {
    let keeping = ab_job("ab -n100000 -c200 -k http://127.0.0.1:8787/");
    let closing = ab_job("ab -n100000 -c200 http://127.0.0.1:8787/");
    for (job, keep_alive) in [(&keeping, true), (&closing, false)] {
        let plan = resolved(&job.web);
        let load = &plan.workloads[0].load;
        assert_eq!((load.connections, load.keep_alive), (200, keep_alive));
        assert_eq!((load.requests, plan.rounds.count), (Some(100_000), 1));
    }
    assert!(
        closing.web.notes[0].text().contains("without -k"),
        "{closing:?}"
    );

    let wrk = wrk_job("wrk -c 200 -d 10s http://example.com");
    let plan = resolved(&wrk.web);
    assert_eq!(plan.threads, 2);
    assert_eq!(plan.workloads[0].load.connections, 200);
    assert_eq!(plan.workloads[0].load.timeout, Duration::from_secs(2));
    assert_eq!(plan.rounds.slice, Duration::from_secs(10));
    assert_eq!((plan.rounds.count, plan.rounds.warmup), (1, Duration::ZERO));
}

#[test]
fn letters_may_stand_together_and_values_at_once_behind_them() {
    let one = ab_job("ab -kqn 80 -c2 -T application/json -p body http://h/");
    let other = ab_job("ab -k -q -n80 -c 2 -pbody -Tapplication/json http://h/");
    assert_eq!(one, other);
    assert_eq!(one.web.method, "POST");
    assert_eq!(one.web.headers, ["Content-Type: application/json"]);
    let long = wrk_job("wrk --connections=1k --duration 2m -t4 --latency http://h/");
    let short = wrk_job("wrk -c1000 -d 120 --threads 4 -L http://h/");
    assert_eq!(long, short);
}

#[test]
fn a_single_target_is_measured_in_one_stretch() {
    for line in [
        "ab -n 8000 -c 10 http://h/", "ab -n 1000 -c 100 http://h/", "ab -t 10 http://h/",
        "ab -t 10 -n 80000 http://h/",
    ] {
        let job = ab_job(line);
        assert_eq!(resolved(&job.web).rounds.count, 1, "{line}");
        assert!(
            !job.web
                .notes
                .iter()
                .any(|note| note.text().contains("slices"))
        );
    }
    assert_eq!(resolved(&wrk_job("wrk -d 8 http://h/").web).rounds.count, 1);
}

#[test]
fn several_targets_take_turns_often_enough_to_show_a_difference() {
    let job = wrk_job("wrk -d 8s -c 4 http://127.0.0.1:8080/ webman=http://127.0.0.1:8787/");
    let plan = resolved(&job.web);
    assert_eq!((plan.targets.len(), plan.rounds.count), (2, 16));
    assert_eq!(plan.rounds.slice, Duration::from_millis(500));
    assert_eq!(plan.targets[1].name, "webman");
    assert!(
        job.web.notes[0]
            .text()
            .contains("16 slices of 500ms on each"),
        "{job:?}"
    );
    let job = ab_job("ab -n 8000 -c 4 -k a=127.0.0.1:1/ b=127.0.0.1:2/ c=127.0.0.1:3/");
    let plan = resolved(&job.web);
    let blocks = plan.rounds.count / plan.rounds_per_block();
    assert!(blocks >= 7, "two questions take seven blocks, not {blocks}");
    let requests = plan.workloads[0].load.requests.expect("a count");
    assert!(requests * u64::from(plan.rounds.count) >= 8000);
    let said = wrong("wrk -d 1s http://127.0.0.1:1/ http://127.0.0.1:2/");
    assert!(said.contains("--duration: 2 targets take turns"), "{said}");
    assert!(said.contains("give at least 1.6s"), "{said}");
}

#[test]
fn a_redirect_is_a_response_like_any_other() {
    let plan = resolved(&wrk_job("wrk http://127.0.0.1:8787/").web);
    let printed = plan.to_toml();
    assert!(printed.contains(r#"expect = ["2xx", "3xx"]"#), "{printed}");
}

#[test]
fn ab_takes_a_url_without_a_scheme() {
    let url = |line: &str| ab_job(line).web.servers[0].url.clone();
    assert_eq!(url("ab 127.0.0.1:8787/"), "http://127.0.0.1:8787/");
    assert_eq!(url("ab example.com/a?b=c"), "http://example.com/a?b=c");
    assert_eq!(url("ab https://h/"), "https://h/");
    assert_eq!(url("ab http://h/?next=/a"), "http://h/?next=/a");
}

#[test]
fn a_rate_is_that_of_wrk2() {
    let job = wrk_job("wrk -t2 -c100 -d30s -R2k --u_latency http://127.0.0.1:80/");
    assert!(job.latency && job.uncorrected);
    let load = &resolved(&job.web).workloads[0].load;
    assert!(
        matches!(load.pace, tenbin_plan::Pace::Constant { per_second } if per_second == 2000.0),
        "{load:?}"
    );
    assert!(wrong("wrk -R 0 http://h/").contains("--rate: \"0\" is not an integer"));
    assert!(wrong("wrk -U http://h/").contains("set one with -R"));
    let wrk2 = |line: &str| wrk::parse_wrk2(&words(line), &world());
    let line = "-t2 -c100 -d30s -R2k --u_latency http://127.0.0.1:80/";
    let Ok(wrk::Parsed::Measure(same)) = wrk2(&format!("wrk2 {line}")) else {
        panic!("{line} is a command line of wrk2");
    };
    assert_eq!(same.web.tool, "wrk2");
    assert_eq!(resolved(&same.web).workloads, resolved(&job.web).workloads);
    let without = wrk2("wrk2 -c 4 -U http://h/").expect_err("a rate is missing");
    let [sentence] = without.sentences() else {
        panic!("{without}");
    };
    assert!(sentence.text().contains("--rate: is missing"), "{sentence}");
    assert!(matches!(wrk2("wrk2 -v"), Ok(wrk::Parsed::Version)));
}

#[test]
fn the_client_closes_connections() {
    let job = wrk_job("wrk -H 'Connection: close' -H 'A: b' http://h/");
    assert!(!job.web.keep_alive);
    assert_eq!(job.web.headers, ["A: b"]);
    assert!(
        ab_job("ab -H 'connection: Keep-Alive' http://h/")
            .web
            .keep_alive
    );
}

#[test]
fn what_cannot_be_done_is_refused_by_name() {
    for (line, words) in [
        (
            "wrk -s post.lua http://h/",
            "--script: scripts are not supported; put different requests into a file for `tenbin http --patterns FILE`",
        ),
        (
            "wrk http://h/ -- x",
            "\"x\" after the URL is an argument for a script",
        ),
        ("wrk -c 1 -t 2 http://h/", "--threads: must not be more"),
        ("wrk -d ten http://h/", "\"ten\" is not a duration"),
        ("wrk", "the URL is missing"),
        ("wrk h:80/", "is not a URL with http://"),
        (
            "wrk --conections 4 http://h/", "did you mean --connections?",
        ),
        ("ab -n 5 -c 10 http://h/", "more connections than requests"),
        ("ab -X proxy:80 http://h/", "-X: HTTP proxies"),
        ("ab -n", "-n: needs a value"),
        ("ab -n 0 http://h/", "-n: must be at least 1"),
        ("ab -p a -u b http://h/", "cannot both be given"),
        ("ab 8787", "\"8787\" is not a URL with a path"),
        ("ab http://h/ i", "\"i\" is not a URL with a path"),
        ("ab -f SSL3 http://h/", "-f: \"SSL3\" is not one of"),
    ] {
        let said = wrong(line);
        assert!(said.contains(words), "{line}: {said}");
    }
}

#[test]
fn secrets_are_sent_and_not_shown() {
    let job = ab_job("ab -A user:hush -C a=b -C c=d http://h/");
    assert_eq!(
        job.web.headers,
        ["Cookie: a=b; c=d", "Authorization: Basic dXNlcjpodXNo"]
    );
    let printed = resolved(&job.web).to_toml();
    assert!(!printed.contains("dXNlcjpodXNo"), "{printed}");
    assert!(!printed.contains("c=d"), "{printed}");
    let said = wrong("ab -P user:hush -A user:hush http://h/");
    assert!(!said.contains("hush"), "{said}");
}

proptest! {
    #[test]
    fn no_line_brings_it_down(line in "[-a-zA-Z0-9 =:/.é]{0,60}") {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let _ = ab::parse(&arguments, &world());
        let _ = wrk::parse(&arguments, &world());
    }
}

const HEAD: &str = "\
# The command lines of wrk, wrk2 and ab

`tenbin wrk`, `tenbin wrk2` and `tenbin ab` take the command lines of these tools, run them on Tenbin's engine and print
results in the same layout. If the program is called `wrk`, `wrk2` or `ab` (for example through a symbolic link), it is
this command. `ab -n100000 -c200 -k http://127.0.0.1:8787/`, `wrk -c 200 -d 10s http://127.0.0.1:8787/` and
`wrk2 -c 200 -d 10s -R 2000 http://127.0.0.1:8787/` run unchanged. wrk2's own program is called `wrk`, so `tenbin wrk`
takes its flags, too. Differences, and their reasons:

- **Only responses with status 2xx or 3xx count as requests.** Failures of any kind are counted separately and never
  as throughput. ab counts every response as complete, also one with status 500 (Tenbin counts it under
  `Failed requests`, with the cause `Exceptions`), and wrk leaves timeouts out of its latencies. If the first response
  has an error status such as 404, the run ends before the measurement with exit code 3.
- **One target is measured in one slice**, as in the original tools, so its figures have no interval.
  wrk's connections start up to half a second before the measured time.
- **Several URLs are compared**, optionally with names:
  `wrk -c 32 -d 30s old=http://127.0.0.1:8080/ new=http://127.0.0.1:8081/`. The time (or the
  requests) of each target is divided into at least 16 slices, which are interleaved after a warm-up;
  with fewer than 12 slices, no difference can be shown at 95 % confidence.
- **Percentiles are over all responses.** wrk adds computed samples for the time in which it was
  blocked. ab's tables are in whole milliseconds, as programs that parse them expect; the line
  `In microseconds` below them is more precise.
- **ab's `-g` file has total times only.** Times are recorded as histograms, so the file has a row for each response, in
  the order of their times as in ab's file, with `ttime` in milliseconds with three decimals, and `NaN`, which gnuplot
  leaves out, in the columns `seconds`, `ctime`, `dtime` and `wait`. `starttime` is the start of the run. Of more than
  1,000,000 responses, every n-th in that order has a row.
- **ab's Total and percentiles include the time to connect**, as in ab; those of wrk do not, as in
  wrk. TLS handshakes have a separate row. `Req/Sec` is per second; wrk samples ten times per second.
- **Without keep-alive the client closes connections**, independently of the server. With ab's `-k`, connections
  are reused whether or not the response contains `Keep-Alive`.
- **Requests are HTTP/1.1**, also with ab's command line.
- **Certificates are checked**, which neither tool does. `--insecure` accepts any certificate.
- **Exactly the given number of connections is opened**; wrk rounds it down to a multiple of
  its threads.
- **With `-R`, which wrk2 requires, requests are sent at a constant rate, and the output is that of wrk2.** Latency is measured from
  when a request was due. wrk2 leaves out its first ten seconds, Tenbin half a second. A request
  uses any free connection; wrk2 schedules each connection separately.
- **The last lines are a verdict**; the run directory has everything else. With `--lang ja`, or in a Japanese locale, these
  lines are in Japanese. The lines that the original tool prints too stay in English, because programs parse them.

Two consecutive runs of these tools also compare two states of the machine: give both
servers in one command line, or use `tenbin http`.

";

#[test]
fn the_page_on_wrk_and_ab_says_what_the_tables_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/wrk-ab.md");
    let page = format!(
        "{HEAD}## wrk and wrk2\n\n{}\n## ab\n\n{}",
        wrk::table(),
        ab::table()
    );
    if std::env::var_os("TENBIN_UPDATE").is_some() {
        std::fs::write(&path, &page).expect("written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == page,
        "docs/wrk-ab.md is out of date: run this test with TENBIN_UPDATE=1"
    );
}
