//! The log: one line for every request that was answered, and at its end how many
//! connections there were.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::super::ServeError;

const HEAD: &str = "# number connection received_ns due_ns answered_ns bytes_in bytes_out answer\n";

/// One request. Times are nanoseconds since the server's start.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) number: u64,
    pub(super) connection: u64,
    /// When its last byte had been read.
    pub(super) received: u64,
    /// When it was to be answered.
    pub(super) due: u64,
    /// When the answer's write began.
    pub(super) answered: u64,
    pub(super) bytes_in: u64,
    pub(super) bytes_out: u64,
    pub(super) answer: &'static str,
}

struct Book {
    file: BufWriter<File>,
    /// What went wrong first; nothing is written after it.
    trouble: Option<io::Error>,
}

/// Where requests are logged, if anywhere.
pub(super) struct Log {
    path: PathBuf,
    book: Mutex<Option<Book>>,
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
        Ok(log(Some(Book {
            file,
            trouble: None,
        })))
    }

    /// Counts a connection that was accepted.
    pub(super) fn count_connection(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    /// Logs a request. If that cannot be done, [`Self::close`] will say so.
    pub(super) fn note(&self, entry: &Entry) {
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Book { file, trouble }) = book.as_mut() else {
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
            answer,
        } = entry;
        *trouble = writeln!(
            file,
            "{number} {connection} {received} {due} {answered} {bytes_in} {bytes_out} {answer}"
        )
        .err();
    }

    /// Writes out what is still held; nothing is logged from here on.
    pub(super) fn close(&self) -> Result<(), ServeError> {
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Book { mut file, trouble }) = book.take() else {
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
