//! Observes one slice while it is driven.

use std::time::Instant;

use tenbin_engine::{Sample, SliceEvent};
use tenbin_plan::Sentence;
use tenbin_record::{
    Allocated, EndedProcess, MachineUse, RecordError, RunWriter, ServerUse, SliceStart, Stalls,
};
use tenbin_targets::counters::{self, Tcp};
use tenbin_targets::{CoreWaits, Detail, Reading};

use crate::context::CountAllocations;
use crate::controls::Controls;
use crate::machine::meter;
use crate::machine::{Machine, Snapshot};
use crate::progress::Progress;
use crate::slice::speed::Speed;
use crate::target::live::LiveTarget;

/// The reason why a slice ended early, except a stop by the user.
pub(crate) enum SliceFailure {
    Died(Sentence),
    Record(RecordError),
}

/// The targets of the run, and which target has load.
#[derive(Clone, Copy)]
pub(crate) struct SliceContext<'a> {
    pub(crate) machine: &'a Machine,
    /// All targets of the run.
    pub(crate) live_targets: &'a [LiveTarget],
    /// Index of the target under load.
    pub(crate) loaded: usize,
    pub(crate) count_allocations: CountAllocations,
}

impl SliceContext<'_> {
    fn live(&self) -> &LiveTarget {
        &self.live_targets[self.loaded]
    }

    fn snapshot(&self) -> Snapshot {
        self.machine.snapshot(self.live_targets, self.loaded)
    }
}

/// Observes one slice: writes the samples, reads the counters of the machine and the targets, and
/// detects an exit of the target under load.
pub(crate) struct Watch<'a, 'w> {
    context: SliceContext<'a>,
    speed: Speed,
    /// The start of the slice; `None` once the window has opened.
    start: Option<SliceStart>,
    run_started: Instant,
    writer: &'a mut RunWriter,
    controls: &'a mut Controls<'w>,
    /// Measures how long threads wait for a core; `None` if the wait does not matter.
    waits: Option<CoreWaits>,
    /// The last reading of the target's usage.
    last: Option<Reading>,
    /// The largest resident memory in any reading so far.
    peak_rss_bytes: Option<u64>,
    /// TCP counters before the first connection was opened.
    tcp_before: Tcp,
    /// The time when the window opened, and the reading taken then.
    opened: Option<(Instant, Snapshot)>,
    /// The target's resource usage in the window; set when the window has closed.
    pub(crate) total: Option<ServerUse>,
    /// The machine's resource usage in the window; set when the window has closed.
    pub(crate) machine: Option<MachineUse>,
    /// Allocations of this process up to the opening of the window.
    allocated_before: Option<Allocated>,
    /// Allocations of this process in the window; set when the window has closed.
    pub(crate) allocated: Option<Allocated>,
    /// Observed processes that ended, of any target.
    pub(crate) ended: Vec<EndedProcess>,
    pub(crate) failure: Option<SliceFailure>,
}

impl<'a, 'w> Watch<'a, 'w> {
    /// Prepares to observe the slice described by `start`. The run started at `run_started`.
    pub(crate) fn new(
        context: SliceContext<'a>,
        start: SliceStart,
        run_started: Instant,
        waits: Option<CoreWaits>,
        writer: &'a mut RunWriter,
        controls: &'a mut Controls<'w>,
    ) -> Self {
        Self {
            context,
            speed: Speed::new(start.threads),
            start: Some(start),
            run_started,
            waits,
            writer,
            controls,
            last: None,
            peak_rss_bytes: None,
            tcp_before: counters::tcp(),
            opened: None,
            total: None,
            machine: None,
            allocated_before: None,
            allocated: None,
            ended: Vec::new(),
            failure: None,
        }
    }

    pub(crate) fn on_event(&mut self, event: SliceEvent) {
        match event {
            SliceEvent::Opened => {
                let opened = Instant::now();
                if let Some(mut start) = self.start.take() {
                    start.head.start = (opened - self.run_started).as_secs_f64();
                    let written = self.writer.begin(start);
                    self.note(written);
                }
                let snapshot = self.context.snapshot();
                self.last = snapshot.targets[self.context.loaded];
                self.opened = Some((opened, snapshot));
                self.report_observation();
                self.allocated_before = (self.context.count_allocations)();
                self.waits.as_ref().map(CoreWaits::take);
            }
            SliceEvent::Sample(sample) => self.sample(*sample),
            SliceEvent::Closed => {
                let allocated = (self.context.count_allocations)();
                self.allocated = meter::allocated(self.allocated_before, allocated);
                self.close();
            }
        }
    }

    fn close(&mut self) {
        let Some((opened, before)) = &self.opened else {
            return;
        };
        let SliceContext {
            machine,
            live_targets,
            loaded,
            ..
        } = self.context;
        let after = self.context.snapshot();
        self.total = meter::over_window(
            *opened, before.targets[loaded], after.targets[loaded], self.peak_rss_bytes,
        );
        self.machine =
            Some(machine.between(&self.tcp_before, before, &after, live_targets, loaded));
        self.report_observation();
    }

    /// Reports changes in whether and how the targets are observed.
    fn report_observation(&mut self) {
        for live in self.context.live_targets {
            for sentence in live.running.observation_changes() {
                (self.controls.progress)(Progress::Warning(&sentence.into()));
            }
            let started = self.run_started;
            let ended = live.running.take_ended().into_iter();
            self.ended.extend(ended.map(|process| {
                EndedProcess {
                    target: live.running.name.clone(),
                    name: process.name,
                    pid: process.pid,
                    at: process
                        .noticed
                        .saturating_duration_since(started)
                        .as_secs_f64(),
                }
            }));
        }
    }

    fn sample(&mut self, sample: Sample) {
        self.speed.add(&sample);
        if let Some(ok_per_second) = self.speed.ok_per_second() {
            (self.controls.progress)(Progress::Speed {
                ok_per_second,
                failed: self.speed.failed,
                waiting: self.speed.waiting(),
            });
        }
        if sample.thread == 0 && !sample.drain {
            self.meter();
        }
        let written = self.writer.sample(sample);
        self.note(written);
        for second in &self.writer.take_seconds() {
            (self.controls.progress)(Progress::Second { second });
        }
        if self.failure.is_none()
            && let Some(sentence) = self.context.live().death()
        {
            self.failure = Some(SliceFailure::Died(sentence));
        }
        if self.failure.is_some() {
            self.controls.stop.end();
        }
    }

    fn meter(&mut self) {
        let now = self.context.live().running.read_usage(Detail::Brief);
        let rss_bytes = now.and_then(|reading| reading.usage.rss_bytes);
        self.peak_rss_bytes = self.peak_rss_bytes.max(rss_bytes);
        if let Some(used) = meter::between(self.last, now) {
            let written = self.writer.server(used);
            self.note(written);
        }
        self.last = now;
        if let Some((count, ns)) = self.waits.as_ref().map(CoreWaits::take) {
            let written = self.writer.stalled(Stalls { count, ns });
            self.note(written);
        }
        self.report_observation();
    }

    fn note(&mut self, written: Result<(), RecordError>) {
        if let Err(error) = written
            && self.failure.is_none()
        {
            self.failure = Some(SliceFailure::Record(error));
        }
    }
}
