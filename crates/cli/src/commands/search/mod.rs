//! `tenbin search`: one module per subcommand.

mod convert;
mod data;
mod dump;
mod helpers;
mod load;
mod progress;
mod ramp;
mod status;
mod terms;

use std::io;
use std::path::Path;

use tenbin_corpus::Error;
use tenbin_plan::sentence;
use tenbin_runner::Stop;

pub(crate) use helpers::helper;

use crate::args::SearchCommand;
use crate::exit::Exit;
use crate::{interrupt, output};

/// Runs a subcommand.
pub(crate) fn search(command: &SearchCommand) -> Exit {
    let done = match command {
        SearchCommand::Data(args) => data::data(args),
        SearchCommand::Load(args) => load::load(args),
        SearchCommand::Dump(args) => dump::dump(args),
        SearchCommand::Convert(args) => convert::convert(args),
        SearchCommand::Terms(args) => terms::terms(args),
        SearchCommand::Patterns(args) => terms::patterns(args),
        SearchCommand::Status(args) => status::status(args),
        SearchCommand::Ramp(args) => Ok(ramp::ramp(args)),
    };
    done.unwrap_or_else(|error| fail(&error))
}

/// Name of the output in messages if no file is given.
const STANDARD_OUTPUT: &str = "standard output";

/// Prints an error and returns its exit code.
fn fail(error: &Error) -> Exit {
    match error {
        // A reader that closes the pipe early does not need the rest: not an error.
        Error::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => {
            return Exit::Done;
        }
        Error::Write { name, source } if name == STANDARD_OUTPUT => {
            output::say_error(&sentence!(
                "no-stdout",
                "cannot write to {name}: {source}; free space, or write to another file",
                name,
                source
            ));
        }
        Error::Write { .. } => {
            output::say_error(&sentence!(
                "no-output",
                "{error}; free space, or write to another place",
                error
            ));
        }
        _ => output::failure(error),
    }
    Exit::of_corpus(error)
}

/// The stop flags that the first Ctrl-C sets.
fn stop() -> Result<Stop, Error> {
    interrupt::stop(output::say_note).map_err(Error::refused)
}

fn make_directory(directory: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(directory)
        .map_err(|error| Error::write(directory.display().to_string(), error))
}

/// Converts a write error on the output with this name; `Ok(false)` if the reader has closed the
/// pipe.
fn written(result: io::Result<()>, name: &str) -> Result<bool, Error> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::write(name, error)),
    }
}
