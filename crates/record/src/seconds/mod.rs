//! Merges the samples of many threads into seconds.

pub(crate) mod counts;
pub(crate) mod live;
pub(crate) mod second;

use std::collections::BTreeMap;

use tenbin_engine::{Ledger, Role, Sample};

use crate::error::RecordError;
use crate::histogram::packed::PackedHistogram;
use crate::seconds::second::Interval;
use crate::slice::from_seconds::{add_figures, add_host, add_setup};
use crate::slice::thread_use::ThreadUse;
use crate::slice::{HostFigures, OpFigures, SetupFigures, SliceStart};

const SECOND: u64 = 1_000_000_000;

/// The interval to which a sample belongs: the second, and whether the sample covers the drain. A
/// thread's samples arrive in ascending order of this key.
type Key = (u64, bool);

/// Samples that are being merged into seconds.
#[derive(Debug)]
pub(crate) struct Seconds {
    operations: Vec<(String, Role)>,
    hosts: Vec<String>,
    threads: usize,
    agents: usize,
    closed_loop: bool,
    pending: BTreeMap<Key, Interval>,
    reached: BTreeMap<usize, Key>,
}

impl Seconds {
    pub(crate) fn new(slice: &SliceStart) -> Self {
        Self {
            operations: slice
                .operations_by_role()
                .map(|(name, role)| (name.to_owned(), role))
                .collect(),
            hosts: slice.hosts.clone(),
            threads: slice.threads,
            agents: slice.agents,
            closed_loop: slice.head.closed_loop,
            pending: BTreeMap::new(),
            reached: BTreeMap::new(),
        }
    }

    /// Adds a sample.
    ///
    /// # Errors
    /// When the sample has an operation that is not in the slice, or not the slice's number of
    /// hosts.
    pub(crate) fn add(&mut self, mut sample: Sample) -> Result<(), RecordError> {
        if !sample.hosts.is_empty() && sample.hosts.len() != self.hosts.len() {
            return Err(RecordError::OutOfOrder {
                what: "a sample",
                why: "it has figures of other hosts than the slice was opened with",
            });
        }
        let key = key_of(&sample);
        let interval = self
            .pending
            .entry(key)
            .or_insert_with(|| empty_interval(key, &sample, &self.operations, &self.hosts));
        interval.start = interval.start.min(sample.start);
        interval.end = interval.end.max(sample.end);
        interval.ledger += sample.ledger;
        add_setup(
            &mut interval.setup,
            &sample.setup.as_ref().map(PackedHistogram::from),
        );
        for (sum, host) in interval
            .hosts
            .iter_mut()
            .zip(std::mem::take(&mut sample.hosts))
        {
            let service = (&host.service).into();
            add_host(sum, &host.with_service(service));
        }
        interval.threads.push(ThreadUse {
            thread: sample.thread,
            start_ns: sample.start,
            end_ns: sample.end,
            cpu_ns: sample.cpu,
            waited_ns: sample.waited,
            backlog: sample.backlog,
            ok: match self.agents {
                0 => 0,
                _ => work_done(&sample),
            },
            pause_ns: sample.pause.map(|pause| (pause.start, pause.end)),
            late: trimmed(&sample.late),
        });
        if self.agents > 0 {
            interval.agents.resize_with(self.agents, Default::default);
            let own = &mut interval.agents[sample.thread % self.agents];
            for op in sample.ops.iter().filter(|op| op.role.is_work()) {
                let times = if self.closed_loop {
                    &op.times.service
                } else {
                    &op.times.response
                };
                own.add(&times.into());
            }
        }
        for op in sample.ops {
            let index = self
                .operations
                .iter()
                .position(|(name, role)| *name == op.name && *role == op.role)
                .ok_or(RecordError::OutOfOrder {
                    what: "a sample",
                    why: "it has an operation that the slice was not opened with",
                })?;
            let times = op.times.as_ref().map(PackedHistogram::from);
            add_figures(&mut interval.ops[index], &op.with_times(times));
        }
        let reached = self.reached.entry(sample.thread).or_insert(key);
        *reached = key.max(*reached);
        Ok(())
    }

    /// The last second that every thread has reported; `None` until every thread has reported once.
    pub(crate) fn reached(&self) -> Option<u64> {
        let all_have = self.reached.len() >= self.threads;
        let reached = self.reached.values().map(|(second, _)| *second).min();
        reached.filter(|_| all_have)
    }

    /// Takes the seconds that can be written, in order: those that every thread has reported, and
    /// those before the latest second of any thread. The samples of a late thread become a separate
    /// interval later.
    pub(crate) fn due(&mut self) -> Vec<Interval> {
        let all_have = (self.reached.len() >= self.threads)
            .then(|| self.reached.values().min().copied())
            .flatten();
        // A drain sample does not make the last second due: other threads may not have reported
        // that second yet.
        let whole = |(second, drain): &Key| second.saturating_sub(u64::from(*drain));
        let foremost = self.reached.values().map(whole).max().unwrap_or(0);
        let mut due = Vec::new();
        while let Some(entry) = self.pending.first_entry() {
            let key = *entry.key();
            if all_have.is_none_or(|reached| key > reached) && key.0 >= foremost {
                break;
            }
            due.push(entry.remove());
        }
        due
    }

    /// Takes the remaining seconds, in order.
    pub(crate) fn rest(&mut self) -> Vec<Interval> {
        std::mem::take(&mut self.pending).into_values().collect()
    }
}

/// Correct operations that count as work.
fn work_done(sample: &Sample) -> u64 {
    let work = sample.ops.iter().filter(|op| op.role.is_work());
    work.map(|op| op.counts.ok).sum()
}

/// The key of a sample. The middle of the sample decides the second, because threads do not wake
/// exactly on the second.
fn key_of(sample: &Sample) -> Key {
    let middle = sample.start + sample.end.saturating_sub(sample.start) / 2;
    (middle / SECOND, sample.drain)
}

fn empty_interval(
    key: Key,
    sample: &Sample,
    operations: &[(String, Role)],
    hosts: &[String],
) -> Interval {
    Interval {
        second: key.0,
        start: sample.start,
        end: sample.end,
        drain: key.1,
        ops: operations
            .iter()
            .map(|(name, role)| OpFigures::of(name, *role))
            .collect(),
        ledger: Ledger::default(),
        setup: SetupFigures::default(),
        hosts: hosts.iter().map(|name| HostFigures::new(name)).collect(),
        agents: Vec::new(),
        threads: Vec::new(),
        stalls: None,
    }
}

/// `late` without trailing zeros.
fn trimmed(late: &[u64]) -> Vec<u64> {
    let length = late.iter().rposition(|count| *count > 0);
    late[..length.map_or(0, |last| last + 1)].to_vec()
}

#[cfg(test)]
mod tests {
    use tenbin_engine::{HostSample, OpSample};

    use super::*;
    use crate::slice::SliceHead;

    fn seconds_of(operation: &str, hosts: &[&str], threads: usize) -> Seconds {
        Seconds::new(&SliceStart {
            head: SliceHead {
                closed_loop: true,
                ..SliceHead::default()
            },
            operations: vec![operation.to_owned()],
            hosts: hosts.iter().map(|name| (*name).to_owned()).collect(),
            threads,
            ..SliceStart::default()
        })
    }

    fn sample(thread: usize, start: u64, end: u64, drain: bool) -> Sample {
        let mut op = OpSample::new("GET");
        op.counts.ok = 1;
        op.times.service.record(1_000).unwrap();
        Sample {
            thread,
            start: start * 1_000_000,
            end: end * 1_000_000,
            ops: vec![op],
            drain,
            ..Sample::default()
        }
    }

    fn feed(seconds: &mut Seconds, sample: Sample) -> Vec<(u64, bool, u64)> {
        seconds.add(sample).unwrap();
        seconds
            .due()
            .iter()
            .map(|i| (i.second, i.drain, i.ops[0].counts.ok))
            .collect()
    }

    #[test]
    fn a_second_is_due_when_every_thread_has_reported_it() {
        let mut seconds = seconds_of("GET", &[], 2);
        assert_eq!(feed(&mut seconds, sample(0, 0, 1_000, false)), []);
        assert_eq!(
            feed(&mut seconds, sample(1, 0, 998, false)),
            [(0, false, 2)]
        );
        assert_eq!(feed(&mut seconds, sample(1, 998, 1_999, false)), []);
        assert_eq!(
            feed(&mut seconds, sample(0, 1_000, 2_003, false)),
            [(1, false, 2)]
        );
    }

    #[test]
    fn the_drain_is_kept_apart_from_the_second_it_falls_into() {
        let mut seconds = seconds_of("GET", &[], 2);
        assert_eq!(feed(&mut seconds, sample(0, 0, 300, false)), []);
        assert_eq!(feed(&mut seconds, sample(0, 300, 400, true)), []);
        assert_eq!(
            feed(&mut seconds, sample(1, 0, 300, false)),
            [(0, false, 2)]
        );
        let rest = seconds.rest();
        assert_eq!(rest.len(), 1);
        assert!(rest[0].drain);
    }

    #[test]
    fn the_last_second_waits_for_threads_that_end_it_later() {
        let mut seconds = seconds_of("GET", &[], 2);
        assert_eq!(feed(&mut seconds, sample(0, 0, 1_000, false)), []);
        assert_eq!(feed(&mut seconds, sample(0, 1_000, 1_001, true)), []);
        assert_eq!(
            feed(&mut seconds, sample(1, 0, 1_000, false)),
            [(0, false, 2)]
        );
    }

    #[test]
    fn a_stalled_thread_delays_no_other_and_loses_nothing() {
        let mut seconds = seconds_of("GET", &[], 2);
        assert_eq!(feed(&mut seconds, sample(0, 0, 1_000, false)), []);
        assert_eq!(
            feed(&mut seconds, sample(0, 1_000, 2_000, false)),
            [(0, false, 1)]
        );
        assert_eq!(
            feed(&mut seconds, sample(1, 0, 1_000, false)),
            [(0, false, 1)]
        );
    }

    #[test]
    fn an_unknown_operation_is_refused() {
        let mut seconds = seconds_of("PUT", &[], 1);
        assert!(seconds.add(sample(0, 0, 1_000, false)).is_err());
    }
    #[test]
    fn hosts_that_the_slice_does_not_know_are_refused() {
        let mut seconds = seconds_of("GET", &["one", "two"], 1);
        let mut with = |hosts| {
            let mut sample = sample(0, 0, 1_000, false);
            sample.hosts = vec![HostSample::default(); hosts];
            seconds.add(sample)
        };
        assert!(with(2).is_ok());
        assert!(with(0).is_ok(), "a thread may have seen none");
        assert!(with(3).is_err());
    }
}
