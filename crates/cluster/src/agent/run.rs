//! The run that an agent works for, and its current slice.

use std::sync::Arc;
use std::time::Instant;

use tenbin_engine::StartGate;
use tenbin_plan::{Sentence, sentence};

use crate::LEASE_TIME;

/// The run that the agent works for.
pub(super) struct Run {
    pub(super) id: String,
    pub(super) leased: Instant,
    pub(super) slice: Option<RunningSlice>,
    /// Number of the last order to prepare or to measure.
    pub(super) last: Option<u64>,
    /// Number of the order that reserved the agent.
    pub(super) reserved: u64,
}

impl Run {
    /// Takes an order that ends the slice before.
    pub(super) fn take_order(&mut self, number: u64) -> Result<(), Sentence> {
        if self.last.is_some_and(|last| number <= last) {
            return Err(sentence!(
                "order-twice", "order {number} came twice", number
            ));
        }
        self.last = Some(number);
        self.slice = None;
        Ok(())
    }

    /// Takes the order of a slice. Returns the gate that starts the slice.
    pub(super) fn take_slice(&mut self, next: u64) -> Result<Arc<StartGate>, Sentence> {
        if let Some(RunningSlice { number, .. }) = &self.slice {
            return Err(sentence!(
                "slice-before-end",
                "slice {next} was ordered before slice {number} ended",
                next,
                number
            ));
        }
        if self.last.is_some_and(|last| next <= last) {
            return Err(sentence!(
                "slice-twice",
                "slice {next} was ordered twice",
                next
            ));
        }
        let gate = Arc::new(StartGate::new(LEASE_TIME));
        self.last = Some(next);
        self.slice = Some(RunningSlice {
            number: next,
            gate: Arc::clone(&gate),
            is_announced: false,
        });
        Ok(gate)
    }

    /// The gate of a slice, if it is running.
    pub(super) fn gate(&self, number: u64) -> Option<&StartGate> {
        let slice = self.slice.as_ref()?;
        (slice.number == number).then_some(&slice.gate)
    }
}

pub(super) struct RunningSlice {
    pub(super) number: u64,
    pub(super) gate: Arc<StartGate>,
    pub(super) is_announced: bool,
}
