//! Telemetry of a running experiment: the live page, the Prometheus endpoint and the OTLP export.
//!
//! Progress events arrive on the main thread, which never waits for a reader. HTTP servers and
//! clients have separate threads. The load generator threads do no telemetry work.

mod live;
mod metrics;
mod otlp;
mod prometheus;
mod ratios;
mod seconds;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tenbin_http::server::ServerOptions;
use tenbin_plan::{Plan, Sentence, sentence};
use tenbin_runner::Progress;
use tenbin_verdict::InterimRatio;

use self::live::Live;
use self::metrics::Metrics;
use self::otlp::Push;
use self::prometheus::Scrape;

/// How the live page and the metrics are served.
const SERVED: ServerOptions = ServerOptions {
    name: "telemetry",
    tls: None,
    request_timeout: Duration::from_secs(5),
    write_timeout: Duration::from_secs(2),
    keep_alive: false,
    largest_body: 0,
    slow: false,
};

/// All telemetry outputs of a run.
#[derive(Debug)]
pub(crate) struct Telemetry {
    live: Option<Live>,
    prometheus: Option<Scrape>,
    otlp: Option<Push>,
    /// Updated only if `prometheus` or `otlp` is on.
    metrics: Arc<Mutex<Metrics>>,
}

impl Telemetry {
    /// Starts the telemetry outputs that the plan enables.
    ///
    /// # Errors
    /// One sentence, if a port cannot be listened on, or a URL cannot be used.
    pub(crate) fn start(plan: &Plan) -> Result<Self, Sentence> {
        let output = &plan.output;
        let live = output.live.map(|port| {
            Live::start(port, plan).map_err(|error| {
                sentence!(
                    "live-cannot-listen",
                    "--live: cannot listen on 127.0.0.1:{port}: {error}; choose another port, or \
                     --live without a port for a free one",
                    port,
                    error
                )
            })
        });
        let metrics = Arc::new(Mutex::new(Metrics::new(plan)));
        let prometheus = output.prometheus.map(|address| {
            Scrape::start(address, Arc::clone(&metrics)).map_err(|error| {
                sentence!(
                    "prometheus-cannot-listen",
                    "--prometheus: cannot listen on {address}: {error}; choose another port",
                    address,
                    error
                )
            })
        });
        let otlp = output.otlp.as_ref().map(|url| {
            Push::start(url, Arc::clone(&metrics))
                .map_err(|why| sentence!("otlp-failed", "--otlp: {why}", why))
        });
        Ok(Self {
            live: live.transpose()?,
            prometheus: prometheus.transpose()?,
            otlp: otlp.transpose()?,
            metrics,
        })
    }

    /// The addresses to print before the run, one line each.
    pub(crate) fn announcements(&self) -> Vec<Sentence> {
        let live = self.live.as_ref();
        let live = live.map(|live| sentence!("live-page", "live page: {url}", url = live.url()));
        let prometheus = self.prometheus.as_ref();
        let prometheus =
            prometheus.map(|it| sentence!("metrics-page", "metrics: {url}", url = it.url()));
        live.into_iter().chain(prometheus).collect()
    }

    /// Sends a progress event to all readers. Returns a warning if an OTLP export has failed.
    pub(crate) fn observe(&mut self, progress: &Progress<'_>) -> Option<Sentence> {
        if let Some(live) = &mut self.live {
            live.observe(progress);
        }
        if self.prometheus.is_some() || self.otlp.is_some() {
            let metrics = self.metrics.lock();
            let mut metrics = metrics.unwrap_or_else(PoisonError::into_inner);
            metrics.observe(progress);
        }
        self.otlp.as_ref().and_then(Push::failure)
    }

    /// Sends the ratios after a block of rounds to the viewers of the live page.
    pub(crate) fn ratios(&mut self, ratios: &[InterimRatio]) {
        if let Some(live) = &mut self.live {
            live.ratios(ratios);
        }
    }

    /// Ends all outputs after the report was written to `directory`. Returns a warning if an OTLP
    /// export has failed.
    pub(crate) fn finish(self, directory: &Path) -> Option<Sentence> {
        let warning = self.otlp.and_then(Push::finish);
        if let Some(live) = self.live {
            live.finish(directory.join("report.html"));
        }
        warning
    }
}
