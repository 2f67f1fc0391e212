//! Statistics of the responses of one target.

use std::collections::BTreeMap;

use tenbin_record::ExpectedResponse;

use crate::cell::Cell;

/// Statistics of a target's responses over all slices of a workload.
pub(super) struct TargetResponses<'a> {
    pub(super) target: &'a str,
    /// Mean body size of a correct response, bytes. Unknown for runs of older versions in which
    /// requests also have bodies.
    pub(super) body: Option<f64>,
    /// Number of correct responses.
    pub(super) responses: u64,
    /// Share of each status among the responses with a status below 400.
    pub(super) statuses: BTreeMap<u16, f64>,
    /// The responses before the run; unknown in runs of older versions.
    pub(super) expected: Option<&'a ExpectedResponse>,
}

impl<'a> TargetResponses<'a> {
    /// The figures of all slices of `cell`; `None` without a correct response.
    pub(super) fn new(
        cell: &Cell<'a>,
        sends_bodies: bool,
        expected: Option<&'a ExpectedResponse>,
    ) -> Option<Self> {
        let requests = || cell.slices.iter().flat_map(|slice| slice.requests());
        let ok: u64 = requests().map(|op| op.counts.ok).sum();
        let bytes = requests()
            .filter(|op| op.counts.ok > 0)
            .map(|op| op.answered.or((!sends_bodies).then_some(op.counts.payload)))
            .sum::<Option<u64>>();
        let mut statuses: BTreeMap<u16, f64> = BTreeMap::new();
        for (status, count) in requests().flat_map(|op| &op.statuses) {
            *statuses.entry(*status).or_default() += *count as f64;
        }
        // The rule `errors` reports failures.
        statuses.retain(|status, _| *status < 400);
        let all: f64 = statuses.values().sum();
        statuses.values_mut().for_each(|share| *share /= all);
        (ok > 0).then(|| Self {
            target: &cell.target.name,
            body: bytes.map(|bytes| bytes as f64 / ok as f64),
            responses: ok,
            statuses,
            expected,
        })
    }
}
