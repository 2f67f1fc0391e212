//! Conversion of a search result into the form of the result document.

use tenbin_result::{Search, SearchLimit, SearchOutcome, SearchProbe};
use tenbin_stats::{MaxRate, Purpose};

use super::{ProbeResult, SearchResult, sentence};
use crate::findings::messages::Messages;

impl SearchResult {
    /// The result in the form of the result document.
    pub(crate) fn document(&self) -> Search {
        let mut found = Search {
            workload: self.workload.clone(),
            target: self.target.clone(),
            slo: self.slo.clone(),
            outcome: match self.found {
                MaxRate::Proven { .. } => SearchOutcome::Proven,
                MaxRate::AtLeast { .. } => SearchOutcome::AtLeast,
                MaxRate::Disproven { .. } => SearchOutcome::Disproven,
                MaxRate::Below { .. } => SearchOutcome::Below,
                MaxRate::Futile { .. } => SearchOutcome::Futile,
                MaxRate::Unknown => SearchOutcome::Unknown,
            },
            rate: self.found.rate(),
            failed: self.found.failed(),
            undecided: self.undecided.clone(),
            missed: self.missed(),
            probes: self.probes.iter().map(probe).collect(),
            trust: self.trust,
            sentence: String::new(),
            data: Some(self.message()),
        };
        found.sentence = Messages::NONE.in_english(&sentence::of_search(&found));
        found
    }
}

fn probe(probe: &ProbeResult) -> SearchProbe {
    let limits = probe.judged.limits.iter().map(|limit| SearchLimit {
        limit: limit.limit.clone(),
        seen: limit.seen.filter(|seen| seen.is_finite()),
        kind: Some(limit.kind),
        kept: limit.kept,
    });
    SearchProbe {
        slice: probe.slice,
        rate: probe.rate,
        proof: probe.purpose == Purpose::Proof,
        seconds: probe.seconds,
        held: probe.judged.held,
        borderline: probe.judged.borderline,
        void: probe.void.is_some(),
        limits: limits.collect(),
        client_busiest_thread: probe.busiest_thread,
    }
}
