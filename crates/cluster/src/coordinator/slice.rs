//! Slices that all agents measure together.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tenbin_engine::{Sample, SliceEvent, StageSums, TcpFigures};
use tenbin_plan::{Sentence, sentence};

use super::orders::ORDER_TIME;
use super::plausible::{MOST, is_possible, is_possible_cpu, is_possible_list};
use super::{Coordinator, Member, POLL, check};
use crate::clock::OtherClock;
use crate::error::ClusterError;
use crate::message::{CpuOfMachine, Happened, SliceDone, SliceOrder, What};
use crate::parts;

/// Shortest time between the order to start and the start, besides the round trips.
const START_MARGIN: Duration = Duration::from_millis(20);
/// How long after its planned end a slice may last, besides the timeout of requests.
const LAST_WAIT: Duration = Duration::from_secs(10);

/// Most load generator threads of an agent.
const MOST_THREADS: usize = 1_024;

/// A slice that all agents measure together.
#[derive(Debug, Clone)]
pub struct Slice<'a> {
    /// The order; [`SliceOrder::slice`] is set by the coordinator.
    pub order: SliceOrder,
    /// Names of the workload's operations.
    pub operations: &'a [&'static str],
    /// Timeout of requests, which limits the wait for connections and for the last responses.
    pub timeout: Duration,
}

/// The end of a slice that all agents measured.
#[derive(Debug)]
pub struct SliceOfAll {
    /// Sums and extremes over the agents; `spread` is known only of a single agent.
    pub done: SliceDone,
    /// [`SliceDone::report`] of each agent, in the order of their numbers.
    pub reports: Vec<Bytes>,
    /// Largest possible difference between the windows of two agents: of their starts and, if they
    /// sent a segment of a sequence, of their lengths. `None` with one agent.
    pub skew: Option<Duration>,
    /// What is known only of each agent, in the order of their numbers.
    pub agents: Vec<PartOfAgent>,
}

/// What the coordinator knows of one agent's part of a slice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartOfAgent {
    /// CPU use of the agent's machine.
    pub cpu: Option<CpuOfMachine>,
    /// Shortest round trip of the probes before the slice, nanoseconds.
    pub round_trip: Option<u64>,
    /// Shortest round trip from the agent to the target, nanoseconds.
    pub min_rtt: Option<u64>,
}

/// An agent's part of the running slice.
#[derive(Debug, Default)]
pub(super) struct Part {
    is_ready: bool,
    samples: u64,
    is_closed: bool,
    done: Option<SliceDone>,
}

impl Coordinator {
    /// Measures a slice on all agents at the same time. Passes the events to `listen`, with the
    /// samples of all agents. Setting `stop` ends the slice.
    ///
    /// # Errors
    /// [`ClusterError::Lost`] when an agent or samples of an agent are lost; another error when an
    /// agent cannot measure the slice. The slice is then void, and the agents are told to stop.
    pub fn slice(
        &mut self,
        slice: &Slice<'_>,
        stop: &AtomicBool,
        listen: &mut dyn FnMut(SliceEvent),
    ) -> Result<SliceOfAll, ClusterError> {
        self.number += 1;
        let driven = self.drive(slice, stop, listen);
        if driven.is_err() {
            self.stop_slice();
        }
        driven
    }

    fn drive(
        &mut self,
        slice: &Slice<'_>,
        stop: &AtomicBool,
        listen: &mut dyn FnMut(SliceEvent),
    ) -> Result<SliceOfAll, ClusterError> {
        self.catch_up()?;
        self.probe(stop)?;
        let longer = self.order_slice(slice)?;
        self.await_ready(slice, longer, stop)?;
        let start = self.start();
        RunningSlice {
            opens: start + Duration::from_nanos(slice.order.lead),
            longest: Duration::from_nanos(slice.order.window)
                + Duration::from_nanos(slice.order.rest.unwrap_or(0)),
            is_open: false,
            is_closed: false,
            is_stopped: false,
            closes_early: slice.order.rest.is_some(),
            coordinator: self,
            slice,
            listen,
        }
        .follow(stop)?;
        let mut all = self.sum(slice.order.rest.is_some());
        for member in &mut self.members {
            if let Some(done) = &mut member.slice.done {
                all.reports.push(std::mem::take(&mut done.report));
                let mut requests = std::mem::take(&mut done.requests);
                requests.sent_by(&member.intro.name);
                all.done.requests.add(requests);
            }
        }
        Ok(all)
    }

    /// Orders the slice from all agents. Returns how much later an order in parts may arrive.
    fn order_slice(&mut self, slice: &Slice<'_>) -> Result<Duration, ClusterError> {
        let number = self.number;
        let order = What::Slice(SliceOrder {
            slice: number,
            ..slice.order.clone()
        });
        let as_part = |part| What::Part { number, part };
        let order = parts::split(order, as_part).map_err(ClusterError::Agents)?;
        for member in &mut self.members {
            member.slice = Part::default();
            member.sends_parts = None;
        }
        Ok(self.order_in_parts(vec![order; self.members.len()]))
    }

    /// Waits until all agents are ready for a slice, whose order may arrive later by `longer`.
    fn await_ready(
        &mut self,
        slice: &Slice<'_>,
        longer: Duration,
        stop: &AtomicBool,
    ) -> Result<(), ClusterError> {
        let limit = Instant::now() + slice.timeout.min(ORDER_TIME) + longer + LAST_WAIT;
        let number = self.number;
        while self.members.iter().any(|member| !member.slice.is_ready) {
            check(stop)?;
            if Instant::now() > limit {
                return Err(self.unfinished(sentence!(
                    "connections-not-opened",
                    "did not open its connections in time"
                )));
            }
            match self.heard()? {
                Some((agent, Happened::Ready { slice }, _)) if slice == number => {
                    self.members[agent].slice.is_ready = true;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Orders all agents to start at the same time, which is returned.
    fn start(&self) -> Instant {
        let errors = self.members.iter().filter_map(|member| member.clock);
        let longest = errors.map(|clock| clock.error).max().unwrap_or(0);
        let start = Instant::now() + START_MARGIN + Duration::from_nanos(4 * longest);
        let here = self.now(start);
        for (agent, member) in self.members.iter().enumerate() {
            let at = member.clock.map_or(0, |clock| clock.at(here));
            let slice = self.number;
            self.order(agent, What::Start { slice, at });
        }
        start
    }

    fn stop_slice(&self) {
        self.order_all(&What::Stop { slice: self.number });
    }

    fn order_all(&self, what: &What) {
        for agent in 0..self.members.len() {
            self.order(agent, what.clone());
        }
    }

    /// The sample as this process would have made it.
    fn checked(
        &mut self,
        agent: usize,
        sequence: u64,
        mut sample: Sample,
        slice: &Slice<'_>,
    ) -> Result<Sample, ClusterError> {
        let agents = self.members.len();
        let operations = slice.operations;
        let member = &mut self.members[agent];
        if sequence != member.slice.samples {
            return Err(member.lost(lost_samples()));
        }
        member.slice.samples += 1;
        let last = nanos(slice.timeout + LAST_WAIT)
            .saturating_add(slice.order.window)
            .saturating_add(slice.order.rest.unwrap_or(0));
        let is_own = sample.thread % agents == agent && sample.thread < agents * MOST_THREADS;
        let is_then = sample.start <= sample.end && sample.end <= last;
        let is_possible = is_own && is_then && is_possible(&sample);
        if sample.ops.len() != operations.len() || !is_possible {
            return Err(impossible(&member.intro.name));
        }
        for (op, name) in sample.ops.iter_mut().zip(operations) {
            op.name = (*name).to_owned();
        }
        Ok(sample)
    }

    /// The sum over the agents. With a `segment`, all windows should have closed together.
    fn sum(&self, segment: bool) -> SliceOfAll {
        let parts = self.members.iter().filter_map(|it| it.slice.done.as_ref());
        let mut done = SliceDone::default();
        for part in parts {
            done.seconds = done.seconds.max(part.seconds);
            done.late = done.late.max(part.late);
            done.cut_short |= part.cut_short;
            done.unmeasured += part.unmeasured;
            done.tcp = match (done.tcp, part.tcp) {
                (Some(a), Some(b)) => Some(TcpFigures::and(a, b)),
                (a, b) => a.or(b),
            };
            if let Some(stages) = &part.stages {
                let sum = done.stages.get_or_insert_with(StageSums::default);
                sum.add(stages.clone());
            }
            if self.members.len() == 1 {
                done.spread = part.spread;
            }
        }
        let error = |member: &Member| {
            let clock = member.clock.map_or(0, |clock| clock.error);
            let done = member.slice.done.as_ref();
            clock + done.map_or(0, |done| done.late.min(nanos(LAST_WAIT)))
        };
        let mut errors: Vec<u64> = self.members.iter().map(error).collect();
        errors.sort_unstable_by(|a, b| b.cmp(a));
        let lengths = self.members.iter().filter_map(|it| it.slice.done.as_ref());
        let shortest = lengths
            .map(|part| part.seconds)
            .fold(done.seconds, f64::min);
        let ends = if segment {
            Duration::from_secs_f64(done.seconds - shortest)
        } else {
            Duration::ZERO
        };
        SliceOfAll {
            done,
            reports: Vec::new(),
            agents: self.members.iter().map(Member::part).collect(),
            skew: (errors.len() > 1)
                .then(|| Duration::from_nanos(errors.iter().take(2).sum()) + ends),
        }
    }

    /// The error for the first agent that has not done its part of the slice.
    fn unfinished(&self, what: Sentence) -> ClusterError {
        let is_missing = |member: &&Member| {
            if member.slice.is_ready {
                member.slice.done.is_none()
            } else {
                true
            }
        };
        match self.members.iter().find(is_missing) {
            Some(member) => member.lost(what),
            None => ClusterError::Agents(sentence!("some-agent-does", "an agent {what}", what)),
        }
    }
}

/// A slice that all agents have been told to start.
struct RunningSlice<'a> {
    coordinator: &'a mut Coordinator,
    slice: &'a Slice<'a>,
    listen: &'a mut dyn FnMut(SliceEvent),
    /// When the window opens.
    opens: Instant,
    /// Planned length of the window, with the time to finish a segment of a sequence.
    longest: Duration,
    is_open: bool,
    is_closed: bool,
    is_stopped: bool,
    /// Whether all windows close as soon as one agent has closed its own.
    closes_early: bool,
}

impl RunningSlice<'_> {
    /// Reads the messages of the agents until all of them have done their part.
    fn follow(&mut self, stop: &AtomicBool) -> Result<(), ClusterError> {
        let is_missing = |member: &Member| member.slice.done.is_none();
        while self.coordinator.members.iter().any(is_missing) {
            if stop.load(Ordering::Relaxed) && !self.is_stopped {
                self.is_stopped = true;
                self.coordinator.stop_slice();
            }
            if Instant::now() > self.limit() {
                return Err(self.coordinator.unfinished(sentence!(
                    "slice-not-ended",
                    "did not end the slice in time"
                )));
            }
            if Instant::now() >= self.opens {
                self.open();
            }
            match self.coordinator.next(self.wait())? {
                Some((agent, happened, _)) => self.take(agent, happened)?,
                None => self.coordinator.check_alive()?,
            }
        }
        Ok(())
    }

    /// When the slice must have ended. An agent that still sends its result in parts has more time.
    fn limit(&self) -> Instant {
        let planned = self.opens + self.longest + self.slice.timeout + LAST_WAIT;
        let members = self.coordinator.members.iter();
        let parts = members.filter_map(|member| member.sends_parts);
        parts.map(|at| at + LAST_WAIT).fold(planned, Instant::max)
    }

    fn wait(&self) -> Duration {
        if self.is_open {
            POLL
        } else {
            POLL.min(self.opens.saturating_duration_since(Instant::now()))
        }
    }

    fn open(&mut self) {
        if !self.is_open {
            self.is_open = true;
            (self.listen)(SliceEvent::Opened);
        }
    }

    /// Takes an event of an agent; ignores events of earlier slices.
    fn take(&mut self, agent: usize, happened: Happened) -> Result<(), ClusterError> {
        let number = self.coordinator.number;
        match happened {
            Happened::Sample {
                slice,
                sequence,
                sample,
            } if slice == number => self.sampled(agent, sequence, *sample)?,
            Happened::Closed { slice } if slice == number => self.window_closed(agent),
            Happened::Done {
                slice,
                samples,
                done,
            } if slice == number => self.part_done(agent, samples, done)?,
            _ => {}
        }
        self.close();
        Ok(())
    }

    fn sampled(&mut self, agent: usize, sequence: u64, sample: Sample) -> Result<(), ClusterError> {
        self.open();
        let sample = self
            .coordinator
            .checked(agent, sequence, sample, self.slice)?;
        (self.listen)(SliceEvent::Sample(Box::new(sample)));
        Ok(())
    }

    fn window_closed(&mut self, agent: usize) {
        self.coordinator.members[agent].slice.is_closed = true;
        if std::mem::take(&mut self.closes_early) {
            let slice = self.coordinator.number;
            self.coordinator.order_all(&What::Close { slice });
        }
    }

    fn part_done(
        &mut self,
        agent: usize,
        samples: u64,
        done: SliceDone,
    ) -> Result<(), ClusterError> {
        let member = &mut self.coordinator.members[agent];
        if samples != member.slice.samples {
            return Err(member.lost(lost_samples()));
        }
        if done.cut_short && !self.is_stopped {
            return Err(member.lost(sentence!(
                "slice-ended-early",
                "ended the slice early: it was interrupted, or suspended for longer than 3 s"
            )));
        }
        let longest = self.longest + LAST_WAIT;
        let is_time = (0.0..=longest.as_secs_f64()).contains(&done.seconds);
        let is_possible = is_time
            && done.unmeasured <= MOST
            && done.cpu.is_none_or(is_possible_cpu)
            && is_possible_list(&done.requests);
        if !is_possible {
            return Err(impossible(&member.intro.name));
        }
        member.slice.done = Some(done);
        Ok(())
    }

    /// Reports the end of the window once every agent has closed it.
    fn close(&mut self) {
        let through = |member: &Member| member.slice.is_closed || member.slice.done.is_some();
        if !self.is_closed && self.coordinator.members.iter().all(through) {
            self.is_closed = true;
            (self.listen)(SliceEvent::Closed);
        }
    }
}

impl Member {
    fn part(&self) -> PartOfAgent {
        let done = self.slice.done.as_ref();
        PartOfAgent {
            cpu: done.and_then(|done| done.cpu),
            round_trip: self.clock.map(OtherClock::round_trip),
            min_rtt: done.and_then(|done| done.tcp?.min_rtt),
        }
    }
}

fn lost_samples() -> Sentence {
    sentence!("samples-lost", "has sent samples that did not arrive")
}

fn impossible(agent: &str) -> ClusterError {
    ClusterError::Agents(sentence!(
        "figures-impossible",
        "agent \"{agent}\" sent figures that this slice cannot have; use the same build of Tenbin \
         on all machines",
        agent
    ))
}

fn nanos(length: Duration) -> u64 {
    u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)
}
