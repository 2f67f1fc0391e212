//! Measures the cost of reading the time and the delay of timers.

use std::thread;
use std::time::{Duration, Instant};

use tenbin_plan::sentence;

use super::{Check, CheckConfig, Outcome};

/// Longest acceptable clock read, nanoseconds: two time stamps per request then take 5 % of a 10 µs
/// request.
const SLOW_READ: f64 = 250.0;
/// Longest acceptable delay of a timer: a thread that wakes up later sends requests late.
const LATE: Duration = Duration::from_millis(1);
/// Number of clock reads per attempt.
const READS: u32 = 20_000;
const SLEEPS: usize = 51;

pub(super) struct ClockSource;

impl Check for ClockSource {
    fn name(&self) -> &'static str {
        "clock source"
    }

    fn of_machine(&self, _visit: &CheckConfig) -> Vec<Outcome> {
        let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        let source = std::fs::read_to_string(path).ok();
        let source = source.as_deref().map(str::trim);
        vec![judge(source, cost_of_a_read(), timer_delay())]
    }
}

/// Evaluates `read`, the duration of a clock read in nanoseconds, and `late`, the median delay of a
/// sleep.
fn judge(source: Option<&str>, read: f64, late: Duration) -> Outcome {
    let evidence = sentence!(
        "clock-source",
        "{source}, {read} ns to read the time; a sleep of 1 ms ends {late} µs late",
        source = source.unwrap_or("unknown"),
        read = format!("{read:.0}"),
        late = late.as_micros()
    );
    if read > SLOW_READ {
        let advice = sentence!(
            "clock-slow",
            "the kernel does not use the CPU's counter (tsc): see dmesg for the reason, or measure on \
             another machine"
        );
        Outcome::warning(evidence, advice)
    } else if late > LATE {
        let advice = sentence!(
            "timers-late",
            "the kernel wakes up threads late: stop other programs, or lower the timer slack; use few \
             requests per second per thread until then"
        );
        Outcome::warning(evidence, advice)
    } else {
        Outcome::ok(evidence)
    }
}

/// Duration of a clock read, nanoseconds: the fastest of several attempts.
fn cost_of_a_read() -> f64 {
    let one = || {
        let started = Instant::now();
        for _ in 0..READS {
            std::hint::black_box(Instant::now());
        }
        started.elapsed().as_nanos() as f64 / f64::from(READS)
    };
    (0..5).map(|_| one()).fold(f64::INFINITY, f64::min)
}

fn timer_delay() -> Duration {
    let asked = Duration::from_millis(1);
    let one = |_| {
        let started = Instant::now();
        thread::sleep(asked);
        started.elapsed().saturating_sub(asked)
    };
    let mut all: Vec<Duration> = (0..SLEEPS).map(one).collect();
    all.sort_unstable();
    all[SLEEPS / 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    #[test]
    fn a_slow_clock_and_late_timers_are_warnings() {
        let soon = Duration::from_micros(60);
        assert_eq!(judge(Some("tsc"), 25.0, soon).state, State::Ok);
        let slow = judge(Some("hpet"), 900.0, soon);
        assert_eq!(slow.state, State::Warning);
        assert!(slow.evidence.text().starts_with("hpet, 900 ns"), "{slow:?}");
        let late = judge(Some("tsc"), 25.0, Duration::from_millis(4));
        assert_eq!(late.state, State::Warning);
        assert!(
            judge(None, 25.0, soon)
                .evidence
                .text()
                .starts_with("unknown, 25 ns")
        );
    }
}
