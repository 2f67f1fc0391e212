//! A running target and its prepared workloads.

pub(crate) mod clean_up;
mod stages;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tenbin_engine::{
    Destination, Drive, Part, Route, SliceEvent, Spread, Workload as EngineWorkload,
};
use tenbin_plan::{Pace, Plan, Reach, Sentence, Target, Workload, sentence};
use tenbin_record::{CpuQuota, HostEnvironment, ProgramFile, RefusedRenewal, TargetEnvironment};
use tenbin_targets::{self as targets, LaunchContext, Running, StatedVersion, program_files};
use tenbin_workloads::{BlobAccess, Prepared, Site, SliceState, prepare, protocol};

use crate::context::RunContext;
use crate::controls::Controls;
use crate::error::RunError;
use crate::generators::Job;
use crate::progress::Progress;
use crate::slice::length::WarmUpTimes;
use crate::stage;
use crate::stop::Stop;
use crate::target::access::{blob_access, destination, is_disposable, site, was_there};
use crate::target::first_response::{FirstAnswer, first_answer};
use crate::target::keys::{KeyKeeper, MayAsk, anywhere};

/// A CPU quota as the run directory records it.
pub(crate) fn recorded_quota(quota: targets::CpuQuota) -> CpuQuota {
    match quota {
        targets::CpuQuota::Millicores(count) => CpuQuota::Millicores(count),
        targets::CpuQuota::Unlimited => CpuQuota::Unlimited,
    }
}

/// A sentence about a target.
pub(crate) fn of_target(target: &str, said: Sentence) -> Sentence {
    let of = sentence!("of-target", "target \"{target}\": {said}", target, said);
    of.with_part("said", [said])
}

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

/// The version that the program of a launched target prints, unless the plan states it.
pub(crate) fn stated_version(target: &Target) -> Option<StatedVersion> {
    match &target.reach {
        Reach::Launched(launch) if target.version.is_none() => Some(StatedVersion::of(launch)),
        _ => None,
    }
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
    /// The version of the target, as stated in the plan or by the launched program.
    pub(crate) version: Option<String>,
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
    /// Keeps the temporary keys of the target valid.
    keys: Option<KeyKeeper>,
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
        let first = match blob_access(target) {
            _ if !is_http => FirstAnswer::default(),
            BlobAccess::Files | BlobAccess::Dummy => FirstAnswer::default(),
            BlobAccess::Blobstore | BlobAccess::S3 => {
                first_answer(plan, target, &mut running, controls)?
            }
        };
        Self::prepare(plan, target, running, directory, first)
    }

    /// Prepares every workload, and sends no other request than one for temporary keys. `first` is what the target's first
    /// response shows, if known.
    pub(crate) fn prepare(
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
        Self::with_site(plan, target, running, site, first, anywhere())
    }

    /// Prepares every workload on an agent, which keeps no records.
    pub(crate) fn on_agent(
        plan: &Plan,
        target: &Target,
        running: Running,
        may_ask: MayAsk,
    ) -> Result<Self, RunError> {
        let site = site(&running, target).on_agent();
        Self::with_site(plan, target, running, site, FirstAnswer::default(), may_ask)
    }

    fn with_site(
        plan: &Plan,
        target: &Target,
        running: Running,
        site: Site,
        first: FirstAnswer,
        may_ask: MayAsk,
    ) -> Result<Self, RunError> {
        let keys = KeyKeeper::start(plan, target, &running, &site, may_ask)?;
        let site = match &keys {
            Some(keys) => keys.give(site),
            None => site,
        };
        let prepared = plan
            .workloads
            .iter()
            .map(|work| prepare(&plan.work_on(target, work), &site, plan.seed, plan.threads))
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
            keys,
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
            cpu_quota: self.running.cpu_quota().map(recorded_quota),
            program: self.program.clone(),
            records: self.records,
            hosts: hosts.collect(),
            insecure: self.running.route.insecure,
            ..TargetEnvironment::default()
        }
    }

    /// The renewals of temporary keys that were refused; `started` is the start of the run.
    pub(crate) fn refused_renewals(&self, started: Instant) -> Vec<RefusedRenewal> {
        let keys = self.keys.as_ref();
        keys.map_or_else(Vec::new, |keys| keys.refused(&self.running.name, started))
    }

    /// How the target exited, in one sentence; `None` if the target is running.
    pub(crate) fn death(&self) -> Option<Sentence> {
        let (node, exit) = self.running.dead_node()?;
        let name = &self.running.name;
        let who = match node {
            None => sentence!("target-named", "target \"{name}\"", name),
            Some(node) => sentence!("of-node", "node {node} of target \"{name}\"", node, name),
        };
        Some(sentence!(
            "ended-while-measured",
            "{who} {exit} while it was being measured",
            who,
            exit = exit.sentence()
        ))
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
                (controls.progress)(Progress::Warning(&sentence!(
                    "trying-once-more", "{why}; trying once more", why
                )));
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
                    what: sentence!("first-request", "the first request"),
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
