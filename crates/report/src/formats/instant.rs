//! Parses times as Go writes them: `2023-04-14T20:27:09.8327247+02:00`.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Maximum number of decimals: Go writes nanoseconds.
const MOST_DIGITS: usize = 9;

/// Parses a time to nanoseconds since 1970; `None` for invalid text, and for years outside 1970 to
/// 2200.
pub(in crate::formats) fn read(text: &str) -> Option<i64> {
    let fraction = text.split_once('.').map_or("", |(_, rest)| rest);
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    let at = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    let is_known = digits <= MOST_DIGITS && (1970..=2200).contains(&at.year());
    is_known.then(|| i64::try_from(at.unix_timestamp_nanos()).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_zones() {
        for (text, nanoseconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-11-20T12:11:33.955740269Z", 1_795_176_693_955_740_269),
            (
                "2023-04-14T20:27:09.8327247+02:00",
                1_681_496_829_832_724_700,
            ),
            ("2000-02-29T23:59:59-01:30", 951_874_199_000_000_000),
        ] {
            assert_eq!(read(text), Some(nanoseconds), "{text}");
        }
        for text in [
            "",
            "now",
            "2026-11-20",
            "2026-13-20T12:11:33Z",
            "2026-11-20T12:11:33",
            "2026-11-20T12:11:33.1234567890Z",
            "2026-11-20T12:11:3éZ",
            "2026-11-20T12:11:33+é",
            "9999-11-20T12:11:33Z",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
