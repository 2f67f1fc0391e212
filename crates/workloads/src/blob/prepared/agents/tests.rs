//! Two agents send what one machine would send, and the coordinator knows what they did.

use std::collections::BTreeSet;
use std::path::Path;

use tenbin_engine::{Exchange, Moment, Next, Workload};
use tenbin_plan::{self as plan, BlobWork, Load, WorkloadKind};
use url::Url;

use super::*;
use crate::blob::stored::batch::Entry;
use crate::blob::stored::run_journals::RunJournals;
use crate::blob::stored::set::{BlobSets, Keeping};
use crate::prepared::{AgentSide as _, CleanUp as _, Prepared as _};
use crate::site::{BlobAccess, Site};

const THREADS: usize = 3;
const AGENTS: usize = 2;
const NOW: Moment = Moment {
    nanos: 0,
    unix_seconds: 0,
};

fn site(means: BlobAccess) -> Site {
    let url = Url::parse("http://127.0.0.1:9/").unwrap();
    Site::new(url, None, "").of_target("t", means)
}

fn phase(phase: Phase, site: &Site, change: impl FnOnce(&mut BlobWork)) -> PreparedBlob {
    let mut blob = BlobWork::new(phase, 10);
    change(&mut blob);
    let work = plan::Workload {
        name: "w".to_owned(),
        kind: WorkloadKind::Blob(blob.clone()),
        load: Load::closed(5),
        stages: false,
    };
    PreparedBlob::new(&work, &blob, site, 7, THREADS).unwrap()
}

/// The same phases on the coordinator and on two agents.
struct Machines {
    coordinator: Vec<PreparedBlob>,
    agents: [Vec<PreparedBlob>; AGENTS],
}

impl Machines {
    fn new(coordinator: Site, phases: &[Phase], change: impl Fn(&mut BlobWork)) -> Self {
        let all = |site: &Site| {
            let all = phases.iter().map(|it| phase(*it, site, &change));
            all.collect::<Vec<_>>()
        };
        let means = coordinator.means();
        Self {
            coordinator: all(&coordinator),
            agents: [(); AGENTS].map(|()| all(&site(means).on_agent())),
        }
    }

    /// A slice of one phase; `status` is the response to the request with the given head.
    fn slice(&mut self, at: usize, status: impl Fn(&str) -> u16) -> Result<Vec<String>, String> {
        let (heads, reports) = self.unreported_slice(at, status)?;
        self.coordinator[at].add_reports(reports)?;
        Ok(heads)
    }

    /// As [`Machines::slice`], but the coordinator does not get the reports.
    fn unreported_slice(
        &mut self,
        at: usize,
        status: impl Fn(&str) -> u16,
    ) -> Result<(Vec<String>, Vec<SliceReport>), String> {
        let state = self.coordinator[at].state_for_agents();
        let unused = self.coordinator[at].slice();
        self.coordinator[at].slice_done(unused);
        let (mut heads, mut reports) = (Vec::new(), Vec::new());
        for (agent, phases) in self.agents.iter_mut().enumerate() {
            let prepared = &mut phases[at];
            assert!(state.is_possible());
            prepared.set_state(state.clone().for_agent(agent, AGENTS))?;
            let workers = prepared.slice().into_iter().enumerate();
            let own = workers.filter(|(worker, _)| worker % AGENTS == agent);
            let mut own: Vec<_> = own.map(|(_, worker)| worker).collect();
            for worker in &mut own {
                drive(worker.as_mut(), &mut heads, &status);
            }
            prepared.slice_done(own);
            reports.push(prepared.report());
        }
        Ok((heads, reports))
    }
}

fn drive(worker: &mut dyn Workload, heads: &mut Vec<String>, status: &impl Fn(&str) -> u16) {
    let mut exchange = Exchange::default();
    while worker.next(NOW, &mut exchange) == Next::Ready {
        let head = String::from_utf8(exchange.head.clone()).unwrap();
        let head = head.lines().next().unwrap_or_default().to_owned();
        let length = exchange.content.unwrap_or(0);
        worker.judge(&mut exchange, status(&head), length);
        heads.push(head);
    }
}

fn all(batch: &Batch) -> BTreeSet<u64> {
    (0..batch.len()).map(|at| batch.entry(at).number).collect()
}

const PHASES: [Phase; 3] = [Phase::Put, Phase::Get, Phase::Delete];

fn s3(change: impl Fn(&mut BlobWork)) -> Machines {
    Machines::new(site(BlobAccess::S3), &PHASES, change)
}

#[test]
fn every_blob_is_put_read_and_deleted_once() {
    let mut machines = s3(|work| {
        work.objects = Some(100);
        work.verify = false;
    });
    let set = Arc::clone(&machines.coordinator[0].set);
    for (round, next) in [(0, 100), (1, 200)] {
        let put = machines.slice(0, |_| 200).unwrap();
        assert_eq!(put.len(), 100);
        assert_eq!(set.next(), next);
        let stored = set.batch(Source::Phase(0), round);
        assert_eq!(all(&stored), (next - 100..next).collect());
        let got = machines.slice(1, |_| 200).unwrap();
        let distinct = |heads: &[String]| heads.iter().collect::<BTreeSet<_>>().len();
        assert_eq!((got.len(), distinct(&got)), (100, 100));
        let deleted = machines.slice(2, |_| 204).unwrap();
        assert_eq!((deleted.len(), distinct(&deleted)), (100, 100));
        assert_eq!((set.left(), set.failures()), (0, 0));
    }
    // One machine reads the same.
    let alone = site(BlobAccess::S3);
    let mut put = phase(Phase::Put, &alone, |work| work.objects = Some(100));
    let mut get = phase(Phase::Get, &alone, |work| {
        work.objects = Some(100);
        work.verify = false;
    });
    for _ in 0..2 {
        for prepared in [&mut put, &mut get] {
            let mut workers = prepared.slice();
            for worker in &mut workers {
                drive(worker.as_mut(), &mut Vec::new(), &|_| 200);
            }
            prepared.slice_done(workers);
        }
    }
    assert_eq!(get.position(), machines.coordinator[1].position());
}

#[test]
fn failures_of_all_agents_count_and_end_the_run() {
    let mut machines = s3(|work| {
        work.objects = Some(100);
        work.errors = Some(30);
    });
    let set = Arc::clone(&machines.coordinator[0].set);
    // Numbers have a fixed length in keys: one in ten ends with 7.
    let one_in_ten = |ok: u16| move |head: &str| if head.contains("7 HTTP") { 500 } else { ok };
    machines.slice(0, one_in_ten(200)).unwrap();
    assert_eq!((set.left(), set.failures()), (90, 10));
    assert_eq!(machines.coordinator[0].failed(), None);
    machines
        .slice(2, |head| if head.contains("3 HTTP") { 500 } else { 204 })
        .unwrap();
    assert_eq!((set.left(), set.failures()), (10, 20));
    machines.slice(0, |_| 500).unwrap();
    assert!(set.failures() > 30);
    assert!(machines.coordinator[0].failed().is_some());
    // An agent knows the failures of the others.
    assert!(machines.slice(0, |_| 200).unwrap().is_empty());
}

#[test]
fn blobs_are_sent_once_and_what_is_deleted_is_known_later() {
    let mut machines = s3(|work| {
        work.objects = Some(40);
        work.verify = false;
    });
    machines.slice(0, |_| 200).unwrap();
    let sends = |machines: &mut Machines, at: usize| {
        let blobs = machines.coordinator[at].state_for_agents().blobs;
        blobs
            .and_then(|blobs| blobs.batch)
            .is_some_and(|batch| batch.blobs.is_some())
    };
    machines.slice(1, |_| 200).unwrap();
    assert!(!sends(&mut machines, 2));
    machines
        .slice(2, |head| if head.contains("3 HTTP") { 500 } else { 204 })
        .unwrap();
    // The next slices work on what is left of the same batch.
    assert!(!sends(&mut machines, 1));
    assert_eq!(machines.slice(1, |_| 200).unwrap().len(), 4);
    assert_eq!(machines.slice(2, |_| 204).unwrap().len(), 4);
    // An agent without the blobs says so.
    machines.agents[1] = [Phase::Put, Phase::Get, Phase::Delete]
        .map(|it| phase(it, &site(BlobAccess::S3).on_agent(), |_| {}))
        .into();
    let why = machines.slice(1, |_| 200).unwrap_err();
    assert!(why.contains("invalid state of the blobs"), "{why}");
}

/// A report of one blob.
fn blob(number: u64) -> bytes::Bytes {
    let mut page = Page::default();
    page.push(Entry {
        number,
        size: 10,
        location: b"",
    });
    encoded(&Batch::of(vec![page]))
}

#[test]
fn impossible_reports_change_nothing() {
    let mut machines = s3(|work| work.objects = Some(100));
    let set = Arc::clone(&machines.coordinator[0].set);
    let changes: [fn(&mut BlobReport); 5] = [
        // A number of the other agent, a number beyond the slice, and other bytes.
        |report| report.stored = blob(1),
        |report| report.doubtful = blob(102),
        |report| report.stored = bytes::Bytes::from_static(&[0x80]),
        |report| report.counts.failures = u64::MAX,
        |report| report.counts.orphans = u64::MAX,
    ];
    for change in changes {
        let (_, mut reports) = machines.unreported_slice(0, |_| 200).unwrap();
        change(reports[0].blobs.as_mut().unwrap());
        machines.coordinator[0].add_reports(reports).unwrap_err();
        assert_eq!(
            (set.next(), set.left(), set.counts()),
            (0, 0, Counts::default())
        );
    }
    let (_, mut reports) = machines.unreported_slice(0, |_| 200).unwrap();
    reports[1].blobs = None;
    machines.coordinator[0].add_reports(reports).unwrap_err();
    machines.slice(0, |_| 200).unwrap();
    for wrong in [vec![0], vec![0, 0, 0], vec![0, 1 << 36]] {
        let (_, mut reports) = machines.unreported_slice(2, |_| 500).unwrap();
        reports[0].blobs.as_mut().unwrap().gone = wrong;
        machines.coordinator[2].add_reports(reports).unwrap_err();
        assert_eq!(set.left(), 100);
    }
}

#[test]
fn impossible_states_are_refused() {
    let mut machines = s3(|work| work.objects = Some(100));
    machines.slice(0, |_| 200).unwrap();
    let state = machines.coordinator[1].state_for_agents();
    let changes: [fn(&mut SliceState); 5] = [
        |state| state.blobs = None,
        |state| state.part = None,
        |state| state.blobs.as_mut().unwrap().batch = None,
        |state| state.blobs.as_mut().unwrap().batch.as_mut().unwrap().gone = vec![u64::MAX; 2],
        |state| {
            state
                .blobs
                .as_mut()
                .unwrap()
                .batch
                .as_mut()
                .unwrap()
                .deleting = vec![2, 1]
        },
    ];
    for change in changes {
        let mut state = state.clone().for_agent(0, AGENTS);
        change(&mut state);
        machines.agents[0][1].set_state(state).unwrap_err();
    }
    machines.agents[0][1]
        .set_state(state.for_agent(0, AGENTS))
        .unwrap();
}

#[test]
fn what_no_agent_reported_is_found_by_name_or_told() {
    let mut machines = s3(|_| {});
    machines.coordinator[0].state_for_agents();
    let swept = machines.coordinator[0].after_run().expect("a stage");
    assert!(
        swept.what.text().starts_with("deleting everything under"),
        "{}",
        swept.what
    );
    assert!(machines.coordinator[0].after_run().is_none());
    for (objects, told) in [(None, "may be left"), (Some(9), "up to 9 blobs")] {
        let site = site(BlobAccess::Blobstore);
        let mut machines = Machines::new(site, &PHASES, |work| work.objects = objects);
        machines.coordinator[0].state_for_agents();
        assert!(machines.coordinator[0].after_run().is_none());
        let left = machines.coordinator[0].left_behind().expect("a sentence");
        assert!(left.contains(told), "{left}");
    }
}

/// One report for each agent, of blobs with locations.
fn reports(machines: &mut Machines) -> Vec<SliceReport> {
    let (_, mut reports) = machines.unreported_slice(0, |_| 500).unwrap();
    for (agent, report) in reports.iter_mut().enumerate() {
        let mut page = Page::default();
        let numbers = (0..20).filter(|number| number % THREADS as u64 % 2 == agent as u64);
        for number in numbers {
            page.push(Entry {
                number,
                size: 10,
                location: b"{\"a\":1}",
            });
        }
        let blobs = report.blobs.as_mut().unwrap();
        blobs.stored = encoded(&Batch::of(vec![page]));
        blobs.counts = Counts::default();
    }
    reports
}

#[test]
fn journals_of_the_coordinator_have_what_agents_reported() {
    let run = tempfile::tempdir().unwrap();
    let tracked = site(BlobAccess::Blobstore).tracked_in(run.path());
    let mut machines = Machines::new(tracked, &PHASES, |work| work.objects = Some(50));
    let set = machines.coordinator[0].set.name.clone();
    let found = || RunJournals::new(run.path(), "t", &set).read().unwrap();
    let reports = reports(&mut machines);
    // The coordinator is killed before or after it has received the reports.
    assert_eq!((found().page.len(), found().orphans), (0, 50));
    machines.coordinator[0].add_reports(reports).unwrap();
    let left = found();
    assert_eq!((left.page.len(), left.orphans), (20, 0));
    assert_eq!(
        left.page.entries().next().map(|entry| entry.location),
        Some(&b"{\"a\":1}"[..])
    );
}

#[test]
fn locations_are_kept_by_the_coordinator_only() {
    let here = tempfile::tempdir().unwrap();
    let kept = |path: &Path| {
        let sets = BlobSets::default();
        let (set, _) = sets.set(&Keeping::OnDisk(path), "t", "blobs", 7).unwrap();
        let batch = set.batch(Source::Before, 0);
        (batch.len(), batch.readable(), set.earlier_orphans)
    };
    let path = here.path().to_owned();
    let start = |objects| {
        Machines::new(site(BlobAccess::Blobstore), &PHASES, |work| {
            work.locations = Some(path.clone());
            work.objects = objects;
        })
    };
    let mut machines = start(Some(50));
    let reports = reports(&mut machines);
    machines.coordinator[0].add_reports(reports).unwrap();
    // The coordinator is killed while agents delete.
    machines.coordinator[2].state_for_agents();
    drop(machines);
    assert_eq!(kept(&path), (20, 0, 0));
    // Deletions that were refused, certainly or not.
    let mut machines = Machines::new(site(BlobAccess::Blobstore), &[Phase::Delete], |work| {
        work.locations = Some(path.clone());
        work.objects = Some(8);
    });
    let (_, reports) = machines.unreported_slice(0, |_| 500).unwrap();
    machines.coordinator[0].add_reports(reports).unwrap();
    drop(machines);
    assert_eq!(kept(&path), (20, 12, 0));
    // What a coordinator did not learn is unknown to the next run.
    let mut machines = start(None);
    machines.coordinator[0].state_for_agents();
    drop(machines);
    assert_eq!(kept(&path), (20, 12, UNKNOWN));
}
