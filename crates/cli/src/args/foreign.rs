//! Command lines of other tools, given to a subcommand or to a symbolic link with the tool's name.

use std::error::Error as _;
use std::ffi::OsString;
use std::io;
use std::num::ParseIntError;
use std::path::{Path, PathBuf};

use clap::error::ContextKind;
use clap::{Args, Command, FromArgMatches as _};
use tenbin_compat::{Mistakes, World, ab, hsbench, warp, wrk};
use tenbin_plan::{AgentsDraft, Draft, Refusal, Section as _, Sentence, read_bounded, sentence};

use super::flags;
use super::problem;
use super::{ExportArgs, Flags, OutputArgs};
use crate::args::options::observed::ObservedArgs;
use crate::errors;

/// Largest size of a file that a flag of another tool names, in bytes.
const LARGEST_FILE: u64 = 64 << 20;

/// The plan of a tool's command line; `None` if the command line does not measure.
pub(super) type Planned = fn(&[String], &World<'_>) -> Result<Option<Draft>, Mistakes>;

pub(super) fn planned_warp(line: &[String], world: &World<'_>) -> Result<Option<Draft>, Mistakes> {
    Ok(match warp::parse(line, world)? {
        warp::Parsed::Measure(job) => Some(job.draft()),
        warp::Parsed::Read(_) | warp::Parsed::Help(_) => None,
    })
}

pub(super) fn planned_hsbench(
    line: &[String],
    world: &World<'_>,
) -> Result<Option<Draft>, Mistakes> {
    Ok(hsbench::parse(line, world)?.job().map(|job| job.draft()))
}

pub(super) fn planned_wrk(line: &[String], world: &World<'_>) -> Result<Option<Draft>, Mistakes> {
    Ok(wrk::parse(line, world)?.job().map(|job| job.web.draft()))
}

pub(super) fn planned_wrk2(line: &[String], world: &World<'_>) -> Result<Option<Draft>, Mistakes> {
    Ok(wrk::parse_wrk2(line, world)?
        .job()
        .map(|job| job.web.draft()))
}

pub(super) fn planned_ab(line: &[String], world: &World<'_>) -> Result<Option<Draft>, Mistakes> {
    Ok(ab::parse(line, world)?.job().map(|job| job.web.draft()))
}

/// The command line of another tool. The tool's table of flags parses the arguments, because clap
/// does not support long names after a single dash.
#[derive(Args)]
pub struct ForeignArgs {
    /// Arguments of the other tool; --help lists them
    #[arg(
        value_name = "ARGUMENTS",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub arguments: Vec<String>,
}

/// The flags of Tenbin that are added to the flags of every tool with requests. A tool's own flag
/// with one of these names has the same effect.
#[derive(Args, Default)]
pub(crate) struct AddedArgs {
    /// The load machines.
    #[command(flatten)]
    pub(crate) agents: Flags<AgentsDraft>,
    /// Sources of the targets' CPU, memory and storage use.
    #[command(flatten)]
    pub(super) observed: ObservedArgs,
    /// Whether to print the distribution of the times of each operation.
    #[arg(long)]
    pub(crate) latency: bool,
}

/// Whether Tenbin adds this flag to the flags of every tool with requests.
pub(crate) fn is_added(flag: &str) -> bool {
    let command = AddedArgs::augment_args(Command::new("tenbin"));
    let name = flag.trim_start_matches('-');
    command
        .get_arguments()
        .any(|arg| arg.get_long() == Some(name))
}

impl AddedArgs {
    /// The draft with the sources of `--observe`.
    ///
    /// # Errors
    /// If `--observe` or one of its settings is wrong or applies to no target.
    pub(crate) fn observe(&self, mut draft: Draft) -> Result<Draft, Refusal> {
        self.observed.apply(&mut draft.targets)?;
        Ok(draft)
    }

    /// The values of `--observe`.
    pub(crate) fn observes(&self) -> &[String] {
        self.observed.values()
    }
}

impl ForeignArgs {
    /// The plan of a command line that measures.
    pub(super) fn draft(&self, planned: Planned) -> Result<Draft, Refusal> {
        let refused = |mistakes: Mistakes| problem(mistakes.in_lines());
        let (added, arguments) = self.divide().map_err(refused)?;
        let draft = planned(&arguments, &world()).map_err(refused)?;
        let draft = draft.ok_or_else(|| {
            problem(sentence!(
                "plan-of-tool",
                "only command lines that measure have a plan, such as `warp put`"
            ))
        })?;
        let mut draft = added.observe(draft)?;
        draft.agents.override_with(&added.agents.0);
        Ok(draft)
    }

    /// Divides the arguments into the flags that Tenbin adds and the arguments of the tool.
    ///
    /// # Errors
    /// If a flag that Tenbin adds has no value, or a wrong one.
    pub(crate) fn divide(&self) -> Result<(AddedArgs, Vec<String>), Mistakes> {
        let command = Command::new("tenbin").no_binary_name(true);
        let command = AddedArgs::augment_args(command).disable_help_flag(true);
        let (mut own, mut rest) = (Vec::new(), Vec::new());
        let mut words = self.arguments.iter();
        while let Some(word) = words.next() {
            let name = word
                .strip_prefix("--")
                .map(|flag| match flag.split_once('=') {
                    Some((name, _)) => name,
                    None => flag,
                });
            let added = name.and_then(|name| {
                let mut added = command.get_arguments();
                added.find(|arg| arg.get_long() == Some(name))
            });
            let Some(added) = added else {
                rest.push(word.clone());
                continue;
            };
            own.push(word.clone());
            if word.contains('=') || flags::is_optional(added) {
                continue;
            }
            match words.next() {
                Some(value) => own.push(value.clone()),
                None => {
                    return Err(Mistakes::one(sentence!(
                        "front-word-needs-value", "{word} needs a value", word
                    )));
                }
            }
        }
        let matches = command.try_get_matches_from(own);
        let added = matches.and_then(|matches| AddedArgs::from_arg_matches(&matches));
        let added = added.map_err(|error| Mistakes::one(added_flag_error(&error)))?;
        Ok((added, rest))
    }
}

/// What is wrong with a flag that Tenbin adds.
fn added_flag_error(error: &clap::Error) -> Sentence {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    let line = line.trim_start_matches("error: ");
    let stated = |kind| error.get(kind).map(ToString::to_string);
    match (
        stated(ContextKind::InvalidArg),
        stated(ContextKind::InvalidValue),
    ) {
        (Some(arg), Some(value)) => sentence!("front-added-flag", "{line}", line)
            .with("arg", arg)
            .with("value", value)
            .with_part("why", reason(error)),
        _ => line.into(),
    }
}

/// Why a value cannot be used, as a clause for other languages; `None` without a reason. The English
/// line has the reason already.
fn reason(error: &clap::Error) -> Option<Sentence> {
    let Some(why) = error.source() else {
        let values = error.get(ContextKind::ValidValue)?.to_string();
        return Some(sentence!(
            "front-valid-values", "; the values are {values}", values
        ));
    };
    if why.is::<ParseIntError>() {
        return Some(sentence!("front-write-integer", "; write an integer"));
    }
    let text = why.to_string();
    Some(match text.split_once(" is not in ") {
        Some((_, range)) if range.contains("..") => {
            sentence!("front-range", "; the range is {range}", range)
        }
        _ => sentence!("front-because", "; {why}", why = errors::sentence_of(why)),
    })
}

impl OutputArgs {
    /// Output options for the command line of another tool, which has no flags for Tenbin's output,
    /// with the agents that send its load.
    pub(crate) fn for_foreign(quiet: bool, json: bool, agents: Flags<AgentsDraft>) -> Self {
        Self {
            out: PathBuf::from("runs"),
            quiet,
            verbose: false,
            json,
            strict: false,
            output: Flags::default(),
            agents,
            export: ExportArgs::default(),
        }
    }
}

/// Access to files and environment variables for the flag parser of another tool.
pub(crate) fn world() -> World<'static> {
    World {
        variable: &variable,
        read: &read_text,
    }
}

/// Reads a file that a flag of another tool names: a configuration or a list.
fn read_text(path: &str) -> io::Result<String> {
    let bytes = read_bounded(Path::new(path), LARGEST_FILE)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "is not UTF-8"))
}

/// The value of the tool's environment variable `name`. If `name` is for credentials and not set,
/// the value of Tenbin's variable for the same credential.
fn variable(name: &str) -> Option<String> {
    let find = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let own = match name {
        "WARP_ACCESS_KEY" | "AWS_ACCESS_KEY_ID" => "TENBIN_ACCESS_KEY",
        "WARP_SECRET_KEY" | "AWS_SECRET_ACCESS_KEY" => "TENBIN_SECRET_KEY",
        _ => return find(name),
    };
    find(name).or_else(|| find(own))
}

/// Names of the tools whose command lines Tenbin accepts, in the order of the help.
pub const TOOLS: [&str; 13] = [
    "warp",
    "wrk",
    "wrk2",
    "ab",
    "hsbench",
    "blobstore-bench",
    "drnbench-request-response",
    "drnbench-publish-subscribe",
    "drnbench-extract-searchterms",
    "drnbench-generate-select-patterns",
    "grn2drn",
    "grndump",
    "droonga-send",
];

/// Inserts the tool's name as the subcommand if this program was started under that name.
pub fn called_by_name(arguments: Vec<OsString>) -> Vec<OsString> {
    let name = arguments.first().map(Path::new).and_then(Path::file_name);
    // Tenbin starts itself as `guard`, also if its file has the name of a tool.
    let is_guard = arguments.get(1).is_some_and(|argument| argument == "guard");
    let tool = name.and_then(|name| TOOLS.iter().find(|tool| name == **tool));
    let Some(tool) = tool.filter(|_| !is_guard) else {
        return arguments;
    };
    let ours = ["tenbin", tool].map(OsString::from);
    ours.into_iter()
        .chain(arguments.into_iter().skip(1))
        .collect()
}

#[cfg(test)]
mod tests {
    use tenbin_plan::Scalar;

    use super::*;

    #[test]
    fn the_flags_that_tenbin_adds_are_not_arguments_of_the_tool() {
        let divided = |line: &str| {
            let arguments = line.split(' ').map(str::to_owned).collect();
            ForeignArgs { arguments }.divide()
        };
        let line =
            "put --agents=2 --tls --nats tls://h:1 --creds c --observe port --observe-insecure h";
        let (agents, rest) = divided(line).unwrap();
        assert_eq!(rest, ["put", "--tls", "h"]);
        assert_eq!(agents.observes(), ["port"]);
        let AgentsDraft {
            count, nats, creds, ..
        } = *agents.agents.0;
        assert_eq!(count.expect("a number").value, Scalar::from(2_u64));
        assert_eq!(nats.expect("a URL").value, Scalar::from("tls://h:1"));
        assert_eq!(creds.expect("a file").value, Scalar::from("c"));
        let (added, rest) = divided("--latency -c4 http://h/").unwrap();
        assert!(added.latency && rest == ["-c4", "http://h/"]);
        let mistakes = divided("put --agents").err().expect("a mistake");
        assert_eq!(mistakes.sentences(), ["--agents needs a value"]);
        let mistakes = divided("put --agents many").err().expect("a mistake");
        let [sentence] = mistakes.sentences() else {
            panic!("{mistakes}");
        };
        let text = sentence.text();
        assert!(text.contains("'many' for '--agents"), "{text}");
    }

    #[test]
    fn the_name_of_a_tool_stands_for_its_command() {
        let called = |line: &str| {
            let arguments = line.split(' ').map(OsString::from).collect();
            let arguments = called_by_name(arguments);
            let words: Vec<_> = arguments.iter().map(|a| a.to_string_lossy()).collect();
            words.join(" ")
        };
        assert_eq!(called("/bin/warp put --tls"), "tenbin warp put --tls");
        assert_eq!(called("warp"), "tenbin warp");
        assert_eq!(called("wrk2 -R 9"), "tenbin wrk2 -R 9");
        assert_eq!(called("/usr/bin/ab -k http://h/"), "tenbin ab -k http://h/");
        assert_eq!(called("./grn2drn x"), "tenbin grn2drn x");
        assert_eq!(called("/bin/tenbin warp put"), "/bin/tenbin warp put");
        assert_eq!(called("/bin/warp guard x"), "/bin/warp guard x");
    }
}
