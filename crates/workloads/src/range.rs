//! Check of responses to range requests.

use tenbin_engine::ResponseHead;

/// Whether `Content-Range` states exactly `length` bytes from offset `first` of an object of `size`
/// bytes (RFC 9110, section 14.4). An unknown size (`*`) is accepted.
pub(crate) fn is_range(head: &ResponseHead<'_>, first: u64, length: u64, size: u64) -> bool {
    let range = head.header("content-range").and_then(|range| {
        let range = std::str::from_utf8(range).ok()?.strip_prefix("bytes ")?;
        let (range, size) = range.trim().split_once('/')?;
        let (first, last) = range.split_once('-')?;
        Some((first.parse::<u64>().ok()?, last.parse::<u64>().ok()?, size))
    });
    range.is_some_and(|(from, last, of)| {
        from == first
            && last.checked_sub(from).and_then(|span| span.checked_add(1)) == Some(length)
            && (of == "*" || of.parse() == Ok(size))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_must_match_in_start_length_and_size() {
        let says = |header: &str| {
            let head = format!("HTTP/1.1 206 Partial Content\r\n{header}\r\n\r\n");
            let head = ResponseHead {
                status: 206,
                length: None,
                bytes: head.as_bytes(),
            };
            is_range(&head, 10, 30, 100)
        };
        assert!(says("Content-Range: bytes 10-39/100"));
        assert!(says("content-range: bytes 10-39/*"));
        for wrong in [
            "bytes 11-40/100",
            "bytes 10-38/100",
            "bytes 10-39/101",
            "bytes 39-10/100",
            "bytes 0-18446744073709551615/100",
            "bytes */100",
            "10-39/100",
        ] {
            assert!(!says(&format!("Content-Range: {wrong}")), "{wrong}");
        }
        assert!(!says("X: y"));
    }
}
