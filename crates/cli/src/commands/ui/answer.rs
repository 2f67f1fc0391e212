//! What a request gets.

use tenbin_http::server::{Body, text};
use tenbin_http::{HeaderValue, Response, StatusCode, header};
use tenbin_plan::{Sentence, sentence};
use tenbin_report::{ServedPage, Site, problem_page};

use crate::pages::{HTML, protected};
use crate::sentences::said;

/// Policy of the page that a run wrote, which can be any file: no script, and no part of this site.
const FOREIGN: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
                       frame-ancestors 'none'";

/// What a request gets.
pub(super) enum Answer {
    /// A page.
    Page(ServedPage),
    /// A page that the browser loads again; the value of the header `Refresh`.
    Refreshed(ServedPage, String),
    /// The page that a run wrote.
    Foreign(Vec<u8>),
    /// The address of a page that shows what was done.
    SeeOther(String),
    /// Why there is no page, one sentence.
    Problem(StatusCode, Sentence),
}

impl Answer {
    /// There is no such page.
    pub(super) fn missing() -> Self {
        Self::Problem(
            StatusCode::NOT_FOUND,
            sentence!("ui-no-page", "there is no such page"),
        )
    }

    /// There is no such run.
    pub(super) fn no_run() -> Self {
        Self::Problem(
            StatusCode::NOT_FOUND,
            sentence!(
                "ui-no-run",
                "there is no such run in this directory; it may have been deleted"
            ),
        )
    }

    /// The request asks for something that does not exist.
    pub(super) fn refused(sentence: impl Into<Sentence>) -> Self {
        Self::Problem(StatusCode::BAD_REQUEST, sentence.into())
    }

    pub(super) fn response(self, site: &Site<'_>) -> Response<Body> {
        match self {
            Self::Page(page) => of_page(StatusCode::OK, page),
            Self::Refreshed(page, refresh) => {
                with(of_page(StatusCode::OK, page), "refresh", &refresh)
            }
            Self::Foreign(bytes) => protected(StatusCode::OK, HTML, Body::whole(bytes), FOREIGN),
            Self::SeeOther(address) => {
                let response = text(StatusCode::SEE_OTHER, &address);
                with(response, header::LOCATION.as_str(), &address)
            }
            Self::Problem(status, sentence) => {
                of_page(status, problem_page(site, &said(&sentence)))
            }
        }
    }
}

fn of_page(status: StatusCode, page: ServedPage) -> Response<Body> {
    let response = protected(status, HTML, Body::whole(page.html), &page.policy);
    // Without a referrer, browsers send forms of this page with the origin `null`.
    with(response, header::REFERRER_POLICY.as_str(), "same-origin")
}

fn with(mut response: Response<Body>, name: &'static str, value: &str) -> Response<Body> {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
    response
}
