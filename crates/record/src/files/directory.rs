//! The directory of a run.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::error::RecordError;
use crate::files::atomic::write_atomically;
use crate::files::calendar::Utc;
use crate::files::check_values;
use crate::files::leftovers::LEFT_FILE;
use crate::files::live_address::LIVE_FILE;
use crate::files::names::{ENVIRONMENT_FILE, PLAN_FILE};
use crate::files::pretty_json;

/// The directory of a new run. The run counts as running until this value is dropped.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    started: SystemTime,
    /// Lock on the directory, which tells other processes that the run is running. The operating
    /// system releases the lock even if the process is killed. `None` if directories cannot be
    /// locked.
    _lock: Option<File>,
}

impl RunDirectory {
    /// Creates `<root>/<YYYY-MM-DD>T<HHMMSS>-<name>` (UTC), and `root` if missing. If the name
    /// exists, adds the suffix `-2`, `-3`…
    ///
    /// # Errors
    /// The path and the reason when the directory cannot be created.
    pub fn create(root: &Path, name: &str, when: SystemTime) -> Result<Self, RecordError> {
        fs::create_dir_all(root).map_err(|e| RecordError::io("create", root, e))?;
        let base = format!("{}-{}", Utc::from_system(when).compact(), file_name(name));
        for attempt in 1_u32.. {
            let path = root.join(match attempt {
                1 => base.clone(),
                n => format!("{base}-{n}"),
            });
            match fs::create_dir(&path) {
                Ok(()) => {
                    return Ok(Self {
                        _lock: locked(&path),
                        path,
                        started: when,
                    });
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && attempt < 10_000 => {}
                Err(e) => return Err(RecordError::io("create", &path, e)),
            }
        }
        unreachable!("the last attempt returns")
    }

    /// Path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Start of the run.
    pub fn started(&self) -> SystemTime {
        self.started
    }

    /// Writes `plan.toml`. The text must not contain secrets.
    ///
    /// # Errors
    /// The path and the reason when the file cannot be written.
    pub fn write_plan(&self, text: &str) -> Result<(), RecordError> {
        write_atomically(&self.path.join(PLAN_FILE), text.as_bytes())
    }

    /// Writes `environment.json`; called again when more about the environment is known.
    ///
    /// # Errors
    /// The path and the reason when the file cannot be written.
    pub fn write_environment(&self, environment: &Environment) -> Result<(), RecordError> {
        let file = EnvironmentFile::new(self.started, environment.clone());
        let mut text = pretty_json::to_vec(&file);
        text.push(b'\n');
        check_values::end_file(&mut text);
        write_atomically(&self.path.join(ENVIRONMENT_FILE), &text)
    }

    /// Removes the directory of a run without measurements, unless the directory contains a file
    /// that can explain the failure, such as the output of a launched target; an empty file explains
    /// nothing. Returns whether the directory was removed.
    pub fn discard_unless_informative(&self) -> bool {
        const OF_EVERY_RUN: [&str; 4] = [PLAN_FILE, ENVIRONMENT_FILE, LEFT_FILE, LIVE_FILE];
        let Ok(entries) = fs::read_dir(&self.path) else {
            return false;
        };
        let is_of_every_run = |entry: io::Result<fs::DirEntry>| {
            entry.is_ok_and(|entry| {
                let name = entry.file_name();
                OF_EVERY_RUN.iter().any(|known| name == *known) || says_nothing(&entry)
            })
        };
        entries.into_iter().all(is_of_every_run) && self.discard()
    }

    /// Removes the directory of a run without measurements and everything in it. Returns whether the
    /// directory was removed.
    pub fn discard(&self) -> bool {
        fs::remove_dir_all(&self.path).is_ok()
    }
}

/// Whether an entry is an empty file, or a directory with nothing but such entries.
fn says_nothing(entry: &fs::DirEntry) -> bool {
    match entry.metadata() {
        Ok(known) if known.is_file() => known.len() == 0,
        Ok(known) if known.is_dir() => fs::read_dir(entry.path()).is_ok_and(|mut entries| {
            entries.all(|entry| entry.is_ok_and(|entry| says_nothing(&entry)))
        }),
        _ => false,
    }
}

fn locked(directory: &Path) -> Option<File> {
    let file = File::open(directory).ok()?;
    file.try_lock().ok().map(|()| file)
}

/// Whether a process is still executing the run in `directory`; false also if unknown.
pub fn is_running(directory: &Path) -> bool {
    // Opening a named pipe would block until the pipe's other end is opened.
    if !directory.is_dir() {
        return false;
    }
    let asked = File::open(directory).map(|file| file.try_lock_shared());
    matches!(asked, Ok(Err(TryLockError::WouldBlock)))
}

/// The content of `environment.json`: the environment and the start of the run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EnvironmentFile {
    /// Start of the run in RFC 3339, for people.
    started: String,
    /// Start of the run for programs, nanoseconds since 1970-01-01 UTC.
    pub(crate) started_unix_ns: u64,
    #[serde(flatten)]
    pub(crate) environment: Environment,
}

impl EnvironmentFile {
    fn new(started: SystemTime, environment: Environment) -> Self {
        Self {
            started: Utc::from_system(started).rfc3339(),
            started_unix_ns: unix_ns(started),
            environment,
        }
    }

    pub(crate) fn started(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_nanos(self.started_unix_ns)
    }
}

/// `when` as nanoseconds since 1970-01-01 UTC.
pub(crate) fn unix_ns(when: SystemTime) -> u64 {
    let since = when.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// `when` as `2026-02-28T23:59:59Z`.
pub fn rfc3339(when: SystemTime) -> String {
    Utc::from_system(when).rfc3339()
}

/// `name` converted to a single safe path component.
fn file_name(name: &str) -> String {
    let safe: String = name
        .chars()
        .map(|c| match c {
            c if c.is_alphanumeric() => c,
            '-' | '_' | '.' => c,
            _ => '-',
        })
        .take(80)
        .collect();
    if safe.is_empty() {
        "run".to_owned()
    } else {
        safe
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_running_until_its_directory_is_dropped() {
        let root = tempfile::tempdir().unwrap();
        let run = RunDirectory::create(root.path(), "x", UNIX_EPOCH).unwrap();
        let path = run.path().to_owned();
        assert!(is_running(&path));
        assert!(is_running(&path), "asking changes nothing");
        drop(run);
        assert!(!is_running(&path));
        assert!(!is_running(&root.path().join("none")));
    }

    #[test]
    fn names_are_unique_and_stay_inside_the_root() {
        let root = tempfile::tempdir().unwrap();
        let when = UNIX_EPOCH + Duration::from_secs(951_782_399);
        let first = RunDirectory::create(root.path(), "../up and away", when).unwrap();
        let second = RunDirectory::create(root.path(), "../up and away", when).unwrap();
        let name = |run: &RunDirectory| run.path().file_name().unwrap().to_owned();
        assert_eq!(name(&first), "2000-02-28T235959-..-up-and-away");
        assert_eq!(name(&second), "2000-02-28T235959-..-up-and-away-2");
        assert_eq!(first.path().parent(), Some(root.path()));
    }

    #[test]
    fn an_error_names_the_path_and_the_reason() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("a-file");
        fs::write(&file, "in the way").unwrap();
        let error = RunDirectory::create(&file, "x", UNIX_EPOCH).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("cannot create ") && text.contains("a-file"),
            "{text}"
        );
    }
}
