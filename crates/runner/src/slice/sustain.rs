//! The continuous stretches after the rounds.

use tenbin_plan::{Load, Turn, sentence};
use tenbin_record::Ended;

use crate::error::{Ending, RunError};
use crate::generators::agent_loss::Part;
use crate::progress::Progress;
use crate::slice::measurement::{Measurement, SlicePart, SliceRequest};

impl Measurement<'_, '_> {
    /// Loads each target without rests, after the rounds: see [`tenbin_plan::Plan::stretches`].
    /// The stretches come last, because a server without credit would distort what follows.
    pub(crate) fn sustain_all(&mut self, ended: Ended) -> Result<Ending, RunError> {
        let measured = self.slices.iter().filter(|slice| slice.probe.is_none());
        let rounds = measured.map(|slice| slice.round + 1).max().unwrap_or(0);
        for turn in self.plan.stretches(rounds) {
            if let Some(ending) = self.sustain(&turn, rounds)? {
                return Ok(ending);
            }
            if self.confirms(&turn)
                && let Some(ending) = self.sustain(&turn, rounds)?
            {
                return Ok(ending);
            }
        }
        Ok(Ending::Complete(ended))
    }

    /// Whether the last stretch departs from the rounds and so is measured once more at once. A credit stays used up;
    /// another program on the machine may be done.
    fn confirms(&mut self, turn: &Turn) -> bool {
        let Some(stretch) = self.sustained.last() else {
            return false;
        };
        if !(self.departs)(self.plan, &self.slices, stretch) {
            return false;
        }
        (self.controls.progress)(Progress::Note(&sentence!(
            "differs-sustained",
            "\"{target}\" has other figures under continuous load of \"{workload}\" than in the \
             rounds: measuring once more to confirm",
            target = self.plan.targets[turn.target].name,
            workload = self.plan.workloads[turn.workload].name
        )));
        true
    }

    fn sustain(&mut self, turn: &Turn, rounds: u32) -> Result<Option<Ending>, RunError> {
        let Some(window) = self.plan.stretch_of(turn.workload, rounds) else {
            return Ok(None);
        };
        let load = self
            .plan
            .stretch_load(&self.plan.workloads[turn.workload], window);
        let request = SliceRequest {
            turn,
            load: Load {
                reopen: load.reopen.or(self.reopen[turn.workload]),
                ..load
            },
            lead: None,
            window,
            part: SlicePart::Stretch,
        };
        loop {
            let (kept, from) = (self.slices.len(), self.writer.next_slice());
            match self.measure_slice(&request) {
                Ok(ending) => {
                    self.part_done();
                    return Ok(ending);
                }
                Err(error) => {
                    if let Some(ending) = self.void(error, Part::Stretch, (kept, from))? {
                        return Ok(Some(ending));
                    }
                }
            }
        }
    }
}
