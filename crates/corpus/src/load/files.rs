//! The input files of a load, read in order.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use sha1::{Digest as _, Sha1};

use crate::documents::{Format, Parser, Reading};
use crate::error::Error;
use crate::groonga::Item;
use crate::packed::unpacked;

/// Number of bytes from the start of a file that [`fingerprint`] includes.
const BEGINNING: u64 = 64 << 10;

/// Parser of several files of Groonga commands or documents, read in order.
pub struct Files {
    reading: Reading,
    waiting: VecDeque<PathBuf>,
    current: String,
    parser: Option<Parser>,
    /// Documents of the files that have been read completely.
    documents: u64,
    /// Bytes of the files that have been read completely.
    bytes: u64,
    failed: bool,
}

impl std::fmt::Debug for Files {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Files({}, then {:?})", self.current, self.waiting)
    }
}

impl Files {
    /// Creates a parser of `paths`, with the format of each by its name; `-` is standard input.
    pub fn new(paths: &[PathBuf]) -> Self {
        Self::with(paths, Reading::default())
    }

    /// Creates a parser of `paths`; `-` is standard input.
    pub fn with(paths: &[PathBuf], reading: Reading) -> Self {
        Self {
            reading,
            waiting: paths.iter().cloned().collect(),
            current: String::new(),
            parser: None,
            documents: 0,
            bytes: 0,
            failed: false,
        }
    }

    /// Name of the current file.
    pub fn current(&self) -> &str {
        &self.current
    }

    /// Bytes read so far, all files together.
    pub fn bytes(&self) -> u64 {
        self.bytes + self.parser.as_ref().map_or(0, |parser| parser.place().byte)
    }

    fn step(&mut self) -> Result<Option<Item>, Error> {
        loop {
            if let Some(parser) = &mut self.parser {
                if let Some(item) = parser.next() {
                    return item.map(Some);
                }
                self.bytes += parser.place().byte;
                self.documents = parser.number().unwrap_or(self.documents);
                self.parser = None;
            }
            let Some(path) = self.waiting.pop_front() else {
                return Ok(None);
            };
            let (name, input) = open(&path)?;
            self.current.clone_from(&name);
            let parser = Parser::new(&self.reading, &path, name, input, self.documents);
            self.parser = Some(parser);
        }
    }
}

impl Iterator for Files {
    type Item = Result<Item, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let stepped = self.step();
        self.failed = stepped.is_err();
        stepped.transpose()
    }
}

/// Opens a file for reading, or standard input for `-`; also returns its name for messages. Content
/// that is compressed with gzip, zstd or bzip2 is decompressed.
///
/// # Errors
/// When the file cannot be opened, or is compressed in another way.
pub fn open(path: &Path) -> Result<(String, Box<dyn BufRead>), Error> {
    let (name, input): (String, Box<dyn BufRead>) = if path == Path::new("-") {
        let input = BufReader::with_capacity(256 << 10, std::io::stdin());
        ("standard input".to_owned(), Box::new(input))
    } else {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| Error::read(&name, error))?;
        (name, Box::new(BufReader::with_capacity(256 << 10, file)))
    };
    let input = unpacked(input).map_err(|error| Error::read(&name, error))?;
    Ok((name, input))
}

/// The files of a directory that can be loaded: schema, indexes, then the others.
///
/// # Errors
/// When the directory cannot be read or has no such files.
pub fn in_directory(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |source| Error::read(directory.display().to_string(), source);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if Format::is_known(&path) {
            files.push(path);
        }
    }
    let order = |path: &PathBuf| {
        let name = Format::name_of(path);
        let place = ["schema.grn", "indexes.grn"]
            .iter()
            .position(|first| name == *first);
        (place.unwrap_or(2), name)
    };
    files.sort_by_key(order);
    if files.is_empty() {
        return Err(Error::refused(format!(
            "{} has no files to load (.grn, .ndjson, .jsonl, .csv, .tsv); create some with `tenbin \
             search data`",
            directory.display()
        )));
    }
    Ok(files)
}

/// Hashes the lengths and first 64 KiB of files, to recognize the same input later. Returns `None`
/// if a file is standard input, which cannot be read again.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn fingerprint(paths: &[PathBuf]) -> Result<Option<String>, Error> {
    let mut hash = Sha1::new();
    for path in paths {
        if path == Path::new("-") {
            return Ok(None);
        }
        let failed = |error| Error::read(path.display().to_string(), error);
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut beginning = Vec::new();
        file.take(BEGINNING)
            .read_to_end(&mut beginning)
            .map_err(failed)?;
        hash.update(length.to_be_bytes());
        hash.update((beginning.len() as u64).to_be_bytes());
        hash.update(&beginning);
    }
    Ok(Some(hex(&hash.finalize())))
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
