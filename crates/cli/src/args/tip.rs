//! Suggestions for command-line mistakes for which clap has none.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use tenbin_plan::{Sentence, sentence};

/// What options of other tools are called here.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("--vus", "--connections"),
    ("--concurrency", "--connections"),
    ("--concurrent", "--connections"),
    ("--clients", "--connections"),
    ("--workers", "--connections"),
    ("--iterations", "--requests"),
    ("--rps", "--rate"),
    ("--rps-limit", "--rate"),
    ("--qps", "--rate"),
    ("--obj.size", "--size"),
    ("--host", "--target"),
    ("--thresholds", "--fail-if"),
    ("--warp-client", "--agents"),
    ("-t", "--threads' (-t of wrk) or '--duration"),
];

/// What options of `tenbin gate` are called here.
const GATE_NAMES: &[(&str, &str)] = &[
    ("--base", "--base-rev"),
    ("--base-ref", "--base-rev"),
    ("--rev", "--base-rev"),
    ("--candidate", "--candidate-rev"),
    ("--candidate-ref", "--candidate-rev"),
    ("--head", "--candidate-rev"),
];

/// Adds a suggestion to errors with a known cause: a URL without `--target`, a plan file without
/// `run`, or an option of another tool.
pub fn with_tip(mut error: clap::Error) -> clap::Error {
    if let Some(tip) = suggestion(&error).map(|tip| tip.to_string()) {
        error.remove(ContextKind::SuggestedArg);
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    } else {
        drop_trailing_tip(&mut error);
    }
    error
}

/// Drops clap's tip to write an unknown option after `--`, as a value: nobody means that.
fn drop_trailing_tip(error: &mut clap::Error) {
    let Some(ContextValue::StyledStrs(tips)) = error.remove(ContextKind::Suggested) else {
        return;
    };
    let is_trailing = |tip: &StyledStr| tip.to_string().contains(" as a value, use '");
    let others: Vec<StyledStr> = tips.into_iter().filter(|tip| !is_trailing(tip)).collect();
    if !others.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(others));
    }
}

/// The suggestion for a mistake with a known cause.
pub(crate) fn suggestion(error: &clap::Error) -> Option<Sentence> {
    let is_subcommand = match error.kind() {
        ErrorKind::UnknownArgument => false,
        ErrorKind::InvalidSubcommand => true,
        _ => return None,
    };
    let about = if is_subcommand {
        ContextKind::InvalidSubcommand
    } else {
        ContextKind::InvalidArg
    };
    let Some(ContextValue::String(word)) = error.get(about) else {
        return None;
    };
    if word.contains("://") {
        Some(sentence!(
            "tip-target",
            "servers are given as '--target {url}'",
            url = word
        ))
    } else if is_subcommand && word == "k6" {
        Some(sentence!(
            "tip-k6",
            "Tenbin does not run scripts; docs/coming-from.md#k6 lists the option of 'tenbin http' \
             for each setting of k6"
        ))
    } else if is_subcommand && word.ends_with(".toml") {
        Some(sentence!(
            "tip-plan",
            "plans are run with 'tenbin run {plan}', checked with 'tenbin plan file {plan}'",
            plan = word
        ))
    } else if !is_subcommand
        && is_of_gate(error)
        && let Some((_, name)) = GATE_NAMES.iter().find(|(other, _)| other == word)
    {
        Some(sentence!(
            "tip-option",
            "the option is called '{name}' here",
            name
        ))
    } else if !is_subcommand && measures(error) {
        let (_, name) = OTHER_NAMES.iter().find(|(other, _)| other == word)?;
        Some(sentence!(
            "tip-option",
            "the option is called '{name}' here",
            name
        ))
    } else if !is_subcommand && runs_a_plan(error) {
        Some(sentence!(
            "tip-in-plan",
            "the plan sets the load: change the key in the plan, for example connections in [load] \
             (docs/plan-file.md lists the key of each option)"
        ))
    } else {
        None
    }
}

/// Whether the command is `tenbin gate run`, whose plan has what options of other gates say.
fn runs_a_plan(error: &clap::Error) -> bool {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else {
        return false;
    };
    usage.to_string().contains("tenbin gate run")
}

/// Whether the command is `tenbin gate` or one of its subcommands.
fn is_of_gate(error: &clap::Error) -> bool {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else {
        return false;
    };
    usage.to_string().contains("tenbin gate")
}

/// Whether the command is one that has the options of [`OTHER_NAMES`].
fn measures(error: &clap::Error) -> bool {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else {
        return false;
    };
    let usage = usage.to_string();
    let mut words = usage.split_whitespace();
    words.find(|word| *word == "tenbin");
    matches!(words.next(), Some("http" | "s3" | "blob"))
}
