//! Times as Go writes them: `2023-04-14T20:27:09.8327247+02:00`.

/// Nanoseconds since 1970; `None` for what is no such time, and outside the years
/// 1970 to 2200.
pub(super) fn read(text: &str) -> Option<i64> {
    let (date, clock) = text.split_once('T')?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let zone_at = clock.rfind(['Z', '+', '-'])?;
    let (clock, zone) = clock.split_at(zone_at);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let [hour, minute, second] = numbers(clock, ':', [2, 2, 2])?;
    let in_range = (1970..=2200).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !in_range {
        return None;
    }
    let seconds = days_before(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
        - offset(zone)?;
    Some(seconds * 1_000_000_000 + nanoseconds(fraction)?)
}

fn numbers<const N: usize>(text: &str, between: char, digits: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(between);
    let mut found = [0; N];
    for (number, digits) in found.iter_mut().zip(digits) {
        let part = parts.next()?;
        let plain = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = plain.then(|| part.parse().ok()).flatten()?;
    }
    parts.next().is_none().then_some(found)
}

fn nanoseconds(fraction: &str) -> Option<i64> {
    if fraction.len() > 9 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if fraction.is_empty() {
        return Some(0);
    }
    let digits: i64 = fraction.parse().ok()?;
    Some(digits * 10_i64.pow(9 - fraction.len() as u32))
}

/// Seconds that a zone is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let [hours, minutes] = numbers(zone.get(1..)?, ':', [2, 2])?;
    Some(sign * (hours * 3_600 + minutes * 60))
}

/// Days from 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms", `days_from_civil`).
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
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
