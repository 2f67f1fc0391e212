//! `tenbin explain`: explains the rules that produce findings.

use std::fmt::Write as _;

use tenbin_plan::nearest_few;
use tenbin_result::{Language, Severity};
use tenbin_verdict::lint::LINT_RULES;
use tenbin_verdict::{LIMIT, RULES, Rule, RuleInfo};
use unicode_width::UnicodeWidthStr as _;

use crate::args::ExplainArgs;
use crate::errors::CommandError;
use crate::exit::Exit;
use crate::language::language;
use crate::output;

/// Prints the page of a rule, or a list of all rules.
pub(crate) fn explain(args: &ExplainArgs) -> Exit {
    let Some(name) = &args.rule else {
        output::print_text(overview());
        return Exit::Done;
    };
    let runs = RULES.iter().map(|rule| rule.info);
    let files = LINT_RULES.iter().map(|rule| &rule.info);
    match runs
        .chain(files)
        .chain([&LIMIT])
        .find(|info| info.name == name)
    {
        Some(info) => {
            output::print_page(&page(info));
            Exit::Done
        }
        None => output::refuse_error(&unknown(name)),
    }
}

fn overview() -> String {
    let width = |text: &dyn Fn(&Rule) -> String| {
        let texts = RULES.iter().map(|rule| text(rule).width());
        texts.max().unwrap_or(0)
    };
    let name = width(&|rule: &Rule| rule.info.name.to_owned());
    let severity = width(&|rule: &Rule| severities(rule.info));
    let limit = LIMIT.summary.in_language(language());
    let mut text = format!("{:name$}  {:severity$}  {limit}\n", LIMIT.name, "");
    for rule in RULES {
        let severities = severities(rule.info);
        let _ = writeln!(
            text,
            "{:name$}  {severities}{:space$}  {}",
            rule.info.name,
            "",
            rule.info.summary.in_language(language()),
            space = severity - severities.width()
        );
    }
    text
}

fn page(info: &RuleInfo) -> String {
    let summary = capitalised(info.summary.in_language(language()));
    let explanation = info.explanation.in_language(language()).trim_end();
    let severities = severities(info);
    let stop = match language() {
        Language::English => ".",
        Language::Japanese => "。",
    };
    if severities.is_empty() {
        return format!("# {}\n\n{summary}{stop}\n\n{explanation}\n", info.name);
    }
    match language() {
        Language::English => format!(
            "# {}\n\n{summary} ({severities}).\n\n{explanation}\n",
            info.name
        ),
        Language::Japanese => format!(
            "# {}\n\n{summary}({severities})。\n\n{explanation}\n",
            info.name
        ),
    }
}

/// The severities of a rule's findings, such as `note, suspect`.
fn severities(info: &RuleInfo) -> String {
    let (word, comma): (fn(&Severity) -> String, _) = match language() {
        Language::English => (Severity::to_string, ", "),
        Language::Japanese => (|severity| in_japanese(*severity).to_owned(), "、"),
    };
    let words = info.severities.iter().map(word);
    words.collect::<Vec<_>>().join(comma)
}

fn in_japanese(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "注記",
        Severity::Suspect => "SUSPECT",
        Severity::Invalid => "INVALID",
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

fn unknown(name: &str) -> CommandError {
    let near = nearest_few(name, RULES.iter().map(|rule| rule.info.name));
    CommandError::UnknownRule {
        name: name.to_owned(),
        near: near.into_iter().map(str::to_owned).collect(),
    }
}
