//! The output formats of ab: its text, its file of percentages and its list of requests.
//!
//! Times in the text are whole milliseconds, as in ab: programs that parse ab's output expect whole
//! numbers, and would read `6.844 (longest request)` as 844. An additional last line has the same
//! times in microseconds.

mod read;
mod tables;

use std::fmt::Write as _;

use hdrhistogram::Histogram;
use tenbin_plan::{Reach, Target, conceal_parameters};
use tenbin_record::{ErrorClass, quantile_ns};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::escape::for_terminal;
use crate::formats::format::Format;
use crate::formats::judged::{COLUMN, mark};
use crate::formats::pooled::{Pooled, of_one_workload};
use crate::formats::reader::{Read, Reader};
use crate::formats::write::{Run, Writer};

/// The text that ab prints.
pub(in crate::formats) const FORMAT: Format = Format {
    name: "ab",
    about: "the text that ab prints; one workload",
    file: "ab.txt",
    read: Some(Reader::new(
        read::recognises,
        Read::Figures("the text of ab", read::reported),
    )),
    write: Some(Writer::Run(|run| {
        of_one_workload(run, |run, target| {
            format!("{}{}\n", of_target(run, target, true), mark(run.document)).into_bytes()
        })
    })),
    ..Format::PLAIN
};

/// The file that ab writes with `-e`.
pub(in crate::formats) const PERCENTAGES: Format = Format {
    name: "ab-csv",
    about: "the CSV file of percentages that ab writes with -e; one workload",
    file: "ab.csv",
    read: Some(Reader::new(
        |beginning| beginning.starts_with(tables::PERCENTAGES_HEAD.as_bytes()),
        Read::Figures("the percentages of ab", tables::percentages),
    )),
    write: Some(Writer::Run(|run| {
        of_one_workload(run, |run, target| {
            csv(&Pooled::of(run.record, &target.name), &mark(run.document)).into_bytes()
        })
    })),
    ..Format::PLAIN
};

/// The file that ab writes with `-g`.
pub(in crate::formats) const REQUESTS: Format = Format {
    name: "ab-tsv",
    about: "the list of requests that ab writes with -g, for gnuplot; one workload",
    file: "ab.tsv",
    read: Some(Reader::new(
        |beginning| beginning.starts_with(tables::REQUESTS_HEAD.as_bytes()),
        Read::Figures("the requests of ab", tables::requests),
    )),
    write: Some(Writer::Run(|run| {
        of_one_workload(run, |run, target| {
            let pooled = Pooled::of(run.record, &target.name);
            let started = date(&run.document.run.started);
            list(&started, &pooled, &mark(run.document)).into_bytes()
        })
    })),
    ..Format::PLAIN
};

/// Maximum number of rows of the list of requests.
const MOST_ROWS: u64 = 1_000_000;

/// The file that ab writes with `-g`: a row for each correct response, in the order of their times.
/// Of more than [`MOST_ROWS`] responses, one of several neighbours in that order is in the list.
///
/// A run has histograms instead of a record of each request: the start of a row is that of the run,
/// and the columns other than the total time are unknown.
fn list(started: &str, pooled: &Pooled, mark: &str) -> String {
    let mut text = format!("{}\t{COLUMN}\n", tables::REQUESTS_HEAD);
    let total = pooled.with_opening();
    let step = total.len().div_ceil(MOST_ROWS).max(1);
    let nan = tables::UNKNOWN;
    let mut passed = 0;
    for value in total.iter_recorded() {
        let count = value.count_since_last_iteration();
        let rows = (passed + count) / step - passed / step;
        passed += count;
        let millis = value.value_iterated_to() as f64 / 1e6;
        for _ in 0..rows {
            let _ = writeln!(
                text,
                "{started}\t{nan}\t{nan}\t{nan}\t{millis:.3}\t{nan}\t{mark}"
            );
        }
    }
    text
}

/// A time of RFC 3339 as ab prints it: `Sun Nov 29 10:42:57 2026`. A time in another format is
/// returned unchanged.
fn date(rfc3339: &str) -> String {
    let Ok(time) = OffsetDateTime::parse(rfc3339, &Rfc3339) else {
        return for_terminal(rfc3339);
    };
    let (weekday, month) = (time.weekday().to_string(), time.month().to_string());
    let clock = (time.hour(), time.minute(), time.second());
    format!(
        "{} {} {:02} {:02}:{:02}:{:02} {}",
        &weekday[..3],
        &month[..3],
        time.day(),
        clock.0,
        clock.1,
        clock.2,
        time.year()
    )
}

/// The output of ab for one target of a run with one workload.
pub fn of_target(run: &Run<'_>, target: &Target, percentages: bool) -> String {
    let load = run.plan.workloads.first();
    let url = match &target.reach {
        Reach::Endpoint { url } => Some(url),
        Reach::Launched(_) | Reach::Builtin(_) | Reach::Files(_) => None,
    };
    let environment = run.document.environment.targets.get(&target.name);
    let shown = |part: &str| target.secrets.conceal(part);
    let path = url.map_or_else(|| "/".to_owned(), |url| shown(url.path()));
    let query = url.and_then(|url| url.query()).map(shown);
    let asked = Asked {
        host: url.and_then(|url| url.host_str()).unwrap_or_default(),
        port: url
            .and_then(|url| url.port_or_known_default())
            .unwrap_or_default(),
        path: &path,
        query: query.as_deref(),
        connections: load.map_or(0, |work| work.load.connections as u64),
        keep_alive: load.is_some_and(|work| work.load.keep_alive),
        sends: load.is_some_and(|work| work.facts().sends_body()),
        percentages,
        server: environment.and_then(|target| target.server_header.as_deref()),
    };
    text(&asked, &Pooled::of(run.record, &target.name))
}

/// The percentages for which ab prints a line.
const SHOWN: [u8; 9] = [50, 66, 75, 80, 90, 95, 98, 99, 100];

/// The settings of a run that ab's output shows.
#[derive(Debug, Clone, Copy)]
struct Asked<'a> {
    /// Host of the URL.
    host: &'a str,
    /// Port of the URL.
    port: u16,
    /// Path of the URL.
    path: &'a str,
    /// Query of the URL.
    query: Option<&'a str>,
    /// Connections.
    connections: u64,
    /// Whether connections are reused.
    keep_alive: bool,
    /// Whether requests have a body.
    sends: bool,
    /// Whether to print the table of percentages.
    percentages: bool,
    /// The `Server` header of the first response.
    server: Option<&'a str>,
}

/// Formats the figures as ab's output.
fn text(asked: &Asked<'_>, pooled: &Pooled) -> String {
    let mut text = String::new();
    let server = asked.server.map_or_else(String::new, for_terminal);
    line(&mut text, "Server Software", &server);
    line(&mut text, "Server Hostname", &for_terminal(asked.host));
    line(&mut text, "Server Port", &asked.port.to_string());
    text.push('\n');
    let path = match asked.query {
        Some(query) => format!("{}?{query}", asked.path),
        None => asked.path.to_owned(),
    };
    let path = for_terminal(&conceal_parameters(&path));
    line(&mut text, "Document Path", &path);
    let length = pooled.answered.checked_div(pooled.ok);
    let length = length.map_or("unknown".to_owned(), |bytes| format!("{bytes} bytes"));
    line(&mut text, "Document Length", &length);
    text.push('\n');
    counts(&mut text, asked, pooled);
    text.push('\n');
    let total = pooled.with_opening();
    connection_times(&mut text, pooled, &total);
    if asked.percentages && !total.is_empty() {
        percentages(&mut text, &total);
    }
    if let Some(line) = in_detail(&total) {
        text.push_str(&line);
    }
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
        use ErrorClass::{
            Check, Connect, Protocol, Reset, Short, Stale, Status, Timeout, Unexpected, Wrong,
        };
        let _ = writeln!(
            text,
            "   (Connect: {}, Receive: {}, Length: {}, Exceptions: {})",
            pooled.failed_by(&[Connect]),
            pooled.failed_by(&[Reset, Timeout]),
            pooled.failed_by(&[Short, Wrong, Stale, Unexpected, Check]),
            pooled.failed_by(&[Status, Protocol])
        );
    }
    let others = pooled.statuses_outside(200..300);
    if others > 0 {
        line(text, "Non-2xx responses", &others.to_string());
    }
    if asked.keep_alive {
        line(text, "Keep-Alive requests", &pooled.kept().to_string());
    }
    let bytes = |count: u64| format!("{count} bytes");
    line(text, "Total transferred", &bytes(pooled.received));
    if asked.sends {
        line(text, "Total body sent", &pooled.sent.to_string());
    }
    line(text, "HTML transferred", &bytes(pooled.answered));
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
    if asked.sends {
        let sent = pooled.per_second(pooled.sent as f64 / 1_024.0);
        let both = transfer.zip(sent).map(|(received, sent)| received + sent);
        let _ = writeln!(text, "{:<23} {}", "", each(sent, 2, "kb/s sent"));
        let _ = writeln!(text, "{:<23} {}", "", each(both, 2, "kb/s total"));
    }
}

fn connection_times(text: &mut String, pooled: &Pooled, total: &Histogram<u64>) {
    text.push_str("Connection Times (ms)\n");
    text.push_str("              min  mean[+/-sd] median   max\n");
    times(text, "Connect", pooled.connecting().as_ref());
    if !pooled.setup.tls.is_empty() {
        times(text, "TLS", Some(&pooled.setup.tls.unpacked()));
    }
    times(text, "Processing", Some(&pooled.service));
    times(text, "Waiting", Some(&pooled.first_byte));
    times(text, "Total", Some(total));
}

fn times(text: &mut String, name: &str, histogram: Option<&Histogram<u64>>) {
    let name = format!("{name}:");
    let Some(known) = histogram.filter(|histogram| !histogram.is_empty()) else {
        let _ = writeln!(text, "{name:<12}unknown");
        return;
    };
    let median = quantile_ns(known, 0.5).unwrap_or_default();
    let _ = writeln!(
        text,
        "{name:<12}{:>5} {:>4} {:>5.1} {:>6} {:>7}",
        whole_millis(known.min() as f64),
        whole_millis(known.mean()),
        known.stdev() / 1e6,
        whole_millis(median as f64),
        whole_millis(known.max() as f64)
    );
}

/// Converts nanoseconds to milliseconds, rounded as in ab.
fn whole_millis(nanos: f64) -> u64 {
    (nanos / 1e6).round() as u64
}

fn percentages(text: &mut String, total: &Histogram<u64>) {
    text.push_str("\nPercentage of the requests served within a certain time (ms)\n");
    for percent in SHOWN {
        let note = if percent == 100 {
            " (longest request)"
        } else {
            ""
        };
        let millis = whole_millis(served(total, percent) * 1e6);
        let _ = writeln!(text, "{percent:>4}%  {millis:>5}{note}");
    }
}

/// The additional last line: the times of the table of percentages, in microseconds; `None` without
/// times.
fn in_detail(total: &Histogram<u64>) -> Option<String> {
    (!total.is_empty()).then(|| {
        format!(
            "\nIn microseconds: mean {:.0}, 50 % {:.0}, 90 % {:.0}, 99 % {:.0}, longest {:.0}\n",
            total.mean() / 1e3,
            served(total, 50) * 1e3,
            served(total, 90) * 1e3,
            served(total, 99) * 1e3,
            served(total, 100) * 1e3
        )
    })
}

/// Time within which this percentage of the responses arrived, milliseconds.
fn served(total: &Histogram<u64>, percent: u8) -> f64 {
    let nanos = quantile_ns(total, f64::from(percent) / 100.0);
    nanos.unwrap_or_default() as f64 / 1e6
}

/// The file that ab writes with `-e`: the time for each percentage.
fn csv(pooled: &Pooled, mark: &str) -> String {
    let mut text = format!("{},{COLUMN}\n", tables::PERCENTAGES_HEAD);
    let total = pooled.with_opening();
    if total.is_empty() {
        return text;
    }
    for percent in 0..=100 {
        let _ = writeln!(text, "{percent},{:.3},{mark}", served(&total, percent));
    }
    text
}

#[cfg(test)]
mod tests {
    use tenbin_record::OpFigures;

    use super::*;

    const ASKED: Asked<'_> = Asked {
        host: "127.0.0.1",
        port: 8787,
        path: "/",
        query: Some("a=b"),
        connections: 4,
        keep_alive: false,
        sends: false,
        percentages: true,
        server: Some("nginx"),
    };

    /// One hundred responses after 5 ms, `opened` connections that took 2 ms each to open, and
    /// failures of several classes.
    fn pooled(opened: u64) -> Pooled {
        let mut op = OpFigures::new("GET");
        op.counts.ok = 100;
        op.answered = Some(1_300);
        op.counts.received = 18_600;
        op.statuses = [(200, 70), (302, 30), (500, 20)].into();
        op.errors = [
            (ErrorClass::Connect, 1),
            (ErrorClass::Reset, 2),
            (ErrorClass::Timeout, 3),
            (ErrorClass::Short, 4),
            (ErrorClass::Status, 20),
            (ErrorClass::Protocol, 5),
        ]
        .into();
        op.times.service.record_n(5_000_000, 100).unwrap();
        op.times.first_byte.record_n(3_000_000, 100).unwrap();
        let mut pooled = Pooled::nothing();
        pooled.seconds = 0.282;
        pooled.add_op(&op);
        let setup = &mut pooled.setup;
        setup.connect.record_n(2_000_000, opened).unwrap();
        setup.response.record_n(5_000_000, opened).unwrap();
        setup.total.record_n(7_000_000, opened).unwrap();
        pooled.ledger.opened = opened;
        pooled.ledger.reused = 100 - opened;
        pooled
    }

    /// The lines as ab 2.3 prints them: programs find lines by this text and parse the whole
    /// numbers.
    #[test]
    fn lines_are_those_of_ab() {
        let text = text(&ASKED, &pooled(100));
        for line in [
            "Server Software:        nginx",
            "Document Path:          /?a=b",
            "Document Length:        13 bytes",
            "Complete requests:      100",
            "Failed requests:        35",
            "   (Connect: 1, Receive: 5, Length: 4, Exceptions: 25)",
            "Non-2xx responses:      50",
            "Total transferred:      18600 bytes",
            "Requests per second:    354.61 [#/sec] (mean)",
            "Time per request:       2.820 [ms] (mean, across all concurrent requests)",
            "Connection Times (ms)",
            "              min  mean[+/-sd] median   max",
            "Connect:        2    2   0.0      2       2",
            "Processing:     5    5   0.0      5       5",
            "Waiting:        3    3   0.0      3       3",
            "Total:          7    7   0.0      7       7",
            "Percentage of the requests served within a certain time (ms)",
            "  50%      7",
            " 100%      7 (longest request)",
        ] {
            assert!(text.lines().any(|each| each == line), "{line}\n{text}");
        }
        assert!(!text.contains("Keep-Alive requests"), "{text}");
    }

    #[test]
    fn only_the_first_request_on_a_connection_waits_for_it() {
        let asked = Asked {
            keep_alive: true,
            sends: true,
            ..ASKED
        };
        let text = text(&asked, &pooled(4));
        for line in [
            "Keep-Alive requests:    100",
            "Total body sent:        0",
            "                        0.00 kb/s sent",
            "Connect:        0    0   0.4      0       2",
            "Total:          5    5   0.4      5       7",
            "  98%      7",
        ] {
            assert!(text.lines().any(|each| each == line), "{line}\n{text}");
        }
        // The exact times are below the table and in the file of `-e`.
        assert!(text.contains("In microseconds: mean 50"), "{text}");
        let table = csv(&pooled(4), "tenbin trust: VALID");
        assert!(table.contains("\n96,5.0"), "{table}");
    }

    #[test]
    fn the_list_has_a_row_for_each_response_and_is_read_again() {
        let started = date("2026-11-29T10:42:57Z");
        assert_eq!(started, "Sun Nov 29 10:42:57 2026");
        let list = list(&started, &pooled(4), "tenbin trust: VALID");
        assert_eq!(list.lines().count(), 1 + 100, "{list}");
        let slowest = list.lines().last().expect("a row");
        assert!(slowest.starts_with("Sun Nov 29 10:42:57 2026\tNaN\tNaN\tNaN\t7.0"));
        // gnuplot's `using 9` is the total time, as in ab's file: the start has five words.
        let ninth = slowest.split_whitespace().nth(8).expect("a column");
        assert!((6.99..7.01).contains(&ninth.parse::<f64>().expect("a number")));
        let read = tables::requests(list.as_bytes()).expect("it is read");
        let of = format!("{read:?}");
        assert!(of.contains("Valid"), "{of}");
    }

    #[test]
    fn what_was_not_measured_is_unknown() {
        let text = text(&ASKED, &Pooled::nothing());
        assert!(text.contains("Total:      unknown"), "{text}");
        assert!(text.contains("Requests per second:    unknown"), "{text}");
        assert!(!text.contains("microseconds"), "{text}");
    }
}
