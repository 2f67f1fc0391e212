//! Connects the maximum-rate search, which chooses the rates to probe, with the run, which measures
//! each probe.

use tenbin_plan::Plan;
use tenbin_record::Slice;
use tenbin_runner::{ProbeWish, Steering};
use tenbin_verdict::{Finder, NextProbe};

/// Chooses the probes of a run from the results of earlier probes.
pub(crate) struct Steered<'a>(Finder<'a>);

impl<'a> Steered<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Self {
        Self(Finder::new(plan))
    }
}

impl Steering for Steered<'_> {
    fn begin(&mut self, workload: usize, target: usize, rate: f64) {
        self.0.begin(workload, target, rate);
    }

    fn next(&self, workload: usize, target: usize) -> Option<ProbeWish> {
        let NextProbe {
            rate,
            proof,
            slices,
        } = self.0.next(workload, target)?;
        Some(ProbeWish {
            rate,
            proof,
            slices,
        })
    }

    fn learn(&mut self, workload: usize, target: usize, slice: &Slice) {
        self.0.learn(workload, target, slice);
    }

    fn bracket(&self, workload: usize, target: usize) -> (Option<f64>, Option<f64>) {
        self.0.bracket(workload, target)
    }
}
