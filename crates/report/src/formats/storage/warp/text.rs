//! Reads the text that warp prints, and Tenbin's output in the same format. The text contains rates
//! and times, but rarely a number of requests.

use tenbin_verdict::lint::{Failed, Measurement, Range, Reported, Said};

use super::title::{Title, is_bare_title, is_title};
use super::{OBJECTS, may_have_several_objects, objects_caveat};
use crate::formats::judged::judged;
use crate::formats::readable::readable;
use crate::formats::reader::Fault;
use crate::formats::reported::{Line, Lines, checked, count, go_duration, with_unit};

/// The sum of a mix, which is no operation.
const TOTAL: &str = "Total";

/// Units of data per second.
const DATA: [&str; 6] = ["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s", "MB/s"];

/// Seconds in a millisecond.
const MILLI: f64 = 1e-3;

/// Whether a text contains the first line of an operation.
/// What the line with the figures of an operation begins with.
const FIGURES: &str = "* Average: ";

pub(super) fn recognises(content: &[u8]) -> bool {
    let text = readable(content);
    let mut titles = text.lines().filter(|line| is_title(line));
    titles.any(|line| !is_bare_title(line) || text.contains(FIGURES))
}

/// Reads the figures by operation. The total of a mix does not count as an operation.
pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    let mut text = Text::default();
    for line in &lines.0 {
        text.add(line)?;
    }
    text.end();
    // An operation with too few requests has a title but no figures.
    text.measurements.retain(|of| of.rate.is_some());
    if text.measurements.is_empty() {
        return Err(Fault::of_the_file(if text.has_hosts {
            "has figures of single hosts only; repeat the analysis without --analyze.v, or use the \
             .csv.zst that warp writes with --full"
        } else {
            "has no operation with figures; it may be cut off"
        }));
    }
    let in_objects = text
        .measurements
        .iter()
        .filter(|of| of.per_second.is_some());
    let said: Vec<String> = in_objects.map(|of| objects_caveat(&of.operation)).collect();
    text.caveats.extend(said);
    let mut reported = judged(checked("warp", text.measurements)?, content);
    if reported.judged.is_some() {
        // The rates that Tenbin writes are those of correct responses.
        let all = reported.measurements.iter_mut();
        let failures = all.flat_map(|of| &mut of.failures);
        failures.for_each(|failed| failed.counted = false);
    }
    Ok(Reported {
        caveats: text.caveats,
        ..reported
    })
}

/// What has been read of a text.
#[derive(Default)]
struct Text {
    measurements: Vec<Measurement>,
    current: Option<Measurement>,
    /// Whether the lines are about a part of the operation: a host, a client, a size or a second.
    is_part: bool,
    /// Whether the operation is one of a mix, whose average earlier versions call throughput.
    is_of_mix: bool,
    has_hosts: bool,
    caveats: Vec<String>,
}

impl Text {
    fn end(&mut self) {
        self.measurements.extend(self.current.take());
        self.is_part = false;
    }

    fn add(&mut self, line: &Line<'_>) -> Result<(), Fault> {
        if let Some(title) = Title::of(line)? {
            self.end();
            self.is_of_mix = title.is_of_mix;
            self.current = (title.name != TOTAL).then(|| begun(line, title));
            return Ok(());
        }
        // What follows belongs to no operation.
        if line.text.starts_with("Skipping ") || line.text.starts_with("Cluster Total:") {
            self.end();
            return Ok(());
        }
        let Some(of) = &mut self.current else {
            return Ok(());
        };
        if let Some(item) = item(line.text) {
            let throughput = item.strip_prefix("Throughput: ");
            return match throughput.filter(|_| self.is_of_mix) {
                _ if self.is_part => Ok(()),
                Some(average) => average_of(of, line, average),
                None => figures(of, line, item),
            };
        }
        if let Some(rest) = line.text.strip_prefix("Requests considered: ") {
            self.is_part = false;
            return considered(of, line, rest, &mut self.caveats);
        }
        // Older versions print the number on a separate line.
        if let Some(errors) = line.text.strip_prefix("Errors: ") {
            return match of.rate {
                None => failed(of, line, errors),
                Some(_) => Ok(()),
            };
        }
        if line.text == "Throughput:" {
            self.is_part = false;
        } else if line.text.starts_with("Request size ") {
            self.is_part = true;
            several_sizes(&of.operation, &mut self.caveats);
        } else if line.text.ends_with(':') && !line.text.starts_with(' ') {
            self.is_part = true;
            self.has_hosts |= self.is_of_mix && line.text == "Throughput by host:";
        }
        Ok(())
    }
}

/// The text of an item of the operation itself; the items of its errors are further to the right.
fn item(line: &str) -> Option<&str> {
    line.strip_prefix("* ").or(line.strip_prefix(" * "))
}

fn begun(line: &Line<'_>, title: Title<'_>) -> Measurement {
    let mut of = Measurement::new(title.name);
    of.closed_loop = true;
    let connections = title.concurrency.filter(|concurrency| *concurrency > 0);
    of.connections = connections.map(|concurrency| line.said(concurrency));
    of.seconds = title.ran.map(|seconds| line.said(seconds));
    of.samples = title.requests;
    let several = title.has_several_objects;
    of.per_second = several.then(|| OBJECTS.to_owned());
    of
}

fn figures(of: &mut Measurement, line: &Line<'_>, item: &str) -> Result<(), Fault> {
    if let Some(average) = item.strip_prefix("Average: ") {
        average_of(of, line, average)
    } else if let Some(rest) = item.strip_prefix("Objects per request: ") {
        // The line below the title, with --analyze.v.
        let objects = rest.split('.').next().unwrap_or_default();
        let objects = line.count("the number of objects", objects)?;
        if objects.value > 1 {
            of.per_second = Some(OBJECTS.to_owned());
        }
        let concurrency = rest
            .split_once("Concurrency: ")
            .map_or("", |(_, rest)| rest);
        let concurrency = concurrency.split('.').next().unwrap_or_default();
        let concurrency = line.count("the concurrency", concurrency)?;
        of.connections = (concurrency.value > 0).then_some(concurrency);
        Ok(())
    } else if let Some(times) = item
        .strip_prefix("Reqs: ")
        .or(item.strip_prefix("Latency: "))
    {
        times_of(of, line, times, &|text| go_duration(text))
    } else if item.starts_with("Avg: ") {
        // warp cuts off what is below a millisecond.
        times_of(of, line, item, &|text| {
            let printed = go_duration(text)?.middle();
            Some(Range {
                from: printed,
                to: printed + MILLI,
            })
        })
    } else if let Some(errors) = item.strip_prefix("Errors: ") {
        failed(of, line, errors)
    } else {
        Ok(())
    }
}

/// Reads `832.11 MiB/s, 83.21 obj/s, 12 errors (58s)`.
fn average_of(of: &mut Measurement, line: &Line<'_>, average: &str) -> Result<(), Fault> {
    let (figures, length) = average.split_once(" (").unwrap_or((average, ""));
    if !length.is_empty() && !is_note(length) {
        return Err(line.no("the average rate", average));
    }
    for figure in figures.split(", ") {
        let is_data = with_unit(figure, &DATA.map(|unit| (unit, 1.0))).is_some();
        let is_also = with_unit(figure, &[("ops ended/s", 1.0)]).is_some();
        if figure == "unknown" || is_data || is_also {
            continue;
        }
        if let Some(errors) = figure.strip_suffix(" errors") {
            failed(of, line, errors)?;
            continue;
        }
        let objects = with_unit(figure, &[(OBJECTS, 1.0)]);
        let requests = with_unit(figure, &[("ops/s", 1.0), ("req/s", 1.0)]);
        let rate = objects.or(requests);
        let rate = rate.ok_or_else(|| line.no("the average rate", figure))?;
        if of.rate.is_none() {
            let may_differ = of.per_second.is_some() || may_have_several_objects(&of.operation);
            let is_other = objects.is_some() && may_differ;
            of.per_second = is_other.then(|| OBJECTS.to_owned());
            of.rate = Some(line.said(rate));
        }
    }
    Ok(())
}

/// Whether this ends the line of an average: `58s)` or `concurrency: 20)`.
fn is_note(text: &str) -> bool {
    let note = text.strip_suffix(')').unwrap_or_default();
    let concurrency = note.strip_prefix("concurrency: ").and_then(count);
    go_duration(note).is_some() || concurrency.is_some()
}

/// Adds failed requests, whose number warp prints in several places.
fn failed(of: &mut Measurement, line: &Line<'_>, errors: &str) -> Result<(), Fault> {
    let errors = line.count("the number of errors", errors)?;
    if errors.value > 0 && of.failures.is_empty() {
        of.failures.push(Failed {
            what: "failed requests".to_owned(),
            count: errors.value,
            // warp counts them like correct ones.
            counted: true,
            quote: errors.quote,
        });
    }
    Ok(())
}

/// Reads `4800:`, or `4800. Multiple sizes, average 1024 bytes:`.
fn considered(
    of: &mut Measurement,
    line: &Line<'_>,
    rest: &str,
    caveats: &mut Vec<String>,
) -> Result<(), Fault> {
    let number = rest.split(['.', ':']).next().unwrap_or_default();
    of.samples = Some(line.count("the number of requests", number)?.value);
    if rest.contains("Multiple sizes") {
        several_sizes(&of.operation, caveats);
    }
    Ok(())
}

fn several_sizes(operation: &str, caveats: &mut Vec<String>) {
    let caveat = format!(
        "{operation}: warp prints no times of requests of several sizes, so they are unknown; its \
         .csv.zst, written with --full, has them"
    );
    if !caveats.contains(&caveat) {
        caveats.push(caveat);
    }
}

/// Parses a time of requests.
type Parse<'a> = &'a dyn Fn(&str) -> Option<Range>;

fn times_of(
    of: &mut Measurement,
    line: &Line<'_>,
    times: &str,
    parse: Parse<'_>,
) -> Result<(), Fault> {
    for part in times.split(", ") {
        let (name, value) = part.split_once(": ").unwrap_or((part, ""));
        figure(of, line, name, value.trim_end(), parse)?;
    }
    of.sort_percentiles();
    Ok(())
}

fn figure(
    of: &mut Measurement,
    line: &Line<'_>,
    name: &str,
    value: &str,
    parse: Parse<'_>,
) -> Result<(), Fault> {
    // Tenbin's output for a percentile that is only bounded or unknown.
    if value.starts_with("between ") || value == "unknown" || name == "unknown" {
        return Ok(());
    }
    let range = parse(value).ok_or_else(|| line.no(name, value))?;
    let said: Said<Range> = line.said(range);
    match name {
        "Avg" | "avg" => of.mean = Some(said),
        "Fastest" | "min" => of.min = Some(said),
        "Slowest" | "max" => of.max = Some(said),
        "50%" | "median" => of.add_percentile(0.5, said),
        "90%" | "p90" => of.add_percentile(0.9, said),
        "99%" | "p99" => of.add_percentile(0.99, said),
        "StdDev" => {}
        _ => match quantile(name) {
            Some(quantile) => of.add_percentile(quantile, said),
            None => return Err(line.no("a figure of times", name)),
        },
    }
    Ok(())
}

/// The quantile of a percentile's name: 0.95 of `p95`, which Tenbin prints.
fn quantile(name: &str) -> Option<f64> {
    let percent: f64 = name.strip_prefix('p')?.parse().ok()?;
    (percent > 0.0 && percent < 100.0).then_some(percent / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = " * Average: 832.11 MiB/s, 83.21 obj/s
 * Reqs: Avg: 235.5ms, 50%: 200.2ms, 90%: 430.4ms, 99%: 1.002s, Fastest: 20.3ms, Slowest: 1m2.2s, \
                         StdDev: 50.1ms
 * TTFB: Avg: 20ms, Best: 3ms, 25th: 10ms, Median: 15ms, 75th: 22ms, 90th: 40ms, 99th: 90ms, Worst: 200ms
";

    fn read(text: &str) -> Reported {
        assert!(recognises(text.as_bytes()), "{text}");
        reported(text.as_bytes()).unwrap_or_else(|error| panic!("{error:?}: {text}"))
    }

    fn only(text: &str) -> Measurement {
        let mut all = read(text).measurements;
        assert_eq!(all.len(), 1, "{text}");
        all.remove(0)
    }

    fn middle(said: &Option<Said<Range>>) -> Option<f64> {
        Some(said.as_ref()?.value.middle())
    }

    fn refusal(text: &str) -> String {
        format!("{:?}", reported(text.as_bytes()).expect_err("refused"))
    }

    #[test]
    fn runs_and_times_can_be_longer_than_a_minute() {
        for (ran, seconds) in [("57s", 57.0), ("4m57s", 297.0), ("1h0m1.5s", 3601.5)] {
            let of = only(&format!(
                "Report: GET. Concurrency: 20. Ran: {ran}\n{LINES}"
            ));
            assert_eq!(middle(&of.seconds), Some(seconds));
            assert_eq!(middle(&of.rate), Some(83.21));
            assert_eq!(middle(&of.max), Some(62.2));
            assert_eq!((of.percentiles.len(), &of.per_second), (3, &None));
        }
    }

    #[test]
    fn errors_and_operations_are_part_of_the_average() {
        let title = "Report: STAT. Concurrency: 20. Ran: 58s\n";
        let of = only(&format!(
            "{title} * Average: 832.11 MiB/s, 83.21 obj/s, 12 errors\n * Errors: 12\n"
        ));
        assert_eq!((of.failed(), of.failed_and_counted()), (12, 12));
        // Few failures: what each of them counts for makes no difference.
        let speed = of.speed().unwrap();
        assert!((speed - (83.21 - 12.0 / 58.0)).abs() < 0.01, "{speed}");
        let many = only(&format!(
            "{title} * Average: 832.11 MiB/s, 83.21 obj/s, 900 errors\n * Errors: 900\n"
        ));
        assert_eq!(many.speed(), None);
        let of = only(&format!("{title} * Average: 1832.11 ops/s\n"));
        assert_eq!((of.speed(), of.unit()), (Some(1832.11), "req/s"));
        let said = refusal(&format!("{title} * Average: 1832.11 lists/s\n"));
        assert!(said.contains("the average rate is"), "{said}");
    }

    #[test]
    fn requests_for_several_objects_have_a_rate_of_objects() {
        for (operation, unit) in [("DELETE", "obj/s"), ("LIST", "obj/s"), ("GET", "req/s")] {
            let text = format!("Report: {operation}. Concurrency: 20. Ran: 58s\n{LINES}");
            let of = only(&text);
            assert_eq!((of.unit(), of.speed()), (unit, Some(83.21)), "{operation}");
        }
        // An archive that is unpacked has many objects, as the details say.
        let archive = format!(
            "Report: PUT (40 reqs). Ran Duration: 58s, starting 12:00:01 UTC\n * Objects per request: 100. \
             Concurrency: 20.\n{LINES}"
        );
        assert_eq!(only(&archive).unit(), "obj/s");
        let archive = "Operation: PUT (40). Ran 58s. Objects per operation: 100. Concurrency: 20.\n\n\
                       Throughput:\n* Average: 83.21 obj/s (58s)\n";
        assert_eq!(only(archive).unit(), "obj/s");
        // Tenbin counts the requests of a listing.
        let own = "Operation: LIST. Concurrency: 20. Ran: 58.0s\n* Average: 10.00 req/s\n";
        assert_eq!(only(own).unit(), "req/s");
    }

    #[test]
    fn details_of_hosts_and_clients_are_not_those_of_the_operation() {
        let of = only(&format!(
            "\nReport: GET (4826 reqs). Ran Duration: 58s, starting 12:00:01 UTC
 * Objects per request: 1. Size: 10485760 bytes. Concurrency: 20. Hosts: 2. Warp Instances: 2.
 * Average: 832.11 MiB/s, 83.21 obj/s, 2 errors (58s)
 * Errors: 2
 - First Errors:
   * Errors: of a server:
{}
Throughput by host:
 * http://h1:9000: Avg: 416.10 MiB/s, 41.60 obj/s (58s)

Throughput by client:
Client 1 throughput: 416.10 MiB/s, 41.60 obj/s (58s)
 * Reqs: Avg: 1.5ms, 50%: 1.2ms, 90%: 1.4ms, 99%: 1.1ms, Fastest: 1.3ms, Slowest: 2.0ms, StdDev: 5.1ms

Throughput, split into 58 x 1s:
 * Fastest: 850.2MiB/s, 85.02 obj/s (1s, starting 12:00:01 UTC)
",
            &LINES[LINES.find(" * Reqs").unwrap()..]
        ));
        assert_eq!(of.connections.as_ref().map(|said| said.value), Some(20));
        assert_eq!((of.samples, of.failed()), (Some(4826), 2));
        assert_eq!(
            (middle(&of.seconds), middle(&of.rate)),
            (Some(58.0), Some(83.21))
        );
        let mean = middle(&of.mean).map(|mean| (mean * 1e6).round());
        assert_eq!((mean, of.percentiles.len()), (Some(235_500.0), 3));
    }

    #[test]
    fn the_analysis_of_a_full_list_is_read() {
        let of = only(
            "----------------------------------------
Operation: GET (4826). Ran 58s. Size: 10485760 bytes. Concurrency: 20.
Errors: 3
First Errors:
 * Average: of an error

Requests considered: 4800:
 * Avg: 235ms, 50%: 200ms, 90%: 430ms, 99%: 1.002s, Fastest: 20ms, Slowest: 1.222s, StdDev: 50ms
 * First Access: Avg: 1ms, 50%: 1ms, 90%: 1ms, 99%: 1s, Fastest: 1ms, Slowest: 1s, StdDev: 1ms

Throughput:
* Average: 832.11 MiB/s, 83.21 obj/s (58s)

Throughput, split into 57 x 1s:
 * Fastest: 850.2MiB/s, 85.02 obj/s (1s, starting 12:00:01 UTC)
",
        );
        let ran = of.seconds.as_ref().unwrap().value;
        assert_eq!((ran.from, ran.to), (58.0, 59.0));
        let mean = of.mean.as_ref().unwrap().value;
        assert!(mean.from > 0.2349 && mean.to < 0.2361 && mean.to - mean.from > 0.0009);
        assert_eq!((of.samples, of.failed()), (Some(4800), 3));
        assert_eq!(middle(&of.rate), Some(83.21));
        let few = only("Operation: LIST\n* Average: 1200.00 obj/s\n");
        assert_eq!((few.connections.clone(), few.unit()), (None, "obj/s"));
    }

    #[test]
    fn the_operations_of_a_mix_have_throughputs() {
        let mix = "Mixed operations.
Operation: DELETE, 10%, Concurrency: 20, Ran 4m58s.
 * Throughput: 18.51 obj/s

Operation: GET, 45%, Concurrency: 20, Ran 4m59s.
Errors: 12
 * Throughput: 832.11 MiB/s, 83.21 obj/s

Cluster Total: 1109.10 MiB/s, 184.90 obj/s, 12 errors over 5m0s.
Total Errors:12.
";
        let all = read(mix).measurements;
        let found: Vec<_> = all
            .iter()
            .map(|of| (of.operation.as_str(), middle(&of.rate), of.failed()))
            .collect();
        assert_eq!(
            found,
            [("DELETE", Some(18.51), 0), ("GET", Some(83.21), 12)]
        );
        let broken = mix.replace("Ran 4m59s.", "Ran 4m59s. Faults: 12");
        assert!(refusal(&broken).contains("the end of the title"));
        // With several hosts, the details have no throughput of all.
        let hosts = "Operation: GET - total: 4826, 45.0%, Concurrency: 20, Ran 4m59s, starting 2024
\nThroughput by host:\n * http://h1:9000: Avg: 416.10 MiB/s, 41.60 obj/s (58s).\n";
        assert!(refusal(hosts).contains("single hosts"));
    }

    #[test]
    fn times_of_several_sizes_are_unknown() {
        let found = read(
            "Report: GET. Concurrency: 20. Ran: 58s
 * Average: 832.11 MiB/s, 83.21 obj/s

Request size 0 B -> 10 KiB . Requests: 100
 * Reqs: Avg: 10.00 MiB/s, 50%: 9.00 MiB/s, 90%: 12.00 MiB/s, 99%: 13.00 MiB/s, Fastest: 20.00 MiB/s, \
             Slowest: 1.00 MiB/s 
 * TTFB: Avg: 20ms, Best: 3ms
",
        );
        assert_eq!(found.measurements[0].mean, None);
        assert!(found.caveats[0].contains("several sizes"), "{found:?}");
    }
}
