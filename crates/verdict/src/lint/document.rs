//! Conversion of results of other tools into a result document of Tenbin.

use std::collections::BTreeMap;

use tenbin_record::Counts;
use tenbin_result::{
    Cause, Document, Figure, Finding, OperationResult, ResultOf, Run, SCHEMA, Severity,
    SliceFigures, Target, Trust, Workload,
};
use tenbin_stats::{CONFIDENCE, median};

use super::{Files, LintFinding, Measurement, Reported, lint};

/// Name of the rule whose finding every imported document has.
const IMPORTED: &str = "imported";

/// Converts results of other tools into one document: each file becomes a target, each operation a
/// workload, each measurement a slice. Figures have no interval. `named` holds (name of the target,
/// file).
pub fn document(named: &[(String, Reported)]) -> Document {
    let files: Vec<Reported> = named.iter().map(|(_, file)| file.clone()).collect();
    let mut findings = vec![imported(
        None,
        "the figures are those of other tools, read from their files: nothing was measured here, \
         no figure has an interval, and files were not measured in turn",
        "to decide which is faster, run both with tenbin",
    )];
    for (name, file) in named {
        findings.extend(file.caveats.iter().map(|caveat| {
            let advice = "use a file that says it, if the tool writes one";
            imported(Some(name), caveat, advice)
        }));
        let one = Files {
            all: std::slice::from_ref(file),
            changed: &[],
        };
        findings.extend(lint(&one).into_iter().map(|it| finding(name, it)));
    }
    let all = Files {
        all: &files,
        changed: &[],
    };
    let between = lint(&all).into_iter().filter(|it| it.operation.is_none());
    findings.extend(between.map(|it| Finding {
        target: None,
        ..finding("", it)
    }));
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let is_invalid = findings.iter().any(|it| it.severity == Severity::Invalid);
    let mut document = Document {
        schema: SCHEMA.to_owned(),
        run: run(named),
        trust: if is_invalid {
            Trust::Invalid
        } else {
            Trust::Suspect
        },
        verdicts: vec![
            "no comparison: the results were imported, and were not measured in turn".to_owned(),
        ],
        findings,
        ..Document::default()
    };
    for (name, file) in named {
        add(&mut document, name, file);
    }
    document
}

/// What an imported document or a file does not say.
fn imported(target: Option<&str>, evidence: &str, advice: &str) -> Finding {
    Finding {
        rule: IMPORTED.to_owned(),
        severity: Severity::Suspect,
        cause: Cause::Setup,
        workload: None,
        target: target.map(str::to_owned),
        evidence: evidence.to_owned(),
        advice: advice.to_owned(),
        data: None,
    }
}

fn finding(target: &str, found: LintFinding) -> Finding {
    let quotes = found.quotes.iter().map(|it| match it.quote.line {
        Some(line) => format!("line {line} {:?}", it.quote.text),
        None => format!("{:?}", it.quote.text),
    });
    let quotes: Vec<String> = quotes.collect();
    Finding {
        rule: found.rule.to_owned(),
        severity: found.severity,
        cause: Cause::Setup,
        workload: found.operation,
        target: Some(target.to_owned()),
        evidence: format!("{} ({})", found.evidence, quotes.join("; ")),
        advice: found.advice.to_string(),
        data: None,
    }
}

fn run(named: &[(String, Reported)]) -> Run {
    let names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
    let name = format!("imported: {}", names.join(", "));
    Run {
        id: name.clone(),
        name,
        complete: true,
        baseline: names.first().map(|name| (*name).to_owned()),
        rounds: 1,
        ..Run::default()
    }
}

fn add(document: &mut Document, name: &str, file: &Reported) {
    for of in &file.measurements {
        let target = match &of.target {
            Some(target) => format!("{name} {target}"),
            None => name.to_owned(),
        };
        if document.targets.iter().all(|known| known.name != target) {
            document.targets.push(Target {
                name: target.clone(),
                description: format!("{}, a result of {}", file.file(), file.tool),
                observed: None,
            });
        }
        let mut known = document.workloads.iter_mut();
        match known.find(|known| known.name == of.operation) {
            None => document.workloads.push(workload(of)),
            Some(known) if known.load == workload(of).load => {}
            Some(known) => {
                known.connections = None;
                known.load = "not the same in all files, or unknown".to_owned();
            }
        }
        let place = |result: &ResultOf| result.workload == of.operation && result.target == target;
        if !document.results.iter().any(place) {
            let of_target =
                |each: &&Measurement| each.operation == of.operation && each.target == of.target;
            let all: Vec<&Measurement> = file.measurements.iter().filter(of_target).collect();
            document.results.push(result(&target, &all));
        }
        let slice = slice(document, &target, of);
        document.slices.push(slice);
    }
}

fn workload(of: &Measurement) -> Workload {
    let connections = of.connections.as_ref().map(|said| said.value);
    let load = match (connections, of.closed_loop) {
        (Some(connections), true) => format!("{connections} connections, closed loop"),
        (Some(connections), false) => format!("{connections} connections, kind of load unknown"),
        (None, _) => "unknown number of connections".to_owned(),
    };
    Workload {
        name: of.operation.clone(),
        description: format!("{}, as another tool sent them", of.operation),
        load,
        closed_loop: true,
        connections,
        ..Workload::default()
    }
}

fn result(target: &str, all: &[&Measurement]) -> ResultOf {
    let sum = |of: fn(&Measurement) -> Option<u64>| {
        let counts: Option<Vec<u64>> = all.iter().map(|each| of(each)).collect();
        let counts = counts?.into_iter();
        Some(counts.fold(0_u64, u64::saturating_add))
    };
    let ok = sum(Measurement::ok);
    let failed = sum(Measurement::known_failed);
    let speeds: Option<Vec<f64>> = all.iter().map(|of| of.objects_per_second()).collect();
    let throughput = speeds.and_then(|speeds| match speeds.as_slice() {
        [only] => Some(single(*only)),
        several => Figure::of(median(several, CONFIDENCE)),
    });
    // Percentiles of several repetitions cannot be combined.
    let only = match all {
        [only] => Some(*only),
        _ => None,
    };
    let percentile = |quantile: f64| {
        let found = only?.printable(quantile)?;
        Some(single(found.time.middle()))
    };
    let mut failures = BTreeMap::new();
    for each in all.iter().flat_map(|of| &of.failures) {
        *failures.entry(each.what.clone()).or_default() += each.count;
    }
    let operation = OperationResult {
        operation: all
            .first()
            .map_or_else(String::new, |of| of.operation.clone()),
        counts: Counts {
            ok,
            ..Counts::default()
        },
        failed,
        failures,
        throughput,
        p50: percentile(0.5),
        p90: percentile(0.9),
        p99: percentile(0.99),
        max: only.and_then(|of| Some(of.max.as_ref()?.value.middle())),
        ..OperationResult::default()
    };
    ResultOf {
        workload: operation.operation.clone(),
        target: target.to_owned(),
        slices: all.len() as u64,
        ok,
        failed,
        throughput,
        not_observed: Some("the file of another tool does not have it".to_owned()),
        operations: vec![operation],
        ..ResultOf::default()
    }
}

fn single(value: f64) -> Figure {
    Figure {
        value,
        interval: None,
        n: 1,
    }
}

fn slice(document: &Document, target: &str, of: &Measurement) -> SliceFigures {
    let index = document.slices.len() as u32;
    let earlier = document
        .slices
        .iter()
        .filter(|slice| slice.workload == of.operation && slice.target == target);
    let round = earlier.count() as u32;
    let at = |quantile: f64| of.percentile(quantile).map(|it| it.time.middle());
    SliceFigures {
        index,
        block: round,
        round,
        workload: of.operation.clone(),
        target: target.to_owned(),
        seconds: of.elapsed(),
        ok: of.ok(),
        failed: of.known_failed(),
        throughput: of.objects_per_second(),
        p50: at(0.5),
        p99: at(0.99),
        max: of.max.as_ref().map(|said| said.value.middle()),
        mean: of.mean.as_ref().map(|said| said.value.middle()),
        payload_bytes: of.bytes_of_ok(),
        ..SliceFigures::default()
    }
}
