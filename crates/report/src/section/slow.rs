//! The section with the slowest and the failed requests, one row each.

use tenbin_result::format::{TIME, fixed_seconds};
use tenbin_result::{Document, ListedRequest, ResultOf};

use super::readable::{common, shown};
use crate::block::{Block, Cell, Table};

/// Column headers of both tables.
const HEAD: [&str; 18] = [
    "workload", "target", "#", "time", "start", "operation", "send lag", "connect", "TLS",
    "first byte", "body", "status", "error", "sent", "host", "agent", "request ID", "request",
];

/// Maximum number of characters of a request and of a failure: a terminal prints tables with longer
/// cells as text.
const LONGEST: usize = 60;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let slowest = "The slowest requests with a correct response, at most 20 of each workload on each target. \
                   \"Start\" is the time since the start of the run. \"Time\" has no connection set-up; \
                   connect and TLS are given for the first request on a connection.";
    let failed = "Failed requests: the first 10 and the last 10 of each workload on each target.";
    let mut blocks = list(document, slowest, |result| &result.slow_requests);
    blocks.extend(list(document, failed, |result| &result.failed_requests));
    blocks
}

/// A list with a sentence above it; no blocks if the list is empty.
fn list(
    document: &Document,
    about: &str,
    pick: fn(&ResultOf) -> &Vec<ListedRequest>,
) -> Vec<Block> {
    let all = || document.results.iter().flat_map(pick);
    let same = common(all().map(|request| request.request.as_str()));
    let mut table = Table::new(3, HEAD);
    for result in &document.results {
        for (request, number) in pick(result).iter().zip(1..) {
            table.push(row(result, number, request, same));
        }
    }
    match table.block() {
        None => Vec::new(),
        Some(table) => vec![Block::Paragraph(about.into()), table],
    }
}

fn row(result: &ResultOf, number: u64, request: &ListedRequest, same: usize) -> [Cell; HEAD.len()] {
    let time = |seconds: Option<f64>| match seconds {
        None => Cell::empty(),
        Some(seconds) => TIME.of(seconds).into(),
    };
    let status = request.status.map(|status| status.to_string());
    let error = match (&request.error, request.text.as_str()) {
        (None, _) => Cell::empty(),
        (Some(class), "") => class.clone().into(),
        (Some(class), text) => Cell::code(cut(&format!("{class}: {text}"), LONGEST - 1)),
    };
    let sent = match request.attempts {
        1 => Cell::empty(),
        times => format!("{times}×").into(),
    };
    // The name of a target stands for its only host.
    let host = match result.hosts.as_slice() {
        [] => String::new(),
        _ => request.host.clone(),
    };
    [
        result.workload.clone().into(),
        result.target.clone().into(),
        number.to_string().into(),
        TIME.of(request.time).into(),
        fixed_seconds(request.start, 3).into(),
        request.operation.clone().into(),
        time(request.lag),
        time(request.connect),
        time(request.tls),
        time(request.first_byte),
        time(request.body),
        status.unwrap_or_else(|| "no response".to_owned()).into(),
        error,
        sent,
        host.into(),
        request.agent.clone().unwrap_or_default().into(),
        Cell::code(request.id.clone().unwrap_or_default()),
        Cell::code(brief(&request.request, same)),
    ]
}

/// A request in at most [`LONGEST`] characters. Long paths lose their middle, because objects differ
/// at the end of their names.
fn brief(request: &str, same: usize) -> String {
    if request.contains('?') {
        return cut(&shown(request, same), LONGEST - 1);
    }
    let count = request.chars().count();
    if count <= LONGEST {
        return request.to_owned();
    }
    let end = LONGEST / 2;
    let last: String = request.chars().skip(count - end).collect();
    cut(request, LONGEST - end - 1) + &last
}

/// The first `most` characters; `…` stands for the rest.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_requests_keep_their_ends() {
        let path = format!("GET /{}/00000042", "bucket".repeat(20));
        let text = brief(&path, 0);
        assert_eq!(text.chars().count(), LONGEST);
        assert!(text.starts_with("GET /bucket") && text.ends_with("/00000042"));
        assert_eq!(brief("GET /a", 0), "GET /a");
        let query = format!("GET /a?q={}", "x".repeat(200));
        assert_eq!(brief(&query, 0).chars().count(), LONGEST);
    }
}
