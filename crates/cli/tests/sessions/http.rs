//! Requests and responses of HTTP/1.1 with whole bodies.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

/// A request or a response.
pub(super) struct Message {
    /// First line, and the lines of the headers.
    pub(super) lines: Vec<String>,
    pub(super) body: Vec<u8>,
}

impl Message {
    /// Reads a message; `None` at the end of the connection. With `bodyless`, no body follows.
    pub(super) fn read(from: &mut BufReader<TcpStream>, bodyless: bool) -> Option<Self> {
        let mut lines = Vec::new();
        loop {
            let line = line(from)?;
            if line.is_empty() {
                break;
            }
            lines.push(line);
        }
        let mut message = Self {
            lines,
            body: Vec::new(),
        };
        if bodyless {
            return Some(message);
        }
        if let Some(length) = message.header("content-length") {
            message.body = vec![0; length.parse().ok()?];
            from.read_exact(&mut message.body).ok()?;
        } else if message.header("transfer-encoding").is_some() {
            loop {
                let size = usize::from_str_radix(&line(from)?, 16).ok()?;
                let mut chunk = vec![0; size];
                from.read_exact(&mut chunk).ok()?;
                message.body.extend(chunk);
                line(from)?;
                if size == 0 {
                    break;
                }
            }
        }
        Some(message)
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers()
            .find(|(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    pub(super) fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        let lines = self.lines.iter().skip(1);
        lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name, value.trim()))
    }

    /// Method, path and query of a request.
    pub(super) fn target(&self) -> (&str, &str, &str) {
        let mut words = self.lines.first().map_or("", String::as_str).split(' ');
        let method = words.next().unwrap_or_default();
        let target = words.next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        (method, path, query)
    }
}

fn line(from: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    let read = from.read_line(&mut line).ok()?;
    (read > 0).then(|| line.trim_end().to_owned())
}

/// Sends a response with a document.
pub(super) fn respond(to: &mut TcpStream, status: u16, kind: &str, body: &str) -> Option<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} said\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
    );
    to.write_all((head + body).as_bytes()).ok()
}
