//! Resolves the comparison of targets and workloads.

use super::sweep;
use crate::comparison::expectation::{Bound, Demand, Expectation, Written as Condition};
use crate::comparison::figure::Figure;
use crate::draft::{CompareDraft, Comparing, Draft};
use crate::keys::scalar::{At, Field, Scalar};
use crate::keys::suggest::did_you_mean;
use crate::load::Pace;
use crate::naming;
use crate::plan::hypotheses::hypotheses;
use crate::plan::schedule::block_of;
use crate::plan::workload::Workload;
use crate::plan_file::mistake::Mistake;
use crate::resolver::Resolver;
use crate::target::{Reach, Searched, Target};
use crate::units::percent::Percent;
use crate::{Sentence, sentence};

/// The number of targets and whether there is a twin, known before any target is resolved.
pub(super) struct Sides {
    targets: usize,
    twin: bool,
    gate: bool,
}

/// The numbers that decide the number of rounds.
pub(super) struct Shape {
    /// Targets, including a twin.
    pub(super) targets: usize,
    /// Workloads that are compared with each other; 0 for none.
    pub(super) compared: usize,
    /// Number of hypotheses, as in [`Plan::hypotheses`](crate::Plan::hypotheses).
    pub(super) hypotheses: usize,
    /// Whether the plan has a gate.
    pub(super) gate: bool,
    /// Whether every workload is a maximum-rate search.
    pub(super) only_searches: bool,
}

impl Shape {
    /// Rounds of a block.
    pub(super) fn block(&self) -> u32 {
        block_of(self.targets, self.compared)
    }
}

impl Sides {
    pub(super) fn read(resolver: &mut Resolver<'_>, draft: &Draft) -> Self {
        let drafts = &draft.targets;
        let combinations = drafts.iter().map(|draft| sweep::combinations(&draft.value));
        Self {
            targets: combinations.sum(),
            twin: wants_twin(resolver, &draft.aa) && !drafts.is_empty(),
            gate: draft.gate.is_some(),
        }
    }

    /// The shape before workloads are resolved: each `[[workload]]` counts as one hypothesis for
    /// each target that is compared with the baseline.
    pub(super) fn first_shape(
        &self,
        workloads: usize,
        only_searches: bool,
        compare: &CompareDraft,
    ) -> Shape {
        let shape = self.shape(&[], compare);
        Shape {
            hypotheses: shape.hypotheses + self.targets.saturating_sub(1) * workloads,
            only_searches,
            ..shape
        }
    }

    pub(super) fn shape(&self, workloads: &[Workload], compare: &CompareDraft) -> Shape {
        let listed = compare.workloads.as_ref().map(At::items);
        let compared = listed.map_or(0, |items| items.len());
        Shape {
            targets: self.targets + usize::from(self.twin),
            compared,
            hypotheses: hypotheses(self.targets.saturating_sub(1), workloads, compared),
            gate: self.gate,
            only_searches: !workloads.is_empty()
                && workloads.iter().all(|work| work.search().is_some()),
        }
    }
}

/// Resolves the comparison, and adds the twin to `targets` if the plan has one.
pub(super) fn resolve(
    resolver: &mut Resolver<'_>,
    draft: &Draft,
    targets: &mut Vec<Target>,
    workloads: &[Workload],
) -> Comparing {
    let baseline = resolver
        .read("baseline", &draft.baseline, |scalar| {
            position(scalar.text()?, targets)
        })
        .unwrap_or(0);
    let anchor = resolver.read("anchor", &draft.anchor, |scalar| {
        anchor(scalar.text()?, targets)
    });
    let lists = [
        ("expect", Demand::Expect, &draft.expect),
        ("fail_if", Demand::FailIf, &draft.fail_if),
    ];
    let mut expect = Vec::new();
    for (key, demand, list) in lists {
        for At { value, place } in list.as_ref().map(At::items).unwrap_or_default() {
            let text = value.text().map_err(Mistake::from);
            let read =
                text.and_then(|text| expectation(text, demand, targets, baseline, workloads));
            match read {
                Ok(expectation) => expect.push(expectation),
                Err(mistake) => resolver.wrong(place, key, mistake),
            }
        }
    }
    let decide = resolver.read("decide", &draft.decide, |scalar| {
        primary(scalar.text()?, targets, workloads)
    });
    let twin = wants_twin(resolver, &draft.aa)
        .then(|| twin_of(targets, baseline))
        .flatten();
    let mut comparing = Comparing {
        baseline,
        anchor,
        twin: twin.map(|twin| {
            targets.push(twin);
            targets.len() - 1
        }),
        workloads: compared_workloads(resolver, &draft.compare, workloads),
        expect,
        decide,
        ..Comparing::default()
    };
    comparing.read_keys(resolver, draft);
    comparing
}

/// Reads the anchor. Refuses an anchor that is the only target: no other has a ratio to it.
fn anchor(name: &str, targets: &[Target]) -> Result<usize, Mistake> {
    let at = position(name, targets)?;
    if targets.len() < 2 {
        return Err(sentence!(
            "anchor-alone",
            "{name:?} is the only target, and an anchor is what the others are divided by; add \
             the target whose history you want",
            name
        )
        .into());
    }
    Ok(at)
}

/// Reads the primary metric.
fn primary(name: &str, targets: &[Target], workloads: &[Workload]) -> Result<Figure, Mistake> {
    let figure = Figure::named(name)?;
    can_decide(figure, targets, workloads)?;
    Ok(figure)
}

/// Refuses a figure that a target or a workload cannot have.
pub(super) fn can_decide(
    figure: Figure,
    targets: &[Target],
    workloads: &[Workload],
) -> Result<(), Mistake> {
    if !figure.has_ratio() {
        return Err(sentence!(
            "cannot-decide",
            "{figure} of two targets has no ratio with an interval, so it cannot decide; choose \
             for example \"p99\" or \"cpu\"",
            figure
        )
        .into());
    }
    let open = workloads
        .iter()
        .find(|work| work.load.pace != Pace::Closed && work.search().is_none());
    if let Some(open) = open.filter(|_| figure.is_rate()) {
        return Err(sentence!(
            "rate-decides",
            "workload {name:?} has a rate, which decides its {figure}; choose for example \"p99\" \
             or \"cpu\"",
            name = open.name,
            figure
        )
        .into());
    }
    let is_unobserved = |target: &&Target| {
        let is_running = matches!(target.reach, Reach::Endpoint { .. });
        (target.observe.is_none() && is_running) || target.unobserved_container().is_some()
    };
    let used = match figure {
        Figure::Cpu => Some("CPU time"),
        Figure::Memory => Some("memory"),
        _ => None,
    };
    let unobserved = used.zip(targets.iter().find(is_unobserved));
    if let Some((used, target)) = unobserved {
        if let Some(client) = target.unobserved_container() {
            return Err(sentence!(
                "container-not-observed",
                "the {used} of target {name:?} is not observed, because {client} does not start \
                 the server itself; add --observe {name}=name:PROGRAM with the program of the server",
                used,
                name = target.name,
                client
            )
            .into());
        }
        return Err(sentence!(
            "not-observed",
            "the {used} of target {name:?} is not observed; add --observe port (in a plan observe \
             = {{ port = true }})",
            used,
            name = target.name
        )
        .into());
    }
    Ok(())
}

fn compared_workloads(
    resolver: &mut Resolver<'_>,
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
                sentence!(
                    "unknown-workload",
                    "there is no workload {name:?} among {known}{hint}",
                    name,
                    known = names().collect::<Vec<_>>().join(", "),
                    hint = did_you_mean(name, names())
                )
            })?;
            if found.contains(&at) {
                return Err(sentence!(
                    "listed-twice",
                    "{name:?} is listed twice; remove one",
                    name
                ));
            }
            if workloads[at].search().is_some() {
                return Err(sentence!(
                    "compared-with-slo",
                    "{name:?} has limits (slo): its maximum-rate search runs after the rounds",
                    name
                ));
            }
            Ok(at)
        });
        match read {
            Ok(at) => found.push(at),
            Err(message) => resolver.wrong(item.place, "workloads", message),
        }
    }
    let is_closed = |at: &usize| workloads[*at].load.pace == Pace::Closed;
    let closed = found.iter().filter(|at| is_closed(at)).count();
    if list.items().len() < 2 {
        let why = sentence!(
            "few-workloads",
            "needs at least two workloads; write for example [\"plain\", \"tls\"]"
        );
        resolver.wrong(list.place, "workloads", why);
    } else if closed > 0 && closed < found.len() {
        let why = sentence!(
            "loops-mixed",
            "a closed loop is compared by its throughput and an open loop by its response \
                time; list workloads of one kind"
        );
        resolver.wrong(list.place, "workloads", why);
    }
    found
}

fn wants_twin(resolver: &mut Resolver<'_>, aa: &Field) -> bool {
    resolver.read("aa", aa, Scalar::switch).unwrap_or(false)
}

fn twin_of(targets: &[Target], baseline: usize) -> Option<Target> {
    let original = targets.get(baseline)?;
    let taken = targets.iter().map(|target| target.name.as_str());
    Some(Target {
        name: naming::behind(&original.name, "-twin", &taken.collect()),
        // A twin is not a point of a sweep.
        sweep: None,
        searched: Searched {
            // The twin's original is the only target of this cluster size.
            cluster: None,
            ..original.searched.clone()
        },
        ..original.clone()
    })
}

fn position(name: &str, targets: &[Target]) -> Result<usize, Mistake> {
    let found = targets.iter().position(|target| target.name == name);
    let names = targets.iter().map(|target| target.name.as_str());
    found.ok_or_else(|| Mistake::unknown_target(name, names))
}

fn expectation(
    text: &str,
    demand: Demand,
    targets: &[Target],
    baseline: usize,
    workloads: &[Workload],
) -> Result<Expectation, Mistake> {
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
                return Err(sentence!(
                    "ambiguous-name",
                    "{text:?} does not say which {name:?} it means, the target or the workload; \
                     rename one of them",
                    text,
                    name
                )
                .into());
            }
            (true, false) => &mut expectation.target,
            (false, true) => &mut expectation.workload,
            (false, false) => return Err(unknown(text, &name, targets, workloads).into()),
        };
        if place.replace(name).is_some() {
            return Err(sentence!(
                "two-of-a-kind",
                "{text:?} names two of a kind; write at most one target and one workload",
                text
            )
            .into());
        }
    }
    if matches!(bound, Bound::Baseline(_)) {
        check_has_baseline(text, &expectation, targets, baseline)?;
    }
    Ok(expectation)
}

fn unknown(text: &str, name: &str, targets: &[Target], workloads: &[Workload]) -> Sentence {
    let names = || {
        let targets = targets.iter().map(|target| target.name.as_str());
        targets.chain(workloads.iter().map(|workload| workload.name.as_str()))
    };
    sentence!(
        "neither-target-nor-workload",
        "{text:?} names {name:?}, which is no target or workload; there are {known}{hint}",
        text,
        name,
        known = names().collect::<Vec<_>>().join(", "),
        hint = did_you_mean(name, names())
    )
}

fn check_has_baseline(
    text: &str,
    expectation: &Expectation,
    targets: &[Target],
    baseline: usize,
) -> Result<(), Sentence> {
    let Some(baseline) = targets.get(baseline).filter(|_| targets.len() > 1) else {
        return Err(sentence!(
            "baseline-alone",
            "{text:?} compares with the baseline, and the plan has one target only; add a \
                second target",
            text
        ));
    };
    if expectation.target.as_ref() == Some(&baseline.name) {
        return Err(sentence!(
            "baseline-itself",
            "{text:?} compares {name:?} with itself: it is the baseline",
            text,
            name = baseline.name
        ));
    }
    Ok(())
}

/// Reads the precision of a ratio: `±1%`.
pub(super) fn precision(scalar: &Scalar) -> Result<Percent, Sentence> {
    Percent::within(scalar.text()?, LEAST_PRECISION, MOST_PRECISION)
}

const LEAST_PRECISION: Percent = Percent::of(0.01);
const MOST_PRECISION: Percent = Percent::of(50.0);
