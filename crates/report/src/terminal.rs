//! The report for a terminal.

use crate::document::{
    Comparison, Document, Finding, ResultOf, Severity, TimedFrom, Trust, Workload,
};
use crate::escape::for_terminal;
use crate::table::{Table, wrap};
use crate::words::{
    RATE, TIME, UNKNOWN, errors, plural, ratio, ratio_interval, trust, trust_meaning,
};

/// The report for a terminal that is `width` columns wide, with colours if asked.
/// Ends with a newline. The last three lines alone say how far the numbers can
/// be trusted, what came out, and where the rest is.
pub fn terminal(document: &Document, width: usize, colour: bool) -> String {
    let mut page = Page {
        text: String::new(),
        width: width.max(40),
        colour,
    };
    page.head(document);
    for workload in &document.workloads {
        page.workload(document, workload);
    }
    page.findings(&document.findings);
    page.last_three_lines(document);
    page.text
}

struct Page {
    text: String,
    width: usize,
    colour: bool,
}

#[derive(Clone, Copy)]
enum Ink {
    Bold,
    Faint,
    Green,
    Yellow,
    Red,
}

impl Page {
    fn head(&mut self, document: &Document) {
        let run = &document.run;
        let title = self.paint(Ink::Bold, &for_terminal(&run.name));
        self.line(&format!(
            "{title}  {}, {} of {} s, seed {}",
            run.started,
            plural(u64::from(run.rounds), "round"),
            run.slice_seconds,
            run.seed
        ));
    }

    fn workload(&mut self, document: &Document, workload: &Workload) {
        self.line("");
        let name = self.paint(Ink::Bold, &for_terminal(&workload.name));
        self.line(&format!("{name}  {}", for_terminal(&workload.load)));
        if document.is_unmeasured(&workload.name) {
            self.line(&format!("{INDENT}not measured: the run ended before"));
            return;
        }
        self.table(&results_table(document, workload));
        self.comparisons(document, workload);
    }

    fn table(&mut self, table: &Table) {
        let turned = table.transposed();
        let fits = table.width() + INDENT.len() <= self.width;
        let table = if fits || table.width() <= turned.width() {
            table
        } else {
            &turned
        };
        for (i, line) in table.lines().iter().enumerate() {
            let line = if i == 0 {
                self.paint(Ink::Faint, line)
            } else {
                line.clone()
            };
            self.line(&format!("{INDENT}{line}"));
        }
    }

    fn comparisons(&mut self, document: &Document, workload: &Workload) {
        let comparisons: Vec<&Comparison> = document.comparisons_of(&workload.name).collect();
        if comparisons.is_empty() {
            return;
        }
        let mut table = Table::new(
            ["compared by", "ratio", "interval", "verdict"]
                .map(str::to_owned)
                .to_vec(),
        );
        for comparison in &comparisons {
            table.push(ratio_row(comparison, document.targets.len() > 2));
        }
        self.line("");
        self.table(&table);
        for comparison in comparisons.iter().filter(|c| c.primary) {
            self.paragraph(&for_terminal(&comparison.sentence), INDENT, INDENT);
        }
    }

    fn findings(&mut self, findings: &[Finding]) {
        if findings.is_empty() {
            return;
        }
        self.line("");
        let title = self.paint(Ink::Bold, "Findings");
        self.line(&title);
        for finding in findings {
            let (word, ink) = severity(finding.severity);
            let word = self.paint(ink, word);
            self.line(&format!("{INDENT}{word}  {}", about(finding)));
            self.paragraph(&for_terminal(&finding.evidence), "    ", "    ");
            self.paragraph(&for_terminal(&finding.advice), "    → ", "      ");
        }
    }

    fn last_three_lines(&mut self, document: &Document) {
        self.line("");
        let ink = match document.trust {
            Trust::Valid => Ink::Green,
            Trust::Suspect => Ink::Yellow,
            Trust::Invalid => Ink::Red,
        };
        let word = self.paint(ink, trust(document.trust));
        let meaning = trust_meaning(document.trust);
        let incomplete = if document.run.complete {
            String::new()
        } else {
            format!(
                "; incomplete: {} of {} measured in full",
                document.slices.iter().filter(|s| !s.cut_short).count(),
                plural(document.run.planned_slices, "slice")
            )
        };
        self.line(&format!("Trust    {word}, {meaning}{incomplete}"));
        self.line(&format!(
            "Verdict  {}",
            for_terminal(&verdict_line(document))
        ));
        self.line(&format!(
            "Run      {}",
            for_terminal(&document.run.directory)
        ));
    }

    fn paragraph(&mut self, text: &str, first: &str, others: &str) {
        let room = self.width - others.chars().count();
        for (i, line) in wrap(text, room).iter().enumerate() {
            let indent = if i == 0 { first } else { others };
            self.line(&format!("{indent}{line}"));
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn paint(&self, ink: Ink, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let code = match ink {
            Ink::Bold => "1",
            Ink::Faint => "2",
            Ink::Green => "1;32",
            Ink::Yellow => "1;33",
            Ink::Red => "1;31",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

const INDENT: &str = "  ";

/// One row for each target, and for each operation where a workload has several.
fn results_table(document: &Document, workload: &Workload) -> Table {
    let results: Vec<&ResultOf> = document.results_of(&workload.name).collect();
    let observed = results.iter().any(|result| result.server_cpu.is_some());
    let timed_from = results
        .iter()
        .flat_map(|result| &result.operations)
        .map(|operation| operation.timed_from)
        .next();
    let times = match timed_from {
        Some(TimedFrom::IntendedStart) => "response p50",
        Some(TimedFrom::Write) | None => "service p50",
    };
    let mut head = ["target", "throughput", times, "p90", "p99", "errors"]
        .map(str::to_owned)
        .to_vec();
    if observed {
        head.push("server CPU/op".to_owned());
    }
    let mut table = Table::new(head);
    for result in results {
        for row in rows(result, observed) {
            table.push(row);
        }
    }
    table
}

fn rows(result: &ResultOf, observed: bool) -> Vec<Vec<String>> {
    let target = for_terminal(&result.target);
    let server_cpu = observed.then(|| TIME.with_spread(result.server_cpu));
    let whole = |cells: [String; 4]| {
        let [p50, p90, p99, errors] = cells;
        let mut row = vec![
            target.clone(),
            RATE.with_spread(result.throughput),
            p50,
            p90,
            p99,
            errors,
        ];
        row.extend(server_cpu.clone());
        row
    };
    let failed = errors(result.failed, result.ok);
    match result.operations.as_slice() {
        [] => {
            let unknown = || TIME.with_spread(None);
            vec![whole([unknown(), unknown(), unknown(), failed])]
        }
        [operation] => vec![whole([
            TIME.with_spread(operation.p50),
            TIME.with_spread(operation.p90),
            TIME.with_spread(operation.p99),
            failed,
        ])],
        operations => {
            let apart = || "see below".to_owned();
            let mut rows = vec![whole([apart(), apart(), apart(), failed])];
            rows.extend(operations.iter().map(|operation| {
                let mut row = vec![
                    format!("{target} {}", for_terminal(&operation.operation)),
                    RATE.with_spread(operation.throughput),
                    TIME.with_spread(operation.p50),
                    TIME.with_spread(operation.p90),
                    TIME.with_spread(operation.p99),
                    errors(operation.failed, operation.ok),
                ];
                row.extend(observed.then(String::new));
                row
            }));
            rows
        }
    }
}

fn ratio_row(comparison: &Comparison, name_challenger: bool) -> Vec<String> {
    let mut by = comparison.metric_phrase.clone();
    if name_challenger {
        by = format!("{}: {by}", for_terminal(&comparison.challenger));
    }
    if comparison.primary {
        by.push_str(" (decides)");
    }
    vec![
        by,
        comparison
            .ratio
            .map_or_else(|| UNKNOWN.to_owned(), |figure| ratio(figure.value)),
        ratio_interval(comparison.ratio),
        verdict_word(comparison).to_owned(),
    ]
}

/// The word for a comparison, which is none when its numbers are not believed.
pub(crate) fn verdict_word(comparison: &Comparison) -> &'static str {
    match comparison.trust {
        Trust::Invalid => "no verdict",
        Trust::Valid | Trust::Suspect => comparison.outcome.word(),
    }
}

fn severity(severity: Severity) -> (&'static str, Ink) {
    match severity {
        Severity::Note => ("NOTE   ", Ink::Faint),
        Severity::Suspect => ("SUSPECT", Ink::Yellow),
        Severity::Invalid => ("INVALID", Ink::Red),
    }
}

/// Which rule says it, of what, and who is to blame.
fn about(finding: &Finding) -> String {
    let mut parts = vec![finding.rule.clone()];
    parts.extend(finding.workload.clone());
    parts.extend(finding.target.clone());
    format!(
        "{} (blame: {})",
        for_terminal(&parts.join(", ")),
        finding.blame
    )
}

/// Every primary comparison in one line, without figures: the word for each
/// challenger, then the workloads it holds for.
pub(crate) fn verdict_line(document: &Document) -> String {
    let primary: Vec<&Comparison> = document.comparisons.iter().filter(|c| c.primary).collect();
    if primary.is_empty() {
        return document.verdicts.join("; ");
    }
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for comparison in primary {
        let claim = claim(comparison);
        match groups.iter_mut().find(|(known, _)| *known == claim) {
            Some((_, workloads)) => workloads.push(&comparison.workload),
            None => groups.push((claim, vec![&comparison.workload])),
        }
    }
    groups
        .iter()
        .map(|(claim, workloads)| format!("{claim} at {}", workloads.join(", ")))
        .collect::<Vec<_>>()
        .join("; ")
}

fn claim(comparison: &Comparison) -> String {
    let Comparison {
        baseline,
        challenger,
        ..
    } = comparison;
    let doubt = match comparison.trust {
        Trust::Suspect => " (suspect)",
        Trust::Valid | Trust::Invalid => "",
    };
    match verdict_word(comparison) {
        "no verdict" => format!("no verdict on {challenger} against {baseline}"),
        "equivalent" => format!("{challenger} and {baseline} are equivalent{doubt}"),
        "cannot tell" => format!("cannot tell {challenger} from {baseline}{doubt}"),
        "unknown" => format!("cannot compare {challenger} with {baseline}"),
        word => format!("{challenger} is {word} than {baseline}{doubt}"),
    }
}
