//! The report for a terminal.

mod asked;
mod bottom;
mod capacity;
mod cost;
mod earlier;
mod nodes;
mod results;
mod single;
mod stages;

pub(crate) use bottom::lines as last_three_lines;

use crate::asked::{expectations_clause, optimum_claim, schedule};
use crate::connections::{
    NOT_TIMED, has_early_first_byte, is_timed, mostly_new, name_lookup, shares, steps,
};
use crate::document::{
    Comparison, Connections, Document, Finding, ResultOf, SetupStep, Severity, Trust, Workload,
};
use crate::escape::for_terminal;
use crate::flagged::flagged;
use crate::paired::paired;
use crate::table::{Table, wrap, wrap_between};
use crate::words::{
    TIME, UNKNOWN, about_steps, count, errors, intervals_together, ratio, ratio_interval,
};

/// The report for a terminal that is `width` columns wide, with colours if asked.
/// Ends with a newline. The last three lines alone say how far the numbers can
/// be trusted and why, what came out, and where the rest is: they are not wrapped,
/// so that programs can read them.
pub fn terminal(document: &Document, width: usize, colour: bool) -> String {
    page(document, width, colour, false)
}

/// The same for a person in front of the terminal: the last three lines are wrapped too.
pub fn terminal_wrapped(document: &Document, width: usize, colour: bool) -> String {
    page(document, width, colour, true)
}

fn page(document: &Document, width: usize, colour: bool, wraps_last_lines: bool) -> String {
    let mut page = Page {
        text: String::new(),
        width: width.max(40),
        colour,
        wraps_last_lines,
    };
    page.head(document);
    page.ended(document);
    for workload in &document.workloads {
        page.workload(document, workload);
    }
    page.nodes(document);
    page.capacities(document);
    page.searches(document);
    page.earlier(document);
    page.expectations(document);
    page.findings(&document.findings);
    page.last_three_lines(document);
    page.text
}

struct Page {
    text: String,
    width: usize,
    colour: bool,
    wraps_last_lines: bool,
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
            "{title}  {}, {}, seed {}",
            run.started,
            schedule(document),
            run.seed
        ));
        let how_to_read = self.paint(Ink::Faint, HOW_TO_READ);
        self.line(&how_to_read);
        if let Some(together) = intervals_together(document) {
            for line in wrap(&together, self.width) {
                let line = self.paint(Ink::Faint, &line);
                self.line(&line);
            }
        }
    }

    fn workload(&mut self, document: &Document, workload: &Workload) {
        self.line("");
        let name = self.paint(Ink::Bold, &for_terminal(&workload.name));
        self.line(&format!("{name}  {}", for_terminal(&workload.load)));
        if document.is_unmeasured(&workload.name) {
            self.line(&format!("{INDENT}not measured: the run ended before"));
            return;
        }
        self.table(&results::table(document, workload));
        if let Some(about) = about_steps(document.results_of(&workload.name)) {
            self.paragraph(&for_terminal(&about), INDENT, INDENT);
        }
        self.first_bytes(document, workload);
        self.hosts(document, workload);
        self.connections(document, workload);
        self.cost(document, workload);
        self.stages(document, workload);
        self.singles(document, workload);
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

    /// Of operations whose first byte came notably before the last.
    fn first_bytes(&mut self, document: &Document, workload: &Workload) {
        for result in document.results_of(&workload.name) {
            for operation in result.operations.iter().filter(|o| has_early_first_byte(o)) {
                let text = format!(
                    "first byte of {} from {}: p50 {}, p99 {}",
                    for_terminal(&operation.operation),
                    for_terminal(&result.target),
                    TIME.with_spread(operation.first_byte_p50),
                    TIME.with_spread(operation.first_byte_p99),
                );
                self.paragraph(&text, INDENT, "    ");
            }
        }
    }

    fn hosts(&mut self, document: &Document, workload: &Workload) {
        let head = ["host", "requests", "share", "errors", "service p50", "p99"];
        let mut table = Table::new(head.map(str::to_owned).to_vec());
        let mut several = false;
        for result in document.results_of(&workload.name) {
            for (host, [requests, share]) in result.hosts.iter().zip(shares(result)) {
                several = true;
                table.push(vec![
                    for_terminal(&format!("{} {}", result.target, host.host)),
                    requests,
                    share,
                    errors(host.failed, host.ok),
                    TIME.with_spread(host.p50),
                    TIME.with_spread(host.p99),
                ]);
            }
        }
        if several {
            self.line("");
            self.table(&table);
        }
    }

    /// A line for each target, and a table where opening connections is what
    /// most requests had to wait for.
    fn connections(&mut self, document: &Document, workload: &Workload) {
        let timed: Vec<(&ResultOf, &Connections)> = document
            .results_of(&workload.name)
            .filter_map(|result| Some((result, result.connections.as_ref()?)))
            .filter(|(_, connections)| is_timed(connections))
            .collect();
        if timed.iter().any(|(_, connections)| mostly_new(connections)) {
            self.line("");
            self.table(&connections_table(document, &timed));
            return;
        }
        let under_hosts = document
            .results_of(&workload.name)
            .any(|result| !result.hosts.is_empty());
        if under_hosts && !timed.is_empty() {
            self.line("");
        }
        for (result, connections) in timed {
            let mut parts = vec![
                format!("{} opened in all slices", count(connections.opened)),
                format!("{} reused", count(connections.reused)),
            ];
            parts.extend(
                name_lookup(document, &result.target).map(|took| format!("DNS (once) {took}")),
            );
            let timed = steps(connections).into_iter();
            parts.extend(timed.filter_map(|(name, step)| Some(in_a_few_words(name, step?))));
            let target = for_terminal(&result.target);
            let text = format!("connections to {target}: {}", parts.join(BETWEEN));
            self.lines(
                &wrap_between(&text, BETWEEN, self.width - 4),
                INDENT,
                "    ",
            );
        }
    }

    fn comparisons(&mut self, document: &Document, workload: &Workload) {
        let comparisons: Vec<&Comparison> = document.comparisons_of(&workload.name).collect();
        let with_others: Vec<&Comparison> = document
            .comparisons_with_workloads(&workload.name)
            .collect();
        if comparisons.is_empty() && with_others.is_empty() {
            return;
        }
        let mut table = Table::new(
            ["compared by", "ratio", "interval", "verdict"]
                .map(str::to_owned)
                .to_vec(),
        );
        for comparison in &comparisons {
            let by = compared_by(comparison, document.targets.len() > 2);
            table.push(ratio_row(comparison, &by));
            if let Some(without) = comparison.without_flagged {
                table.push(vec![
                    format!("{by}, without flagged slices"),
                    ratio(without.value),
                    ratio_interval(Some(without)),
                    String::new(),
                ]);
            }
        }
        for comparison in &with_others {
            let by = format!(
                "on {}, against {}: {}",
                for_terminal(&comparison.workload),
                for_terminal(&comparison.baseline),
                comparison.metric_phrase
            );
            table.push(ratio_row(comparison, &by));
        }
        self.line("");
        self.table(&table);
        let is_shown = comparisons.iter().any(|c| c.without_flagged.is_some());
        if let Some(told) = flagged(document, &workload.name).filter(|_| is_shown) {
            self.paragraph(&for_terminal(&told), INDENT, INDENT);
        }
        if let Some(told) = paired(document, comparisons.iter().copied()) {
            self.paragraph(&for_terminal(&told), INDENT, INDENT);
        }
        for comparison in comparisons.iter().chain(&with_others).filter(|c| c.primary) {
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
        let first = for_terminal(&findings[0].rule);
        let more = format!(
            "tenbin explain RULE says what is behind a finding, for example: tenbin explain {first}"
        );
        let more = self.paint(Ink::Faint, &more);
        self.line(&format!("{INDENT}{more}"));
    }

    fn paragraph(&mut self, text: &str, first: &str, others: &str) {
        let room = self.width - others.chars().count();
        self.lines(&wrap(text, room), first, others);
    }

    fn lines(&mut self, lines: &[String], first: &str, others: &str) {
        for (i, line) in lines.iter().enumerate() {
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

/// Between things of equal standing in one line.
const BETWEEN: &str = " · ";

/// Why one of the columns has no interval.
const HOW_TO_READ: &str = "± longer side of the interval; max: largest of the run, has no interval";

/// A slice that keeps its connections opens too few of them for most p99: what
/// there is no figure for is left out of a line, but not of a table.
fn in_a_few_words(name: &str, step: SetupStep) -> String {
    let mut words = format!("{name} p50 {}", TIME.with_spread(step.p50));
    if step.p99.is_some() {
        words.push_str(&format!(", p99 {}", TIME.with_spread(step.p99)));
    }
    words
}

/// Steps that no connection of any target took are left out.
fn connections_table(document: &Document, timed: &[(&ResultOf, &Connections)]) -> Table {
    let taken: Vec<usize> = (0..3)
        .filter(|&at| timed.iter().any(|(_, c)| steps(c)[at].1.is_some()))
        .collect();
    let looked_up = timed
        .iter()
        .any(|(result, _)| name_lookup(document, &result.target).is_some());
    let mut head = ["connections", "opened in all slices", "reused"]
        .map(str::to_owned)
        .to_vec();
    head.extend(looked_up.then(|| "DNS (once)".to_owned()));
    let mut rows = Vec::new();
    for (result, connections) in timed {
        let mut row = vec![
            for_terminal(&result.target),
            count(connections.opened),
            count(connections.reused),
        ];
        let lookup = || name_lookup(document, &result.target);
        row.extend(looked_up.then(|| lookup().unwrap_or_else(|| UNKNOWN.to_owned())));
        for &at in &taken {
            match steps(connections)[at].1 {
                Some(step) => row.extend([step.p50, step.p99].map(|f| TIME.with_spread(f))),
                None => row.extend([NOT_TIMED; 2].map(str::to_owned)),
            }
        }
        rows.push(row);
    }
    if let Some((_, first)) = timed.first() {
        for &at in &taken {
            head.push(format!("{} p50", steps(first)[at].0));
            head.push("p99".to_owned());
        }
    }
    let mut table = Table::new(head);
    for row in rows {
        table.push(row);
    }
    table
}

fn compared_by(comparison: &Comparison, name_challenger: bool) -> String {
    let by = comparison.metric_phrase.clone();
    if name_challenger {
        return format!("{}: {by}", for_terminal(&comparison.challenger));
    }
    by
}

fn ratio_row(comparison: &Comparison, by: &str) -> Vec<String> {
    let mut by = by.to_owned();
    if comparison.primary && comparison.level_of.is_none() {
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
        // Of a twin there is nothing to be said but whether it is alike.
        _ if comparison.twin && comparison.outcome.is_different() => "twin differs",
        _ if comparison.twin => "noise",
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
fn verdict_line(document: &Document) -> String {
    let mut claims = comparisons_line(document);
    claims.extend(expectations_clause(document));
    claims.join("; ")
}

/// Optima first, and of comparisons those that are not inside one sweep.
fn comparisons_line(document: &Document) -> Vec<String> {
    let mut claims: Vec<String> = document.optima.iter().map(optimum_claim).collect();
    claims.extend(document.between_workloads().cloned());
    let primary = decisive(document);
    if primary.is_empty() && claims.is_empty() {
        return document.verdicts.clone();
    }
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    let (curves, alone): (Vec<_>, Vec<_>) = primary
        .into_iter()
        .partition(|each| document.is_curve(each));
    let over_all = |each: &&Comparison| format!("{} {}", claim(each), place(document, each));
    claims.extend(curves.iter().map(over_all));
    for comparison in alone {
        let claim = claim(comparison);
        match groups.iter_mut().find(|(known, _)| *known == claim) {
            Some((_, workloads)) => workloads.push(&comparison.workload),
            None => groups.push((claim, vec![&comparison.workload])),
        }
    }
    let grouped = groups.iter();
    claims.extend(grouped.map(|(claim, workloads)| format!("{claim} at {}", workloads.join(", "))));
    let at_most = document.capacity_comparisons.iter().map(|c| &c.sentence);
    let highest = document.rate_comparisons.iter().map(|c| &c.sentence);
    claims.extend(at_most.chain(highest).cloned());
    claims
}

/// The primary comparisons, but those inside one sweep, whose optimum says it all.
fn decisive(document: &Document) -> Vec<&Comparison> {
    let in_one_sweep = |comparison: &Comparison| {
        document.optima.iter().any(|optimum| {
            let is_point = |name: &String| optimum.targets.contains(name);
            optimum.workload == comparison.workload
                && is_point(&comparison.baseline)
                && is_point(&comparison.challenger)
        })
    };
    let questions = document.questions();
    questions.filter(|c| !in_one_sweep(c)).collect()
}

/// `at get`, or `over all levels of get` for a curve.
fn place(document: &Document, comparison: &Comparison) -> String {
    let over = match document.is_curve(comparison) {
        true => "over all levels of",
        false => "at",
    };
    format!("{over} {}", comparison.workload)
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
