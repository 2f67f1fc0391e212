//! Text of servers in the files of a run: no file makes a terminal do anything when it is printed.

/// Whether a character can harm a terminal: controls (C0, C1), line and paragraph separators,
/// bidirectional controls and invisible format characters.
pub fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{061c}' | '\u{180e}' | '\u{feff}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Replaces harmful characters in JSON, from `start`, by escapes with the same value. Serialisers
/// escape only the controls below U+0020.
pub(crate) fn escape(json: &mut Vec<u8>, start: usize) {
    let is_suspect = |byte: &u8| *byte >= 0x7f;
    if !json[start..].iter().any(is_suspect) {
        return;
    }
    let text = String::from_utf8_lossy(&json[start..]).into_owned();
    json.truncate(start);
    for c in text.chars() {
        if is_harmful(c) && c != '\n' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                json.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
            }
        } else {
            json.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_and_no_control_is_left() {
        let hostile = "a\u{1b}\u{9b}31m\n\u{7f}\u{202e}\u{e0001}é天b";
        let mut json = b"kept\x7f".to_vec();
        serde_json::to_writer_pretty(&mut json, &[hostile]).unwrap();
        escape(&mut json, 5);
        let text = std::str::from_utf8(&json[5..]).unwrap();
        assert!(!text.contains(|c| is_harmful(c) && c != '\n'), "{text:?}");
        assert!(text.contains("é天"));
        let again: Vec<String> = serde_json::from_str(text).unwrap();
        assert_eq!(again, [hostile]);
    }
}
