//! Targets whose response time is mostly network time.

use tenbin_record::Slice;
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::middle;

/// Round-trip time, as a share of the median service time, above which there is a finding.
const MOST: f64 = 0.50;
/// Round-trip time below which there is no finding, seconds: the machine's own network stack takes
/// up to this time.
const TRIVIAL: f64 = 0.000_2;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "network_latency",
    summary: Texts {
        english: "the network took most of the response time",
        japanese: "応答時間の大部分をネットワークが占める",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("network_latency"),
    messages: Messages {
        english: r#"
            mostly-network =
                of the median service time of { $service }, the network round trip takes { $round_trip }, which
                is { $share } (medians of { $slices ->
                    [one] 1 slice
                   *[other] { $slices } slices
                })
            closer =
                measure from a machine closer to the target; or use more --connections until throughput stops
                growing, and compare throughput, not latency
        "#,
        japanese: r#"
            mostly-network =
                サービス時間の中央値 { $service } のうち、ネットワークの往復が { $round_trip } で { $share } を占める
                ({ $slices } スライスの中央値)
            closer =
                ターゲットに近いマシンから測る。または --connections をスループットが伸びなくなるまで増やし、
                レイテンシではなくスループットを比べる
        "#,
    },
    tier: Tier::Cause,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells.iter().filter_map(|cell| of_cell(cell)).collect()
}

fn of_cell(cell: &Cell<'_>) -> Option<Finding> {
    let seen: Vec<Seen> = cell.full().into_iter().filter_map(Seen::of).collect();
    let share = middle(seen.iter().map(|seen| seen.round_trip / seen.service))?;
    let round_trip = middle(seen.iter().map(|seen| seen.round_trip))?;
    let service = middle(seen.iter().map(|seen| seen.service))?;
    (share > MOST && round_trip > TRIVIAL).then(|| {
        let mostly_network = message!(
            "mostly-network",
            service = Value::Seconds(service),
            round_trip = Value::Seconds(round_trip),
            share = Value::Share(share),
            slices = seen.len()
        );
        let (severity, cause) = (Severity::Suspect, Cause::Network);
        let finding = RULE.finding(severity, cause, mostly_network, message!("closer"));
        finding.on(&cell.workload.name, &cell.target.name)
    })
}

/// Round-trip time and service time of a slice, seconds.
pub(crate) struct Seen {
    pub(crate) round_trip: f64,
    pub(crate) service: f64,
}

impl Seen {
    pub(crate) fn of(slice: &Slice) -> Option<Self> {
        let round_trip = slice.wire()?.min_rtt_ns? as f64 / 1e9;
        let mut requests = slice.requests().map(|op| &op.times.service);
        let mut all = requests.next()?.clone();
        requests.for_each(|part| all.add(part));
        if all.is_empty() {
            return None;
        }
        let service = all.value_at_quantile(0.5) as f64 / 1e9;
        (service > 0.0).then_some(Self {
            round_trip,
            service,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// Findings of a run with responses of 2 ms and round trips of `nanos` nanoseconds.
    fn with_round_trips_of(nanos: u64) -> Vec<Finding> {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.wire().min_rtt_ns = Some(nanos));
        run.findings(&RULE)
    }

    #[test]
    fn fires_when_the_network_takes_most_of_the_time() {
        let findings = with_round_trips_of(1_200_000);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].cause, Cause::Network);
        let expected = "of the median service time of 2.00 ms, the network round trip takes 1.20 \
                        ms, which is 60 % (medians of 16 slices)";
        assert_eq!(findings[0].evidence, expected);
    }

    #[test]
    fn silent_when_the_server_takes_most_of_it() {
        assert_eq!(with_round_trips_of(900_000), []);
    }

    #[test]
    fn silent_for_loopback_and_without_tcp() {
        let mut run = Run::pair(8);
        run.each(|slice| {
            slice.answers(1_000, 0.000_2);
            slice.wire().min_rtt_ns = Some(150_000);
        });
        assert_eq!(run.findings(&RULE), []);
        run.each(|slice| slice.0.end.wire = None);
        assert_eq!(run.findings(&RULE), []);
    }
}
