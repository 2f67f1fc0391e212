//! Completions and manual pages, generated from the same declarations as the help.

use std::path::Path;

use tenbin_plan::sentence;

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
            output::say_error(&sentence!(
                "man-not-written",
                "cannot write manual pages to {directory}: {error}",
                directory,
                error
            ));
            Exit::Record
        }
    }
}

fn write_pages(directory: &Path) -> std::io::Result<()> {
    // Parent directories are not created: a wrong path is an error.
    match std::fs::create_dir(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    clap_mangen::generate_to(args::command(), directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manual_pages_are_written_into_a_new_directory_whose_parent_is_there() {
        let scratch = tempfile::tempdir().expect("a directory");
        let missing = scratch.path().join("a/b");
        let refused = write_pages(&missing).expect_err("there is no a");
        assert_eq!(refused.kind(), std::io::ErrorKind::NotFound);
        assert!(!scratch.path().join("a").exists());
        let made = scratch.path().join("man");
        write_pages(&made).expect("pages");
        assert!(made.join("tenbin.1").exists());
    }
}
