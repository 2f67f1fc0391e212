//! The table of formats.

use tenbin_result::Document;

use super::format::Format;
use super::{
    ab, blobstore_bench, bmf, drnbench, fortio, github, go, h2load, hdr, hey, hsbench, influx,
    junit, k6, oha, own, vegeta, warp, wrk,
};

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
    &own::slices::CSV,
    &own::slices::TSV,
    &own::seconds::CSV,
    &own::seconds::TSV,
    &hdr::LOG,
    &hdr::DISTRIBUTION,
    &influx::FORMAT,
    &bmf::FORMAT,
    &github::BIGGER,
    &github::SMALLER,
    &junit::FORMAT,
    &own::concurrency_sweep::TABLE,
    &own::concurrency_sweep::THROUGHPUT,
    &own::concurrency_sweep::LATENCY,
    &warp::TEXT,
    &warp::REQUESTS,
    &warp::SUMS,
    &hsbench::LINES,
    &hsbench::CSV,
    &hsbench::JSON,
    &blobstore_bench::FORMAT,
    &drnbench::FORMAT,
    &wrk::FORMAT,
    &ab::FORMAT,
    &ab::PERCENTAGES,
    &ab::REQUESTS,
    &oha::FORMAT,
    &h2load::FORMAT,
    &hey::FORMAT,
    &vegeta::TEXT,
    &vegeta::JSON,
    &vegeta::REQUESTS,
    &k6::TEXT,
    &k6::JSON,
    &fortio::FORMAT,
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
