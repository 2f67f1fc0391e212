//! Whether the result of a maximum-rate search can be trusted.

use tenbin_result::{Cause, Finding, Message, Severity, Value, message};
use tenbin_stats::MaxRate as Found;

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::max_rate::{OwnLimit, RULE_NAME, SearchResult, Void, search_results};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: RULE_NAME,
    summary: Texts {
        english: "a maximum-rate search ended without proof, at a limit of the load generator, or \
              because all operations fail",
        japanese: "最大レートの探索が、証明のないまま、負荷生成側の限界で、または全操作の失敗で終わった",
    },
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: pages!("highest_rate"),
    messages: Messages {
        english: r#"
            late-probes =
                the load generator sent requests late in each of the last steps, at { $rate }, so the search
                ended
            busy-generator =
                at { $failed }, a load generator thread was busy for { $busy } of the time
            few-connections =
                at { $failed }, the target responded as fast as before, but requests waited up to { $lag } (p99)
                for one of { $connections ->
                    [one] 1 connection
                   *[other] { $connections } connections
                }
            waiting-probes =
                { $waited } of { $probes ->
                    [one] 1 step
                   *[other] { $probes } steps
                } missed a limit while threads waited for a core that other programs used
            not-proven = the search ended before a longer step proved { $rate }
            proof-failed = the proof failed, so no rate is known that the target sustains
            none-held = no rate is known to hold; the lowest rate that failed is { $failed }
            all-failed =
                every operation at { $rate } failed{ $known ->
                    [true] : { $why }
                   *[false] {""}
                }
            none-decided = the search ended before it decided a rate
            late-generator =
                stop other programs on the load generator's machine, use more --threads, or run Tenbin on a
                machine with idle cores
            more-threads =
                use more --threads, or a separate machine for the load generator: it may be the limit
            more-connections =
                use more --connections: the number of requests in flight is the limit, not the target
            stop-others =
                stop other programs on this machine, or run the target and Tenbin on machines with idle cores
            lower-bound =
                read the rate as a lower bound; with longer slices (--slice), the search has more time and
                decides more rates
            use-up-reserves =
                the target sustains more for a short time than for a long time: run again with longer slices
                (--slice), which use up its reserves (buffers, extra speed that a disk or virtual machine saves up
                while idle)
            low-rate =
                measure the target at a low --rate: if it misses the objective there too, loosen the objective;
                otherwise run again with longer slices (--slice)
            all-fail =
                check path, method, headers, credentials and the accepted statuses, and read the target's log:
                its operations fail at every rate
            search-again =
                run the search again to its end, with longer slices (--slice), so that the steps and the whole
                search last longer
        "#,
        japanese: r#"
            late-probes = 最後の各試行({ $rate })で負荷生成側の送信が遅れたため、探索を終えた
            busy-generator =
                { $failed } では、負荷生成側の 1 スレッドが時間の { $busy } を使い切っていた
            few-connections =
                { $failed } でもターゲットの応答は遅くなっていないが、リクエストが { $connections } 本の接続の
                空きを最大 { $lag }(p99)待った
            waiting-probes =
                { $probes } 回の試行中 { $waited } 回が、ほかのプログラムが使うコアの空きをスレッドが待つ間に
                制限を外れた
            not-proven = { $rate } を長い試行で証明する前に探索が終わった
            proof-failed = 証明は不合格で、ターゲットが維持できるレートは不明
            none-held = 合格とわかったレートはない。不合格の最小のレートは { $failed }
            all-failed =
                { $rate } で全操作が失敗{ $known ->
                    [true] : { $why }
                   *[false] {""}
                }
            none-decided = 1 つのレートも判定しないうちに探索が終わった
            late-generator =
                負荷生成側のマシンのほかのプログラムを止める、--threads を増やす、
                または空きコアのあるマシンで Tenbin を動かす
            more-threads =
                --threads を増やすか、負荷生成側を別のマシンにする。負荷生成側が上限の可能性がある
            more-connections =
                --connections を増やす。上限はターゲットではなく、処理中のリクエスト数である
            stop-others =
                このマシンのほかのプログラムを止めるか、ターゲットと Tenbin を空きコアのあるマシンで動かす
            lower-bound =
                このレートは下限とみなす。スライスを長くすると(--slice)探索の時間が延び、
                より多くのレートを判定できる
            use-up-reserves =
                ターゲットは短時間なら長時間より高いレートに耐える。スライスを長くして(--slice)、
                余力(バッファー、ディスクや仮想マシンが休む間にためる余力)を使い切らせて再実行する
            low-rate =
                低い --rate でターゲットを測る。そこでも目標を外すなら目標を緩める。外さないなら、
                スライスを長くして(--slice)再実行する
            all-fail =
                パス、メソッド、ヘッダー、認証情報、成功とみなすステータスを確認し、ターゲットのログを読む。
                どのレートでも操作が失敗している
            search-again =
                スライスを長くして(--slice)、各試行と探索全体の時間を延ばし、最後まで探索し直す
        "#,
    },
    tier: Tier::Result,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let results = search_results(evidence.plan, evidence.slices);
    results
        .iter()
        .filter_map(|result| {
            of_late_generator(result)
                .or_else(|| of_own_limit(result))
                .or_else(|| of_waiting(result))
                .or_else(|| unproven(result))
        })
        .collect()
}

fn of_late_generator(result: &SearchResult) -> Option<Finding> {
    let last = result.probes.last().filter(|_| result.ended_late)?;
    let evidence = message!("late-probes", rate = Value::ExactRate(last.rate));
    let advice = message!("late-generator");
    Some(suspect(result, Cause::Generator, evidence, advice))
}

fn of_own_limit(result: &SearchResult) -> Option<Finding> {
    let limiting = result.limiting()?;
    let failed = Value::ExactRate(limiting.rate);
    let (cause, evidence, advice) = match result.own_limit()? {
        OwnLimit::Generator => (
            Cause::Generator,
            message!(
                "busy-generator",
                failed,
                busy = Value::Share(limiting.busiest_thread)
            ),
            message!("more-threads"),
        ),
        OwnLimit::Connections => (
            Cause::Setup,
            message!(
                "few-connections",
                failed,
                lag = limiting.lag.map_or(Value::Unknown, Value::Seconds),
                connections = result.connections
            ),
            message!("more-connections"),
        ),
    };
    Some(suspect(result, cause, evidence, advice))
}

fn of_waiting(result: &SearchResult) -> Option<Finding> {
    let is_open = result.found.rate().is_none() || result.found.failed().is_none();
    let waited = result.voided(Void::WaitedForCore);
    let evidence = message!(
        "waiting-probes",
        waited = Value::Plain(waited as u64),
        probes = result.probes.len()
    );
    let advice = message!("stop-others");
    (is_open && waited > 0).then(|| suspect(result, Cause::Generator, evidence, advice))
}

fn unproven(result: &SearchResult) -> Option<Finding> {
    let (evidence, advice) = match result.found {
        Found::Proven { .. } => return None,
        Found::AtLeast { rate, .. } => (
            message!("not-proven", rate = Value::ExactRate(rate)),
            message!("lower-bound"),
        ),
        Found::Disproven { .. } => (message!("proof-failed"), message!("use-up-reserves")),
        Found::Below { failed } => (
            message!("none-held", failed = Value::ExactRate(failed)),
            message!("low-rate"),
        ),
        Found::Futile { tried } => return Some(futile(result, tried)),
        Found::Unknown => (message!("none-decided"), message!("search-again")),
    };
    Some(suspect(result, Cause::Plan, evidence, advice))
}

fn futile(result: &SearchResult, tried: f64) -> Finding {
    let evidence = message!(
        "all-failed",
        rate = Value::ExactRate(tried),
        known = result.failure().is_some(),
        why = result.failure().unwrap_or_default()
    );
    Finding {
        severity: Severity::Invalid,
        ..suspect(result, Cause::Server, evidence, message!("all-fail"))
    }
}

fn suspect(result: &SearchResult, cause: Cause, evidence: Message, advice: Message) -> Finding {
    let finding = RULE.finding(Severity::Suspect, cause, evidence, advice);
    finding.on(&result.workload, &result.target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::max_rate::tests::searched;

    #[test]
    fn fires_when_the_generator_was_busy_at_the_rate_that_failed() {
        let mut run = searched(&[("a", 1_000.0)]);
        run.each(|slice| slice.busiest_thread(0.97));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].cause, Cause::Generator);
        assert!(
            findings[0].evidence.ends_with("97 % of the time"),
            "{findings:?}"
        );
    }

    #[test]
    fn fires_when_requests_waited_for_connections_and_not_for_the_target() {
        let mut run = searched(&[("a", 1_000.0)]);
        run.each(|slice| {
            let op = &mut slice.0.ops[0];
            if op.times.response.max() > 40_000_000 {
                op.times.service.clear();
                op.times.service.record_n(2_000_000, 1_000).unwrap();
                op.times.lag.record_n(48_000_000, 1_000).unwrap();
            }
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].cause, Cause::Setup);
        assert!(
            findings[0].evidence.contains("waited up to 48.0 ms"),
            "{findings:?}"
        );
    }

    #[test]
    fn a_pause_of_the_target_is_not_attributed_to_the_connections() {
        let mut run = searched(&[("a", 1_000.0)]);
        run.each(|slice| {
            let op = &mut slice.0.ops[0];
            if op.times.response.max() > 40_000_000 {
                op.times.service.clear();
                op.times.service.record_n(2_000_000, 1_000).unwrap();
                op.times.service.record_n(50_000_000, 8).unwrap();
                op.times.lag.record_n(48_000_000, 1_000).unwrap();
            }
        });
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn fires_when_threads_waited_for_a_core_in_every_probe() {
        let mut run = searched(&[("a", 0.0)]);
        run.each(|made| {
            made.others(1.0);
            let count = made.0.ops[0].times.response.len();
            let times = vec![(50_000_000, count)];
            made.0.probed = Some(tenbin_record::Probed {
                seconds: vec![tenbin_record::ProbedSecond {
                    responses: times.clone(),
                    services: times,
                    stalls: Some(tenbin_record::Stalls {
                        count: 1,
                        ns: 1_000_000_000,
                    }),
                    ..Default::default()
                }],
            });
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].cause, Cause::Generator);
        let all = run.slices.len();
        let reason = format!(
            "{all} of {all} steps missed a limit while threads waited for a core that other programs \
             used"
        );
        assert_eq!(findings[0].evidence, reason);
    }

    #[test]
    fn fires_when_nothing_was_proven() {
        let mut run = searched(&[("a", 1_000.0)]);
        run.slices.truncate(4);
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert!(
            findings[0].evidence.ends_with("proved 800/s"),
            "{findings:?}"
        );
        let nothing = searched(&[("a", 0.0)]).findings(&RULE);
        assert!(
            nothing[0].evidence.starts_with("no rate is known to hold"),
            "{nothing:?}"
        );
    }

    #[test]
    fn a_search_in_which_all_operations_fail_is_invalid() {
        let mut run = searched(&[("a", 1_000.0)]);
        run.slices.truncate(2);
        run.each(|slice| {
            slice.answers(0, 0.0);
            slice.fail(tenbin_record::ErrorClass::Status, 100);
            slice.status(500, 100);
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(
            findings[0].evidence,
            "every operation at 100/s failed: status 500"
        );
    }

    #[test]
    fn silent_when_proven_and_without_a_search() {
        assert_eq!(searched(&[("a", 1_000.0)]).findings(&RULE), []);
        assert_eq!(crate::testing::Run::pair(8).findings(&RULE), []);
    }
}
