//! `tenbin search convert`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tenbin_corpus::Error;
use tenbin_corpus::droonga::Converter;
use tenbin_corpus::load::Files;
use tenbin_plan::sentence;

use super::{stop, written};
use crate::args::SearchConvertArgs;
use crate::exit::Exit;
use crate::output;

/// Writes one message per command and record.
pub(super) fn convert(args: &SearchConvertArgs) -> Result<Exit, Error> {
    let mut converter = Converter::new(args.dataset.as_str());
    converter.id_prefix.clone_from(&args.id_prefix);
    converter.date.clone_from(&args.date);
    converter.reply_to.clone_from(&args.reply_to);
    messages(&args.files, converter, args.output.as_deref())
}

/// Converts files, or standard input if there are none.
pub(super) fn messages(
    files: &[PathBuf],
    mut converter: Converter,
    output: Option<&Path>,
) -> Result<Exit, Error> {
    let standard = [PathBuf::from("-")];
    let files = if files.is_empty() {
        &standard[..]
    } else {
        files
    };
    let name = output.map_or(super::STANDARD_OUTPUT.to_owned(), |path| {
        path.display().to_string()
    });
    let mut out: Box<dyn Write> = match output {
        Some(path) => {
            let file = File::create(path).map_err(|error| Error::write(&name, error))?;
            Box::new(BufWriter::new(file))
        }
        None => Box::new(output::stream()),
    };
    let stop = stop()?;
    for item in Files::new(files) {
        if stop.is_asked() {
            written(out.flush(), &name)?;
            output::say_error(&sentence!(
                "convert-interrupted",
                "interrupted: the rest is not converted"
            ));
            return Ok(Exit::Interrupted);
        }
        let item = match item {
            Ok(item) => item,
            Err(error) => {
                // The output up to the error consists of complete messages.
                written(out.flush(), &name)?;
                return Err(error);
            }
        };
        let message = converter.message(&item);
        if !written(writeln!(out, "{message}"), &name)? {
            return Ok(Exit::Done);
        }
    }
    written(out.flush(), &name)?;
    Ok(Exit::Done)
}
