//! Gates that decide nothing, which only a busy machine may cause.

use crate::common::{names_machine_rule, not_run, shown};

/// Gates that are run until one decides, while the machine is quiet.
const ATTEMPTS: usize = 3;
/// Largest share of the time of all cores that other programs use on a quiet machine.
const BUSY_SHARE: f64 = 0.2;
/// Places in the first line of `/proc/stat`, after its name: idle time, and the first after that of the
/// hypervisor, from which the line repeats time of guests.
const IDLE: usize = 3;
const GUESTS: usize = 8;

/// Runs gates until one decides: `run` returns its exit code and output with anything else. Returns
/// `None` and says so if an exit code is one of `undecided` and the machine is busy. Fails the test if
/// several gates on a quiet machine decide nothing.
pub(crate) fn decided<T>(
    name: &str,
    undecided: &[i32],
    mut run: impl FnMut() -> (T, i32, String),
) -> Option<(T, i32, String)> {
    let mut last = String::new();
    for _ in 0..ATTEMPTS {
        let before = Ticks::now();
        let (other, code, said) = run();
        if !undecided.contains(&code) {
            return Some((other, code, said));
        }
        let word = if code == 6 { "INVALID" } else { "CANNOT TELL" };
        assert!(said.contains(word), "{name}: {said}");
        if !is_quiet_since(before) || said.lines().any(names_machine_rule) {
            not_run(&format!(
                "the gate of {name} is {word}, because the machine is busy"
            ));
            return None;
        }
        last = said;
    }
    panic!("{name}: {ATTEMPTS} gates on a quiet machine decided nothing: {last}")
}

/// Says which of all gates of a test decided.
pub(crate) fn say_decided(names: &[&str], all: usize) {
    let count = names.len();
    shown(&format!(
        "{count} of {all} gates decided: {}",
        names.join(", ")
    ));
}

/// Places of the CPU time of ended children, user and system, after the name in `/proc/self/stat`.
const OF_CHILDREN: std::ops::Range<usize> = 13..15;

/// Time of all cores since the start of the machine, in ticks of the kernel.
struct Ticks {
    /// Idle, or used by children of this process that have ended: the gate with all it starts.
    idle_or_own: f64,
    all: f64,
}

impl Ticks {
    fn now() -> Option<Self> {
        let text = std::fs::read_to_string("/proc/stat").ok()?;
        let fields = text.lines().next()?.split_whitespace().skip(1).take(GUESTS);
        let ticks: Vec<f64> = fields.filter_map(|field| field.parse().ok()).collect();
        let own = std::fs::read_to_string("/proc/self/stat").ok()?;
        let own = own.rsplit_once(')')?.1;
        let own: Vec<f64> = own
            .split_whitespace()
            .filter_map(|field| field.parse().ok().or(Some(0.0)))
            .collect();
        Some(Self {
            idle_or_own: ticks.get(IDLE)? + own.get(OF_CHILDREN)?.iter().sum::<f64>(),
            all: ticks.iter().sum(),
        })
    }
}

/// Whether the machine was quiet since then; `false` if unknown.
fn is_quiet_since(before: Option<Ticks>) -> bool {
    let both = before.zip(Ticks::now());
    let others = both
        .map(|(before, now)| 1.0 - (now.idle_or_own - before.idle_or_own) / (now.all - before.all));
    others.is_some_and(|share| share <= BUSY_SHARE)
}
