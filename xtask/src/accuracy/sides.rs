//! The data of both sides: the log of the ground-truth server, and the files that Tenbin wrote to
//! the run directory. This module uses no code of Tenbin, so that a bug in Tenbin's reader cannot
//! hide a bug in Tenbin's writer.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use hdrhistogram::Histogram;
use serde_json::Value;

use crate::hlog::histogram;

/// A request as logged by the server; times are nanoseconds since the start of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Served {
    pub(crate) received: u64,
    pub(crate) due: u64,
    pub(crate) answered: u64,
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
    pub(crate) answer: String,
}

/// The log of the server without its first request, which Tenbin sends on a separate connection to
/// check the server before the workload.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) served: Vec<Served>,
    /// Number of accepted connections, with or without requests.
    pub(crate) accepted: u64,
}

impl Log {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)?;
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut served = lines.map(request).collect::<Result<Vec<_>>>()?;
        // The log is ordered by response; the first request is the request with the lowest number.
        let first = served.iter().map(|one| one.0).min();
        served.retain(|one| Some(one.0) != first);
        let accepted = text
            .lines()
            .find_map(|line| line.strip_prefix("# connections ")?.parse::<u64>().ok())
            .context("the log does not say how many connections there were")?;
        Ok(Self {
            served: served.into_iter().map(|(_, one)| one).collect(),
            accepted: accepted.saturating_sub(1),
        })
    }
}

/// Parses a line of the log; returns the request number and the request.
fn request(line: &str) -> Result<(u64, Served)> {
    let fields: Vec<&str> = line.split(' ').collect();
    ensure!(fields.len() == 8, "this is no line of the log: {line:?}");
    let number = |at: usize| {
        fields[at]
            .parse::<u64>()
            .with_context(|| format!("no number in {line:?}"))
    };
    let served = Served {
        received: number(2)?,
        due: number(3)?,
        answered: number(4)?,
        bytes_in: number(5)?,
        bytes_out: number(6)?,
        answer: fields[7].to_owned(),
    };
    Ok((number(0)?, served))
}

/// The number of due but unsent requests at one time of the window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Backlog {
    /// Seconds after the window opened.
    pub(crate) at: f64,
    pub(crate) waiting: f64,
}

/// The figures that Tenbin recorded for one slice.
pub(crate) struct Recorded {
    /// Response times, nanoseconds; empty in a closed loop.
    pub(crate) response: Histogram<u64>,
    /// Service times, nanoseconds.
    pub(crate) service: Histogram<u64>,
    /// Send lag, nanoseconds; empty in a closed loop.
    pub(crate) lag: Histogram<u64>,
    /// Times to failure, nanoseconds.
    pub(crate) failed: Histogram<u64>,
    /// Number of correct responses inside the window.
    pub(crate) ok: u64,
    /// Failures by class.
    pub(crate) errors: BTreeMap<String, u64>,
    pub(crate) censored: u64,
    /// Bytes of requests with a response inside the window.
    pub(crate) sent: u64,
    pub(crate) received: u64,
    /// Number of opened connections.
    pub(crate) opened: u64,
    /// Length of the window, seconds.
    pub(crate) seconds: f64,
    /// Backlog at the end of every second of the window.
    pub(crate) backlog: Vec<Backlog>,
    /// Throughput in the result document, responses per second.
    pub(crate) throughput: f64,
}

impl Recorded {
    /// Reads the only run in the directory `out`; the run must have one slice.
    pub(crate) fn read(out: &Path) -> Result<Self> {
        let mut runs = std::fs::read_dir(out)?;
        let run = runs.next().context("no run was kept")??.path();
        let text = |name: &str| {
            std::fs::read_to_string(run.join(name)).with_context(|| format!("cannot read {name}"))
        };
        let hlog = text("latency.hlog")?;
        let result: Value = serde_json::from_str(&text("result.json")?)?;
        let mut recorded = Self {
            response: histogram(&hlog, "response")?,
            service: histogram(&hlog, "service")?,
            lag: histogram(&hlog, "lag")?,
            failed: histogram(&hlog, "failed")?,
            ok: 0,
            errors: BTreeMap::new(),
            censored: 0,
            sent: 0,
            received: 0,
            opened: 0,
            seconds: 0.0,
            backlog: Vec::new(),
            throughput: result["slices"][0]["throughput"]
                .as_f64()
                .context("no throughput in result.json")?,
        };
        for line in text("intervals.jsonl")?.lines() {
            recorded.add(&serde_json::from_str(line)?)?;
        }
        Ok(recorded)
    }

    fn add(&mut self, line: &Value) -> Result<()> {
        let count = |value: &Value| value.as_u64().context("a count is missing");
        match line["kind"].as_str() {
            Some("operation") => {
                self.ok += count(&line["ok"])?;
                self.censored += count(&line["censored"])?;
                self.sent += count(&line["sent"])?;
                self.received += count(&line["received"])?;
                for (class, number) in line["errors"].as_object().context("no errors")? {
                    *self.errors.entry(class.clone()).or_default() += count(number)?;
                }
            }
            Some("second") => {
                self.opened += count(&line["ledger"]["opened"])?;
                let threads = line["threads"].as_array().context("no threads")?;
                if line["drain"] == false {
                    let ends = threads.iter().filter_map(|one| one["end_ns"].as_f64());
                    let waiting = threads.iter().filter_map(|one| one["backlog"].as_f64());
                    self.backlog.push(Backlog {
                        at: ends.fold(0.0, f64::max) / 1e9,
                        waiting: waiting.sum(),
                    });
                }
            }
            Some("end") => {
                self.seconds = line["seconds"].as_f64().context("no length")?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Number of operations due in the window that ended with a response or a failure at any time.
    pub(crate) fn known(&self) -> u64 {
        self.service.len() + self.failures()
    }

    pub(crate) fn failures(&self) -> u64 {
        self.errors.values().sum()
    }

    pub(crate) fn errors_of(&self, class: &str) -> u64 {
        self.errors.get(class).copied().unwrap_or(0)
    }

    /// Quantile of the response times in milliseconds, with failures included. The time to a
    /// timeout is a lower bound of the response time.
    pub(crate) fn at_least(&self, q: f64) -> Result<f64> {
        let mut all = self.response.clone();
        all.add(&self.failed)?;
        Ok(all.value_at_quantile(q) as f64 / 1e6)
    }
}
