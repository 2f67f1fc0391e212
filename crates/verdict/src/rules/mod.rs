//! What can be wrong with a run, one rule per file.
//!
//! A new rule is a file here with a page of explanation beside it, a line in
//! [`RULES`], and two tests: one in which it fires, one in which it is silent.

mod censored;
mod client_saturated;
mod drift;
mod errors;
mod incomplete;
mod large_objects;
mod little;
mod medium_objects;
mod optimum_concurrency;
mod overload;
mod shared_cores;
mod short_slices;
mod small_objects;
mod too_few_samples;
mod too_wide;

use crate::evidence::Evidence;
use crate::finding::Finding;

/// Looks at a run for one thing that makes numbers lie.
pub trait Rule: Sync {
    /// Its name in files and reports, for example `client_saturated`.
    fn name(&self) -> &'static str;

    /// What it looks for, one line without a full stop.
    fn summary(&self) -> &'static str;

    /// A page, Markdown: the test, the threshold and where it comes from, why it
    /// matters, what to do.
    fn explanation(&self) -> &'static str;

    /// What it finds.
    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding>;
}

/// Every rule, in the order in which findings of one severity are told.
pub static RULES: &[&dyn Rule] = &[
    &errors::Errors,
    &little::LittlesLaw,
    &client_saturated::ClientSaturated,
    &censored::Censored,
    &overload::Overload,
    &incomplete::Incomplete,
    &short_slices::ShortSlices,
    &shared_cores::SharedCores,
    &drift::Drifting,
    &too_few_samples::TooFewSamples,
    &too_wide::TooWide,
    &optimum_concurrency::OptimumConcurrency,
    &small_objects::SmallObjects,
    &medium_objects::MediumObjects,
    &large_objects::LargeObjects,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;
    use std::collections::BTreeSet;

    #[test]
    fn every_rule_has_its_own_name_and_a_page() {
        let names: BTreeSet<&str> = RULES.iter().map(|rule| rule.name()).collect();
        assert_eq!(names.len(), RULES.len());
        for rule in RULES {
            assert!(!rule.summary().ends_with('.'), "{}", rule.name());
            let page = rule.explanation();
            assert!(page.len() > 300, "{}", rule.name());
            for part in ["**Test.**", "**Threshold.**", "**What to do.**"] {
                assert!(page.contains(part), "{} lacks {part}", rule.name());
            }
        }
    }

    #[test]
    fn a_good_run_has_no_findings() {
        let run = Run::pair(8);
        for rule in RULES {
            assert_eq!(run.findings(*rule), [], "{}", rule.name());
        }
    }
}
