//! A running `tenbin ui`, and requests to it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::common::{Running, Scratch, Tenbin, wait_until};

pub(crate) const SOON: Duration = Duration::from_secs(60);

/// A running `tenbin ui` with its cookie.
pub(crate) struct Ui {
    running: Running,
    /// The address that it printed.
    pub(crate) url: String,
    /// `127.0.0.1:PORT`.
    pub(crate) host: String,
    /// The path of all pages.
    pub(crate) base: String,
    pub(crate) token: String,
}

/// A response.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Ui {
    /// Starts `tenbin ui` with the words of this line.
    pub(crate) fn start(scratch: &Scratch, line: &str) -> Self {
        Self::of(Tenbin::line(scratch, format!("ui {line}")).start())
    }

    /// Waits for the address that it prints.
    pub(crate) fn of(running: Running) -> Self {
        let mut url = None;
        let printed = wait_until(SOON, || {
            let text = running.so_far();
            let mut lines = text.lines();
            url = lines.find_map(|line| line.strip_prefix("runs at ").map(str::to_owned));
            url.is_some()
        });
        assert!(printed, "{}", running.so_far());
        let url = url.expect("an address");
        let rest = url.strip_prefix("http://").expect("HTTP");
        let (host, path) = rest.split_once('/').expect("a path");
        let (base, token) = path.split_once("?token=").expect("a token");
        Self {
            running,
            host: host.to_owned(),
            base: format!("/{base}"),
            token: token.to_owned(),
            url,
        }
    }

    /// The headers that a browser with the cookie sends.
    pub(crate) fn headers(&self) -> String {
        format!("Host: {}\r\nCookie: tenbin={}\r\n", self.host, self.token)
    }

    /// A page below the path of the pages.
    pub(crate) fn get(&self, page: &str) -> Reply {
        self.send("GET", page, &self.headers(), "")
    }

    /// A page that is there.
    #[track_caller]
    pub(crate) fn page(&self, page: &str) -> String {
        let reply = self.get(page);
        assert_eq!(reply.status, 200, "{page}: {}\n{}", reply.head, reply.body);
        reply.body
    }

    /// Sends a form as its page does.
    pub(crate) fn post(&self, page: &str, form: &str) -> Reply {
        let headers = format!("{}Origin: http://{}\r\n", self.headers(), self.host);
        self.send(
            "POST",
            page,
            &headers,
            &format!("token={}&{form}", self.token),
        )
    }

    pub(crate) fn send(&self, method: &str, page: &str, headers: &str, body: &str) -> Reply {
        let length = match body.len() {
            0 => String::new(),
            length => format!("Content-Length: {length}\r\n"),
        };
        let path = format!("{}{page}", self.base);
        let head =
            format!("{method} {path} HTTP/1.1\r\n{headers}{length}Connection: close\r\n\r\n");
        self.raw(format!("{head}{body}").as_bytes())
    }

    /// Sends these bytes on a connection.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(&self.host).expect("a connection");
        stream.set_read_timeout(Some(SOON)).expect("a time limit");
        // The server can respond with an error before the whole request is written.
        let _ = stream.write_all(bytes);
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        let text = String::from_utf8_lossy(&reply).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Reply {
            status: status.unwrap_or(0),
            head: head.to_owned(),
            body: without_style(body),
        }
    }

    /// Ends it with Ctrl-C.
    pub(crate) fn end(self) {
        self.running.signal(Signal::SIGINT);
        let ended = self.running.wait(SOON);
        ended.expect_code(0);
    }
}

/// A page without its style sheet, which would hide what a failed test says.
fn without_style(page: &str) -> String {
    let parts = page.split_once("<style>").and_then(|(before, rest)| {
        let (_, after) = rest.split_once("</style>")?;
        Some(before.to_owned() + after)
    });
    parts.unwrap_or_else(|| page.to_owned())
}

/// The names of the runs on a page of the list, in its order.
pub(crate) fn listed(page: &str) -> Vec<String> {
    let boxes = page
        .split("type=\"checkbox\" name=\"run\" value=\"")
        .skip(1);
    boxes
        .filter_map(|rest| rest.split_once('"').map(|(name, _)| name.to_owned()))
        .collect()
}
