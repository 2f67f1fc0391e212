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

/// Least length of a beginning behind which a result can stand, bytes: tools print their progress
/// before it, into a file as well.
const LONG: usize = 60_000;

/// Whether a file goes on behind its beginning, so that a result at its end is not in sight.
pub(super) fn is_long(beginning: &[u8]) -> bool {
    beginning.len() >= LONG
}
