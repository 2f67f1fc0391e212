//! The primary ratios while a run measures, from the blocks that have ended.

use tenbin_plan::Plan;
use tenbin_record::Slice;
use tenbin_result::{Figure, Metric};
use tenbin_stats::ratio;

use crate::compare::curve::family;
use crate::compare::family::{Family, Member};
use crate::compare::metric::Measure;
use crate::compare::primary::primary_ratios;

/// A primary ratio so far. The interval holds for a run that ends here as planned: during a run it is
/// looked at many times, so that it excludes 1 by chance more often than it says.
#[derive(Debug, Clone, PartialEq)]
pub struct InterimRatio {
    /// Name of the workload, or of the sweep.
    pub workload: String,
    /// Name of the baseline.
    pub baseline: String,
    /// Name of the challenger.
    pub challenger: String,
    /// What is compared.
    pub metric: Metric,
    /// The ratio challenger ÷ baseline with its interval; `None` before the first complete block, and
    /// after a slice without an operation that ended, if the run has no such ratio then.
    pub ratio: Option<Figure>,
    /// Number of complete blocks; 0 for a run without such a ratio.
    pub blocks: usize,
    /// Number of rounds in these blocks.
    pub rounds: usize,
}

impl InterimRatio {
    /// What is compared, in English: `throughput`, `median service time`.
    pub fn metric_phrase(&self) -> String {
        self.metric.phrase()
    }
}

/// The primary ratios of a run that measures. Keeps the slices of the current block only.
#[derive(Debug)]
pub struct Interim {
    plan: Plan,
    /// Number of slices of a complete block.
    whole: usize,
    block: Vec<Slice>,
    /// Log ratios of the complete blocks, by primary ratio.
    logs: Vec<Vec<f64>>,
    /// Whether a slice has biased the figures, by primary ratio.
    are_biased: Vec<bool>,
}

impl Interim {
    /// No slices yet.
    pub fn new(plan: &Plan) -> Self {
        let ratios = primary_ratios(plan).len();
        Self {
            whole: plan.slices_in_rounds(plan.rounds_per_block()),
            block: Vec::new(),
            logs: vec![Vec::new(); ratios],
            are_biased: vec![false; ratios],
            plan: plan.clone(),
        }
    }

    /// Adds a slice that has ended, and returns whether a block has ended with it.
    pub fn add(&mut self, slice: &Slice) -> bool {
        if self.logs.is_empty() || !is_of_rounds(slice) {
            return false;
        }
        for (ratio, is_biased) in primary_ratios(&self.plan).iter().zip(&mut self.are_biased) {
            *is_biased |= ratio.is_biased_by(slice);
        }
        if self
            .block
            .first()
            .is_some_and(|first| first.block != slice.block)
        {
            self.block.clear();
        }
        self.block.push(slice.clone());
        if self.block.len() < self.whole {
            return false;
        }
        for (ratio, logs) in primary_ratios(&self.plan).iter().zip(&mut self.logs) {
            logs.extend(ratio.log_ratios(&self.block));
        }
        self.block.clear();
        true
    }

    /// The ratios so far, with the confidence of the printed intervals, which hold simultaneously.
    pub fn ratios(&self) -> Vec<InterimRatio> {
        let confidence = Family::of(&self.plan).confidence(Member::Question);
        let known = self.logs.iter().zip(&self.are_biased);
        let known = known.map(|(logs, is_biased)| if *is_biased { &[][..] } else { &logs[..] });
        let all = primary_ratios(&self.plan).into_iter().zip(known);
        let of_each = all.map(|(primary, logs)| InterimRatio {
            workload: match primary.levels.as_slice() {
                [only] => only.name.clone(),
                levels => family(levels),
            },
            baseline: primary.baseline.to_owned(),
            challenger: primary.challenger.to_owned(),
            metric: primary.metric,
            ratio: Figure::of(ratio(logs, confidence)),
            blocks: logs.len(),
            rounds: logs.len() * self.plan.rounds_per_block() as usize,
        });
        of_each.collect()
    }
}

/// Whether a slice belongs to the rounds: a probe of a maximum-rate search, a probe of another load
/// and a continuous stretch do not.
fn is_of_rounds(slice: &Slice) -> bool {
    slice.probed.is_none() && slice.probe.is_none() && !slice.limit_probe && !slice.sustained
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compare;
    use crate::testing::Run;

    fn noisy(quads: u32) -> Run {
        let mut run = Run::pair(quads);
        run.each_of("b", |slice| {
            let share = 2.0 + 0.01 * f64::from(slice.0.block % 3);
            slice.answers((1_000.0 * share) as u64, 0.002 / share);
        });
        run
    }

    #[test]
    fn the_last_interim_ratio_is_that_of_the_result() {
        let run = noisy(8);
        let mut interim = Interim::new(&run.plan);
        let ended: Vec<bool> = run.slices.iter().map(|slice| interim.add(slice)).collect();
        assert_eq!(ended.iter().filter(|ended| **ended).count(), 8);
        assert_eq!(ended.last(), Some(&true));
        let found = compare(&run.plan, &run.slices);
        let found = found
            .iter()
            .find(|each| each.primary)
            .expect("a comparison");
        let ratios = interim.ratios();
        let [last] = ratios.as_slice() else {
            panic!("{ratios:?}");
        };
        assert_eq!((last.ratio, last.blocks), (found.found.ratio, 8));
        assert_eq!(
            [
                &last.workload,
                &last.baseline,
                &last.challenger,
                &last.metric_phrase()
            ],
            [
                &found.workload, &found.baseline, &found.challenger, &found.metric_phrase
            ]
        );
    }

    #[test]
    fn a_block_that_is_not_complete_does_not_count() {
        let run = noisy(2);
        let mut interim = Interim::new(&run.plan);
        let all = run.slices.len();
        for (at, slice) in run.slices.iter().enumerate() {
            if at != 1 && at + 1 != all {
                assert!(!interim.add(slice), "{at}");
            }
        }
        assert_eq!(interim.ratios()[0].blocks, 0);
        assert_eq!(interim.ratios()[0].ratio, None);
    }

    #[test]
    fn probes_and_stretches_after_the_rounds_change_nothing() {
        let run = noisy(8);
        let mut interim = Interim::new(&run.plan);
        for slice in &run.slices {
            interim.add(slice);
        }
        let of_rounds = interim.ratios();
        assert_eq!((of_rounds[0].blocks, of_rounds[0].rounds), (8, 16));
        for slice in &run.slices[..8] {
            let mut probe = slice.clone();
            probe.head.limit_probe = true;
            probe.head.round = 16;
            probe.head.block = 8;
            assert!(!interim.add(&probe));
            probe.head.limit_probe = false;
            probe.head.sustained = true;
            assert!(!interim.add(&probe));
        }
        assert_eq!(interim.ratios(), of_rounds);
    }

    #[test]
    fn a_slice_without_an_operation_withholds_the_ratio_for_good() {
        let mut run = noisy(4);
        run.first_of("b").answers(0, 0.002);
        let mut interim = Interim::new(&run.plan);
        for slice in &run.slices {
            interim.add(slice);
        }
        let ratios = interim.ratios();
        assert_eq!((ratios[0].ratio, ratios[0].blocks), (None, 0));
        let found = compare(&run.plan, &run.slices);
        assert!(
            found
                .iter()
                .all(|each| !each.primary || each.found.ratio.is_none())
        );
    }

    #[test]
    fn one_target_alone_has_no_ratio() {
        let run = Run::single(3);
        let mut interim = Interim::new(&run.plan);
        assert!(!run.slices.iter().any(|slice| interim.add(slice)));
        assert!(interim.ratios().is_empty());
    }
}
