//! Differences that two starts of the same program could cause.

use tenbin_result::{Cause, Finding, Outcome, Severity, Value, message};

use crate::compare::comparison::{Comparison, is_question};
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "one_start",
    summary: Texts {
        english: "the difference may be no larger than between two starts of the same program",
        japanese: "差が、同じプログラムの起動ごとの差を超えない可能性がある",
    },
    severities: &[Severity::Note],
    explanation: pages!("one_start"),
    messages: Messages {
        english: r#"
            within-starts =
                the ratio to { $baseline } lies between { $low } and { $high }, but each ran in one
                process during the whole run, and two starts of one program may differ by up to
                { $noise }
            launch =
                let Tenbin start the servers (--launch): it then restarts them in every block, so
                that the interval contains the difference between starts; or use --start-noise 0%
                if you compare exactly these processes
            restart =
                restart the servers and run again: a difference that stays in all runs is one of
                the servers; or use --start-noise 0% if you compare exactly these processes
        "#,
        japanese: r#"
            within-starts =
                { $baseline } に対する比は { $low } から { $high } の間。ただし、どちらも実行を通して同じプロセスで
                動いており、同じプログラムでも起動ごとに最大 { $noise } の差が出うる
            launch =
                サーバーの起動を Tenbin に任せる(--launch)。ブロックごとに再起動するので、起動ごとの差が
                区間に含まれる。まさにこのプロセスどうしを比べるなら --start-noise 0% を使う
            restart =
                サーバーを再起動して再実行する。どの実行でも残る差はサーバーの差である。
                まさにこのプロセスどうしを比べるなら --start-noise 0% を使う
        "#,
    },
    tier: Tier::Precision,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let works = &evidence.plan.workloads;
    let can_relaunch = works.iter().all(|work| work.facts().can_relaunch());
    let questions = evidence.comparisons.iter().filter(|it| is_question(it));
    questions
        .filter_map(|comparison| of_comparison(comparison, can_relaunch))
        .collect()
}

fn of_comparison(comparison: &Comparison, can_relaunch: bool) -> Option<Finding> {
    let Outcome::OneStart { up_to } = comparison.outcome else {
        return None;
    };
    let estimate = comparison.ratio.estimate()?;
    let within = message!(
        "within-starts",
        baseline = &comparison.baseline,
        low = Value::Ratio(estimate.low),
        high = Value::Ratio(estimate.high),
        noise = Value::Share(up_to)
    );
    let advice = if can_relaunch {
        message!("launch")
    } else {
        message!("restart")
    };
    Some(comparison.finding(&RULE, Severity::Note, Cause::Plan, within, advice))
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{Percent, Relaunch};

    use super::*;
    use crate::testing::Run;

    /// A run in which target `b` has `share` times the throughput of `a` in every block.
    fn run(share: f64, relaunch: Relaunch) -> Run {
        let mut run = Run::pair(8);
        run.plan.rounds.relaunch = relaunch;
        run.each_of("b", |slice| {
            let noise = 1.0 + 0.006 * f64::from(slice.0.block % 3);
            let share = share * noise;
            slice.answers((1_000.0 * share) as u64, 0.002 / share);
        });
        run
    }

    fn outcome(run: &Run) -> Outcome {
        run.assess().primary().next().unwrap().outcome.clone()
    }

    #[test]
    fn a_difference_between_starts_is_no_difference_between_servers() {
        let once = run(0.945, Relaunch::Never);
        assert_eq!(outcome(&once), Outcome::OneStart { up_to: 0.05 });
        let findings = once.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].evidence.contains("two starts"), "{findings:?}");
        assert!(findings[0].advice.contains("--launch"), "{findings:?}");

        for restarted in [Relaunch::Block, Relaunch::Slice] {
            let run = run(0.945, restarted);
            assert_eq!(outcome(&run), Outcome::Slower, "the interval contains it");
            assert_eq!(run.findings(&RULE), []);
        }
    }

    #[test]
    fn a_larger_difference_is_one_of_any_two_processes() {
        let run = run(0.80, Relaunch::Never);
        assert_eq!(outcome(&run), Outcome::Slower);
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn without_start_noise_the_processes_are_compared() {
        let mut run = run(0.945, Relaunch::Never);
        run.plan.comparing.start_noise = "0%".parse::<Percent>().unwrap();
        assert_eq!(outcome(&run), Outcome::Slower);
    }

    #[test]
    fn a_ratio_within_the_margin_is_equivalent() {
        let run = run(0.975, Relaunch::Never);
        assert_eq!(outcome(&run), Outcome::Equivalent { within: 0.05 });
    }
}
