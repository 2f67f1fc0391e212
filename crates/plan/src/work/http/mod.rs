//! Plain HTTP requests: one repeated request, or many in some order.

mod draft;
mod facts;
mod header;
mod keys;
pub(crate) mod literal;
mod method;
mod patterns;
mod print;
mod resolve;

pub use draft::{ByTargetDraft, HttpDraft, TemplateDraft};

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use crate::check::Check;
use crate::may_differ::MayDiffer;
use crate::patterns::{ByTarget, Patterns};
use crate::secrets::Secrets;
use crate::work::Traits;

/// The properties of all HTTP workloads.
pub(crate) const TRAITS: Traits = Traits {
    name: "http",
    is_object_store: false,
    learns_responses: true,
    benchmark: Some("HTTP/method="),
};

/// Classes of statuses, by their names in plans.
pub(crate) const STATUS_CLASSES: [(&str, Range<u16>); 4] = [
    ("2xx", 200..300),
    ("3xx", 300..400),
    ("4xx", 400..500),
    ("5xx", 500..600),
];

/// One plain HTTP request, repeated, or many requests in some order.
#[derive(Clone, PartialEq)]
pub struct HttpWork {
    /// Request method.
    pub method: String,
    /// Path and query; `None`: those of the target's URL.
    pub path: Option<String>,
    /// Look for a redirect before the run, and send the requests to where the server redirects.
    pub follow: bool,
    /// The path that redirected to `path` before the run.
    pub redirected_from: Option<String>,
    /// Additional headers, in order. Values can be secret.
    pub headers: Vec<(String, String)>,
    /// `headers` as in a printed plan: `{env:NAME}` replaces values that came from the environment,
    /// or that the next run must read from the environment.
    pub printed_headers: Vec<(String, String)>,
    /// Request body.
    pub body: Vec<u8>,
    /// Secret values in `path`, `body` and the templates of `patterns`, which no output contains.
    pub secrets: Secrets,
    /// The file that `body` was read from, if any.
    pub body_file: Option<PathBuf>,
    /// Statuses that count as success; empty: any 2xx.
    pub expect: Vec<u16>,
    /// Allowed differences between responses to the same request, from one target or from several.
    pub may_differ: MayDiffer,
    /// Compare the content of every response, instead of a sample, with the response recorded
    /// before the run.
    pub verify: bool,
    /// Conditions that every response with a success status must meet.
    pub checks: Vec<Check>,
    /// Whether a response with a success status is a failure if its body reports an error in a known
    /// format.
    pub body_errors: bool,
    /// Requests to draw from, instead of a single request. Each request has its own method, path
    /// and body; its headers replace headers of the work with the same name.
    pub patterns: Option<Patterns>,
}

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
            path: None,
            follow: false,
            redirected_from: None,
            headers: Vec::new(),
            printed_headers: Vec::new(),
            body: Vec::new(),
            secrets: Secrets::default(),
            body_file: None,
            expect: Vec::new(),
            may_differ: MayDiffer::default(),
            verify: false,
            checks: Vec::new(),
            body_errors: true,
            patterns: None,
        }
    }
}
