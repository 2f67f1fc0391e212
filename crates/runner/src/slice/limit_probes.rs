//! The probes of other loads after the rounds.

use tenbin_plan::{LimitProbe, Load};
use tenbin_record::Ended;

use crate::error::{Ending, RunError};
use crate::generators::agent_loss::Part;
use crate::machine::descriptors;
use crate::slice::measurement::{Measurement, SlicePart, SliceRequest};

impl Measurement<'_, '_> {
    /// Loads each target with one connection and with twice the connections of the plan, to find
    /// what limits it: see [`tenbin_plan::Plan::limit_probes`]. They come after all that is judged,
    /// and before the continuous stretches, which can use up what a server saved.
    pub(crate) fn probe_limits(&mut self, ended: Ended) -> Result<Ending, RunError> {
        let measured = self.slices.iter().filter(|slice| slice.probe.is_none());
        let rounds = measured.map(|slice| slice.round + 1).max().unwrap_or(0);
        let plan = self.plan;
        let probes = plan.limit_probes(rounds).into_iter();
        for probe in probes.filter(|probe| descriptors::has_room_for(plan, probe)) {
            if let Some(ending) = self.probe_limit(&probe)? {
                return Ok(ending);
            }
        }
        Ok(Ending::Complete(ended))
    }

    fn probe_limit(&mut self, probe: &LimitProbe) -> Result<Option<Ending>, RunError> {
        let load = &self.plan.workloads[probe.turn.workload].load;
        let request = SliceRequest {
            turn: &probe.turn,
            load: Load {
                connections: probe.connections,
                reopen: load.reopen.or(self.reopen[probe.turn.workload]),
                ..load.clone()
            },
            lead: Some(probe.lead),
            window: probe.window,
            part: SlicePart::LimitProbe,
        };
        let (kept, from) = (self.slices.len(), self.writer.next_slice());
        match self.measure_slice(&request) {
            Ok(ending) => {
                self.part_done();
                Ok(ending)
            }
            // A probe that fails leaves the rounds as they are, and is not repeated.
            Err(error) => self.void(error, Part::Probe, (kept, from)),
        }
    }
}
