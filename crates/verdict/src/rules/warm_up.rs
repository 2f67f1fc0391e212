//! The first slices are not like the others.

use tenbin_result::format::percent;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use super::slowing::step_of;
use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::metric::Metric;
use crate::words::middle;

/// Difference from the later slices that is worth a word.
const NOTICEABLE: f64 = 0.10;

/// The same in deviations of the later slices: chance seldom goes as far.
const DEVIATIONS: f64 = 4.0;

/// Median absolute deviations in the standard deviation of a normal distribution.
const NORMAL: f64 = 1.4826;

/// Fewest slices among which the first can stand out.
const FEWEST: usize = 6;

/// Share of all slices from which on the estimate suffers.
const MANY: f64 = 0.25;

/// The first slices are not like the others.
pub(super) struct WarmUp;

impl Rule for WarmUp {
    fn name(&self) -> &'static str {
        "warm_up"
    }

    fn summary(&self) -> &'static str {
        "the first slices of a target differ from the later ones"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note, Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("warm_up.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        cells.iter().filter_map(|cell| self.cell(cell)).collect()
    }
}

impl WarmUp {
    fn cell(&self, cell: &Cell<'_>) -> Option<Finding> {
        let metric = *Metric::of_load(is_closed(cell.workload)).first()?;
        let figures: Vec<f64> = cell
            .full()
            .into_iter()
            .map(|slice| metric.of_block(&[slice])?.first().copied())
            .collect::<Option<_>>()?;
        let odd = odd_ones(&figures)?;
        let later = step_of(cell).is_some_and(|step| step.at > figures.len().div_ceil(3));
        let was_better = (odd.mean_log > 0.0) == is_closed(cell.workload);
        if later && was_better {
            return None;
        }
        let apart = (odd.mean_log.exp() - 1.0).abs();
        let first = match odd.slices {
            1 => String::new(),
            several => format!("{several} "),
        };
        let way = if odd.mean_log > 0.0 {
            "higher"
        } else {
            "lower"
        };
        let slices = figures.len();
        Some(Finding {
            rule: self.name().to_owned(),
            severity: if odd.slices as f64 >= MANY * slices as f64 {
                Severity::Suspect
            } else {
                Severity::Note
            },
            blame: Blame::Setup,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "in the first {first}of {slices} slices the {} is {} {way} than in the later ones, whose \
                 usual deviation is {}",
                metric.phrase(),
                percent(apart),
                percent(odd.usual)
            ),
            advice: if was_better {
                "it was better at first: find out what ran out (burst credits, room to buffer), \
                 and use a --warmup that outlasts it"
            } else {
                "use a longer --warmup, until caches are full, code is compiled and pools have \
                 grown"
            }
            .to_owned(),
        })
    }
}

/// Slices at the start that are unlike the rest.
struct Odd {
    slices: usize,
    /// Their mean distance from the rest, as a logarithm.
    mean_log: f64,
    /// Deviation of one slice of the rest, as a share.
    usual: f64,
}

/// The last two thirds say what is usual. What deviates for longer than the first third
/// is no start.
fn odd_ones(figures: &[f64]) -> Option<Odd> {
    if figures.len() < FEWEST || figures.iter().any(|figure| *figure <= 0.0) {
        return None;
    }
    let logs: Vec<f64> = figures.iter().map(|figure| figure.ln()).collect();
    let (start, rest) = logs.split_at(logs.len().div_ceil(3));
    let usual = middle(rest.iter().copied())?;
    let deviation = NORMAL * middle(rest.iter().map(|log| (log - usual).abs()))?;
    let limit = NOTICEABLE.ln_1p().max(DEVIATIONS * deviation);
    let sign = (start[0] - usual).signum();
    let odd = start.iter().map(|log| log - usual);
    let odd: Vec<f64> = odd.take_while(|distance| distance * sign > limit).collect();
    (!odd.is_empty()).then(|| Odd {
        slices: odd.len(),
        mean_log: odd.iter().sum::<f64>() / odd.len() as f64,
        usual: deviation.exp_m1(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// The first slices of `b` do so much less, and all wobble by 1 %.
    fn cold(slices: usize, share: f64) -> Run {
        let mut run = Run::pair(8);
        let mut seen = 0;
        run.each_of("b", |slice| {
            let wobble = [1.0, 1.01, 0.99][seen % 3];
            let level = if seen < slices { share } else { 1.0 } * wobble;
            slice.answers((1_000.0 * level) as u64, 0.002 / level);
            seen += 1;
        });
        run
    }

    #[test]
    fn fires_when_the_first_slice_is_slow() {
        let findings = cold(1, 0.6).findings(&WarmUp);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(
            findings[0].evidence.starts_with(
                "in the first of 16 slices the throughput is 40 % lower than in the later ones"
            ),
            "{findings:?}"
        );
        assert_eq!(
            cold(4, 0.6).findings(&WarmUp)[0].severity,
            Severity::Suspect
        );
    }

    #[test]
    fn what_is_better_at_first_is_no_cold_cache() {
        let findings = cold(2, 1.5).findings(&WarmUp);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].advice.starts_with("it was better at first"));
        assert!(cold(2, 0.6).findings(&WarmUp)[0].advice.contains("caches"));
    }

    #[test]
    fn silent_when_it_becomes_slower_later_for_good() {
        let run = cold(8, 3.0);
        assert_eq!(run.findings(&WarmUp), []);
        assert_eq!(run.findings(&crate::rules::slowing::Slowing).len(), 1);
    }

    #[test]
    fn silent_when_it_is_small_or_usual_or_not_at_the_start() {
        assert_eq!(cold(0, 1.0).findings(&WarmUp), []);
        assert_eq!(cold(1, 0.95).findings(&WarmUp), []);
        let mut noisy = Run::pair(8);
        let mut seen = 0;
        noisy.each_of("b", |slice| {
            let level = [0.8, 1.0, 1.25, 0.9][seen % 4];
            slice.answers((1_000.0 * level) as u64, 0.002 / level);
            seen += 1;
        });
        assert_eq!(noisy.findings(&WarmUp), []);
        let mut late = Run::pair(8);
        late.slices.last_mut().unwrap().ops[0].ok = 300;
        assert_eq!(late.findings(&WarmUp), []);
    }
}
