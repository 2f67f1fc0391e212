//! Pauses in which clients wait for slow responses.

use tenbin_plan::sentence;
use tenbin_result::Severity;
use tenbin_result::format::{TIME, percent};

use super::{FEWEST, SECONDS, finding, listed, median};
use crate::findings::rule_info::{RuleInfo, Texts, pages};
use crate::lint::single_requests::{WINDOW, Window};
use crate::lint::{Files, LintFinding, Measurement};

/// A window is a pause if fewer than this share of the usual number of requests start in it.
const PAUSE: f64 = 0.1;
/// Fewest requests that usually start in a window, so that a window without one is no chance.
const FEWEST_STARTED: f64 = 5.0;
/// Numbers of windows that are taken together where fewer requests start.
const TOGETHER: [usize; 4] = [1, 2, 5, 10];
/// Share of the windows that must be pauses: from 1 % on, p99 is wrong.
const PAUSED: f64 = 0.01;
/// The pauses must also be this many times as many as random arrivals have.
const NO_CHANCE: f64 = 3.0;
/// Clients wait for a slow response if it takes this many times the median.
const SLOW: f64 = 2.0;
/// The clients of a run have started when a window has this share of the usual number of requests,
/// and stop after the last such window.
const ACTIVE: f64 = 0.5;

pub(in crate::lint) const RULE: RuleInfo = RuleInfo {
    name: "coordinated_omission",
    summary: Texts {
        english: "no requests were sent while others were slow, so slow periods count too little",
        japanese: "遅い応答を待つ間はリクエストを送らず、遅い時間帯が少なく数えられている",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("coordinated_omission"),
    ..RuleInfo::PLAIN
};

pub(in crate::lint) fn judge(files: &Files<'_>) -> Vec<LintFinding> {
    let all = listed(files);
    all.filter_map(|(file, of, _, windows)| {
        let (windows, length, usual) = joined(&windows, clock(of))?;
        let is_active = |window: &Window| window.started as f64 >= ACTIVE * usual;
        let first = windows.iter().position(is_active)?;
        let last = windows.iter().rposition(is_active)?;
        let times = of.listed.as_ref()?.times.as_ref()?;
        let slow = SLOW * times.value_at_quantile(0.5) as f64;
        // Windows and pauses in which a slow request was in progress, and others.
        let mut waiting = Windows::default();
        let mut others = Windows::default();
        // The end of the longest slow request that started before.
        let mut busy_until = 0.0_f64;
        let mut longest = 0_u64;
        for (at, window) in windows.iter().enumerate().take(last) {
            let is_pause = at > first && (window.started as f64) < PAUSE * usual;
            let kind = if busy_until > at as f64 {
                &mut waiting
            } else {
                &mut others
            };
            kind.all += 1;
            kind.paused += usize::from(is_pause);
            if window.longest as f64 > slow {
                busy_until = busy_until.max(at as f64 + window.longest as f64 / (length * 1e9));
            }
            longest = longest.max(window.longest);
        }
        let paused = waiting.paused;
        let share = paused as f64 / windows.len() as f64;
        let by_chance = NO_CHANCE * (-usual).exp();
        // Requests that arrive in groups pause without slow responses too.
        let is_for_responses = waiting.share() > NO_CHANCE * others.share();
        (share >= PAUSED.max(by_chance) && is_for_responses).then(|| {
            finding(
                &RULE,
                file,
                of,
                sentence!(
                    "lint-coordinated-omission",
                    "for {paused} of {all} almost no request started, because the clients waited for \
                     responses that took up to {longest}; a steady stream of requests would have met \
                     {share} of its time there",
                    paused = TIME.of(paused as f64 * length),
                    all = TIME.of(windows.len() as f64 * length),
                    longest = TIME.of(longest as f64 / 1e9),
                    share = percent(share)
                ),
                sentence!(
                    "lint-fixed-rate",
                    "send at a fixed rate, and count times from the planned start: tenbin http --rate"
                ),
            )
        })
    })
    .collect()
}

#[derive(Default)]
struct Windows {
    all: usize,
    paused: usize,
}

impl Windows {
    fn share(&self) -> f64 {
        self.paused as f64 / self.all.max(1) as f64
    }
}

/// The step of the clock of a list, nanoseconds.
fn clock(of: &Measurement) -> u64 {
    let listed = of.listed.as_ref();
    listed.map_or(0, |listed| {
        let single = listed.single.as_ref();
        let seen = single.map_or(0, |single| single.clock());
        seen.max(listed.rounding.clock)
    })
}

/// The windows, as many of them together as are needed for enough requests in each, with the length
/// of each in seconds and the usual number of requests. `None` if there are too few. `clock`: the step
/// of the clock, nanoseconds; within a step, no start is seen.
fn joined(windows: &[Window], clock: u64) -> Option<(Vec<Window>, f64, f64)> {
    let is_seen = |number: &usize| *number as u64 * WINDOW as u64 >= clock;
    TOGETHER.into_iter().filter(is_seen).find_map(|number| {
        let parts = windows.chunks(number);
        let sums: Vec<Window> = parts
            .map(|part| {
                part.iter().fold(Window::default(), |mut sum, window| {
                    sum.started += window.started;
                    sum.longest = sum.longest.max(window.longest);
                    sum
                })
            })
            .collect();
        let usual = median(sums.iter().map(|window| window.started as f64));
        let is_enough = usual >= FEWEST_STARTED && sums.len() >= FEWEST;
        is_enough.then_some((sums, number as f64 * SECONDS, usual))
    })
}
