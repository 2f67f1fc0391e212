//! One run of a bisect: a commit against the good end.

use std::time::{Duration, Instant};

use tenbin_plan::{At, Draft, Plan, Sentence};
use tenbin_record::Slice;
use tenbin_result::{Finding, GateFigure, GateOutcome, GateRole, Severity};
use tenbin_runner::{Ending, RunContext, RunError, Stop};

use crate::args::{CommitRun, of_commits};
use crate::commands::measure::one::run_one;
use crate::commands::measure::plan::resolve;
use crate::exit::Exit;
use crate::language::language;
use crate::progress::Display;

/// What a run showed.
pub(super) struct Measured {
    /// Why the run ended.
    pub(super) ending: Ending,
    /// What the gate of the run decided.
    pub(super) outcome: GateOutcome,
    /// The reason for an INVALID run, one sentence.
    pub(super) why_invalid: Option<Sentence>,
    /// The figure that decided or could decide.
    pub(super) figure: Option<GateFigure>,
    /// Whether this figure stands in for the first.
    pub(super) fell_back: bool,
    /// Log ratios of the blocks for this figure; positive is worse.
    pub(super) logs: Vec<f64>,
    /// The run directory.
    pub(super) directory: String,
    /// How long the run took, with the starts of the servers.
    pub(super) took: Duration,
}

/// The figure of a run that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The one that decided the gate.
    OfGate,
    /// The one that the plan requires.
    Required,
}

/// The surroundings of every run.
pub(super) struct Bench {
    pub(super) draft: Draft,
    pub(super) stop: Stop,
    pub(super) context: RunContext,
}

impl Bench {
    /// Has every later run start its servers again before each block, if `plan` allows it: a store
    /// would lose its objects.
    pub(super) fn relaunch_if_possible(&mut self, plan: &Plan) {
        if plan.can_relaunch() {
            self.draft.rounds.relaunch = Some(At::nowhere("block"));
        }
    }

    /// The plan of a run. Prints errors.
    pub(super) fn plan(&self, run: &CommitRun<'_>) -> Result<Plan, Exit> {
        resolve(of_commits(self.draft.clone(), run))
    }

    /// Measures a commit against the good end.
    pub(super) fn measure(
        &self,
        plan: &Plan,
        role: Role,
        display: &mut Display,
    ) -> Result<Measured, RunError> {
        let started = Instant::now();
        let mut figures = Vec::new();
        let mut read = |plan: &Plan, slices: &[Slice]| {
            figures = tenbin_verdict::worse_logs(plan, slices);
        };
        let run = run_one(plan, &self.context, &self.stop, display, &mut read)?;
        let gate = run.document.gate.as_ref();
        let fell_back = role == Role::OfGate && gate.is_some_and(|gate| gate.fell_back());
        let is_meant = |figure: &GateFigure| (figure.role == GateRole::Fallback) == fell_back;
        let logs = figures.into_iter().find(|(figure, _)| is_meant(figure));
        let stated = gate.and_then(|gate| gate.figures.iter().find(|figure| is_meant(figure)));
        let findings = &run.document.findings;
        // The gate is INVALID only by findings about its figures.
        let outcome = gate.map_or(GateOutcome::Invalid, |gate| gate.outcome);
        let mut worst = findings
            .iter()
            .filter(|it| it.severity == Severity::Invalid);
        let worst = worst.next().filter(|_| outcome == GateOutcome::Invalid);
        Ok(Measured {
            outcome,
            why_invalid: worst.map(reason),
            figure: stated.cloned(),
            fell_back,
            logs: logs.map_or_else(Vec::new, |(_, logs)| logs),
            directory: run.directory.display().to_string(),
            took: started.elapsed(),
            ending: run.ending,
        })
    }
}

/// The finding as a reason: its rule and its evidence.
fn reason(finding: &Finding) -> Sentence {
    let (evidence, _) = tenbin_verdict::said(finding, language());
    Sentence::verbatim(format!("{}: {}", finding.rule, finding.evidence))
        .with("text", format!("{}: {evidence}", finding.rule))
}
