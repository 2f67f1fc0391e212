//! Results in ab's words. Pure functions, like every report.
//!
//! ab's whole milliseconds are too coarse for most servers of today: times have three
//! digits after the point here.

use std::fmt::Write as _;

use hdrhistogram::Histogram;
use tenbin_record::{ErrorClass, quantile_ns};

use crate::document::Document;
use crate::escape::for_terminal;
use crate::foreign::last_lines;
use crate::web::Pooled;

/// The percentages that ab has a line for.
const PERCENTAGES: [u8; 9] = [50, 66, 75, 80, 90, 95, 98, 99, 100];

/// What was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Host of the URL.
    pub host: &'a str,
    /// Port of the URL.
    pub port: u16,
    /// Path and query of the URL.
    pub path: &'a str,
    /// Connections.
    pub connections: u64,
    /// Use connections again.
    pub keep_alive: bool,
    /// Print the table of percentages.
    pub percentages: bool,
    /// The `Server` header of the first answer.
    pub server: Option<&'a str>,
}

/// ab's lines, then the verdict.
pub fn text(asked: &Asked<'_>, pooled: &Pooled, document: &Document) -> String {
    let mut text = String::new();
    let server = asked.server.map_or_else(String::new, for_terminal);
    line(&mut text, "Server Software", &server);
    line(&mut text, "Server Hostname", &for_terminal(asked.host));
    line(&mut text, "Server Port", &asked.port.to_string());
    text.push('\n');
    line(&mut text, "Document Path", &for_terminal(asked.path));
    let length = pooled.payload.checked_div(pooled.ok);
    let length = length.map_or("unknown".to_owned(), |bytes| format!("{bytes} bytes"));
    line(&mut text, "Document Length", &length);
    text.push('\n');
    counts(&mut text, asked, pooled);
    text.push('\n');
    connection_times(&mut text, asked, pooled);
    if asked.percentages && !pooled.service.is_empty() {
        percentages(&mut text, &pooled.service);
    }
    text.push('\n');
    text.push_str(&last_lines(document));
    text
}

fn line(text: &mut String, name: &str, value: &str) {
    let name = format!("{name}:");
    let _ = writeln!(text, "{name:<23} {value}");
}

fn counts(text: &mut String, asked: &Asked<'_>, pooled: &Pooled) {
    line(text, "Concurrency Level", &asked.connections.to_string());
    let taken = format!("{:.3} seconds", pooled.seconds);
    line(text, "Time taken for tests", &taken);
    line(text, "Complete requests", &pooled.ok.to_string());
    line(text, "Failed requests", &pooled.failed().to_string());
    if pooled.failed() > 0 {
        use ErrorClass::{Connect, Protocol, Reset, Short, Stale, Status, Timeout, Wrong};
        let _ = writeln!(
            text,
            "   (Connect: {}, Receive: {}, Length: {}, Status: {})",
            pooled.failed_by(&[Connect]),
            pooled.failed_by(&[Reset, Protocol, Timeout]),
            pooled.failed_by(&[Short, Wrong, Stale]),
            pooled.failed_by(&[Status])
        );
    }
    if pooled.other_statuses > 0 {
        line(
            text,
            "Non-2xx responses",
            &pooled.other_statuses.to_string(),
        );
    }
    if asked.keep_alive {
        line(
            text,
            "Keep-Alive requests",
            &pooled.ledger.reused.to_string(),
        );
    }
    let bytes = |count: u64| format!("{count} bytes");
    line(text, "Total transferred", &bytes(pooled.received));
    line(text, "HTML transferred", &bytes(pooled.payload));
    let rate = pooled.per_second(pooled.ok as f64);
    let each = |value: Option<f64>, digits: usize, unit: &str| match value {
        Some(value) => format!("{value:.digits$} {unit}"),
        None => "unknown".to_owned(),
    };
    line(
        text,
        "Requests per second",
        &each(rate, 2, "[#/sec] (mean)"),
    );
    let millis = rate.filter(|rate| *rate > 0.0).map(|rate| 1e3 / rate);
    let one = millis.map(|millis| millis * asked.connections as f64);
    line(text, "Time per request", &each(one, 3, "[ms] (mean)"));
    let all = "[ms] (mean, across all concurrent requests)";
    line(text, "Time per request", &each(millis, 3, all));
    let transfer = pooled.per_second(pooled.received as f64 / 1_024.0);
    line(
        text,
        "Transfer rate",
        &each(transfer, 2, "[Kbytes/sec] received"),
    );
}

fn connection_times(text: &mut String, asked: &Asked<'_>, pooled: &Pooled) {
    text.push_str("Connection Times (ms)\n");
    let _ = writeln!(
        text,
        "            {:>9} {:>9} {:>9} {:>9} {:>9}",
        "min", "mean", "[+/-sd]", "median", "max"
    );
    times(text, "Connect", &pooled.setup.connect);
    if !pooled.setup.tls.is_empty() {
        times(text, "TLS", &pooled.setup.tls);
    }
    times(text, "Processing", &pooled.service);
    times(text, "Waiting", &pooled.first_byte);
    if asked.keep_alive {
        times(text, "Total", &pooled.service);
    } else {
        // Of one request they are not known together; their means add up all the same.
        let means = [&pooled.setup.connect, &pooled.setup.tls, &pooled.service];
        let means = means.iter().filter(|histogram| !histogram.is_empty());
        let total: f64 = means.map(|histogram| histogram.mean() / 1e6).sum();
        let _ = writeln!(text, "{:<12}{:>9} {total:>9.3}", "Total:", "");
    }
}

fn times(text: &mut String, name: &str, histogram: &Histogram<u64>) {
    let name = format!("{name}:");
    if histogram.is_empty() {
        let _ = writeln!(text, "{name:<12}  unknown");
        return;
    }
    let millis = |nanos: f64| nanos / 1e6;
    let median = quantile_ns(histogram, 0.5).unwrap_or_default();
    let _ = writeln!(
        text,
        "{name:<12}{:>9.3} {:>9.3} {:>9.3} {:>9.3} {:>9.3}",
        millis(histogram.min() as f64),
        millis(histogram.mean()),
        millis(histogram.stdev()),
        millis(median as f64),
        millis(histogram.max() as f64)
    );
}

fn percentages(text: &mut String, service: &Histogram<u64>) {
    text.push_str("\nPercentage of the requests served within a certain time (ms)\n");
    for percent in PERCENTAGES {
        let note = if percent == 100 {
            " (longest request)"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "{percent:>4}% {:>9.3}{note}",
            served(service, percent)
        );
    }
}

/// Time within which this many percent of the answers came, milliseconds.
fn served(service: &Histogram<u64>, percent: u8) -> f64 {
    let nanos = quantile_ns(service, f64::from(percent) / 100.0);
    nanos.unwrap_or_default() as f64 / 1e6
}

/// What `-e` gives: every percentage.
pub fn csv(pooled: &Pooled) -> String {
    let mut text = "Percentage served,Time in ms\n".to_owned();
    if pooled.service.is_empty() {
        return text;
    }
    for percent in 0..=100 {
        let _ = writeln!(text, "{percent},{:.3}", served(&pooled.service, percent));
    }
    text
}
