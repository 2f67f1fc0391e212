//! What a target used, as a figure of its slice's window.

use tenbin_record::{GroupUse, ServerUse, Slice, UseScope};

/// Share of the window after which a first look came too late to stand for the whole of it:
/// Tenbin's own convention.
const LATEST: f64 = 0.25;

/// An amount that grew while the window was open, for the whole of it.
///
/// The first look at a target comes a little after the window has opened, the last a little
/// after it has closed. The load goes on at the first and is over at the last: what is
/// missing is what was used before the first look, and it is made good at the rate of the
/// rest. `None` where nobody told, and where the first look came too late.
pub(crate) fn amount(slice: &Slice, pick: impl FnOnce(&ServerUse) -> Option<f64>) -> Option<f64> {
    let used = slice.server.as_ref()?;
    let missed = used.missed_seconds.unwrap_or(0.0).max(0.0);
    if missed > 0.0 && missed > LATEST * slice.seconds {
        return None;
    }
    let seen = slice.seconds - missed;
    let share = if missed > 0.0 {
        slice.seconds / seen
    } else {
        1.0
    };
    Some(pick(used)? * share)
}

/// The same for a piece of work done.
pub(crate) fn each(slice: &Slice, pick: impl FnOnce(&ServerUse) -> Option<f64>) -> Option<f64> {
    let amount = amount(slice, pick)?;
    (slice.ok() > 0).then(|| amount / slice.ok() as f64)
}

/// The same of its control group, for a piece of work done.
pub(crate) fn each_of_group(
    slice: &Slice,
    pick: impl FnOnce(&GroupUse) -> Option<f64>,
) -> Option<f64> {
    each(slice, |used| pick(used.group.as_ref()?))
}

/// CPU seconds that the target used in the window of a slice.
pub fn cpu_seconds(slice: &Slice) -> Option<f64> {
    amount(slice, |used| used.cpu_seconds)
}

/// Cores that the target's own processes kept busy. `None` where only the whole host is
/// known, on which others may have been busy.
pub(crate) fn busy_cores(slice: &Slice) -> Option<f64> {
    if slice.server?.scope != UseScope::Processes {
        return None;
    }
    (slice.seconds > 0.0).then_some(cpu_seconds(slice)? / slice.seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn of(change: impl Fn(&mut ServerUse)) -> Slice {
        let mut run = Run::single(1);
        run.each(|slice| change(slice.0.server.as_mut().expect("it is observed")));
        run.slices.remove(0)
    }

    #[test]
    fn what_the_first_look_missed_is_made_good() {
        let late = of(|used| {
            used.cpu_seconds = Some(0.9);
            used.missed_seconds = Some(0.1);
        });
        assert!((cpu_seconds(&late).unwrap() - 1.0).abs() < 1e-12);
        let at_once = of(|used| used.cpu_seconds = Some(0.9));
        assert_eq!(cpu_seconds(&at_once), Some(0.9));
    }

    #[test]
    fn a_look_that_came_too_late_tells_nothing() {
        let late = of(|used| used.missed_seconds = Some(0.3));
        assert_eq!(cpu_seconds(&late), None, "not a third less");
    }

    #[test]
    fn the_cores_of_a_whole_host_are_not_those_of_the_target() {
        let host = of(|used| used.scope = UseScope::Host);
        assert_eq!(busy_cores(&host), None);
        assert_eq!(cpu_seconds(&host), Some(1.5));
        assert_eq!(busy_cores(&of(|_| {})), Some(1.5));
    }

    #[test]
    fn what_nobody_told_is_unknown() {
        let silent = of(|used| used.cpu_seconds = None);
        assert_eq!((cpu_seconds(&silent), busy_cores(&silent)), (None, None));
    }
}
