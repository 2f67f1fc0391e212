//! Functions shared by the commands that run command lines of other tools.

use std::path::Path;

use tenbin_compat::{Mistakes, Parsed};
use tenbin_plan::{AgentsDraft, Plan};
use tenbin_report::Extent;
use tenbin_report::formats::Run;
use tenbin_result::Document;

use crate::args::{Flags, ForeignArgs};
use crate::exit::Exit;
use crate::output;

/// Acts on the parsed command line of a tool: calls `measure` for a benchmark, or prints help or
/// errors.
pub(super) fn answer<Job>(
    tool: &str,
    asked: Result<Parsed<Job>, Mistakes>,
    measure: impl FnOnce(&Job) -> Exit,
) -> Exit {
    match asked {
        Ok(Parsed::Measure(job)) => measure(&job),
        Ok(Parsed::Help(text)) => help(&text),
        Ok(Parsed::Version) => version(tool),
        Err(mistakes) => refuse(&mistakes),
    }
}

/// Like [`answer`] for a tool whose load agents can send: parses the arguments without the flags of
/// `[agents]`, which `measure` receives.
pub(super) fn answer_with_agents<Job>(
    tool: &str,
    args: &ForeignArgs,
    parse: impl FnOnce(&[String]) -> Result<Parsed<Job>, Mistakes>,
    measure: impl FnOnce(&Job, Flags<AgentsDraft>) -> Exit,
) -> Exit {
    match args.divide() {
        Ok((agents, arguments)) => match parse(&arguments) {
            Ok(Parsed::Help(text)) => help_with_agents(&text),
            parsed => answer(tool, parsed, |job| measure(job, agents)),
        },
        Err(mistakes) => refuse(&mistakes),
    }
}

/// Prints the requested help of a tool whose load agents can send.
pub(super) fn help_with_agents(text: &str) -> Exit {
    help(&format!("{text}\n{AGENTS}"))
}

/// The flags of Tenbin that every tool with requests has.
const AGENTS: &str = "\
Load from several machines, on which `tenbin agent` runs:
  --agents N --nats URL --creds FILE
";

/// Prints the requested help.
pub(super) fn help(text: &str) -> Exit {
    output::print(text.as_bytes());
    Exit::Done
}

/// Prints the errors of a command line.
pub(super) fn refuse(mistakes: &Mistakes) -> Exit {
    for sentence in mistakes.sentences() {
        output::error(sentence);
    }
    Exit::Refused
}

/// Prints notes before the run.
pub(super) fn tell(notes: &[String]) {
    for note in notes {
        output::note(note);
    }
}

/// Prints the version with the name of the emulated tool.
pub(super) fn version(tool: &str) -> Exit {
    let version = env!("CARGO_PKG_VERSION");
    output::print(format!("tenbin {version}, with {tool}'s command line\n").as_bytes());
    Exit::Done
}

/// Prints the recorded run, or the result in memory if the recorded run cannot be read.
pub(super) fn show_recorded(
    plan: &Plan,
    document: &Document,
    directory: &Path,
    show: impl FnOnce(&Run<'_>),
) {
    match tenbin_record::read(directory) {
        Ok(record) => show(&Run {
            directory,
            document,
            plan,
            record: &record,
        }),
        Err(error) => {
            output::error(&error.to_string());
            output::report(document, Extent::Screen);
        }
    }
}

/// Checks before the run that [`keep`] can write these files.
pub(super) fn can_keep(files: &[Option<&str>]) -> Result<(), Exit> {
    for file in files.iter().flatten() {
        if let Err(error) = tenbin_record::can_write_atomically(Path::new(file)) {
            output::error(&format!("{error}; name a file that can be written"));
            return Err(Exit::Refused);
        }
    }
    Ok(())
}

/// Writes a file that the command line names.
pub(super) fn keep(file: Option<&str>, bytes: &[u8]) {
    let Some(file) = file else { return };
    if let Err(error) = tenbin_record::write_atomically(Path::new(file), bytes) {
        output::error(&error.to_string());
    }
}
