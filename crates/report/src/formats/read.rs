//! Recognises and reads result files.
//!
//! Lists of individual requests are read line by line, so memory does not grow with the number of
//! requests. Other files are small and are read completely.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use tenbin_verdict::lint::Reported;

use super::content::Content;
use super::format::Format;
use super::reader::{Fault, Selection, whole};
use super::table::FORMATS;

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
pub fn read_requests(file: &str, selection: &Selection) -> Result<Reported, ReadError> {
    let requests = read(file, selection)?.into_requests();
    named(file, requests.map_err(Fault::of_the_file))
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
    named(file, reported)
}

/// Like [`read_reported`], for the content of a file.
///
/// # Errors
///
/// See [`read_reported`].
pub fn reported_bytes(name: &str, content: &[u8]) -> Result<Reported, ReadError> {
    let reported =
        plain(Box::new(content)).and_then(|(mut text, start)| reported_from(&mut *text, &start));
    named(name, reported)
}

/// The figures with the name of their file.
fn named(file: &str, reported: Result<Reported, Fault>) -> Result<Reported, ReadError> {
    let reported = reported.map_err(|fault| ReadError::new(file, &fault))?;
    Ok(Reported {
        files: vec![file.to_owned()],
        ..reported
    })
}

fn reported_from(text: &mut dyn BufRead, beginning: &[u8]) -> Result<Reported, Fault> {
    let reader = recognised(beginning).and_then(|format| format.read.as_ref());
    if let Some(reported) = reader.and_then(|reader| reader.reported) {
        return reported(&whole(text, &Selection::default(), "a result")?);
    }
    match read_plain(text, beginning, &Selection::default())? {
        Content::Requests(reported) => Ok(reported),
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
        Some(reader) => reader.read.content(text, selection),
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
