//! One measured slice: what happens before, while and after a workload is sent to a target.

use tenbin_engine::{
    Destination, Drive, ErrorClass, Part, RequestList, RequestLog, Workload as EngineWorkload,
};
use tenbin_plan::rng::{Rng, name_number};
use tenbin_plan::{Plan, Relaunch, Sentence, Turn, Workload, sentence};
use tenbin_record::{
    Allocated, EndedProcess, MachineUse, PauseUse, RecordedRequests, ServerUse, Slice, SliceEnd,
    SliceHead, SliceStart, WireUse,
};
use tenbin_targets::{CoreWaits, Detail};

use crate::error::{Ending, RunError};
use crate::generators::{Driven, Generators, Job};
use crate::machine::descriptors;
use crate::progress::Progress;
use crate::slice::cache;
use crate::slice::measurement::{
    Measurement, SlicePart, SliceRequest, completed_nothing, ending_of, rest,
};
use crate::slice::request_list;
use crate::slice::request_log;
use crate::slice::request_samples;
use crate::slice::responses;
use crate::slice::segments::{self, Stretch};
use crate::slice::warm_up::warm_up;
use crate::slice::watch::{SliceContext, SliceFailure, Watch};
use crate::target::live::{LiveTarget, at_most};
use crate::target::nodes;

/// What was driven and observed in a slice.
struct Observed {
    done: Driven,
    failure: Option<SliceFailure>,
    server: Option<ServerUse>,
    machine: Option<MachineUse>,
    allocated: Option<Allocated>,
    ended: Vec<EndedProcess>,
}

impl Measurement<'_, '_> {
    /// Measures one slice, after a pause unless the slice is the first. Returns `Some` if the run
    /// must end.
    pub(crate) fn measure_slice(
        &mut self,
        request: &SliceRequest<'_>,
    ) -> Result<Option<Ending>, RunError> {
        self.machine
            .with_agents(self.controls.generators.processes_here());
        let length = self.plan.pause_before(self.slices_so_far());
        let pause = (!self.slices.is_empty())
            .then(|| {
                let pause = self.machine.pause(self.live_targets);
                rest(length, self.controls.stop);
                pause.over(self.live_targets)
            })
            .flatten();
        let ended = match self.prepare_slice(request.turn) {
            Ok(None) => self.slice(request, pause),
            ended => ended,
        };
        match ended {
            Ok(ending) => Ok(ending),
            Err(error) => ending_of(error).map(Some),
        }
    }

    /// Number of slices that were measured, in all parts of the run.
    fn slices_so_far(&self) -> usize {
        self.slices.len() + self.limit_probes.len() + self.sustained.len()
    }

    /// Makes the target ready for a slice. Returns `Some` if the run must end.
    fn prepare_slice(&mut self, turn: &Turn) -> Result<Option<Ending>, RunError> {
        let plan = self.plan;
        let work = &plan.workloads[turn.workload];
        let restarts = plan.rounds.relaunch == Relaunch::Slice;
        let live = &mut self.live_targets[turn.target];
        if let Some(why) = live.prepared[turn.workload].spent() {
            let why = named(live, work, &why);
            return Ok(Some(Ending::target_failed(&live.running.name, why)));
        }
        if restarts {
            live.restart(&self.launcher, self.controls)?;
        }
        if let Some(why) = nodes::missing(&plan.targets[turn.target], &live.running)? {
            return Ok(Some(Ending::target_failed(&live.running.name, why)));
        }
        if restarts {
            self.level(turn);
            let one = (turn.target, &mut self.live_targets[turn.target]);
            warm_up(
                plan, turn.workload, plan.rounds.warmup, one, &mut self.segments, self.controls,
            )?;
            if self.controls.stop.is_asked() {
                return Ok(Some(Ending::Interrupted));
            }
        }
        let live = &mut self.live_targets[turn.target];
        live.before_slice(work, turn.workload, self.controls)?;
        Ok(None)
    }

    fn level(&mut self, turn: &Turn) {
        segments::level(
            self.live_targets, &mut self.segments, turn.workload, turn.target,
        );
    }

    fn slice(
        &mut self,
        request: &SliceRequest<'_>,
        pause: Option<PauseUse>,
    ) -> Result<Option<Ending>, RunError> {
        let turn = request.turn;
        let plan = self.plan;
        let work = &plan.workloads[turn.workload];
        let index = self.slices_so_far();
        let live = &self.live_targets[turn.target];
        (self.controls.progress)(Progress::Slice {
            index,
            round: turn.round,
            target: &live.running.name,
            workload: &work.name,
        });
        let searched = (&plan.targets[turn.target], work);
        let counters = plan.cache_counters(searched.0, work);
        let cache_before = cache::read_counters(&live.running, work, counters)?;
        let search_before = cache::read_search_state(&live.running, plan, searched);
        self.level(turn);
        let (how, stretch) = self.how_to_drive(request);
        let live = &mut self.live_targets[turn.target];
        let prepared = live.prepared[turn.workload].as_mut();
        let from = prepared.position();
        let hosts = host_names(&how.destination);
        let mut observed = match self.drive_slice(request, &how)? {
            Ok(observed) => observed,
            Err(ending) => return Ok(Some(ending)),
        };
        let live = &mut self.live_targets[turn.target];
        let prepared = live.prepared[turn.workload].as_mut();
        observed.done.hand_back(prepared)?;
        let Observed { done, failure, .. } = observed;
        let seen = prepared.take_samples();
        let responses = prepared.response_comparison();
        let segment = from
            .zip(prepared.position())
            .map(|(from, to)| segments::recorded(&from, &to, stretch.as_ref(), done.unmeasured));
        let cache_after = cache::read_counters(&live.running, work, counters)
            .ok()
            .flatten();
        let search_after = cache::read_search_state(&live.running, plan, searched);
        let forecast = seen.as_ref().and_then(|seen| seen.forecast);
        if let Some(SliceFailure::Record(error)) = failure {
            return Ok(Some(Ending::RecordFailed(error)));
        }
        let end = SliceEnd {
            seconds: done.seconds,
            cut_short: done.cut_short,
            server: observed.server.map(Into::into),
            allocated: observed.allocated,
            machine: observed
                .machine
                .map(|machine| MachineUse { pause, ..machine }.into()),
            wire: done.tcp.map(|tcp| WireUse::from(tcp).into()),
            singles: seen.map(|seen| Box::new(request_samples::kept(&seen, &hosts))),
            requests: self.requests_of(request, done.requests),
            responses: responses.map(responses::kept),
            stages: done.stages,
            cache: cache::between(cache_before, cache_after, forecast),
            search: cache::searched(search_before, search_after).map(Into::into),
            spread: done.spread,
            segment: segment.map(Box::new),
            start_skew_ns: done.skew.map(|skew| skew.as_nanos() as u64),
            ended: observed.ended,
        };
        let slice = self.writer.end(end, done.agents)?;
        if let Some(outage) = self.outage(request, &slice) {
            return Err(RunError::Outage(outage));
        }
        self.keep_slice(request, slice, stretch, failure)
    }

    /// The slowest and the failed requests of a slice of the rounds or of a maximum-rate search, for
    /// the record.
    fn requests_of(
        &mut self,
        request: &SliceRequest<'_>,
        list: RequestList,
    ) -> Option<Box<RecordedRequests>> {
        let (plan, turn) = (self.plan, request.turn);
        let (target, work) = (&plan.targets[turn.target], &plan.workloads[turn.workload]);
        let mut requests = request_list::kept(list, target, work)?;
        match request.part {
            SlicePart::Round => {
                let names = (work.name.as_str(), target.name.as_str());
                self.listed.prune(&mut requests, names, &self.slices);
                Some(requests)
            }
            SlicePart::Search(_) => Some(requests),
            SlicePart::LimitProbe | SlicePart::Stretch => None,
        }
    }

    /// The log for the requests of a slice of the rounds or of a maximum-rate search.
    fn log_of(&self, request: &SliceRequest<'_>) -> Option<RequestLog> {
        let log = self.request_log.as_ref()?;
        let part = request_log::part(self.plan, request.turn);
        request.sends_segment().then(|| log.of_part(part))
    }

    /// The load of a slice with its times, and the segment of the request sequence that it sends if
    /// the sequence matters.
    fn how_to_drive(&mut self, request: &SliceRequest<'_>) -> (Drive, Option<Stretch>) {
        let (plan, turn) = (self.plan, request.turn);
        let work = &plan.workloads[turn.workload];
        let lead = request.lead.unwrap_or_else(|| work.lead(&plan.rounds));
        let planned = (lead, request.window);
        let live = &mut self.live_targets[turn.target];
        let prepared = live.prepared[turn.workload].as_mut();
        let sequence = self.segments.of_workload(turn.workload);
        let stretch = sequence.and_then(|sequence| {
            match request.part {
                SlicePart::Stretch => sequence.begin_sustained(turn.target, prepared),
                SlicePart::LimitProbe => prepared.ends_at(None),
                SlicePart::Round | SlicePart::Search(_) => {
                    return Some(sequence.begin(turn.target, prepared, &request.load, planned));
                }
            }
            None
        });
        let (lead, window) = stretch.as_ref().map_or(planned, |s| (s.lead, s.window));
        // If every operation counts, the window stays open until the last operation has ended.
        let all_count = work.may_end_early() && request.load.requests.is_none();
        let how = Drive {
            rest: stretch.as_ref().and_then(|s| s.rest).filter(|_| !all_count),
            destination: live.destination(work),
            load: request.load.clone(),
            seed: arrivals_seed(plan.seed, turn),
            lead,
            stages: work.stages,
            part: Part {
                log: self.log_of(request),
                ..Part::default()
            },
            window: Some(window),
        };
        (how, stretch)
    }

    /// Sends the load of a slice and observes the target and the machine. The inner error is the end
    /// of the run: the target died and the load could not be sent.
    fn drive_slice(
        &mut self,
        request: &SliceRequest<'_>,
        how: &Drive,
    ) -> Result<Result<Observed, Ending>, RunError> {
        let (plan, turn) = (self.plan, request.turn);
        let work = &plan.workloads[turn.workload];
        let prepared = self.live_targets[turn.target].prepared[turn.workload].as_mut();
        let state = self.controls.generators.state_of(prepared);
        let mut workers = prepared.slice();
        at_most(&mut workers, request.load.connections);
        let start = self.slice_start(request, how, &workers);
        let live = &self.live_targets[turn.target];
        let waits = request
            .rate_probe()
            .and_then(|_| core_waits(plan, live, work));
        let context = SliceContext {
            machine: &self.machine,
            live_targets: self.live_targets,
            loaded: turn.target,
            count_allocations: self.count_allocations,
        };
        let job = Job {
            target: turn.target,
            workload: turn.workload,
            how,
            state,
            workers,
        };
        let stop = self.controls.stop;
        let mut generators = std::mem::replace(&mut self.controls.generators, Generators::Here);
        let mut watch = Watch::new(
            context, start, self.started, waits, &mut self.writer, self.controls,
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
        if let (Err(_), Some(SliceFailure::Died(why))) = (&driven, &failure) {
            let target = &self.live_targets[turn.target].running.name;
            return Ok(Err(Ending::target_failed(target, why.clone())));
        }
        Ok(Ok(Observed {
            done: driven?,
            failure,
            server,
            machine,
            allocated,
            ended,
        }))
    }

    fn slice_start(
        &self,
        request: &SliceRequest<'_>,
        how: &Drive,
        workers: &[Box<dyn EngineWorkload>],
    ) -> SliceStart {
        let turn = request.turn;
        let work = &self.plan.workloads[turn.workload];
        let agents = self.controls.generators.agents();
        let (operations, roles) = workers.first().map_or_else(Default::default, |worker| {
            let named = worker.operations().iter().enumerate();
            named
                .map(|(op, name)| ((*name).to_owned(), worker.role(op)))
                .unzip()
        });
        SliceStart {
            head: SliceHead {
                index: self.writer.next_slice(),
                block: turn.block,
                round: turn.round,
                workload: work.name.clone(),
                target: self.live_targets[turn.target].running.name.clone(),
                connections: request.load.connections,
                closed_loop: matches!(request.load.pace, tenbin_plan::Pace::Closed),
                // Set when the window opens.
                start: 0.0,
                reopen: request.load.reopen,
                probe: request.rate_probe(),
                limit_probe: request.part == SlicePart::LimitProbe,
                sustained: request.part == SlicePart::Stretch,
            },
            operations,
            roles,
            hosts: host_names(&how.destination),
            threads: threads_of(workers, agents),
            agents,
            planned_seconds: request.window.as_secs_f64(),
        }
    }

    /// Keeps a measured slice. Returns `Some` if the run must end.
    fn keep_slice(
        &mut self,
        request: &SliceRequest<'_>,
        slice: Slice,
        stretch: Option<Stretch>,
        failure: Option<SliceFailure>,
    ) -> Result<Option<Ending>, RunError> {
        let (plan, turn) = (self.plan, request.turn);
        let work = &plan.workloads[turn.workload];
        let live = &mut self.live_targets[turn.target];
        let prepared = live.prepared[turn.workload].as_mut();
        if request.sends_segment()
            && let Some(sequence) = self.segments.of_workload(turn.workload)
        {
            let requests = slice.requests();
            let ended: u64 = requests.map(|op| op.counts.ok + op.failed_count()).sum();
            let rate = stretch.and_then(|stretch| stretch.rate(ended, slice.end.seconds));
            sequence.end(turn.target, prepared, rate);
        }
        for second in &self.writer.take_seconds() {
            (self.controls.progress)(Progress::Second { second });
        }
        (self.controls.progress)(Progress::Measured { slice: &slice });
        let ending = self.ending_after(request, &slice, failure);
        match request.part {
            SlicePart::Stretch => self.sustained.push(slice),
            SlicePart::LimitProbe => self.limit_probes.push(slice),
            SlicePart::Round | SlicePart::Search(_) => self.slices.push(slice),
        }
        if plan.rounds.relaunch == Relaunch::Slice && ending.is_none() {
            // The next restart starts a new process, so this is the last chance to repeat the
            // requests.
            let live = &mut self.live_targets[turn.target];
            live.repeat_requests(work, turn.workload, self.controls, None);
            live.running.halt()?;
        }
        Ok(ending)
    }

    /// The end of the run, if the slice must be the last one.
    fn ending_after(
        &mut self,
        request: &SliceRequest<'_>,
        slice: &Slice,
        failure: Option<SliceFailure>,
    ) -> Option<Ending> {
        let turn = request.turn;
        let work = &self.plan.workloads[turn.workload];
        let live = &mut self.live_targets[turn.target];
        if let Some(SliceFailure::Died(why)) = failure {
            return Some(Ending::target_failed(&live.running.name, why));
        }
        if self.controls.stop.is_asked() {
            return Some(Ending::Interrupted);
        }
        let why = live
            .death()
            .or_else(|| {
                let why = live.prepared[turn.workload].failed()?;
                Some(named(live, work, &why))
            })
            // A probe in which all operations fail is a valid result, unless the target cannot be
            // reached.
            .or_else(|| {
                let counts = !request.may_fail() || all_refused(slice);
                completed_nothing(slice).filter(|_| counts)
            })?;
        Some(Ending::target_failed(&live.running.name, why))
    }
}

/// `why`, with the names of the target and the workload.
fn named(live: &LiveTarget, work: &Workload, why: &str) -> Sentence {
    let (target, workload) = (&live.running.name, &work.name);
    sentence!(
        "failed-in",
        "target \"{target}\", workload \"{workload}\": {why}",
        target,
        workload,
        why
    )
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

/// Whether all failures are failed connections.
fn all_refused(slice: &Slice) -> bool {
    let mut failures = slice.requests().flat_map(|op| &op.errors);
    failures.all(|(class, count)| *class == ErrorClass::Connect || *count == 0)
}
