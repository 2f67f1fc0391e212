//! Figures as people read them.

pub(crate) use tenbin_plan::percent;

/// How much of a pattern is quoted.
const QUOTED_CHARS: usize = 80;

/// The name of a pattern, cut short, or its place where names are not known.
pub(crate) fn pattern_name(pattern: u32, labels: &[String]) -> String {
    let Some(label) = labels.get(pattern as usize) else {
        return format!("pattern {}", u64::from(pattern) + 1);
    };
    let short: String = label.chars().take(QUOTED_CHARS).collect();
    let cut = if short.len() < label.len() { "…" } else { "" };
    format!("{short}{cut}")
}

/// A ratio, finest around 1, where it matters: 1.123, 0.0872, 12.3. The tables of the report
/// write ratios alike.
pub(crate) fn ratio(value: f64) -> String {
    let decimals = if value > 0.0 && value < 0.099_95 {
        // Three significant digits.
        (2.0 - value.log10().floor()).min(12.0) as usize
    } else if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else if value >= 2.0 {
        2
    } else {
        3
    };
    format!("{value:.decimals$}")
}

/// Operations a second, three digits: 999/s, 62.9 k/s.
pub(crate) fn rate(per_second: f64) -> String {
    scaled(per_second, 1e3, &["/s", " k/s", " M/s", " G/s"])
}

/// A size: three digits and a binary unit.
pub(crate) fn bytes(count: u64) -> String {
    match count {
        0..1000 => format!("{count} B"),
        _ => scaled(
            count as f64 / 1024.0,
            1024.0,
            &[" KiB", " MiB", " GiB", " TiB"],
        ),
    }
}

/// Bits a second, three digits: 941 Mbit/s.
pub(crate) fn bit_rate(per_second: f64) -> String {
    scaled(
        per_second,
        1e3,
        &[" bit/s", " kbit/s", " Mbit/s", " Gbit/s"],
    )
}

/// A time, three digits: 21.3 ms, 85.0 µs.
pub(crate) fn time(seconds: f64) -> String {
    match seconds {
        s if s < 999.5e-9 => scaled(s * 1e9, 1e3, &[" ns"]),
        s if s < 999.5e-6 => scaled(s * 1e6, 1e3, &[" µs"]),
        s if s < 999.5e-3 => scaled(s * 1e3, 1e3, &[" ms"]),
        s => scaled(s, 1e3, &[" s"]),
    }
}

/// Three digits before one of `units`, each of which is `step` times the one before.
fn scaled(value: f64, step: f64, units: &[&str]) -> String {
    let (mut value, mut unit) = (value, 0);
    // 999.5 is the least that three digits round up to 1000.
    while value.abs() >= 999.5 && unit + 1 < units.len() {
        value /= step;
        unit += 1;
    }
    let decimals = match value.abs() {
        size if size >= 99.95 || size == 0.0 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}{}", units[unit])
}

/// A time, three digits: 2.00 ms, 140 ms, 1.20 s.
pub(crate) fn seconds(value: f64) -> String {
    let (value, unit) = match value {
        size if size >= 0.999_5 => (size, "s"),
        size if size >= 0.000_999_5 => (size * 1e3, "ms"),
        size => (size * 1e6, "µs"),
    };
    let decimals = match value {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$} {unit}")
}

/// The word for so many: `1` gives, `8` give.
pub(crate) fn verb(n: usize, one: &'static str, several: &'static str) -> &'static str {
    if n == 1 { one } else { several }
}

/// `1 quad`, `8 quads`.
pub(crate) fn count(n: usize, thing: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {thing}{plural}")
}

/// Text that came from a server, at most 80 characters of it, as one line: control characters
/// are escaped. Markup is not touched: whoever writes a page or to a terminal escapes that.
pub(crate) fn tame(text: &str) -> String {
    const MOST: usize = 80;
    let mut tame = String::new();
    for c in text.chars().take(MOST) {
        match c.is_control() {
            true => tame.extend(c.escape_unicode()),
            false => tame.push(c),
        }
    }
    if text.chars().nth(MOST).is_some() {
        tame.push('…');
    }
    tame
}

/// The middle of some figures; `None` if there are none.
pub(crate) fn middle(figures: impl IntoIterator<Item = f64>) -> Option<f64> {
    let figures: Vec<f64> = figures.into_iter().collect();
    tenbin_stats::median(&figures, tenbin_stats::CONFIDENCE).value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_the_digits_that_matter() {
        assert_eq!(ratio(1.1234), "1.123");
        assert_eq!(ratio(12.34), "12.3");
        assert_eq!(count(1, "quad"), "1 quad");
        assert_eq!(rate(62_861.5), "62.9 k/s");
        assert_eq!(rate(100_500.0), "100 k/s");
        assert_eq!(rate(999.4), "999/s");
        assert_eq!(rate(999.6), "1.00 k/s");
        assert_eq!(rate(1.5), "1.50/s");
        assert_eq!(rate(0.0), "0/s");
        assert_eq!(time(0.000_815_4), "815 µs");
        assert_eq!(time(0.999_96e-3), "1.00 ms");
        assert_eq!(time(75.0), "75.0 s");
        assert_eq!(time(3_600.0), "3600 s");
        assert_eq!(bytes(1 << 30), "1.00 GiB");
        assert_eq!(bytes(70 << 20), "70.0 MiB");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bit_rate(941.4e6), "941 Mbit/s");
        assert_eq!(bit_rate(1e10), "10.0 Gbit/s");
        assert_eq!(time(0.0213), "21.3 ms");
        assert_eq!(time(85e-6), "85.0 µs");
        assert_eq!(time(0.999_6), "1.00 s");
        assert_eq!(time(0.001_2), "1.20 ms");
    }

    #[test]
    fn server_text_keeps_its_letters_and_loses_its_controls() {
        assert_eq!(tame("Slow\u{1b}[31mDown\n"), "Slow\\u{1b}[31mDown\\u{a}");
        assert_eq!(
            tame("Syntax error: <(日本語||>"),
            "Syntax error: <(日本語||>"
        );
        assert_eq!(tame(&"x".repeat(90)).chars().count(), 81);
        let own = "the server's checksum is not that of the content (crc32c); it is wrong";
        assert_eq!(tame(own), own);
    }
}
