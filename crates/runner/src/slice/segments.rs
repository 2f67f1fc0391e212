//! Divides a workload's request sequence into segments, so that every target receives the same
//! requests.
//!
//! The rule is in docs/architecture.md, "The same requests for every target".

use std::time::Duration;

use tenbin_engine::shares;
use tenbin_plan::{LONGEST_SLICE, Load, Pace, Plan, Sentence, Workload, sentence};
use tenbin_record::Segment;
use tenbin_workloads::{Position, Prepared};

use crate::target::live::LiveTarget;

/// Maximum window of a slice that ends after a number of requests, as a multiple of the planned
/// window.
const CAP: f64 = 3.0;
/// Shortest measured part of a slice of the fastest target. If the slowest target cannot be sent as
/// many requests in [`LONGEST_SLICE`] slices, it is sent only the first part of each segment.
const LEAST_SLICE: f64 = 0.3;
/// Longest time for the rest of a segment after the window, as a multiple of the planned slice.
const LONGEST_REST: u32 = 10;
/// Lower bound of the time limit for the rest of a segment.
const SHORTEST_REST: Duration = Duration::from_secs(5);
/// Requests per connection in the first segment, which measures the rates of the targets.
const PROBING: usize = 2;
/// Index of the segment after the first one.
const AFTER_PROBE: usize = 1;
/// Slice length from which the time limits of the first segment are computed.
const PROBE: Duration = Duration::from_secs(1);
/// Parts of a warm-up, as shares of its length. The number of requests in each part is computed
/// from the rates measured before that part.
const PARTS: [f64; 2] = [0.2, 0.8];

/// The segments of all workloads, by workload index.
pub(crate) struct AllSegments(Vec<Option<Segments>>);

impl AllSegments {
    /// Creates segments for each workload whose figures depend on which requests are sent, except
    /// maximum-rate searches. A plan with one target has no segments. `prepared` holds the
    /// workloads of one target.
    pub(crate) fn new(plan: &Plan, prepared: &[Box<dyn Prepared>]) -> Self {
        let targets = plan.targets.len();
        let works = plan.workloads.iter().zip(prepared);
        let segments = works.map(|(work, prepared)| {
            let is_paired = targets > 1 && work.search().is_none();
            (is_paired && prepared.position().is_some()).then(|| Segments::new(targets))
        });
        Self(segments.collect())
    }

    /// The segments of a workload; `None` for a workload without segments: see [`Self::new`].
    pub(crate) fn of_workload(&mut self, workload: usize) -> Option<&mut Segments> {
        self.0.get_mut(workload)?.as_mut()
    }

    /// Whether `target` is behind in the segments of a workload: see [`Segments::is_behind`].
    pub(crate) fn is_behind(&self, target: usize) -> bool {
        let mut all = self.0.iter().flatten();
        all.any(|segments| segments.is_behind(target))
    }
}

/// The segments of one workload's request sequence, and each target's position in the list of
/// segments. Every target receives every segment.
#[derive(Debug)]
pub(crate) struct Segments {
    /// End of each segment, as a position in the request sequence of each worker.
    ends: Vec<Vec<u64>>,
    /// By target: number of segments received.
    done: Vec<usize>,
    /// By target: number of segments received completely or in part.
    started: Vec<usize>,
    /// Number of warm-up segments that another warm-up segment follows: the probe and all warm-up
    /// parts except the last.
    parts: usize,
    /// By target: requests per second at the last measurement.
    rates: Vec<Option<f64>>,
}

/// How to drive the next slice of a target.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stretch {
    /// Number of requests to send; `None` if the slice ends by time.
    pub(crate) requests: Option<u64>,
    /// Settling time before the measured window.
    pub(crate) lead: Duration,
    /// Maximum length of the measured window.
    pub(crate) window: Duration,
    /// Maximum time after the window for the rest of the segment.
    pub(crate) rest: Option<Duration>,
    /// Whether the target is so much slower than another that it is sent only the first part of
    /// the segment, for [`LONGEST_SLICE`] slices.
    pub(crate) is_prefix: bool,
}

impl Stretch {
    /// Requests per second of a slice that completed `ended` requests in a window of `seconds`. If
    /// the segment ended before the window opened, this is a lower bound: all requests fitted into
    /// the settling time.
    pub(crate) fn rate(&self, ended: u64, seconds: f64) -> Option<f64> {
        let (requests, time) = match (ended, self.requests) {
            (0, Some(all)) if !self.is_prefix => (all, self.lead.as_secs_f64()),
            _ => (ended, seconds),
        };
        (time > 0.0).then(|| requests as f64 / time)
    }
}

impl Segments {
    fn new(targets: usize) -> Self {
        Self {
            ends: Vec::new(),
            done: vec![0; targets],
            started: vec![0; targets],
            parts: 0,
            rates: vec![None; targets],
        }
    }

    /// Moves the workload to the target's next segment, for a slice planned to last `lead` and
    /// `window`.
    pub(crate) fn begin(
        &mut self,
        target: usize,
        prepared: &mut dyn Prepared,
        load: &Load,
        (lead, window): (Duration, Duration),
    ) -> Stretch {
        let plain = Stretch {
            requests: None,
            lead,
            window,
            rest: None,
            is_prefix: false,
        };
        let segment = self.done[target];
        self.started[target] = segment + 1;
        if let Some(start) = segment.checked_sub(1).and_then(|last| self.ends.get(last)) {
            prepared.skip_to(start);
        }
        // In an open loop, all targets receive the same arrivals in the same time.
        if load.pace != Pace::Closed {
            return plain;
        }
        // A workload without operations on this target has no position in the sequence.
        let Some(Position { workers: at, .. }) = prepared.position() else {
            return plain;
        };
        if segment == self.ends.len()
            && let Some(total) = self.size(load, lead + window)
        {
            let each = shares(total, load.connections, at.len());
            let ends = at.iter().zip(each).map(|(at, share)| at + share);
            self.ends.push(ends.collect());
        }
        let Some(ends) = self.ends.get(segment) else {
            return plain;
        };
        prepared.ends_at(Some(ends));
        let left = ends
            .iter()
            .zip(&at)
            .map(|(end, at)| end.saturating_sub(*at));
        let requests = left.sum::<u64>();
        let rest = Some((window * LONGEST_REST).max(SHORTEST_REST));
        if load.requests.is_some() {
            return Stretch {
                requests: Some(requests),
                rest,
                ..plain
            };
        }
        // A fast target receives about the same part of the segment before the window as if it
        // were slow. The settling time of a slow one does not grow: if it is faster than in its last
        // slice, the whole segment could end before the window opens.
        let stretched = match self.rates[target] {
            Some(rate) => requests as f64 / (rate * (lead + window).as_secs_f64()),
            None => 1.0,
        };
        if stretched > CAP {
            return Stretch {
                requests: Some(requests),
                window: window.mul_f64(LONGEST_SLICE),
                is_prefix: true,
                ..plain
            };
        }
        // The probe is a few requests of a cold server, so the rate may be far higher than it says.
        // With a settling time, the whole segment could end before the window opens.
        let settling = match segment {
            AFTER_PROBE => 0.0,
            _ => stretched.clamp(0.0, 1.0),
        };
        Stretch {
            requests: Some(requests),
            is_prefix: false,
            lead: lead.mul_f64(settling),
            window: window.mul_f64(CAP),
            rest,
        }
    }

    /// Moves the workload to the end of the target's last segment, for a continuous stretch. All
    /// targets start the stretch at the same request; a stretch ends by time, so that a slower
    /// target is sent only the first part of what a faster target is sent.
    pub(crate) fn begin_sustained(&self, target: usize, prepared: &mut dyn Prepared) {
        prepared.ends_at(None);
        let last = self.done[target].checked_sub(1);
        if let Some(start) = last.and_then(|last| self.ends.get(last)) {
            prepared.skip_to(start);
        }
    }

    /// Whether `target` has not received all of a segment that a target has started to receive,
    /// which happens if a part of the run is void. The segment must not be measured: a target that
    /// started it may have cached its responses.
    pub(crate) fn is_behind(&self, target: usize) -> bool {
        let most = self.started.iter().max();
        most.is_some_and(|most| self.done[target] < *most)
    }

    /// Records that the target has received a segment, at `rate` requests per second in the
    /// measured window if known. If the slice ended by time, the segment ends at the current
    /// position for all targets.
    pub(crate) fn end(&mut self, target: usize, prepared: &mut dyn Prepared, rate: Option<f64>) {
        prepared.ends_at(None);
        let segment = self.done[target];
        let at = prepared.position().map(|position| position.workers);
        match (self.ends.get_mut(segment), at) {
            (_, None) => {}
            (None, Some(at)) => self.ends.push(at),
            // In an open loop, requests may have been dropped.
            (Some(ends), Some(at)) => ends
                .iter_mut()
                .zip(at)
                .for_each(|(end, at)| *end = at.max(*end)),
        }
        if segment < self.parts {
            prepared.continue_slice();
        }
        self.done[target] += 1;
        if let Some(rate) = rate.filter(|rate| *rate > 0.0) {
            self.rates[target] = Some(rate);
        }
    }

    /// Adds a first segment of a few requests, the probe, that measures the rates of the targets.
    /// Returns the lengths of the probe and of the warm-up parts after it; `None` if segment sizes
    /// are not computed from rates, or the rates are known.
    pub(crate) fn probe(
        &mut self,
        load: &Load,
        warmup: Duration,
        at: &[u64],
    ) -> Option<Vec<Duration>> {
        if load.pace != Pace::Closed || load.requests.is_some() {
            return None;
        }
        if !self.ends.is_empty() {
            // The warm-up was interrupted by the loss of an agent. It is repeated in one part.
            self.parts = self.parts.min(self.ends.len());
            return None;
        }
        let total = (load.connections * load.depth * PROBING) as u64;
        let each = shares(total, load.connections, at.len());
        self.ends
            .push(at.iter().zip(each).map(|(at, share)| at + share).collect());
        // The first part is the probe.
        let parts = PARTS.iter().map(|part| warmup.mul_f64(*part));
        let parts = parts.filter(|part| !part.is_zero());
        let parts: Vec<_> = [PROBE].into_iter().chain(parts).collect();
        self.parts = (parts.len() - 1).max(1);
        Some(parts)
    }

    /// Number of requests in a segment that lasts about `length`, computed from the geometric mean
    /// of the targets' rates and limited for the slowest target, but enough for [`LEAST_SLICE`] on
    /// the fastest. A count in the plan takes precedence.
    fn size(&self, load: &Load, length: Duration) -> Option<u64> {
        if load.requests.is_some() {
            return load.requests;
        }
        let rates: Vec<f64> = self.rates.iter().copied().collect::<Option<_>>()?;
        let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let logs: f64 = rates.iter().map(|rate| rate.ln()).sum();
        let mean = (logs / rates.len() as f64).exp();
        let fastest = rates.iter().copied().fold(0.0, f64::max);
        let rate = mean.min(slowest * LONGEST_SLICE).max(fastest * LEAST_SLICE);
        let total = rate * length.as_secs_f64();
        let users = (load.connections * load.depth) as f64;
        Some(total.max(users).round() as u64)
    }

    /// Returns one sentence with the number of requests in the next slices; `None` if slices end by
    /// time or by a count in the plan. `names` holds the target names.
    pub(crate) fn sentence(
        &self,
        work: &Workload,
        names: &[&str],
        length: Duration,
    ) -> Option<Sentence> {
        if work.load.pace != Pace::Closed || work.load.requests.is_some() {
            return None;
        }
        let total = self.size(&work.load, length)?;
        let longest = CAP * length.as_secs_f64();
        let times = names.iter().zip(&self.rates).filter_map(|(name, rate)| {
            let seconds = total as f64 / (*rate)?;
            if seconds > longest {
                let share = LONGEST_SLICE * length.as_secs_f64() / seconds;
                return Some(sentence!(
                    "sent-first-only",
                    "\"{target}\" is so much slower that it is sent only the first {share}",
                    target = name,
                    share = tenbin_plan::percent(share)
                ));
            }
            Some(sentence!(
                "seconds-on",
                "about {seconds} s on \"{target}\"",
                seconds = format!("{seconds:.2}"),
                target = name
            ))
        });
        let times: Vec<Sentence> = times.collect();
        let texts: Vec<&str> = times.iter().map(Sentence::text).collect();
        let same = sentence!(
            "same-requests",
            "workload \"{workload}\": every target is sent the same requests, at first {requests} in \
             each slice: {times}",
            workload = work.name,
            requests = total,
            times = texts.join(", ")
        );
        Some(same.with_part("times", times))
    }
}

/// Limits the objects that a slice reads to the number that every target has.
pub(crate) fn level(
    live_targets: &mut [LiveTarget],
    segments: &mut AllSegments,
    workload: usize,
    target: usize,
) {
    let Some(sequence) = segments.of_workload(workload) else {
        return;
    };
    let slice = sequence.done[target].saturating_sub(sequence.parts);
    let readable = live_targets
        .iter()
        .map(|live| live.prepared[workload].readable(slice));
    let least = readable.collect::<Option<Vec<u64>>>();
    let least = least.and_then(|all| all.into_iter().min());
    // If a target has no objects, each target reads its own objects; another check reports the
    // problem.
    if let Some(things) = least.filter(|&things| things > 0) {
        live_targets[target].prepared[workload].limit_reads(things);
    }
}

/// The entry of a segment in the record of its slice.
pub(crate) fn recorded(
    from: &Position,
    to: &Position,
    stretch: Option<&Stretch>,
    unmeasured: u64,
) -> Segment {
    Segment {
        is_prefix: stretch.is_some_and(|stretch| stretch.is_prefix),
        from: from.total(),
        to: to.total(),
        planned: stretch.and_then(|stretch| stretch.requests),
        unmeasured,
        skipped: to.skipped,
        digest: to.digest.map(|digest| format!("{digest:016x}")),
    }
}

#[cfg(test)]
mod tests {
    use tenbin_engine::Workload as EngineWorkload;
    use tenbin_workloads::{Observation, Sequence, SetUp, Stage, Stateless, StoresNothing};

    use super::*;

    /// A workload of one worker that sends 10 requests per slice.
    struct Counted(u64);

    impl Prepared for Counted {
        fn slice(&mut self) -> Vec<Box<dyn EngineWorkload>> {
            self.0 += 10;
            Vec::new()
        }

        fn slice_done(&mut self, _workers: Vec<Box<dyn EngineWorkload>>) {}
    }

    impl SetUp for Counted {
        fn check(&mut self) -> Option<Stage> {
            None
        }

        fn before_run(&mut self) -> Option<Stage> {
            None
        }
    }

    impl Sequence for Counted {
        fn position(&self) -> Option<Position> {
            Some(Position {
                workers: vec![self.0],
                skipped: 0,
                digest: None,
            })
        }

        fn ends_at(&mut self, _ends: Option<&[u64]>) {}

        fn skip_to(&mut self, _position: &[u64]) {}
    }

    impl Observation for Counted {}

    impl Stateless for Counted {}

    impl StoresNothing for Counted {}

    #[test]
    fn very_unequal_targets_measure_enough_and_the_slow_one_gets_a_prefix() {
        let load = Load::closed(8);
        let planned = (Duration::from_millis(100), Duration::from_secs(1));
        let stretches = |rates: [f64; 2]| {
            let mut segments = Segments::new(2);
            segments.rates = rates.map(Some).to_vec();
            [0, 1].map(|target| segments.begin(target, &mut Counted(0), &load, planned))
        };
        for (fast, slow) in [(6_000.0, 4.0), (6_000.0, 400.0), (1e6, 0.5)] {
            let [first, second] = stretches([fast, slow]);
            let requests = first.requests.unwrap() as f64;
            assert!(requests / fast >= LEAST_SLICE, "{fast} {slow}: {first:?}");
            assert!(!first.is_prefix && second.is_prefix, "{second:?}");
            assert_eq!(second.window, Duration::from_millis(2_500), "bounded");
            assert_eq!(second.rest, None, "bounded");
        }
        for (fast, slow) in [(1_000.0, 1_000.0), (1_000.0, 200.0)] {
            let [first, second] = stretches([fast, slow]);
            assert!(!first.is_prefix && !second.is_prefix, "{fast} {slow}");
            assert!(second.rest.is_some());
        }
    }

    #[test]
    fn a_rate_that_the_probe_measured_far_too_low_does_not_leave_a_slice_without_requests() {
        let load = Load::closed(1);
        let planned = (Duration::from_millis(50), Duration::from_secs(1));
        let mut segments = Segments::new(2);
        segments.ends.push(vec![2]);
        segments.done = vec![1, 1];
        segments.rates = vec![Some(192.0), Some(65.0)];
        let stretch = segments.begin(0, &mut Counted(2), &load, planned);
        assert_eq!(stretch.lead, Duration::ZERO);
        // Later, a slice whose requests all ended in the settling time corrects the rate.
        let late = Stretch {
            requests: Some(200),
            lead: Duration::from_millis(50),
            ..stretch
        };
        assert_eq!(late.rate(0, 0.0), Some(4_000.0));
        assert_eq!(late.rate(100, 0.5), Some(200.0));
    }

    #[test]
    fn a_segment_that_one_target_has_started_is_missing_on_every_target() {
        let mut segments = Segments::new(2);
        let mut targets = [Counted(0), Counted(0)];
        let load = Load::closed(1);
        let planned = (Duration::ZERO, Duration::from_secs(1));
        let is_behind = |segments: &Segments| [0, 1].map(|target| segments.is_behind(target));
        let mut receive = |segments: &mut Segments, target: usize, is_void: bool| {
            let prepared = &mut targets[target];
            segments.begin(target, prepared, &load, planned);
            prepared.slice();
            if !is_void {
                segments.end(target, prepared, None);
            }
        };
        receive(&mut segments, 0, false);
        assert_eq!(is_behind(&segments), [false, true]);
        receive(&mut segments, 1, false);
        assert_eq!(is_behind(&segments), [false, false]);
        receive(&mut segments, 0, true);
        assert_eq!(is_behind(&segments), [true, true]);
        receive(&mut segments, 1, false);
        assert_eq!(is_behind(&segments), [true, false]);
        receive(&mut segments, 0, false);
        assert_eq!(is_behind(&segments), [false, false]);
    }
}
