//! Reads lists of requests by a map of their columns.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::fs;

use tenbin_report::Results;
use tenbin_report::formats::{ColumnMap, file_bytes_by};
use tenbin_verdict::lint::Reported;

fn mapped(text: &str, map: &str) -> Result<Reported, String> {
    let map: ColumnMap = map.parse().unwrap();
    let read = file_bytes_by("list.csv", text.as_bytes(), Some(&map));
    let read = read.map_err(|error| error.to_string())?;
    Ok(read.reported.expect("figures"))
}

/// A list of 400 requests, of which every tenth has status 503, one each 10 ms.
fn list(separator: char, time: impl Fn(u64) -> String) -> String {
    let mut text = ["url", "ts", "took_ms", "code", "size\n"].join(&separator.to_string());
    for number in 0..400_u64 {
        let status = if number % 10 == 9 { 503 } else { 200 };
        let cells = [
            "\"/a, b\"".to_owned(),
            time(number),
            format!("{}", 1 + number % 20),
            status.to_string(),
            "100\n".to_owned(),
        ];
        text += &cells.join(&separator.to_string());
    }
    text
}

const MAP: &str = "time=ts,duration=took_ms,status=code,bytes=size,operation=url";

#[test]
fn a_list_of_requests_is_read_by_its_columns() {
    let millis = |number: u64| (1_764_180_000_000 + number * 10).to_string();
    let seconds = |number: u64| format!("1764180000.{:03}", number * 10 % 1_000);
    let clock = |number: u64| format!("2025-11-26T18:00:0{}Z", number / 100);
    for (separator, time) in [
        (',', &millis as &dyn Fn(u64) -> String),
        ('\t', &millis),
        (';', &millis),
        (',', &seconds),
        (',', &clock),
    ] {
        let text = list(separator, time);
        let reported = mapped(&text, MAP).unwrap_or_else(|error| panic!("{error}"));
        let [of] = reported.measurements.as_slice() else {
            panic!("{reported:?}");
        };
        assert_eq!(of.operation, "/a, b");
        assert_eq!((of.ok(), of.failed()), (Some(360), 40));
        assert_eq!(of.bytes, Some(36_000));
        let listed = of.listed.as_ref().unwrap();
        assert_eq!(listed.failures["responses with status 503"], 40);
        let median = of.percentile(0.5).unwrap().time;
        assert!(median.from < 0.009 && 0.009 < median.to, "{median:?}");
        let max = of.max.as_ref().unwrap().value;
        assert!((max.to - max.from - 0.001).abs() < 1e-9, "rounded: {max:?}");
    }
    let text = list(',', millis);
    let of = &mapped(&text, MAP).unwrap().measurements[0];
    // From the first start to the last end: 3.99 s and 20 ms.
    let rate = of.rate.as_ref().unwrap().value.middle();
    assert!((rate - 400.0 / 4.01).abs() < 1e-6, "{rate}");
}

#[test]
fn a_list_says_what_its_columns_lack() {
    let text = list(',', |number| number.to_string());
    for (map, why) in [
        ("time=ts", "is not a time since 1970"),
        ("duration=ts", "does not end with a unit"),
        (
            "status=state",
            "no column \"state\"; its columns are url, ts, took_ms, code, size",
        ),
        ("bytes=url", "is not a number of bytes"),
    ] {
        let error = mapped(&text, map).unwrap_err();
        assert!(error.contains(why), "{map}: {error}");
    }
    let of = &mapped(&text, "time_ms=ts,duration_us=took_ms")
        .unwrap()
        .measurements[0];
    assert!(of.omits_failures && of.bytes.is_none());
    let max = of.max.as_ref().unwrap().value.middle();
    assert!((max - 20e-6).abs() < 1e-7, "{max}");
    let without = mapped(&text, "duration=took_ms,status=code").unwrap();
    assert!(without.measurements[0].rate.is_none());
    assert!(without.caveats[0].contains("the rate is unknown"));
    let empty = mapped("ts,took_ms\n", "time=ts,duration=took_ms").unwrap();
    let of = &empty.measurements[0];
    assert_eq!((of.ok(), of.failed()), (Some(0), 0));
    assert!(of.rate.is_none() && of.mean.is_none());
}

/// A list of two rows under these names.
fn rows(names: &str, first: &str, second: &str) -> String {
    format!("ts,{names}\n1764180000.000,{first}\n1764180000.100,{second}\n")
}

#[test]
fn marks_say_which_requests_failed() {
    let failed = |text: &str, map: &str| mapped(text, map).unwrap().measurements[0].failed();
    let by_status = "time=ts,duration=took_ms,status=code";
    for right in ["200", "200.0", "204 No Content", "OK", "true"] {
        let text = rows("took_ms,code", &format!("1.5,{right}"), "1.5,503");
        assert_eq!(failed(&text, by_status), 1, "{right}");
    }
    let by_error = "time=ts,duration=took_ms,error=err";
    for none in ["", "0", "false", "null", "None", "NaN", "-"] {
        let text = rows("took_ms,err", &format!("1.5,{none}"), "1.5,timeout");
        assert_eq!(failed(&text, by_error), 1, "{none}");
    }
    for (status, why) in [
        ("1", "is not a status of HTTP"),
        ("0", "the status 0 in every row"),
    ] {
        let text = rows(
            "took_ms,code",
            &format!("1.5,{status}"),
            &format!("1.5,{status}"),
        );
        let error = mapped(&text, by_status).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_failed_request_needs_no_duration_and_a_row_can_have_several_lines() {
    let text = rows("took_ms,err,text", "1.5,,\"two\nlines\"", ",timeout,");
    let reported = mapped(&text, "time=ts,duration=took_ms,error=err").unwrap();
    let of = &reported.measurements[0];
    assert_eq!((of.ok(), of.failed()), (Some(1), 1));
    let single = of.listed.as_ref().unwrap().single.as_ref().unwrap();
    assert!(single.failed_times.is_none(), "{single:?}");
    let missing = rows("took_ms,err", "1.5,", ",");
    let error = mapped(&missing, "time=ts,duration=took_ms,error=err").unwrap_err();
    assert!(error.contains("is not a duration"), "{error}");
    let open = rows("took_ms,err", "1.5,\"", "1.5,");
    let error = mapped(&open, "time=ts,duration=took_ms,error=err").unwrap_err();
    assert!(
        error.contains("list.csv:2: has a quote without an end"),
        "{error}"
    );
}

#[test]
fn a_list_of_whole_seconds_has_the_rate_of_its_whole_seconds() {
    let list = |seconds: u64, end: &str| {
        let mut text = "ts,took_ms\n".to_owned();
        for number in 0..seconds * 10 {
            text += &format!("{}{end},12\n", 1_764_180_000 + number / 10);
        }
        mapped(&text, "time=ts,duration=took_ms").unwrap()
    };
    assert!(list(5, "").measurements[0].elapsed().is_none());
    // Tables of floats show seconds with a decimal.
    for end in ["", ".0", ".000"] {
        let short = list(20, end);
        let elapsed = short.measurements[0].elapsed().expect("a length");
        assert!((elapsed - 20.0).abs() < 1e-9, "{end}: {elapsed}");
        assert!(
            short.caveats[0].contains("multiples of 1.00 s"),
            "{:?}",
            short.caveats
        );
        let rate = list(100, end).measurements[0].rate.clone().unwrap().value;
        assert!(rate.from < 10.0 && 10.0 < rate.to, "{rate:?}");
    }
}

#[test]
fn further_operations_are_counted_together_and_dates_need_a_zone() {
    let mut text = "ts,took_ms,url\n".to_owned();
    for number in 0..100 {
        text += &format!("1764180000.{number:03},12,/item/{number}\n");
    }
    let reported = mapped(&text, "time=ts,duration=took_ms,operation=url").unwrap();
    let others = reported.measurements.last().unwrap();
    assert_eq!(
        (others.operation.as_str(), others.ok()),
        ("others", Some(36))
    );
    assert!(reported.caveats[0].contains("more than 64 different names"));
    let text = "ts,took_ms\n2026-01-30 09:00:00.123,12\n";
    let error = mapped(text, "time=ts,duration=took_ms").unwrap_err();
    assert!(
        error.contains("write it as 2026-01-30T09:00:00.123Z"),
        "{error}"
    );
}

#[test]
fn a_cut_list_is_refused() {
    let text = list(',', |number| (1_764_180_000_000 + number * 10).to_string());
    for at in 1..40 {
        let cut = &text[..text.len() * at / 40];
        match mapped(cut, MAP) {
            Err(error) => assert_eq!(error.lines().count(), 1, "{error}"),
            Ok(_) => assert!(cut.ends_with('\n'), "cut at {at}/40"),
        }
    }
}

/// Files in a known format are read as such beside a list with columns.
#[test]
fn columns_are_for_files_that_have_them() {
    let map: ColumnMap = MAP.parse().unwrap();
    let known = format!(
        "{}/tests/fixtures/http/wrk-latency.txt",
        env!("CARGO_MANIFEST_DIR")
    );
    let known = fs::read(known).unwrap();
    let read = |content: &[u8], map: Option<&ColumnMap>| file_bytes_by("file", content, map);
    assert_eq!(
        read(&known, Some(&map)).unwrap().reported.unwrap().tool,
        "wrk"
    );
    let text = list(',', |number| (1_764_180_000_000 + number * 10).to_string());
    let mapped = read(text.as_bytes(), Some(&map)).unwrap();
    assert!(Results::of_read("list.csv", mapped).is_ok());
    assert!(read(text.as_bytes(), None).is_err());
}

/// A small random number generator, so that a failure can be reproduced.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// Damaged files give an error of one sentence, or are read; nothing overflows.
#[test]
fn a_damaged_list_does_not_make_the_reader_panic() {
    let map: ColumnMap = MAP.parse().unwrap();
    let text = list(',', |number| (1_764_180_000_000 + number * 10).to_string());
    let (head, rows) = text.split_once('\n').unwrap();
    let few: String = rows.split_inclusive('\n').take(12).collect();
    let text = format!("{head}\n{few}");
    let mut draw = Draw(5);
    for _ in 0..3_000 {
        let mut damaged = text.clone().into_bytes();
        for _ in 0..=draw.below(3) {
            let at = draw.below(damaged.len());
            let digits = b"9999999999999999999999,;\t\"\n.-eE:TZ";
            damaged[at] = digits[draw.below(digits.len())];
        }
        if draw.below(10) == 0 {
            let at = draw.below(damaged.len());
            damaged.splice(at..at, *b"99999999999999999999");
        }
        if let Err(error) = file_bytes_by("list.csv", &damaged, Some(&map)) {
            assert_eq!(error.to_string().lines().count(), 1, "{error}");
        }
    }
}
