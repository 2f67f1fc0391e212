//! Writes results in other formats: for `--export`, and to the result files given on the command
//! line of another tool, for example `ab -e FILE`.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tenbin_plan::{Plan, Sentence, sentence};
use tenbin_record::{can_write_atomically, write_atomically, write_atomically_with};
use tenbin_report::formats::{
    Export, Format, Part, Place, Run, STEP_SUMMARY, WriteError, Writer, format, markdown_alone,
};
use tenbin_result::Document;

use crate::args::ExportArgs;
use crate::exit::Exit;
use crate::output;

/// The format that links to the files of the charts. Outside of the run directory, the report has no
/// links to files.
const MARKDOWN: &str = "markdown";

/// Checks before a run that its exports can be written, as far as that is known. Prints an error
/// for each export that cannot.
pub(crate) fn check(exports: &ExportArgs, plan: &Plan) -> Result<(), Exit> {
    let mut result = Ok(());
    if let Some(log) = &plan.output.ops_log
        && let Err(error) = can_write_atomically(log)
    {
        output::say_error(&sentence!("ops-log-failed", "--ops-log: {error}", error));
        result = Err(Exit::Refused);
    }
    for each in &exports.export {
        let why = match (each.format.lacks_in(plan), &each.to) {
            (Some(what), _) => Some(Sentence::fixed(what)),
            (None, Place::File(path)) => can_write_atomically(path)
                .err()
                .map(|error| error.sentence()),
            (None, _) => None,
        };
        if let Some(why) = why {
            output::say_error(&sentence!(
                "export-failed",
                "--export {name}: {why}",
                name = each.format.name,
                why
            ));
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
                    Err(error) => Err(error.sentence()),
                }
            }
            None => Err(sentence!(
                "only-read",
                "{name} can only be read",
                name = each.format.name
            )),
        };
        if let Err(sentence) = written {
            output::say_error(&sentence!(
                "export-failed",
                "--export {name}: {why}",
                name = each.format.name,
                why = sentence
            ));
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
) -> Result<(), Sentence> {
    if let Some(what) = export.format.lacks(document) {
        return Err(Sentence::fixed(what));
    }
    if let Some(summary) = step_summary(export) {
        let alone = format(STEP_SUMMARY).filter(|_| export.format.name == MARKDOWN);
        let write = match alone.and_then(|format| format.write.as_ref()) {
            Some(Writer::Document { write, .. }) => *write,
            _ => write,
        };
        let written = append(&summary, |to| write(document, to));
        return written.map_err(|error| {
            sentence!(
                "cannot-write-result",
                "cannot write {path}: {error}",
                path = summary.display(),
                error
            )
        });
    }
    let write: WriteDocument = if is_elsewhere(export, directory) {
        write_alone
    } else {
        write
    };
    match path(export, directory) {
        Some(path) => {
            can_write_atomically(&path)
                .and_then(|()| write_atomically_with(&path, |to| write(document, to)))
                .map_err(|error| error.sentence())?;
            announce(export.format, &path);
        }
        None => {
            let mut out = output::stream();
            output::note_failure(write(document, &mut out).and_then(|()| out.flush()));
        }
    }
    Ok(())
}

/// Whether an export would have links to charts that are not beside its file.
fn is_elsewhere(export: &Export, directory: &Path) -> bool {
    let is_beside = match &export.to {
        Place::RunDirectory => true,
        Place::Stdout => false,
        Place::File(path) => is_in(path, directory),
    };
    export.format.name == MARKDOWN && !is_beside
}

/// Whether a file, which may not exist yet, is directly in a directory.
fn is_in(file: &Path, directory: &Path) -> bool {
    let parent = file.parent().filter(|it| !it.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new(".")).canonicalize();
    match (parent, directory.canonicalize()) {
        (Ok(parent), Ok(directory)) => parent == directory,
        _ => false,
    }
}

fn write_alone(document: &Document, to: &mut dyn Write) -> io::Result<()> {
    to.write_all(markdown_alone(document).as_bytes())
}

fn of_run(
    export: &Export,
    parts: Result<Vec<Part>, WriteError>,
    directory: &Path,
) -> Result<(), Sentence> {
    let parts = parts.map_err(|error| error.sentence())?;
    let Some(path) = path(export, directory) else {
        return match parts.as_slice() {
            [only] => {
                output::print(&only.content);
                Ok(())
            }
            several => Err(sentence!(
                "export-several",
                "this format writes {several} files for this run, and standard output takes only \
                 one; give a file name: --export FORMAT=FILE",
                several = several.len()
            )),
        };
    };
    for part in &parts {
        let file = part.file(&path, parts.len());
        can_write_atomically(&file)
            .and_then(|()| write_atomically(&file, &part.content))
            .map_err(|error| error.sentence())?;
        announce(export.format, &file);
    }
    Ok(())
}

/// The summary of a GitHub Actions step, to which other commands of the step append, too. `None`
/// outside of such a step, and for exports to other files.
fn step_summary(export: &Export) -> Option<PathBuf> {
    let summary = PathBuf::from(std::env::var_os("GITHUB_STEP_SUMMARY")?);
    let is_meant = match &export.to {
        Place::RunDirectory => export.format.name == STEP_SUMMARY,
        Place::Stdout => false,
        Place::File(path) => *path == summary,
    };
    is_meant.then_some(summary)
}

fn append(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    let is_empty = file.metadata()?.len() == 0;
    if !is_empty {
        file.write_all(b"\n")?;
    }
    let mut to = BufWriter::new(file);
    write(&mut to)?;
    to.flush()
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
    output::say_note(&sentence!(
        "exported",
        "{format}: {file}",
        format = format.name,
        file = path.display()
    ));
}

/// Writes a file that the command line names, and returns whether the file has the result. If a write
/// fails, the program ends with [`Exit::Record`].
pub(crate) fn keep(file: Option<&str>, bytes: &[u8]) -> bool {
    let Some(file) = file else { return false };
    let written = write_atomically(Path::new(file), bytes);
    written
        .inspect_err(|error| output::file_failure(error))
        .is_ok()
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
        if keep(Some(&shown), &part.content) {
            output::say_note(&sentence!(
                "in-drnbench-format",
                "{name} in drnbench's format: {file}",
                name = part.name,
                file = shown
            ));
        }
    }
}

fn files(name: &str, run: &Run<'_>, path: &Path) -> Vec<(PathBuf, Part)> {
    let parts = parts(name, run);
    let count = parts.len();
    let each = parts.into_iter();
    each.map(|part| (part.file(path, count), part)).collect()
}

/// The parts of a run in a format. Prints a warning if the run has nothing to write in this format.
pub(crate) fn parts(name: &str, run: &Run<'_>) -> Vec<Part> {
    let parts = match format(name).and_then(|format| format.write.as_ref()) {
        Some(Writer::Run(parts)) => parts(run),
        Some(Writer::Document { .. }) | None => Ok(Vec::new()),
    };
    parts.unwrap_or_else(|error| {
        output::say_warning(&error.sentence());
        Vec::new()
    })
}
