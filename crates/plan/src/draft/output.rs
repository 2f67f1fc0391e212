//! The keys of `[output]`.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use url::Url;

use crate::keys::form::Kind;
use crate::keys::page::Page;
use crate::keys::row::{Flag, Takes, text};
use crate::keys::scalar::{List, Scalar};
use crate::keys::section::section;
use crate::keys::value::Reading;
use crate::{Sentence, sentence};

section! {
    /// `[output]`.
    pub struct OutputDraft("in [output]", "a table such as [output]") {
        /// further files that the run writes at its end, each `"FORMAT"` or `"FORMAT=FILE"`, such
        /// as `["csv", "junit=result.xml"]`. [formats.md](formats.md) lists the formats. Without a
        /// file name, the file is written into the run directory. `--export` adds files to this
        /// list
        export: List => Vec<String>, read_in export = text("list of formats").synonyms(&["exports"]);
        /// note kept with the result, and printed before the answer: up to 500 characters
        note: Scalar => Option<String>, read note = text("text").flag(Flag::text(
            "--note",
            "TEXT",
            "Note kept with the result and printed before the answer, for example what was changed \
             since the last run; up to 500 characters",
        ));
        /// serve a page with the figures of every second while the run lasts, on 127.0.0.1 only. A
        /// number is the port. The address with its token is printed: [live.md](live.md)
        live: Scalar, shown live = text("`true`, `false` or a port, 1 to 65,535").kinds(&[
            Kind::Switch,
            Kind::Whole { least: 1, most: 65_535 },
            Kind::Pattern("^(true|[0-9]+)$"),
        ]).default_rule("`false`").flag(Flag::of(
            "--live",
            Takes::Optional("PORT", "true"),
            "Serve a live page with the figures of every second during the run, on 127.0.0.1 \
             only. Tenbin prints the URL, which contains a secret token",
        ).default("no page; without PORT, a free port"));
        /// serve operation counters and latency percentiles since the start of the run to a
        /// Prometheus server, at `/metrics` on this port of 127.0.0.1, or on this address, while
        /// the run lasts: [live.md](live.md#prometheus)
        prometheus: Scalar => Option<SocketAddr>, read address = text("port, or `\"ADDRESS:PORT\"`").kinds(&[
            Kind::Whole { least: 0, most: 65_535 },
            Kind::Text,
        ]).flag(Flag::text(
            "--prometheus",
            "ADDRESS",
            "Serve metrics for Prometheus during the run, at the path /metrics (operation \
             counters and latency percentiles since the start). ADDRESS is a port of 127.0.0.1, \
             such as 9464, or an IP address with a port, such as 0.0.0.0:9464",
        ));
        /// log every measured request in this file, whose name ends with `.csv.zst`, in the columns of
        /// warp's lists of requests, at most 10,000,000 requests:
        /// [run-directory.md](run-directory.md#log-of-requests). With several workloads or targets,
        /// each has a file, with the names before `.csv.zst`
        ops_log: Scalar => Option<PathBuf>, read_in ops_log = text("file name ending with `.csv.zst`").kinds(&[Kind::Pattern(r"[^/]\.csv\.zst$")]).flag(Flag::text(
            "--ops-log",
            "FILE.csv.zst",
            "Log every measured request in this file, at most 10,000,000 requests, in the columns \
             of warp's lists of requests; with several workloads or targets, in one file for each",
        ));
        /// send operation counters and latency histograms since the start of the run to this
        /// OpenTelemetry collector, by OTLP over HTTP, every 5 s and at the end of the run:
        /// [live.md](live.md#opentelemetry)
        otlp: Scalar => Option<String>, read collector = text("URL").flag(Flag::text(
            "--otlp",
            "URL",
            "Send metrics to this OpenTelemetry collector during the run (operation counters \
             and latency histograms since the start), by OTLP over HTTP, every 5s and at the \
             end, for example http://127.0.0.1:4318",
        ));
    }
    stored {
        /// What a run writes and serves in addition to its run directory.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Output {
            /// Port of the live page; 0 for a free port. `None` for no page.
            pub live: Option<u16> = None,
        }
    }
}

/// Reads a format, or a format with its file. Relative paths start at the plan's directory.
fn export(scalar: &Scalar, reading: &Reading<'_>) -> Result<String, Sentence> {
    let text = scalar.text()?;
    match text.split_once('=') {
        Some(("", _)) | None if text.trim().is_empty() || text.starts_with('=') => Err(sentence!(
            "export-no-name",
            "write the name of a format, for example \"csv\""
        )),
        Some((format, "-")) => Err(sentence!(
            "stdout-in-plan",
            "only the command line can send a format to standard output: --export {format}=-",
            format
        )),
        Some((_, "")) => Err(sentence!(
            "export-no-file",
            "{text:?} names no file; write {text}FILE",
            text
        )),
        Some((format, file)) => Ok(format!(
            "{format}={}",
            reading.directory.join(file).display()
        )),
        None => Ok(text.to_owned()),
    }
}

/// Reads the file of a log. A relative path starts at the plan's directory.
fn ops_log(scalar: &Scalar, reading: &Reading<'_>) -> Result<PathBuf, Sentence> {
    let text = scalar.text()?;
    let name = text.rsplit('/').next().unwrap_or_default();
    match name.strip_suffix(".csv.zst") {
        Some(stem) if !stem.is_empty() => Ok(reading.directory.join(text)),
        _ => Err(sentence!(
            "ops-log-name",
            "{text:?} does not end with a name such as ops.csv.zst",
            text
        )),
    }
}

/// Reads a note.
fn note(scalar: &Scalar) -> Result<String, Sentence> {
    checked_note(scalar.text()?)
}

/// A note without spaces around it: one line of at most 500 characters.
///
/// # Errors
/// What it must be, if it is something else.
pub fn checked_note(text: &str) -> Result<String, Sentence> {
    let text = text.trim();
    let length = text.chars().count();
    if (1..=500).contains(&length) && !text.contains(char::is_control) {
        Ok(text.to_owned())
    } else {
        Err(sentence!(
            "note-text",
            "must be one line of 1 to 500 printable characters"
        ))
    }
}

fn live(output: &Output, page: &mut Page) {
    match output.live {
        None => {}
        Some(0) => page.key(&OutputDraft::live, true),
        Some(port) => page.key(&OutputDraft::live, port),
    }
}

/// Reads an address to listen on; 127.0.0.1 if only the port is given.
fn address(scalar: &Scalar) -> Result<SocketAddr, Sentence> {
    let text = match scalar {
        Scalar::Text(text) => text.clone(),
        other => other.to_string(),
    };
    let port = text.trim_start_matches(':').parse::<u16>();
    let own = port.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    own.ok().or_else(|| text.parse().ok()).ok_or_else(|| {
        sentence!(
            "no-listen-address",
            "{text:?} is not a port and not an address such as 127.0.0.1:9464",
            text
        )
    })
}

/// The path at which collectors receive metrics.
const METRICS: &str = "/v1/metrics";

/// Reads the URL of a collector, and appends [`METRICS`] unless the URL already ends with that
/// path.
fn collector(scalar: &Scalar) -> Result<String, Sentence> {
    let text = scalar.text()?;
    let hint = sentence!(
        "collector-example",
        "write for example http://127.0.0.1:4318"
    );
    let mut url = Url::parse(text)
        .map_err(|error| sentence!("not-a-url", "not a URL ({error}); {hint}", error, hint))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(sentence!(
            "not-http",
            "the URL is neither http:// nor https://; {hint}",
            hint
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(sentence!(
            "url-with-password",
            "the URL contains a user or a password, which plan.toml would show"
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(sentence!(
            "url-with-query",
            "the URL contains a query or a fragment; {hint}",
            hint
        ));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    if path.ends_with(METRICS) {
        url.set_path(&path)
    } else {
        url.set_path(&format!("{path}{METRICS}"))
    }
    Ok(url.to_string())
}
