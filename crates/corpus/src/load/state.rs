//! How far a load has come, in a small file, so that it can go on.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha1::{Digest as _, Sha1};

use super::files::{fingerprint, hex};
use crate::error::Error;

/// What the file begins with.
const FORMAT: &str = "tenbin search load 1";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Stored {
    format: String,
    into: String,
    servers: Vec<String>,
    files: String,
    /// Commands and records done.
    done: u64,
    /// The records among them.
    records: u64,
    /// Whether the servers were, or were about to be, made ready for records.
    #[serde(default)]
    ready: bool,
}

/// How far a load has come.
#[derive(Debug)]
pub struct Kept {
    /// Nowhere when the input cannot be read again.
    path: Option<PathBuf>,
    stored: Stored,
    /// What was done when this load began.
    done: u64,
    resumed: bool,
}

impl Kept {
    /// What is kept in the file at `path` about loading `files` into `servers`; the
    /// beginning if there is no such file, or with `anew`.
    ///
    /// # Errors
    /// When the file is about something else, or the data has changed since.
    pub fn open(
        path: &Path,
        into: &str,
        servers: &[String],
        files: &[PathBuf],
        anew: bool,
    ) -> Result<Self, Error> {
        let fingerprint = fingerprint(files)?;
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
            Some(path) if !anew => read(path)?,
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
            Err(Error::Refused(format!(
                "{name} is about another load: {what}; give --restart to begin anew, or --resume \
                 with another file"
            )))
        };
        if found.into != fresh.into || found.servers != fresh.servers {
            return refuse("its servers are others");
        }
        if found.files != fresh.files {
            return refuse("the data is not what it was");
        }
        Ok(Self {
            path,
            done: found.done,
            stored: found,
            resumed: true,
        })
    }

    /// Commands and records that were done when this load began.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Commands and records done so far.
    pub(super) fn sent(&self) -> u64 {
        self.stored.done
    }

    /// Whether an earlier load goes on.
    pub fn was_resumed(&self) -> bool {
        self.resumed
    }

    /// Records sent so far.
    pub fn records(&self) -> u64 {
        self.stored.records
    }

    /// Where it is kept, if it can be.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// So many more items are done, so many of them records.
    pub(super) fn has_sent(&mut self, items: u64, records: u64) {
        self.stored.done += items;
        self.stored.records += records;
    }

    /// Writes it down.
    pub(super) fn save(&self) -> Result<(), Error> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        write(path, &self.stored).map_err(|error| Error::write(path.display().to_string(), error))
    }

    /// Writes down that the servers are about to be made ready for records; whether that
    /// may have been done before.
    pub(super) fn makes_ready(&mut self) -> Result<bool, Error> {
        let again = std::mem::replace(&mut self.stored.ready, true);
        self.save()?;
        Ok(again)
    }

    /// Takes that back: it was refused for certain.
    pub(super) fn is_not_ready(&mut self) -> Result<(), Error> {
        self.stored.ready = false;
        self.save()
    }

    /// Takes the file away if nothing has been done since the very beginning: what was
    /// refused for certain need not go on.
    pub(super) fn forget_beginning(&self) {
        if !self.resumed && self.stored.done == 0 {
            self.remove();
        }
    }

    /// Takes the file away: the load is complete.
    pub(super) fn remove(&self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Where the state of loading `files` into `servers` is kept if nobody says: beside the
/// last of the files.
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
        Error::Refused(format!(
            "{name} does not say how far a load has come; give --restart to begin anew, or \
             --resume with another file"
        ))
    })
}

/// All or nothing, whenever the process is killed.
fn write(path: &Path, stored: &Stored) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    serde_json::to_writer(&mut file, stored)?;
    file.write_all(b"\n")?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_goes_on_only_with_the_same_data_and_servers() {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("pages.grn");
        std::fs::write(&data, "status\n").unwrap();
        let files = [data.clone()];
        let state = directory.path().join("state");
        let open = |servers: &[&str], anew: bool| {
            let servers: Vec<String> = servers.iter().map(|name| (*name).to_owned()).collect();
            Kept::open(&state, "groonga", &servers, &files, anew)
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
        assert!(error.contains("its servers are others"), "{error}");
        std::fs::write(&data, "status \n").unwrap();
        let error = open(&["a"], false).unwrap_err().to_string();
        assert!(error.contains("the data is not what it was"), "{error}");

        for garbage in ["", "{}", "[1]", "\u{0}"] {
            std::fs::write(&state, garbage).unwrap();
            let error = open(&["a"], false).unwrap_err().to_string();
            assert!(error.contains("does not say how far"), "{error}");
        }
        again.remove();
        assert!(!state.exists());
    }

    #[test]
    fn standard_input_is_not_resumable() {
        let kept = Kept::open(Path::new("x"), "groonga", &[], &["-".into()], false).unwrap();
        assert_eq!(kept.path(), None);
        kept.save().unwrap();
    }
}
