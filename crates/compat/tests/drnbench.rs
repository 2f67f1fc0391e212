//! Command lines of drnbench's helper programs, as written in the Droonga tutorial.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tenbin_compat::World;
use tenbin_compat::drnbench::{
    Convert, Dump, ExtractTerms, GeneratePatterns, HELPERS, Helper, Job, Parsed, Send,
};

fn world() -> World<'static> {
    World {
        variable: &|_| None,
        read: &|_| Err(std::io::ErrorKind::NotFound.into()),
    }
}

fn parse(line: &str) -> Result<Parsed, String> {
    let words = shlex::split(line).expect("closed quotes");
    let helper = Helper::named(&words[0]).expect("a helper");
    helper
        .parse(&words[1..], &world())
        .map_err(|mistakes| mistakes.to_string())
}

fn job(line: &str) -> Job {
    match parse(line) {
        Ok(Parsed::Work(job, notes)) => {
            assert!(notes.is_empty(), "{line}");
            *job
        }
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn the_tutorials_lines() {
    let terms = |escape: bool| {
        Job::ExtractTerms(ExtractTerms {
            column: 0,
            escape,
            files: Vec::new(),
        })
    };
    assert_eq!(job("drnbench-extract-searchterms"), terms(false));
    assert_eq!(job("drnbench-extract-searchterms --escape"), terms(true));
    assert_eq!(
        job("drnbench-generate-select-patterns --base-params='a=b' --hosts=h0,h1 t.txt"),
        Job::GeneratePatterns(GeneratePatterns {
            base_params: "a=b".to_owned(),
            hosts: vec!["h0".to_owned(), "h1".to_owned()],
            files: vec![PathBuf::from("t.txt")],
        })
    );
    let plain = Convert {
        dataset: "Default".to_owned(),
        id_prefix: None,
        date: None,
        reply_to: None,
        output: None,
        files: Vec::new(),
    };
    assert_eq!(job("grn2drn"), Job::Convert(plain.clone()));
    assert_eq!(
        job("grn2drn --id-prefix p --output=x.jsons a.grn"),
        Job::Convert(Convert {
            id_prefix: Some("p".to_owned()),
            output: Some(PathBuf::from("x.jsons")),
            files: vec![PathBuf::from("a.grn")],
            ..plain
        })
    );
    let one = Send {
        servers: vec!["node0".to_owned()],
        port: 10_031,
        tag: "droonga".to_owned(),
        rate: Some(100.0),
        report_throughput: true,
        completion: Some(("Default".to_owned(), "any".to_owned())),
        validate: true,
        files: Vec::new(),
    };
    assert_eq!(
        job("droonga-send --server=node0 --report-throughput"),
        Job::Send(one.clone())
    );
    assert_eq!(
        job("droonga-send --server=node0 --server=node1 --server=node2 \
             --messages-per-second=100 --report-throughput"),
        Job::Send(Send {
            servers: ["node0", "node1", "node2"].map(str::to_owned).to_vec(),
            ..one.clone()
        })
    );
    assert_eq!(
        job("droonga-send --no-completion --no-validation --messages-per-second=-1"),
        Job::Send(Send {
            servers: vec!["localhost".to_owned()],
            rate: None,
            report_throughput: false,
            completion: None,
            validate: false,
            ..one
        })
    );
}

#[test]
fn what_is_wrong_is_said() {
    for (line, complaint) in [
        (
            "droonga-send --messages-per-second=fast",
            "--messages-per-second: \"fast\" is neither",
        ),
        (
            "droonga-send --default-port=70000",
            "--default-port: a port is",
        ),
        (
            "droonga-send --default-protocol=http",
            "--default-protocol: messages are sent",
        ),
        ("droonga-send --sever=x", "did you mean --server?"),
        (
            "grn2drn --encoding=EUC-JP",
            "--encoding: commands are read as UTF-8",
        ),
        (
            "drnbench-extract-searchterms --column-index=x",
            "--column-index: \"x\" is not",
        ),
    ] {
        let said = parse(line).expect_err(line);
        assert!(said.contains(complaint), "{said}");
    }
    for helper in HELPERS {
        let Ok(Parsed::Help(help)) = parse(&format!("{} --help", helper.name)) else {
            panic!("{} has no help", helper.name);
        };
        let text = help.to_string();
        assert!(
            text.starts_with(&format!("Usage: tenbin {} ", helper.name)),
            "{text}"
        );
    }
}

#[test]
fn grndump_takes_the_tutorials_flags() {
    let whole = Dump {
        database: "db/db".to_owned(),
        plugins: true,
        schema: true,
        indexes: true,
        records: true,
        only: vec![],
        exclude: vec![],
        by_key: false,
        max_records: None,
    };
    assert_eq!(job("grndump db/db"), Job::Dump(whole.clone()));
    let records = Dump {
        schema: false,
        indexes: false,
        ..whole.clone()
    };
    let line = "grndump --no-dump-schema --no-dump-indexes db/db";
    assert_eq!(job(line), Job::Dump(records));
    let schema = Dump {
        records: false,
        ..whole.clone()
    };
    assert_eq!(job("grndump --no-dump-tables db/db"), Job::Dump(schema));
    let some = Dump {
        only: vec!["A".to_owned(), "B".to_owned()],
        exclude: vec!["C".to_owned()],
        by_key: true,
        max_records: Some(5),
        ..whole
    };
    let line = "grndump -t=A --table B --exclude-table=C --order-by=key --max-records 5 db/db";
    assert_eq!(job(line), Job::Dump(some));
    for (line, complaint) in [
        ("grndump", "0 databases are named"),
        ("grndump a b", "2 databases are named"),
        (
            "grndump --table=/Pa.*/ a",
            "is a regular expression; name each table",
        ),
        (
            "grndump --max-records=-2 a",
            "neither a number of 0 or more nor -1",
        ),
    ] {
        let said = parse(line).expect_err(line);
        assert!(said.contains(complaint), "{said}");
    }
}

proptest! {
    #[test]
    fn no_line_brings_them_down(line in "[-a-zA-Z0-9 =:/.é]{0,60}") {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        for helper in HELPERS {
            let _ = helper.parse(&arguments, &world());
        }
    }
}

#[test]
fn the_page_on_search_has_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/search.md");
    let page = std::fs::read_to_string(path).expect("docs/search.md");
    for helper in HELPERS {
        let table = format!("### {}\n\n{}", helper.name, helper.documented());
        assert!(
            page.contains(&table),
            "docs/search.md should have:\n{table}"
        );
    }
}

mod request_response {
    use super::*;
    use std::time::Duration;

    use tenbin_compat::request_response::{FLAGS, Parsed, RampJob, parse, steps, table};
    use tenbin_plan::{Context, Pace, Plan, Think};

    fn parsed(line: &str) -> Result<Parsed, String> {
        let words = shlex::split(line).expect("closed quotes");
        parse(&words, &world()).map_err(|mistakes| mistakes.to_string())
    }

    fn job(line: &str) -> RampJob {
        match parsed(line) {
            Ok(Parsed::Measure(job)) => *job,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn plan(line: &str) -> Plan {
        let mut context = Context {
            cores: 4,
            directory: "/made-up".into(),
            seed: 7,
            environment: Box::new(|_| None),
            open: Box::new(|_| Ok(Box::new(&b"/d/select?query=tea\n"[..]))),
            without_files: false,
            random: Box::new(|| 4),
        };
        let resolved = job(line).draft(None).resolve(&mut context);
        resolved.unwrap_or_else(|refusal| panic!("{line}: {refusal}"))
    }

    const TUTORIAL: &str = "--step=2 --start-n-clients=0 --end-n-clients=20 --duration=30 \
        --interval=10 --request-patterns-file=lists/patterns.txt --default-port=10041";

    #[test]
    fn the_tutorials_lines_mean_what_they_say() {
        let line = format!("{TUTORIAL} --default-hosts=node0 --output-path=/tmp/r.csv");
        let one = job(&line);
        assert_eq!(one.clients, [1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
        assert_eq!(one.output.as_deref(), Some("/tmp/r.csv"));
        assert_eq!((one.slow, one.fast), (5, 5));
        assert!(one.notes.is_empty());
        let plan_of_one = plan(&line);
        let seconds = Duration::from_secs;
        let rounds = &plan_of_one.rounds;
        assert_eq!((rounds.count, rounds.slice), (1, seconds(30)));
        assert_eq!((rounds.gap, rounds.warmup), (seconds(10), seconds(0)));
        assert_eq!(plan_of_one.workloads.len(), 11);
        for (workload, clients) in plan_of_one.workloads.iter().zip(&one.clients) {
            let load = &workload.load;
            assert_eq!(load.connections as u64, *clients);
            assert_eq!(workload.name, format!("search-c{clients}"));
            assert_eq!((&load.pace, load.keep_alive), (&Pace::Closed, false));
            assert_eq!(load.think, Some(Think::Fixed(Duration::from_millis(10))));
            assert_eq!(load.timeout, seconds(5));
        }
        let three = job(&format!("{TUTORIAL} --default-hosts=node0,node1,node2"));
        let url = |node: u8| format!("http://node{node}:10041/");
        assert_eq!(three.urls, [url(0), url(1), url(2)]);
        let plan_of_three = plan(&format!("{TUTORIAL} --default-hosts=node0,node1,node2"));
        assert_eq!(plan_of_three.targets.len(), 1);
        assert_eq!(plan_of_three.targets[0].connect.hosts.len(), 3);
    }

    #[test]
    fn defaults_are_one_client_on_localhost() {
        let job = job("--request-patterns-file=p");
        assert_eq!(job.clients, [1]);
        assert_eq!(job.urls, ["http://localhost:80/"]);
        assert_eq!(plan("--request-patterns-file=p").workloads.len(), 1);
        let plan = plan("--request-patterns-file=p --wait=0 --end-n-clients 2");
        assert_eq!(plan.workloads.len(), 2);
        assert!(plan.workloads.iter().all(|work| work.load.think.is_none()));
    }

    #[test]
    fn hosts_may_name_their_ports() {
        let urls = |hosts: &str| job(&format!("--request-patterns-file=p {hosts}")).urls;
        assert_eq!(
            urls("--default-hosts=a:1,b,,[::1]:2,::1 --default-port 9"),
            [
                "http://a:1/", "http://b:9/", "http://[::1]:2/", "http://[::1]:9/"
            ]
        );
        assert_eq!(urls("--default-host=node7"), ["http://node7:80/"]);
    }

    #[test]
    fn steps_are_counted_as_drnbench_counts_them() {
        for (ramp, clients) in [
            ((0, 20, 6), &[1, 6, 12, 18][..]),
            ((0, 3, 1), &[1, 2, 3]),
            ((5, 5, 2), &[5]),
            ((1, 4, 2), &[1, 3]),
        ] {
            let (start, end, step) = ramp;
            assert_eq!(
                steps(start, end, step).expect("a ramp"),
                clients,
                "{ramp:?}"
            );
        }
        for ((start, end, step), flag) in [
            ((0, 5, 0), "step"),
            ((6, 5, 1), "end-n-clients"),
            ((0, 0, 1), "end-n-clients"),
            ((0, u64::MAX, 1), "step"),
        ] {
            assert_eq!(steps(start, end, step).unwrap_err().0, flag);
        }
    }

    #[test]
    fn mistakes_are_reported_in_sentences() {
        for (line, why) in [
            ("", "--request-patterns-file: is missing"),
            (
                "--request-patterns-file=p --mode=http-droonga",
                "only http is supported",
            ),
            (
                "--request-patterns-file=p --duration=0.5",
                "--duration: must be from 1",
            ),
            (
                "--request-patterns-file=p --step=0",
                "--step: must be at least 1",
            ),
            (
                "--request-patterns-file=p --default-port=0",
                "a port is a number",
            ),
            (
                "--request-patterns-file=p --default-hosts=,",
                "contains no host",
            ),
            (
                "--request-patterns-file=p --default-hosts=a,b,a",
                "--default-hosts: names a twice",
            ),
            (
                "--request-patterns-file=p --default-path=/x",
                "state their paths in the file",
            ),
            (
                "--request-patterns-file=p --wait=soon",
                "\"soon\" is not a number",
            ),
            ("--request-patterns-file=p extra", "takes no arguments"),
            ("--request-patterns-file=p --host=x", "host"),
        ] {
            let error = parsed(line).map(|_| ()).expect_err(line);
            assert!(error.contains(why), "{line}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_command_line_makes_it_panic(
            arguments in prop::collection::vec(
                prop_oneof![
                    Just("--request-patterns-file=p".to_owned()),
                    "--(step|end-n-clients|start-n-clients|wait|duration)=[0-9.e-]{0,9}",
                    "--default-hosts=[a:,\\[\\]0-9]{0,12}",
                    ".{0,9}",
                ],
                0..8,
            )
        ) {
            if let Ok(Parsed::Measure(job)) = parse(&arguments, &world()) {
                let _ = job.draft(None);
            }
        }
    }

    #[test]
    fn the_page_on_drnbench_has_the_table() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/drnbench.md");
        let page = std::fs::read_to_string(path).expect("docs/drnbench.md");
        let table = table();
        assert!(!FLAGS.is_empty());
        assert!(
            page.contains(&table),
            "docs/drnbench.md should have:\n{table}"
        );
    }
}

mod publish_subscribe {
    use super::*;
    use std::time::Duration;

    use tenbin_compat::publish_subscribe::{FeedJob, Parsed, parse, table};

    fn parsed(line: &str) -> Result<FeedJob, String> {
        let words = shlex::split(line).expect("closed quotes");
        match parse(&words, &world()) {
            Ok(Parsed::Measure(job)) => Ok(*job),
            Ok(other) => Err(format!("{other:?}")),
            Err(mistakes) => Err(mistakes.to_string()),
        }
    }

    #[test]
    fn a_line_means_what_it_says() {
        let job = parsed(
            "--start-n-subscribers=4 --n-steps 3 --n-publishings=9 --timeout=0.5 --hosts=a,b:7 \
             --protocol-adapter-port=3000 --output-path=x.csv",
        )
        .expect("a job");
        assert_eq!((job.subscribers, job.steps, job.messages), (4, 3, 9));
        assert_eq!(job.hosts, ["a:3000", "b:7"]);
        assert_eq!(job.timeout, Duration::from_millis(500));
        assert_eq!(job.output.as_deref(), Some("x.csv"));
        assert!(job.message.contains("{id}"));
    }

    #[test]
    fn mistakes_are_reported_in_sentences() {
        for (line, why) in [
            ("", "there are at most 100000"),
            ("--n-steps=0", "must be at least 1"),
            ("--n-steps=99", "there are at most 100000"),
            ("--n-steps=1 --timeout=0", "from 0.1 to 3600"),
            ("--n-steps=1 --subscribe-path=x", "is not a path"),
            ("--n-steps=1 --feed-file=nowhere", "cannot be read"),
            (
                "--n-steps=1 --fluentd=/bin/fluentd",
                "Tenbin does not start Droonga",
            ),
        ] {
            let error = parsed(line).expect_err(line);
            assert!(error.contains(why), "{line}: {error}");
        }
    }

    #[test]
    fn the_page_on_drnbench_has_the_table() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/drnbench.md");
        let page = std::fs::read_to_string(path).expect("docs/drnbench.md");
        let table = table();
        assert!(
            page.contains(&table),
            "docs/drnbench.md should have:\n{table}"
        );
    }
}
