//! Dates in UTC, for directory names and reports.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use time::OffsetDateTime;

/// The last second of the year 9999, after which a date has no text; a file can have any time.
const LAST: Duration = Duration::from_secs(253_402_300_799);

/// A time in UTC, with a resolution of one second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Utc(OffsetDateTime);

impl Utc {
    /// Converts `when`; times before 1970 become the first second of 1970, and times after 9999 the last
    /// second of 9999.
    pub(crate) fn from_system(when: SystemTime) -> Self {
        Self(when.clamp(UNIX_EPOCH, UNIX_EPOCH + LAST).into())
    }

    /// `2026-02-28T235959`, as in the names of run directories.
    pub(crate) fn compact(self) -> String {
        let (hour, minute, second) = self.0.to_hms();
        format!("{}T{hour:02}{minute:02}{second:02}", self.0.date())
    }

    /// `2026-02-28T23:59:59Z`, as in RFC 3339.
    pub(crate) fn rfc3339(self) -> String {
        let (hour, minute, second) = self.0.to_hms();
        format!("{}T{hour:02}:{minute:02}:{second:02}Z", self.0.date())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn every_time_has_a_date() {
        let far = UNIX_EPOCH + Duration::from_secs(1 << 40);
        assert_eq!(Utc::from_system(far).rfc3339(), "9999-12-31T23:59:59Z");
        let early = UNIX_EPOCH - Duration::from_secs(1 << 40);
        assert_eq!(Utc::from_system(early).rfc3339(), "1970-01-01T00:00:00Z");
    }

    #[test]
    fn rfc3339_for_people() {
        let when = UNIX_EPOCH + Duration::from_secs(951_782_399);
        assert_eq!(Utc::from_system(when).rfc3339(), "2000-02-28T23:59:59Z");
    }
}
