//! Checks that this machine is idle before a run.

use std::time::Duration;

use tenbin_plan::{percent, sentence};

use super::machine::{self, Activity};
use super::{Check, CheckConfig, Outcome, joined};

/// Duration for which the machine is sampled.
const WATCHED: Duration = Duration::from_secs(1);

/// Largest share of the CPU time of all cores that other programs can use without a warning.
const CPU_SHARE: f64 = 0.2;
/// Largest share of steal time without a warning.
const STEAL_SHARE: f64 = 0.02;
/// Smallest share of available memory without a warning: with less, page caches of targets differ.
const MEMORY_SHARE: f64 = 0.1;

pub(super) struct Busy;

impl Check for Busy {
    fn name(&self) -> &'static str {
        "busy"
    }

    fn of_machine(&self, _visit: &CheckConfig) -> Vec<Outcome> {
        vec![match machine::watch(WATCHED) {
            Some(rest) => judge(&rest),
            None => Outcome::unknown(sentence!(
                "load-unreadable",
                "the load of this system is not readable"
            )),
        }]
    }
}

fn judge(rest: &Activity) -> Outcome {
    let evidence = sentence!(
        "machine-busy",
        "CPU {cpu} of {cores} cores over {time}, steal {steal}, load {load}, memory {available} of \
         {memory} available, swap {swap} in use, {pages} pages swapped",
        cpu = percent(rest.cpu_share),
        cores = rest.cores,
        time = format!("{WATCHED:?}"),
        steal = percent(rest.steal_share),
        load = format!("{:.2}", rest.load),
        available = machine::bytes(rest.memory_available),
        memory = machine::bytes(rest.memory),
        swap = machine::bytes(rest.swap_used),
        pages = rest.pages_swapped
    );
    let available = rest.memory_available as f64 / rest.memory.max(1) as f64;
    let reasons = [
        (
            rest.cpu_share > CPU_SHARE || rest.load > rest.cores as f64,
            sentence!("stop-other-work", "wait until other work ends, or stop it"),
        ),
        (
            rest.steal_share > STEAL_SHARE,
            sentence!(
                "other-guests",
                "the hypervisor gives CPU time to other guests: measure on a host without them"
            ),
        ),
        (
            rest.pages_swapped > 0,
            sentence!(
                "memory-swapped",
                "memory is being swapped: stop the programs that use most of it"
            ),
        ),
        (
            available < MEMORY_SHARE,
            sentence!(
                "memory-short",
                "little memory is free: stop the programs that use most of it"
            ),
        ),
    ];
    let found = reasons.into_iter();
    match joined(found.filter_map(|(is_so, advice)| is_so.then_some(advice))) {
        None => Outcome::ok(evidence),
        Some(advice) => Outcome::warning(evidence, advice),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    const AT_REST: Activity = Activity {
        cores: 2,
        cpu_share: 0.01,
        steal_share: 0.0,
        load: 0.3,
        memory: 8 << 30,
        memory_available: 6 << 30,
        // Swap space is in use, but no pages are swapped in or out.
        swap_used: 1 << 30,
        pages_swapped: 0,
    };

    #[test]
    fn each_kind_of_load_is_a_warning_with_its_own_advice() {
        assert_eq!(judge(&AT_REST).state, State::Ok);
        type Disturb = fn(&mut Activity);
        let disturbances: [(Disturb, &str); 5] = [
            (|rest| rest.cpu_share = 0.5, "other work"),
            (|rest| rest.load = 2.5, "other work"),
            (|rest| rest.steal_share = 0.05, "the hypervisor"),
            (|rest| rest.pages_swapped = 1, "swapped"),
            (|rest| rest.memory_available = 100 << 20, "little memory"),
        ];
        for (disturb, advice) in disturbances {
            let mut rest = AT_REST;
            disturb(&mut rest);
            let found = judge(&rest);
            assert_eq!(found.state, State::Warning, "{found:?}");
            assert!(found.advice.unwrap().text().contains(advice));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn work_on_every_core_is_detected() {
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
