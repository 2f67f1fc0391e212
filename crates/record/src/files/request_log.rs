//! Writes the log of requests, in the columns of warp's lists of requests, compressed with zstd.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::thread::{self, JoinHandle};
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tenbin_engine::request_log::{LogBatch, LoggedRequest, RequestLog};

use crate::error::RecordError;
use crate::files::calendar::Utc;

/// Most requests in the log of a run.
pub const MOST_LOGGED: u64 = 10_000_000;
/// Batches that can wait for the writer, each with about a thousand requests.
const BATCHES: usize = 64;
/// Compression level: the writer must keep up with the load.
const LEVEL: i32 = 1;

/// The columns of warp 1.x.
const COLUMNS: &str = "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\t\
                       first_byte\tend\tduration_ns\n";

/// One file of the log: the requests of one workload to one target.
pub struct RequestLogPart {
    /// The file, which is replaced if it exists.
    pub file: PathBuf,
    /// Objects of each request.
    pub objects: u64,
    /// Removes secrets from a method with a path, and from the text of a failure.
    pub conceal: Box<dyn Fn(&str) -> String + Send>,
}

/// The log of the requests of a run, as the environment records it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct RequestLogSummary {
    /// Names of the files.
    pub files: Vec<String>,
    /// Requests in the files.
    pub requests: u64,
    /// Requests that are missing because the writer of the files was slower than the load, or could
    /// not write.
    pub dropped: u64,
    /// Requests that are missing because the log holds at most 10,000,000 requests.
    pub over_limit: u64,
    /// Why the writer ended early; null if it did not.
    pub error: Option<String>,
}

/// Writes the log in a separate thread.
pub struct RequestLogWriter {
    log: RequestLog,
    files: Vec<PathBuf>,
    thread: JoinHandle<(u64, u64, Option<io::Error>)>,
}

impl RequestLogWriter {
    /// Creates the files and starts the writer.
    ///
    /// # Errors
    /// When a file cannot be created.
    pub fn start(parts: Vec<RequestLogPart>) -> Result<Self, RecordError> {
        let files: Vec<PathBuf> = parts.iter().map(|part| part.file.clone()).collect();
        let open = |part: RequestLogPart| {
            let file = part.file.clone();
            LogFile::create(part).map_err(|source| RecordError::io("create", &file, source))
        };
        let parts = parts.into_iter().map(open);
        let parts: Vec<LogFile> = parts.collect::<Result<_, _>>()?;
        let (log, receiver) = RequestLog::new(MOST_LOGGED, BATCHES);
        let thread = thread::spawn(move || write_all(parts, &receiver));
        Ok(Self { log, files, thread })
    }

    /// The log for requests of the part with this index.
    pub fn of_part(&self, part: usize) -> RequestLog {
        self.log.of_part(part)
    }

    /// Waits until everything is written.
    pub fn finish(self) -> RequestLogSummary {
        let (dropped, over_limit) = (self.log.dropped(), self.log.over_limit());
        drop(self.log);
        let ended = self.thread.join();
        let panicked = |_| (0, 0, Some(io::Error::other("the writer panicked")));
        let (requests, lost, error) = ended.unwrap_or_else(panicked);
        let name = |file: &PathBuf| {
            let name = file.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        };
        RequestLogSummary {
            files: self.files.iter().map(name).collect(),
            requests,
            dropped: dropped + lost,
            over_limit,
            error: error.map(|error| error.to_string()),
        }
    }
}

/// Writes all batches until no sender is left. Returns the number of written requests, and the error
/// after which nothing more was written, with the number of requests that were lost by it.
fn write_all(
    mut files: Vec<LogFile>,
    receiver: &Receiver<LogBatch>,
) -> (u64, u64, Option<io::Error>) {
    let (mut written, mut lost, mut failed) = (0, 0, None);
    for batch in receiver {
        let Some(file) = files.get_mut(batch.part).filter(|_| failed.is_none()) else {
            lost += batch.rows.len() as u64;
            continue;
        };
        match file.write(&batch) {
            Ok(()) => written += batch.rows.len() as u64,
            Err(error) => {
                lost += batch.rows.len() as u64;
                failed = Some(error);
            }
        }
    }
    if failed.is_none() {
        failed = files.into_iter().try_for_each(LogFile::close).err();
    }
    (written, lost, failed)
}

/// A file of the log.
struct LogFile {
    encoder: zstd::Encoder<'static, BufWriter<File>>,
    part: RequestLogPart,
    rows: u64,
    /// The rows of a batch as text.
    text: Vec<u8>,
    /// The last second and its text.
    second: (u64, String),
}

impl LogFile {
    fn create(part: RequestLogPart) -> io::Result<Self> {
        let file = BufWriter::new(File::create(&part.file)?);
        let mut encoder = zstd::Encoder::new(file, LEVEL)?;
        encoder.write_all(COLUMNS.as_bytes())?;
        Ok(Self {
            encoder,
            part,
            rows: 0,
            text: Vec::new(),
            second: (u64::MAX, String::new()),
        })
    }

    fn write(&mut self, batch: &LogBatch) -> io::Result<()> {
        self.text.clear();
        for row in &batch.rows {
            self.write_row(batch, row)?;
            self.rows += 1;
        }
        self.encoder.write_all(&self.text)
    }

    fn write_row(&mut self, batch: &LogBatch, row: &LoggedRequest) -> io::Result<()> {
        let operation = batch.operations.get(row.op).copied().unwrap_or_default();
        let host = batch.hosts.get(row.host).map_or("", String::as_str);
        let request = batch.request(row);
        let request = (self.part.conceal)(&request);
        let (_, file) = request.split_once(' ').unwrap_or(("", &request));
        let failure = match row.error {
            None => String::new(),
            Some(class) => {
                let text = (self.part.conceal)(&batch.failure(row));
                let separator = if text.is_empty() { "" } else { ": " };
                format!("{}{separator}{text}", class.name())
            }
        };
        let start = self.instant(row.start);
        let first_byte = row.first_byte.map(|at| self.instant(at));
        let first_byte = first_byte.unwrap_or_default();
        let end = self.instant(row.end);
        writeln!(
            self.text,
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{start}\t{first_byte}\t{end}\t{}",
            self.rows,
            row.slot,
            one_field(operation),
            batch.thread,
            self.part.objects,
            row.bytes,
            one_field(host),
            one_field(file),
            one_field(&failure),
            row.end.saturating_sub(row.start)
        )
    }

    /// A time as in RFC 3339, with nanoseconds.
    fn instant(&mut self, nanos: u64) -> String {
        let (seconds, rest) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
        if self.second.0 != seconds {
            let when = Utc::from_system(UNIX_EPOCH + Duration::from_secs(seconds));
            self.second = (seconds, when.rfc3339());
        }
        let second = self.second.1.trim_end_matches('Z');
        format!("{second}.{rest:09}Z")
    }

    fn close(self) -> io::Result<()> {
        self.encoder.finish()?.flush()
    }
}

/// The text without characters that end a field or a line, or begin a quoted field.
fn one_field(text: &str) -> String {
    let safe = |c: char| if c.is_control() || c == '"' { ' ' } else { c };
    text.chars().map(safe).collect()
}

/// The file of one part of a log: `ops-NAME.csv.zst` of `ops.csv.zst`, with characters that cannot be
/// in a file name replaced. The name of the log for an empty `name`.
pub fn request_log_file(log: &Path, name: &str) -> PathBuf {
    if name.is_empty() {
        return log.to_owned();
    }
    let safe = |c: char| {
        if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') {
            c
        } else {
            '_'
        }
    };
    let name: String = name.chars().map(safe).collect();
    let file = log.file_name().unwrap_or_default().to_string_lossy();
    let (stem, extension) = file.split_once('.').unwrap_or((&file, ""));
    log.with_file_name(format!("{stem}-{name}.{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_nanoseconds() {
        let directory = tempfile::tempdir().unwrap();
        let mut file = LogFile::create(RequestLogPart {
            file: directory.path().join("ops.csv.zst"),
            objects: 1,
            conceal: Box::new(str::to_owned),
        })
        .unwrap();
        let at = 1_767_225_599_000_000_042;
        assert_eq!(file.instant(at), "2025-12-31T23:59:59.000000042Z");
        assert_eq!(
            file.instant(at + 1_000_000_000),
            "2026-01-01T00:00:00.000000042Z"
        );
    }

    #[test]
    fn parts_have_names_in_their_file_names() {
        let of = |name| request_log_file(Path::new("a/ops.csv.zst"), name);
        assert_eq!(of(""), Path::new("a/ops.csv.zst"));
        assert_eq!(of("get on ../b"), Path::new("a/ops-get_on_.._b.csv.zst"));
    }

    #[test]
    fn a_field_ends_neither_its_column_nor_its_line() {
        assert_eq!(one_field("a\tb\n\"c\"\u{1b}"), "a b  c  ");
    }
}
