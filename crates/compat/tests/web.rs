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
        Ok(wrk::Asked::Measure(job)) => *job,
        other => panic!("{line}: {other:?}"),
    }
}

fn ab_job(line: &str) -> ab::AbJob {
    match ab::parse(&words(line), &world()) {
        Ok(ab::Asked::Measure(job)) => *job,
        other => panic!("{line}: {other:?}"),
    }
}

/// What is wrong with a line, all sentences.
fn wrong(line: &str) -> String {
    let mistakes = match line.starts_with("wrk") {
        true => wrk::parse(&words(line), &world()).map(|_| ()),
        false => ab::parse(&words(line), &world()).map(|_| ()),
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
            read: Box::new(|_| Err(std::io::ErrorKind::NotFound.into())),
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
        let all = load.requests.expect("a count") * u64::from(plan.rounds.count);
        assert_eq!((all, plan.rounds.count), (100_000, 8));
    }
    assert!(closing.web.notes[0].contains("without -k"), "{closing:?}");

    let wrk = wrk_job("wrk -c 200 -d 10s http://example.com");
    let plan = resolved(&wrk.web);
    assert_eq!(plan.threads, 2);
    assert_eq!(plan.workloads[0].load.connections, 200);
    assert_eq!(plan.workloads[0].load.timeout, Duration::from_secs(2));
    assert_eq!(
        plan.rounds.slice * plan.rounds.count,
        Duration::from_secs(10)
    );
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
fn a_measurement_is_parted_only_into_equal_and_sound_slices() {
    let slices = |line: &str| ab_job(line).web.slices();
    assert_eq!(slices("ab -n 8000 -c 10 http://h/"), 8);
    assert_eq!(slices("ab -n 7000 -c 10 http://h/"), 8);
    assert_eq!(slices("ab -n 7001 -c 10 http://h/"), 1);
    assert_eq!(slices("ab -n 6006 -c 10 http://h/"), 7);
    assert_eq!(slices("ab -n 1000 -c 100 http://h/"), 1);
    assert_eq!(slices("ab -t 10 http://h/"), 8);
    assert_eq!(slices("ab -t 10 -n 80000 http://h/"), 1);
    assert_eq!(wrk_job("wrk -d 3 http://h/").web.slices(), 6);
    assert_eq!(wrk_job("wrk -d 2 http://h/").web.slices(), 1);
}

#[test]
fn closing_is_the_clients_affair() {
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
            "--script: scripts are not run; a plan file",
        ),
        ("wrk http://h/ -- x", "what follows the URL is for a script"),
        ("wrk -c 1 -t 2 http://h/", "--threads: there must be"),
        ("wrk -d ten http://h/", "\"ten\" is not a length of time"),
        ("wrk", "the URL is missing"),
        ("wrk h:80/", "is not a URL with http://"),
        (
            "wrk --conections 4 http://h/",
            "did you mean --connections?",
        ),
        ("ab -n 5 -c 10 http://h/", "more connections than requests"),
        ("ab -X proxy:80 http://h/", "-X: HTTP proxies"),
        ("ab -g file http://h/", "-g: single requests are not kept"),
        ("ab -n", "-n: a value must follow"),
        ("ab -n 0 http://h/", "-n: must be at least 1"),
        ("ab -p a -u b http://h/", "cannot both be given"),
        ("ab http://h/ http://i/", "one too many"),
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
# The command lines of wrk and ab

`tenbin wrk` and `tenbin ab` take those tools' command lines, run them on Tenbin's engine and print
in their shape; so does Tenbin when it is called by one of these names (a symbolic link does).
`ab -n100000 -c200 -k http://127.0.0.1:8787/` and `wrk -c 200 -d 10s http://127.0.0.1:8787/` run as
written. What differs, and why:

- **Requests are those answered correctly.** Failures of any kind are counted apart and are no
  throughput. ab counts every answer as complete, also one with status 500, and wrk drops what
  timed out from its latencies.
- **One measurement is parted into six to eight slices** where that can be done evenly, so that
  its figures have intervals; the requests and the time are the same in all.
- **Percentiles are those of all answers**, with three digits. wrk adds made-up ones for the time
  in which it was held up; ab rounds to whole milliseconds.
- **Without keep-alive the client closes**, whatever the server does, and opening connections is
  timed apart from requests (*Connect*). With ab's `-k`, connections are used again whether or not
  the answer says `Keep-Alive`.
- **HTTP/1.1 is spoken**, by ab's command line too.
- **Certificates are checked**; neither tool does that. `--insecure` accepts any.
- **The connections asked for are the connections opened**; wrk rounds them down to a multiple of
  its threads.
- **The last lines are a verdict**, and the run directory has everything else.

To weigh two servers against each other use `tenbin http`: two runs of these, one after the other,
compare the machine's moods as well.

";

#[test]
fn the_page_on_wrk_and_ab_says_what_the_tables_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/wrk-ab.md");
    let page = format!("{HEAD}## wrk\n\n{}\n## ab\n\n{}", wrk::table(), ab::table());
    if std::env::var_os("TENBIN_UPDATE").is_some() {
        std::fs::write(&path, &page).expect("written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == page,
        "docs/wrk-ab.md is out of date: run this test with TENBIN_UPDATE=1"
    );
}
