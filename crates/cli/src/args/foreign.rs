//! Command lines of other tools, given to a subcommand or to a symbolic link with the tool's name.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use tenbin_compat::{Mistakes, World, ab, hsbench, warp, wrk};
use tenbin_plan::{AgentsDraft, Draft, Refusal, Scalar, Section as _, read_bounded};

use super::problem;
use super::{ExportArgs, Flags, OutputArgs};

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

impl ForeignArgs {
    /// The plan of a command line that measures.
    pub(super) fn draft(&self, planned: Planned) -> Result<Draft, Refusal> {
        let refused = |mistakes: Mistakes| problem(mistakes.to_string());
        let (agents, arguments) = self.divide().map_err(refused)?;
        let draft = planned(&arguments, &world()).map_err(refused)?;
        let mut draft = draft.ok_or_else(|| {
            problem("only command lines that measure have a plan, such as `warp put`".to_owned())
        })?;
        draft.agents.override_with(&agents.0);
        Ok(draft)
    }

    /// Divides the arguments into the flags of `[agents]`, which no tool has, and the arguments of
    /// the tool.
    ///
    /// # Errors
    /// If a flag of `[agents]` has no value.
    pub(crate) fn divide(&self) -> Result<(Flags<AgentsDraft>, Vec<String>), Mistakes> {
        let (mut agents, mut rest) = (Flags::<AgentsDraft>::default(), Vec::new());
        let mut words = self.arguments.iter();
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word.as_str(), None),
            };
            let mut flags = AgentsDraft::KEYS
                .iter()
                .flat_map(|key| key.flags.iter().flatten().map(move |flag| (key, flag)));
            let Some((key, flag)) = flags.find(|(_, flag)| flag.name == name) else {
                rest.push(word.clone());
                continue;
            };
            let Some(value) = value.or_else(|| words.next().map(String::as_str)) else {
                return Err(Mistakes::one(format!("{name} needs a value")));
            };
            let value = match value.parse::<u64>() {
                Ok(number) => Scalar::from(number),
                Err(_) => Scalar::from(value),
            };
            agents.0.set(key.name, flag.name, vec![value]);
        }
        Ok((agents, rest))
    }
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

/// Names of the tools whose command lines Tenbin accepts.
pub const TOOLS: [&str; 12] = [
    "warp",
    "hsbench",
    "wrk",
    "ab",
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
    use super::*;

    #[test]
    fn the_flags_of_agents_are_not_arguments_of_the_tool() {
        let divided = |line: &str| {
            let arguments = line.split(' ').map(str::to_owned).collect();
            ForeignArgs { arguments }.divide()
        };
        let (agents, rest) = divided("put --agents=2 --tls --nats tls://h:1 --creds c h").unwrap();
        assert_eq!(rest, ["put", "--tls", "h"]);
        let AgentsDraft {
            count, nats, creds, ..
        } = *agents.0;
        assert_eq!(count.expect("a number").value, Scalar::from(2_u64));
        assert_eq!(nats.expect("a URL").value, Scalar::from("tls://h:1"));
        assert_eq!(creds.expect("a file").value, Scalar::from("c"));
        let mistakes = divided("put --agents").err().expect("a mistake");
        assert_eq!(mistakes.sentences(), ["--agents needs a value"]);
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
        assert_eq!(called("/usr/bin/ab -k http://h/"), "tenbin ab -k http://h/");
        assert_eq!(called("./grn2drn x"), "tenbin grn2drn x");
        assert_eq!(called("/bin/tenbin warp put"), "/bin/tenbin warp put");
        assert_eq!(called("/bin/warp guard x"), "/bin/warp guard x");
    }
}
