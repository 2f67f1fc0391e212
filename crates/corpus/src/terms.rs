//! Extracts search terms from a column of the records on a running server.

mod groonga;
mod opensearch;

use std::collections::HashSet;

use tenbin_http::excerpt;

use crate::error::Error;
use crate::groonga::{Columns, Response};
use crate::json::Json;
use tenbin_http::Client;

/// Records per request.
const PAGE: u64 = 1_000;

/// Extracts the terms in a column of a `select` response, in command version 1, 2 or 3.
///
/// # Errors
/// What is wrong with the response.
pub fn extract(answer: &[u8], column: usize) -> Result<Vec<String>, String> {
    let body = Response::parse(answer)?.into_body()?;
    let columns = Columns::of(&body)?;
    if column >= columns.names.len() {
        return Err(format!(
            "no column number {column}: the response has {} columns (counted from 0)",
            columns.names.len()
        ));
    }
    let mut terms = Vec::new();
    for record in columns.records {
        terms.extend(words(record.at(column)));
    }
    Ok(terms.into_iter().filter_map(as_term).collect())
}

/// Replaces line separators by spaces, so that a term fits on one line; `None` for a blank term.
fn as_term(word: String) -> Option<String> {
    let term = word.replace(['\n', '\r'], " ");
    (!term.trim().is_empty()).then_some(term)
}

/// Collects distinct terms from records.
#[derive(Debug, Default)]
pub(crate) struct Titles {
    terms: Vec<String>,
    seen: HashSet<String>,
}

impl Titles {
    pub(crate) fn take(&mut self, value: Option<&Json>) {
        let terms = without_duplicates(words(value), &mut self.seen);
        self.terms.extend(terms);
    }

    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    pub(crate) fn into_terms(self) -> Vec<String> {
        self.terms
    }
}

/// Removes terms that repeat or are in `seen`, and adds the rest to `seen`.
pub fn without_duplicates(terms: Vec<String>, seen: &mut HashSet<String>) -> Vec<String> {
    terms
        .into_iter()
        .filter(|term| seen.insert(term.clone()))
        .collect()
}

/// Settings of the extraction.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The table; for OpenSearch, the index in lower case.
    pub table: String,
    /// The column to extract terms from.
    pub column: String,
    /// Columns in which each term must have hits, such as `title,text`; `None` for no check.
    pub match_columns: Option<String>,
    /// Number of distinct terms to extract.
    pub count: u64,
}

/// Terms extracted from a server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Distinct terms. If hits were checked, every term has at least one hit.
    pub terms: Vec<String>,
    /// Number of terms skipped as duplicates.
    pub doubles: u64,
    /// Number of terms skipped because they have no hits.
    pub without_hits: u64,
    /// Number of terms skipped because the server refused to search for them.
    pub refused: u64,
    /// The first refused term and the server's error.
    pub first_refused: Option<String>,
}

/// A kind of server that terms can be extracted from.
#[derive(Debug)]
pub struct Kind {
    /// Name on the command line.
    pub name: &'static str,
    /// The extraction request, described in one line.
    pub about: &'static str,
    open: for<'a> fn(&'a Client, &'a Wanted) -> Box<dyn Source + 'a>,
}

/// All kinds of servers that terms can be extracted from.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "groonga",
        about: "select of a table, in the order of its records",
        open: groonga::open,
    },
    Kind {
        name: "opensearch",
        about: "_search of an index, in the order of its shards",
        open: opensearch::open,
    },
];

/// Access to the terms on one server.
trait Source {
    /// Values of the column in the next records; empty at the end.
    fn next(&mut self) -> Result<Vec<String>, Error>;

    /// Number of records that match a term in `columns`, with the same query syntax as the requests
    /// of the benchmark. The inner error says why the server refuses the query.
    fn hits(&self, term: &str, columns: &str) -> Result<Result<u64, String>, Error>;
}

/// Number of refused searches after which extraction fails, if no term has been found by then.
const MAX_REFUSED: u64 = 10;

/// Extracts terms until there are enough, the records end, or `stop` returns true. A term that the
/// server refuses to search for is skipped and counted.
///
/// # Errors
/// When the server does not respond, or when no term was found and the server refused a search.
pub fn find(
    kind: &Kind,
    server: &Client,
    wanted: &Wanted,
    stop: &dyn Fn() -> bool,
) -> Result<Found, Error> {
    let mut source = (kind.open)(server, wanted);
    let mut found = Found::default();
    let mut seen = HashSet::new();
    let enough = |found: &Found| found.terms.len() as u64 >= wanted.count;
    while !stop() && !enough(&found) {
        let terms = source.next()?;
        if terms.is_empty() {
            break;
        }
        let all = terms.len() as u64;
        let terms = without_duplicates(terms, &mut seen);
        found.doubles += all - terms.len() as u64;
        for term in terms {
            if stop() || enough(&found) {
                break;
            }
            let hits = match &wanted.match_columns {
                Some(columns) => source.hits(&term, columns)?,
                None => Ok(1),
            };
            match hits {
                Ok(0) => found.without_hits += 1,
                Ok(_) => found.terms.push(term),
                Err(reason) => {
                    found.refused += 1;
                    let first = || format!("{:?}: {reason}", excerpt(&term));
                    found.first_refused.get_or_insert_with(first);
                }
            }
            check_refusals(&found, MAX_REFUSED, server)?;
        }
    }
    check_refusals(&found, 1, server)?;
    Ok(found)
}

/// Returns an error if at least `most` searches were refused and no term was found.
fn check_refusals(found: &Found, most: u64, server: &Client) -> Result<(), Error> {
    match &found.first_refused {
        Some(first) if found.terms.is_empty() && found.refused >= most => {
            let reason = format!("no term can be searched for; the first one is {first}");
            Err(Error::server(server.url(), reason))
        }
        _ => Ok(()),
    }
}

/// The value of a column as words; an array gives one word per element.
fn words(value: Option<&Json>) -> Vec<String> {
    match value {
        Some(Json::List(items)) => items.iter().filter_map(Json::as_word).collect(),
        Some(value) => value.as_word().into_iter().collect(),
        None => Vec::new(),
    }
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
            assert!(error.starts_with("no column number 2"), "{error}");
        }
        let vectors = br#"[[0,1,1],[[[1],[["c","T"]],[["x","y"]],[null]]]]"#;
        assert_eq!(extract(vectors, 0).unwrap(), ["x", "y"]);
        let mut seen = HashSet::new();
        let once = without_duplicates(vec!["a".into(), "b".into(), "a".into()], &mut seen);
        assert_eq!(once, ["a", "b"]);
        assert!(without_duplicates(once, &mut seen).is_empty());
    }
}
