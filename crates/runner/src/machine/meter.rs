//! Resource usage between two readings.

use std::time::{Duration, Instant};

use tenbin_record::{Allocated, GroupUse, ServerUse, UseScope};
use tenbin_targets::{GroupUsage, Reading, Scope};

/// Tolerated difference between the clock of the observed machine and ours, as a share of the time
/// between two readings, in addition to the duration of the readings. Tenbin's own convention. A
/// larger difference means that a cache returned an old reading, or that a machine was suspended.
const CLOCKS_DIFFER: f64 = 0.10;
/// Additional tolerance for clock differences, because clocks advance in ticks and timestamps are
/// in whole milliseconds.
const TOO_SHORT: Duration = Duration::from_millis(20);

/// The resource usage between two readings of the same target; `None` if the readings are not
/// comparable.
pub(crate) fn between(before: Option<Reading>, after: Option<Reading>) -> Option<ServerUse> {
    let (before, after) = (before?, after?);
    let seconds = seconds_between(&before, &after)?;
    let (old, new) = (before.usage, after.usage);
    if old.epoch != new.epoch || old.scope != new.scope {
        return None;
    }
    Some(ServerUse {
        cpu_seconds: time_grown(old.cpu_seconds, new.cpu_seconds),
        rss_bytes: new.rss_bytes.max(old.rss_bytes),
        rss_start_bytes: old.rss_bytes,
        rss_end_bytes: new.rss_bytes,
        read_bytes: grown(old.read_bytes, new.read_bytes),
        written_bytes: grown(old.written_bytes, new.written_bytes),
        voluntary_switches: grown(old.voluntary_switches, new.voluntary_switches),
        involuntary_switches: grown(old.involuntary_switches, new.involuntary_switches),
        // Computed by the reader relative to the previous complete reading.
        busiest_process_seconds: new.busiest_process,
        busiest_thread_seconds: new.busiest_thread,
        waited_for_core_seconds: new.waited_for_core,
        seconds: Some(seconds),
        missed_seconds: None,
        scope: match new.scope {
            Scope::Processes => UseScope::Processes,
            Scope::Host => UseScope::Host,
        },
        group: group_between(old.group, new.group),
    })
}

/// The resource usage over a window that opened at `opened`, with the largest memory in any reading
/// of the window.
pub(crate) fn over_window(
    opened: Instant,
    before: Option<Reading>,
    after: Option<Reading>,
    peak_rss_bytes: Option<u64>,
) -> Option<ServerUse> {
    let used = between(before, after)?;
    let missed = before?.taken.saturating_duration_since(opened);
    Some(ServerUse {
        rss_bytes: used.rss_bytes.max(peak_rss_bytes),
        missed_seconds: Some(missed.as_secs_f64()),
        ..used
    })
}

/// Time between two readings by the observed machine's clock, seconds; `None` if that clock
/// disagrees with ours.
fn seconds_between(before: &Reading, after: &Reading) -> Option<f64> {
    let theirs = after.usage.at - before.usage.at;
    let ours = (after.taken - before.taken).as_secs_f64();
    let inexact = (before.within + after.within + TOO_SHORT).as_secs_f64();
    let is_alike = (theirs - ours).abs() <= ours * CLOCKS_DIFFER + inexact;
    (is_alike && theirs >= 0.0).then_some(theirs)
}

fn group_between(before: Option<GroupUsage>, after: Option<GroupUsage>) -> Option<GroupUse> {
    let (before, after) = (before?, after?);
    (before.place == after.place).then(|| GroupUse {
        alone: before.alone && after.alone,
        cpu_seconds: time_grown(before.cpu_seconds, after.cpu_seconds),
        memory_bytes: after.memory_bytes,
        memory_peak_bytes: after.memory_peak_bytes,
        throttled_periods: grown(before.throttled_periods, after.throttled_periods),
        throttled_us: grown(before.throttled_us, after.throttled_us),
        read_bytes: grown(before.read_bytes, after.read_bytes),
        written_bytes: grown(before.written_bytes, after.written_bytes),
    })
}

/// The increase of a counter; `None` if the counter decreased, which means a reset.
pub(crate) fn grown(before: Option<u64>, after: Option<u64>) -> Option<u64> {
    after?.checked_sub(before?)
}

/// Like [`grown`], for a counter of seconds.
fn time_grown(before: Option<f64>, after: Option<f64>) -> Option<f64> {
    let grown = after? - before?;
    (grown >= 0.0).then_some(grown)
}

/// Allocations of this process between two readings of its allocator.
pub(crate) fn allocated(before: Option<Allocated>, after: Option<Allocated>) -> Option<Allocated> {
    Some(after?.since(before?))
}

#[cfg(test)]
mod tests {
    use tenbin_targets::Usage;

    use super::*;

    /// Two readings, `apart` seconds apart by our clock; `change` modifies the second reading.
    fn looks(apart: f64, change: impl Fn(&mut Usage)) -> (Option<Reading>, Option<Reading>) {
        let first = Reading {
            usage: Usage {
                at: 100.0,
                cpu_seconds: Some(5.0),
                rss_bytes: Some(1_000),
                written_bytes: Some(50),
                ..Usage::default()
            },
            taken: Instant::now(),
            within: Duration::from_millis(1),
        };
        let mut second = Reading {
            taken: first.taken + Duration::from_secs_f64(apart),
            ..first
        };
        second.usage.at += apart;
        change(&mut second.usage);
        (Some(first), Some(second))
    }

    fn used(apart: f64, change: impl Fn(&mut Usage)) -> Option<ServerUse> {
        let (before, after) = looks(apart, change);
        between(before, after)
    }

    #[test]
    fn totals_are_subtracted_and_memory_is_kept() {
        let used = used(2.0, |usage| {
            usage.cpu_seconds = Some(6.5);
            usage.rss_bytes = Some(800);
            usage.written_bytes = Some(60);
        });
        let used = used.unwrap();
        assert_eq!(
            (used.cpu_seconds, used.written_bytes),
            (Some(1.5), Some(10))
        );
        let memory = [used.rss_start_bytes, used.rss_bytes, used.rss_end_bytes];
        assert_eq!(memory, [Some(1_000), Some(1_000), Some(800)]);
        assert_eq!((used.read_bytes, used.group), (None, None), "not 0");
        assert!((used.seconds.unwrap() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn the_largest_memory_counts_and_missing_figures_of_the_first_reading_are_reported() {
        let (before, after) = looks(2.0, |_| {});
        let opened = before.unwrap().taken - Duration::from_millis(30);
        let used = over_window(opened, before, after, Some(9_000)).unwrap();
        assert_eq!(
            (used.rss_bytes, used.rss_end_bytes),
            (Some(9_000), Some(1_000))
        );
        assert!((used.missed_seconds.unwrap() - 0.03).abs() < 1e-9);
    }

    #[test]
    fn totals_that_were_reset_give_nothing() {
        assert_eq!(used(2.0, |usage| usage.epoch = 1), None);
        assert_eq!(used(2.0, |usage| usage.scope = Scope::Host), None);
        let back = used(2.0, |usage| usage.cpu_seconds = Some(4.0)).unwrap();
        assert_eq!((back.cpu_seconds, back.written_bytes), (None, Some(0)));
    }

    #[test]
    fn a_clock_offset_does_not_matter_and_a_clock_drift_does() {
        let shifted = |by: f64| {
            let (before, after) = looks(2.0, |_| {});
            let shift = |reading: Option<Reading>| {
                reading.map(|mut reading| {
                    reading.usage.at += by;
                    reading
                })
            };
            between(shift(before), shift(after))
        };
        assert!(shifted(-99.0).is_some() && shifted(1e9).is_some());
        assert_eq!(used(2.0, |usage| usage.at += 0.5), None, "another moment");
        assert_eq!(used(2.0, |usage| usage.at = 100.0), None, "a cached page");
        assert!(used(2.0, |usage| usage.at += 0.1).is_some());
    }

    #[test]
    fn readings_of_different_control_groups_are_not_subtracted() {
        let group = |place, micros| GroupUsage {
            place,
            throttled_us: Some(micros),
            ..GroupUsage::default()
        };
        let both = |old, new| group_between(Some(old), Some(new));
        let same = both(group(1, 5), group(1, 9)).unwrap();
        assert_eq!((same.throttled_us, same.read_bytes), (Some(4), None));
        assert_eq!(both(group(1, 5), group(2, 9)), None);
    }

    #[test]
    fn a_counter_that_was_reset_is_unknown() {
        assert_eq!(grown(Some(3), Some(5)), Some(2));
        assert_eq!(grown(Some(5), Some(3)), None);
        assert_eq!(grown(None, Some(3)), None);
    }
}
