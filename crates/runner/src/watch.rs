//! Watching over one slice while it is driven.

use std::time::Instant;

use tenbin_engine::{News, Sample};
use tenbin_record::{Allocated, MachineUse, RecordError, RunWriter, ServerUse, SliceStart, Stalls};
use tenbin_targets::counters::{self, Tcp};
use tenbin_targets::{CoreWaits, Detail, Reading};

use crate::context::CountAllocations;
use crate::controls::Controls;
use crate::live_target::LiveTarget;
use crate::machine::{Look, Machine};
use crate::meter;
use crate::progress::Progress;
use crate::speed::Speed;

/// What ended a slice early, other than the user.
pub(crate) enum Trouble {
    Died(String),
    Record(RecordError),
}

/// What is watched over one slice.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) machine: &'a Machine,
    /// All of the run.
    pub(crate) live_targets: &'a [LiveTarget],
    /// The one that has the load.
    pub(crate) loaded: usize,
    pub(crate) count_allocations: CountAllocations,
}

impl Scene<'_> {
    fn live(&self) -> &LiveTarget {
        &self.live_targets[self.loaded]
    }

    fn look(&self) -> Look {
        self.machine.look(self.live_targets, self.loaded)
    }
}

/// Watches over one slice: writes its samples, meters the machine and the targets, and
/// notices when the one under load dies.
pub(crate) struct Watch<'a, 'w> {
    scene: Scene<'a>,
    speed: Speed,
    /// Until the window opens.
    start: Option<SliceStart>,
    run_begun: Instant,
    writer: &'a mut RunWriter,
    controls: &'a mut Controls<'w>,
    /// How long threads wait for a core, where that matters.
    waits: Option<CoreWaits>,
    /// The target's use when it was last looked at.
    last: Option<Reading>,
    /// The largest memory it was seen with.
    peak_rss_bytes: Option<u64>,
    /// What TCP had done before the first connection was opened.
    begun: Tcp,
    /// When the window opened, and how all stood then.
    opened: Option<(Instant, Look)>,
    /// What the target used while the window was open, once it has closed.
    pub(crate) total: Option<ServerUse>,
    /// What the machine did in that time.
    pub(crate) machine: Option<MachineUse>,
    /// What this process had allocated when the window opened.
    allocated_before: Option<Allocated>,
    /// What it allocated while the window was open, once it has closed.
    pub(crate) allocated: Option<Allocated>,
    pub(crate) trouble: Option<Trouble>,
}

impl<'a, 'w> Watch<'a, 'w> {
    /// Over the slice that begins as `start` says, but for the time, of a run that began at
    /// `begun`.
    pub(crate) fn new(
        scene: Scene<'a>,
        start: SliceStart,
        begun: Instant,
        waits: Option<CoreWaits>,
        writer: &'a mut RunWriter,
        controls: &'a mut Controls<'w>,
    ) -> Self {
        Self {
            scene,
            speed: Speed::new(start.threads),
            start: Some(start),
            run_begun: begun,
            waits,
            writer,
            controls,
            last: None,
            peak_rss_bytes: None,
            begun: counters::tcp(),
            opened: None,
            total: None,
            machine: None,
            allocated_before: None,
            allocated: None,
            trouble: None,
        }
    }

    pub(crate) fn hear(&mut self, news: News) {
        match news {
            News::Opened => {
                let opened = Instant::now();
                if let Some(mut start) = self.start.take() {
                    start.start = (opened - self.run_begun).as_secs_f64();
                    let written = self.writer.begin(start);
                    self.note(written);
                }
                let look = self.scene.look();
                self.last = look.targets[self.scene.loaded];
                self.opened = Some((opened, look));
                self.tell_news();
                self.allocated_before = (self.scene.count_allocations)();
                self.waits.as_ref().map(CoreWaits::take);
            }
            News::Sample(sample) => self.sample(*sample),
            News::Closed => {
                let allocated = (self.scene.count_allocations)();
                self.allocated = meter::allocated(self.allocated_before, allocated);
                self.close();
            }
        }
    }

    fn close(&mut self) {
        let Some((opened, before)) = &self.opened else {
            return;
        };
        let Scene {
            machine,
            live_targets,
            loaded,
            ..
        } = self.scene;
        let after = self.scene.look();
        self.total = meter::over_window(
            *opened,
            before.targets[loaded],
            after.targets[loaded],
            self.peak_rss_bytes,
        );
        self.machine = Some(machine.between(&self.begun, before, &after, live_targets, loaded));
        self.tell_news();
    }

    /// What has changed about observing the targets.
    fn tell_news(&mut self) {
        for live in self.scene.live_targets {
            for sentence in live.running.observation_changes() {
                (self.controls.progress)(Progress::Warning(&sentence));
            }
        }
    }

    fn sample(&mut self, sample: Sample) {
        self.speed.hear(&sample);
        if let Some(ok_per_second) = self.speed.ok_per_second() {
            (self.controls.progress)(Progress::Speed {
                ok_per_second,
                failed: self.speed.failed,
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
        if self.trouble.is_none()
            && let Some(sentence) = self.scene.live().death()
        {
            self.trouble = Some(Trouble::Died(sentence));
        }
        if self.trouble.is_some() {
            self.controls.stop.end();
        }
    }

    fn meter(&mut self) {
        let now = self.scene.live().running.read_usage(Detail::Brief);
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
        self.tell_news();
    }

    fn note(&mut self, written: Result<(), RecordError>) {
        if let Err(error) = written
            && self.trouble.is_none()
        {
            self.trouble = Some(Trouble::Record(error));
        }
    }
}
