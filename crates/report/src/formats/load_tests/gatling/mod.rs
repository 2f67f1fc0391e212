//! Reads Gatling's results: the summary at the end of a test, the JSON of its report, and the log of
//! its requests.

mod json;
mod log;
mod text;

pub(in crate::formats) use log::LOG;

use tenbin_result::format::{count, digits};
use tenbin_verdict::lint::{Failed, Measurement, Range, Said};

use crate::formats::format::Format;
use crate::formats::readable::readable;
use crate::formats::reader::{Fault, Read, Reader};
use crate::formats::reported::is_json_of;

/// What Gatling prints at the end of a test.
pub(in crate::formats) const TEXT: Format = Format {
    name: "gatling",
    about: "the summary that Gatling prints at the end of a test",
    file: "gatling.txt",
    read: Some(Reader {
        recognises: |beginning| {
            let text = readable(beginning);
            let has_end = text.lines().any(text::is_title) && text.contains("> request count ");
            // Of a long test, the beginning has only the counts of the test so far.
            has_end || text.contains("\n---- Requests ---") && text.contains("\n> Global ")
        },
        read: Read::Figures("the summary of Gatling", text::reported),
        reported: None,
    }),
    ..Format::PLAIN
};

/// What Gatling writes into the folder of its report.
pub(in crate::formats) const JSON: Format = Format {
    name: "gatling-json",
    about: "the JSON of a report of Gatling: js/stats.json or js/global_stats.json",
    file: "gatling.json",
    read: Some(Reader::new(
        |beginning| is_json_of(beginning, "gatling"),
        Read::Figures("the JSON of Gatling", json::reported),
    )),
    ..Format::PLAIN
};

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;

/// Largest accepted relative difference between the rate of all requests and the sum of the rates of
/// those that are OK and KO, in addition to their rounding.
const SUM: f64 = 0.001;

/// Whole milliseconds, as seconds.
fn of_millis(millis: u64) -> Range {
    Range::around(millis as f64, 0.5).times(MILLI)
}

/// Requests and their rates: all, and those that Gatling calls OK and KO.
struct Counts {
    total: u64,
    ok: Said<u64>,
    ko: Said<u64>,
    rate: Range,
    ok_rate: Said<Range>,
    ko_rate: Range,
}

impl Counts {
    /// Checks the numbers and fills them in. The figures of a measurement are those of the requests
    /// that are OK, which Gatling states apart from the others.
    fn fill(self, of: &mut Measurement) -> Result<(), Fault> {
        let (ok, ko) = (self.ok.value, self.ko.value);
        if ok.checked_add(ko) != Some(self.total) {
            return Err(Fault::of_the_file(format!(
                "contradicts itself: {} requests, of which {} are OK and {} are KO",
                count(self.total),
                count(ok),
                count(ko)
            )));
        }
        if self.rates_differ() {
            return Err(Fault::of_the_file(format!(
                "contradicts itself: {} requests per second, of which {} are OK and {} are KO",
                digits(self.rate.middle()),
                digits(self.ok_rate.value.middle()),
                digits(self.ko_rate.middle())
            )));
        }
        if ko > 0 {
            of.failures.push(Failed {
                what: "requests that are KO".to_owned(),
                count: ko,
                counted: false,
                quote: self.ko.quote,
            });
        }
        of.samples = Some(ok);
        of.ended = Some(self.ok);
        of.rate = Some(self.ok_rate);
        Ok(())
    }

    /// Whether the rates of the requests that are OK and KO are not that of all.
    fn rates_differ(&self) -> bool {
        let (ok, ko, all) = (self.ok_rate.value, self.ko_rate, self.rate);
        (ok.from + ko.from) * (1.0 - SUM) > all.to || (ok.to + ko.to) * (1.0 + SUM) < all.from
    }
}
