//! One JSON object per line. A line can also be an action of OpenSearch's `_bulk`, which names the
//! key of the document on the next line, or a search hit with the document in `_source`.

use std::io::BufRead;

use tenbin_plan::{Sentence, sentence};

use super::Documents;
use crate::error::Error;
use crate::groonga::Item;
use crate::json::Json;
use crate::source::{Place, Source};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub(crate) struct Ndjson<R> {
    pub(super) documents: Documents,
    source: Source<R>,
    line: Vec<u8>,
    /// The key in the action before the document.
    key: Option<Json>,
}

/// What a line holds.
enum Line {
    Document(Vec<(String, Json)>, Option<Json>),
    Action(Option<Json>),
}

impl<R: BufRead> Ndjson<R> {
    pub(super) fn new(documents: Documents, input: R) -> Self {
        Self {
            documents,
            source: Source::new(input),
            line: Vec::new(),
            key: None,
        }
    }

    pub(super) fn place(&self) -> Place {
        self.source.place()
    }

    pub(super) fn step(&mut self) -> Result<Option<Item>, Error> {
        loop {
            let place = self.source.place();
            let read = self.source.read_line(&mut self.line);
            if !read.map_err(|error| self.documents.unreadable(place, error))? {
                return Ok(None);
            }
            if self.line.trim_ascii().is_empty() {
                continue;
            }
            let line = parsed(&self.line).map_err(|why| self.documents.malformed(place, why))?;
            match line {
                Line::Action(key) => self.key = key,
                Line::Document(members, own) => {
                    let outer = self.key.take().or(own);
                    let record = self.documents.record(members, outer, place)?;
                    return Ok(Some(Item::Record(record)));
                }
            }
        }
    }
}

fn parsed(line: &[u8]) -> Result<Line, Sentence> {
    let text = line
        .strip_prefix(BYTE_ORDER_MARK)
        .unwrap_or(line)
        .trim_ascii();
    if text.first() == Some(&b'[') {
        return Err(sentence!(
            "line-of-array",
            "a line must hold one object, not an array; write one document per line, for example \
             with jq -c '.[]'"
        ));
    }
    let value = Json::parse(text).map_err(crate::source::not_json)?;
    let Json::Map(mut members) = value else {
        return Err(sentence!(
            "line-of-no-object", "a line must hold one object"
        ));
    };
    let own = members.iter().find(|(name, _)| name == "_id");
    let own = own.map(|(_, key)| key.clone());
    match members.as_slice() {
        [(name, Json::Map(action))] if is_action(name, action) => {
            if matches!(name.as_str(), "delete" | "update") {
                return Err(sentence!(
                    "bulk-action",
                    "{name} is not supported; only index and create of _bulk are",
                    name
                ));
            }
            let key = action.iter().find(|(name, _)| name == "_id");
            Ok(Line::Action(key.map(|(_, key)| key.clone())))
        }
        _ => {
            let source = members
                .iter()
                .position(|(name, value)| name == "_source" && matches!(value, Json::Map(_)));
            let source = source.map(|at| members.swap_remove(at).1);
            Ok(match source {
                Some(Json::Map(document)) => Line::Document(document, own),
                _ => Line::Document(members, None),
            })
        }
    }
}

/// Whether a line with the single member `name` is an action: all names in it are those of
/// metadata.
fn is_action(name: &str, action: &[(String, Json)]) -> bool {
    let is_metadata =
        |name: &str| name.starts_with('_') || matches!(name, "routing" | "require_alias");
    matches!(name, "index" | "create" | "update" | "delete")
        && action.iter().all(|(name, _)| is_metadata(name))
}

#[cfg(test)]
mod tests {
    use super::super::DocumentKey;
    use super::*;

    fn read(text: &str, key: DocumentKey, keeps_key: bool) -> Result<Vec<String>, String> {
        let documents = Documents {
            name: "docs.ndjson".to_owned(),
            table: "Docs".into(),
            key,
            keeps_key,
            number: 0,
        };
        let mut lines = Ndjson::new(documents, text.as_bytes());
        let mut found = Vec::new();
        while let Some(item) = lines.step().map_err(|error| error.to_string())? {
            let Item::Record(record) = item else {
                panic!("a record");
            };
            assert_eq!(&*record.table, "Docs");
            found.push(record.value.to_string());
        }
        Ok(found)
    }

    #[test]
    fn documents_get_their_keys() {
        let text = "{\"id\":7,\"t\":\"a\"}\r\n\n{\"_id\":\"x\",\"t\":\"b\",\"n\":{\"m\":[1]}}\n";
        assert_eq!(
            read(text, DocumentKey::Usual, true).unwrap(),
            [
                r#"{"_key":7,"id":7,"t":"a"}"#,
                r#"{"_key":"x","t":"b","n":{"m":[1]}}"#
            ]
        );
        assert_eq!(
            read(text, DocumentKey::Usual, false).unwrap()[0],
            r#"{"_key":7,"t":"a"}"#
        );
        assert_eq!(
            read(text, DocumentKey::Member("t".to_owned()), false).unwrap()[1],
            r#"{"_key":"b","n":{"m":[1]}}"#
        );
        assert_eq!(
            read("{\"t\":1}\n{\"t\":2}", DocumentKey::Number, true).unwrap(),
            [r#"{"_key":1,"t":1}"#, r#"{"_key":2,"t":2}"#]
        );
    }

    #[test]
    fn exports_of_opensearch_are_read() {
        let bulk = "{\"index\":{\"_index\":\"a\",\"_id\":\"1\"}}\n{\"t\":\"a\"}\n\
                    {\"create\":{\"_id\":\"2\"}}\n{\"t\":\"b\"}\n";
        let keyed = [r#"{"_key":"1","t":"a"}"#, r#"{"_key":"2","t":"b"}"#];
        assert_eq!(read(bulk, DocumentKey::Usual, true).unwrap(), keyed);
        let hits = "{\"_index\":\"a\",\"_id\":\"1\",\"_score\":1,\"_source\":{\"t\":\"a\"}}\n\
                    {\"_id\":\"2\",\"_source\":{\"t\":\"b\"}}";
        assert_eq!(read(hits, DocumentKey::Usual, true).unwrap(), keyed);
        // A document with a member of this name.
        assert_eq!(
            read("{\"index\":{\"id\":1}}", DocumentKey::Number, true).unwrap(),
            [r#"{"_key":1,"index":{"id":1}}"#]
        );
    }

    #[test]
    fn other_lines_are_refused_with_their_place() {
        for (text, words) in [
            (
                "{\"id\":1}\n{\"t\":1}",
                "line 2 (byte 9): the document has no text or number",
            ),
            ("{\"id\":null}", "name the member with the key (--key)"),
            ("[1]", "with jq -c '.[]'"),
            ("\"a\"", "must hold one object"),
            ("{\"id\":", "not JSON"),
            ("{\"delete\":{\"_id\":\"1\"}}", "delete is not supported"),
        ] {
            let error = read(text, DocumentKey::Usual, true).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
