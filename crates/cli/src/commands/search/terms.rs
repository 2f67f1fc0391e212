//! `tenbin search terms` and `tenbin search patterns`.

use std::collections::HashSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use tenbin_corpus::terms::{Wanted, extract, find, without_duplicates};
use tenbin_corpus::{Error, escape, patterns as made};
use tenbin_http::Client;
use tenbin_plan::{Sentence, sentence};

use super::stop;
use crate::args::{PatternFormat, SearchPatternsArgs, SearchTermsArgs};
use crate::exit::Exit;
use crate::output;

/// Largest response and largest file of terms, bytes.
const LONGEST: u64 = 256 << 20;

/// Prints terms, one per line.
pub(super) fn terms(args: &SearchTermsArgs) -> Result<Exit, Error> {
    let Some(url) = &args.server else {
        let terms = extracted(&args.files, args.column_index)?;
        let mut seen = HashSet::new();
        print(&without_duplicates(terms, &mut seen), args.escape);
        return Ok(Exit::Done);
    };
    let login = args.login.read().map_err(Error::Refused)?;
    let server = Client::new(url, &login)?;
    let wanted = Wanted {
        table: args.table.clone(),
        column: args.column.clone(),
        match_columns: Some(args.match_columns.clone()).filter(|names| !names.is_empty()),
        count: args.count,
    };
    let stop = stop()?;
    let found = find(args.of, &server, &wanted, &|| stop.is_asked())?;
    print(&found.terms, args.escape);
    if found.doubles + found.without_hits + found.refused > 0 {
        let refused = found.first_refused.map_or_else(Sentence::default, |first| {
            let refused = found.refused;
            sentence!(
                "terms-refused",
                ", {refused} that the server refused to search for, the first of them {first}",
                refused,
                first
            )
        });
        output::say_note(&sentence!(
            "terms-left-out",
            "left out: {doubles} duplicates, {without_hits} terms without hits{refused}",
            doubles = found.doubles,
            without_hits = found.without_hits,
            refused
        ));
    }
    if stop.is_asked() {
        output::say_error(&sentence!(
            "terms-interrupted",
            "interrupted: the list of terms is incomplete"
        ));
        return Ok(Exit::Interrupted);
    }
    if (found.terms.len() as u64) < args.count {
        let found_only = if args.match_columns.is_empty() {
            Sentence::default()
        } else {
            sentence!("that-are-found", " that are found")
        };
        output::say_error(&sentence!(
            "terms-too-few",
            "{there} of {asked} terms: {table} has no more distinct terms{found_only}",
            there = found.terms.len(),
            asked = args.count,
            table = args.table,
            found_only
        ));
        return Ok(Exit::Unmet);
    }
    Ok(Exit::Done)
}

/// Terms of responses in files, or of standard input without files.
pub(super) fn extracted(files: &[PathBuf], column: usize) -> Result<Vec<String>, Error> {
    let mut terms = Vec::new();
    for (name, text) in inputs(files)? {
        let found = extract(&text, column);
        terms.extend(found.map_err(|reason| {
            Error::refused(sentence!("of-input", "{name}: {reason}", name, reason))
        })?);
    }
    Ok(terms)
}

/// One term per line.
pub(super) fn print(terms: &[String], escaped: bool) {
    let line = |term: &String| {
        if escaped {
            format!("{}\n", escape::cgi(term))
        } else {
            format!("{term}\n")
        }
    };
    let text: String = terms.iter().map(line).collect();
    output::print(text.as_bytes());
}

/// Prints requests made from search terms.
pub(super) fn patterns(args: &SearchPatternsArgs) -> Result<Exit, Error> {
    let terms = terms_in(&args.files)?;
    let text = match args.format {
        PatternFormat::Text => {
            let base = args.base.as_deref().unwrap_or(made::HEAVY);
            made::lines(base, &terms, args.escaped)
        }
        PatternFormat::Opensearch => {
            let path = args.base.as_deref().unwrap_or(made::OPENSEARCH);
            made::opensearch(path, &terms)
        }
        PatternFormat::Drnbench => made::drnbench(&args.base_params, &terms, &args.hosts),
    };
    output::print(text.as_bytes());
    Ok(Exit::Done)
}

/// Non-empty lines of files, or of standard input without files.
pub(super) fn terms_in(files: &[PathBuf]) -> Result<Vec<String>, Error> {
    let mut terms = Vec::new();
    for (name, text) in inputs(files)? {
        let text = String::from_utf8(text).map_err(|_| {
            Error::refused(sentence!(
                "terms-not-utf8",
                "{name}: the terms are not UTF-8",
                name
            ))
        })?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        terms.extend(lines.map(str::to_owned));
    }
    if terms.is_empty() {
        return Err(Error::refused(sentence!(
            "terms-none",
            "no terms given: write one per line; `tenbin search terms` extracts terms"
        )));
    }
    Ok(terms)
}

fn inputs(files: &[PathBuf]) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let standard = [PathBuf::from("-")];
    let files = if files.is_empty() {
        &standard[..]
    } else {
        files
    };
    files.iter().map(|file| whole(file)).collect()
}

fn whole(path: &Path) -> Result<(String, Vec<u8>), Error> {
    let (name, input) = tenbin_corpus::load::open(path)?;
    let mut text = Vec::new();
    let read = input.take(LONGEST).read_to_end(&mut text);
    read.map_err(|source| Error::Read {
        name: name.clone(),
        source,
    })?;
    Ok((name, text))
}
