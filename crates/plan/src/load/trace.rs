//! Arrival times read from a file: one per line, in seconds or as RFC 3339 timestamps.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use time::{Date, Month};
use toml::value::{Datetime, Offset};

use crate::{Sentence, quoted_line, sentence};

/// The Julian day of 1970-01-01.
const UNIX_EPOCH_DAY: i32 = 2_440_588;
const NANOS_PER_SECOND: u64 = 1_000_000_000;
/// Maximum number of arrivals in a trace: each takes 32 bytes of memory while a trace is read.
const MOST_ARRIVALS: usize = 20_000_000;
/// Maximum length of a trace, nanoseconds. The times of a longer trace are probably not in seconds.
const LONGEST: u64 = 365 * 24 * 3600 * NANOS_PER_SECOND;
/// Maximum length of a quoted line in a message, characters.
const QUOTED_CHARS: usize = 40;

/// Arrivals at times read from a file.
#[derive(Clone, PartialEq)]
pub struct Trace {
    /// The trace file.
    pub path: PathBuf,
    /// Playback speed, above 0: 2 plays the trace twice as fast.
    pub speed: f64,
    /// Times at which operations are due at this speed, nanoseconds after the first, ascending; the
    /// first is 0. Shared between copies, because a trace can be long.
    pub offsets: Arc<[u64]>,
}

impl Trace {
    /// The trace in `path` at a playback speed; `recorded` has the arrivals, nanoseconds after the
    /// first.
    pub(crate) fn played(path: PathBuf, recorded: Arc<[u64]>, speed: f64) -> Self {
        let offsets = match speed {
            1.0 => recorded,
            _ => recorded
                .iter()
                .map(|&offset| (offset as f64 / speed).round() as u64)
                .collect(),
        };
        Self {
            path,
            speed,
            offsets,
        }
    }

    /// Time from the first arrival to the last.
    pub fn length(&self) -> Duration {
        Duration::from_nanos(self.offsets.last().copied().unwrap_or(0))
    }

    /// The number of arrivals less than `seconds` after the first arrival, including the first.
    pub fn due_within(&self, seconds: f64) -> usize {
        let end = seconds * NANOS_PER_SECOND as f64;
        self.offsets
            .partition_point(|&offset| (offset as f64) < end)
    }
}

// The arrivals are left out, because a trace can have millions.
impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace")
            .field("path", &self.path)
            .field("speed", &self.speed)
            .field("offsets", &format_args!("{} arrivals", self.offsets.len()))
            .finish()
    }
}

/// Reads the arrivals in the text of `path`, nanoseconds after the first. The lines can be in any
/// order, because logs are often not in the order in which requests arrived.
///
/// # Errors
/// A sentence with the file and, if a line is wrong, its number.
pub(crate) fn read(path: &Path, bytes: &[u8]) -> Result<Arc<[u64]>, Sentence> {
    read_at_most(MOST_ARRIVALS, path, bytes)
}

fn read_at_most(most: usize, path: &Path, bytes: &[u8]) -> Result<Arc<[u64]>, Sentence> {
    let file = path.display();
    let text = std::str::from_utf8(bytes).map_err(|_| {
        sentence!(
            "trace-not-text",
            "{file} is not a trace: it is not UTF-8 text",
            file
        )
    })?;
    let mut times = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let written = line.split_once('#').map_or(line, |(before, _)| before);
        let written = written.trim();
        if !written.is_empty() {
            if times.len() == most {
                return Err(sentence!(
                    "trace-too-long",
                    "{file}:{number}: it has more than {most} arrivals",
                    file,
                    number,
                    most
                ));
            }
            let time = time(written)
                .map_err(|why| sentence!("in-line", "{file}:{number}: {why}", file, number, why))?;
            times.push((time, number));
        }
    }
    times.sort_unstable();
    let (Some(&(first, first_line)), Some(&(last, last_line))) = (times.first(), times.last())
    else {
        return Err(sentence!(
            "trace-empty",
            "{file} has no arrivals; write one a line, in seconds or as timestamps",
            file
        ));
    };
    if last - first > i128::from(LONGEST) {
        return Err(sentence!(
            "trace-a-year",
            "{file}:{last_line}: it is more than a year after line {first_line}; a number is \
                in seconds, and numbers after the first arrival do not go with timestamps",
            file,
            last_line,
            first_line
        ));
    }
    let since_first = |(time, _): (i128, u32)| u64::try_from(time - first).unwrap_or(LONGEST);
    Ok(times.into_iter().map(since_first).collect())
}

/// A time in nanoseconds: since 1970 for a timestamp; for a number of seconds, since the time that
/// the file calls 0.
fn time(text: &str) -> Result<i128, Sentence> {
    if let Some(nanos) = seconds(text) {
        return Ok(nanos);
    }
    let quoted = quoted_line(text, QUOTED_CHARS);
    if text.strip_prefix('-').and_then(seconds).is_some() {
        return Err(sentence!(
            "time-negative",
            "{quoted} is negative; times are 0 or later",
            quoted
        ));
    }
    let is_number = text.parse::<f64>();
    if is_number.is_ok_and(|number| !number.is_finite()) {
        return Err(sentence!(
            "time-infinite",
            "{quoted} is not a time: it is not finite",
            quoted
        ));
    }
    let rubbish = || {
        sentence!(
            "no-time",
            "{quoted} is not a time; write seconds, such as 0.25 or 1767225600.25, or for \
                example 2026-01-01T00:00:00.25Z",
            quoted
        )
    };
    let date: Datetime = text.parse().map_err(|_| rubbish())?;
    timestamp(date).ok_or_else(|| match (date.date, date.time, date.offset) {
        (Some(_), Some(_), None) => {
            sentence!(
                "no-time-zone",
                "{quoted} has no time zone; write Z or for example +01:00 after it",
                quoted
            )
        }
        _ => rubbish(),
    })
}

/// A number of seconds (`12`, `0.25`, `1e-05`) in nanoseconds, rounded to the nearest. Digits are
/// read exactly, because a floating-point number is not exact enough for seconds since 1970.
fn seconds(text: &str) -> Option<i128> {
    /// Enough digits for every time, and few enough that no product overflows.
    const MOST_DIGITS: usize = 19;
    const NANO_PLACES: i64 = 9;

    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i16>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !is_plain(whole) || !is_plain(fraction) {
        return None;
    }
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let kept = &digits[..digits.len().min(MOST_DIGITS)];
    if kept.is_empty() {
        return Some(0);
    }
    let dropped = (digits.len() - kept.len()) as i64;
    let shift = i64::from(exponent) + NANO_PLACES - fraction.len() as i64 + dropped;
    let value: i128 = kept.parse().ok()?;
    let power = |places: i64| 10_i128.pow(u32::try_from(places).unwrap_or(0));
    match shift {
        // A number of seconds that is after the year 9999.
        shift if shift + kept.len() as i64 > 21 => None,
        0.. => Some(value * power(shift)),
        -20..0 => Some((value + power(-shift) / 2) / power(-shift)),
        _ => Some(0),
    }
}

/// Nanoseconds since 1970, without leap seconds; `None` without date, time or zone.
fn timestamp(written: Datetime) -> Option<i128> {
    let (date, time) = (written.date?, written.time?);
    let zone_minutes = match written.offset? {
        Offset::Z => 0,
        Offset::Custom { minutes } => minutes,
    };
    let month = Month::try_from(date.month).ok()?;
    let date = Date::from_calendar_date(date.year.into(), month, date.day).ok()?;
    let days = i64::from(date.to_julian_day() - UNIX_EPOCH_DAY);
    let seconds = days * 86_400
        + i64::from(time.hour) * 3_600
        + (i64::from(time.minute) - i64::from(zone_minutes)) * 60
        + i64::from(time.second.unwrap_or(0));
    let nanos = time.nanosecond.unwrap_or(0);
    Some(i128::from(seconds) * i128::from(NANOS_PER_SECOND) + i128::from(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(text: &str) -> Result<Vec<u64>, Sentence> {
        read(Path::new("t"), text.as_bytes()).map(|offsets| offsets.to_vec())
    }

    #[test]
    fn a_trace_of_too_many_arrivals_is_refused_at_the_first_that_is_too_many() {
        let read = |text: &str| read_at_most(2, Path::new("day.txt"), text.as_bytes());
        assert_eq!(read("# times\n1\n\n2\n").map(|all| all.len()), Ok(2));
        let why = read("1\n2\n3\n4\n").unwrap_err();
        assert_eq!(why, "day.txt:3: it has more than 2 arrivals");
    }

    #[test]
    fn every_way_to_write_the_same_arrivals() {
        let same = [0, 250_000_000, 1_000_000_000, 1_000_000_000, 90_000_000_000];
        for text in [
            "0\n0.25\n1\n1.0\n90",
            "# from the proxy\n\n5 # first\r\n5.25\r\n6\n6\n95",
            "90\n1\n0.25\n1e0\n0",
            "1767225600\n1767225600.25\n1767225601\n1767225601.0000000001\n1767225690",
            "2026-01-01T00:00:00Z\n2026-01-01T00:00:00.25Z\n2026-01-01T01:00:01+01:00\n\
             2025-12-31 22:30:01-01:30\n2026-01-01t00:01:30z",
        ] {
            assert_eq!(offsets(text), Ok(same.to_vec()), "{text}");
        }
        // Numbers of seconds since 1970 can be mixed with timestamps.
        assert_eq!(
            offsets("951782400\n2000-02-29T00:00:01Z"),
            Ok(vec![0, 1_000_000_000])
        );
        assert_eq!(offsets("1e-05\n0.30000000000000004\n2.5E-5"), {
            Ok(vec![0, 15_000, 299_990_000])
        });
    }

    #[test]
    fn rubbish_is_refused_with_its_line() {
        let example =
            "write seconds, such as 0.25 or 1767225600.25, or for example 2026-01-01T00:00:00.25Z";
        for (text, message) in [
            ("", "t has no arrivals; write one a line, in seconds or as timestamps".to_owned()),
            ("# no\n\n", "t has no arrivals; write one a line, in seconds or as timestamps".to_owned()),
            ("0\n-1", "t:2: \"-1\" is negative; times are 0 or later".to_owned()),
            ("nan", "t:1: \"nan\" is not a time: it is not finite".to_owned()),
            ("# x\n1\n-inf", "t:3: \"-inf\" is not a time: it is not finite".to_owned()),
            ("0,5", format!("t:1: \"0,5\" is not a time; {example}")),
            ("1 2", format!("t:1: \"1 2\" is not a time; {example}")),
            (".", format!("t:1: \".\" is not a time; {example}")),
            ("1e400", "t:1: \"1e400\" is not a time: it is not finite".to_owned()),
            ("1e300", format!("t:1: \"1e300\" is not a time; {example}")),
            ("2026-01-01", format!("t:1: \"2026-01-01\" is not a time; {example}")),
            ("2026-02-30T00:00:00Z", format!("t:1: \"2026-02-30T00:00:00Z\" is not a time; {example}")),
            (
                "2026-01-01T00:00:00",
                "t:1: \"2026-01-01T00:00:00\" has no time zone; write Z or for example +01:00 after it".to_owned(),
            ),
            (
                "2026-01-01T00:00:00Z\n5",
                "t:1: it is more than a year after line 2; a number is in seconds, and numbers after the first arrival do not go with timestamps".to_owned(),
            ),
        ] {
            assert_eq!(offsets(text).map_err(|why| why.to_string()), Err(message), "{text:?}");
        }
        assert_eq!(
            read(Path::new("t"), b"\xff").map_err(|why| why.to_string()),
            Err("t is not a trace: it is not UTF-8 text".to_owned())
        );
    }

    #[test]
    fn speed_divides_times() {
        let recorded: Arc<[u64]> = [0, 3, 1_000_000_001].into();
        let at = |speed| Trace::played("t".into(), Arc::clone(&recorded), speed);
        assert_eq!(*at(2.0).offsets, [0, 2, 500_000_001]);
        assert_eq!(*at(0.5).offsets, [0, 6, 2_000_000_002]);
        assert_eq!(at(1.0).length(), Duration::from_nanos(1_000_000_001));
        assert_eq!(at(1.0).due_within(1.0), 2);
    }

    proptest::proptest! {
        #[test]
        fn garbage_never_panics(text in "\\PC*") {
            let _ = offsets(&text);
        }

        #[test]
        fn nearly_right_never_panics(text in "-?[0-9]{0,40}\\.?[0-9]{0,40}([eE][+-]?[0-9]{0,6})?") {
            let _ = offsets(&text);
        }

        #[test]
        fn nanoseconds_are_exact(nanos in 0..LONGEST) {
            let text = format!("1767225600\n{}.{:09}", 1_767_225_600 + nanos / NANOS_PER_SECOND, nanos % NANOS_PER_SECOND);
            proptest::prop_assert_eq!(offsets(&text), Ok(vec![0, nanos]));
        }
    }
}
