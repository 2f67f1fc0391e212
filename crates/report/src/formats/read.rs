//! Recognises and reads result files.
//!
//! Lists of individual requests are read line by line, so memory does not grow with the number of
//! requests. Other files are small and are read completely.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::time::Duration;

use tenbin_plan::LARGEST_RESULT;

use tenbin_verdict::lint::Reported;

use super::content::Content;
use super::imported::Imported;
use super::{FORMATS, Format};

/// The functions that read a format.
#[derive(Debug)]
pub struct Reader {
    /// Whether a file with this beginning is in the format. No file is recognised by two formats.
    pub recognises: fn(&[u8]) -> bool,
    /// Reads a whole file, which is already decompressed.
    pub read: ReadContent,
    /// Reads the figures of another tool's file, with the lines that state them. `None` if the
    /// figures follow from the result of `read`.
    pub reported: Option<ReadReported>,
}

/// Reads the figures of a whole file.
pub(super) type ReadReported = fn(&[u8]) -> Result<Reported, Fault>;

/// Reads a whole file, or the selected requests.
pub(super) type ReadContent = fn(&mut dyn BufRead, &Selection) -> Result<Content, Fault>;

/// Selects which requests of a file are read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection {
    /// Read only this operation, in capitals.
    pub operation: Option<String>,
    /// Read only requests to this host.
    pub host: Option<String>,
    /// Skip requests that started within this time after the first request.
    pub skip: Duration,
    /// Skip this number of requests at the start.
    pub offset: u64,
    /// Read at most this number of requests.
    pub limit: Option<u64>,
}

impl Selection {
    /// Whether the selection can only be applied to individual requests.
    pub(super) fn needs_requests(&self) -> bool {
        self.host.is_some() || !self.skip.is_zero() || self.offset > 0 || self.limit.is_some()
    }

    pub(super) fn wants(&self, operation: &str) -> bool {
        self.operation
            .as_deref()
            .is_none_or(|wanted| wanted.eq_ignore_ascii_case(operation))
    }
}

/// An error in a file.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct Fault {
    /// Line number, from 1, if the error concerns a single line.
    pub(super) line: Option<u64>,
    /// Description of the error, and what to do.
    pub(super) what: String,
    /// Whether the file is in no known format.
    is_unknown: bool,
}

impl Fault {
    pub(super) fn in_line(line: u64, what: impl Into<String>) -> Self {
        Self {
            line: Some(line),
            what: what.into(),
            is_unknown: false,
        }
    }

    pub(super) fn of_the_file(what: impl Into<String>) -> Self {
        Self {
            line: None,
            what: what.into(),
            is_unknown: false,
        }
    }

    pub(super) fn reading(line: u64, error: &io::Error) -> Self {
        Self::in_line(
            line,
            format!("the file cannot be read any further: {error}; it may be cut off"),
        )
    }
}

/// The error for an unreadable file: name, line and description.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct ReadError {
    sentence: String,
    is_unknown: bool,
}

impl ReadError {
    fn new(file: &str, fault: &Fault) -> Self {
        Self {
            sentence: match fault.line {
                Some(line) => format!("{file}:{line}: {fault}"),
                None => format!("{file}: {fault}"),
            },
            is_unknown: fault.is_unknown,
        }
    }

    /// Whether the file is in no known format.
    pub fn is_unknown_format(&self) -> bool {
        self.is_unknown
    }
}

/// The format of a file with this beginning.
pub(super) fn recognised(beginning: &[u8]) -> Option<&'static Format> {
    let mut all = FORMATS.iter().copied();
    all.find(|format| {
        let reader = format.read.as_ref();
        reader.is_some_and(|reader| (reader.recognises)(beginning))
    })
}

/// Reads a result file in any known format, compressed with zstd or not; `-` is standard input.
///
/// # Errors
///
/// If the file cannot be opened or read, is in no known format, or is malformed.
pub fn read(file: &str, selection: &Selection) -> Result<Content, ReadError> {
    open(file)
        .and_then(|input| read_from(input, selection))
        .map_err(|fault| ReadError::new(file, &fault))
}

/// Reads the content of a result file in any known format.
///
/// # Errors
///
/// If the content is in no known format, or malformed.
pub fn read_bytes(name: &str, content: &[u8]) -> Result<Content, ReadError> {
    read_from(Box::new(content), &Selection::default())
        .map_err(|fault| ReadError::new(name, &fault))
}

/// Reads the requests of a result file; `-` is standard input.
///
/// # Errors
///
/// See [`read`]; also if the file contains no requests.
pub fn read_requests(file: &str, selection: &Selection) -> Result<Imported, ReadError> {
    let requests = read(file, selection)?.into_requests();
    let imported = requests.map_err(|why| ReadError::new(file, &Fault::of_the_file(why)))?;
    Ok(Imported {
        files: vec![file.to_owned()],
        ..imported
    })
}

/// Reads the figures of another tool's result file, with the lines that state them; `-` is standard
/// input.
///
/// # Errors
///
/// See [`read`]; also if the file is a result of Tenbin.
pub fn read_reported(file: &str) -> Result<Reported, ReadError> {
    let reported = open(file).and_then(|input| {
        let (mut text, start) = plain(input)?;
        reported_from(&mut *text, &start)
    });
    let reported = reported.map_err(|fault| ReadError::new(file, &fault))?;
    Ok(Reported {
        file: file.to_owned(),
        ..reported
    })
}

/// Like [`read_reported`], for the content of a file.
///
/// # Errors
///
/// See [`read_reported`].
pub fn reported_bytes(name: &str, content: &[u8]) -> Result<Reported, ReadError> {
    let reported =
        plain(Box::new(content)).and_then(|(mut text, start)| reported_from(&mut *text, &start));
    let reported = reported.map_err(|fault| ReadError::new(name, &fault))?;
    Ok(Reported {
        file: name.to_owned(),
        ..reported
    })
}

fn reported_from(text: &mut dyn BufRead, beginning: &[u8]) -> Result<Reported, Fault> {
    let reader = recognised(beginning).and_then(|format| format.read.as_ref());
    if let Some(reported) = reader.and_then(|reader| reader.reported) {
        return reported(&whole(text, &Selection::default(), "a result")?);
    }
    match read_plain(text, beginning, &Selection::default())? {
        Content::Requests(imported) => Ok(super::imported::reported(&imported)),
        Content::Document(_) => Err(Fault::of_the_file(
            "is a result of Tenbin, which has its findings; print them with tenbin show",
        )),
        Content::Repetitions(_) | Content::Steps(_) => {
            Err(Fault::of_the_file("has no figures of single measurements"))
        }
    }
}

fn open(file: &str) -> Result<Box<dyn Read>, Fault> {
    if file == "-" {
        return Ok(Box::new(io::stdin()));
    }
    if Path::new(file).is_dir() {
        return Err(Fault::of_the_file(
            "is a directory; tenbin show prints the result of a run directory",
        ));
    }
    match File::open(Path::new(file)) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(Fault::of_the_file(format!("cannot be opened: {error}"))),
    }
}

/// The first bytes of a zstd file.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Number of bytes inspected to recognise the format of a stream.
const BEGINNING: usize = 1 << 16;

fn read_from(input: Box<dyn Read + '_>, selection: &Selection) -> Result<Content, Fault> {
    let (mut text, start) = plain(input)?;
    read_plain(&mut *text, &start, selection)
}

/// Returns the input, decompressed if it was compressed with zstd, and the first bytes of the
/// content.
fn plain<'a>(input: Box<dyn Read + 'a>) -> Result<(Box<dyn BufRead + 'a>, Vec<u8>), Fault> {
    let mut input = BufReader::with_capacity(BEGINNING, input);
    let packed = beginning(&mut input)?.starts_with(&ZSTD_MAGIC);
    let mut text: Box<dyn BufRead + 'a> = if packed {
        let unpacked = zstd::Decoder::with_buffer(input)
            .map_err(|error| Fault::of_the_file(format!("cannot be unpacked: {error}")))?;
        Box::new(BufReader::with_capacity(BEGINNING, unpacked))
    } else {
        Box::new(input)
    };
    let start = beginning(&mut text)?.to_vec();
    Ok((text, start))
}

fn read_plain(
    text: &mut dyn BufRead,
    beginning: &[u8],
    selection: &Selection,
) -> Result<Content, Fault> {
    match recognised(beginning).and_then(|format| format.read.as_ref()) {
        Some(reader) => (reader.read)(text, selection),
        None => {
            let readable = FORMATS.iter().filter(|format| format.read.is_some());
            let known: Vec<&str> = readable.map(|format| format.about).collect();
            let what = format!(
                "is none of the results that can be read, which are: {}",
                known.join("; ")
            );
            Err(Fault {
                is_unknown: true,
                ..Fault::of_the_file(what)
            })
        }
    }
}

fn beginning<R: BufRead + ?Sized>(input: &mut R) -> Result<&[u8], Fault> {
    input
        .fill_buf()
        .map_err(|error| Fault::of_the_file(format!("cannot be read: {error}; it may be cut off")))
}

/// Reads a whole file without individual requests; fails if `selection` selects individual
/// requests. `what` names the content in errors.
pub(super) fn whole(
    text: &mut dyn BufRead,
    selection: &Selection,
    what: &str,
) -> Result<Vec<u8>, Fault> {
    if selection.needs_requests() {
        return Err(Fault::of_the_file(format!(
            "is {what}, which holds no single requests to select"
        )));
    }
    let mut content = Vec::new();
    let read = text.take(LARGEST_RESULT + 1).read_to_end(&mut content);
    read.map_err(|error| {
        Fault::of_the_file(format!("cannot be read: {error}; it may be cut off"))
    })?;
    if content.len() as u64 > LARGEST_RESULT {
        return Err(Fault::of_the_file(format!(
            "is larger than {LARGEST_RESULT} bytes, the maximum size of a result file"
        )));
    }
    Ok(content)
}
