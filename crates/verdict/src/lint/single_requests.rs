//! What a list of single requests says about the order and the clock of a measurement.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use hdrhistogram::Histogram;

/// Length of a window, nanoseconds.
pub const WINDOW: i64 = 100_000_000;

/// Maximum number of windows: 28 hours. Requests after them are not counted.
const MOST_WINDOWS: usize = 1_000_000;

/// Number of times whose step is found together.
const BLOCK: u64 = 100;

/// Maximum number of different steps that are kept.
const MOST_STEPS: usize = 1_000;

/// Largest share of blocks with a finer step than that of the clock.
const FINER: f64 = 0.1;

/// What a list of single requests says, request by request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SingleRequests {
    /// Requests by the window of their start: its number since 1970, or since the start of the run.
    pub windows: BTreeMap<i64, Window>,
    /// Times of failed requests, nanoseconds; `None` if none failed.
    pub failed_times: Option<Histogram<u64>>,
    /// Greatest common divisor of all times, nanoseconds. 0 without requests.
    divisor: u64,
    /// The same of the times of the last block, and their number.
    block: (u64, u64),
    /// Numbers of blocks by the greatest common divisor of their times.
    blocks: BTreeMap<u64, u64>,
    /// Number of requests.
    pub requests: u64,
    /// Number of requests that are equal to the one before: same start and same time.
    pub repeated: u64,
    /// Number of requests with the same start, or the same end, as the one before.
    pub together: u64,
    /// Greatest common divisors of the differences of all starts, and of all ends: the step of the
    /// clock, nanoseconds.
    steps: [u64; 2],
    first: Option<[i64; 2]>,
    last: Option<(i64, u64)>,
}

/// The requests that started in one window.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Window {
    /// Number of requests.
    pub started: u64,
    /// Number of requests whose time is known.
    pub timed: u64,
    /// Sum of their times, seconds.
    pub seconds: f64,
    /// The longest time, nanoseconds.
    pub longest: u64,
    /// Exclusive or of the hashes of starts and times: 0 if each occurs an even number of times.
    hashes: u64,
}

impl SingleRequests {
    /// Counts a request that started at `start` and took `took`, nanoseconds.
    pub fn add(&mut self, start: i64, took: u64, is_right: bool) {
        self.add_time(took);
        self.compare(start, took);
        if let Some(window) = self.window(start) {
            window.started += 1;
            window.timed += 1;
            window.seconds += took as f64 / 1e9;
            window.longest = window.longest.max(took);
            let mut hasher = DefaultHasher::new();
            (start, took).hash(&mut hasher);
            window.hashes ^= hasher.finish();
        }
        if !is_right {
            let times = self
                .failed_times
                .get_or_insert_with(|| Histogram::new(3).expect("three digits are few enough"));
            // A time beyond the range of a histogram counts as the longest one.
            if times.record(took).is_err() {
                times.saturating_record(took);
            }
        }
    }

    /// Counts a request that started at `start`, nanoseconds, and whose time is unknown.
    pub fn add_start(&mut self, start: i64) {
        self.requests += 1;
        if let Some(window) = self.window(start) {
            window.started += 1;
        }
    }

    fn window(&mut self, start: i64) -> Option<&mut Window> {
        let number = start.div_euclid(WINDOW);
        let has_room = self.windows.len() < MOST_WINDOWS || self.windows.contains_key(&number);
        has_room.then(|| self.windows.entry(number).or_default())
    }

    /// Compares a request with the one before and with the first one.
    fn compare(&mut self, start: i64, took: u64) {
        let end = start.saturating_add(i64::try_from(took).unwrap_or(i64::MAX));
        if let Some((before, its)) = self.last {
            let its_end = before.saturating_add(i64::try_from(its).unwrap_or(i64::MAX));
            self.repeated += u64::from((before, its) == (start, took));
            self.together += u64::from(before == start || its_end == end);
        }
        self.last = Some((start, took));
        let first = *self.first.get_or_insert([start, end]);
        for (at, time) in [start, end].into_iter().enumerate() {
            self.steps[at] = divisor(self.steps[at], time.abs_diff(first[at]));
        }
    }

    /// The step of the clock of starts and ends, nanoseconds: the coarser of the two, because one
    /// can be computed from the other.
    pub fn clock(&self) -> u64 {
        self.steps[0].max(self.steps[1])
    }

    /// Number of requests that are equal to an earlier one, as far as all requests of a window
    /// occur an even number of times: those of a list that was joined with itself.
    pub fn twice(&self) -> u64 {
        let windows = self.windows.values();
        let even = windows.filter(|it| it.hashes == 0 && it.timed == it.started);
        even.map(|window| window.started / 2).sum()
    }

    /// Counts a request whose start is unknown.
    pub fn add_time(&mut self, took: u64) {
        self.requests += 1;
        self.divisor = divisor(self.divisor, took);
        let (block, times) = (divisor(self.block.0, took), self.block.1 + 1);
        self.block = (block, times);
        if times == BLOCK {
            self.block = (0, 0);
            // Times of 0 have no step.
            if block > 0 && (self.blocks.len() < MOST_STEPS || self.blocks.contains_key(&block)) {
                *self.blocks.entry(block).or_default() += 1;
            }
        }
    }

    /// The step of the clock that measured almost all times, nanoseconds: a timeout can come from
    /// another clock. 0 without requests.
    pub fn step(&self) -> u64 {
        let all: u64 = self.blocks.values().sum();
        let mut finer = 0;
        let mut blocks = self.blocks.iter();
        let step = blocks.find(|(_, count)| {
            finer += *count;
            finer as f64 > FINER * all as f64
        });
        step.map_or(self.divisor, |(step, _)| *step)
    }

    /// Whether all times are multiples of the step.
    pub fn is_exact(&self) -> bool {
        self.divisor == self.step()
    }

    /// Every window from the first to the last with a request, also those without one.
    pub fn all_windows(&self) -> Vec<Window> {
        let (Some((first, _)), Some((last, _))) = (
            self.windows.first_key_value(),
            self.windows.last_key_value(),
        ) else {
            return Vec::new();
        };
        let count = last.saturating_sub(*first).saturating_add(1);
        if usize::try_from(count).map_or(true, |count| count > MOST_WINDOWS) {
            return Vec::new();
        }
        let window = |number| self.windows.get(&number).copied().unwrap_or_default();
        (*first..=*last).map(window).collect()
    }
}

fn divisor(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_of_a_clock_is_found() {
        let mut all = SingleRequests::default();
        for took in [3_000_000, 0, 12_000_000, 7_000_000] {
            all.add(0, took, true);
        }
        assert_eq!(all.step(), 1_000_000);
        for number in 0..2_000 {
            all.add(0, 1_000_000 * (1 + number % 3), true);
        }
        all.add(0, 30_000_000_001, true);
        assert_eq!(all.step(), 1_000_000);
        assert!(!all.is_exact());
    }

    #[test]
    fn windows_without_requests_are_between_the_others() {
        let mut all = SingleRequests::default();
        all.add(5, 1, true);
        all.add(3 * WINDOW, 1, false);
        let started: Vec<u64> = all.all_windows().iter().map(|each| each.started).collect();
        assert_eq!(started, [1, 0, 0, 1]);
        assert_eq!(all.failed_times.take().unwrap().len(), 1);
        all.add(0, 15_000_000, false);
        let median = all.failed_times.unwrap().value_at_quantile(0.5);
        assert!(median.abs_diff(15_000_000) < 20_000, "{median}");
        let mut far = SingleRequests::default();
        far.add(i64::MIN, 1, true);
        far.add(i64::MAX, u64::MAX, true);
        assert!(far.all_windows().is_empty());
    }
}
