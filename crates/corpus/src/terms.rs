//! Terms to search for: what stands in a column of a live server's answer.

use std::collections::HashSet;

use crate::error::Error;
use crate::escape::query_component;
use crate::groonga::{Answer, Columns};
use crate::http::Client;
use crate::json::Json;

/// Records asked for at once.
const PAGE: u64 = 1_000;

/// The column of a `select`'s answer, of command version 1, 2 or 3, as terms.
///
/// # Errors
/// What is wrong with the answer.
pub fn extract(answer: &[u8], column: usize) -> Result<Vec<String>, String> {
    let body = Answer::parse(answer)?.into_body()?;
    let columns = Columns::of(&body)?;
    if column >= columns.names.len() {
        return Err(format!(
            "there is no column number {column}: the answer has {} (counted from 0)",
            columns.names.len()
        ));
    }
    let mut terms = Vec::new();
    for record in columns.records {
        match record.at(column) {
            Some(Json::List(items)) => terms.extend(items.iter().filter_map(Json::as_word)),
            Some(value) => terms.extend(value.as_word()),
            None => {}
        }
    }
    Ok(terms.into_iter().filter_map(as_term).collect())
}

/// A term is a line: what would part it is no part of it.
fn as_term(word: String) -> Option<String> {
    let term = word.replace(['\n', '\r'], " ");
    (!term.trim().is_empty()).then_some(term)
}

/// Terms as they are found in records, each once.
#[derive(Debug, Default)]
pub(crate) struct Titles {
    terms: Vec<String>,
    seen: HashSet<String>,
}

impl Titles {
    pub(crate) fn take(&mut self, value: Option<&Json>) {
        let term = value.and_then(Json::as_word).and_then(as_term);
        let terms = without_doubles(term.into_iter().collect(), &mut self.seen);
        self.terms.extend(terms);
    }

    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    pub(crate) fn into_terms(self) -> Vec<String> {
        self.terms
    }
}

/// Keeps each term once.
pub fn without_doubles(terms: Vec<String>, seen: &mut HashSet<String>) -> Vec<String> {
    terms
        .into_iter()
        .filter(|term| seen.insert(term.clone()))
        .collect()
}

/// What to ask a server for.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The table.
    pub table: String,
    /// The column whose values are terms.
    pub column: String,
    /// Where the terms must have hits, such as `title,text`; unchecked if there is none.
    pub match_columns: Option<String>,
    /// So many different terms.
    pub count: u64,
}

/// Terms found on a server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Different terms, with hits if that was asked for.
    pub terms: Vec<String>,
    /// Terms left out because they were there already.
    pub doubles: u64,
    /// Terms left out because they have no hits.
    pub without_hits: u64,
}

/// Asks a server for terms until there are as many as wanted, or no more records.
///
/// # Errors
/// When the server does not answer.
pub fn find(server: &Client, wanted: &Wanted, stop: &dyn Fn() -> bool) -> Result<Found, Error> {
    let failed = |reason: String| Error::server(server.url(), reason);
    let mut found = Found::default();
    let mut seen = HashSet::new();
    let mut offset = 0;
    while !stop() {
        let path = format!(
            "/d/select?command_version=2&table={}&limit={PAGE}&offset={offset}\
             &output_columns={}&cache=no",
            query_component(&wanted.table),
            query_component(&wanted.column)
        );
        // Behind its last record Groonga gives nothing, or says that the offset is wrong.
        let reply = server.get(&path)?;
        let terms = match extract(&reply.body, 0) {
            Ok(terms) => terms,
            Err(_) if offset > 0 => return Ok(found),
            Err(reason) => return Err(failed(reason)),
        };
        if terms.is_empty() {
            return Ok(found);
        }
        let all = terms.len() as u64;
        let terms = without_doubles(terms, &mut seen);
        found.doubles += all - terms.len() as u64;
        for term in terms {
            if stop() || found.terms.len() as u64 >= wanted.count {
                return Ok(found);
            }
            match &wanted.match_columns {
                Some(columns) if hits(server, wanted, columns, &term)? == 0 => {
                    found.without_hits += 1;
                }
                _ => found.terms.push(term),
            }
        }
        if found.terms.len() as u64 >= wanted.count {
            break;
        }
        offset += PAGE;
    }
    Ok(found)
}

/// Records that a term is found in, as the tutorial's search looks for it.
fn hits(server: &Client, wanted: &Wanted, columns: &str, term: &str) -> Result<u64, Error> {
    let path = format!(
        "/d/select?command_version=2&table={}&limit=0&match_columns={}&query_flags=NONE\
         &query={}&cache=no",
        query_component(&wanted.table),
        query_component(columns),
        query_component(term)
    );
    let reply = server.get(&path)?;
    let failed = |reason: String| Error::server(server.url(), format!("query {term:?}: {reason}"));
    let answered = Answer::parse(&reply.body).and_then(Answer::into_body);
    let body = answered.map_err(failed)?;
    Ok(Columns::of(&body).map_err(failed)?.hits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_every_command_version() {
        let lists = br#"[[0,1.5,6e-05],[[[3],[["_key","UInt64"],["title","ShortText"]],[1,"a b"],[2,""],[3,"c\nd"]]]]"#;
        let maps = br#"{"header":{"return_code":0},"body":{"n_hits":3,"columns":[{"name":"_key","type":"UInt64"},{"name":"title","type":"ShortText"}],"records":[[1,"a b"],[2,""],[3,"c\nd"]]}}"#;
        for answer in [&lists[..], maps] {
            assert_eq!(extract(answer, 0).unwrap(), ["1", "2", "3"]);
            assert_eq!(extract(answer, 1).unwrap(), ["a b", "c d"]);
            let error = extract(answer, 2).unwrap_err();
            assert!(error.starts_with("there is no column number 2"), "{error}");
        }
        let vectors = br#"[[0,1,1],[[[1],[["c","T"]],[["x","y"]],[null]]]]"#;
        assert_eq!(extract(vectors, 0).unwrap(), ["x", "y"]);
        let mut seen = HashSet::new();
        let once = without_doubles(vec!["a".into(), "b".into(), "a".into()], &mut seen);
        assert_eq!(once, ["a", "b"]);
        assert!(without_doubles(once, &mut seen).is_empty());
    }
}
