//! `tenbin explain`: the rules behind the findings.

use std::fmt::Write as _;

use tenbin_plan::nearest_few;
use tenbin_result::Severity;
use tenbin_verdict::{RULES, Rule};

use crate::args::ExplainArgs;
use crate::exit::Exit;
use crate::output;

/// Prints the page of a rule, or a list of all rules.
pub(crate) fn explain(args: &ExplainArgs) -> Exit {
    let Some(name) = &args.rule else {
        output::print(overview().as_bytes());
        return Exit::Done;
    };
    match RULES.iter().find(|rule| rule.name() == name) {
        Some(rule) => {
            output::print(page(*rule).as_bytes());
            Exit::Done
        }
        None => {
            output::error(&unknown(name));
            Exit::Refused
        }
    }
}

fn overview() -> String {
    let width = |text: &dyn Fn(&dyn Rule) -> String| {
        let texts = RULES.iter().map(|rule| text(*rule).chars().count());
        texts.max().unwrap_or(0)
    };
    let name = width(&|rule: &dyn Rule| rule.name().to_owned());
    let severity = width(&severities);
    let mut text = String::new();
    for rule in RULES {
        let _ = writeln!(
            text,
            "{:name$}  {:severity$}  {}",
            rule.name(),
            severities(*rule),
            rule.summary()
        );
    }
    text
}

fn page(rule: &dyn Rule) -> String {
    format!(
        "# {}\n\n{} ({}).\n\n{}\n",
        rule.name(),
        capitalised(rule.summary()),
        severities(rule),
        rule.explanation().trim_end()
    )
}

/// `note, suspect`.
fn severities(rule: &dyn Rule) -> String {
    let words = rule.severities().iter().map(Severity::to_string);
    words.collect::<Vec<_>>().join(", ")
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

fn unknown(name: &str) -> String {
    let near = nearest_few(name, RULES.iter().map(|rule| rule.name()));
    let hint = if near.is_empty() {
        "`tenbin explain` lists all of them".to_owned()
    } else {
        format!("did you mean {}?", near.join(" or "))
    };
    format!("there is no rule {name:?}; {hint}")
}
