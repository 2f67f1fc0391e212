//! `docs/findings.md` is generated from the rules; `TENBIN_UPDATE=1` updates it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use tenbin_result::Language;
use tenbin_verdict::lint::LINT_RULES;
use tenbin_verdict::{LIMIT, RULES, RuleInfo, limit_table};

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
*full slice* is a slice that was not cut short. A *block* is the smallest group of rounds that
measures all targets in a balanced order; with two targets, two rounds in the order A B B A. The *primary
metric* is throughput in a closed loop and median response time in an open loop.

| rule | severity | what it finds |
|---|---|---|
";

fn page() -> String {
    let mut page = HEAD.to_owned();
    for rule in RULES {
        let (name, summary) = (rule.info.name, rule.info.summary.english);
        let severities = rule.info.severities.iter().map(ToString::to_string);
        let severities = severities.collect::<Vec<_>>().join(", ");
        writeln!(page, "| [`{name}`](#{name}) | {severities} | {summary} |").expect("memory");
    }
    for rule in RULES {
        let text = rule.info.explanation.english.trim_end();
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
them). If a file lacks the figures that a rule needs, the rule finds nothing. Each finding quotes the
lines of the file that show it. *Suspect* means that the figures may mislead, *invalid* that they cannot be trusted;
a *note* does not put them in doubt. `tenbin explain RULE` prints the section of a rule; for `little`, it prints the
rule of Tenbin's own runs. The exit code is 0 if nothing but notes was found, 6 if something was, and 2 if a file cannot
be read.

A file that was cut off, or whose figures contradict each other, is rejected with the reason. No rule can see
what a file does not say: for example, whether the load generator was the limit.

| rule | severity | what it finds |
|---|---|---|
";

/// `docs/lint.md` is generated from the lint rules.
#[test]
fn the_page_on_files_of_other_tools_says_what_the_rules_say() {
    let mut page = LINT_HEAD.to_owned();
    let rules = || LINT_RULES.iter();
    for rule in rules() {
        let severities = rule.info.severities.iter().map(ToString::to_string);
        let severities = severities.collect::<Vec<_>>().join(", ");
        let (name, summary) = (rule.info.name, rule.info.summary.english);
        writeln!(page, "| [`{name}`](#{name}) | {severities} | {summary} |").expect("memory");
    }
    for rule in rules() {
        let text = rule.info.explanation.english.trim_end();
        write!(page, "\n## {}\n\n{text}\n", rule.info.name).expect("memory");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lint.md");
    if std::env::var_os("TENBIN_UPDATE").is_some() {
        std::fs::write(&path, &page).expect("written");
    }
    let stored = std::fs::read_to_string(&path).expect("docs/lint.md");
    assert!(stored == page, "TENBIN_UPDATE=1 writes docs/lint.md");
}

const LIMIT_HEAD: &str = "\
# What limited a target

Every result has a line `limit:` for each target and workload, on the first screen, in `SUMMARY.md`, on the
page and in `result.json` (`limits`, with every figure and score). `tenbin explain limit` prints this page without the
table.

";

/// `docs/limits.md` is generated from the table of causes.
#[test]
fn the_page_on_limits_has_the_table_that_decides() {
    let text = LIMIT.explanation.english.trim_end();
    let page = format!("{LIMIT_HEAD}{text}\n\n## The table\n\n{}", limit_table());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/limits.md");
    if std::env::var_os("TENBIN_UPDATE").is_some() {
        std::fs::write(&path, &page).expect("written");
    }
    let stored = std::fs::read_to_string(&path).expect("docs/limits.md");
    assert!(stored == page, "TENBIN_UPDATE=1 writes docs/limits.md");
}

/// What a translation keeps: paragraphs, labels in bold, list items, rows of tables, and the commands,
/// settings and links that the page names.
#[derive(Debug, PartialEq)]
struct Shape {
    paragraphs: usize,
    bold: usize,
    items: usize,
    rows: usize,
    fences: usize,
    code: BTreeSet<String>,
    links: BTreeSet<String>,
}

impl Shape {
    fn of(page: &str) -> Self {
        let starts = |with: &str| page.lines().filter(|line| line.starts_with(with)).count();
        let one_line = page.split_whitespace().collect::<Vec<_>>().join(" ");
        let code = one_line.split('`').skip(1).step_by(2).map(str::to_owned);
        let links = one_line
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split_once(')'));
        Self {
            paragraphs: page.trim_end().split("\n\n").count(),
            bold: page.matches("**").count(),
            items: starts("- "),
            rows: starts("|"),
            fences: starts("```"),
            code: code.collect(),
            links: links.map(|(link, _)| link.to_owned()).collect(),
        }
    }
}

#[test]
fn every_rule_is_explained_in_every_language() {
    let runs = RULES.iter().map(|rule| rule.info);
    let all: Vec<&RuleInfo> = runs
        .chain(LINT_RULES.iter().map(|rule| &rule.info))
        .collect();
    assert!(all.len() > 90, "{}", all.len());
    for rule in all {
        let [english, japanese] = [Language::English, Language::Japanese]
            .map(|language| rule.explanation.in_language(language));
        assert_eq!(Shape::of(english), Shape::of(japanese), "{}", rule.name);
        for label in ["**検査。**", "**しきい値。**", "**対処。**"] {
            assert!(japanese.contains(label), "{} lacks {label}", rule.name);
        }
        let summary = rule.summary.in_language(Language::Japanese);
        assert!(!summary.is_empty() && !summary.is_ascii(), "{}", rule.name);
        assert!(!summary.ends_with('。'), "{}", rule.name);
    }
}

/// A sentence that was not translated has three plain words in a row. Terms and names are shorter, and
/// titles of papers are quoted or emphasised.
#[test]
fn explanations_in_japanese_have_no_english_sentence() {
    const NAMES: &[&[&str]] = &[
        &["tail", "loss", "probe"],
        &["pressure", "stall", "information"],
    ];
    let runs = RULES.iter().map(|rule| rule.info);
    for rule in runs.chain(LINT_RULES.iter().map(|rule| &rule.info)) {
        let page = rule.explanation.japanese.replace('\n', " ");
        let prose = page.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let prose = prose.split('"').step_by(2).collect::<Vec<_>>().join("\"");
        let is_plain = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase());
        let is_title = |part: &&str| part.starts_with('*') && part.ends_with('*');
        let parts = prose.split(|c: char| !c.is_ascii());
        for part in parts.filter(|part| !is_title(part)) {
            let words = part.split_whitespace();
            let words = words.map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation()));
            let words: Vec<&str> = words.filter(is_plain).collect();
            let is_name = NAMES.contains(&words.as_slice());
            assert!(words.len() < 3 || is_name, "{}: {part:?}", rule.name);
        }
    }
}
