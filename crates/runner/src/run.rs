//! A run, from the start of the first target to the stop of the last.

use std::borrow::Cow;
use std::time::{Duration, Instant, SystemTime};

use tenbin_plan::{Found, OnLoss, Plan, Relaunch, Rounds, Turn, schedule};
use tenbin_record::{Environment, Left, RunDirectory, RunWriter, Slice, write_left};

use crate::agent_loss::{Losses, Part};
use crate::assignment::assign;
use crate::clean::{clean_command, forget_buckets};
use crate::context::RunContext;
use crate::controls::Controls;
use crate::descriptors::Descriptors;
use crate::error::{Ending, RunError};
use crate::generators::Generators;
use crate::live_target::{Launcher, Leftovers, LiveTarget};
use crate::machine::Machine;
use crate::measurement::Measurement;
use crate::outcome::RunOutcome;
use crate::pages::Pages;
use crate::ports;
use crate::preparation::{announce, bring_all_up, lengthen, make_all_ready, requests_of};
use crate::progress::Progress;
use crate::read_back::read_back;
use crate::responses;
use crate::retried;
use crate::search::Steering;
use crate::segments::AllSegments;
use crate::single;
use crate::stop::Stop;
use crate::supply::{self, Supply};
use crate::warm_up::warm_all_up;

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
    let descriptors = Descriptors::for_plan(plan)?;
    let with_memory = supply::with_memory(plan);
    supply::check(&with_memory, &context.root)?;
    let started = Instant::now();
    let directory = RunDirectory::create(&context.root, &plan.name, SystemTime::now())?;
    directory.write_plan(&plan.to_toml())?;
    let turns = schedule(plan);
    announce_start(plan, &directory, &turns, progress);
    let plan = &with_memory;
    let generators = Generators::gather(plan, &directory, stop, progress);
    let generators = generators.inspect_err(|_| discard(&directory, stop, progress))?;
    let mut shared = plan.clone();
    shared.threads *= generators.agents().max(1);
    let plan = &shared;
    let mut controls = Controls {
        stop,
        progress,
        generators,
    };
    let launcher = Launcher {
        context,
        directory: directory.path(),
    };
    let given = plan;
    let pages = Pages::make(plan, directory.path(), &mut controls);
    let pages = pages.inspect_err(|_| discard(&directory, stop, controls.progress))?;
    let (pages, plan) = match pages {
        None => (None, Cow::Borrowed(plan)),
        Some((pages, plan)) => (Some(pages), Cow::Owned(plan)),
    };
    let plan = plan.as_ref();
    let mut live_targets = Vec::new();
    let mut resolved = None;
    let mut found = Vec::new();
    let setup = RunSetup {
        given,
        context,
        directory: &directory,
        turns: &turns,
        started,
    };
    let outcome = bring_all_up(
        plan,
        &launcher,
        pages.as_ref(),
        &mut live_targets,
        &mut controls,
    )
    .and_then(|(environment, relaunch)| {
        directory.write_environment(&environment)?;
        descriptors.map_or(Ok(()), |found| found.raise())?;
        for warning in ports::forecast(plan, &turns, &live_targets) {
            (controls.progress)(Progress::Warning(&warning));
        }
        let mut environment = environment;
        environment.agents = controls.generators.environment();
        make_all_ready(plan, directory.path(), &mut live_targets, &mut controls)?;
        found = crate::found::on(&live_targets, plan.workloads.len());
        resolved = crate::found::resolved(plan, &found, relaunch, &mut live_targets);
        if resolved.is_some() {
            directory.write_plan(&crate::found::resolved_toml(given, &found, relaunch))?;
        }
        let plan = resolved.as_ref().unwrap_or(plan);
        let ready = setup.warm_up(plan, environment, &mut live_targets, &mut controls)?;
        setup.measure(
            (plan, &found),
            ready,
            (&launcher, steering),
            &mut live_targets,
            &mut controls,
        )
    });
    // Tells the agents that the run has ended.
    controls.generators = Generators::Here;
    let plan = resolved.as_ref().unwrap_or(plan);
    let of_clean_up = stop.begin_clean_up();
    let outcome = outcome.map(|measured| RunOutcome {
        directory: directory.path().to_owned(),
        started: directory.started(),
        found,
        environment: measured.environment,
        slices: measured.slices,
        sustained: measured.sustained,
        rounds: measured.rounds,
        ending: measured.ending,
        left_behind: Vec::new(),
        kept: Vec::new(),
        clean_up_interrupted: false,
    });
    if let Ok(outcome) = &outcome {
        (controls.progress)(Progress::Concluded { outcome });
    }
    let leftovers = clean_up(
        plan,
        live_targets,
        &directory,
        &of_clean_up,
        controls.progress,
    );
    if outcome.is_err() {
        for left in &leftovers.left_behind {
            (controls.progress)(Progress::Warning(&left.to_string()));
        }
        if leftovers.left_behind.is_empty() && leftovers.kept.is_empty() {
            discard(&directory, stop, controls.progress);
        }
    }
    let mut outcome = outcome?;
    if note_left(&mut outcome.environment, &leftovers.left_behind) {
        // If this file cannot be written, writing the result fails as well and reports the error.
        let _ = directory.write_environment(&outcome.environment);
    }
    Ok(RunOutcome {
        left_behind: leftovers.left_behind,
        kept: leftovers.kept,
        clean_up_interrupted: leftovers.interrupted,
        ..outcome
    })
}

/// Cleans up and stops the targets, and notes in the run directory what is left.
fn clean_up(
    plan: &Plan,
    live_targets: Vec<LiveTarget>,
    directory: &RunDirectory,
    stop: &Stop,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Leftovers {
    let mut leftovers = clear(plan, live_targets, stop, progress);
    for left in &mut leftovers.left_behind {
        left.clean = Some(clean_command(directory.path()));
    }
    // If this file cannot be written, writing the result fails as well and reports the error.
    let _ = write_left(directory.path(), &leftovers.left_behind);
    if !leftovers.interrupted {
        forget_buckets(directory.path(), &leftovers.left_behind);
    }
    leftovers
}

/// Says where the results of the run are kept, and how long it takes.
fn announce_start(
    plan: &Plan,
    directory: &RunDirectory,
    turns: &[Turn],
    progress: &mut dyn FnMut(Progress<'_>),
) {
    progress(Progress::Started {
        directory: directory.path(),
        started: directory.started(),
        slices: turns.len(),
        forecast: plan.forecast(),
        longest: plan.longest(),
        shortest: plan.rounds.until.map(|_| plan.shortest()),
        ends_early: plan.has_phases(),
        requests: requests_of(plan, turns),
        supply: Supply::most(plan),
    });
    if let Some(note) = plan.stretch_note() {
        progress(Progress::Note(&note));
    }
    let printed = plan.printed_values();
    if !printed.is_empty() {
        progress(Progress::Printed {
            what: &printed.join(", "),
        });
    }
}

/// What is known of a run before its targets are started.
struct RunSetup<'a> {
    /// The plan as it was given, without what the run found on the targets.
    given: &'a Plan,
    context: &'a RunContext,
    directory: &'a RunDirectory,
    turns: &'a [Turn],
    started: Instant,
}

/// Targets that are ready to be measured.
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
    ending: Ending,
    rounds: Rounds,
}

impl RunSetup<'_> {
    /// Notes what the targets said before the run, gives the agents their parts and warms all
    /// targets up.
    fn warm_up(
        &self,
        plan: &Plan,
        mut environment: Environment,
        live_targets: &mut [LiveTarget],
        controls: &mut Controls<'_>,
    ) -> Result<ReadyTargets, RunError> {
        if responses::note(plan, live_targets, &mut environment) {
            self.directory.write_environment(&environment)?;
        }
        if single::note_patterns(plan, live_targets, &mut environment) {
            self.directory.write_environment(&environment)?;
            let environment = &environment;
            (controls.progress)(Progress::Hits { plan, environment });
        }
        let agents = plan.agents.as_ref();
        let on_loss = agents.map(|agents| agents.on_loss);
        let wait = agents.map(|agents| agents.wait).unwrap_or_default();
        let mut prepared = live_targets.iter().flat_map(|live| &live.prepared);
        let on_loss = if prepared.all(|prepared| prepared.is_continuable()) {
            (on_loss.unwrap_or_default(), wait)
        } else {
            (OnLoss::Stop, wait)
        };
        let mut losses = Losses::new(self.directory, &mut environment, on_loss);
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
        &self,
        (plan, found): (&Plan, &[(usize, Found)]),
        ready: ReadyTargets,
        (launcher, steering): (&Launcher<'_>, &mut dyn Steering),
        live_targets: &mut [LiveTarget],
        controls: &mut Controls<'_>,
    ) -> Result<Measured, RunError> {
        let ReadyTargets {
            mut environment,
            mut segments,
            reopen,
            on_loss,
        } = ready;
        let longer = lengthen(
            (self.given, plan, found),
            self.context,
            self.directory,
            live_targets,
            controls,
        )?;
        let plan = longer.as_ref().unwrap_or(plan);
        announce(plan, &mut segments, controls);
        let mut run = Measurement {
            plan,
            launcher: *launcher,
            machine: Machine::new(self.directory.path(), live_targets),
            live_targets,
            segments,
            writer: RunWriter::create(self.directory)?,
            started: self.started,
            reopen,
            slices: Vec::new(),
            sustained: Vec::new(),
            losses: Losses::new(self.directory, &mut environment, on_loss),
            outages_in_a_row: 0,
            controls,
            count_allocations: self.context.count_allocations,
            is_precise: self.context.is_precise,
            has_fallen: self.context.has_fallen,
        };
        let ending = match run.measure(self.turns)? {
            Ending::Complete(ended) => run.search_all(ended, steering)?,
            early => early,
        };
        let ending = match ending {
            Ending::Complete(ended) => run.sustain_all(ended)?,
            early => early,
        };
        let (slices, sustained, writer) = (run.slices, run.sustained, run.writer);
        if let Ending::Complete(ended) = ending {
            writer.complete(ended)?;
        }
        let complete = matches!(ending, Ending::Complete(_));
        single::repeat_requests(plan, live_targets, complete, controls);
        let tried = retried::try_again(plan, &slices, live_targets, &mut environment, controls);
        let read = read_back(plan, live_targets, &mut environment, controls);
        let learnt = responses::note(plan, live_targets, &mut environment);
        let noted = single::note_patterns(plan, live_targets, &mut environment);
        let restarted = note_failed_starts(live_targets, &mut environment);
        if noted || learnt || tried || read || restarted {
            // The slices are valid without the environment file; figures from that file then stay
            // unknown.
            let _ = self.directory.write_environment(&environment);
        }
        Ok(Measured {
            environment,
            slices,
            sustained,
            ending,
            rounds: plan.rounds.clone(),
        })
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

/// Removes the directory of a run that measured nothing, whose name was announced. The output of a
/// target that failed to start is kept; somebody who has pressed Ctrl-C does not need it.
fn discard(directory: &RunDirectory, stop: &Stop, progress: &mut dyn FnMut(Progress<'_>)) {
    let is_removed = if stop.is_asked() {
        directory.discard()
    } else {
        directory.discard_unless_informative()
    };
    if is_removed {
        let path = directory.path().display();
        progress(Progress::Note(&format!(
            "nothing was measured, so {path} was removed"
        )));
    }
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
