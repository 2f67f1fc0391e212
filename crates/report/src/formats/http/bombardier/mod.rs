//! Reads what bombardier prints: text, and JSON with `-o json`.

mod json;
mod text;

use tenbin_verdict::lint::{Failed, Measurement, Quote, Range, Said};

use crate::formats::format::Format;
use crate::formats::readable::{is_long, readable};
use crate::formats::reader::{Read, Reader};
use crate::formats::reported::{REQUESTS, is_json_of};

/// What bombardier prints unless told otherwise.
pub(in crate::formats) const TEXT: Format = Format {
    name: "bombardier",
    about: "the text that bombardier prints",
    file: "bombardier.txt",
    read: Some(Reader {
        recognises: |beginning| {
            let text = readable(beginning);
            let has = |title: &str| text.lines().any(|line| line.trim() == title);
            // A progress bar in a file can be longer than the beginning.
            let has_more = is_long(beginning) && json::document(beginning).len() == beginning.len();
            let is_begun = || {
                let mut lines = text.lines();
                lines.any(|line| line.starts_with("Bombarding ") && line.ends_with("connection(s)"))
            };
            text.lines().any(text::is_head) && has("HTTP codes:") || has_more && is_begun()
        },
        read: Read::Figures("the text of bombardier", text::reported),
        reported: None,
    }),
    ..Format::PLAIN
};

/// What bombardier prints with `-o json`.
pub(in crate::formats) const JSON: Format = Format {
    name: "bombardier-json",
    about: "the JSON that bombardier prints with -o json",
    file: "bombardier.json",
    read: Some(Reader::new(
        |beginning| is_json_of(json::document(beginning), "bombardier"),
        Read::Figures("the JSON of bombardier", json::reported),
    )),
    ..Format::PLAIN
};

/// bombardier truncates every time to whole microseconds.
const STEP: f64 = 1e-6;

/// Classes of statuses. bombardier counts requests without a response, and statuses from 600, as
/// others.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];
const FAILED_CLASSES: [&str; 2] = ["4xx", "5xx"];

/// What happened to the requests.
struct Counts {
    /// The requests of each of [`CLASSES`].
    by_class: [Said<u64>; 5],
    others: Said<u64>,
    /// Errors by text, which can name the connection.
    errors: Vec<(String, Said<u64>)>,
}

/// Largest number of reasons of failures that are kept apart.
const MOST_REASONS: usize = 20;

impl Counts {
    /// A measurement with the counts. bombardier counts every request in its rate and in its times.
    fn measurement(self) -> Measurement {
        let mut of = Measurement::new(REQUESTS);
        // With or without a rate, a connection has one request in flight.
        of.closed_loop = true;
        let all = self.by_class.iter().chain([&self.others]);
        let ended = all.fold(0_u64, |sum, said| sum.saturating_add(said.value));
        let [_, ok, ..] = &self.by_class;
        of.ended = Some(Said::new(ended, ok.quote.clone()));
        let errors = self.errors.iter();
        let explained = errors.fold(0_u64, |sum, (_, said)| sum.saturating_add(said.value));
        for (class, said) in CLASSES.iter().zip(self.by_class) {
            if FAILED_CLASSES.contains(class) {
                let what = format!("responses with status {class}");
                fail(&mut of, what, said.value, said.quote);
            }
        }
        let unexplained = self.others.value.saturating_sub(explained);
        let what = "requests with another status or without a response".to_owned();
        fail(&mut of, what, unexplained, self.others.quote);
        for (what, said) in self.errors {
            fail(&mut of, reason(&what).to_owned(), said.value, said.quote);
        }
        of
    }
}

/// The reason of an error, without the request and the connection: a server that closes connections
/// causes as many texts as there were connections.
fn reason(error: &str) -> &str {
    error.rsplit(": ").next().unwrap_or(error)
}

fn fail(of: &mut Measurement, what: String, count: u64, quote: Quote) {
    if count == 0 {
        return;
    }
    let is_full = of.failures.len() >= MOST_REASONS;
    let what = if is_full {
        "other errors".to_owned()
    } else {
        what
    };
    let mut known = of.failures.iter_mut();
    if let Some(known) = known.find(|known| known.what == what) {
        known.count = known.count.saturating_add(count);
    } else {
        of.failures.push(Failed {
            what,
            count,
            counted: true,
            quote,
        });
    }
}

/// The times that bombardier truncates to this time.
fn truncated(time: Range) -> Range {
    time.wider(STEP)
}
