//! `tenbin import`: prints result files of other tools as tables or as a result document.

use std::path::Path;

use tenbin_record::write_atomically_with;
use tenbin_report::formats::{Content, ReadError, Selection, format, read, read_reported};
use tenbin_result::Document;
use tenbin_verdict::lint::{Reported, document};

use crate::args::{ImportArgs, NamedFile};
use crate::commands::results::show::print_content;
use crate::exit::Exit;
use crate::output;

/// Prints result files of other tools, and writes the result document.
pub(crate) fn import(args: &ImportArgs) -> Exit {
    let files = args.all();
    match files_read(&files) {
        Ok(read) => printed(args, &files, &read),
        Err(exit) => exit,
    }
}

/// The contents of each file, with the name of its target.
fn files_read(files: &[NamedFile]) -> Result<Vec<(String, Reported)>, Exit> {
    let mut all: Vec<(String, Reported)> = Vec::new();
    for NamedFile { name, file } in files {
        if all.iter().any(|(known, _)| known == name) {
            return Err(refuse(&format!(
                "two files are named {name:?}; give each a name with --name NAME=FILE"
            )));
        }
        let reported = read_reported(&file.display().to_string());
        let reported = reported.map_err(|error| failed(&error))?;
        all.push((name.clone(), reported));
    }
    Ok(all)
}

fn printed(args: &ImportArgs, files: &[NamedFile], read: &[(String, Reported)]) -> Exit {
    if let Some(path) = &args.out
        && let Err(exit) = written(path, &document(read))
    {
        return exit;
    }
    if args.json {
        output::json(&document(read));
        return Exit::Done;
    }
    for (at, (NamedFile { name, file }, (_, reported))) in files.iter().zip(read).enumerate() {
        if at > 0 {
            output::print(b"\n");
        }
        if let Err(exit) = table(name, file, reported) {
            return exit;
        }
    }
    Exit::Done
}

/// Prints a file as `tenbin show` does. Also prints a file with one speed per repetition, which
/// `tenbin show` rejects.
fn table(name: &str, file: &Path, reported: &Reported) -> Result<(), Exit> {
    let shown_file = file.display().to_string();
    let content = read(&shown_file, &Selection::default());
    let content = match content.map_err(|error| failed(&error))? {
        Content::Repetitions(_) => Content::Requests(reported.clone()),
        content => content,
    };
    let label = if Path::new(name) == file {
        shown_file
    } else {
        format!("{shown_file} ({name})")
    };
    print_content(&label, content).map(|_| ())
}

fn written(path: &Path, document: &Document) -> Result<(), Exit> {
    let Some(format) = format("json") else {
        return Err(Exit::Internal);
    };
    let written = write_atomically_with(path, |to| format.write_document(document, to));
    written.map_err(|error| {
        output::failure(&error);
        Exit::Record
    })?;
    output::note(&format!("written: {}", path.display()));
    Ok(())
}

fn failed(error: &ReadError) -> Exit {
    output::failure(error);
    Exit::Refused
}

fn refuse(sentence: &str) -> Exit {
    output::error(sentence);
    Exit::Refused
}
