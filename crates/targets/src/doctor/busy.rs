//! Is this machine at rest, as it should be before a run?

use std::time::Duration;

use tenbin_plan::percent;

use super::machine::{self, Rest};
use super::{Check, Found, Visit};

/// How long it is watched.
const WATCHED: Duration = Duration::from_secs(1);

/// More than this share of all cores is work that a run would have to share with.
const CPU_SHARE: f64 = 0.2;
/// More than this share is taken by other machines on the same hardware.
const STEAL_SHARE: f64 = 0.02;
/// Less than this share of the memory is too little for page caches to be alike.
const MEMORY_SHARE: f64 = 0.1;

pub(super) struct Busy;

impl Check for Busy {
    fn name(&self) -> &'static str {
        "busy"
    }

    fn of_machine(&self, _visit: &Visit) -> Vec<Found> {
        vec![match machine::watch(WATCHED) {
            Some(rest) => judge(&rest),
            None => Found::unknown("this system does not tell how busy it is"),
        }]
    }
}

fn judge(rest: &Rest) -> Found {
    let evidence = format!(
        "CPU {} of {} cores over {WATCHED:?}, steal {}, load {:.2}, memory {} of {} \
         available, swap {} in use, {} pages swapped",
        percent(rest.cpu_share),
        rest.cores,
        percent(rest.steal_share),
        rest.load,
        machine::bytes(rest.memory_available),
        machine::bytes(rest.memory),
        machine::bytes(rest.swap_used),
        rest.pages_swapped,
    );
    let available = rest.memory_available as f64 / rest.memory.max(1) as f64;
    let reasons = [
        (
            rest.cpu_share > CPU_SHARE || rest.load > rest.cores as f64,
            "let other work end first, or stop it",
        ),
        (
            rest.steal_share > STEAL_SHARE,
            "other machines take CPU time from this one: measure where they do not",
        ),
        (
            rest.pages_swapped > 0,
            "memory is being swapped: end what needs so much",
        ),
        (
            available < MEMORY_SHARE,
            "little memory is left: end what needs so much",
        ),
    ];
    let advice: Vec<&str> = reasons
        .into_iter()
        .filter_map(|(is_so, advice)| is_so.then_some(advice))
        .collect();
    if advice.is_empty() {
        Found::ok(evidence)
    } else {
        Found::warning(evidence, advice.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    const AT_REST: Rest = Rest {
        cores: 2,
        cpu_share: 0.01,
        steal_share: 0.0,
        load: 0.3,
        memory: 8 << 30,
        memory_available: 6 << 30,
        // In use, but left alone.
        swap_used: 1 << 30,
        pages_swapped: 0,
    };

    #[test]
    fn each_kind_of_unrest_is_a_warning_with_its_own_advice() {
        assert_eq!(judge(&AT_REST).state, State::Ok);
        type Disturb = fn(&mut Rest);
        let disturbances: [(Disturb, &str); 5] = [
            (|rest| rest.cpu_share = 0.5, "other work"),
            (|rest| rest.load = 2.5, "other work"),
            (|rest| rest.steal_share = 0.05, "other machines"),
            (|rest| rest.pages_swapped = 1, "swapped"),
            (|rest| rest.memory_available = 100 << 20, "little memory"),
        ];
        for (disturb, advice) in disturbances {
            let mut rest = AT_REST;
            disturb(&mut rest);
            let found = judge(&rest);
            assert_eq!(found.state, State::Warning, "{found:?}");
            assert!(found.advice.unwrap().contains(advice));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn work_on_every_core_is_seen() {
        use std::sync::atomic::{AtomicBool, Ordering};
        let over = AtomicBool::new(false);
        let found = std::thread::scope(|scope| {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            for _ in 0..cores {
                scope.spawn(|| {
                    while !over.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                });
            }
            let rest = machine::watch(WATCHED).unwrap();
            over.store(true, Ordering::Relaxed);
            judge(&rest)
        });
        assert_eq!(found.state, State::Warning, "{found:?}");
    }
}
