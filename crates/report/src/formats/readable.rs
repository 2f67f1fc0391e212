//! The text at the beginning of a file.

/// The beginning of a file as text, up to the last complete character; empty if not UTF-8.
pub(super) fn readable(beginning: &[u8]) -> &str {
    match str::from_utf8(beginning) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            str::from_utf8(&beginning[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => "",
    }
}
