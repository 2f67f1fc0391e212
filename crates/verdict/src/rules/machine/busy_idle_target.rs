//! Targets without load that use CPU time while another target is measured.

use std::collections::BTreeMap;

use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::middle;

/// Share of one core above which there is a finding.
const NOTICEABLE: f64 = 0.02;
/// Share of one core above which an idle target affects the figures of other targets.
const MUCH: f64 = 0.10;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "busy_idle_target",
    summary: Texts {
        english: "a target without load used CPU time while another was measured",
        japanese: "負荷のないターゲットが、ほかのターゲットの測定中に CPU 時間を使った",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("busy_idle_target"),
    messages: Messages {
        english: r#"
            used-without-load =
                target "{ $target }" used { $share } of a core while other targets were loaded
                ({ $basis })
            disable-background-work =
                disable its background work (compaction, scanning, replication, busy waiting) or
                let it finish before the run; or use a longer --gap between slices
        "#,
        japanese: r#"
            used-without-load =
                ほかのターゲットの測定中に、ターゲット「{ $target }」が 1 コアの { $share } を使った({ $basis })
            disable-background-work =
                バックグラウンド処理(コンパクション、スキャン、レプリケーション、ビジーウェイト)を無効にするか、
                測定前に終わらせる。またはスライス間の --gap を長くする
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let mut shares: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for slice in evidence.slices.iter().filter(|slice| !slice.end.cut_short) {
        let Some(machine) = slice.machine() else {
            continue;
        };
        for (target, seconds) in machine.idle_targets {
            if machine.seconds > 0.0 {
                let of_target = shares.entry(target).or_default();
                of_target.push(seconds / machine.seconds);
            }
        }
    }
    let finding = |(target, shares): (String, Vec<f64>)| of_target(&target, &shares);
    shares.into_iter().filter_map(finding).collect()
}

fn of_target(target: &str, shares: &[f64]) -> Option<Finding> {
    let share = middle(shares.iter().copied()).filter(|share| *share > NOTICEABLE)?;
    let severity = Severity::Note.raised_if(share > MUCH);
    let used = message!(
        "used-without-load",
        target,
        share = Value::Share(share),
        basis = message!("median-of-slices", slices = shares.len())
    );
    let advice = message!("disable-background-work");
    // The idle target affects all other targets, so the finding is about the whole run.
    Some(RULE.finding(severity, Cause::Server, used, advice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn idle_use_of_b(seconds: f64) -> Vec<Finding> {
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().idle_targets.clear());
        run.each_of("a", |slice| {
            let idle = &mut slice.machine().idle_targets;
            idle.insert("b".to_owned(), seconds);
        });
        run.findings(&RULE)
    }

    #[test]
    fn fires_above_two_percent_of_a_core() {
        let findings = idle_use_of_b(0.04);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        let expected = "target \"b\" used 4 % of a core while other targets were loaded (median of 16 \
             slices)";
        assert_eq!(findings[0].evidence, expected);
        assert_eq!(idle_use_of_b(0.4)[0].severity, Severity::Suspect);
    }

    #[test]
    fn silent_below_it_and_for_targets_that_are_not_observed() {
        assert_eq!(idle_use_of_b(0.019), []);
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().idle_targets.clear());
        assert_eq!(run.findings(&RULE), []);
    }
}
