//! Recognises and reads result files.
//!
//! Lists of individual requests are read line by line, so memory does not grow with the number of
//! requests. Other files are small and are read completely. Each file is read once, so that it can be
//! a pipe.

use std::io::{self, Read};
use std::path::Path;

use tenbin_plan::{Sentence, open_input, quotable, sentence};
use tenbin_verdict::lint::Reported;

use super::content::Content;
use super::format::Format;
use super::imported::{series_without_secrets, without_secrets};
use super::likely;
use super::mapped::{self, ColumnMap};
use super::plain::{Known, Plain};
use super::reader::{Fault, Reader, Selection, whole};
use super::table::FORMATS;
use crate::escape::for_terminal;

/// The name of a file that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// The error for an unreadable file: name, line and description.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}")]
pub struct ReadError {
    sentence: Sentence,
    is_unknown: bool,
}

impl ReadError {
    fn new(file: &str, fault: &Fault) -> Self {
        let file = for_terminal(file);
        // The reason can repeat a part of the file.
        let why = fault.what.clone().with_texts(&quotable);
        Self {
            sentence: match fault.line {
                Some(line) => sentence!(
                    "in-line",
                    "{file}:{number}: {why}",
                    file,
                    number = line,
                    why
                ),
                None => sentence!("of-file", "{path}: {why}", path = file, why),
            },
            is_unknown: fault.is_unknown,
        }
    }

    /// The error with its arguments.
    pub fn sentence(&self) -> Sentence {
        self.sentence.clone()
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

/// A result file, read once.
#[derive(Debug)]
pub struct ReadFile {
    /// The content.
    pub content: Content,
    /// The figures with the lines that state them; `None` for a result of Tenbin, and for a file
    /// without figures of single measurements.
    pub reported: Option<Reported>,
    /// What the file is, such as `the JSON that oha prints`; `None` for a list that is read by a map of
    /// its columns.
    pub form: Option<&'static str>,
}

/// Reads a result file in any known format, compressed or not; `-` is standard input.
///
/// # Errors
///
/// If the file cannot be opened or read, is in no known format, or is malformed.
pub fn read(
    file: &(impl AsRef<Path> + ?Sized),
    selection: &Selection,
) -> Result<Content, ReadError> {
    let file = file.as_ref();
    let read = open(file).and_then(|input| read_from(input, selection));
    named(&file.to_string_lossy(), read)
}

/// Reads the content of a result file in any known format.
///
/// # Errors
///
/// If the content is in no known format, or malformed.
pub fn read_bytes(name: &str, content: &[u8]) -> Result<Content, ReadError> {
    named(name, read_from(Box::new(content), &Selection::default()))
}

/// Reads a result file, and the figures with the lines that state them; `-` is standard input.
///
/// # Errors
///
/// See [`read`].
pub fn read_file(file: &(impl AsRef<Path> + ?Sized)) -> Result<ReadFile, ReadError> {
    read_file_by(file, None)
}

/// Like [`read_file`]; a list of requests that no format describes is read by `columns`.
///
/// # Errors
///
/// See [`read`]; also if the file lacks one of the columns.
pub fn read_file_by(
    file: &(impl AsRef<Path> + ?Sized),
    columns: Option<&ColumnMap>,
) -> Result<ReadFile, ReadError> {
    let file = file.as_ref();
    let read = open(file).and_then(|input| file_from(input, columns));
    named(&file.to_string_lossy(), read)
}

/// Like [`read_file`], for the content of a file.
///
/// # Errors
///
/// See [`read_file`].
pub fn file_bytes(name: &str, content: &[u8]) -> Result<ReadFile, ReadError> {
    file_bytes_by(name, content, None)
}

/// Like [`read_file_by`], for the content of a file.
///
/// # Errors
///
/// See [`read_file_by`].
pub fn file_bytes_by(
    name: &str,
    content: &[u8],
    columns: Option<&ColumnMap>,
) -> Result<ReadFile, ReadError> {
    named(name, file_from(Box::new(content), columns))
}

/// Reads the requests of a result file; `-` is standard input.
///
/// # Errors
///
/// See [`read`]; also if the file contains no requests.
pub fn read_requests(
    file: &(impl AsRef<Path> + ?Sized),
    selection: &Selection,
) -> Result<Reported, ReadError> {
    let file = file.as_ref();
    let requests = read(file, selection)?.into_requests();
    named(
        &file.to_string_lossy(),
        requests.map_err(Fault::of_the_file),
    )
}

/// Reads the figures of another tool's result file, with the lines that state them; `-` is standard
/// input.
///
/// # Errors
///
/// See [`read`]; also if the file is a result of Tenbin.
pub fn read_reported(file: &(impl AsRef<Path> + ?Sized)) -> Result<Reported, ReadError> {
    read_reported_by(file, None)
}

/// Like [`read_reported`]; a list of requests that no format describes is read by `columns`.
///
/// # Errors
///
/// See [`read_reported`]; also if the file lacks one of the columns.
pub fn read_reported_by(
    file: &(impl AsRef<Path> + ?Sized),
    columns: Option<&ColumnMap>,
) -> Result<Reported, ReadError> {
    let file = file.as_ref();
    let read = open(file).and_then(|input| file_from(input, columns));
    named(&file.to_string_lossy(), read.and_then(ReadFile::figures))
}

/// Like [`read_reported`], for the content of a file.
///
/// # Errors
///
/// See [`read_reported`].
pub fn reported_bytes(name: &str, content: &[u8]) -> Result<Reported, ReadError> {
    named(
        name,
        file_from(Box::new(content), None).and_then(ReadFile::figures),
    )
}

impl ReadFile {
    fn of(content: Content) -> Self {
        let reported = match &content {
            Content::Requests(reported) => Some(reported.clone()),
            _ => None,
        };
        Self {
            content,
            reported,
            form: None,
        }
    }

    /// The file in a format.
    fn in_format(self, format: &Format) -> Self {
        Self {
            form: Some(format.what()),
            ..self
        }
    }

    /// The figures.
    fn figures(self) -> Result<Reported, Fault> {
        if let Some(reported) = self.reported {
            return Ok(reported);
        }
        Err(Fault::of_the_file(match self.content {
            Content::Document(_) => {
                "is a result of Tenbin, which has its findings; print them with tenbin show"
            }
            _ => "has no figures of single measurements",
        }))
    }
}

/// What was read of a file, with the file's name and without secrets.
fn named<T: Named>(file: &str, read: Result<T, Fault>) -> Result<T, ReadError> {
    let file = shown(file);
    match read {
        Ok(read) => Ok(read.named(file)),
        Err(fault) => Err(ReadError::new(file, &fault)),
    }
}

/// The name of a file in messages.
pub fn shown(file: &str) -> &str {
    if file == STANDARD_INPUT {
        "standard input"
    } else {
        file
    }
}

/// Data that has the name of its file, and no secrets in names of requests.
trait Named {
    fn named(self, file: &str) -> Self;
}

impl Named for Reported {
    fn named(self, file: &str) -> Self {
        Self {
            files: vec![file.to_owned()],
            ..without_secrets(self)
        }
    }
}

impl Named for Content {
    fn named(self, file: &str) -> Self {
        match self {
            Self::Requests(reported) => Self::Requests(reported.named(file)),
            Self::Repetitions(series) => Self::Repetitions(series_without_secrets(series)),
            other => other,
        }
    }
}

impl Named for ReadFile {
    fn named(self, file: &str) -> Self {
        Self {
            content: self.content.named(file),
            reported: self.reported.map(|reported| reported.named(file)),
            form: self.form,
        }
    }
}

fn open(file: &Path) -> Result<Box<dyn Read>, Fault> {
    if file == Path::new(STANDARD_INPUT) {
        return Ok(Box::new(io::stdin()));
    }
    if file.is_dir() {
        return Err(Fault::of_the_file(sentence!(
            "directory-of-run",
            "is a directory; tenbin show prints the result of a run directory"
        )));
    }
    match open_input(file) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(Fault::of_the_file(sentence!(
            "cannot-open",
            "cannot be opened: {why}",
            why = error
        ))),
    }
}

fn read_from(input: Box<dyn Read + '_>, selection: &Selection) -> Result<Content, Fault> {
    let mut plain = plain(input, None)?;
    let file = contents(&mut plain, selection)?;
    Ok(match (file.content, plain.caveat()) {
        (Content::Requests(reported), Some(caveat)) => {
            Content::Requests(with_caveat(reported, caveat))
        }
        (content, _) => content,
    })
}

fn file_from(input: Box<dyn Read + '_>, columns: Option<&ColumnMap>) -> Result<ReadFile, Fault> {
    let mut plain = plain(input, columns)?;
    let beginning = &plain.beginning;
    // A map is also for a file in a known format, if it names columns of it.
    let is_for = |map: &&ColumnMap| map.fits(beginning) || recognised(beginning).is_none();
    if let Some(map) = columns.filter(is_for) {
        let reported = mapped::read(&mut plain.text, map)?;
        let reported = match plain.caveat() {
            Some(caveat) => with_caveat(reported, caveat),
            None => reported,
        };
        return Ok(ReadFile {
            content: Content::Requests(reported.clone()),
            reported: Some(reported),
            form: None,
        });
    }
    let file = contents(&mut plain, &Selection::default())?;
    let caveat = plain.caveat();
    let with = |reported| match &caveat {
        Some(caveat) => with_caveat(reported, caveat.clone()),
        None => reported,
    };
    Ok(ReadFile {
        content: match file.content {
            Content::Requests(reported) => Content::Requests(with(reported)),
            other => other,
        },
        reported: file.reported.map(with),
        form: file.form,
    })
}

/// The content of a file, and its figures.
fn contents(plain: &mut Plain<'_>, selection: &Selection) -> Result<ReadFile, Fault> {
    let (format, reader) = reader(plain)?;
    let name = match (&reader.read, reader.reported) {
        (super::reader::Read::Figures(name, _), _) => name,
        (super::reader::Read::Requests(_) | super::reader::Read::Content(_), Some(_)) => "a result",
        // A list of requests is read in parts.
        (super::reader::Read::Requests(_) | super::reader::Read::Content(_), None) => {
            let content = reader.read.content(&mut plain.text, selection)?;
            return Ok(ReadFile::of(content).in_format(format));
        }
    };
    let bytes = whole(&mut plain.text, &Selection::default(), name)?;
    let bytes = plain.utf8(bytes);
    alone(format, &bytes)?;
    let content = reader.read.content(&mut bytes.as_slice(), selection)?;
    let read = match reader.reported {
        None => ReadFile::of(content),
        Some(reported) => ReadFile {
            content,
            reported: Some(reported(&bytes)?),
            form: None,
        },
    };
    Ok(read.in_format(format))
}

/// Refuses a text with results of several tools, of which a reader would read one.
fn alone(format: &Format, text: &[u8]) -> Result<(), Fault> {
    let is_letter = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
    let is_utf16 = |eight: &[u8]| {
        let mut pairs = eight.chunks(2);
        pairs.all(|pair| is_letter(pair[0]) && pair[1] == 0)
    };
    if text.contains(&0) && text.windows(8).any(is_utf16) {
        return Err(Fault::of_the_file(
            "is text in two encodings, UTF-8 and UTF-16, as >> of PowerShell writes; write the text of \
             each encoding to a separate file",
        ));
    }
    let mut others = FORMATS.iter().filter(|other| other.name != format.name);
    let is_there = |other: &&&Format| {
        let reader = other.read.as_ref();
        reader.is_some_and(|reader| (reader.recognises)(text))
    };
    match others.find(is_there) {
        None => Ok(()),
        Some(other) => Err(Fault::of_the_file(sentence!(
            "two-results",
            "holds two results, in the formats {format} and {other}; write each to a separate file",
            format = format.name,
            other = other.name
        ))),
    }
}

fn with_caveat(mut reported: Reported, caveat: String) -> Reported {
    reported.caveats.insert(0, caveat);
    reported
}

fn plain<'a>(input: Box<dyn Read + 'a>, columns: Option<&ColumnMap>) -> Result<Plain<'a>, Fault> {
    Plain::of(input, |beginning| {
        let reader = recognised(beginning).and_then(|format| format.read.as_ref());
        match reader.map(|reader| &reader.read) {
            Some(super::reader::Read::Figures(..)) => Known::Printed,
            Some(super::reader::Read::Requests(_) | super::reader::Read::Content(_)) => Known::Data,
            None if columns.is_some_and(|map| map.fits(beginning)) => Known::Data,
            None => Known::Unknown,
        }
    })
}

/// The format of a file, and its reader.
fn reader(plain: &Plain<'_>) -> Result<(&'static Format, &'static Reader), Fault> {
    let format = recognised(&plain.beginning);
    format
        .and_then(|format| Some((format, format.read.as_ref()?)))
        .ok_or_else(|| Fault {
            is_unknown: true,
            ..Fault::of_the_file(likely::sentence(&plain.beginning))
        })
}
