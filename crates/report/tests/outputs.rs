//! Checks every output of every kind of run. The documents in `tests/documents` are created from
//! the runs in `made_up`; `TENBIN_UPDATE=1` writes them again.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[allow(dead_code, reason = "shared with other tests")]
mod made_up;

use std::fs;
use std::path::PathBuf;

use made_up::{Run, screen, terminal};
use tenbin_engine::ErrorClass;
use tenbin_record::{CpuUse, MachineUse};
use tenbin_report::formats::{format, kept};
use tenbin_report::last_lines;
use tenbin_result::{
    Comparison, Document, Figure, Interval, Language, Likely, Metric, MetricName, Outcome,
    RunEnded, SliceFigures, Tendency, Trust,
};

type NamedRun = (&'static str, fn() -> Run);

const RUNS: [NamedRun; 6] = [
    ("pair", made_up::pair),
    ("single", made_up::single),
    ("invalid", made_up::invalid),
    ("killed", made_up::killed),
    ("reconnecting", made_up::reconnecting),
    ("multipart", made_up::multipart),
];

fn path_of(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/documents/{name}.json"))
}

fn json(document: &Document) -> Vec<u8> {
    format("json").unwrap().bytes(document)
}

fn stored(name: &str) -> Document {
    let path = path_of(name);
    if std::env::var_os("TENBIN_UPDATE").is_some() {
        let (_, run) = RUNS.iter().find(|(known, _)| *known == name).unwrap();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, json(&run().document())).unwrap();
    }
    serde_json::from_slice(&fs::read(&path).unwrap()).unwrap()
}

fn benchmark(document: &Document) -> String {
    String::from_utf8(format("go").unwrap().bytes(document)).unwrap()
}

fn markdown(document: &Document) -> String {
    String::from_utf8(format("markdown").unwrap().bytes(document)).unwrap()
}

#[test]
fn the_slowest_and_the_failed_requests_are_listed_one_by_one() {
    let document = made_up::telling().document();
    let [durable] = document
        .results
        .iter()
        .filter(|result| result.workload == "get-1KiB" && result.target == "durable")
        .collect::<Vec<_>>()[..]
    else {
        panic!("one result");
    };
    assert_eq!(durable.slow_requests.len(), 16);
    assert!(durable.slow_requests.is_sorted_by(|a, b| a.time >= b.time));
    let view = tenbin_report::View {
        width: 200,
        colour: false,
        extent: tenbin_report::Extent::Section("slow"),
    };
    let page = tenbin_report::terminal(&document, view);
    for text in [
        "12.0 ms", "11.0 ms", "17A", "timeout: a|b<script>", "2×", "token=…",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(
        !page.contains('\u{1b}') && !page.contains("send lag"),
        "{page}"
    );
    assert!(!screen(&document, 120, false).contains("17A"));
}

#[test]
fn slices_stay_in_their_order_however_many_there_are() {
    let mut run = made_up::pair();
    let some = std::mem::take(&mut run.slices);
    run.slices = (0..1_300)
        .map(|index| {
            let mut slice = some[index as usize % some.len()].clone();
            slice.index = index;
            slice
        })
        .collect();
    let document = run.document();
    let found = document.slices.iter().map(|slice| slice.index);
    assert!(found.eq(0..1_300));
}

#[test]
fn the_operation_after_which_a_server_closes_is_named() {
    let mut run = made_up::pair();
    assert!(!markdown(&run.document()).contains("closed after"));
    for slice in run
        .slices
        .iter_mut()
        .filter(|slice| slice.target == "durable")
    {
        slice.ops[0].counts.closed_after = 7;
    }
    let page = markdown(&run.document());
    let (_, table) = page.split_once("which was to stay open:").unwrap();
    let row = table.lines().find(|line| line.contains("durable")).unwrap();
    let slices = run
        .slices
        .iter()
        .filter(|slice| slice.target == "durable" && slice.workload == run.slices[0].workload);
    let expected = format!("| {} |", 7 * slices.count());
    assert!(row.ends_with(&expected), "{row}: {expected}");
}

#[test]
fn a_suite_has_every_operation_its_sizes_and_its_uses_on_one_page() {
    let page = markdown(&made_up::suite().document());
    let (_, suite) = page
        .split_once("<summary>Object storage</summary>")
        .unwrap();
    insta::assert_snapshot!(suite.split_once("</details>").unwrap().0);
    assert!(page.contains("BenchmarkMixed/get=70/put=30/size=1MB/target=durable/conc=16 "));
    assert!(page.contains("BenchmarkListObjectsV2/keys=1000/target=memory/conc=16 "));
}

#[test]
fn stages_of_targets_stand_side_by_side() {
    let document = made_up::telling().document();
    let page = markdown(&document);
    let (_, section) = page.split_once("<summary>Server stages</summary>").unwrap();
    insta::assert_snapshot!(section.split_once("</details>").unwrap().0);
    let page = terminal(&document, 120, false);
    let (_, section) = page.split_once("\nServer stages\n").unwrap();
    insta::assert_snapshot!(
        section
            .split_once("\n\nRequest samples")
            .map_or(section, |(own, _)| own)
    );
    assert!(!page.contains('\u{1b}'), "{page}");
}

#[test]
fn stages_without_a_figure_have_no_row_and_operations_without_one_no_table() {
    let mut document = made_up::telling().document();
    let bands = |result: &mut tenbin_result::ResultOf, change: fn(&mut tenbin_result::StagesOf)| {
        result.stages.iter_mut().for_each(change);
    };
    for result in &mut document.results {
        bands(result, |of| {
            for band in &mut of.bands {
                (band.total, band.remainder) = (None, None);
            }
        });
    }
    let section = |document: &Document| {
        let page = markdown(document);
        let (_, section) = page.split_once("<summary>Server stages</summary>").unwrap();
        section.split_once("</details>").unwrap().0.to_owned()
    };
    let page = section(&document);
    assert!(page.contains("(service time)"), "{page}");
    assert!(!page.contains("(server total)") && !page.contains("(network and client)"));
    let none = "Operations with too few responses for the mean of a band have no table.";
    assert!(!page.contains(none));
    for result in &mut document.results {
        bands(result, |of| {
            of.bands.iter_mut().for_each(|band| band.service = None);
            let means = of.stages.iter_mut().flat_map(|stage| &mut stage.bands);
            means.for_each(|mean| *mean = None);
        });
    }
    let page = section(&document);
    assert!(page.contains(none), "{page}");
    assert!(!page.contains("(service time)"), "{page}");
}

#[test]
fn pair_as_benchmark_lines() {
    insta::assert_snapshot!(benchmark(&stored("pair")));
}

#[test]
fn invalid_as_benchmark_lines() {
    insta::assert_snapshot!(benchmark(&stored("invalid")));
}

#[test]
fn benchmark_lines_are_in_gos_format() {
    for (name, run) in RUNS {
        let document = run().document();
        let text = benchmark(&document);
        let lines = text.lines().filter(|line| line.starts_with("Benchmark"));
        let whole = |slice: &&SliceFigures| !slice.cut_short;
        assert_eq!(
            lines.clone().count(),
            document.slices.iter().filter(whole).count(),
            "{name}: one line a slice"
        );
        for line in lines {
            let words: Vec<&str> = line.split_whitespace().collect();
            let (name, values) = words.split_first().unwrap();
            let (count, pairs) = values.split_first().unwrap();
            count.parse::<u64>().unwrap();
            assert_eq!(pairs.len() % 2, 0, "{line}");
            assert!(pairs.len() >= 2, "{line}");
            for pair in pairs.chunks(2) {
                assert!(pair[0].parse::<f64>().unwrap().is_finite(), "{line}");
                assert!(pair[1].parse::<f64>().is_err(), "{line}");
            }
            // Go reads the text after a last dash as GOMAXPROCS.
            let end = name.rsplit_once('/').unwrap().1;
            assert!(!end.contains('-'), "{name}");
        }
    }
}

#[test]
fn pair_on_a_wide_terminal() {
    insta::assert_snapshot!(screen(&stored("pair"), 120, false));
}

#[test]
fn flagged_slices_are_named_beside_the_ratio_without_them() {
    let mut document = stored("pair");
    assert!(!terminal(&document, 100, false).contains("flagged"));
    let workload = document.slices[2].workload.clone();
    document.slices[2].flags = vec!["outlying".to_owned()];
    let target = document.slices[2].target.clone();
    let mine = |comparison: &&mut tenbin_result::Comparison| {
        comparison.primary && comparison.workload == workload
    };
    let comparison = document.comparisons.iter_mut().find(mine).unwrap();
    comparison.without_flagged = comparison.ratio;
    let told = format!("slice 3 of {target} (outlying)");
    for page in [terminal(&document, 100, false), markdown(&document)] {
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains("without flagged slices"), "{page}");
        assert!(page.contains(&told), "{page}");
    }
}

#[test]
fn every_section_of_a_pair_on_a_terminal() {
    insta::assert_snapshot!(terminal(&stored("pair"), 100, false));
}

#[test]
fn every_section_of_a_run_that_reconnects_on_a_terminal() {
    insta::assert_snapshot!(terminal(&stored("reconnecting"), 100, false));
}

#[test]
fn a_suite_on_a_terminal() {
    insta::assert_snapshot!(screen(&made_up::suite().document(), 100, false));
}

/// Four workloads on two targets must fit the width of most terminals.
#[test]
fn a_pair_fits_a_screen() {
    let text = screen(&made_up::pair().document(), 100, false);
    assert!(text.lines().count() <= 24, "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
    let head: Vec<&str> = text.lines().take(2).collect();
    assert!(
        head[0].starts_with("durable is SLOWER than memory at put-1KiB: throughput × 0.286"),
        "{text}"
    );
    assert!(head[1].contains("EQUIVALENT"), "{text}");
}

#[test]
fn pair_on_a_terminal_in_japanese() {
    let mut pair = stored("pair");
    pair.language = Language::Japanese;
    insta::assert_snapshot!(screen(&pair, 80, false));
}

#[test]
fn pair_on_a_narrow_terminal() {
    insta::assert_snapshot!(screen(&stored("pair"), 80, false));
}

#[test]
fn single_on_a_terminal() {
    insta::assert_snapshot!(screen(&stored("single"), 120, false));
}

#[test]
fn invalid_on_a_terminal() {
    insta::assert_snapshot!(screen(&stored("invalid"), 120, false));
}

#[test]
fn killed_on_a_terminal() {
    insta::assert_snapshot!(screen(&stored("killed"), 120, false));
}

#[test]
fn reconnecting_on_a_terminal() {
    insta::assert_snapshot!(screen(&stored("reconnecting"), 120, false));
}

#[test]
fn reconnecting_as_markdown() {
    insta::assert_snapshot!(markdown(&stored("reconnecting")));
}

#[test]
fn multipart_on_a_terminal() {
    insta::assert_snapshot!(screen(&stored("multipart"), 120, false));
}

#[test]
fn multipart_as_markdown() {
    insta::assert_snapshot!(markdown(&stored("multipart")));
}

#[test]
fn pair_as_markdown() {
    insta::assert_snapshot!(markdown(&stored("pair")));
}

#[test]
fn single_as_markdown() {
    insta::assert_snapshot!(markdown(&stored("single")));
}

#[test]
fn invalid_as_markdown() {
    insta::assert_snapshot!(markdown(&stored("invalid")));
}

#[test]
fn killed_as_markdown() {
    insta::assert_snapshot!(markdown(&stored("killed")));
}

#[test]
fn json_reads_back_as_the_same_document() {
    for (name, run) in RUNS {
        let document = run().document();
        let back: Document = serde_json::from_slice(&json(&document)).unwrap();
        assert_eq!(back, document, "{name}");
        let stored = json(&stored(name));
        assert_eq!(stored, fs::read(path_of(name)).unwrap(), "{name}");
    }
}

#[test]
fn json_says_how_many_operations_succeeded() {
    let run = made_up::pair();
    let value: serde_json::Value = serde_json::from_slice(&json(&run.document())).unwrap();
    let first = &value["results"][0]["operations"][0];
    let expected: u64 = run
        .slices
        .iter()
        .filter(|slice| slice.workload == "put-1KiB" && slice.target == "memory")
        .map(tenbin_record::Slice::ok)
        .sum();
    assert_eq!(first["ok"], expected);
    assert_eq!(value["schema"], "tenbin.result/1");
}

#[test]
fn a_stall_in_one_slice_is_in_every_report() {
    let document = made_up::reconnecting().document();
    assert!(terminal(&document, 120, false).contains(" 3.00 s"));
    assert!(markdown(&document).contains("| 3.00 s |"));
    let stalled = document.slices.iter().filter(|s| s.max > Some(2.9));
    assert_eq!(stalled.count(), 1);
}

/// Documents of older versions with fewer fields can still be read.
#[test]
fn an_older_document_reads() {
    let mut value: serde_json::Value = serde_json::from_slice(&json(&stored("pair"))).unwrap();
    let mut forget = |pointer: &str, names: &[&str]| {
        let fields = value.pointer_mut(pointer).unwrap().as_object_mut().unwrap();
        for name in names {
            assert!(fields.remove(*name).is_some(), "{name}");
        }
    };
    forget("/results/0", &["connections", "hosts"]);
    forget(
        "/results/0/operations/0",
        &["max", "service_p50", "first_byte_p99"],
    );
    forget("/slices/0", &["max"]);
    let old: Document = serde_json::from_value(value).unwrap();
    assert_eq!(old.results[0].connections, None);
    assert!(terminal(&old, 120, false).contains("unknown"));
    markdown(&old);
}

#[test]
fn what_is_not_observed_is_null_and_never_zero() {
    let value: serde_json::Value =
        serde_json::from_slice(&json(&made_up::single().document())).unwrap();
    let result = &value["results"][0];
    for unobserved in ["server_cpu", "peak_rss_bytes", "written_bytes"] {
        assert!(result[unobserved].is_null(), "{unobserved}");
    }
    assert!(value["environment"]["governor"].is_null());
}

#[test]
fn the_last_three_lines_alone_do_not_mislead() {
    for (name, run) in RUNS {
        let document = run().document();
        let text = last_lines(&document);
        let lines: Vec<&str> = text.lines().collect();
        let [trust, verdict, place] = lines[lines.len() - 3..] else {
            panic!("three lines");
        };
        let expected = format!("{:?}", document.trust).to_uppercase();
        assert!(trust.contains(&expected), "{name}: {trust}");
        assert_eq!(
            trust.contains("no finding invalidates"),
            document.findings.is_empty(),
            "{name}: {trust}"
        );
        assert!(verdict.starts_with("Verdict  "), "{name}: {verdict}");
        assert!(
            place.ends_with("runs/2026-01-02T030405-quickstart"),
            "{name}"
        );
        assert_eq!(
            trust.contains("incomplete"),
            !document.run.complete,
            "{name}"
        );
    }
    let invalid = last_lines(&made_up::invalid().document());
    let verdict = invalid.lines().rev().nth(1).unwrap();
    assert!(verdict.ends_with("no verdict on durable against memory at get-1KiB"));
}

#[test]
fn running_text_fits_into_a_narrow_terminal() {
    const WIDTH: usize = 40;
    for (name, run) in RUNS {
        let document = run().document();
        let page = screen(&document, WIDTH, false);
        for line in page.lines() {
            // Paths and table cells can be longer and are not broken.
            let is_words = line.split_whitespace().count() > 3 && !line.contains("  ");
            assert!(
                line.chars().count() <= WIDTH || !is_words,
                "{name}: {line:?}"
            );
        }
        let coloured = screen(&document, WIDTH, true);
        assert_eq!(coloured.lines().count(), page.lines().count(), "{name}");
    }
}

/// These lines must be sufficient to tell which numbers can be trusted.
#[test]
fn the_last_three_lines_of_every_kind_of_run() {
    let more: [NamedRun; 5] = [
        ("three", made_up::three),
        ("suite", made_up::suite),
        ("single, invalid", made_up::single_invalid),
        ("single, interrupted", made_up::single_interrupted),
        ("nothing", made_up::nothing),
    ];
    let mut all = String::new();
    for (name, run) in RUNS.into_iter().chain(more) {
        let document = run().document();
        let text = last_lines(&document);
        let lines: Vec<&str> = text.lines().collect();
        let last = &lines[lines.len() - 3..];
        all += &format!("{name}:\n{}\n\n", last.join("\n"));
        let worst = document.findings.iter();
        let worst = worst.map(|finding| finding.rule.as_str());
        if let Some(rule) = worst.clone().find(|rule| *rule != "incomplete") {
            assert!(last[0].contains(rule), "{name}: {rule} is not in {last:?}");
        }
    }
    insta::assert_snapshot!(all);
}

/// Below the output of `tenbin ab` and `tenbin wrk`.
#[test]
fn the_last_lines_in_japanese() {
    let runs: [NamedRun; 4] = [
        ("pair", made_up::pair),
        ("invalid", made_up::invalid),
        ("single, interrupted", made_up::single_interrupted),
        ("suite", made_up::suite),
    ];
    let mut all = String::new();
    for (name, run) in runs {
        let mut document = run().document();
        document.language = Language::Japanese;
        all += &format!("{name}:\n{}\n", last_lines(&document));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn nothing_hostile_and_nothing_secret_comes_through() {
    for (name, run) in RUNS {
        let document = run().document();
        let plain = terminal(&document, 100, false);
        assert!(!plain.contains('\u{1b}'), "{name}");
        let page = markdown(&document);
        assert!(!page.contains('\u{1b}'), "{name}");
        for format in kept(&document) {
            let file = String::from_utf8(format.bytes(&document)).unwrap();
            assert!(!file.contains("hunter2"), "{name}: {}", format.name);
        }
    }
}

#[test]
fn colour_only_paints() {
    let document = made_up::invalid().document();
    let painted = terminal(&document, 100, true);
    assert!(painted.contains("\u{1b}[1;31mINVALID\u{1b}[0m"));
    let mut plain = String::new();
    let mut rest = painted.as_str();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    plain.push_str(rest);
    assert_eq!(plain, terminal(&document, 100, false));
}

#[test]
fn every_markdown_table_has_as_many_cells_in_every_row() {
    for (name, run) in RUNS {
        let page = markdown(&run().document());
        let mut columns = None;
        for line in page.lines() {
            if !line.starts_with('|') {
                columns = None;
                continue;
            }
            let cells = line.replace("\\|", "").matches('|').count();
            assert_eq!(*columns.get_or_insert(cells), cells, "{name}: {line}");
        }
    }
}

fn verdict_of(document: &Document) -> String {
    let text = last_lines(document);
    text.lines().rev().nth(1).unwrap().to_owned()
}

#[test]
fn the_verdict_reports_a_precision_that_was_not_reached() {
    let mut document = made_up::single().document();
    document.run.until = Some(0.001);
    document.run.ended = Some(RunEnded::MostRounds);
    let verdict = verdict_of(&document);
    assert!(verdict.contains("precision ± 0.1 % was not reached: ± "));
    document.run.ended = Some(RunEnded::Precise);
    assert!(!verdict_of(&document).contains("precision"));
}

#[test]
fn a_twin_alone_is_what_the_verdict_is_about() {
    let mut document = made_up::pair().document();
    document.run.twin = Some(document.comparisons[0].challenger.clone());
    for comparison in &mut document.comparisons {
        (comparison.twin, comparison.primary) = (true, false);
    }
    let verdict = verdict_of(&document);
    assert!(verdict.contains("; its twin at get-1KiB: throughput "));
    assert!(verdict.contains(", noise floor "), "{verdict}");
    assert!(!verdict.contains("nothing to compare"), "{verdict}");
}

#[test]
fn the_verdict_says_how_many_blocks_an_interval_for_all_comparisons_takes() {
    let mut document = made_up::pair().document();
    let mut primary = document.comparisons.iter_mut();
    let first = primary.find(|comparison| comparison.primary).unwrap();
    first.outcome = Outcome::Inconclusive {
        detectable: None,
        aim: 0.05,
        rounds_needed: None,
        likely: None,
    };
    assert!(!verdict_of(&document).contains("too few rounds"));
    let mut primary = document.comparisons.iter_mut();
    let first = primary.find(|comparison| comparison.primary).unwrap();
    first.block_ratios.truncate(6);
    first.ratio.as_mut().unwrap().interval = None;
    let verdict = verdict_of(&document);
    let expected =
        "interval unknown; too few rounds for 2 comparisons: 14 rounds needed, 12 measured";
    assert!(verdict.contains(expected), "{verdict}");
}

/// The position of a text on the first screen.
#[track_caller]
fn place(screen: &str, text: &str) -> usize {
    let found = screen.find(text);
    found.unwrap_or_else(|| panic!("{text:?} is not in {screen}"))
}

#[test]
fn what_explains_the_figures_is_on_the_first_screen_before_what_doubts_them() {
    let mut run = made_up::single();
    for slice in &mut run.slices {
        slice.ledger.opened = slice.ops[0].counts.ok;
        slice.ledger.closed_by_server = slice.ops[0].counts.ok;
        slice.ledger.reused = 0;
        slice.end.machine = Some(
            MachineUse {
                seconds: slice.end.seconds,
                cpu: Some(CpuUse {
                    cores: 2,
                    busy: 1.95 * slice.end.seconds,
                    interrupts: 0.0,
                    idle: 0.05 * slice.end.seconds,
                    iowait: 0.0,
                    steal: 0.0,
                }),
                ..MachineUse::default()
            }
            .into(),
        );
    }
    let document = run.document();
    let screen = screen(&document, 400, false);
    let cause = place(&screen, "NOTE  keep_alive, http, nginx: ");
    let doubt = place(&screen, "SUSPECT  absolute_figures, http, nginx: ");
    assert!(cause < doubt, "{screen}");
    assert!(
        screen.rfind("SUSPECT  ").is_some_and(|trust| doubt < trust),
        "{screen}"
    );
}

/// A pair whose primary comparison of `get-1KiB` has another outcome and no interval.
fn undecided(outcome: Outcome) -> Document {
    let mut document = made_up::pair().document();
    let of_get = |it: &&mut Comparison| it.workload == "get-1KiB" && it.primary;
    let found = document.comparisons.iter_mut().find(of_get).unwrap();
    found.outcome = outcome;
    found.block_ratios.truncate(5);
    found.together = None;
    found.ratio = Some(Figure {
        value: 0.32,
        interval: None,
        n: 5,
    });
    document
}

fn inconclusive(likely: Option<Likely>) -> Outcome {
    Outcome::Inconclusive {
        detectable: None,
        aim: 0.05,
        rounds_needed: Some(12),
        likely,
    }
}

#[test]
fn a_likely_difference_is_marked_with_its_confidence_and_what_is_missing() {
    let likely = Likely {
        tendency: Tendency::Slower,
        confidence: 0.9375,
        low: 0.3,
        high: 0.34,
        blocks_missing: 1,
    };
    let document = undecided(inconclusive(Some(likely)));
    let said = "durable is LIKELY SLOWER than memory at get-1KiB: throughput × 0.320 (93 % CI 0.300–\
                0.340); 10 rounds, 2 more needed for a confidence of 95 %";
    let screen = screen(&document, 400, false);
    assert!(screen.contains(said), "{screen}");
    let verdict = verdict_of(&document);
    let said = "durable is likely slower than memory at get-1KiB (throughput × 0.320, 0.300–0.340; 10 \
                rounds, 2 more needed for a confidence of 95 %)";
    assert!(verdict.contains(said), "{verdict}");
    let document = undecided(inconclusive(None));
    let screen = made_up::screen(&document, 400, false);
    let said = "interval unknown); too few rounds: 12 rounds needed, 10 measured";
    assert!(screen.contains(said), "{screen}");
}

#[test]
fn the_headline_says_what_another_figure_proves() {
    let mut document = undecided(inconclusive(None));
    let is_cpu = |it: &&mut Comparison| it.workload == "get-1KiB" && it.metric == Metric::ServerCpu;
    let cpu = document.comparisons.iter_mut().find(is_cpu).unwrap();
    cpu.outcome = Outcome::CostsMore;
    cpu.ratio = Some(Figure {
        value: 1.24,
        interval: Some(Interval {
            low: 1.176,
            high: 1.311,
            confidence: 0.9609,
        }),
        n: 8,
    });
    let said = "; however, server CPU per operation +24 % (96 % CI +18 … +31 %, for this \
                figure alone)";
    let shown = screen(&document, 600, false);
    assert!(
        shown.contains("CANNOT TELL durable from memory at get-1KiB"),
        "{shown}"
    );
    assert!(shown.contains(said), "{shown}");
    assert!(verdict_of(&document).contains(said));
    let primary = |it: &&mut Comparison| it.workload == "get-1KiB" && it.primary;
    let mut likely = document.clone();
    let undecided = likely.comparisons.iter_mut().find(primary).unwrap();
    undecided.outcome = inconclusive(Some(Likely {
        tendency: Tendency::Slower,
        confidence: 0.88,
        low: 0.7,
        high: 0.9,
        blocks_missing: 1,
    }));
    let shown = screen(&likely, 600, false);
    assert!(!shown.contains("however"), "{shown}");
    assert!(
        shown.contains("already decided: server CPU per operation +24 %"),
        "{shown}"
    );
    // A decided figure speaks for itself, and figures that cannot be trusted prove nothing.
    document
        .comparisons
        .iter_mut()
        .find(primary)
        .unwrap()
        .outcome = Outcome::Faster;
    assert!(!screen(&document, 600, false).contains("however"));
    for comparison in &mut document.comparisons {
        comparison.trust = Trust::Invalid;
    }
    assert!(!screen(&document, 600, false).contains("however"));
}

/// The ramp of the synthetic suite on one target, in drnbench's format.
fn drnbench_rows(run: &Run, target: &str) -> Vec<Vec<String>> {
    let parts = run.written("drnbench").unwrap();
    let name = format!("{target}-get-1MB");
    let part = parts.into_iter().find(|part| part.name == name).unwrap();
    String::from_utf8(part.content)
        .unwrap()
        .lines()
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}

#[test]
fn a_step_of_drnbench_has_everything_that_came_to_an_end() {
    let mut run = made_up::suite();
    for slice in &mut run.slices {
        if slice.workload == "get-1MB-c4" && slice.target == "memory" {
            let op = &mut slice.ops[0];
            // Half of the responses are 503. One third as many requests receive no response.
            let (ok, wrong, refused) = (op.counts.ok, op.counts.ok, op.counts.ok * 2 / 3);
            op.errors.insert(ErrorClass::Status, wrong);
            op.errors.insert(ErrorClass::Connect, refused);
            op.statuses.insert(503, wrong);
            op.times.failed.record_n(7_000_000_000, refused).unwrap();
            assert_eq!(op.statuses[&200], ok);
        }
    }
    let rows = drnbench_rows(&run, "memory");
    assert_eq!(rows[0][6..], ["0", "200", "503", "tenbin trust"]);
    let clients: Vec<&str> = rows[1..].iter().map(|row| row[0].as_str()).collect();
    assert_eq!(clients, ["1", "4", "16"]);
    let number = |row: usize, column: usize| rows[row][column].parse::<f64>().unwrap();
    assert_eq!(rows[1][6..9], ["0", "100.0", "0"]);
    let share = |column| (number(2, column) * 10.0).round() / 10.0;
    assert_eq!([share(6), share(7), share(8)], [25.0, 37.5, 37.5]);
    // A failed request takes time and counts as a request.
    assert!((number(2, 4) - 7.0).abs() < 0.01, "{:?}", rows[2]);
    assert!(number(2, 2) > 2.0 * number(1, 2), "{rows:?}");
    // Sixteen slices of five seconds; the rate is the median of the slices' rates.
    assert!(
        (number(2, 1) / number(2, 2) / 80.0 - 1.0).abs() < 0.05,
        "{rows:?}"
    );
}

#[test]
fn littles_law_holds_in_the_made_up_steps() {
    let run = made_up::suite();
    for row in &drnbench_rows(&run, "durable")[1..] {
        let number = |column: usize| row[column].parse::<f64>().unwrap();
        let little = number(2) * number(5) / number(0);
        assert!((0.9..1.1).contains(&little), "{row:?}");
    }
}

#[test]
fn a_ramp_has_a_table_and_charts_and_other_runs_have_none() {
    let document = made_up::suite().document();
    let export = |name: &str| {
        let format = format(name).unwrap();
        assert_eq!(format.lacks(&document), None, "{name}");
        assert!(made_up::single().written(name).is_err(), "{name}");
        String::from_utf8(format.bytes(&document)).unwrap()
    };
    let table = export("ramp");
    let rows: Vec<Vec<&str>> = table.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows.len(), 1 + 2 * 3, "{table}");
    let column = |name: &str| rows[0].iter().position(|head| *head == name).unwrap();
    for (row, level) in rows[1..].iter().zip([1.0, 4.0, 16.0].iter().cycle()) {
        let number = |name: &str| row[column(name)].parse::<f64>().unwrap();
        assert_eq!(row.len(), rows[0].len());
        assert_eq!(number("clients"), *level);
        assert!((number("in_flight") / level - number("littles_law")).abs() < 1e-9);
        assert!(number("p50") <= number("p90") && number("p90") <= number("p99"));
        let (low, high) = (number("throughput_low"), number("throughput_high"));
        assert!(low <= number("throughput") && number("throughput") <= high);
    }
    for name in ["ramp-throughput", "ramp-latency"] {
        let chart = export(name);
        assert!(chart.contains(">memory") && chart.contains(">durable"));
        assert!(!chart.contains("NaN") && !chart.contains("inf"), "{chart}");
    }
}

/// Two targets on one machine with two cores, with 3 % of the CPU time idle.
fn on_a_full_machine() -> Document {
    let mut run = made_up::pair();
    for slice in &mut run.slices {
        slice.end.machine = Some(
            MachineUse {
                seconds: slice.end.seconds,
                cpu: Some(CpuUse {
                    cores: 2,
                    busy: 1.94 * slice.end.seconds,
                    idle: 0.06 * slice.end.seconds,
                    ..CpuUse::default()
                }),
                ..MachineUse::default()
            }
            .into(),
        );
    }
    run.document()
}

#[test]
fn ratios_and_absolute_figures_are_trusted_apart() {
    let document = on_a_full_machine();
    let absolute = document.absolute.as_ref().unwrap();
    assert_eq!(
        (document.trust, absolute.trust),
        (Trust::Valid, Trust::Suspect)
    );
    let observed = "only 3 % of the machine's CPU time was idle (median of 16 slices)";
    assert_eq!(absolute.because[0], observed);
    let apart = format!("for the ratio; absolute figures are in doubt: {observed}");
    let text = screen(&document, 400, false);
    assert!(text.contains(&format!("\nVALID  {apart}")), "{text}");
    let page = markdown(&document);
    assert!(page.contains("**VALID**  for the ratio; absolute figures are in doubt: only 3 %"));
    let last = last_lines(&document);
    assert!(last.contains("Trust    ratio: VALID"), "{last}");
    let both = screen(&made_up::pair().document(), 400, false);
    assert!(!both.contains("absolute figures"), "{both}");
}

#[test]
fn the_verdict_on_a_sweep_is_that_of_its_curve() {
    let document = made_up::suite().document();
    let levels = document.comparisons.iter().filter(|c| c.primary);
    let levels: Vec<_> = levels.filter(|c| c.level_of.is_some()).collect();
    assert_eq!(levels.len(), 3);
    assert!(levels.iter().all(|level| level.adjusted_p.is_none()));
    assert_eq!(document.curves.len(), 1);
    let sentence = &document.curves[0].sentence;
    assert!(
        sentence.contains("over all levels of get-1MB"),
        "{sentence}"
    );
    assert!(document.verdicts.contains(sentence));
    assert!(!document.verdicts.contains(&levels[0].sentence));
}

#[test]
fn a_difference_has_its_parts_and_the_larger_one_comes_first() {
    let mut document = made_up::pair().document();
    let figures = |target: &str| match target {
        "memory" => [("alone_seconds", 0.000_1), ("served", 4.0)],
        _ => [("alone_seconds", 0.000_35), ("served", 3.9)],
    };
    for limit in &mut document.limits {
        let figures = figures(&limit.target);
        limit
            .figures
            .extend(figures.map(|(name, value)| (name.to_owned(), value)));
    }
    let page = screen(&document, 400, false);
    let line = page
        .lines()
        .find(|line| line.starts_with("why"))
        .expect("why");
    // The target serves about as many requests at a time, which explains nothing.
    assert_eq!(
        line,
        "why, put-1KiB: durable is slower than memory: one request alone takes 3.50 times as long \
         (350 µs against 100 µs)"
    );
    for limit in &mut document.limits {
        limit.figures.remove("served");
    }
    assert!(!screen(&document, 400, false).contains("\nwhy"));

    // What the slower target has more of, also without probes.
    for limit in &mut document.limits {
        let new = if limit.target == "durable" { 1.0 } else { 0.0 };
        let name = "new_connection_share".to_owned();
        limit.figures.insert(name, new);
    }
    let page = screen(&document, 400, false);
    assert!(
        page.contains("durable is slower than memory: 100 % of its requests need a new connection (against 0 %)"),
        "{page}"
    );
}

#[test]
fn more_requests_at_a_time_than_connections_explain_nothing() {
    let mut document = made_up::pair().document();
    let mut why = |served: f64, share: f64| {
        for limit in &mut document.limits {
            let [served, share] = match limit.target.as_str() {
                "memory" => [served, share],
                _ => [4.0, 0.25],
            };
            let figures = [
                ("alone_seconds", 0.000_1),
                ("served", served),
                ("served_share", share),
            ];
            let figures = figures.map(|(name, value)| (name.to_owned(), value));
            limit.figures.extend(figures);
        }
        screen(&document, 400, false)
    };
    let page = why(33.6, 2.1);
    assert!(!page.contains("\nwhy"), "{page}");
    // A little more: the connection of the probe slept between requests.
    let page = why(17.6, 1.1);
    assert!(page.contains("(4.00 against 16.0)"), "{page}");
}

#[test]
fn the_cpu_time_of_a_difference_has_its_interval() {
    let mut document = made_up::pair().document();
    // Between two responses pass 122 µs for memory, and 426 µs for durable.
    let mut page = |slow: f64, [low, value, high]: [f64; 3]| {
        for result in &mut document.results {
            let is_slow = result.target == "durable";
            result.server_cpu = Some(Figure {
                value: if is_slow { slow } else { 1e-4 },
                interval: None,
                n: 8,
            });
        }
        let mut comparisons = document.comparisons.iter_mut();
        let cpu = comparisons.find(|it| it.metric == MetricName::Known(Metric::ServerCpu));
        cpu.expect("a comparison").ratio = Some(Figure {
            value,
            interval: Some(Interval {
                low,
                high,
                confidence: 0.95,
            }),
            n: 8,
        });
        screen(&document, 400, false)
    };
    let said = page(2e-4, [1.9, 2.01, 2.1]);
    let clause = "it needs 2.01 times the CPU time for a request (95 % CI 1.900–2.10; 200 µs against 100 µs)";
    assert!(said.contains(clause), "{said}");
    let uncertain = page(2e-4, [0.95, 2.01, 2.9]);
    assert!(!uncertain.contains("\nwhy"), "{uncertain}");
    let small = page(1.2e-4, [1.15, 1.2, 1.25]);
    assert!(!small.contains("\nwhy"), "20 of 305 µs: {small}");
}
