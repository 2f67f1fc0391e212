//! The lines of the progress, with their figures.

use std::time::Duration;

use tenbin_plan::duration::Time;
use tenbin_plan::{MeasuredTime, Sentence, sentence};
use tenbin_result::format::{bytes, count, exact_rate, exact_rates, plural};
use tenbin_runner::LoadedData;

/// A forecast of this duration or more counts as unlimited.
pub(super) const NO_LIMIT: Duration = Duration::from_secs(24 * 3600);

/// A count whose total may be known.
pub(super) fn done_of(done: u64, total: Option<u64>) -> Sentence {
    match total {
        Some(total) => sentence!("done-of", "{done} of {total}", done, total),
        None => sentence!("done", "{done} so far", done),
    }
}

/// The range that contains the highest rate, as known so far: `held` is the highest rate that met
/// the limits, `failed` the lowest rate that did not.
pub(super) fn bracket(held: Option<f64>, failed: Option<f64>) -> Sentence {
    match (held, failed) {
        (Some(held), Some(failed)) => {
            let [held, failed] = exact_rates([held, failed]);
            sentence!(
                "maximum-between",
                "the maximum is between {held} and {failed}",
                held,
                failed
            )
        }
        (Some(held), None) => sentence!(
            "maximum-at-least",
            "the maximum is at least {held}",
            held = exact_rate(held)
        ),
        (None, Some(failed)) => sentence!(
            "maximum-below",
            "the maximum is below {failed}",
            failed = exact_rate(failed)
        ),
        (None, None) => sentence!("maximum-unknown", "the maximum is still unknown"),
    }
}

/// The total duration of a run, which can end before with `at_most`.
pub(super) fn about(at_most: bool, time: Duration) -> Sentence {
    if at_most {
        sentence!("at-most", "at most {time}", time = Time::rounded(time))
    } else {
        sentence!("about", "about {time}", time = Time::rounded(time))
    }
}

/// What will be measured, and for how long.
pub(super) struct Lasting {
    /// Number of slices; 0 for a maximum-rate search.
    pub(super) slices: usize,
    /// Whether the run can end before `forecast`.
    pub(super) at_most: bool,
    /// The expected duration.
    pub(super) forecast: Duration,
    /// The shortest duration of a run that ends at a precision; `None` for other runs.
    pub(super) shortest: Option<Duration>,
    /// All requests, if slices end after a number of requests.
    pub(super) requests: Option<u64>,
}

impl Lasting {
    /// The first line of the progress.
    pub(super) fn sentence(&self) -> Sentence {
        let what = match self.slices {
            0 => sentence!("a-search", "a maximum-rate search"),
            1 => sentence!("slices", "{slices} slice", slices = 1),
            several => sentence!("slices", "{slices} slices", slices = several),
        };
        let forecast = Time::rounded(self.forecast);
        let lasting = match (self.requests, self.shortest) {
            (Some(all), _) if self.forecast >= NO_LIMIT => sentence!(
                "until-requests",
                "{what}, until {requests} requests are done",
                what,
                requests = all
            ),
            (Some(all), _) => sentence!(
                "until-requests-or",
                "{what}, until {requests} requests are done, or for {time}",
                what,
                requests = all,
                time = forecast
            ),
            (None, None) => {
                let about = about(self.at_most, self.forecast);
                let lasting = sentence!("lasting", "{what} in {about}", what, about);
                lasting.with_part("about", [about])
            }
            (None, Some(shortest)) => sentence!(
                "lasting-between",
                "at most {what}, in at least {shortest} and at most {time}",
                what,
                shortest = Time::rounded(shortest),
                time = forecast
            ),
        };
        lasting.with_part("what", [what])
    }
}

/// What the duration of a run is made of. `more`: whether slices follow the rounds.
pub(super) fn parts_of(measured: MeasuredTime, more: bool) -> Sentence {
    let MeasuredTime {
        targets,
        workloads,
        each,
    } = measured;
    let (of_workloads, scope) = match workloads {
        0 | 1 => (String::new(), ""),
        several => (format!(" × {several} workloads"), " and workload"),
    };
    let rest = if more {
        "warm-up, pauses, probes and sustained load"
    } else {
        "warm-up and pauses"
    };
    let parts = sentence!(
        "time-parts",
        " ({targets}{workloads} × {each}, the rest {rest}; -d sets the time per target{scope})",
        targets = plural(targets as u64, "target"),
        workloads = of_workloads,
        each = Time::rounded(each),
        rest,
        scope
    );
    let parts = parts.with("targets", targets).with("workloads", workloads);
    parts.with("rest", more)
}

/// What is loaded before measuring.
pub(super) fn after_loading(loaded: &LoadedData) -> Sentence {
    let (objects, size) = (count(loaded.objects), bytes(loaded.bytes));
    if loaded.again {
        sentence!(
            "after-loading-again",
            ", after loading {loaded} per target, with further loading before each slice",
            loaded
        )
        .with("objects", objects)
        .with("size", size)
    } else {
        sentence!(
            "after-loading",
            ", after loading {loaded} per target",
            loaded
        )
        .with("objects", objects)
        .with("size", size)
    }
}

/// The longest duration of the run; `None` if slow targets cannot prolong the run. `longest`: if one
/// target is much slower than another; `behind`: if a target cannot keep up with a fixed rate.
pub(super) fn slower(
    forecast: Duration,
    longest: Option<Duration>,
    behind: Option<Duration>,
    requests: Option<u64>,
) -> Option<Sentence> {
    if requests.is_some() || forecast >= NO_LIMIT {
        return None;
    }
    match (longest, behind) {
        (Some(longest), _) => Some(sentence!(
            "if-slower",
            ", up to {time} if one target is much slower",
            time = Time::rounded(longest)
        )),
        (None, Some(behind)) => Some(sentence!(
            "if-behind",
            ", up to {time} if a target cannot keep up with the rate",
            time = Time::rounded(behind)
        )),
        (None, None) => None,
    }
}

/// That requests of an open loop wait, because a target does not keep up with the rate.
pub(super) fn behind(waiting: u64) -> Sentence {
    sentence!(
        "behind",
        "behind: {waiting} requests are due and wait for a free connection; use a lower --rate or \
         more --connections",
        waiting = count(waiting)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_duration_of_a_run_says_what_it_is_made_of() {
        let said = |targets, workloads, more| {
            let each = Duration::from_secs(32);
            let measured = MeasuredTime {
                targets,
                workloads,
                each,
            };
            parts_of(measured, more).to_string()
        };
        assert_eq!(
            said(2, 1, true),
            " (2 targets × 32s, the rest warm-up, pauses, probes and sustained load; -d sets the time \
             per target)"
        );
        assert_eq!(
            said(1, 4, false),
            " (1 target × 4 workloads × 32s, the rest warm-up and pauses; -d sets the time per target \
             and workload)"
        );
    }

    #[test]
    fn what_ends_by_requests_has_no_made_up_length() {
        let of = |seconds, shortest, requests| {
            let lasting = Lasting {
                slices: 4,
                at_most: false,
                forecast: Duration::from_secs(seconds),
                shortest,
                requests,
            };
            lasting.sentence().to_string()
        };
        assert_eq!(
            of(86_401, None, Some(300)),
            "4 slices, until 300 requests are done"
        );
        assert_eq!(
            of(60, None, Some(300)),
            "4 slices, until 300 requests are done, or for 1m"
        );
        assert_eq!(of(60, None, None), "4 slices in about 1m");
        let up_to = |requests| {
            let seconds = Duration::from_secs;
            let slower = slower(seconds(60), Some(seconds(132)), None, requests);
            slower.map(|slower| slower.to_string())
        };
        let longer = ", up to 2m12s if one target is much slower";
        assert_eq!(up_to(None).as_deref(), Some(longer));
        assert_eq!(up_to(Some(300)), None);
        let behind = slower(
            Duration::from_secs(60),
            None,
            Some(Duration::from_secs(110)),
            None,
        );
        assert_eq!(
            behind.map(|behind| behind.to_string()).as_deref(),
            Some(", up to 1m50s if a target cannot keep up with the rate")
        );
        let shortest = Some(Duration::from_secs(10));
        assert_eq!(
            of(60, shortest, None),
            "at most 4 slices, in at least 10s and at most 1m"
        );
    }
}
