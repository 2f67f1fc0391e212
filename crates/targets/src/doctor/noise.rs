//! Measures how evenly one core works, by timing a fixed piece of work repeatedly.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tenbin_plan::{percent, sentence};

use super::{Check, CheckConfig, Outcome};

/// Length of the intervals ("slices") in which the completed work is counted.
const SLICE: Duration = Duration::from_millis(250);
/// Approximate duration of a piece of work on an idle core.
const PIECE: Duration = Duration::from_micros(200);
/// Largest spread of the work per slice without a warning, as a share of the median. `SPREAD` and
/// `LONG` are Tenbin's own limits.
const SPREAD: f64 = 0.05;
/// Longest pause without a warning.
const LONG: Duration = Duration::from_millis(20);

/// Variation of the speed of one core.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Noise {
    watched: Duration,
    /// Half the distance from the 10th to the 90th percentile of the work per slice, as a share of
    /// the median.
    spread: f64,
    /// Smallest amount of work in a slice, as a share of the median.
    least: f64,
    /// Longest duration of a piece minus its duration in the median slice.
    longest: Duration,
}

pub(super) struct NoiseCheck;

impl Check for NoiseCheck {
    fn name(&self) -> &'static str {
        "noise"
    }

    fn of_machine(&self, config: &CheckConfig) -> Vec<Outcome> {
        if config.watch < 4 * SLICE {
            return Vec::new();
        }
        let measured = measure(config.watch, &config.stop);
        vec![measured.map_or_else(
            || {
                Outcome::unknown(sentence!(
                    "no-work",
                    "the machine did no work while it was sampled"
                ))
            },
            |noise| judge(&noise),
        )]
    }
}

fn judge(noise: &Noise) -> Outcome {
    let evidence = sentence!(
        "noise",
        "one core sampled for {seconds} s: the work done in {slice} ms differs by ± {spread} (the \
         least was {least} of the median), the longest pause was {pause} ms",
        seconds = format!("{:.0}", noise.watched.as_secs_f64()),
        slice = SLICE.as_millis(),
        spread = percent(noise.spread),
        least = percent(noise.least),
        pause = format!("{:.1}", noise.longest.as_secs_f64() * 1e3)
    );
    if noise.spread > SPREAD {
        let advice = sentence!(
            "cores-shared",
            "other programs or other guests share the cores with this one: compare ratios only, in \
             more rounds"
        );
        Outcome::warning(evidence, advice)
    } else if noise.longest > LONG {
        let advice = sentence!(
            "machine-pauses",
            "high percentiles include pauses of this machine: use them only for comparison, or stop \
             the other programs"
        );
        Outcome::warning(evidence, advice)
    } else {
        Outcome::ok(evidence)
    }
}

/// Repeats the work for `watch`; `None` if `stop` is set or at least half of the slices contain no
/// work.
fn measure(watch: Duration, stop: &AtomicBool) -> Option<Noise> {
    let size = size_of_piece();
    let mut tally = Tally::new(watch);
    let started = Instant::now();
    loop {
        let before = started.elapsed();
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        if before >= watch {
            break;
        }
        work(size);
        tally.add(before, started.elapsed() - before);
    }
    tally.noise()
}

/// Work done so far. Needs 32 bytes per second, so that a watch of hours stays small.
struct Tally {
    watched: Duration,
    /// Pieces of work in each slice.
    slices: Vec<f64>,
    /// Longest duration of a piece.
    longest: Duration,
}

impl Tally {
    fn new(watched: Duration) -> Self {
        Self {
            watched,
            slices: vec![0.0; index(watched)],
            longest: Duration::ZERO,
        }
    }

    /// Adds a piece of work. A piece that spans several slices is divided among them in proportion
    /// to time.
    fn add(&mut self, start: Duration, took: Duration) {
        self.longest = self.longest.max(took);
        for at in index(start)..=index(start + took) {
            let from = start.max(SLICE * at as u32);
            let until = (start + took).min(SLICE * (at as u32 + 1));
            if let Some(slice) = self.slices.get_mut(at) {
                let inside = until.saturating_sub(from);
                *slice += inside.as_secs_f64() / took.as_secs_f64().max(1e-9);
            }
        }
    }

    /// Evaluates the work; `None` if at least half of the slices contain no work.
    fn noise(mut self) -> Option<Noise> {
        let slices = &mut self.slices;
        slices.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| slices.get(((slices.len() as f64 - 1.0) * share).round() as usize);
        let middle = *at(0.5)?;
        if middle <= 0.0 {
            return None;
        }
        Some(Noise {
            watched: self.watched,
            spread: (at(0.9)? - at(0.1)?) / 2.0 / middle,
            least: slices.first()? / middle,
            longest: self.longest.saturating_sub(SLICE.div_f64(middle)),
        })
    }
}

/// Index of the slice that contains this time since the start.
fn index(at: Duration) -> usize {
    (at.as_nanos() / SLICE.as_nanos()) as usize
}

/// Number of steps of [`work`] that take about [`PIECE`].
fn size_of_piece() -> u32 {
    let mut size = 10_000;
    loop {
        let fastest = (0..5).map(|_| {
            let started = Instant::now();
            work(size);
            started.elapsed()
        });
        if fastest.min().is_some_and(|took| took >= PIECE) || size > 1 << 28 {
            return size;
        }
        size *= 2;
    }
}

fn work(steps: u32) {
    let mut sum = 0x9e37_79b9_u32;
    for step in 0..steps {
        sum = std::hint::black_box(sum.rotate_left(5) ^ step);
    }
    std::hint::black_box(sum);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    const MS: Duration = Duration::from_millis(1);

    /// Simulates 4 s of pieces of 1 ms, some of which take longer.
    fn noise(took: impl Fn(u32) -> Duration) -> Option<Noise> {
        let mut tally = Tally::new(4000 * MS);
        let mut at = Duration::ZERO;
        while at < 4000 * MS {
            let each = took(at.as_millis() as u32);
            tally.add(at, each);
            at += each;
        }
        tally.noise()
    }

    #[test]
    fn even_work_has_no_noise() {
        let even = noise(|_| MS).unwrap();
        assert!(
            even.spread < 1e-9 && (even.least - 1.0).abs() < 1e-9,
            "{even:?}"
        );
        assert_eq!(even.longest, Duration::ZERO);
        assert_eq!(judge(&even).state, State::Ok);
    }

    #[test]
    fn slow_slices_are_a_spread_and_one_pause_is_not() {
        let half = |at: u32| {
            if (at / 500).is_multiple_of(2) {
                MS
            } else {
                2 * MS
            }
        };
        let slow = noise(half).unwrap();
        assert!(slow.spread > 0.2, "{slow:?}");
        assert_eq!(judge(&slow).state, State::Warning);
        let pause = |at: u32| if at == 1010 { 41 * MS } else { MS };
        let paused = noise(pause).unwrap();
        assert!(paused.spread < 0.01, "{paused:?}");
        assert_eq!(paused.longest, 40 * MS);
        assert!((paused.least - 210.0 / 250.0).abs() < 0.01, "{paused:?}");
        let found = judge(&paused);
        assert!(found.advice.unwrap().text().starts_with("high percentiles"));
    }

    #[test]
    fn a_machine_that_did_no_work_is_unknown() {
        assert_eq!(Tally::new(4000 * MS).noise(), None);
    }

    #[test]
    fn a_pause_over_several_slices_leaves_them_without_work() {
        let pause = |at: u32| if at == 1000 { 1000 * MS } else { MS };
        let paused = noise(pause).unwrap();
        assert!(paused.least < 0.01, "{paused:?}");
    }
}
