//! The packages of Go's benchmarks, which two files may name.

use std::collections::BTreeSet;

use tenbin_verdict::Series;

use super::Results;
use crate::formats::programs::go::read::in_package;

/// Both sides with the package in the names of their benchmarks, if they have benchmarks of more than
/// one package.
pub(super) fn named(before: &Results, after: &Results) -> Option<(Results, Results)> {
    let series = before.series.iter().chain(&after.series);
    let packages: BTreeSet<&str> = series.filter_map(|each| each.package.as_deref()).collect();
    let renamed = |side: &Results| Results {
        series: side.series.iter().map(in_its_package).collect(),
        ..side.clone()
    };
    (packages.len() > 1).then(|| (renamed(before), renamed(after)))
}

fn in_its_package(series: &Series) -> Series {
    let workload = match &series.package {
        Some(package) => in_package(package, &series.workload),
        None => series.workload.clone(),
    };
    Series {
        workload,
        ..series.clone()
    }
}
