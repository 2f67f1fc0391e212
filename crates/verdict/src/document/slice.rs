//! Converts slices into their form in the result document.

use std::collections::BTreeMap;

use tenbin_plan::Plan;
use tenbin_record::Slice;
use tenbin_result::{SecondErrors, SliceFigures};

use crate::assessment::Assessment;
use crate::figures::latency;
use crate::server::stored;

/// The names of the tests that flag each slice, by the position of the slice in the run.
pub(super) fn flags_by_slice(assessment: &Assessment) -> BTreeMap<u32, Vec<String>> {
    let mut by_slice: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for flag in &assessment.flags {
        let mine = by_slice.entry(flag.slice).or_default();
        mine.push(flag.test.to_owned());
    }
    by_slice
}

pub(super) fn figures(
    plan: &Plan,
    slice: &Slice,
    flags: &BTreeMap<u32, Vec<String>>,
) -> SliceFigures {
    let quantile = |q| quantile_of(slice, q);
    let mut workloads = plan.workloads.iter();
    let workload = workloads.find(|workload| workload.name == slice.workload);
    let allocated = slice.end.allocated;
    let server = slice.server();
    SliceFigures {
        index: slice.index,
        block: slice.block,
        round: slice.round,
        workload: slice.workload.clone(),
        target: slice.target.clone(),
        offered: slice.probe.map(|probe| probe.rate),
        start: Some(slice.start),
        seconds: Some(slice.end.seconds),
        cut_short: slice.end.cut_short,
        ok: Some(slice.ok()),
        backlog: Some(slice.backlog),
        failed: Some(slice.failed()),
        throughput: slice.throughput(),
        p50: quantile(0.5),
        p99: quantile(0.99),
        max: max_of(slice),
        pause_start: slice.pause.map(|pause| pause.start),
        pause_seconds: slice.pause.map(|pause| pause.seconds),
        mean: mean_of(slice),
        payload_bytes: Some(slice.work().map(|op| op.counts.payload).sum()),
        server_cpu: server.and_then(|server| server.cpu_seconds),
        server_rss_bytes: server.and_then(|server| server.rss_bytes),
        server_written_bytes: server.and_then(|server| server.written_bytes),
        server: slice.end.server.clone(),
        machine: slice.end.machine.clone(),
        wire: slice.end.wire.clone(),
        stored_bytes: workload.and_then(|work| stored::bytes(&work.kind, slice)),
        client_cpu: Some(slice.client.cpu_seconds),
        client_allocated_bytes: allocated.map(|allocated| allocated.bytes),
        client_allocations: allocated.map(|allocated| allocated.count),
        client_busiest_thread: Some(slice.client.busiest_thread),
        cache_forecast: slice.end.cache.and_then(|cache| cache.forecast()),
        cache_hits: slice.end.cache.and_then(|cache| cache.observed()),
        segment: slice.end.segment.clone(),
        errors: errors(slice),
        flags: flags.get(&slice.index).cloned().unwrap_or_default(),
    }
}

fn errors(slice: &Slice) -> Vec<SecondErrors> {
    let by_second = slice.failed_in.iter();
    let by_second = by_second.map(|(second, by_class)| SecondErrors {
        second: *second,
        by_class: by_class
            .iter()
            .map(|(class, count)| (class.name().to_owned(), *count))
            .collect(),
    });
    by_second.collect()
}

/// The quantile `q` of the response time of the operations that count towards throughput, seconds;
/// `None` with too few samples.
fn quantile_of(slice: &Slice, q: f64) -> Option<f64> {
    latency::quantile_of(&[slice], q, |op| &op.times.response, &|op| {
        op.role.is_work()
    })
}

/// The maximum response time of the operations that count towards throughput, seconds; `None` if
/// none succeeded.
fn max_of(slice: &Slice) -> Option<f64> {
    let filled = slice.work().map(|op| &op.times.response);
    let nanos = filled.filter(|h| !h.is_empty()).map(|h| h.max()).max()?;
    Some(nanos as f64 / 1e9)
}

/// The mean service time of the operations that count towards throughput, seconds; `None` if none
/// succeeded.
fn mean_of(slice: &Slice) -> Option<f64> {
    let times = || slice.work().map(|op| &op.times.service);
    let answers: u64 = times().map(|h| h.len()).sum();
    let filled = times().filter(|h| !h.is_empty());
    let nanos: f64 = filled.map(|h| h.mean() * h.len() as f64).sum();
    (answers > 0).then(|| nanos / answers as f64 / 1e9)
}
