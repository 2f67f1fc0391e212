//! Reads the CSV and JSON files that hsbench writes.

use tenbin_verdict::lint::Reported;

use super::TOTAL;
use super::rows::{FileRow, measured};
use crate::formats::judged::judged;
use crate::formats::reader::Fault;
use crate::formats::reported::{Json, Lines, count, decimal};

/// Reads the totals from the CSV file that hsbench writes with `-o`.
pub(super) fn csv(content: &[u8]) -> Result<Reported, Fault> {
    let lines = Lines::of(content, &[])?;
    let mut rows = Vec::new();
    for line in lines.0.iter().skip(1) {
        let cells: Vec<&str> = line.text.split(',').collect();
        // The thirteenth column is that of files that Tenbin wrote.
        let cells = match cells.len() {
            13 => &cells[..12],
            _ => cells.as_slice(),
        };
        let [
            _,
            interval,
            seconds,
            mode,
            ops,
            _,
            iops,
            min,
            mean,
            p99,
            max,
            slowdowns,
        ] = cells
        else {
            return Err(line.fault("has not the twelve columns of hsbench"));
        };
        if *interval != TOTAL {
            continue;
        }
        let number = |what: &str, text: &str| decimal(text).ok_or_else(|| line.no(what, text));
        let time = |what: &str, text: &str| match text {
            "" => Ok(None),
            text => number(what, text).map(Some),
        };
        rows.push(FileRow {
            mode: (*mode).to_owned(),
            seconds: number("the duration", seconds)?,
            ops: count(ops).ok_or_else(|| line.no("the number of operations", ops))?,
            iops: number("the rate", iops)?,
            times: [
                time("the shortest time", min)?,
                time("the mean time", mean)?,
                time("the 99th percentile", p99)?,
                time("the longest time", max)?,
            ],
            slowdowns: count(slowdowns)
                .ok_or_else(|| line.no("the number of slowdowns", slowdowns))?,
            threads: None,
            quote: line.quote(),
        });
    }
    measured(rows).map(|it| judged(it, content))
}

/// Reads the totals from the JSON file that hsbench writes with `-j`.
pub(super) fn json(content: &[u8]) -> Result<Reported, Fault> {
    let value = Json::parse(content, "hsbench")?;
    let mut rows = Vec::new();
    for row in Json::of(&value).elements() {
        if row.need("IntervalName")?.text() != Some(TOTAL) {
            continue;
        }
        let mode = row.need("Mode")?;
        let number = |name: &str| Ok::<_, Fault>(row.need(name)?.number(1.0)?.value);
        let time = |name: &str| Ok::<_, Fault>(row.maybe(name, 1.0)?.map(|said| said.value));
        rows.push(FileRow {
            mode: mode.text().ok_or_else(|| mode.fault("no name"))?.to_owned(),
            seconds: number("Seconds")?,
            ops: row.need("Ops")?.count()?.value,
            iops: number("Iops")?,
            times: [
                time("MinLat")?,
                time("AvgLat")?,
                time("NinetyNineLat")?,
                time("MaxLat")?,
            ],
            slowdowns: row.need("Slowdowns")?.count()?.value,
            threads: None,
            quote: row.quote(),
        });
    }
    measured(rows).map(|it| judged(it, content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::content::Content;
    use crate::formats::storage::hsbench::repetitions;

    #[test]
    fn a_mode_with_a_loop_without_a_rate_has_no_speed() {
        let row = |mode: &str, seconds: f64, iops: f64| {
            format!(
                "{{\"IntervalName\": \"TOTAL\", \"Mode\": \"{mode}\", \"Seconds\": {seconds:?}, \"Ops\": 5, \
                 \"Iops\": {iops:?}, \"Slowdowns\": 0}}"
            )
        };
        let rows = [
            row("PUT", 1.0, 5.0),
            row("PUT", 0.0, 0.0),
            row("GET", 10.0, 0.0),
        ];
        let reported = json(format!("[{}]", rows.join(", ")).as_bytes()).expect("read");
        assert_eq!(reported.caveats.len(), 1, "{reported:?}");
        let Content::Repetitions(series) = repetitions(&reported) else {
            panic!("no repetitions");
        };
        let found: Vec<_> = series
            .iter()
            .map(|it| (it.workload.as_str(), it.values.as_slice()))
            .collect();
        assert_eq!(found, [("GET", &[0.5][..])]);
    }
}
