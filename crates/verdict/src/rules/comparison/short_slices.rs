//! Slices that are too short for their operations.

use std::collections::BTreeMap;

use tenbin_record::Slice;
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::figures::latency::NANOS_PER_SECOND;
use crate::findings::messages::{Messages, clauses};
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::rules::generator::little::overstated;
use crate::words::middle;

/// Median service time, as a share of the slice, above which rates are biased.
const LONG: f64 = 0.1;
/// Median service time, as a share of the slice, above which no conclusion is possible.
const TOO_LONG: f64 = 0.5;
/// Median service time, as a share of the slice, above which rates are biased if all connections
/// run in lockstep.
const LONG_IN_STEP: f64 = 0.025;
/// Relative spread of the throughput, as a multiple of (service time ÷ slice length), below which
/// the interval does not include the error of the slice edges.
const NARROW: f64 = 0.25;
/// Connections run in lockstep if at least this share of the slices completed a multiple of the
/// number of connections.
const MOSTLY: f64 = 0.75;
/// Share of the planned length below which a slice that ends after a number of requests is too
/// short.
const BRIEF: f64 = 0.25;
/// Number of requests from which a short slice is long enough.
const ENOUGH: f64 = 1_000.0;
/// Minimum number of slices to compute a spread.
const FEWEST: usize = 4;
/// Share of the time of the connections in requests longer than [`LONG`] of a slice from which rates
/// can be biased.
const RARE: f64 = 0.05;
/// The same share from which no conclusion is possible, in requests longer than [`TOO_LONG`] of a
/// slice or with a throughput that is too high by [`FAR_TOO_HIGH`].
const OFTEN: f64 = 0.2;
/// Factor above which the edges make the throughput too high, see [`overstated`].
const TOO_HIGH: f64 = 1.05;
/// Factor above which such a throughput allows no conclusion.
const FAR_TOO_HIGH: f64 = 1.2;
/// Accepted difference between an achieved share and the planned share of a mix.
const SHARE_OFF: f64 = 0.05;
/// Number of standard errors above which chance does not explain a difference of shares.
const STANDARD_ERRORS: f64 = 3.0;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "short_slices",
    summary: Texts {
        english: "slices are too short for their operations",
        japanese: "スライスが操作に対して短すぎる",
    },
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: pages!("short_slices"),
    messages: Messages {
        english: r#"
            long-operation =
                the median { $operation } took { $time }, { $share } of the { $length } of { $run ->
                    [true] the run
                   *[false] a slice
                }
            rare-long =
                requests longer than a tenth of the { $length } of { $run ->
                    [true] the run
                   *[false] a slice
                } used { $share } of the time of the connections (the longest took { $longest }); the
                part of a request after the end of a slice does not reduce the throughput, which is
                { $times } times the throughput that the mean request time allows
            no-operation-ended =
                no operation ended in { $empty } of { $slices ->
                    [one] 1 full slice
                   *[other] { $slices } full slices
                }, so the throughput is unknown
            ended-before-window =
                the requests of the slices ended before their measured window opened
            in-step =
                the median { $operation } took { $time }, { $share } of a slice of { $length }, and all
                connections complete their operations at the same times: slices differ by only { $spread }, so
                no interval contains the error from operations cut off at slice boundaries
            brief =
                a slice lasted only { $length } and had { $requests } requests: all targets are sent the same
                requests, and the slowest target limits their number
            not-as-planned =
                { $share } of the operations were { $operation }, but { $other } were planned
            not-as-baseline =
                { $share } of the operations were { $operation }, but { $other } were on { $baseline }
            ten-times =
                use a longer --slice: at least ten times the duration of the slowest operation
            twenty-times =
                measure for at least twenty times the duration of the slowest operation
            forty-times =
                use a longer --slice: at least forty times the duration of the slowest operation
            times-as-long = use a --slice that is { $times } times as long
            without-slower =
                use a longer --slice, or measure this target without a much slower one
        "#,
        japanese: r#"
            long-operation =
                { $operation } の中央値は { $time } で、{ $run ->
                    [true] 実行時間
                   *[false] 1 スライス
                } { $length } の { $share }
            rare-long =
                { $run ->
                    [true] 実行時間
                   *[false] 1 スライス
                } { $length } の 10 分の 1 より長いリクエストが、接続の時間の { $share } を占めた(最長 { $longest })。
                スライスの終了後に続く部分はスループットを下げないため、測定したスループットは、リクエストの
                平均時間から求めた値の { $times } 倍
            no-operation-ended =
                { $slices } スライス中 { $empty } スライスで 1 つの操作も終わらず、スループットは不明
            ended-before-window =
                スライスのリクエストが、測定区間の始まる前に終わった
            in-step =
                { $operation } の中央値は { $time } で、{ $length } のスライスの { $share }。しかも全接続の
                足並みがそろっている。スライス間の差は { $spread } しかなく、スライスの端で切れた操作の数は
                区間に表れない
            brief =
                1 スライスが { $length } しか続かず、リクエストは { $requests } 個だった。全ターゲットに同じ
                リクエストを送るため、最も遅いターゲットが個数を制限する
            not-as-planned = 操作の { $share } が { $operation } だったが、計画では { $other }
            not-as-baseline = 操作の { $share } が { $operation } だったが、{ $baseline } では { $other }
            ten-times = --slice を長くする。最も遅い操作の所要時間の 10 倍以上が必要
            twenty-times = 最も遅い操作の所要時間の 20 倍以上の時間、測定する
            forty-times = --slice を長くする。最も遅い操作の所要時間の 40 倍以上が必要
            times-as-long = --slice を { $times } 倍に長くする
            without-slower =
                --slice を長くするか、はるかに遅いターゲットを除いてこのターゲットを測る
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let one_stretch = evidence.plan.rounds.count == 1;
    let cut: Vec<&Cell<'_>> = cells
        .iter()
        .filter(|cell| !cell.workload.may_end_early())
        .collect();
    let times = cut.iter().filter_map(|cell| times(cell, one_stretch));
    let baseline = evidence.plan.baseline().map(|target| &target.name);
    let shares = cut.iter().filter_map(|cell| {
        let other_side = |other: &&&Cell<'_>| {
            other.workload.name == cell.workload.name && Some(&other.target.name) == baseline
        };
        shares(cell, cut.iter().find(other_side)?)
    });
    let in_step = cut.iter().filter_map(|cell| in_step(cell));
    let rare = cut.iter().filter_map(|cell| rare_long(cell, one_stretch));
    let planned = evidence.plan.rounds.slice.as_secs_f64();
    let brief = cut.iter().filter_map(|cell| brief(cell, planned));
    let found = times.chain(rare).chain(in_step).chain(shares).chain(brief);
    found.map(|fault| fault.finding(one_stretch)).collect()
}

/// What is wrong with the slices of a workload on a target.
struct Fault<'c> {
    cell: &'c Cell<'c>,
    severity: Severity,
    evidence: Message,
    advice: Message,
}

impl<'c> Fault<'c> {
    fn new(cell: &'c Cell<'_>, evidence: Message) -> Self {
        Self {
            cell,
            severity: Severity::Suspect,
            evidence,
            advice: message!("ten-times"),
        }
    }

    fn finding(self, one_stretch: bool) -> Finding {
        let advice = if one_stretch {
            // With one slice, `--duration` sets the length of the slice instead of `--slice`.
            message!("twenty-times")
        } else {
            self.advice
        };
        let finding = RULE.finding(self.severity, Cause::Setup, self.evidence, advice);
        finding.on(&self.cell.workload.name, &self.cell.target.name)
    }
}

fn times<'c>(cell: &'c Cell<'_>, one_stretch: bool) -> Option<Fault<'c>> {
    let full = cell.full();
    let length = middle(full.iter().map(|slice| slice.end.seconds))?;
    let empty = full.iter().filter(|s| s.throughput().is_none()).count();
    let slowest = slowest(cell, &full);
    if length <= 0.0 {
        return Some(Fault {
            severity: Severity::Invalid,
            advice: message!("without-slower"),
            ..Fault::new(cell, message!("ended-before-window"))
        });
    }
    let share = slowest.as_ref().map_or(0.0, |(_, time)| time / length);
    if share <= LONG && empty == 0 {
        return None;
    }
    let severity = Severity::Suspect.raised_if(share > TOO_LONG);
    let long = slowest.filter(|_| share > LONG).map(|(operation, time)| {
        message!(
            "long-operation",
            operation,
            time = Value::Seconds(time),
            share = Value::Share(share),
            length = Value::Seconds(length),
            run = one_stretch
        )
    });
    let nothing = (empty > 0).then(|| {
        message!(
            "no-operation-ended",
            empty = Value::Plain(empty as u64),
            slices = full.len()
        )
    });
    Some(Fault {
        severity,
        ..Fault::new(cell, clauses(long.into_iter().chain(nothing)))
    })
}

/// Finding on rare long requests in a closed loop: every slice starts with free connections, and until
/// the long requests occupy their share of the connections, the target seems to be as fast as with
/// short requests only.
fn rare_long<'c>(cell: &'c Cell<'_>, one_stretch: bool) -> Option<Fault<'c>> {
    if !is_closed(cell.workload) {
        return None;
    }
    let full = cell.full();
    let length =
        middle(full.iter().map(|slice| slice.end.seconds)).filter(|length| *length > 0.0)?;
    let times = overstated(cell).filter(|times| *times > TOO_HIGH)?;
    let (share, longest) = time_beyond(cell, LONG * length)?;
    if share <= RARE {
        return None;
    }
    let far_too_long = time_beyond(cell, TOO_LONG * length)?.0 > OFTEN;
    let is_useless = share > OFTEN && (far_too_long || times > FAR_TOO_HIGH);
    let rare_long = message!(
        "rare-long",
        length = Value::Seconds(length),
        run = one_stretch,
        share = Value::Share(share),
        longest = Value::Seconds(longest),
        times = Value::Ratio(times)
    );
    Some(Fault {
        severity: Severity::Suspect.raised_if(is_useless),
        ..Fault::new(cell, rare_long)
    })
}

/// The share of the time of all requests that is spent in requests longer than `limit` seconds, and
/// the longest time of a request, seconds. `None` without requests.
fn time_beyond(cell: &Cell<'_>, limit: f64) -> Option<(f64, f64)> {
    let merged = cell.merged(&|slice| {
        let requests = slice.requests();
        let times = requests.flat_map(|op| [&op.times.service, &op.times.failed]);
        times.collect()
    })?;
    let (mut beyond, mut all) = (0.0, 0.0);
    for step in merged.iter_recorded() {
        let seconds = step.value_iterated_to() as f64 / NANOS_PER_SECOND;
        let time = step.count_at_value() as f64 * seconds;
        all += time;
        beyond += if seconds > limit { time } else { 0.0 };
    }
    let longest = merged.max() as f64 / NANOS_PER_SECOND;
    (all > 0.0).then_some((beyond / all, longest))
}

/// Finding on connections in lockstep: all slices complete the same number of responses, so the
/// spread does not show the operations that the end of the slice cuts off.
fn in_step<'c>(cell: &'c Cell<'_>) -> Option<Fault<'c>> {
    let full = cell.full();
    if !is_closed(cell.workload) || full.len() < FEWEST {
        return None;
    }
    let length =
        middle(full.iter().map(|slice| slice.end.seconds)).filter(|length| *length > 0.0)?;
    let (operation, time) = slowest(cell, &full)?;
    let share = time / length;
    let spread = relative_spread(&full)?;
    let whole_turns = |slice: &&&Slice| {
        let in_flight = slice.connections.max(1) as u64;
        slice.ok() > 0 && slice.ok().is_multiple_of(in_flight)
    };
    let turns = full.iter().filter(whole_turns).count() as f64;
    let is_hidden = (LONG_IN_STEP..=LONG).contains(&share)
        && spread < NARROW * share
        && turns >= MOSTLY * full.len() as f64;
    is_hidden.then(|| {
        let in_step = message!(
            "in-step",
            operation,
            time = Value::Seconds(time),
            share = Value::Share(share),
            length = Value::Seconds(length),
            spread = Value::Share(spread)
        );
        Fault {
            advice: message!("forty-times"),
            ..Fault::new(cell, in_step)
        }
    })
}

/// Finding on slices that end early: with the same requests for all targets, a much faster target
/// completes the requests in a fraction of a slice.
fn brief<'c>(cell: &'c Cell<'_>, planned: f64) -> Option<Fault<'c>> {
    let full = cell.full();
    let by_count = full.iter().filter(|slice| {
        let segment = slice.end.segment.as_ref();
        segment.is_some_and(|segment| segment.planned.is_some())
    });
    let by_count: Vec<&Slice> = by_count.copied().collect();
    let length = middle(by_count.iter().map(|slice| slice.end.seconds))?;
    let ended = |slice: &&Slice| (slice.ok() + slice.failed()) as f64;
    let requests = middle(by_count.iter().map(ended))?;
    if length >= BRIEF * planned || requests >= ENOUGH {
        return None;
    }
    let brief = message!(
        "brief",
        length = Value::Seconds(length),
        requests = Value::whole(requests)
    );
    let times = (ENOUGH / requests.max(1.0)).ceil();
    Some(Fault {
        advice: message!("times-as-long", times = Value::whole(times)),
        ..Fault::new(cell, brief)
    })
}

fn shares<'c>(cell: &'c Cell<'_>, baseline: &Cell<'_>) -> Option<Fault<'c>> {
    let operations = cell.workload.facts().operations();
    if operations.len() == 1 {
        return None;
    }
    let whole: f64 = operations.iter().map(|operation| operation.share).sum();
    let (here, there) = (Achieved::of(cell), Achieved::of(baseline));
    let off = operations.iter().find_map(|operation| {
        let name = operation.name;
        let asked = Share {
            value: operation.share / whole,
            of: u64::MAX,
        };
        let (here, there) = (here.share(name)?, there.share(name));
        let off = |message: Message, other: &Share| {
            let message = message.with("share", Value::Share(here.value));
            let message = message.with("operation", name.to_uppercase());
            message.with("other", Value::Share(other.value))
        };
        if here.is_off(&asked) {
            return Some(off(message!("not-as-planned"), &asked));
        }
        let there = there.filter(|there| here.is_off(there))?;
        let message = message!("not-as-baseline", baseline = &baseline.target.name);
        Some(off(message, &there))
    })?;
    Some(Fault::new(cell, off))
}

/// Standard deviation of the throughput of the slices, as a share of the mean throughput.
fn relative_spread(full: &[&Slice]) -> Option<f64> {
    let rates: Vec<f64> = full
        .iter()
        .map(|slice| slice.throughput())
        .collect::<Option<_>>()?;
    let n = rates.len() as f64;
    let mean = rates.iter().sum::<f64>() / n;
    let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
    (mean > 0.0 && n > 1.0).then(|| (squares / (n - 1.0)).sqrt() / mean)
}

/// The operation with the largest median service time, and this time in seconds. `full` are the
/// full slices of the cell.
fn slowest(cell: &Cell<'_>, full: &[&Slice]) -> Option<(String, f64)> {
    let mut names: Vec<&str> = Vec::new();
    let ops = full.iter().flat_map(|slice| &slice.ops);
    // Skip polls, which do not use the connections of the load.
    for op in ops.filter(|op| op.role.is_work() || op.role.is_request()) {
        if !names.contains(&op.name.as_str()) {
            names.push(&op.name);
        }
    }
    names
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), cell.median_of(name)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Numbers of completed operations of a mix, by the operation's name in the plan.
struct Achieved {
    by_operation: BTreeMap<String, u64>,
    all: u64,
}

/// A share, with the number of operations that the share is computed from.
struct Share {
    value: f64,
    of: u64,
}

impl Achieved {
    /// Counts the operations that the mix names. Other operations are not part of the mix: older
    /// versions recorded second attempts as operations.
    fn of(cell: &Cell<'_>) -> Self {
        let planned = cell.workload.facts().operations();
        let full = cell.full();
        let mut by_operation = BTreeMap::new();
        for op in full.iter().flat_map(|slice| slice.work()) {
            let name = op.name.to_lowercase().replace(' ', "-");
            if planned.iter().any(|operation| operation.name == name) {
                *by_operation.entry(name).or_default() += op.counts.ok + op.failed_count();
            }
        }
        let all = by_operation.values().sum();
        Self { by_operation, all }
    }

    /// `None` if no operation ended.
    fn share(&self, operation: &str) -> Option<Share> {
        let mine = self.by_operation.get(operation).copied().unwrap_or(0);
        (self.all > 0).then(|| Share {
            value: mine as f64 / self.all as f64,
            of: self.all,
        })
    }
}

impl Share {
    /// Whether the difference of two shares is larger than chance explains and above [`SHARE_OFF`].
    fn is_off(&self, other: &Self) -> bool {
        let variance = other.value * (1.0 - other.value);
        let error = (variance / self.of as f64 + variance / other.of as f64).sqrt();
        let off = (self.value - other.value).abs();
        off > SHARE_OFF && off > STANDARD_ERRORS * error
    }
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{Mix, S3Operation};

    use super::*;
    use crate::testing::{Made, Run};

    #[test]
    fn an_empty_window_is_named_and_has_no_infinite_share() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.0.end.seconds = 0.0);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Invalid);
        let said = format!("{findings:?}");
        assert!(!said.contains("inf") && !said.contains("0 ns"), "{said}");
    }

    #[test]
    fn fires_when_operations_are_long_against_a_slice() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(14, 0.14));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(
            findings[0]
                .evidence
                .contains("14 % of the 1.00 s of a slice"),
            "{findings:?}"
        );
        run.each_of("b", |slice| slice.answers(2, 0.7));
        assert_eq!(run.findings(&RULE)[0].severity, Severity::Invalid);
    }

    /// Two connections: 1,800 requests of 1 ms, and four of 500 ms that end 450 ms after the slice.
    fn rare_long(run: &mut Run, target: &str) {
        run.each_of(target, |slice| {
            slice.mixed(&[(1_800, 0.001), (4, 0.5)]);
            slice.0.ledger.outside_nanos = 1_800_000_000;
        });
    }

    #[test]
    fn rare_long_requests_that_end_after_the_slice_void_the_throughput() {
        let mut run = Run::pair(8);
        rare_long(&mut run, "b");
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        for part in [
            "used 52.6 % of the time of the connections (the longest took 500 ms)",
            "which is 1.90",
        ] {
            assert!(findings[0].evidence.contains(part), "{findings:?}");
        }
        let assessment = run.assess();
        let found = assessment.primary().next().unwrap();
        assert_eq!(found.trust, tenbin_result::Trust::Invalid);
        assert!(found.sentence.starts_with("no verdict"), "{found:?}");
    }

    #[test]
    fn long_requests_are_no_fault_if_as_many_are_in_flight_at_both_edges() {
        let mut run = Run::pair(8);
        rare_long(&mut run, "b");
        run.each_of("b", |slice| {
            slice.mixed(&[(900, 0.001), (2, 0.5)]);
            slice.0.ledger.unrecorded_nanos = 1_900_000_000;
        });
        assert_eq!(run.findings(&RULE), [], "a steady share of the connections");
        // A few milliseconds beyond the edges: too short to matter.
        run.each_of("b", |slice| {
            slice.mixed(&[(1_000, 0.002), (1, 0.12)]);
            slice.0.ledger.unrecorded_nanos = 0;
            slice.0.ledger.outside_nanos = 120_000_000;
        });
        run.each_of("b", |slice| slice.0.end.seconds = 1.3);
        assert_eq!(run.findings(&RULE), [], "less than a tenth of a slice");
        let mut open = Run::pair(8).open_loop();
        rare_long(&mut open, "b");
        assert_eq!(open.findings(&RULE), [], "the rate is set");
    }

    #[test]
    fn a_run_of_one_slice_should_be_longer() {
        let mut run = Run::single(1);
        run.each(|slice| slice.answers(14, 0.14));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(
            findings[0]
                .evidence
                .contains("14 % of the 1.00 s of the run"),
            "{findings:?}"
        );
        assert!(findings[0].advice.starts_with("measure for at least"));
    }

    #[test]
    fn fires_when_connections_in_step_hide_what_the_edges_cut() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(22, 0.084));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(findings[0].evidence.contains("8.4 % of a slice"));
        assert!(findings[0].evidence.contains("slices differ by only 0 %"));
    }

    #[test]
    fn fires_when_a_fast_target_completes_few_requests_early() {
        let mut run = Run::pair(8);
        let planned = run.plan.rounds.slice.as_secs_f64();
        let segment = tenbin_record::Segment {
            from: 0,
            to: 440,
            planned: Some(440),
            unmeasured: 0,
            skipped: 0,
            is_prefix: false,
            digest: None,
        };
        run.each_of("b", |slice| {
            slice.answers(400, 0.000_1);
            slice.0.end.seconds = planned / 10.0;
            slice.0.end.segment = Some(segment.clone().into());
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(findings[0].evidence.contains("had 400 requests"));
        assert_eq!(findings[0].advice, "use a --slice that is 3 times as long");
        run.each_of("b", |slice| slice.answers(2_000, 0.000_1));
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn silent_when_the_edges_are_in_the_interval() {
        let mut varied = Run::pair(8);
        let mut seen = 0;
        varied.each(|slice| {
            slice.answers([22, 24, 22, 24][seen % 4], 0.084);
            seen += 1;
        });
        assert_eq!(varied.findings(&RULE), []);
        let mut out_of_step = Run::pair(8);
        out_of_step.each(|slice| slice.answers(23, 0.084));
        assert_eq!(out_of_step.findings(&RULE), []);
        let mut short = Run::pair(8);
        short.each(|slice| slice.answers(100, 0.02));
        assert_eq!(short.findings(&RULE), []);
        let mut open = Run::pair(8).open_loop();
        open.each(|slice| slice.answers(22, 0.084));
        assert_eq!(open.findings(&RULE), []);
    }

    #[test]
    fn transactions_are_judged_as_a_whole() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.in_steps(100));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 2);
        assert!(findings[0].evidence.contains("MULTIPART"), "{findings:?}");
    }

    #[test]
    fn fires_when_no_operation_ended_in_a_slice() {
        let mut run = Run::pair(8);
        run.first_of("a").answers(0, 0.002);
        let findings = run.findings(&RULE);
        assert_eq!(
            findings[0].evidence,
            "no operation ended in 1 of 16 full slices, so the throughput is unknown"
        );
    }

    fn mixed(gets: u64, puts: u64) -> impl Fn(&mut Made<'_>) {
        move |slice| {
            slice.answers(gets, 0.002);
            let mut put = slice.0.ops[0].clone();
            put.name = "PUT".to_owned();
            put.counts.ok = puts;
            slice.0.ops.truncate(1);
            slice.0.ops.push(put);
        }
    }

    fn half_and_half() -> Run {
        let mut run = Run::pair(8).of_s3(S3Operation::Get, 1_024);
        for workload in &mut run.plan.workloads {
            if let tenbin_plan::WorkloadKind::S3(work) = &mut workload.kind {
                work.mix = Mix::new([(S3Operation::Get, 1.0), (S3Operation::Put, 1.0)]).unwrap();
            }
        }
        run.each(|slice| mixed(500, 500)(slice));
        run
    }

    #[test]
    fn second_attempts_in_older_records_are_no_part_of_the_mix() {
        let mut run = half_and_half();
        run.each_of("b", |slice| {
            let mut again = slice.0.ops[1].clone();
            again.name = "PUT again".to_owned();
            slice.0.ops.push(again);
        });
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn fires_when_a_mix_differs_from_the_plan() {
        let mut run = half_and_half();
        run.each_of("b", |slice| mixed(600, 400)(slice));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(
            findings[0]
                .evidence
                .contains("60 % of the operations were GET"),
            "{findings:?}"
        );
        // Each share is close enough to the plan, but not to the share of the other target.
        run.each_of("a", |slice| mixed(460, 540)(slice));
        run.each_of("b", |slice| mixed(540, 460)(slice));
        let findings = run.findings(&RULE);
        assert!(findings[0].evidence.contains("were on a"), "{findings:?}");
    }

    #[test]
    fn silent_for_long_slices_chance_and_slices_that_end_by_a_count() {
        assert_eq!(half_and_half().findings(&RULE), []);
        let mut few = half_and_half();
        few.each(|slice| mixed(1, 2)(slice));
        assert_eq!(few.findings(&RULE), [], "16 slices of three each");
        let mut counted = Run::pair(8);
        counted.each(|slice| slice.answers(2, 0.7));
        counted.plan.workloads[0].load.requests = Some(2);
        assert_eq!(counted.findings(&RULE), []);
    }
}
