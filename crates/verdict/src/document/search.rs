//! What searches have found, for the document.

use tenbin_result::{Search, SearchLimit, SearchOutcome, SearchProbe};

use crate as verdict;
use crate::highest_rate::ProbeResult;
use tenbin_stats::{HighestRate, Purpose};

pub(super) fn searches(assessment: &verdict::Assessment) -> Vec<Search> {
    assessment.searches.iter().map(search).collect()
}

fn search(found: &verdict::SearchResult) -> Search {
    Search {
        workload: found.workload.clone(),
        target: found.target.clone(),
        slo: found.slo.clone(),
        outcome: match found.found {
            HighestRate::Proven { .. } => SearchOutcome::Proven,
            HighestRate::AtLeast { .. } => SearchOutcome::AtLeast,
            HighestRate::Disproven { .. } => SearchOutcome::Disproven,
            HighestRate::Below { .. } => SearchOutcome::Below,
            HighestRate::Futile { .. } => SearchOutcome::Futile,
            HighestRate::Unknown => SearchOutcome::Unknown,
        },
        rate: found.found.rate(),
        failed: found.found.failed(),
        undecided: found.undecided.clone(),
        missed: found.missed(),
        probes: found.probes.iter().map(probe).collect(),
        trust: found.trust,
        sentence: found.sentence(),
    }
}

fn probe(probe: &ProbeResult) -> SearchProbe {
    let limits = probe.judged.limits.iter().map(|limit| SearchLimit {
        limit: limit.limit.clone(),
        seen: limit.seen.filter(|seen| seen.is_finite()),
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
