//! Formats requests for display: percent-encoded characters are decoded, and long requests are
//! printed without the part that all requests share.

/// Maximum number of characters printed of a request.
const SHOWN_CHARS: usize = 72;

/// Length, bytes, of the text that all requests share, up to the first query parameter that
/// differs. 0 if all requests are equal, or without shared query parameters.
pub(super) fn common<'a>(requests: impl Iterator<Item = &'a str>) -> usize {
    let mut same: Option<&str> = None;
    let mut differ = false;
    for request in requests {
        let first = *same.get_or_insert(request);
        let pairs = first.char_indices().zip(request.chars());
        let ends = pairs.take_while(|((_, a), b)| a == b).last();
        let length = ends.map_or(0, |((at, c), _)| at + c.len_utf8());
        differ |= length < request.len() || length < first.len();
        same = Some(&first[..length]);
    }
    let same = same.filter(|_| differ).unwrap_or_default();
    match (same.find('?'), same.rfind(['?', '&'])) {
        (Some(query), Some(parameter)) if parameter > query => parameter + 1,
        _ => 0,
    }
}

/// Shortens a request to one line and decodes its characters that are not ASCII. A long request is
/// printed without the query parameters that all requests in its table share: those in the first
/// `same` bytes.
pub(super) fn shown(request: &str, same: usize) -> String {
    let readable = |text: &str| -> String {
        let is_long = text.chars().count() > SHOWN_CHARS;
        let cut = text.chars().take(SHOWN_CHARS);
        cut.chain(is_long.then_some('…')).collect()
    };
    let whole = decoded(request);
    if whole.chars().count() <= SHOWN_CHARS {
        return whole;
    }
    match (request.find('?'), request.get(same..)) {
        (Some(query), Some(rest)) if same > query => {
            readable(&format!("{}?…&{}", &request[..query], decoded(rest)))
        }
        _ => readable(&whole),
    }
}

/// Decodes percent-encoded characters that are not ASCII; other characters stay encoded.
fn decoded(request: &str) -> String {
    let mut text = String::with_capacity(request.len());
    let mut rest = request;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let mut bytes = Vec::new();
        while let Some(byte) = encoded_byte(&rest[bytes.len() * 3..]) {
            bytes.push(byte);
        }
        match std::str::from_utf8(&bytes) {
            Ok(letters) if !letters.is_empty() => {
                text.push_str(letters);
                rest = &rest[bytes.len() * 3..];
            }
            _ => {
                text.push('%');
                rest = &rest[1..];
            }
        }
    }
    text + rest
}

/// The percent-encoded byte above 127 at the start of a text.
fn encoded_byte(text: &str) -> Option<u8> {
    let digits = text.strip_prefix('%')?.get(..2)?;
    let byte = u8::from_str_radix(digits, 16).ok()?;
    (!byte.is_ascii()).then_some(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_requests_are_shown_by_what_differs() {
        let base = "GET /d/select?command_version=2&table=Pages&limit=10&match_columns=title,text\
            &output_columns=snippet_html(title),categories&drilldown=categories&query=";
        let requests = [format!("{base}%E7%94%BA+%28b"), format!("{base}tea&x=1")];
        let same = common(requests.iter().map(String::as_str));
        let told: Vec<String> = requests.iter().map(|each| shown(each, same)).collect();
        assert_eq!(
            told,
            [
                "GET /d/select?…&query=町+%28b",
                "GET /d/select?…&query=tea&x=1"
            ]
        );
        // A request that fits is shown unchanged.
        assert_eq!(
            shown("GET /d/select?a=1&query=b", 18),
            "GET /d/select?a=1&query=b"
        );
        // A single request shares nothing.
        let one = common(requests[..1].iter().map(String::as_str));
        assert_eq!(shown(&requests[0], one).chars().count(), SHOWN_CHARS + 1);
        let paths = ["GET /a".to_owned(), format!("GET /b{}", "x".repeat(99))];
        let same = common(paths.iter().map(String::as_str));
        assert_eq!(shown(&paths[1], same), format!("GET /b{}…", "x".repeat(66)));
    }

    #[test]
    fn what_is_no_letter_stays_encoded() {
        for (sent, text) in [
            ("/a%20b%26%00", "/a%20b%26%00"),
            ("/%E7%94", "/%E7%94"),
            ("/%E7%94%BA%", "/町%"),
            ("/%e7%94%ba", "/町"),
        ] {
            assert_eq!(decoded(sent), text);
        }
    }
}
