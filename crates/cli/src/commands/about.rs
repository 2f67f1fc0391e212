//! Completions and manual pages, made from the same declarations as the help.

use std::path::Path;

use crate::args::{self, CompletionsArgs, ManArgs};
use crate::exit::Exit;
use crate::output;

/// Prints the completions for a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut args::completed(), "tenbin", &mut text);
    output::print(&text);
    Exit::Done
}

/// Writes the manual pages.
pub(crate) fn man(args: &ManArgs) -> Exit {
    match write_pages(&args.directory) {
        Ok(()) => Exit::Done,
        Err(error) => {
            let directory = args.directory.display();
            output::error(&format!(
                "cannot write manual pages to {directory}: {error}"
            ));
            Exit::Record
        }
    }
}

fn write_pages(directory: &Path) -> std::io::Result<()> {
    // Not its parents: a path that is wrong is a mistake to be told.
    match std::fs::create_dir(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    clap_mangen::generate_to(args::command(), directory)
}
