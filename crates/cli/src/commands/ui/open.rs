//! Opens the pages in the browser of the user.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::NamedTempFile;
use tenbin_plan::sentence;

use crate::output;

/// The program that opens a file in the browser.
const OPENER: &str = "xdg-open";
/// How the name of the file for the browser begins and ends.
const NAME: [&str; 2] = [".tenbin-ui-", ".html"];
/// Age from which the file of another process is no longer needed: its browser has long read it.
const OLD: Duration = Duration::from_secs(60);

/// Opens the URL; returns the file that leads to it. Every user can read the arguments of a process, so
/// the browser is given a file that only its owner can read, in the directory of the runs, instead of the
/// URL with its token.
pub(super) fn browser(directory: &Path, url: &str) -> Option<NamedTempFile> {
    match opened(directory, url) {
        Ok(file) => Some(file),
        Err(error) => {
            output::say_warning(&sentence!(
                "no-browser",
                "cannot open a browser: {error}; open the URL above",
                error
            ));
            None
        }
    }
}

/// Removes files for the browser that killed processes left.
pub(super) fn remove_old(directory: &Path) {
    let [prefix, suffix] = NAME;
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with(prefix) || !name.ends_with(suffix) {
            continue;
        }
        let written = entry.metadata().and_then(|about| about.modified()).ok();
        let age = written.and_then(|written| written.elapsed().ok());
        if age.is_some_and(|age| age > OLD) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn opened(directory: &Path, url: &str) -> io::Result<NamedTempFile> {
    let [prefix, suffix] = NAME;
    let mut file = tempfile::Builder::new()
        .prefix(prefix)
        .suffix(suffix)
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
