//! Paths and fields of requests.

use percent_encoding::percent_decode_str;
use tenbin_http::{Bytes, Request};
use url::form_urlencoded;

/// Most fields of a query or a form.
const FIELDS: usize = 64;

/// The decoded parts of a path; none for an empty path. `None` for a path with a part that could mean
/// another place: empty, hidden, `.` or `..`, with a slash or a zero byte, or not in UTF-8.
pub(super) fn parts(path: &str) -> Option<Vec<String>> {
    if path.is_empty() {
        return Some(Vec::new());
    }
    let part = |part: &str| {
        let decoded = percent_decode_str(part).decode_utf8().ok()?;
        let is_plain = !decoded.is_empty() && !decoded.starts_with('.');
        let is_plain = is_plain && !decoded.contains(['/', '\0']);
        is_plain.then(|| decoded.into_owned())
    };
    path.split('/').map(part).collect()
}

/// The fields of a query or a form.
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    pub(super) fn of_query<B>(request: &Request<B>) -> Self {
        Self::of(request.uri().query().unwrap_or_default().as_bytes())
    }

    pub(super) fn of_form(request: &Request<Bytes>) -> Self {
        Self::of(request.body())
    }

    fn of(text: &[u8]) -> Self {
        Self(
            form_urlencoded::parse(text)
                .into_owned()
                .take(FIELDS)
                .collect(),
        )
    }

    /// Whether there is such a field.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(of, _)| of == name)
    }

    /// The first field of this name; empty without one.
    pub(super) fn first(&self, name: &str) -> &str {
        let mut all = self.all(name);
        all.next().unwrap_or_default()
    }

    /// The first field of this name; `None` without one, or if it is empty.
    pub(super) fn given(&self, name: &str) -> Option<&str> {
        Some(self.first(name)).filter(|value| !value.is_empty())
    }

    /// All fields of this name.
    pub(super) fn all<'s>(&'s self, name: &str) -> impl Iterator<Item = &'s str> {
        let named = self.0.iter().filter(move |(of, _)| of == name);
        named.map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_only_what_is_below() {
        let expected = |all: &[&str]| Some(all.iter().map(|part| (*part).to_owned()).collect());
        assert_eq!(parts(""), expected(&[]));
        assert_eq!(parts("run/a%20b"), expected(&["run", "a b"]));
        assert_eq!(parts("run/%C3%A9%1b"), expected(&["run", "é\u{1b}"]));
        for path in [
            "/", "run/", "run//a", ".", "..", "run/..", "run/%2e%2e", "run/a%2fb", "run/%00",
            "run/.trash", "run/%2Etrash", "run/%ff", "run/a%2F..%2Fb",
        ] {
            assert_eq!(parts(path), None, "{path}");
        }
    }
}
