//! Plain HTTP requests: one repeated request, or many in some order.

pub(crate) mod draft;
mod facts;
mod keys;
pub(crate) mod literal;
mod method;
mod patterns;
mod resolve;
mod status;

pub use draft::{ByTargetDraft, HttpDraft, HttpWork, Patterns, TemplateDraft};

use std::fmt;

use crate::patterns::ByTarget;
use crate::work::Traits;

/// The properties of all HTTP workloads.
pub(crate) const TRAITS: Traits = Traits {
    name: "http",
    is_object_store: false,
    learns_responses: true,
    benchmark: Some("HTTP/method="),
};

impl fmt::Debug for HttpWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpWork")
            .field("method", &self.method)
            .field("path", &self.shown_path())
            .field("follow", &self.follow)
            .field("headers", &self.printed_headers)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .field("body_file", &self.body_file)
            .field("expect", &self.expect)
            .field("may_differ", &self.may_differ)
            .field("verify", &self.verify)
            .field("checks", &self.checks)
            .field("body_errors", &self.body_errors)
            .field("patterns", &self.patterns)
            .finish()
    }
}

impl HttpWork {
    /// Whether a response with this status counts as success.
    pub fn counts_as_success(&self, status: u16) -> bool {
        match self.expect.as_slice() {
            [] => (200..300).contains(&status),
            expected => expected.contains(&status),
        }
    }

    /// `path` with its secrets concealed.
    pub fn shown_path(&self) -> Option<String> {
        Some(self.secrets.conceal(self.path.as_ref()?))
    }

    /// The request templates of targets, if any.
    pub fn by_target(&self) -> Option<&ByTarget> {
        self.patterns.as_ref()?.by_target.as_ref()
    }

    /// A request with this method and default settings.
    pub fn plain(method: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            ..Self::default()
        }
    }
}
