//! Every challenger against the baseline, block by block.

use std::collections::BTreeSet;

use serde::Serialize;
use tenbin_plan::{Plan, Workload};
use tenbin_record::Slice;
use tenbin_stats::{Measured, block_log_ratio, interval_p, ratio};

use crate::curve::{self, LevelOf, mean_log_ratios, sweeps};
use crate::family::{Family, Member, Together};
use crate::finding::Trust;
use crate::flags::flags;
use crate::metric::{Direction, Metric};
use crate::outcome::{NOISE_FLOOR, Outcome, Question, Scale};

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Across {
    /// Targets, at one workload.
    Targets,
    /// Targets, over all levels of a sweep.
    Levels,
    /// Workloads, on one target.
    Workloads,
}

/// One target against the baseline at one workload, by one metric; or one workload against
/// another on one target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// What is compared.
    pub across: Across,
    /// Name of the workload; of the target where workloads are compared; what the names of the
    /// levels have in common where those of a sweep are.
    pub workload: String,
    /// Name of the target, or workload, compared with.
    pub baseline: String,
    /// Name of the target, or workload, that is compared.
    pub challenger: String,
    /// By what.
    pub metric: Metric,
    /// Which way is better.
    pub direction: Direction,
    /// Whether this is the figure that decides the workload. The others explore:
    /// they are not corrected for being many.
    pub primary: bool,
    /// Whether the challenger is the baseline's twin: then the ratio is noise, and
    /// decides nothing.
    pub twin: bool,
    /// At a level of a sweep: the question that it belongs to. It is none beside that, and
    /// its p-value is not corrected.
    pub level_of: Option<LevelOf>,
    /// The challenger's figure divided by the baseline's: above 1 is better only
    /// when higher is. Its interval is the one that decides: for a figure that decides a
    /// workload, one of several that hold [together](Comparison::together).
    pub ratio: Measured,
    /// The ratio in each complete block, in the order of the run.
    pub block_ratios: Vec<f64>,
    /// Of a primary figure: the ratio without the blocks of flagged slices; `None`
    /// when no slice is flagged.
    pub without_flagged: Option<Measured>,
    /// Rounds that make one block: two for an ABBA quad.
    pub rounds_per_block: usize,
    /// Two-sided signed-rank p-value of "no difference", as the interval has it: see
    /// [`interval_p`].
    pub p: Option<f64>,
    /// The same after Bonferroni's correction over all questions of the run, or for
    /// a twin over those of twins: at most 5 % exactly where the interval excludes 1.
    /// `None` for the others.
    pub adjusted_p: Option<f64>,
    /// The comparisons whose intervals hold together, this one among them; `None` where it
    /// is the only one, or none of them.
    pub together: Option<Together>,
    /// The smallest effect that is called a difference here, as a share.
    pub noise_floor: f64,
    /// What it says.
    pub outcome: Outcome,
    /// How far that can be trusted.
    pub trust: Trust,
}

/// Compares every other target with the baseline, its twin too, at every workload,
/// by every metric of its load. Only blocks count in which both targets' slices are
/// all there and none was cut short. Trust is left at its best: it is for the
/// findings to lower it.
pub fn compare(plan: &Plan, slices: &[Slice]) -> Vec<Comparison> {
    compare_all(plan, slices).targets
}

/// Everything that is compared in a run, as [`Plan::questions`] counts it.
#[derive(Debug)]
pub struct Compared {
    /// Targets, at each workload.
    pub targets: Vec<Comparison>,
    /// Targets, over all levels of each sweep.
    pub curves: Vec<Comparison>,
    /// Every workload that the plan wants compared against the first of them, on every target
    /// but a twin.
    pub workloads: Vec<Comparison>,
}

/// Compares targets, curves and workloads. All share one correction for being many.
pub fn compare_all(plan: &Plan, slices: &[Slice]) -> Compared {
    let flagged: BTreeSet<u32> = flags(plan, slices).iter().map(|flag| flag.slice).collect();
    let family = Family::of(plan);
    let mut comparisons = Vec::new();
    // The rates of a search are compared, and not what came of them.
    let compared = plan.workloads.iter().filter(|work| work.search().is_none());
    for workload in compared {
        let blocks = Blocks::of(workload, slices);
        let primary = Metric::primary(plan, workload);
        for metric in Metric::of_workload(plan, workload) {
            // A cost that nobody observes is no question, unless it is the one asked.
            let is_asked = metric == primary;
            if metric == Metric::ServerCpu && !is_asked && !is_observed(plan, &blocks) {
                continue;
            }
            comparisons.extend(by_metric(plan, workload, metric, &blocks, &flagged, family));
        }
    }
    let of_targets = comparisons.len();
    comparisons.extend(curves(plan, slices, family));
    let with_curves = comparisons.len();
    comparisons.extend(across_workloads(plan, slices, &flagged, family));
    decide(plan, &mut comparisons);
    let workloads = comparisons.split_off(with_curves);
    let curves = comparisons.split_off(of_targets);
    ask_levels(&mut comparisons, &curves, Scale::of(plan));
    Compared {
        targets: comparisons,
        curves,
        workloads,
    }
}

/// Every other target against the baseline over all levels of each sweep
/// ([`Plan::ladders`]), its twin too: in each block the geometric mean of the ratios of
/// the levels.
fn curves(plan: &Plan, slices: &[Slice], family: Family) -> Vec<Comparison> {
    let Some(baseline) = plan.baseline() else {
        return Vec::new();
    };
    let challengers = || {
        let others = plan.challengers().map(|target| (target, false));
        others.chain(plan.twin().map(|twin| (twin, true)))
    };
    let mut found = Vec::new();
    for levels in sweeps(plan) {
        let blocks: Vec<Blocks<'_>> = levels.iter().map(|work| Blocks::of(work, slices)).collect();
        let Some(first) = levels.first() else {
            continue;
        };
        let metric = Metric::primary(plan, first);
        for (challenger, twin) in challengers() {
            let of_level = |blocks: &Blocks<'_>| {
                blocks.log_ratios_by_block(metric, &baseline.name, &challenger.name)
            };
            let logs = mean_log_ratios(&blocks.iter().map(of_level).collect::<Vec<_>>());
            let confidence = family.confidence(Member::of(true, twin, false));
            found.push(Comparison {
                across: Across::Levels,
                workload: curve::family(&levels),
                baseline: baseline.name.clone(),
                challenger: challenger.name.clone(),
                metric,
                direction: metric.direction(),
                primary: !twin,
                twin,
                level_of: None,
                ratio: ratio(&logs, confidence),
                block_ratios: logs.iter().map(|log| log.exp()).collect(),
                without_flagged: None,
                rounds_per_block: plan.rounds_per_block() as usize,
                p: interval_p(&logs),
                adjusted_p: None,
                together: None,
                noise_floor: NOISE_FLOOR,
                outcome: Outcome::Unknown { why: String::new() },
                trust: Trust::Valid,
            });
        }
    }
    found
}

/// What the figures of a level belong to: they are no questions beside that of the curve.
fn level_of(plan: &Plan, workload: &Workload) -> Option<LevelOf> {
    let is_level = |levels: &Vec<&Workload>| levels.iter().any(|work| work.name == workload.name);
    let levels = sweeps(plan).into_iter().find(is_level)?;
    Some(LevelOf {
        sweep: curve::family(&levels),
        levels: levels.len(),
        differs: false,
    })
}

/// Calls no level different whose curve is not, so that the chance of a false
/// difference is that of the curve: a hierarchical test, in which the levels are asked
/// only once the whole has been answered (R. Marcus, E. Peritz and K. R. Gabriel, "On closed
/// testing procedures with special reference to ordered analysis of variance", 1976). For
/// deciding figures only; the others explore.
fn ask_levels(comparisons: &mut [Comparison], curves: &[Comparison], scale: Scale) {
    for level in comparisons {
        let Some(of) = &mut level.level_of else {
            continue;
        };
        let mut known = curves.iter();
        let curve = known.find(|c| c.workload == of.sweep && c.challenger == level.challenger);
        of.differs = curve.is_some_and(|curve| curve.outcome.is_different());
        if level.primary && !of.differs && level.outcome.is_different() {
            let scale = scale.with_floor(level.noise_floor);
            let logs = level.log_ratios();
            level.outcome = level.question(&logs, scale, 1).undecided();
        }
    }
}

fn across_workloads(
    plan: &Plan,
    slices: &[Slice],
    flagged: &BTreeSet<u32>,
    family: Family,
) -> Vec<Comparison> {
    let mut works = plan.compared_workloads();
    let Some(baseline) = works.next() else {
        return Vec::new();
    };
    let twin = plan.twin().map(|twin| twin.name.as_str());
    let targets = plan.targets.iter().map(|target| target.name.as_str());
    let challengers: Vec<&Workload> = works.collect();
    let mut found = Vec::new();
    for target in targets.filter(|target| Some(*target) != twin) {
        for challenger in &challengers {
            for metric in Metric::of_workload(plan, challenger) {
                let sides = [baseline, challenger].map(|work| Blocks::of(work, slices));
                found.extend(across(
                    (metric, Metric::primary(plan, challenger) == metric),
                    target,
                    [baseline, challenger],
                    &sides,
                    flagged,
                    family,
                ));
            }
        }
    }
    found
}

fn across(
    (metric, primary): (Metric, bool),
    target: &str,
    [baseline, challenger]: [&Workload; 2],
    sides: &[Blocks<'_>; 2],
    flagged: &BTreeSet<u32>,
    family: Family,
) -> Option<Comparison> {
    let logs = |wanted: &dyn Fn(&Slice) -> bool| log_ratios_across(metric, target, sides, wanted);
    let log_ratios = logs(&|_| true);
    // A cost that nobody observes is no question.
    if log_ratios.is_empty() && !primary {
        return None;
    }
    let without_flagged = primary.then(|| logs(&|slice: &Slice| is_clean(slice, flagged)));
    let confidence = family.confidence(Member::of(primary, false, false));
    Some(Comparison {
        across: Across::Workloads,
        workload: target.to_owned(),
        baseline: baseline.name.clone(),
        challenger: challenger.name.clone(),
        metric,
        direction: metric.direction(),
        primary,
        twin: false,
        level_of: None,
        ratio: ratio(&log_ratios, confidence),
        block_ratios: log_ratios.iter().map(|log| log.exp()).collect(),
        without_flagged: without_flagged
            .filter(|left| left.len() < log_ratios.len())
            .map(|left| ratio(&left, confidence)),
        rounds_per_block: sides[1].rounds,
        p: interval_p(&log_ratios),
        adjusted_p: None,
        together: None,
        noise_floor: NOISE_FLOOR,
        outcome: Outcome::Unknown { why: String::new() },
        trust: Trust::Valid,
    })
}

/// The challenger's figure divided by the baseline's on one target, in each block that is complete
/// for both.
fn log_ratios_across(
    metric: Metric,
    target: &str,
    [baseline, challenger]: &[Blocks<'_>; 2],
    wanted: &dyn Fn(&Slice) -> bool,
) -> Vec<f64> {
    if [baseline, challenger]
        .iter()
        .any(|side| metric.is_biased_over(&side.full(target)))
    {
        return Vec::new();
    }
    let number = |block: &[&Slice]| block.first().map(|slice| slice.block);
    let pairs = baseline.blocks.iter().filter_map(|a| {
        let b = challenger.blocks.iter().find(|b| number(b) == number(a))?;
        Some((baseline.whole(a, target)?, challenger.whole(b, target)?))
    });
    pairs
        .filter(|(a, b)| a.iter().chain(b).all(|slice| wanted(slice)))
        .filter_map(|(a, b)| block_log_ratio(&metric.of_block(&a)?, &metric.of_block(&b)?))
        .collect()
}

/// The blocks of one workload, and how many rounds a whole one has.
pub(crate) struct Blocks<'a> {
    blocks: Vec<Vec<&'a Slice>>,
    rounds: usize,
}

impl<'a> Blocks<'a> {
    pub(crate) fn of(workload: &Workload, slices: &'a [Slice]) -> Self {
        let mut mine: Vec<&Slice> = slices
            .iter()
            .filter(|slice| slice.workload == workload.name)
            .collect();
        mine.sort_by_key(|slice| (slice.block, slice.index));
        let blocks: Vec<Vec<&Slice>> = mine
            .chunk_by(|a, b| a.block == b.block)
            .map(<[&Slice]>::to_vec)
            .collect();
        // The last block may have been cut off by the end of the run, so the fullest
        // one shows the pattern. One round never cancels any drift.
        let rounds = blocks
            .iter()
            .map(|block| {
                block
                    .iter()
                    .map(|slice| slice.round)
                    .collect::<BTreeSet<_>>()
            })
            .map(|rounds| rounds.len())
            .fold(2, usize::max);
        Self { blocks, rounds }
    }

    /// A target's slices in a block, if all are there in full.
    fn whole(&self, block: &[&'a Slice], target: &str) -> Option<Vec<&'a Slice>> {
        let slices: Vec<&Slice> = block
            .iter()
            .filter(|slice| slice.target == target && !slice.cut_short)
            .copied()
            .collect();
        (slices.len() == self.rounds).then_some(slices)
    }

    fn full(&self, target: &str) -> Vec<&'a Slice> {
        let slices = self.blocks.iter().flatten();
        let full = slices.filter(|slice| slice.target == target && !slice.cut_short);
        full.copied().collect()
    }

    /// The challenger's figure divided by the baseline's in each complete block.
    pub(crate) fn log_ratios(&self, metric: Metric, baseline: &str, challenger: &str) -> Vec<f64> {
        self.log_ratios_of(metric, baseline, challenger, |_| true)
    }

    /// The same of the blocks in which all slices of both are `wanted`.
    fn log_ratios_of(
        &self,
        metric: Metric,
        baseline: &str,
        challenger: &str,
        wanted: impl Fn(&Slice) -> bool,
    ) -> Vec<f64> {
        let all = self.numbered(metric, baseline, challenger, wanted);
        all.into_iter().map(|(_, log)| log).collect()
    }

    /// The log ratio of each complete block with the number of the block.
    pub(crate) fn log_ratios_by_block(
        &self,
        metric: Metric,
        baseline: &str,
        challenger: &str,
    ) -> Vec<(u32, f64)> {
        self.numbered(metric, baseline, challenger, |_| true)
    }

    fn numbered(
        &self,
        metric: Metric,
        baseline: &str,
        challenger: &str,
        wanted: impl Fn(&Slice) -> bool,
    ) -> Vec<(u32, f64)> {
        if [baseline, challenger]
            .iter()
            .any(|target| metric.is_biased_over(&self.full(target)))
        {
            return Vec::new();
        }
        self.blocks
            .iter()
            .filter_map(|block| {
                let a = self.whole(block, baseline)?;
                let b = self.whole(block, challenger)?;
                if !a.iter().chain(&b).all(|slice| wanted(slice)) {
                    return None;
                }
                let log = block_log_ratio(&metric.of_block(&a)?, &metric.of_block(&b)?)?;
                Some((a.first()?.block, log))
            })
            .collect()
    }
}

/// Whether the CPU of every target is known, and of all of them that of the same: the use
/// of a whole host is no match for that of processes.
fn is_observed(plan: &Plan, blocks: &Blocks<'_>) -> bool {
    let mut scopes = Vec::new();
    let all_known = plan.targets.iter().all(|target| {
        let mine = blocks.blocks.iter().flatten();
        let mut known = mine
            .filter(|slice| slice.target == target.name)
            .filter_map(|slice| slice.server.filter(|used| used.cpu_seconds.is_some()))
            .peekable();
        let is_known = known.peek().is_some();
        scopes.extend(known.map(|used| used.scope));
        is_known
    });
    all_known && scopes.windows(2).all(|pair| pair[0] == pair[1])
}

fn by_metric(
    plan: &Plan,
    workload: &Workload,
    metric: Metric,
    blocks: &Blocks<'_>,
    flagged: &BTreeSet<u32>,
    family: Family,
) -> Vec<Comparison> {
    let Some(baseline) = plan.baseline() else {
        return Vec::new();
    };
    let decides = Metric::primary(plan, workload) == metric;
    let level_of = level_of(plan, workload);
    let challengers = plan.challengers().map(|target| (target, false));
    challengers
        .chain(plan.twin().map(|twin| (twin, true)))
        .map(|(challenger, twin)| {
            let (a, b) = (baseline.name.as_str(), challenger.name.as_str());
            let log_ratios = blocks.log_ratios(metric, a, b);
            let primary = decides && !twin;
            let confidence = family.confidence(Member::of(decides, twin, level_of.is_some()));
            let without_flagged = |log_ratios: &[f64]| {
                let left = blocks.log_ratios_of(metric, a, b, |slice| is_clean(slice, flagged));
                (left.len() < log_ratios.len()).then(|| ratio(&left, confidence))
            };
            Comparison {
                across: Across::Targets,
                workload: workload.name.clone(),
                baseline: a.to_owned(),
                challenger: b.to_owned(),
                metric,
                direction: metric.direction(),
                primary,
                twin,
                level_of: level_of.clone(),
                ratio: ratio(&log_ratios, confidence),
                block_ratios: log_ratios.iter().map(|log| log.exp()).collect(),
                without_flagged: primary.then(|| without_flagged(&log_ratios)).flatten(),
                rounds_per_block: blocks.rounds,
                p: interval_p(&log_ratios),
                adjusted_p: None,
                together: None,
                noise_floor: NOISE_FLOOR,
                outcome: Outcome::Unknown { why: String::new() },
                trust: Trust::Valid,
            }
        })
        .collect()
}

/// Whether no test found anything wrong with a slice.
fn is_clean(slice: &Slice, flagged: &BTreeSet<u32>) -> bool {
    !flagged.contains(&slice.index)
}

/// Says what each comparison says. Its interval decides: see [`Family`].
fn decide(plan: &Plan, comparisons: &mut [Comparison]) {
    let family = Family::of(plan);
    family.correct(plan, comparisons);
    let twins: Vec<(Across, String, Metric, Measured)> = comparisons
        .iter()
        .filter(|comparison| comparison.twin)
        .map(|twin| (twin.across, twin.workload.clone(), twin.metric, twin.ratio))
        .collect();
    for comparison in comparisons {
        let twin = twins.iter().find(|(across, workload, metric, _)| {
            (*across, workload, *metric)
                == (comparison.across, &comparison.workload, comparison.metric)
        });
        let scale = match twin {
            Some((_, _, _, noise)) if !comparison.twin => Scale::of(plan).with_twin(noise),
            _ => Scale::of(plan),
        };
        let size = family.size(comparison.member(plan));
        let log_ratios = comparison.log_ratios();
        comparison.outcome = comparison.question(&log_ratios, scale, size).outcome();
        comparison.noise_floor = scale.floor;
    }
}

/// Whether it is one of those that [`Plan::questions`] counts.
pub(crate) fn is_question(comparison: &Comparison) -> bool {
    comparison.primary && comparison.level_of.is_none()
}

impl Comparison {
    /// What it is in the family of the plan.
    pub(crate) fn member(&self, plan: &Plan) -> Member {
        let decides = self.primary || is_deciding(plan, self);
        Member::of(decides, self.twin, self.level_of.is_some())
    }

    pub(crate) fn log_ratios(&self) -> Vec<f64> {
        self.block_ratios.iter().map(|ratio| ratio.ln()).collect()
    }

    /// What its outcome is decided from, in a `family` of this number of questions.
    pub(crate) fn question<'a>(
        &'a self,
        log_ratios: &'a [f64],
        scale: Scale,
        family: usize,
    ) -> Question<'a> {
        Question {
            metric: self.metric,
            ratio: &self.ratio,
            log_ratios,
            rounds_per_block: self.rounds_per_block,
            family,
            scale,
        }
    }
}

/// Whether it is by a figure that decides a workload.
pub(crate) fn is_deciding(plan: &Plan, comparison: &Comparison) -> bool {
    let by_workload = |work: &Workload| Metric::primary(plan, work) == comparison.metric;
    let mut workloads = plan.workloads.iter();
    match comparison.across {
        Across::Targets => {
            workloads.any(|work| work.name == comparison.workload && by_workload(work))
        }
        Across::Levels | Across::Workloads => comparison.primary || workloads.any(by_workload),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expected::expected;
    use crate::outcome::{EQUIVALENCE, effect};
    use crate::testing::Run;

    fn primary(run: &Run) -> Comparison {
        let comparisons = compare(&run.plan, &run.slices);
        comparisons.into_iter().find(|c| c.primary).unwrap()
    }

    /// `b` does `ratio` times the work of `a`, with noise of up to ± 1 % a quad.
    fn faster(quads: u32, ratio: f64) -> Run {
        let mut run = Run::pair(quads);
        run.each_of("b", |slice| {
            let noise = [0.004, -0.007, 0.009, -0.002, -0.01, 0.001][slice.0.block as usize % 6];
            let share = ratio * (1.0 + noise);
            slice.answers((10_000.0 * share) as u64, 0.000_2 / share);
        });
        run.each_of("a", |slice| slice.answers(10_000, 0.000_2));
        run
    }

    #[test]
    fn a_clear_difference_is_found_with_its_size() {
        let found = primary(&faster(8, 1.123));
        assert_eq!(found.outcome, Outcome::Faster);
        let estimate = found.ratio.estimate().unwrap();
        assert!(estimate.contains(1.123), "{estimate:?}");
        assert!(estimate.high - estimate.low < 0.02, "{estimate:?}");
        assert_eq!(primary(&faster(8, 0.8)).outcome, Outcome::Slower);
    }

    /// `a` alone at `kept` and `closed`, which does a fifth of the work; eight ABBA quads.
    fn two_workloads() -> Run {
        let mut run = Run::compared(&["a"], &["kept", "closed"], 16);
        run.each(|slice| {
            let noise = [4, -7, 9, -2, -10, 1][slice.0.block as usize % 6];
            let drift = 10 * i64::from(slice.0.index);
            let answers = 10_000 + noise * 10 + drift;
            let share = if slice.0.workload == "closed" { 5 } else { 1 };
            slice.answers(answers as u64 / share, 0.000_2 * share as f64);
        });
        run
    }

    #[test]
    fn a_workload_is_compared_with_another_on_one_target() {
        let run = two_workloads();
        let Compared {
            targets, workloads, ..
        } = compare_all(&run.plan, &run.slices);
        assert_eq!(targets, [], "there is but one");
        let found = workloads.iter().find(|c| c.primary).unwrap();
        assert_eq!(found.across, Across::Workloads);
        assert_eq!(
            (
                found.workload.as_str(),
                found.baseline.as_str(),
                found.challenger.as_str()
            ),
            ("a", "kept", "closed")
        );
        assert_eq!(found.outcome, Outcome::Slower);
        assert_eq!(found.block_ratios.len(), 8);
        let estimate = found.ratio.estimate().unwrap();
        assert!((estimate.value - 0.2).abs() < 0.001, "{estimate:?}");
        assert!(
            found
                .sentence()
                .starts_with("closed is 0.200 times as fast as kept on a (ratio 0.200"),
            "{}",
            found.sentence()
        );
    }

    const LEVELS: [&str; 4] = ["get-c1", "get-c2", "get-c4", "get-c8"];

    /// Four targets at four levels, in the fewest rounds that the plan asks for. `b` does
    /// `ratio` times the work of the others at the levels from `from` on; noise of up to ± 1 %.
    fn sweep(ratio: f64, from: usize) -> Run {
        let mut run = Run::new(&["a", "b", "c", "d"], &LEVELS, 28);
        for (at, work) in run.plan.workloads.iter_mut().enumerate() {
            work.load.connections = 1 << at;
        }
        run.each(|slice| {
            let level = LEVELS
                .iter()
                .position(|name| *name == slice.0.workload)
                .unwrap();
            let connections = 1 << level;
            let (block, target) = (slice.0.block as usize, slice.0.target.as_bytes()[0]);
            let noise = [4, -7, 9, -2, -10, 1, 6][(block + level + usize::from(target)) % 7];
            let share = if target == b'b' && level >= from {
                ratio
            } else {
                1.0
            };
            let answers = f64::from(10_000 + 10 * noise) * share;
            slice.0.connections = connections;
            slice.answers(answers as u64, connections as f64 / answers);
        });
        run
    }

    #[test]
    fn the_levels_of_a_sweep_are_judged_as_one_question() {
        let run = sweep(1.3, 0);
        assert_eq!(run.plan.questions(), 3);
        assert_eq!(run.plan.fewest_rounds(), Some(28));
        let Compared {
            targets, curves, ..
        } = compare_all(&run.plan, &run.slices);
        let asked = targets.iter().filter(|c| is_question(c)).count();
        assert_eq!((asked, curves.len()), (0, run.plan.questions()));
        let outcome = |name: &str| {
            &curves
                .iter()
                .find(|c| c.challenger == name)
                .unwrap()
                .outcome
        };
        assert_eq!(*outcome("b"), Outcome::Faster);
        assert!(!outcome("c").is_different() && !outcome("d").is_different());
        assert_eq!(curves[0].adjusted_p, Some(3.0 * 2.0 / 128.0));
        assert!(
            curves[0]
                .sentence()
                .starts_with("b is 30 % faster than a over all levels of get (ratio 1.30"),
            "{}",
            curves[0].sentence()
        );
        for level in targets.iter().filter(|c| c.primary && c.challenger == "b") {
            assert_eq!(level.outcome, Outcome::Faster, "{}", level.workload);
            assert_eq!(level.adjusted_p, None);
        }
    }

    #[test]
    fn a_difference_at_one_level_shows_in_the_curve() {
        let run = sweep(29.7, 3);
        let found = compare_all(&run.plan, &run.slices);
        assert_eq!(found.curves[0].outcome, Outcome::Faster);
        let mut levels = found
            .targets
            .iter()
            .filter(|c| c.primary && c.challenger == "b");
        assert!(levels.any(|c| c.workload == "get-c8" && c.outcome == Outcome::Faster));
    }

    #[test]
    fn no_level_is_called_different_where_the_curve_is_not() {
        // Less by 6 % on few connections, more by 6 % on many: alike over all of them.
        let mut run = sweep(1.0, 0);
        run.each_of("b", |slice| {
            let low = LEVELS[..2].contains(&slice.0.workload.as_str());
            let share = if low { 1.0 / 1.06 } else { 1.06 };
            let answers = 10_000.0 * share + f64::from(slice.0.block % 3);
            slice.answers(answers as u64, slice.0.connections as f64 / answers);
        });
        let found = compare_all(&run.plan, &run.slices);
        assert!(
            !found.curves[0].outcome.is_different(),
            "{:?}",
            found.curves[0]
        );
        let mut levels = found
            .targets
            .iter()
            .filter(|c| c.primary && c.challenger == "b");
        let level = levels.next().unwrap();
        assert!(!level.ratio.estimate().unwrap().contains(1.0));
        assert!(
            matches!(level.outcome, Outcome::Inconclusive { .. }),
            "{level:?}"
        );
        let sentence = level.sentence();
        assert!(
            sentence.contains("the 4 levels of get are one question"),
            "{sentence}"
        );
        assert!(levels.all(|level| !level.outcome.is_different()));
    }

    #[test]
    fn of_workloads_only_whole_blocks_count_and_nothing_is_compared_unasked() {
        let mut run = two_workloads();
        run.slices[5].cut_short = true;
        let workloads = compare_all(&run.plan, &run.slices).workloads;
        let found = workloads.iter().find(|c| c.primary).unwrap();
        assert_eq!(found.block_ratios.len(), 7);
        run.plan.comparing.workloads.clear();
        assert_eq!(compare_all(&run.plan, &run.slices).workloads, []);
    }

    #[test]
    fn a_difference_below_the_noise_floor_is_none_however_sure() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(1_008, 0.002 / 1.008));
        let found = primary(&run);
        assert!(!found.ratio.estimate().unwrap().contains(1.0));
        assert_eq!(
            found.outcome,
            Outcome::Equivalent {
                within: EQUIVALENCE
            }
        );
    }

    #[test]
    fn lower_latency_is_faster_and_lower_cpu_is_cheaper() {
        let mut run = faster(8, 1.2);
        run.each_of("b", |slice| slice.server_cpu(0.4));
        let comparisons = compare(&run.plan, &run.slices);
        let of = |metric| comparisons.iter().find(|c| c.metric == metric).unwrap();
        assert!(of(Metric::SERVICE_P50).ratio.value().unwrap() < 1.0);
        assert_eq!(of(Metric::SERVICE_P50).outcome, Outcome::Faster);
        assert_eq!(of(Metric::ServerCpu).outcome, Outcome::Cheaper);
        assert_eq!(of(Metric::ServerCpu).adjusted_p, None);
    }

    #[test]
    fn the_plan_chooses_the_figure_that_decides() {
        let deciding = |name: &str| {
            let mut run = faster(8, 1.2);
            run.each_of("b", |slice| slice.server_cpu(2.4));
            run.plan.comparing.decide = Some(tenbin_plan::Figure::named(name).unwrap());
            run
        };
        let run = deciding("cpu");
        let comparisons = compare(&run.plan, &run.slices);
        let primary: Vec<_> = comparisons.iter().filter(|c| c.primary).collect();
        assert_eq!(primary.len(), 1);
        assert_eq!(primary[0].metric, Metric::ServerCpu);
        assert_eq!(primary[0].outcome, Outcome::Dearer);
        assert!(primary[0].adjusted_p.is_some());
        assert!(comparisons.iter().any(|c| c.metric == Metric::Throughput));
        let run = deciding("p95");
        let comparisons = compare(&run.plan, &run.slices);
        let primary: Vec<_> = comparisons.iter().filter(|c| c.primary).collect();
        assert_eq!(primary[0].metric.name(), "service_p95");
        assert_eq!(
            primary[0].metric.phrase(),
            "95th percentile of service time"
        );
        assert_eq!(primary[0].outcome, Outcome::Faster);
        assert_eq!(comparisons[0], *primary[0], "it comes first");
    }

    #[test]
    fn a_cost_that_decides_and_is_not_observed_is_unknown_and_not_left_out() {
        let mut run = faster(8, 1.2);
        run.each_of("b", |slice| slice.unobserved());
        run.plan.comparing.decide = Some(tenbin_plan::Figure::Cpu);
        assert!(matches!(primary(&run).outcome, Outcome::Unknown { .. }));
    }

    #[test]
    fn an_open_loop_is_decided_by_its_median_response() {
        let run = faster(8, 1.2).open_loop();
        let comparisons = compare(&run.plan, &run.slices);
        assert!(comparisons.iter().all(|c| c.metric != Metric::Throughput));
        let found = primary(&run);
        assert_eq!(found.metric, Metric::RESPONSE_P50);
        assert_eq!(found.outcome, Outcome::Faster);
    }

    #[test]
    fn only_whole_blocks_count() {
        let mut run = faster(8, 1.2);
        run.first_of("b").answers(1, 0.9);
        assert_eq!(primary(&run).block_ratios.len(), 8);
        run.first_of("b").cut_short();
        assert_eq!(primary(&run).block_ratios.len(), 7);
        // Ends after A B B of the seventh quad.
        let run = faster(8, 1.2).interrupted(27);
        assert_eq!(primary(&run).block_ratios.len(), 6);
    }

    #[test]
    fn five_blocks_give_no_interval_and_no_winner() {
        let found = primary(&faster(5, 3.0));
        assert!(found.ratio.value().is_some());
        assert_eq!(found.ratio.estimate(), None);
        assert!(
            matches!(
                found.outcome,
                Outcome::Inconclusive {
                    detectable: None,
                    rounds_needed: Some(12),
                    ..
                }
            ),
            "{:?}",
            found.outcome
        );
    }

    #[test]
    fn a_slice_in_which_nothing_ended_leaves_no_ratio() {
        let mut run = faster(8, 1.2);
        run.first_of("b").answers(0, 0.002);
        let found = primary(&run);
        assert_eq!(found.ratio, Measured::Unknown);
        assert!(matches!(found.outcome, Outcome::Unknown { .. }));
    }

    #[test]
    fn no_block_gives_no_figure() {
        let found = primary(&faster(8, 1.2).interrupted(3));
        assert_eq!(found.ratio, Measured::Unknown);
        assert!(matches!(found.outcome, Outcome::Unknown { .. }));
    }

    #[test]
    fn four_workloads_take_more_blocks_than_one() {
        let four = |quads: u32| {
            let mut run = Run::new(&["a", "b"], &["w", "x", "y", "z"], quads * 2);
            run.each_of("b", |slice| slice.answers(3_000, 0.002 / 3.0));
            compare(&run.plan, &run.slices)
        };
        let six = four(6);
        let clear = |c: &Comparison| c.primary && c.outcome.is_different();
        assert!(!six.iter().any(clear));
        assert!(
            six.iter()
                .any(|c| c.primary && c.adjusted_p == Some(8.0 / 64.0))
        );
        assert_eq!(four(8).iter().filter(|c| clear(c)).count(), 4);
    }

    #[test]
    fn what_only_the_number_of_questions_hides_is_promised_as_it_was_seen() {
        let mut run = Run::new(&["a", "b"], &["w", "x", "y", "z"], 12);
        run.each_of("b", |slice| {
            let share = [1.2, 2.0, 1.5][slice.0.block as usize % 3];
            slice.answers((1_000.0 * share) as u64, 0.002 / share);
        });
        let mut found = compare(&run.plan, &run.slices).into_iter();
        let found = found.find(|c| c.primary).unwrap();
        assert_eq!(
            found.ratio.estimate(),
            None,
            "six blocks have none for four"
        );
        assert!(
            found.sentence().contains("in 4 comparisons"),
            "{}",
            found.sentence()
        );
        let Outcome::Inconclusive {
            aim, rounds_needed, ..
        } = found.outcome
        else {
            panic!("{:?}", found.outcome)
        };
        assert!((aim - 0.5).abs() < 0.1, "{aim}");
        // Eight blocks of two rounds are the fewest for four questions.
        assert!(
            (16..40).contains(&rounds_needed.unwrap()),
            "{rounds_needed:?}"
        );
    }

    #[test]
    fn a_third_target_is_compared_with_the_first() {
        // A Williams square of three has six rounds; the last one is not whole.
        let run = Run::new(&["a", "b", "c"], &["get"], 38);
        let comparisons = compare(&run.plan, &run.slices);
        let pairs: Vec<(&str, &str)> = comparisons
            .iter()
            .filter(|c| c.primary)
            .map(|c| (c.baseline.as_str(), c.challenger.as_str()))
            .collect();
        assert_eq!(pairs, [("a", "b"), ("a", "c")]);
        assert!(comparisons.iter().all(|c| c.block_ratios.len() == 6));
    }

    #[test]
    fn unobserved_targets_are_not_compared_by_cpu() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.unobserved());
        let comparisons = compare(&run.plan, &run.slices);
        assert!(comparisons.iter().all(|c| c.metric != Metric::ServerCpu));
    }

    #[test]
    fn the_cpu_of_a_whole_host_is_no_match_for_that_of_processes() {
        let of = |run: &Run| {
            let comparisons = compare(&run.plan, &run.slices);
            comparisons.iter().any(|c| c.metric == Metric::ServerCpu)
        };
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.of_whole_host());
        assert!(!of(&run));
        run.each_of("a", |slice| slice.of_whole_host());
        assert!(of(&run), "both are of the same kind");
    }

    #[test]
    fn drift_does_not_look_like_a_difference() {
        let mut run = Run::pair(8);
        let mut level = 1.0_f64;
        run.each(|slice| {
            slice.answers((10_000.0 * level) as u64, 0.000_2 / level);
            level *= 0.97;
        });
        let found = primary(&run);
        assert!(
            (found.ratio.value().unwrap() - 1.0).abs() < 0.001,
            "{found:?}"
        );
    }

    /// Baseline `a`, challenger `b` and the twin `a-twin`, which is `noise` times as
    /// fast as `a` in every other block.
    fn with_twin(ratio: f64, noise: f64) -> Run {
        let mut run = Run::new(&["a", "b", "a-twin"], &["get"], 48);
        run.plan.comparing.twin = Some(2);
        run.each_of("b", |slice| {
            slice.answers((100_000.0 * ratio) as u64, 0.000_02 / ratio);
        });
        run.each_of("a", |slice| slice.answers(100_000, 0.000_02));
        run.each_of("a-twin", |slice| {
            let share = if slice.0.block % 2 == 0 {
                noise
            } else {
                1.0 / noise
            };
            slice.answers((100_000.0 * share) as u64, 0.000_02 / share);
        });
        run
    }

    #[test]
    fn a_twin_is_no_question_and_its_interval_is_the_floor() {
        let run = with_twin(1.03, 1.04);
        let comparisons = compare(&run.plan, &run.slices);
        let questions: Vec<&Comparison> = comparisons.iter().filter(|c| c.primary).collect();
        assert_eq!(questions.len(), 1);
        assert_eq!(questions[0].challenger, "b");
        assert!(
            (0.03..0.05).contains(&questions[0].noise_floor),
            "{questions:?}"
        );
        assert!(!questions[0].ratio.estimate().unwrap().contains(1.0));
        assert!(
            !questions[0].outcome.is_different(),
            "{:?}",
            questions[0].outcome
        );
        let quiet = primary(&with_twin(1.03, 1.001));
        assert_eq!(quiet.outcome, Outcome::Faster);
        assert_eq!(quiet.noise_floor, NOISE_FLOOR);
        assert_eq!(primary(&with_twin(1.10, 1.04)).outcome, Outcome::Faster);
    }

    #[test]
    fn what_the_twin_hides_is_not_promised_and_takes_more_rounds() {
        let found = primary(&with_twin(1.06, 1.08));
        let Outcome::Inconclusive {
            detectable: Some(detectable),
            aim,
            rounds_needed,
        } = found.outcome
        else {
            panic!("{:?}", found.outcome);
        };
        assert_eq!((detectable, aim), (found.noise_floor, EQUIVALENCE));
        // The floor has to come down from 8 % to 5 %: 8 squares × (ln 1.08 / ln 1.05)².
        assert_eq!(rounds_needed, Some(20 * 6));
    }

    #[test]
    fn the_margin_is_the_plans() {
        let mut run = faster(8, 1.015);
        run.plan.comparing.margin = "10%".parse().unwrap();
        assert_eq!(primary(&run).outcome, Outcome::Faster);
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(1_004, 0.002 / 1.004));
        assert!(matches!(primary(&run).outcome, Outcome::Equivalent { within } if within == 0.05));
        run.plan.comparing.margin = "0.3%".parse().unwrap();
        assert_eq!(primary(&run).outcome, Outcome::Faster);
        run.plan.comparing.margin = "0.5%".parse().unwrap();
        assert!(matches!(primary(&run).outcome, Outcome::Equivalent { within } if within == 0.005));
    }

    #[test]
    fn another_baseline_turns_the_ratio_round() {
        let mut run = faster(8, 1.25);
        run.plan.comparing.baseline = 1;
        let found = primary(&run);
        assert_eq!(
            (found.baseline.as_str(), found.challenger.as_str()),
            ("b", "a")
        );
        assert_eq!(found.outcome, Outcome::Slower);
        assert!(found.ratio.estimate().unwrap().contains(0.8));
    }

    #[test]
    fn the_ratio_is_also_told_without_flagged_slices() {
        let mut run = faster(8, 1.12);
        assert_eq!(primary(&run).without_flagged, None);
        run.first_of("b")
            .fail(tenbin_record::ErrorClass::Reset, 500);
        let found = primary(&run);
        assert_eq!(found.block_ratios.len(), 8);
        assert_eq!(found.without_flagged.map(|ratio| ratio.n()), Some(7));
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig {
            cases: 24,
            max_shrink_iters: 16,
            failure_persistence: None,
            ..Default::default()
        })]

        /// Whatever the figures are: the interval that is shown is the one that decides.
        #[test]
        fn the_interval_shown_is_the_one_that_decides(
            effects in proptest::collection::vec(-12..13_i32, 1..6),
            noise in proptest::collection::vec(-60..61_i32, 6 * 12),
            quads in 6..13_u32,
            size in 1..12_i32,
        ) {
            let names: Vec<String> = (0..effects.len()).map(|at| format!("w{at}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let mut run = Run::new(&["a", "b"], &names, quads * 2);
            run.plan.comparing.expect = vec![tenbin_plan::Expectation {
                demand: tenbin_plan::Demand::Expect,
                target: None,
                workload: None,
                figure: tenbin_plan::Figure::Throughput,
                relation: tenbin_plan::Relation::Above,
                bound: tenbin_plan::Bound::Baseline(1.0),
            }];
            run.each_of("b", |slice| {
                let at = names.iter().position(|name| *name == slice.0.workload).unwrap();
                let noise = noise[at * 12 + slice.0.block as usize] * size;
                let share = (f64::from(effects[at]) / 50.0 + f64::from(noise) / 5_000.0).exp();
                slice.answers((100_000.0 * share) as u64, 0.000_02 / share);
            });
            run.each_of("a", |slice| slice.answers(100_000, 0.000_02));
            let comparisons = compare(&run.plan, &run.slices);
            let expected = expected(&run.plan, &run.slices, &comparisons, &[]);
            for each in &comparisons {
                let estimate = each.ratio.estimate();
                let excludes_one = estimate.is_some_and(|found| !found.contains(1.0));
                let large = each.ratio.value().is_some_and(|it| effect(it) > each.noise_floor);
                let different = each.outcome.is_different();
                proptest::prop_assert_eq!(different, excludes_one && large, "{:?}", each);
                let inside = estimate.is_some_and(|it| it.low >= 1.0 / 1.05 && it.high <= 1.05);
                let equivalent = matches!(each.outcome, Outcome::Equivalent { .. });
                proptest::prop_assert_eq!(equivalent, inside && !different, "{:?}", each);
                let says_why = each.sentence().contains("noise floor");
                proptest::prop_assert_eq!(says_why, excludes_one && !large, "{}", each.sentence());
                if each.primary {
                    let holds = each.adjusted_p.unwrap() <= 0.05;
                    proptest::prop_assert_eq!(holds, excludes_one, "{:?}", each);
                    let said = each.sentence().contains("together");
                    proptest::prop_assert_eq!(said, names.len() > 1 && estimate.is_some());
                    let mut figures = expected.iter();
                    let figure = figures.find(|it| it.workload == each.workload).unwrap().figure;
                    proptest::prop_assert_eq!(figure, each.ratio);
                }
            }
        }
    }
}
