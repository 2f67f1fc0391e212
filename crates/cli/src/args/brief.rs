//! What `-h` prints for a command with many options: the frequent options, in a line each, and the first
//! examples. `--help` prints all options in full.

use clap::builder::Resettable;
use clap::{Arg, Command};

/// The frequent options, each with its help in a few words. The help of an empty text stays.
const FREQUENT: &[(&str, &str)] = &[
    (
        "target",
        "URL of a running server; repeat it to compare servers",
    ),
    (
        "launch",
        "Command of a server to start; {port} becomes a free port",
    ),
    (
        "observe",
        "Measure CPU and memory of a target: port, pid:N or name:PROGRAM",
    ),
    // The requests.
    ("path", "Path and query of the request"),
    ("method", "Request method [default: GET]"),
    ("header", "Request header, repeatable"),
    ("body", "Request body, as text"),
    (
        "patterns",
        "File with the requests to send: a path per line, JSON, or a log",
    ),
    (
        "operations",
        "Operations with their shares, such as get:70,put:30",
    ),
    (
        "phases",
        "Phases: p put, g get, d delete; or shares of a mix [default: pgd]",
    ),
    (
        "size",
        "Size, for example 64KiB, or a range such as 1KiB..1MiB",
    ),
    ("objects", "Number of objects"),
    ("access-key", "Access key of the servers"),
    ("secret-key", "Secret key; better in the environment"),
    // The load.
    ("connections", "Connections over all threads [default: 16]"),
    ("end-n-clients", "Maximum number of clients"),
    ("rate", "Send at this rate, for example 1000/s (open loop)"),
    (
        "ramp",
        "Measure at several numbers of connections, for example 1..256",
    ),
    (
        "slo",
        "Find the highest rate within limits, such as 'p99<10ms,errors<0.1%'",
    ),
    (
        "duration",
        "Measured time per target and workload, for example 30s or 2m",
    ),
    (
        "rounds",
        "Number of rounds; a round has a slice of every target",
    ),
    ("slice", "Measured time of one slice, at least 100ms"),
    (
        "decide",
        "Metric that decides: throughput, mean, p99, cpu, memory or another",
    ),
    // The result.
    ("baseline", "The target that the others are compared with"),
    (
        "expect",
        "Condition to prove, such as 'p99<20ms'; exit code 7 if false",
    ),
    (
        "fail-if",
        "Condition that must not be true, such as 'errors>1%'",
    ),
    ("name", "Name of the experiment and of the run directory"),
    ("note", "Note kept with the result"),
    ("live", "Serve a live page of the run on 127.0.0.1"),
    ("quiet", "Print only the result and errors"),
    ("json", "Print the result as JSON"),
    (
        "export",
        "Also write the result in a format such as csv, junit or html",
    ),
    ("help", ""),
];

/// Headings of examples, in every language.
const HEADINGS: [&str; 3] = ["Examples:", "Example:", "例:"];
/// Number of examples that `-h` prints.
const EXAMPLES: usize = 3;

/// The command whose `-h` prints the frequent options in a line each, and the first examples.
pub(super) fn briefly(command: Command) -> Command {
    let after = command.get_after_help().map(ToString::to_string);
    let command = command.mut_args(|arg| match arg.get_long().map(brief) {
        None | Some(Some("")) => arg,
        Some(None) => arg.hide_short_help(true),
        Some(Some(text)) => {
            let whole = Resettable::from(arg.get_help().cloned());
            arg.long_help(whole).help(text)
        }
    });
    match after {
        Some(after) => command
            .after_help(first_examples(&after))
            .after_long_help(after),
        None => command,
    }
}

/// The help of a frequent option in a few words.
fn brief(name: &str) -> Option<&'static str> {
    let mut known = FREQUENT.iter();
    known
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}

/// Whether `-h` prints the frequent options of a command only, in a line each.
pub(crate) fn is_brief(command: &Command) -> bool {
    command.get_arguments().any(|arg| {
        let text = arg.get_long().and_then(brief);
        arg.get_long_help().is_some() && text.is_some_and(|text| !text.is_empty())
    })
}

/// The help of an option as `--help` prints it, in English.
pub(crate) fn whole_help(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help());
    help.map(ToString::to_string).unwrap_or_default()
}

/// The first examples of the text after the options; the whole text if there are none.
pub(crate) fn first_examples(after: &str) -> String {
    let lines: Vec<&str> = after.lines().collect();
    let Some(start) = lines.iter().position(|line| HEADINGS.contains(line)) else {
        return after.to_owned();
    };
    let mut starts = (start + 1..lines.len()).filter(|&at| lines[at].starts_with("  tenbin "));
    let end = starts.nth(EXAMPLES).unwrap_or(lines.len());
    lines[start..end].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_examples_keep_their_further_lines() {
        let after =
            "Prose.\n\nExamples:\n  tenbin a \\\n      -b\n  tenbin c\n  tenbin d\n  tenbin e";
        let kept = "Examples:\n  tenbin a \\\n      -b\n  tenbin c\n  tenbin d";
        assert_eq!(first_examples(after), kept);
        assert_eq!(first_examples("Prose."), "Prose.");
    }
}
