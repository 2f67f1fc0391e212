//! Comparing a run with an earlier one: what goes in, whether the two may be compared
//! at all, and how it is shown.

use std::collections::BTreeMap;

use tenbin_stats::Measured;
use tenbin_verdict::{self as verdict, Series, against_earlier};

mod parity;
mod terms;

use self::parity::{Answers, Parity};
use self::terms::{Terms, spelled};
use crate::assemble::figure;
use crate::document::{
    ControlRange, Document, Earlier, EarlierChange, EarlierPart, EarlierWord, Figure, Interval,
    ResultOf, Trust,
};
use crate::escape::for_terminal;
use crate::import::drnbench::Steps;
use crate::import::{gobench, loops};
use crate::table::Table;
use crate::words::{RATE, TIME, UNKNOWN, plural, ratio, ratio_interval, trust};

/// The results of one run, or of one result file of another tool.
#[derive(Debug, Clone)]
pub struct Results {
    /// What they are called.
    name: String,
    series: Vec<Series>,
    /// What was sent and how, by workload: must be the same on both sides.
    terms: BTreeMap<String, Terms>,
    /// What was answered, by workload and target.
    answers: BTreeMap<(String, String), Answers>,
    /// The machine, as far as it is known.
    host: Vec<(&'static str, Option<String>)>,
    trust: Option<Trust>,
}

impl Results {
    /// Those of a run of Tenbin: slices that ran their full time.
    pub fn of_document(document: &Document) -> Self {
        let here = &document.environment;
        Self {
            name: document.run.id.clone(),
            series: document
                .results
                .iter()
                .map(|result| {
                    let series = series(document, &result.workload, &result.target);
                    Series {
                        workload: spelled(&series.workload),
                        ..series
                    }
                })
                .collect(),
            terms: document
                .workloads
                .iter()
                .map(|work| (spelled(&work.name), Terms::of(work)))
                .collect(),
            answers: document
                .results
                .iter()
                .map(
                    |ResultOf {
                         workload, target, ..
                     }| {
                        let place = (spelled(workload), target.clone());
                        (place, Answers::of(document, workload, target))
                    },
                )
                .collect(),
            host: vec![
                ("host", here.hostname.clone()),
                ("CPU", here.cpu_model.clone()),
                ("number of cores", here.cores.map(|cores| cores.to_string())),
            ],
            trust: Some(document.trust),
        }
    }

    /// Those in a file in Go's benchmark format, in the lines of hsbench or
    /// blobstore-bench, or in a result of drnbench.
    ///
    /// # Errors
    /// When it is none, or wrong in itself.
    pub fn of_file(name: &str, content: &[u8]) -> Result<Self, String> {
        type Read = fn(&[u8]) -> Result<Vec<Series>, String>;
        let (format, read): (_, Read) = if gobench::recognises(content) {
            ("Go's benchmark format", gobench::series)
        } else if loops::recognises(content) {
            ("lines of hsbench or blobstore-bench", loops::series)
        } else if Steps::recognises(content) {
            ("a result of drnbench", |content| {
                Steps::read(content).map(|steps| steps.series())
            })
        } else {
            return Err(format!(
                "{name} is neither a run of Tenbin nor a file in Go's benchmark format, nor lines \
                 of hsbench or blobstore-bench, nor a result of drnbench"
            ));
        };
        let series =
            read(content).map_err(|why| format!("{name} cannot be read as {format}: {why}"))?;
        Ok(Self {
            name: name.to_owned(),
            series,
            terms: BTreeMap::new(),
            answers: BTreeMap::new(),
            host: Vec::new(),
            trust: None,
        })
    }

    /// Targets that the other has not got, in their order.
    fn targets_without(&self, other: &Self) -> Vec<String> {
        let mut alone: Vec<String> = Vec::new();
        for target in self.series.iter().filter_map(|each| each.target.as_ref()) {
            let there = other.series.iter();
            let named = format!("target {target:?}");
            let is_there = there
                .filter_map(|each| each.target.as_ref())
                .any(|it| it == target);
            if !is_there && !alone.contains(&named) {
                alone.push(named);
            }
        }
        alone
    }

    fn has(&self, workload: &str) -> bool {
        self.series.iter().any(|each| each.workload == workload)
    }
}

/// One value a slice: throughput in a closed loop; in an open one, where the schedule
/// decides that, one divided by the median response time.
fn series(document: &Document, workload: &str, target: &str) -> Series {
    let mut workloads = document.workloads.iter();
    let closed = workloads.any(|work| work.name == workload && work.closed_loop);
    let full = document.full_slices(workload, target);
    // Without those in which nothing ended, the rest would look quicker than they were.
    let known = !closed || full.clone().all(|slice| slice.throughput.is_some());
    let speeds = full.filter(|_| known).filter_map(|slice| match closed {
        true => slice.throughput,
        false => slice.p50.map(|seconds| 1.0 / seconds),
    });
    Series {
        workload: workload.to_owned(),
        target: Some(target.to_owned()),
        by_time: !closed,
        values: speeds
            .filter(|speed| *speed > 0.0 && speed.is_finite())
            .collect(),
    }
}

/// Compares two runs. `changed` names the workloads that were touched by what lies
/// between them.
///
/// # Errors
/// One sentence, when the two differ in what matters, have nothing in common, or lack
/// a workload that was named.
pub fn against(before: &Results, after: &Results, changed: &[String]) -> Result<Earlier, String> {
    let changed: Vec<String> = changed.iter().map(|name| spelled(name)).collect();
    let changed = changed.as_slice();
    let joined = one_target_each(before, after);
    let (before, after) = joined.as_ref().map_or((before, after), |(b, a)| (b, a));
    refuse_other_hosts(before, after)?;
    refuse_other_work(before, after)?;
    refuse_unknown_names(before, after, changed)?;
    let found = against_earlier(&before.series, &after.series, changed);
    if found.all.is_empty() {
        return Err(format!(
            "{} and {} have no workload on the same target in common",
            before.name, after.name
        ));
    }
    let mut warnings = warnings(before, after, &found);
    let mut changes: Vec<EarlierChange> = found.all.iter().map(change).collect();
    let invalid = [before, after].map(|side| side.trust == Some(Trust::Invalid));
    for each in &mut changes {
        let (is_other, said) = answers(before, after, each);
        if invalid.contains(&true) || is_other {
            each.change = EarlierWord::NoVerdict;
        }
        warnings.extend(said);
    }
    Ok(Earlier {
        before: before.name.clone(),
        after: after.name.clone(),
        warnings,
        controls: found.controls.map(|range| ControlRange {
            count: range.count as u64,
            low: range.low,
            high: range.high,
        }),
        changes,
    })
}

/// Both with one name for their targets, where each has one target, these are called differently,
/// and each was sent the same terms in its own words: servers of two kinds.
fn one_target_each(before: &Results, after: &Results) -> Option<(Results, Results)> {
    let only = |side: &Results| {
        let mut targets = side.series.iter().map(|each| each.target.clone());
        let first = targets.next()??;
        targets
            .all(|other| other.as_deref() == Some(first.as_str()))
            .then_some(first)
    };
    let (then, now) = (only(before)?, only(after)?);
    let has_own_words =
        |side: &Results| !side.terms.is_empty() && side.terms.values().all(Terms::has_own_words);
    if then == now || !has_own_words(before) || !has_own_words(after) {
        return None;
    }
    let name = format!("{then}, then {now}");
    let renamed = |side: &Results| {
        let mut renamed = side.clone();
        for each in &mut renamed.series {
            each.target = Some(name.clone());
        }
        let answers = std::mem::take(&mut renamed.answers).into_iter();
        renamed.answers = answers
            .map(|((workload, _), answers)| ((workload, name.clone()), answers))
            .collect();
        renamed
    };
    Some((renamed(before), renamed(after)))
}

fn refuse_other_hosts(before: &Results, after: &Results) -> Result<(), String> {
    for ((what, then), (_, now)) in before.host.iter().zip(&after.host) {
        if let (Some(then), Some(now)) = (then, now)
            && then != now
        {
            return Err(format!(
                "{} and {} were taken on different machines ({what} {then:?}, then {now:?}), so \
                 that nothing can be said of what changed; repeat the earlier run here",
                before.name, after.name
            ));
        }
    }
    Ok(())
}

fn refuse_other_work(before: &Results, after: &Results) -> Result<(), String> {
    for (workload, then) in &before.terms {
        if let Some(now) = after.terms.get(workload)
            && let Some(difference) = then.difference(now)
        {
            return Err(format!(
                "{} and {} did different work under the name {workload:?} ({difference}); \
                 compare runs of one plan",
                before.name, after.name
            ));
        }
    }
    Ok(())
}

fn refuse_unknown_names(
    before: &Results,
    after: &Results,
    changed: &[String],
) -> Result<(), String> {
    let both: Vec<&str> = after
        .terms
        .keys()
        .map(String::as_str)
        .chain(after.series.iter().map(|each| each.workload.as_str()))
        .filter(|name| before.has(name) && after.has(name))
        .collect();
    for name in changed {
        if !both.contains(&name.as_str()) {
            let mut known = both.clone();
            known.sort_unstable();
            known.dedup();
            return Err(format!(
                "{name:?} is named as changed, and both runs together have no such workload; they \
                 have {}",
                known.join(", ")
            ));
        }
    }
    Ok(())
}

fn warnings(before: &Results, after: &Results, found: &verdict::EarlierRun) -> Vec<String> {
    let mut warnings = Vec::new();
    for side in [before, after] {
        if let Some(bad @ (Trust::Suspect | Trust::Invalid)) = side.trust {
            let so = match bad {
                Trust::Invalid => ", so that there is no verdict",
                _ => "",
            };
            let name = &side.name;
            warnings.push(format!("{name} is {}{so}: see its findings", trust(bad)));
        }
    }
    for (one, other) in [(before, after), (after, before)] {
        let alone = one.targets_without(other);
        if !alone.is_empty() {
            warnings.push(format!(
                "only {} has {}, and nothing is compared there",
                one.name,
                alone.join(", ")
            ));
        }
    }
    if found.controls.is_none() {
        warnings.push(
            "nothing was named as changed, so that no control shows how far the machine moved \
             between the runs: name what changed with --changed"
                .to_owned(),
        );
    }
    if found.all.iter().all(|each| each.ratio.n() == 1) {
        warnings.push("one run each cannot tell: repeat both".to_owned());
    }
    warnings
}

/// Whether one workload on one target was other work before than after, and what is to be said of
/// its responses.
fn answers(before: &Results, after: &Results, change: &EarlierChange) -> (bool, Option<String>) {
    let Some(target) = change.target.clone() else {
        return (false, None);
    };
    let place = (change.workload.clone(), target);
    let both = before.answers.get(&place).zip(after.answers.get(&place));
    let (workload, target) = &place;
    match both.map(|(then, now)| then.parity(now)) {
        None | Some(Parity::Same) => (false, None),
        Some(Parity::Expected(said)) => (false, Some(format!("{target} at {workload}: {said}"))),
        Some(Parity::Other(why)) => (
            true,
            Some(format!(
                "no verdict on {target} at {workload}: the responses were not the same ({why})"
            )),
        ),
    }
}

fn change(found: &verdict::Earlier) -> EarlierChange {
    use verdict::{Change, Part};
    // The median of inverse values is the inverse of the median, and the ends of the
    // interval change places.
    let shown = |speed: Measured| {
        let shown = figure(speed)?;
        if !found.by_time {
            return Some(shown);
        }
        Some(Figure {
            value: 1.0 / shown.value,
            interval: shown.interval.map(|ends| Interval {
                low: 1.0 / ends.high,
                high: 1.0 / ends.low,
                confidence: ends.confidence,
            }),
            n: shown.n,
        })
    };
    EarlierChange {
        workload: found.workload.clone(),
        target: found.target.clone(),
        part: match found.part {
            Part::Changed => EarlierPart::Changed,
            Part::Control => EarlierPart::Control,
            Part::Unnamed => EarlierPart::Unnamed,
        },
        timed: found.by_time,
        before: shown(found.before),
        after: shown(found.after),
        ratio: figure(found.ratio),
        p: found.p,
        adjusted_p: found.adjusted_p,
        change: match found.change {
            Change::Faster => EarlierWord::Faster,
            Change::Slower => EarlierWord::Slower,
            Change::Drift => EarlierWord::Drift,
            Change::CannotTell => EarlierWord::CannotTell,
            Change::TooFew => EarlierWord::TooFew,
        },
    }
}

/// Heads of the table.
pub(crate) const COLUMNS: [&str; 8] = [
    "workload",
    "target",
    "part",
    "before",
    "after",
    "speed, after ÷ before",
    "interval",
    "verdict",
];

/// One row of it, not yet escaped.
pub(crate) fn cells(change: &EarlierChange) -> [String; 8] {
    let unit = if change.timed { TIME } else { RATE };
    [
        change.workload.clone(),
        change
            .target
            .clone()
            .unwrap_or_else(|| "not named".to_owned()),
        match change.part {
            EarlierPart::Changed => "changed",
            EarlierPart::Control => "control",
            EarlierPart::Unnamed => "",
        }
        .to_owned(),
        unit.with_interval(change.before),
        unit.with_interval(change.after),
        change
            .ratio
            .map_or_else(|| UNKNOWN.to_owned(), |figure| ratio(figure.value)),
        ratio_interval(change.ratio),
        match change.part {
            EarlierPart::Control => "control".to_owned(),
            _ => change.change.words().to_owned(),
        },
    ]
}

/// What the controls say, in one sentence without a full stop.
pub(crate) fn of_controls(controls: ControlRange) -> String {
    format!(
        "{} moved between {} and {} times: a change between {} and {} is not distinguishable from \
         the drift of the machine",
        plural(controls.count, "control"),
        ratio(controls.low),
        ratio(controls.high),
        ratio(controls.low.min(1.0)),
        ratio(controls.high.max(1.0))
    )
}

/// The table for a terminal.
pub(crate) fn table(earlier: &Earlier) -> Table {
    let mut table = Table::new(COLUMNS.map(str::to_owned).to_vec());
    for change in &earlier.changes {
        table.push(cells(change).map(|cell| for_terminal(&cell)).to_vec());
    }
    table
}

/// What is to be said beside the table, in sentences without a full stop.
pub(crate) fn remarks(earlier: &Earlier) -> Vec<String> {
    let controls = earlier.controls.map(of_controls);
    let warnings = earlier.warnings.iter();
    controls
        .into_iter()
        .chain(warnings.map(|warning| format!("note: {warning}")))
        .collect()
}

/// The comparison for a terminal. Ends with a newline.
pub fn terminal_earlier(earlier: &Earlier) -> String {
    let mut lines = vec![
        format!("before  {}", for_terminal(&earlier.before)),
        format!("after   {}", for_terminal(&earlier.after)),
        String::new(),
    ];
    lines.extend(table(earlier).lines());
    lines.push(String::new());
    let remarks = remarks(earlier);
    lines.extend(remarks.iter().map(|remark| for_terminal(remark)));
    lines.join("\n").trim_end().to_owned() + "\n"
}

/// The comparison for machines. Ends with a newline.
pub fn earlier_json(earlier: &Earlier) -> String {
    let text = serde_json::to_string_pretty(earlier).expect("plain data becomes JSON");
    text + "\n"
}
