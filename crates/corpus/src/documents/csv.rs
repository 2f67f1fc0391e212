//! Separated values after a line of column names (RFC 4180): quoted values can contain separators,
//! line ends and doubled quotes.

use std::io::BufRead;

use tenbin_plan::{Sentence, sentence};

use super::Documents;
use crate::error::Error;
use crate::groonga::Item;
use crate::json::Json;
use crate::source::{Place, Source};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub(crate) struct Csv<R> {
    pub(super) documents: Documents,
    source: Source<R>,
    separator: u8,
    columns: Vec<String>,
}

impl<R: BufRead> Csv<R> {
    pub(super) fn new(documents: Documents, input: R, separator: u8) -> Self {
        Self {
            documents,
            source: Source::new(input),
            separator,
            columns: Vec::new(),
        }
    }

    pub(super) fn place(&self) -> Place {
        self.source.place()
    }

    pub(super) fn step(&mut self) -> Result<Option<Item>, Error> {
        if self.columns.is_empty() {
            let place = self.source.place();
            let Some(columns) = self.row(place)? else {
                return Ok(None);
            };
            self.columns = self.header(columns, place)?;
        }
        let place = self.source.place();
        let Some(values) = self.row(place)? else {
            return Ok(None);
        };
        if values.len() != self.columns.len() {
            let why = crate::source::wrong_count(values.len(), &self.columns);
            return Err(self.documents.malformed(place, why));
        }
        let members = self.columns.iter().zip(values);
        // An empty value is a missing value: most types have no empty text.
        let members = members.filter(|(_, value)| !value.is_empty());
        let members = members.map(|(name, value)| (name.clone(), Json::Text(value)));
        let record = self.documents.record(members.collect(), None, place)?;
        Ok(Some(Item::Record(record)))
    }

    fn header(&self, columns: Vec<String>, place: Place) -> Result<Vec<String>, Error> {
        for (at, name) in columns.iter().enumerate() {
            let why = if name.trim().is_empty() {
                sentence!(
                    "column-unnamed",
                    "column {number} has no name; the first line must name the columns",
                    number = at + 1
                )
            } else if columns[..at].contains(name) {
                sentence!(
                    "columns-same-name",
                    "two columns have the name {name:?}",
                    name
                )
                .with("name", name.escape_debug())
            } else {
                continue;
            };
            return Err(self.documents.malformed(place, why));
        }
        Ok(columns)
    }

    /// The values of the next line that is not empty; `None` at the end of the input.
    fn row(&mut self, place: Place) -> Result<Option<Vec<String>>, Error> {
        let wrong = |documents: &Documents, why: Sentence| Err(documents.malformed(place, why));
        let mut row = Row::default();
        let mut line = Vec::new();
        loop {
            let read = self.source.read_line(&mut line);
            if !read.map_err(|error| self.documents.unreadable(place, error))? {
                if row.is_quoted {
                    return wrong(
                        &self.documents,
                        sentence!(
                            "quote-open-in-line",
                            "the quote in the line that starts here is not closed; the file may be \
                             truncated"
                        ),
                    );
                }
                return Ok(None);
            }
            if place.byte == 0 && line.starts_with(BYTE_ORDER_MARK) {
                line.drain(..BYTE_ORDER_MARK.len());
            }
            if line.is_empty() && !row.is_quoted {
                continue;
            }
            if let Err(why) = row.take(&line, self.separator) {
                return wrong(&self.documents, why);
            }
            if !row.is_quoted {
                let values = row.values.into_iter().map(String::from_utf8);
                return match values.collect::<Result<_, _>>() {
                    Ok(values) => Ok(Some(values)),
                    Err(_) => wrong(&self.documents, crate::source::not_utf8()),
                };
            }
            if row.length > crate::source::LONGEST {
                let why = sentence!(
                    "line-from-here-too-long",
                    "the line that starts here is too long"
                );
                return wrong(&self.documents, why);
            }
        }
    }
}

/// A line of values under construction.
#[derive(Default)]
struct Row {
    values: Vec<Vec<u8>>,
    value: Vec<u8>,
    /// Whether the next byte is inside quotes.
    is_quoted: bool,
    length: usize,
}

impl Row {
    /// Adds a line of the input. A line that ends inside quotes goes on with the next line.
    fn take(&mut self, line: &[u8], separator: u8) -> Result<(), Sentence> {
        if self.is_quoted {
            self.value.push(b'\n');
        }
        self.length += line.len() + 1;
        let mut rest = line.iter().copied().peekable();
        // Whether a quoted value has ended: only a separator may follow.
        let mut is_closed = false;
        while let Some(byte) = rest.next() {
            match byte {
                b'"' if self.is_quoted => match rest.peek() {
                    Some(b'"') => {
                        rest.next();
                        self.value.push(b'"');
                    }
                    _ => (self.is_quoted, is_closed) = (false, true),
                },
                _ if self.is_quoted => self.value.push(byte),
                _ if byte == separator => {
                    self.values.push(std::mem::take(&mut self.value));
                    is_closed = false;
                }
                _ if is_closed => {
                    return Err(sentence!("text-after-quote", "text follows a closed quote"));
                }
                b'"' if self.value.is_empty() => self.is_quoted = true,
                _ => self.value.push(byte),
            }
        }
        if !self.is_quoted {
            self.values.push(std::mem::take(&mut self.value));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::DocumentKey;
    use super::*;

    fn read(text: &[u8], separator: u8) -> Result<Vec<String>, String> {
        let documents = Documents {
            name: "docs.csv".to_owned(),
            table: "Docs".into(),
            key: DocumentKey::Usual,
            keeps_key: false,
            number: 0,
        };
        let mut lines = Csv::new(documents, text, separator);
        let mut found = Vec::new();
        while let Some(item) = lines.step().map_err(|error| error.to_string())? {
            let Item::Record(record) = item else {
                panic!("a record");
            };
            found.push(record.value.to_string());
        }
        Ok(found)
    }

    #[test]
    fn quotes_separators_and_line_ends_are_read() {
        let text = "\u{feff}id,title,text\r\n1,tea,\"a, \"\"b\"\"\nc\"\r\n\r\n2,,日本\n";
        let expected = [
            r#"{"_key":"1","title":"tea","text":"a, \"b\"\nc"}"#,
            r#"{"_key":"2","text":"日本"}"#,
        ];
        assert_eq!(read(text.as_bytes(), b',').unwrap(), expected);
        assert_eq!(
            read(b"id\tt\n1\ta,b\"", b'\t').unwrap(),
            [r#"{"_key":"1","t":"a,b\""}"#]
        );
        assert_eq!(read(b"", b',').unwrap(), [""; 0]);
        assert_eq!(read(b"id,t\n", b',').unwrap(), [""; 0]);
    }

    #[test]
    fn other_lines_are_refused_with_their_place() {
        for (text, words) in [
            (
                "id,t\n1,a\n2",
                "line 3 (byte 9): 1 values for 2 columns (id, t)",
            ),
            ("id,t\n1,\"a", "is not closed"),
            ("id,t\n1,\"a\"b", "text follows a closed quote"),
            ("id,id\n", "two columns have the name \"id\""),
            ("id,\n", "column 2 has no name"),
            ("t\na\n", "--number-keys"),
        ] {
            let error = read(text.as_bytes(), b',').unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
        let error = read(b"id\n\xff\n", b',').unwrap_err();
        assert!(error.contains("is not UTF-8"), "{error}");
    }

    proptest::proptest! {
        #[test]
        fn every_value_is_read_back(rows in proptest::collection::vec(("[a-z]", "(?s).{1,8}"), 1..8)) {
            let plain = |text: &str| !text.contains('\r');
            proptest::prop_assume!(rows.iter().all(|(_, text)| plain(text)));
            let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
            let mut text = "id,t\n".to_owned();
            for (key, value) in &rows {
                text += &format!("{key},{}\n", quoted(value));
            }
            let expected: Vec<String> = rows
                .iter()
                .map(|(key, value)| {
                    format!("{{\"_key\":\"{key}\",\"t\":{}}}", Json::text(value.as_str()))
                })
                .collect();
            proptest::prop_assert_eq!(read(text.as_bytes(), b',').unwrap(), expected);
        }
    }
}
