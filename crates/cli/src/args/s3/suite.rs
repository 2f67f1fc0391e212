//! `tenbin s3 suite`.

use clap::{Args, ValueEnum};
use tenbin_plan::{At, Draft, Flag, Refusal, RoundsDraft, S3Draft, Section as _, WorkloadDraft};
use tenbin_stats::{CONFIDENCE, blocks_for_significance};

use crate::args::flags::{Flags, Offered};
use crate::args::results::compare::EarlierArgs;
use crate::args::{KeyArgs, OutputArgs, RoundsArgs, TargetArgs};

/// `tenbin s3 suite`.
#[derive(Args)]
#[command(mut_args(crate::args::options::rounds::without_defaults))]
#[command(after_help = "\
With one target, Tenbin reports the performance of that target; with two or more, Tenbin compares
every other target with the first. Before the start, Tenbin prints the expected duration: about five
minutes for --scenario six on two local servers. The run directory contains SUMMARY.md, and
benchmark.txt for benchstat. Docs: docs/s3-suite.md.

Examples:
  tenbin s3 suite --scenario mixed --builtin memory=s3-memory --builtin durable=s3-durable
  tenbin s3 suite --scenario concurrency --target minio=http://127.0.0.1:9000 \\
      --target versity=http://127.0.0.1:7070
  tenbin s3 suite --sequential --target jog=http://127.0.0.1:9200
  tenbin s3 suite --target jog=http://127.0.0.1:9200 --before runs/2026-01-23T100000-s3-suite-six \\
      --changed list-1000")]
pub struct SuiteArgs {
    /// Set of workloads to run
    #[arg(long, value_enum, default_value_t = Scenario::Six, help_heading = "Workloads")]
    pub scenario: Scenario,
    /// Send one operation at a time on one connection, like "go test -bench"; SUMMARY.md and
    /// benchmark.txt then contain the time per operation in µs/op
    #[arg(long, help_heading = "Workloads")]
    pub sequential: bool,
    /// The systems under test.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// Credentials of the targets.
    #[command(flatten)]
    pub keys: KeyArgs,
    /// Bucket and addressing.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Duration and rounds.
    #[command(flatten)]
    pub rounds: RoundsArgs,
    /// The earlier run to compare with.
    #[command(flatten)]
    pub earlier: EarlierArgs,
    /// Output options.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Bucket, addressing and signing.
pub type PlaceArgs = Flags<Place>;

/// The flags of S3 workloads that the suite offers.
pub struct Place;

impl Offered for Place {
    type Draft = S3Draft;
    const HEADING: &'static str = "Objects";

    fn offers(flag: &Flag) -> bool {
        flag.also_in.contains(&"suite")
    }

    fn described(flag: &Flag) -> Flag {
        Flag {
            heading: None,
            ..*flag
        }
    }
}

/// A set of workloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scenario {
    /// PUT and GET of 1 KB and 1 MB, a listing of 1,000 keys, a multipart upload of 10 MiB
    Six,
    /// PUT and GET of 1 KB, 64 KB, 1 MB, 16 MB and 64 MB
    Throughput,
    /// PUT and GET of 1 MB on 1, 4, 8, 16, 32 and 64 connections
    Concurrency,
    /// GET and PUT of 1 MB together: 70/30, 50/50 and 30/70
    Mixed,
    /// All workloads of the other scenarios, each once
    All,
}

/// One workload of the suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Work {
    operation: &'static str,
    /// Name of the workload; `None` for a name made of operation and size.
    name: Option<&'static str>,
    size: &'static str,
    connections: u32,
}

/// Default number of connections, as in published guides for small and medium objects. Names of
/// workloads do not contain the default number.
const CONNECTIONS: u32 = 16;
const LEVELS: [u32; 6] = [1, 4, 8, 16, 32, 64];
const SIZES: [(&str, u32); 5] = [
    ("1KB", CONNECTIONS),
    ("64KB", CONNECTIONS),
    ("1MB", CONNECTIONS),
    ("16MB", CONNECTIONS),
    ("64MB", 8),
];
const MIXES: [(&str, &str); 3] = [
    ("get:70,put:30", "mixed-70-30"),
    ("get:50,put:50", "mixed-50-50"),
    ("get:30,put:70", "mixed-30-70"),
];
const MIXED_CONNECTIONS: u32 = 32;
/// Number of objects of each size. Small enough to load within seconds; at most half a gigabyte.
const OBJECTS: [(&str, u32); 6] = [
    ("1KB", 1000),
    ("64KB", 1000),
    ("1MB", 100),
    ("10MiB", 16),
    ("16MB", 16),
    ("64MB", 8),
];
const LISTED_KEYS: u32 = 1000;

/// Smallest number of blocks of a run. A block of two targets is a quad in ABBA order.
const FEWEST_BLOCKS: usize = 8;

impl Scenario {
    fn name(self) -> String {
        self.to_possible_value()
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }

    /// The workloads of the scenario, without duplicates; on one connection if `sequential`.
    fn works(self, sequential: bool) -> Vec<Work> {
        let mut works = match self {
            Self::Six => six(),
            Self::Throughput => throughput(),
            Self::Concurrency => concurrency(),
            Self::Mixed => mixed(),
            Self::All => [six(), throughput(), concurrency(), mixed()].concat(),
        };
        if sequential {
            works.iter_mut().for_each(|work| work.connections = 1);
        }
        let mut seen = Vec::new();
        works.retain(|work| {
            let is_new = !seen.contains(work);
            seen.push(*work);
            is_new
        });
        works
    }

    /// Slice length: long enough for several of the slowest operations of the scenario.
    fn slice(self) -> &'static str {
        match self {
            Self::Six | Self::Concurrency | Self::Mixed => "1200ms",
            Self::Throughput | Self::All => "3s",
        }
    }
}

fn six() -> Vec<Work> {
    let list = Work {
        operation: "list",
        name: Some("list-1000"),
        // Small objects: a listing does not read their content.
        size: "1KB",
        connections: CONNECTIONS,
    };
    let multipart = Work {
        // Each upload has several requests in flight.
        connections: 4,
        ..transfer("multipart", "10MiB", 4)
    };
    vec![
        transfer("put", "1KB", CONNECTIONS),
        transfer("put", "1MB", CONNECTIONS),
        transfer("get", "1KB", CONNECTIONS),
        transfer("get", "1MB", CONNECTIONS),
        list,
        multipart,
    ]
}

fn throughput() -> Vec<Work> {
    let of = |operation| SIZES.map(|(size, connections)| transfer(operation, size, connections));
    [of("put"), of("get")].concat()
}

fn concurrency() -> Vec<Work> {
    let of = |operation| LEVELS.map(|connections| transfer(operation, "1MB", connections));
    [of("put"), of("get")].concat()
}

fn mixed() -> Vec<Work> {
    let of = |(operation, name)| Work {
        name: Some(name),
        ..transfer(operation, "1MB", MIXED_CONNECTIONS)
    };
    MIXES.map(of).to_vec()
}

fn transfer(operation: &'static str, size: &'static str, connections: u32) -> Work {
    Work {
        operation,
        name: None,
        size,
        connections,
    }
}

impl Work {
    fn name(self) -> String {
        let Self {
            operation,
            size,
            connections,
            ..
        } = self;
        let usual = SIZES
            .iter()
            .find(|(known, _)| *known == size)
            .map_or(connections, |(_, usual)| *usual);
        match self.name {
            Some(name) if connections == 1 => format!("{name}-c1"),
            Some(name) => name.to_owned(),
            None if connections == 1 => format!("{operation}-{size}-c1"),
            None if connections == usual => format!("{operation}-{size}"),
            None => format!("{operation}-{size}-c{connections}"),
        }
    }

    fn draft(self, place: &PlaceArgs) -> WorkloadDraft {
        let mut draft = S3Draft {
            operation: Some(At::nowhere(self.operation)),
            size: Some(At::nowhere(self.size)),
            objects: Some(At::nowhere(self.objects())),
            ..S3Draft::default()
        };
        if self.connections == 1 && self.operation == "multipart" {
            draft.parts_at_once = Some(At::nowhere(1_u32));
        }
        draft.override_with(&place.0);
        let mut workload = WorkloadDraft::of(draft);
        workload.name = Some(At::nowhere(self.name()));
        workload.load.connections = Some(At::nowhere(self.connections));
        workload
    }

    fn objects(self) -> u32 {
        if self.operation == "list" {
            return LISTED_KEYS;
        }
        let mut known = OBJECTS.iter();
        known
            .find(|(size, _)| *size == self.size)
            .map_or(LISTED_KEYS, |(_, objects)| *objects)
    }
}

impl SuiteArgs {
    /// The plan: short slices, and enough rounds for a verdict of every comparison.
    ///
    /// # Errors
    ///
    /// If an option names a target that does not exist.
    pub fn draft(&self) -> Result<Draft, Refusal> {
        let mut targets = self.targets.drafts()?;
        self.keys.give_all(&mut targets)?;
        let works = self.scenario.works(self.sequential);
        let mut draft = Draft::default();
        let end = if self.sequential { "-sequential" } else { "" };
        let name = format!("s3-suite-{}{end}", self.scenario.name());
        draft.name = Some(At::nowhere(name));
        draft.rounds = RoundsDraft {
            count: Some(At::nowhere(rounds(
                targets.len(),
                works.len(),
                self.rounds.comparing.adds_twin(),
            ))),
            slice: Some(At::nowhere(self.scenario.slice())),
            lead: Some(At::nowhere("100ms")),
            gap: Some(At::nowhere("100ms")),
            warmup: Some(At::nowhere("500ms")),
            ..RoundsDraft::default()
        };
        draft.targets = targets;
        draft.workloads = works
            .iter()
            .map(|work| At::nowhere(work.draft(&self.place)))
            .collect();
        self.rounds.apply(&mut draft);
        Ok(draft)
    }
}

/// The number of rounds: a number of complete blocks with which every comparison can be significant
/// after the correction for multiple comparisons.
fn rounds(targets: usize, workloads: usize, with_twin: bool) -> u32 {
    let comparisons = workloads * targets.saturating_sub(1).max(1);
    let alpha = (1.0 - CONFIDENCE) / comparisons.max(1) as f64;
    let blocks = blocks_for_significance(alpha)
        .unwrap_or(FEWEST_BLOCKS)
        .max(FEWEST_BLOCKS);
    let rounds_per_block = tenbin_plan::rounds_per_block(targets + usize::from(with_twin));
    u32::try_from(blocks).map_or(u32::MAX, |blocks| blocks.saturating_mul(rounds_per_block))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_scenario_asks_what_the_guide_asks() {
        for (scenario, count) in [
            (Scenario::Six, 6),
            (Scenario::Throughput, 10),
            (Scenario::Concurrency, 12),
            (Scenario::Mixed, 3),
            // 31 workloads in the four scenarios, 6 of which are duplicates.
            (Scenario::All, 25),
        ] {
            let works = scenario.works(false);
            assert_eq!(works.len(), count, "{scenario:?}");
            let names: BTreeSet<String> = works.iter().map(|work| work.name()).collect();
            assert_eq!(names.len(), count, "{scenario:?}: {names:?}");
        }
        let levels: Vec<String> = concurrency().iter().map(|work| work.name()).collect();
        assert_eq!(
            levels[..4],
            ["put-1MB-c1", "put-1MB-c4", "put-1MB-c8", "put-1MB"]
        );
        assert_eq!(throughput()[4].connections, 8, "64 MB on eight connections");
    }

    #[test]
    fn a_sequential_suite_has_one_connection_and_says_so_in_its_names() {
        let works = Scenario::All.works(true);
        let names: BTreeSet<String> = works.iter().map(|work| work.name()).collect();
        assert_eq!(names.len(), works.len(), "{names:?}");
        assert!(works.iter().all(|work| work.connections == 1));
        assert!(names.iter().all(|name| name.ends_with("-c1")), "{names:?}");
        assert!(names.contains("list-1000-c1") && names.contains("mixed-70-30-c1"));
        assert_eq!(Scenario::Six.works(true).len(), 6);
    }

    #[test]
    fn rounds_suffice_for_every_comparison() {
        assert_eq!(rounds(2, 6, false), 16);
        assert_eq!(rounds(2, 10, false), 18);
        assert_eq!(rounds(2, 12, false), 18);
        assert_eq!(rounds(2, 25, false), 20);
        assert_eq!(rounds(1, 6, false), 8);
        assert_eq!(rounds(3, 6, false) % 6, 0, "whole Williams squares");
    }
}
