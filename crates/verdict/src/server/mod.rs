//! The resource use of a target in the window of a slice.

pub(crate) mod backend;
pub(crate) mod processes;
pub(crate) mod stages;
pub(crate) mod stored;

use tenbin_record::{GroupUse, ServerUse, Slice, UseScope};

/// Latest accepted first observation, as a share of the window: Tenbin's own convention.
const LATEST: f64 = 0.25;

/// The growth of a counter over the whole window of a slice.
///
/// The first observation of a target comes shortly after the window opens, the last observation
/// shortly after the window closes, when the target is no longer loaded. The use before the first
/// observation is missing and is added at the rate of the observed time. `None` without
/// observations, or if the first observation came too late.
pub(crate) fn amount(slice: &Slice, pick: impl FnOnce(&ServerUse) -> Option<f64>) -> Option<f64> {
    let used = slice.server()?;
    let missed = used.missed_seconds.unwrap_or(0.0).max(0.0);
    if missed > 0.0 && missed > LATEST * slice.end.seconds {
        return None;
    }
    let seen = slice.end.seconds - missed;
    let share = if missed > 0.0 {
        slice.end.seconds / seen
    } else {
        1.0
    };
    Some(pick(&used)? * share)
}

/// The growth of a counter per completed operation.
pub(crate) fn each(slice: &Slice, pick: impl FnOnce(&ServerUse) -> Option<f64>) -> Option<f64> {
    let amount = amount(slice, pick)?;
    (slice.ok() > 0).then(|| amount / slice.ok() as f64)
}

/// The growth of a counter of the target's control group (cgroup) per completed operation.
pub(crate) fn each_of_group(
    slice: &Slice,
    pick: impl FnOnce(&GroupUse) -> Option<f64>,
) -> Option<f64> {
    each(slice, |used| pick(used.group.as_ref()?))
}

/// CPU seconds that the target used in the window of a slice; `None` if unknown.
pub fn cpu_seconds(slice: &Slice) -> Option<f64> {
    amount(slice, |used| used.cpu_seconds)
}

/// Cores that the target's own processes used. `None` if only the use of the whole host is known,
/// which includes other programs.
pub(crate) fn busy_cores(slice: &Slice) -> Option<f64> {
    if slice.server()?.scope != UseScope::Processes {
        return None;
    }
    (slice.end.seconds > 0.0).then_some(cpu_seconds(slice)? / slice.end.seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn of(change: impl Fn(&mut ServerUse)) -> Slice {
        let mut run = Run::single(1);
        run.each(|slice| change(slice.server()));
        run.slices.remove(0)
    }

    #[test]
    fn use_before_the_first_observation_is_added() {
        let late = of(|used| {
            used.cpu_seconds = Some(0.9);
            used.missed_seconds = Some(0.1);
        });
        assert!((cpu_seconds(&late).unwrap() - 1.0).abs() < 1e-12);
        let at_once = of(|used| used.cpu_seconds = Some(0.9));
        assert_eq!(cpu_seconds(&at_once), Some(0.9));
    }

    #[test]
    fn a_late_first_observation_is_unknown() {
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
    fn missing_observations_are_unknown() {
        let silent = of(|used| used.cpu_seconds = None);
        assert_eq!((cpu_seconds(&silent), busy_cores(&silent)), (None, None));
    }
}
