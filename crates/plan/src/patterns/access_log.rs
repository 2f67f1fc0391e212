//! Access logs in the common and the combined format, as Apache and nginx write them. See Apache's
//! documentation of `mod_log_config`: `%h %l %u %t "%r" %>s %b`, optionally followed by
//! `"%{Referer}i" "%{User-agent}i"`.

use std::io::BufRead;

use super::builder::Builder;
use super::fault::Fault;
use super::lines::Lines;
use super::request::{self, push_byte, push_encoded, quoted};
use crate::sentence;

/// Whether `line` looks like a line of an access log.
pub(super) fn is_line(line: &[u8]) -> bool {
    request_of(line).is_some()
}

/// Reads the GET and HEAD requests. Other requests are left out: their bodies are not in the log,
/// and they can change data.
pub(super) fn read<R: BufRead + ?Sized>(
    lines: &mut Lines<'_, R>,
    builder: &mut Builder,
) -> Result<(), Fault> {
    let (mut with_bodies, mut not_http, mut with_status) = (0_u64, 0_u64, 0_u64);
    while let Some((index, line)) = lines.next()? {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let request = request_of(line).ok_or_else(|| {
            let shown = quoted(&String::from_utf8_lossy(line));
            let why = sentence!(
                "no-access-log",
                "{shown} is not a line of an access log in the common or combined format",
                shown
            );
            Fault::in_line(index, why)
        })?;
        let (request, status) = request;
        match sendable(request) {
            Sendable::Yes(method, path) => {
                let status = Some(status).filter(|status| is_expected_again(*status));
                with_status += u64::from(status.is_some());
                let pushed = builder.group(method).and_then(|group| {
                    builder.push_logged(request::plain(group, method, path), status)
                });
                pushed.map_err(|why| Fault::in_line(index, why))?;
            }
            Sendable::HasBody => with_bodies += 1,
            Sendable::No => not_http += 1,
        }
    }
    if with_status > 0 {
        builder.note(sentence!(
            "log-statuses",
            "{with_status} requests of the log got a redirect or an error such as 404: the status \
             of the log is the expected one, unless the plan sets `expect`",
            with_status
        ));
    }
    if with_bodies > 0 {
        builder.note(sentence!(
            "log-bodies",
            "{with_bodies} requests of the log are skipped: only GET and HEAD are sent, because \
             other methods may need a body or change data",
            with_bodies
        ));
    }
    if not_http > 0 {
        builder.note(sentence!(
            "log-no-path",
            "{not_http} requests of the log are skipped: they do not request a path",
            not_http
        ));
    }
    Ok(())
}

/// Whether the same request is expected to get this status again: redirects, and errors of the
/// client that depend on neither the load nor the client's patience (408, 429, and nginx's 499).
/// Responses to conditional requests (304) and to ranges (206, 416) are a 200 without these headers.
fn is_expected_again(status: u16) -> bool {
    matches!(status, 301..=303 | 307 | 308 | 400..=498) && !matches!(status, 408 | 416 | 429)
}

/// The request line (`GET /path HTTP/1.1`) in the first quotation marks of `line`, and the status;
/// `None` if `line` is not a line of an access log.
fn request_of(line: &[u8]) -> Option<(&[u8], u16)> {
    let open = line.iter().position(|&byte| byte == b'"')?;
    let (before, rest) = (line[..open].trim_ascii_end(), &line[open + 1..]);
    let has_time = before.ends_with(b"]") && before.contains(&b'[');
    let close = closing_quote(rest)?;
    let mut after = rest[close + 1..].trim_ascii_start().split(|&b| b == b' ');
    let status = after.next()?;
    let is_status = status.len() == 3 && status.iter().all(u8::is_ascii_digit);
    let status = std::str::from_utf8(status).ok()?.parse().ok();
    let bytes = after.next()?;
    let is_bytes = bytes == b"-" || !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit);
    let is_line = has_time && is_status && is_bytes;
    status.filter(|_| is_line).map(|it| (&rest[..close], it))
}

/// The position of the quotation mark that ends a quoted text; `text` starts after the opening
/// mark. Quotation marks inside the quoted text are written `\"`.
fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    text.iter().position(|&byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    })
}

enum Sendable {
    Yes(&'static str, String),
    HasBody,
    No,
}

fn sendable(request: &[u8]) -> Sendable {
    let words: Vec<&[u8]> = request.split(|&byte| byte == b' ').collect();
    let [method, path, version] = words.as_slice() else {
        return Sendable::No;
    };
    if !version.starts_with(b"HTTP/") {
        return Sendable::No;
    }
    let method = match *method {
        b"GET" => "GET",
        b"HEAD" => "HEAD",
        b"POST" | b"PUT" | b"PATCH" | b"DELETE" => return Sendable::HasBody,
        _ => return Sendable::No,
    };
    match request::path(&unescaped(path)) {
        Ok(path) => Sendable::Yes(method, path),
        Err(_) => Sendable::No,
    }
}

/// A path with the escapes of the log percent-encoded: `\xE3` becomes `%E3`, `\"` becomes `%22`.
fn unescaped(path: &[u8]) -> String {
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            push_byte(&mut out, byte);
            continue;
        }
        match rest {
            [b'x', high, low, after @ ..] => {
                let digit = |b: &u8| char::from(*b).to_digit(16);
                match digit(high).zip(digit(low)) {
                    Some((high, low)) => push_encoded(&mut out, (high * 16 + low) as u8),
                    // `\x` without two digits is not an escape, and the space makes the path
                    // invalid.
                    None => out.push(' '),
                }
                rest = after;
            }
            [escaped @ (b'"' | b'\\'), after @ ..] => {
                push_encoded(&mut out, *escaped);
                rest = after;
            }
            _ => out.push(' '),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::fault::Spot;
    use super::super::{PatternFormat, read};

    const COMMON: &str =
        r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a?b=c HTTP/1.0" 200 2326"#;
    const COMBINED: &str = r#"::1 - - [10/Oct/2000:13:55:36 -0700] "HEAD /x HTTP/1.1" 404 - "http://h/\"y\"" "curl \"8\"""#;

    #[test]
    fn requests_are_taken_from_both_formats() {
        let text = format!("{COMMON}\r\n\n{COMBINED}\n{COMMON}\n");
        let set = read(text.as_bytes(), PatternFormat::Auto, "POST").unwrap();
        let labels: Vec<String> = set.patterns().iter().map(|p| p.label()).collect();
        assert_eq!(labels, ["GET /a?b=c", "HEAD /x"]);
        assert_eq!(set.sequence(), [0, 1, 0]);
        assert_eq!(set.notes().len(), 1, "{:?}", set.notes());
        assert!(
            set.notes()[0]
                .text()
                .starts_with("1 requests of the log got a redirect or an error")
        );
    }

    #[test]
    fn the_status_of_the_log_is_expected_where_it_comes_again() {
        let text: String = [
            ("/", 200),
            ("/gone", 404),
            ("/old", 301),
            ("/cached", 304),
            ("/slow", 499),
            ("/busy", 429),
            ("/broken", 503),
            ("/new", 404),
            ("/new", 200),
            ("/gone", 404),
        ]
        .iter()
        .map(|(path, status)| format!("h - - [x] \"GET {path} HTTP/1.1\" {status} 0\n"))
        .collect();
        let set = read(text.as_bytes(), PatternFormat::AccessLog, "GET").unwrap();
        let logged = set.patterns().iter().filter_map(|pattern| {
            let logged = pattern.logged?;
            Some((pattern.path.as_str(), logged.status, logged.or_success))
        });
        let logged: Vec<(&str, u16, bool)> = logged.collect();
        let expected = [
            ("/gone", 404, false),
            ("/old", 301, false),
            ("/new", 404, true),
        ];
        assert_eq!(logged, expected);
        assert_eq!(set.sequence(), [0, 1, 2, 3, 4, 5, 6, 7, 7, 1]);
    }

    #[test]
    fn what_was_no_request_is_left_out_and_counted() {
        let line =
            |request: &str| format!("h - - [10/Oct/2000:13:55:36 -0700] \"{request}\" 200 0\n");
        let text = [
            "GET /\\xE6\\x97\\xA5?q=\\\"a\\\" HTTP/1.1",
            "POST /form HTTP/1.1",
            "-",
            "\\x16\\x03\\x01",
            "GET http://elsewhere/ HTTP/1.1",
            "GET /a b HTTP/1.1",
            "GET /\\xZZ HTTP/1.1",
        ];
        let text: String = text.iter().map(|request| line(request)).collect();
        let set = read(text.as_bytes(), PatternFormat::AccessLog, "GET").unwrap();
        assert_eq!(set.patterns()[0].path, "/%E6%97%A5?q=%22a%22");
        assert_eq!(set.len(), 1);
        assert_eq!(
            set.notes(),
            [
                "1 requests of the log are skipped: only GET and HEAD are sent, because other \
                 methods may need a body or change data",
                "5 requests of the log are skipped: they do not request a path",
            ]
        );
    }

    #[test]
    fn another_line_is_refused() {
        for line in [
            "rubbish",
            "h - - [x] \"GET / HTTP/1.1\"",
            "h - - [x] \"GET / HTTP/1.1\" abc 5",
            "h - - [x] \"GET / HTTP/1.1 200 5",
            "h - - \"GET / HTTP/1.1\" 200 5",
        ] {
            let text = format!("{COMMON}\n{line}\n");
            let fault = read(text.as_bytes(), PatternFormat::AccessLog, "GET").unwrap_err();
            assert_eq!(fault.spot, Spot::Line(2), "{line}");
            assert!(fault.why.text().contains("is not a line of an access log"));
        }
    }
}
