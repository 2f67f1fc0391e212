//! Fields of requests.

use tenbin_http::{Bytes, Request};
use url::form_urlencoded;

/// Most fields of a query or a form.
const FIELDS: usize = 64;

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
