//! Requests that the load generator sends late.

use tenbin_record::{OpFigures, Slice};
use tenbin_result::format::{percent, plural, time};
use tenbin_result::{Cause, Finding, Severity};

use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::figures::latency::quantile;
use crate::findings::rule_info::RuleInfo;
use crate::machine::generator::Thread;
use crate::server::backend::Backends;
use crate::words::middle;

/// The published percentiles of response time that send lag could change: quantile, name, and the
/// send lag in seconds below which the finding is never worse than a note.
const PUBLISHED: [(f64, &str, f64); 3] = [
    (0.50, "median", UNSEEN),
    (0.90, "90th percentile", ACCURATE),
    (0.99, "99th percentile", ACCURATE),
];

/// Send lag, as a share of the percentile without send lag, above which a finding is a note; above
/// the next two constants, suspect and invalid.
const WORTH_A_NOTE: f64 = 0.10;
const MISLEADING: f64 = 0.25;
const VOID: f64 = 1.00;

/// Largest send lag that is never reported, seconds: a precise timer can be this late.
const UNSEEN: f64 = 0.000_1;

/// Delay that the scheduler of an idle machine adds to one request in a hundred, seconds.
const ACCURATE: f64 = 0.001;

/// Other programs count as the cause of send lag if a load generator thread waits for a core for at
/// least this share of the time: Tenbin's own convention.
const DISPLACED: f64 = 0.05;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "send_lag",
    summary: "the load generator sent requests late",
    severities: &[Severity::Note, Severity::Suspect, Severity::Invalid],
    explanation: include_str!("send_lag.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let open = cells.iter().filter(|cell| !is_closed(cell.workload));
    // Without keep-alive, the send lag includes opening the connection.
    let kept = open.filter(|cell| cell.workload.load.keep_alive);
    let backends = Backends::of(evidence);
    kept.filter_map(|cell| of_cell(cell, &backends)).collect()
}

fn of_cell(cell: &Cell<'_>, backends: &Backends<'_>) -> Option<Finding> {
    let full = cell.full();
    let changed = PUBLISHED.iter().filter_map(|of| Changed::of(&full, of));
    let worst = changed.max_by(|a, b| {
        let by_severity = a.severity.cmp(&b.severity);
        by_severity.then(a.share().total_cmp(&b.share()))
    })?;
    let all_in_use = may_all_be_in_use(cell, &full)?;
    let connections = plural(cell.workload.load.connections, "connection");
    let waited = Thread::of(cell, backends)?.waited;
    let because = if all_in_use {
        format!("all {connections} were in use")
    } else if waited >= DISPLACED {
        format!(
            "a load generator thread waited in {} of the time for a core that other programs used",
            percent(waited)
        )
    } else {
        format!("although not all {connections} were in use")
    };
    Some(Finding {
        rule: RULE.name.to_owned(),
        severity: if all_in_use {
            Severity::Note
        } else {
            worst.severity
        },
        cause: if all_in_use {
            Cause::Setup
        } else {
            Cause::Generator
        },
        workload: Some(cell.workload.name.clone()),
        target: Some(cell.target.name.clone()),
        evidence: format!(
            "requests were sent late: the {} of response time is {}, without send lag it would \
             be {}, {because}",
            worst.name,
            time(worst.published),
            time(worst.without)
        ),
        advice: if all_in_use {
            "use more --connections, so that response times do not contain the wait for a free \
             connection"
        } else if waited >= DISPLACED {
            "stop the other programs, or run the load generator on a separate machine; response \
             times contain the send lag, service times do not"
        } else {
            "use more --threads, a lower --rate, or a machine with idle cores; response times \
             contain the send lag, service times do not"
        }
        .to_owned(),
    })
}

/// A published percentile that contains send lag.
struct Changed {
    name: &'static str,
    /// Percentile of response times, seconds.
    published: f64,
    /// The same percentile of service times, which exclude send lag, seconds.
    without: f64,
    severity: Severity,
}

impl Changed {
    /// `None` if send lag changes the percentile too little to be reported.
    fn of(slices: &[&Slice], (q, name, limit): &(f64, &'static str, f64)) -> Option<Self> {
        let published = quantile(slices, *q, |op| &op.response, is_request).value()?;
        let without = quantile(slices, *q, |op| &op.service, is_request).value()?;
        let changed = |severity| Self {
            name,
            published,
            without,
            severity,
        };
        let of = changed(Severity::Note);
        let (share, added) = (of.share(), published - without);
        if share <= WORTH_A_NOTE || added <= UNSEEN {
            None
        } else if share <= MISLEADING || added <= *limit {
            Some(of)
        } else if share <= VOID {
            Some(changed(Severity::Suspect))
        } else {
            Some(changed(Severity::Invalid))
        }
    }

    fn share(&self) -> f64 {
        self.published / self.without - 1.0
    }
}

/// Whether one request in a hundred may have found all connections in use: during a response at the
/// 99th percentile, at least as many requests are due as can be in flight at once.
fn may_all_be_in_use(cell: &Cell<'_>, full: &[&Slice]) -> Option<bool> {
    let slow = quantile(full, 0.99, |op| &op.service, is_request).value()?;
    let answered = middle(full.iter().filter_map(|slice| slice.response_rate()))?;
    let load = &cell.workload.load;
    Some(answered * slow >= (load.connections * load.depth) as f64)
}

fn is_request(op: &OpFigures) -> bool {
    op.role.is_request()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    /// A run with sixteen connections and 1,000 requests per second; each request takes 2 ms. Of
    /// 1,000 requests to `b`, `count` are sent `micros` µs late and the others 5 µs late.
    fn late_by(micros: u64, count: u64) -> Run {
        let mut run = Run::pair(8).open_loop();
        run.plan.workloads[0].load.connections = 16;
        run.each_of("b", |slice| {
            let op = &mut slice.0.ops[0];
            op.response.clear();
            for (lag, count) in [(5, 1_000 - count), (micros, count)] {
                op.lag.record_n(lag * 1_000, count).unwrap();
                let response = 2_000_000 + lag * 1_000;
                op.response.record_n(response, count).unwrap();
            }
        });
        run
    }

    fn severity(run: &Run) -> Option<Severity> {
        let findings = run.findings(&RULE);
        assert!(findings.len() <= 1, "{findings:?}");
        findings.first().map(|finding| finding.severity)
    }

    #[test]
    fn the_change_of_the_published_percentile_decides() {
        let run = late_by(2_500, 20);
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(findings[0].cause, Cause::Generator);
        assert_eq!(
            findings[0].evidence,
            "requests were sent late: the 99th percentile of response time is 4.50 ms, without \
             send lag it would be 2.00 ms, although not all 16 connections were in use"
        );
        assert_eq!(severity(&late_by(1_200, 20)), Some(Severity::Suspect));
        // Half a millisecond in one request of fifty is normal for an idle machine.
        assert_eq!(severity(&late_by(530, 20)), Some(Severity::Note));
        // The same send lag is suspect if the median contains it.
        assert_eq!(severity(&late_by(530, 600)), Some(Severity::Suspect));
        assert_eq!(severity(&late_by(2_100, 600)), Some(Severity::Invalid));
    }

    #[test]
    fn other_programs_that_use_the_cores_are_named() {
        let mut run = late_by(2_500, 20);
        run.each(|slice| {
            slice.waiting_thread(0.2, 0.15);
            slice.others(0.8);
        });
        let findings = run.findings(&RULE);
        assert!(
            findings[0].evidence.ends_with(
                "a load generator thread waited in 15 % of the time for a core that other \
                 programs used"
            ),
            "{findings:?}"
        );
        assert!(findings[0].advice.starts_with("stop the other programs"));
    }

    #[test]
    fn send_lag_without_effect_on_percentiles_is_no_finding() {
        // The tail of the target's service time is longer than the lag of one request in fifty.
        let mut slow = late_by(2_500, 20);
        slow.plan.workloads[0].load.connections = 100;
        slow.each_of("b", |slice| {
            let op = &mut slice.0.ops[0];
            op.service.record_n(50_000_000, 200).unwrap();
            op.response.record_n(50_005_000, 200).unwrap();
        });
        assert_eq!(severity(&slow), None);
        assert_eq!(severity(&late_by(2_500, 5)), None, "one in two hundred");
        assert_eq!(severity(&late_by(150, 20)), None, "under a tenth");
    }

    #[test]
    fn waiting_for_a_connection_advises_more_connections() {
        let mut run = late_by(2_500, 20);
        run.plan.workloads[0].load.connections = 2;
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(findings[0].cause, Cause::Setup);
        assert!(
            findings[0]
                .evidence
                .ends_with("all 2 connections were in use")
        );
    }

    #[test]
    fn silent_when_it_is_too_small_to_see_or_not_the_generators() {
        let mut quick = late_by(90, 20);
        quick.each_of("b", |slice| {
            let op = &mut slice.0.ops[0];
            op.service.clear();
            op.service.record_n(100_000, 1_000).unwrap();
            op.response.clear();
            op.response.record_n(190_000, 1_000).unwrap();
        });
        assert_eq!(quick.findings(&RULE), [], "too little to see");
        let mut reconnecting = late_by(2_500, 20);
        reconnecting.plan.workloads[0].load.keep_alive = false;
        assert_eq!(reconnecting.findings(&RULE), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
