//! `tenbin explain`: explains the rules that produce findings.

use std::fmt::Write as _;

use tenbin_plan::nearest_few;
use tenbin_result::Severity;
use tenbin_verdict::lint::LINT_RULES;
use tenbin_verdict::{RULES, Rule, RuleInfo};

use crate::args::ExplainArgs;
use crate::exit::Exit;
use crate::output;

/// Prints the page of a rule, or a list of all rules.
pub(crate) fn explain(args: &ExplainArgs) -> Exit {
    let Some(name) = &args.rule else {
        output::print(overview().as_bytes());
        return Exit::Done;
    };
    let runs = RULES.iter().map(|rule| rule.info);
    let files = LINT_RULES.iter().map(|rule| &rule.info);
    match runs.chain(files).find(|info| info.name == name) {
        Some(info) => {
            output::print(page(info).as_bytes());
            Exit::Done
        }
        None => {
            output::error(&unknown(name));
            Exit::Refused
        }
    }
}

fn overview() -> String {
    let width = |text: &dyn Fn(&Rule) -> String| {
        let texts = RULES.iter().map(|rule| text(rule).chars().count());
        texts.max().unwrap_or(0)
    };
    let name = width(&|rule: &Rule| rule.info.name.to_owned());
    let severity = width(&|rule: &Rule| severities(rule.info));
    let mut text = String::new();
    for rule in RULES {
        let _ = writeln!(
            text,
            "{:name$}  {:severity$}  {}",
            rule.info.name,
            severities(rule.info),
            rule.info.summary
        );
    }
    text
}

fn page(info: &RuleInfo) -> String {
    format!(
        "# {}\n\n{} ({}).\n\n{}\n",
        info.name,
        capitalised(info.summary),
        severities(info),
        info.explanation.trim_end()
    )
}

/// The severities of a rule's findings, such as `note, suspect`.
fn severities(info: &RuleInfo) -> String {
    let words = info.severities.iter().map(Severity::to_string);
    words.collect::<Vec<_>>().join(", ")
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

fn unknown(name: &str) -> String {
    let near = nearest_few(name, RULES.iter().map(|rule| rule.info.name));
    let hint = if near.is_empty() {
        "`tenbin explain` lists all of them".to_owned()
    } else {
        format!("did you mean {}?", near.join(" or "))
    };
    format!("there is no rule {name:?}; {hint}")
}
