//! The exchange of state and reports between the coordinator and its agents.

use std::sync::Arc;

use tenbin_plan::{Choose, S3Operation};

use super::{PreparedS3, Sender};
use crate::prepared::{AgentSide, IMPOSSIBLE, Prepared as _, Sequence as _, Stage};
use crate::remote::{SliceReport, SliceState, position_after};
use crate::s3::objects::versions::{self, VersionIds};
use crate::shared::held;

impl AgentSide for PreparedS3 {
    fn state_for_agents(&mut self) -> SliceState {
        self.sender = Sender::Agents;
        SliceState {
            versions: self.ids.list(),
            ..self.sequence_state()
        }
    }

    fn add_reports(&mut self, reports: Vec<SliceReport>) -> Result<(), String> {
        let before = self.sequence_state().position;
        if !reports.iter().all(|one| one.is_possible(before.as_deref())) {
            return Err(IMPOSSIBLE.to_owned());
        }
        let written = reports.iter().map(|report| report.written.clone());
        self.reported.set(written.collect());
        let Some(before) = before else { return Ok(()) };
        let after = position_after(&before, &reports);
        held(&self.cursors).advance(&after, 0);
        if self.work.choose == Choose::Once {
            self.marks.read_up_to(&after, versions::things(&self.work));
        }
        let digests = reports.iter().map(|report| report.digest);
        let mut orders = held(&self.orders);
        orders.digest = digests.fold(orders.digest, u64::wrapping_add);
        Ok(())
    }

    fn is_continuable(&self) -> bool {
        // Only the agent knows how often it has overwritten or extended an object.
        !self.work.rewrite && !self.work.mix.has(S3Operation::Append)
    }

    fn agent_setup(&mut self) -> Option<Stage> {
        self.survey()
    }

    fn agent_cleanup(&mut self) -> Option<Stage> {
        self.abort_uploads()
    }

    fn set_state(&mut self, state: SliceState) -> Result<(), String> {
        self.ids = Arc::new(VersionIds::listed(&state.versions));
        if self.used_up_by_a_slice() {
            // The coordinator has stored the objects again.
            self.recorders.restored();
        }
        if let Some(position) = &state.position {
            if !matches!(self.sender, Sender::Agent { .. }) {
                // The orders of the workers exist only after their first slice.
                drop(self.slice());
            }
            self.skip_to(position);
            self.ends_at(state.ends.as_deref());
        }
        let digest_before = held(&self.orders).digest;
        self.sender = Sender::Agent { digest_before };
        Ok(())
    }

    fn report(&mut self) -> SliceReport {
        let digest = held(&self.orders).digest;
        let before = match self.sender {
            Sender::Agent { digest_before } => digest_before,
            Sender::Here | Sender::Agents => 0,
        };
        SliceReport {
            position: self.sequence_state().position,
            digest: digest.wrapping_sub(before),
            written: self.recorders.export(),
            ..SliceReport::default()
        }
    }
}

impl PreparedS3 {
    /// The position in the request sequence, for agents.
    fn sequence_state(&self) -> SliceState {
        if self.has_sequence() {
            SliceState::of(&held(&self.cursors))
        } else {
            SliceState::default()
        }
    }
}
