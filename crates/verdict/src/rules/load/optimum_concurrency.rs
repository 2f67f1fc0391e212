//! The smallest sufficient number of connections.

use tenbin_plan::{Target, Workload};
use tenbin_record::Slice;
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};
use tenbin_stats::{Estimate, Knee, knee};

use crate::concurrency_sweep::level::{Level, swept_workloads};
use crate::evidence::Evidence;
use crate::findings::messages::{Messages, with_and};
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

/// Smallest loss of throughput that counts, as a share of the best: a level is insufficient if the
/// whole interval shows a larger loss.
const GAIN: f64 = 0.025;

/// Largest accepted loss of throughput, as a share of the best: the whole interval of a sufficient
/// level must show a smaller loss.
const ENOUGH: f64 = 0.05;

/// Minimum number of levels to determine an optimum.
const FEWEST_LEVELS: usize = 3;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "optimum_concurrency",
    summary: Texts {
        english: "the smallest number of connections that reaches the highest throughput",
        japanese: "最大スループットに達する最小の同時接続数",
    },
    severities: &[Severity::Note],
    explanation: pages!("optimum_concurrency"),
    messages: Messages {
        english: r#"
            optimum =
                { $found ->
                    [rising] throughput was still rising at { $connections } connections ({ $throughput })
                    [enough] { $connections } connections are enough ({ $throughput })
                   *[unknown]
                        { $connections } connections gave the highest throughput ({ $throughput }); whether fewer
                        are enough is unknown
                }{ $of_best }{ $below }{ $undecided }{ $knee }
            of-best =
                : { $ratio } ({ $low }–{ $high }) of the highest throughput, which { $connections } gave
            below = ; { $connections } gave { $ratio } ({ $low }–{ $high }) of it
            undecided = ; the intervals of { $levels } are too wide to decide
            level = { $connections } ({ $ratio } ({ $low }–{ $high }))
            knee = ; the knee, which uses medians without intervals, is at { $connections }
            more = run again with more connections: the target did not reach its maximum throughput
            enough = use { $connections } connections: more connections add queueing, not throughput
            until-decided =
                use { $connections } connections until a run with more rounds or longer slices can distinguish
                these levels
        "#,
        japanese: r#"
            optimum =
                { $found ->
                    [rising] 同時接続数 { $connections }({ $throughput })でもスループットはまだ上昇中
                    [enough] 同時接続数 { $connections } で十分({ $throughput })
                   *[unknown]
                        最大スループットは同時接続数 { $connections }({ $throughput })。
                        より少なくて足りるかは不明
                }{ $of_best }{ $below }{ $undecided }{ $knee }
            of-best =
                。同時接続数 { $connections } での最大スループットの { $ratio } 倍({ $low }–{ $high })
            below = 。同時接続数 { $connections } ではその { $ratio } 倍({ $low }–{ $high })
            undecided = 。同時接続数 { $levels }の区間は広すぎて判定できない
            level = { $connections }({ $ratio } 倍、{ $low }–{ $high })
            knee = 。区間を使わず中央値だけで求めた頭打ちになる点(knee)は { $connections }
            more = 同時接続数を増やして再実行する。ターゲットは最大スループットに達していない
            enough = 同時接続数を { $connections } にする。それ以上は互いに待ち合うだけである
            until-decided =
                ラウンドを増やすかスライスを長くした実行でこれらの段階を区別できるまでは、
                同時接続数を { $connections } にする
        "#,
    },
    tier: Tier::Result,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    swept_workloads(evidence.plan, FEWEST_LEVELS)
        .into_iter()
        .flat_map(|sweep: Vec<&Workload>| {
            let targets = evidence.plan.targets.iter();
            let on = targets.filter_map(|target| on(target, &sweep, evidence.slices));
            on.collect::<Vec<Finding>>()
        })
        .collect()
}

/// The result of comparing a level with the best level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// Insufficient: the whole interval shows a loss above [`GAIN`].
    Below,
    /// Sufficient: the best level, or a level whose whole interval shows a loss below [`ENOUGH`].
    Enough,
    /// The interval is too wide to decide.
    Unknown,
}

fn on(target: &Target, sweep: &[&Workload], slices: &[Slice]) -> Option<Finding> {
    let levels = Level::all(sweep, target, slices)?;
    let best = levels
        .iter()
        .max_by(|a, b| a.throughput.total_cmp(&b.throughput))?;
    let standings: Vec<Standing> = levels
        .iter()
        .map(|level| standing(level, best))
        .collect::<Option<_>>()?;
    let at = standings.iter().position(|s| *s == Standing::Enough)?;
    let unknown: Vec<&Level<'_>> = levels
        .iter()
        .zip(&standings)
        .take(at)
        .filter(|(_, standing)| **standing == Standing::Unknown)
        .map(|(level, _)| level)
        .collect();
    let is_last = at + 1 == levels.len();
    let found = match (is_last, unknown.is_empty()) {
        (true, true) => Found::Rising,
        (true, false) => Found::Unknown,
        (false, _) => Found::Enough,
    };
    let connections = plain(&levels[at]);
    let advice = match found {
        Found::Rising => message!("more"),
        Found::Enough => message!("enough", connections),
        Found::Unknown => message!("until-decided", connections),
    };
    let optimum = evidence(&levels, at, best, found);
    let optimum = optimum.with("undecided", undecided(&unknown, best));
    let optimum = optimum.with("knee", knee_of(&levels, at));
    let finding = RULE.finding(Severity::Note, Cause::Plan, optimum, advice);
    Some(finding.on(&levels[at].cell.workload.name, &target.name))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// Throughput was still rising at the highest level.
    Rising,
    /// A level below the highest level is enough.
    Enough,
    /// The highest level is enough, and some lower levels are undecided.
    Unknown,
}

fn standing(level: &Level<'_>, best: &Level<'_>) -> Option<Standing> {
    if level.connections() == best.connections() {
        return Some(Standing::Enough);
    }
    let found = level.against(best)?;
    Some(if found.high < 1.0 - GAIN {
        Standing::Below
    } else if found.low > 1.0 - ENOUGH {
        Standing::Enough
    } else {
        Standing::Unknown
    })
}

fn evidence(levels: &[Level<'_>], at: usize, best: &Level<'_>, found: Found) -> Message {
    let chosen = &levels[at];
    let word = match found {
        Found::Rising => "rising",
        Found::Enough => "enough",
        Found::Unknown => "unknown",
    };
    let is_best = chosen.connections() == best.connections();
    let of_best = chosen.against(best).filter(|_| !is_best);
    let of_best = of_best.map(|found| with_ratio(message!("of-best"), plain(best), &found));
    let below = levels[..at].iter().rev();
    let mut below = below.filter_map(|below| Some((below, below.against(best)?)));
    let below = below.find(|(_, found)| found.high < 1.0 - GAIN);
    let below = below.map(|(level, found)| with_ratio(message!("below"), plain(level), &found));
    message!(
        "optimum",
        found = Value::word(word),
        connections = plain(chosen),
        throughput = Value::Rate(chosen.throughput),
        of_best,
        below
    )
}

/// A clause on the undecided levels.
fn undecided(levels: &[&Level<'_>], best: &Level<'_>) -> Option<Message> {
    let each = levels.iter().filter_map(|level| {
        let found = level.against(best)?;
        Some(with_ratio(message!("level"), plain(level), &found))
    });
    Some(message!("undecided", levels = with_and(each)?))
}

/// A clause on the knee of the levels, if the knee differs from the optimum. The knee depends on
/// medians alone.
fn knee_of(levels: &[Level<'_>], at: usize) -> Option<Message> {
    let medians: Vec<(usize, f64)> = levels
        .iter()
        .map(|level| (level.connections(), level.throughput))
        .collect();
    match knee(&medians) {
        Some(Knee::At { clients }) if clients != levels[at].connections() => {
            Some(message!("knee", connections = Value::Plain(clients as u64)))
        }
        _ => None,
    }
}

fn plain(level: &Level<'_>) -> Value {
    Value::Plain(level.connections() as u64)
}

/// A clause about a number of connections with its ratio to the highest throughput.
fn with_ratio(clause: Message, connections: Value, found: &Estimate) -> Message {
    let clause = clause.with("connections", connections);
    let clause = clause.with("ratio", Value::Ratio(found.value));
    let clause = clause.with("low", Value::Ratio(found.low));
    clause.with("high", Value::Ratio(found.high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// A run of `a` at 1, 4, 16 and 64 connections with the given throughputs.
    fn run(throughputs: [u64; 4]) -> Run {
        let names = ["c1", "c4", "c16", "c64"];
        let mut run = Run::new(&["a"], &names, 8);
        for (workload, connections) in run.plan.workloads.iter_mut().zip([1, 4, 16, 64]) {
            workload.load.connections = connections;
        }
        run.each(|slice| {
            let at = names
                .iter()
                .position(|name| *name == slice.0.workload)
                .unwrap();
            let wobble = [0, 2, 1, 3][slice.0.block as usize % 4];
            slice.answers(throughputs[at] + wobble, 0.002);
        });
        run
    }

    #[test]
    fn the_lowest_level_that_loses_nothing_is_the_optimum() {
        let findings = run([250, 900, 990, 1_000]).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].workload.as_deref(), Some("c16"));
        assert_eq!(
            findings[0].evidence,
            "16 connections are enough (992/s): 0.990 (0.990–0.990) of the highest throughput, \
             which 64 gave; 4 gave 0.900 (0.900–0.900) of it"
        );
        let falling = run([250, 1_000, 990, 700]).findings(&RULE);
        assert_eq!(falling[0].workload.as_deref(), Some("c4"));
    }

    #[test]
    fn says_when_the_top_was_not_reached() {
        let findings = run([250, 500, 750, 1_000]).findings(&RULE);
        assert!(
            findings[0]
                .evidence
                .starts_with("throughput was still rising at 64")
        );
        assert!(
            findings[0]
                .advice
                .starts_with("run again with more connections")
        );
    }

    #[test]
    fn an_interval_too_wide_to_tell_is_not_enough() {
        // Throughput rises in steps: connections are distributed over two workers at random.
        let mut run = run([95, 100, 180, 187]);
        run.each(|slice| {
            let lucky = slice.0.block % 2 == 0;
            let answers = match (slice.0.workload.as_str(), lucky) {
                ("c4", true) => 187,
                ("c4", false) => 95,
                _ => return,
            };
            slice.answers(answers, 0.002);
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_ne!(findings[0].workload.as_deref(), Some("c4"), "{findings:?}");
        assert!(
            findings[0].evidence.contains("; the intervals of 4 (0."),
            "{findings:?}"
        );
        // The level at half of the highest throughput is not sufficient either.
        assert_ne!(findings[0].workload.as_deref(), Some("c1"));
    }

    #[test]
    fn silent_with_two_levels_different_work_or_too_few_blocks() {
        let mut two = run([1, 2, 3, 4]);
        two.plan.workloads.truncate(2);
        assert_eq!(two.findings(&RULE), []);
        let mut different = run([250, 900, 990, 1_000]);
        for (at, workload) in different.plan.workloads.iter_mut().enumerate() {
            workload.load.requests = Some(at as u64 + 1);
        }
        assert_eq!(different.findings(&RULE), []);
        assert_eq!(
            run([250, 900, 990, 1_000]).interrupted(12).findings(&RULE),
            []
        );
    }
}
