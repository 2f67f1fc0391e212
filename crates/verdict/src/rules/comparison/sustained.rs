//! Targets whose figures under continuous load differ from their interleaved figures.

use tenbin_result::{Cause, Finding, Message, Severity, Sustained, Value, message};

use crate::continuous_load::Stretch;
use crate::evidence::Evidence;
use crate::findings::messages::{Messages, clauses};
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::sustained::{rise_apart, shown};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "sustained",
    summary: Texts {
        english: "a target has other figures under continuous load than in the rounds",
        japanese: "連続した負荷では、ラウンド中と数値が違うターゲットがある",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("sustained"),
    messages: Messages {
        english: r#"
            not-sustained =
                the { $tail ->
                    [true] p99
                   *[false] throughput
                } in the rounds, where the target rests between slices, is not sustained: { $figures } under
                { $length } of continuous load ({ $operations ->
                    [one] 1 operation
                   *[other] { $operations } operations
                }){ $step }
            step = , from { $from } on
            faster =
                under { $length } of continuous load ({ $operations ->
                    [one] 1 operation
                   *[other] { $operations } operations
                }), the throughput is higher than in the rounds, where each slice begins with new
                connections: { $figures }
            other = { $target }: { $figures }
            compare-sustained =
                compare the sustained figures if the servers will be busy all the time; find out what the
                target saves while it rests (tokens of a rate limit, extra speed that a disk or virtual machine saves
                up while idle, deferred writes, heat); measure longer with --soak 30m
            settle =
                find out what the target sets up at the start of a slice (connections, caches for each
                connection, threads); give it time with a longer --lead, or use longer slices (--slice)
        "#,
        japanese: r#"
            not-sustained =
                ラウンド中の{ $tail ->
                    [true] {" "}p99{" "}
                   *[false] スループット
                }は持続しない(ラウンドではスライスの間にターゲットが休む)。{ $length } の連続負荷
                ({ $operations } 操作)で { $figures }{ $step }
            step = 、{ $from } 以降
            faster =
                { $length } の連続負荷({ $operations } 操作)では、スループットがラウンド中より高い
                (ラウンドでは、各スライスが新しい接続で始まる): { $figures }
            other = { $target }: { $figures }
            compare-sustained =
                サーバーが常に負荷を受けるなら、連続負荷での数値を比べる。ターゲットが休む間に何を蓄えるか
                (レート制限、ディスクや仮想マシンが休む間にためる余力(バーストクレジット)、遅延書き込み、温度)を調べる。
                --soak 30m で長く測る
            settle =
                スライスの始めにターゲットが準備するもの(接続、接続ごとのキャッシュ、スレッド)を調べる。
                --lead を長くして準備の時間を与えるか、スライスを長くする(--slice)
        "#,
    },
    tier: Tier::Cause,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let stretches = evidence.stretches.iter();
    let changed = stretches.filter(|stretch| stretch.found.departs());
    changed
        .map(|it| finding_of(it, evidence.stretches))
        .collect()
}

fn finding_of(stretch: &Stretch, all: &[Stretch]) -> Finding {
    let found = &stretch.found;
    let is_rise = found.throughput_rose;
    let is_tail = !found.throughput_fell && !is_rise;
    let of_workload = |other: &&Stretch| other.workload == stretch.workload;
    let others = all
        .iter()
        .filter(of_workload)
        .filter(|other| other.target != stretch.target);
    let others = others.map(|other| {
        let figures = shown(&other.found, is_tail);
        message!("other", target = &other.target, figures)
    });
    let (what, advice) = if is_rise {
        (faster(found), message!("settle"))
    } else {
        (not_sustained(found, is_tail), message!("compare-sustained"))
    };
    let sides: Vec<&Stretch> = all.iter().filter(of_workload).collect();
    // Of a rise that all targets share, the ratio in the rounds is right.
    let severity = if found.has_fallen() || rise_apart(&sides) {
        Severity::Suspect
    } else {
        Severity::Note
    };
    let evidence = clauses(std::iter::once(what).chain(others));
    let finding = RULE.finding(severity, Cause::Server, evidence, advice);
    finding.on(&stretch.workload, &stretch.target)
}

fn not_sustained(found: &Sustained, is_tail: bool) -> Message {
    let step = found.step_after;
    message!(
        "not-sustained",
        tail = is_tail,
        figures = shown(found, is_tail),
        length = Value::Seconds(found.seconds),
        operations = found.operations,
        step = step.map(|after| message!("step", from = Value::Seconds(after)))
    )
}

fn faster(found: &Sustained) -> Message {
    message!(
        "faster",
        figures = shown(found, false),
        length = Value::Seconds(found.seconds),
        operations = found.operations
    )
}

#[cfg(test)]
mod tests {
    use tenbin_record::{Probed, ProbedSecond};
    use tenbin_result::{Outcome, Trust};

    use super::*;
    use crate::testing::{Made, Run};

    /// Adds a stretch of `target` with these operations in each second, of 2 ms each.
    fn sustain(run: &mut Run, target: &str, seconds: &[u64]) {
        let mut stretch = run.first_of(target).0.clone();
        stretch.sustained = true;
        stretch.end.seconds = seconds.len() as f64;
        Made(&mut stretch).answers(seconds.iter().sum(), 0.002);
        let of_second = |(number, count): (usize, &u64)| ProbedSecond {
            number: number as u64,
            services: vec![(2_000_000, *count)],
            ..ProbedSecond::default()
        };
        stretch.probed = Some(Probed {
            seconds: seconds.iter().enumerate().map(of_second).collect(),
        });
        run.sustained.push(stretch);
    }

    const CREDIT: [u64; 6] = [1_000, 1_000, 1_000, 520, 500, 505];

    #[test]
    fn a_target_that_falls_has_no_verdict_and_both_figures_are_named() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(800, 0.0025));
        sustain(&mut run, "a", &CREDIT);
        sustain(&mut run, "b", &[800; 6]);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].target.as_deref(), Some("a"));
        for figure in ["1.00 k/s → 508/s", "b: 800/s → 800/s", "from 3.00 s on"] {
            assert!(findings[0].evidence.contains(figure), "{findings:?}");
        }
        let assessment = run.assess();
        assert_eq!(assessment.trust, Trust::Suspect);
        let found = assessment.primary().next().unwrap();
        assert!(
            matches!(found.outcome, Outcome::NotSustained { .. }),
            "{found:?}"
        );
        assert!(
            found.sentence.starts_with("cannot tell b from a"),
            "{found:?}"
        );
        assert!(found.sentence.contains("sustained"), "{found:?}");
        let figures = assessment
            .figures
            .iter()
            .find(|it| it.target == "a")
            .unwrap();
        assert_eq!(figures.sustained.as_ref().unwrap().step_after, Some(3.0));
    }

    #[test]
    fn silent_when_the_figures_are_kept_or_a_second_stretch_does_not_confirm() {
        let mut run = Run::pair(8);
        sustain(&mut run, "a", &[1_000, 990, 1_010, 1_000, 985, 1_000]);
        assert_eq!(run.findings(&RULE), []);
        assert!(!matches!(
            run.assess().primary().next().unwrap().outcome,
            Outcome::NotSustained { .. }
        ));
        let mut run = Run::pair(8);
        sustain(&mut run, "a", &CREDIT);
        sustain(&mut run, "a", &[1_000; 6]);
        assert_eq!(run.findings(&RULE), []);
        let figures = run.assess().figures;
        let sustained = figures.iter().find_map(|it| it.sustained.as_ref()).unwrap();
        assert!(sustained.unconfirmed_throughput.unwrap() < 600.0);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }

    /// A block that is 11 % low excuses the fall of one target alone, not a lead that is lost.
    #[test]
    fn a_lead_that_continuous_load_does_not_show_has_no_verdict() {
        let faster = |sustained: u64| {
            let mut run = Run::pair(8);
            run.each_of("b", |slice| {
                let count = if slice.0.block == 3 { 1_640 } else { 1_840 };
                slice.answers(count, 2.0 / count as f64);
            });
            sustain(&mut run, "a", &[1_060; 6]);
            sustain(&mut run, "b", &[sustained; 6]);
            let seconds = &mut run.sustained[1].probed.as_mut().unwrap().seconds;
            for second in seconds {
                second.services = vec![(1_087_000, sustained)];
            }
            run
        };
        let run = faster(1_150);
        assert_eq!(run.findings(&RULE), [], "within five dips");
        let assessment = run.assess();
        let found = assessment.primary().next().unwrap();
        assert!(
            matches!(found.outcome, Outcome::NotSustained { .. }),
            "{found:?}"
        );
        for figure in ["a 1.00 k/s → 1.06 k/s", "b 1.84 k/s → 1.15 k/s"] {
            assert!(found.sentence.contains(figure), "{found:?}");
        }
        let kept = faster(1_700).assess();
        assert_eq!(kept.primary().next().unwrap().outcome, Outcome::Faster);
    }

    #[test]
    fn a_tail_that_rises_is_found_too() {
        let mut run = Run::pair(8);
        sustain(&mut run, "a", &[1_000; 6]);
        let seconds = &mut run.sustained[0].probed.as_mut().unwrap().seconds;
        for second in seconds {
            second.services = vec![(2_000_000, 950), (40_000_000, 50)];
        }
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].evidence.contains("p99"), "{findings:?}");
        assert!(
            findings[0].evidence.contains("2.00 ms → 40.0 ms"),
            "{findings:?}"
        );
        // The throughput is kept.
        assert!(!matches!(
            run.assess().primary().next().unwrap().outcome,
            Outcome::NotSustained { .. }
        ));
    }

    #[test]
    fn a_tail_is_not_held_against_the_percentile_of_one_block() {
        let mut run = Run::pair(8);
        let mut seen = 0;
        run.each_of("a", |slice| {
            // Only the first block has enough operations for a percentile.
            slice.answers(if seen < 2 { 1_000 } else { 70 }, 0.002);
            seen += 1;
        });
        sustain(&mut run, "a", &[70; 6]);
        let seconds = &mut run.sustained[0].probed.as_mut().unwrap().seconds;
        for second in seconds {
            second.services = vec![(2_000_000, 65), (40_000_000, 5)];
        }
        assert_eq!(run.findings(&RULE), []);
        let figures = run.assess().figures;
        let sustained = figures.iter().find_map(|it| it.sustained.as_ref()).unwrap();
        assert_eq!(sustained.p99, Some(0.04));
        assert_eq!(sustained.interleaved_p99, None);
    }

    #[test]
    fn a_target_that_is_faster_under_continuous_load_has_no_verdict() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(500, 0.004));
        sustain(&mut run, "a", &[1_000; 6]);
        sustain(&mut run, "b", &[500, 750, 1_000, 1_000, 1_000, 1_000]);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert!(
            findings[0].evidence.contains("500/s → 875/s"),
            "{findings:?}"
        );
        assert!(findings[0].advice.contains("--lead"), "{findings:?}");
        let assessment = run.assess();
        let found = assessment.primary().next().unwrap();
        assert!(
            matches!(found.outcome, Outcome::NotSustained { .. }),
            "{found:?}"
        );
    }

    #[test]
    fn a_rise_that_all_targets_share_is_a_note() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(500, 0.004));
        sustain(&mut run, "a", &[1_300; 6]);
        sustain(&mut run, "b", &[650; 6]);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings.iter().all(|it| it.severity == Severity::Note));
        assert!(!matches!(
            run.assess().primary().next().unwrap().outcome,
            Outcome::NotSustained { .. }
        ));
    }

    #[test]
    fn one_low_block_does_not_hide_a_deep_fall() {
        let mut run = Run::pair(8);
        let mut seen = 0;
        run.each_of("a", |slice| {
            // The second block is 11 % low.
            let count = if matches!(seen, 2 | 3) { 890 } else { 1_000 };
            slice.answers(count, 0.002);
            seen += 1;
        });
        sustain(&mut run, "a", &[580; 6]);
        sustain(&mut run, "b", &[1_000; 6]);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].target.as_deref(), Some("a"));
    }
}
