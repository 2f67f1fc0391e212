//! Documents of other programs: one JSON object per line (NDJSON), or lines of separated values
//! (CSV).

mod csv;
mod ndjson;

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use tenbin_plan::{Sentence, sentence};

use self::csv::Csv;
use self::ndjson::Ndjson;
use crate::error::Error;
use crate::groonga::{Item, Record, Script};
use crate::json::Json;
use crate::packed;
use crate::source::Place;

/// Names of the members or columns that are the key of a document unless the user names another.
const KEYS: [&str; 3] = ["_key", "_id", "id"];

/// The format of a file of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Groonga commands.
    Groonga,
    /// One JSON object per line.
    Ndjson,
    /// Values separated by commas, after a line of column names.
    Csv,
    /// Values separated by tabs, after a line of column names.
    Tsv,
}

impl Format {
    const NAMES: [(&'static str, Self); 4] = [
        ("groonga", Self::Groonga),
        ("ndjson", Self::Ndjson),
        ("csv", Self::Csv),
        ("tsv", Self::Tsv),
    ];

    /// The format by the extension of a file, without the extension of a compression; files of
    /// other extensions hold Groonga commands.
    fn of(path: &Path) -> Self {
        Self::by_extension(path).unwrap_or(Self::Groonga)
    }

    /// Whether the extension of a file names a format. `.json` does not: such files often hold
    /// something else.
    pub(crate) fn is_known(path: &Path) -> bool {
        Self::by_extension(path).is_some()
    }

    fn by_extension(path: &Path) -> Option<Self> {
        let name = Self::name_of(path);
        match Path::new(&name).extension()?.to_str()? {
            "grn" => Some(Self::Groonga),
            "ndjson" | "jsonl" => Some(Self::Ndjson),
            "csv" => Some(Self::Csv),
            "tsv" => Some(Self::Tsv),
            _ => None,
        }
    }

    /// The name of a file without the extension of a compression.
    pub(crate) fn name_of(path: &Path) -> String {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let unpacked = packed::EXTENSIONS
            .iter()
            .find_map(|end| name.strip_suffix(end)?.strip_suffix('.'));
        unpacked.unwrap_or(&name).to_owned()
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text);
        found.map(|(_, format)| *format).ok_or_else(|| {
            let names = Self::NAMES.map(|(name, _)| name);
            format!("write one of {}", names.join(", "))
        })
    }
}

/// What the key of a document is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub enum DocumentKey {
    /// The member `_key`, `_id` or `id`, whichever a document has first.
    #[default]
    Usual,
    /// The member with this name.
    Member(String),
    /// The number of the document among all documents of the load, from 1.
    Number,
}

/// How files of records are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// Format of all files; `None`: by their extensions.
    pub format: Option<Format>,
    /// Table of all documents; `None`: the name of the file without its extensions.
    pub table: Option<String>,
    /// What the key of a document is.
    pub key: DocumentKey,
    /// Whether the key stays a member of the document, too. Servers whose records have a column for
    /// each member do not need it twice.
    pub keeps_key: bool,
}

impl Reading {
    /// The format of a file.
    pub fn format_of(&self, path: &Path) -> Format {
        self.format.unwrap_or_else(|| Format::of(path))
    }

    /// The table of the documents in a file.
    pub fn table_of(&self, path: &Path) -> String {
        let stem = || {
            let name = Format::name_of(path);
            let stem = Path::new(&name).file_stem().unwrap_or_default();
            stem.to_string_lossy().into_owned()
        };
        self.table.clone().unwrap_or_else(stem)
    }

    /// The tables of the files that hold documents, without duplicates.
    ///
    /// # Errors
    /// When standard input holds documents and no table is set.
    pub fn tables<'a>(&self, paths: impl Iterator<Item = &'a Path>) -> Result<Vec<String>, Error> {
        let mut tables: Vec<String> = Vec::new();
        for path in paths.filter(|path| self.format_of(path) != Format::Groonga) {
            if path == Path::new("-") && self.table.is_none() {
                return Err(Error::refused(
                    "documents on standard input need a table: set --table".to_owned(),
                ));
            }
            let table = self.table_of(path);
            if !tables.contains(&table) {
                tables.push(table);
            }
        }
        Ok(tables)
    }

    /// Text that identifies what the records of files depend on, apart from their content; empty
    /// without documents.
    pub(crate) fn description(&self, paths: &[PathBuf]) -> String {
        let Self {
            format,
            table,
            key,
            keeps_key: _,
        } = self;
        let is_document = |path: &PathBuf| self.format_of(path) != Format::Groonga;
        if paths.iter().any(is_document) {
            format!(" {format:?} {table:?} {key:?}")
        } else {
            String::new()
        }
    }
}

/// A parser of one file: an iterator over its commands and records.
pub(crate) enum Parser {
    Groonga(Script<Box<dyn BufRead>>),
    Ndjson(Ndjson<Box<dyn BufRead>>),
    Csv(Csv<Box<dyn BufRead>>),
}

impl Parser {
    /// A parser of `input`, the content of the file `path`. `number`: documents before this file.
    pub(crate) fn new(
        reading: &Reading,
        path: &Path,
        name: String,
        input: Box<dyn BufRead>,
        number: u64,
    ) -> Self {
        let documents = || Documents {
            name: name.clone(),
            table: reading.table_of(path).into(),
            key: reading.key.clone(),
            keeps_key: reading.keeps_key,
            number,
        };
        match reading.format_of(path) {
            Format::Groonga => Self::Groonga(Script::new(name, input)),
            Format::Ndjson => Self::Ndjson(Ndjson::new(documents(), input)),
            Format::Csv => Self::Csv(Csv::new(documents(), input, b',')),
            Format::Tsv => Self::Csv(Csv::new(documents(), input, b'\t')),
        }
    }

    pub(crate) fn place(&self) -> Place {
        match self {
            Self::Groonga(script) => script.place(),
            Self::Ndjson(lines) => lines.place(),
            Self::Csv(lines) => lines.place(),
        }
    }

    /// Number of documents so far, including those before this file.
    pub(crate) fn number(&self) -> Option<u64> {
        match self {
            Self::Groonga(_) => None,
            Self::Ndjson(lines) => Some(lines.documents.number),
            Self::Csv(lines) => Some(lines.documents.number),
        }
    }
}

impl Iterator for Parser {
    type Item = Result<Item, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Groonga(script) => script.next(),
            Self::Ndjson(lines) => lines.step().transpose(),
            Self::Csv(lines) => lines.step().transpose(),
        }
    }
}

/// Makes records of documents.
pub(crate) struct Documents {
    name: String,
    table: Arc<str>,
    key: DocumentKey,
    keeps_key: bool,
    /// Documents so far.
    number: u64,
}

impl Documents {
    /// The record of a document. `outer`: a key that stands beside the document.
    fn record(
        &mut self,
        members: Vec<(String, Json)>,
        outer: Option<Json>,
        place: Place,
    ) -> Result<Record, Error> {
        self.number += 1;
        let has = |name: &str| members.iter().any(|(member, _)| member == name);
        let member = match &self.key {
            DocumentKey::Number => None,
            DocumentKey::Member(name) => Some(name.as_str()),
            DocumentKey::Usual => KEYS.into_iter().find(|name| has(name)),
        };
        let value = |name: &str| {
            let mut found = members.iter().filter(|(member, _)| member == name);
            found.next().map(|(_, value)| value.clone())
        };
        let key = match (&self.key, outer) {
            (DocumentKey::Number, _) => Some(Json::Number(self.number.into())),
            (DocumentKey::Usual, Some(outer)) => Some(outer),
            _ => member.and_then(value),
        };
        let key = key.filter(|key| matches!(key, Json::Text(_) | Json::Number(_)));
        let Some(key) = key else {
            return Err(self.malformed(place, self.no_key()));
        };
        let drops = |name: &str| {
            name.starts_with('_') || !self.keeps_key && member.is_some_and(|member| member == name)
        };
        let mut value = vec![("_key".to_owned(), key)];
        value.extend(members.into_iter().filter(|(name, _)| !drops(name)));
        Ok(Record {
            table: Arc::clone(&self.table),
            columns: None,
            value: Json::Map(value),
            place,
        })
    }

    fn no_key(&self) -> Sentence {
        let key = match &self.key {
            DocumentKey::Member(name) => format!("{name:?}"),
            _ => KEYS.join(", "),
        };
        sentence!(
            "document-without-key",
            "the document has no text or number as its key {key}; name the member with the key \
             (--key), or number the documents (--number-keys)",
            key
        )
    }

    fn malformed(&self, place: Place, reason: Sentence) -> Error {
        Error::Malformed {
            name: self.name.clone(),
            place,
            reason,
        }
    }

    fn unreadable(&self, place: Place, source: io::Error) -> Error {
        if source.kind() == io::ErrorKind::FileTooLarge {
            return self.malformed(place, Sentence::from(&source));
        }
        Error::read(&self.name, source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_and_tables_follow_from_the_names_of_files() {
        let reading = Reading::default();
        for (name, format, table) in [
            ("data/pages.grn", Format::Groonga, "pages"),
            ("dump", Format::Groonga, "dump"),
            ("Docs.ndjson", Format::Ndjson, "Docs"),
            ("a.b.jsonl.gz", Format::Ndjson, "a.b"),
            ("shop.csv.zst", Format::Csv, "shop"),
            ("shop.tsv", Format::Tsv, "shop"),
        ] {
            let path = Path::new(name);
            assert_eq!(reading.format_of(path), format, "{name}");
            assert_eq!(reading.table_of(path), table, "{name}");
        }
        let given = Reading {
            format: Some(Format::Csv),
            table: Some("T".to_owned()),
            ..Reading::default()
        };
        let path = Path::new("x.ndjson");
        assert_eq!(
            (given.format_of(path), &*given.table_of(path)),
            (Format::Csv, "T")
        );
        let paths = [path.to_owned()];
        assert_ne!(given.description(&paths), reading.description(&paths));
        assert_eq!(reading.description(&["a.grn".into()]), "");
    }

    #[test]
    fn standard_input_needs_a_table() {
        let paths = || [Path::new("-"), Path::new("a.csv")].into_iter();
        let mut reading = Reading {
            format: Some(Format::Ndjson),
            ..Reading::default()
        };
        assert!(reading.tables(paths()).is_err());
        reading.table = Some("T".to_owned());
        assert_eq!(reading.tables(paths()).unwrap(), ["T"]);
        assert_eq!(Reading::default().tables(paths()).unwrap(), ["a"]);
    }
}
