//! The course of a bisect: builds, runs, and the probabilities after each.

use std::time::{Duration, Instant};

use tenbin_plan::{Figure, Plan, Sentence, sentence};
use tenbin_result::{BisectOutcome, GateFigure, GateOutcome};
use tenbin_runner::{Ending, RunError};
use tenbin_stats::{Bisection, BisectionDecision, BisectionStep};

use super::failed;
use super::history::{Commit, commits_between};
use super::progress::{NextStep, Pace, forecast};
use super::step::{Bench, Measured, Role};
use crate::args::{BAD, BisectArgs, CommitRun, GOOD, Revision};
use crate::caution::{Caution, cautions};
use crate::commands::gate::revisions::Repository;
use crate::commands::measure::context::context_in;
use crate::commands::measure::plan::NoPlan;
use crate::errors::BuildError;
use crate::exit::Exit;
use crate::output;
use crate::progress::Display;

/// Time of all measurements without `--budget`.
const BUDGET: Duration = Duration::from_secs(30 * 60);
/// Probability of a commit at which the search ends without `--certainty`.
const CERTAINTY: f64 = 0.95;
/// The part of the time in which both ends must be told apart: later, too little is left to search.
const PART_OF_ENDS: f64 = 0.5;
/// INVALID runs of a commit after which it is skipped.
const MOST_INVALID: u32 = 2;
/// INVALID runs in a row, whatever the commit, after which the search ends.
const MOST_INVALID_IN_A_ROW: u32 = 4;

/// A search with everything that is known so far.
pub(super) struct Search<'a> {
    pub(super) args: &'a BisectArgs,
    pub(super) good: Revision,
    pub(super) bad: Revision,
    pub(super) commits: Vec<Commit>,
    /// Why commits were skipped.
    pub(super) skipped: Vec<Option<Sentence>>,
    pub(super) bisection: Bisection,
    /// The figure that told both ends apart, or the first one that could not.
    pub(super) figure: Option<GateFigure>,
    /// Whether the bad end is proven worse.
    pub(super) is_proven: bool,
    pub(super) workload: String,
    pub(super) runs: Vec<String>,
    pub(super) pace: Pace,
    bench: Bench,
    repository: Repository,
    /// The figure of the runs after the first.
    decisive: Option<Figure>,
    invalid: Vec<u32>,
    invalid_in_a_row: u32,
}

/// What a commit's run showed.
enum Shown {
    Blocks,
    Skipped(Sentence),
    Invalid(Sentence),
    Interrupted,
}

impl<'a> Search<'a> {
    /// Checks everything that can be checked before a build. Prints errors.
    pub(super) fn prepare(args: &'a BisectArgs) -> Result<Self, Exit> {
        let draft = args
            .draft()
            .map_err(|refusal| NoPlan::from(refusal).print())?;
        let options = &args.settings.0;
        let build = options.build.as_deref();
        let directory = options.build_dir.as_deref();
        let repository = Repository::here(directory).map_err(|why| failed(&why))?;
        let find = |name: &str| repository.revision(name, build).map_err(|why| failed(&why));
        let good = find(options.good.as_deref().unwrap_or(GOOD))?;
        let bad = find(options.bad.as_deref().unwrap_or("HEAD"))?;
        let commits = commits_between(&repository, &good, &bad).map_err(|why| failed(&why))?;
        let quiet = args.output().quiet;
        let may_lengthen = draft.rounds.slice.is_none();
        let display = Display::new(quiet);
        let (stop, mut context) = context_in(&args.output().out, &display).map_err(|error| {
            output::failed(&error);
            Exit::Internal
        })?;
        context.lengthen_slices = may_lengthen;
        let count = commits.len();
        Ok(Self {
            args,
            good,
            bad,
            commits,
            skipped: vec![None; count],
            bisection: Bisection::new(count),
            figure: None,
            is_proven: false,
            workload: String::new(),
            runs: Vec::new(),
            pace: Pace::new(),
            bench: Bench {
                draft,
                stop,
                context,
            },
            repository,
            decisive: options.figure,
            invalid: vec![0; count],
            invalid_in_a_row: 0,
        })
    }

    /// Searches to the end. Prints errors.
    pub(super) fn run(&mut self) -> Result<BisectOutcome, Exit> {
        let plan = self.bench.plan(&self.run_of_ends())?;
        let [workload] = plan.workloads.as_slice() else {
            return Err(output::refuse(&sentence!(
                "bisect-one-workload",
                "a bisect follows one workload, and the plan has {workloads}; leave one",
                workloads = plan.workloads.len()
            )));
        };
        self.workload = workload.name.clone();
        self.bench.relaunch_if_possible(&plan);
        let plan = self.bench.plan(&self.run_of_ends())?;
        self.announce(&plan);
        for revision in [self.good.clone(), self.bad.clone()] {
            match self.build(&revision) {
                _ if self.is_stopped() => return Ok(BisectOutcome::Interrupted),
                Ok(()) => {}
                Err(why) => return Err(failed(&why)),
            }
        }
        if let Some(outcome) = self.compare_ends(&plan)? {
            return Ok(outcome);
        }
        loop {
            if let Some(outcome) = self.take_step()? {
                return Ok(outcome);
            }
        }
    }

    /// Time of all measurements.
    pub(super) fn budget(&self) -> Duration {
        self.args.settings.0.budget.map_or(BUDGET, |time| time.0)
    }

    /// Probability of a commit at which the search ends.
    pub(super) fn certainty(&self) -> f64 {
        let given = self.args.settings.0.certainty;
        given.map_or(CERTAINTY, tenbin_plan::Percent::share)
    }

    fn is_stopped(&self) -> bool {
        self.bench.stop.is_asked()
    }

    fn note(&self, text: &Sentence) {
        if !self.args.output().quiet {
            output::say_note(text);
        }
    }

    fn announce(&self, plan: &Plan) {
        for caution in cautions(plan) {
            match caution {
                Caution::Warning(text) => output::say_warning(&text),
                Caution::Note(_) if self.args.output().quiet => {}
                Caution::Note(text) => output::say_note(&text),
            }
        }
        if self.args.settings.0.bad.is_none() && self.repository.has_changes() {
            self.note(&sentence!(
                "bisect-uncommitted",
                "changes that are not committed are not measured: the bad end is HEAD"
            ));
        }
        let count = self.commits.len();
        let between = sentence!(
            "bisect-commits",
            "{commits} after {good} up to {bad}, along first parents: {forecast}",
            commits = tenbin_result::format::plural(count, "commit"),
            good = self.good.name,
            bad = self.bad.name,
            forecast = forecast(plan, count, self.budget())
        );
        self.note(&between.with("count", count));
    }

    /// Builds a commit unless it was built before.
    fn build(&mut self, revision: &Revision) -> Result<(), BuildError> {
        let started = Instant::now();
        let build = self.args.settings.0.build.as_deref();
        if self.repository.build(revision, build)? {
            self.pace.built(started.elapsed());
        }
        Ok(())
    }

    fn run_of_ends(&self) -> CommitRun<'_> {
        CommitRun {
            good: &self.good,
            other: (BAD, &self.bad),
            figure: self.decisive,
            budget: self.budget().mul_f64(PART_OF_ENDS),
            rounds: None,
        }
    }

    /// Measures the good against the bad end. Returns how the search ends if they are not told apart.
    fn compare_ends(&mut self, plan: &Plan) -> Result<Option<BisectOutcome>, Exit> {
        let mut display = Display::new(self.args.output().quiet);
        let measured = self.bench.measure(plan, Role::OfGate, &mut display);
        let measured = match measured {
            Ok(measured) => measured,
            Err(_) if self.is_stopped() => return Ok(Some(BisectOutcome::Interrupted)),
            Err(error) => return Err(of_run(&error)),
        };
        let last = self.commits.len() - 1;
        self.keep(&measured, last);
        if measured.fell_back {
            self.decisive = Some(Figure::Cpu);
            self.note(&sentence!(
                "bisect-cpu-decides",
                "the first figure could not tell, so CPU time per operation decides"
            ));
        }
        self.figure = measured.figure;
        match measured.ending {
            Ending::Complete(_) => {}
            Ending::Interrupted => return Ok(Some(BisectOutcome::Interrupted)),
            ending => return Err(ended(&ending)),
        }
        Ok(match measured.outcome {
            GateOutcome::Regression => {
                self.is_proven = true;
                None
            }
            GateOutcome::Pass => Some(BisectOutcome::NotWorse),
            GateOutcome::CannotTell => Some(BisectOutcome::NotProven),
            GateOutcome::Invalid => {
                if let Some(why) = measured.why_invalid {
                    output::say_error(&sentence!("run-invalid", "the run is INVALID: {why}", why));
                }
                Some(BisectOutcome::Invalid)
            }
        })
    }

    /// Measures the next commit. Returns how the search ends, if it does.
    fn take_step(&mut self) -> Result<Option<BisectOutcome>, Exit> {
        let posterior = self.bisection.posterior();
        let step = match self.bisection.decide(&posterior, self.certainty()) {
            BisectionDecision::Found => {
                let (group, _) = self.bisection.leader(&posterior);
                return Ok(Some(match group.len() {
                    1 => BisectOutcome::Found,
                    _ => BisectOutcome::Group,
                }));
            }
            BisectionDecision::Measure(step) if self.pace.spent() < self.budget() => step,
            BisectionDecision::Measure(_)
            | BisectionDecision::Several
            | BisectionDecision::Stuck => return Ok(Some(BisectOutcome::CannotTell)),
        };
        let next = NextStep {
            step,
            commits: &self.commits,
            bisection: &self.bisection,
            posterior: &posterior,
            pace: &self.pace,
            budget: self.budget(),
        };
        self.note(&next.note());
        let shown = self.measure_commit(step)?;
        if self.is_stopped() {
            return Ok(Some(BisectOutcome::Interrupted));
        }
        self.invalid_in_a_row = match shown {
            Shown::Invalid(_) => self.invalid_in_a_row + 1,
            _ => 0,
        };
        match shown {
            Shown::Blocks => {}
            Shown::Interrupted => return Ok(Some(BisectOutcome::Interrupted)),
            Shown::Skipped(why) => self.skip(step.commit, why),
            Shown::Invalid(why) if self.invalid_in_a_row >= MOST_INVALID_IN_A_ROW => {
                output::say_error(&sentence!(
                    "runs-invalid",
                    "{runs} runs in a row are INVALID: {why}",
                    runs = MOST_INVALID_IN_A_ROW,
                    why
                ));
                return Ok(Some(BisectOutcome::Invalid));
            }
            Shown::Invalid(why) => {
                self.invalid[step.commit] += 1;
                if self.invalid[step.commit] >= MOST_INVALID {
                    self.skip(
                        step.commit,
                        sentence!("its-runs-invalid", "its runs are INVALID: {why}", why),
                    );
                }
            }
        }
        Ok(None)
    }

    /// Leaves a commit out from now on, unless it is the bad end: without it, there is no change to find.
    fn skip(&mut self, commit: usize, why: Sentence) {
        self.bisection.skip(commit);
        if !self.bisection.is_skipped(commit) {
            return;
        }
        self.note(&sentence!(
            "commit-skipped",
            "{commit} is skipped: {why}",
            commit = self.commits[commit].short(),
            why
        ));
        self.skipped[commit] = Some(why);
    }

    /// Builds a commit and measures it against the good end.
    fn measure_commit(&mut self, step: BisectionStep) -> Result<Shown, Exit> {
        let commit = &self.commits[step.commit];
        let build = self.args.settings.0.build.as_deref();
        let found = self.repository.revision(&commit.name, build);
        let mut revision = found.map_err(|why| failed(&why))?;
        let short = commit.short().to_owned();
        revision.name.clone_from(&short);
        match self.build(&revision) {
            Ok(()) => {}
            Err(_) if self.is_stopped() => return Ok(Shown::Interrupted),
            Err(BuildError::Build { why, .. }) if step.commit + 1 < self.commits.len() => {
                return Ok(Shown::Skipped(sentence!(
                    "its-build-failed", "the build failed ({why})", why
                )));
            }
            Err(why) => return Err(failed(&why)),
        }
        if self.is_stopped() {
            return Ok(Shown::Interrupted);
        }
        let plan = self.bench.plan(&CommitRun {
            good: &self.good,
            other: (&short, &revision),
            figure: self.decisive,
            budget: self.budget(),
            rounds: u32::try_from(step.blocks).ok().map(|blocks| blocks * 2),
        })?;
        let mut display = Display::of_line(self.args.output().quiet);
        match self.bench.measure(&plan, Role::Required, &mut display) {
            Ok(measured) => self.learn(step.commit, measured),
            Err(_) if self.is_stopped() => Ok(Shown::Interrupted),
            Err(error)
                if Exit::of_run(&error) == Exit::Target
                    && self.can_skip(step.commit, error.target()) =>
            {
                Ok(Shown::Skipped(error.sentence()))
            }
            Err(error) => Err(of_run(&error)),
        }
    }

    /// Takes over what the run of a commit showed.
    fn learn(&mut self, commit: usize, measured: Measured) -> Result<Shown, Exit> {
        match &measured.ending {
            Ending::Complete(_)
                if measured.outcome == GateOutcome::Invalid || measured.logs.is_empty() =>
            {
                self.pace.measured(measured.took, 0);
                self.runs.push(measured.directory);
                let why = measured.why_invalid;
                Ok(Shown::Invalid(why.unwrap_or_else(|| {
                    sentence!("no-block-ratios", "no rounds have a ratio")
                })))
            }
            Ending::Complete(_) => {
                self.keep(&measured, commit);
                Ok(Shown::Blocks)
            }
            Ending::Interrupted => {
                self.keep(&measured, commit);
                Ok(Shown::Interrupted)
            }
            Ending::TargetFailed { target, why } if self.can_skip(commit, target.as_deref()) => {
                self.pace.measured(measured.took, 0);
                Ok(Shown::Skipped(why.clone()))
            }
            ending => Err(ended(ending)),
        }
    }

    /// Whether a run failed because of the measured commit, and not because of an end or of what is no
    /// target, such as an agent.
    fn can_skip(&self, commit: usize, failed: Option<&str>) -> bool {
        commit + 1 < self.commits.len() && failed.is_some_and(|name| name != GOOD)
    }

    /// Adds the blocks of a run.
    fn keep(&mut self, measured: &Measured, commit: usize) {
        self.pace.measured(measured.took, measured.logs.len());
        self.runs.push(measured.directory.clone());
        if measured.outcome != GateOutcome::Invalid {
            self.bisection.observe(commit, &measured.logs);
        }
    }
}

/// Prints why a run measured nothing, and returns the exit code.
fn of_run(error: &RunError) -> Exit {
    output::failure(error);
    Exit::of_run(error)
}

/// Prints why a run ended early, and returns the exit code.
fn ended(ending: &Ending) -> Exit {
    match ending {
        Ending::TargetFailed { why, .. } => {
            output::say_error(why);
            Exit::TargetFailed
        }
        Ending::RecordFailed(error) => {
            output::failure(error);
            Exit::Record
        }
        Ending::Complete(_) | Ending::Interrupted => Exit::Interrupted,
    }
}
