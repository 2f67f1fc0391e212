//! Counts the requests of a list: the one place through which every single request of every list
//! goes, whichever tool wrote it. Memory does not grow with the number of requests.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use tenbin_plan::sentence;
use tenbin_verdict::lint::{Listed, Measurement, Range, Reported, Rounding, SECOND, Second};

use super::list::{Clock, List, Request};
use super::{Counted, histogram, record, unquoted, with_figures};
use crate::formats::reader::{Fault, Selection};
use crate::formats::reported::REQUESTS;

/// Maximum number of distinct operations; the requests of further operations are counted together.
const MOST_OPERATIONS: usize = 100;

/// Name of the operations beyond the maximum.
pub(in crate::formats) const OTHERS: &str = "others";

/// Maximum number of threads counted for one operation; further threads are not counted.
const MOST_THREADS: usize = 100_000;

/// Longest failure text that is kept, bytes.
const LONGEST_TEXT: usize = 1 << 10;

/// The requests of a list as far as they are read.
pub(in crate::formats) struct Requests<'a> {
    list: List,
    selection: &'a Selection,
    operations: Vec<Operation>,
    /// The earliest start so far.
    origin: Option<i64>,
    /// Requests in the file.
    read: u64,
    /// Requests of the wanted operation and host.
    wanted: u64,
}

/// The requests of one operation.
struct Operation {
    name: String,
    counted: Counted,
    /// Hashes of the thread names, which can be long.
    threads: BTreeSet<u64>,
}

impl<'a> Requests<'a> {
    /// No requests yet. Fails if the list cannot say which requests are selected.
    pub(in crate::formats) fn new(list: List, selection: &'a Selection) -> Result<Self, Fault> {
        if selection.host.is_some() && !list.has_urls {
            return Err(Fault::of_the_file(sentence!(
                "requests-without-hosts",
                "is a list of requests of {tool} without their hosts, so that none can be selected \
                 by its host",
                tool = list.tool
            )));
        }
        Ok(Self {
            list,
            selection,
            operations: Vec::new(),
            origin: None,
            read: 0,
            wanted: 0,
        })
    }

    /// Sets the rounding of a list, if its rows show it. Must precede the first request.
    pub(in crate::formats) fn set_rounding(&mut self, rounding: Rounding) {
        self.list.rounding = rounding;
    }

    /// Renames the operation, if there is only one.
    pub(in crate::formats) fn rename_only(&mut self, name: &str) {
        if let [only] = self.operations.as_mut_slice() {
            name.clone_into(&mut only.name);
        }
    }

    /// Number of requests in the file so far, whether selected or not.
    pub(in crate::formats) fn read(&self) -> u64 {
        self.read
    }

    /// Counts a request, if it is selected. The error is a clause about the request's line.
    pub(in crate::formats) fn add(&mut self, request: &Request<'_>) -> Result<(), &'static str> {
        self.read += 1;
        if self.takes(request) {
            self.operation(request.operation).add(request)
        } else {
            Ok(())
        }
    }

    /// Whether the selection includes this request.
    fn takes(&mut self, request: &Request<'_>) -> bool {
        // Many lists are in the order of the ends, so that a later request can have started earlier.
        let origin = self.origin.unwrap_or(request.start).min(request.start);
        self.origin = Some(origin);
        let selection = self.selection;
        let skip = i64::try_from(selection.skip.as_nanos()).unwrap_or(i64::MAX);
        let is_of_host = |host: &str| request.url.is_some_and(|url| is_host(url, host));
        let wanted = selection.wants(request.operation)
            && selection.host.as_deref().is_none_or(is_of_host)
            && request.start.saturating_sub(origin) >= skip;
        if !wanted {
            return false;
        }
        self.wanted += 1;
        let number = self.wanted;
        number > selection.offset
            && selection
                .limit
                .is_none_or(|limit| number - selection.offset <= limit)
    }

    fn operation(&mut self, name: &str) -> &mut Operation {
        let find = |all: &[Operation], name: &str| all.iter().position(|of| of.name == name);
        let at = match find(&self.operations, name) {
            Some(at) => at,
            None if self.operations.len() < MOST_OPERATIONS => self.begin(name),
            None => match find(&self.operations, OTHERS) {
                Some(at) => at,
                None => self.begin(OTHERS),
            },
        };
        &mut self.operations[at]
    }

    /// Begins an operation, and returns its index.
    fn begin(&mut self, name: &str) -> usize {
        self.operations.push(Operation::empty(name, self.list));
        self.operations.len() - 1
    }

    /// The figures of all operations. A list without any request has 0 requests.
    pub(in crate::formats) fn finish(mut self) -> Result<Reported, Fault> {
        if self.operations.is_empty() && self.read > 0 {
            return Err(Fault::of_the_file(NOT_ASKED_FOR));
        }
        if self.operations.is_empty() {
            self.begin(REQUESTS);
        }
        let mut caveats = Vec::new();
        if self.operations.len() > MOST_OPERATIONS {
            caveats.push(format!(
                "the file has more than {MOST_OPERATIONS} different names of requests; the \
                 requests with further names are counted together as {OTHERS}"
            ));
        }
        let list = self.list;
        let operations = self.operations.into_iter();
        Ok(Reported {
            tool: list.tool,
            measurements: operations.map(|of| of.measurement(list)).collect(),
            caveats,
            ..Reported::default()
        })
    }
}

/// The refusal of a file of which no request is selected.
pub(in crate::formats) const NOT_ASKED_FOR: &str = "has no request that was asked for";

impl Operation {
    fn empty(name: &str, list: List) -> Self {
        let listed = Listed {
            objects: Some(0),
            unit: list.unit,
            times: Some(histogram()),
            rounding: list.rounding,
            ..Listed::default()
        };
        Self {
            name: name.to_owned(),
            counted: Counted {
                listed,
                ..Counted::default()
            },
            threads: BTreeSet::new(),
        }
    }

    fn add(&mut self, request: &Request<'_>) -> Result<(), &'static str> {
        self.add_thread(request.thread);
        let counted = &mut self.counted;
        counted.listed.extend((request.start, request.end));
        let single = counted.listed.single.get_or_insert_default();
        single.add(request.start, request.took, request.failure.is_none());
        // A failed request never counts as throughput, whatever its size.
        if let Some(failure) = request.failure {
            counted.fail(beginning(failure), 1);
            return Ok(());
        }
        let too_much = "makes the sum of all sizes overflow 64 bits; the file may be damaged";
        counted.ok += 1;
        let bytes = counted.bytes.checked_add(request.bytes);
        counted.bytes = bytes.ok_or(too_much)?;
        let listed = &mut counted.listed;
        let objects = listed.objects.unwrap_or(0).checked_add(request.objects);
        listed.objects = Some(objects.ok_or(too_much)?);
        record(&mut listed.times, request.took);
        if let Some(first_byte) = request.first_byte {
            record(&mut listed.first_byte, first_byte);
        }
        let part = Second {
            objects: request.objects as f64,
            bytes: request.bytes as f64,
        };
        if listed.add_second(request.end.div_euclid(SECOND), part) {
            Ok(())
        } else {
            Err("makes the run longer than a million seconds; the file may be damaged")
        }
    }

    fn add_thread(&mut self, thread: Option<(&str, &str)>) {
        if let Some(thread) = thread
            && self.threads.len() < MOST_THREADS
        {
            let mut hasher = DefaultHasher::new();
            thread.hash(&mut hasher);
            self.threads.insert(hasher.finish());
        }
    }

    fn measurement(mut self, list: List) -> Measurement {
        let listed = &mut self.counted.listed;
        // Times since the start of a run say nothing about the times of another run.
        let between = match list.clock {
            Clock::Unix => None,
            Clock::Run => listed.span.take(),
        };
        if list.clock == Clock::Run {
            let end = between.map_or(0, |(_, end)| end.div_euclid(SECOND));
            listed.known_seconds = Some((0, end));
        }
        let mut of = self.counted.measurement(&self.name, list.counts_failures);
        of.seconds = between.map(|(start, end)| {
            let seconds = end.saturating_sub(start) as f64 / SECOND as f64;
            let slack = list.rounding.clock as f64 / SECOND as f64;
            unquoted(Range::around(seconds, slack))
        });
        of.closed_loop = list.closed_loop;
        of.omits_failures = list.omits_failures;
        of.bytes = of.bytes.filter(|_| list.has_bytes);
        let threads = self.threads.len() as u64;
        of.connections = (threads > 0).then(|| unquoted(threads));
        with_figures(of)
    }
}

/// The beginning of a long failure text.
fn beginning(text: &str) -> &str {
    let mut end = text.len().min(LONGEST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The text of a failure with this HTTP status, for tools that record no error text.
pub(in crate::formats) fn failure_text<'a>(status: &str, own: &'a str) -> Cow<'a, str> {
    if own.is_empty() {
        Cow::Owned(format!("status {status}"))
    } else {
        Cow::Borrowed(own)
    }
}

/// Whether a URL or endpoint is on the wanted host.
fn is_host(url: &str, wanted: &str) -> bool {
    let bare = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = bare.split(['/', '?', '#']).next().unwrap_or(bare);
    url == wanted || host == wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: List = List {
        tool: "tool",
        has_urls: true,
        ..List::PLAIN
    };

    fn request(operation: &str) -> Request<'_> {
        Request {
            operation,
            start: SECOND,
            end: SECOND + 2_000_000,
            took: 2_000_000,
            objects: 1,
            ..Request::default()
        }
    }

    #[test]
    fn further_operations_are_counted_together() {
        let selection = Selection::default();
        let mut requests = Requests::new(LIST, &selection).expect("a list");
        for at in 0..MOST_OPERATIONS + 7 {
            let name = format!("page {at}");
            requests.add(&request(&name)).expect("counted");
        }
        let reported = requests.finish().expect("figures");
        assert_eq!(reported.measurements.len(), MOST_OPERATIONS + 1);
        let others = reported.measurement(OTHERS).expect("the others");
        assert_eq!(others.ok(), Some(7));
        assert_eq!(reported.caveats.len(), 1);
    }

    #[test]
    fn requests_can_be_in_the_order_of_their_ends() {
        let slow = Request {
            start: SECOND / 2,
            took: 502_000_000,
            ..request("GET")
        };
        for (skip, expected) in [(0, 2), (400, 1), (600, 0)] {
            let selection = Selection {
                skip: std::time::Duration::from_millis(skip),
                ..Selection::default()
            };
            let mut requests = Requests::new(LIST, &selection).expect("a list");
            for each in [slow, request("GET")] {
                requests.add(&each).expect("counted");
            }
            let counted = requests.finish().map_or(0, |reported| {
                reported.measurements[0].ok().unwrap_or_default()
            });
            assert_eq!(counted, expected, "after {skip} ms");
        }
        let selection = Selection::default();
        let mut requests = Requests::new(LIST, &selection).expect("a list");
        for each in [request("GET"), slow] {
            requests.add(&each).expect("counted");
        }
        let reported = requests.finish().expect("figures");
        assert_eq!(reported.measurements[0].ok(), Some(2));
    }

    #[test]
    fn no_request_is_zero_requests() {
        let selection = Selection::default();
        let requests = Requests::new(LIST, &selection).expect("a list");
        let reported = requests.finish().expect("figures");
        let [of] = reported.measurements.as_slice() else {
            panic!("{reported:?}");
        };
        assert_eq!((of.ok(), of.failed()), (Some(0), 0));
        assert!(of.rate.is_none() && of.mean.is_none() && of.percentiles.is_empty());
    }

    #[test]
    fn rounded_times_and_clocks_give_ranges() {
        let selection = Selection::default();
        let list = List {
            clock: Clock::Run,
            rounding: Rounding {
                times: 500_000,
                clock: SECOND as u64 / 10,
            },
            ..LIST
        };
        let mut requests = Requests::new(list, &selection).expect("a list");
        let late = Request {
            start: 2 * SECOND,
            end: 2 * SECOND + 2_000_000,
            ..request("GET")
        };
        requests.add(&request("GET")).expect("counted");
        requests.add(&late).expect("counted");
        let reported = requests.finish().expect("figures");
        let of = &reported.measurements[0];
        let mean = of.mean.as_ref().expect("a mean").value;
        assert!((mean.from - 0.0015).abs() < 1e-5 && (mean.to - 0.0025).abs() < 1e-5);
        let rate = of.rate.as_ref().expect("a rate").value;
        assert!((rate.middle() - 2.0 / 1.002).abs() < 1e-9, "{rate:?}");
        assert!(rate.from < 1.81 && rate.to > 2.19, "{rate:?}");
    }

    #[test]
    fn a_host_is_part_of_a_url() {
        for url in ["http://h:1/path", "https://h:1?q", "h:1", "http://h:1"] {
            assert!(is_host(url, "h:1"), "{url}");
        }
        assert!(!is_host("http://h:10/", "h:1"));
        assert!(is_host("http://h:1", "http://h:1"));
    }
}
