//! Gates that decide nothing, which only a busy machine may cause.

use crate::common::{names_machine_rule, not_run, shown};

/// Gates that are run until one decides, while the machine is quiet.
const ATTEMPTS: usize = 3;
/// Share of the time of all cores that is idle on a quiet machine.
const IDLE_SHARE: f64 = 0.6;
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

/// Time of all cores since the start of the machine, in ticks of the kernel.
struct Ticks {
    idle: f64,
    all: f64,
}

impl Ticks {
    fn now() -> Option<Self> {
        let text = std::fs::read_to_string("/proc/stat").ok()?;
        let fields = text.lines().next()?.split_whitespace().skip(1).take(GUESTS);
        let ticks: Vec<f64> = fields.filter_map(|field| field.parse().ok()).collect();
        Some(Self {
            idle: *ticks.get(IDLE)?,
            all: ticks.iter().sum(),
        })
    }
}

/// Whether the machine was quiet since then; `false` if unknown.
fn is_quiet_since(before: Option<Ticks>) -> bool {
    let both = before.zip(Ticks::now());
    let idle = both.map(|(before, now)| (now.idle - before.idle) / (now.all - before.all));
    idle.is_some_and(|share| share >= IDLE_SHARE)
}
