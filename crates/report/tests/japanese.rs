//! Every section of every kind of run in Japanese.

#![allow(
    clippy::too_many_lines,
    reason = "a test tells one story, or has a table of cases"
)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[allow(dead_code, reason = "shared with other tests")]
mod made_up;

use std::collections::BTreeSet;

use made_up::{Run, screen};
use tenbin_report::{Extent, View};
use tenbin_result::{
    ConcurrencyLevel, ConcurrencySweep, ConcurrencySweepComparison, Document, Expectation,
    ExpectedUnit, Figure, Interval, Knee, Language, Message, NodeScaling, NodeStep, Optimum,
    Outcome, RateComparison, Search, SearchOutcome, Standing, Trust, Value, message,
};

type NamedRun = (&'static str, fn() -> Run);

const RUNS: [NamedRun; 12] = [
    ("pair", made_up::pair),
    ("telling", made_up::telling),
    ("three", made_up::three),
    ("single_invalid", made_up::single_invalid),
    ("single_interrupted", made_up::single_interrupted),
    ("nothing", made_up::nothing),
    ("suite", made_up::suite),
    ("matrix", made_up::matrix),
    ("single", made_up::single),
    ("invalid", made_up::invalid),
    ("reconnecting", made_up::reconnecting),
    ("multipart", made_up::multipart),
];

fn figure(value: f64) -> Figure {
    Figure {
        value,
        interval: Some(Interval {
            low: value * 0.9,
            high: value * 1.1,
            confidence: 0.96,
        }),
        n: 8,
    }
}

/// A pair with the results of a concurrency sweep, of a maximum-rate search, of a parameter sweep,
/// of a cluster and of expectations.
fn with_sweeps() -> Document {
    let mut document = made_up::pair().document();
    let sweep = |target: &str, trust| ConcurrencySweep {
        family: "get".to_owned(),
        target: target.to_owned(),
        levels: [1, 8].map(level).to_vec(),
        knee: Some(Knee {
            connections: 8,
            found: false,
        }),
        peak_connections: Some(8),
        peak: Some(figure(4_000.0)),
        workers: Some(figure(8.0)),
        usl: None,
        hysteresis: Some(figure(1.0)),
        trust,
        sentence: String::new(),
    };
    document.concurrency_sweeps = vec![
        sweep("durable", Trust::Valid),
        sweep("memory", Trust::Suspect),
    ];
    document.concurrency_sweep_comparisons = vec![ConcurrencySweepComparison {
        family: "get".to_owned(),
        baseline: "durable".to_owned(),
        baseline_connections: 8,
        challenger: "memory".to_owned(),
        challenger_connections: 8,
        ratio: Some(figure(2.0)),
        block_ratios: vec![2.0; 8],
        outcome: Outcome::Faster,
        trust: Trust::Invalid,
        sentence: String::new(),
    }];
    document.searches = vec![Search {
        workload: "get".to_owned(),
        target: "durable".to_owned(),
        slo: "p99<10ms".to_owned(),
        outcome: SearchOutcome::AtLeast,
        rate: Some(800.0),
        failed: None,
        undecided: Vec::new(),
        missed: None,
        probes: Vec::new(),
        trust: Trust::Suspect,
        sentence: String::new(),
        data: Some(held()),
    }];
    document.rate_comparisons = vec![RateComparison {
        workload: "get".to_owned(),
        baseline: "durable".to_owned(),
        challenger: "memory".to_owned(),
        ratio: Some(1.5),
        low: Some(1.4),
        high: Some(1.6),
        trust: Trust::Valid,
        sentence: String::new(),
    }];
    document.optima = vec![Optimum {
        workload: document.workloads[0].name.clone(),
        sweep: "workers".to_owned(),
        targets: vec!["durable".to_owned(), "memory".to_owned()],
        target: "durable".to_owned(),
        place: "8".to_owned(),
        figure: Some(figure(4_000.0)),
        rival: Some("4".to_owned()),
        rival_ratio: Some(figure(0.9)),
        margin: 0.05,
        certain: false,
        trust: Trust::Valid,
        sentence: String::new(),
    }];
    document.nodes = vec![NodeScaling {
        cluster: "replicas".to_owned(),
        workload: "get".to_owned(),
        steps: vec![step(1, None, 0.8), step(2, Some(1), 1.02)],
        trust: Trust::Valid,
        sentence: String::new(),
    }];
    document.expectations = vec![Expectation {
        fails_if: false,
        condition: "p99<20ms".to_owned(),
        target: "durable".to_owned(),
        workload: "get".to_owned(),
        unit: ExpectedUnit::Seconds,
        figure: Some(figure(0.02)),
        extreme: false,
        standing: Standing::CannotTell,
        why: Some("the bound lies inside the interval".to_owned()),
        data: Some(message!("bound-in-interval")),
    }];
    document
}

fn level(connections: u64) -> ConcurrencyLevel {
    ConcurrencyLevel {
        workload: format!("get-c{connections}"),
        connections,
        throughput: Some(figure(500.0 * connections as f64)),
        residence: Some(figure(0.002)),
        p50: Some(figure(0.002)),
        p90: Some(figure(0.003)),
        p99: Some(figure(0.004)),
        ok: Some(1_000),
        failed: Some(0),
        little: Some(1.0),
        down_to_up: None,
    }
}

fn step(nodes: u64, against_nodes: Option<u64>, ratio: f64) -> NodeStep {
    NodeStep {
        what: String::new(),
        target: "memory".to_owned(),
        nodes,
        against: "durable".to_owned(),
        against_nodes,
        throughput: Some(figure(ratio)),
        median: Some(figure(1.0)),
        p99: None,
    }
}

fn held() -> Message {
    message!(
        "search-result",
        claim = message!(
            "search-at-least",
            target = "durable",
            workload = "get",
            slo = "p99<10ms",
            rate = Value::ExactRate(800.0),
            failed = message!("search-none-failed")
        ),
        bounds = None,
        undecided = None,
        void = None,
        late = None
    )
}

/// Words that are the same in every language, beside names, units and figures: commands, values of
/// options, and terms of the field.
const SAME: [&str; 15] = [
    "Tenbin", "tenbin", "knee", "show", "explain", "findings", "port", "runs", "KiB", "MiB", "GiB",
    "sync", "write", "Nagle", "nginx",
];

/// Classes of errors, which are the same in every language.
const CLASSES: [&str; 3] = ["reset", "status", "timeout"];

/// The sections whose every text has a translation.
const SECTIONS: [&str; 16] = [
    "answer", "results", "capacity", "max-rate", "nodes", "expectations", "reasons", "closing",
    "findings", "comparisons", "connections", "agents", "hosts", "operations", "samples", "slow",
];

/// The names that a document contains, in words.
fn names(document: &Document) -> BTreeSet<String> {
    let mut names: Vec<String> = vec![document.run.name.clone(), document.run.id.clone()];
    names.extend(document.targets.iter().map(|it| it.name.clone()));
    names.extend(document.workloads.iter().map(|it| it.name.clone()));
    names.extend(
        document
            .workloads
            .iter()
            .filter_map(|it| it.request.clone()),
    );
    names.extend(document.findings.iter().map(|it| it.rule.clone()));
    names.extend(document.optima.iter().map(|it| it.sweep.clone()));
    names.extend(document.nodes.iter().map(|it| it.cluster.clone()));
    names.extend(
        document
            .concurrency_sweeps
            .iter()
            .map(|it| it.family.clone()),
    );
    for result in &document.results {
        names.extend(result.hosts.iter().map(|host| host.host.clone()));
        for operation in &result.operations {
            names.push(operation.operation.clone());
            names.extend(operation.failures.keys().cloned());
        }
        for request in result.slow_requests.iter().chain(&result.failed_requests) {
            names.extend([&request.host, &request.request, &request.text].map(String::clone));
        }
        for stages in &result.stages {
            names.extend(stages.stages.iter().map(|stage| stage.stage.clone()));
        }
    }
    names.iter().flat_map(|name| words(name)).collect()
}

/// The words with at least three letters, two of them small.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphabetic());
    let is_word = |word: &&str| {
        let small = word.chars().filter(char::is_ascii_lowercase).count();
        word.len() >= 3 && small >= 2
    };
    words.filter(is_word).map(str::to_owned).collect()
}

fn english(document: &Document, text: &str) -> Vec<String> {
    let names = names(document);
    let mut left = Vec::new();
    for line in text.lines() {
        // Options, rules and paths are the same in every language.
        let tokens = line.split(|c: char| c.is_whitespace() || "、。()「」:;".contains(c));
        let tokens = tokens.filter(|it| !it.starts_with("--") && !it.contains(['_', '/', '`']));
        let found = tokens.flat_map(words);
        let is_same = |word: &str| SAME.contains(&word) || CLASSES.contains(&word);
        left.extend(found.filter(|it| !names.contains(it) && !is_same(it)));
    }
    left
}

fn documents() -> Vec<(&'static str, Document)> {
    let runs = RUNS.iter().map(|(name, run)| (*name, run().document()));
    let mut documents: Vec<(&str, Document)> = runs.collect();
    documents.push(("sweeps", with_sweeps()));
    for (_, document) in &mut documents {
        document.language = Language::Japanese;
    }
    documents
}

#[test]
fn the_first_screen_has_only_names_units_and_figures_in_english() {
    for (name, document) in documents() {
        let page = screen(&document, 160, false);
        assert_eq!(english(&document, &page), [""; 0], "{name}: {page}");
    }
}

#[test]
fn the_verdicts_and_their_reasons_have_only_names_units_and_figures_in_english() {
    let mut left = Vec::new();
    for (name, document) in documents() {
        for section in SECTIONS {
            let extent = Extent::Section(section);
            let view = View {
                width: 160,
                colour: false,
                extent,
            };
            let page = tenbin_report::terminal(&document, view);
            let found = english(&document, &page);
            if !found.is_empty() {
                left.push(format!("{name}, {section}: {found:?}\n{page}"));
            }
        }
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}

/// An older version wrote only the English sentence: the Japanese page prints it unchanged.
#[test]
fn an_english_sentence_without_data_stays() {
    let mut document = with_sweeps();
    document.language = Language::Japanese;
    document.searches[0].data = None;
    document.searches[0].sentence = "durable sustains at least 800/s".to_owned();
    let page = screen(&document, 160, false);
    assert!(page.contains("durable sustains at least 800/s"), "{page}");
    assert!(page.contains("維持できるレート"), "{page}");
}
