//! Times before lines.

/// The text after a time and one space.
pub(super) fn after_time(text: &str) -> Option<&str> {
    let (time, is_bracketed) = match text.strip_prefix('[') {
        Some(inner) => (inner, true),
        None => (text, false),
    };
    let rest = after_iso(time)
        .or_else(|| after_month(time))
        .or_else(|| after_slashes(time))
        .or_else(|| after_clock(time))
        .or_else(|| after_epoch(time))?;
    let rest = if is_bracketed {
        rest.strip_prefix(']')?
    } else {
        rest
    };
    separated(rest, &[' ', '\t'])
}

/// The text after `2026-11-27`, a separator and a time of day.
fn after_iso(text: &str) -> Option<&str> {
    let rest = digits(text, 4)?;
    let rest = digits(rest.strip_prefix(['-', '/'])?, 2)?;
    let rest = digits(rest.strip_prefix(['-', '/'])?, 2)?;
    after_clock(rest.strip_prefix(['T', ' '])?)
}

/// The text after `Nov 27 09:12:44`.
fn after_month(text: &str) -> Option<&str> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let mut months = MONTHS.iter();
    let rest = months.find_map(|month| text.strip_prefix(month))?;
    let rest = rest.trim_start_matches(' ');
    let rest = digits(rest, 2).or_else(|| digits(rest, 1))?;
    after_clock(rest.strip_prefix(' ')?)
}

/// The text after `09:12:44`, with a fraction and a zone if there are some.
fn after_clock(text: &str) -> Option<&str> {
    let rest = digits(text, 2)?;
    let rest = digits(rest.strip_prefix(':')?, 2)?;
    let rest = digits(rest.strip_prefix(':')?, 2)?;
    let rest = match rest.strip_prefix(['.', ',']) {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    let zone = |rest: &'_ str| -> Option<usize> {
        let offset = rest.strip_prefix(['+', '-'])?;
        let hours = digits(offset, 2)?;
        let minutes = digits(hours.strip_prefix(':').unwrap_or(hours), 2)?;
        Some(rest.len() - minutes.len())
    };
    let rest = match rest.strip_prefix('Z') {
        Some(rest) => rest,
        None => &rest[zone(rest).unwrap_or(0)..],
    };
    Some(after_half(rest))
}

/// The text after ` AM` or ` PM`, if there is one of them.
fn after_half(text: &str) -> &str {
    let half = text.strip_prefix([' ', '\u{202f}']);
    let rest = half.and_then(|half| half.strip_prefix("AM").or_else(|| half.strip_prefix("PM")));
    // A word of the line itself can start with these letters.
    match rest {
        Some(rest) if !rest.starts_with(char::is_alphanumeric) => rest,
        _ => text,
    }
}

/// The text after `11/27/2026, 9:12:44 AM`.
fn after_slashes(text: &str) -> Option<&str> {
    let one_or_two = |text| digits(text, 2).or_else(|| digits(text, 1));
    let rest = one_or_two(text)?.strip_prefix('/')?;
    let rest = digits(one_or_two(rest)?.strip_prefix('/')?, 4)?;
    let rest = rest.strip_prefix(',').unwrap_or(rest).strip_prefix(' ')?;
    let short = || {
        let minutes = digits(rest, 1)?.strip_prefix(':')?;
        let seconds = digits(digits(minutes, 2)?.strip_prefix(':')?, 2)?;
        Some(after_half(seconds))
    };
    after_clock(rest).or_else(short)
}

/// The text after seconds since 1970 with a fraction, such as `1700000000.123456`.
fn after_epoch(text: &str) -> Option<&str> {
    let fraction = digits(text, 10)?.strip_prefix('.')?;
    let rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    (fraction.len() - rest.len() >= 3).then_some(rest)
}

/// The text after this many digits.
pub(super) fn digits(text: &str, count: usize) -> Option<&str> {
    let (number, rest) = text.split_at_checked(count)?;
    number.bytes().all(|c| c.is_ascii_digit()).then_some(rest)
}

/// The text after a separator. An empty line of a log may have none.
pub(super) fn separated<'a>(text: &'a str, by: &[char]) -> Option<&'a str> {
    if text.is_empty() {
        return Some(text);
    }
    text.strip_prefix(by)
}
