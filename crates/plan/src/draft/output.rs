//! The keys of `[output]`.

use crate::key::{Flag, Takes, section, text};
use crate::scalar::{List, Scalar};

section! {
    /// `[output]`.
    pub struct OutputDraft("in [output]", "a table such as [output]") {
        /// further files that the run writes at its end, each `"FORMAT"` or `"FORMAT=FILE"`, such
        /// as `["csv", "junit=result.xml"]`. [formats.md](formats.md) lists the formats. Without a
        /// file name, the file is written into the run directory. `--export` adds files to this
        /// list
        export: List = text("list of formats").synonyms(&["exports"]);
        /// serve a page with the figures of every second while the run lasts, on 127.0.0.1 only. A
        /// number is the port. The address with its token is printed: [live.md](live.md)
        live: Scalar = text("`true`, `false` or a port, 1 to 65,535").default_rule("`false`").flag(Flag::of(
            "--live",
            Takes::Optional("PORT", "true"),
            "Serve a live page with the figures of every second during the run, on 127.0.0.1 \
             only. Tenbin prints the URL, which contains a secret token",
        ).default("no page; without PORT, a free port"));
        /// serve operation counters and latency percentiles since the start of the run to a
        /// Prometheus server, at `/metrics` on this port of 127.0.0.1, or on this address, while
        /// the run lasts: [live.md](live.md#prometheus)
        prometheus: Scalar = text("port, or `\"ADDRESS:PORT\"`").flag(Flag::text(
            "--prometheus",
            "ADDRESS",
            "Serve metrics for Prometheus during the run, at the path /metrics (operation \
             counters and latency percentiles since the start). ADDRESS is a port of 127.0.0.1, \
             such as 9464, or an IP address with a port, such as 0.0.0.0:9464",
        ));
        /// send operation counters and latency histograms since the start of the run to this
        /// OpenTelemetry collector, by OTLP over HTTP, every 5 s and at the end of the run:
        /// [live.md](live.md#opentelemetry)
        otlp: Scalar = text("URL").flag(Flag::text(
            "--otlp",
            "URL",
            "Send metrics to this OpenTelemetry collector during the run (operation counters \
             and latency histograms since the start), by OTLP over HTTP, every 5s and at the \
             end, for example http://127.0.0.1:4318",
        ));
    }
}
