//! Compares the numbers of hits of two targets for the same patterns.

use std::collections::BTreeMap;

use tenbin_plan::Workload;
use tenbin_record::Environment;
use tenbin_result::{Language, Message, Value, message};

use crate::findings::messages::Messages;
use crate::words::pattern_name;

/// A pattern for which two targets report different numbers of hits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherHits {
    /// Position among the patterns of the workload, from 0.
    pub pattern: u32,
    /// Number of hits on the target.
    pub hits: u64,
    /// Number of hits on the baseline.
    pub of_baseline: u64,
}

/// Comparison of the numbers of hits of a target and of the baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HitsCompared {
    /// Number of patterns for which target and baseline reported a number.
    pub compared: usize,
    /// The patterns whose numbers differ by more than the tolerance, the largest difference first.
    pub different: Vec<OtherHits>,
    /// Whether more patterns differ than the tolerance allows.
    pub too_many: bool,
}

/// Compares the numbers of hits of two targets before the run; `None` if no pattern has a number on
/// both targets.
///
/// Two numbers differ if the difference, as a share of the larger number, exceeds the plan's
/// `hits_tolerance`. Too many patterns differ if the share of differing patterns among the compared
/// patterns also exceeds `hits_tolerance`.
pub fn compare_hits(
    workload: &Workload,
    environment: &Environment,
    baseline: &str,
    target: &str,
) -> Option<HitsCompared> {
    let found = |name: &str| -> BTreeMap<u32, u64> {
        let known = environment.targets.get(name);
        let hosts = known.map_or_else(Vec::new, |known| known.hits_before(&workload.name));
        let mut all = BTreeMap::new();
        for (pattern, hits) in hosts.into_iter().flat_map(|(_, hits)| hits) {
            if let Some(hits) = hits {
                all.entry(pattern).or_insert(hits);
            }
        }
        all
    };
    let tolerance = workload
        .patterns()
        .map_or(0.0, |patterns| patterns.hits_tolerance.share());
    let (mine, others) = (found(target), found(baseline));
    let both = mine.iter().filter_map(|(pattern, hits)| {
        Some(OtherHits {
            pattern: *pattern,
            hits: *hits,
            of_baseline: *others.get(pattern)?,
        })
    });
    let both: Vec<OtherHits> = both.collect();
    let compared = both.len();
    let mut different: Vec<OtherHits> = both
        .into_iter()
        .filter(|one| one.apart() > tolerance)
        .collect();
    different.sort_by(|a, b| b.apart().total_cmp(&a.apart()));
    let too_many = different.len() as f64 > tolerance * compared as f64;
    (compared > 0).then_some(HitsCompared {
        compared,
        different,
        too_many,
    })
}

/// Maximum number of patterns that a sentence names.
const NAMED: usize = 5;

impl HitsCompared {
    /// The number of patterns that differ, the tolerance, and the patterns with the largest
    /// differences, in a language.
    pub fn sentence(
        &self,
        workload: &Workload,
        environment: &Environment,
        baseline: &str,
        target: &str,
        language: Language,
    ) -> String {
        let message = self.message(workload, environment, baseline, target);
        let said = Messages::NONE.say(&message, language);
        said.unwrap_or_else(|| Messages::NONE.in_english(&message))
    }

    /// [`Self::sentence`] as data.
    pub(crate) fn message(
        &self,
        workload: &Workload,
        environment: &Environment,
        baseline: &str,
        target: &str,
    ) -> Message {
        let labels = environment.patterns.get(&workload.name);
        let labels = labels.map_or(&[][..], Vec::as_slice);
        let tolerance = workload
            .patterns()
            .map(|patterns| patterns.hits_tolerance)
            .filter(|tolerance| tolerance.share() > 0.0)
            .map_or_else(
                || Value::word("none"),
                |tolerance| tolerance.to_string().into(),
            );
        let patterns = self.different.iter().take(NAMED).map(|one| {
            message!(
                "pattern-hits",
                pattern = pattern_name(one.pattern, labels),
                hits = Value::Plain(one.hits),
                target,
                of_baseline = Value::Plain(one.of_baseline),
                baseline
            )
        });
        let named = match self.different.len() {
            0 => "none",
            few if few <= NAMED => "all",
            _ => "largest",
        };
        message!(
            "hits-differ",
            different = Value::Plain(self.different.len() as u64),
            compared = Value::Plain(self.compared as u64),
            tolerance,
            named = Value::word(named),
            patterns = Value::Clauses(patterns.collect())
        )
    }
}

impl OtherHits {
    /// The difference as a share of the larger number, 0 to 1.
    pub fn apart(&self) -> f64 {
        let larger = self.hits.max(self.of_baseline);
        match larger {
            0 => 0.0,
            _ => self.hits.abs_diff(self.of_baseline) as f64 / larger as f64,
        }
    }
}
