//! `docs/findings.md` is made from the rules; `TENBIN_UPDATE=1` makes it anew.

use std::fmt::Write as _;
use std::path::Path;

use tenbin_verdict::RULES;

const HEAD: &str = "\
# Findings

Every result is looked at by the rules below. A *note* is worth knowing and changes
nothing; *suspect* means that the numbers may mislead; *invalid* that they cannot be
believed. The worst finding decides how far the whole run can be trusted. The one to
blame is the server, the network, the generator, the setup, or the question, when the
run is too short for what is asked of it. `tenbin explain RULE` prints a rule's part of
this page.

A report lists findings in this order: what makes the numbers unusable (*invalid*); whether the work was
done and was the same for all targets; what set a ratio or a limit; the circumstances on the machines, which add
noise; whether there are enough samples; and what the run was to find out. Within each of these the
more severe come first. Findings on circumstances and on the number of samples are listed once for all workloads and
targets.

| rule | severity | what it finds |
|---|---|---|
";

fn page() -> String {
    let mut page = HEAD.to_owned();
    for rule in RULES {
        let (name, summary) = (rule.name(), rule.summary());
        let severities = rule.severities().iter().map(ToString::to_string);
        let severities = severities.collect::<Vec<_>>().join(", ");
        writeln!(page, "| [`{name}`](#{name}) | {severities} | {summary} |").expect("memory");
    }
    for rule in RULES {
        let text = rule.explanation().trim_end();
        write!(page, "\n## {}\n\n{text}\n", rule.name()).expect("memory");
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
