//! Memory shortage on the load generator's machine.

use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::evidence::Evidence;
use crate::findings::distortion::Distortion;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::machine::{Figure, Place, per_second, places_above, share_of_time};

/// Swapped pages per second above which there is a finding. At a lower rate, only memory that is
/// seldom used is swapped.
const PAGES: f64 = 10.0;
/// Share of the time in which all running processes wait for memory, above which there is a
/// finding.
const WAITING: f64 = 0.01;
/// Share of the time waiting for memory above which the run measures the disk.
const ONLY_WAITING: f64 = 0.10;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "swapping",
    summary: Texts {
        english: "memory was short: pages were swapped, or all processes waited for memory",
        japanese: "メモリーが足りず、スワップが起きた、または全プロセスがメモリーを待った",
    },
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: pages!("swapping"),
    messages: Messages {
        english: r#"
            memory-waits =
                for { $share } of the time, all running processes of this machine waited for memory
                ({ $basis })
            swapped = this machine swapped { $pages } pages per second in or out ({ $basis })
            free-memory =
                stop the program that needs the memory, use a smaller data set or fewer
                connections, or use a machine with more memory
        "#,
        japanese: r#"
            memory-waits =
                時間の { $share } で、このマシンの実行中の全プロセスがメモリーを待っていた({ $basis })
            swapped = このマシンで毎秒 { $pages } ページのスワップが発生した({ $basis })
            free-memory =
                メモリーを使うプログラムを止める、データセットか同時接続数を減らす、
                またはメモリーの多いマシンを使う
        "#,
    },
    tier: Tier::Circumstance,
    // Waiting for memory takes time from the load generator and from targets on this machine.
    distorts: Distortion::BUSY_MACHINE,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let waiting: Figure<'_> = &|_, machine| share_of_time(machine.pressure.memory_full_us, machine);
    let swapped: Figure<'_> = &|_, machine| per_second(machine.swapped_pages, machine);
    let stalls = places_above(evidence, WAITING, waiting);
    if !stalls.is_empty() {
        return stalls.into_iter().map(stalled).collect();
    }
    let swaps = places_above(evidence, PAGES, swapped);
    swaps.into_iter().map(swapping).collect()
}

fn stalled(place: Place) -> Finding {
    let severity = Severity::Suspect.raised_if(place.value > ONLY_WAITING);
    let waits = message!(
        "memory-waits",
        share = Value::Share(place.value),
        basis = place.basis()
    );
    place.finding(
        &RULE,
        severity,
        Cause::Setup,
        waits,
        message!("free-memory"),
    )
}

fn swapping(place: Place) -> Finding {
    let swapped = message!(
        "swapped",
        pages = place.value.round() as u64,
        basis = place.basis()
    );
    let advice = message!("free-memory");
    place.finding(&RULE, Severity::Suspect, Cause::Setup, swapped, advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn swapped_pages_are_suspect() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.machine().swapped_pages = Some(500));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert!(
            findings[0]
                .evidence
                .starts_with("this machine swapped 500 pages per second")
        );
    }

    #[test]
    fn waiting_only_for_memory_is_invalid() {
        let stalled = |micros| {
            let mut run = Run::pair(8);
            run.each(|slice| slice.machine().pressure.memory_full_us = Some(micros));
            let findings = run.findings(&RULE);
            assert!(findings.len() <= 1);
            findings.first().map(|finding| finding.severity)
        };
        assert_eq!(stalled(9_000), None);
        assert_eq!(stalled(20_000), Some(Severity::Suspect));
        assert_eq!(stalled(200_000), Some(Severity::Invalid));
    }

    #[test]
    fn silent_for_a_few_pages_and_where_nothing_is_known() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().swapped_pages = Some(9));
        assert_eq!(run.findings(&RULE), []);
        run.each(|slice| {
            slice.machine().swapped_pages = None;
            slice.machine().pressure.memory_full_us = None;
        });
        assert_eq!(run.findings(&RULE), []);
    }
}
