//! What a file that no format recognises most likely is, and what it lacks.

use std::cmp::Ordering::Equal;

use tenbin_plan::{Script, Sentence, sentence};

use super::format::Format;
use super::plain::SEARCHED;
use super::{table, unread};

/// A format that is no text.
const BINARY: &str = "vegeta-binary";

/// Text that the files of a format have, by the name of the format.
const MARKS: &[(&str, &[&str])] = &[
    (
        "json",
        &["\"tenbin.result/", "\"environment\"", "\"targets\""],
    ),
    ("go", &["goos: ", "pkg: ", "Benchmark", "ns/op"]),
    (
        "hlog",
        &[
            "#[Histogram log format", "\"StartTimestamp\"", "\"Interval_Max\"",
        ],
    ),
    ("hgrm", &["Value", "Percentile", "TotalCount", "#[Mean"]),
    (
        "warp",
        &[
            "Report: ", "Concurrency: ", "* Average: ", "Throughput, split",
        ],
    ),
    ("warp-csv", &["idx\t", "n_objects", "first_byte"]),
    (
        "warp-json",
        &["\"v\"", "\"by_op_type\"", "\"total_requests\""],
    ),
    (
        "hsbench",
        &["Loop: ", "Mode: ", "Ops: ", "IO/s: ", "Lat(ms)"],
    ),
    ("hsbench-csv", &["Loop,Inter,Mode", "Lat(ms)"]),
    (
        "hsbench-json",
        &["\"Loop\"", "\"IntervalName\"", "\"Iops\""],
    ),
    (
        "drnbench",
        &["n_clients", "queries_per_second", "average_elapsed_time"],
    ),
    (
        "wrk",
        &[
            "Running ", " test @ ", " threads and ", "Thread Stats", "Requests/sec:",
            "Transfer/sec:",
        ],
    ),
    (
        "ab",
        &[
            "This is ApacheBench", "Server Software:", "Concurrency Level:", "Complete requests:",
        ],
    ),
    ("ab-csv", &["Percentage served,Time in ms"]),
    ("ab-tsv", &["starttime\tseconds", "ctime\tdtime\tttime"]),
    (
        "oha",
        &[
            "\"successRate\"", "\"latencyPercentiles\"", "\"statusCodeDistribution\"",
        ],
    ),
    (
        "h2load",
        &[
            "starting benchmark...", "finished in ", " req/s, ", "time for request:",
        ],
    ),
    (
        "hey",
        &[
            "Summary:", "Slowest:", "Response time histogram:", "Status code distribution:",
        ],
    ),
    (
        "vegeta",
        &[
            "Requests      [", "Latencies     [", "Success       [", "Status Codes",
        ],
    ),
    (
        "vegeta-json",
        &["\"latencies\"", "\"status_codes\"", "\"99th\""],
    ),
    (
        "vegeta-binary",
        &["Attack", "Timestamp", "Latency", "BytesOut"],
    ),
    (
        "k6",
        &["http_req_duration", "http_reqs", "iterations", "vus_max"],
    ),
    (
        "k6-json",
        &["\"metrics\"", "\"http_req_duration\"", "\"http_reqs\""],
    ),
    (
        "hyperfine",
        &["\"results\"", "\"command\"", "\"median\"", "\"times\""],
    ),
    ("go-json", &["\"Action\"", "\"Package\"", "\"Output\""]),
    (
        "bombardier",
        &["Bombarding ", "Statistics ", "Reqs/sec", "HTTP codes:"],
    ),
    (
        "bombardier-json",
        &[
            "\"numberOfConnections\"", "\"testType\"", "\"timeTakenSeconds\"",
        ],
    ),
    (
        "autocannon",
        &["\"non2xx\"", "\"pipelining\"", "\"throughput\""],
    ),
    (
        "artillery",
        &["\"aggregate\"", "\"counters\"", "\"summaries\""],
    ),
    ("fio", &["\"fio version\"", "\"jobs\"", "\"jobname\""]),
    (
        "pgbench",
        &[
            "transaction type: ", "scaling factor: ", "tps = ", "latency average",
        ],
    ),
    (
        "sysbench",
        &[
            "sysbench ", "Number of threads: ", "General statistics:", "total time:",
        ],
    ),
    ("hey-csv", &["response-time,", "DNS+dialup,", "status-code"]),
    ("vegeta-csv", &["GET,http"]),
    (
        "vegeta-json-lines",
        &["\"attack\"", "\"seq\"", "\"latency\"", "\"bytes_in\""],
    ),
    (
        "vegeta-hdrplot",
        &["Value(ms)", "Percentile", "TotalCount", "1/(1-Percentile)"],
    ),
    ("vegeta-hist", &["Bucket", "Histogram", "+Inf]"]),
    (
        "k6-stream",
        &["\"metric\"", "\"type\":\"Point\"", "\"http_req_duration\""],
    ),
    (
        "k6-csv",
        &["metric_name,", "metric_value,", "http_req_duration"],
    ),
    (
        "jmeter-csv",
        &["timeStamp", "elapsed", "responseCode", "success"],
    ),
    (
        "jmeter-xml",
        &["<testResults", "<httpSample", "</testResults>"],
    ),
    (
        "gatling",
        &["> request count", "(OK=", "> mean response time"],
    ),
    (
        "gatling-json",
        &["\"numberOfRequests\"", "\"meanNumberOfRequestsPerSecond\""],
    ),
    ("gatling-log", &["RUN\t", "REQUEST\t", "USER\t"]),
    (
        "locust",
        &["Type,Name,", "Request Count", "Average Response Time"],
    ),
    (
        "locust-history",
        &["Timestamp,User Count", "Total Request Count"],
    ),
    (
        "rally",
        &["Metric,Task,Value,Unit", "Mean Throughput", "service time"],
    ),
    (
        "rally-json",
        &["\"op_metrics\"", "\"race-id\"", "\"service_time\""],
    ),
    (
        "elbencho",
        &["operation", "time ms [last]", "entries/s [last]"],
    ),
    (
        "elbencho-json",
        &["\"phase_type\"", "\"last_done\"", "\"operation\""],
    ),
    (
        "fortio",
        &["\"DurationHistogram\"", "\"RetCodes\"", "\"ActualQPS\""],
    ),
];

/// Beginnings of texts that are no results, and what they are.
const NO_RESULTS: &[(&str, &str)] = &[
    (
        "unable to connect to ",
        "is the error of wrk that it could not connect; nothing was measured",
    ),
    ("apr_", "is an error of ab; nothing was measured"),
    (
        "<p>\n This is ApacheBench",
        "is the page that ab writes with -w; the text that ab prints without it can be read",
    ),
    (
        "<",
        "is a page of HTML or XML that no reader knows; tools such as ab also print text, which can be read",
    ),
];

/// Number of members of a JSON document that are named.
const MOST_MEMBERS: usize = 6;

/// Shortest mark that says alone what a text is. Shorter ones are words of many texts.
const LONG_MARK: usize = 12;

/// What an unknown file is not, in one clause.
pub(super) fn sentence(beginning: &[u8]) -> Sentence {
    if beginning.is_empty() {
        return sentence!("file-empty", "is empty: nothing was written to it");
    }
    let text = String::from_utf8_lossy(beginning);
    let text = text.trim_start();
    if let Some(hint) = unread::hint(text) {
        return Sentence::fixed(hint);
    }
    if let Some(script) = Script::of(text) {
        return script.sentence();
    }
    let likely: Vec<String> = likely(text).into_iter().take(2).collect();
    let mut known = NO_RESULTS.iter();
    let known = known.find(|(begins, _)| text.starts_with(begins));
    // A file of XML may be like one that is read.
    if let Some((begins, what)) = known
        && (*begins != "<" || likely.is_empty())
    {
        return (*what).into();
    }
    let what = match members(text) {
        Some(members) if !members.is_empty() => sentence!(
            "unread-json",
            "is JSON of a tool whose results cannot be read; its members are {members}",
            members = members.join(", ")
        ),
        _ => sentence!("no-known-result", "is none of the results that can be read"),
    };
    let searched = if beginning.len() as u64 >= SEARCHED {
        sentence!(
            "beginning-searched",
            "; its first {size} MiB were searched",
            size = SEARCHED >> 20
        )
    } else {
        Sentence::default()
    };
    let like = match likely.as_slice() {
        [] => Sentence::default(),
        some => format!("; it is most like {}", some.join(", or ")).into(),
    };
    sentence!(
        "no-known-format",
        "{what}{searched}{like}; docs/formats.md lists the formats",
        what,
        searched,
        like
    )
}

/// The formats whose marks the text has, most marks first, with the marks that it lacks.
fn likely(text: &str) -> Vec<String> {
    let is_json = ["{", "[{", "[\n"]
        .iter()
        .any(|begins| text.starts_with(begins));
    let is_data = text.contains(['\0', '\u{fffd}']);
    let mut scored: Vec<(usize, f64, String)> = Vec::new();
    for (name, marks) in MARKS {
        let Some(format) = table::format(name) else {
            continue;
        };
        // Words of a text say nothing about JSON or a binary list.
        let is_of_json = marks.iter().all(|mark| mark.starts_with('"'));
        if is_json && !is_of_json || *name == BINARY && !is_data {
            continue;
        }
        let (found, missing): (Vec<&str>, Vec<&str>) =
            marks.iter().partition(|mark| text.contains(**mark));
        let is_telling = |mark: &&str| mark.len() >= LONG_MARK || marks.len() == 1;
        if found.len() > 1 || found.iter().any(is_telling) {
            let share = found.len() as f64 / marks.len() as f64;
            let telling = usize::from(found.iter().any(is_telling));
            scored.push((telling, share, described(format, &missing)));
        }
    }
    scored.sort_by(|one, other| {
        (other.0, other.1)
            .partial_cmp(&(one.0, one.1))
            .unwrap_or(Equal)
    });
    scored
        .into_iter()
        .map(|(.., described)| described)
        .collect()
}

fn described(format: &Format, missing: &[&str]) -> String {
    let missing: Vec<String> = missing
        .iter()
        .map(|mark| format!("{:?}", mark.trim()))
        .collect();
    if missing.is_empty() {
        format!(
            "{}, but its lines begin with other text, or it is not complete",
            format.what()
        )
    } else {
        format!("{}, but has no {}", format.what(), missing.join(" and no "))
    }
}

/// Names of the first members of a JSON object; `None` if the text is none.
fn members(text: &str) -> Option<Vec<String>> {
    let inner = text.strip_prefix('{')?;
    let (mut depth, mut names, mut word, mut in_text) = (0_i64, Vec::new(), String::new(), false);
    for c in inner.chars() {
        match c {
            '"' => {
                in_text = !in_text;
                if in_text {
                    word.clear();
                }
            }
            _ if in_text => word.push(c),
            ':' if depth == 0 && names.len() < MOST_MEMBERS => {
                names.push(format!("{:?}", word.chars().take(40).collect::<String>()));
            }
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            _ => {}
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::table::FORMATS;

    #[test]
    fn every_format_that_is_read_has_marks() {
        for format in FORMATS.iter().filter(|format| format.read.is_some()) {
            let mut names = MARKS.iter().map(|(name, _)| *name);
            assert!(names.any(|name| name == format.name), "{}", format.name);
        }
        for (name, _) in MARKS {
            assert!(table::format(name).is_some(), "{name}");
        }
    }

    #[test]
    fn the_likeliest_format_is_named_with_what_is_missing() {
        let said =
            sentence(b"  2 threads and 8 connections\n  Thread Stats   Avg\nRequests/sec: 7\n");
        assert!(said.text().contains("the text that wrk prints"), "{said}");
        assert!(said.text().contains("\"Running\""), "{said}");
        assert!(!said.text().contains("vegeta"), "{said}");
        let said = sentence(b"a note\n{\"fio version\": \"fio-3\", \"jobs\": []}\n");
        assert!(said.text().contains("fio"), "{said}");
        let said = sentence(b"word elapsed success Requests      [ Loop: \n");
        assert!(!said.text().contains("hsbench"), "{said}");
        let said = sentence(b"{\"a\": {\"b\": [1, 2]}, \"c\": \"x:y\"}");
        assert!(
            said.text().contains("its members are \"a\", \"c\""),
            "{said}"
        );
        assert!(
            sentence(b"unable to connect to h")
                .text()
                .contains("nothing was measured")
        );
        assert!(sentence(b"").text().starts_with("is empty"));
    }
}
