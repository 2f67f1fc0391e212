//! Histories with a known truth.

use std::collections::BTreeMap;

use tenbin_plan::rng::Rng;
use tenbin_result::{CircumstanceKind, KnownFact, SettingFact};

use super::*;

/// A run of `app` and `old`, divided by `ref`, the baseline.
#[derive(Clone, Copy)]
struct Made {
    /// Speed of the machine.
    machine: f64,
    /// Speed of `app` relative to `ref`.
    app: f64,
    connections: u32,
}

const USUAL: Made = Made {
    machine: 1.0,
    app: 2.0,
    connections: 16,
};

fn figure(value: f64) -> Option<Figure> {
    Some(Figure {
        value,
        interval: None,
        n: 8,
    })
}

fn run(number: u64, made: Made) -> HistoryRun {
    let mut rng = Rng::new(7, &[number]);
    let mut noise = || 1.0 + 0.02 * (rng.unit() - 0.5);
    let between = made.app * noise();
    let blocks: Vec<f64> = (0..8).map(|_| between * noise()).collect();
    let of = |target: &str, value: f64, ratio: Option<f64>, blocks: Vec<f64>| FigureFacts {
        workload: "get".to_owned(),
        target: target.to_owned(),
        metric: Metric::Throughput.into(),
        primary: true,
        value: figure(value),
        ratio: ratio.and_then(figure),
        blocks,
        ..FigureFacts::default()
    };
    let speed = 1_000.0 * made.machine;
    let setting = |value: String| SettingFact {
        value,
        usual: false,
    };
    let machine = if made.machine < 1.0 { "slow" } else { "fast" };
    let started = format!("2026-01-{:02}T00:00:00Z", number + 1);
    HistoryRun {
        name: format!("run-{number:02}"),
        label: None,
        note: None,
        started: started.clone(),
        facts: Ok(RunFacts {
            started,
            baseline: Some("ref".to_owned()),
            anchor: Some("ref".to_owned()),
            circumstances: vec![KnownFact {
                what: CircumstanceKind::Machine,
                of: None,
                value: machine.to_owned(),
            }],
            settings: BTreeMap::from([(
                "get".to_owned(),
                BTreeMap::from([(
                    "connections".to_owned(),
                    setting(made.connections.to_string()),
                )]),
            )]),
            figures: vec![
                of("ref", speed, None, Vec::new()),
                of("app", speed * between, Some(between), blocks),
                of("old", speed * 1.5, Some(1.5), vec![1.5; 8]),
            ],
            ..RunFacts::default()
        }),
    }
}

fn runs(count: u64, of: impl Fn(u64) -> Made) -> Vec<HistoryRun> {
    (0..count).map(|number| run(number, of(number))).collect()
}

fn only(history: &History, target: &str) -> HistorySeries {
    let mut found = history.series.iter().filter(|it| it.target == target);
    let series = found.next().expect("a series").clone();
    assert!(found.next().is_none());
    series
}

#[test]
fn another_machine_cancels_and_a_change_after_it_is_dated() {
    let runs = runs(30, |number| Made {
        machine: if number < 12 { 1.0 } else { 0.5 },
        app: if number < 20 { 2.0 } else { 2.1 },
        ..USUAL
    });
    let found = history("runs", &runs, &HistoryOf::default());
    assert!(
        found.series.iter().all(|it| it.target != "ref"),
        "the anchor"
    );
    let app = only(&found, "app");
    assert_eq!(app.anchor.as_deref(), Some("ref"));
    let [change] = app.changes.as_slice() else {
        panic!("{:?}", app.changes);
    };
    assert_eq!(change.run, "run-20");
    assert!(change.better && change.changed.is_empty());
    let ratio = change.ratio.unwrap();
    assert!((ratio.value - 1.05).abs() < 0.01, "{ratio:?}");
    assert_eq!(app.points[12].changed[0].after, "slow");
    let absolute = HistoryOf {
        target: Some("ref"),
        ..HistoryOf::default()
    };
    let anchor = only(&history("runs", &runs, &absolute), "ref");
    assert_eq!((anchor.anchor, anchor.is_anchor), (None, true));
    assert_eq!(anchor.changes[0].run, "run-12");
    assert_eq!(anchor.changes[0].changed[0].what, CircumstanceKind::Machine);
}

#[test]
fn an_anchor_that_is_not_the_baseline_divides_block_by_block() {
    let runs = runs(10, |_| USUAL);
    let of = HistoryOf {
        anchor: Some("old"),
        ..HistoryOf::default()
    };
    let found = history("runs", &runs, &of);
    let app = only(&found, "app");
    let value = app.points[0].value.unwrap();
    assert!((value.value - 2.0 / 1.5).abs() < 0.03, "{value:?}");
    assert!(value.interval.is_some());
    let baseline = only(&found, "ref").points[0].value.unwrap();
    assert!((baseline.value - 1.0 / 1.5).abs() < 1e-9);
}

#[test]
fn runs_with_other_settings_and_without_figures_are_left_out_with_the_reason() {
    let mut runs = runs(12, |number| Made {
        connections: if number < 3 { 64 } else { 16 },
        ..USUAL
    });
    runs[4].facts = Err(LeftOutWhy::Unreadable);
    if let Ok(facts) = &mut runs[5].facts {
        facts.figures.retain(|figure| figure.target == "app");
        facts.baseline = None;
        facts.figures[0].ratio = None;
    }
    if let Ok(facts) = &mut runs[6].facts {
        for figure in &mut facts.figures {
            (figure.trust, figure.ratio_trust) = (Trust::Invalid, Trust::Invalid);
        }
    }
    let found = history("runs", &runs, &HistoryOf::default());
    let app = only(&found, "app");
    assert_eq!(app.points.len(), 6);
    assert!(!app.judged);
    let why = |run: &str| {
        let mut all = found.left_out.iter();
        let own = all.find(|it| {
            it.run == run && it.series.as_ref().is_none_or(|(target, _)| target == "app")
        });
        own.map(|it| it.why.clone())
    };
    assert_eq!(
        why("run-00"),
        Some(LeftOutWhy::OtherSettings {
            key: "connections".to_owned(),
            value: Some("64".to_owned()),
            newest: Some("16".to_owned()),
        })
    );
    assert_eq!(why("run-04"), Some(LeftOutWhy::Unreadable));
    assert_eq!(why("run-05"), Some(LeftOutWhy::NoRatio));
    assert_eq!(why("run-06"), Some(LeftOutWhy::Invalid));
}

#[test]
fn a_default_that_only_one_version_knows_is_no_other_setting() {
    let mut runs = runs(2, |_| USUAL);
    let Ok(facts) = &mut runs[1].facts else {
        panic!("no facts");
    };
    let new = |usual| SettingFact {
        value: "x".to_owned(),
        usual,
    };
    let own = facts.settings.get_mut("get").expect("settings");
    own.insert("new".to_owned(), new(true));
    let points = |runs: &[HistoryRun]| {
        let found = history("runs", runs, &HistoryOf::default());
        only(&found, "app").points.len()
    };
    assert_eq!(points(&runs), 2);
    let Ok(facts) = &mut runs[1].facts else {
        panic!("no facts");
    };
    let own = facts.settings.get_mut("get").expect("settings");
    own.insert("new".to_owned(), new(false));
    assert_eq!(points(&runs), 1);
}

#[test]
fn without_an_anchor_the_absolute_figures_stand() {
    let mut runs = runs(9, |_| USUAL);
    for run in &mut runs {
        if let Ok(facts) = &mut run.facts {
            facts.anchor = None;
        }
    }
    let found = history("runs", &runs, &HistoryOf::default());
    assert_eq!(found.series.len(), 3);
    assert!(found.series.iter().all(|series| series.anchor.is_none()));
}
