//! Suggestions for command-line mistakes for which clap has none.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use tenbin_plan::{Sentence, sentence};

/// What options and commands of other tools are called here.
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
    ("--max-rate", "--slo"),
    ("--find-max", "--slo"),
    ("--threshold", "--expect"),
    ("--thresholds", "--fail-if"),
    ("--data", "--body' or '--body-file"),
    ("--data-binary", "--body' or '--body-file"),
    ("--json-body", "--body"),
    ("--url", "--target"),
    ("--html", "--export html=FILE"),
    ("--format", "--json' or '--export"),
    ("--warp-client", "--agents"),
    ("-t", "--threads' (-t of wrk) or '--duration"),
    ("-R", "--rate"),
    ("-z", "--duration"),
    ("-k", "--insecure"),
    ("diff", "compare"),
    ("k6", HTTP),
    ("oha", HTTP),
    ("hey", HTTP),
    ("vegeta", HTTP),
    ("bombardier", HTTP),
    ("h2load", HTTP),
    ("autocannon", HTTP),
    ("hyperfine", IMPORT),
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

/// The command for tools that measure HTTP servers.
const HTTP: &str = "http";
/// The command for tools of which only the results are read.
const IMPORT: &str = "import";

/// Adds a suggestion to errors with a known cause: a URL without `--target`, a plan file without
/// `run`, or an option of another tool.
pub fn with_tip(mut error: clap::Error) -> clap::Error {
    if let Some(tip) = suggestion(&error).map(|tip| tip.to_string()) {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
        // clap's usage has an option with a similar name, which has nothing to do with the tip.
        if error.kind() == ErrorKind::UnknownArgument
            && let Some(usage) = plain_usage(&error)
        {
            error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
        }
    } else {
        drop_trailing_tip(&mut error);
    }
    error
}

/// The usage of the command as its help has it.
fn plain_usage(error: &clap::Error) -> Option<StyledStr> {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else {
        return None;
    };
    let usage = usage.to_string();
    let words = usage.split_whitespace().skip_while(|it| *it != "tenbin");
    let mut whole = super::command();
    whole.build();
    let mut found = &mut whole;
    for word in words.skip(1) {
        if found.find_subcommand(word).is_none() {
            break;
        }
        found = found.find_subcommand_mut(word)?;
    }
    Some(found.render_usage())
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
        ErrorKind::MissingRequiredArgument => return newest_run(error),
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
    } else if is_subcommand && word.ends_with(".toml") {
        Some(sentence!(
            "tip-plan",
            "plans are run with 'tenbin run {plan}', checked with 'tenbin plan file {plan}'",
            plan = word
        ))
    } else if is_subcommand {
        other_command(word)
    } else if word == "--csv" && has_patterns(error) {
        Some(sentence!(
            "tip-csv",
            "'--patterns FILE' reads requests from a file; docs/patterns.md makes this file from a \
             CSV file"
        ))
    } else if is_of_gate(error)
        && let Some((_, name)) = GATE_NAMES.iter().find(|(other, _)| other == word)
    {
        Some(sentence!(
            "tip-option",
            "the option is called '{name}' here",
            name
        ))
    } else if measures(error) || (exports(error) && EXPORTED.contains(&word.as_str())) {
        Some(sentence!(
            "tip-option",
            "the option is called '{name}' here",
            name = name_here(word)?
        ))
    } else if runs_a_plan(error) {
        Some(sentence!(
            "tip-in-plan",
            "the plan sets the load: change the key in the plan, for example connections in [load] \
             (docs/plan-file.md lists the key of each option)"
        ))
    } else {
        None
    }
}

/// The name of an option or a command of another tool here.
fn name_here(word: &str) -> Option<&'static str> {
    let mut names = OTHER_NAMES.iter();
    names
        .find(|(other, _)| *other == word)
        .map(|(_, name)| *name)
}

/// What to type instead of a command that is not one of Tenbin.
fn other_command(word: &str) -> Option<Sentence> {
    Some(match name_here(word)? {
        HTTP if word == "k6" => sentence!(
            "tip-k6",
            "Tenbin does not run scripts; docs/coming-from.md#k6 lists the option of 'tenbin http' \
             for each setting of k6"
        ),
        HTTP => sentence!(
            "tip-tool",
            "type 'tenbin http URL' with options such as --connections, --rate and --duration \
             ('tenbin http -h'); 'tenbin import FILE' reads a result of {tool}",
            tool = word
        ),
        IMPORT => sentence!(
            "tip-no-programs",
            "Tenbin measures servers, not programs; 'tenbin import FILE' reads a result of {tool}",
            tool = word
        ),
        name => sentence!("tip-command", "the command is called '{name}' here", name),
    })
}

/// Commands that read one run or several, and change nothing.
const READING: [&str; 3] = ["show", "report", "pack"];

/// The word for the newest run, where a command lacks the run.
fn newest_run(error: &clap::Error) -> Option<Sentence> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let command = command(error)?;
    let is_missing = |name: &str| missing.iter().any(|it| it.trim_end_matches("...") == name);
    if is_missing("<BEFORE>") {
        Some(sentence!(
            "tip-last-two",
            "the two newest runs: 'tenbin {command} previous last'",
            command
        ))
    } else if is_missing("<RUN>") && READING.contains(&command.as_str()) {
        Some(sentence!(
            "tip-last",
            "the newest run: 'tenbin {command} last'",
            command
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

/// Options for other formats, which the commands that read a run have too.
const EXPORTED: [&str; 2] = ["--html", "--format"];

/// Whether the command is one that has the options of [`OTHER_NAMES`].
fn measures(error: &clap::Error) -> bool {
    matches!(command(error).as_deref(), Some("http" | "s3" | "blob"))
}

/// Whether the command has `--patterns`.
fn has_patterns(error: &clap::Error) -> bool {
    command(error).as_deref() == Some("http") || is_of_gate(error)
}

/// Whether the command reads a run and has `--export`.
fn exports(error: &clap::Error) -> bool {
    command(error).as_deref() == Some("show")
}

/// The command of the usage: its first word after `tenbin`.
fn command(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else {
        return None;
    };
    let usage = usage.to_string();
    let mut words = usage.split_whitespace();
    words.find(|word| *word == "tenbin");
    words.next().map(str::to_owned)
}
