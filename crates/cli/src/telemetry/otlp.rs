//! Export of metrics to an OpenTelemetry collector: OTLP over HTTP in JSON, cumulative values.
//!
//! The fields are those of `ExportMetricsServiceRequest` in opentelemetry-proto 1.x; 64-bit
//! integers are strings, and enumerations are numbers, as OTLP/JSON requires.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use tenbin_http::{Client, Login};
use tenbin_plan::{Sentence, sentence};
use tenbin_record::PackedHistogram;

use super::metrics::{Metrics, Subject, Totals};

/// Environment variable with headers for the collector, for example a token:
/// `name=value,name=value`, values percent-encoded (OpenTelemetry Protocol Exporter specification).
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
/// Interval between two exports.
const INTERVAL: Duration = Duration::from_secs(5);
/// Time limit of an export.
const TIMEOUT: Duration = Duration::from_secs(3);
/// `AGGREGATION_TEMPORALITY_CUMULATIVE`.
const CUMULATIVE: u8 = 2;
/// Upper bounds of the latency histogram buckets, seconds.
const BOUNDS: [f64; 21] = [
    0.000_01, 0.000_02, 0.000_05, 0.000_1, 0.000_2, 0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05,
    0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0,
];

/// A thread that sends metrics to a collector.
#[derive(Debug)]
pub(super) struct Push {
    /// Dropping this sender makes the thread export once more and end.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    failure: Arc<Mutex<Option<Sentence>>>,
}

impl Push {
    /// Starts to send to `url` every [`INTERVAL`].
    ///
    /// # Errors
    /// One sentence, if the URL cannot be used or no thread can be started.
    pub(super) fn start(url: &str, metrics: Arc<Mutex<Metrics>>) -> Result<Self, Sentence> {
        let collector = Collector::new(url)?;
        let (end, ends) = channel();
        let failure = Arc::new(Mutex::new(None));
        let found = Arc::clone(&failure);
        let thread = thread::Builder::new().name("otlp".to_owned());
        let thread = thread.spawn(move || {
            let mut has_failed = false;
            loop {
                let is_last = ends.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Disconnected);
                let metrics = lock(&metrics).clone();
                if let Err(why) = collector.send(&metrics)
                    && !has_failed
                {
                    has_failed = true;
                    *lock(&found) = Some(sentence!(
                        "otlp-not-sent",
                        "--otlp: cannot send metrics: {why}; the run continues, and later \
                         failures are not reported",
                        why
                    ));
                }
                if is_last {
                    return;
                }
            }
        });
        Ok(Self {
            end: Some(end),
            thread: Some(thread.map_err(|error| {
                sentence!("no-thread", "cannot start a thread: {error}", error)
            })?),
            failure,
        })
    }

    /// One sentence about the first failed export, returned only once; otherwise `None`.
    pub(super) fn failure(&self) -> Option<Sentence> {
        lock(&self.failure).take()
    }

    /// Sends the metrics for the last time. Returns a failure that has not been reported yet.
    pub(super) fn finish(mut self) -> Option<Sentence> {
        self.end.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.failure()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An HTTP client for one collector.
struct Collector {
    client: Client,
}

impl Collector {
    /// A client for the collector at `url`; sends nothing.
    fn new(url: &str) -> Result<Self, Sentence> {
        let client = Client::new(url, &Login::default());
        let mut client = client.map_err(said)?;
        client.set_timeout(TIMEOUT);
        for (name, value) in headers(&std::env::var(HEADERS).unwrap_or_default())? {
            client.add_header(&name, &value);
        }
        Ok(Self { client })
    }

    fn send(&self, metrics: &Metrics) -> Result<(), Sentence> {
        let body = request(metrics, SystemTime::now()).to_string();
        let reply = self.client.post("", "application/json", body.as_bytes());
        let reply = reply.map_err(said)?;
        if reply.is_success() {
            Ok(())
        } else {
            Err(sentence!(
                "otlp-status",
                "{url} responds with status {status}: {excerpt}",
                url = self.client.url(),
                status = reply.status,
                excerpt = reply.excerpt()
            ))
        }
    }
}

/// Why a request failed, as a sentence.
fn said(error: tenbin_http::Error) -> Sentence {
    tenbin_corpus::Error::from(error).sentence()
}

/// The headers in the value of [`HEADERS`]. Errors do not quote the value, which can hold a secret.
fn headers(text: &str) -> Result<Vec<(String, String)>, Sentence> {
    let pairs = text.split(',').map(str::trim).filter(|it| !it.is_empty());
    let header = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        let is_name = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        let name = name.trim();
        let is_valid =
            !name.is_empty() && name.bytes().all(is_name) && !value.chars().any(char::is_control);
        is_valid.then(|| (name.to_owned(), value.into_owned()))
    };
    let headers = pairs.map(header).collect::<Option<_>>();
    headers.ok_or_else(|| {
        sentence!(
            "otlp-headers",
            "{headers} is not name=value,name=value; correct it or unset it",
            headers = HEADERS
        )
    })
}

/// The body of an export request.
fn request(metrics: &Metrics, now: SystemTime) -> Value {
    let times = json!({
        "startTimeUnixNano": nanos(metrics.started),
        "timeUnixNano": nanos(now),
    });
    let point = |attributes: Value, value: Value| {
        let mut point = times.clone();
        point["attributes"] = attributes;
        if let (Value::Object(point), Value::Object(value)) = (&mut point, value) {
            point.extend(value);
        }
        point
    };
    let counts = |of: fn(&Totals) -> u64| -> Vec<Value> {
        let totals = metrics.totals.iter();
        totals
            .map(|(subject, totals)| point(attributes(subject), integer(of(totals))))
            .collect()
    };
    let errors = metrics.totals.iter().flat_map(|(subject, totals)| {
        let classes = totals.errors.iter();
        classes.map(|(class, count)| {
            let mut attributes = attributes(subject);
            if let Value::Array(list) = &mut attributes {
                list.push(attribute("error.type", class));
            }
            point(attributes, integer(*count))
        })
    });
    let histograms = |of: fn(&Totals) -> &PackedHistogram| -> Vec<Value> {
        let totals = metrics.totals.iter();
        let some = totals.filter(|(_, totals)| !of(totals).is_empty());
        some.map(|(subject, totals)| point(attributes(subject), histogram(of(totals))))
            .collect()
    };
    let cpu = metrics.cpu_seconds.iter();
    let cpu = cpu.map(|(target, used)| point(json!([attribute("target", target)]), double(*used)));
    let active = metrics.active.iter().map(|(target, is_active)| {
        let value = integer(u64::from(*is_active));
        point(json!([attribute("target", target)]), value)
    });
    let slice = metrics.slice.map(|slice| point(json!([]), integer(slice)));
    let all = [
        sum(
            "tenbin.operations",
            "{operation}",
            counts(|totals| totals.ok),
        ),
        sum("tenbin.body.size", "By", counts(|totals| totals.bytes)),
        sum("tenbin.errors", "{operation}", errors.collect()),
        sum("tenbin.target.cpu.time", "s", cpu.collect()),
        gauge("tenbin.slice", "1", slice.into_iter().collect()),
        gauge("tenbin.target.active", "1", active.collect()),
        distribution(
            "tenbin.service.duration",
            histograms(|totals| &totals.service),
        ),
        distribution(
            "tenbin.response.duration",
            histograms(|totals| &totals.response),
        ),
    ];
    let version = env!("CARGO_PKG_VERSION");
    json!({ "resourceMetrics": [{
        "resource": { "attributes": [
            attribute("service.name", "tenbin"),
            attribute("service.version", version),
            attribute("tenbin.run", &metrics.run),
        ] },
        "scopeMetrics": [{
            "scope": { "name": "tenbin", "version": version },
            "metrics": all.into_iter().flatten().collect::<Vec<_>>(),
        }],
    }] })
}

/// A counter metric; `None` without data points.
fn sum(name: &str, unit: &str, points: Vec<Value>) -> Option<Value> {
    let data = json!({
        "dataPoints": points,
        "aggregationTemporality": CUMULATIVE,
        "isMonotonic": true,
    });
    (!points.is_empty()).then(|| json!({ "name": name, "unit": unit, "sum": data }))
}

fn gauge(name: &str, unit: &str, points: Vec<Value>) -> Option<Value> {
    let data = json!({ "dataPoints": points });
    (!points.is_empty()).then(|| json!({ "name": name, "unit": unit, "gauge": data }))
}

fn distribution(name: &str, points: Vec<Value>) -> Option<Value> {
    let data = json!({ "dataPoints": points, "aggregationTemporality": CUMULATIVE });
    (!points.is_empty()).then(|| json!({ "name": name, "unit": "s", "histogram": data }))
}

fn attributes(subject: &Subject) -> Value {
    json!([
        attribute("target", &subject.target),
        attribute("workload", &subject.workload),
        attribute("operation", &subject.operation),
        attribute("role", subject.role),
    ])
}

fn attribute(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

fn integer(value: u64) -> Value {
    json!({ "asInt": value.to_string() })
}

fn double(value: f64) -> Value {
    json!({ "asDouble": value })
}

fn nanos(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_nanos().to_string()
}

/// The fields of a histogram data point. A bucket includes its upper bound.
fn histogram(times: &PackedHistogram) -> Value {
    let mut counts = [0_u64; BOUNDS.len() + 1];
    for (value, count) in times.recorded() {
        let seconds = value as f64 / 1e9;
        let bucket = BOUNDS.partition_point(|bound| *bound < seconds);
        counts[bucket] += count;
    }
    let seconds = |nanos: f64| nanos / 1e9;
    json!({
        "count": times.len().to_string(),
        "sum": seconds(times.mean() * times.len() as f64),
        "min": seconds(times.min() as f64),
        "max": seconds(times.max() as f64),
        "bucketCounts": counts.map(|count| count.to_string()),
        "explicitBounds": BOUNDS,
    })
}

#[cfg(test)]
mod tests {
    use super::super::metrics::tests::metrics;
    use super::*;

    #[test]
    fn buckets_hold_every_time_once() {
        let mut times = PackedHistogram::new();
        for nanos in [500, 15_000, 3_000_000, 3_000_000, 70_000_000_000] {
            times.record(nanos).unwrap();
        }
        let point = histogram(&times);
        let counts = point["bucketCounts"].as_array().unwrap().iter();
        let counts: Vec<u64> = counts
            .map(|count| count.as_str().unwrap().parse().unwrap())
            .collect();
        assert_eq!(counts.len(), BOUNDS.len() + 1);
        assert_eq!(counts.iter().sum::<u64>(), 5);
        let below = |bound: f64| BOUNDS.iter().position(|one| *one == bound).unwrap();
        assert_eq!((counts[0], counts[below(0.000_02)]), (1, 1));
        assert_eq!((counts[below(0.005)], counts[BOUNDS.len()]), (2, 1));
        assert_eq!(point["count"], "5");
    }

    #[test]
    fn a_series_is_one_point_with_its_start() {
        let request = request(&metrics(), UNIX_EPOCH + Duration::from_secs(5));
        let all = &request["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
        let named = |name: &str| {
            let found = all
                .as_array()
                .unwrap()
                .iter()
                .find(|one| one["name"] == name);
            found.unwrap_or_else(|| panic!("no {name} in {all}"))
        };
        let operations = named("tenbin.operations")["sum"]["dataPoints"]
            .as_array()
            .unwrap();
        assert_eq!(operations.len(), 4);
        assert_eq!(operations[0]["asInt"], "20");
        assert_eq!(operations[0]["timeUnixNano"], "5000000000");
        let errors = named("tenbin.errors")["sum"]["dataPoints"]
            .as_array()
            .unwrap();
        assert_eq!(errors.len(), 4 * 10);
        assert_eq!(
            named("tenbin.target.cpu.time")["sum"]["dataPoints"][0]["asDouble"],
            1.0
        );
        let times = named("tenbin.service.duration")["histogram"]["dataPoints"]
            .as_array()
            .unwrap();
        assert_eq!((times.len(), &times[0]["count"]), (4, &json!("20")));
        assert!(
            all.as_array()
                .unwrap()
                .iter()
                .all(|one| one["name"] != "tenbin.response.duration")
        );
    }
}
