//! hsbench's command lines.

use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use tenbin_compat::hsbench::{FLAGS, HsbenchJob, Mode, Parsed, parse, table};
use tenbin_compat::{Mistakes, World};

fn parsed(line: &str) -> Result<Parsed, Mistakes> {
    let arguments: Vec<String> = shlex::split(line).expect("shell words");
    parse(&arguments[1..], &world())
}

fn world() -> World<'static> {
    World {
        variable: &|_| None,
        read: &|_| Err(std::io::ErrorKind::NotFound.into()),
    }
}

fn job(line: &str) -> HsbenchJob {
    match parsed(line) {
        Ok(Parsed::Measure(job)) => *job,
        other => panic!("{line}: {other:?}"),
    }
}

/// The command line behind the recorded result of hsbench.
const RECORDED: &str = "hsbench -a a -s b -u http://127.0.0.1:9300 -bp hotsauce-bench -m cxipgdx \
                        -o hsbench.csv -j hsbench.json -d 3 -t 2 -z 64K";

#[test]
fn the_recorded_line_means_what_it_says() {
    let job = job(RECORDED);
    assert_eq!(job.size, 65_536);
    assert_eq!(job.duration, Some(Duration::from_secs(3)));
    assert_eq!(
        (job.threads, job.loops, job.buckets, job.objects),
        (2, 1, 1, None)
    );
    let modes: Vec<Mode> = job.modes.iter().map(|&(mode, _)| mode).collect();
    assert_eq!(modes, [Mode::Put, Mode::Get, Mode::Delete]);
    assert_eq!(job.notes.len(), 2, "{:?}", job.notes);
    let plan = job
        .draft()
        .resolve(&mut tenbin_plan::Context {
            cores: 4,
            directory: "/made-up".into(),
            seed: 7,
            environment: Box::new(|_| None),
            open: Box::new(|_| Err(std::io::ErrorKind::NotFound.into())),
            without_files: false,
            random: Box::new(|| 4),
        })
        .unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!(plan.workloads.len(), 3);
    assert_eq!(plan.rounds.slice, Duration::from_secs(3));
}

#[test]
fn sizes_are_powers_of_1024_and_modes_may_repeat() {
    let of = |rest: &str| job(&format!("hsbench -u http://h -a a -s b {rest}"));
    for (text, bytes) in [
        ("4k", 4096),
        ("1M", 1 << 20),
        ("2GB", 2 << 30),
        ("512", 512),
    ] {
        assert_eq!(of(&format!("-z={text}")).size, bytes, "{text}");
    }
    let names: Vec<String> = of("--m ppg")
        .modes
        .into_iter()
        .map(|(_, name)| name)
        .collect();
    assert_eq!(names, ["put", "put-2", "get"]);
    assert_eq!(of("-n 500 -d -1").objects, Some(500));
}

#[test]
fn mistakes_are_named() {
    let Err(mistakes) = parsed("hsbench -m pq -z 4X -d -1 -t 0 -zz 3") else {
        panic!("taken");
    };
    let said = mistakes.to_string();
    for wanted in [
        "hsbench has no flag -zz",
        "\"3\" is not a flag of it",
        "-t: must be at least 1",
        "-u: is missing",
        "-m: 'q' is not a mode",
        "-z: \"4X\" is not a size",
        "-d: time and objects cannot both be unlimited",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

proptest! {
    #[test]
    fn no_command_line_makes_it_panic(
        arguments in proptest::collection::vec(
            prop_oneof![Just("-z".to_owned()), Just("-m".to_owned()), "-{0,2}[a-z]{0,3}=?.{0,9}", ".{0,9}"],
            0..8,
        )
    ) {
        let _ = parse(&arguments, &world());
    }
}

const HEAD: &str = "\
# hsbench's command line

`tenbin hsbench` takes hsbench's command line, runs it on Tenbin's engine, prints hsbench's lines and writes its CSV
(`-o`) and JSON (`-j`) files. Differences, and their reasons:

- **Responses are timed to their last byte.** hsbench stops timing a GET at the headers.
- **Errors do not end a thread.** A thread of hsbench ends silently after three errors. Tenbin counts errors under
  *Slowdowns*, never as throughput, and the findings report them.
- **Only what Tenbin created is deleted.** The modes `c`, `x` and `i` are not measured; missing buckets are
  created.
- **Every mode has its own objects**, which are loaded before its time starts.
- **Only totals are printed**; the run directory has every second.

";

#[test]
fn the_page_on_hsbench_says_what_the_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hsbench.md");
    let page = format!("{HEAD}{}", table());
    if std::env::var_os("TENBIN_UPDATE").is_some() {
        std::fs::write(&path, &page).expect("written");
    }
    let stored = std::fs::read_to_string(&path).expect("docs/hsbench.md");
    assert!(
        stored == page && !FLAGS.is_empty(),
        "docs/hsbench.md is out of date: run this test with TENBIN_UPDATE=1"
    );
}
