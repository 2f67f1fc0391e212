//! Progress of a load, saved in a small file, so that the load can be resumed.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha1::{Digest as _, Sha1};

use super::files::{fingerprint, hex};
use crate::documents::Reading;
use crate::error::Error;

/// Format name and version, written into the file.
const FORMAT: &str = "tenbin search load 1";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Stored {
    format: String,
    into: String,
    servers: Vec<String>,
    files: String,
    /// Commands and records processed.
    done: u64,
    /// Records processed; included in `done`.
    records: u64,
    /// Whether an attempt to prepare the servers for records has started.
    #[serde(default)]
    ready: bool,
}

/// Progress of a load and the file that holds it.
#[derive(Debug)]
pub struct SavedProgress {
    /// Path of the file; `None` if the input cannot be read again.
    path: Option<PathBuf>,
    stored: Stored,
    /// Commands and records processed before this run.
    done: u64,
    resumed: bool,
}

impl SavedProgress {
    /// Reads the progress of loading `files`, read as `reading` says, into `servers` from the file
    /// at `path`. The load starts from the beginning if the file does not exist or `from_start` is set.
    ///
    /// # Errors
    /// When the file belongs to another load, or the contents of `files` have changed.
    pub fn open(
        path: &Path,
        into: &str,
        servers: &[String],
        (files, reading): (&[PathBuf], &Reading),
        from_start: bool,
    ) -> Result<Self, Error> {
        let fingerprint = fingerprint(files)?;
        let fingerprint = fingerprint.map(|print| print + &reading.description(files));
        let fresh = Stored {
            format: FORMAT.to_owned(),
            into: into.to_owned(),
            servers: servers.to_vec(),
            files: fingerprint.clone().unwrap_or_default(),
            done: 0,
            records: 0,
            ready: false,
        };
        let path = fingerprint.is_some().then(|| path.to_owned());
        let found = match &path {
            Some(path) if !from_start => read(path)?,
            _ => None,
        };
        let Some(found) = found else {
            return Ok(Self {
                path,
                stored: fresh,
                done: 0,
                resumed: false,
            });
        };
        let name = path.as_deref().unwrap_or(Path::new("-")).display();
        let refuse = |what: &str| {
            Err(Error::refused(format!(
                "{name} belongs to another load: {what}; start over with --restart, or set --resume \
                 with another file"
            )))
        };
        if found.into != fresh.into || found.servers != fresh.servers {
            return refuse("the servers differ");
        }
        if found.files != fresh.files {
            return refuse("the data or how it is read has changed");
        }
        Ok(Self {
            path,
            done: found.done,
            stored: found,
            resumed: true,
        })
    }

    /// Commands and records processed before this run.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Commands and records processed so far.
    pub(super) fn sent(&self) -> u64 {
        self.stored.done
    }

    /// Whether this load resumes an earlier one.
    pub fn was_resumed(&self) -> bool {
        self.resumed
    }

    /// Records sent so far.
    pub fn records(&self) -> u64 {
        self.stored.records
    }

    /// Path of the file, if progress can be saved.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Adds `items` processed commands and records, of which `records` are records.
    pub(super) fn has_sent(&mut self, items: u64, records: u64) {
        self.stored.done += items;
        self.stored.records += records;
    }

    /// Writes the file, if progress can be saved.
    pub(super) fn save(&self) -> Result<(), Error> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        write(path, &self.stored).map_err(|error| Error::write(path.display().to_string(), error))
    }

    /// Saves that preparing the servers has started. Returns whether an earlier run had started it.
    pub(super) fn makes_ready(&mut self) -> Result<bool, Error> {
        let again = std::mem::replace(&mut self.stored.ready, true);
        self.save()?;
        Ok(again)
    }

    /// Reverts [`Self::makes_ready`] after the server has refused the preparation.
    pub(super) fn is_not_ready(&mut self) -> Result<(), Error> {
        self.stored.ready = false;
        self.save()
    }

    /// Removes the file if nothing has been processed, so that a load refused at once is not
    /// resumed.
    pub(super) fn forget_beginning(&self) {
        if !self.resumed && self.stored.done == 0 {
            self.remove();
        }
    }

    /// Removes the file after a complete load.
    pub(super) fn remove(&self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Default path of the progress file for loading `files` into `servers`: next to the last file.
pub fn state_file(files: &[PathBuf], into: &str, servers: &[String]) -> PathBuf {
    let of_servers = hex(&Sha1::digest(servers.join(" ").as_bytes()));
    let suffix = format!(".load-{into}-{}", &of_servers[..8]);
    let last = files.last().map_or(Path::new("data"), PathBuf::as_path);
    let mut name = last.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn read(path: &Path) -> Result<Option<Stored>, Error> {
    let name = path.display();
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::read(name.to_string(), error)),
    };
    let stored: Option<Stored> = serde_json::from_slice(&text).ok();
    let stored = stored.filter(|stored| stored.format == FORMAT && stored.records <= stored.done);
    stored.map(Some).ok_or_else(|| {
        Error::refused(format!(
            "{name} has no progress of a load; start over with --restart, or \
             --resume with another file"
        ))
    })
}

/// Replaces the file atomically, so that a killed process leaves no partial file. The temporary file has
/// a fixed name: the next write replaces one that a killed process has left.
fn write(path: &Path, stored: &Stored) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".part");
    let temporary = PathBuf::from(temporary);
    let _ = fs::remove_file(&temporary);
    let mut file = File::create_new(&temporary)?;
    let written = serde_json::to_writer(&mut file, stored).map_err(io::Error::from);
    written
        .and_then(|()| file.write_all(b"\n"))
        .and_then(|()| fs::rename(&temporary, path))
        .inspect_err(|_| drop(fs::remove_file(&temporary)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_resumed_only_with_the_same_data_and_servers() {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("pages.grn");
        std::fs::write(&data, "status\n").unwrap();
        let files = [data.clone()];
        let state = directory.path().join("state");
        let open = |servers: &[&str], from_start: bool| {
            let servers: Vec<String> = servers.iter().map(|name| (*name).to_owned()).collect();
            let input = (&files[..], &Reading::default());
            SavedProgress::open(&state, "groonga", &servers, input, from_start)
        };
        let mut kept = open(&["a"], false).unwrap();
        assert!(!kept.was_resumed());
        kept.has_sent(7, 5);
        kept.save().unwrap();

        let again = open(&["a"], false).unwrap();
        assert!(again.was_resumed());
        assert_eq!((again.done(), again.records()), (7, 5));
        assert!(!open(&["a"], true).unwrap().was_resumed());
        let error = open(&["b"], false).unwrap_err().to_string();
        assert!(error.contains("the servers differ"), "{error}");
        std::fs::write(&data, "status \n").unwrap();
        let error = open(&["a"], false).unwrap_err().to_string();
        assert!(
            error.contains("the data or how it is read has changed"),
            "{error}"
        );

        for garbage in ["", "{}", "[1]", "\u{0}"] {
            std::fs::write(&state, garbage).unwrap();
            let error = open(&["a"], false).unwrap_err().to_string();
            assert!(error.contains("has no progress of a load"), "{error}");
        }
        again.remove();
        assert!(!state.exists());
    }

    #[test]
    fn standard_input_is_not_resumable() {
        let input = (&["-".into()][..], &Reading::default());
        let kept = SavedProgress::open(Path::new("x"), "groonga", &[], input, false).unwrap();
        assert_eq!(kept.path(), None);
        kept.save().unwrap();
    }
}
