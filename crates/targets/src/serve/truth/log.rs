//! The log of the ground-truth server: one line per response, and finally the number of
//! connections.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::super::ServeError;

const HEAD: &str = "# number connection received_ns due_ns answered_ns bytes_in bytes_out answer\n";

/// Log entry of one request. Times are nanoseconds since the server's start.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) number: u64,
    pub(super) connection: u64,
    /// Time at which the last byte of the request was read.
    pub(super) received: u64,
    /// Time at which the response was due.
    pub(super) due: u64,
    /// Time at which the write of the response started.
    pub(super) answered: u64,
    pub(super) bytes_in: u64,
    pub(super) bytes_out: u64,
    pub(super) response: &'static str,
}

struct LogState {
    file: BufWriter<File>,
    /// The first write error; nothing is written after an error.
    trouble: Option<io::Error>,
}

/// The log file, if logging is enabled, and the number of connections.
pub(super) struct Log {
    path: PathBuf,
    book: Mutex<Option<LogState>>,
    connections: AtomicU64,
}

impl Log {
    pub(super) fn create(path: Option<&Path>) -> Result<Self, ServeError> {
        let log = |book| Self {
            path: path.map(Path::to_owned).unwrap_or_default(),
            book: Mutex::new(book),
            connections: AtomicU64::new(0),
        };
        let Some(place) = path else {
            return Ok(log(None));
        };
        let mut file = File::create(place)
            .map(BufWriter::new)
            .map_err(|source| unusable(place, source))?;
        file.write_all(HEAD.as_bytes())
            .map_err(|source| unusable(place, source))?;
        Ok(log(Some(LogState {
            file,
            trouble: None,
        })))
    }

    /// Counts an accepted connection.
    pub(super) fn count_connection(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    /// Logs a request. [`Self::close`] returns the first error.
    pub(super) fn record(&self, entry: &Entry) {
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(LogState { file, trouble }) = book.as_mut() else {
            return;
        };
        if trouble.is_some() {
            return;
        }
        let Entry {
            number,
            connection,
            received,
            due,
            answered,
            bytes_in,
            bytes_out,
            response,
        } = entry;
        *trouble = writeln!(
            file,
            "{number} {connection} {received} {due} {answered} {bytes_in} {bytes_out} {response}"
        )
        .err();
    }

    /// Writes the buffered lines and the last line, and closes the log.
    pub(super) fn close(&self) -> Result<(), ServeError> {
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(LogState { mut file, trouble }) = book.take() else {
            return Ok(());
        };
        let connections = self.connections.load(Ordering::Relaxed);
        trouble
            .map_or_else(
                || writeln!(file, "# connections {connections}").and_then(|()| file.flush()),
                Err,
            )
            .map_err(|source| unusable(&self.path, source))
    }
}

fn unusable(path: &Path, source: io::Error) -> ServeError {
    ServeError::Log {
        path: path.to_owned(),
        source,
    }
}
