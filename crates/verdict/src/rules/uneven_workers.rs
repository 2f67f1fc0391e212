//! Some connections are served much faster than others.

use tenbin_result::format::{plural, rate, ratio};
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::cell::Cell;
use crate::evidence::{Evidence, is_closed};
use crate::spread::uneven;
use crate::words::middle;

/// Some connections are served much faster than others.
pub(super) struct UnevenWorkers;

impl Rule for UnevenWorkers {
    fn name(&self) -> &'static str {
        "uneven_workers"
    }

    fn summary(&self) -> &'static str {
        "some connections are served much faster than others: workers have unequal shares of them"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note]
    }

    fn explanation(&self) -> &'static str {
        include_str!("uneven_workers.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let cells = evidence.cells();
        let targets = evidence.plan.targets.iter();
        targets
            .filter_map(|target| {
                let mine = cells.iter().filter(|cell| cell.target.name == target.name);
                let found: Vec<(&Cell<'_>, Seen)> = mine
                    .filter(|cell| is_closed(cell.workload))
                    .filter_map(|cell| Some((cell, Seen::of(cell)?)))
                    .collect();
                self.target(&found)
            })
            .collect()
    }
}

/// What single connections of one workload on one target did, medians over slices.
struct Seen {
    slowest: f64,
    fastest: f64,
    times: f64,
    slices: usize,
    reopen: Option<u32>,
}

impl Seen {
    fn of(cell: &Cell<'_>) -> Option<Self> {
        let full = cell.full();
        let spreads = uneven(cell)?;
        let times = |spread: &tenbin_record::Spread| {
            (spread.slowest > 0.0).then_some(spread.fastest / spread.slowest)
        };
        Some(Self {
            slowest: middle(spreads.iter().map(|spread| spread.slowest))?,
            fastest: middle(spreads.iter().map(|spread| spread.fastest))?,
            // Where some were served nothing at all there is no ratio.
            times: middle(spreads.iter().filter_map(times)).unwrap_or(f64::INFINITY),
            slices: spreads.len(),
            reopen: full.iter().find_map(|slice| slice.reopen),
        })
    }
}

impl UnevenWorkers {
    /// Once for a target, of the workload in which it shows most.
    fn target(&self, found: &[(&Cell<'_>, Seen)]) -> Option<Finding> {
        let (cell, seen) = found
            .iter()
            .max_by(|one, other| one.1.times.total_cmp(&other.1.times))?;
        let times = match seen.times.is_finite() {
            true => format!(
                "{} times as many requests as the slowest",
                ratio(seen.times)
            ),
            false => "many requests and the slowest none".to_owned(),
        };
        let opened = match seen.reopen {
            Some(lives) => format!("; each slice opened its connections {lives} times for that"),
            None => String::new(),
        };
        let (advice, several) = (self.advice(seen), found.len() > 1);
        Some(Finding {
            rule: self.name().to_owned(),
            severity: Severity::Note,
            blame: Blame::Server,
            workload: (!several).then(|| cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!(
                "with {} the fastest connection completed {times} ({} and {}, medians of {}), as with \
                 workers that accept on one shared socket and get unequal shares of the connections{opened}",
                plural(cell.workload.load.connections, "connection"),
                rate(seen.fastest),
                rate(seen.slowest),
                plural(seen.slices, "slice")
            ),
            advice,
        })
    }

    fn advice(&self, seen: &Seen) -> String {
        let measure = match seen.reopen {
            Some(_) => "throughput is the mean over many ways to spread them",
            None => {
                "throughput depends on how connections happened to be spread: use --reopen 8 for \
                 the mean over many ways"
            }
        };
        format!(
            "{measure}; use several connections for each worker, and give each worker a listening \
             socket (SO_REUSEPORT; in nginx reuseport, in Workerman reusePort) to spread them better"
        )
    }
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{S3Operation, S3Work, WorkloadKind};
    use tenbin_record::{ErrorClass, Spread};

    use super::*;
    use crate::testing::Run;

    fn spread(slowest: f64, fastest: f64) -> Spread {
        Spread {
            connections: 8,
            median_responses: 100.0,
            slowest,
            lower_quartile: slowest,
            median: 100.0,
            upper_quartile: fastest,
            fastest,
            variation: 0.0,
        }
    }

    fn with(slowest: f64, fastest: f64) -> Run {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.0.spread = Some(spread(slowest, fastest)));
        run
    }

    #[test]
    fn fires_where_connections_are_served_unevenly() {
        let findings = with(60.0, 180.0).findings(&UnevenWorkers);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(
            findings[0].evidence.starts_with(
                "with 2 connections the fastest connection completed 3.00 times as many requests \
                 as the slowest (180/s and 60.0/s, medians of 16 slices)"
            ),
            "{findings:?}"
        );
        assert!(findings[0].advice.contains("--reopen 8"));
        let none = with(0.0, 180.0).findings(&UnevenWorkers);
        assert!(
            none[0]
                .evidence
                .contains("many requests and the slowest none")
        );
    }

    #[test]
    fn what_the_warm_up_found_is_reported_where_reopening_hides_it() {
        let mut run = with(95.0, 150.0);
        run.each_of("b", |slice| slice.0.reopen = Some(8));
        let findings = run.findings(&UnevenWorkers);
        assert_eq!(findings.len(), 1);
        let told = "each slice opened its connections 8 times for that";
        assert!(findings[0].evidence.ends_with(told), "{findings:?}");
        // The plan asked for it: nothing was found.
        run.plan.workloads[0].load.reopen = Some(8);
        assert_eq!(run.findings(&UnevenWorkers), []);
    }

    #[test]
    fn silent_where_connections_wait_before_they_send_a_request_again() {
        let mut run = with(60.0, 180.0);
        run.plan.workloads[0].kind = WorkloadKind::S3(S3Work {
            retries: 3,
            ..S3Work::new(S3Operation::Put, 1_024, 1)
        });
        assert_eq!(run.findings(&UnevenWorkers).len(), 1, "nothing was refused");
        run.first_of("b").fail(ErrorClass::Status, 1);
        assert_eq!(run.findings(&UnevenWorkers), []);
    }

    #[test]
    fn silent_where_they_are_served_alike_or_nobody_looked() {
        assert_eq!(with(95.0, 105.0).findings(&UnevenWorkers), []);
        assert_eq!(Run::pair(8).findings(&UnevenWorkers), []);
        assert_eq!(with(60.0, 180.0).open_loop().findings(&UnevenWorkers), []);
        // One slice of many is chance.
        let mut once = with(95.0, 105.0);
        once.first_of("b").0.spread = Some(spread(60.0, 180.0));
        assert_eq!(once.findings(&UnevenWorkers), []);
    }
}
