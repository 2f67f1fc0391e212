//! `tenbin import`: prints result files of other tools as tables or as a result document.

use std::ffi::OsStr;
use std::path::Path;

use tenbin_plan::sentence;
use tenbin_record::write_atomically_with;
use tenbin_report::formats::{ColumnMap, Content, ReadFile, format, read_file_by, shown};
use tenbin_result::format::plural;
use tenbin_result::{Document, Severity};
use tenbin_verdict::lint::{Files, Reported, document, lint};

use crate::args::{ImportArgs, NamedFile};
use crate::commands::results::show::print_content;
use crate::commands::results::{file_written, given_twice};
use crate::commands::script::refuse_unread;
use crate::exit::Exit;
use crate::output;

/// Prints result files of other tools, and writes the result document.
pub(crate) fn import(args: &ImportArgs) -> Exit {
    let files = args.all();
    if let Some(input) = args.out.as_deref().and_then(|out| overwritten(&files, out)) {
        return output::refuse(&sentence!(
            "import-out-is-input",
            "--out names {input}, which is one of the files to read; name another file",
            input = input.display()
        ));
    }
    match files_read(&files, args.columns.columns.as_ref()) {
        Ok(read) => printed(args, &files, read),
        Err(exit) => exit,
    }
}

/// The file that the document would overwrite.
fn overwritten<'a>(files: &'a [NamedFile], out: &Path) -> Option<&'a Path> {
    let mut files = files.iter().map(|named| named.file.as_path());
    files.find(|file| is_same_file(file, out))
}

/// Whether two paths name one file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// A file that was read, with the name of its target.
struct Imported {
    name: String,
    content: Content,
    reported: Reported,
    /// What the file is.
    form: Option<&'static str>,
}

/// The contents of each file. Each file is read once, so that it can be a pipe.
fn files_read(files: &[NamedFile], columns: Option<&ColumnMap>) -> Result<Vec<Imported>, Exit> {
    let mut all: Vec<Imported> = Vec::new();
    for NamedFile { name, file } in files {
        let is_same = |known: &&NamedFile| known.name == *name && known.file == *file;
        if files.iter().filter(is_same).count() > 1 {
            return Err(output::refuse(&given_twice(file)));
        }
        if all.iter().any(|known| known.name == *name) {
            return Err(output::refuse(&sentence!(
                "import-same-name",
                "two files are named {name:?}; give each a name with --name NAME=FILE",
                name
            )));
        }
        let shown = file.display().to_string();
        let ReadFile {
            content,
            reported,
            form,
        } = read_file_by(file, columns).map_err(|error| refuse_unread(file, &error))?;
        let Some(reported) = reported else {
            return Err(output::refuse(&sentence!(
                "import-of-tenbin",
                "{shown}: is a result of Tenbin, which is printed with tenbin show",
                shown
            )));
        };
        all.push(Imported {
            name: name.clone(),
            content,
            reported,
            form,
        });
    }
    Ok(all)
}

fn printed(args: &ImportArgs, files: &[NamedFile], read: Vec<Imported>) -> Exit {
    let named: Vec<(String, Reported)> = read
        .iter()
        .map(|each| (each.name.clone(), each.reported.clone()))
        .collect();
    if let Some(path) = &args.out
        && let Err(exit) = written(path, &document(&named))
    {
        return exit;
    }
    if args.json {
        output::json(&document(&named));
        return Exit::Done;
    }
    for (at, (NamedFile { file, .. }, each)) in files.iter().zip(read).enumerate() {
        if at > 0 {
            output::print(b"\n");
        }
        if let Err(exit) = table(file, each) {
            return exit;
        }
    }
    for (NamedFile { file, .. }, (_, reported)) in files.iter().zip(&named) {
        warn_of_problems(file, reported, args.columns.columns.is_some());
    }
    Exit::Done
}

/// Warns of findings of `tenbin lint` that make the figures of a file unusable or misleading.
fn warn_of_problems(file: &Path, reported: &Reported, has_columns: bool) {
    let findings = lint(&Files {
        all: std::slice::from_ref(reported),
        changed: &[],
    });
    let number = |severity: Severity| {
        let same = findings.iter().filter(|it| it.severity == severity);
        same.count()
    };
    let options = if has_columns { " --columns …" } else { "" };
    let warning = match (number(Severity::Invalid), number(Severity::Suspect)) {
        (0, 0) => return,
        (0, suspect) => sentence!(
            "import-suspect",
            "lint finds {problems}, so these figures may mislead: tenbin lint{options} {file}",
            problems = plural(suspect, "problem"),
            options,
            file = file.display()
        )
        .with("problems", suspect),
        (invalid, _) => sentence!(
            "import-invalid",
            "lint finds {problems}, so these figures are unusable: tenbin lint{options} {file}",
            problems = plural(invalid, "problem"),
            options,
            file = file.display()
        )
        .with("problems", invalid),
    };
    output::say_warning(&warning);
}

/// Prints a file as `tenbin show` does. Also prints a file with one speed per repetition, which
/// `tenbin show` rejects.
fn table(file: &Path, read: Imported) -> Result<(), Exit> {
    let shown_file = shown(&file.display().to_string()).to_owned();
    let content = match read.content {
        Content::Repetitions(_) => Content::Requests(read.reported),
        content => content,
    };
    // A name that is not made from that of the file.
    let is_made = Path::new(&read.name) == file || file.file_stem() == Some(OsStr::new(&read.name));
    let name = Some(read.name.as_str()).filter(|_| !is_made);
    let about: Vec<&str> = name.into_iter().chain(read.form).collect();
    let label = match about.as_slice() {
        [] => shown_file,
        about => format!("{shown_file} ({})", about.join("; ")),
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
    output::say_note(&file_written(path));
    Ok(())
}
