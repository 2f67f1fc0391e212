//! A running target and its prepared workloads.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tenbin_engine::{
    Destination, Drive, Part, Route, SliceEvent, Spread, Workload as EngineWorkload,
};
use tenbin_plan::{Pace, Plan, Reach, Target, Workload};
use tenbin_record::{HostEnvironment, Left, ProgramFile, TargetEnvironment};
use tenbin_targets::{LaunchContext, Running, program_files};
use tenbin_workloads::{
    BlobAccess, Leftover, Prepared, Site, SliceState, Stage, place, prepare, protocol,
};

use crate::context::RunContext;
use crate::controls::Controls;
use crate::error::RunError;
use crate::first_response::{FirstAnswer, first_answer};
use crate::forecast::StageForecast;
use crate::generators::{Generators, Job};
use crate::progress::Progress;
use crate::reach::{destination, is_disposable, means, site, was_there};
use crate::slice_length::WarmUpTimes;
use crate::stage::{self, Staged};
use crate::stop::Stop;

/// What is needed to start targets.
#[derive(Clone, Copy)]
pub(crate) struct Launcher<'a> {
    pub(crate) context: &'a RunContext,
    /// The run directory.
    pub(crate) directory: &'a Path,
}

impl Launcher<'_> {
    /// Runs `start` and reports what the start is waiting for.
    pub(crate) fn under<T>(
        &self,
        controls: &mut Controls<'_>,
        start: impl FnOnce(&LaunchContext<'_>) -> T,
    ) -> T {
        // The callback runs inside the wait, never twice at the same time.
        let progress = RefCell::new(&mut *controls.progress);
        start(&LaunchContext {
            run_dir: self.directory,
            plan_dir: &self.context.plan_directory,
            guard_exe: &self.context.executable,
            stop: controls.stop.asked(),
            waiting: &|waiting| {
                (progress.borrow_mut())(Progress::Starting {
                    target: waiting.target,
                    awaited: Some(waiting.awaited),
                    waited: waiting.waited,
                });
            },
        })
    }
}

/// What remains on a target after a run, one sentence each.
#[derive(Debug, Default)]
pub(crate) struct Leftovers {
    /// Data kept because the plan says so, for example with `data = "keep"`.
    pub(crate) kept: Vec<String>,
    /// Data that could not be removed.
    pub(crate) left_behind: Vec<Left>,
    /// Whether the user stopped the clean-up.
    pub(crate) interrupted: bool,
}

/// The result of cleaning up after an earlier run.
#[derive(Debug, Default)]
pub struct Cleaned {
    /// What was removed, one sentence each.
    pub removed: Vec<String>,
    /// What remains.
    pub left: Vec<Left>,
}

/// Figures from a period of unmeasured load, such as a warm-up.
#[derive(Debug)]
pub(crate) struct UnmeasuredLoad {
    /// Operations per second; `None` without operations.
    pub(crate) rate: Option<f64>,
    /// How evenly the target served the connections.
    pub(crate) spread: Option<Spread>,
}

fn program_of(target: &Target) -> Vec<ProgramFile> {
    let Reach::Launched(launch) = &target.reach else {
        return Vec::new();
    };
    let files = program_files(launch).into_iter();
    let kept = files.map(|file| ProgramFile {
        path: file.path.display().to_string(),
        bytes: file.bytes,
        modified_ns: file.modified_ns,
    });
    kept.collect()
}

/// A running target and its prepared workloads.
pub(crate) struct LiveTarget {
    pub(crate) running: Running,
    /// The prepared workloads, in plan order.
    pub(crate) prepared: Vec<Box<dyn Prepared>>,
    /// Index of the target in the plan.
    index: usize,
    destination: Destination,
    /// Whether all data of the target is in a directory that Tenbin removes, so that no clean-up is
    /// needed.
    disposable: bool,
    /// What the target's first response shows.
    first: FirstAnswer,
    /// The version of the target, as stated in the plan.
    version: Option<String>,
    /// The program files in the target's command, if Tenbin launched the target.
    program: Vec<ProgramFile>,
    /// Number of pages that every host of the target has stored; `None` if the target requires no
    /// pages.
    pub(crate) records: Option<u64>,
    /// Median service time of the slowest operation in the warm-ups so far.
    pub(crate) slowest: Option<Duration>,
    /// Why restarts failed that succeeded at the second try.
    pub(crate) failed_starts: Vec<String>,
    /// Names of the workloads whose note on refused requests has been reported; for these, no
    /// loading estimate is reported.
    noted: BTreeSet<String>,
}

impl LiveTarget {
    /// Checks that the target responds and prepares every workload. `directory` is the run
    /// directory.
    pub(crate) fn new(
        plan: &Plan,
        target: &Target,
        mut running: Running,
        directory: &Path,
        controls: &mut Controls<'_>,
    ) -> Result<Self, RunError> {
        let is_http = plan.workloads.iter().all(|work| protocol(work).is_none());
        let first = match means(target) {
            _ if !is_http => FirstAnswer::default(),
            BlobAccess::Files | BlobAccess::Dummy => FirstAnswer::default(),
            BlobAccess::Blobstore | BlobAccess::S3 => {
                first_answer(plan, target, &mut running, controls)?
            }
        };
        Self::of(plan, target, running, directory, first)
    }

    /// Prepares every workload, and sends no request. `first` is what the target's first
    /// response shows, if known.
    pub(crate) fn of(
        plan: &Plan,
        target: &Target,
        running: Running,
        directory: &Path,
        first: FirstAnswer,
    ) -> Result<Self, RunError> {
        let site = if was_there(target) {
            site(&running, target).tracked_in(directory)
        } else {
            site(&running, target)
        };
        Self::with_site(plan, target, running, &site, first)
    }

    /// Prepares every workload on an agent, which keeps no records.
    pub(crate) fn on_agent(
        plan: &Plan,
        target: &Target,
        running: Running,
    ) -> Result<Self, RunError> {
        let site = site(&running, target).on_agent();
        Self::with_site(plan, target, running, &site, FirstAnswer::default())
    }

    fn with_site(
        plan: &Plan,
        target: &Target,
        running: Running,
        site: &Site,
        first: FirstAnswer,
    ) -> Result<Self, RunError> {
        let prepared = plan
            .workloads
            .iter()
            .map(|work| prepare(&plan.work_on(target, work), site, plan.seed, plan.threads))
            .collect::<Result<_, _>>()?;
        let others = plan.targets.iter();
        Ok(Self {
            index: others.take_while(|other| other.name != target.name).count(),
            destination: destination(&running, target),
            running,
            prepared,
            disposable: is_disposable(target),
            first,
            version: target.version.clone(),
            program: program_of(target),
            records: None,
            slowest: None,
            failed_starts: Vec::new(),
            noted: BTreeSet::new(),
        })
    }

    /// The destination of the requests of `work`.
    pub(crate) fn destination(&self, work: &Workload) -> Destination {
        match (self.destination.clone(), protocol(work)) {
            (Destination::Route(route), Some(protocol)) => {
                Destination::Route(Route { protocol, ..route })
            }
            (destination, _) => destination,
        }
    }

    /// The target's entry in the recorded environment.
    pub(crate) fn environment(&self) -> TargetEnvironment {
        let hosts = self.running.route.hosts.iter().map(|host| HostEnvironment {
            name: host.name.clone(),
            addresses: host.addresses.iter().map(ToString::to_string).collect(),
            dns_ns: host.dns.and_then(|took| took.as_nanos().try_into().ok()),
        });
        TargetEnvironment {
            version: self.version.clone(),
            server_header: self.first.server.clone(),
            bare_line_feed: self.first.bare_line_feed,
            dead_hosts: self.first.dead_hosts.clone(),
            program: self.program.clone(),
            records: self.records,
            hosts: hosts.collect(),
            insecure: self.running.route.insecure,
            ..TargetEnvironment::default()
        }
    }

    /// How the target exited, in one sentence; `None` if the target is running.
    pub(crate) fn death(&self) -> Option<String> {
        let (node, exit) = self.running.dead_node()?;
        let name = &self.running.name;
        let who = match node {
            None => format!("target \"{name}\""),
            Some(node) => format!("node {node} of target \"{name}\""),
        };
        Some(format!("{who} {exit} while it was being measured"))
    }

    /// Restarts the target with its existing data and cold in-memory caches.
    pub(crate) fn restart(
        &mut self,
        launcher: &Launcher<'_>,
        controls: &mut Controls<'_>,
    ) -> Result<(), RunError> {
        let running = &mut self.running;
        let first = launcher.under(controls, |context| running.resume(context));
        match first {
            Ok(()) => {}
            Err(error) if controls.stop.is_asked() => return Err(error.into()),
            // The target has started before on this machine, so that one failure can be chance.
            Err(error) => {
                let why = error.to_string();
                (controls.progress)(Progress::Warning(&format!("{why}; trying once more")));
                running.halt()?;
                launcher.under(controls, |context| running.resume(context))?;
                self.failed_starts.push(why);
            }
        }
        for prepared in &mut self.prepared {
            prepared.restarted();
        }
        Ok(())
    }

    /// Checks that every workload can run, and creates missing buckets.
    pub(crate) fn check(
        &mut self,
        plan: &Plan,
        controls: &mut Controls<'_>,
    ) -> Result<(), RunError> {
        for (at, work) in plan.workloads.iter().enumerate() {
            let stage = self.prepared[at].check();
            self.stage(work, stage, controls)?;
        }
        Ok(())
    }

    /// Loads the data sets of every workload.
    pub(crate) fn make_ready(
        &mut self,
        plan: &Plan,
        controls: &mut Controls<'_>,
    ) -> Result<(), RunError> {
        for (at, work) in plan.workloads.iter().enumerate() {
            while let Some(stage) = self.prepared[at].before_run() {
                self.stage(work, Some(stage), controls)?;
            }
            if let Some(why) = self.prepared[at].refused() {
                return Err(RunError::Preparation {
                    target: self.running.name.clone(),
                    workload: work.name.clone(),
                    what: "the first request".to_owned(),
                    why,
                });
            }
        }
        Ok(())
    }

    /// Sends the first requests of the warm-up of one workload, without other load.
    pub(crate) fn before_warm_up(
        &mut self,
        plan: &Plan,
        at: usize,
        controls: &mut Controls<'_>,
    ) -> Result<(), RunError> {
        while let Some(stage) = self.prepared[at].before_warm_up() {
            self.stage(&plan.workloads[at], Some(stage), controls)?;
        }
        Ok(())
    }

    /// Drives unmeasured load of one workload and returns the observed rate and spread.
    pub(crate) fn drive_and_observe(
        &mut self,
        plan: &Plan,
        at: usize,
        window: Duration,
        controls: &mut Controls<'_>,
    ) -> Result<UnmeasuredLoad, RunError> {
        let work = &plan.workloads[at];
        self.before_slice(work, at, controls)?;
        (controls.progress)(Progress::WarmUp {
            target: &self.running.name,
            workload: &work.name,
        });
        let mut ended = 0;
        let mut times = WarmUpTimes::default();
        let (seconds, spread) = self.unmeasured(work, at, window, controls, &mut |event| {
            let SliceEvent::Sample(sample) = event else {
                return;
            };
            times.add(&sample);
            if !sample.drain {
                let requests = sample.ops.iter().filter(|op| op.role.is_request());
                ended += requests.map(|op| op.counts.ok).sum::<u64>();
            }
        })?;
        self.slowest = self.slowest.max(times.slowest_median());
        Ok(UnmeasuredLoad {
            rate: (ended > 0 && seconds > 0.0).then(|| ended as f64 / seconds),
            spread,
        })
    }

    /// Drives a workload without recording figures, for `length` or to the end of a segment, and
    /// returns the elapsed seconds. A workload with a maximum-rate search runs in a closed loop.
    fn unmeasured(
        &mut self,
        work: &Workload,
        at: usize,
        window: Duration,
        controls: &mut Controls<'_>,
        listen: &mut dyn FnMut(SliceEvent),
    ) -> Result<(f64, Option<Spread>), RunError> {
        let state = controls.generators.state_of(self.prepared[at].as_mut());
        let workers = self.prepared[at].slice();
        self.drive_unmeasured(work, at, (state, workers), window, controls, listen)
    }

    /// Drives these workers, or agents with this state, for the given time without recording
    /// figures.
    pub(crate) fn drive_unmeasured(
        &mut self,
        work: &Workload,
        at: usize,
        (state, mut workers): (SliceState, Vec<Box<dyn EngineWorkload>>),
        window: Duration,
        controls: &mut Controls<'_>,
        listen: &mut dyn FnMut(SliceEvent),
    ) -> Result<(f64, Option<Spread>), RunError> {
        let mut load = work.load.clone();
        if work.search().is_some() {
            load.pace = Pace::Closed;
        }
        at_most(&mut workers, load.connections);
        let how = Drive {
            rest: None,
            destination: self.destination(work),
            load,
            seed: 0,
            lead: Duration::ZERO,
            stages: false,
            part: Part::default(),
            window: Some(window),
        };
        let job = Job {
            target: self.index,
            workload: at,
            how: &how,
            state,
            workers,
        };
        let stop = controls.stop.over();
        let mut done = controls.generators.drive(job, stop, listen)?;
        done.hand_back(self.prepared[at].as_mut())?;
        // The load only warms caches: its samples are dropped.
        drop(self.prepared[at].take_samples());
        Ok((done.seconds, done.spread))
    }

    /// Repeats the requests whose hits were counted before the run, until `limit` if set. The
    /// number of hits of a request without a response is unknown.
    pub(crate) fn repeat_requests(
        &mut self,
        work: &Workload,
        at: usize,
        controls: &mut Controls<'_>,
        limit: Option<Instant>,
    ) {
        // The stop flag of the run does not apply here; only the limit does.
        let own = match limit {
            Some(_) => Stop::new(),
            None => controls.stop.clone(),
        };
        while let Some(stage) = self.prepared[at].count_again() {
            let left = limit.map(|limit| limit.saturating_duration_since(Instant::now()));
            if own.is_asked() || left.is_some_and(|left| left.is_zero()) {
                continue;
            }
            let timeout = left.map_or(work.load.timeout, |left| left.min(work.load.timeout));
            let (what, total) = (stage.what.clone(), stage.total);
            let mut tell = |done, _| {
                if limit.is_some_and(|limit| limit <= Instant::now()) {
                    own.asked().store(true, Ordering::Relaxed);
                }
                (controls.progress)(Progress::Stage {
                    target: &self.running.name,
                    workload: &work.name,
                    what: &what,
                    done,
                    total,
                });
            };
            tell(0, 0);
            // A result that could not be read is reported as unknown.
            let _ = stage::run(stage, self.destination(work), timeout, &own, &mut tell);
        }
    }

    /// Restores the data that workload `at` needs before each slice.
    pub(crate) fn before_slice(
        &mut self,
        work: &Workload,
        at: usize,
        controls: &mut Controls<'_>,
    ) -> Result<(), RunError> {
        let stage = self.prepared[at].before_slice();
        self.stage(work, stage, controls).map(drop)
    }

    /// Removes everything created on the target, last created first, and returns the leftovers.
    /// `stop` holds the flags of the clean-up, not of the run.
    pub(crate) fn clean_up(
        &mut self,
        plan: &Plan,
        stop: &Stop,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Leftovers {
        let mut leftovers = Leftovers::default();
        let is_down = self.running.is_halted() || self.running.alive().is_err();
        if self.disposable || is_down {
            return leftovers;
        }
        for (at, work) in plan.workloads.iter().enumerate().rev() {
            let mut is_done = false;
            while !stop.is_asked() {
                let Some(stage) = self.prepared[at].after_run() else {
                    is_done = true;
                    break;
                };
                let mut controls = Controls {
                    stop,
                    progress,
                    generators: Generators::Here,
                };
                if let Err(error) = self.drive_stage(work, stage, &mut controls) {
                    leftovers.left_behind.push(error.to_string().into());
                }
            }
            let prepared = &self.prepared[at];
            let left = prepared.leftovers().into_iter();
            let mut left: Vec<Left> = left.map(|one| self.left(one)).collect();
            if !is_done {
                leftovers.interrupted = true;
                self.explain_interruption(&mut left, plan, work);
            }
            leftovers.left_behind.extend(left);
            let named = |kept| format!("target \"{}\": {kept}", self.running.name);
            leftovers.kept.extend(prepared.kept().map(named));
        }
        leftovers
    }

    /// Removes what an earlier run of the same plan may have left. Also removes the buckets in
    /// `buckets`, which that earlier run created, if they are empty afterwards.
    pub(crate) fn clean(
        &mut self,
        plan: &Plan,
        buckets: &[String],
        controls: &mut Controls<'_>,
    ) -> Result<Cleaned, RunError> {
        let mut cleaned = Cleaned::default();
        let mut buckets = buckets.to_vec();
        for prepared in &mut self.prepared {
            prepared.inherit();
            // Workloads are cleaned up in reverse order, so the workload that created a bucket, its
            // first user, comes last.
            prepared.inherit_buckets(&mut buckets);
        }
        for (at, work) in plan.workloads.iter().enumerate().rev() {
            if let Some(lost) = self.prepared[at].lost() {
                (controls.progress)(Progress::Warning(&lost));
            }
            let mut said = None;
            while let Some(stage) = self.prepared[at].after_run() {
                said = self.stage(work, Some(stage), controls)?.or(said);
            }
            let prepared = &self.prepared[at];
            let named = |removed| format!("target \"{}\": {removed}", self.running.name);
            cleaned
                .removed
                .extend(prepared.removed().into_iter().map(named));
            let left = prepared.leftovers().into_iter().map(|one| Left {
                reason: one.reason.clone().or_else(|| said.clone()),
                ..self.left(one)
            });
            cleaned.left.extend(left);
        }
        Ok(cleaned)
    }

    /// Says for the leftovers of a workload that the user stopped their removal. A workload that
    /// does not know yet what is left names the place of its objects.
    fn explain_interruption(&self, left: &mut Vec<Left>, plan: &Plan, work: &Workload) {
        let target = plan.targets.get(self.index);
        let place = target.and_then(|target| {
            let work = plan.work_on(target, work);
            place(&work, target, plan.seed)
        });
        if let (true, Some(place)) = (left.is_empty(), place) {
            left.push(Left {
                target: Some(self.running.name.clone()),
                what: format!("objects may be left {place}"),
                ..Left::default()
            });
        }
        for one in left {
            one.reason = Some("the clean-up was interrupted".to_owned());
        }
    }

    /// Adds the target's name to a leftover.
    fn left(&self, leftover: Leftover) -> Left {
        Left {
            target: Some(self.running.name.clone()),
            what: leftover.what,
            bucket: leftover.bucket,
            prefix: leftover.prefix,
            objects: leftover.objects,
            reason: leftover.reason,
            acknowledged: leftover.acknowledged,
            clean: None,
        }
    }

    /// Names of the buckets that the target's workloads have created.
    pub(crate) fn buckets_made(&self) -> Vec<String> {
        let each = self.prepared.iter();
        each.flat_map(|prepared| prepared.buckets_made()).collect()
    }

    /// Runs a stage and returns its most frequent failure. The failure is an error if the stage
    /// must succeed.
    pub(crate) fn stage(
        &mut self,
        work: &Workload,
        stage: Option<Stage>,
        controls: &mut Controls<'_>,
    ) -> Result<Option<String>, RunError> {
        let Some(stage) = stage else { return Ok(None) };
        let (what, must_succeed) = (stage.what.clone(), stage.must_succeed);
        let staged = self.drive_stage(work, stage, controls)?;
        if let Some(sentence) = staged.refusals()
            && self.noted.insert(work.name.clone())
        {
            let note = format!("target \"{}\", {what}: {sentence}", self.running.name);
            (controls.progress)(Progress::Note(&note));
        }
        match staged.failure {
            // Requests in flight at Ctrl-C fail.
            _ if staged.stopped && must_succeed => Err(RunError::Interrupted),
            Some(why) if must_succeed => Err(RunError::Preparation {
                target: self.running.name.clone(),
                workload: work.name.clone(),
                what,
                why,
            }),
            _ if staged.stopped => Err(RunError::Interrupted),
            tolerated => Ok(tolerated),
        }
    }

    pub(crate) fn drive_stage(
        &self,
        work: &Workload,
        stage: Stage,
        controls: &mut Controls<'_>,
    ) -> Result<Staged, RunError> {
        let (what, total) = (stage.what.clone(), stage.total);
        let progress = &mut *controls.progress;
        let mut forecast = StageForecast::new(work, &stage, self.noted.contains(&work.name));
        let mut tell = |done, refused: u64| {
            let refusals = match refused {
                0 => String::new(),
                1 => ", 1 request refused and sent again".to_owned(),
                _ => format!(", {refused} requests refused and sent again"),
            };
            if let Some(sentence) = forecast.first(done) {
                let name = &self.running.name;
                progress(Progress::Note(&format!("target \"{name}\", {sentence}")));
            }
            let left = forecast.left(done);
            progress(Progress::Stage {
                target: &self.running.name,
                workload: &work.name,
                what: &format!("{what}{refusals}{left}"),
                done,
                total,
            });
        };
        tell(0, 0);
        let timeout = work.load.timeout;
        Ok(stage::run(
            stage,
            self.destination(work),
            timeout,
            controls.stop,
            &mut tell,
        )?)
    }
}

/// Keeps at most one worker per connection, plus the workers that open their own connections.
pub(crate) fn at_most(workers: &mut Vec<Box<dyn EngineWorkload>>, connections: usize) {
    let mut left = connections;
    workers.retain(|worker| {
        worker.own_connections().is_some() || {
            let has_one = left > 0;
            left = left.saturating_sub(1);
            has_one
        }
    });
}
