//! `tenbin ui`: pages of the runs of a directory, on this machine.

mod access;
mod answer;
mod below;
mod compared;
mod forms;
mod history;
mod list;
mod open;
mod request;
mod root;
mod run;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tenbin_http::server::{Body, Handler, Server, ServerOptions, text};
use tenbin_http::{Bytes, HeaderValue, Method, Request, Response, StatusCode, header};
use tenbin_report::{Site, opening_page};

use self::access::Access;
use self::answer::Answer;
use self::request::Fields;
use self::root::Root;
use crate::args::UiArgs;
use crate::commands::results::kept;
use crate::exit::Exit;
use crate::interrupt;
use crate::language::language;
use crate::output;
use crate::sentences::said;
use tenbin_plan::sentence;

/// How the pages are served. Reports of long runs take seconds, and their pages are large.
const SERVED: ServerOptions = ServerOptions {
    name: "ui",
    tls: None,
    request_timeout: Duration::from_secs(10),
    write_timeout: Duration::from_secs(30),
    keep_alive: true,
    largest_body: 16 << 10,
    slow: true,
};
/// Time between two checks for Ctrl-C.
const POLL: Duration = Duration::from_millis(100);

/// Serves the pages until Ctrl-C.
pub(crate) fn ui(args: &UiArgs) -> Exit {
    if let Err(error) = kept::can_read(&args.directory) {
        return output::refuse_error(&error);
    }
    let stop = match interrupt::stop(|_| {}) {
        Ok(stop) => stop,
        Err(error) => {
            output::say_error(&error);
            return Exit::Internal;
        }
    };
    let address = SocketAddr::new(args.address, args.port);
    let pages = Arc::new(Pages::new(&args.directory));
    let server = match Server::start(address, SERVED, Arc::clone(&pages)) {
        Ok(server) => server,
        Err(error) => {
            output::say_error(&sentence!(
                "ui-cannot-listen",
                "cannot listen on {address}: {error}; choose another --port, or leave it out for \
                 a free one",
                address,
                error
            ));
            return Exit::Target;
        }
    };
    pages.access.listens_on(server.address().port());
    let url = pages.access.url(server.address());
    output::print_text(format!("runs at {url}\n"));
    open::remove_old(&args.directory);
    // Keeps the file that leads the browser to the pages.
    let _opened = args.open.then(|| open::browser(&args.directory, &url));
    while !stop.is_asked() {
        thread::sleep(POLL);
    }
    Exit::Done
}

/// The pages of a directory.
struct Pages {
    access: Access,
    root: Root,
    /// The directory as text for the pages.
    directory: String,
    /// Held while results are read, a report is made or a run is changed: one at a time, so that a few
    /// requests cannot take all memory.
    one_at_a_time: Mutex<()>,
}

impl Pages {
    fn new(directory: &Path) -> Self {
        Self {
            access: Access::new(),
            root: Root::new(directory),
            directory: directory.display().to_string(),
            one_at_a_time: Mutex::new(()),
        }
    }

    fn site(&self) -> Site<'_> {
        Site {
            base: self.access.base(),
            token: self.access.token(),
            directory: &self.directory,
            language: language(),
        }
    }

    /// Waits until no other request reads results, makes a report or changes a run.
    fn alone(&self) -> MutexGuard<'_, ()> {
        let held = self.one_at_a_time.lock();
        held.unwrap_or_else(PoisonError::into_inner)
    }

    /// The page for someone who may see it.
    fn page(&self, path: &str, request: &Request<Bytes>) -> Answer {
        let Some(parts) = below::parts(path) else {
            return Answer::missing();
        };
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let query = Fields::of_query(request);
        match parts.as_slice() {
            [] => list::list(self, &query),
            ["compare"] => compared::compared(self, &query),
            ["history"] => history::history(self, &query),
            ["run", name] => run::run(self, name, &query),
            ["run", name, "report.html"] => run::kept_report(self, name),
            ["run", name, "delete"] => run::delete(self, name),
            _ => Answer::missing(),
        }
    }

    /// Does what a form asks for.
    fn change(&self, path: &str, request: &Request<Bytes>) -> Answer {
        let form = Fields::of_form(request);
        if !self.access.may_change(request, form.first("token")) {
            return Answer::Problem(
                StatusCode::FORBIDDEN,
                sentence!(
                    "ui-foreign-form",
                    "the form is not one of this page; load the page again"
                ),
            );
        }
        let parts = below::parts(path).unwrap_or_default();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match parts.as_slice() {
            ["run", name, "label"] => forms::label(self, name, &form),
            ["run", name, "note"] => forms::note(self, name, &form),
            ["run", name, "delete"] => forms::delete(self, name),
            _ => Answer::missing(),
        }
    }
}

impl Handler for Pages {
    fn response(&self, request: &Request<Bytes>) -> Response<Body> {
        if !self.access.is_to_this_server(request) {
            return text(
                StatusCode::MISDIRECTED_REQUEST,
                &said(&sentence!(
                    "ui-host",
                    "the Host header is not that of this server; use the address that Tenbin \
                     printed"
                )),
            );
        }
        let Some(path) = self.access.below(request.uri().path()) else {
            return refused();
        };
        let is_get = request.method() == Method::GET;
        if !is_get && request.method() != Method::POST {
            let mut response = text(
                StatusCode::METHOD_NOT_ALLOWED,
                &said(&sentence!("ui-methods", "only GET and POST are supported")),
            );
            let both = HeaderValue::from_static("GET, POST");
            response.headers_mut().insert(header::ALLOW, both);
            return response;
        }
        let query = Fields::of_query(request);
        if is_get && path.is_empty() && query.has("token") {
            return match self.access.cookie_for(query.first("token")) {
                Some(cookie) => opened(&self.site(), cookie),
                None => refused(),
            };
        }
        if !self.access.has_cookie(request) {
            return refused();
        }
        let answer = if is_get {
            self.page(path, request)
        } else {
            self.change(path, request)
        };
        answer.response(&self.site())
    }
}

fn refused() -> Response<Body> {
    text(
        StatusCode::FORBIDDEN,
        &said(&sentence!(
            "ui-token",
            "open the complete URL that Tenbin printed, including the token"
        )),
    )
}

/// Gives the browser its cookie, and opens the list. A redirect would lack the cookie if the URL was
/// opened from the page of another site.
fn opened(site: &Site<'_>, cookie: HeaderValue) -> Response<Body> {
    let page = Answer::Refreshed(opening_page(site), format!("0; url={}", site.base));
    let mut response = page.response(site);
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    response
}
