//! Formats of the time in signatures: `20150830T123600Z` in version 4, and
//! `Sun, 30 Aug 2015 12:36:00 GMT` in version 2.

use crate::text::fill_decimal;

const SECONDS_A_DAY: u64 = 86_400;
const DAYS_BEFORE_1970_SINCE_0000_03_01: u64 = 719_468;
const DAYS_IN_400_YEARS: u64 = 146_097;

/// `YYYYMMDDThhmmssZ`, formatted only when the second changes.
#[derive(Debug, Clone)]
pub(crate) struct Timestamp {
    second: u64,
    text: [u8; 16],
}

impl Timestamp {
    /// The timestamp of a second since 1970-01-01 UTC.
    pub(crate) fn new(unix_seconds: u64) -> Self {
        let mut text = *b"00000000T000000Z";
        write_day(&mut text[..8], unix_seconds / SECONDS_A_DAY);
        write_time(&mut text[9..15], unix_seconds % SECONDS_A_DAY);
        Self {
            second: unix_seconds,
            text,
        }
    }

    /// Sets the time to another second; returns true if the day changes.
    pub(crate) fn set(&mut self, unix_seconds: u64) -> bool {
        if unix_seconds == self.second {
            return false;
        }
        let new_day = unix_seconds / SECONDS_A_DAY != self.second / SECONDS_A_DAY;
        if new_day {
            write_day(&mut self.text[..8], unix_seconds / SECONDS_A_DAY);
        }
        write_time(&mut self.text[9..15], unix_seconds % SECONDS_A_DAY);
        self.second = unix_seconds;
        new_day
    }

    /// `20150830T123600Z`.
    pub(crate) fn text(&self) -> &[u8; 16] {
        &self.text
    }

    /// `2015-08-30T12:36:00Z`, as in XML documents.
    pub(crate) fn extended(&self) -> String {
        let digits = String::from_utf8_lossy(&self.text);
        let part = |from: usize, to: usize| &digits[from..to];
        format!(
            "{}-{}-{}T{}:{}:{}Z",
            part(0, 4),
            part(4, 6),
            part(6, 8),
            part(9, 11),
            part(11, 13),
            part(13, 15)
        )
    }

    /// `20150830`.
    pub(crate) fn day(&self) -> &[u8] {
        &self.text[..8]
    }
}

/// `Sun, 30 Aug 2015 12:36:00 GMT` (RFC 9110, section 5.6.7).
pub(crate) fn http_date(unix_seconds: u64) -> [u8; 29] {
    const DAYS: &[u8; 21] = b"ThuFriSatSunMonTueWed";
    const MONTHS: &[u8; 36] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
    let (days, second_of_day) = (unix_seconds / SECONDS_A_DAY, unix_seconds % SECONDS_A_DAY);
    let (year, month, day) = civil(days);
    let mut text = *b"Thu, 00 Jan 0000 00:00:00 GMT";
    let name = |names: &[u8], at: u64| {
        let at = at as usize * 3;
        [names[at], names[at + 1], names[at + 2]]
    };
    text[..3].copy_from_slice(&name(DAYS, days % 7));
    fill_decimal(&mut text[5..7], day);
    text[8..11].copy_from_slice(&name(MONTHS, month - 1));
    fill_decimal(&mut text[12..16], year);
    fill_decimal(&mut text[17..19], second_of_day / 3600);
    fill_decimal(&mut text[20..22], second_of_day / 60 % 60);
    fill_decimal(&mut text[23..25], second_of_day % 60);
    text
}

fn write_time(out: &mut [u8], second_of_day: u64) {
    fill_decimal(&mut out[..2], second_of_day / 3600);
    fill_decimal(&mut out[2..4], second_of_day / 60 % 60);
    fill_decimal(&mut out[4..6], second_of_day % 60);
}

fn write_day(out: &mut [u8], days: u64) {
    let (year, month, day) = civil(days);
    fill_decimal(&mut out[..4], year);
    fill_decimal(&mut out[4..6], month);
    fill_decimal(&mut out[6..8], day);
}

/// Year, month and day of the `days`-th day after 1970-01-01 in the Gregorian calendar:
/// `civil_from_days` of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms". In that
/// algorithm, years start in March, so that the leap day is the last day.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + DAYS_BEFORE_1970_SINCE_0000_03_01;
    let era = shifted / DAYS_IN_400_YEARS;
    let day_of_era = shifted % DAYS_IN_400_YEARS;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

/// The seconds since 1970-01-01 UTC of a time such as `2015-08-30T12:36:00Z` or
/// `2015-08-30T12:36:00.250Z` (RFC 3339, in UTC); fractions are dropped.
pub(crate) fn parse_utc(text: &str) -> Option<u64> {
    let number = |from: usize, to: usize| -> Option<u64> {
        let digits = text.get(from..to)?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().ok()).flatten()
    };
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    let has = |&(at, byte): &(usize, u8)| text.as_bytes().get(at) == Some(&byte);
    let rest = text.get(19..)?;
    let zone = rest.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    if !separators.iter().all(has) || !matches!(zone, "Z" | "+00:00") {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let is_date = year >= 1970 && (1..=12).contains(&month) && (1..=31).contains(&day);
    let is_time = hour < 24 && minute < 60 && second <= 60;
    (is_date && is_time)
        .then(|| days_from_civil(year, month, day) * SECONDS_A_DAY)
        .map(|days| days + hour * 3600 + minute * 60 + second)
}

/// The reverse of [`civil`]: `days_from_civil` of the same source, from the year 1970.
fn days_from_civil(year: u64, month: u64, day: u64) -> u64 {
    let shifted = year - u64::from(month <= 2);
    let (era, year_of_era) = (shifted / 400, shifted % 400);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_IN_400_YEARS + day_of_era - DAYS_BEFORE_1970_SINCE_0000_03_01
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments() {
        for (second, text) in [
            (0, "19700101T000000Z"),
            (951_782_399, "20000228T235959Z"),
            (951_782_400, "20000229T000000Z"),
            (1_440_938_160, "20150830T123600Z"),
            (4_107_542_399, "21000228T235959Z"),
            (4_107_542_400, "21000301T000000Z"),
        ] {
            assert_eq!(Timestamp::new(second).text(), text.as_bytes());
        }
    }

    #[test]
    fn times_in_documents_are_read() {
        for second in [0, 951_782_399, 951_782_400, 1_440_938_160, 4_107_542_400] {
            let text = Timestamp::new(second).extended();
            assert_eq!(parse_utc(&text), Some(second), "{text}");
        }
        let read = |text| parse_utc(text);
        assert_eq!(read("2015-08-30T12:36:00.250Z"), Some(1_440_938_160));
        assert_eq!(read("2015-08-30T12:36:00+00:00"), Some(1_440_938_160));
        for wrong in [
            "", "2015-08-30", "2015-08-30T12:36:00", "1950-01-01T00:00:00Z",
            "2015-13-30T12:36:00Z", "2015-08-30T12:36:00+09:00", "+015-08-30T12:36:00Z",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn known_dates() {
        for (second, text) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            // The example in RFC 9110.
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_440_938_160, "Sun, 30 Aug 2015 12:36:00 GMT"),
        ] {
            assert_eq!(http_date(second), *text.as_bytes());
        }
    }

    #[test]
    fn days_follow_each_other_for_four_centuries() {
        let leap =
            |y: u64| y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400));
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..146_097 {
            assert_eq!(civil(days), (year, month, day));
            assert_eq!(days_from_civil(year, month, day), days);
            let length = match month {
                4 | 6 | 9 | 11 => 30,
                2 if leap(year) => 29,
                2 => 28,
                _ => 31,
            };
            day += 1;
            if day > length {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
    }

    #[test]
    fn moving_is_the_same_as_writing_anew() {
        let mut stamp = Timestamp::new(1_440_938_160);
        for second in [
            1_440_938_161, 1_440_979_199, 1_440_979_200, 5, 1_440_938_160,
        ] {
            let day = stamp.day().to_vec();
            let new_day = stamp.set(second);
            assert_eq!(stamp.text(), Timestamp::new(second).text());
            assert_eq!(new_day, day != stamp.day());
        }
    }
}
