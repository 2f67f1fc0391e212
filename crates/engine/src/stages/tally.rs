//! Sums the times of server stages from the responses that one thread receives. This is the hot
//! path: memory is reused, not allocated for each response.

use super::sums::{BucketSums, MOST_STAGES, OTHER_STAGES, OperationStages, StageSum, StageSums};
use super::{LONGEST_NAME, Timing, read};
use crate::histogram::HIGHEST_NANOS;

/// Base-2 logarithm of the number of buckets per power of two.
const SUB_BITS: u32 = 4;
/// Base-2 logarithm of the shortest distinguished service time, nanoseconds.
const SHORTEST_BITS: u32 = 10;
/// Number of buckets for times up to [`HIGHEST_NANOS`].
const BUCKETS: usize = bucket_of(HIGHEST_NANOS) + 1;
/// Largest accepted excess of a stage time over the service time of the response, nanoseconds:
/// servers round to whole milliseconds, and clocks differ slightly.
const SLACK: u64 = 2_000_000;
/// Index of the sum for all stages after the first [`MOST_STAGES`].
const OTHERS: usize = MOST_STAGES;

/// Sums of server stage times of one thread.
pub(crate) struct StageTally {
    names: Vec<String>,
    /// The times in the last response head of each slot.
    readings: Vec<Reading>,
    ops: Vec<OpTally>,
}

/// The times in the head of one response.
#[derive(Default)]
struct Reading {
    /// Index and time of each stage, nanoseconds; a stage that occurs twice is listed twice.
    times: Vec<(usize, u64)>,
    total: Total,
    unreadable: bool,
}

impl Reading {
    /// The longest single time, nanoseconds. Times of a stage that occurs twice are not added,
    /// because they can overlap.
    fn longest(&self) -> u64 {
        let stages = self.times.iter().map(|&(_, nanos)| nanos);
        let total = match self.total {
            Total::Once(nanos) => Some(nanos),
            Total::Untold | Total::Often => None,
        };
        stages.chain(total).max().unwrap_or(0)
    }
}

/// The time of the whole request in a response head, if stated, nanoseconds.
#[derive(Default, Clone, Copy)]
enum Total {
    #[default]
    Untold,
    Once(u64),
    /// The total occurred more than once: ambiguous.
    Often,
}

impl Total {
    fn and(self, nanos: u64) -> Self {
        match self {
            Self::Untold => Self::Once(nanos),
            Self::Once(_) | Self::Often => Self::Often,
        }
    }
}

/// The sums of one operation; empty before its first response.
struct OpTally {
    name: &'static str,
    buckets: Vec<Bucket>,
    /// Sums by stage and bucket; empty before the stage's first occurrence.
    stages: Vec<Vec<StageSum>>,
}

#[derive(Default, Clone, Copy)]
struct Bucket {
    answers: u64,
    service: u64,
    carrying: u64,
    unreadable: u64,
    totals: u64,
    total: u64,
    total_service: u64,
}

impl StageTally {
    pub(crate) fn new(operations: &[&'static str], slots: usize) -> Self {
        Self {
            names: Vec::new(),
            readings: (0..slots).map(|_| Reading::default()).collect(),
            ops: operations
                .iter()
                .map(|name| OpTally {
                    name,
                    buckets: Vec::new(),
                    stages: vec![Vec::new(); OTHERS + 1],
                })
                .collect(),
        }
    }

    /// Reads the stage times in the head of the response on `slot`.
    pub(crate) fn read(&mut self, slot: usize, head: &[u8]) {
        let reading = &mut self.readings[slot];
        let names = &mut self.names;
        reading.times.clear();
        reading.total = Total::Untold;
        let outcome = read(head, &mut |told| match told {
            Timing::Stage(name, nanos) => {
                let stage = stage_of(names, name);
                reading.times.push((stage, nanos));
            }
            Timing::Total(nanos) => reading.total = reading.total.and(nanos),
        });
        reading.unreadable = outcome.is_err();
    }

    /// Adds the time of the whole request that the body of the response on `slot` states.
    pub(crate) fn add_total(&mut self, slot: usize, nanos: u64) {
        let reading = &mut self.readings[slot];
        reading.total = reading.total.and(nanos.min(HIGHEST_NANOS));
    }

    /// Counts a correct response on `slot` that took `service` nanoseconds.
    pub(crate) fn count(&mut self, slot: usize, op: usize, service: u64) {
        let reading = &self.readings[slot];
        let op = &mut self.ops[op];
        if op.buckets.is_empty() {
            op.buckets = vec![Bucket::default(); BUCKETS];
        }
        let at = bucket_of(service);
        let bucket = &mut op.buckets[at];
        bucket.answers += 1;
        bucket.service = bucket.service.saturating_add(service);
        if reading.unreadable || reading.longest() > service.saturating_add(SLACK) {
            bucket.unreadable += 1;
            return;
        }
        if reading.times.is_empty() && matches!(reading.total, Total::Untold) {
            return;
        }
        bucket.carrying += 1;
        if let Total::Once(total) = reading.total {
            bucket.totals += 1;
            bucket.total = bucket.total.saturating_add(total);
            bucket.total_service = bucket.total_service.saturating_add(service);
        }
        for (index, &(stage, nanos)) in reading.times.iter().enumerate() {
            let sums = &mut op.stages[stage];
            if sums.is_empty() {
                sums.resize(BUCKETS, StageSum::default());
            }
            let sum = &mut sums[at];
            let before = &reading.times[..index];
            let again = before.iter().any(|(other, _)| *other == stage);
            sum.named += u64::from(!again);
            sum.ns = sum.ns.saturating_add(nanos);
        }
    }

    /// The sums of all counted responses.
    pub(crate) fn into_sums(self) -> StageSums {
        let name_of = |stage: usize| match self.names.get(stage) {
            Some(name) => name.clone(),
            None => OTHER_STAGES.to_owned(),
        };
        let operations = self.ops.into_iter().filter_map(|op| {
            let seen = op.stages.iter().enumerate();
            let seen: Vec<_> = seen.filter(|(_, sums)| !sums.is_empty()).collect();
            let answered = op.buckets.iter().enumerate();
            let buckets: Vec<_> = answered
                .filter(|(_, bucket)| bucket.answers > 0)
                .map(|(at, bucket)| BucketSums {
                    bucket: at as u16,
                    answers: bucket.answers,
                    service_ns: bucket.service,
                    carrying: bucket.carrying,
                    unreadable: bucket.unreadable,
                    totals: bucket.totals,
                    total_ns: bucket.total,
                    total_service_ns: bucket.total_service,
                    stages: seen.iter().map(|(_, sums)| sums[at]).collect(),
                })
                .collect();
            (!buckets.is_empty()).then(|| OperationStages {
                operation: op.name.to_owned(),
                stages: seen.iter().map(|(stage, _)| name_of(*stage)).collect(),
                buckets,
            })
        });
        StageSums {
            operations: operations.collect(),
        }
    }
}

/// Index of the stage with this name, or [`OTHERS`] if there is no space for the name.
fn stage_of(names: &mut Vec<String>, name: &str) -> usize {
    if let Some(at) = names.iter().position(|known| known == name) {
        return at;
    }
    if names.len() == MOST_STAGES || name.len() > LONGEST_NAME {
        return OTHERS;
    }
    names.push(name.to_owned());
    names.len() - 1
}

/// The bucket of a service time, nanoseconds.
const fn bucket_of(nanos: u64) -> usize {
    let nanos = if nanos < 1 << SHORTEST_BITS {
        1 << SHORTEST_BITS
    } else if nanos > HIGHEST_NANOS {
        HIGHEST_NANOS
    } else {
        nanos
    };
    let power = nanos.ilog2();
    let within = (nanos >> (power - SUB_BITS)) & ((1 << SUB_BITS) - 1);
    (((power - SHORTEST_BITS) << SUB_BITS) as u64 + within) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tally() -> StageTally {
        StageTally::new(&["GET", "PUT"], 2)
    }

    fn head(lines: &str) -> Vec<u8> {
        format!("HTTP/1.1 200 OK\r\n{lines}\r\n\r\n").into_bytes()
    }

    #[test]
    fn times_are_summed_by_operation_and_service_time() {
        let mut tally = tally();
        // Two responses are in flight at once.
        tally.read(0, &head("Server-Timing: db;dur=1, total;dur=2"));
        tally.read(1, &head("Server-Timing: app;dur=5, app;dur=6"));
        tally.count(0, 0, 3_000_000);
        tally.count(1, 0, 20_000_000);
        tally.read(0, &head("Server: x"));
        tally.count(0, 0, 3_000_000);
        tally.read(0, &head("Server-Timing: db;dur=soon"));
        tally.count(0, 0, 3_000_000);
        let sums = tally.into_sums();
        assert_eq!(sums.operations.len(), 1, "no PUT was sent");
        let get = &sums.operations[0];
        assert_eq!((get.operation.as_str(), get.stages.len()), ("GET", 2));
        assert_eq!(get.stages, ["db", "app"]);
        let [short, long] = &get.buckets[..] else {
            panic!("{get:?}")
        };
        let counts = (
            short.answers, short.carrying, short.unreadable, short.totals,
        );
        assert_eq!(counts, (3, 1, 1, 1));
        assert_eq!(
            (short.service_ns, short.total_service_ns),
            (9_000_000, 3_000_000)
        );
        assert_eq!(short.total_ns, 2_000_000);
        assert_eq!(
            short.stages[0],
            StageSum {
                named: 1,
                ns: 1_000_000
            }
        );
        assert_eq!(short.stages[1], StageSum::default());
        assert_eq!(
            long.stages[1],
            StageSum {
                named: 1,
                ns: 11_000_000
            }
        );
        assert_eq!((long.carrying, long.totals), (1, 0));
    }

    #[test]
    fn the_times_of_the_previous_head_are_cleared() {
        let mut tally = tally();
        tally.read(0, &head("Server-Timing: db;dur=1, total;dur=2"));
        tally.read(0, &head("Server: x"));
        tally.count(0, 1, 1);
        let sums = tally.into_sums();
        assert_eq!(
            (sums.operations[0].answers(), sums.operations[0].carrying()),
            (1, 0)
        );
    }

    #[test]
    fn a_time_longer_than_its_request_is_unreadable() {
        let mut tally = tally();
        for line in [
            "db;dur=23",
            "total;dur=500000",
            "db;dur=9, db;dur=19, total;dur=21",
        ] {
            tally.read(0, &head(&format!("Server-Timing: {line}")));
            tally.count(0, 0, 20_000_000);
        }
        let sums = tally.into_sums();
        let get = &sums.operations[0];
        assert_eq!((get.unreadable(), get.carrying()), (2, 1));
        assert_eq!(get.buckets[0].stages[0].ns, 28_000_000);
        assert_eq!(get.buckets[0].total_ns, 21_000_000);
    }

    #[test]
    fn two_totals_count_as_no_total() {
        let mut tally = tally();
        tally.read(
            0,
            &head("Server-Timing: total;dur=1\r\nServer-Timing: total;dur=3"),
        );
        tally.count(0, 0, 5_000_000);
        let sums = tally.into_sums();
        let bucket = &sums.operations[0].buckets[0];
        assert_eq!((bucket.carrying, bucket.totals, bucket.total_ns), (1, 0, 0));
    }

    #[test]
    fn a_total_in_the_body_counts_like_one_in_the_head() {
        let mut tally = tally();
        tally.read(0, &head("Server: x"));
        tally.add_total(0, 2_000_000);
        tally.count(0, 0, 3_000_000);
        // Head and body: it is unknown which one contains the other.
        tally.read(1, &head("Server-Timing: total;dur=2"));
        tally.add_total(1, 1_000_000);
        tally.count(1, 1, 3_000_000);
        let sums = tally.into_sums();
        let [get, put] = sums.operations.as_slice() else {
            panic!("two operations");
        };
        let bucket = &get.buckets[0];
        assert_eq!((bucket.totals, bucket.total_ns), (1, 2_000_000));
        assert_eq!(bucket.total_service_ns, 3_000_000);
        assert_eq!(put.buckets[0].totals, 0);
    }

    #[test]
    fn memory_is_bounded_for_any_number_of_stage_names() {
        let mut tally = tally();
        for at in 0..1_000 {
            tally.read(0, &head(&format!("Server-Timing: s{at};dur=1")));
            tally.count(0, 0, 5_000_000);
        }
        let long = "x".repeat(LONGEST_NAME + 1);
        tally.read(0, &head(&format!("Server-Timing: {long};dur=1")));
        tally.count(0, 0, 5_000_000);
        let sums = tally.into_sums();
        let get = &sums.operations[0];
        assert_eq!(get.stages.len(), MOST_STAGES + 1);
        assert_eq!(get.stages[MOST_STAGES], OTHER_STAGES);
        let others = get.buckets[0].stages[MOST_STAGES];
        assert_eq!(others.named, 1_001 - MOST_STAGES as u64);
    }

    proptest! {
        #[test]
        fn buckets_are_in_order_and_a_sixteenth_wide(
            one in 1u64..HIGHEST_NANOS, other in 1u64..HIGHEST_NANOS, shift in 0u32..40,
        ) {
            let (one, other) = ((one >> shift).max(1), (other >> shift).max(1));
            let (low, high) = (one.min(other), one.max(other));
            prop_assert!(bucket_of(low) <= bucket_of(high));
            prop_assert!(bucket_of(high) < BUCKETS);
            if bucket_of(low) == bucket_of(high) && low >= 1 << SHORTEST_BITS {
                prop_assert!(high - low <= low / 16);
            }
        }
    }
}
