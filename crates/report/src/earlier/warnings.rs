//! What a reader of a comparison must know about the two runs, as messages.

use std::collections::BTreeSet;

use tenbin_result::{EarlierChange, EarlierPart, Message, Value, message};
use tenbin_verdict as verdict;

use super::Results;
use super::parity::Parity;

/// Units of what `go test -benchmem` counts in the process of the benchmark.
const CLIENT_UNITS: [&str; 2] = ["B/op", "allocs/op"];

/// The warnings about both runs and what was found, the most important first.
pub(super) fn warnings(
    before: &Results,
    after: &Results,
    found: &verdict::EarlierRun,
) -> Vec<Message> {
    let mut warnings: Vec<Message> = other_machines(before, after).into_iter().collect();
    for (one, other) in [(before, after), (after, before)] {
        let alone = one.targets_without(other);
        if !alone.is_empty() {
            let named = alone.into_iter();
            let named = named.map(|target| message!("target-named", target));
            warnings.push(message!(
                "measured-alone",
                name = one.name.as_str(),
                targets = named.collect::<Vec<_>>()
            ));
        }
    }
    let is_file = before.origin.is_file() || after.origin.is_file();
    for (one, other) in [(before, after), (after, before)] {
        let alone = one.workloads_without(other);
        if is_file && !alone.is_empty() {
            warnings.push(message!(
                "workloads-alone",
                name = one.name.as_str(),
                workloads = alone
            ));
        }
        warnings.extend(one.caveats.iter().map(|caveat| {
            let (name, caveat) = (one.name.as_str(), caveat.as_str());
            message!("caveat-of-file", name, caveat)
        }));
    }
    if before.origin.is_go() && after.origin.is_go() {
        warnings.push(message!("benchmarks-by-name"));
        let undirected = found.all.iter().filter(|each| each.undirected);
        let units: BTreeSet<&str> = undirected.filter_map(|it| it.unit.as_deref()).collect();
        warnings.extend(
            units
                .into_iter()
                .map(|unit| message!("unit-undirected", unit)),
        );
        let mut units = found.all.iter().filter_map(|each| each.unit.as_deref());
        if units.any(|unit| CLIENT_UNITS.contains(&unit)) {
            warnings.push(message!("memory-of-client"));
        }
    }
    if found.controls.is_none() {
        let mut all = found.all.iter();
        let named = all.any(|each| each.part == EarlierPart::Changed);
        warnings.push(message!("without-control", named));
    }
    if found
        .all
        .iter()
        .all(|each| each.ratio.is_some_and(|ratio| ratio.n == 1))
    {
        warnings.push(message!("one-run-per-side"));
    }
    warnings
}

/// What two files of other tools say about different machines.
fn other_machines(before: &Results, after: &Results) -> Option<Message> {
    let differ = before.machine.iter().filter_map(|(name, then)| {
        let mut there = after.machine.iter();
        let (_, now) = there.find(|(other, now)| other == name && now != then)?;
        Some(message!(
            "machine-differs",
            name = name.as_str(),
            before = format!("{then:?}"),
            after = format!("{now:?}")
        ))
    });
    let differ: Vec<Message> = differ.collect();
    (!differ.is_empty()).then(|| message!("machines-differ", differ = Value::Clauses(differ)))
}

/// Whether one workload on one target did different work in the two runs, with a note if the
/// responses differed.
pub(super) fn answers(
    before: &Results,
    after: &Results,
    change: &EarlierChange,
) -> (bool, Option<Message>) {
    let Some(target) = change.target.clone() else {
        return (false, None);
    };
    let place = (change.workload.clone(), target);
    let both = before.answers.get(&place).zip(after.answers.get(&place));
    let (workload, target) = &place;
    match both.map(|(then, now)| then.parity(now)) {
        None | Some(Parity::Same) => (false, None),
        Some(Parity::Expected(sizes)) => {
            let said = message!(
                "responses-expected",
                target = target.as_str(),
                workload = workload.as_str(),
                sizes
            );
            (false, Some(said))
        }
        Some(Parity::Other(why)) => {
            let said = message!(
                "responses-differ",
                target = target.as_str(),
                workload = workload.as_str(),
                why
            );
            (true, Some(said))
        }
    }
}
