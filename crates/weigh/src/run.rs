//! A run, from the first target's start to the last one's end.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use tenbin_engine::{Carrier, Drive, drive};
use tenbin_plan::rng::{Rng, name_number};
use tenbin_plan::{Plan, Turn, schedule};
use tenbin_record::{Allocated, Environment, RunDirectory, RunWriter, Slice, SliceEnd, SliceStart};
use tenbin_targets::{Grounds, bring_up};

use crate::arm::{Arm, Stays, Wires};
use crate::descriptors::Descriptors;
use crate::error::{Ending, WeighError};
use crate::progress::Progress;
use crate::stop::Stop;
use crate::watch::{Trouble, Watch};

/// Tells what this process has allocated since it was first asked; `None` if nobody counts.
pub type CountAllocations = fn() -> Option<Allocated>;

/// Where a run takes place.
#[derive(Debug, Clone)]
pub struct Bench {
    /// Directory in which the run gets its own.
    pub root: PathBuf,
    /// Directory that relative paths of the plan start from.
    pub plan_directory: PathBuf,
    /// This program, which guards and serves as a child process of itself.
    pub executable: PathBuf,
    /// What this process allocates, which only the program that chooses the
    /// allocator can know.
    pub count_allocations: CountAllocations,
}

/// What a run has come to.
#[derive(Debug)]
pub struct Weighed {
    /// The run directory.
    pub directory: PathBuf,
    /// When the run began.
    pub started: SystemTime,
    /// The machine and the targets.
    pub environment: Environment,
    /// All slices, in their order.
    pub slices: Vec<Slice>,
    /// How the measuring ended.
    pub ending: Ending,
    /// What Tenbin made and could not remove, a sentence each.
    pub left_behind: Vec<String>,
    /// What stays on the targets because the plan says so, a sentence each.
    pub kept: Vec<String>,
}

/// Runs the experiment. Setting the flags of `stop` ends the slice under way and
/// keeps what there is.
///
/// # Errors
/// When nothing could be measured. Once a slice has been measured, trouble is an
/// [`Ending`], not an error.
pub fn weigh(
    plan: &Plan,
    bench: &Bench,
    stop: &Stop,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Weighed, WeighError> {
    let descriptors = Descriptors::for_plan(plan)?;
    let begun = Instant::now();
    let directory = RunDirectory::create(&bench.root, &plan.name, SystemTime::now())?;
    directory.write_plan(&plan.to_toml())?;
    let turns = schedule(plan);
    progress(Progress::Begun {
        directory: directory.path(),
        slices: turns.len(),
        forecast: plan.forecast(),
    });
    let mut wires = Wires { stop, progress };
    let mut arms = Vec::new();
    let outcome = bring_all_up(plan, bench, directory.path(), &mut arms, &mut wires)
        .and_then(|environment| {
            directory.write_environment(&environment)?;
            descriptors.map_or(Ok(()), |found| found.raise())?;
            make_all_ready(plan, &mut arms, &mut wires)?;
            Ok(environment)
        })
        .and_then(|environment| {
            let mut run = Run {
                plan,
                arms: &mut arms,
                writer: directory.writer()?,
                begun,
                slices: Vec::new(),
                wires: &mut wires,
                count_allocations: bench.count_allocations,
            };
            let ending = run.measure(&turns)?;
            let (slices, writer) = (run.slices, run.writer);
            if matches!(ending, Ending::Complete) {
                writer.complete()?;
            }
            Ok((environment, slices, ending))
        });
    let stays = clear(plan, arms, wires.progress);
    // Where this cannot be written, the run says so of its figures as well.
    let _ = directory.write_left(&stays.left_behind);
    if outcome.is_err() {
        for sentence in &stays.left_behind {
            (wires.progress)(Progress::Warning(sentence));
        }
    }
    let (environment, slices, ending) = outcome?;
    Ok(Weighed {
        directory: directory.path().to_owned(),
        started: directory.started(),
        environment,
        slices,
        ending,
        left_behind: stays.left_behind,
        kept: stays.kept,
    })
}

fn bring_all_up(
    plan: &Plan,
    bench: &Bench,
    directory: &Path,
    arms: &mut Vec<Arm>,
    wires: &mut Wires<'_>,
) -> Result<Environment, WeighError> {
    let mut environment = Environment::collect();
    for target in &plan.targets {
        let name = &target.name;
        (wires.progress)(Progress::Starting {
            target: name,
            awaited: None,
            waited: Duration::ZERO,
        });
        // Told from inside the waiting, one at a time.
        let progress = RefCell::new(&mut *wires.progress);
        let running = bring_up(
            target,
            &Grounds {
                run_dir: directory,
                plan_dir: &bench.plan_directory,
                guard_exe: &bench.executable,
                stop: wires.stop.asked(),
                waiting: &|waiting| {
                    (progress.borrow_mut())(Progress::Starting {
                        target: waiting.target,
                        awaited: Some(waiting.awaited),
                        waited: waiting.waited,
                    });
                },
            },
        )?;
        let arm = Arm::new(plan, target, running, wires)?;
        (wires.progress)(Progress::Up {
            target: name,
            url: arm.running.url.as_str(),
        });
        environment.targets.insert(name.clone(), arm.environment());
        arms.push(arm);
    }
    Ok(environment)
}

fn make_all_ready(plan: &Plan, arms: &mut [Arm], wires: &mut Wires<'_>) -> Result<(), WeighError> {
    for arm in arms.iter_mut() {
        arm.make_ready(plan, wires)?;
    }
    for at in 0..plan.workloads.len() {
        for arm in arms.iter_mut() {
            arm.warm_up(plan, at, wires)?;
        }
    }
    if wires.stop.is_asked() {
        return Err(WeighError::Interrupted);
    }
    Ok(())
}

/// Tidies and stops every target, whatever happened before.
fn clear(plan: &Plan, arms: Vec<Arm>, progress: &mut dyn FnMut(Progress<'_>)) -> Stays {
    let mut stays = Stays::default();
    let mut arms = arms;
    for arm in arms.iter_mut().rev() {
        let of_arm = arm.tidy(plan, progress);
        stays.kept.extend(of_arm.kept);
        stays.left_behind.extend(of_arm.left_behind);
    }
    progress(Progress::Stopping);
    for arm in &arms {
        arm.running.ask_to_stop();
    }
    for mut arm in arms {
        if let Err(error) = arm.running.stop() {
            stays.left_behind.push(error.to_string());
        }
    }
    stays
}

/// The measuring itself.
struct Run<'r, 'w> {
    plan: &'r Plan,
    arms: &'r mut [Arm],
    writer: RunWriter,
    /// When the run began: that of `started_unix_ns`, from which all times count.
    begun: Instant,
    slices: Vec<Slice>,
    wires: &'r mut Wires<'w>,
    count_allocations: CountAllocations,
}

impl Run<'_, '_> {
    fn measure(&mut self, turns: &[Turn]) -> Result<Ending, WeighError> {
        for (index, turn) in turns.iter().enumerate() {
            match self.slice(index, turn) {
                Ok(None) => {}
                Ok(Some(ending)) => return Ok(ending),
                Err(WeighError::Interrupted) => return Ok(Ending::Interrupted),
                Err(WeighError::Record(error)) => return Ok(Ending::RecordFailed(error)),
                Err(WeighError::Preparation {
                    target, what, why, ..
                }) => {
                    let sentence = format!("target \"{target}\": {what} failed: {why}");
                    return Ok(Ending::TargetFailed(sentence));
                }
                Err(error) => return Err(error),
            }
            if index + 1 < turns.len() {
                rest(self.plan.rounds.gap, self.wires.stop);
            }
        }
        Ok(Ending::Complete)
    }

    /// Measures one slice. `Some` when nothing should follow it.
    fn slice(&mut self, index: usize, turn: &Turn) -> Result<Option<Ending>, WeighError> {
        let work = &self.plan.workloads[turn.workload];
        let arm = &mut self.arms[turn.target];
        if let Some(why) = arm.prepared[turn.workload].spent() {
            let (target, workload) = (&arm.running.name, &work.name);
            let sentence = format!("target \"{target}\", workload \"{workload}\": {why}");
            return Ok(Some(Ending::TargetFailed(sentence)));
        }
        arm.before_slice(work, turn.workload, self.wires)?;
        (self.wires.progress)(Progress::Slice {
            index,
            target: &arm.running.name,
            workload: &work.name,
        });
        let mut workers = arm.prepared[turn.workload].slice();
        workers.truncate(work.load.connections);
        let rounds = &self.plan.rounds;
        let lead = work.lead(rounds);
        let how = Drive {
            carrier: arm.carrier(),
            load: work.load.clone(),
            seed: arrivals_seed(self.plan.seed, turn),
            lead,
            window: Some(rounds.slice),
        };
        let (operations, roles) = workers.first().map_or_else(Default::default, |worker| {
            let named = worker.operations().iter().enumerate();
            named
                .map(|(op, name)| ((*name).to_owned(), worker.role(op)))
                .unzip()
        });
        self.writer.begin(SliceStart {
            index: index as u32,
            block: turn.block,
            round: turn.round,
            workload: work.name.clone(),
            target: arm.running.name.clone(),
            operations,
            roles,
            hosts: host_names(&how.carrier),
            threads: workers.len(),
            connections: work.load.connections,
            closed_loop: matches!(work.load.pace, tenbin_plan::Pace::Closed),
            planned_seconds: rounds.slice.as_secs_f64(),
            start: (self.begun.elapsed() + lead).as_secs_f64(),
        })?;
        let stop = self.wires.stop;
        let mut watch = Watch::new(
            arm,
            workers.len(),
            &mut self.writer,
            self.wires,
            self.count_allocations,
        );
        let done = drive(&how, workers, stop.over(), &mut |news| watch.hear(news))?;
        let (trouble, server, allocated) = (watch.trouble, watch.total, watch.allocated);
        arm.prepared[turn.workload].slice_done(done.workers);
        if let Some(Trouble::Record(error)) = trouble {
            return Ok(Some(Ending::RecordFailed(error)));
        }
        let slice = self.writer.end(SliceEnd {
            seconds: done.seconds,
            cut_short: done.cut_short,
            server,
            allocated,
        })?;
        (self.wires.progress)(Progress::Measured { slice: &slice });
        let ending = match trouble {
            Some(Trouble::Died(sentence)) => Some(Ending::TargetFailed(sentence)),
            _ if self.wires.stop.is_asked() => Some(Ending::Interrupted),
            _ => arm
                .death()
                .or_else(|| gave_nothing(&slice))
                .map(Ending::TargetFailed),
        };
        self.slices.push(slice);
        Ok(ending)
    }
}

/// Names of the hosts that share the load, if there are several.
fn host_names(carrier: &Carrier) -> Vec<String> {
    match carrier {
        Carrier::Route(route) if route.hosts.len() > 1 => {
            route.hosts.iter().map(|host| host.name.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// The same for every target in a round, so that a pair meets the same arrivals,
/// and another in each round.
fn arrivals_seed(seed: u64, turn: &Turn) -> u64 {
    let parts = [
        name_number("arrivals"),
        turn.workload as u64,
        turn.round.into(),
    ];
    Rng::new(seed, &parts).next_u64()
}

/// A slice with failures and no work done: going on would only measure how fast the
/// target fails.
fn gave_nothing(slice: &Slice) -> Option<String> {
    if !slice.gave_nothing() {
        return None;
    }
    // Each is looked at by itself, so that a step and its whole add up to nothing.
    let texts = slice.ops.iter().flat_map(|op| &op.failures);
    let texts = texts.map(|(text, count)| (text.clone(), *count));
    let statuses = slice.ops.iter().flat_map(|op| &op.statuses);
    let statuses = statuses.map(|(status, count)| (format!("status {status}"), *count));
    let classes = slice.ops.iter().flat_map(|op| &op.errors);
    let classes = classes.map(|(class, count)| (format!("{} error", class.name()), *count));
    // The most telling first: `max_by_key` gives the last of equals.
    let worst = classes
        .chain(statuses)
        .chain(texts)
        .max_by_key(|(_, count)| *count)
        .map_or_else(
            || "no reason given".to_owned(),
            |(text, count)| format!("{text} ({count} times)"),
        );
    let what = if slice.requests().any(|op| op.ok > 0) {
        "completed no operation"
    } else {
        "gave no correct answer"
    };
    Some(format!(
        "target \"{}\" {what} in a whole slice of \"{}\": {worst}",
        slice.target, slice.workload
    ))
}

fn rest(gap: Duration, stop: &Stop) {
    let until = Instant::now() + gap;
    while !stop.is_asked() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        thread::sleep(left.min(Duration::from_millis(50)));
    }
}
