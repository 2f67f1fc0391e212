//! Runs the jobs of an agent on a thread of its own.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender};

use bytes::Bytes;
use tenbin_engine::{SliceEvent, StartGate};
use tenbin_plan::{Sentence, sentence};

use super::LoadMachine;
use crate::bus::Outbox;
use crate::message::{Assignment, Event, Happened, SliceOrder};
use crate::parts;

pub(super) enum Job {
    Prepare(Ordered, Assignment),
    Examine(Ordered, Assignment, Bytes),
    Slice(Ordered, SliceOrder, Arc<StartGate>),
    End,
}

/// What a job was ordered for.
pub(super) struct Ordered {
    pub(super) run: String,
    pub(super) number: u64,
    /// Stops this job, and no later one.
    pub(super) halt: Arc<AtomicBool>,
}

/// News from the worker for the agent.
pub(super) enum Report {
    /// The slice of this number has ended.
    Ended(u64),
    /// All jobs of a run have ended.
    RunEnded,
    /// The machine refused or failed an order; one sentence.
    Refused(Sentence),
}

/// Runs jobs on a thread of its own.
pub(super) struct Worker<'m> {
    pub(super) machine: &'m mut dyn LoadMachine,
    pub(super) outbox: Outbox,
    pub(super) subject: String,
    pub(super) reports: Sender<Report>,
}

impl Worker<'_> {
    pub(super) fn work(mut self, jobs: &Receiver<Job>) {
        while let Ok(job) = jobs.recv() {
            match job {
                Job::Prepare(ordered, assignment) => {
                    let machine = &mut *self.machine;
                    let done = unless_panic(|| machine.prepare(&assignment, &ordered.halt));
                    let number = ordered.number;
                    self.respond(ordered, done.map(|()| Happened::Prepared { number }));
                }
                Job::Examine(ordered, assignment, request) => {
                    let machine = &mut *self.machine;
                    let halt = &ordered.halt;
                    let done = unless_panic(|| machine.examine(&assignment, &request, halt));
                    let number = ordered.number;
                    let done = done.map(|results| Happened::Examined { number, results });
                    self.respond(ordered, done);
                }
                Job::Slice(ordered, order, gate) => self.slice(&ordered, &order, gate),
                Job::End => {
                    let machine = &mut *self.machine;
                    if let Err(why) = unless_panic(|| {
                        machine.end();
                        Ok(())
                    }) {
                        let _ = self.reports.send(Report::Refused(why));
                    }
                    let _ = self.reports.send(Report::RunEnded);
                }
            }
        }
    }

    fn respond(&self, Ordered { run, number, .. }: Ordered, done: Result<Happened, Sentence>) {
        let what = done.unwrap_or_else(|why| self.refused(number, why));
        self.outbox.send(&self.subject, &Event { run, what });
    }

    /// The event of a refusal, of which the user of this agent reads too.
    fn refused(&self, number: u64, why: Sentence) -> Happened {
        let _ = self.reports.send(Report::Refused(why.clone()));
        Happened::Refused {
            number: Some(number),
            why,
        }
    }

    fn slice(&mut self, ordered: &Ordered, order: &SliceOrder, gate: Arc<StartGate>) {
        let slice = order.slice;
        let (outbox, subject) = (&self.outbox, &self.subject);
        let send = |what| {
            let run = ordered.run.clone();
            outbox.send(subject, &Event { run, what });
        };
        let mut sequence = 0;
        let mut listen = |event| match event {
            SliceEvent::Opened => {}
            SliceEvent::Sample(sample) => {
                send(Happened::Sample {
                    slice,
                    sequence,
                    sample,
                });
                sequence += 1;
            }
            SliceEvent::Closed => send(Happened::Closed { slice }),
        };
        let (machine, halt) = (&mut *self.machine, &ordered.halt);
        let done = unless_panic(|| machine.slice(order, gate, halt, &mut listen));
        let end = done.and_then(|done| {
            let done = Happened::Done {
                slice,
                samples: sequence,
                done,
            };
            parts::split(done, Happened::Part)
        });
        // The report comes before the event, because the coordinator's next order may follow at once.
        let _ = self.reports.send(Report::Ended(slice));
        match end {
            Ok(parts) => parts.into_iter().for_each(send),
            Err(why) => send(self.refused(slice, why)),
        }
    }
}

/// The result of a job; a panic is an error, so that the agent can serve the next coordinator. In the
/// program of the packages a panic ends the agent, and systemd starts it again.
fn unless_panic<T>(job: impl FnOnce() -> Result<T, Sentence>) -> Result<T, Sentence> {
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
    result.unwrap_or_else(|_| Err(failed()))
}

/// The error of an agent that panicked.
pub(super) fn failed() -> Sentence {
    sentence!("agent-bug", "the agent failed; this is a bug in tenbin")
}
