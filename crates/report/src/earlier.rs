//! Compares a run with an earlier run: reads the inputs, checks whether the runs are comparable,
//! and formats the comparison.

use std::collections::BTreeMap;

use tenbin_result::{
    Document, Doubt, Earlier, EarlierChange, EarlierOutcome, ResultOf, Trust, Withheld,
};
use tenbin_verdict::lint::series as series_of;
use tenbin_verdict::{self as verdict, Series, against_earlier};

mod history;
mod origin;
mod parity;
mod shared;
mod terms;
mod words;

use self::origin::{Origin, one_place_each};
use self::parity::{Answers, Parity};
use self::shared::{Blocks, Identity, Targets, shared};
use self::terms::{Terms, spelled};
pub(crate) use self::words::{COLUMNS, cells, of_doubts, remarks};
use crate::block::Block;
use crate::escape::for_json;
use crate::formats::{self, Content};
use crate::trust_reason::why;
use crate::{page, section};

/// The results of one run, or of one result file of another tool.
#[derive(Debug, Clone)]
pub struct Results {
    /// Name of the run or file.
    name: String,
    series: Vec<Series>,
    /// Settings by workload; comparable runs have equal settings.
    terms: BTreeMap<String, Terms>,
    /// Properties of the responses, by workload and target.
    answers: BTreeMap<(String, String), Answers>,
    /// Properties of the machine, as far as known.
    host: Vec<(&'static str, Option<String>)>,
    targets: Targets,
    blocks: Blocks,
    /// The tool, and how it measured.
    origin: Origin,
    /// How far the results can be trusted, with the reason; `None` if unknown.
    trust: Option<(Trust, String)>,
    /// Other runs of the same experiment, which show how much it varies from run to run.
    others: Vec<Self>,
}

impl Results {
    /// The results of a Tenbin run, from the slices that ran their full time.
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
            targets: Targets {
                identities: Identity::all(document),
                baseline: document.baseline().map(|target| target.name.clone()),
            },
            blocks: blocks(document),
            origin: Origin::of_document(document, spelled),
            trust: Some((document.trust, why(document))),
            others: Vec::new(),
        }
    }

    /// Reads the results from a result file of any known format.
    ///
    /// # Errors
    /// When the file is in no known format or has no comparable results.
    pub fn of_file(name: &str, content: &[u8]) -> Result<Self, String> {
        let read = formats::read_bytes(name, content).map_err(|error| error.to_string())?;
        if let Content::Document(document) = &read {
            return Ok(Self::of_document(document));
        }
        let reported = formats::reported_bytes(name, content).map_err(|error| error.to_string())?;
        let (series, trust) = match read {
            Content::Steps(steps) => (steps.series(), Some(steps.trust())),
            Content::Repetitions(series) => (series, origin::trust(&reported)),
            _ => (series_of(&reported), origin::trust(&reported)),
        };
        if series.is_empty() {
            return Err(format!(
                "{name}: has no throughput, and so nothing that can be compared"
            ));
        }
        Ok(Self {
            origin: Origin::of_file(&reported),
            name: name.to_owned(),
            series,
            terms: BTreeMap::new(),
            answers: BTreeMap::new(),
            host: Vec::new(),
            targets: Targets::default(),
            blocks: Blocks::default(),
            trust,
            others: Vec::new(),
        })
    }

    /// The targets that `other` does not have, in order of first occurrence: `target "a"`.
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

    /// Copies of the series. The series of the targets in `controls` are marked as controls; all
    /// other series get their speed divided by that of the controls, by block of rounds.
    fn beside(&self, controls: &[String]) -> Vec<Series> {
        let of = |series: &Series| {
            let target = series.target.as_deref().unwrap_or_default();
            let shared = controls.iter().any(|name| name == target);
            let relative = self.blocks.relative(&series.workload, target, controls);
            Series {
                shared,
                relative: relative.filter(|_| !shared),
                ..series.clone()
            }
        };
        self.series.iter().map(of).collect()
    }

    fn has(&self, workload: &str) -> bool {
        self.series.iter().any(|each| each.workload == workload)
    }
}

/// One value per slice: throughput in a closed loop. In an open loop, the schedule determines the
/// throughput, so the value is the inverse of the median response time.
fn series(document: &Document, workload: &str, target: &str) -> Series {
    let mut workloads = document.workloads.iter();
    let closed = workloads.any(|work| work.name == workload && work.closed_loop);
    let full = document.full_slices(workload, target);
    // Dropping the slices in which no operation ended would make the target look faster.
    let known = !closed || full.clone().all(|slice| slice.throughput.is_some());
    let speeds = full.filter(|_| known).filter_map(|slice| {
        if closed {
            slice.throughput
        } else {
            slice.p50.map(|seconds| 1.0 / seconds)
        }
    });
    let values = speeds.filter(|speed| *speed > 0.0 && speed.is_finite());
    let target = Some(target.to_owned());
    Series::new(workload.to_owned(), target, !closed, values.collect())
}

/// The speeds by block of rounds, without blocks in which a slice is missing.
fn blocks(document: &Document) -> Blocks {
    let mut blocks = Blocks::default();
    for ResultOf {
        workload, target, ..
    } in &document.results
    {
        let mut workloads = document.workloads.iter();
        let closed = workloads.any(|work| work.name == *workload && work.closed_loop);
        for slice in document.full_slices(workload, target) {
            let speed = if closed {
                slice.throughput
            } else {
                slice.p50.map(|seconds| 1.0 / seconds)
            };
            if let Some(speed) = speed.filter(|speed| *speed > 0.0 && speed.is_finite()) {
                blocks.add(&spelled(workload), target, slice.block, speed);
            }
        }
    }
    blocks
}

/// Compares two runs. `changed` names the workloads that are affected by the change between the
/// runs.
///
/// # Errors
/// One sentence if the runs are not comparable, have no workload in common, or lack a workload in
/// `changed`.
pub fn against(before: &Results, after: &Results, changed: &[String]) -> Result<Earlier, String> {
    let changed: Vec<String> = changed.iter().map(|name| spelled(name)).collect();
    let changed = changed.as_slice();
    let joined = one_target_each(before, after).or_else(|| one_place_each(before, after));
    let (before, after) = joined.as_ref().map_or((before, after), |(b, a)| (b, a));
    refuse_other_hosts(before, after)?;
    refuse_other_work(before, after)?;
    refuse_unknown_names(before, after, changed)?;
    let controls = shared(&before.targets, &after.targets, !changed.is_empty());
    let [then, mut now] = [before, after].map(|side| side.beside(&controls));
    for each in &mut now {
        each.run_to_run = history::run_to_run(before, after, each, &controls);
    }
    let found = against_earlier(&then, &now, changed, &withheld(before, after));
    if found.all.is_empty() {
        return Err(format!(
            "{} and {} have no workload on the same target in common{}",
            before.name,
            after.name,
            if before.origin.is_file() || after.origin.is_file() {
                "; a file of another tool is compared with a result of one workload on one target"
            } else {
                ""
            }
        ));
    }
    let mut warnings = warnings(before, after, &found);
    let mut changes = found.all;
    warnings.extend(origin::restrict(before, after, &mut changes));
    let doubts = doubts(before, after);
    let invalid = doubts.iter().any(|doubt| doubt.trust == Trust::Invalid);
    for each in &mut changes {
        let (is_other, said) = answers(before, after, each);
        if invalid || is_other {
            each.change = EarlierOutcome::NoVerdict;
        }
        warnings.extend(said);
    }
    Ok(Earlier {
        before: before.name.clone(),
        after: after.name.clone(),
        warnings,
        doubts,
        withheld: found.withheld,
        shared: controls,
        together: found.together as u64,
        controls: found.controls,
        changes,
    })
}

/// Returns both runs with a common target name. `None` unless each run has one target, the names
/// differ, and each target has its own request template for search terms, as two kinds of servers
/// need.
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
                "{} and {} were measured on different machines ({what} {then:?}, then {now:?}), so \
                that a change cannot be attributed; repeat the earlier run here",
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
                "{} and {} sent different requests in workload {workload:?} ({difference}); \
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
                "{name:?} is named as changed, but is not a workload of both runs; they \
                have {}",
                known.join(", ")
            ));
        }
    }
    Ok(())
}

/// Why a change between these runs cannot be attributed, as far as the reason lies in one of the
/// runs.
fn withheld(before: &Results, after: &Results) -> Vec<Withheld> {
    let of = |side: &&Results| match side.trust {
        Some((Trust::Valid, _)) => None,
        Some(_) => Some(Withheld::NotValid(side.name.clone())),
        None => Some(Withheld::Unjudged(side.name.clone())),
    };
    [before, after].iter().filter_map(of).collect()
}

/// The runs that are not VALID, most severe first.
fn doubts(before: &Results, after: &Results) -> Vec<Doubt> {
    let doubt = |side: &&Results| {
        let (trust, why) = side.trust.as_ref()?;
        (*trust != Trust::Valid).then(|| Doubt {
            name: side.name.clone(),
            trust: *trust,
            why: why.clone(),
        })
    };
    let mut doubts: Vec<Doubt> = [before, after].iter().filter_map(doubt).collect();
    doubts.sort_by_key(|doubt| doubt.trust != Trust::Invalid);
    doubts
}

fn warnings(before: &Results, after: &Results, found: &verdict::EarlierRun) -> Vec<String> {
    let mut warnings = Vec::new();
    for (one, other) in [(before, after), (after, before)] {
        let alone = one.targets_without(other);
        if !alone.is_empty() {
            warnings.push(format!(
                "only {} measured {}, which is not compared",
                one.name,
                alone.join(", ")
            ));
        }
    }
    if found.controls.is_none() {
        warnings.push(
            "the runs share no target and no workload was named with --changed, so no control \
             shows how much the machine changed between the runs: measure both versions in one \
             run, or keep the same baseline in both runs"
                .to_owned(),
        );
    }
    if found
        .all
        .iter()
        .all(|each| each.ratio.is_some_and(|ratio| ratio.n == 1))
    {
        warnings.push("one run per side is inconclusive: repeat both runs".to_owned());
    }
    warnings
}

/// Whether one workload on one target did different work in the two runs, with a note if the
/// responses differed.
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

/// The comparison as text for a terminal. Ends with a newline.
pub fn terminal_earlier(earlier: &Earlier) -> String {
    let mut blocks = section::earlier(earlier);
    let after = Block::sentence(&format!("After: {}", earlier.after));
    // Inserted after the doubts.
    blocks.insert(earlier.doubts.len(), after);
    page::terminal::plain(&blocks, usize::MAX)
}

/// The comparison as JSON. Ends with a newline.
pub fn earlier_json(earlier: &Earlier) -> String {
    let text = serde_json::to_string_pretty(earlier).expect("plain data becomes JSON");
    for_json(text) + "\n"
}
