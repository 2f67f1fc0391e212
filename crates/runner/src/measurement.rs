//! Measures slices: one workload on one target for a few seconds each.

use std::thread;
use std::time::{Duration, Instant};

use tenbin_engine::{Destination, Drive, ErrorClass, Part, Workload as EngineWorkload};
use tenbin_plan::rng::{Rng, name_number};
use tenbin_plan::{Load, Plan, Relaunch, Turn, Workload};
use tenbin_record::{
    Ended, MachineUse, PauseUse, RateProbe, RunWriter, Slice, SliceEnd, SliceStart, WireUse,
};
use tenbin_targets::{CoreWaits, Detail, TargetError};

use crate::agent_loss::{self, Losses};
use crate::cache;
use crate::context::{CountAllocations, HasFallen, IsPrecise};
use crate::controls::Controls;
use crate::descriptors::{self};
use crate::error::{Ending, RunError};
use crate::generators::{Generators, Job};
use crate::live_target::{Launcher, LiveTarget, at_most};
use crate::machine::Machine;
use crate::nodes;
use crate::progress::Progress;
use crate::responses;
use crate::restarts;
use crate::segments::{self, AllSegments};
use crate::single;
use crate::stop::Stop;
use crate::warm_up::{catch_up, warm_up};
use crate::watch::{SliceContext, SliceFailure, Watch};

/// A slice to measure.
pub(crate) struct SliceRequest<'a> {
    pub(crate) turn: &'a Turn,
    pub(crate) load: Load,
    pub(crate) window: Duration,
    pub(crate) probe: Option<RateProbe>,
    /// Whether this is a continuous stretch after the rounds.
    pub(crate) is_sustained: bool,
}

/// The measured part of a run: consecutive slices on prepared targets.
pub(crate) struct Measurement<'r, 'w> {
    pub(crate) plan: &'r Plan,
    pub(crate) launcher: Launcher<'r>,
    pub(crate) machine: Machine,
    pub(crate) live_targets: &'r mut [LiveTarget],
    pub(crate) segments: AllSegments,
    pub(crate) writer: RunWriter,
    /// Start of the run: the instant of `started_unix_ns`, to which all times are relative.
    pub(crate) started: Instant,
    /// By workload: how often each connection is opened per slice; `None` where the plan's setting
    /// applies.
    pub(crate) reopen: Vec<Option<u32>>,
    pub(crate) slices: Vec<Slice>,
    /// The continuous stretches after the rounds.
    pub(crate) sustained: Vec<Slice>,
    pub(crate) losses: Losses<'r>,
    /// Number of outages in the current part of the run.
    pub(crate) outages_in_a_row: u32,
    pub(crate) controls: &'r mut Controls<'w>,
    pub(crate) count_allocations: CountAllocations,
    pub(crate) is_precise: IsPrecise,
    pub(crate) has_fallen: HasFallen,
}

impl Measurement<'_, '_> {
    pub(crate) fn measure(&mut self, turns: &[Turn]) -> Result<Ending, RunError> {
        let (mut first, mut is_again) = (0, false);
        while let Some(turn) = turns.get(first) {
            let (kept, from) = (self.slices.len(), self.writer.next_slice());
            match self.measure_block(turns, first, is_again) {
                Ok(Some(ending)) => return Ok(ending),
                Ok(None) => {
                    first += turns[first..].partition_point(|it| it.block == turn.block);
                    is_again = false;
                    self.part_done();
                }
                Err(error) => {
                    let part = agent_loss::Part::Block(turn.block);
                    if let Some(ending) = self.void(error, part, (kept, from))? {
                        return Ok(ending);
                    }
                    is_again = true;
                }
            }
        }
        Ok(Ending::Complete(match self.plan.rounds.until {
            None => Ended::Planned,
            Some(_) if (self.is_precise)(self.plan, &self.slices) => Ended::Precise,
            Some(_) => Ended::MostRounds,
        }))
    }

    /// A part of the run has ended, and nothing of it is void.
    pub(crate) fn part_done(&mut self) {
        self.losses.part_done();
        self.outages_in_a_row = 0;
    }

    /// Measures the block that begins at `first`, or measures this block again. Returns `Some` if
    /// the run must end.
    fn measure_block(
        &mut self,
        turns: &[Turn],
        first: usize,
        is_again: bool,
    ) -> Result<Option<Ending>, RunError> {
        if (first > 0 || is_again)
            && let Some(ending) = self.restart_for_block()?
        {
            return Ok(Some(ending));
        }
        if is_again {
            self.catch_up()?;
        }
        for (index, turn) in turns.iter().enumerate().skip(first) {
            let load = self.plan.workloads[turn.workload].load.clone();
            let request = SliceRequest {
                turn,
                load: Load {
                    reopen: load.reopen.or(self.reopen[turn.workload]),
                    ..load
                },
                window: self.plan.rounds.slice,
                probe: None,
                is_sustained: false,
            };
            if let Some(ending) = self.measure_slice(&request)? {
                return Ok(Some(ending));
            }
            if ends_block(turns, index) {
                let is_last = index + 1 == turns.len();
                let is_over = !is_last && self.is_enough(turn);
                return Ok(is_over.then_some(Ending::Complete(Ended::Precise)));
            }
        }
        Ok(None)
    }

    /// After an agent was lost or a target stopped answering: continues with other agents, or when
    /// the target answers, and declares the slices after the first `kept`, whose numbers begin at
    /// `from`, void. Returns `Some` if the run must end.
    pub(crate) fn void(
        &mut self,
        error: RunError,
        part: agent_loss::Part,
        (kept, from): (usize, u32),
    ) -> Result<Option<Ending>, RunError> {
        let why = error.to_string();
        let next = self.writer.next_slice();
        let continued = match error {
            RunError::Outage(outage) => match self.wait_out(&outage, part) {
                Ok(Some(ending)) => return Ok(Some(ending)),
                Ok(None) => Ok(()),
                Err(error) => Err(error),
            },
            error => self.losses.continue_after(error, part, next, self.controls),
        };
        let voided = continued.and_then(|()| Ok(self.writer.void(from, &why)?));
        if let Err(error) = voided {
            return ending_of(error).map(Some);
        }
        self.slices.truncate(kept);
        if self.plan.rounds.relaunch == Relaunch::Slice {
            for live in self.live_targets.iter_mut() {
                live.running.halt()?;
            }
        }
        Ok(None)
    }

    /// Sends every target the requests that it missed in a void block. Targets that are restarted
    /// before each slice do not run between slices.
    fn catch_up(&mut self) -> Result<(), RunError> {
        let runs_only_in_slices = self.plan.rounds.relaunch == Relaunch::Slice;
        if runs_only_in_slices {
            for (target, live) in self.live_targets.iter_mut().enumerate() {
                if self.segments.is_behind(target) {
                    live.restart(&self.launcher, self.controls)?;
                }
            }
        }
        catch_up(
            self.plan,
            self.live_targets,
            &mut self.segments,
            self.controls,
        )?;
        if runs_only_in_slices {
            for live in self.live_targets.iter_mut() {
                live.running.halt()?;
            }
        }
        Ok(())
    }

    /// Restarts all targets before a block if the plan requires restarts per block. Returns `Some`
    /// if the run must end.
    pub(crate) fn restart_for_block(&mut self) -> Result<Option<Ending>, RunError> {
        if self.plan.rounds.relaunch != Relaunch::Block {
            return Ok(None);
        }
        let live_targets = &mut *self.live_targets;
        match restarts::restart_all(
            self.plan,
            &self.launcher,
            live_targets,
            &mut self.segments,
            self.controls,
        ) {
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

    /// Whether the figures are precise enough to end the run after `turn`, the last slice of its
    /// block.
    fn is_enough(&self, turn: &Turn) -> bool {
        let rounds = &self.plan.rounds;
        let has_fewest = (turn.block + 1) * self.plan.rounds_per_block() >= rounds.count;
        rounds.until.is_some() && has_fewest && (self.is_precise)(self.plan, &self.slices)
    }

    /// Measures one slice, after a pause unless the slice is the first. Returns `Some` if the run
    /// must end.
    pub(crate) fn measure_slice(
        &mut self,
        request: &SliceRequest<'_>,
    ) -> Result<Option<Ending>, RunError> {
        let pause = (!self.slices.is_empty())
            .then(|| {
                let pause = self.machine.pause(self.live_targets);
                rest(self.plan.rounds.gap, self.controls.stop);
                pause.over(self.live_targets)
            })
            .flatten();
        match self.slice(request, pause) {
            Ok(ending) => Ok(ending),
            Err(error) => ending_of(error).map(Some),
        }
    }

    fn slice(
        &mut self,
        request: &SliceRequest<'_>,
        pause: Option<PauseUse>,
    ) -> Result<Option<Ending>, RunError> {
        let index = self.slices.len() + self.sustained.len();
        let turn = request.turn;
        let work = &self.plan.workloads[turn.workload];
        let live = &mut self.live_targets[turn.target];
        if let Some(why) = live.prepared[turn.workload].spent() {
            let (target, workload) = (&live.running.name, &work.name);
            let sentence = format!("target \"{target}\", workload \"{workload}\": {why}");
            return Ok(Some(Ending::TargetFailed(sentence)));
        }
        if self.plan.rounds.relaunch == Relaunch::Slice {
            live.restart(&self.launcher, self.controls)?;
        }
        if let Some(sentence) = nodes::missing(&self.plan.targets[turn.target], &live.running)? {
            return Ok(Some(Ending::TargetFailed(sentence)));
        }
        if self.plan.rounds.relaunch == Relaunch::Slice {
            segments::level(
                self.live_targets,
                &mut self.segments,
                turn.workload,
                turn.target,
            );
            let one = (turn.target, &mut self.live_targets[turn.target]);
            let length = self.plan.rounds.warmup;
            warm_up(
                self.plan,
                turn.workload,
                length,
                one,
                &mut self.segments,
                self.controls,
            )?;
            if self.controls.stop.is_asked() {
                return Ok(Some(Ending::Interrupted));
            }
        }
        let live = &mut self.live_targets[turn.target];
        live.before_slice(work, turn.workload, self.controls)?;
        (self.controls.progress)(Progress::Slice {
            index,
            round: turn.round,
            target: &live.running.name,
            workload: &work.name,
        });
        let counters = self
            .plan
            .cache_counters(&self.plan.targets[turn.target], work);
        let cache_before = cache::read_counters(&live.running, work, counters)?;
        let searched = (&self.plan.targets[turn.target], work);
        let search_before = cache::read_search_state(&live.running, self.plan, searched);
        let planned = (work.lead(&self.plan.rounds), request.window);
        segments::level(
            self.live_targets,
            &mut self.segments,
            turn.workload,
            turn.target,
        );
        let live = &mut self.live_targets[turn.target];
        let sequence = self.segments.of(turn.workload);
        let prepared = live.prepared[turn.workload].as_mut();
        let stretch = sequence.and_then(|sequence| {
            if request.is_sustained {
                sequence.begin_sustained(turn.target, prepared);
                return None;
            }
            Some(sequence.begin(turn.target, prepared, &request.load, planned))
        });
        let (lead, window) = stretch.as_ref().map_or(planned, |s| (s.lead, s.window));
        let from = prepared.position();
        // If every operation counts, the window stays open until the last operation has ended.
        let all_count = work.may_end_early() && request.load.requests.is_none();
        let state = self.controls.generators.state_of(prepared);
        let mut workers = prepared.slice();
        at_most(&mut workers, work.load.connections);
        let how = Drive {
            rest: stretch.as_ref().and_then(|s| s.rest).filter(|_| !all_count),
            destination: live.destination(work),
            load: request.load.clone(),
            seed: arrivals_seed(self.plan.seed, turn),
            lead,
            stages: work.stages,
            part: Part::default(),
            window: Some(window),
        };
        let hosts = host_names(&how.destination);
        let (operations, roles) = workers.first().map_or_else(Default::default, |worker| {
            let named = worker.operations().iter().enumerate();
            named
                .map(|(op, name)| ((*name).to_owned(), worker.role(op)))
                .unzip()
        });
        let start = SliceStart {
            index: self.writer.next_slice(),
            block: turn.block,
            round: turn.round,
            workload: work.name.clone(),
            target: live.running.name.clone(),
            operations,
            roles,
            hosts: hosts.clone(),
            threads: threads_of(&workers, self.controls.generators.agents()),
            agents: self.controls.generators.agents(),
            connections: work.load.connections,
            closed_loop: matches!(request.load.pace, tenbin_plan::Pace::Closed),
            planned_seconds: request.window.as_secs_f64(),
            // Set when the window opens.
            start: 0.0,
            reopen: request.load.reopen,
            probe: request.probe,
            sustained: request.is_sustained,
        };
        let stop = self.controls.stop;
        let context = SliceContext {
            machine: &self.machine,
            live_targets: self.live_targets,
            loaded: turn.target,
            count_allocations: self.count_allocations,
        };
        let live = &self.live_targets[turn.target];
        let waits = request
            .probe
            .and_then(|_| core_waits(self.plan, live, work));
        let job = Job {
            target: turn.target,
            workload: turn.workload,
            how: &how,
            state,
            workers,
        };
        let mut generators = std::mem::replace(&mut self.controls.generators, Generators::Here);
        let mut watch = Watch::new(
            context,
            start,
            self.started,
            waits,
            &mut self.writer,
            self.controls,
        );
        let driven = generators.drive(job, stop.over(), &mut |event| watch.on_event(event));
        let Watch {
            failure,
            total: server,
            machine,
            allocated,
            ended,
            ..
        } = watch;
        self.controls.generators = generators;
        if let (Err(_), Some(SliceFailure::Died(sentence))) = (&driven, &failure) {
            return Ok(Some(Ending::TargetFailed(sentence.clone())));
        }
        let mut done = driven?;
        let live = &mut self.live_targets[turn.target];
        let prepared = live.prepared[turn.workload].as_mut();
        done.hand_back(prepared)?;
        let seen = prepared.take_samples();
        let responses = prepared.response_comparison();
        let segment = from
            .zip(prepared.position())
            .map(|(from, to)| segments::recorded(&from, &to, stretch.as_ref(), done.unmeasured));
        let cache_after = cache::read_counters(&live.running, work, counters)
            .ok()
            .flatten();
        let search_after = cache::read_search_state(&live.running, self.plan, searched);
        let forecast = seen.as_ref().and_then(|seen| seen.forecast);
        if let Some(SliceFailure::Record(error)) = failure {
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
            start_skew_ns: done.skew.map(|skew| skew.as_nanos() as u64),
            agents: done.agents,
            ended,
        })?;
        if let Some(outage) = self.outage(request, &slice) {
            return Err(RunError::Outage(outage));
        }
        let live = &mut self.live_targets[turn.target];
        let prepared = live.prepared[turn.workload].as_mut();
        if !request.is_sustained
            && let Some(sequence) = self.segments.of(turn.workload)
        {
            let requests = slice.requests();
            let ended: u64 = requests.map(|op| op.counts.ok + op.failed_count()).sum();
            let rate = stretch.and_then(|stretch| stretch.rate(ended, slice.seconds));
            sequence.end(turn.target, prepared, rate);
        }
        for second in &self.writer.take_seconds() {
            (self.controls.progress)(Progress::Second { second });
        }
        (self.controls.progress)(Progress::Measured { slice: &slice });
        let ending = match failure {
            Some(SliceFailure::Died(sentence)) => Some(Ending::TargetFailed(sentence)),
            _ if self.controls.stop.is_asked() => Some(Ending::Interrupted),
            _ => live
                .death()
                .or_else(|| {
                    let why = live.prepared[turn.workload].failed()?;
                    let (target, workload) = (&live.running.name, &work.name);
                    Some(format!(
                        "target \"{target}\", workload \"{workload}\": {why}"
                    ))
                })
                // A probe in which all operations fail is a valid result, unless the target cannot
                // be reached.
                .or_else(|| {
                    let counts = request.probe.is_none() || all_refused(&slice);
                    completed_nothing(&slice).filter(|_| counts)
                })
                .map(Ending::TargetFailed),
        };
        if request.is_sustained {
            self.sustained.push(slice)
        } else {
            self.slices.push(slice)
        }
        if self.plan.rounds.relaunch == Relaunch::Slice && ending.is_none() {
            // The next restart starts a new process, so this is the last chance to repeat the
            // requests.
            live.repeat_requests(work, turn.workload, self.controls, None);
            live.running.halt()?;
        }
        Ok(ending)
    }
}

/// Starts to measure how long threads of the target and of the load generator wait for a core.
/// `None` unless the target's processes are known and on this machine, and the wait can delay a
/// response enough to affect the objective.
fn core_waits(plan: &Plan, live: &LiveTarget, work: &Workload) -> Option<CoreWaits> {
    let shortest = work.search()?.slo.least_delay()?;
    // Processes are known only after a reading.
    let running = &live.running;
    running
        .read_usage(Detail::Brief)
        .or_else(|| running.read_listener_usage());
    let members = [running.members(), running.listener_members()].concat();
    CoreWaits::watch(members, shortest, descriptors::spare(plan))
}

/// Whether the slice at `index` of the schedule is the last slice of its block: no slice of any
/// workload follows in the block.
fn ends_block(turns: &[Turn], index: usize) -> bool {
    let next = turns.get(index + 1);
    next.is_none_or(|next| next.block != turns[index].block)
}

/// Converts an error during the measured part into an ending that keeps the earlier slices.
pub(crate) fn ending_of(error: RunError) -> Result<Ending, RunError> {
    match error {
        RunError::Interrupted | RunError::Target(TargetError::Interrupted { .. }) => {
            Ok(Ending::Interrupted)
        }
        RunError::Target(error) => Ok(Ending::TargetFailed(error.to_string())),
        RunError::Agents(sentence) => Ok(Ending::TargetFailed(sentence)),
        RunError::Record(error) => Ok(Ending::RecordFailed(error)),
        RunError::Preparation {
            target, what, why, ..
        } => Ok(Ending::TargetFailed(format!(
            "target \"{target}\": {what} failed: {why}"
        ))),
        error => Err(error),
    }
}

/// Number of threads of a slice. Workers that observe the load run once on each agent.
fn threads_of(workers: &[Box<dyn EngineWorkload>], agents: usize) -> usize {
    let observe = workers
        .iter()
        .filter(|worker| worker.own_connections().is_some());
    let observing = observe.count();
    workers.len() - observing + observing * agents.max(1)
}

/// Names of the hosts that share the load; empty for a single host.
fn host_names(destination: &Destination) -> Vec<String> {
    match destination {
        Destination::Route(route) if route.hosts.len() > 1 => {
            route.hosts.iter().map(|host| host.name.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// Seed of the arrival times: equal for all targets in a round, so that they receive the same
/// arrivals, and different in each round.
fn arrivals_seed(seed: u64, turn: &Turn) -> u64 {
    let parts = [
        name_number("arrivals"),
        turn.workload as u64,
        turn.round.into(),
    ];
    Rng::new(seed, &parts).next_u64()
}

/// Returns an error text for a slice with failures and no successful operation, after which
/// continuing would only measure how fast the target fails.
pub(crate) fn completed_nothing(slice: &Slice) -> Option<String> {
    if !slice.gave_nothing() {
        return None;
    }
    let worst = worst_failure(slice);
    let what = if slice.requests().any(|op| op.counts.ok > 0) {
        "completed no operation"
    } else {
        "gave no correct response"
    };
    Some(format!(
        "target \"{}\" {what} in a whole slice of \"{}\": {worst}",
        slice.target, slice.workload
    ))
}

/// The most frequent failure of a slice, with its count.
pub(crate) fn worst_failure(slice: &Slice) -> String {
    // Each operation is checked separately: a sub-request and its transaction must not be summed.
    let texts = slice.ops.iter().flat_map(|op| &op.failures);
    let texts = texts.map(|(text, count)| (text.clone(), *count));
    let statuses = slice.ops.iter().flat_map(|op| &op.statuses);
    let statuses = statuses.map(|(status, count)| (format!("status {status}"), *count));
    let classes = slice.ops.iter().flat_map(|op| &op.errors);
    let classes = classes.map(|(class, count)| (format!("{} error", class.name()), *count));
    // The most informative texts must come last: of equal elements, `max_by_key` returns the last.
    classes
        .chain(statuses)
        .chain(texts)
        .max_by_key(|(_, count)| *count)
        .map_or_else(
            || "no reason given".to_owned(),
            |(text, count)| format!("{text} ({count} times)"),
        )
}

/// Whether all failures are failed connections.
fn all_refused(slice: &Slice) -> bool {
    let mut failures = slice.requests().flat_map(|op| &op.errors);
    failures.all(|(class, count)| *class == ErrorClass::Connect || *count == 0)
}

/// Sleeps, or until the user stops the run.
pub(crate) fn rest(gap: Duration, stop: &Stop) {
    let until = Instant::now() + gap;
    while !stop.is_asked() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        thread::sleep(left.min(Duration::from_millis(50)));
    }
}
