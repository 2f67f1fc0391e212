//! A result format: how it is called, read and written.

use std::io;

use tenbin_result::Document;

use super::reader::Reader;
use super::write::Writer;

/// A result format.
#[derive(Debug)]
pub struct Format {
    /// Name of the format, as used in options.
    pub name: &'static str,
    /// Description of the format in one line.
    pub about: &'static str,
    /// Name of the format's file in a run directory.
    pub file: &'static str,
    /// Whether every run directory gets the file.
    pub kept: bool,
    /// How to read the format; `None` if the format is only written.
    pub read: Option<Reader>,
    /// How to write the format; `None` if the format is only read.
    pub write: Option<Writer>,
}

impl Format {
    /// A format without a reader and a writer.
    pub(super) const PLAIN: Self = Self {
        name: "",
        about: "",
        file: "",
        kept: false,
        read: None,
        write: None,
    };

    /// What a file in the format is, without remarks.
    pub(super) fn what(&self) -> &'static str {
        let about = self.about.split(['(', ';', ':']).next().unwrap_or_default();
        about.trim()
    }

    /// The data that the document lacks for this format, in one clause. `None` if no data is
    /// missing, or if only the recorded measurements can tell.
    pub fn lacks(&self, document: &Document) -> Option<&'static str> {
        match &self.write {
            Some(Writer::Document { lacks, .. }) => lacks(document),
            Some(Writer::Run(_)) | None => None,
        }
    }

    /// Writes a format that is generated from the document alone.
    ///
    /// # Errors
    /// Write errors of `to`; [`io::ErrorKind::Unsupported`] if the format needs the record or can
    /// only be read.
    pub fn write_document(&self, document: &Document, to: &mut dyn io::Write) -> io::Result<()> {
        match &self.write {
            Some(Writer::Document { write, .. }) => write(document, to),
            Some(Writer::Run(_)) | None => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!("{} is not written from a result document", self.name),
            )),
        }
    }

    /// A format generated from the document alone, in memory; empty for other formats.
    pub fn bytes(&self, document: &Document) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self.write_document(document, &mut bytes) {
            Ok(()) => bytes,
            Err(_) => Vec::new(),
        }
    }
}
