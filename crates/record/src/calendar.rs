//! Dates in UTC, for directory names and for people.

use std::time::{SystemTime, UNIX_EPOCH};

/// A moment in UTC, to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Utc {
    year: i64,
    month: u32,
    day: u32,
    hour: u64,
    minute: u64,
    second: u64,
}

impl Utc {
    /// Times before 1970 count as its first second.
    pub(crate) fn from_system(when: SystemTime) -> Self {
        let seconds = when
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        let (year, month, day) = civil_from_days((seconds / 86_400) as i64);
        let in_day = seconds % 86_400;
        Self {
            year,
            month,
            day,
            hour: in_day / 3_600,
            minute: in_day / 60 % 60,
            second: in_day % 60,
        }
    }

    /// `2026-02-28T235959`, as in the names of run directories.
    pub(crate) fn compact(self) -> String {
        format!(
            "{:04}-{:02}-{:02}T{:02}{:02}{:02}",
            self.year, self.month, self.day, self.hour, self.minute, self.second
        )
    }

    /// `2026-02-28T23:59:59Z`, as in RFC 3339.
    pub(crate) fn rfc3339(self) -> String {
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
            self.year, self.month, self.day, self.hour, self.minute, self.second
        )
    }
}

/// Year, month and day of the day that is `days` after 1970-01-01, by counting
/// in eras of 400 years that begin in March (H. Hinnant, "chrono-Compatible
/// Low-Level Date Algorithms", `civil_from_days`).
fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let from_march_0000 = days + 719_468;
    let era = from_march_0000.div_euclid(146_097);
    let day_of_era = from_march_0000.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month as u32, day as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates_around_leap_days_and_year_ends() {
        let cases = [
            (0, "1970-01-01T000000"),
            (951_782_399, "2000-02-28T235959"),
            (951_782_400, "2000-02-29T000000"),
            (1_709_251_199, "2024-02-29T235959"),
            (1_767_225_599, "2025-12-31T235959"),
            (4_107_542_400, "2100-03-01T000000"),
        ];
        for (seconds, expected) in cases {
            let when = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(Utc::from_system(when).compact(), expected);
        }
    }

    #[test]
    fn rfc3339_for_people() {
        let when = UNIX_EPOCH + Duration::from_secs(951_782_399);
        assert_eq!(Utc::from_system(when).rfc3339(), "2000-02-28T23:59:59Z");
    }
}
