//! Times that servers tell of their own stages, in the heads of their answers:
//! `Server-Timing` (W3C) and `Trace-Log` (CubeFS's blobstore).
//!
//! Sums are kept by service time, in buckets, so that means can be told for any band
//! of percentiles afterwards, in memory that does not grow with the number of requests.

mod amount;
mod server_timing;
mod sums;
mod tally;
mod trace_log;

pub use sums::{BucketSums, MOST_STAGES, OTHER_STAGES, OperationStages, StageSum, StageSums};
pub(crate) use tally::StageTally;

/// Longest name of a stage, bytes; what is named longer counts among the others.
const LONGEST_NAME: usize = 64;

/// A time that a header told, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told<'a> {
    /// Of a stage.
    Stage(&'a str, u64),
    /// Of the whole request, as the server saw it.
    Total(u64),
}

/// A header that is not as it should be. Nothing of its answer is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Unreadable;

/// A header with times in it.
struct Header {
    name: &'static [u8],
    parse: Parse,
    total: TotalOf,
}

/// What a header's time of the whole request holds.
#[derive(Debug, Clone, Copy)]
enum TotalOf {
    /// What it says.
    Request,
    /// The time until the head is written. That is the whole where the body is written with it,
    /// as a document is; where content follows that is yet to be read, it is a stage of this name.
    UntilHead(&'static str),
}

impl TotalOf {
    /// What was told, once it is known what follows the head.
    fn judged<'a>(self, told: Told<'a>, head: &[u8]) -> Told<'a> {
        match (told, self) {
            (Told::Total(nanos), Self::UntilHead(name)) if !announces_document(head) => {
                Told::Stage(name, nanos)
            }
            _ => told,
        }
    }
}

/// Tells of every time in a header's value.
type Parse = fn(&[u8], &mut dyn FnMut(Told<'_>)) -> Result<(), Unreadable>;

/// Every header that is read.
const HEADERS: [Header; 2] = [
    Header {
        name: b"server-timing",
        parse: server_timing::parse,
        total: TotalOf::Request,
    },
    Header {
        name: b"trace-log",
        parse: trace_log::parse,
        total: TotalOf::UntilHead(trace_log::OUTERMOST),
    },
];

/// Tells `tell` of every time in the head of an answer.
fn read(head: &[u8], tell: &mut dyn FnMut(Told<'_>)) -> Result<(), Unreadable> {
    for line in head.split(|&byte| byte == b'\n').skip(1) {
        for header in &HEADERS {
            if let Some(value) = value_of(line, header.name) {
                let mut judged = |told: Told<'_>| tell(header.total.judged(told, head));
                (header.parse)(value.trim_ascii(), &mut judged)?;
            }
        }
    }
    Ok(())
}

/// Whether the body is a document that was made before its head, by its type.
fn announces_document(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n').skip(1);
    let kind = lines.find_map(|line| value_of(line, b"content-type"));
    let kind = kind.and_then(|kind| kind.split(|&byte| byte == b';').next());
    kind.is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case(b"application/json"))
}

/// What stands behind the colon of a header line of that name.
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

    /// Times in microseconds by name, as a header tells them; a total is called `=`.
    pub(super) fn micros(parse: Parse, value: &str) -> Option<Vec<(String, u64)>> {
        let mut all = Vec::new();
        parse(value.as_bytes(), &mut |told| {
            all.push(match told {
                Told::Stage(name, nanos) => (name.to_owned(), nanos / 1_000),
                Told::Total(nanos) => ("=".to_owned(), nanos / 1_000),
            });
        })
        .ok()
        .map(|()| all)
    }

    /// All that a head tells, in its order; `None` if it cannot be read.
    fn told(head: &str) -> Option<Vec<(String, u64)>> {
        let mut all = Vec::new();
        let result = read(head.as_bytes(), &mut |told| {
            all.push(match told {
                Told::Stage(name, nanos) => (name.to_owned(), nanos),
                Told::Total(nanos) => ("=".to_owned(), nanos),
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
        assert_eq!(told(head), Some(expected));
    }

    #[test]
    fn what_stops_at_the_head_is_not_the_whole_of_what_follows_it() {
        let answer = |kind: &str| {
            let head = format!("HTTP/1.1 200 OK\r\nTrace-Log: ACCESS:5\r\n{kind}\r\n\r\n");
            told(&head).expect("readable")
        };
        let until_head = [("ACCESS".to_owned(), 5_000_000)];
        let whole = [("=".to_owned(), 5_000_000)];
        assert_eq!(answer("Content-Type: application/json"), whole);
        for other in [
            "Content-Type: application/octet-stream",
            "Content-Type: application/jsonl",
            "X-Content-Type: application/json",
            "Server: x",
        ] {
            assert_eq!(answer(other), until_head, "{other}");
        }
        // Other headers mean what they say.
        let timed = "HTTP/1.1 200 OK\r\nServer-Timing: total;dur=5\r\n\r\n";
        assert_eq!(told(timed).expect("readable"), whole);
    }

    #[test]
    fn one_line_that_cannot_be_read_spoils_the_answer() {
        let head = "HTTP/2 200\r\nserver-timing: db;dur=1\r\nserver-timing: db;dur=fast\r\n\r\n";
        assert_eq!(told(head), None);
    }

    proptest! {
        #[test]
        fn whatever_a_server_sends_names_are_short_of_control_characters(
            name in prop::sample::select(vec!["Server-Timing", "Trace-Log"]),
            value in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut head = format!("HTTP/1.1 200 OK\r\n{name}: ").into_bytes();
            head.extend_from_slice(&value);
            head.extend_from_slice(b"\r\n\r\n");
            let mut fine = true;
            let _ = read(&head, &mut |told| {
                let (name, nanos) = match told {
                    Told::Stage(name, nanos) => (name, nanos),
                    Told::Total(nanos) => ("total", nanos),
                };
                fine &= !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic());
                fine &= nanos <= crate::histogram::HIGHEST_NANOS;
            });
            prop_assert!(fine);
        }

        #[test]
        fn what_looks_much_like_a_header_is_taken_or_refused_and_never_more(
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
            for (name, nanos) in told(&head).unwrap_or_default() {
                prop_assert!(!name.is_empty());
                prop_assert!(nanos <= crate::histogram::HIGHEST_NANOS);
            }
        }
    }
}
