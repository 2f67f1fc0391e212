//! How evenly does this machine work? A fixed piece of work is repeated on one core, and timed.

use std::time::{Duration, Instant};

use tenbin_plan::percent;

use super::{Check, Found, Visit};

/// What counts as a slice here.
const SLICE: Duration = Duration::from_millis(250);
/// How long a piece of work takes on an idle core, about.
const PIECE: Duration = Duration::from_micros(200);
/// A slice is thought to differ from the median slice by more than this on a busy machine. This and
/// what follows are Tenbin's own conventions.
const SPREAD: f64 = 0.05;
/// A pause of this length shows in a 99th percentile of a slice.
const LONG: Duration = Duration::from_millis(20);

/// What the pieces of work showed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Noise {
    watched: Duration,
    /// Half the spread of the work done in a slice, from the 10th to the 90th percentile, as a
    /// share of the median.
    spread: f64,
    /// The least that was done in a slice, as a share of the median.
    least: f64,
    /// The longest time that a piece took beyond the median.
    longest: Duration,
}

pub(super) struct NoiseOf;

impl Check for NoiseOf {
    fn name(&self) -> &'static str {
        "noise"
    }

    fn of_machine(&self, visit: &Visit) -> Vec<Found> {
        if visit.watch < 4 * SLICE {
            return Vec::new();
        }
        let measured = measure(visit.watch);
        vec![measured.map_or_else(
            || Found::unknown("the machine stood still while it was watched"),
            |noise| judge(&noise),
        )]
    }
}

fn judge(noise: &Noise) -> Found {
    let evidence = format!(
        "one core watched for {:.0} s: the work done in {} ms differs by ± {} (the least was {} of \
         the median), the longest pause was {:.1} ms",
        noise.watched.as_secs_f64(),
        SLICE.as_millis(),
        percent(noise.spread),
        percent(noise.least),
        noise.longest.as_secs_f64() * 1e3,
    );
    if noise.spread > SPREAD {
        let advice = "other programs or other machines on this hardware take turns with this one: \
                      compare ratios only, in more rounds";
        Found::warning(evidence, advice)
    } else if noise.longest > LONG {
        let advice = "high percentiles include pauses of this machine: compare them only, or stop \
                      what else runs";
        Found::warning(evidence, advice)
    } else {
        Found::ok(evidence)
    }
}

/// `None` if no work was done in most of the time.
fn measure(watch: Duration) -> Option<Noise> {
    let size = size_of_piece();
    let mut pieces: Vec<(Duration, Duration)> = Vec::new();
    let begun = Instant::now();
    loop {
        let before = begun.elapsed();
        if before >= watch {
            break;
        }
        work(size);
        pieces.push((before, begun.elapsed() - before));
    }
    noise(watch, &pieces)
}

/// From when each piece began, and how long it took.
fn noise(watched: Duration, pieces: &[(Duration, Duration)]) -> Option<Noise> {
    let index = |at: Duration| (at.as_nanos() / SLICE.as_nanos()) as usize;
    let mut slices = vec![0.0_f64; index(watched)];
    let mut times: Vec<Duration> = Vec::with_capacity(pieces.len());
    for (began, took) in pieces {
        times.push(*took);
        // A piece that was interrupted belongs to the slices in proportion.
        let parts = (took.as_nanos() / SLICE.as_nanos()).max(1) as usize;
        for part in 0..=parts {
            let from = (*began).max(SLICE * (index(*began) + part) as u32);
            let until = (*began + *took).min(SLICE * (index(*began) + part + 1) as u32);
            if let (Some(slice), Some(inside)) = (
                slices.get_mut(index(*began) + part),
                until.checked_sub(from),
            ) {
                *slice += inside.as_secs_f64() / took.as_secs_f64().max(1e-9);
            }
        }
    }
    times.sort_unstable();
    slices.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| slices.get(((slices.len() as f64 - 1.0) * share).round() as usize);
    let middle = *at(0.5)?;
    if middle <= 0.0 {
        return None;
    }
    let median = *times.get(times.len() / 2)?;
    Some(Noise {
        watched,
        spread: (at(0.9)? - at(0.1)?) / 2.0 / middle,
        least: slices.first()? / middle,
        longest: times.last()?.saturating_sub(median),
    })
}

/// Steps that take about [`PIECE`].
fn size_of_piece() -> u32 {
    let mut size = 10_000;
    loop {
        let fastest = (0..5).map(|_| {
            let begun = Instant::now();
            work(size);
            begun.elapsed()
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

    /// Pieces of 1 ms for 4 s, of which some take longer.
    fn pieces(took: impl Fn(u32) -> Duration) -> Vec<(Duration, Duration)> {
        let mut at = Duration::ZERO;
        let mut all = Vec::new();
        while at < 4000 * MS {
            let each = took(at.as_millis() as u32);
            all.push((at, each));
            at += each;
        }
        all
    }

    #[test]
    fn even_work_has_no_noise() {
        let even = noise(4000 * MS, &pieces(|_| MS)).unwrap();
        assert!(
            even.spread < 1e-9 && (even.least - 1.0).abs() < 1e-9,
            "{even:?}"
        );
        assert_eq!(even.longest, Duration::ZERO);
        assert_eq!(judge(&even).state, State::Ok);
    }

    #[test]
    fn half_of_the_slices_at_half_the_speed_is_a_spread_and_one_pause_is_none() {
        let half = |at: u32| {
            if (at / 500).is_multiple_of(2) {
                MS
            } else {
                2 * MS
            }
        };
        let slow = noise(4000 * MS, &pieces(half)).unwrap();
        assert!(slow.spread > 0.2, "{slow:?}");
        assert_eq!(judge(&slow).state, State::Warning);
        let pause = |at: u32| if at == 1010 { 41 * MS } else { MS };
        let paused = noise(4000 * MS, &pieces(pause)).unwrap();
        assert!(paused.spread < 0.01, "{paused:?}");
        assert_eq!(paused.longest, 40 * MS);
        assert!((paused.least - 210.0 / 250.0).abs() < 0.01, "{paused:?}");
        let found = judge(&paused);
        assert!(found.advice.unwrap().starts_with("high percentiles"));
    }

    #[test]
    fn a_machine_that_stood_still_tells_nothing() {
        assert_eq!(noise(4000 * MS, &[]), None);
    }

    #[test]
    fn a_pause_over_several_slices_leaves_them_without_work() {
        let pause = |at: u32| if at == 1000 { 1000 * MS } else { MS };
        let paused = noise(4000 * MS, &pieces(pause)).unwrap();
        assert!(paused.least < 0.01, "{paused:?}");
    }
}
