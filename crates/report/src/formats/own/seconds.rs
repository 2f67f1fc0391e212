//! Writes one row per second and operation, as CSV and TSV.

use std::collections::HashMap;

use tenbin_plan::sentence;
use tenbin_record::{SecondCounts, Slice};

use crate::cells::Between;
use crate::formats::format::Format;
use crate::formats::write::{Part, Run, WriteError, Writer};

pub(in crate::formats) const CSV: Format = Format {
    name: "seconds-csv",
    about: "a row for each second of each operation, separated by commas; service times",
    file: "seconds.csv",
    write: Some(Writer::Run(|run| write(run, Between::Comma))),
    ..Format::PLAIN
};

pub(in crate::formats) const TSV: Format = Format {
    name: "seconds-tsv",
    about: "a row for each second of each operation, separated by tabs",
    file: "seconds.tsv",
    write: Some(Writer::Run(|run| write(run, Between::Tab))),
    ..Format::PLAIN
};

const COLUMNS: &[&str] = &[
    "run", "trust", "slice", "workload", "target", "operation", "second", "start_s", "length_s",
    "ok", "failed", "ok_per_s", "payload_bytes", "min_s", "mean_s", "p50_s", "p99_s", "max_s",
];

fn write(run: &Run<'_>, between: Between) -> Result<Vec<Part>, WriteError> {
    if run.record.seconds.is_empty() {
        return Err(WriteError::Lacks(sentence!(
            "no-whole-second",
            "the run has no second that was measured to its end"
        )));
    }
    let slices = run.record.slices.iter();
    let slices: HashMap<u32, &Slice> = slices.map(|slice| (slice.index, slice)).collect();
    let mut text = between.head(COLUMNS);
    for second in whole(&run.record.seconds) {
        let Some(slice) = slices.get(&second.slice) else {
            continue;
        };
        text += &row(run, slice, &second, between);
    }
    Ok(vec![Part {
        name: "seconds".to_owned(),
        content: text.into_bytes(),
    }])
}

/// One second of one operation.
struct Second<'a> {
    slice: u32,
    operation: &'a str,
    number: u64,
    length: f64,
    ok: u64,
    failed: u64,
    payload: u64,
    /// The recorded entries for this second. If several have times, percentiles are unknown,
    /// because percentiles cannot be added.
    times: Vec<&'a SecondCounts>,
}

/// The seconds in order, with entries for the same second added up: a generator thread that
/// reported late has a separate entry a little later.
fn whole(entries: &[SecondCounts]) -> Vec<Second<'_>> {
    let mut seconds: Vec<Second<'_>> = Vec::with_capacity(entries.len());
    let mut known: HashMap<(u32, &str, u64), usize> = HashMap::with_capacity(entries.len());
    for entry in entries {
        let place = (entry.slice, entry.operation.as_str(), entry.second);
        match known.get(&place) {
            Some(&at) => {
                let second = &mut seconds[at];
                second.length = second.length.max(entry.length);
                second.ok += entry.ok;
                second.failed += entry.failed;
                second.payload += entry.payload;
                second.times.push(entry);
            }
            None => {
                known.insert(place, seconds.len());
                seconds.push(Second {
                    slice: entry.slice,
                    operation: &entry.operation,
                    number: entry.second,
                    length: entry.length,
                    ok: entry.ok,
                    failed: entry.failed,
                    payload: entry.payload,
                    times: vec![entry],
                });
            }
        }
    }
    seconds
}

fn row(run: &Run<'_>, slice: &Slice, second: &Second<'_>, between: Between) -> String {
    let seconds = |nanoseconds: u64| nanoseconds as f64 / 1e9;
    let rate = (second.length > 0.0).then(|| second.ok as f64 / second.length);
    let times: Vec<_> = second
        .times
        .iter()
        .filter_map(|entry| entry.service)
        .collect();
    let only = match times.as_slice() {
        [only] => Some(only),
        _ => None,
    };
    // Unknown in one entry makes the sum unknown.
    let least: Option<Vec<u64>> = times.iter().map(|each| each.min_ns).collect();
    let least = least.and_then(|all| all.into_iter().min());
    between.row([
        run.document.run.id.as_str().into(),
        run.document.trust.word().into(),
        u64::from(second.slice).into(),
        slice.workload.as_str().into(),
        slice.target.as_str().into(),
        second.operation.into(),
        second.number.into(),
        (slice.start + second.number as f64).into(),
        second.length.into(),
        second.ok.into(),
        second.failed.into(),
        rate.into(),
        second.payload.into(),
        least.map(seconds).into(),
        only.and_then(|only| only.mean_ns).map(seconds).into(),
        only.map(|only| seconds(only.p50_ns)).into(),
        only.map(|only| seconds(only.p99_ns)).into(),
        times
            .iter()
            .map(|each| seconds(each.max_ns))
            .reduce(f64::max)
            .into(),
    ])
}

#[cfg(test)]
mod tests {
    use tenbin_record::SecondTimes;

    use super::*;

    #[test]
    fn a_late_report_is_added_to_its_second() {
        let entry = |second, ok, length| SecondCounts {
            slice: 3,
            operation: "GET".to_owned(),
            second,
            length,
            ok,
            payload: ok * 10,
            failed: 1,
            service: Some(SecondTimes {
                min_ns: Some(1_000),
                mean_ns: Some(2_000),
                p50_ns: 2_000,
                p99_ns: 3_000,
                max_ns: 1_000 * ok,
            }),
        };
        let entries = [entry(0, 5, 0.9), entry(1, 7, 1.0), entry(0, 9, 1.0)];
        let seconds = whole(&entries);
        assert_eq!(seconds.len(), 2);
        let first = &seconds[0];
        assert_eq!(
            (
                first.number, first.ok, first.failed, first.payload, first.length
            ),
            (0, 14, 2, 140, 1.0)
        );
        assert_eq!((first.times.len(), seconds[1].times.len()), (2, 1));
    }
}
