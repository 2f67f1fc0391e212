//! Parses the head of a response.

use std::time::SystemTime;

use super::ResponseHead;

/// Longest response head, bytes.
const HEAD_LIMIT: usize = 64 * 1024;

/// What the bytes of a response contain so far.
pub(super) enum Head {
    /// The beginning of a head.
    Partial,
    /// A complete head, and the offset of the body.
    Complete(ResponseHead, usize),
    /// No HTTP/1 response.
    Impossible,
    /// Status 101, although the request asked for no other protocol.
    Switched,
}

pub(super) fn parse_head(bytes: &[u8], sent: SystemTime) -> Head {
    const START: &[u8] = b"HTTP/1.";
    let seen = bytes.len().min(START.len());
    if bytes[..seen] != START[..seen] || bytes.len() > HEAD_LIMIT {
        return Head::Impossible;
    }
    let Some(end) = end_of_head(bytes) else {
        return Head::Partial;
    };
    let text = String::from_utf8_lossy(&bytes[..end]);
    let Some(status) = text.lines().next().and_then(status_of) else {
        return Head::Impossible;
    };
    if status == 101 {
        return Head::Switched;
    }
    if status < 200 {
        return match parse_head(&bytes[end..], sent) {
            Head::Complete(response, further) => Head::Complete(response, end + further),
            unfinished => unfinished,
        };
    }
    let header = |name: &str| {
        text.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    };
    let response = ResponseHead {
        status: Some(status),
        server: header("server").map(str::to_owned),
        bare_line_feed: (1..)
            .zip(bytes[..end].split_inclusive(|&byte| byte == b'\n'))
            .find_map(|(number, line)| (!line.ends_with(b"\r\n")).then_some(number)),
        is_xml: header("content-type").is_some_and(is_xml),
        location: header("location").map(str::to_owned),
        date: header("date").and_then(|date| httpdate::parse_http_date(date).ok()),
        sent,
        received: SystemTime::now(),
        refusal: None,
    };
    Head::Complete(response, end)
}

fn is_xml(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default();
    let kind = kind.trim().to_ascii_lowercase();
    kind.ends_with("/xml") || kind.ends_with("+xml")
}

/// The offset after the empty line that ends a head. A line may end with a line feed alone, which a
/// recipient may accept (RFC 9112, section 2.2).
fn end_of_head(bytes: &[u8]) -> Option<usize> {
    let mut start = 0;
    loop {
        let length = bytes[start..].iter().position(|&byte| byte == b'\n')?;
        let line = &bytes[start..start + length];
        let end = start + length + 1;
        if start > 0 && matches!(line, b"" | b"\r") {
            return Some(end);
        }
        start = end;
    }
}

fn status_of(line: &str) -> Option<u16> {
    let code = line.split(' ').nth(1)?;
    let status = code.parse().ok()?;
    (code.len() == 3 && (100..=599).contains(&status)).then_some(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(bytes: &[u8]) -> ResponseHead {
        match parse_head(bytes, SystemTime::now()) {
            Head::Complete(response, end) => {
                assert!(end == bytes.len() || bytes[end - 1] == b'\n');
                response
            }
            Head::Partial => panic!("partial"),
            Head::Switched => panic!("switched"),
            Head::Impossible => panic!("impossible"),
        }
    }

    #[test]
    fn a_head_is_read_past_interim_responses() {
        let response = complete(
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 403 Forbidden\r\nSERVER: MinIO\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n<xml>",
        );
        assert_eq!(response.status, Some(403));
        assert_eq!(response.server.as_deref(), Some("MinIO"));
        let date = response
            .date
            .unwrap()
            .duration_since(SystemTime::UNIX_EPOCH);
        assert_eq!(date.unwrap().as_secs(), 784_111_777);
    }

    /// RFC 9112, section 2.2: a recipient may recognise a single LF as the end of a line.
    #[test]
    fn a_line_that_ends_with_a_line_feed_alone_is_accepted_and_named() {
        for (head, line) in [
            (&b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\nbody"[..], None),
            (b"HTTP/1.1 200 OK\nServer: x\n\nbody", Some(1)),
            (b"HTTP/1.1 200 OK\r\nServer: x\n\r\nbody", Some(2)),
            (b"HTTP/1.1 200 OK\r\nServer: x\r\n\nbody", Some(3)),
        ] {
            let response = match parse_head(head, SystemTime::now()) {
                Head::Complete(response, end) => {
                    assert_eq!(&head[end..], b"body");
                    response
                }
                _ => panic!("complete"),
            };
            assert_eq!(response.bare_line_feed, line);
            assert_eq!(response.server.as_deref(), Some("x"));
        }
    }

    #[test]
    fn a_switch_of_protocols_is_no_response() {
        for head in [
            &b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"[..],
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        ] {
            let parsed = parse_head(head, SystemTime::now());
            assert!(matches!(parsed, Head::Switched));
        }
    }

    #[test]
    fn every_prefix_is_partial_and_garbage_is_recognized_at_once() {
        let head = b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n";
        for end in 0..head.len() {
            assert!(matches!(
                parse_head(&head[..end], SystemTime::now()),
                Head::Partial
            ));
        }
        for garbage in [&b"SSH-2.0"[..], b"HTTP/2", b"HTTP/1.1 abc\r\n\r\n", b"\0"] {
            assert!(matches!(
                parse_head(garbage, SystemTime::now()),
                Head::Impossible
            ));
        }
    }
}
