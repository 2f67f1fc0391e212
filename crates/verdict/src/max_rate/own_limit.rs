//! Searches that ended at a limit of Tenbin, not of the target.

use tenbin_result::{Finding, Message, Severity, Value, message};

use super::{ProbeResult, SearchResult};

/// Name of the rule that says how a search ended.
pub(crate) const RULE_NAME: &str = "highest_rate";

/// Id of the claim of a search that ended at a limit of Tenbin. The claim is only a lower bound and
/// names the limit, so that it holds for a search that is SUSPECT for this reason alone.
const CLAIM: &str = "search-own-limit";
/// Id of such a claim if findings doubt the search for another reason, too.
const DOUBTED_CLAIM: &str = "search-lower-bound";

/// Share of a core above which a busy load generator thread may have caused missed limits.
const BUSY_GENERATOR: f64 = 0.9;
/// Largest median service time of a probe that counts as fast, as a multiple of the lowest median
/// among all probes of the search.
const AS_QUICK: f64 = 1.5;

/// What Tenbin had too little of at the lowest rate that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnLimit {
    /// CPU time of a load generator thread.
    Generator,
    /// Connections to the target.
    Connections,
}

impl OwnLimit {
    fn word(self) -> Value {
        match self {
            Self::Generator => Value::word("generator"),
            Self::Connections => Value::word("connections"),
        }
    }
}

impl SearchResult {
    /// The limit of Tenbin that may have caused the missed limits at the lowest rate that failed;
    /// `None` if nothing but the target explains them.
    pub(crate) fn own_limit(&self) -> Option<OwnLimit> {
        let limiting = self.limiting()?;
        if limiting.busiest_thread > BUSY_GENERATOR {
            Some(OwnLimit::Generator)
        } else {
            self.waited_for_connections(limiting)
                .then_some(OwnLimit::Connections)
        }
    }

    /// Whether requests of a probe waited for a free connection while the target was as fast as in
    /// other probes, also in its slowest responses.
    fn waited_for_connections(&self, probe: &ProbeResult) -> bool {
        let quickest = self.probes.iter().filter_map(|probe| probe.service);
        let Some(quickest) = quickest.reduce(f64::min) else {
            return false;
        };
        let as_quick = |service: f64| service < quickest * AS_QUICK;
        let waited = probe.lag.is_some_and(|lag| lag > quickest);
        // During a pause of the target, requests wait because of the pause.
        let paused = match (probe.slowest_service, probe.lag) {
            (Some(slowest), Some(lag)) => slowest >= lag / 2.0,
            _ => false,
        };
        probe.service.is_some_and(as_quick) && waited && !paused
    }

    /// `a sustains at least 785/s at get within p99<10ms; at 800/s all 8 connections were in use → use
    /// more --connections`. `None` if no rate held or the search ended at the limit of the target.
    pub(super) fn lower_bound(&self) -> Option<Message> {
        let limit = self.own_limit()?;
        let (rate, limiting) = self.found.rate().zip(self.limiting())?;
        Some(
            Message::new(CLAIM)
                .with("target", &self.target)
                .with("workload", &self.workload)
                .with("slo", &self.slo)
                .with("rate", Value::ExactRate(rate))
                .with("failed", Value::ExactRate(limiting.rate))
                .with("limit", limit.word())
                .with("connections", self.connections)
                .with("busy", Value::Share(limiting.busiest_thread)),
        )
    }
}

/// The clause on a queue of requests that grew. The target is named as the cause only if Tenbin is
/// not.
pub(super) fn fell_behind(limit: Option<OwnLimit>) -> Message {
    match limit {
        None => message!("search-lagged"),
        Some(OwnLimit::Generator | OwnLimit::Connections) => message!("search-behind"),
    }
}

/// Whether the sentence of a search names the limit of Tenbin, which is all that is suspect about
/// the search.
pub(super) fn names_its_limit(claim: &Message) -> bool {
    claim.id == CLAIM
}

/// Whether the result is a lower bound that names a limit of Tenbin, also with another doubt.
pub(super) fn is_lower_bound(result: &Message) -> bool {
    names_its_limit(result) || result.id == DOUBTED_CLAIM
}

/// Whether findings doubt a search for another reason than how the search ended.
pub(super) fn are_about_more<'f>(mut findings: impl Iterator<Item = &'f Finding>) -> bool {
    findings.any(|finding| finding.severity != Severity::Note && finding.rule != RULE_NAME)
}

#[cfg(test)]
mod tests {
    use super::super::search_results;
    use super::super::tests::searched;
    use super::*;
    use crate::testing::Run;

    /// A search in which requests waited for a free connection at each rate that failed.
    fn few_connections() -> Run {
        let mut run = searched(&[("a", 1_000.0)]);
        run.each(|slice| {
            let op = &mut slice.0.ops[0];
            if op.times.response.max() > 40_000_000 {
                op.times.service.clear();
                op.times.service.record_n(2_000_000, 1_000).unwrap();
                op.times.lag.record_n(48_000_000, 1_000).unwrap();
                slice.backlog(5_000);
            }
        });
        run
    }

    #[test]
    fn connections_that_are_all_in_use_are_named_and_the_target_is_not_the_cause() {
        let run = few_connections();
        let search = search_results(&run.plan, &run.slices).remove(0).document();
        let sentence = &search.sentence;
        assert!(sentence.starts_with("a sustains at least 9"), "{sentence}");
        let cause = "/s all 2 connections were in use → use more --connections";
        assert!(sentence.ends_with(cause), "{sentence}");
        let missed = search.missed.unwrap();
        assert!(
            missed.ends_with("requests fell behind the offered rate"),
            "{missed}"
        );
    }

    #[test]
    fn another_doubt_stays_in_the_sentence() {
        let run = few_connections();
        let mut found = search_results(&run.plan, &run.slices).remove(0);
        let doubt = |rule: &str| Finding {
            rule: rule.to_owned(),
            severity: Severity::Suspect,
            cause: tenbin_result::Cause::Server,
            workload: Some("get".to_owned()),
            target: Some("a".to_owned()),
            evidence: String::new(),
            advice: String::new(),
            data: None,
        };
        found.trust_after(&[doubt(RULE_NAME)]);
        let sentence = found.document().sentence;
        assert!(!sentence.contains("suspect"), "{sentence}");
        found.trust_after(&[doubt(RULE_NAME), doubt("stalls")]);
        let sentence = found.document().sentence;
        assert!(sentence.contains("the numbers are suspect"), "{sentence}");
        assert!(sentence.starts_with("a sustains at least 9"), "{sentence}");
    }

    #[test]
    fn a_busy_load_generator_is_the_limit_and_a_slow_target_is_not_excused() {
        let mut run = searched(&[("a", 1_000.0)]);
        let sentence = |run: &Run| {
            let mut found = search_results(&run.plan, &run.slices);
            found.remove(0).document().sentence
        };
        let proven = sentence(&run);
        assert!(proven.contains("(proven; 10"), "{proven}");
        run.each(|slice| slice.busiest_thread(0.97));
        let busy = sentence(&run);
        let cause = "/s a load generator thread was busy for 97 % of the time → use more --threads";
        assert!(busy.contains(cause), "{busy}");
    }
}
