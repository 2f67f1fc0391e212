//! Reads vegeta's reports, text and JSON, and its list of requests.

mod binary;
mod gob;
mod json;
mod text;

use tenbin_verdict::lint::{Failed, Measurement, Quote, Said};

use super::content::Content;
use super::format::Format;
use super::readable::readable;
use super::reader::{Fault, Read, Reader};
use super::reported::is_json_of;

/// What `vegeta report` prints.
pub(super) const TEXT: Format = Format {
    name: "vegeta",
    about: "the text that vegeta report prints",
    file: "vegeta.txt",
    kept: false,
    read: Some(Reader {
        recognises: |beginning| {
            let mut lines = readable(beginning).lines();
            lines.any(|line| line.starts_with("Requests ") && line.contains("[total, rate"))
        },
        read: Read::Figures("the text of vegeta", text::reported),
        reported: None,
    }),
    write: None,
};

/// What `vegeta report -type=json` prints.
pub(super) const JSON: Format = Format {
    name: "vegeta-json",
    about: "the JSON that vegeta report -type=json prints",
    file: "vegeta.json",
    kept: false,
    read: Some(Reader {
        recognises: |beginning| is_json_of(beginning, "vegeta"),
        read: Read::Figures("the JSON of vegeta", json::reported),
        reported: None,
    }),
    write: None,
};

/// What `vegeta attack` writes.
pub(super) const REQUESTS: Format = Format {
    name: "vegeta-binary",
    about: "the list of requests that vegeta attack writes",
    file: "vegeta.bin",
    kept: false,
    read: Some(Reader {
        recognises: binary::recognises,
        read: Read::Content(|file, selection| binary::read(file, selection).map(Content::Requests)),
        reported: None,
    }),
    write: None,
};

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
