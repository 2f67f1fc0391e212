//! How targets are held against each other.

use super::naming;
use super::sweep;
use crate::comparing::{Comparing, DEFAULT_MARGIN, DEFAULT_START_NOISE};
use crate::desk::Desk;
use crate::draft::{CompareDraft, TargetDraft};
use crate::expectation::{Bound, Demand, Expectation, Written as Condition};
use crate::figure::Figure;
use crate::load::Pace;
use crate::percent::Percent;
use crate::questions::questions;
use crate::reach::Reach;
use crate::scalar::Field;
use crate::scalar::{At, List, Scalar};
use crate::schedule::block_of;
use crate::searched::Searched;
use crate::suggest::did_you_mean;
use crate::target::Target;
use crate::workload::Workload;

const LEAST_MARGIN: Percent = Percent::of(0.1);
const MOST_MARGIN: Percent = Percent::of(100.0);

/// How many targets there are going to be, before any of them is known.
pub(super) struct Sides {
    targets: usize,
    twin: bool,
}

/// What decides how many rounds there are.
pub(super) struct Shape {
    /// Targets, a twin among them.
    pub(super) targets: usize,
    /// Workloads that are compared with each other; 0 where none are.
    pub(super) compared: usize,
    /// As [`Plan::questions`](crate::Plan::questions).
    pub(super) questions: usize,
}

impl Shape {
    /// Rounds of a block.
    pub(super) fn block(&self) -> u32 {
        block_of(self.targets, self.compared)
    }
}

impl Sides {
    pub(super) fn read(desk: &mut Desk<'_>, aa: &Field, drafts: &[At<TargetDraft>]) -> Self {
        let combinations = drafts.iter().map(|draft| sweep::combinations(&draft.value));
        Self {
            targets: combinations.sum(),
            twin: wants_twin(desk, aa) && !drafts.is_empty(),
        }
    }

    /// Before the workloads are known: with as many questions as there are sections of them.
    pub(super) fn first_shape(&self, workloads: usize, compare: &CompareDraft) -> Shape {
        let shape = self.shape(&[], compare);
        Shape {
            questions: shape.questions + self.targets.saturating_sub(1) * workloads,
            ..shape
        }
    }

    pub(super) fn shape(&self, workloads: &[Workload], compare: &CompareDraft) -> Shape {
        let listed = compare.workloads.as_ref().map(At::items);
        let compared = listed.map_or(0, |items| items.len());
        Shape {
            targets: self.targets + usize::from(self.twin),
            compared,
            questions: questions(self.targets.saturating_sub(1), workloads, compared),
        }
    }
}

/// What a plan says of it.
pub(super) struct Written<'a> {
    pub(super) baseline: &'a Field,
    pub(super) aa: &'a Field,
    pub(super) margin: &'a Field,
    pub(super) start_noise: &'a Field,
    pub(super) decide: &'a Field,
    pub(super) expect: Option<&'a At<List>>,
    pub(super) compare: &'a CompareDraft,
    pub(super) fail_if: Option<&'a At<List>>,
}

/// Adds the twin to `targets`, if one is asked for.
pub(super) fn resolve(
    desk: &mut Desk<'_>,
    written: &Written<'_>,
    targets: &mut Vec<Target>,
    workloads: &[Workload],
) -> Comparing {
    let baseline = desk
        .read("baseline", written.baseline, |scalar| {
            position(scalar.text()?, targets)
        })
        .unwrap_or(0);
    let lists = [
        ("expect", Demand::Expect, written.expect),
        ("fail_if", Demand::FailIf, written.fail_if),
    ];
    let mut expect = Vec::new();
    for (key, demand, list) in lists {
        for At { value, place } in list.map(At::items).unwrap_or_default() {
            let read = value
                .text()
                .and_then(|text| expectation(text, demand, targets, baseline, workloads));
            match read {
                Ok(expectation) => expect.push(expectation),
                Err(message) => desk.wrong(place, key, message),
            }
        }
    }
    let decide = desk.read("decide", written.decide, |scalar| {
        deciding(scalar.text()?, targets, workloads)
    });
    let twin = wants_twin(desk, written.aa)
        .then(|| twin_of(targets, baseline))
        .flatten();
    Comparing {
        baseline,
        twin: twin.map(|twin| {
            targets.push(twin);
            targets.len() - 1
        }),
        workloads: compared_workloads(desk, written.compare, workloads),
        margin: desk
            .read("margin", written.margin, |scalar| {
                Percent::within(scalar.text()?, LEAST_MARGIN, MOST_MARGIN)
            })
            .unwrap_or(DEFAULT_MARGIN),
        start_noise: desk
            .read("start_noise", written.start_noise, |scalar| {
                Percent::within(scalar.text()?, Percent::of(0.0), MOST_MARGIN)
            })
            .unwrap_or(DEFAULT_START_NOISE),
        expect,
        decide,
    }
}

/// The figure that decides, if every target and workload has it.
fn deciding(name: &str, targets: &[Target], workloads: &[Workload]) -> Result<Figure, String> {
    let figure = Figure::named(name)?;
    if !figure.has_ratio() {
        return Err(format!(
            "{figure} of two targets has no ratio with an interval, so it cannot decide; choose for \
             example \"p99\" or \"cpu\""
        ));
    }
    let open = workloads
        .iter()
        .find(|work| work.load.pace != Pace::Closed && work.search().is_none());
    if let Some(open) = open.filter(|_| figure.is_rate()) {
        return Err(format!(
            "workload {:?} has a rate, which decides its {figure}; choose for example \"p99\" or \
             \"cpu\"",
            open.name
        ));
    }
    let is_unobserved = |target: &&Target| {
        target.observe.is_none() && matches!(target.reach, Reach::Endpoint { .. })
    };
    if figure == Figure::Cpu
        && let Some(target) = targets.iter().find(is_unobserved)
    {
        return Err(format!(
            "the CPU time of target {:?} is not observed; add --observe port (in a plan \
             observe = {{ port = true }})",
            target.name
        ));
    }
    Ok(figure)
}

fn compared_workloads(
    desk: &mut Desk<'_>,
    compare: &CompareDraft,
    workloads: &[Workload],
) -> Vec<usize> {
    let Some(list) = &compare.workloads else {
        return Vec::new();
    };
    let mut found: Vec<usize> = Vec::new();
    for item in list.items() {
        let names = || workloads.iter().map(|work| work.name.as_str());
        let read = item.value.text().and_then(|name| {
            let at = workloads.iter().position(|work| work.name == name);
            let at = at.ok_or_else(|| {
                format!(
                    "there is no workload {name:?} among {}{}",
                    names().collect::<Vec<_>>().join(", "),
                    did_you_mean(name, names())
                )
            })?;
            if found.contains(&at) {
                return Err(format!("{name:?} stands twice in the list"));
            }
            if workloads[at].search().is_some() {
                return Err(format!(
                    "{name:?} has an objective (slo): its rate is searched for after the rounds"
                ));
            }
            Ok(at)
        });
        match read {
            Ok(at) => found.push(at),
            Err(message) => desk.wrong(item.place, "workloads", message),
        }
    }
    let is_closed = |at: &usize| workloads[*at].load.pace == Pace::Closed;
    let closed = found.iter().filter(|at| is_closed(at)).count();
    if list.items().len() < 2 {
        let why = "compares at least two; write for example [\"plain\", \"tls\"]";
        desk.wrong(list.place, "workloads", why);
    } else if closed > 0 && closed < found.len() {
        let why = "a closed loop is compared by its throughput and an open loop by its response \
                   time; list workloads of one kind";
        desk.wrong(list.place, "workloads", why);
    }
    found
}

fn wants_twin(desk: &mut Desk<'_>, aa: &Field) -> bool {
    desk.read("aa", aa, Scalar::switch).unwrap_or(false)
}

fn twin_of(targets: &[Target], baseline: usize) -> Option<Target> {
    let original = targets.get(baseline)?;
    let taken = targets.iter().map(|target| target.name.as_str());
    Some(Target {
        name: naming::behind(&original.name, "-twin", &taken.collect()),
        // It is no point of a sweep: it has no value of its own.
        sweep: None,
        searched: Searched {
            // Nor a size of a cluster, which the original is already.
            cluster: None,
            ..original.searched.clone()
        },
        ..original.clone()
    })
}

fn position(name: &str, targets: &[Target]) -> Result<usize, String> {
    let found = targets.iter().position(|target| target.name == name);
    found.ok_or_else(|| {
        let names = || targets.iter().map(|target| target.name.as_str());
        format!(
            "there is no target {name:?} among {}{}",
            names().collect::<Vec<_>>().join(", "),
            did_you_mean(name, names())
        )
    })
}

fn expectation(
    text: &str,
    demand: Demand,
    targets: &[Target],
    baseline: usize,
    workloads: &[Workload],
) -> Result<Expectation, String> {
    let Condition {
        names,
        figure,
        relation,
        bound,
    } = text.parse()?;
    let mut expectation = Expectation {
        demand,
        target: None,
        workload: None,
        figure,
        relation,
        bound,
    };
    for name in names {
        let is_target = targets.iter().any(|target| target.name == name);
        let is_workload = workloads.iter().any(|workload| workload.name == name);
        let place = match (is_target, is_workload) {
            (true, true) => {
                return Err(format!(
                    "{text:?} does not say which {name:?} it means, the target or the workload; \
                     rename one of them"
                ));
            }
            (true, false) => &mut expectation.target,
            (false, true) => &mut expectation.workload,
            (false, false) => return Err(nobody(text, &name, targets, workloads)),
        };
        if place.replace(name).is_some() {
            return Err(format!(
                "{text:?} names two of a kind; write at most one target and one workload"
            ));
        }
    }
    if matches!(bound, Bound::Baseline(_)) {
        check_has_baseline(text, &expectation, targets, baseline)?;
    }
    Ok(expectation)
}

fn nobody(text: &str, name: &str, targets: &[Target], workloads: &[Workload]) -> String {
    let names = || {
        let targets = targets.iter().map(|target| target.name.as_str());
        targets.chain(workloads.iter().map(|workload| workload.name.as_str()))
    };
    format!(
        "{text:?} is about {name:?}, and there is no target or workload of that name among {}{}",
        names().collect::<Vec<_>>().join(", "),
        did_you_mean(name, names())
    )
}

fn check_has_baseline(
    text: &str,
    expectation: &Expectation,
    targets: &[Target],
    baseline: usize,
) -> Result<(), String> {
    let Some(baseline) = targets.get(baseline).filter(|_| targets.len() > 1) else {
        return Err(format!(
            "{text:?} needs a second target: there is none to compare with the baseline"
        ));
    };
    if expectation.target.as_ref() == Some(&baseline.name) {
        return Err(format!(
            "{text:?} compares {:?} with itself: it is the baseline",
            baseline.name
        ));
    }
    Ok(())
}

/// A percentage that says how well something must be known.
pub(super) fn precision(scalar: &Scalar) -> Result<Percent, String> {
    Percent::within(scalar.text()?, LEAST_PRECISION, MOST_PRECISION)
}

const LEAST_PRECISION: Percent = Percent::of(0.01);
const MOST_PRECISION: Percent = Percent::of(50.0);
