//! The table of formats.

use tenbin_result::Document;

use super::ci::{bmf, code_quality, github, influx, junit};
use super::format::Format;
use super::http::{ab, autocannon, bombardier, fortio, h2load, hey, oha, vegeta, wrk};
use super::load_tests::{artillery, gatling, jmeter, k6, locust};
use super::programs::{go, hyperfine, pgbench, sysbench};
use super::search::{drnbench, rally};
use super::storage::{blobstore_bench, elbencho, fio, hsbench, warp};
use super::{hdr, own};

/// Every format. Options, help, documentation and tests are generated from this table.
pub const FORMATS: &[&Format] = &[
    &own::document::FORMAT,
    &own::summary::FORMAT,
    &own::html::FORMAT,
    &own::charts::FOREST,
    &own::charts::PERCENTILE_RATIOS,
    &own::charts::QUADS,
    &own::charts::PERCENTILES,
    &own::charts::TIMELINE,
    &own::charts::ERRORS,
    &own::charts::MATRIX,
    &own::charts::COST_AND_SPEED,
    &own::charts::SERVER_STAGES,
    &go::FORMAT,
    &hyperfine::FORMAT,
    &go::JSON,
    &own::slices::CSV,
    &own::slices::TSV,
    &own::seconds::CSV,
    &own::seconds::TSV,
    &hdr::LOG,
    &hdr::DISTRIBUTION,
    &influx::FORMAT,
    &bmf::FORMAT,
    &github::SUMMARY,
    &github::COMMENT,
    &github::BIGGER,
    &github::SMALLER,
    &junit::FORMAT,
    &code_quality::FORMAT,
    &own::concurrency_sweep::TABLE,
    &own::concurrency_sweep::THROUGHPUT,
    &own::concurrency_sweep::LATENCY,
    &warp::TEXT,
    &warp::REQUESTS,
    &warp::SUMS,
    &fio::FORMAT,
    &pgbench::FORMAT,
    &sysbench::FORMAT,
    &hsbench::LINES,
    &hsbench::CSV,
    &hsbench::JSON,
    &blobstore_bench::FORMAT,
    &elbencho::CSV,
    &elbencho::JSON,
    &drnbench::FORMAT,
    &wrk::FORMAT,
    &ab::FORMAT,
    &ab::PERCENTAGES,
    &ab::REQUESTS,
    &oha::FORMAT,
    &h2load::FORMAT,
    &bombardier::TEXT,
    &bombardier::JSON,
    &autocannon::FORMAT,
    &hey::TEXT,
    &hey::REQUESTS,
    &vegeta::TEXT,
    &vegeta::JSON,
    &vegeta::REQUESTS,
    &vegeta::CSV,
    &vegeta::LINES,
    &vegeta::PLOT,
    &vegeta::BUCKETS,
    &k6::TEXT,
    &k6::JSON,
    &artillery::FORMAT,
    &k6::STREAM,
    &k6::CSV,
    &jmeter::CSV,
    &jmeter::XML,
    &gatling::LOG,
    &locust::STATS,
    &locust::HISTORY,
    &gatling::TEXT,
    &gatling::JSON,
    &fortio::FORMAT,
    &rally::SUMMARY,
    &rally::JSON,
];

/// The format with this name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

/// The formats that can be written.
pub fn written() -> impl Iterator<Item = &'static Format> {
    let all = FORMATS.iter().copied();
    all.filter(|format| format.write.is_some())
}

/// The formats that write a file into every run directory, as far as the document has the necessary
/// data.
pub fn kept(document: &Document) -> impl Iterator<Item = &'static Format> {
    written().filter(|format| format.kept && format.lacks(document).is_none())
}
