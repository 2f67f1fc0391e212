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
    ("quiet", "Print the report without progress and notes"),
    ("json", "Print the result as JSON"),
    (
        "export",
        "Also write the result in a format such as csv, junit or html",
    ),
    ("help", ""),
];

/// The options of `tenbin gate` and `tenbin bisect`, which their subcommands have too, each with its help
/// in a few words.
const OUTER: &[(&str, &str)] = &[
    ("base-rev", "Git revision of the base, built in a worktree"),
    (
        "candidate-rev",
        "Git revision of the candidate [default: HEAD]",
    ),
    ("good", "Git revision that is not slower"),
    ("bad", "Git revision that is slower [default: HEAD]"),
    (
        "build",
        "Shell command that builds a revision in its worktree",
    ),
    ("build-dir", "Directory of the worktrees with their builds"),
    (
        "figure",
        "Metric that decides: throughput, p99, cpu, memory or another",
    ),
    (
        "margin",
        "Largest difference that counts as equivalent, such as 3%",
    ),
    ("budget", "Longest time of the measurement, for example 5m"),
    (
        "max-rounds",
        "Maximum number of rounds [default: 80 for a gate]",
    ),
    (
        "cannot-tell",
        "What a gate counts as that cannot tell [default: fail]",
    ),
    (
        "suspect",
        "What a pass counts as that is SUSPECT [default: pass]",
    ),
    ("git-bisect", "End with the exit codes of `git bisect run`"),
    (
        "certainty",
        "Probability of one commit that ends the search [default: 95%]",
    ),
];

/// Frequent options that a bisect refuses.
const NOT_IN_BISECT: &[&str] = &[
    "rounds", "duration", "max-rounds", "baseline", "expect", "fail-if", "export", "live",
];

/// A command whose subcommands have its options.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outer {
    Gate,
    Bisect,
}

/// Headings of examples, in every language.
const HEADINGS: [&str; 3] = ["Examples:", "Example:", "例:"];
/// Number of examples that `-h` prints.
const EXAMPLES: usize = 3;

/// The command whose `-h` prints the frequent options in a line each, and the first examples.
pub(super) fn briefly(command: Command) -> Command {
    let outer = Outer::of(&command);
    let after = command.get_after_help().map(ToString::to_string);
    let after = match outer.and_then(|outer| outer.examples(command.get_name())) {
        Some(examples) => Some(with_examples(&after.unwrap_or_default(), &examples)),
        None => after,
    };
    let command = command.mut_args(|arg| match arg.get_long().map(|name| brief(name, outer)) {
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

impl Outer {
    /// The command around this command, which has its options.
    fn of(command: &Command) -> Option<Self> {
        let has = |name: &str| {
            let mut outer = command.get_arguments().filter(|arg| arg.is_global_set());
            outer.any(|arg| arg.get_long() == Some(name))
        };
        if has("base-rev") {
            Some(Self::Gate)
        } else if has("good") {
            Some(Self::Bisect)
        } else {
            None
        }
    }

    /// Examples of the subcommand with this name. `None` if the subcommand has examples.
    fn examples(self, name: &str) -> Option<String> {
        let examples = match (self, name) {
            (_, "search" | "suite") => return None,
            (Self::Gate, "http") => "\
  tenbin gate http --base-rev main --build 'make' --launch './server --port {port}'
  tenbin gate http --target base=http://127.0.0.1:8080 \\
      --target candidate=http://127.0.0.1:8081 --margin 3% --figure throughput --figure p99=10%"
                .to_owned(),
            (Self::Gate, "blob") => "\
  tenbin gate blob --target base=http://127.0.0.1:9500 \\
      --target candidate=http://127.0.0.1:9501 --phases pgd --size 10KiB"
                .to_owned(),
            (Self::Gate, "run") => "\
  tenbin gate run plan.toml --base-rev main --build 'make'
  tenbin gate run plan.toml --budget 5m --export github-summary"
                .to_owned(),
            (Self::Gate, operation) => format!(
                "  tenbin gate s3 {operation} --target base=http://127.0.0.1:9000 \\\n      \
                 --target candidate=http://127.0.0.1:9001"
            ),
            (Self::Bisect, "http") => "\
  tenbin bisect http --good v1.2 --bad main --build 'make' --launch './server --port {port}'"
                .to_owned(),
            (Self::Bisect, "blob") => "\
  tenbin bisect blob --good v1.2 --build 'make' --launch './store --port {port}' --phases pgd"
                .to_owned(),
            (Self::Bisect, "run") => "\
  tenbin bisect run plan.toml --good v1.2 --bad v1.3 --build 'make' --budget 1h"
                .to_owned(),
            (Self::Bisect, operation) => format!(
                "  tenbin bisect s3 {operation} --good v1.2 --build 'make' \\\n      \
                 --launch 'store=./store --port {{port}}' \\\n      \
                 --launch-env 'store=ACCESS_KEY={{access_key}}' \\\n      \
                 --launch-env 'store=SECRET_KEY={{secret_key}}'"
            ),
        };
        // A literal that begins on its second line has no indentation there.
        Some(format!("  {}", examples.trim_start()))
    }
}

/// The help of a frequent option in a few words, in a subcommand of `outer`.
fn brief(name: &str, outer: Option<Outer>) -> Option<&'static str> {
    if outer == Some(Outer::Bisect) && NOT_IN_BISECT.contains(&name) {
        return None;
    }
    let own = outer.map_or(&[][..], |_| OUTER);
    let mut known = own.iter().chain(FREQUENT);
    known
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}

/// Whether `-h` prints the frequent options of a command only, in a line each.
pub(crate) fn is_brief(command: &Command) -> bool {
    let outer = Outer::of(command);
    command.get_arguments().any(|arg| {
        let text = arg.get_long().and_then(|name| brief(name, outer));
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

/// The text after the options with these examples.
fn with_examples(after: &str, examples: &str) -> String {
    let prose: Vec<&str> = after
        .lines()
        .take_while(|line| !HEADINGS.contains(line))
        .collect();
    let prose = prose.join("\n");
    match prose.trim_end() {
        "" => format!("Examples:\n{examples}"),
        prose => format!("{prose}\n\nExamples:\n{examples}"),
    }
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
        let other = "Prose.\n\nExamples:\n  tenbin gate http";
        assert_eq!(with_examples(after, "  tenbin gate http"), other);
        assert_eq!(with_examples("Prose.\n", "  tenbin gate http"), other);
    }

    #[test]
    fn every_example_is_indented() {
        for outer in [Outer::Gate, Outer::Bisect] {
            for name in ["http", "blob", "run", "get"] {
                let examples = outer.examples(name).expect(name);
                assert!(examples.starts_with("  tenbin "), "{examples}");
            }
        }
    }
}
