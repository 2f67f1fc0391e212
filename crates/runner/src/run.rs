//! A run, from the start of the first target to the stop of the last.

use std::time::{Duration, Instant, SystemTime};

use tenbin_plan::{Found, OnLoss, Plan, Relaunch, Turn, schedule, sentence};
use tenbin_record::{Environment, Left, RunDirectory, RunWriter, Slice, write_left};

use crate::context::RunContext;
use crate::controls::Controls;
use crate::data::clean::{clean_command, forget_buckets};
use crate::data::existing;
use crate::data::loaded::{self, LoadedData};
use crate::data::pages::Pages;
use crate::data::read_back::read_back;
use crate::error::{Ending, RunError};
use crate::generators::agent_loss::{Losses, Part};
use crate::generators::assignment::assign;
use crate::generators::{Generators, hub_here};
use crate::machine::Machine;
use crate::machine::descriptors::Descriptors;
use crate::machine::ports;
use crate::outcome::RunOutcome;
use crate::preparation::{announce, bring_all_up, lengthen, make_all_ready, requests_of};
use crate::progress::Progress;
use crate::slice::max_rate::Steering;
use crate::slice::measurement::Measurement;
use crate::slice::request_list::ListedSoFar;
use crate::slice::request_log;
use crate::slice::request_samples;
use crate::slice::responses;
use crate::slice::retries;
use crate::slice::segments::AllSegments;
use crate::slice::warm_up::warm_all_up;
use crate::stop::Stop;
use crate::target::full_disk;
use crate::target::live::clean_up::Leftovers;
use crate::target::live::{Launcher, LiveTarget};

/// Runs the experiment: first the rounds, then the maximum-rate searches, each controlled by
/// `steering`. Setting the flags of `stop` ends the current slice; the results so far are kept.
///
/// # Errors
/// When nothing could be measured. After the first slice, an error becomes an [`Ending`].
pub fn run(
    plan: &Plan,
    context: &RunContext,
    stop: &Stop,
    steering: &mut dyn Steering,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<RunOutcome, RunError> {
    let setup = RunSetup::new(plan, context)?;
    setup.begin(plan, progress);
    let mut run = LiveRun::new(setup, stop, progress);
    run.gather().inspect_err(|_| run.discard())?;
    let measured = run.prepare().and_then(|ready| run.measure(ready, steering));
    run.finish(measured)
}

/// What is known of a run before anything is started.
struct RunSetup<'a> {
    context: &'a RunContext,
    directory: RunDirectory,
    turns: Vec<Turn>,
    started: Instant,
    descriptors: Option<Descriptors<'a>>,
    /// The plan, with a memory limit for each built-in store.
    plan: Plan,
}

/// A run from its first step: everything that the clean-up needs to know.
struct LiveRun<'a> {
    setup: RunSetup<'a>,
    /// The plan before the run looked at the targets.
    given: Plan,
    /// The plan that is measured, with what the run found on the targets.
    plan: Plan,
    pages: Option<Pages>,
    live_targets: Vec<LiveTarget>,
    found: Vec<(usize, Found)>,
    controls: Controls<'a>,
}

/// What the preparation of the targets gave.
struct ReadyTargets {
    environment: Environment,
    segments: AllSegments,
    reopen: Vec<Option<u32>>,
    on_loss: (OnLoss, Duration),
}

/// What was measured.
struct Measured {
    environment: Environment,
    slices: Vec<Slice>,
    sustained: Vec<Slice>,
    limit_probes: Vec<Slice>,
    ending: Ending,
}

impl<'a> RunSetup<'a> {
    /// Checks whether this machine has room for the run, and creates the run directory.
    fn new(plan: &'a Plan, context: &'a RunContext) -> Result<Self, RunError> {
        let descriptors = Descriptors::for_plan(plan)?;
        let with_memory = loaded::with_memory(plan);
        loaded::check(&with_memory, &context.root)?;
        let started = Instant::now();
        let directory = RunDirectory::create(&context.root, &plan.name, SystemTime::now())?;
        directory.write_plan(&plan.to_toml())?;
        Ok(Self {
            context,
            directory,
            turns: schedule(plan),
            started,
            descriptors,
            plan: with_memory,
        })
    }

    /// Tells where the results of the run are kept, and how long it takes.
    fn begin(&self, plan: &Plan, progress: &mut dyn FnMut(Progress<'_>)) {
        let budget = plan.gate_budget();
        let rounds = budget.map_or(plan.rounds.most(), |budget| budget.measured);
        let after_rounds = plan.times_after_rounds(rounds);
        let slices = budget.map_or(self.turns.len(), |_| plan.slices_in_rounds(rounds));
        progress(Progress::Started {
            directory: self.directory.path(),
            started: self.directory.started(),
            slices: slices + after_rounds.len(),
            after_rounds: &after_rounds,
            forecast: plan.lasting(rounds),
            measured: plan.measured_time(),
            longest: plan.longest(),
            behind: plan.longest_if_behind(),
            shortest: plan.rounds.until.map(|_| plan.shortest()),
            ends_early: plan.has_phases(),
            requests: requests_of(plan, &self.turns),
            loaded: LoadedData::largest(plan),
        });
        let printed = plan.printed_values().into_iter();
        let printed = printed.reduce(|all, next| sentence!("and-also", "{all}, {next}", all, next));
        if let Some(what) = printed {
            progress(Progress::Printed { what: &what });
        }
    }

    fn launcher(&self) -> Launcher<'_> {
        Launcher {
            context: self.context,
            directory: self.directory.path(),
        }
    }
}

impl<'a> LiveRun<'a> {
    fn new(setup: RunSetup<'a>, stop: &'a Stop, progress: &'a mut dyn FnMut(Progress<'_>)) -> Self {
        Self {
            given: setup.plan.clone(),
            plan: setup.plan.clone(),
            setup,
            pages: None,
            live_targets: Vec::new(),
            found: Vec::new(),
            controls: Controls {
                stop,
                progress,
                generators: Generators::Here,
            },
        }
    }

    /// Finds the load generators and makes the pages. No target has been started yet.
    fn gather(&mut self) -> Result<(), RunError> {
        let directory = &self.setup.directory;
        let Controls { stop, progress, .. } = &mut self.controls;
        self.controls.generators = Generators::gather(&self.plan, directory, stop, progress)?;
        self.plan.threads *= self.controls.generators.agents().max(1);
        self.given = self.plan.clone();
        let pages = Pages::make(&self.plan, directory.path(), &mut self.controls)?;
        if let Some((pages, plan)) = pages {
            self.pages = Some(pages);
            self.plan = plan;
        }
        Ok(())
    }

    /// Starts, fills and warms up the targets.
    fn prepare(&mut self) -> Result<ReadyTargets, RunError> {
        // A first request that fails must not come after the announcement of the run. Loading takes so
        // long that the announcement comes before.
        let loads = self.pages.is_some() || LoadedData::largest(&self.plan).is_some();
        if loads {
            self.announce_slices();
        }
        let (mut environment, relaunch, restarts) = bring_all_up(
            &self.plan,
            &self.setup.launcher(),
            self.pages.as_ref(),
            &mut self.live_targets,
            &mut self.controls,
        )?;
        self.setup.directory.write_environment(&environment)?;
        if let Some(descriptors) = &self.setup.descriptors {
            descriptors.raise()?;
        }
        for warning in ports::forecast(&self.plan, &self.setup.turns, &self.live_targets) {
            (self.controls.progress)(Progress::Warning(&warning));
        }
        environment.agents = self.controls.generators.environment();
        make_all_ready(
            &self.plan,
            self.setup.directory.path(),
            &mut self.live_targets,
            &mut self.controls,
        )?;
        if !loads {
            self.announce_slices();
        }
        if let Some(note) = restarts {
            (self.controls.progress)(Progress::Note(&note));
        }
        self.settle_plan(relaunch)?;
        self.note_targets(&mut environment)?;
        self.warm_up(environment)
    }

    /// Announces the slices of the run, with the notes on those after the rounds.
    fn announce_slices(&mut self) {
        (self.controls.progress)(Progress::Announced);
        let notes = [self.plan.limit_probe_note(), self.plan.stretch_note()];
        for note in notes.iter().flatten() {
            (self.controls.progress)(Progress::Note(note));
        }
    }

    /// Puts what was found on the targets, and when they are restarted, into the plan.
    fn settle_plan(&mut self, relaunch: Relaunch) -> Result<(), RunError> {
        self.found = existing::on(&self.live_targets, self.plan.workloads.len());
        existing::check(&self.plan, &self.found)?;
        let resolved =
            existing::resolved(&self.plan, &self.found, relaunch, &mut self.live_targets);
        if let Some(resolved) = resolved {
            self.plan = resolved;
            let written = existing::resolved_toml(&self.given, &self.found, relaunch);
            self.setup.directory.write_plan(&written)?;
        }
        Ok(())
    }

    /// Notes what the targets said before the run.
    fn note_targets(&mut self, environment: &mut Environment) -> Result<(), RunError> {
        let (plan, directory) = (&self.plan, &self.setup.directory);
        if responses::note(plan, &self.live_targets, environment) {
            directory.write_environment(environment)?;
        }
        if request_samples::note_patterns(plan, &self.live_targets, environment) {
            directory.write_environment(environment)?;
            (self.controls.progress)(Progress::Hits { plan, environment });
        }
        Ok(())
    }

    /// Gives the agents their parts and warms all targets up.
    fn warm_up(&mut self, mut environment: Environment) -> Result<ReadyTargets, RunError> {
        let (plan, controls) = (&self.plan, &mut self.controls);
        let live_targets = &mut self.live_targets;
        let on_loss = when_agent_is_lost(plan, live_targets);
        let mut losses = Losses::new(&self.setup.directory, &mut environment, on_loss);
        if let Err(error) = assign(plan, live_targets, controls) {
            // Afterwards, the agents have the plan.
            losses.continue_after(error, Part::Preparation, 0, controls)?;
        }
        let prepared = live_targets.first().map_or(&[][..], |live| &live.prepared);
        let mut segments = AllSegments::new(plan, prepared);
        let reopen = match plan.rounds.relaunch {
            Relaunch::Slice => {
                // Each target is warmed up after its restart.
                halt_all(live_targets)?;
                vec![None; plan.workloads.len()]
            }
            _ => losses.repeat(Part::WarmUp, controls, |controls| {
                warm_all_up(plan, live_targets, &mut segments, controls)
            })?,
        };
        Ok(ReadyTargets {
            environment,
            segments,
            reopen,
            on_loss,
        })
    }

    /// Measures the rounds, the searches and the continuous stretches.
    fn measure(
        &mut self,
        ready: ReadyTargets,
        steering: &mut dyn Steering,
    ) -> Result<Measured, RunError> {
        let ReadyTargets {
            mut environment,
            mut segments,
            reopen,
            on_loss,
        } = ready;
        let setup = &self.setup;
        if let Some(longer) = lengthen(
            (&self.given, &self.plan, &self.found),
            setup.context,
            &setup.directory,
            &self.live_targets,
            &mut self.controls,
        )? {
            self.plan = longer;
        }
        announce(&self.plan, &mut segments, &mut self.controls);
        let agents = self.plan.agents.as_ref();
        let hub = agents.map(|agents| hub_here(&agents.nats));
        let hub = hub.unwrap_or_default();
        let mut run = Measurement {
            plan: &self.plan,
            launcher: setup.launcher(),
            machine: Machine::new(setup.directory.path(), &self.live_targets, hub),
            live_targets: &mut self.live_targets,
            segments,
            writer: RunWriter::create(&setup.directory)?,
            started: setup.started,
            reopen,
            slices: Vec::new(),
            sustained: Vec::new(),
            limit_probes: Vec::new(),
            listed: ListedSoFar::default(),
            request_log: request_log::start(&self.plan)?,
            losses: Losses::new(&setup.directory, &mut environment, on_loss),
            outages_in_a_row: 0,
            controls: &mut self.controls,
            count_allocations: setup.context.count_allocations,
            rounds_end: setup.context.rounds_end,
            departs: setup.context.departs,
        };
        let ending = run.measure_all(&setup.turns, steering)?;
        let (slices, sustained, limit_probes) = (run.slices, run.sustained, run.limit_probes);
        let request_log = run.request_log;
        if let Ending::Complete(ended) = ending {
            run.writer.complete(ended)?;
        }
        if let Some(log) = request_log {
            let summary = log.finish();
            request_log::announce(&summary, &mut *self.controls.progress);
            environment.request_log = Some(summary);
            setup.directory.write_environment(&environment)?;
        }
        let mut measured = Measured {
            environment,
            slices,
            sustained,
            limit_probes,
            ending,
        };
        self.note_targets_again(&mut measured);
        Ok(measured)
    }

    /// Sends the requests that follow the load, and notes what the targets said.
    fn note_targets_again(&mut self, measured: &mut Measured) {
        let (plan, controls) = (&self.plan, &mut self.controls);
        let live_targets = &mut self.live_targets;
        let environment = &mut measured.environment;
        let complete = matches!(measured.ending, Ending::Complete(_));
        request_samples::repeat_requests(plan, live_targets, complete, controls);
        let full = full_disk::note(&measured.slices, live_targets, environment);
        let tried = retries::measure(plan, &measured.slices, live_targets, environment, controls);
        let read = read_back(plan, live_targets, environment, controls);
        let learnt = responses::note(plan, live_targets, environment);
        let noted = request_samples::note_patterns(plan, live_targets, environment);
        let restarted = note_failed_starts(live_targets, environment);
        let keys = note_refused_renewals(live_targets, self.setup.started, environment);
        if noted || learnt || full || tried || read || restarted || keys {
            // The slices are valid without the environment file; figures from that file then stay
            // unknown.
            let _ = self.setup.directory.write_environment(environment);
        }
    }

    /// Cleans up and stops the targets, and returns the outcome of the run.
    fn finish(mut self, measured: Result<Measured, RunError>) -> Result<RunOutcome, RunError> {
        // Tells the agents that the run has ended.
        self.controls.generators = Generators::Here;
        let of_clean_up = self.controls.stop.begin_clean_up();
        let mut outcome = measured.map(|measured| self.outcome(measured));
        if let Ok(outcome) = &mut outcome {
            (self.controls.progress)(Progress::Concluded { outcome });
        }
        let leftovers = self.clean_up(&of_clean_up);
        if outcome.is_err() {
            for left in &leftovers.left_behind {
                (self.controls.progress)(Progress::Left(&left.sentence()));
            }
            if leftovers.left_behind.is_empty() && leftovers.kept.is_empty() {
                self.discard();
            }
        }
        let mut outcome = outcome?;
        if note_left(&mut outcome.environment, &leftovers.left_behind) {
            // If this file cannot be written, writing the result fails as well and reports the error.
            let directory = &self.setup.directory;
            let _ = directory.write_environment(&outcome.environment);
        }
        Ok(RunOutcome {
            left_behind: leftovers.left_behind,
            kept: leftovers.kept,
            clean_up_interrupted: leftovers.interrupted,
            ..outcome
        })
    }

    /// The outcome before the clean-up.
    fn outcome(&mut self, measured: Measured) -> RunOutcome {
        let directory = &self.setup.directory;
        RunOutcome {
            directory: directory.path().to_owned(),
            started: directory.started(),
            found: std::mem::take(&mut self.found),
            environment: measured.environment,
            slices: measured.slices,
            sustained: measured.sustained,
            limit_probes: measured.limit_probes,
            rounds: self.plan.rounds.clone(),
            ending: measured.ending,
            left_behind: Vec::new(),
            kept: Vec::new(),
            clean_up_interrupted: false,
        }
    }

    /// Cleans up and stops the targets, and notes in the run directory what is left.
    fn clean_up(&mut self, stop: &Stop) -> Leftovers {
        let directory = self.setup.directory.path();
        let live_targets = std::mem::take(&mut self.live_targets);
        let mut leftovers = clear(&self.plan, live_targets, stop, self.controls.progress);
        for left in &mut leftovers.left_behind {
            left.clean = (!left.unremovable).then(|| clean_command(directory));
        }
        // If this file cannot be written, writing the result fails as well and reports the error.
        let _ = write_left(directory, &leftovers.left_behind);
        if !leftovers.interrupted {
            forget_buckets(directory, &leftovers.left_behind);
        }
        leftovers
    }

    /// Removes the directory of a run that measured nothing. The output of a target that failed to
    /// start is kept; somebody who has pressed Ctrl-C does not need it.
    fn discard(&mut self) {
        let directory = &self.setup.directory;
        if !self.controls.stop.is_asked() {
            directory.discard_unless_informative();
        } else if directory.discard() {
            (self.controls.progress)(Progress::Note(&sentence!(
                "nothing-measured",
                "nothing was measured, so {directory} was removed",
                directory = directory.path().display()
            )));
        }
    }
}

/// What happens when an agent is lost, and how long to look for another one. A run whose workloads
/// cannot go on elsewhere stops.
fn when_agent_is_lost(plan: &Plan, live_targets: &[LiveTarget]) -> (OnLoss, Duration) {
    let agents = plan.agents.as_ref();
    let wait = agents.map(|agents| agents.wait).unwrap_or_default();
    let mut prepared = live_targets.iter().flat_map(|live| &live.prepared);
    if prepared.all(|prepared| prepared.is_continuable()) {
        let on_loss = agents.map(|agents| agents.on_loss);
        (on_loss.unwrap_or_default(), wait)
    } else {
        (OnLoss::Stop, wait)
    }
}

/// Adds failed restarts to the environment. Returns whether there are any.
fn note_failed_starts(live_targets: &mut [LiveTarget], environment: &mut Environment) -> bool {
    let mut any = false;
    for live in live_targets {
        let failed = std::mem::take(&mut live.failed_starts);
        any |= !failed.is_empty();
        if !failed.is_empty() {
            let target = environment.targets.entry(live.running.name.clone());
            target.or_default().failed_starts.extend(failed);
        }
    }
    any
}

/// Adds the renewals of temporary keys that were refused. Returns whether there are any.
fn note_refused_renewals(
    live_targets: &[LiveTarget],
    started: Instant,
    environment: &mut Environment,
) -> bool {
    let live_targets = live_targets.iter();
    let refused = live_targets.flat_map(|live| live.refused_renewals(started));
    environment.refused_renewals = refused.collect();
    !environment.refused_renewals.is_empty()
}

/// Adds the leftovers of each target to its environment. Returns whether there are any.
fn note_left(environment: &mut Environment, left: &[Left]) -> bool {
    let named = left
        .iter()
        .filter_map(|left| Some((left.target.as_ref()?, left)));
    let mut any = false;
    for (target, left) in named {
        let target = environment.targets.entry(target.clone());
        target.or_default().left.push(left.clone());
        any = true;
    }
    any
}

fn halt_all(live_targets: &mut [LiveTarget]) -> Result<(), RunError> {
    for live in live_targets {
        live.running.halt()?;
    }
    Ok(())
}

/// Cleans up and stops every target, whether or not the run succeeded. `stop` ends the clean-up
/// early; the targets are stopped in any case.
fn clear(
    plan: &Plan,
    live_targets: Vec<LiveTarget>,
    stop: &Stop,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Leftovers {
    let mut leftovers = Leftovers::default();
    let mut live_targets = live_targets;
    for live in live_targets.iter_mut().rev() {
        let of_target = live.clean_up(plan, stop, progress);
        leftovers.interrupted |= of_target.interrupted;
        leftovers.kept.extend(of_target.kept);
        leftovers.left_behind.extend(of_target.left_behind);
    }
    progress(Progress::Stopping);
    for live in &live_targets {
        live.running.request_stop();
    }
    for mut live in live_targets {
        if let Err(error) = live.running.stop() {
            leftovers.left_behind.push(error.to_string().into());
        }
    }
    leftovers
}
