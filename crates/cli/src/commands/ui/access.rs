//! Who may see and change the runs.

use std::net::SocketAddr;
use std::sync::OnceLock;

use tenbin_http::server::is_to_this_port;
use tenbin_http::{HeaderValue, Request, header};

use crate::pages::{is_token, token};

/// Name of the cookie.
const COOKIE: &str = "tenbin";

/// Address and token of the pages.
///
/// All pages are below a random path, and the cookie is for this path only: browsers send the cookies of
/// a host to all its ports, and so to every other server of this machine.
pub(super) struct Access {
    base: String,
    token: String,
    port: OnceLock<u16>,
}

impl Access {
    pub(super) fn new() -> Self {
        Self {
            base: format!("/{}/", token()),
            token: token(),
            port: OnceLock::new(),
        }
    }

    /// Sets the port of the server. No request is accepted before.
    pub(super) fn listens_on(&self, port: u16) {
        let _ = self.port.set(port);
    }

    /// The path below which all pages are, with a slash at both ends.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// The URL that opens the pages.
    pub(super) fn url(&self, address: SocketAddr) -> String {
        format!("http://{address}{}?token={}", self.base, self.token)
    }

    /// Whether the `Host` header names this machine and the port of the server. Guards against DNS
    /// rebinding.
    pub(super) fn is_to_this_server<B>(&self, request: &Request<B>) -> bool {
        let port = self.port.get();
        port.is_some_and(|port| is_to_this_port(request, *port))
    }

    /// The path below that of the pages.
    pub(super) fn below<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(&self.base)
    }

    /// The cookie for someone who has the token.
    pub(super) fn cookie_for(&self, shown: &str) -> Option<HeaderValue> {
        let Self { base, token, .. } = self;
        if !is_token(shown, token) {
            return None;
        }
        let cookie = format!("{COOKIE}={token}; Path={base}; HttpOnly; SameSite=Strict");
        HeaderValue::from_str(&cookie).ok()
    }

    pub(super) fn has_cookie<B>(&self, request: &Request<B>) -> bool {
        let all = request.headers().get_all(header::COOKIE).iter();
        let all = all.filter_map(|cookies| cookies.to_str().ok());
        let mut each = all.flat_map(|cookies| cookies.split(';'));
        each.any(|cookie| match cookie.trim().split_once('=') {
            Some((COOKIE, value)) => is_token(value, &self.token),
            _ => false,
        })
    }

    /// Whether a request comes from a form of these pages: it has the token, and the browser says that
    /// its page is one of this server.
    pub(super) fn may_change<B>(&self, request: &Request<B>, shown: &str) -> bool {
        is_token(shown, &self.token) && is_from_these_pages(request)
    }
}

/// Whether `Origin` is the address of this server; without it, whether `Sec-Fetch-Site` says so.
fn is_from_these_pages<B>(request: &Request<B>) -> bool {
    let only = |name: &str| {
        let mut all = request.headers().get_all(name).iter();
        let value = all.next().and_then(|value| value.to_str().ok());
        value.filter(|_| all.next().is_none())
    };
    if request.headers().contains_key(header::ORIGIN) {
        let origin = only("origin").and_then(|origin| origin.strip_prefix("http://"));
        return origin.is_some() && origin == only("host");
    }
    only("sec-fetch-site") == Some("same-origin")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(headers: &[(&str, &str)]) -> Request<()> {
        let request = Request::post("/x");
        let add = |request: tenbin_http::RequestBuilder, (name, value): &(&str, &str)| {
            request.header(*name, *value)
        };
        headers
            .iter()
            .fold(request, add)
            .body(())
            .expect("a request")
    }

    #[test]
    fn a_form_of_another_page_changes_nothing() {
        let access = Access::new();
        let host = ("host", "127.0.0.1:90");
        let may = |headers: &[(&str, &str)]| access.may_change(&request(headers), &access.token);
        for allowed in [
            [host, ("origin", "http://127.0.0.1:90")],
            [host, ("sec-fetch-site", "same-origin")],
        ] {
            assert!(may(&allowed), "{allowed:?}");
            assert!(!access.may_change(&request(&allowed), ""));
            assert!(!access.may_change(&request(&allowed), &access.base));
        }
        for refused in [
            vec![host],
            vec![host, ("origin", "null")],
            vec![host, ("origin", "http://127.0.0.1:91")],
            vec![host, ("origin", "https://127.0.0.1:90")],
            vec![host, ("origin", "http://evil.example")],
            vec![host, ("origin", "http://localhost:90")],
            vec![host, ("origin", "null"), ("sec-fetch-site", "same-origin")],
            vec![
                host,
                ("origin", "http://127.0.0.1:90"),
                ("origin", "http://127.0.0.1:90"),
            ],
            vec![host, ("sec-fetch-site", "same-site")],
            vec![host, ("sec-fetch-site", "none")],
            vec![("origin", "http://127.0.0.1:90")],
        ] {
            assert!(!may(&refused), "{refused:?}");
        }
    }

    #[test]
    fn only_the_cookie_with_the_token_opens_a_page() {
        let access = Access::new();
        let cookie = access.cookie_for(&access.token).expect("a cookie");
        let cookie = cookie.to_str().expect("text");
        let (pair, rest) = cookie.split_once("; ").expect("attributes");
        assert_eq!(
            rest,
            format!("Path={}; HttpOnly; SameSite=Strict", access.base)
        );
        assert!(access.has_cookie(&request(&[("cookie", pair)])));
        let among = format!("a=b; {pair};c");
        assert!(access.has_cookie(&request(&[("cookie", "tenbin=x"), ("cookie", &among)])));
        let longer = format!("{pair}0");
        for other in [
            "",
            "tenbin",
            "tenbin=",
            "x=1",
            &longer,
            &pair[..pair.len() - 1],
        ] {
            assert!(
                !access.has_cookie(&request(&[("cookie", other)])),
                "{other}"
            );
        }
        assert!(access.cookie_for("").is_none() && access.cookie_for(&access.base).is_none());
        assert_eq!(
            access.below(&format!("{}run/a", access.base)),
            Some("run/a")
        );
        assert_eq!(access.below("/run/a"), None);
    }
}
