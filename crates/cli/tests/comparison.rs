//! Twins, precision, expectations and sweeps, tested with real servers.

mod common;

use std::path::Path;

use common::{Outcome, Scratch, Tenbin, words};

/// Short slices with a low load.
const SHORT: &str = "--slice 300ms --lead 20ms --gap 0s --warmup 0s --connections 2 --threads 1 \
    --think 2ms";

fn shown_again(scratch: &Scratch) -> Outcome {
    let runs = Path::new("runs");
    let mut entries = std::fs::read_dir(scratch.path().join(runs)).expect("runs");
    let name = entries
        .next()
        .expect("a run")
        .expect("an entry")
        .file_name();
    let directory = runs.join(name);
    Tenbin::new(scratch, ["show".as_ref(), directory.as_os_str()]).run()
}

#[test]
fn a_twin_precision_and_what_was_expected() {
    let scratch = Scratch::new("expected");
    let own = "http --builtin own=http --aa --rounds 12 --until 50% --max-rounds 48 \
        --expect p50<1h --expect own:throughput<1/s";
    let run = Tenbin::line(&scratch, format!("{own} {SHORT}")).run();
    // A slice without any response on a busy machine makes the run INVALID.
    assert!(matches!(run.code, Some(6 | 7)), "{run}");
    run.expect_stdout("own-twin").expect_stderr("in at least");
    if run.code == Some(7) {
        run.expect_stdout("noise")
            .expect_stdout("every primary metric has reached a precision of ± 50 %")
            .expect_stdout("NOT MET: throughput of own is ")
            .expect_stdout("at http-GET and must be below 1/s");
        assert!(run.answer().contains("NOT MET"), "{run}");
    }
    let shown = shown_again(&scratch);
    assert_eq!(shown.code, run.code, "{shown}");
    assert_eq!(shown.stdout, run.stdout, "show prints what the run printed");
}

#[test]
fn what_is_expected_and_true_ends_well() {
    let scratch = Scratch::new("met");
    let own = [
        "http", "--builtin", "own=http", "--rounds", "8", "--expect", "errors<=0%,p50<1h",
        // Long enough for responses in every slice on a busy machine.
        "--slice", "400ms", "--lead", "20ms", "--gap", "0s", "--warmup", "0s",
    ];
    let run = Tenbin::new(&scratch, own).run();
    run.expect_measured();
    if run.code == Some(0) {
        run.expect_stdout("all 2 expectations are met");
    }
}

/// Compares two instances of one server in too few rounds for a confidence interval.
fn compared_briefly(scratch: &Scratch, condition: [&str; 2]) -> Outcome {
    let pair = "http --builtin old=http --builtin new=http --rounds 2 --slice 400ms --warmup 100ms";
    let pair = words(pair).into_iter().chain(condition.map(str::to_owned));
    Tenbin::new(scratch, pair).run()
}

#[test]
fn what_cannot_be_told_and_what_is_proven_have_codes_of_their_own() {
    let scratch = Scratch::new("undecided");
    // 6: a busy machine can make the run INVALID.
    let told = compared_briefly(&scratch, ["--expect", "throughput>0.97x baseline"]);
    assert!(matches!(told.code, Some(6 | 8)), "{told}");
    told.expect_stdout("cannot tell");
    let unproven = compared_briefly(&scratch, ["--fail-if", "throughput<0.97x baseline"]);
    unproven.expect_measured();
    unproven.expect_stdout("not proven");
    let proven = compared_briefly(&scratch, ["--fail-if", "max>1us"]);
    assert!(matches!(proven.code, Some(6 | 7)), "{proven}");
    if proven.code == Some(7) {
        proven
            .expect_stdout("FAILED: longest time of old is ")
            .expect_stdout("must not be above 1 µs");
    }
}

/// Options for two servers whose every second start is half as fast. `begin` is 0 for a fast first
/// start, 1 for a slow one.
fn uneven_starts(scratch: &Scratch, begin: [u32; 2]) -> Vec<String> {
    let script = scratch.write(
        "start.sh",
        "n=$(cat $1 2>/dev/null || echo $2)\necho $((n + 1)) > $1\n\
         exec $3 serve truth --listen 127.0.0.1:$4 --service fixed:$((4 + 4 * (n % 2)))ms\n",
    );
    let launch = |name: &str, begin: u32| {
        let program = env!("CARGO_BIN_EXE_tenbin");
        let starts = scratch.path().join(name);
        format!(
            "{name}=sh {script} {} {begin} {program} {{port}}",
            starts.display()
        )
    };
    let both = [launch("old", begin[0]), launch("new", begin[1])];
    let both = both.into_iter().flat_map(|it| ["--launch".to_owned(), it]);
    ["http".to_owned()].into_iter().chain(both).collect()
}

#[test]
fn an_interval_contains_how_much_starts_of_a_program_differ() {
    let scratch = Scratch::new("starts");
    let rounds = "--rounds 12 --fail-if 'throughput<0.9x baseline'";
    let run = |more: &str| {
        let servers = uneven_starts(&scratch, [0, 1]);
        let options = words(format!("{SHORT} {rounds} {more}"));
        Tenbin::new(&scratch, servers.into_iter().chain(options)).run()
    };
    let restarted = run("");
    restarted.expect_measured();
    restarted
        .expect_stdout("targets restarted")
        .expect_stdout("cannot tell");
    let once = run("--relaunch=never");
    assert!(matches!(once.code, Some(6 | 7)), "{once}");
    once.expect_stdout("slower");
    scratch.expect_nobody_left(std::time::Duration::from_secs(10));
}

#[test]
fn the_figure_that_decides_is_that_of_the_verdict() {
    let scratch = Scratch::new("decide");
    let decided = |figure: &str| {
        let _ = std::fs::remove_dir_all(scratch.path().join("runs"));
        let pair = "http --builtin old=http --builtin new=http --rounds 12";
        let conditions = format!("--expect p95<1h,p99.9<1h,mean<1h --decide {figure}");
        Tenbin::line(&scratch, format!("{pair} {conditions} {SHORT}")).run()
    };
    for (figure, words) in [
        ("cpu", "server CPU per operation"),
        ("p95", "95th percentile of service time"),
        ("mean", "mean service time"),
    ] {
        let run = decided(figure);
        // 8: a slice can have too few requests for a 99.9th percentile.
        assert!(matches!(run.code, Some(0 | 6 | 8)), "{run}");
        if run.code != Some(6) {
            let verdict = run.answer();
            assert!(
                verdict.contains(words) || verdict.to_lowercase().contains("cannot"),
                "{run}"
            );
            run.expect_stdout(words);
        }
    }
    let refused = decided("max");
    refused.expect_code(2).expect_stderr("--decide");
}

#[test]
fn a_sweep_names_the_smallest_value_that_is_enough() {
    let scratch = Scratch::new("sweep");
    let tenbin = env!("CARGO_BIN_EXE_tenbin");
    let plan = scratch.write(
        "sweep.toml",
        format!(
            "[rounds]\ncount = 42\nslice = \"100ms\"\nlead = \"20ms\"\ngap = \"0s\"\nwarmup = \"0s\"\n\
             [load]\nconnections = 2\n\
             [[target]]\nname = \"bucket\"\n\
             command = ['{tenbin}', 'serve', 'truth', '--listen', '127.0.0.1:{{port}}', '--capacity', \
             '{{rate}}/s']\n\
             sweep.rate = [500, 1000, 1020]\n\
             [[workload]]\nkind = \"http\"\nname = \"get\"\n"
        ),
    );
    let run = Tenbin::new(&scratch, ["run", &plan]).run();
    run.expect_measured();
    run.expect_stdout("bucket@rate=500");
    // On a busy machine, a slice can have no response.
    if run.code == Some(0) {
        run.expect_stdout("sweep_optimum");
        let verdict = run.answer();
        // Either 1000 or 1020 is accepted, because a busy machine cannot distinguish them.
        assert!(verdict.contains("the optimum of bucket"), "{run}");
        assert!(!verdict.contains("rate=500 is"), "{run}");
    }
}
