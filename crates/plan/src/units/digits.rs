//! Whole numbers and sizes as text: `12,345`, `64 KiB`.

/// A whole number with commas: `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number of bytes as exact text, in the largest unit that gives a whole number.
pub(crate) fn size(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let whole = |unit: &&(u64, &str)| bytes > 0 && bytes.is_multiple_of(unit.0);
    match units.iter().find(whole) {
        Some((unit, name)) => format!("{} {name}", grouped(bytes / unit)),
        None => format!("{} B", grouped(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_stay_exact() {
        assert_eq!(size(1_024), "1 KiB");
        assert_eq!(size(1_025), "1,025 B");
        assert_eq!(size(3 << 30), "3 GiB");
        assert_eq!(size(0), "0 B");
    }
}
