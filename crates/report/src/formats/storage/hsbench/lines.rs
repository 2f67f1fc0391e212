//! Reads the text of hsbench and blobstore-bench; each loop is a repetition. Accepts `Lat(ms): [
//! min: …` and `Lat(ms): [min: …`, and loops counted from 0 or from 1.

use tenbin_verdict::lint::{Reported, Said};
use tenbin_verdict::{Measure, Series};

use super::rows::{FileRow, measured};
use crate::formats::judged::judged;
use crate::formats::readable::readable;
use crate::formats::reader::Fault;
use crate::formats::reported::{Lines, count, decimal};

/// Whether any line of the text is the total of a mode.
pub(super) fn recognises(content: &[u8]) -> bool {
    readable(content).lines().any(|line| total(line).is_some())
}

/// Reads the speeds, one value per loop.
///
/// # Errors
/// The defect and its line, in one clause.
pub(super) fn series(content: &[u8]) -> Result<Vec<Series>, String> {
    let text = str::from_utf8(content).map_err(|_| "it is not UTF-8 text".to_owned())?;
    let mut all: Vec<Series> = Vec::new();
    let mut unknown: Vec<&str> = Vec::new();
    for (line, at) in text.lines().zip(1..) {
        let Some(total) = total(line) else { continue };
        // A mode without operations, such as clearing an empty bucket, has no speed.
        if total.ops == Some(0.0) {
            continue;
        }
        let speed = total
            .speed
            .ok_or_else(|| format!("line {at} has no operations a second"))?;
        if speed <= 0.0 || !speed.is_finite() {
            unknown.push(total.mode);
            continue;
        }
        match all.iter_mut().find(|each| each.workload == total.mode) {
            Some(series) => series.values.push(speed),
            None => all.push(Series::new(
                total.mode.to_owned(),
                None,
                Measure::Rate,
                vec![speed],
            )),
        }
    }
    // The other loops of such a mode are not its median.
    all.retain(|series| !unknown.contains(&series.workload.as_str()));
    Ok(all)
}

/// Reads the totals, each with the line that states its figures.
///
/// # Errors
/// A line in an unknown form, or a contradiction.
pub(super) fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    let mut threads: Option<Said<u64>> = None;
    let mut rows = Vec::new();
    for line in &lines.0 {
        if let Some((_, text)) = line.text.split_once(" threads=") {
            threads = Some(line.count("the number of threads", text.trim())?);
        }
        if total(line.text).is_none() {
            continue;
        }
        let value = |name: &str| {
            let rest = line.text.split_once(name).map(|(_, rest)| rest);
            let text = rest.and_then(|rest| rest.split([',', ' ', ']']).next());
            text.ok_or_else(|| line.fault(format!("has no {name:?}")))
        };
        let number = |name: &str| {
            let text = value(name)?;
            decimal(text).ok_or_else(|| line.no(name.trim_end_matches([':', ' ']), text))
        };
        let time = |name: &str| match value(name)? {
            "unknown" => Ok(None),
            _ => number(name).map(Some),
        };
        let integer = |name: &str| {
            let text = value(name)?;
            count(text).ok_or_else(|| line.no(name.trim_end_matches([':', ' ']), text))
        };
        rows.push(FileRow {
            mode: value("Mode: ")?.to_owned(),
            seconds: number("Dur(s): ")?,
            ops: integer("Ops: ")?,
            iops: number("IO/s: ")?,
            times: [
                time("min: ")?,
                time("avg: ")?,
                time("99%: ")?,
                time("max: ")?,
            ],
            slowdowns: integer("Slowdowns: ")?,
            threads: threads.clone(),
            quote: line.quote(),
        });
    }
    measured(rows).map(|it| judged(it, content))
}

/// The total of a mode in one loop.
struct Total<'a> {
    mode: &'a str,
    ops: Option<f64>,
    /// Operations per second: count divided by length for loops of 10 s or more and for rates that
    /// print as 0, otherwise the printed rate. 0 if neither is known.
    speed: Option<f64>,
}

fn total(line: &str) -> Option<Total<'_>> {
    let line = &line[line.find("Loop: ")?..];
    let value = |name: &str| {
        let rest = line.split_once(name)?.1;
        Some(rest.split([',', ' ', ']']).next().unwrap_or_default())
    };
    let number = |name| value(name)?.parse::<f64>().ok();
    value("Lat(ms): ")?;
    number("Loop: ")?;
    if value("Int: ")? != "TOTAL" {
        return None;
    }
    let mode = value("Mode: ").filter(|mode| !mode.is_empty())?;
    let (ops, rate) = (number("Ops: "), number("IO/s: "));
    // The length has only one decimal, so for short loops the printed rate is more precise.
    let speed = match (ops, number("Dur(s): ")) {
        (Some(ops), Some(length)) if length >= 10.0 || (length > 0.0 && rate == Some(0.0)) => {
            Some(ops / length)
        }
        _ => rate,
    };
    Some(Total { mode, ops, speed })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines from the manual of blobstore-bench, then a line with `[min:` and loop 1.
    const LINES: &str = "\
2025/07/12 21:28:51 Loop: 0, Int: 3, Dur(s): 1.0, Mode: PUT, Ops: 681, MB/s: 6.49, IO/s: 681, Lat(ms): [ min: 1.7, avg: 2.7, 99%: 5.4, max: 12.0 ], Slowdowns: 0
2025/07/12 21:28:52 Loop: 0, Int: TOTAL, Dur(s): 5.0, Mode: PUT, Ops: 3084, MB/s: 5.88, IO/s: 617, Lat(ms): [ min: 1.6, avg: 3.0, 99%: 7.8, max: 317.2 ], Slowdowns: 0
2025/07/12 21:28:52 The subsequent '-m g' or '-m d' test should be specified with '-n 3084'
2025/07/12 21:28:54 Loop: 0, Int: TOTAL, Dur(s): 2.3, Mode: GET, Ops: 3084, MB/s: 12.94, IO/s: 1357, Lat(ms): [ min: 0.6, avg: 1.5, 99%: 3.1, max: 23.5 ], Slowdowns: 0
2026/11/20 12:11:48 Loop: 1, Int: TOTAL, Dur(s): 20.0, Mode: PUT, Ops: 20001, MB/s: 9.76, IO/s: 1000, Lat(ms): [min: 0.0, avg: 0.0, 99%: 0.0, max: 0.0], Slowdowns: 0
";

    #[test]
    fn both_shapes_are_read() {
        assert!(recognises(LINES.as_bytes()));
        let series = series(LINES.as_bytes()).unwrap();
        let read: Vec<_> = series
            .iter()
            .map(|each| (each.workload.as_str(), each.values.as_slice()))
            .collect();
        let puts: &[f64] = &[617.0, 1000.05];
        assert_eq!(read, [("PUT", puts), ("GET", &[1357.0])]);
    }

    #[test]
    fn other_text_is_not_taken_for_it() {
        for other in [
            "", "Loop: x", "BenchmarkPut 1 2 ns/op", "Loop: 0, Int: 0, Mode: PUT",
        ] {
            assert!(!recognises(other.as_bytes()), "{other}");
        }
        let without = LINES.replace("IO/s: 617", "IO: 617");
        assert!(super::series(without.as_bytes()).is_err());
    }

    #[test]
    fn a_rate_that_prints_as_zero_follows_from_the_operations() {
        let few = LINES.replace(
            "Ops: 3084, MB/s: 5.88, IO/s: 617",
            "Ops: 2, MB/s: 0.00, IO/s: 0",
        );
        let values = |text: &str| {
            let all = series(text.as_bytes()).unwrap();
            let named = all.into_iter().map(|each| (each.workload, each.values));
            named.collect::<Vec<_>>()
        };
        let puts = ("PUT".to_owned(), vec![0.4, 1000.05]);
        assert_eq!(values(&few), [puts, ("GET".to_owned(), vec![1357.0])]);
        let found = reported(few.as_bytes()).unwrap();
        let rate = found.measurements[0].rate.as_ref().unwrap().value;
        assert!(rate.from < 0.4 && rate.to > 0.4, "{rate:?}");
        // Without a length there is no rate: neither of this loop nor of the mode.
        let short = few.replace("TOTAL, Dur(s): 5.0", "TOTAL, Dur(s): 0.0");
        assert_eq!(values(&short), [("GET".to_owned(), vec![1357.0])]);
        let found = reported(short.as_bytes()).unwrap();
        assert_eq!(found.measurements[0].rate, None);
        assert!(found.caveats[0].starts_with("PUT: "), "{found:?}");
    }
}
