//! Slices that all agents measure together.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tenbin_engine::{Sample, SliceEvent, StageSums, TcpFigures};

use super::{Coordinator, Member, ORDER_TIME, POLL, check};
use crate::error::ClusterError;
use crate::message::{Happened, SliceDone, SliceOrder, What};

/// Shortest time between the order to start and the start, besides the round trips.
const START_MARGIN: Duration = Duration::from_millis(20);
/// How long after its planned end a slice may last, besides the timeout of requests.
const LAST_WAIT: Duration = Duration::from_secs(10);

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
    /// Largest possible difference between the starts of two agents; `None` with one agent.
    pub skew: Option<Duration>,
}

/// An agent's part of the running slice.
#[derive(Debug, Default)]
pub(super) struct Part {
    is_ready: bool,
    late: u64,
    samples: u64,
    is_closed: bool,
    done: Option<SliceDone>,
}

impl Coordinator {
    /// Measures a slice on all agents at the same time. Passes the events to `listen`, with the
    /// samples of all agents. Setting `stop` ends the slice.
    ///
    /// # Errors
    /// When an agent is lost, samples of an agent are lost, or an agent cannot measure the slice.
    /// The slice is then void, and the agents are told to stop.
    pub fn slice(
        &mut self,
        slice: &Slice<'_>,
        stop: &AtomicBool,
        listen: &mut dyn FnMut(SliceEvent),
    ) -> Result<SliceOfAll, ClusterError> {
        self.slice += 1;
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
        self.probe(stop)?;
        let number = self.slice;
        for agent in 0..self.members.len() {
            self.members[agent].slice = Part::default();
            let order = SliceOrder {
                slice: number,
                ..slice.order.clone()
            };
            self.order(agent, What::Slice(order));
        }
        self.await_ready(slice, stop)?;
        let start = self.start();
        let opens = start + Duration::from_nanos(slice.order.lead);
        let planned = Duration::from_nanos(slice.order.window);
        let limit = opens + planned + slice.timeout + LAST_WAIT;
        let (mut opened, mut closed, mut stopped) = (false, false, false);
        while self
            .members
            .iter()
            .any(|member| member.slice.done.is_none())
        {
            if stop.load(Ordering::Relaxed) && !stopped {
                stopped = true;
                self.stop_slice();
            }
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
                    let sample = self.checked(agent, sequence, *sample, slice.operations)?;
                    listen(SliceEvent::Sample(Box::new(sample)));
                }
                Happened::Started { slice: of, late } if of == number => {
                    self.members[agent].slice.late = late;
                }
                Happened::Closed { slice: of } if of == number => {
                    self.members[agent].slice.is_closed = true;
                }
                Happened::Done {
                    slice: of,
                    samples,
                    done,
                } if of == number => {
                    let member = &mut self.members[agent];
                    if samples != member.slice.samples {
                        return Err(lost_samples(&member.intro.name));
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
        Ok(self.sum())
    }

    fn await_ready(&mut self, slice: &Slice<'_>, stop: &AtomicBool) -> Result<(), ClusterError> {
        let limit = Instant::now() + slice.timeout.min(ORDER_TIME) + LAST_WAIT;
        let number = self.slice;
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
            let slice = self.slice;
            self.order(agent, What::Start { slice, at });
        }
        start
    }

    fn stop_slice(&self) {
        for agent in 0..self.members.len() {
            self.order(agent, What::Stop { slice: self.slice });
        }
    }

    /// The sample as this process would have made it.
    fn checked(
        &mut self,
        agent: usize,
        sequence: u64,
        mut sample: Sample,
        operations: &[&'static str],
    ) -> Result<Sample, ClusterError> {
        let agents = self.members.len();
        let member = &mut self.members[agent];
        if sequence != member.slice.samples {
            return Err(lost_samples(&member.intro.name));
        }
        member.slice.samples += 1;
        if sample.ops.len() != operations.len() || sample.thread % agents != agent {
            return Err(ClusterError::Agents(format!(
                "agent \"{}\" sent figures of another workload",
                member.intro.name
            )));
        }
        for (op, name) in sample.ops.iter_mut().zip(operations) {
            op.name = name;
        }
        Ok(sample)
    }

    fn sum(&self) -> SliceOfAll {
        let parts = self.members.iter().filter_map(|it| it.slice.done.as_ref());
        let mut done = SliceDone {
            seconds: 0.0,
            cut_short: false,
            unmeasured: 0,
            tcp: None,
            stages: None,
            spread: None,
        };
        for part in parts {
            done.seconds = done.seconds.max(part.seconds);
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
            clock + member.slice.late
        };
        let mut errors: Vec<u64> = self.members.iter().map(error).collect();
        errors.sort_unstable_by(|a, b| b.cmp(a));
        SliceOfAll {
            done,
            skew: (errors.len() > 1).then(|| Duration::from_nanos(errors.iter().take(2).sum())),
        }
    }

    /// The error for the first agent that has not done its part of the slice.
    fn unfinished(&self, what: &str) -> ClusterError {
        let is_missing = |member: &&Member| match member.slice.is_ready {
            true => member.slice.done.is_none(),
            false => true,
        };
        let missing = self.members.iter().find(is_missing);
        let name = missing.map_or("?", |member| member.intro.name.as_str());
        ClusterError::Agents(format!("agent \"{name}\" {what}"))
    }
}

fn lost_samples(agent: &str) -> ClusterError {
    ClusterError::Agents(format!("samples of agent \"{agent}\" were lost"))
}
