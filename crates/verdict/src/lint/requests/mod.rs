//! Rules about lists of single requests.

pub(super) mod coarse_clock;
pub(super) mod coordinated_omission;
pub(super) mod fast_errors;
pub(super) mod growing_times;
pub(super) mod interrupted;
pub(super) mod repeated_rows;
pub(super) mod unsteady_start;

use tenbin_plan::Sentence;
use tenbin_result::Severity;

use super::single_requests::{SingleRequests, WINDOW, Window};
use super::{Files, LintFinding, Measurement, Reported, measurements, quotes};
use crate::findings::rule_info::RuleInfo;

/// Length of a window, seconds.
const SECONDS: f64 = WINDOW as f64 / 1e9;
/// Fewest windows of a list that is judged: two seconds.
const FEWEST: usize = 20;
/// Fewest requests from which the step of a clock is known.
const FEWEST_TIMES: u64 = 100;

/// The requests of every measurement that lists enough of them.
fn listed<'a>(
    files: &Files<'a>,
) -> impl Iterator<
    Item = (
        &'a Reported,
        &'a Measurement,
        &'a SingleRequests,
        Vec<Window>,
    ),
> {
    let all = measurements(files);
    all.filter_map(|(file, of)| {
        let single = of.listed.as_ref()?.single.as_deref()?;
        let windows = single.all_windows();
        (windows.len() >= FEWEST).then_some((file, of, single, windows))
    })
}

/// The single requests of every measurement, with the median time of correct ones, seconds.
fn timed<'a>(
    files: &Files<'a>,
) -> impl Iterator<Item = (&'a Reported, &'a Measurement, &'a SingleRequests, f64)> {
    measurements(files).filter_map(|(file, of)| {
        let listed = of.listed.as_ref()?;
        let times = listed.times.as_ref().filter(|times| !times.is_empty())?;
        let median = times.value_at_quantile(0.5) as f64 / 1e9;
        Some((file, of, listed.single.as_deref()?, median))
    })
}

/// Rate and mean time of consecutive windows.
struct Part {
    started: u64,
    /// Requests whose time is known.
    timed: u64,
    /// Requests per second.
    rate: f64,
    /// Seconds.
    mean: f64,
}

impl Part {
    /// `None` without a request whose time is known.
    fn of(windows: &[Window]) -> Option<Self> {
        let started: u64 = windows.iter().map(|window| window.started).sum();
        let timed: u64 = windows.iter().map(|window| window.timed).sum();
        let seconds: f64 = windows.iter().map(|window| window.seconds).sum();
        (timed > 0).then(|| Self {
            started,
            timed,
            rate: started as f64 / (windows.len() as f64 * SECONDS),
            mean: seconds / timed as f64,
        })
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn finding(
    rule: &RuleInfo,
    file: &Reported,
    of: &Measurement,
    evidence: Sentence,
    advice: Sentence,
) -> LintFinding {
    LintFinding {
        rule: rule.name,
        severity: Severity::Suspect,
        operation: Some(of.operation.clone()),
        evidence,
        advice,
        quotes: quotes(file, of.ended.iter().map(|ended| &ended.quote)),
    }
}

#[cfg(test)]
mod tests {
    use hdrhistogram::Histogram;

    use super::*;
    use crate::lint::{Listed, lint};

    const MS: u64 = 1_000_000;

    /// The rules about lists that find something in requests: start, time, both in nanoseconds, and
    /// whether the request succeeded.
    fn found(requests: impl Iterator<Item = (i64, u64, bool)>) -> Vec<&'static str> {
        let mut single = SingleRequests::default();
        let mut times = Histogram::new(3).unwrap();
        for (start, took, is_right) in requests {
            single.add(start, took, is_right);
            if is_right {
                times.record(took).unwrap();
            }
        }
        let of = Measurement {
            listed: Some(Box::new(Listed {
                times: Some(times),
                single: Some(Box::new(single)),
                ..Listed::default()
            })),
            ..Measurement::new("requests")
        };
        let file = Reported {
            measurements: vec![of],
            ..Reported::default()
        };
        let files = Files {
            all: &[file],
            changed: &[],
        };
        lint(&files).iter().map(|finding| finding.rule).collect()
    }

    /// 100 requests a second for 20 s, with the time in nanoseconds that `took` gives.
    fn steady(took: impl Fn(u64) -> u64) -> impl Iterator<Item = (i64, u64, bool)> {
        (0..2_000_u64).map(move |number| (number as i64 * 10_000_000, took(number), true))
    }

    /// Times around 5 ms that no clock divides.
    fn usual(number: u64) -> u64 {
        5 * MS + number * 7_919 % 100_003
    }

    #[test]
    fn nothing_is_found_in_steady_requests() {
        assert!(found(steady(usual)).is_empty());
        // An open load goes on during a stall.
        let stalled = |number| {
            if number == 900 {
                1_000 * MS + 7
            } else {
                usual(number)
            }
        };
        assert!(found(steady(stalled)).is_empty());
    }

    #[test]
    fn pauses_while_clients_wait_are_found() {
        // One request takes a second, and nothing is sent meanwhile.
        let waits = steady(usual).filter_map(|(start, took, is_right)| match start / 10_000_000 {
            900 => Some((start, 1_000 * MS + 7, is_right)),
            901..1_000 => None,
            _ => Some((start, took, is_right)),
        });
        assert_eq!(found(waits), ["coordinated_omission"]);
        // One slow connection: longer windows have enough requests.
        let slow = (0..1_000_i64).map(|number| {
            let stall = number / 250;
            let took = if number % 250 == 249 {
                2_000 * MS + 7
            } else {
                25 * MS + number as u64
            };
            (number * 25_000_000 + stall * 2_000_000_000, took, true)
        });
        assert_eq!(found(slow), ["coordinated_omission"]);
        // Nothing is sent, and nothing waited for: another phase of the test.
        let phases =
            steady(usual).filter(|(start, ..)| !(901..1_000).contains(&(start / 10_000_000)));
        assert!(found(phases).is_empty());
    }

    #[test]
    fn a_ramp_and_a_cold_start_are_found() {
        let ramp =
            steady(usual).filter(|(start, ..)| *start > 2_000_000_000 || start % 30_000_000 == 0);
        assert_eq!(found(ramp), ["unsteady_start"]);
        let cold = |number| {
            if number < 150 {
                3 * usual(number)
            } else {
                usual(number)
            }
        };
        assert_eq!(found(steady(cold)), ["unsteady_start"]);
    }

    #[test]
    fn times_that_grow_at_a_steady_rate_are_found() {
        assert_eq!(
            found(steady(|number| usual(number) + number * 20_001)),
            ["growing_times"]
        );
    }

    #[test]
    fn a_coarse_clock_is_found() {
        assert_eq!(
            found(steady(|number| (4 + number % 3) * MS)),
            ["coarse_clock"]
        );
        assert!(found(steady(|number| (40 + number % 3) * MS)).is_empty());
    }

    #[test]
    fn runs_that_are_far_apart_are_found() {
        let later = |seconds: i64| {
            steady(usual).map(move |(start, took, is_right)| {
                (start + seconds * 1_000_000_000, took, is_right)
            })
        };
        assert_eq!(found(later(0).chain(later(3_600))), ["interrupted"]);
        assert!(found(later(0).chain(later(25))).is_empty());
        // A single request at another time is no run.
        let one = [(3_600_000_000_000, 5 * MS, true)];
        assert!(found(steady(usual).chain(one)).is_empty());
    }

    #[test]
    fn repeated_rows_are_found() {
        let twice = steady(usual).flat_map(|request| [request, request]);
        assert_eq!(found(twice), ["repeated_rows"]);
        // A list behind itself, also with a clock of milliseconds.
        assert_eq!(found(steady(usual).chain(steady(usual))), ["repeated_rows"]);
        let half = steady(usual).filter(|(start, ..)| *start < 10_000_000_000);
        assert_eq!(found(steady(usual).chain(half)), ["repeated_rows"]);
    }

    /// Different requests look the same if neither their starts nor their times are precise.
    #[test]
    fn requests_of_coarse_clocks_are_no_repeated_rows() {
        let fast = |start: i64, took: u64| {
            steady(usual).flat_map(move |(own, usual, is_right)| {
                let took = 20_000 + usual % 40_000 / took * took;
                [(own / start * start, took, is_right); 10]
                    .into_iter()
                    .zip(0..)
                    .map(move |((own, took, is_right), number)| {
                        (own, took + (number * usual) % 7 * 1_000, is_right)
                    })
            })
        };
        for requests in [
            found(fast(1_000_000, 1_000)),
            found(fast(1_000_000_000, 1_000)),
        ] {
            assert!(!requests.contains(&"repeated_rows"), "{requests:?}");
        }
        // hey writes four decimals of seconds.
        let hey = steady(|number| 2_000_000 + number * 7_919 % 5 * 100_000)
            .flat_map(|request| [request; 50]);
        let hey: Vec<_> = hey
            .zip(0_u64..)
            .map(|((start, took, is_right), number)| {
                (start, took + number * 104_729 % 4 * 100_000, is_right)
            })
            .collect();
        assert!(!found(hey.into_iter()).contains(&"repeated_rows"));
    }

    #[test]
    fn windows_without_requests_by_chance_or_in_a_ramp_are_no_pauses() {
        // 50 clients in step: all wait equally long.
        let lockstep = (0..6_000_u64).map(|number| {
            (
                number as i64 / 50 * 150_000_000,
                150 * MS + number % 7,
                true,
            )
        });
        assert!(!found(lockstep).contains(&"coordinated_omission"));
        // Clients are added for 5 s, and none is slow.
        let ramp = steady(|number| 110 * MS + number * 7_919 % 100_003)
            .filter(|(start, ..)| *start > 5_000_000_000 || start % 500_000_000 == 0);
        assert!(!found(ramp).contains(&"coordinated_omission"));
    }

    #[test]
    fn requests_that_arrive_in_groups_are_no_pauses() {
        // 60 requests at once in a part of the windows, each of which waits for those before it.
        let has_group = |window: &u64| window * window * 7_919 % 101 < 60;
        let groups = (0..400_u64).filter(has_group).flat_map(|window| {
            (0..60_u64).map(move |number| {
                let start = window * 100_000_000 + number * 100_003;
                (
                    start as i64,
                    5 * MS + number * number * MS / 20 + number,
                    true,
                )
            })
        });
        assert!(!found(groups).contains(&"coordinated_omission"));
    }

    #[test]
    fn the_start_of_few_requests_is_not_judged() {
        let few = (0..40_i64).map(|number| {
            let start = if number == 0 {
                0
            } else {
                6_000_000_000 + number * 1_000_000_000
            };
            (start, 5 * MS + number as u64 * 7_919, true)
        });
        assert!(found(few).is_empty());
    }

    #[test]
    fn errors_that_are_faster_are_found() {
        let with = |took: u64| {
            steady(usual).map(move |(start, usual, _)| match start % 100_000_000 {
                0 => (start, took + usual % 1_000, false),
                _ => (start, usual, true),
            })
        };
        assert_eq!(found(with(MS)), ["fast_errors"]);
        assert!(found(with(5 * MS)).is_empty());
    }
}
