//! Times that cluster at constants of the network stack.

use hdrhistogram::Histogram;
use tenbin_record::Slice;
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "tail_signature",
    summary: Texts {
        english: "times cluster at constants of the network stack: 40 ms, 200 ms, 1 s, 3 s",
        japanese: "時間がネットワークスタックの定数(40 ms、200 ms、1 秒、3 秒)に集中している",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("tail_signature"),
    messages: Messages {
        english: r#"
            two-writes =
                { $count } of { $total } responses ({ $share }) took { $from } to { $to }, with far
                fewer just below and above; the first byte of most arrived by { $first_byte }:
                { $meaning }
            cluster =
                { $count } of { $total } { $connects ->
                    [true] connections
                   *[false] responses
                } ({ $share }) took { $time } or slightly longer, with far fewer just below and
                above: { $meaning }
            delayed-ack = the length of a delayed acknowledgement
            write-once =
                let the target send a response in one write, or set TCP_NODELAY: with two writes,
                Nagle's algorithm holds the second back until the delayed acknowledgement arrives
            lost-segment = the time after which Linux sends a lost segment again
            look-for-losses =
                look for lost segments (nstat TcpRetransSegs), full queues and a saturated link
                between load generator and target
            first-syn = the time after which the first SYN is sent again
            raise-backlog =
                the target dropped connection attempts: increase its listen backlog and
                net.core.somaxconn, or open connections more slowly
            second-syn = the time after which the second SYN is sent again
            raise-backlog-much =
                the target dropped connection attempts twice: increase its listen backlog and
                net.core.somaxconn, or open connections more slowly
        "#,
        japanese: r#"
            two-writes =
                { $total } 応答中 { $count } 応答({ $share })の所要時間が { $from }〜{ $to } に集中し、
                その前後は極端に少ない。大半の先頭バイトは { $first_byte } までに届いた。{ $meaning }
            cluster =
                { $total } { $connects ->
                    [true] 接続中 { $count } 接続
                   *[false] 応答中 { $count } 応答
                }({ $share })の所要時間が { $time } かその直後に集中し、その前後は極端に少ない。{ $meaning }
            delayed-ack = 遅延 ACK の長さに一致
            write-once =
                ターゲットが応答を 1 回の write で送るようにするか、TCP_NODELAY を設定する。
                write が 2 回だと、Nagle アルゴリズムが遅延 ACK の到着まで 2 回目を保留する
            lost-segment = Linux が失われたセグメントを再送するまでの時間に一致
            look-for-losses =
                負荷生成側とターゲットの間で、失われたセグメント(nstat TcpRetransSegs)、満杯のキュー、
                飽和したリンクを調べる
            first-syn = 最初の SYN を再送するまでの時間に一致
            raise-backlog =
                ターゲットが接続要求を破棄した。listen backlog と net.core.somaxconn を増やすか、
                接続をゆっくり開く
            second-syn = 2 度目の SYN を再送するまでの時間に一致
            raise-backlog-much =
                ターゲットが接続要求を 2 回破棄した。listen backlog と net.core.somaxconn を増やすか、
                接続をゆっくり開く
        "#,
    },
    tier: Tier::Cause,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells
        .iter()
        .flat_map(|cell| {
            let full = cell.full();
            let is_small = has_small_bodies(&full);
            let answers = cell.request_times();
            let connects = cell.merged(&|slice| vec![&slice.setup.connect]);
            let first_bytes =
                cell.merged(&|slice| slice.requests().map(|op| &op.times.first_byte).collect());
            let two_writes = answers.as_ref().zip(first_bytes.as_ref());
            let two_writes = two_writes.and_then(|(answers, first)| TwoWrites::of(answers, first));
            // The transfer of a large body can take as long as a delayed acknowledgement.
            let known = SIGNATURES.iter().filter(|it| is_small || !it.of_all);
            let found = known.filter_map(|signature| {
                if let (true, Some(two_writes)) = (signature.of_all, &two_writes) {
                    return Some(finding_of_two_writes(cell, signature, two_writes));
                }
                let times = match signature.of {
                    Of::Answers => answers.as_ref()?,
                    Of::Connects => connects.as_ref()?,
                };
                let pile = signature.in_times(times)?;
                let comes_late = signature.of_all
                    && first_bytes
                        .as_ref()
                        .is_some_and(|first| signature.has_first_bytes(first, &pile));
                (!comes_late).then(|| finding_of(cell, signature, &pile))
            });
            found.collect::<Vec<_>>()
        })
        .collect()
}

fn finding_of_two_writes(cell: &Cell<'_>, signature: &Signature, found: &TwoWrites) -> Finding {
    let two_writes = message!(
        "two-writes",
        from = Value::Seconds(found.from),
        to = Value::Seconds(found.to),
        first_byte = Value::Seconds(found.first_byte)
    );
    finding(cell, signature, &found.pile, two_writes)
}

fn finding_of(cell: &Cell<'_>, signature: &Signature, found: &Pile) -> Finding {
    let cluster = message!(
        "cluster",
        connects = matches!(signature.of, Of::Connects),
        time = Value::Seconds(signature.seconds)
    );
    finding(cell, signature, found, cluster)
}

/// A finding with this evidence, to which the samples of the cluster and the meaning are added.
fn finding(cell: &Cell<'_>, signature: &Signature, found: &Pile, evidence: Message) -> Finding {
    let share = found.count as f64 / found.total as f64;
    let evidence = evidence
        .with("count", Value::Plain(found.count))
        .with("total", Value::Plain(found.total))
        .with("share", Value::Share(share))
        .with("meaning", Message::new(signature.meaning));
    let advice = Message::new(signature.advice);
    let finding = RULE.finding(signature.severity, signature.cause, evidence, advice);
    finding.on(&cell.workload.name, &cell.target.name)
}

/// The kind of times that a signature applies to.
#[derive(Clone, Copy)]
enum Of {
    Answers,
    Connects,
}

/// A wait of known length in the network stack.
struct Signature {
    of: Of,
    seconds: f64,
    /// Whether the wait can affect most operations instead of only the tail.
    of_all: bool,
    /// Minimum number of samples in the cluster.
    fewest: u64,
    severity: Severity,
    cause: Cause,
    /// Id of the message that says what takes this long.
    meaning: &'static str,
    /// Id of the message that says what to do.
    advice: &'static str,
}

const SIGNATURES: [Signature; 4] = [
    Signature {
        of: Of::Answers,
        seconds: 0.040,
        of_all: true,
        fewest: 10,
        severity: Severity::Note,
        cause: Cause::Server,
        meaning: "delayed-ack",
        advice: "write-once",
    },
    Signature {
        of: Of::Answers,
        seconds: 0.200,
        of_all: false,
        fewest: 10,
        severity: Severity::Note,
        cause: Cause::Network,
        meaning: "lost-segment",
        advice: "look-for-losses",
    },
    Signature {
        of: Of::Connects,
        seconds: 1.0,
        of_all: false,
        fewest: 3,
        severity: Severity::Suspect,
        cause: Cause::Server,
        meaning: "first-syn",
        advice: "raise-backlog",
    },
    Signature {
        of: Of::Connects,
        seconds: 3.0,
        of_all: false,
        fewest: 3,
        severity: Severity::Suspect,
        cause: Cause::Server,
        meaning: "second-syn",
        advice: "raise-backlog-much",
    },
];

/// Width of a cluster as a share of the time of the cluster.
const WIDTH: f64 = 0.12;
/// Width of the ranges before and after a cluster as a share of the time of the cluster.
const AROUND: f64 = 0.25;

/// Minimum ratio of the density of a cluster to the density around the cluster.
const TIMES: f64 = 5.0;

/// Size of the largest TCP segment, bytes: the MTU of loopback.
const LARGEST_SEGMENT: u64 = 65_536;

/// Minimum share of all responses in a cluster for a finding about most responses instead of only
/// the tail.
const MOST: f64 = 0.90;

/// Number of samples in a cluster, and number of all samples.
struct Pile {
    count: u64,
    total: u64,
}

/// A mode of the response times at the length of a delayed acknowledgement. The first byte of these
/// responses came earlier, so the rest of the response waited for the acknowledgement.
struct TwoWrites {
    pile: Pile,
    /// Range of the mode, seconds.
    from: f64,
    to: f64,
    /// Median time to the first byte, seconds.
    first_byte: f64,
}

/// Start of the range of the mode, milliseconds; the next constant is the end. The kernel rounds
/// the 40 ms of a delayed acknowledgement (`TCP_DELACK_MIN`) up to the clock tick, 4 or 10 ms on
/// many machines, and timers run later on a busy machine.
const EARLIEST_ACK: u64 = 40;
const LATEST_ACK: u64 = 54;

/// Latest start of the mode, milliseconds: the first delayed acknowledgements arrive within two
/// ticks of 4 ms.
const LATEST_START: u64 = 48;

/// Tried widths of the mode, milliseconds, for clock ticks of different lengths.
const MODE_WIDTHS: [u64; 4] = [10, 6, 4, 2];

/// Length of the ranges before and after the mode that must contain few samples, milliseconds.
const BESIDE_MODE: u64 = 10;

impl TwoWrites {
    /// Finds the mode; `None` without a mode, or for runs of older versions without recorded first
    /// bytes.
    fn of(answers: &Histogram<u64>, first_bytes: &Histogram<u64>) -> Option<Self> {
        if first_bytes.is_empty() {
            return None;
        }
        let nanos = |ms: u64| ms * 1_000_000;
        let between = |times: &Histogram<u64>, from: u64, to: u64| {
            times.count_between(nanos(from), nanos(to) - 1)
        };
        let windows = MODE_WIDTHS.iter().flat_map(|width| {
            let starts = EARLIEST_ACK..=LATEST_ACK - width;
            starts.map(move |start| (start, start + width))
        });
        let stands_out = windows.filter_map(|(from, to)| {
            let count = between(answers, from, to);
            let density = count as f64 / (to - from) as f64;
            let before = between(answers, from - BESIDE_MODE, from);
            let after = between(answers, to, to + BESIDE_MODE);
            let beside = before.max(after) as f64 / BESIDE_MODE as f64;
            let early = count.saturating_sub(between(first_bytes, from, to));
            let fits = count >= FEWEST_DELAYED && density > TIMES * beside && early * 2 > count;
            fits.then_some((from, to, count))
        });
        let (from, to, count) =
            stands_out.max_by_key(|(from, to, count)| (*count, from + 100 - to))?;
        let inside = answers
            .iter_recorded()
            .map(|step| step.value_iterated_to())
            .filter(|value| (nanos(from)..nanos(to)).contains(value));
        let (least, most) = inside.fold((u64::MAX, 0), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        (least <= nanos(LATEST_START)).then(|| Self {
            pile: Pile {
                count,
                total: answers.len(),
            },
            from: least as f64 / 1e9,
            to: most as f64 / 1e9,
            first_byte: first_bytes.value_at_quantile(0.5) as f64 / 1e9,
        })
    }
}

/// Minimum number of responses in a mode.
const FEWEST_DELAYED: u64 = 10;

impl Signature {
    fn in_times(&self, times: &Histogram<u64>) -> Option<Pile> {
        let between = |from: f64, to: f64| {
            let nanos = |share: f64| (self.seconds * share * 1e9) as u64;
            times.count_between(nanos(from), nanos(to) - 1)
        };
        let end = 1.0 + WIDTH;
        let pile = Pile {
            count: self.count_in_cluster(times),
            total: times.len(),
        };
        let density = pile.count as f64 / WIDTH;
        let before = between(1.0 - AROUND, 1.0) as f64 / AROUND;
        let after = between(end, end + AROUND) as f64 / AROUND;
        let stands_out = pile.count >= self.fewest && density > TIMES * before.max(after);
        let median = times.value_at_quantile(0.5) as f64 / 1e9;
        let is_tail = median < self.seconds / 2.0;
        let is_all = self.of_all && pile.count as f64 >= MOST * pile.total as f64;
        (stands_out && (is_tail || is_all)).then_some(pile)
    }

    /// Number of times from the constant to the end of the cluster.
    fn count_in_cluster(&self, times: &Histogram<u64>) -> u64 {
        let nanos = |share: f64| (self.seconds * share * 1e9) as u64;
        times.count_between(nanos(1.0), nanos(1.0 + WIDTH) - 1)
    }

    /// Whether the first byte of at least half of these responses came in the cluster, too: the
    /// target took that long to respond, and nothing waited for an acknowledgement.
    fn has_first_bytes(&self, first_bytes: &Histogram<u64>, pile: &Pile) -> bool {
        self.count_in_cluster(first_bytes) * 2 >= pile.count
    }
}

/// Whether a request and a response fit into one TCP segment each, on average: only data shorter
/// than a segment waits for an acknowledgement (RFC 896).
fn has_small_bodies(slices: &[&Slice]) -> bool {
    let requests = || slices.iter().flat_map(|slice| slice.requests());
    let count: u64 = requests().map(|op| op.counts.ok).sum();
    let sent: u64 = requests().map(|op| op.counts.sent).sum();
    let received: u64 = requests().map(|op| op.counts.received).sum();
    sent.max(received) <= LARGEST_SEGMENT * count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn with_answers(micros: u64, count: u64) -> Run {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            let service = &mut slice.0.ops[0].times.service;
            service.record_n(micros * 1_000, count).unwrap();
        });
        run
    }

    fn evidence(run: &Run) -> Vec<String> {
        let findings = run.findings(&RULE);
        findings
            .into_iter()
            .map(|finding| finding.evidence)
            .collect()
    }

    #[test]
    fn names_delayed_acknowledgements_and_retransmissions() {
        let found = evidence(&with_answers(40_700, 2));
        assert_eq!(
            found,
            [
                "32 of 16032 responses (0.2 %) took 40.0 ms or slightly longer, with far fewer \
                 just below and above: the length of a delayed acknowledgement"
            ]
        );
        let found = evidence(&with_answers(204_000, 2));
        assert!(
            found[0].contains("took 200 ms or slightly longer"),
            "{found:?}"
        );
    }

    #[test]
    fn a_cluster_of_all_responses_is_found() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(48, 0.0413));
        assert_eq!(evidence(&run).len(), 1);
        // A time of 200 ms can be the target's own.
        run.each_of("b", |slice| slice.answers(10, 0.205));
        assert_eq!(run.findings(&RULE), []);
    }

    /// A run in which `b` writes each response in two parts, on a kernel with a clock tick of 4 ms.
    fn two_writes(share_delayed: u64) -> Run {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            let op = &mut slice.0.ops[0];
            op.times.service.clear();
            op.times.first_byte.record_n(143_000, 200).unwrap();
            op.times
                .service
                .record_n(150_000, 200 - 2 * share_delayed)
                .unwrap();
            for (micros, share) in [(44_070, 60), (47_940, 30), (52_160, 10)] {
                let count = 2 * share_delayed * share / 100;
                op.times.service.record_n(micros * 1_000, count).unwrap();
            }
        });
        run
    }

    #[test]
    fn finds_delayed_acknowledgements_wherever_the_clock_tick_puts_them() {
        for share in [10, 60, 100] {
            let found = evidence(&two_writes(share));
            assert_eq!(found.len(), 1, "{share}: {found:?}");
        }
        assert_eq!(
            evidence(&two_writes(100)),
            [
                "3200 of 3200 responses (100 %) took 44.1 ms to 52.2 ms, with far fewer just \
                 below and above; the first byte of most arrived by 143 µs: the length of a \
                 delayed acknowledgement"
            ]
        );
    }

    #[test]
    fn a_handler_that_takes_as_long_has_no_delayed_acknowledgement() {
        let mut run = two_writes(100);
        run.each_of("b", |slice| {
            let op = &mut slice.0.ops[0];
            op.times.first_byte = op.times.service.clone();
        });
        assert_eq!(run.findings(&RULE), []);
        // A handler that sleeps for 40 ms: all times are in the narrow cluster after the constant.
        run.each_of("b", |slice| {
            let op = &mut slice.0.ops[0];
            op.times.service.clear();
            op.times.service.record_n(40_300_000, 200).unwrap();
            op.times.first_byte = op.times.service.clone();
        });
        assert_eq!(run.findings(&RULE), []);
        // Evenly spread times, some of which are in the range of the mode.
        run.each_of("b", |slice| {
            let op = &mut slice.0.ops[0];
            op.times.service.clear();
            (1..100).for_each(|ms| op.times.service.record_n(ms * 1_000_000, 20).unwrap());
            op.times.first_byte.clear();
            op.times.first_byte.record_n(1_000_000, 1_980).unwrap();
        });
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn a_large_body_that_takes_as_long_has_no_delayed_acknowledgement() {
        // The first byte comes early, and the last byte of a megabyte after 44 to 52 ms.
        let mut get = two_writes(100);
        get.each_of("b", |slice| {
            let op = &mut slice.0.ops[0];
            op.counts.received = op.counts.ok * 1_000_000;
        });
        assert_eq!(get.findings(&RULE), []);
        let mut put = Run::pair(8);
        put.each_of("b", |slice| {
            slice.answers(48, 0.0413);
            let op = &mut slice.0.ops[0];
            op.counts.sent = op.counts.ok * 1_000_000;
        });
        assert_eq!(put.findings(&RULE), []);
    }

    #[test]
    fn names_attempts_to_connect_that_were_dropped() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.0.setup.connect.record_n(100_000, 50).unwrap();
            slice.0.setup.connect.record_n(1_020_000_000, 2).unwrap();
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert!(
            findings[0]
                .evidence
                .starts_with("32 of 832 connections (3.8 %) took 1.00 s")
        );
    }

    #[test]
    fn silent_when_the_tail_is_smooth_or_a_few_only() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
        let mut smooth = Run::pair(8);
        smooth.each_of("b", |slice| {
            let service = &mut slice.0.ops[0].times.service;
            (1..500).for_each(|ms| service.record_n(ms * 1_000_000, 3).unwrap());
            service.record_n(1_000_000, 4_000).unwrap();
        });
        assert_eq!(smooth.findings(&RULE), []);
        let mut few = Run::pair(8);
        few.first_of("b").0.ops[0]
            .times
            .service
            .record_n(40_700_000, 9)
            .unwrap();
        assert_eq!(few.findings(&RULE), []);
    }
}
