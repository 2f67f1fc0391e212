//! Time stamps in the format of Droonga's messages.

use std::time::{SystemTime, UNIX_EPOCH};

use time::OffsetDateTime;

/// Formats a time in UTC with microseconds: `2026-11-20T11:38:47.195379Z`. Times before 1970 become
/// 1970-01-01.
pub fn timestamp(when: SystemTime) -> String {
    let at = OffsetDateTime::from(when.max(UNIX_EPOCH));
    let (hour, minute, second, micros) = at.to_hms_micro();
    format!(
        "{}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z",
        at.date()
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn time_stamps_have_the_format_of_messages() {
        let at = |micros: u64| timestamp(UNIX_EPOCH + Duration::from_micros(micros));
        assert_eq!(at(0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(at(951_782_399_000_001), "2000-02-28T23:59:59.000001Z");
        assert_eq!(at(951_782_400_000_000), "2000-02-29T00:00:00.000000Z");
        assert_eq!(at(1_795_174_727_195_379), "2026-11-20T11:38:47.195379Z");
    }
}
