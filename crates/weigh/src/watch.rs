//! Watching over one slice while it is driven.

use tenbin_engine::{News, Sample};
use tenbin_record::{Allocated, RecordError, RunWriter, ServerUse};
use tenbin_targets::Usage;

use crate::arm::{Arm, Wires};
use crate::meter;
use crate::progress::Progress;
use crate::run::CountAllocations;
use crate::speed::Speed;

/// What ended a slice early, other than the user.
pub(crate) enum Trouble {
    Died(String),
    Record(RecordError),
}

/// Watches over one slice: writes its samples, meters the target, and notices
/// when the target dies.
pub(crate) struct Watch<'a, 'w> {
    arm: &'a Arm,
    speed: Speed,
    writer: &'a mut RunWriter,
    wires: &'a mut Wires<'w>,
    count_allocations: CountAllocations,
    /// The target's use when it was last looked at, and when the window opened.
    last: Option<Usage>,
    opened: Option<Usage>,
    /// What the target used while the window was open, once it has closed.
    pub(crate) total: Option<ServerUse>,
    /// What this process had allocated when the window opened.
    allocated_before: Option<Allocated>,
    /// What it allocated while the window was open, once it has closed.
    pub(crate) allocated: Option<Allocated>,
    pub(crate) trouble: Option<Trouble>,
}

impl<'a, 'w> Watch<'a, 'w> {
    pub(crate) fn new(
        arm: &'a Arm,
        threads: usize,
        writer: &'a mut RunWriter,
        wires: &'a mut Wires<'w>,
        count_allocations: CountAllocations,
    ) -> Self {
        Self {
            arm,
            speed: Speed::new(threads),
            writer,
            wires,
            count_allocations,
            last: None,
            opened: None,
            total: None,
            allocated_before: None,
            allocated: None,
            trouble: None,
        }
    }

    pub(crate) fn hear(&mut self, news: News) {
        match news {
            News::Opened => {
                self.opened = self.arm.running.usage();
                self.last = self.opened;
                self.allocated_before = (self.count_allocations)();
            }
            News::Sample(sample) => self.sample(*sample),
            News::Closed => {
                self.allocated =
                    meter::allocated(self.allocated_before, (self.count_allocations)());
                let now = self.arm.running.usage();
                self.total = meter::between(self.opened, now);
            }
        }
    }

    fn sample(&mut self, sample: Sample) {
        self.speed.hear(&sample);
        if let Some(ok_per_second) = self.speed.ok_per_second() {
            (self.wires.progress)(Progress::Speed {
                ok_per_second,
                failed: self.speed.failed,
            });
        }
        if sample.thread == 0 && !sample.drain {
            self.meter();
        }
        let written = self.writer.sample(sample);
        self.note(written);
        if self.trouble.is_none()
            && let Some(sentence) = self.arm.death()
        {
            self.trouble = Some(Trouble::Died(sentence));
        }
        if self.trouble.is_some() {
            self.wires.stop.end();
        }
    }

    fn meter(&mut self) {
        let now = self.arm.running.usage();
        if let Some(used) = meter::between(self.last, now) {
            let written = self.writer.server(used);
            self.note(written);
        }
        self.last = now;
    }

    fn note(&mut self, written: Result<(), RecordError>) {
        if let Err(error) = written
            && self.trouble.is_none()
        {
            self.trouble = Some(Trouble::Record(error));
        }
    }
}
