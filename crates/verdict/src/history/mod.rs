//! Figures over the runs of a directory: series of ratios to an anchor, and the changes in them.
//!
//! A series is one figure of one workload on one target, over the runs with the same settings. Its
//! values are ratios to the anchor, a target that every run measures in the same version: a change
//! of the machine then cancels as far as it affects both alike.

mod circumstances;
mod settings;
mod values;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use tenbin_plan::Figure as Asked;
use tenbin_result::{
    Figure, FigureFacts, HISTORY_SCHEMA, History, HistoryChange, HistoryPoint, HistorySeries,
    Interval, LeftOut, LeftOutWhy, Metric, MetricName, RunFacts, Trust,
};
use tenbin_stats::{CONFIDENCE, LevelChange, Levels, RunValue, levels};

use circumstances::changed;
use values::{Valued, valued};

/// A run in the directory.
#[derive(Debug, Clone)]
pub struct HistoryRun {
    /// Name of the run directory or file.
    pub name: String,
    /// Label of the run.
    pub label: Option<String>,
    /// Note that was written after the run.
    pub note: Option<String>,
    /// Start of the run, RFC 3339, UTC; for imported results, when the file was written.
    pub started: String,
    /// The facts about the run, or why there are none.
    pub facts: Result<RunFacts, LeftOutWhy>,
}

/// Which series are wanted. `None` selects all, or the default.
#[derive(Debug, Clone, Default)]
pub struct HistoryOf<'a> {
    /// Name of the target.
    pub target: Option<&'a str>,
    /// Name of the workload.
    pub workload: Option<&'a str>,
    /// The figure; by default the one that decides comparisons.
    pub figure: Option<Asked>,
    /// Name of the anchor; by default that of the newest plan with an anchor.
    pub anchor: Option<&'a str>,
}

/// The history of runs, which must be in order of time.
pub fn history(directory: &str, runs: &[HistoryRun], of: &HistoryOf<'_>) -> History {
    let mut left_out: Vec<LeftOut> = Vec::new();
    let mut known: Vec<(&HistoryRun, &RunFacts)> = Vec::new();
    for run in runs {
        match &run.facts {
            Ok(facts) => known.push((run, facts)),
            Err(why) => left_out.push(LeftOut {
                run: run.name.clone(),
                series: None,
                why: why.clone(),
            }),
        }
    }
    let series = keys(&known, of)
        .into_iter()
        .map(|key| series(&known, &key, of, &mut left_out))
        .collect();
    History {
        schema: HISTORY_SCHEMA.to_owned(),
        directory: directory.to_owned(),
        runs: runs.len() as u64,
        series,
        left_out,
    }
}

/// What a series is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    target: String,
    workload: String,
    metric: MetricName,
}

impl Key {
    fn of(figure: &FigureFacts) -> Self {
        Self {
            target: figure.target.clone(),
            workload: figure.workload.clone(),
            metric: figure.metric.clone(),
        }
    }

    fn find<'a>(&self, facts: &'a RunFacts, target: &str) -> Option<&'a FigureFacts> {
        let mut figures = facts.figures.iter();
        figures.find(|it| {
            it.target == target && it.workload == self.workload && it.metric == self.metric
        })
    }
}

/// The series, in the order of the newest run that has them.
fn keys(known: &[(&HistoryRun, &RunFacts)], of: &HistoryOf<'_>) -> Vec<Key> {
    let metrics = of
        .figure
        .map(|figure| [true, false].map(|closed| Metric::of_figure(figure, closed)));
    let is_wanted = |figure: &FigureFacts| {
        let is_figure = match &metrics {
            Some(wanted) => wanted.iter().flatten().any(|it| figure.metric == *it),
            None => figure.primary,
        };
        is_figure
            && of.target.is_none_or(|name| name == figure.target)
            && of.workload.is_none_or(|name| name == figure.workload)
    };
    let mut seen: BTreeSet<Key> = BTreeSet::new();
    let mut keys = Vec::new();
    for (_, facts) in known.iter().rev() {
        for figure in facts.figures.iter().filter(|figure| is_wanted(figure)) {
            let key = Key::of(figure);
            if !seen.insert(key.clone()) {
                continue;
            }
            // The anchor's ratio to itself says nothing; its absolute figures are shown if asked.
            let is_anchor = anchor(known, &key, of).as_ref() == Some(&key.target);
            if !is_anchor || of.target.is_some() {
                keys.push(key);
            }
        }
    }
    keys
}

/// The anchor of a series: the one that was asked for, otherwise that of the newest run of the
/// series whose plan has one.
fn anchor(known: &[(&HistoryRun, &RunFacts)], key: &Key, of: &HistoryOf<'_>) -> Option<String> {
    let named = of.anchor.map(str::to_owned);
    named.or_else(|| {
        let mut newest = known.iter().rev();
        newest.find_map(|(_, facts)| {
            key.find(facts, &key.target)?;
            facts.anchor.clone()
        })
    })
}

/// A run with its value in a series.
struct Member<'a> {
    run: &'a HistoryRun,
    facts: &'a RunFacts,
    valued: Valued,
    absolute: Option<f64>,
}

fn series(
    known: &[(&HistoryRun, &RunFacts)],
    key: &Key,
    of: &HistoryOf<'_>,
    left_out: &mut Vec<LeftOut>,
) -> HistorySeries {
    let anchor = anchor(known, key, of);
    let is_anchor = anchor.as_ref() == Some(&key.target);
    let anchor = anchor.filter(|_| !is_anchor);
    let mut newest = known.iter().rev();
    let newest = newest.find(|(_, facts)| key.find(facts, &key.target).is_some());
    let wanted = newest.and_then(|(_, facts)| facts.settings.get(&key.workload));
    let mut members: Vec<Member<'_>> = Vec::new();
    for &(run, facts) in known {
        let Some(figure) = key.find(facts, &key.target) else {
            continue;
        };
        let own = facts.settings.get(&key.workload);
        let found = match settings::difference(own, wanted) {
            Some(why) => Err(why),
            None => valued(facts, key, anchor.as_deref()),
        };
        let found = found.and_then(|valued| match valued.trust {
            Trust::Invalid => Err(LeftOutWhy::Invalid),
            _ => Ok(valued),
        });
        match found {
            Ok(valued) => members.push(Member {
                run,
                facts,
                valued,
                absolute: figure.value.map(|value| value.value),
            }),
            Err(why) => left_out.push(LeftOut {
                run: run.name.clone(),
                series: Some((key.target.clone(), key.workload.clone())),
                why,
            }),
        }
    }
    let values: Vec<RunValue> = members.iter().map(|member| member.valued.value).collect();
    let found = levels(&values);
    let better = key.metric.known().is_some_and(Metric::higher_is_better);
    HistorySeries {
        target: key.target.clone(),
        workload: key.workload.clone(),
        metric: key.metric.clone(),
        higher_is_better: better,
        is_anchor,
        settings: settings::hash(wanted),
        points: points(&members, key, anchor.as_deref(), found.as_ref()),
        changes: found.as_ref().map_or_else(Vec::new, |found| {
            let changes = found.changes.iter();
            changes
                .map(|change| dated(&members, key, anchor.as_deref(), change, better))
                .collect()
        }),
        judged: found.is_some(),
        between_runs: found.map(|found| found.between_runs),
        anchor,
    }
}

fn points(
    members: &[Member<'_>],
    key: &Key,
    anchor: Option<&str>,
    found: Option<&Levels>,
) -> Vec<HistoryPoint> {
    let level = |at: usize| {
        let mut stretches = found?.stretches.iter();
        let own = stretches.find(|stretch| (stretch.first..stretch.end).contains(&at))?;
        Some(own.log.exp())
    };
    let is_outlier = |at: usize| found.is_some_and(|it| it.outliers.binary_search(&at).is_ok());
    let of = |(at, member): (usize, &Member<'_>)| HistoryPoint {
        run: member.run.name.clone(),
        label: member.run.label.clone(),
        note: member.run.note.clone(),
        started: member.run.started.clone(),
        imported: member.facts.imported,
        trust: member.valued.trust,
        value: Some(member.valued.figure),
        absolute: member.absolute,
        level: level(at),
        outlier: is_outlier(at),
        changed: at.checked_sub(1).map_or_else(Vec::new, |before| {
            changed(members[before].facts, member.facts, &key.target, anchor)
        }),
    };
    members.iter().enumerate().map(of).collect()
}

/// A change with its date.
fn dated(
    members: &[Member<'_>],
    key: &Key,
    anchor: Option<&str>,
    change: &LevelChange,
    higher_is_better: bool,
) -> HistoryChange {
    let name = |at: usize| members[at.min(members.len() - 1)].run.name.clone();
    let (before, first) = (&members[change.first - 1], &members[change.first]);
    let ends = Interval {
        low: change.low.exp(),
        high: change.high.exp(),
        confidence: CONFIDENCE,
    };
    let is_finite = change.log.exp().is_finite() && ends.high.is_finite();
    HistoryChange {
        run: first.run.name.clone(),
        started: first.run.started.clone(),
        after: before.run.name.clone(),
        earliest: name(change.earliest),
        latest: name(change.latest),
        ratio: is_finite.then(|| Figure {
            value: change.log.exp(),
            interval: Some(ends),
            n: members.len() as u64,
        }),
        better: (change.log > 0.0) == higher_is_better,
        changed: changed(before.facts, first.facts, &key.target, anchor),
    }
}
