//! Compares runs with earlier runs: synthetic runs and published files.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[allow(dead_code, reason = "made for all tests")]
mod made_up;

use tenbin_plan::{Checksum, Mix, Payload, S3Operation, S3Work, WorkloadKind};
use tenbin_report::formats::format;
use tenbin_report::{Results, against, terminal_earlier};
use tenbin_result::{Document, Earlier, EarlierOutcome, EarlierPart, Figure, Language};

fn published(name: &str) -> Results {
    let path = format!("{}/tests/published/{name}", env!("CARGO_MANIFEST_DIR"));
    Results::of_file(name, &std::fs::read(path).unwrap()).unwrap()
}

fn names(changed: &[&str]) -> Vec<String> {
    changed.iter().map(|name| (*name).to_owned()).collect()
}

/// The pair with the throughput of GET and PUT multiplied by these factors, on both targets.
fn later(get: f64, put: f64) -> Document {
    let mut run = made_up::pair();
    for slice in &mut run.slices {
        let share = if slice.workload == "get-1KiB" {
            get
        } else {
            put
        };
        slice.ops[0].counts.ok = (slice.ops[0].counts.ok as f64 * share) as u64;
    }
    // The finding about more throughput than the connections can carry is irrelevant here.
    let mut document = run.document();
    document.trust = tenbin_result::Trust::Valid;
    document
}

fn compared(after: &Document, changed: &[&str]) -> Earlier {
    let before = Results::of_document(&made_up::pair().document());
    against(&before, &Results::of_document(after), &names(changed)).unwrap()
}

#[test]
fn the_published_change_of_one_operation() {
    let before = published("jog-before.gobench.txt");
    let after = published("jog-after.gobench.txt");
    let earlier = against(&before, &after, &names(&["ListObjectsV2"])).unwrap();
    // 71,905,724 ns/op became 1,236,099 ns/op, measured once each.
    let mut changes = earlier.changes.iter();
    let list = changes.find(|each| each.unit.is_none() && each.workload == "ListObjectsV2-8");
    let list = list.unwrap();
    assert!(
        (list.ratio.unwrap().value - 58.171_5).abs() < 1e-3,
        "{list:?}"
    );
    assert_eq!(list.ratio.unwrap().interval, None);
    // The memory table of the analysis: a client that needs a ninth of the memory for a listing.
    let better: Vec<String> = earlier
        .changes
        .iter()
        .filter(|each| each.workload == "ListObjectsV2-8")
        .filter_map(|each| Some(format!("{} {:.1}", each.unit.as_ref()?, each.ratio?.value)))
        .collect();
    assert_eq!(better, ["B/op 8.0", "allocs/op 9.1"]);
    assert_eq!(
        (list.part, list.change),
        (EarlierPart::Changed, EarlierOutcome::TooFew)
    );
    insta::assert_snapshot!(terminal_earlier(&earlier, Language::English, true));
}

#[test]
fn the_short_form_is_the_answer_the_table_and_one_next_step() {
    let before = published("jog-before.gobench.txt");
    let after = published("jog-after.gobench.txt");
    let earlier = against(&before, &after, &names(&["ListObjectsV2"])).unwrap();
    let text = terminal_earlier(&earlier, Language::English, false);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "CANNOT TELL whether ListObjectsV2-8 changed: jog-before.gobench.txt, \
         jog-after.gobench.txt were not measured by tenbin."
    );
    assert!(lines[1].starts_with("workload "), "{text}");
    let [.., next, rest] = lines.as_slice() else {
        panic!("{text}");
    };
    assert!(
        next.starts_with("next: measure both versions with tenbin, as two targets"),
        "{text}"
    );
    assert!(
        rest.starts_with("before: jog-before.gobench.txt; after: jog-after.gobench.txt; tenbin"),
        "{text}"
    );
    assert!(!text.contains("note:"), "{text}");

    let mut after = later(3.0, 1.0);
    after.trust = tenbin_result::Trust::Invalid;
    let invalid = compared(&after, &["get-1KiB"]);
    let text = terminal_earlier(&invalid, Language::English, false);
    assert!(text.starts_with("INVALID  "), "{text}");
    let decided = compared(&later(1.7, 1.04), &["get-1KiB"]);
    let text = terminal_earlier(&decided, Language::English, false);
    assert!(
        text.starts_with("FASTER: get-1KiB (memory), get-1KiB (durable).\n"),
        "{text}"
    );
    assert!(!text.contains("next: "), "{text}");
}

#[test]
fn a_ratio_that_is_paired_by_round_is_marked_if_the_table_does_not_give_it() {
    let mut earlier = compared(&on_a_machine(0.5, 1.0), &[]);
    let paired = "* paired by round; differs from the quotient of the columns";
    let text = terminal_earlier(&earlier, Language::English, false);
    assert!(!text.contains(paired), "{text}");
    for divided in earlier
        .changes
        .iter_mut()
        .filter_map(|it| it.divided.as_mut())
    {
        divided.value = 1.2;
    }
    let text = terminal_earlier(&earlier, Language::English, false);
    assert!(text.contains(paired) && text.contains("1.200*"), "{text}");
}

#[test]
fn a_change_is_distinguished_from_the_controls() {
    let after = later(1.7, 1.04);
    let earlier = compared(&after, &["get-1KiB"]);
    let of = |workload: &str| {
        let mut all = earlier.changes.iter();
        all.find(|each| each.workload == workload).unwrap().clone()
    };
    assert_eq!(of("get-1KiB").change, EarlierOutcome::Faster);
    assert_eq!(of("put-1KiB").part, EarlierPart::Control);
    let drifted = compared(&later(1.12, 1.15), &["get-1KiB"]);
    let mut get = drifted.changes.iter();
    let get = get.find(|each| each.workload == "get-1KiB").unwrap();
    assert_eq!(get.change, EarlierOutcome::Drift);
}

/// The pair on a machine with another speed.
fn on_a_machine(speed: f64, challenger: f64) -> Document {
    let mut run = made_up::pair();
    let baseline = run.plan.targets[run.plan.comparing.baseline].name.clone();
    for slice in &mut run.slices {
        let share = if slice.target == baseline {
            speed
        } else {
            speed * challenger
        };
        slice.ops[0].counts.ok = (slice.ops[0].counts.ok as f64 * share) as u64;
    }
    let mut document = run.document();
    document.trust = tenbin_result::Trust::Valid;
    document
}

#[test]
fn what_the_shared_baseline_lost_too_is_never_called_slower() {
    let of = |speed: f64, challenger: f64| {
        let earlier = compared(&on_a_machine(speed, challenger), &[]);
        assert_eq!(earlier.shared.len(), 1, "{earlier:?}");
        let (control, tested): (Vec<_>, Vec<_>) = earlier
            .changes
            .iter()
            .cloned()
            .partition(|each| each.part == EarlierPart::Control);
        assert_eq!((control.len(), tested.len()), (2, 2));
        (earlier, tested)
    };
    let (earlier, tested) = of(0.5, 1.0);
    for each in &tested {
        assert!((each.ratio.unwrap().value - 0.5).abs() < 0.01, "{each:?}");
        assert!((each.divided.unwrap().value - 1.0).abs() < 0.01, "{each:?}");
        assert_eq!(each.change, EarlierOutcome::Drift);
    }
    insta::assert_snapshot!(terminal_earlier(&earlier, Language::English, true));
    let (_, tested) = of(0.9, 0.5);
    for each in &tested {
        assert_eq!(each.change, EarlierOutcome::Slower);
        let interval = each.divided.unwrap().interval.unwrap();
        assert!(interval.low < 0.5 && 0.5 < interval.high, "{interval:?}");
    }
    let (earlier, tested) = of(0.5, 0.3);
    for each in &tested {
        assert_eq!(each.change, EarlierOutcome::Differs);
    }
    let text = terminal_earlier(&earlier, Language::English, true);
    assert!(
        text.contains("a control changed by a factor of 0.500 (limit: 1.25 in either direction)"),
        "{text}"
    );
}

/// A run of the same pair. Machine, starts and slices have other speeds, as on a host that others
/// use too; a seed always gives the same run.
fn another_run(seed: u64) -> Document {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut unit = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut run = made_up::pair();
    let machine = [1.0, 1.0, 0.6, 0.32][(4.0 * unit()) as usize] * (0.9 + 0.2 * unit());
    let starts: Vec<f64> = run
        .plan
        .targets
        .iter()
        .map(|_| 0.92 + 0.16 * unit())
        .collect();
    for slice in &mut run.slices {
        let mut targets = run.plan.targets.iter();
        let at = targets
            .position(|target| target.name == slice.target)
            .unwrap();
        let speed = machine * starts[at] * (0.98 + 0.04 * unit());
        slice.ops[0].counts.ok = (slice.ops[0].counts.ok as f64 * speed) as u64;
    }
    let mut document = run.document();
    document.run.id = format!("run {seed}");
    document.trust = tenbin_result::Trust::Valid;
    document
}

#[test]
fn two_runs_of_one_experiment_are_never_faster_or_slower() {
    let runs: Vec<Results> = (1..=28)
        .map(|seed| Results::of_document(&another_run(seed)))
        .collect();
    for history in [&[][..], &runs[20..]] {
        let mut by_slices = 0;
        for pair in runs[..20].chunks(2) {
            let before = pair[0].clone().with_history(history.to_vec());
            let earlier = against(&before, &pair[1], &[]).unwrap();
            let tested = earlier.changes.iter();
            for each in tested.filter(|each| each.part != EarlierPart::Control) {
                let is_called = [EarlierOutcome::Faster, EarlierOutcome::Slower];
                assert!(!is_called.contains(&each.change), "{each:?}");
                let spread = each.run_to_run.unwrap();
                assert_eq!(spread.freedom.is_some(), !history.is_empty(), "{spread:?}");
                by_slices += u32::from((each.divided.unwrap().value - 1.0).abs() > 0.05);
            }
        }
        assert!(by_slices > 5, "the runs differ: {by_slices}");
    }
}

#[test]
fn only_valid_runs_of_the_same_work_are_a_history() {
    let freedom = |others: Vec<Document>| {
        let of = |document: &Document| Results::of_document(document);
        let before = of(&another_run(1)).with_history(others.iter().map(of).collect());
        let earlier = against(&before, &of(&another_run(2)), &[]).unwrap();
        let mut tested = earlier.changes.iter().filter_map(|each| each.run_to_run);
        tested.next().unwrap().freedom
    };
    let runs = || (3..10).map(another_run);
    assert_eq!(freedom(runs().collect()), Some(7));
    assert_eq!(
        freedom(runs().take(3).collect()),
        None,
        "four runs are too few"
    );
    let doubted = runs().map(|mut run| {
        run.trust = tenbin_result::Trust::Suspect;
        run
    });
    assert_eq!(freedom(doubted.collect()), None);
    let elsewhere = runs().map(|mut run| {
        run.environment.hostname = Some("other".to_owned());
        run
    });
    assert_eq!(freedom(elsewhere.collect()), None);
    let other_work = runs().map(|mut run| {
        for work in &mut run.workloads {
            work.load = "another load".to_owned();
            work.settings = None;
        }
        run
    });
    assert_eq!(freedom(other_work.collect()), None);
    let twice = vec![another_run(1); 6];
    assert_eq!(freedom(twice), None, "the earlier run itself is one run");
}

#[test]
fn a_run_that_is_suspect_lets_two_runs_differ_at_most() {
    let mut after = later(3.0, 1.0);
    after.trust = tenbin_result::Trust::Suspect;
    let earlier = compared(&after, &["get-1KiB"]);
    let mut get = earlier.changes.iter();
    let get = get.find(|each| each.workload == "get-1KiB").unwrap();
    assert_eq!(get.change, EarlierOutcome::Differs);
    let text = terminal_earlier(&earlier, Language::English, true);
    assert!(text.contains("is not VALID: repeat it"), "{text}");
}

#[test]
fn without_anything_shared_two_runs_only_differ() {
    let alone = |share: f64| {
        let mut document = made_up::single().document();
        for slice in &mut document.slices {
            slice.throughput = slice.throughput.map(|rate| rate * share);
            slice.p50 = slice.p50.map(|seconds| seconds / share);
        }
        document.trust = tenbin_result::Trust::Valid;
        Results::of_document(&document)
    };
    let earlier = against(&alone(1.0), &alone(0.5), &[]).unwrap();
    assert_eq!(earlier.shared, [""; 0]);
    assert_eq!(earlier.changes[0].change, EarlierOutcome::Differs);
    let text = terminal_earlier(&earlier, Language::English, true);
    assert!(
        text.contains("differs between runs, cause unknown"),
        "{text}"
    );
    assert!(
        text.contains("no control shows how much the machine changed"),
        "{text}"
    );
}

/// The published tutorial violates Little's law; the other file contains only HTTP 400 responses.
#[test]
fn a_file_that_is_invalid_is_said_to_be_first() {
    let tutorial = published("droonga-tutorial.csv");
    let all_failed = "n_clients,total_n_requests,queries_per_second,min_elapsed_time,\
                      max_elapsed_time,average_elapsed_time,200,400\n\
                      1,2820,94.0,0.0001,0.002,0.0006,0.0,100.0\n\
                      2,5640,188.0,0.0001,0.002,0.0006,0.0,100.0\n";
    let nope = Results::of_file("nope.csv", all_failed.as_bytes()).unwrap();
    let earlier = against(&tutorial, &nope, &[]).unwrap();
    let text = terminal_earlier(&earlier, Language::English, true);
    let mut lines = text.lines();
    for name in ["droonga-tutorial.csv", "nope.csv"] {
        let line = lines.next().unwrap();
        assert!(
            line.starts_with(&format!("INVALID  {name}; no verdict: ")),
            "{text}"
        );
    }
    let words = earlier.changes.iter().map(|each| each.change);
    assert!(words.clone().count() > 0);
    assert!(
        words
            .into_iter()
            .all(|word| word == EarlierOutcome::NoVerdict)
    );
}

#[test]
fn the_page_of_a_run_has_it() {
    let mut after = later(1.7, 1.04);
    after.earlier = Some(compared(&after, &["get-1KiB"]));
    let page = format("markdown").unwrap().bytes(&after);
    let page = String::from_utf8(page).unwrap();
    let section = page.split_once("## Before and after").unwrap().1;
    insta::assert_snapshot!(section.split_once("\n**VALID**").unwrap().0);
    assert!(made_up::terminal(&after, 200, false).contains("Before and after"));
    let json = format("json").unwrap().bytes(&after);
    let back = tenbin_result::document_from_json(&json).unwrap();
    assert_eq!(back, after);
}

#[test]
fn runs_that_differ_in_what_matters_are_refused_in_one_sentence() {
    let before = made_up::pair();
    let refusal = |after: &Document, changed: &[&str]| {
        let before = Results::of_document(&before.document());
        against(&before, &Results::of_document(after), &names(changed))
            .unwrap_err()
            .to_string()
    };
    let mut elsewhere = made_up::pair();
    elsewhere.environment.hostname = Some("other".to_owned());
    assert!(refusal(&elsewhere.document(), &[]).contains("different machines (host \"balance\""));

    let mut harder = made_up::pair();
    harder.plan.workloads[0].load.connections = 64;
    assert!(
        refusal(&harder.document(), &[]).contains("different requests in workload \"put-1KiB\"")
    );

    let same = before.document();
    assert!(
        refusal(&same, &["list"])
            .contains("not a workload of both runs; they have get-1KiB, put-1KiB")
    );

    let mut renamed = made_up::pair().document();
    for each in &mut renamed.results {
        each.target += "-2";
    }
    let others = refusal(&renamed, &[]);
    let expected = "have no target in common: memory, durable; then memory-2, durable-2; compare";
    assert!(others.contains(expected), "{others}");

    let go = published("minio.gobench.txt");
    let nothing = against(&Results::of_document(&same), &go, &[])
        .unwrap_err()
        .to_string();
    assert!(
        nothing.contains("no workload on the same target in common"),
        "{nothing}"
    );
    assert!(
        Results::of_file("x", b"hello")
            .unwrap_err()
            .contains("x: is none of the results that can be read; ")
    );
}

/// The pair with a change to its S3 work.
fn changed(change: impl Fn(&mut S3Work)) -> Document {
    let mut run = made_up::pair();
    for workload in &mut run.plan.workloads {
        if let WorkloadKind::S3(work) = &mut workload.kind {
            change(work);
        }
    }
    run.document()
}

#[test]
fn work_that_differs_in_any_setting_is_said_to_differ_everywhere() {
    let before = made_up::pair().document();
    type Case = (&'static str, &'static str, &'static str, fn(&mut S3Work));
    let cases: &[Case] = &[
        (
            "range not given, then \"random:512\"",
            ", range random:512",
            "/range=random:512",
            |work| work.range = Some("random:512".parse().unwrap()),
        ),
        (
            "payload \"signed\", then \"unsigned\"",
            ", payload unsigned",
            "/payload=unsigned",
            |work| work.payload = Payload::Unsigned,
        ),
        (
            "versions not given, then \"5\"",
            ", 5 versions of each",
            "/versions=5",
            |work| work.versions = 5,
        ),
        (
            "checksum not given, then \"crc32c\"",
            ", checksum crc32c",
            "/checksum=crc32c",
            |work| work.checksum = Checksum::Crc32c,
        ),
        (
            "buckets not given, then \"3\"",
            ", 3 buckets",
            "/buckets=3",
            |work| work.buckets = 3,
        ),
    ];
    for (difference, described, named, change) in cases {
        let after = changed(change);
        let sides = [&before, &after].map(Results::of_document);
        let refusal = against(&sides[0], &sides[1], &[]).unwrap_err().to_string();
        assert!(refusal.contains(difference), "{refusal}");
        let description = &after.workloads[0].description;
        assert!(description.contains(described), "{description}");
        let lines = format("go").unwrap().bytes(&after);
        let lines = String::from_utf8(lines).unwrap();
        assert!(lines.contains(named), "{lines}");
    }
    let pages = |page: u32| {
        let document = changed(|work| {
            work.mix = Mix::only(S3Operation::List);
            work.verify = false;
            work.page = page;
        });
        Results::of_document(&document)
    };
    let refusal = against(&pages(1000), &pages(5), &[])
        .unwrap_err()
        .to_string();
    assert!(refusal.contains("page \"1000\", then \"5\""), "{refusal}");
}

#[test]
fn targets_that_only_one_run_has_are_named() {
    let before = made_up::pair();
    let mut after = made_up::pair();
    let gone = after.plan.targets[1].name.clone();
    after.plan.targets[1].name = "newcomer".to_owned();
    for slice in &mut after.slices {
        if slice.target == gone {
            slice.target = "newcomer".to_owned();
        }
    }
    let sides = [before.document(), after.document()].map(|it| Results::of_document(&it));
    let warnings = against(&sides[0], &sides[1], &[]).unwrap().warnings;
    let has = |name: &str| {
        let named = format!("measured target {name:?}, which is not compared");
        warnings.iter().any(|warning| warning.contains(&named))
    };
    assert!(has("newcomer") && has(&gone), "{warnings:?}");
}

#[test]
fn where_the_objects_are_does_not_matter() {
    let before = made_up::pair().document();
    let elsewhere = changed(|work| {
        work.bucket = "other".to_owned();
        work.prefix = Some("mine/".to_owned());
    });
    let sides = [&before, &elsewhere].map(Results::of_document);
    against(&sides[0], &sides[1], &[]).unwrap();
}

#[test]
fn our_own_benchmark_lines_say_the_same_as_the_run() {
    let before = made_up::pair().document();
    let after = later(1.3, 1.04);
    let lines = |document: &Document| {
        let text = format("go").unwrap().bytes(document);
        Results::of_file("benchmark.txt", &text).unwrap()
    };
    let from_lines = against(&lines(&before), &lines(&after), &[]).unwrap();
    let from_runs = compared(&after, &[]);
    let ratios = |earlier: &Earlier| -> Vec<f64> {
        let speeds = earlier.changes.iter().filter(|each| each.unit.is_none());
        speeds.map(|each| each.ratio.unwrap().value).collect()
    };
    for (lines, runs) in ratios(&from_lines).iter().zip(ratios(&from_runs)) {
        assert!((lines - runs).abs() < 1e-5, "{lines} {runs}");
    }
}

/// A page of half the size, or failed responses, must not count as twice the speed.
#[test]
fn no_verdict_without_the_same_answers() {
    let with = |bytes: u64, failed: u64| {
        let mut document = made_up::single().document();
        for slice in &mut document.slices {
            slice.payload_bytes = slice.ok.map(|ok| ok * bytes);
            slice.failed = slice.ok.map(|ok| ok * failed / 100);
        }
        document.trust = tenbin_result::Trust::Valid;
        document
    };
    let against_usual = |after: &Document| {
        let before = Results::of_document(&with(1_000, 0));
        against(&before, &Results::of_document(after), &[]).unwrap()
    };
    let silent = against_usual(&with(1_030, 0));
    assert_ne!(silent.changes[0].change, EarlierOutcome::NoVerdict);
    assert!(!silent.warnings.iter().any(|it| it.contains("no verdict")));
    for (after, why) in [
        (
            with(400, 0),
            "a response had 1000 bytes on average, then 400",
        ),
        (with(1_000, 5), "of the work failed, then 4.7 %"),
    ] {
        let earlier = against_usual(&after);
        assert_eq!(earlier.changes[0].change, EarlierOutcome::NoVerdict);
        let told = earlier.warnings.iter().any(|it| it.contains(why));
        assert!(told, "{why}: {:?}", earlier.warnings);
    }
    let mut invalid = with(1_000, 0);
    invalid.trust = tenbin_result::Trust::Invalid;
    let earlier = against_usual(&invalid);
    assert_eq!(earlier.changes[0].change, EarlierOutcome::NoVerdict);
}

/// A Groonga run and an OpenSearch run with one list of terms: hits are compared, sizes are
/// reported.
#[test]
fn servers_of_two_kinds_are_compared_by_the_hits_of_their_terms() {
    use tenbin_result::{PatternResult, Setting};

    let run = |target: &str, bytes: u64, hits: [u64; 3]| {
        let mut document = made_up::single().document();
        document.trust = tenbin_result::Trust::Valid;
        for work in &mut document.workloads {
            let setting = |key: &str, value: &str| Setting {
                key: key.to_owned(),
                value: value.to_owned(),
                usual: false,
            };
            let settings = work.settings.get_or_insert_default();
            settings.push(setting("by_target", &format!("{{ {target} = … }}")));
            settings.push(setting("hits_tolerance", "10%"));
        }
        for slice in &mut document.slices {
            slice.target = target.to_owned();
            slice.payload_bytes = slice.ok.map(|ok| ok * bytes);
        }
        for result in &mut document.results {
            result.target = target.to_owned();
            let of_terms = ["street", "station", "shrine"].into_iter().zip(hits);
            let pattern = |(at, (term, hits)): (u32, (&str, u64))| PatternResult {
                request: Some(term.to_owned()),
                pattern: at,
                ok: 9,
                failed: 0,
                mean: None,
                min: None,
                max: None,
                hits: Some(hits),
            };
            result.patterns = (0..).zip(of_terms).map(pattern).collect();
        }
        document
    };
    let groonga = run("groonga", 800, [100, 20, 7]);
    let against_groonga = |other: &Document| {
        let sides = [&groonga, other].map(Results::of_document);
        against(&sides[0], &sides[1], &[]).unwrap()
    };
    let same = against_groonga(&run("opensearch", 2_100, [104, 20, 7]));
    assert_ne!(same.changes[0].change, EarlierOutcome::NoVerdict);
    assert_eq!(
        same.changes[0].target.as_deref(),
        Some("groonga, then opensearch")
    );
    let said = |earlier: &Earlier, words: &str| {
        let mut warnings = earlier.warnings.iter();
        assert!(
            warnings.any(|warning| warning.contains(words)),
            "{words}: {:?}",
            earlier.warnings
        );
    };
    said(
        &same,
        "a response had 800 bytes on average, then 2100: expected",
    );
    let other = against_groonga(&run("opensearch", 800, [100, 2, 7]));
    assert_eq!(other.changes[0].change, EarlierOutcome::NoVerdict);
    said(
        &other,
        "1 of 3 terms have numbers of hits that differ by more than the tolerance of 10 %: \
         \"station\" 20, then 2",
    );
}

/// Every mixture of a run and files of other tools has the same structure, and no verdict.
#[test]
fn a_run_is_compared_with_a_file_and_gets_no_verdict() {
    let file = |name: &str| {
        let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
        Results::of_file(name, &std::fs::read(path).unwrap()).unwrap()
    };
    let mut document = made_up::single().document();
    let kept = document.workloads[0].name.clone();
    document.workloads.truncate(1);
    document.results.retain(|result| result.workload == kept);
    document.slices.retain(|slice| slice.workload == kept);
    document.trust = tenbin_result::Trust::Valid;
    let run = Results::of_document(&document);
    let wrk = file("http/wrk-latency.txt");
    let hey = file("http/hey.txt");
    let warp = file("warp/warp-put.json.zst");
    for (before, after) in [
        (&run, &wrk),
        (&wrk, &run),
        (&wrk, &hey),
        (&hey, &warp),
        (&warp, &run),
    ] {
        let earlier = against(before, after, &[]).unwrap();
        let [change] = earlier.changes.as_slice() else {
            panic!("{earlier:?}");
        };
        assert_eq!(change.change, EarlierOutcome::NoVerdict, "{earlier:?}");
        let text = terminal_earlier(&earlier, Language::English, true);
        for part in ["tools differ", "cannot be concluded from these files"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    // The same tool with the same load: still one run each.
    let earlier = against(&wrk, &wrk, &[]).unwrap();
    assert_eq!(earlier.changes[0].change, EarlierOutcome::TooFew);
    assert!(
        terminal_earlier(&earlier, Language::English, true)
            .contains("one run per side is inconclusive")
    );
}

#[test]
fn percentiles_are_compared_where_files_have_times_only() {
    let text = |p50: f64, p99: f64| {
        format!(
            "       Value     Percentile TotalCount 1/(1-Percentile)\n\n\
             1.000 0.000000000000 1 1.00\n{p50:.3} 0.500000000000 500 2.00\n\
             {p99:.3} 0.990000000000 990 100.00\n9.000 1.000000000000 1000\n\
             #[Mean    =        1.600, StdDeviation   =        0.400]\n\
             #[Max     =        9.000, Total count    =         1000]\n\
             #[Buckets =           20, SubBuckets     =         2048]\n"
        )
    };
    let of = |name: &str, text: String| Results::of_file(name, text.as_bytes()).unwrap();
    let (before, after) = (of("a.hgrm", text(1.5, 4.0)), of("b.hgrm", text(1.5, 8.0)));
    let earlier = against(&before, &after, &[]).unwrap();
    let of = |at: usize| {
        (
            earlier.changes[at].workload.as_str(),
            earlier.changes[at].ratio.as_ref().unwrap().value,
        )
    };
    for (at, name, ratio) in [(0, "values p50", 1.0), (1, "values p99", 0.5)] {
        let found = of(at);
        assert_eq!(found.0, name);
        assert!((found.1 - ratio).abs() < 1e-9, "{found:?}");
    }
    let printed = terminal_earlier(&earlier, Language::English, true);
    assert!(printed.contains("4.00 ms"), "{printed}");
    // Figures that are no figures are not compared.
    let none = b"Running 30s test @ http://127.0.0.1:9001/\n  2 threads and 8 connections\n  \
        Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency     0.00us    0.00us   \
        0.00us    -nan%\n    Req/Sec     0.00      0.00     0.00    -nan%\n  0 requests in \
        30.00s, 0.00B read\nRequests/sec:      0.00\nTransfer/sec:       0.00B\n";
    assert!(Results::of_file("wrk.txt", none).is_err());
}

/// An older version wrote only the English text of a note, and a newer one can have notes that this
/// version does not know: the text is printed unchanged.
#[test]
fn a_note_without_a_known_message_stays_english() {
    use tenbin_result::Message;

    let mut earlier = compared(&later(1.7, 1.04), &["get-1KiB"]);
    earlier.warnings = vec!["one thing".to_owned(), "another".to_owned()];
    earlier.warning_data = vec![Message::new("of-a-newer-version")];
    let text = terminal_earlier(&earlier, Language::Japanese, true);
    assert!(
        text.contains("注記: one thing") && text.contains("注記: another"),
        "{text}"
    );
}

/// Words of a Japanese text that are not Japanese, in lower case. Names, flags, units and figures are
/// expected; a sentence that was not translated has others.
fn latin_words(text: &str) -> Vec<String> {
    let words =
        text.split(|letter: char| !letter.is_ascii_alphanumeric() && !"-_./".contains(letter));
    let plain = words.filter(|word| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase()));
    plain.map(str::to_owned).collect()
}

#[test]
fn a_comparison_in_japanese_has_no_english_sentence() {
    let mut before = made_up::invalid().document();
    before.run.id = "2026-01-01T000000-quickstart".to_owned();
    let after = Results::of_document(&made_up::pair().document());
    let invalid = against(&Results::of_document(&before), &after, &[]);
    let runs = [
        compared(&later(1.7, 1.04), &["get-1KiB"]),
        compared(&on_a_machine(0.5, 0.3), &[]),
        invalid.unwrap(),
    ];
    let files = against(
        &published("jog-before.gobench.txt"),
        &published("jog-after.gobench.txt"),
        &[],
    );
    for earlier in runs.iter().chain([&files.unwrap()]) {
        let text = [false, true].map(|all| terminal_earlier(earlier, Language::Japanese, all));
        let text = text.join("\n");
        let names = [
            "get", "put", "quickstart", "memory", "durable", "little", "errors", "ms", "tenbin",
            "compare", "changed", // Text of the server.
            "script", "alert", "/script",
        ];
        let words = latin_words(&text);
        let english: Vec<_> = words
            .iter()
            .filter(|it| !names.contains(&it.as_str()))
            .collect();
        assert!(english.is_empty(), "{english:?} in\n{text}");
    }
    insta::assert_snapshot!(terminal_earlier(&runs[0], Language::Japanese, true));
}

#[test]
fn a_direction_that_one_of_two_files_states_holds_for_both() {
    let go = |text: &str| Results::of_file("x", text.as_bytes()).expect("a benchmark file");
    let line = |hits: u64| format!("BenchmarkX 9 5 ns/op {hits} hits/op\n").repeat(6);
    let unit = |better: &str| format!("Unit hits/op better={better}\n");
    let ratio = |before: &str, after: &str| {
        let earlier = against(&go(before), &go(after), &[]).expect("a comparison");
        let hits = earlier
            .changes
            .iter()
            .find(|it| it.unit.as_deref() == Some("hits/op"));
        let hits = hits.expect("a row").clone();
        let value = hits.ratio.expect("a ratio").value;
        ((1000.0 * value).round() / 1000.0, hits.undirected)
    };
    let (few, many) = (line(10), line(100));
    assert_eq!(ratio(&few, &many), (10.0, true));
    let lower = unit("lower") + &few;
    assert_eq!(ratio(&lower, &many), (0.1, false));
    assert_eq!(ratio(&many, &lower), (10.0, false));
    let higher = unit("higher") + &many;
    assert_eq!(ratio(&few, &higher), (10.0, false));
    assert_eq!(ratio(&lower, &higher), (10.0, true));
}

#[test]
fn benchmarks_of_other_machines_and_figures_without_a_ratio_are_told() {
    let go = |name: &str, text: &str| Results::of_file(name, text.as_bytes()).expect("a file");
    let before =
        "goos: linux\ncpu: A\n".to_owned() + &"BenchmarkX 9 5 ns/op 0 allocs/op 0 B/op\n".repeat(6);
    let after =
        "goos: linux\ncpu: B\n".to_owned() + &"BenchmarkX 9 5 ns/op 7 allocs/op 0 B/op\n".repeat(6);
    let earlier = against(&go("a", &before), &go("b", &after), &[]).expect("a comparison");
    assert!(
        earlier.warnings[0].contains("cpu \"A\", then \"B\""),
        "{:?}",
        earlier.warnings
    );
    let [_, allocations] = earlier.changes.as_slice() else {
        panic!("{:?}", earlier.changes);
    };
    assert_eq!(allocations.change, EarlierOutcome::NoRatio);
    let value = |figure: Option<Figure>| figure.map(|figure| figure.value);
    assert_eq!(value(allocations.before), Some(0.0));
    assert_eq!(value(allocations.after), Some(7.0));
}
