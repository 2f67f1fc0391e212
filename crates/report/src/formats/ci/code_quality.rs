//! Writes GitLab's Code Quality report: an entry for each figure that a gate does not pass, and for each
//! condition of `--expect` and `--fail-if` that is not met:
//! <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>.

use std::fmt::Write as _;

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tenbin_result::{
    Document, Expectation, Gate, GateFigure, GateOutcome, GateStanding, Language, Trust,
};
use tenbin_verdict::{conditions, is_decided_all_the_same};

use crate::escape::for_json;
use crate::expectations::{condition, figure};
use crate::formats::format::Format;
use crate::formats::plan_requirements::NO_CONDITION;
use crate::formats::write::Writer;
use crate::gate::{fails_strictly, headline, headline_of};
use crate::language::say_in;

pub(in crate::formats) const FORMAT: Format = Format {
    name: "code-quality",
    about: "GitLab Code Quality: an entry for each regression and for what cannot be told",
    file: "code-quality.json",
    write: Some(Writer::Document {
        lacks: |document| {
            let is_missing = document.expectations.is_empty() && document.gate.is_none();
            is_missing.then_some(NO_CONDITION)
        },
        write: |document, to| {
            let text = serde_json::to_string_pretty(&entries(document))?;
            to.write_all(for_json(text + "\n").as_bytes())
        },
    }),
    ..Format::PLAIN
};

/// The path in entries of a run whose plan file and script are not in the repository.
const NO_FILE: &str = "tenbin";

/// An entry of the report.
#[derive(Debug, Serialize)]
struct Entry {
    description: String,
    check_name: &'static str,
    /// The same in each run for the same problem.
    fingerprint: String,
    severity: Severity,
    location: Location,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Minor,
    Major,
    Critical,
}

#[derive(Debug, Clone, Serialize)]
struct Location {
    /// Path within the repository, without a leading `./`.
    path: String,
    lines: Lines,
}

#[derive(Debug, Clone, Serialize)]
struct Lines {
    begin: u32,
}

/// What an entry reports.
struct Problem {
    check: &'static str,
    severity: Severity,
    workload: String,
    figure: String,
    target: String,
    description: String,
}

impl Problem {
    fn entry(self, experiment: &str, location: &Location) -> Entry {
        Entry {
            fingerprint: fingerprint([
                experiment, self.check, &self.workload, &self.figure, &self.target,
            ]),
            check_name: self.check,
            severity: self.severity,
            location: location.clone(),
            description: self.description,
        }
    }
}

/// A hash of the parts, as hexadecimal digits.
fn fingerprint(parts: [&str; 5]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize()
        .iter()
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

fn entries(document: &Document) -> Vec<Entry> {
    let location = Location {
        path: path(document),
        lines: Lines { begin: 1 },
    };
    let gate = document.gate.as_ref();
    let of_gate = gate.map_or_else(Vec::new, problems_of_gate);
    let conditions = document.expectations.iter().filter_map(of_condition);
    let problems = invalid(document).into_iter().chain(of_gate);
    problems
        .chain(strict(document))
        .chain(conditions)
        .map(|problem| problem.entry(&document.run.name, &location))
        .collect()
}

/// The problem of a run whose figures cannot be used.
fn invalid(document: &Document) -> Option<Problem> {
    let gate = document.gate.as_ref();
    let gate = gate.filter(|gate| gate.outcome == GateOutcome::Invalid);
    let is_invalid = document.trust == Trust::Invalid && !is_decided_all_the_same(document);
    if gate.is_none() && !is_invalid {
        return None;
    }
    let worst = document.findings.iter().max_by_key(|it| it.severity);
    let why = worst.map_or("see the findings", |finding| finding.evidence.as_str());
    let said = gate.map_or_else(
        || "INVALID: the figures of the run cannot be used".to_owned(),
        headline,
    );
    Some(Problem {
        check: "tenbin-invalid",
        severity: Severity::Critical,
        workload: String::new(),
        figure: "trust".to_owned(),
        target: gate.map_or_else(String::new, |gate| gate.candidate.clone()),
        description: format!("{said}: {why}"),
    })
}

/// The problem of a run that fails because it is SUSPECT, with `--strict`.
fn strict(document: &Document) -> Option<Problem> {
    let description = fails_strictly(document)?;
    let gate = document.gate.as_ref();
    Some(Problem {
        check: "tenbin-suspect",
        severity: Severity::Major,
        workload: String::new(),
        figure: "trust".to_owned(),
        target: gate.map_or_else(String::new, |gate| gate.candidate.clone()),
        description,
    })
}

/// The check and the severity of what a gate does not pass; `None` for a gate that passes, or whose
/// figures cannot be used.
fn failed_check(gate: &Gate) -> Option<(&'static str, Severity)> {
    match gate.outcome {
        GateOutcome::Regression => Some(("tenbin-regression", Severity::Major)),
        GateOutcome::CannotTell if !gate.passes_untold => {
            Some(("tenbin-cannot-tell", Severity::Minor))
        }
        GateOutcome::Pass | GateOutcome::CannotTell | GateOutcome::Invalid => None,
    }
}

fn problems_of_gate(gate: &Gate) -> Vec<Problem> {
    let problem = |(check, severity), workload: &str, figure: &str, description| Problem {
        check,
        severity,
        workload: workload.to_owned(),
        figure: figure.to_owned(),
        target: gate.candidate.clone(),
        description,
    };
    let failed = failed_check(gate);
    let figures = gate.figures.iter().filter(|figure| is_failed(gate, figure));
    let of_figures = figures.filter_map(|figure| {
        let metric = figure.metric.to_string();
        let said = headline_of(gate, &[figure]);
        Some(problem(failed?, &figure.workload, &metric, said))
    });
    let mut problems: Vec<Problem> = of_figures.collect();
    if let Some(check) = failed.filter(|_| problems.is_empty()) {
        problems.push(problem(check, "", "gate", headline(gate)));
    }
    if gate.fails_as_suspect() {
        let check = ("tenbin-suspect", Severity::Major);
        problems.push(problem(check, "", "trust", headline(gate)));
    }
    problems
}

/// Whether the gate does not pass because of this figure.
fn is_failed(gate: &Gate, figure: &GateFigure) -> bool {
    match gate.outcome {
        GateOutcome::Regression => figure.decides,
        GateOutcome::CannotTell => figure.standing != GateStanding::NotWorse,
        GateOutcome::Pass | GateOutcome::Invalid => false,
    }
}

/// The problem of a condition that is not met or not decided.
fn of_condition(expectation: &Expectation) -> Option<Problem> {
    let (check, severity) = match (expectation.is_violated(), expectation.is_undecided()) {
        (true, _) => ("tenbin-condition", Severity::Major),
        (false, true) => ("tenbin-condition-cannot-tell", Severity::Minor),
        (false, false) => return None,
    };
    let only = std::slice::from_ref(expectation);
    let said = conditions::not_met(only)
        .or_else(|| conditions::failed(only))
        .or_else(|| conditions::cannot_tell(only))?;
    let seen = figure(expectation, Language::English);
    let said = format!("{} ({seen})", say_in(Language::English, &said));
    Some(Problem {
        check,
        severity,
        workload: expectation.workload.clone(),
        target: expectation.target.clone(),
        description: said,
        figure: condition(expectation),
    })
}

/// The file that entries point to.
fn path(document: &Document) -> String {
    let file = document.run.source_file.clone();
    file.unwrap_or_else(|| NO_FILE.to_owned())
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use tenbin_result::{GateRole, Metric, MetricName, Run};

    use super::*;
    use crate::gate::tests::suspect;

    /// An entry as GitLab reads it.
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Read {
        description: String,
        check_name: String,
        fingerprint: String,
        severity: String,
        location: ReadLocation,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct ReadLocation {
        path: String,
        lines: ReadLines,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct ReadLines {
        begin: u32,
    }

    fn tested(metric: Metric, standing: GateStanding, decides: bool) -> GateFigure {
        GateFigure {
            workload: "get".to_owned(),
            metric: MetricName::Known(metric),
            higher_is_better: true,
            role: GateRole::Required,
            margin: 0.05,
            ratio: Some(0.9),
            low: Some(0.87),
            high: None,
            blocks: 12,
            evidence_not_worse: 0.01,
            evidence_worse: 40.0,
            adjusted_p: 0.025,
            standing,
            decides,
        }
    }

    fn gated(outcome: GateOutcome) -> Document {
        let figures = vec![
            tested(Metric::Throughput, GateStanding::Worse, true),
            tested(Metric::SERVICE_P99, GateStanding::NotWorse, false),
        ];
        let gate = Gate {
            fails_suspect: false,
            figures,
            ..suspect(outcome)
        };
        Document {
            run: Run {
                name: "http".to_owned(),
                ..Run::default()
            },
            gate: Some(gate),
            ..Document::default()
        }
    }

    fn written(document: &Document) -> String {
        String::from_utf8(FORMAT.bytes(document)).expect("UTF-8")
    }

    fn read(document: &Document) -> Vec<Read> {
        let text = written(document);
        serde_json::from_str(&text).unwrap_or_else(|why| panic!("{why}: {text}"))
    }

    #[test]
    fn each_outcome_has_its_severity() {
        let of = |outcome| {
            let read = read(&gated(outcome)).into_iter();
            read.map(|entry| (entry.check_name, entry.severity))
                .collect::<Vec<_>>()
        };
        let one = |check: &str, severity: &str| vec![(check.to_owned(), severity.to_owned())];
        assert_eq!(written(&gated(GateOutcome::Pass)), "[]\n");
        assert_eq!(
            of(GateOutcome::Regression),
            one("tenbin-regression", "major")
        );
        assert_eq!(
            of(GateOutcome::CannotTell),
            one("tenbin-cannot-tell", "minor")
        );
        assert_eq!(of(GateOutcome::Invalid), one("tenbin-invalid", "critical"));
    }

    #[test]
    fn a_gate_that_fails_without_a_figure_has_an_entry() {
        for (outcome, checks) in [
            (GateOutcome::Pass, vec!["tenbin-suspect"]),
            (GateOutcome::CannotTell, vec!["tenbin-cannot-tell"]),
        ] {
            let document = Document {
                gate: Some(suspect(outcome)),
                ..Document::default()
            };
            let entries = read(&document);
            let found: Vec<&str> = entries.iter().map(|it| it.check_name.as_str()).collect();
            assert_eq!(found, checks);
        }
    }

    #[test]
    fn a_suspect_run_has_an_entry_with_strict() {
        let mut document = gated(GateOutcome::Pass);
        document.trust = Trust::Suspect;
        assert_eq!(written(&document), "[]\n");
        document.run.is_strict = true;
        let [entry] = &read(&document)[..] else {
            panic!("{}", written(&document));
        };
        assert_eq!(entry.check_name, "tenbin-suspect");
        assert_eq!(entry.severity, "major");
    }

    #[test]
    fn an_entry_names_the_figure_and_the_place() {
        let mut document = gated(GateOutcome::Regression);
        document.run.source_file = Some("bench/gate.toml".to_owned());
        let [entry] = &read(&document)[..] else {
            panic!("{}", written(&document));
        };
        let begin = "REGRESSION: candidate is worse than base: throughput −10 % (at least −13 %, ";
        assert!(entry.description.starts_with(begin), "{entry:?}");
        assert_eq!(entry.location.path, "bench/gate.toml");
        assert_eq!(entry.location.lines.begin, 1);
    }

    #[test]
    fn a_fingerprint_is_that_of_the_figure_and_not_of_the_run() {
        let first = read(&gated(GateOutcome::Regression)).remove(0).fingerprint;
        let mut later = gated(GateOutcome::Regression);
        later.run.id = "another".to_owned();
        later.gate.as_mut().unwrap().figures[0].ratio = Some(0.8);
        assert_eq!(read(&later).remove(0).fingerprint, first);
        assert!(first.len() == 64 && first.bytes().all(|byte| byte.is_ascii_hexdigit()));
        later.gate.as_mut().unwrap().figures[0].workload = "put".to_owned();
        assert_ne!(read(&later).remove(0).fingerprint, first);
    }

    #[test]
    fn hostile_names_stay_within_their_strings() {
        let name = "a\"},\n{\u{1b}[31m\u{202e}\\";
        let mut document = gated(GateOutcome::Regression);
        document.gate.as_mut().unwrap().candidate = name.to_owned();
        document.run.source_file = Some(name.to_owned());
        let text = written(&document);
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
        let [entry] = &read(&document)[..] else {
            panic!("{text}");
        };
        assert_eq!(entry.location.path, name);
    }

    #[test]
    fn without_a_file_an_entry_points_to_tenbin() {
        let document = gated(GateOutcome::Regression);
        assert_eq!(read(&document).remove(0).location.path, "tenbin");
    }
}
