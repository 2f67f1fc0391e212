//! Targets whose first slices differ from the later slices.

use tenbin_result::{Cause, Finding, Metric, Severity, Value, message};

use crate::cell::Cell;
use crate::compare::metric::Measure;
use crate::evidence::{Evidence, is_closed};
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::rules::comparison::slowing::step_of;
use crate::words::middle;

/// Relative difference from the later slices above which there is a finding.
const NOTICEABLE: f64 = 0.10;

/// Number of standard deviations of the later slices that chance seldom exceeds.
const DEVIATIONS: f64 = 4.0;

/// Standard deviation of a normal distribution divided by its median absolute deviation.
const NORMAL: f64 = 1.4826;

/// Minimum number of slices to detect different first slices.
const FEWEST: usize = 6;

/// Share of deviating slices from which the ratio is affected.
const MANY: f64 = 0.25;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "warm_up",
    summary: Texts {
        english: "the first slices of a target differ from the later ones",
        japanese: "ターゲットの最初のスライスが、その後と異なる",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("warm_up"),
    messages: Messages {
        english: r#"
            first-differ =
                in the first { $first ->
                    [one] {""}
                   *[other] { $first }{" "}
                }of { $slices } slices, the { $metric } is { $apart } { $way ->
                    [higher] higher
                   *[lower] lower
                } than in the later slices, which usually deviate by { $usual }
            was-faster =
                the target was faster at first: find out which resource was used up (extra speed that a
                disk or virtual machine saves up while idle, buffer space), and use a --warmup that lasts until then
            longer-warmup =
                use a longer --warmup, until caches are full, code is compiled and pools have grown
        "#,
        japanese: r#"
            first-differ =
                { $slices } スライスの最初の { $first } スライスは、{ $metric }がその後のスライスより { $apart } { $way ->
                    [higher] 高い
                   *[lower] 低い
                }(通常のばらつきは { $usual })
            was-faster =
                ターゲットは最初だけ速かった。使い切った資源(ディスクや仮想マシンが休む間にためる余力、バッファーの空きなど)を調べ、
                それがなくなるまで --warmup を長くする
            longer-warmup =
                --warmup を長くする。キャッシュが埋まり、コードがコンパイルされ、プールが広がるまで続ける
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells.iter().filter_map(|cell| of_cell(cell)).collect()
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    let metric = *Metric::of_load(is_closed(cell.workload)).first()?;
    let figures: Vec<f64> = cell
        .full()
        .into_iter()
        .map(|slice| metric.of_block(&[slice])?.first().copied())
        .collect::<Option<_>>()?;
    let odd = deviating(&figures)?;
    let later = step_of(cell).is_some_and(|step| step.at > figures.len().div_ceil(3));
    let was_better = (odd.mean_log > 0.0) == is_closed(cell.workload);
    if later && was_better {
        return None;
    }
    let apart = (odd.mean_log.exp() - 1.0).abs();
    let way = if odd.mean_log > 0.0 {
        "higher"
    } else {
        "lower"
    };
    let slices = figures.len();
    let severity = Severity::Note.raised_if(odd.slices as f64 >= MANY * slices as f64);
    let differ = message!(
        "first-differ",
        first = Value::Plain(odd.slices as u64),
        slices = Value::Plain(slices as u64),
        metric = metric.message(),
        apart = Value::Share(apart),
        way = Value::word(way),
        usual = Value::Share(odd.usual)
    );
    let advice = if was_better {
        message!("was-faster")
    } else {
        message!("longer-warmup")
    };
    let finding = RULE.finding(severity, Cause::Setup, differ, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

/// The slices at the start that differ from the later slices.
struct Deviating {
    slices: usize,
    /// Mean of ln(figure of a deviating slice ÷ median of the later slices).
    mean_log: f64,
    /// Standard deviation of the later slices around their median, as a share of the median.
    usual: f64,
}

/// Finds deviating slices at the start of `figures`, at most the first third. The last two thirds
/// of the slices are the reference. `None` without a deviation.
fn deviating(figures: &[f64]) -> Option<Deviating> {
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
    (!odd.is_empty()).then(|| Deviating {
        slices: odd.len(),
        mean_log: odd.iter().sum::<f64>() / odd.len() as f64,
        usual: deviation.exp_m1(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// A run in which the first `slices` slices of `b` have `share` times the usual throughput, and
    /// all figures vary by 1 %.
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
        let findings = cold(1, 0.6).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(
            findings[0].evidence.starts_with(
                "in the first of 16 slices, the throughput is 40 % lower than in the later slices"
            ),
            "{findings:?}"
        );
        assert_eq!(cold(4, 0.6).findings(&RULE)[0].severity, Severity::Suspect);
    }

    #[test]
    fn a_faster_start_is_no_cold_cache() {
        let findings = cold(2, 1.5).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0]
                .advice
                .starts_with("the target was faster at first")
        );
        assert!(cold(2, 0.6).findings(&RULE)[0].advice.contains("caches"));
    }

    #[test]
    fn silent_when_it_becomes_slower_later_for_good() {
        let run = cold(8, 3.0);
        assert_eq!(run.findings(&RULE), []);
        assert_eq!(
            run.findings(&crate::rules::comparison::slowing::RULE).len(),
            1
        );
    }

    #[test]
    fn silent_when_it_is_small_or_usual_or_not_at_the_start() {
        assert_eq!(cold(0, 1.0).findings(&RULE), []);
        assert_eq!(cold(1, 0.95).findings(&RULE), []);
        let mut noisy = Run::pair(8);
        let mut seen = 0;
        noisy.each_of("b", |slice| {
            let level = [0.8, 1.0, 1.25, 0.9][seen % 4];
            slice.answers((1_000.0 * level) as u64, 0.002 / level);
            seen += 1;
        });
        assert_eq!(noisy.findings(&RULE), []);
        let mut late = Run::pair(8);
        late.slices.last_mut().unwrap().ops[0].counts.ok = 300;
        assert_eq!(late.findings(&RULE), []);
    }
}
