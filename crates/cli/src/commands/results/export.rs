//! Writes results in other formats: for `--export`, and to the result files given on the command
//! line of another tool, for example `ab -e FILE`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tenbin_plan::Plan;
use tenbin_record::{can_write_atomically, write_atomically, write_atomically_with};
use tenbin_report::formats::{Export, Format, Part, Place, Run, WriteError, Writer, format};
use tenbin_result::Document;

use crate::args::ExportArgs;
use crate::commands::other_tools::shared::keep;
use crate::exit::Exit;
use crate::output;

/// Checks before a run that its exports can be written, as far as that is known. Prints an error
/// for each export that cannot.
pub(crate) fn check(exports: &ExportArgs, plan: &Plan) -> Result<(), Exit> {
    let mut result = Ok(());
    for each in &exports.export {
        let why = match (each.format.lacks_in(plan), &each.to) {
            (Some(what), _) => Some(what.to_owned()),
            (None, Place::File(path)) => can_write_atomically(path)
                .err()
                .map(|error| error.to_string()),
            (None, _) => None,
        };
        if let Some(why) = why {
            output::error(&format!("--export {}: {why}", each.format.name));
            result = Err(Exit::Refused);
        }
    }
    result
}

/// Writes all exports of `--export`. Prints an error for each export that cannot be written, and
/// then returns [`Exit::Record`].
pub(crate) fn export(
    exports: &ExportArgs,
    directory: &Path,
    document: &Document,
    plan: &Plan,
) -> Result<(), Exit> {
    let mut record = None;
    let mut result = Ok(());
    for each in &exports.export {
        let written = match &each.format.write {
            Some(Writer::Document { write, .. }) => of_document(each, directory, document, *write),
            Some(Writer::Run(parts)) => {
                let record = record.get_or_insert_with(|| tenbin_record::read(directory));
                match record {
                    Ok(record) => of_run(
                        each,
                        parts(&Run {
                            directory,
                            document,
                            plan,
                            record,
                        }),
                        directory,
                    ),
                    Err(error) => Err(error.to_string()),
                }
            }
            None => Err(format!("{} can only be read", each.format.name)),
        };
        if let Err(sentence) = written {
            output::error(&format!("--export {}: {sentence}", each.format.name));
            result = Err(Exit::Record);
        }
    }
    result
}

type WriteDocument = fn(&Document, &mut dyn Write) -> io::Result<()>;

fn of_document(
    export: &Export,
    directory: &Path,
    document: &Document,
    write: WriteDocument,
) -> Result<(), String> {
    if let Some(what) = export.format.lacks(document) {
        return Err(what.to_owned());
    }
    match path(export, directory) {
        Some(path) => {
            can_write_atomically(&path)
                .and_then(|()| write_atomically_with(&path, |to| write(document, to)))
                .map_err(|error| error.to_string())?;
            announce(export.format, &path);
        }
        None => {
            let mut out = output::stream();
            output::note_failure(write(document, &mut out).and_then(|()| out.flush()));
        }
    }
    Ok(())
}

fn of_run(
    export: &Export,
    parts: Result<Vec<Part>, WriteError>,
    directory: &Path,
) -> Result<(), String> {
    let parts = parts.map_err(|error| error.to_string())?;
    let Some(path) = path(export, directory) else {
        return match parts.as_slice() {
            [only] => {
                output::print(&only.content);
                Ok(())
            }
            several => Err(format!(
                "this format writes {} files for this run, and standard output takes only one; \
                 give a file name: --export FORMAT=FILE",
                several.len()
            )),
        };
    };
    for part in &parts {
        let file = part.file(&path, parts.len());
        can_write_atomically(&file)
            .and_then(|()| write_atomically(&file, &part.content))
            .map_err(|error| error.to_string())?;
        announce(export.format, &file);
    }
    Ok(())
}

/// The file that an export writes; `None` for standard output.
fn path(export: &Export, directory: &Path) -> Option<PathBuf> {
    match &export.to {
        Place::RunDirectory => Some(directory.join(export.format.file)),
        Place::Stdout => None,
        Place::File(path) => Some(path.clone()),
    }
}

fn announce(format: &Format, path: &Path) {
    output::note(&format!("{}: {}", format.name, path.display()));
}

/// Writes `file`, which the command line of another tool names, in the format `name`. Does nothing
/// without a file.
pub(crate) fn keep_as(name: &str, run: &Run<'_>, file: Option<&str>) {
    let Some(path) = file.map(Path::new) else {
        return;
    };
    for (file, part) in files(name, run, path) {
        keep(file.to_str(), &part.content);
    }
}

/// Writes one file in drnbench's format for each concurrency sweep, and prints the paths.
pub(crate) fn keep_sweeps(run: &Run<'_>, path: &Path) {
    for (file, part) in files("drnbench", run, path) {
        let shown = file.display().to_string();
        keep(Some(&shown), &part.content);
        output::note(&format!("{} in drnbench's format: {shown}", part.name));
    }
}

/// The files that represent a run in a format. Prints a warning if the run has nothing to write in
/// this format.
fn files(name: &str, run: &Run<'_>, path: &Path) -> Vec<(PathBuf, Part)> {
    let parts = match format(name).and_then(|format| format.write.as_ref()) {
        Some(Writer::Run(parts)) => parts(run),
        Some(Writer::Document { .. }) | None => Ok(Vec::new()),
    };
    match parts {
        Ok(parts) => {
            let count = parts.len();
            let each = parts.into_iter();
            each.map(|part| (part.file(path, count), part)).collect()
        }
        Err(error) => {
            output::warning(&error.to_string());
            Vec::new()
        }
    }
}
