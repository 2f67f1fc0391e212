//! `docs/findings.md` is generated from the rules; `TENBIN_UPDATE=1` updates it.

use std::fmt::Write as _;
use std::path::Path;

use tenbin_verdict::RULES;

const HEAD: &str = "\
# Findings

The rules below check every result. A *note* is information that does not affect the verdict. *Suspect*
means that the figures may mislead. *Invalid* means that they cannot be trusted. The most severe
finding determines the verdict of the whole run. Each finding names its cause: the server, the network, the
load generator, the setup, or the plan (the run as planned cannot give a verdict). `tenbin explain RULE` prints
the section of a rule.

A report lists findings in this order:

1. findings that make the figures unusable (*invalid*);
2. whether the work was done, and was the same for all targets;
3. what caused a ratio or a limit;
4. conditions on the machines that add noise;
5. whether there are enough samples;
6. the result that the run was meant to find.

Within each group, the more severe findings come first. A finding of group 4 or 5 that holds for several
workloads and targets is listed once.

These terms occur in many sections. A *slice* is one uninterrupted measurement of a workload on a target; a
*full slice* is a slice that was not cut short. A *block* is a group of slices of all targets that are
compared with each other; with two targets it is a *quad*: four slices in the order A B B A. The *primary
metric* is throughput in a closed loop and median response time in an open loop.

| rule | severity | what it finds |
|---|---|---|
";

fn page() -> String {
    let mut page = HEAD.to_owned();
    for rule in RULES {
        let (name, summary) = (rule.info.name, rule.info.summary);
        let severities = rule.info.severities.iter().map(ToString::to_string);
        let severities = severities.collect::<Vec<_>>().join(", ");
        writeln!(page, "| [`{name}`](#{name}) | {severities} | {summary} |").expect("memory");
    }
    for rule in RULES {
        let text = rule.info.explanation.trim_end();
        write!(page, "\n## {}\n\n{text}\n", rule.info.name).expect("memory");
    }
    page
}

#[test]
fn the_page_on_findings_says_what_the_rules_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/findings.md");
    if std::env::var_os("TENBIN_UPDATE").is_some() {
        std::fs::write(&path, page()).expect("written");
    }
    let stored = std::fs::read_to_string(&path).expect("docs/findings.md");
    assert!(
        stored == page(),
        "docs/findings.md is out of date: run this test with TENBIN_UPDATE=1"
    );
}

const LINT_HEAD: &str = "\
# Errors in result files of other tools

`tenbin lint FILE…` applies the rules below to result files of other tools ([formats.md](formats.md) lists
them). A rule needs figures that a file may lack; it finds nothing in such a file. Each finding quotes the
lines that it rests on. *Suspect* means that the figures may mislead, *invalid* that they cannot be trusted.
`tenbin explain RULE` prints the section of a rule; for `little`, it prints the rule of Tenbin's own runs. The
exit code is 0 if nothing was found, 6 if something was, and 2 if a file cannot be read.

A file that was cut off, or whose figures contradict each other, is rejected with the reason. No rule can see
what a file does not say: for example, whether the load generator was the limit.

| rule | severity | what it finds |
|---|---|---|
";

/// `docs/lint.md` is generated from the lint rules.
#[test]
fn the_page_on_files_of_other_tools_says_what_the_rules_say() {
    let mut page = LINT_HEAD.to_owned();
    let rules = || tenbin_verdict::lint::LINT_RULES.iter();
    for rule in rules() {
        let severities = rule.info.severities.iter().map(ToString::to_string);
        let severities = severities.collect::<Vec<_>>().join(", ");
        let (name, summary) = (rule.info.name, rule.info.summary);
        writeln!(page, "| [`{name}`](#{name}) | {severities} | {summary} |").expect("memory");
    }
    for rule in rules() {
        let text = rule.info.explanation.trim_end();
        write!(page, "\n## {}\n\n{text}\n", rule.info.name).expect("memory");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lint.md");
    if std::env::var_os("TENBIN_UPDATE").is_some() {
        std::fs::write(&path, &page).expect("written");
    }
    let stored = std::fs::read_to_string(&path).expect("docs/lint.md");
    assert!(stored == page, "TENBIN_UPDATE=1 writes docs/lint.md");
}
