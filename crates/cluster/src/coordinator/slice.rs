//! Slices that all agents measure together.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tenbin_engine::{Sample, SliceEvent, StageSums, TcpFigures};

use super::orders::ORDER_TIME;
use super::{Coordinator, Member, POLL, check};
use crate::clock::OtherClock;
use crate::error::ClusterError;
use crate::message::{CpuOfMachine, Happened, SliceDone, SliceOrder, What};
use crate::parts;

/// Shortest time between the order to start and the start, besides the round trips.
const START_MARGIN: Duration = Duration::from_millis(20);
/// How long after its planned end a slice may last, besides the timeout of requests.
const LAST_WAIT: Duration = Duration::from_secs(10);

const LOST_SAMPLES: &str = "has sent samples that did not arrive";
const ENDED_EARLY: &str =
    "ended the slice early: it was interrupted, or suspended for longer than 3 s";

/// Most load generator threads of an agent.
const MOST_THREADS: usize = 1_024;
/// Most cores of a machine.
const MOST_CORES: f64 = 65_536.0;
/// Largest count that a thread can reach in a second, and largest number of bytes.
const MOST: u64 = 1 << 48;

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
        let longer = self.order_in_parts(vec![order; self.members.len()]);
        self.await_ready(slice, longer, stop)?;
        let start = self.start();
        let opens = start + Duration::from_nanos(slice.order.lead);
        let planned = Duration::from_nanos(slice.order.window);
        let rest = Duration::from_nanos(slice.order.rest.unwrap_or(0));
        let limit = opens + planned + rest + slice.timeout + LAST_WAIT;
        let (mut opened, mut closed, mut stopped) = (false, false, false);
        let mut closes_early = slice.order.rest.is_some();
        while self
            .members
            .iter()
            .any(|member| member.slice.done.is_none())
        {
            if stop.load(Ordering::Relaxed) && !stopped {
                stopped = true;
                self.stop_slice();
            }
            let parts = self.members.iter().filter_map(|it| it.sends_parts);
            let limit = parts.map(|at| at + LAST_WAIT).fold(limit, Instant::max);
            if Instant::now() > limit {
                return Err(self.unfinished("did not end the slice in time"));
            }
            if !opened && Instant::now() >= opens {
                opened = true;
                listen(SliceEvent::Opened);
            }
            let until_open = opens.saturating_duration_since(Instant::now());
            let wait = if opened { POLL } else { POLL.min(until_open) };
            let Some((agent, happened, _)) = self.next(wait)? else {
                self.check_alive()?;
                continue;
            };
            match happened {
                Happened::Sample {
                    slice: of,
                    sequence,
                    sample,
                } if of == number => {
                    if !opened {
                        opened = true;
                        listen(SliceEvent::Opened);
                    }
                    let sample = self.checked(agent, sequence, *sample, slice)?;
                    listen(SliceEvent::Sample(Box::new(sample)));
                }
                Happened::Closed { slice: of } if of == number => {
                    self.members[agent].slice.is_closed = true;
                    if std::mem::take(&mut closes_early) {
                        self.order_all(&What::Close { slice: number });
                    }
                }
                Happened::Done {
                    slice: of,
                    samples,
                    done,
                } if of == number => {
                    let member = &mut self.members[agent];
                    if samples != member.slice.samples {
                        return Err(member.lost(LOST_SAMPLES));
                    }
                    if done.cut_short && !stopped {
                        return Err(member.lost(ENDED_EARLY));
                    }
                    let longest = planned + rest + LAST_WAIT;
                    let is_time = (0.0..=longest.as_secs_f64()).contains(&done.seconds);
                    if !is_time || done.unmeasured > MOST || !done.cpu.is_none_or(is_possible_cpu) {
                        return Err(impossible(&member.intro.name));
                    }
                    member.slice.done = Some(done);
                }
                _ => {}
            }
            let through = |member: &Member| member.slice.is_closed || member.slice.done.is_some();
            if !closed && self.members.iter().all(through) {
                closed = true;
                listen(SliceEvent::Closed);
            }
        }
        let mut all = self.sum(slice.order.rest.is_some());
        let done = self.members.iter_mut();
        let done = done.filter_map(|member| member.slice.done.as_mut());
        all.reports = done.map(|done| std::mem::take(&mut done.report)).collect();
        Ok(all)
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
                return Err(self.unfinished("did not open its connections in time"));
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
            return Err(member.lost(LOST_SAMPLES));
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
        let mut done = SliceDone {
            seconds: 0.0,
            late: 0,
            cut_short: false,
            unmeasured: 0,
            tcp: None,
            stages: None,
            spread: None,
            report: Bytes::new(),
            cpu: None,
        };
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
    fn unfinished(&self, what: &str) -> ClusterError {
        let is_missing = |member: &&Member| {
            if member.slice.is_ready {
                member.slice.done.is_none()
            } else {
                true
            }
        };
        match self.members.iter().find(is_missing) {
            Some(member) => member.lost(what),
            None => ClusterError::Agents(format!("an agent {what}")),
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

fn impossible(agent: &str) -> ClusterError {
    ClusterError::Agents(format!(
        "agent \"{agent}\" sent figures that this slice cannot have; use the same build of Tenbin \
         on all machines"
    ))
}

fn nanos(length: Duration) -> u64 {
    u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)
}

/// Whether a machine can have used this much of its CPU time.
fn is_possible_cpu(cpu: CpuOfMachine) -> bool {
    let is_share = (0.0..=1.0).contains(&cpu.busy);
    let are_cores = |cores| (0.0..=MOST_CORES).contains(&cores);
    is_share && cpu.others.is_none_or(are_cores)
}

/// Whether all counts of a sample are so small that sums over a run cannot overflow.
fn is_possible(sample: &Sample) -> bool {
    let of_ops = sample.ops.iter().flat_map(|op| {
        let counts = op.counts.into_array().into_iter().chain(op.answered);
        let times = op.times.as_ref().map(|times| times.len()).into_array();
        let sums = op.statuses.values().chain(op.failures.values());
        let sums: Vec<u64> = sums.chain(op.errors.values()).copied().collect();
        counts.chain(times).chain(sums)
    });
    let ledger = &sample.ledger;
    let of_connections = [
        ledger.opened,
        ledger.already_open,
        ledger.reused,
        ledger.closed_by_client,
        ledger.closed_by_server,
        ledger.refused,
        ledger.reset,
        ledger.resent_refused,
        ledger.resent_goaway,
        ledger.resent_closed,
    ];
    let of_hosts = sample.hosts.iter().flat_map(|host| {
        let counts = [host.ok, host.service.len()];
        counts.into_iter().chain(host.errors.values().copied())
    });
    let times = [
        ledger.connect_nanos,
        ledger.unrecorded_nanos,
        ledger.outside_nanos,
        ledger.turnaround_nanos,
        sample.cpu,
    ];
    let pause = sample.pause.is_none_or(|pause| pause.start <= pause.end);
    let counts = of_ops
        .chain(of_connections)
        .chain(of_hosts)
        .chain(sample.late);
    let counts = counts.chain([sample.backlog, sample.waited.unwrap_or(0)]);
    pause
        && counts.into_iter().all(|count| count < MOST)
        && times.iter().all(|time| *time < MOST << 10)
}

#[cfg(test)]
mod tests {
    use tenbin_engine::{ErrorClass, OpSample, Pause};

    use super::*;

    #[test]
    fn a_machine_cannot_use_more_than_all_of_its_cpu_time() {
        let is_possible = |busy, others| is_possible_cpu(CpuOfMachine { busy, others });
        assert!(is_possible(0.0, None) && is_possible(1.0, Some(16.0)));
        for wrong in [-0.1, 1.01, f64::NAN, f64::INFINITY] {
            assert!(!is_possible(wrong, None), "{wrong}");
        }
        for wrong in [-0.1, 1e9, f64::NAN] {
            assert!(!is_possible(0.5, Some(wrong)), "{wrong}");
        }
    }

    #[test]
    fn samples_whose_sums_could_overflow_are_refused() {
        let usual = || Sample {
            ops: vec![OpSample::new("GET")],
            ..Sample::default()
        };
        assert!(is_possible(&usual()));
        let changes: [fn(&mut Sample); 5] = [
            |sample| sample.ops[0].counts.ok = u64::MAX,
            |sample| *sample.ops[0].errors.entry(ErrorClass::Connect).or_default() = MOST,
            |sample| sample.cpu = u64::MAX,
            |sample| sample.late[3] = u64::MAX,
            |sample| sample.pause = Some(Pause { start: 2, end: 1 }),
        ];
        for change in changes {
            let mut sample = usual();
            change(&mut sample);
            assert!(!is_possible(&sample), "{sample:?}");
        }
    }
}
