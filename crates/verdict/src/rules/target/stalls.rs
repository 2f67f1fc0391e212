//! Stalls: pauses, and slow requests that few slices contain.

use tenbin_plan::{Builtin, Reach};
use tenbin_record::{MachineUse, OpFigures, PackedHistogram, Pause, Slice};
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::figures::latency::{self, Kind};
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::rules::machine::others_busy;
use crate::rules::machine::thresholds;
use crate::server::backend::Backends;
use crate::words::middle;

const QUANTILE: f64 = 0.99;

/// Minimum ratio, for a finding, of the 99th percentile of all requests to the usual 99th
/// percentile: the median of the slices' 99th percentiles. A request is slow if it takes more than
/// this multiple of the usual 99th percentile.
const TIMES: f64 = 3.0;

/// Minimum difference between the 99th percentile of all requests and the usual 99th percentile,
/// seconds.
const LONGER: f64 = 0.001;

/// Minimum number of slices, so that some slices can differ from the others.
const FEWEST_SLICES: usize = 3;

/// Shortest reported pause, seconds; a pause must also reach [`PAUSE_TIMES`] median times.
const PAUSE: f64 = 0.100;
const PAUSE_TIMES: f64 = 3.0;

/// Share of the slow requests that the slices named in a finding contain together, at least.
const MOST: f64 = 0.90;

/// Share of a stall that a lack of CPU time must have taken for the machine to count as the cause.
const EXPLAINED: f64 = 0.50;

/// CPU share of other programs, and CPU share stolen by other virtual machines, from which the
/// machine may cause a pause: as in `others_busy` and `steal`.
const BUSY_OTHERS: f64 = 0.10;
const STOLEN: f64 = 0.02;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "stalls",
    summary: Texts {
        english: "a target stalled in some slices, or sent no response for a while",
        japanese: "一部のスライスでターゲットが停止した、またはしばらく応答を返さなかった",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("stalls"),
    messages: Messages {
        english: r#"
            few-slices =
                { $carriers } of { $slices ->
                    [one] 1 slice
                   *[other] { $slices } slices
                } { $carriers ->
                    [one] contains
                   *[other] contain
                } { $share } of the requests that took { $slow } or longer: p99 is { $all } over all
                requests, but { $usual } in the median slice
            paused =
                { $subject ->
                    [target] the target sent no response
                    [operation] no operation ended
                   *[response] no response came
                } for { $length }, from { $start } after the start of the run{ $several ->
                    [true] , the longest of the pauses in { $paused } of { $slices } slices
                   *[false] {""}
                }
            machine-paused = without a server, the load generator's machine paused
            machine-short-of-cpu =
                the load generator's machine was short of CPU in most of these slices
            unknown-origin =
                other programs or machines took { $share } of the CPU time, so it is unknown whether
                the target or the machine paused
            quiet-machine =
                measure on a machine without other work, or with dedicated cores: high percentiles
                contain the stalls of the machine
            find-cause =
                find out what the target did at that time (garbage collection, compaction, a lock, a
                checkpoint); use more or longer slices until several of them contain a stall
        "#,
        japanese: r#"
            few-slices =
                { $slow } 以上かかったリクエストの { $share } が { $slices } スライス中 { $carriers } スライスに集中。
                99 パーセンタイルは全リクエストで { $all }、スライスの中央値で { $usual }
            paused =
                { $subject ->
                    [target] ターゲットが { $length } の間、応答を返さなかった
                    [operation] { $length } の間、1 つの操作も終わらなかった
                   *[response] { $length } の間、応答が届かなかった
                }(実行開始の { $start } 後から){ $several ->
                    [true] 。{ $slices } スライス中 { $paused } スライスの停止のうち最長
                   *[false] {""}
                }
            machine-paused = サーバーがないので、停止したのは負荷生成側のマシン
            machine-short-of-cpu =
                該当スライスの大半で、負荷生成側のマシンの CPU が不足していた
            unknown-origin =
                ほかのプログラムやマシンが CPU 時間の { $share } を使ったため、
                停止したのがターゲットかマシンかは不明
            quiet-machine =
                ほかの処理のないマシンか専有コアで測る。高いパーセンタイルにはマシンの停止が含まれる
            find-cause =
                そのときターゲットが何をしていたか(GC、コンパクション、ロック、チェックポイント)を調べる。
                停止を含むスライスが複数になるまで、スライスを増やすか長くする
        "#,
    },
    tier: Tier::Cause,
    explained_by: &[
        &thresholds::THROTTLED.info,
        &thresholds::STEAL.info,
        &others_busy::RULE,
    ],
    is_circumstance: |finding| finding.cause == Cause::Generator,
    // The machine alone does not explain a pause of the target, or a pause that affects a published
    // percentile.
    stands_alone: |finding| finding.cause != Cause::Generator || finding.severity != Severity::Note,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let backends = Backends::of(evidence);
    cells
        .iter()
        .filter_map(|cell| of_cell(cell, &backends))
        .collect()
}

/// Where a stall comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Origin {
    Target,
    /// The load generator's machine.
    Machine,
    /// Target or machine: other programs or virtual machines used this share of the CPU time.
    Either(f64),
}

fn of_cell(cell: &Cell<'_>, backends: &Backends<'_>) -> Option<Finding> {
    let full = cell.full();
    let kind: Kind = if is_closed(cell.workload) {
        |op| &op.times.service
    } else {
        |op| &op.times.response
    };
    let tail = Tail::of(cell, &full, kind);
    let pauses = Pauses::of(cell, &full, kind);
    let stalled: Vec<&Slice> = match (&tail, &pauses) {
        (Some(tail), _) => tail.carriers.clone(),
        (None, Some(pauses)) => pauses.slices.clone(),
        (None, None) => return None,
    };
    let has_nobody = matches!(cell.target.reach, Reach::Builtin(Builtin::Dummy));
    let origin = match taken(&stalled, backends) {
        _ if has_nobody || machine_explains(&full, &stalled, kind) => Origin::Machine,
        Some(share) => Origin::Either(share),
        None => Origin::Target,
    };
    let severity = match tail {
        Some(_) => Severity::Suspect,
        None => Severity::Note,
    };
    let (cause, advice) = match origin {
        Origin::Target => (Cause::Server, message!("find-cause")),
        Origin::Machine | Origin::Either(_) => (Cause::Generator, message!("quiet-machine")),
    };
    let subject = match origin {
        Origin::Target => "target",
        _ if has_nobody => "operation",
        _ => "response",
    };
    let tail = tail.map(|tail| tail.message(full.len()));
    let pauses = pauses.map(|pauses| pauses.message(subject, full.len()));
    let clauses = [tail, pauses, origin.message(has_nobody)];
    let clauses: Vec<Message> = clauses.into_iter().flatten().collect();
    let stalled = message!("clauses", clauses = Value::Clauses(clauses));
    let finding = RULE.finding(severity, cause, stalled, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

impl Origin {
    /// What the machine has to do with the stall; `None` if nothing. `has_nobody`: there is no
    /// server.
    fn message(self, has_nobody: bool) -> Option<Message> {
        match self {
            Self::Target => None,
            Self::Machine if has_nobody => Some(message!("machine-paused")),
            Self::Machine => Some(message!("machine-short-of-cpu")),
            Self::Either(share) => Some(message!("unknown-origin", share = Value::Share(share))),
        }
    }
}

/// A 99th percentile that few slices determine.
struct Tail<'a> {
    /// The 99th percentile of all requests, seconds.
    all: f64,
    /// The median of the 99th percentiles of the slices, seconds.
    usual: f64,
    /// The smallest number of slices that contain most of the slow requests.
    carriers: Vec<&'a Slice>,
    /// The share of the slow requests that `carriers` contain.
    share: f64,
}

impl<'a> Tail<'a> {
    /// `slices` are the full slices of the cell.
    fn of(cell: &Cell<'_>, slices: &[&'a Slice], kind: Kind) -> Option<Self> {
        if slices.len() < FEWEST_SLICES {
            return None;
        }
        let of = |slice: &&Slice| latency::quantile_of(&[slice], QUANTILE, kind, &is_work);
        let each: Option<Vec<f64>> = slices.iter().map(of).collect();
        let all = cell.quantile_of(QUANTILE, kind, &is_work)?;
        let usual = middle(each?)?;
        if all < TIMES * usual || all - usual < LONGER {
            return None;
        }
        let slow = (TIMES * usual * 1e9) as u64;
        let mut by_slice: Vec<(u64, &Slice)> = slices
            .iter()
            .map(|slice| {
                let times = histograms(slice, kind);
                let each = times.map(|times| times.len() - times.count_between(0, slow));
                (each.sum(), *slice)
            })
            .collect();
        by_slice.sort_by_key(|(slow, _)| std::cmp::Reverse(*slow));
        let total: u64 = by_slice.iter().map(|(slow, _)| slow).sum();
        if total == 0 {
            return None;
        }
        let mut held = 0;
        let mut carriers = Vec::new();
        for (slow, slice) in by_slice {
            if held as f64 >= MOST * total as f64 {
                break;
            }
            held += slow;
            carriers.push(slice);
        }
        Some(Self {
            all,
            usual,
            carriers,
            share: held as f64 / total as f64,
        })
    }

    fn message(&self, slices: usize) -> Message {
        message!(
            "few-slices",
            carriers = Value::Plain(self.carriers.len() as u64),
            slices,
            share = Value::Share(self.share),
            slow = Value::Seconds(TIMES * self.usual),
            all = Value::Seconds(self.all),
            usual = Value::Seconds(self.usual)
        )
    }
}

/// Pauses of a target without any response.
struct Pauses<'a> {
    /// The slices with a pause.
    slices: Vec<&'a Slice>,
    longest: Pause,
}

impl<'a> Pauses<'a> {
    /// `slices` are the full slices of the cell.
    fn of(cell: &Cell<'_>, slices: &[&'a Slice], kind: Kind) -> Option<Self> {
        let median = cell.quantile_of(0.50, kind, &is_work);
        let shortest = PAUSE.max(PAUSE_TIMES * median.unwrap_or(0.0));
        let paused = |slice: &&Slice| slice.pause.is_some_and(|it| it.seconds >= shortest);
        let slices: Vec<&Slice> = slices.iter().copied().filter(paused).collect();
        let pauses = slices.iter().filter_map(|slice| slice.pause);
        let longest = pauses.max_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
        Some(Self { slices, longest })
    }

    /// The longest pause. `subject`: the word for what did not come.
    fn message(&self, subject: &str, slices: usize) -> Message {
        message!(
            "paused",
            subject = Value::word(subject),
            length = Value::Seconds(self.longest.seconds),
            start = Value::Seconds(self.longest.start),
            several = self.slices.len() > 1,
            paused = Value::Plain(self.slices.len() as u64),
            slices = Value::Plain(slices as u64)
        )
    }
}

/// Whether a lack of CPU time on the machine caused the stalls. In most stalled slices, stolen
/// time, throttling, or both the waits for a core and the CPU time of other programs must exceed
/// the usual amount by at least [`EXPLAINED`] of the stall.
fn machine_explains(all: &[&Slice], stalled: &[&Slice], kind: Kind) -> bool {
    let usual = LACKS.map(|lack| middle(all.iter().filter_map(|it| lack(&it.machine()?))));
    let explained = stalled.iter().filter(|slice| {
        let (Some(stall), Some(machine)) = (stall(slice, kind), slice.machine()) else {
            return false;
        };
        let beyond = |at: usize| {
            let lack = LACKS[at](&machine).zip(usual[at]);
            lack.is_some_and(|(here, usual)| here - usual >= EXPLAINED * stall)
        };
        let [stolen, throttled, waited, others] = [0, 1, 2, 3].map(beyond);
        stolen || throttled || (waited && others)
    });
    explained.count() * 2 > stalled.len()
}

/// Seconds of a slice in which CPU time was stolen, in which a quota throttled the load generator, in
/// which a task waited for a core, and the CPU seconds of other programs.
const LACKS: [fn(&MachineUse) -> Option<f64>; 4] = [
    |machine| Some(machine.cpu?.steal),
    |machine| Some(machine.throttled_us? as f64 / 1e6),
    |machine| Some(machine.pressure.cpu_some_us? as f64 / 1e6),
    |machine| machine.others_cpu_seconds,
];

/// Median share of the CPU time that other programs and other virtual machines used in the stalled
/// slices; `None` if the share is too small to cause a pause.
fn taken(stalled: &[&Slice], backends: &Backends<'_>) -> Option<f64> {
    let machines = || stalled.iter().filter_map(|slice| slice.machine());
    let others = machines().filter_map(|it| backends.share_of_others(&it));
    let others = middle(others).unwrap_or(0.0);
    let stolen = machines().filter_map(|it| Some(it.cpu?.steal / it.cpu?.all()?));
    let stolen = middle(stolen).unwrap_or(0.0);
    (others > BUSY_OTHERS || stolen > STOLEN).then_some(others + stolen)
}

/// Length of the stall in a slice, seconds.
fn stall(slice: &Slice, kind: Kind) -> Option<f64> {
    let pause = slice.pause.map(|pause| pause.seconds);
    let filled = histograms(slice, kind).filter(|times| !times.is_empty());
    let longest = filled
        .map(|times| times.max() as f64 / 1e9)
        .reduce(f64::max);
    pause.filter(|seconds| *seconds >= PAUSE).or(longest)
}

fn histograms(slice: &Slice, kind: Kind) -> impl Iterator<Item = &PackedHistogram> {
    slice.work().map(kind)
}

fn is_work(op: &OpFigures) -> bool {
    op.role.is_work()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Made, Run};

    /// A run of `a` with eight slices of 1,000 requests of 2 ms; in the fourth slice, 12 % of the
    /// requests take up to 0.9 s.
    fn stalling() -> Run {
        let mut run = Run::single(8);
        stall_in(&mut run, 3);
        run
    }

    fn stall_in(run: &mut Run, index: usize) {
        let slice = Made(&mut run.slices[index]);
        let service = &mut slice.0.ops[0].times.service;
        for micros in (300_000..900_000).step_by(5_000) {
            service.record(micros * 1_000).unwrap();
        }
        slice.0.ops[0].times.response = slice.0.ops[0].times.service.clone();
        slice.0.pause = Some(Pause {
            start: slice.0.start + 0.25,
            seconds: 0.9,
        });
    }

    #[test]
    fn a_stall_in_one_of_eight_slices_is_suspect_with_the_pause_and_its_time() {
        for run in [stalling(), stalling().open_loop()] {
            let findings = run.findings(&RULE);
            assert_eq!(findings.len(), 1);
            assert_eq!(findings[0].severity, Severity::Suspect);
            assert_eq!(findings[0].cause, Cause::Server);
            assert_eq!(
                findings[0].evidence,
                "1 of 8 slices contains 100 % of the requests that took 6.00 ms or longer: p99 is \
                 490 ms over all requests, but 2.00 ms in the median slice; the target sent no response for 900 ms, from 4.75 s after the start of the run"
            );
        }
    }

    #[test]
    fn a_pause_without_effect_on_percentiles_is_a_note() {
        let mut run = Run::single(8);
        for at in [2, 5] {
            run.slices[at].pause = Some(Pause {
                start: run.slices[at].start,
                seconds: 0.2 + at as f64 / 100.0,
            });
        }
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(
            findings[0].evidence,
            "the target sent no response for 250 ms, from 7.50 s after the start of the run, the \
             longest of the pauses in 2 of 8 slices"
        );
    }

    #[test]
    fn a_stall_of_the_machine_is_not_the_targets() {
        let mut stolen = stalling();
        let cpu = |run: &mut Run| {
            run.slices[3]
                .end
                .machine
                .as_mut()
                .unwrap()
                .get_mut()
                .cpu
                .as_mut()
                .unwrap()
                .steal = 0.5
        };
        cpu(&mut stolen);
        let mut busy = stalling();
        let machine = busy.slices[3].end.machine.as_mut().unwrap().get_mut();
        machine.others_cpu_seconds = Some(0.8);
        machine.pressure.cpu_some_us = Some(700_000);
        for run in [stolen, busy] {
            let findings = run.findings(&RULE);
            assert_eq!(findings[0].cause, Cause::Generator, "{findings:?}");
            assert!(findings[0].evidence.contains("no response came for 900 ms"));
            assert!(
                findings[0]
                    .evidence
                    .contains("the load generator's machine")
            );
        }
        // The work of the target also makes other threads wait.
        let mut target = stalling();
        let machine = target.slices[3].end.machine.as_mut().unwrap().get_mut();
        machine.pressure.cpu_some_us = Some(700_000);
        assert_eq!(target.findings(&RULE)[0].cause, Cause::Server);
    }

    #[test]
    fn the_cause_is_unknown_if_other_programs_are_always_busy() {
        let mut stolen = stalling();
        stolen.each(|slice| slice.machine().cpu.as_mut().unwrap().steal = 0.5);
        let mut busy = stalling();
        busy.each(|slice| slice.others(0.8));
        for (run, share) in [(stolen, "21.5 %"), (busy, "40 %")] {
            let findings = run.findings(&RULE);
            assert_eq!(findings[0].cause, Cause::Generator);
            assert!(
                findings[0].evidence.ends_with(&format!(
                    "no response came for 900 ms, from 4.75 s after the start of the run; other \
                     programs or machines took {share} of the CPU time, so it is unknown \
                     whether the target or the machine paused"
                )),
                "{findings:?}"
            );
            assert!(!findings[0].advice.contains("find out what the target did"));
        }
    }

    #[test]
    fn without_a_server_the_machine_paused() {
        let mut run = stalling();
        run.plan.targets[0].reach = Reach::Builtin(Builtin::Dummy);
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].cause, Cause::Generator);
        assert!(
            findings[0].evidence.ends_with(
                "no operation ended for 900 ms, from 4.75 s after the start of the run; without \
                 a server, the load generator's machine paused"
            ),
            "{findings:?}"
        );
    }

    #[test]
    fn silent_when_slices_agree_and_where_responses_take_as_long() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
        // The same tail in every slice, and no pause.
        let mut even = Run::single(8);
        even.each(|slice| {
            slice.0.ops[0]
                .times
                .service
                .record_n(50_000_000, 20)
                .unwrap()
        });
        assert_eq!(even.findings(&RULE), []);
        // Every request takes half a second.
        let mut slow = Run::single(8);
        slow.each(|slice| {
            slice.answers(400, 0.5);
            slice.0.pause = Some(Pause {
                start: slice.0.start,
                seconds: 0.5,
            });
        });
        assert_eq!(slow.findings(&RULE), []);
        // A slice that was cut short does not contribute to figures.
        let mut cut = stalling();
        cut.slices[3].end.cut_short = true;
        assert_eq!(cut.findings(&RULE), []);
    }
}
