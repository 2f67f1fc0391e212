//! blobstore-bench's command lines.

use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use tenbin_compat::blobstore_bench::{Backend, BlobstoreBenchJob, FLAGS, Parsed, parse, table};
use tenbin_compat::{Mistakes, World};
use tenbin_plan::{Builtin, Phase, Plan, Reach, Sentence, WorkloadKind};

/// A configuration with one cluster manager, from the founding guide.
const CONF: &str = r#"{"idc": "z0", "cluster_config": {
    "clusters": [{"cluster_id": 1, "hosts": ["http://127.0.0.1:9998"]}]}}"#;

fn parsed_with(line: &str, conf: &str) -> Result<Parsed, Mistakes> {
    let arguments: Vec<String> = shlex::split(line).expect("shell words");
    let world = World {
        variable: &|_| None,
        read: &|file| match file {
            "blob.conf" => Ok(conf.to_owned()),
            _ => Err(std::io::ErrorKind::NotFound.into()),
        },
    };
    parse(&arguments[1..], &world)
}

fn job_with(line: &str, conf: &str) -> BlobstoreBenchJob {
    match parsed_with(line, conf) {
        Ok(Parsed::Measure(job)) => *job,
        other => panic!("{line}: {other:?}"),
    }
}

fn job(line: &str) -> BlobstoreBenchJob {
    job_with(line, CONF)
}

fn plan(job: &BlobstoreBenchJob) -> Plan {
    job.draft()
        .resolve(&mut tenbin_plan::Context {
            without_files: false,
            cores: 4,
            directory: "/made-up".into(),
            seed: 7,
            environment: Box::new(|_| None),
            open: Box::new(|_| Err(std::io::ErrorKind::NotFound.into())),
            random: Box::new(|| 4),
        })
        .unwrap_or_else(|refusal| panic!("{refusal}"))
}

const FOUNDING: &str = "blobstore-bench -b blobstore -c blob.conf -db rocksdb -r build/db/ -d 5 \
                        -m pgd -pr mybench -s 10Ki -t 2 -l 2";

fn texts(notes: &[Sentence]) -> Vec<String> {
    notes.iter().map(ToString::to_string).collect()
}

#[test]
fn the_founding_lines_mean_what_they_say() {
    let job = job(FOUNDING);
    assert_eq!(
        job.backend,
        Backend::Blobstore(vec!["http://127.0.0.1:9500".to_owned()])
    );
    assert_eq!((job.size, job.threads, job.loops), (10_240, 2, 2));
    assert_eq!(job.duration, Some(Duration::from_secs(5)));
    assert_eq!((job.objects, job.errors), (None, Some(3)));
    let notes = texts(&job.notes).join("\n");
    assert_eq!(notes.matches("-db rocksdb").count(), 1, "{notes}");
    assert!(notes.contains("cluster manager"), "{notes}");

    let plan = plan(&job);
    let phases = plan.workloads.iter().map(|work| match &work.kind {
        WorkloadKind::Blob(blob) => {
            assert_eq!(blob.prefix.as_deref(), Some("mybench"));
            assert_eq!(
                blob.locations.as_deref(),
                Some(Path::new("/made-up/build/db/"))
            );
            assert_eq!(blob.errors, Some(3));
            blob.phase
        }
        other => panic!("{other:?}"),
    });
    assert_eq!(
        phases.collect::<Vec<_>>(),
        [Phase::Put, Phase::Get, Phase::Delete]
    );
    assert_eq!((plan.threads, plan.workloads[0].load.connections), (2, 2));
    assert_eq!(plan.rounds.count, 2);

    let dummy = self::job("blobstore-bench -b dummy -d 3 -m pgd  -pr dummytest -s 10Ki -t 2 -l 2");
    assert_eq!(dummy.backend, Backend::Dummy);
    let plan = self::plan(&dummy);
    assert_eq!(plan.targets[0].reach, Reach::Builtin(Builtin::Dummy));
}

fn phases(plan: &Plan) -> Vec<&str> {
    plan.workloads
        .iter()
        .map(|work| work.name.as_str())
        .collect()
}

#[test]
fn modes_may_repeat() {
    let plan = plan(&job("blobstore-bench -c blob.conf -m pggd -e -1"));
    assert_eq!(phases(&plan), ["put", "get", "get-2", "delete"]);
}

#[test]
fn a_get_of_stored_blobs_reads_as_much_as_the_size_says() {
    let ranges = |line: &str| -> Vec<Option<String>> {
        let plan = plan(&job(&format!("blobstore-bench -c blob.conf -n 9 {line}")));
        let each = plan.workloads.iter().map(|work| match &work.kind {
            WorkloadKind::Blob(blob) => blob.range.map(|range| range.to_string()),
            other => panic!("{other:?}"),
        });
        each.collect()
    };
    let first = Some("0-1023".to_owned());
    assert_eq!(
        ranges("-m gd -s 1Ki -db rocksdb -r db"),
        [first.clone(), None]
    );
    assert_eq!(
        ranges("-m gpg -s 1Ki -db rocksdb -r db"),
        [first, None, None]
    );
    assert_eq!(ranges("-m g -db rocksdb -r db"), [None]);
    assert_eq!(ranges("-m pg -s 1Ki"), [None, None]);
}

#[test]
fn a_run_can_have_any_name_and_an_empty_object() {
    let set = |name: &str| {
        let job = job(&format!("blobstore-bench -b dummy -pr {name} -s 0"));
        let plan = plan(&job);
        match &plan.workloads[0].kind {
            WorkloadKind::Blob(blob) => {
                assert_eq!(blob.sizes.only(), Some(0));
                let own = |note: &&Sentence| note.text().starts_with("-pr");
                let note = job.notes.iter().find(own).map(ToString::to_string);
                (
                    blob.prefix.clone().expect("a name"),
                    note.unwrap_or_default(),
                )
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(set("mybench"), ("mybench".to_owned(), String::new()));
    let (spaced, note) = set("'my bench/2025'");
    assert!(spaced.starts_with("my-bench-2025-"), "{spaced}");
    assert!(note.contains(&spaced), "{note}");
    assert_ne!(spaced, set("'my bench 2025'").0);
    assert_eq!(spaced, set("'my bench/2025'").0);
    for name in ["計測", "'/ /'", "'..'", &"x".repeat(200)] {
        assert!(set(name).0.len() <= 64, "{name}");
    }
    let mistakes = parsed_with("blobstore-bench -c blob.conf -s 0", CONF).expect_err("refused");
    assert!(
        mistakes.to_string().contains("refuses empty blobs"),
        "{mistakes}"
    );
}

#[test]
fn hosts_are_taken_from_wherever_they_stand() {
    let hosts = |conf| match job_with("blobstore-bench -c blob.conf", conf) {
        BlobstoreBenchJob {
            backend: Backend::Blobstore(hosts),
            notes,
            ..
        } => (hosts, texts(&notes).join("\n")),
        other => panic!("{other:?}"),
    };
    let (own, notes) = hosts(r#"{"stream": {"priority_addrs": ["http://a:9500", "b:9500"]}}"#);
    assert_eq!(own, ["http://a:9500", "http://b:9500"]);
    assert!(!notes.contains("cluster manager"));
    let nested = format!("{{\"stream\": {CONF}}}");
    // A cluster manager stores no blobs, so the access layer on the same host is used.
    let (own, notes) = hosts(&nested);
    assert_eq!(own, ["http://127.0.0.1:9500"]);
    assert!(
        notes.contains("looks for it at http://127.0.0.1:9500;"),
        "{notes}"
    );
    // The configuration that CubeFS ships: three managers on one host.
    let shipped = CONF.replace(
        r#""http://127.0.0.1:9998""#,
        r#""http://127.0.0.1:9998", "http://127.0.0.1:9999", "http://127.0.0.1:10000""#,
    );
    assert_eq!(hosts(&shipped).0, ["http://127.0.0.1:9500"]);
    let elsewhere = CONF.replace("9998", "10000");
    assert_eq!(hosts(&elsewhere).0, ["http://127.0.0.1:10000"]);
    let elsewhere = CONF.replace("9998", "9512");
    assert_eq!(hosts(&elsewhere).0, ["http://127.0.0.1:9512"]);
    let (own, _) = hosts(r#"{"access": {"priority_addrs": ["b:9500"]}}"#);
    assert_eq!(own, ["http://b:9500"]);
}

#[test]
fn mistakes_are_reported_in_sentences() {
    for (line, told) in [
        (
            "-b dummy -d -1",
            "-d: time and objects cannot both be unlimited",
        ),
        ("-b s3", "use tenbin blob"),
        ("-b disk", "\"disk\" is not a backend"),
        ("", "-c: is missing"),
        ("-c other.conf", "\"other.conf\" cannot be read"),
        ("-b dummy -m px", "\"px\" is not a string of modes"),
        ("-b dummy -m put", "\"put\" is not a string of modes"),
        ("-b dummy -t 0", "-t: must be at least 1"),
        ("-b dummy -db leveldb", "neither memory nor rocksdb"),
        ("-c blob.conf -db rocksdb", "-r: is missing"),
        ("-b dummy -s 10Q", "-s:"),
        ("-b dummy -n 0", "-n: \"0\" is neither"),
        ("-b dummy -d 0", "-d: \"0\" is neither"),
        ("-b dummy -d -1 -n 0", "-n: \"0\" is neither"),
        ("-b dummy -i 0.5", "-i: \"0.5\" is not a whole number"),
        ("-b dummy -i 0", "-i: \"0\" is not a whole number"),
        ("-c blob.conf -m g", "run -m p before it with the same -r"),
        ("-c blob.conf -m dp", "\"dp\" starts with d"),
    ] {
        let mistakes = parsed_with(&format!("blobstore-bench {line}"), CONF).expect_err(line);
        let text = mistakes.to_string();
        assert!(text.contains(told), "{line}: {text}");
        assert_eq!(mistakes.sentences().len(), 1, "{line}: {text}");
    }
    for conf in ["", "[]", "{}", r#"{"cluster_config": {"clusters": 3}}"#] {
        let mistakes = parsed_with("blobstore-bench -c blob.conf", conf).expect_err(conf);
        assert!(mistakes.to_string().contains("blob.conf"), "{conf}");
    }
}

#[test]
fn the_two_flags_that_it_declares_and_rejects_are_taken() {
    let job = job("blobstore-bench -b dummy -i 5 -o out.json");
    assert_eq!((job.json.as_deref(), job.interval), (Some("out.json"), 5));
    assert!(!job.notes.iter().any(|note| note.text().starts_with("-i")));
    let plain = self::job("blobstore-bench -b dummy -i 2.0");
    assert_eq!((plain.json, plain.interval), (None, 2));
    assert_eq!(self::job("blobstore-bench -b dummy").interval, 1);
}

proptest! {
    #[test]
    fn no_command_line_makes_it_panic(
        arguments in proptest::collection::vec(
            prop_oneof![Just("-s".to_owned()), Just("-m".to_owned()), "-{0,2}[a-z]{0,3}=?.{0,9}", ".{0,9}"],
            0..8,
        ),
        conf in ".{0,40}",
    ) {
        let world = World { variable: &|_| None, read: &|_| Ok(conf.clone()) };
        let _ = parse(&arguments, &world);
    }
}

const HEAD: &str = "\
# blobstore-bench's command line

`tenbin blobstore-bench` takes the command line of the benchmark in CubeFS's blobstore, runs it on Tenbin's
engine and prints the same lines as the original tool: loops from 1, a line for every complete interval (`-i`),
one for each mode, and after a put the hint for a following `-n`. (On CubeFS's page, loops count from 0 and the brackets have
blanks inside; Tenbin reads both forms.) Differences, and their reasons:

- **Protocol: the access layer's HTTP API**; the original tool embeds the SDK. The hosts come from `priority_addrs`
  in the file of `-c`, at the top level or below `stream` or `access`, otherwise from the clusters. The clusters in the
  original `blob.conf` name the cluster manager; Tenbin replaces its port 9998 with 9500, the default port of the access
  layer on the same host. The list that CubeFS ships (9998, 9999, 10000: three managers on one host) becomes the one
  access layer of that host. Consul is not queried.
- **Tokens**: for an access layer that requires them, set its secret key in `TENBIN_SECRET_KEY`. The original tool needs
  none, because it does not send requests to an access layer.
- **Every blob has unique content, which is compared** when it is read. The original tool sends one payload and
  checks nothing.
- **Failures are counted under *Slowdowns*** and never count as throughput. `-e` limits the failures of the whole run,
  including refused and reset connections; above the limit the run ends immediately with exit code 4.
- **PUTs in flight when the time is over** are completed and counted in the hint for `-n`, but not in *Ops*, which
  counts only what ended within the time.
- **Numbers are never reused**, so a second loop leaves no orphaned blobs. With `g` or `d` alone, `-n` uses the first
  locations; without `-n`, all are used.
- **`g` or `d` without blobs is an error**: exit code 2 if locations are in memory and no `p` comes first; exit code
  4, without a line of results, if the directory has no locations of that name (`-r`, `-pr`).
- **`g` of blobs that an earlier run stored reads the first `-s` bytes of each**, as the original tool, and MB/s counts these
  bytes. Without `-s`, whole blobs are read; the original tool reads the first 1 MiB. A `-s` above the size of the smallest
  blob is refused with exit code 2; the original tool gets status 400 for each such blob.
- **MB/s of `d` uses the stored size of the blobs**, even if `-s` differs. The original tool multiplies by `-s`. With
  `-b dummy`, which stores nothing, Tenbin multiplies by `-s`, too.
- **Locations on disk** (`-db rocksdb`) are in Tenbin's own files and survive a kill
  ([blob.md](blob.md)). With locations in memory, the remaining blobs are deleted at the end.
- **`-pr` can be any text.** A text that cannot be the name of a set (letters, digits, `-`, `_` and `.`) stands for a set
  that is named by a part of the text and its hash; a note names the set.
- **`-s 0` is refused with `-b blobstore`**, whose access layer refuses empty blobs; the original tool sends no request for
  them and counts each as a success. With `-b dummy` it works.
- **No `output.json`** unless `-o` names it.
- **Lines are printed during the run**, on standard output: one for each interval that every thread has completed,
  and one for each mode at its end. The last seconds of a mode that do not fill an interval have no line, as in the
  original tool. Findings and verdict follow at the end. Times are UTC.

";

#[test]
fn the_page_says_what_the_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/blobstore-bench.md");
    let page = format!("{HEAD}{}", table());
    if std::env::var_os("TENBIN_UPDATE").is_some() {
        std::fs::write(&path, &page).expect("written");
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == page && !FLAGS.is_empty(),
        "docs/blobstore-bench.md is out of date: run this test with TENBIN_UPDATE=1"
    );
}
