//! Times that a network stack is known for.

use hdrhistogram::Histogram;
use tenbin_record::{Slice, merge};

use super::Rule;
use crate::evidence::{Cell, Evidence};
use crate::finding::{Blame, Finding, Severity};
use crate::words::{percent, time};

/// Times that a network stack is known for.
pub(super) struct TailSignature;

impl Rule for TailSignature {
    fn name(&self) -> &'static str {
        "tail_signature"
    }

    fn summary(&self) -> &'static str {
        "times pile up where network stacks wait: 40 ms, 200 ms, 1 s, 3 s"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note, Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("tail_signature.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        cells
            .iter()
            .flat_map(|cell| {
                let full = cell.full();
                let answers = merged(&full, |slice| {
                    slice.requests().map(|op| &op.service).collect()
                });
                let connects = merged(&full, |slice| vec![&slice.setup.connect]);
                let known = SIGNATURES.iter();
                let found = known.filter_map(move |signature| {
                    let times = match signature.of {
                        Of::Answers => answers.as_ref()?,
                        Of::Connects => connects.as_ref()?,
                    };
                    Some((signature, signature.in_times(times)?))
                });
                found.map(move |(signature, found)| self.finding(cell, signature, &found))
            })
            .collect()
    }
}

impl TailSignature {
    fn finding(&self, cell: &Cell<'_>, signature: &Signature, found: &Pile) -> Finding {
        let things = match signature.of {
            Of::Answers => "answers",
            Of::Connects => "connections",
        };
        Finding {
            rule: self.name(),
            severity: signature.severity,
            blame: signature.blame,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "{} of {} {things} ({}) took {} or a little longer, far more than just before and \
                 just after: {}",
                found.count,
                found.total,
                percent(found.count as f64 / found.total as f64),
                time(signature.seconds),
                signature.meaning
            ),
            advice: signature.advice.to_owned(),
        }
    }
}

/// What is timed.
#[derive(Clone, Copy)]
enum Of {
    Answers,
    Connects,
}

/// A wait of a known length.
struct Signature {
    of: Of,
    seconds: f64,
    /// May be what most operations meet, and not the tail alone.
    of_all: bool,
    /// Fewest of them.
    fewest: u64,
    severity: Severity,
    blame: Blame,
    meaning: &'static str,
    advice: &'static str,
}

const SIGNATURES: [Signature; 4] = [
    Signature {
        of: Of::Answers,
        seconds: 0.040,
        of_all: true,
        fewest: 10,
        severity: Severity::Note,
        blame: Blame::Server,
        meaning: "as long as a delayed acknowledgement is waited for",
        advice: "let the target write an answer at once, or set TCP_NODELAY: head and body in two \
                 writes meet Nagle's algorithm and the other side's delayed acknowledgement",
    },
    Signature {
        of: Of::Answers,
        seconds: 0.200,
        of_all: false,
        fewest: 10,
        severity: Severity::Note,
        blame: Blame::Network,
        meaning: "as long as Linux waits before it sends a lost segment again",
        advice: "look for lost segments (nstat TcpRetransSegs), full queues and a busy link \
                 between generator and target",
    },
    Signature {
        of: Of::Connects,
        seconds: 1.0,
        of_all: false,
        fewest: 3,
        severity: Severity::Suspect,
        blame: Blame::Server,
        meaning: "as long as it takes until the first SYN is sent again",
        advice: "the target dropped attempts to connect: raise its listen backlog and \
                 net.core.somaxconn, or open connections more slowly",
    },
    Signature {
        of: Of::Connects,
        seconds: 3.0,
        of_all: false,
        fewest: 3,
        severity: Severity::Suspect,
        blame: Blame::Server,
        meaning: "as long as it takes until the second SYN is sent again",
        advice: "the target dropped attempts to connect twice: raise its listen backlog and \
                 net.core.somaxconn, or open connections more slowly",
    },
];

/// Length of a signature, and of what comes before and after it, as a share of its time.
const WIDTH: f64 = 0.12;
const AROUND: f64 = 0.25;

/// How many times as dense as around it a signature has to be.
const TIMES: f64 = 5.0;

/// Share of all answers that makes a signature that of all of them.
const MOST: f64 = 0.90;

/// What has piled up at a signature.
struct Pile {
    count: u64,
    total: u64,
}

impl Signature {
    fn in_times(&self, times: &Histogram<u64>) -> Option<Pile> {
        let between = |from: f64, to: f64| {
            let nanos = |share: f64| (self.seconds * share * 1e9) as u64;
            times.count_between(nanos(from), nanos(to) - 1)
        };
        let end = 1.0 + WIDTH;
        let pile = Pile {
            count: between(1.0, end),
            total: times.len(),
        };
        let density = pile.count as f64 / WIDTH;
        let before = between(1.0 - AROUND, 1.0) as f64 / AROUND;
        let after = between(end, end + AROUND) as f64 / AROUND;
        let stands_out = pile.count >= self.fewest && density > TIMES * before.max(after);
        let median = times.value_at_quantile(0.5) as f64 / 1e9;
        let is_tail = median < self.seconds / 2.0;
        let is_all = self.of_all && pile.count as f64 >= MOST * pile.total as f64;
        (stands_out && (is_tail || is_all)).then_some(pile)
    }
}

fn merged(
    slices: &[&Slice],
    pick: impl for<'s> Fn(&'s Slice) -> Vec<&'s Histogram<u64>>,
) -> Option<Histogram<u64>> {
    let mut all = slices.iter().flat_map(|slice| pick(slice));
    let mut merged = all.next()?.clone();
    all.for_each(|times| merge(&mut merged, times));
    Some(merged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn with_answers(micros: u64, count: u64) -> Run {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            let service = &mut slice.0.ops[0].service;
            service.record_n(micros * 1_000, count).unwrap();
        });
        run
    }

    fn evidence(run: &Run) -> Vec<String> {
        let findings = run.findings(&TailSignature);
        findings
            .into_iter()
            .map(|finding| finding.evidence)
            .collect()
    }

    #[test]
    fn names_delayed_acknowledgements_and_retransmissions() {
        let found = evidence(&with_answers(40_700, 2));
        assert_eq!(
            found,
            [
                "32 of 16032 answers (0.2 %) took 40.0 ms or a little longer, far more than just \
              before and just after: as long as a delayed acknowledgement is waited for"
            ]
        );
        let found = evidence(&with_answers(204_000, 2));
        assert!(
            found[0].contains("took 200 ms or a little longer"),
            "{found:?}"
        );
    }

    #[test]
    fn also_when_every_answer_waits_for_an_acknowledgement() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(48, 0.0413));
        assert_eq!(evidence(&run).len(), 1);
        // Not so 200 ms: a target may well take as long.
        run.each_of("b", |slice| slice.answers(10, 0.205));
        assert_eq!(run.findings(&TailSignature), []);
    }

    #[test]
    fn names_attempts_to_connect_that_were_dropped() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.0.setup.connect.record_n(100_000, 50).unwrap();
            slice.0.setup.connect.record_n(1_020_000_000, 2).unwrap();
        });
        let findings = run.findings(&TailSignature);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert!(
            findings[0]
                .evidence
                .starts_with("32 of 832 connections (3.8 %) took 1.00 s")
        );
    }

    #[test]
    fn silent_when_the_tail_is_smooth_or_a_few_only() {
        assert_eq!(Run::pair(8).findings(&TailSignature), []);
        let mut smooth = Run::pair(8);
        smooth.each_of("b", |slice| {
            let service = &mut slice.0.ops[0].service;
            (1..500).for_each(|ms| service.record_n(ms * 1_000_000, 3).unwrap());
            service.record_n(1_000_000, 4_000).unwrap();
        });
        assert_eq!(smooth.findings(&TailSignature), []);
        let mut few = Run::pair(8);
        few.first_of("b").0.ops[0]
            .service
            .record_n(40_700_000, 9)
            .unwrap();
        assert_eq!(few.findings(&TailSignature), []);
    }
}
