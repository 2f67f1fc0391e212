//! Connections that are made anew.

use tenbin_record::{Ledger, PackedHistogram, Slice};
use tenbin_result::format::{percent, time};
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::words::verb;

/// Share of requests on a new connection from which on it is worth a word.
const NOTICEABLE: f64 = 0.01;

/// Share of requests on a new connection from which on the figures are those of
/// connecting as well.
const LARGE: f64 = 0.10;

/// Difference of these shares between targets up to which connecting weighs on all alike.
const ALIKE: f64 = 0.10;

/// Share of the time of an operation, from the end of the one before, that making its
/// connection may take without a word.
const SETUP: f64 = 0.20;

const NANOS_PER_SECOND: f64 = 1e9;

/// Connections that are made anew.
pub(super) struct KeepAlive;

impl Rule for KeepAlive {
    fn name(&self) -> &'static str {
        "keep_alive"
    }

    fn summary(&self) -> &'static str {
        "connections do not stay open, or opening them takes much of the time"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note, Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("keep_alive.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        cells
            .iter()
            .filter_map(|cell| {
                if !cell.workload.load.keep_alive {
                    return self.switched_off(cell);
                }
                let of_workload = cells
                    .iter()
                    .filter(|other| other.workload.name == cell.workload.name);
                let several = of_workload.clone().count() > 1;
                let all_alike = all_close_alike(of_workload.map(Made::of));
                self.not_kept(cell, all_alike, several)
            })
            .collect()
    }
}

impl KeepAlive {
    fn not_kept(&self, cell: &Cell<'_>, all_alike: bool, several: bool) -> Option<Finding> {
        let made = Made::of(cell);
        let share = made.share()?;
        let alike = if all_alike && several {
            ", as every target of this workload does"
        } else {
            ""
        };
        (share > NOTICEABLE).then(|| Finding {
            rule: self.name().to_owned(),
            severity: if share > LARGE && !all_alike {
                Severity::Suspect
            } else {
                Severity::Note
            },
            blame: Blame::Server,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "{} of {} requests ({}) needed a new connection, though connections were to be \
                 kept: the target closed {}, {} {} reset{alike}",
                made.anew,
                made.requests,
                percent(share),
                made.ledger.closed_by_server,
                made.ledger.reset,
                verb(made.ledger.reset as usize, "was", "were"),
            ),
            advice: if all_alike {
                "the throughput includes connecting, as for every client of a server that closes the \
                 connection after its response; if the target can keep connections, enable that"
            } else {
                "switch keep-alive on in the target, or raise its number of requests for each \
                 connection (in nginx keepalive_timeout and keepalive_requests); if it is to \
                 be without, ask every target with --no-keep-alive"
            }
            .to_owned(),
        })
    }

    fn switched_off(&self, cell: &Cell<'_>) -> Option<Finding> {
        let setup = Setup::of(&cell.full())?;
        let share = setup.making / (setup.making + setup.answering);
        let handshakes = match setup.handshake {
            Some(seconds) => format!(", {} of it for the TLS handshake", time(seconds)),
            None => String::new(),
        };
        (share > SETUP).then(|| Finding {
            rule: self.name().to_owned(),
            severity: Severity::Note,
            blame: Blame::Question,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "without keep-alive {} of an operation's time went into its connection: {} on \
                 average{handshakes}, against {} for the answer",
                percent(share),
                time(setup.making),
                time(setup.answering)
            ),
            advice: "leave --no-keep-alive away to measure the answers; connections that are \
                     kept give several times the throughput"
                .to_owned(),
        })
    }
}

/// Whether all targets close their connections themselves, in good order and about as often:
/// none gains by it over another.
fn all_close_alike(targets: impl Iterator<Item = Made>) -> bool {
    let mut shares: Vec<f64> = Vec::new();
    for made in targets {
        let Some(share) = made.share() else { continue };
        let by_server = made.ledger.closed_by_server as f64;
        if share <= LARGE || by_server < made.anew as f64 * (1.0 - ALIKE) {
            return false;
        }
        shares.push(share);
    }
    let most = shares.iter().copied().fold(0.0, f64::max);
    !shares.is_empty() && shares.iter().all(|share| most - share <= ALIKE)
}

/// Connections beyond those asked for, and what they were made for.
struct Made {
    anew: u64,
    requests: u64,
    ledger: Ledger,
}

impl Made {
    fn of(cell: &Cell<'_>) -> Self {
        let mut made = Self {
            anew: 0,
            requests: 0,
            ledger: Ledger::default(),
        };
        for slice in &cell.slices {
            let failed: u64 = slice.requests().map(|op| op.failed_count()).sum();
            // Those that Tenbin opens again by itself are asked for as well.
            let lives = u64::from(slice.reopen.unwrap_or(1));
            let asked_for = (slice.connections * slice.hosts.len().max(1)) as u64 * lives;
            // Whoever fails may take its connection along.
            made.anew += slice.ledger.opened.saturating_sub(asked_for + failed);
            made.requests += slice.requests().map(|op| op.ok).sum::<u64>() + failed;
            made.ledger += slice.ledger;
        }
        made
    }
}

impl Made {
    /// Requests on a new connection; `None` without requests.
    fn share(&self) -> Option<f64> {
        (self.requests > 0).then(|| self.anew as f64 / self.requests as f64)
    }
}

/// What an operation on a connection of its own takes on average, seconds.
struct Setup {
    making: f64,
    answering: f64,
    /// Of `making`: TLS; `None` without it.
    handshake: Option<f64>,
}

impl Setup {
    fn of(slices: &[&Slice]) -> Option<Self> {
        let mut ledger = Ledger::default();
        slices.iter().for_each(|slice| ledger += slice.ledger);
        let requests = || slices.iter().flat_map(|slice| slice.requests());
        let handshakes = slices.iter().map(|slice| &slice.setup.tls);
        Some(Self {
            making: ledger.connect_nanos as f64 / ledger.opened as f64 / NANOS_PER_SECOND,
            answering: mean(requests().map(|op| &op.service))?,
            handshake: mean(handshakes),
        })
        .filter(|setup| setup.making.is_finite())
    }
}

/// Seconds; `None` if there are none.
fn mean<'h>(histograms: impl Iterator<Item = &'h PackedHistogram>) -> Option<f64> {
    let (mut count, mut sum) = (0.0, 0.0);
    for histogram in histograms {
        count += histogram.len() as f64;
        sum += histogram.mean() * histogram.len() as f64;
    }
    (count > 0.0).then(|| sum / count / NANOS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use tenbin_record::ErrorClass;

    use super::*;
    use crate::testing::Run;

    fn closing(every: u64) -> Run {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.0.ledger.opened = 2 + 1_000 / every;
            slice.0.ledger.closed_by_server = 1_000 / every;
        });
        run
    }

    #[test]
    fn fires_when_the_target_closes_after_every_answer() {
        let findings = closing(1).findings(&KeepAlive);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "16000 of 16000 requests (100 %) needed a new connection, though connections were \
             to be kept: the target closed 16000, 0 were reset"
        );
    }

    #[test]
    fn it_is_a_note_where_all_targets_close_by_themselves_alike() {
        let mut run = closing(1);
        run.each(|slice| {
            slice.0.ledger.opened = 1_002;
            slice.0.ledger.closed_by_server = 1_000;
        });
        let findings = run.findings(&KeepAlive);
        assert_eq!(findings.len(), 2);
        assert!(findings.iter().all(|f| f.severity == Severity::Note));
        assert!(
            findings[0]
                .evidence
                .ends_with(", as every target of this workload does")
        );
        // One of them now and then only, or by breaking off.
        run.each_of("a", |slice| slice.0.ledger.opened = 502);
        assert_eq!(run.findings(&KeepAlive)[0].severity, Severity::Suspect);
        run.each_of("a", |slice| {
            slice.0.ledger.opened = 1_002;
            slice.0.ledger.closed_by_server = 0;
            slice.0.ledger.reset = 1_000;
        });
        assert_eq!(run.findings(&KeepAlive)[0].severity, Severity::Suspect);
    }

    #[test]
    fn a_connection_for_some_requests_is_a_note_and_for_a_thousand_nothing() {
        let findings = closing(50).findings(&KeepAlive);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(closing(1_000).findings(&KeepAlive), []);
    }

    #[test]
    fn silent_when_failures_took_the_connections_along() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.0.ledger.opened = 102;
            slice.fail(ErrorClass::Reset, 100);
        });
        assert_eq!(run.findings(&KeepAlive), []);
    }

    fn without(connecting: u64) -> Run {
        let mut run = Run::pair(8);
        run.plan.workloads[0].load.keep_alive = false;
        run.each(|slice| {
            slice.0.ledger.opened = 1_000;
            slice.0.ledger.connect_nanos = 1_000 * connecting;
        });
        run
    }

    #[test]
    fn switched_off_it_says_what_connecting_takes() {
        let mut run = without(2_000_000);
        run.each_of("b", |slice| {
            slice.0.setup.tls.record_n(1_500_000, 1_000).unwrap();
        });
        let findings = run.findings(&KeepAlive);
        assert_eq!(findings.len(), 2);
        assert_eq!(
            findings[0].evidence,
            "without keep-alive 50 % of an operation's time went into its connection: 2.00 ms \
             on average, against 2.00 ms for the answer"
        );
        assert!(
            findings[1]
                .evidence
                .contains("1.50 ms of it for the TLS handshake")
        );
    }

    #[test]
    fn silent_when_connecting_is_quick_or_nothing_is_known_of_it() {
        assert_eq!(without(100_000).findings(&KeepAlive), []);
        assert_eq!(without(0).findings(&KeepAlive), []);
        let mut unknown = Run::pair(8);
        unknown.plan.workloads[0].load.keep_alive = false;
        assert_eq!(unknown.findings(&KeepAlive), []);
    }
}
