//! Reads vegeta's reports, and its list of requests in all three encodings.

mod binary;
mod buckets;
mod csv;
mod gob;
mod hit;
mod json;
mod json_lines;
mod plot;
mod text;

use tenbin_verdict::lint::{Failed, Measurement, Quote, Reported, Said};

use crate::formats::format::Format;
use crate::formats::readable::readable;
use crate::formats::reader::{Fault, Read, Reader};
use crate::formats::reported::{checked, is_json_of};

/// What `vegeta report` prints.
pub(in crate::formats) const TEXT: Format = Format {
    name: "vegeta",
    about: "the text that vegeta report prints",
    file: "vegeta.txt",
    read: Some(Reader::new(
        |beginning| {
            let mut lines = readable(beginning).lines();
            lines.any(text::is_first)
        },
        Read::Figures("the text of vegeta", text::reported),
    )),
    ..Format::PLAIN
};

/// What `vegeta report -type=json` prints.
pub(in crate::formats) const JSON: Format = Format {
    name: "vegeta-json",
    about: "the JSON that vegeta report -type=json prints",
    file: "vegeta.json",
    read: Some(Reader::new(
        |beginning| is_json_of(beginning, "vegeta"),
        Read::Figures("the JSON of vegeta", json::reported),
    )),
    ..Format::PLAIN
};

/// What `vegeta attack` writes.
pub(in crate::formats) const REQUESTS: Format = Format {
    name: "vegeta-binary",
    about: "the list of requests that vegeta attack writes",
    file: "vegeta.bin",
    read: Some(Reader::new(
        binary::recognises,
        Read::Requests(binary::read),
    )),
    ..Format::PLAIN
};

/// What `vegeta encode -to csv` writes.
pub(in crate::formats) const CSV: Format = Format {
    name: "vegeta-csv",
    about: "the list of requests that vegeta encode -to csv writes",
    file: "vegeta-requests.csv",
    read: Some(Reader::new(csv::recognises, Read::Requests(csv::read))),
    ..Format::PLAIN
};

/// What `vegeta encode` writes as JSON.
pub(in crate::formats) const LINES: Format = Format {
    name: "vegeta-json-lines",
    about: "the list of requests that vegeta encode writes as JSON",
    file: "vegeta-requests.json",
    read: Some(Reader::new(
        json_lines::recognises,
        Read::Requests(json_lines::read),
    )),
    ..Format::PLAIN
};

/// What `vegeta report -type=hdrplot` prints.
pub(in crate::formats) const PLOT: Format = Format {
    name: "vegeta-hdrplot",
    about: "the percentiles that vegeta report -type=hdrplot prints",
    file: "vegeta-hdrplot.txt",
    read: Some(Reader::new(
        plot::recognises,
        Read::Figures("the percentiles of vegeta", plot::reported),
    )),
    ..Format::PLAIN
};

/// What `vegeta report -type=hist` prints.
pub(in crate::formats) const BUCKETS: Format = Format {
    name: "vegeta-hist",
    about: "the histogram that vegeta report -type=hist prints",
    file: "vegeta-hist.txt",
    read: Some(Reader::new(
        buckets::recognises,
        Read::Figures("the histogram of vegeta", buckets::reported),
    )),
    ..Format::PLAIN
};

/// Percentiles that are taken from a histogram, which has many more.
const TAKEN: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

/// Whether the first line has these words.
fn is_head(beginning: &[u8], words: &[&str]) -> bool {
    let first = readable(beginning).lines().next().unwrap_or_default();
    first.split_whitespace().eq(words.iter().copied())
}

/// The figures of a file that has the times of all requests, and neither failures nor the time.
fn reported_of_all(of: Measurement) -> Result<Reported, Fault> {
    let reported = checked("vegeta", vec![of])?;
    Ok(Reported {
        caveats: vec![
            "the file does not say how many requests failed, nor how long they were sent; its \
             times are those of all requests"
                .to_owned(),
        ],
        ..reported
    })
}

/// Reads the counts of statuses, which must add up to all requests. vegeta's throughput includes
/// only responses with a status from 200 to 399.
fn statuses(
    of: &mut Measurement,
    total: u64,
    codes: &[(u64, u64)],
    quote: &Quote,
) -> Result<(), Fault> {
    let sum = codes
        .iter()
        .fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
    if sum != total {
        return Err(Fault::of_the_file(format!(
            "contradicts itself: {total} requests, and {sum} by status"
        )));
    }
    let mut ok = 0;
    for (code, count) in codes {
        match code {
            200..400 => ok += count,
            _ if *count == 0 => {}
            _ => of.failures.push(Failed {
                what: match code {
                    0 => "requests without a response".to_owned(),
                    code => format!("responses with status {code}"),
                },
                count: *count,
                counted: false,
                quote: quote.clone(),
            }),
        }
    }
    of.ended = Some(Said::new(ok, quote.clone()));
    of.samples = Some(total);
    Ok(())
}
