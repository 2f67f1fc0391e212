//! `tenbin search dump`.

use std::fs::File;
use std::io::{BufWriter, Write as _};

use tenbin_corpus::Error;
use tenbin_corpus::dump::{Part, dump as write};
use tenbin_corpus::http::Client;

use super::{make_directory, stop};
use crate::args::SearchDumpArgs;
use crate::exit::Exit;
use crate::output;

/// Writes the parts.
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
        const NAME: &str = "standard output";
        let mut out = output::stream();
        write(&server, part, &args.tables, NAME, &mut out, &is_asked)?;
        super::written(out.flush(), NAME)?;
        return Ok(ended(is_asked()));
    }
    make_directory(&args.out)?;
    for part in Part::ALL {
        let path = args.out.join(part.file());
        let name = path.display().to_string();
        let unfinished = args.out.join(format!("{}.part", part.file()));
        let failed = |error| Error::write(&name, error);
        let mut out = BufWriter::new(File::create(&unfinished).map_err(failed)?);
        let written = write(&server, part, &args.tables, &name, &mut out, &is_asked);
        let bytes = match written {
            Ok(bytes) if !is_asked() => bytes,
            other => {
                let _ = std::fs::remove_file(&unfinished);
                return other.map(|_| ended(true));
            }
        };
        out.flush().map_err(failed)?;
        std::fs::rename(&unfinished, &path).map_err(failed)?;
        output::print(format!("{bytes} bytes in {name}\n").as_bytes());
    }
    Ok(Exit::Done)
}

fn ended(stopped: bool) -> Exit {
    match stopped {
        true => {
            output::error("interrupted: the dump is not complete");
            Exit::Interrupted
        }
        false => Exit::Done,
    }
}
