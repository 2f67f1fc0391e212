//! Parses Groonga command files as a stream: one command per line, and an array of records after
//! `load`. Groonga's `dump` writes such files, and `groonga DB < file` reads such files.

use std::io::{self, BufRead};
use std::sync::Arc;

use tenbin_plan::{Sentence, sentence};

use super::command::Command;
use crate::error::Error;
use crate::json::Json;
use crate::source::{Place, Source};

/// An item of a Groonga command file.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A command other than `load`.
    Command(Command),
    /// A record of a `load`.
    Record(Record),
}

/// A record to be loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Table of the record.
    pub table: Arc<str>,
    /// Names of the columns, if the record is an array of values; `None` for an object.
    pub columns: Option<Arc<[String]>>,
    /// The record: an object, or an array of values.
    pub value: Json,
    /// Position in the file.
    pub place: Place,
}

impl Record {
    /// Names and values of the columns, including `_key`.
    pub fn members(&self) -> impl Iterator<Item = (&str, &Json)> {
        let named: &[(String, Json)] = match &self.value {
            Json::Map(members) => members,
            _ => &[],
        };
        let columns = self.columns.as_deref().unwrap_or_default();
        let values = self.value.as_list().unwrap_or_default();
        let listed = columns.iter().zip(values);
        named
            .iter()
            .map(|(name, value)| (name.as_str(), value))
            .chain(listed.map(|(name, value)| (name.as_str(), value)))
    }

    /// The value of `_key`.
    pub fn key(&self) -> Option<&Json> {
        let is_key = |name: &str| name == "_key";
        self.members()
            .find(|(name, _)| is_key(name))
            .map(|(_, key)| key)
    }
}

/// Parser of a Groonga command file: an iterator over the commands and records.
#[derive(Debug)]
pub struct Script<R> {
    name: String,
    source: Source<R>,
    load: Option<Load>,
    /// Records given in the `load` command itself, in its argument `values`.
    inline: std::vec::IntoIter<Record>,
    failed: bool,
}

/// A `load` whose records are being parsed.
#[derive(Debug)]
struct Load {
    place: Place,
    table: Arc<str>,
    columns: Option<Arc<[String]>>,
    /// Whether the parser is inside the array of records.
    open: bool,
}

impl<R: BufRead> Script<R> {
    /// Parses `input`; error messages call the input `name`.
    pub fn new(name: impl Into<String>, input: R) -> Self {
        Self {
            name: name.into(),
            source: Source::new(input),
            load: None,
            inline: Vec::new().into_iter(),
            failed: false,
        }
    }

    /// Current position in the input.
    pub fn place(&self) -> Place {
        self.source.place()
    }

    fn step(&mut self) -> Result<Option<Item>, Error> {
        loop {
            if let Some(record) = self.inline.next() {
                return Ok(Some(Item::Record(record)));
            }
            if let Some(load) = self.load.take() {
                if let Some(record) = self.next_record(load)? {
                    return Ok(Some(Item::Record(record)));
                }
                continue;
            }
            let place = self.source.place();
            let Some(line) = self.line()? else {
                return Ok(None);
            };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let command = Command::parse(line).map_err(|reason| self.malformed(place, reason))?;
            if command.name != "load" {
                return Ok(Some(Item::Command(command)));
            }
            self.begin_load(&command, place)?;
        }
    }

    /// Reads a line together with its continuation lines; a backslash at the end continues a line.
    fn line(&mut self) -> Result<Option<String>, Error> {
        let mut whole = Vec::new();
        let mut line = Vec::new();
        let mut any = false;
        let place = self.source.place();
        while self
            .source
            .read_line(&mut line)
            .map_err(|e| self.unreadable(e))?
        {
            any = true;
            whole.extend_from_slice(&line);
            let backslashes = line.iter().rev().take_while(|&&b| b == b'\\').count();
            if backslashes % 2 == 0 {
                break;
            }
            whole.pop();
            if whole.len() > crate::source::LONGEST {
                return Err(self.malformed(
                    place,
                    sentence!("data-line-too-long", "the line is too long"),
                ));
            }
        }
        if !any {
            return Ok(None);
        }
        let text = String::from_utf8(whole)
            .map_err(|_| self.malformed(place, crate::source::not_utf8()))?;
        Ok(Some(text))
    }

    fn begin_load(&mut self, command: &Command, place: Place) -> Result<(), Error> {
        let table = command
            .argument("table")
            .filter(|table| !table.is_empty())
            .ok_or_else(|| {
                let why = sentence!("load-without-table", "load has no --table");
                self.malformed(place, why)
            })?;
        if let Some(other) = command
            .argument("input_type")
            .filter(|kind| *kind != "json")
        {
            let reason = sentence!(
                "load-of-other-type",
                "load has --input_type {other}; only json can be read",
                other
            );
            return Err(self.malformed(place, reason));
        }
        let columns = command.argument("columns").map(|columns| {
            let names = columns.split(',').map(|name| name.trim().to_owned());
            names.collect::<Arc<[String]>>()
        });
        let mut load = Load {
            place,
            table: table.into(),
            columns,
            open: false,
        };
        let Some(values) = command.argument("values") else {
            self.load = Some(load);
            return Ok(());
        };
        let value = Json::parse(values.as_bytes()).map_err(|error| {
            let why = sentence!("values-no-json", "--values is not JSON: {error}", error);
            self.malformed(place, why)
        })?;
        let elements = match value {
            Json::List(elements) => elements,
            other => vec![other],
        };
        let mut records = Vec::new();
        for element in elements {
            records.extend(
                load.take(element, place)
                    .map_err(|reason| self.malformed(place, reason))?,
            );
        }
        self.inline = records.into_iter();
        Ok(())
    }

    /// The next record of a load; `None` at its end.
    fn next_record(&mut self, mut load: Load) -> Result<Option<Record>, Error> {
        loop {
            let Some(byte) = self.next_byte()? else {
                let reason = sentence!(
                    "load-cut",
                    "the input ends inside the load that starts on line {line}; it may be truncated",
                    line = load.place.line
                );
                return Err(self.malformed(self.source.place(), reason));
            };
            let place = self.source.place();
            match (load.open, byte) {
                (false, b'[') => {
                    self.source.consume(1);
                    load.open = true;
                    continue;
                }
                (true, b']') => {
                    self.source.consume(1);
                    return Ok(None);
                }
                (true, b',') => {
                    self.source.consume(1);
                    continue;
                }
                (_, b'{') | (true, b'[') => {}
                (_, byte) => {
                    let reason = sentence!(
                        "record-begins-with",
                        "a record must be an object or an array, not \"{begin}\"",
                        begin = byte.escape_ascii()
                    );
                    return Err(self.malformed(place, reason));
                }
            }
            let text = self.element()?;
            let element = Json::parse(&text)
                .map_err(|error| self.malformed(place, crate::source::not_json(error)))?;
            let taken = load
                .take(element, place)
                .map_err(|reason| self.malformed(place, reason))?;
            // An object without brackets is the only record of the load.
            if load.open {
                if let Some(record) = taken {
                    self.load = Some(load);
                    return Ok(Some(record));
                }
            } else {
                return Ok(taken);
            }
        }
    }

    /// The next byte that is not white space, without consuming it.
    fn next_byte(&mut self) -> Result<Option<u8>, Error> {
        self.source.begin_piece();
        loop {
            match self.source.peek().map_err(|e| self.unreadable(e))? {
                Some(byte) if byte.is_ascii_whitespace() => self.source.consume(1),
                other => return Ok(other),
            }
        }
    }

    /// Reads the object or array that starts at the current position.
    fn element(&mut self) -> Result<Vec<u8>, Error> {
        let start = self.source.place();
        self.source.begin_piece();
        let mut text = Vec::new();
        let mut scan = Scan::default();
        loop {
            let chunk = match self.source.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) => return Err(self.unreadable(error)),
            };
            if chunk.is_empty() {
                let reason = sentence!(
                    "record-cut",
                    "the input ends inside the record that starts here; it may be truncated"
                );
                return Err(self.malformed(start, reason));
            }
            let end = scan.end_in(chunk);
            let used = end.unwrap_or(chunk.len());
            text.extend_from_slice(&chunk[..used]);
            self.source.consume(used);
            if end.is_some() {
                return Ok(text);
            }
        }
    }

    fn malformed(&self, place: Place, reason: Sentence) -> Error {
        Error::Malformed {
            name: self.name.clone(),
            place,
            reason,
        }
    }

    fn unreadable(&self, source: io::Error) -> Error {
        if source.kind() == io::ErrorKind::FileTooLarge {
            return self.malformed(self.source.place(), Sentence::from(&source));
        }
        Error::read(&self.name, source)
    }
}

impl Load {
    /// Converts an element to a record; returns `None` for the header with column names.
    fn take(&mut self, element: Json, place: Place) -> Result<Option<Record>, Sentence> {
        let columns = match &element {
            Json::Map(_) => None,
            Json::List(values) => {
                let Some(columns) = &self.columns else {
                    let names: Option<Arc<[String]>> = values
                        .iter()
                        .map(|name| name.as_text().map(str::to_owned))
                        .collect();
                    let names = names.ok_or_else(|| {
                        sentence!(
                            "columns-unnamed",
                            "the first array must name the columns, as in [\"_key\",\"title\"]"
                        )
                    })?;
                    self.columns = Some(names);
                    return Ok(None);
                };
                if columns.len() != values.len() {
                    return Err(crate::source::wrong_count(values.len(), columns));
                }
                Some(Arc::clone(columns))
            }
            _ => {
                return Err(sentence!(
                    "no-record",
                    "a record must be an object or an array"
                ));
            }
        };
        Ok(Some(Record {
            table: Arc::clone(&self.table),
            columns,
            value: element,
            place,
        }))
    }
}

impl<R: BufRead> Iterator for Script<R> {
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

/// Finds the end of an object or array in a stream of chunks.
#[derive(Debug, Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Scan {
    /// Number of bytes of `chunk` up to the end of the element, if the element ends in the chunk.
    fn end_in(&mut self, chunk: &[u8]) -> Option<usize> {
        for (at, &byte) in chunk.iter().enumerate() {
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'[' | b'{' => self.depth += 1,
                b']' | b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let script = Script::new("test.grn", io::BufReader::with_capacity(3, text.as_bytes()));
        script
            .map(|item| match item {
                Ok(Item::Command(command)) => command.to_string(),
                Ok(Item::Record(record)) => {
                    let members: Vec<String> = record
                        .members()
                        .map(|(name, value)| format!("{name}={value}"))
                        .collect();
                    format!("{}: {}", record.table, members.join(" "))
                }
                Err(error) => error.to_string(),
            })
            .collect()
    }

    #[test]
    fn commands_and_records() {
        let text = "# a comment\n\
            table_create Pages \\\n  TABLE_HASH_KEY UInt64\r\n\n\
            load --table Pages\n[\n{\"_key\":1,\"title\":\"]}\\\"町\"},\n{\"_key\":2}\n]\n\
            load --table Pages\n[\n[\"_key\",\"title\"],\n[3,\"c\"],[4,\"d\"]]\n\
            load --table Tags --columns '_key, n' --values '[[\"a\",1],{\"_key\":\"b\"}]'\n\
            load --table Tags\n{\"_key\":\"c\"}\n\
            load --table Tags\n[]\n\
            column_create Pages title COLUMN_SCALAR ShortText";
        assert_eq!(
            read(text),
            [
                "table_create --name Pages --flags TABLE_HASH_KEY --key_type UInt64",
                "Pages: _key=1 title=\"]}\\\"町\"",
                "Pages: _key=2",
                "Pages: _key=3 title=\"c\"",
                "Pages: _key=4 title=\"d\"",
                "Tags: _key=\"a\" n=1",
                "Tags: _key=\"b\"",
                "Tags: _key=\"c\"",
                "column_create --table Pages --name title --flags COLUMN_SCALAR --type ShortText",
            ]
        );
    }

    #[test]
    fn errors_have_their_position() {
        for (text, complaint) in [
            (
                "status\nnonsense x\n",
                "test.grn, line 2 (byte 7): nonsense takes no argument \"x\" without a name: write --NAME VALUE",
            ),
            (
                "load\n[]\n",
                "test.grn, line 1 (byte 0): load has no --table",
            ),
            (
                "load --table T\n[\n{\"_key\":1},\n{\"_key\":}\n]\n",
                "test.grn, line 4 (byte 29): not JSON: expected value at line 1 column 9",
            ),
            (
                "load --table T\n[\n{\"_key\":1},\n",
                "test.grn, line 4 (byte 29): the input ends inside the load that starts on line 1; \
                 it may be truncated",
            ),
            (
                "load --table T\n[\n{\"_key\":\"",
                "test.grn, line 3 (byte 17): the input ends inside the record that starts here; \
                 it may be truncated",
            ),
            (
                "load --table T\n[\n[\"_key\"],[1,2]]",
                "test.grn, line 3 (byte 26): 2 values for 1 columns (_key)",
            ),
            (
                "load --table T\n[\n[1,2]]",
                "test.grn, line 3 (byte 17): the first array must name the columns, as in \
                 [\"_key\",\"title\"]",
            ),
            (
                "load --table T\n[5]",
                "test.grn, line 2 (byte 16): a record must be an object or an array, not \
                 \"5\"",
            ),
        ] {
            assert_eq!(read(text).last().map(String::as_str), Some(complaint));
        }
    }
}
