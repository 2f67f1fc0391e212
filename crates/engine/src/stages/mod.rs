//! Reads the times of server stages, which are steps of processing inside the server, from response
//! headers: `Server-Timing` (W3C) and `Trace-Log` (CubeFS's blobstore).
//!
//! Stage times are summed in buckets of service time, so that means can later be computed for any
//! range of percentiles. Memory does not grow with the number of requests.

mod amount;
mod server_timing;
mod sums;
mod tally;
mod trace_log;

pub use sums::{BucketSums, MOST_STAGES, OTHER_STAGES, OperationStages, StageSum, StageSums};
pub(crate) use tally::StageTally;

/// Longest name of a stage, bytes; stages with longer names count under [`OTHER_STAGES`].
const LONGEST_NAME: usize = 64;

/// A time in a header, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Timing<'a> {
    /// The time of a stage.
    Stage(&'a str, u64),
    /// The time of the request, measured by the server; [`TotalScope`] says what the time covers.
    Total(u64),
}

/// The error for a malformed header. No time of the response is used then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Unreadable;

/// A header that contains times.
struct Header {
    name: &'static [u8],
    parse: Parse,
    total: TotalScope,
}

/// What a header's total time covers.
#[derive(Debug, Clone, Copy)]
enum TotalScope {
    /// The whole request.
    Request,
    /// The time until the head is written. The server writes a JSON document together with the
    /// head, so the time then covers the whole request. The server reads any other content after
    /// writing the head, so the time then counts as a stage with this name.
    UntilHead(&'static str),
}

impl TotalScope {
    /// Converts a total that, by the content type in `head`, does not cover the whole request to a
    /// stage. Returns any other time unchanged.
    fn judged<'a>(self, timing: Timing<'a>, head: &[u8]) -> Timing<'a> {
        match (timing, self) {
            (Timing::Total(nanos), Self::UntilHead(name)) if !announces_document(head) => {
                Timing::Stage(name, nanos)
            }
            _ => timing,
        }
    }
}

/// A parser, which calls its second argument for every time in a header's value.
type Parse = fn(&[u8], &mut dyn FnMut(Timing<'_>)) -> Result<(), Unreadable>;

/// The headers from which times are read.
const HEADERS: [Header; 2] = [
    Header {
        name: b"server-timing",
        parse: server_timing::parse,
        total: TotalScope::Request,
    },
    Header {
        name: b"trace-log",
        parse: trace_log::parse,
        total: TotalScope::UntilHead(trace_log::OUTERMOST),
    },
];

/// Calls `tell` for every time in the head of a response.
fn read(head: &[u8], tell: &mut dyn FnMut(Timing<'_>)) -> Result<(), Unreadable> {
    for line in head.split(|&byte| byte == b'\n').skip(1) {
        for header in &HEADERS {
            if let Some(value) = value_of(line, header.name) {
                let mut judged = |timing: Timing<'_>| tell(header.total.judged(timing, head));
                (header.parse)(value.trim_ascii(), &mut judged)?;
            }
        }
    }
    Ok(())
}

/// Whether the content type is JSON: the server then created the body before the head.
fn announces_document(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n').skip(1);
    let kind = lines.find_map(|line| value_of(line, b"content-type"));
    let kind = kind.and_then(|kind| kind.split(|&byte| byte == b';').next());
    kind.is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case(b"application/json"))
}

/// The value of a header line; `None` if the line has another name.
#[inline]
fn value_of<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let (own, rest) = line.split_at_checked(name.len())?;
    let value = rest.strip_prefix(b":")?;
    own.eq_ignore_ascii_case(name).then_some(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The times that `parse` finds in a header's value, in order: name and microseconds. A total
    /// has the name `=`. `None` if the value is malformed.
    pub(super) fn micros(parse: Parse, value: &str) -> Option<Vec<(String, u64)>> {
        let mut all = Vec::new();
        parse(value.as_bytes(), &mut |timing| {
            all.push(match timing {
                Timing::Stage(name, nanos) => (name.to_owned(), nanos / 1_000),
                Timing::Total(nanos) => ("=".to_owned(), nanos / 1_000),
            });
        })
        .ok()
        .map(|()| all)
    }

    /// The times in the timing headers of a response head, in order: name and nanoseconds. A total
    /// has the name `=`. `None` if a timing header is malformed.
    fn timings_of(head: &str) -> Option<Vec<(String, u64)>> {
        let mut all = Vec::new();
        let result = read(head.as_bytes(), &mut |timing| {
            all.push(match timing {
                Timing::Stage(name, nanos) => (name.to_owned(), nanos),
                Timing::Total(nanos) => ("=".to_owned(), nanos),
            });
        });
        result.ok().map(|()| all)
    }

    #[test]
    fn every_line_of_either_header_is_read_and_no_other() {
        let head = "HTTP/1.1 200 OK\r\nServer: x\r\nserver-timing: db;dur=1\r\n\
                    X-Server-Timing: no;dur=9\r\nServer-Timing:app;dur=2, total;dur=4\r\n\
                    Server-Timings: no;dur=9\r\nTRACE-LOG: ACCESS:5\r\nTrace-Log: PROXY:3\r\n\
                    content-type: Application/JSON; charset=utf-8\r\n\r\n";
        let expected = [
            ("db", 1_000_000),
            ("app", 2_000_000),
            ("=", 4_000_000),
            ("=", 5_000_000),
            ("PROXY", 3_000_000),
        ];
        let expected: Vec<_> = expected.map(|(name, ns)| (name.to_owned(), ns)).to_vec();
        assert_eq!(timings_of(head), Some(expected));
    }

    #[test]
    fn a_total_until_the_head_does_not_include_a_body_read_later() {
        let times_with = |kind: &str| {
            let head = format!("HTTP/1.1 200 OK\r\nTrace-Log: ACCESS:5\r\n{kind}\r\n\r\n");
            timings_of(&head).expect("readable")
        };
        let until_head = [("ACCESS".to_owned(), 5_000_000)];
        let whole = [("=".to_owned(), 5_000_000)];
        assert_eq!(times_with("Content-Type: application/json"), whole);
        for other in [
            "Content-Type: application/octet-stream",
            "Content-Type: application/jsonl",
            "X-Content-Type: application/json",
            "Server: x",
        ] {
            assert_eq!(times_with(other), until_head, "{other}");
        }
        // The content type does not affect `Server-Timing`.
        let timed = "HTTP/1.1 200 OK\r\nServer-Timing: total;dur=5\r\n\r\n";
        assert_eq!(timings_of(timed).expect("readable"), whole);
    }

    #[test]
    fn a_malformed_line_invalidates_all_times_of_the_response() {
        let head = "HTTP/2 200\r\nserver-timing: db;dur=1\r\nserver-timing: db;dur=fast\r\n\r\n";
        assert_eq!(timings_of(head), None);
    }

    proptest! {
        #[test]
        fn names_contain_no_control_characters(
            name in prop::sample::select(vec!["Server-Timing", "Trace-Log"]),
            value in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut head = format!("HTTP/1.1 200 OK\r\n{name}: ").into_bytes();
            head.extend_from_slice(&value);
            head.extend_from_slice(b"\r\n\r\n");
            let mut fine = true;
            let _ = read(&head, &mut |timing| {
                let (name, nanos) = match timing {
                    Timing::Stage(name, nanos) => (name, nanos),
                    Timing::Total(nanos) => ("total", nanos),
                };
                fine &= !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic());
                fine &= nanos <= crate::histogram::HIGHEST_NANOS;
            });
            prop_assert!(fine);
        }

        #[test]
        fn malformed_headers_never_panic(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "db", ";", "dur", "=", "53.2", ",", "\"", "\\", " ", "desc", ":", "/", "a_1_r_2_w_3",
                    "ACCESS", "total", "-1", "1e9", ".", "99999999999999999999", "µs", "ms", "s", "1m2", "h",
                ]),
                0..40,
            ),
            name in prop::sample::select(vec!["Server-Timing", "Trace-Log"]),
        ) {
            let head = format!("HTTP/1.1 200 OK\r\n{name}: {}\r\n\r\n", parts.concat());
            for (name, nanos) in timings_of(&head).unwrap_or_default() {
                prop_assert!(!name.is_empty());
                prop_assert!(nanos <= crate::histogram::HIGHEST_NANOS);
            }
        }
    }
}
