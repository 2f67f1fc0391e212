//! What the commands in other tools' words have in common.

use std::path::Path;

use tenbin_compat::{Asked, Mistakes};
use tenbin_record::RecordedRun;
use tenbin_report::Extent;
use tenbin_result::Document;

use crate::exit::Exit;
use crate::output;

/// Does what the command line of a tool asks for, by `measure` where that is to measure.
pub(super) fn answer<Job>(
    tool: &str,
    asked: Result<Asked<Job>, Mistakes>,
    measure: impl FnOnce(&Job) -> Exit,
) -> Exit {
    match asked {
        Ok(Asked::Measure(job)) => measure(&job),
        Ok(Asked::Help(text)) => help(&text),
        Ok(Asked::Version) => version(tool),
        Err(mistakes) => refuse(&mistakes),
    }
}

/// Prints the help that was asked for.
pub(super) fn help(text: &str) -> Exit {
    output::print(text.as_bytes());
    Exit::Done
}

/// Says what is wrong with a command line.
pub(super) fn refuse(mistakes: &Mistakes) -> Exit {
    for sentence in mistakes.sentences() {
        output::error(sentence);
    }
    Exit::Refused
}

/// Says what is to be said before the run.
pub(super) fn tell(notes: &[String]) {
    for note in notes {
        output::note(note);
    }
}

/// Prints the version, beside the name of the tool that was asked.
pub(super) fn version(tool: &str) -> Exit {
    let version = env!("CARGO_PKG_VERSION");
    output::print(format!("tenbin {version}, with {tool}'s command line\n").as_bytes());
    Exit::Done
}

/// Shows what the run's directory holds; the usual result when it cannot be read.
pub(super) fn show_recorded(
    document: &Document,
    directory: &Path,
    show: impl FnOnce(&RecordedRun),
) {
    match tenbin_record::read(directory) {
        Ok(recorded) => show(&recorded),
        Err(error) => {
            output::error(&error.to_string());
            output::report(document, Extent::Screen);
        }
    }
}

/// Refuses, before anything is measured, a file that [`keep`] could not write.
pub(super) fn can_keep(files: &[Option<&str>]) -> Result<(), Exit> {
    for file in files.iter().flatten() {
        if let Err(error) = tenbin_record::can_write_atomically(Path::new(file)) {
            output::error(&format!("{error}; name a file that can be written"));
            return Err(Exit::Refused);
        }
    }
    Ok(())
}

/// Writes a file that was asked for.
pub(super) fn keep(file: Option<&str>, bytes: &[u8]) {
    let Some(file) = file else { return };
    if let Err(error) = tenbin_record::write_atomically(Path::new(file), bytes) {
        output::error(&error.to_string());
    }
}
