//! The way to the target and back takes most of the time.

use tenbin_record::Slice;
use tenbin_result::format::{percent, plural, time};
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::words::middle;

/// Share of the median service time.
const MOST: f64 = 0.50;
/// Seconds; below that it is this machine's own network stack.
const TRIVIAL: f64 = 0.000_2;

/// The way to the target and back takes most of the time.
pub(super) struct NetworkLatency;

impl Rule for NetworkLatency {
    fn name(&self) -> &'static str {
        "network_latency"
    }

    fn summary(&self) -> &'static str {
        "the network took most of the response time"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("network_latency.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        cells.iter().filter_map(|cell| self.cell(cell)).collect()
    }
}

impl NetworkLatency {
    fn cell(&self, cell: &Cell<'_>) -> Option<Finding> {
        let seen: Vec<Seen> = cell.full().into_iter().filter_map(Seen::of).collect();
        let share = middle(seen.iter().map(|seen| seen.round_trip / seen.service))?;
        let round_trip = middle(seen.iter().map(|seen| seen.round_trip))?;
        let service = middle(seen.iter().map(|seen| seen.service))?;
        (share > MOST && round_trip > TRIVIAL).then(|| Finding {
            rule: self.name().to_owned(),
            severity: Severity::Suspect,
            blame: Blame::Network,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "of the {} that half of the answers take, the way there and back alone takes {}, \
                 {} (medians of {})",
                time(service),
                time(round_trip),
                percent(share),
                plural(seen.len(), "slice")
            ),
            advice: "measure from nearer by; or use more --connections until the throughput no \
                     longer grows, and compare throughput and not latency"
                .to_owned(),
        })
    }
}

/// What a slice says of both, seconds.
struct Seen {
    round_trip: f64,
    service: f64,
}

impl Seen {
    fn of(slice: &Slice) -> Option<Self> {
        let round_trip = slice.wire?.min_rtt_ns? as f64 / 1e9;
        let mut requests = slice.requests().map(|op| &op.service);
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

    /// Every answer takes 2 ms.
    fn with_round_trips_of(nanos: u64) -> Vec<Finding> {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.wire().min_rtt_ns = Some(nanos));
        run.findings(&NetworkLatency)
    }

    #[test]
    fn fires_when_the_way_takes_most_of_the_time() {
        let findings = with_round_trips_of(1_200_000);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].blame, Blame::Network);
        let expected = "of the 2.00 ms that half of the answers take, the way there and back \
                        alone takes 1.20 ms, 60 % (medians of 16 slices)";
        assert_eq!(findings[0].evidence, expected);
    }

    #[test]
    fn silent_when_the_server_takes_most_of_it() {
        assert_eq!(with_round_trips_of(900_000), []);
    }

    #[test]
    fn silent_for_a_way_of_no_length_and_without_tcp() {
        let mut run = Run::pair(8);
        run.each(|slice| {
            slice.answers(1_000, 0.000_2);
            slice.wire().min_rtt_ns = Some(150_000);
        });
        assert_eq!(run.findings(&NetworkLatency), []);
        run.each(|slice| slice.0.wire = None);
        assert_eq!(run.findings(&NetworkLatency), []);
    }
}
