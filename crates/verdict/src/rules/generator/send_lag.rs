//! Requests that the load generator sends late.

use tenbin_record::{LATE_BUCKETS, LATE_FROM_LOG2, OpFigures, Slice};
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::figures::latency::{NANOS_PER_SECOND, quantile};
use crate::findings::distortion::Distortion;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::machine::generator::Thread;
use crate::rules::generator::client_saturated;
use crate::server::backend::Backends;

/// The published percentiles of response time that send lag could change, and the send lag in
/// seconds below which the finding is never worse than a note.
const PUBLISHED: [(u64, f64); 3] = [(50, UNSEEN), (90, ACCURATE), (99, ACCURATE)];

/// Send lag, as a share of the percentile without send lag, above which a finding is a note; above
/// the next two constants, suspect and invalid.
const WORTH_A_NOTE: f64 = 0.10;
const MISLEADING: f64 = 0.25;
const VOID: f64 = 1.00;

/// Largest send lag that is never reported, seconds: a precise timer can be this late.
const UNSEEN: f64 = 0.000_1;

/// Delay that the scheduler of an idle machine adds to one request in a hundred, seconds.
const ACCURATE: f64 = 0.001;

/// Other programs count as the cause of send lag if a load generator thread waits for a core for at
/// least this share of the time: Tenbin's own convention.
const DISPLACED: f64 = 0.05;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "send_lag",
    summary: Texts {
        english: "the load generator sent requests late",
        japanese: "負荷生成側がリクエストを遅れて送った",
    },
    severities: &[Severity::Note, Severity::Suspect, Severity::Invalid],
    explanation: pages!("send_lag"),
    messages: Messages {
        english: r#"
            sent-late =
                requests were sent late: the { $percentile ->
                    [50] median
                   *[other] { $percentile }th percentile
                } of response time is { $published }, without send lag it would be { $without };
                { $reason ->
                    [connections]
                        the requests waited for a free connection, as all { $connections ->
                            [one] 1 connection
                           *[other] { $connections } connections
                        } were in use
                    [other-programs]
                        a load generator thread waited in { $waited } of the time for a core that
                        other programs used
                   *[unknown] although a connection was free
                }
            find-pause =
                the response times are right: while the target does not respond, users wait, too;
                find out why the target paused
            more-connections =
                use more --connections, so that response times do not contain the wait for a free
                connection
            stop-other-programs =
                stop the other programs, or run the load generator on a separate machine; response
                times contain the send lag, service times do not
            more-threads =
                use more --threads, a lower --rate, or a machine with idle cores; response times
                contain the send lag, service times do not
        "#,
        japanese: r#"
            sent-late =
                リクエストの送信が遅れた。応答時間の{ $percentile ->
                    [50] 中央値
                   *[other] {" "}{ $percentile } パーセンタイル
                }は { $published }、送信の遅れがなければ { $without }。{ $reason ->
                    [connections] リクエストは接続の空きを待っていた({ $connections } 接続すべてが使用中)
                    [other-programs]
                        負荷生成側の 1 スレッドが時間の { $waited } だけ、ほかのプログラムが使うコアの空きを待っていた
                   *[unknown] 空いている接続があった
                }
            find-pause =
                応答時間は正しい。ターゲットが応答しない間は利用者も待つ。ターゲットが停止した原因を調べる
            more-connections =
                --connections を増やし、応答時間に接続の空き待ちが含まれないようにする
            stop-other-programs =
                ほかのプログラムを止めるか、負荷生成側を別のマシンで動かす。
                応答時間は送信の遅れを含み、サービス時間は含まない
            more-threads =
                --threads を増やす、--rate を下げる、または空きコアのあるマシンを使う。
                応答時間は送信の遅れを含み、サービス時間は含まない
        "#,
    },
    tier: Tier::Circumstance,
    explained_by: &[&client_saturated::RULE],
    // Response times contain the send lag; a request that is sent later is not answered earlier.
    distorts: Distortion::LATE_GENERATOR,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let open = cells.iter().filter(|cell| !is_closed(cell.workload));
    // Without keep-alive, the send lag includes opening the connection.
    let kept = open.filter(|cell| cell.workload.load.keep_alive);
    let backends = Backends::of(evidence);
    kept.filter_map(|cell| of_cell(cell, &backends)).collect()
}

fn of_cell(cell: &Cell<'_>, backends: &Backends<'_>) -> Option<Finding> {
    let full = cell.full();
    let changed = PUBLISHED
        .iter()
        .filter_map(|(percentile, limit)| Changed::of(&full, *percentile, *limit));
    let worst = changed.max_by(|a, b| {
        let by_severity = a.severity.cmp(&b.severity);
        by_severity.then(a.share().total_cmp(&b.share()))
    })?;
    let waited = Thread::of(cell, backends)?.waited;
    let (reason, cause, advice) = if worst.is_caused_by_target() {
        ("connections", Cause::Server, message!("find-pause"))
    } else if worst.waits_for_connections {
        ("connections", Cause::Setup, message!("more-connections"))
    } else if waited >= DISPLACED {
        let advice = message!("stop-other-programs");
        ("other-programs", Cause::Generator, advice)
    } else {
        ("unknown", Cause::Generator, message!("more-threads"))
    };
    let sent_late = message!(
        "sent-late",
        percentile = worst.percentile,
        published = Value::Seconds(worst.published),
        without = Value::Seconds(worst.without),
        reason = Value::word(reason),
        connections = cell.workload.load.connections,
        waited = Value::Share(waited)
    );
    let finding = RULE.finding(worst.severity, cause, sent_late, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

/// A published percentile that contains send lag.
struct Changed {
    percentile: u64,
    /// Value of the percentile of response times, seconds.
    published: f64,
    /// The same percentile of service times, which exclude send lag, seconds.
    without: f64,
    /// Longest service time, seconds.
    longest: f64,
    /// Whether the wait for a free connection, and not the load generator, changed the percentile.
    waits_for_connections: bool,
    severity: Severity,
}

impl Changed {
    /// `None` if send lag changes the percentile too little to be reported.
    fn of(slices: &[&Slice], percentile: u64, limit: f64) -> Option<Self> {
        let q = percentile as f64 / 100.0;
        let published = quantile(slices, q, |op| &op.times.response, is_request).value()?;
        let without = quantile(slices, q, |op| &op.times.service, is_request).value()?;
        let requests = slices.iter().flat_map(|slice| slice.requests());
        let longest = requests.map(|op| op.times.service.max()).max().unwrap_or(0);
        let added = published - without;
        let visible = severity(added, without, limit)?;
        let by_the_generator = severity(added.min(late_at(slices, q)), without, limit);
        Some(Self {
            percentile,
            published,
            without,
            longest: longest as f64 / NANOS_PER_SECOND,
            waits_for_connections: by_the_generator.is_none(),
            severity: by_the_generator.unwrap_or(Severity::Note.min(visible)),
        })
    }

    fn share(&self) -> f64 {
        self.published / self.without - 1.0
    }

    /// Whether the requests waited for connections because responses took that long.
    fn is_caused_by_target(&self) -> bool {
        self.waits_for_connections && self.longest >= (self.published - self.without) / 2.0
    }
}

/// Severity of a send lag that adds `added` seconds to a percentile that would be `without` seconds;
/// `None` if this is too little to be reported. Below a send lag of `limit` seconds, the severity is
/// at most a note.
fn severity(added: f64, without: f64, limit: f64) -> Option<Severity> {
    let share = added / without;
    if share <= WORTH_A_NOTE || added <= UNSEEN {
        None
    } else if share <= MISLEADING || added <= limit {
        Some(Severity::Note)
    } else if share <= VOID {
        Some(Severity::Suspect)
    } else {
        Some(Severity::Invalid)
    }
}

/// Quantile `q` of the time by which the load generator sent requests late although a connection was
/// free, seconds: the upper bound of its bucket, and 0 for less than the first bucket. The wait for
/// a connection is not part of this time.
fn late_at(slices: &[&Slice], q: f64) -> f64 {
    let requests = slices.iter().flat_map(|slice| slice.requests());
    let all: u64 = requests.map(|op| op.times.lag.len()).sum();
    let is_changed = |log2: &u32| {
        let late: u64 = slices.iter().map(|slice| slice.sent_late(1 << log2)).sum();
        late as f64 >= (1.0 - q) * all as f64
    };
    let buckets = LATE_FROM_LOG2..LATE_FROM_LOG2 + LATE_BUCKETS as u32;
    let highest = buckets.rev().find(is_changed);
    highest.map_or(0.0, |log2| (2_u64 << log2) as f64 / NANOS_PER_SECOND)
}

fn is_request(op: &OpFigures) -> bool {
    op.role.is_request()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// A run with sixteen connections and 1,000 requests per second; each request takes 2 ms. Of
    /// 1,000 requests to `b`, `count` are sent `micros` µs late and the others 5 µs late.
    fn late_by(micros: u64, count: u64) -> Run {
        let mut run = Run::pair(8).open_loop();
        run.plan.workloads[0].load.connections = 16;
        run.each_of("b", |slice| {
            slice.sent_late(micros * 1_000, count);
            let op = &mut slice.0.ops[0];
            op.times.response.clear();
            for (lag, count) in [(5, 1_000 - count), (micros, count)] {
                op.times.lag.record_n(lag * 1_000, count).unwrap();
                let response = 2_000_000 + lag * 1_000;
                op.times.response.record_n(response, count).unwrap();
            }
        });
        run
    }

    fn severity(run: &Run) -> Option<Severity> {
        let findings = run.findings(&RULE);
        assert!(findings.len() <= 1, "{findings:?}");
        findings.first().map(|finding| finding.severity)
    }

    #[test]
    fn the_change_of_the_published_percentile_decides() {
        let run = late_by(2_500, 20);
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(findings[0].cause, Cause::Generator);
        assert_eq!(
            findings[0].evidence,
            "requests were sent late: the 99th percentile of response time is 4.50 ms, without \
             send lag it would be 2.00 ms; although a connection was free"
        );
        assert_eq!(severity(&late_by(1_200, 20)), Some(Severity::Suspect));
        // Half a millisecond in one request of fifty is normal for an idle machine.
        assert_eq!(severity(&late_by(530, 20)), Some(Severity::Note));
        // The same send lag is suspect if the median contains it.
        assert_eq!(severity(&late_by(530, 600)), Some(Severity::Suspect));
        assert_eq!(severity(&late_by(2_100, 600)), Some(Severity::Invalid));
    }

    #[test]
    fn other_programs_that_use_the_cores_are_named() {
        let mut run = late_by(2_500, 20);
        run.each(|slice| {
            slice.waiting_thread(0.2, 0.15);
            slice.others(0.8);
        });
        let findings = run.findings(&RULE);
        assert!(
            findings[0].evidence.ends_with(
                "a load generator thread waited in 15 % of the time for a core that other \
                 programs used"
            ),
            "{findings:?}"
        );
        assert!(findings[0].advice.starts_with("stop the other programs"));
    }

    #[test]
    fn send_lag_without_effect_on_percentiles_is_no_finding() {
        // The tail of the target's service time is longer than the lag of one request in fifty.
        let mut slow = late_by(2_500, 20);
        slow.plan.workloads[0].load.connections = 100;
        slow.each_of("b", |slice| {
            let op = &mut slice.0.ops[0];
            op.times.service.record_n(50_000_000, 200).unwrap();
            op.times.response.record_n(50_005_000, 200).unwrap();
        });
        assert_eq!(severity(&slow), None);
        assert_eq!(severity(&late_by(2_500, 5)), None, "one in two hundred");
        assert_eq!(severity(&late_by(150, 20)), None, "under a tenth");
    }

    #[test]
    fn waiting_for_a_connection_advises_more_connections() {
        let mut run = late_by(2_500, 20);
        run.each(|slice| slice.0.late.clear());
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(findings[0].cause, Cause::Server, "2 ms of 2.5 ms");
        run.each_of("b", |slice| {
            let op = &mut slice.0.ops[0];
            op.times.service.clear();
            op.times.service.record_n(500_000, 1_000).unwrap();
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(findings[0].cause, Cause::Setup);
        assert!(
            findings[0].evidence.ends_with(
                "the requests waited for a free connection, as all 16 connections were in use"
            ),
            "{findings:?}"
        );
        assert!(findings[0].advice.starts_with("use more --connections"));
    }

    /// A target that pauses for a second in one slice of eight: 32 requests in flight, one in 125,
    /// take up to a second, and the 468 requests that are due meanwhile wait for a connection.
    fn paused() -> Run {
        let mut run = Run::pair(4).open_loop();
        run.plan.workloads[0].load.connections = 32;
        run.each_of("b", |slice| {
            slice.answers(500, 0.001);
            slice.0.ops[0].times.lag.record_n(5_000, 500).unwrap();
        });
        let slice = run.first_of("b");
        let op = &mut slice.0.ops[0];
        for times in [
            &mut op.times.service, &mut op.times.response, &mut op.times.lag,
        ] {
            times.clear();
        }
        for request in 0..500 {
            let left = (1_000 - request * 2) * 1_000_000;
            let service = if request < 32 { left } else { 1_000_000 };
            op.times.service.record(service).unwrap();
            op.times.response.record(left).unwrap();
            op.times.lag.record(left.saturating_sub(service)).unwrap();
        }
        run
    }

    #[test]
    fn one_pause_of_the_target_explains_late_requests() {
        let mut run = paused();
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note, "{findings:?}");
        assert_eq!(findings[0].cause, Cause::Server);
        assert!(
            findings[0]
                .advice
                .starts_with("the response times are right")
        );
        // The same figures if the load generator was suspended and connections were free.
        run.first_of("b").sent_late(500_000_000, 468);
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(findings[0].cause, Cause::Generator);
    }

    #[test]
    fn a_pause_does_not_hide_a_late_generator() {
        let mut run = paused();
        run.each_of("b", |slice| slice.sent_late(2_000_000, 20));
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Invalid, "{findings:?}");
        assert_eq!(findings[0].cause, Cause::Generator);
    }

    #[test]
    fn silent_when_it_is_too_small_to_see_or_not_the_generators() {
        let mut quick = late_by(90, 20);
        quick.each_of("b", |slice| {
            let op = &mut slice.0.ops[0];
            op.times.service.clear();
            op.times.service.record_n(100_000, 1_000).unwrap();
            op.times.response.clear();
            op.times.response.record_n(190_000, 1_000).unwrap();
        });
        assert_eq!(quick.findings(&RULE), [], "too little to see");
        let mut reconnecting = late_by(2_500, 20);
        reconnecting.plan.workloads[0].load.keep_alive = false;
        assert_eq!(reconnecting.findings(&RULE), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
