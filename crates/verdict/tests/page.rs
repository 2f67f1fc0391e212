//! `docs/findings.md` is generated from the rules; `TENBIN_UPDATE=1` updates it.

use std::fmt::Write as _;
use std::path::Path;

use tenbin_verdict::RULES;

const HEAD: &str = "\
# Findings

The rules below check every result. A *note* is information that does not affect the verdict. *Suspect*
means that the figures may mislead. *Invalid* means that they cannot be believed. The most severe finding
determines the verdict of the whole run. Each finding names its cause: the server, the network, the load
generator, the setup, or the question if the run is too short for it. `tenbin explain RULE` prints the
section of a rule.

A report lists findings in this order:

1. findings that make the figures unusable (*invalid*);
2. whether the work was done, and was the same for all targets;
3. what caused a ratio or a limit;
4. conditions on the machines that add noise;
5. whether there are enough samples;
6. the result that the run was meant to find.

Within each group, the more severe findings come first. Groups 4 and 5 are listed once for all workloads and
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
