//! Terms to search for: what stands in a column of a live server's answer.

mod groonga;
mod opensearch;

use std::collections::HashSet;

use crate::error::{Error, excerpt};
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
        terms.extend(words(record.at(column)));
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
        let terms = without_doubles(words(value), &mut self.seen);
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
    /// The table; of OpenSearch, the index in small letters.
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
    /// Terms left out because the server refused to search for them.
    pub refused: u64,
    /// The first of those, and what the server said.
    pub first_refused: Option<String>,
}

/// A kind of server that can be asked.
#[derive(Debug)]
pub struct Kind {
    /// Its name on the command line.
    pub name: &'static str,
    /// What is asked, in one line.
    pub about: &'static str,
    open: for<'a> fn(&'a Client, &'a Wanted) -> Box<dyn Source + 'a>,
}

/// Every kind.
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

/// Where terms come from.
trait Source {
    /// Values of the column of the next records; none if there are no more.
    fn next(&mut self) -> Result<Vec<String>, Error>;

    /// Records that a term is found in, searched for as the requests made of it will; or why
    /// the server refuses this search.
    fn hits(&self, term: &str, columns: &str) -> Result<Result<u64, String>, Error>;
}

/// Searches refused without one that is not, after which all of them will be.
const MOST_REFUSED: u64 = 10;

/// Asks a server for terms until there are as many as wanted, or no more records. A term that
/// the server refuses to search for is left out and counted.
///
/// # Errors
/// When the server does not respond, or refuses every search.
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
        let terms = without_doubles(terms, &mut seen);
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
            check_refusals(&found, MOST_REFUSED, server)?;
        }
    }
    check_refusals(&found, 1, server)?;
    Ok(found)
}

/// An error if that many searches were refused and no term was found.
fn check_refusals(found: &Found, most: u64, server: &Client) -> Result<(), Error> {
    match &found.first_refused {
        Some(first) if found.terms.is_empty() && found.refused >= most => {
            let reason = format!("no term can be searched for; the first one is {first}");
            Err(Error::server(server.url(), reason))
        }
        _ => Ok(()),
    }
}

/// The words of a column's value, or of each of its values.
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
