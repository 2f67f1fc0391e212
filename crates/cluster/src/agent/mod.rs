//! The agent: executes its part of every slice that a coordinator orders.
//!
//! One thread talks to the NATS server, watches the lease and sends heartbeats; another thread
//! runs the jobs, and the caller's thread prints the news. A slow job or a blocked terminal therefore
//! never delays a heartbeat, and a lost coordinator always ends the load.

mod orders;
mod run;
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tenbin_engine::{SliceEvent, StartGate};
use tenbin_plan::{Sentence, sentence};

use self::run::{Run, RunningSlice};
use self::worker::{Job, Report, Worker, failed};
use crate::bus::{Bus, Inbox, Incoming, Outbox, Server, read};
use crate::error::ClusterError;
use crate::message::{
    Assignment, Event, FORMAT, Happened, Hello, Introduction, Lease, Order, Presence, SliceDone,
    SliceOrder,
};
use crate::parts::Parts;
use crate::subjects::{self, AGENT_INBOX, HELLO, LEASE};
use crate::{BEAT, LEASE_TIME};

/// Interval at which the agent checks whether a slice is ready to start.
const READY_POLL: Duration = Duration::from_millis(2);
/// Interval at which the agent checks everything else.
const POLL: Duration = Duration::from_millis(50);
/// News that may wait to be printed.
const MOST_NEWS: usize = 256;

/// What an agent does with the orders of a coordinator. All methods are called on one thread.
pub trait LoadMachine: Send {
    /// Prepares for a plan.
    ///
    /// # Errors
    /// One sentence if the plan cannot or may not be executed.
    fn prepare(&mut self, assignment: &Assignment, stop: &Arc<AtomicBool>) -> Result<(), Sentence>;

    /// Checks this machine and the targets of a plan. `request` and the results have a form that the
    /// caller of the coordinator chose.
    fn examine(
        &mut self,
        assignment: &Assignment,
        request: &[u8],
        stop: &Arc<AtomicBool>,
    ) -> Result<Bytes, Sentence>;

    /// Executes this agent's part of a slice. The slice starts when `gate` says.
    ///
    /// # Errors
    /// One sentence if the slice cannot be executed.
    fn slice(
        &mut self,
        order: &SliceOrder,
        gate: Arc<StartGate>,
        stop: &Arc<AtomicBool>,
        listen: &mut dyn FnMut(SliceEvent),
    ) -> Result<SliceDone, Sentence>;

    /// The run has ended, or its coordinator is lost.
    fn end(&mut self);
}

/// News from an agent, for its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// The agent is connected and waits for a coordinator.
    Waiting,
    /// A coordinator has assigned a plan.
    Assigned,
    /// A coordinator has ordered checks of this machine.
    Examined,
    /// The run has ended.
    Ended,
    /// Something went wrong; one sentence.
    Warning(Sentence),
}

struct Agent {
    outbox: Outbox,
    me: Introduction,
    subject: String,
    /// Origin of the agent's clock.
    origin: Instant,
    run: Option<Run>,
    /// Number of runs that have ended here and whose jobs have not ended yet.
    ending: u32,
    /// Parts of an order, with the run that they are for.
    parts: (String, Parts),
    beat: Instant,
    jobs: Sender<Job>,
    /// When the last warning about a message was given.
    warned: Option<Instant>,
    /// Stops the last job.
    halt: Arc<AtomicBool>,
    /// Why the agent cannot work at all.
    failure: Option<ClusterError>,
    news: SyncSender<News>,
}

/// Connects to `server` and executes orders with `machine` until `stop` is set.
///
/// # Errors
/// When the server cannot be reached at first, or the credentials are not those of an agent. Later,
/// the client reconnects.
pub fn serve(
    server: &Server,
    me: Introduction,
    machine: &mut dyn LoadMachine,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(News),
) -> Result<(), ClusterError> {
    let listened = vec![
        HELLO.to_owned(),
        LEASE.to_owned(),
        subjects::orders(&me.name),
    ];
    let name = format!("tenbin agent {}", me.name);
    let keep_all = Box::new(|_: &str, _: &[u8], _| true);
    let (bus, received) = Bus::connect(server, &name, AGENT_INBOX, listened, keep_all)?;
    let (jobs, queue) = mpsc::channel();
    let (reporter, reports) = mpsc::channel();
    let (news, shown_news) = mpsc::sync_channel(MOST_NEWS);
    tell(News::Waiting);
    thread::scope(|scope| {
        let worker = Worker {
            machine,
            outbox: bus.outbox().clone(),
            subject: subjects::events(&me.name),
            reports: reporter,
        };
        scope.spawn(move || worker.work(&queue));
        let mut agent = Agent {
            outbox: bus.outbox().clone(),
            subject: subjects::events(&me.name),
            me,
            origin: Instant::now(),
            run: None,
            ending: 0,
            parts: Default::default(),
            beat: Instant::now(),
            jobs,
            warned: None,
            halt: Arc::default(),
            failure: None,
            news,
        };
        let control = scope.spawn(move || {
            while !stop.load(Ordering::Relaxed) && agent.failure.is_none() {
                agent.turn(&received, &reports);
            }
            let why = sentence!(
                "agent-stopped-by-user",
                "agent \"{name}\" was stopped by its user",
                name = agent.me.name
            );
            agent.send(Happened::Gone { why });
            agent.leave();
            agent.failure.map_or(Ok(()), Err)
        });
        shown_news.iter().for_each(tell);
        let panicked = |_| Err(ClusterError::Agents(failed()));
        control.join().unwrap_or_else(panicked)
    })
}

impl Agent {
    fn turn(&mut self, received: &Inbox, reports: &Receiver<Report>) {
        let waits = |slice: &RunningSlice| !slice.is_announced;
        let run = self.run.as_ref();
        let is_waiting = run.and_then(|run| run.slice.as_ref()).is_some_and(waits);
        let wait = if is_waiting { READY_POLL } else { POLL };
        let incoming = received.recv_timeout(wait);
        // The worker's reports come first, because the order may be the coordinator's reaction to them.
        self.read_reports(reports);
        match incoming {
            Ok(Incoming::Message {
                subject,
                payload,
                at,
            }) => self.message(&subject, &payload, at),
            Ok(Incoming::Disconnected) => {
                self.tell(News::Warning(sentence!(
                    "nats-connecting-again",
                    "the connection to the NATS server was lost; connecting again"
                )));
            }
            Ok(Incoming::Forbidden) => {
                self.failure = Some(ClusterError::Agents(sentence!(
                    "agent-forbidden",
                    "the NATS server denies these credentials the permissions of an agent; use \
                     agent.creds, which `tenbin hub` wrote"
                )));
            }
            Ok(Incoming::Connected | Incoming::TooSlow | Incoming::TooLarge(_))
            | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => thread::sleep(wait),
        }
        self.announce_ready();
        self.watch_lease();
        if self.run.is_some() && self.beat.elapsed() >= BEAT {
            self.beat = Instant::now();
            self.send(Happened::Alive);
        }
    }

    fn read_reports(&mut self, reports: &Receiver<Report>) {
        while let Ok(report) = reports.try_recv() {
            match report {
                Report::Refused(why) => self.warn(why),
                Report::RunEnded => self.ending -= 1,
                Report::Ended(number) => {
                    if let Some(run) = &mut self.run {
                        run.slice.take_if(|slice| slice.number == number);
                    }
                }
            }
        }
    }

    fn now(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.origin).as_nanos() as u64
    }

    fn send(&self, what: Happened) {
        if let Some(run) = &self.run {
            self.send_for(&run.id, what);
        }
    }

    fn send_for(&self, run: &str, what: Happened) {
        let run = run.to_owned();
        self.outbox.send(&self.subject, &Event { run, what });
    }

    fn message(&mut self, subject: &str, payload: &[u8], at: Instant) {
        // After a time in which this process stood still, the run may have gone on without it.
        if subject != LEASE {
            self.watch_lease();
        }
        match subject {
            HELLO => {
                let Some(Hello { run, format }) = read(payload) else {
                    return;
                };
                if format != FORMAT {
                    self.warn(sentence!(
                        "coordinator-other-build",
                        "a coordinator of another build of Tenbin looks for agents; install the \
                         same build on all machines"
                    ));
                }
                let is_other = |own: &Run| own.id != run;
                let introduction = Introduction {
                    format: FORMAT,
                    now: self.now(Instant::now()),
                    is_busy: self.run.as_ref().map_or(self.ending > 0, is_other),
                    ..self.me.clone()
                };
                let presence = Presence { run, introduction };
                self.outbox.send_named(&self.subject, &presence);
            }
            LEASE => {
                if let Some(lease) = read(payload) {
                    self.renew(&lease, at);
                }
            }
            _ => {
                let Some(order) = read::<Order>(payload) else {
                    self.warn(sentence!(
                        "order-other-version",
                        "an order of another version of Tenbin was ignored"
                    ));
                    return;
                };
                if let Some(own) = self.run.as_mut().filter(|own| own.id == order.run) {
                    own.leased = at;
                }
                let run = order.run.clone();
                let number = order.what.number();
                if let Err(why) = self.obey(order, at) {
                    let why = self.of_agent(why);
                    self.warn(why.clone());
                    self.send_for(&run, Happened::Refused { number, why });
                }
            }
        }
    }

    /// Renews the lease, unless it ended before `at` or the coordinator continues without this agent.
    fn renew(&mut self, lease: &Lease, at: Instant) {
        let Some(run) = self.run.as_mut().filter(|run| run.id == lease.run) else {
            return;
        };
        let lost = lease.lost.get(&self.me.name);
        if lost.is_some_and(|last| *last >= run.reserved) {
            self.tell(News::Warning(sentence!(
                "agent-left-out",
                "the coordinator continues without this agent: stopped"
            )));
            self.leave();
        } else if at.saturating_duration_since(run.leased) > LEASE_TIME {
            self.give_up();
        } else {
            run.leased = at;
        }
    }

    /// Warns about a message, at most once a second: others decide how many messages arrive.
    fn warn(&mut self, why: Sentence) {
        if self.warned.is_none_or(|warned| warned.elapsed() >= BEAT) {
            self.warned = Some(Instant::now());
            self.tell(News::Warning(why));
        }
    }

    /// The sentence with the name of this agent before it.
    fn of_agent(&self, why: Sentence) -> Sentence {
        sentence!(
            "of-agent",
            "agent \"{name}\": {why}",
            name = self.me.name,
            why
        )
    }

    /// Passes news to the user. News is dropped while the terminal is blocked.
    fn tell(&self, news: News) {
        let _ = self.news.try_send(news);
    }

    fn announce_ready(&mut self) {
        let Some(run) = &mut self.run else { return };
        let Some(slice) = &mut run.slice else { return };
        if slice.is_announced || !slice.gate.is_ready() {
            return;
        }
        slice.is_announced = true;
        let slice = slice.number;
        self.send(Happened::Ready { slice });
    }

    fn watch_lease(&mut self) {
        let is_over = |run: &Run| run.leased.elapsed() > LEASE_TIME;
        if self.run.as_ref().is_some_and(is_over) {
            self.give_up();
        }
    }

    /// Ends the work for a run whose lease has ended.
    fn give_up(&mut self) {
        let seconds = LEASE_TIME.as_secs();
        self.tell(News::Warning(sentence!(
            "no-heartbeat-of-coordinator",
            "no heartbeat from the coordinator for {seconds} s: stopped the load",
            seconds
        )));
        self.send(Happened::Gone {
            why: sentence!(
                "no-heartbeat-received",
                "agent \"{name}\" received no heartbeat from this machine for {seconds} s",
                name = self.me.name,
                seconds
            ),
        });
        self.leave();
    }

    /// Ends the work for the run, if any.
    fn leave(&mut self) {
        if self.run.take().is_some() {
            self.parts = Default::default();
            self.halt.store(true, Ordering::Relaxed);
            self.ending += 1;
            let _ = self.jobs.send(Job::End);
            self.tell(News::Ended);
        }
    }
}

#[cfg(test)]
mod tests;
