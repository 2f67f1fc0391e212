//! `tenbin search dump`.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use tenbin_corpus::Error;
use tenbin_corpus::dump::{Part, dump as write};
use tenbin_http::Client;
use tenbin_plan::sentence;

use super::{make_directory, stop};
use crate::args::SearchDumpArgs;
use crate::exit::Exit;
use crate::output;

/// Writes the requested parts of a Groonga database.
pub(super) fn dump(args: &SearchDumpArgs) -> Result<Exit, Error> {
    let login = args.login.read().map_err(Error::Refused)?;
    let server = Client::new(&args.server, &login)?;
    let stop = stop()?;
    let is_asked = || stop.is_asked();
    let only = [
        (args.schema_only, Part::Schema),
        (args.indexes_only, Part::Indexes),
        (args.records_only, Part::Records),
    ];
    if let Some((_, part)) = only.into_iter().find(|(only, _)| *only) {
        const NAME: &str = super::STANDARD_OUTPUT;
        let mut out = output::stream();
        write(&server, part, &args.tables, NAME, &mut out, &is_asked)?;
        super::written(out.flush(), NAME)?;
        return Ok(ended(is_asked()));
    }
    if std::fs::read_dir(&args.out).is_ok_and(|mut there| there.next().is_some()) {
        return Err(Error::refused(sentence!(
            "dump-exists",
            "{out} already exists and is not empty; use another directory with --out, or remove \
             it first",
            out = args.out.display()
        )));
    }
    make_directory(&args.out)?;
    let parts: Vec<Unfinished> = Part::ALL.map(|part| Unfinished::of(part, &args.out)).into();
    let mut sentences = String::new();
    for (part, file) in Part::ALL.into_iter().zip(&parts) {
        let name = file.whole.display().to_string();
        let failed = |error| Error::write(&name, error);
        let mut out = BufWriter::new(File::create(&file.part).map_err(failed)?);
        let bytes = write(&server, part, &args.tables, &name, &mut out, &is_asked)?;
        if is_asked() {
            return Ok(ended(true));
        }
        out.flush().map_err(failed)?;
        sentences += &format!("{bytes} bytes in {name}\n");
    }
    // Files get their final names only when all are complete: a single file could be mistaken for
    // a complete dump.
    for file in &parts {
        let failed = |error| Error::write(file.whole.display().to_string(), error);
        std::fs::rename(&file.part, &file.whole).map_err(failed)?;
    }
    output::print_text(&sentences);
    Ok(Exit::Done)
}

/// A file that is being written. Dropping removes the file unless it was renamed to its final name.
struct Unfinished {
    part: PathBuf,
    whole: PathBuf,
}

impl Unfinished {
    fn of(part: Part, directory: &Path) -> Self {
        Self {
            part: directory.join(format!("{}.part", part.file())),
            whole: directory.join(part.file()),
        }
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.part);
        // Removes the directory only if it is empty.
        let _ = self.part.parent().map(std::fs::remove_dir);
    }
}

fn ended(stopped: bool) -> Exit {
    if stopped {
        output::say_error(&sentence!(
            "dump-interrupted",
            "interrupted: the dump is not complete"
        ));
        Exit::Interrupted
    } else {
        Exit::Done
    }
}
