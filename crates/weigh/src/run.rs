//! A run, from the first target's start to the last one's end.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use tenbin_engine::{Carrier, Drive, ErrorClass, drive};
use tenbin_plan::rng::{Rng, name_number};
use tenbin_plan::{Found, Load, Plan, Relaunch, Rounds, Turn, Workload, schedule};
use tenbin_record::{
    Allocated, Ended, Environment, Left, MachineUse, PauseUse, RateProbe, RunDirectory, RunWriter,
    Slice, SliceEnd, SliceStart, WireUse, write_left,
};
use tenbin_targets::{CoreWaits, Depth, TargetError};

use crate::arm::{Arm, Ground, Stays, Wires, at_most};
use crate::cache;
use crate::clean::forget_buckets;
use crate::course::{self, Courses};
use crate::descriptors::{self, Descriptors};
use crate::error::{Ending, WeighError};
use crate::machine::Machine;
use crate::nodes;
use crate::pages::Pages;
use crate::ports;
use crate::preparation::{announce, bring_all_up, lengthen, make_all_ready, requests_of};
use crate::progress::Progress;
use crate::responses;
use crate::restarts;
use crate::retried;
use crate::search::Steering;
use crate::single;
use crate::stop::Stop;
use crate::supply::{self, Supply};
use crate::warm_up::{warm_all_up, warm_up};
use crate::watch::{Scene, Trouble, Watch};

/// Tells what this process has allocated since it was first asked; `None` if nobody counts.
pub type CountAllocations = fn() -> Option<Allocated>;

/// Tells from the slices so far whether the deciding figures are known as well as the
/// plan asks for.
pub type IsPrecise = fn(&Plan, &[Slice]) -> bool;

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
    /// When a run that may end by precision may end, which only those who judge
    /// figures can know.
    pub is_precise: IsPrecise,
    /// Nobody has set the length of a slice, so that it may follow from the warm-up.
    pub lengthen_slices: bool,
}

/// What a run has come to.
#[derive(Debug)]
pub struct Weighed {
    /// The run directory.
    pub directory: PathBuf,
    /// When the run began.
    pub started: SystemTime,
    /// Data sets that were there before the run, by position of the workload: see
    /// [`Plan::settle`].
    pub found: Vec<(usize, Found)>,
    /// The machine and the targets.
    pub environment: Environment,
    /// All slices, in their order.
    pub slices: Vec<Slice>,
    /// As those of the plan, but with longer slices where the warm-up showed operations too slow for
    /// them, and with what [`Relaunch::Auto`] came to.
    pub rounds: Rounds,
    /// How the measuring ended.
    pub ending: Ending,
    /// What Tenbin made and could not remove.
    pub left_behind: Vec<Left>,
    /// What stays on the targets because the plan says so, a sentence each.
    pub kept: Vec<String>,
}

/// Runs the experiment: the rounds first, then the searches for a rate, each steered by
/// `steering`. Setting the flags of `stop` ends the slice under way and keeps what there
/// is.
///
/// # Errors
/// When nothing could be measured. Once a slice has been measured, trouble is an
/// [`Ending`], not an error.
pub fn weigh(
    plan: &Plan,
    bench: &Bench,
    stop: &Stop,
    steering: &mut dyn Steering,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Weighed, WeighError> {
    let descriptors = Descriptors::for_plan(plan)?;
    let with_memory = supply::with_memory(plan);
    supply::check(&with_memory, &bench.root)?;
    let begun = Instant::now();
    let directory = RunDirectory::create(&bench.root, &plan.name, SystemTime::now())?;
    directory.write_plan(&plan.to_toml())?;
    let turns = schedule(plan);
    progress(Progress::Begun {
        directory: directory.path(),
        started: directory.started(),
        slices: turns.len(),
        forecast: plan.forecast(),
        longest: plan.longest(),
        shortest: plan.rounds.until.map(|_| plan.shortest()),
        requests: requests_of(plan, &turns),
        supply: Supply::most(plan),
    });
    let printed = plan.printed_values();
    if !printed.is_empty() {
        progress(Progress::Printed {
            what: &printed.join(", "),
        });
    }
    let plan = &with_memory;
    let mut wires = Wires { stop, progress };
    let ground = Ground {
        bench,
        directory: directory.path(),
    };
    let given = plan;
    let (pages, plan) = match Pages::make(plan, directory.path(), &mut wires)? {
        None => (None, Cow::Borrowed(plan)),
        Some((pages, plan)) => (Some(pages), Cow::Owned(plan)),
    };
    let plan = plan.as_ref();
    let mut arms = Vec::new();
    let mut settled = None;
    let mut found = Vec::new();
    let outcome = bring_all_up(plan, &ground, pages.as_ref(), &mut arms, &mut wires)
        .and_then(|(environment, relaunch)| {
            directory.write_environment(&environment)?;
            descriptors.map_or(Ok(()), |found| found.raise())?;
            for warning in ports::forecast(plan, &turns, &arms) {
                (wires.progress)(Progress::Warning(&warning));
            }
            let mut environment = environment;
            make_all_ready(plan, directory.path(), &mut arms, &mut wires)?;
            found = crate::found::on(&arms, plan.workloads.len());
            settled = crate::found::settled(plan, &found, relaunch, &mut arms);
            let plan = settled.as_ref().unwrap_or(plan);
            if settled.is_some() {
                directory.write_plan(&crate::found::in_words(given, &found, relaunch))?;
            }
            if responses::note(plan, &arms, &mut environment) {
                directory.write_environment(&environment)?;
            }
            if single::note_patterns(plan, &arms, &mut environment) {
                directory.write_environment(&environment)?;
                let environment = &environment;
                (wires.progress)(Progress::Hits { plan, environment });
            }
            let prepared = arms.first().map_or(&[][..], |arm| &arm.prepared);
            let mut courses = Courses::new(plan, prepared);
            let reopen = match plan.rounds.relaunch {
                Relaunch::Slice => {
                    // Each is warmed up when it has been started again.
                    halt_all(&mut arms)?;
                    vec![None; plan.workloads.len()]
                }
                _ => warm_all_up(plan, &mut arms, &mut courses, &mut wires)?,
            };
            Ok((environment, courses, reopen))
        })
        .and_then(|(mut environment, mut courses, reopen)| {
            let plan = settled.as_ref().unwrap_or(plan);
            let longer = lengthen((given, plan, &found), bench, &directory, &arms, &mut wires)?;
            let plan = longer.as_ref().unwrap_or(plan);
            announce(plan, &mut courses, &mut wires);
            let mut run = Run {
                plan,
                ground,
                machine: Machine::new(directory.path(), &arms),
                arms: &mut arms,
                courses,
                writer: directory.writer()?,
                begun,
                reopen,
                slices: Vec::new(),
                wires: &mut wires,
                count_allocations: bench.count_allocations,
                is_precise: bench.is_precise,
            };
            let ending = match run.measure(&turns)? {
                Ending::Complete(ended) => run.search_all(ended, steering)?,
                early => early,
            };
            let (slices, writer) = (run.slices, run.writer);
            if let Ending::Complete(ended) = ending {
                writer.complete(ended)?;
            }
            let complete = matches!(ending, Ending::Complete(_));
            single::ask_again(plan, &mut arms, complete, &mut wires);
            let tried = retried::try_again(plan, &slices, &mut arms, &mut environment, &mut wires);
            let learnt = responses::note(plan, &arms, &mut environment);
            if single::note_patterns(plan, &arms, &mut environment) || learnt || tried {
                // What was measured counts without it; there it stays unknown.
                let _ = directory.write_environment(&environment);
            }
            Ok((environment, slices, ending, plan.rounds.clone()))
        });
    let plan = settled.as_ref().unwrap_or(plan);
    let mut stays = clear(plan, arms, wires.progress);
    for left in &mut stays.left_behind {
        left.clean = Some(clean_command(directory.path()));
    }
    // Where this cannot be written, the run says so of its figures as well.
    let _ = write_left(directory.path(), &stays.left_behind);
    forget_buckets(directory.path(), &stays.left_behind);
    if outcome.is_err() {
        for left in &stays.left_behind {
            (wires.progress)(Progress::Warning(&left.to_string()));
        }
        if stays.left_behind.is_empty() && stays.kept.is_empty() {
            directory.discard_unless_it_tells();
        }
    }
    let (environment, slices, ending, rounds) = outcome?;
    Ok(Weighed {
        directory: directory.path().to_owned(),
        started: directory.started(),
        found,
        environment,
        slices,
        rounds,
        ending,
        left_behind: stays.left_behind,
        kept: stays.kept,
    })
}

fn halt_all(arms: &mut [Arm]) -> Result<(), WeighError> {
    for arm in arms {
        arm.running.halt()?;
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
            stays.left_behind.push(error.to_string().into());
        }
    }
    stays
}

/// The command that tries to remove what a run has left.
pub fn clean_command(directory: &Path) -> String {
    format!("tenbin clean {}", directory.display())
}

/// One slice to be measured.
pub(crate) struct Ask<'a> {
    pub(crate) turn: &'a Turn,
    pub(crate) load: Load,
    pub(crate) window: Duration,
    pub(crate) probe: Option<RateProbe>,
}

/// The measuring itself.
pub(crate) struct Run<'r, 'w> {
    pub(crate) plan: &'r Plan,
    ground: Ground<'r>,
    machine: Machine,
    pub(crate) arms: &'r mut [Arm],
    courses: Courses,
    writer: RunWriter,
    /// When the run began: that of `started_unix_ns`, from which all times count.
    begun: Instant,
    /// By workload: how often each connection is opened in a slice, where the plan does not say.
    reopen: Vec<Option<u32>>,
    pub(crate) slices: Vec<Slice>,
    pub(crate) wires: &'r mut Wires<'w>,
    count_allocations: CountAllocations,
    is_precise: IsPrecise,
}

impl Run<'_, '_> {
    fn measure(&mut self, turns: &[Turn]) -> Result<Ending, WeighError> {
        for (index, turn) in turns.iter().enumerate() {
            let begins_block = index > 0 && ends_block(turns, index - 1);
            if begins_block && let Some(ending) = self.restart_for_block()? {
                return Ok(ending);
            }
            let load = self.plan.workloads[turn.workload].load.clone();
            let ask = Ask {
                turn,
                load: Load {
                    reopen: load.reopen.or(self.reopen[turn.workload]),
                    ..load
                },
                window: self.plan.rounds.slice,
                probe: None,
            };
            if let Some(ending) = self.ask(&ask)? {
                return Ok(ending);
            }
            let is_last = index + 1 == turns.len();
            if !is_last && ends_block(turns, index) && self.is_enough(turn) {
                return Ok(Ending::Complete(Ended::Precise));
            }
        }
        Ok(Ending::Complete(match self.plan.rounds.until {
            None => Ended::Planned,
            Some(_) if (self.is_precise)(self.plan, &self.slices) => Ended::Precise,
            Some(_) => Ended::MostRounds,
        }))
    }

    /// Starts every target again where each block finds its targets just started. `Some` when
    /// nothing should follow it.
    fn restart_for_block(&mut self) -> Result<Option<Ending>, WeighError> {
        if self.plan.rounds.relaunch != Relaunch::Block {
            return Ok(None);
        }
        let arms = &mut *self.arms;
        match restarts::restart_all(self.plan, &self.ground, arms, &mut self.courses, self.wires) {
            Ok(()) => Ok(None),
            Err(error) => Ok(Some(match ending_of(error)? {
                Ending::TargetFailed(why) => Ending::TargetFailed(format!(
                    "restarting before a block: {why}; to start each target once, use \
                     --relaunch=never"
                )),
                ending => ending,
            })),
        }
    }

    /// Whether a run that may end by precision may end with this turn, the last of
    /// its block.
    fn is_enough(&self, turn: &Turn) -> bool {
        let rounds = &self.plan.rounds;
        let has_fewest = (turn.block + 1) * self.plan.rounds_per_block() >= rounds.count;
        rounds.until.is_some() && has_fewest && (self.is_precise)(self.plan, &self.slices)
    }

    /// Measures one slice, after a rest if it is not the first. `Some` when nothing
    /// should follow it.
    pub(crate) fn ask(&mut self, ask: &Ask<'_>) -> Result<Option<Ending>, WeighError> {
        let pause = (!self.slices.is_empty())
            .then(|| {
                let pause = self.machine.pause(self.arms);
                rest(self.plan.rounds.gap, self.wires.stop);
                pause.over(self.arms)
            })
            .flatten();
        match self.slice(ask, pause) {
            Ok(ending) => Ok(ending),
            Err(error) => ending_of(error).map(Some),
        }
    }

    fn slice(
        &mut self,
        ask: &Ask<'_>,
        pause: Option<PauseUse>,
    ) -> Result<Option<Ending>, WeighError> {
        let index = self.slices.len();
        let turn = ask.turn;
        let work = &self.plan.workloads[turn.workload];
        let arm = &mut self.arms[turn.target];
        if let Some(why) = arm.prepared[turn.workload].spent() {
            let (target, workload) = (&arm.running.name, &work.name);
            let sentence = format!("target \"{target}\", workload \"{workload}\": {why}");
            return Ok(Some(Ending::TargetFailed(sentence)));
        }
        if self.plan.rounds.relaunch == Relaunch::Slice {
            arm.restart(&self.ground, self.wires)?;
        }
        if let Some(sentence) = nodes::missing(&self.plan.targets[turn.target], &arm.running)? {
            return Ok(Some(Ending::TargetFailed(sentence)));
        }
        if self.plan.rounds.relaunch == Relaunch::Slice {
            course::level(self.arms, &mut self.courses, turn.workload, turn.target);
            let one = (turn.target, &mut self.arms[turn.target]);
            let length = self.plan.rounds.warmup;
            warm_up(
                self.plan,
                turn.workload,
                length,
                one,
                &mut self.courses,
                self.wires,
            )?;
            if self.wires.stop.is_asked() {
                return Ok(Some(Ending::Interrupted));
            }
        }
        let arm = &mut self.arms[turn.target];
        arm.before_slice(work, turn.workload, self.wires)?;
        (self.wires.progress)(Progress::Slice {
            index,
            round: turn.round,
            target: &arm.running.name,
            workload: &work.name,
        });
        let counters = self
            .plan
            .cache_counters(&self.plan.targets[turn.target], work);
        let cache_before = cache::look(&arm.running, work, counters)?;
        let searched = (&self.plan.targets[turn.target], work);
        let search_before = cache::search_look(&arm.running, self.plan, searched);
        let planned = (work.lead(&self.plan.rounds), ask.window);
        course::level(self.arms, &mut self.courses, turn.workload, turn.target);
        let arm = &mut self.arms[turn.target];
        let course = self.courses.of(turn.workload);
        let prepared = arm.prepared[turn.workload].as_mut();
        let stretch = course.map(|course| course.begin(turn.target, prepared, &ask.load, planned));
        let (lead, window) = stretch.as_ref().map_or(planned, |s| (s.lead, s.window));
        let from = prepared.position();
        // Where every operation counts, the window stays open until the last has ended.
        let all_count = work.may_end_early() && ask.load.requests.is_none();
        let mut workers = prepared.slice();
        at_most(&mut workers, work.load.connections);
        let how = Drive {
            rest: stretch.as_ref().and_then(|s| s.rest).filter(|_| !all_count),
            carrier: arm.carrier(),
            load: ask.load.clone(),
            seed: arrivals_seed(self.plan.seed, turn),
            lead,
            stages: work.stages,
            window: Some(window),
        };
        let hosts = host_names(&how.carrier);
        let (operations, roles) = workers.first().map_or_else(Default::default, |worker| {
            let named = worker.operations().iter().enumerate();
            named
                .map(|(op, name)| ((*name).to_owned(), worker.role(op)))
                .unzip()
        });
        let start = SliceStart {
            index: index as u32,
            block: turn.block,
            round: turn.round,
            workload: work.name.clone(),
            target: arm.running.name.clone(),
            operations,
            roles,
            hosts: hosts.clone(),
            threads: workers.len(),
            connections: work.load.connections,
            closed_loop: matches!(ask.load.pace, tenbin_plan::Pace::Closed),
            planned_seconds: ask.window.as_secs_f64(),
            // Known when the window opens.
            start: 0.0,
            reopen: ask.load.reopen,
            probe: ask.probe,
        };
        let stop = self.wires.stop;
        let scene = Scene {
            machine: &self.machine,
            arms: self.arms,
            loaded: turn.target,
            count_allocations: self.count_allocations,
        };
        let arm = &self.arms[turn.target];
        let waits = ask.probe.and_then(|_| core_waits(self.plan, arm, work));
        let mut watch = Watch::new(
            scene,
            start,
            self.begun,
            waits,
            &mut self.writer,
            self.wires,
        );
        let done = drive(&how, workers, stop.over(), &mut |news| watch.hear(news))?;
        let Watch {
            trouble,
            total: server,
            machine,
            allocated,
            ..
        } = watch;
        let arm = &mut self.arms[turn.target];
        let prepared = arm.prepared[turn.workload].as_mut();
        prepared.slice_done(done.workers);
        let seen = prepared.singles_seen();
        let responses = prepared.responses_seen();
        let segment = from.zip(prepared.position()).map(|(from, to)| {
            let planned = stretch.as_ref().and_then(|stretch| stretch.requests);
            course::recorded(&from, &to, planned, done.unmeasured)
        });
        let cache_after = cache::look(&arm.running, work, counters).ok().flatten();
        let search_after = cache::search_look(&arm.running, self.plan, searched);
        let forecast = seen.as_ref().and_then(|seen| seen.forecast);
        if let Some(Trouble::Record(error)) = trouble {
            return Ok(Some(Ending::RecordFailed(error)));
        }
        let slice = self.writer.end(SliceEnd {
            seconds: done.seconds,
            cut_short: done.cut_short,
            server,
            allocated,
            machine: machine.map(|machine| MachineUse { pause, ..machine }),
            wire: done.tcp.map(|tcp| WireUse {
                connections: tcp.connections,
                min_rtt_ns: tcp.min_rtt,
                retransmits: tcp.retransmits,
                unneeded_retransmits: tcp.unneeded,
                sent_segments: tcp.sent,
            }),
            singles: seen.map(|seen| single::kept(&seen, &hosts)),
            responses: responses.map(responses::kept),
            stages: done.stages,
            cache: cache::between(cache_before, cache_after, forecast),
            search: cache::searched(search_before, search_after),
            spread: done.spread,
            segment,
        })?;
        if let Some(course) = self.courses.of(turn.workload) {
            let requests = slice.requests();
            let ended: u64 = requests.map(|op| op.ok + op.failed_count()).sum();
            let rate = (slice.seconds > 0.0).then(|| ended as f64 / slice.seconds);
            course.end(turn.target, prepared, rate);
        }
        for second in &self.writer.take_seconds() {
            (self.wires.progress)(Progress::Second { second });
        }
        (self.wires.progress)(Progress::Measured { slice: &slice });
        let ending = match trouble {
            Some(Trouble::Died(sentence)) => Some(Ending::TargetFailed(sentence)),
            _ if self.wires.stop.is_asked() => Some(Ending::Interrupted),
            _ => arm
                .death()
                .or_else(|| {
                    let why = arm.prepared[turn.workload].failed()?;
                    let (target, workload) = (&arm.running.name, &work.name);
                    Some(format!(
                        "target \"{target}\", workload \"{workload}\": {why}"
                    ))
                })
                // A probe may fail as a whole: that is an answer, unless nobody is there.
                .or_else(|| {
                    let counts = ask.probe.is_none() || nobody_was_there(&slice);
                    gave_nothing(&slice).filter(|_| counts)
                })
                .map(Ending::TargetFailed),
        };
        self.slices.push(slice);
        if self.plan.rounds.relaunch == Relaunch::Slice && ending.is_none() {
            // There is no later: it is another process next time.
            arm.ask_again(work, turn.workload, self.wires, None);
            arm.running.halt()?;
        }
        Ok(ending)
    }
}

/// How long threads of the target, as far as its processes are on this machine and known, and of the load
/// generator wait for a core from now on, as far as that can delay a response by enough to matter to the
/// objective.
fn core_waits(plan: &Plan, arm: &Arm, work: &Workload) -> Option<CoreWaits> {
    let shortest = work.search()?.slo.least_delay()?;
    // Processes that nobody has looked at are not known.
    let running = &arm.running;
    running
        .look(Depth::Brief)
        .or_else(|| running.look_at_listener());
    let members = [running.members(), running.listener_members()].concat();
    CoreWaits::watch(members, shortest, descriptors::spare(plan))
}

/// Whether the turn at `index` is the last of its block, over all workloads.
fn ends_block(turns: &[Turn], index: usize) -> bool {
    let next = turns.get(index + 1);
    next.is_none_or(|next| next.block != turns[index].block)
}

/// How a run ends on trouble that leaves what was measured before as it is.
pub(crate) fn ending_of(error: WeighError) -> Result<Ending, WeighError> {
    match error {
        WeighError::Interrupted | WeighError::Target(TargetError::Interrupted { .. }) => {
            Ok(Ending::Interrupted)
        }
        WeighError::Target(error) => Ok(Ending::TargetFailed(error.to_string())),
        WeighError::Record(error) => Ok(Ending::RecordFailed(error)),
        WeighError::Preparation {
            target, what, why, ..
        } => Ok(Ending::TargetFailed(format!(
            "target \"{target}\": {what} failed: {why}"
        ))),
        error => Err(error),
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

/// Whether whatever failed found nobody to connect to.
fn nobody_was_there(slice: &Slice) -> bool {
    let mut failures = slice.requests().flat_map(|op| &op.errors);
    failures.all(|(class, count)| *class == ErrorClass::Connect || *count == 0)
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
