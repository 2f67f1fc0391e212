//! Compares a run with an earlier run: reads the inputs, checks whether the runs are comparable,
//! and formats the comparison.

use std::collections::BTreeMap;

use tenbin_plan::{Sentence, sentence};
use tenbin_result::{
    Document, Doubt, DoubtFinding, Earlier, EarlierOutcome, Language, Message, ResultOf, Trust,
    Withheld, message,
};
use tenbin_verdict::lint::series as series_of;
use tenbin_verdict::{Measure, Series, against_earlier};

mod comparable;
mod history;
mod origin;
mod packages;
mod parity;
mod shared;
mod terms;
mod units;
mod warnings;

pub use self::comparable::NotComparable;
use self::comparable::{
    nothing_in_common, refuse_other_hosts, refuse_other_work, refuse_unknown_names,
};
use self::origin::{Origin, one_place_each};
use self::parity::Answers;
use self::shared::{Blocks, Identity, Targets, shared};
use self::terms::{Terms, spelled};
use self::warnings::{answers, warnings};
use crate::block::Block;
use crate::escape::for_json;
use crate::formats::{self, Content, ReadFile};
use crate::language::{say_in, translated_beside};
use crate::trust_reason::{why, without_finding, worst};
use crate::{page, section};

/// Most names of workloads or targets in a sentence.
const MOST_NAMES: usize = 5;

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
    /// Properties of the machine, as far as known. The word selects the property in a message.
    host: Vec<(&'static str, Option<String>)>,
    targets: Targets,
    blocks: Blocks,
    /// The tool, and how it measured.
    origin: Origin,
    /// What a file of another tool says about its machine: names and values.
    machine: Vec<(String, String)>,
    /// What the file does not say, or was removed from it, in English sentences.
    caveats: Vec<String>,
    /// How far the results can be trusted; `None` if unknown.
    trust: Option<Trusted>,
    /// Other runs of the same experiment, which show how much it varies from run to run.
    others: Vec<Self>,
}

/// How far results can be trusted, with the reason.
#[derive(Debug, Clone)]
struct Trusted {
    trust: Trust,
    why: String,
    /// The finding that is the reason, for readers of other languages; `None` if it is in a file of
    /// another tool or in a run of an older version.
    finding: Option<DoubtFinding>,
    /// The reason as data, if no finding is the reason.
    data: Option<Message>,
}

impl Trusted {
    fn of_document(document: &Document) -> Self {
        let worst = worst(document);
        Self {
            trust: document.trust,
            why: why(document),
            data: worst.is_none().then(without_finding),
            finding: worst.and_then(|finding| {
                Some(DoubtFinding {
                    rule: finding.rule.clone(),
                    data: finding.data.clone()?,
                })
            }),
        }
    }

    fn of_file(trust: Trust, why: String) -> Self {
        Self {
            trust,
            why,
            finding: None,
            data: None,
        }
    }
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
                ("cpu", here.cpu_model.clone()),
                ("cores", here.cores.map(|cores| cores.to_string())),
            ],
            targets: Targets {
                identities: Identity::all(document),
                baseline: document.baseline().map(|target| target.name.clone()),
            },
            blocks: blocks(document),
            origin: Origin::of_document(document, spelled),
            machine: Vec::new(),
            caveats: Vec::new(),
            trust: Some(Trusted::of_document(document)),
            others: Vec::new(),
        }
    }

    /// Reads the results from a result file of any known format.
    ///
    /// # Errors
    /// When the file is in no known format or has no comparable results.
    pub fn of_file(name: &str, content: &[u8]) -> Result<Self, String> {
        let read = formats::file_bytes(name, content).map_err(|error| error.to_string())?;
        Self::of_read(name, read).map_err(|why| why.to_string())
    }

    /// The results of a file.
    ///
    /// # Errors
    /// When the file has no comparable results.
    pub fn of_read(name: &str, read: ReadFile) -> Result<Self, Sentence> {
        if let Content::Document(document) = &read.content {
            return Ok(Self::of_document(document));
        }
        let reported = read.reported.unwrap_or_default();
        let (series, trust) = match read.content {
            Content::Steps(steps) => (steps.series(), Some(steps.trust())),
            Content::Repetitions(series) => (series, origin::trust(&reported)),
            _ => (series_of(&reported), origin::trust(&reported)),
        };
        if series.is_empty() {
            let why = trust.map_or_else(Sentence::default, |(_, why)| {
                let why = Sentence::from(why);
                sentence!("for-this-reason", " ({why})", why)
            });
            return Err(sentence!(
                "nothing-comparable",
                "{name}: has no throughput{why}, and so nothing that can be compared",
                name,
                why
            ));
        }
        Ok(Self {
            origin: Origin::of_file(&reported),
            name: name.to_owned(),
            machine: reported.machine.clone(),
            caveats: reported.caveats.clone(),
            series,
            terms: BTreeMap::new(),
            answers: BTreeMap::new(),
            host: Vec::new(),
            targets: Targets::default(),
            blocks: Blocks::default(),
            trust: trust.map(|(trust, why)| Trusted::of_file(trust, why)),
            others: Vec::new(),
        })
    }

    /// The targets that `other` does not have, in order of first occurrence.
    fn targets_without(&self, other: &Self) -> Vec<&str> {
        let mut alone: Vec<&str> = Vec::new();
        for target in self.series.iter().filter_map(|each| each.target.as_deref()) {
            let mut there = other.series.iter();
            let is_there = there.any(|each| each.target.as_deref() == Some(target));
            if !is_there && !alone.contains(&target) {
                alone.push(target);
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

    /// Names of the workloads; if there are many, of the first ones.
    fn some_workloads(&self) -> Vec<String> {
        first_names(self.series.iter().map(|each| each.workload.as_str()))
    }

    /// Names of the targets; if there are many, of the first ones.
    fn some_targets(&self) -> Vec<String> {
        first_names(self.named_targets())
    }

    /// The target of each series that has a named target.
    fn named_targets(&self) -> impl Iterator<Item = &str> {
        self.series.iter().filter_map(|each| each.target.as_deref())
    }

    /// The workloads that `other` does not have, in order of first occurrence.
    fn workloads_without(&self, other: &Self) -> Vec<String> {
        let mut alone: Vec<String> = Vec::new();
        for each in &self.series {
            if !other.has(&each.workload) && !alone.contains(&each.workload) {
                alone.push(each.workload.clone());
            }
        }
        alone
    }

    fn has(&self, workload: &str) -> bool {
        self.series.iter().any(|each| each.workload == workload)
    }
}

/// The names, each once; if there are many, the first ones and the number of the others.
fn first_names<'a>(all: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in all {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    names.extend((more > 0).then(|| format!("{more} more")));
    names
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
    let measure = if closed { Measure::Rate } else { Measure::Time };
    Series::new(workload.to_owned(), target, measure, values.collect())
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
/// If the runs are not comparable, have no workload in common, or lack a workload in `changed`.
pub fn against(
    before: &Results,
    after: &Results,
    changed: &[String],
) -> Result<Earlier, NotComparable> {
    let changed: Vec<String> = changed.iter().map(|name| spelled(name)).collect();
    let changed = changed.as_slice();
    let (before, after) = &units::directed(before, after);
    let packages = packages::named(before, after);
    let (before, after) = packages.as_ref().map_or((before, after), |(b, a)| (b, a));
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
        if let Some(units) = origin::other_units(before, after).into_iter().next() {
            return Err(NotComparable(units));
        }
        return Err(nothing_in_common(before, after));
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
        warnings: warnings
            .iter()
            .map(|each| say_in(Language::English, each))
            .collect(),
        warning_data: warnings,
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

/// Why a change between these runs cannot be attributed, as far as the reason lies in one of the
/// runs.
fn withheld(before: &Results, after: &Results) -> Vec<Withheld> {
    let of = |side: &&Results| match side.trust.as_ref().map(|it| it.trust) {
        Some(Trust::Valid) => None,
        Some(_) => Some(Withheld::NotValid(side.name.clone())),
        None => Some(Withheld::Unjudged(side.name.clone())),
    };
    let mut withheld: Vec<Withheld> = [before, after].iter().filter_map(of).collect();
    withheld.dedup();
    withheld
}

/// The runs that are not VALID, most severe first.
fn doubts(before: &Results, after: &Results) -> Vec<Doubt> {
    let doubt = |side: &&Results| {
        let known = side.trust.clone()?;
        (known.trust != Trust::Valid).then(|| Doubt {
            name: side.name.clone(),
            trust: known.trust,
            why: known.why,
            finding: known.finding,
            data: known.data,
        })
    };
    let mut doubts: Vec<Doubt> = [before, after].iter().filter_map(doubt).collect();
    // A file that is compared with itself.
    doubts.dedup();
    doubts.sort_by_key(|doubt| doubt.trust != Trust::Invalid);
    doubts
}

/// The comparison as text for a terminal: the answer, the table and one next step; all notes if
/// `verbose`. Ends with a newline.
pub fn terminal_earlier(earlier: &Earlier, language: Language, verbose: bool) -> String {
    let blocks: Vec<Block> = if verbose {
        let whole = blocks_of(earlier, language).into_iter();
        let blocks = section::earlier_answer(earlier, language).into_iter();
        let next = section::earlier_next_step(earlier, language);
        blocks.chain(whole).chain(next).collect()
    } else {
        translated_for(earlier, language, section::brief_of(earlier, language))
    };
    page::terminal::plain(&blocks, usize::MAX)
}

/// The comparison as blocks of a page.
pub(crate) fn blocks_of(earlier: &Earlier, language: Language) -> Vec<Block> {
    let mut blocks = section::earlier(earlier, language);
    let head = [
        message!("before", before = earlier.before.as_str()),
        message!("after", after = earlier.after.as_str()),
    ];
    let head = head.map(|line| Block::sentence(&say_in(language, &line)));
    // Inserted after the doubts.
    let doubts = earlier.doubts.len();
    blocks.splice(doubts..doubts, head);
    translated_for(earlier, language, blocks)
}

/// The blocks with the fixed texts in a language; names of workloads and targets stay.
fn translated_for(earlier: &Earlier, language: Language, blocks: Vec<Block>) -> Vec<Block> {
    let changes = earlier.changes.iter();
    let names = changes
        .flat_map(|each| [Some(each.workload.as_str()), each.target.as_deref()])
        .flatten();
    translated_beside(language, names, blocks)
}

/// The comparison as JSON. Ends with a newline.
pub fn earlier_json(earlier: &Earlier) -> String {
    let text = serde_json::to_string_pretty(earlier).expect("plain data becomes JSON");
    for_json(text) + "\n"
}
