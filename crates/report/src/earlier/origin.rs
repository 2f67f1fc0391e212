//! Which conclusions result files of other tools allow, if the files are compared with each other
//! or with a run.

use std::collections::BTreeMap;

use tenbin_result::{
    Document, EarlierChange, EarlierOutcome, Message, Severity, Trust, Value, message,
};
use tenbin_verdict::Measure;
use tenbin_verdict::lint::{Files, Measurement, Reported, lint, percentile_name};

use super::Results;

/// Many tools write Go's format, Tenbin among them.
const GO: &str = "go test -bench";
const TENBIN: &str = "tenbin";

/// The unit of a throughput that counts requests.
const REQUESTS: &str = "req/s";

/// The rule whose finding every imported document has.
const IMPORTED: &str = "imported";

/// A workload on a target.
type Place = (String, Option<String>);

/// Where the results come from and how they were measured, as far as known.
#[derive(Debug, Clone, Default)]
pub(super) struct Origin {
    /// The tool that wrote the file; `None` for a result of Tenbin.
    tool: Option<&'static str>,
    loads: BTreeMap<Place, Load>,
}

/// How one workload was measured on one target.
#[derive(Debug, Clone, PartialEq)]
struct Load {
    connections: Option<u64>,
    /// Unit of the throughput; `None` if it is unknown.
    unit: Option<String>,
    /// Percentiles as quantiles and seconds; empty with several measurements, of which percentiles
    /// do not add up.
    percentiles: Vec<(f64, f64)>,
}

impl Origin {
    /// A run of Tenbin.
    pub(super) fn of_document(document: &Document, spelled: impl Fn(&str) -> String) -> Self {
        // An imported document has the throughputs of its files without their units.
        let mut findings = document.findings.iter();
        let is_imported = findings.any(|finding| finding.rule == IMPORTED);
        let loads = document.results.iter().map(|result| {
            let mut workloads = document.workloads.iter();
            let workload = workloads.find(|work| work.name == result.workload);
            let work: Vec<_> = result.work().collect();
            let percentiles = match work.as_slice() {
                [only] => [(0.5, only.p50), (0.9, only.p90), (0.99, only.p99)].to_vec(),
                _ => Vec::new(),
            };
            let known = percentiles.into_iter();
            let load = Load {
                unit: (!is_imported).then(|| REQUESTS.to_owned()),
                connections: workload.and_then(|work| work.connections),
                percentiles: known
                    .filter_map(|(quantile, time)| Some((quantile, time?.value)))
                    .collect(),
            };
            let place = (spelled(&result.workload), Some(result.target.clone()));
            (place, load)
        });
        Self {
            tool: None,
            loads: loads.collect(),
        }
    }

    /// A file of another tool.
    pub(super) fn of_file(file: &Reported) -> Self {
        let mut loads: BTreeMap<Place, Load> = BTreeMap::new();
        for of in &file.measurements {
            let place = (of.operation.clone(), of.target.clone());
            match loads.get_mut(&place) {
                None => drop(loads.insert(place, load(of))),
                Some(known) => known.percentiles.clear(),
            }
        }
        Self {
            tool: Some(file.tool),
            loads,
        }
    }

    /// Gives every load the same name, if there is one load.
    pub(super) fn rename(&mut self, place: &Place) {
        self.loads = std::mem::take(&mut self.loads)
            .into_values()
            .map(|load| (place.clone(), load))
            .collect();
    }

    /// Whether it is a file of another tool.
    pub(super) fn is_file(&self) -> bool {
        self.tool.is_some()
    }

    /// Whether it is a file of Go's benchmarks.
    pub(super) fn is_go(&self) -> bool {
        self.tool == Some(GO)
    }

    fn name(&self) -> &'static str {
        self.tool.unwrap_or(TENBIN)
    }
}

fn load(of: &Measurement) -> Load {
    let percentiles = of.percentiles.iter();
    Load {
        connections: of.connections.as_ref().map(|said| said.value),
        unit: Some(of.per_second.clone().unwrap_or_else(|| REQUESTS.to_owned())),
        percentiles: percentiles
            .map(|each| (each.quantile, each.time.middle()))
            .collect(),
    }
}

/// How far a file can be trusted by the rules about files, and why; `None` if they find nothing.
///
/// A file that Tenbin wrote has the trust in its run.
pub(super) fn trust(file: &Reported) -> Option<(Trust, String)> {
    if let Some(judged) = &file.judged {
        return Some((judged.trust, judged.why.clone()));
    }
    let findings = lint(&Files {
        all: std::slice::from_ref(file),
        changed: &[],
    });
    let worst = findings.iter().max_by_key(|finding| finding.severity)?;
    let trust = match worst.severity {
        Severity::Invalid => Trust::Invalid,
        Severity::Suspect => Trust::Suspect,
        Severity::Note => return None,
    };
    Some((trust, format!("{}: {}", worst.rule, worst.evidence)))
}

/// Both sides with a common name for what they measured, if one of them is a file, they have no
/// name in common, and each measured one thing.
pub(super) fn one_place_each(before: &Results, after: &Results) -> Option<(Results, Results)> {
    let place = |side: &Results| match side.series.as_slice() {
        [only] => Some((only.workload.clone(), only.target.clone())),
        _ => None,
    };
    let is_file = before.origin.is_file() || after.origin.is_file();
    let (then, now) = (place(before)?, place(after)?);
    if !is_file || then == now {
        return None;
    }
    let both = |then: String, now: String| {
        if then == now {
            then
        } else {
            format!("{then}, then {now}")
        }
    };
    let common = (
        both(then.0, now.0),
        match (then.1, now.1) {
            (Some(then), Some(now)) => Some(both(then, now)),
            (then, now) => then.or(now),
        },
    );
    // In an open loop the throughput is that of the schedule: times are compared.
    let is_timed = |side: &Results| side.series[0].measure == Measure::Time;
    let by_time = is_timed(before) || is_timed(after);
    let renamed = |side: &Results| {
        let mut renamed = side.clone();
        if by_time && !is_timed(side) {
            let median = side.origin.loads.values().next();
            let median = median.and_then(|load| find(load, 0.5));
            renamed.series[0].values = median.map(|seconds| 1.0 / seconds).into_iter().collect();
            renamed.series[0].measure = Measure::Time;
        }
        renamed.origin.rename(&common);
        for each in &mut renamed.series {
            (each.workload, each.target) = common.clone();
        }
        renamed.terms.clear();
        renamed.answers.clear();
        renamed
    };
    Some((renamed(before), renamed(after)))
}

/// Takes the verdict from comparisons that files do not allow, and says what they do not allow.
pub(super) fn restrict(
    before: &Results,
    after: &Results,
    changes: &mut [EarlierChange],
) -> Vec<Message> {
    let (then, now) = (&before.origin, &after.origin);
    if !then.is_file() && !now.is_file() {
        return Vec::new();
    }
    let mut said = Vec::new();
    let tools = [then.name(), now.name()];
    let is_other_tool = tools[0] != tools[1] && !tools.contains(&GO);
    if is_other_tool {
        said.push(message!(
            "other-tools",
            before = before.name.as_str(),
            tool_before = tools[0],
            after = after.name.as_str(),
            tool_after = tools[1]
        ));
    }
    said.extend(other_units(before, after));
    let mut unknown: Vec<&str> = Vec::new();
    for change in &mut *changes {
        let place = (change.workload.clone(), change.target.clone());
        let (Some(earlier), Some(later)) = (then.loads.get(&place), now.loads.get(&place)) else {
            continue;
        };
        let mut is_other_load = false;
        match (earlier.connections, later.connections) {
            (Some(few), Some(many)) if few != many => {
                is_other_load = true;
                said.push(message!(
                    "other-connections",
                    workload = place.0.as_str(),
                    before = Value::Plain(few),
                    after = Value::Plain(many)
                ));
            }
            (None, Some(_)) => unknown.push(&before.name),
            (Some(_), None) => unknown.push(&after.name),
            _ => {}
        }
        said.extend(percentiles(
            &place.0,
            earlier,
            later,
            [&before.name, &after.name],
        ));
        if is_other_tool || is_other_load {
            change.change = EarlierOutcome::NoVerdict;
        }
    }
    unknown.dedup();
    for name in unknown {
        said.push(message!("connections-unknown", name));
    }
    if changes.iter().all(|change| change.change.is_undecided()) {
        said.push(message!("faster-unknown"));
    }
    said
}

/// What both sides measured in different units, such as documents and requests per second: such
/// figures have no ratio.
pub(super) fn other_units(before: &Results, after: &Results) -> Vec<Message> {
    let both = before.origin.loads.iter().filter_map(|(place, earlier)| {
        let later = after.origin.loads.get(place)?;
        Some((place, earlier.unit.as_deref(), later.unit.as_deref()))
    });
    // A document without units has one kind of throughput, which is compared as requests.
    let is_other = |own: Option<&str>, other: Option<&str>| {
        own.unwrap_or(REQUESTS) != other.unwrap_or(REQUESTS)
    };
    both.filter(|(_, own, other)| is_other(*own, *other))
        .map(|((workload, _), own, other)| {
            message!(
                "other-units",
                workload = workload.as_str(),
                before = own.unwrap_or("?/s"),
                after = other.unwrap_or("?/s")
            )
        })
        .collect()
}

/// The percentile, seconds.
fn find(load: &Load, quantile: f64) -> Option<f64> {
    let mut all = load.percentiles.iter();
    let found = all.find(|(own, _)| (own - quantile).abs() < 1e-9)?;
    Some(found.1).filter(|seconds| *seconds > 0.0)
}

/// Percentiles that both sides have, and those that only one has.
fn percentiles(workload: &str, earlier: &Load, later: &Load, names: [&str; 2]) -> Vec<Message> {
    let mut said = Vec::new();
    let both = earlier.percentiles.iter().filter_map(|(quantile, then)| {
        let now = find(later, *quantile)?;
        Some(message!(
            "percentile-of-both",
            percentile = percentile_name(*quantile),
            before = Value::Seconds(*then),
            after = Value::Seconds(now)
        ))
    });
    let both: Vec<Message> = both.collect();
    if !both.is_empty() {
        said.push(message!("percentiles-of-both", workload, times = both));
    }
    for (name, own, other) in [(names[0], earlier, later), (names[1], later, earlier)] {
        let alone = own.percentiles.iter().map(|(quantile, _)| *quantile);
        let alone = alone.filter(|quantile| find(other, *quantile).is_none());
        let alone: Vec<String> = alone.map(percentile_name).collect();
        if !alone.is_empty() {
            said.push(message!(
                "percentiles-alone",
                name,
                percentiles = alone,
                workload
            ));
        }
    }
    said
}
