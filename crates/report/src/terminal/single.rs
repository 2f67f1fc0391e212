//! Single requests and their patterns, in a terminal.

use super::{INDENT, Page};
use crate::document::{Document, ResultOf, SingleResult, Workload};
use crate::escape::for_terminal;
use crate::table::Table;
use crate::words::{TIME, cache_sentence, plural};

/// How much of a request is shown on a line.
const SHOWN_CHARS: usize = 72;

/// One kind of the requests of a result.
type Of = fn(&ResultOf) -> &[SingleResult];

impl Page {
    pub(super) fn singles(&mut self, document: &Document, workload: &Workload) {
        let results: Vec<&ResultOf> = document.results_of(&workload.name).collect();
        let slowest: Of = |result| &result.slowest;
        let fastest: Of = |result| &result.fastest;
        for (title, of) in [("slowest", slowest), ("fastest", fastest)] {
            if results.iter().any(|result| !of(result).is_empty()) {
                self.line("");
                self.table(&table(title, &results, of));
            }
        }
        for result in &results {
            if let Some(cache) = &result.cache {
                let text = cache_sentence(&for_terminal(&result.target), cache);
                self.paragraph(&text, INDENT, "    ");
            }
        }
        let patterns = results.iter().map(|result| result.patterns.len()).max();
        if let Some(count) = patterns.filter(|count| *count > 0) {
            let text = format!(
                "{}: see SUMMARY.md and result.json",
                plural(count as u64, "pattern")
            );
            self.line(&format!("{INDENT}{text}"));
        }
    }
}

fn table(title: &str, results: &[&ResultOf], of: Of) -> Table {
    let head = [title, "time", "status", "target", "host"];
    let several = results.iter().any(|result| !result.hosts.is_empty());
    let columns = if several { 5 } else { 4 };
    let mut table = Table::new(
        head[..columns]
            .iter()
            .map(|name| (*name).to_owned())
            .collect(),
    );
    for result in results {
        for single in of(result) {
            let mut row = vec![
                for_terminal(&shown(&single.request)),
                TIME.of(single.time),
                status(single),
                for_terminal(&result.target),
            ];
            row.extend(several.then(|| for_terminal(single.host.as_deref().unwrap_or_default())));
            table.push(row);
        }
    }
    table
}

fn status(single: &SingleResult) -> String {
    single
        .status
        .map_or_else(|| "no answer".to_owned(), |status| status.to_string())
}

fn shown(request: &str) -> String {
    match request.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &request[..end]),
        None => request.to_owned(),
    }
}
