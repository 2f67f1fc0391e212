//! Reads k6's summaries, the text at the end of a test and JSON, and its streams of points.

mod csv;
mod json;
mod point;
mod stream;
mod text;

use tenbin_result::format::count;
use tenbin_verdict::lint::{Failed, Measurement, Percentile, Quote, Range, Reported, Said};

use crate::formats::format::Format;
use crate::formats::readable::{is_long, readable};
use crate::formats::reader::{Fault, Read, Reader};
use crate::formats::reported::{REQUESTS, checked, decimal, is_json_of};

/// What k6 prints at the end of a test.
pub(in crate::formats) const TEXT: Format = Format {
    name: "k6",
    about: "the summary that k6 prints at the end of a test",
    file: "k6.txt",
    read: Some(Reader::new(
        |beginning| {
            let text = readable(beginning);
            let has_progress = || text.lines().any(text::is_progress);
            text.lines().any(text::is_request_metric) || is_long(beginning) && has_progress()
        },
        Read::Figures("the summary of k6", text::reported),
    )),
    ..Format::PLAIN
};

/// What k6 writes with `--summary-export` or from `handleSummary`.
pub(in crate::formats) const JSON: Format = Format {
    name: "k6-json",
    about: "the JSON summary that k6 writes with --summary-export or from handleSummary",
    file: "k6.json",
    read: Some(Reader::new(
        |beginning| is_json_of(beginning, "k6"),
        Read::Figures("the JSON summary of k6", json::reported),
    )),
    ..Format::PLAIN
};

/// What k6 writes with `--out json`.
pub(in crate::formats) const STREAM: Format = Format {
    name: "k6-stream",
    about: "the stream of points that k6 writes with --out json",
    file: "k6-stream.json",
    read: Some(Reader::new(
        stream::recognises,
        Read::Requests(stream::read),
    )),
    ..Format::PLAIN
};

/// What k6 writes with `--out csv`.
pub(in crate::formats) const CSV: Format = Format {
    name: "k6-csv",
    about: "the stream of points that k6 writes with --out csv",
    file: "k6-stream.csv",
    read: Some(Reader::new(csv::recognises, Read::Requests(csv::read))),
    ..Format::PLAIN
};

/// Largest difference of the printed share of failures from that of the counts: k6 truncates
/// percentages to two digits.
const SHARE: f64 = 0.000_1;

/// The HTTP metrics of a summary.
struct Summary {
    /// `http_reqs`, and its rate.
    requests: Said<u64>,
    rate: Option<Said<Range>>,
    /// Length of the test.
    seconds: Option<Said<Range>>,
    /// `http_req_duration`, seconds, by the name of the statistic.
    times: Vec<(String, Said<Range>)>,
    /// `http_req_failed`, which k6 has since version 0.31, and which a test can leave out.
    failed: Option<FailedRate>,
    /// The least and the greatest value of `vus`.
    clients: Option<(u64, u64, Quote)>,
}

/// A rate metric of failures.
struct FailedRate {
    failed: u64,
    of: u64,
    share: Option<Range>,
    quote: Quote,
}

impl Summary {
    /// k6 counts every request in its rate and in its times, whatever its status.
    fn reported(self) -> Result<Reported, Fault> {
        let mut of = Measurement::new(REQUESTS);
        let requests = self.requests.value;
        of.omits_failures = self.failed.is_none();
        if let Some(failed) = self.failed {
            failed.check(requests)?;
            if failed.failed > 0 {
                of.failures.push(Failed {
                    what: "requests that k6 counts as failed".to_owned(),
                    count: failed.failed,
                    counted: true,
                    quote: failed.quote,
                });
            }
        }
        for (name, time) in self.times {
            match name.as_str() {
                "avg" => of.mean = Some(time),
                "min" => of.min = Some(time),
                "max" => of.max = Some(time),
                name => of.percentiles.push(percentile(name, time)?),
            }
        }
        of.sort_percentiles();
        // A test that changes the number of VUs has no one number of them. A VU can send several
        // requests at once, so that Little's law does not apply.
        of.connections = self
            .clients
            .filter(|(least, most, _)| least == most && *most > 0)
            .map(|(_, most, quote)| Said::new(most, quote));
        of.ended = Some(self.requests);
        of.rate = self.rate;
        of.seconds = self.seconds;
        checked("k6", vec![of])
    }
}

impl FailedRate {
    fn check(&self, requests: u64) -> Result<(), Fault> {
        if self.failed > self.of || self.of > requests {
            return Err(Fault::of_the_file(format!(
                "contradicts itself: http_req_failed has {} of {} requests, and http_reqs has {}",
                count(self.failed),
                count(self.of),
                count(requests)
            )));
        }
        let share = self.failed as f64 / self.of.max(1) as f64;
        match self.share {
            Some(said) if share < said.from - SHARE || share > said.to + SHARE => {
                Err(Fault::of_the_file(format!(
                    "contradicts itself: {:?}, and {} of {} requests failed",
                    self.quote.text,
                    count(self.failed),
                    count(self.of)
                )))
            }
            _ => Ok(()),
        }
    }
}

/// `med`, `p(95)`, or `p95` in the machine-readable summary.
fn percentile(name: &str, time: Said<Range>) -> Result<Percentile, Fault> {
    let percent = match name {
        "med" => Some(50.0),
        name => name
            .strip_prefix('p')
            .map(|rest| rest.trim_start_matches('(').trim_end_matches(')'))
            .and_then(decimal)
            .map(Range::middle)
            .filter(|percent| *percent < 100.0),
    };
    match percent {
        Some(percent) => Ok(Percentile::new((percent * 1e5).round() / 1e7, time)),
        None => {
            let what = format!("{name:?} is no statistic of k6");
            Err(match time.quote.line {
                Some(line) => Fault::in_line(line, what),
                None => Fault::of_the_file(what),
            })
        }
    }
}
