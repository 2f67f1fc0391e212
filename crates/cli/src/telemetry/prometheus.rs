//! Metrics endpoint for a Prometheus server: text format 0.0.4 at `/metrics`.

use std::fmt::{Display, Write as _};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tenbin_http::server::{
    Body, Handler, Server, is_to_this_machine, only_get, response, text as line,
};
use tenbin_http::{Bytes, Method, Request, Response, StatusCode};
use tenbin_record::PackedHistogram;

use super::SERVED;
use super::metrics::{Metrics, Subject, Totals};

/// Quantiles of the summaries.
const QUANTILES: [f64; 5] = [0.5, 0.9, 0.95, 0.99, 0.999];

/// An HTTP endpoint that a Prometheus server scrapes.
#[derive(Debug)]
pub(super) struct Scrape {
    server: Server,
}

#[derive(Debug)]
struct Endpoint {
    metrics: Arc<Mutex<Metrics>>,
    /// Whether requests must have a `Host` header that names this machine.
    is_local: bool,
}

impl Scrape {
    /// Starts the endpoint on `address`.
    ///
    /// # Errors
    /// If the address cannot be listened on, or no thread can be started.
    pub(super) fn start(address: SocketAddr, metrics: Arc<Mutex<Metrics>>) -> io::Result<Self> {
        let endpoint = Arc::new(Endpoint {
            metrics,
            is_local: address.ip().is_loopback(),
        });
        Ok(Self {
            server: Server::start(address, SERVED, endpoint)?,
        })
    }

    /// The URL of the metrics.
    pub(super) fn url(&self) -> String {
        format!("http://{}/metrics", self.server.address())
    }
}

impl Handler for Endpoint {
    fn response(&self, request: &Request<Bytes>) -> Response<Body> {
        if request.method() != Method::GET {
            return only_get();
        }
        if self.is_local && !is_to_this_machine(request) {
            return line(StatusCode::FORBIDDEN, "the host is not this machine");
        }
        if request.uri().path() != "/metrics" {
            return line(StatusCode::NOT_FOUND, "the metrics are at /metrics");
        }
        let metrics = self.metrics.lock();
        let metrics = metrics.unwrap_or_else(PoisonError::into_inner).clone();
        let kind = "text/plain; version=0.0.4; charset=utf-8";
        response(StatusCode::OK, kind, Body::whole(text(&metrics)))
    }
}

/// The metrics in Prometheus text format.
fn text(metrics: &Metrics) -> String {
    let mut page = Page::default();
    page.family("tenbin_run_info", "gauge", "The run: always 1.");
    let run = [
        ("run", metrics.run.as_str()),
        ("version", env!("CARGO_PKG_VERSION")),
    ];
    page.sample("tenbin_run_info", &run, 1);
    if let Some(slice) = metrics.slice {
        page.family(
            "tenbin_slice",
            "gauge",
            "Number of the running slice, from 1.",
        );
        page.sample("tenbin_slice", &[], slice);
    }
    if let Some(slices) = metrics.slices {
        page.family(
            "tenbin_slices",
            "gauge",
            "Largest number of slices of the run.",
        );
        page.sample("tenbin_slices", &[], slices);
    }
    page.family(
        "tenbin_target_active",
        "gauge",
        "1 while a slice of the target is running.",
    );
    for (target, is_active) in &metrics.active {
        let value = u8::from(*is_active);
        page.sample("tenbin_target_active", &[("target", target)], value);
    }
    let about = "CPU time of an observed target in slices, seconds.";
    page.family("tenbin_target_cpu_seconds_total", "counter", about);
    for (target, seconds) in &metrics.cpu_seconds {
        page.sample(
            "tenbin_target_cpu_seconds_total",
            &[("target", target)],
            seconds,
        );
    }
    page.counters(
        metrics,
        "tenbin_operations_total",
        "Correct operations.",
        |totals| totals.ok,
    );
    let about = "Body bytes of correct operations, in both directions.";
    page.counters(metrics, "tenbin_body_bytes_total", about, |totals| {
        totals.bytes
    });
    page.family(
        "tenbin_errors_total", "counter", "Failed operations by class.",
    );
    for (subject, totals) in &metrics.totals {
        for (class, count) in &totals.errors {
            let labels = [labels(subject).as_slice(), &[("class", class)]].concat();
            page.sample("tenbin_errors_total", &labels, count);
        }
    }
    let about = "From the start of the write to the last byte of a correct response, seconds.";
    page.summaries(metrics, "tenbin_service_seconds", about, |totals| {
        &totals.service
    });
    let about =
        "From the intended start to the last byte of a correct response, seconds; open loop.";
    page.summaries(metrics, "tenbin_response_seconds", about, |totals| {
        &totals.response
    });
    page.text
}

fn labels(subject: &Subject) -> [(&'static str, &str); 4] {
    [
        ("target", &subject.target),
        ("workload", &subject.workload),
        ("operation", &subject.operation),
        ("role", subject.role),
    ]
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn family(&mut self, name: &str, kind: &str, about: &str) {
        let _ = writeln!(self.text, "# HELP {name} {about}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.text.push_str(name);
        for (at, (label, of)) in labels.iter().enumerate() {
            let open = if at == 0 { '{' } else { ',' };
            let _ = write!(self.text, "{open}{label}=\"{}\"", escaped(of));
        }
        if !labels.is_empty() {
            self.text.push('}');
        }
        let _ = writeln!(self.text, " {value}");
    }

    fn counters(&mut self, metrics: &Metrics, name: &str, about: &str, of: fn(&Totals) -> u64) {
        self.family(name, "counter", about);
        for (subject, totals) in &metrics.totals {
            self.sample(name, &labels(subject), of(totals));
        }
    }

    /// Adds a summary with quantiles since the start of the run. Operations without times have no
    /// samples.
    fn summaries(
        &mut self,
        metrics: &Metrics,
        name: &str,
        about: &str,
        of: fn(&Totals) -> &PackedHistogram,
    ) {
        self.family(name, "summary", about);
        for (subject, totals) in &metrics.totals {
            let times = of(totals);
            if times.is_empty() {
                continue;
            }
            for quantile in QUANTILES {
                let shown = quantile.to_string();
                let labels = [labels(subject).as_slice(), &[("quantile", &shown)]].concat();
                self.sample(
                    name,
                    &labels,
                    times.value_at_quantile(quantile) as f64 / 1e9,
                );
            }
            let sum = times.mean() * times.len() as f64 / 1e9;
            self.sample(&format!("{name}_sum"), &labels(subject), sum);
            self.sample(&format!("{name}_count"), &labels(subject), times.len());
        }
    }
}

/// A label value with backslash, quotation mark and line feed escaped.
fn escaped(value: &str) -> String {
    let mut safe = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '\\' => safe.push_str("\\\\"),
            '"' => safe.push_str("\\\""),
            '\n' => safe.push_str("\\n"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::super::metrics::tests::metrics;
    use super::*;

    #[test]
    fn every_sample_has_a_type_and_labels_are_escaped() {
        let text = text(&metrics());
        let mut families = Vec::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap();
                assert!(["counter", "gauge", "summary"].contains(&kind), "{line}");
                assert!(!families.contains(&name), "{name} twice");
                families.push(name);
                continue;
            }
            if line.starts_with("# HELP ") {
                continue;
            }
            let (series, value) = line.rsplit_once(' ').unwrap();
            assert!(value.parse::<f64>().is_ok_and(f64::is_finite), "{line}");
            let name = series.split('{').next().unwrap();
            let family = name.trim_end_matches("_sum").trim_end_matches("_count");
            assert!(families.last() == Some(&family), "{line} in {families:?}");
        }
        let of = r#"target="a",workload="mix",operation="GET",role="request""#;
        for line in [
            r#"tenbin_run_info{run="made-up",version="0.1.0"} 1"#,
            "tenbin_slice 2",
            "tenbin_slices 8",
            r#"tenbin_target_active{target="b\"\\\n"} 1"#,
            r#"tenbin_target_cpu_seconds_total{target="a"} 1"#,
            &format!("tenbin_operations_total{{{of}}} 20"),
            &format!("tenbin_body_bytes_total{{{of}}} 200"),
            &format!("tenbin_errors_total{{{of},class=\"status\"}} 2"),
            &format!("tenbin_errors_total{{{of},class=\"timeout\"}} 0"),
            &format!("tenbin_service_seconds_count{{{of}}} 20"),
        ] {
            assert!(text.lines().any(|each| each == line), "{line} in\n{text}");
        }
        // A closed loop has no response times.
        assert!(!text.contains("tenbin_response_seconds{"), "{text}");
    }

    #[test]
    fn only_names_of_this_machine_are_served_on_the_loopback_address() {
        let endpoint = |is_local| Endpoint {
            metrics: Arc::new(Mutex::new(metrics())),
            is_local,
        };
        let status = |is_local, path: &str, host: &str| {
            let request = Request::get(path).header("host", host).body(Bytes::new());
            let response = endpoint(is_local).response(&request.unwrap());
            response.status().to_string()
        };
        assert_eq!(status(true, "/metrics?a=b", "127.0.0.1:9464"), "200 OK");
        assert_eq!(status(true, "/metrics", "rebound.example"), "403 Forbidden");
        assert_eq!(status(false, "/metrics", "load.example:9464"), "200 OK");
        assert_eq!(status(true, "/", "127.0.0.1:9464"), "404 Not Found");
    }
}
