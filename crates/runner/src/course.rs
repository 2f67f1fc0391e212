//! The same requests for every target: which segment of its sequence a workload sends next.
//!
//! The rule is in docs/architecture.md, "The same requests for every target".

use std::time::Duration;

use tenbin_engine::shares;
use tenbin_plan::{LONGEST_SLICE, Load, Pace, Plan, Workload};
use tenbin_record::Segment;
use tenbin_workloads::{Position, Prepared};

use crate::live_target::LiveTarget;

/// The window of a slice that ends by count closes after this multiple of the planned one
/// at the latest.
const CAP: f64 = 3.0;
/// The rest of a segment is sent for this multiple of the planned slice at the latest.
const LONGEST_REST: u32 = 10;
/// The shortest limit on the rest of a segment.
const SHORTEST_REST: Duration = Duration::from_secs(5);
/// Requests of each connection from which the rates of the targets are taken first.
const PROBING: usize = 2;
/// The length of a slice that the limits on that are taken from.
const PROBE: Duration = Duration::from_secs(1);
/// Parts of a warm-up, as shares of it: each is as long as the rates in the one before it
/// let expect.
const PARTS: [f64; 2] = [0.2, 0.8];

/// The courses of all workloads.
pub(crate) struct Courses(Vec<Option<Course>>);

impl Courses {
    /// A course for every workload of which it matters which requests a target is sent,
    /// where there are several targets. `prepared` are those of one target.
    pub(crate) fn new(plan: &Plan, prepared: &[Box<dyn Prepared>]) -> Self {
        let targets = plan.targets.len();
        let works = plan.workloads.iter().zip(prepared);
        let courses = works.map(|(work, prepared)| {
            let is_paired = targets > 1 && work.search().is_none();
            (is_paired && prepared.position().is_some()).then(|| Course::new(targets))
        });
        Self(courses.collect())
    }

    /// The course of a workload; `None` where a target is sent what the time allows.
    pub(crate) fn of(&mut self, workload: usize) -> Option<&mut Course> {
        self.0.get_mut(workload)?.as_mut()
    }
}

/// How the targets go through the sequence of one workload, segment after segment. Each
/// target has its own turn at each of them.
#[derive(Debug)]
pub(crate) struct Course {
    /// Where each segment ends, by worker.
    ends: Vec<Vec<u64>>,
    /// By target: the segments that it is through with.
    done: Vec<usize>,
    /// The first segments that are only parts of a warm-up or, without one, of nothing.
    parts: usize,
    /// By target: requests a second when it was last measured.
    rates: Vec<Option<f64>>,
}

/// How the next slice of a target is driven.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stretch {
    /// Requests that it sends; without, it ends by time.
    pub(crate) requests: Option<u64>,
    /// Its unmeasured head.
    pub(crate) lead: Duration,
    /// The longest measured window.
    pub(crate) window: Duration,
    /// The longest time for what is left of the segment then.
    pub(crate) rest: Option<Duration>,
}

impl Course {
    fn new(targets: usize) -> Self {
        Self {
            ends: Vec::new(),
            done: vec![0; targets],
            parts: 0,
            rates: vec![None; targets],
        }
    }

    /// Puts the workload at the segment that the target sends next, in a slice that is
    /// planned to last for `lead` and `window`.
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
        };
        let segment = self.done[target];
        if let Some(start) = segment.checked_sub(1).and_then(|last| self.ends.get(last)) {
            prepared.skip_to(start);
        }
        // In an open loop all targets meet the same arrivals in the same time.
        if load.pace != Pace::Closed {
            return plain;
        }
        // A target that does nothing has no position in the sequence.
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
        // All targets send about the same part of the segment in their leads.
        let stretched = match self.rates[target] {
            Some(rate) => requests as f64 / (rate * (lead + window).as_secs_f64()),
            None => 1.0,
        };
        Stretch {
            requests: Some(requests),
            lead: lead.mul_f64(stretched.clamp(0.0, CAP)),
            window: window.mul_f64(CAP),
            rest,
        }
    }

    /// The target has been sent a segment, `rate` requests a second in the measured window
    /// if that is known. Where it ended by time, the others follow.
    pub(crate) fn end(&mut self, target: usize, prepared: &mut dyn Prepared, rate: Option<f64>) {
        prepared.ends_at(None);
        let segment = self.done[target];
        let at = prepared.position().map(|position| position.workers);
        match (self.ends.get_mut(segment), at) {
            (_, None) => {}
            (None, Some(at)) => self.ends.push(at),
            // In an open loop arrivals may be lost.
            (Some(ends), Some(at)) => ends
                .iter_mut()
                .zip(at)
                .for_each(|(end, at)| *end = at.max(*end)),
        }
        if segment < self.parts {
            prepared.goes_on();
        }
        self.done[target] += 1;
        if let Some(rate) = rate.filter(|rate| *rate > 0.0) {
            self.rates[target] = Some(rate);
        }
    }

    /// Lets all targets be sent a few requests first, by which their rates are known, and
    /// tells how long the parts of the warm-up after that are to last; `None` where segments
    /// do not follow from rates.
    pub(crate) fn probe(
        &mut self,
        load: &Load,
        warmup: Duration,
        at: &[u64],
    ) -> Option<Vec<Duration>> {
        if load.pace != Pace::Closed || load.requests.is_some() || !self.ends.is_empty() {
            return None;
        }
        let total = (load.connections * load.depth * PROBING) as u64;
        let each = shares(total, load.connections, at.len());
        self.ends
            .push(at.iter().zip(each).map(|(at, share)| at + share).collect());
        // The first is for the probe itself.
        let parts = PARTS.iter().map(|part| warmup.mul_f64(*part));
        let parts = parts.filter(|part| !part.is_zero());
        let parts: Vec<_> = [PROBE].into_iter().chain(parts).collect();
        self.parts = (parts.len() - 1).max(1);
        Some(parts)
    }

    /// Requests of a segment that lasts about that long, by the geometric mean of the
    /// targets' rates, and not much longer on the slowest of them. As the plan says where it
    /// does.
    fn size(&self, load: &Load, length: Duration) -> Option<u64> {
        if load.requests.is_some() {
            return load.requests;
        }
        let rates: Vec<f64> = self.rates.iter().copied().collect::<Option<_>>()?;
        let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let logs: f64 = rates.iter().map(|rate| rate.ln()).sum();
        let mean = (logs / rates.len() as f64).exp();
        let total = mean.min(slowest * LONGEST_SLICE) * length.as_secs_f64();
        let users = (load.connections * load.depth) as f64;
        Some(total.max(users).round() as u64)
    }

    /// What the next slices send, in a sentence; `None` where they end by time, or as the
    /// plan says. `names` are those of the targets.
    pub(crate) fn sentence(
        &self,
        work: &Workload,
        names: &[&str],
        length: Duration,
    ) -> Option<String> {
        if work.load.pace != Pace::Closed || work.load.requests.is_some() {
            return None;
        }
        let total = self.size(&work.load, length)?;
        let times = names.iter().zip(&self.rates).filter_map(|(name, rate)| {
            let seconds = total as f64 / (*rate)?;
            Some(format!("about {seconds:.2} s on \"{name}\""))
        });
        let times: Vec<String> = times.collect();
        Some(format!(
            "workload \"{}\": every target is sent the same requests, at first {total} in each \
             slice: {}",
            work.name,
            times.join(", ")
        ))
    }
}

/// Lets a slice read no more things than are there on every target.
pub(crate) fn level(
    live_targets: &mut [LiveTarget],
    courses: &mut Courses,
    workload: usize,
    target: usize,
) {
    let Some(course) = courses.of(workload) else {
        return;
    };
    let slice = course.done[target].saturating_sub(course.parts);
    let readable = live_targets
        .iter()
        .map(|live| live.prepared[workload].readable(slice));
    let least = readable.collect::<Option<Vec<u64>>>();
    let least = least.and_then(|all| all.into_iter().min());
    // With nothing on one of them, each reads what it has, and that is told elsewhere.
    if let Some(things) = least.filter(|&things| things > 0) {
        live_targets[target].prepared[workload].read_only(things);
    }
}

/// What is recorded of a segment.
pub(crate) fn recorded(
    from: &Position,
    to: &Position,
    planned: Option<u64>,
    unmeasured: u64,
) -> Segment {
    Segment {
        from: from.total(),
        to: to.total(),
        planned,
        unmeasured,
        skipped: to.skipped,
        digest: to.digest.map(|digest| format!("{digest:016x}")),
    }
}
