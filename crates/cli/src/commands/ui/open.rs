//! Opens the pages in the browser of the user.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use tempfile::NamedTempFile;

use crate::output;

/// The program that opens a file in the browser.
const OPENER: &str = "xdg-open";

/// Opens the URL; returns the file that leads to it. Every user can read the arguments of a process, so
/// the browser is given a file that only its owner can read, in the directory of the runs, instead of the
/// URL with its token.
pub(super) fn browser(directory: &Path, url: &str) -> Option<NamedTempFile> {
    match opened(directory, url) {
        Ok(file) => Some(file),
        Err(error) => {
            output::warning(&format!(
                "cannot open a browser: {error}; open the URL above"
            ));
            None
        }
    }
}

fn opened(directory: &Path, url: &str) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new()
        .prefix(".tenbin-ui-")
        .suffix(".html")
        .tempfile_in(directory)?;
    write!(
        file,
        "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" content=\"0; url={url}\">\n\
         <title>Tenbin</title>\n<a href=\"{url}\">{url}</a>\n"
    )?;
    file.flush()?;
    let mut opener = Command::new(OPENER)
        .arg(file.path().canonicalize()?)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| io::Error::new(error.kind(), format!("{OPENER}: {error}")))?;
    // Otherwise it stays as a zombie.
    thread::Builder::new()
        .name("opener".to_owned())
        .spawn(move || drop(opener.wait()))?;
    Ok(file)
}
