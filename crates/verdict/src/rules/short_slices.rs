//! Slices too short for what is measured in them.

use std::collections::BTreeMap;

use tenbin_record::Slice;
use tenbin_result::format::{TIME, percent, plural};
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::words::middle;

/// Share of a slice from which on a median service time biases rates.
const LONG: f64 = 0.1;
/// Share of a slice from which on nothing can be said.
const TOO_LONG: f64 = 0.5;
/// Share of a slice from which on it matters whether all connections are in step.
const LONG_IN_STEP: f64 = 0.025;
/// Spread of the throughput of slices, as a share of what an edge may cut, below which
/// no interval has the error of the edge in it.
const NARROW: f64 = 0.25;
/// Share of the slices that must count whole turns of all connections.
const MOSTLY: f64 = 0.75;
/// Share of the planned slice below which a slice that ends by count is brief.
const BRIEF: f64 = 0.25;
/// Requests that are enough for a brief slice.
const ENOUGH: f64 = 1_000.0;
/// Fewest slices that have a spread.
const FEWEST: usize = 4;
/// How far a share of a mix may be from where it should be.
const SHARE_OFF: f64 = 0.05;
/// How many standard errors it must be off, so that chance is no explanation.
const STANDARD_ERRORS: f64 = 3.0;

/// Slices too short for what is measured in them.
pub(super) struct ShortSlices;

impl Rule for ShortSlices {
    fn name(&self) -> &'static str {
        "short_slices"
    }

    fn summary(&self) -> &'static str {
        "slices are too short for their operations"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect, Severity::Invalid]
    }

    fn explanation(&self) -> &'static str {
        include_str!("short_slices.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        let one_stretch = evidence.plan.rounds.count == 1;
        let cut: Vec<&Cell<'_>> = cells
            .iter()
            .filter(|cell| !cell.workload.may_end_early())
            .collect();
        let times = cut.iter().filter_map(|cell| self.times(cell));
        let baseline = evidence.plan.baseline().map(|target| &target.name);
        let shares = cut.iter().filter_map(|cell| {
            let other_side = |other: &&&Cell<'_>| {
                other.workload.name == cell.workload.name && Some(&other.target.name) == baseline
            };
            self.shares(cell, cut.iter().find(other_side)?)
        });
        let in_step = cut.iter().filter_map(|cell| self.in_step(cell));
        let planned = evidence.plan.rounds.slice.as_secs_f64();
        let brief = cut.iter().filter_map(|cell| self.brief(cell, planned));
        let found = times.chain(in_step).chain(shares).chain(brief);
        match one_stretch {
            // Whoever asked for a single slice named its length, not that of slices.
            true => found.map(measured_longer).collect(),
            false => found.collect(),
        }
    }
}

fn measured_longer(finding: Finding) -> Finding {
    let advice = "measure longer, at least twenty times as long as the slowest operation takes";
    Finding {
        evidence: finding.evidence.replace("of a slice of", "of the whole"),
        advice: advice.to_owned(),
        ..finding
    }
}

impl ShortSlices {
    fn times(&self, cell: &Cell<'_>) -> Option<Finding> {
        let full = cell.full();
        let length = middle(full.iter().map(|slice| slice.seconds))?;
        let empty = full.iter().filter(|s| s.throughput().is_none()).count();
        let slowest = slowest(cell, &full);
        let share = slowest.as_ref().map_or(0.0, |(_, time)| time / length);
        if share <= LONG && empty == 0 {
            return None;
        }
        let severity = if share > TOO_LONG {
            Severity::Invalid
        } else {
            Severity::Suspect
        };
        let long = slowest.filter(|_| share > LONG).map(|(operation, time)| {
            format!(
                "the median {operation} took {}, {} of a slice of {}",
                TIME.of(time),
                percent(share),
                TIME.of(length)
            )
        });
        let nothing = (empty > 0).then(|| {
            format!(
                "in {empty} of {} nothing ended, so that the throughput is unknown",
                plural(full.len(), "full slice")
            )
        });
        let told: Vec<String> = long.into_iter().chain(nothing).collect();
        Some(self.finding(cell, severity, told.join("; ")))
    }

    /// Connections that all wait for the same turn end a slice with the same number of
    /// answers however much of the next turn is cut.
    fn in_step(&self, cell: &Cell<'_>) -> Option<Finding> {
        let full = cell.full();
        if !is_closed(cell.workload) || full.len() < FEWEST {
            return None;
        }
        let length = middle(full.iter().map(|slice| slice.seconds))?;
        let (operation, time) = slowest(cell, &full)?;
        let share = time / length;
        let spread = relative_spread(&full)?;
        let whole_turns = |slice: &&&Slice| {
            let in_flight = slice.connections.max(1) as u64;
            slice.ok() > 0 && slice.ok().is_multiple_of(in_flight)
        };
        let turns = full.iter().filter(whole_turns).count() as f64;
        let is_hidden = (LONG_IN_STEP..=LONG).contains(&share)
            && spread < NARROW * share
            && turns >= MOSTLY * full.len() as f64;
        is_hidden.then(|| {
            let told = format!(
                "the median {operation} took {}, {} of a slice of {}, and all connections are in \
                 step: slices differ by {} only, and what their edges cut is in no interval",
                TIME.of(time),
                percent(share),
                TIME.of(length),
                percent(spread)
            );
            let advice = "use a longer --slice, at least forty times the slowest operation";
            Finding {
                advice: advice.to_owned(),
                ..self.finding(cell, Severity::Suspect, told)
            }
        })
    }

    /// A target that is much faster than another one is through with the requests that both
    /// are sent in a fraction of a slice.
    fn brief(&self, cell: &Cell<'_>, planned: f64) -> Option<Finding> {
        let full = cell.full();
        let by_count = full.iter().filter(|slice| {
            let segment = slice.segment.as_ref();
            segment.is_some_and(|segment| segment.planned.is_some())
        });
        let by_count: Vec<&Slice> = by_count.copied().collect();
        let length = middle(by_count.iter().map(|slice| slice.seconds))?;
        let ended = |slice: &&Slice| (slice.ok() + slice.failed()) as f64;
        let requests = middle(by_count.iter().map(ended))?;
        if length >= BRIEF * planned || requests >= ENOUGH {
            return None;
        }
        let told = format!(
            "a slice lasted {} and had {requests:.0} requests: every target is sent the same \
             requests, and a slower one sets how many",
            TIME.of(length)
        );
        Some(Finding {
            advice: format!(
                "use a --slice {:.0} times as long",
                (ENOUGH / requests.max(1.0)).ceil()
            ),
            ..self.finding(cell, Severity::Suspect, told)
        })
    }

    fn shares(&self, cell: &Cell<'_>, baseline: &Cell<'_>) -> Option<Finding> {
        let operations = cell.workload.facts().operations();
        if operations.len() == 1 {
            return None;
        }
        let whole: f64 = operations.iter().map(|operation| operation.share).sum();
        let (here, there) = (Achieved::of(cell), Achieved::of(baseline));
        let off = operations.iter().find_map(|operation| {
            let name = operation.name;
            let asked = Share {
                value: operation.share / whole,
                of: u64::MAX,
            };
            let (here, there) = (here.share(name)?, there.share(name));
            let told = |other: &Share, whose: &str| {
                format!(
                    "{} of the operations were {}, where {} {whose}",
                    percent(here.value),
                    name.to_uppercase(),
                    percent(other.value)
                )
            };
            if here.is_off(&asked) {
                return Some(told(&asked, "were planned"));
            }
            let there = there.filter(|there| here.is_off(there))?;
            Some(told(&there, &format!("were on {}", baseline.target.name)))
        })?;
        Some(self.finding(cell, Severity::Suspect, off))
    }

    fn finding(&self, cell: &Cell<'_>, severity: Severity, evidence: String) -> Finding {
        Finding {
            rule: self.name().to_owned(),
            severity,
            blame: Blame::Setup,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence,
            advice: "use a longer --slice, at least ten times the slowest operation".to_owned(),
        }
    }
}

/// Standard deviation of the throughput of the slices, as a share of its mean.
fn relative_spread(full: &[&Slice]) -> Option<f64> {
    let rates: Vec<f64> = full
        .iter()
        .map(|slice| slice.throughput())
        .collect::<Option<_>>()?;
    let n = rates.len() as f64;
    let mean = rates.iter().sum::<f64>() / n;
    let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
    (mean > 0.0 && n > 1.0).then(|| (squares / (n - 1.0)).sqrt() / mean)
}

/// The operation with the largest median service time, seconds. `full` are the full slices of the
/// cell.
fn slowest(cell: &Cell<'_>, full: &[&Slice]) -> Option<(String, f64)> {
    let mut names: Vec<&str> = Vec::new();
    let ops = full.iter().flat_map(|slice| &slice.ops);
    // What is polled beside the load takes up none of its connections.
    for op in ops.filter(|op| op.role.is_work() || op.role.is_request()) {
        if !names.contains(&op.name.as_str()) {
            names.push(&op.name);
        }
    }
    names
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), cell.median_of(name)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
}

/// What a mix came to, by operation as plans name them.
struct Achieved {
    by_operation: BTreeMap<String, u64>,
    all: u64,
}

/// A share, and of how many.
struct Share {
    value: f64,
    of: u64,
}

impl Achieved {
    fn of(cell: &Cell<'_>) -> Self {
        let mut by_operation = BTreeMap::new();
        let full = cell.full();
        let work = full.iter().flat_map(|slice| slice.work());
        // Older versions counted another attempt as an operation of its own: no choice of the mix.
        for op in work.filter(|op| !op.name.ends_with(" again")) {
            let name = op.name.to_lowercase().replace(' ', "-");
            *by_operation.entry(name).or_default() += op.ok + op.failed_count();
        }
        let all = by_operation.values().sum();
        Self { by_operation, all }
    }

    /// `None` where nothing ended at all.
    fn share(&self, operation: &str) -> Option<Share> {
        let mine = self.by_operation.get(operation).copied().unwrap_or(0);
        (self.all > 0).then(|| Share {
            value: mine as f64 / self.all as f64,
            of: self.all,
        })
    }
}

impl Share {
    /// Further from the other than chance allows, and than matters.
    fn is_off(&self, other: &Self) -> bool {
        let variance = other.value * (1.0 - other.value);
        let error = (variance / self.of as f64 + variance / other.of as f64).sqrt();
        let off = (self.value - other.value).abs();
        off > SHARE_OFF && off > STANDARD_ERRORS * error
    }
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{Mix, S3Operation};

    use super::*;
    use crate::testing::{Made, Run};

    #[test]
    fn fires_when_operations_are_long_against_a_slice() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(14, 0.14));
        let findings = run.findings(&ShortSlices);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(
            findings[0].evidence.contains("14 % of a slice"),
            "{findings:?}"
        );
        run.each_of("b", |slice| slice.answers(2, 0.7));
        assert_eq!(run.findings(&ShortSlices)[0].severity, Severity::Invalid);
    }

    #[test]
    fn a_single_slice_is_to_be_longer_whatever_its_flag_is_called() {
        let mut run = Run::single(1);
        run.each(|slice| slice.answers(14, 0.14));
        let findings = run.findings(&ShortSlices);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(
            findings[0].evidence.contains("14 % of the whole 1"),
            "{findings:?}"
        );
        assert!(findings[0].advice.starts_with("measure longer"));
    }

    #[test]
    fn fires_when_connections_in_step_hide_what_the_edges_cut() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.answers(22, 0.084));
        let findings = run.findings(&ShortSlices);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(findings[0].evidence.contains("8.4 % of a slice"));
        assert!(findings[0].evidence.contains("slices differ by 0 % only"));
    }

    #[test]
    fn fires_when_a_fast_target_is_through_with_few_requests_at_once() {
        let mut run = Run::pair(8);
        let planned = run.plan.rounds.slice.as_secs_f64();
        let segment = tenbin_record::Segment {
            from: 0,
            to: 440,
            planned: Some(440),
            unmeasured: 0,
            skipped: 0,
            digest: None,
        };
        run.each_of("b", |slice| {
            slice.answers(400, 0.000_1);
            slice.0.seconds = planned / 10.0;
            slice.0.segment = Some(segment.clone());
        });
        let findings = run.findings(&ShortSlices);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(findings[0].evidence.contains("had 400 requests"));
        assert_eq!(findings[0].advice, "use a --slice 3 times as long");
        run.each_of("b", |slice| slice.answers(2_000, 0.000_1));
        assert_eq!(run.findings(&ShortSlices), []);
    }

    #[test]
    fn silent_when_the_edges_are_in_the_interval() {
        let mut varied = Run::pair(8);
        let mut seen = 0;
        varied.each(|slice| {
            slice.answers([22, 24, 22, 24][seen % 4], 0.084);
            seen += 1;
        });
        assert_eq!(varied.findings(&ShortSlices), []);
        let mut out_of_step = Run::pair(8);
        out_of_step.each(|slice| slice.answers(23, 0.084));
        assert_eq!(out_of_step.findings(&ShortSlices), []);
        let mut short = Run::pair(8);
        short.each(|slice| slice.answers(100, 0.02));
        assert_eq!(short.findings(&ShortSlices), []);
        let mut open = Run::pair(8).open_loop();
        open.each(|slice| slice.answers(22, 0.084));
        assert_eq!(open.findings(&ShortSlices), []);
    }

    #[test]
    fn what_is_made_of_several_is_looked_at_as_a_whole() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.in_steps(100));
        let findings = run.findings(&ShortSlices);
        assert_eq!(findings.len(), 2);
        assert!(findings[0].evidence.contains("MULTIPART"), "{findings:?}");
    }

    #[test]
    fn fires_when_nothing_ended_in_a_slice() {
        let mut run = Run::pair(8);
        run.first_of("a").answers(0, 0.002);
        let findings = run.findings(&ShortSlices);
        assert_eq!(
            findings[0].evidence,
            "in 1 of 16 full slices nothing ended, so that the throughput is unknown"
        );
    }

    fn mixed(gets: u64, puts: u64) -> impl Fn(&mut Made<'_>) {
        move |slice| {
            slice.answers(gets, 0.002);
            let mut put = slice.0.ops[0].clone();
            put.name = "PUT".to_owned();
            put.ok = puts;
            slice.0.ops.truncate(1);
            slice.0.ops.push(put);
        }
    }

    fn half_and_half() -> Run {
        let mut run = Run::pair(8).of_s3(S3Operation::Get, 1_024);
        for workload in &mut run.plan.workloads {
            if let tenbin_plan::WorkloadKind::S3(work) = &mut workload.kind {
                work.mix = Mix::new([(S3Operation::Get, 1.0), (S3Operation::Put, 1.0)]).unwrap();
            }
        }
        run.each(|slice| mixed(500, 500)(slice));
        run
    }

    #[test]
    fn fires_when_a_mix_came_out_otherwise() {
        let mut run = half_and_half();
        run.each_of("b", |slice| mixed(600, 400)(slice));
        let findings = run.findings(&ShortSlices);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(
            findings[0]
                .evidence
                .contains("60 % of the operations were GET"),
            "{findings:?}"
        );
        // Each near enough to what was asked for, and not to the other.
        run.each_of("a", |slice| mixed(460, 540)(slice));
        run.each_of("b", |slice| mixed(540, 460)(slice));
        let findings = run.findings(&ShortSlices);
        assert!(findings[0].evidence.contains("were on a"), "{findings:?}");
    }

    #[test]
    fn silent_for_long_slices_chance_and_slices_that_end_by_a_count() {
        assert_eq!(half_and_half().findings(&ShortSlices), []);
        let mut few = half_and_half();
        few.each(|slice| mixed(1, 2)(slice));
        assert_eq!(few.findings(&ShortSlices), [], "16 slices of three each");
        let mut counted = Run::pair(8);
        counted.each(|slice| slice.answers(2, 0.7));
        counted.plan.workloads[0].load.requests = Some(2);
        assert_eq!(counted.findings(&ShortSlices), []);
    }
}
