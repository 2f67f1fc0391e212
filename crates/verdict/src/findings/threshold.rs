//! Rules that compare one figure of a slice with a threshold.

use tenbin_record::{MachineUse, Slice};
use tenbin_result::{Blame, Finding};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::machine::{Place, places_above};

/// A rule that compares figures with thresholds.
#[derive(Debug)]
pub(crate) struct Threshold {
    /// The findings have its first severity.
    pub(crate) info: RuleInfo,
    /// The figures with their thresholds, usually one.
    pub(crate) rows: &'static [Row],
}

/// One figure with its threshold.
#[derive(Debug)]
pub(crate) struct Row {
    /// The figure of one slice; `None` if it is unknown.
    pub(crate) figure: fn(&Slice, &MachineUse) -> Option<f64>,
    /// A larger median over the full slices is a finding.
    pub(crate) above: f64,
    /// What causes a large figure.
    pub(crate) blame: Blame,
    /// The evidence of a finding at this place.
    pub(crate) sentence: fn(&Place, &Evidence<'_>) -> String,
    /// What to do.
    pub(crate) advice: &'static str,
}

impl Threshold {
    /// A finding for each workload and target with a figure above its threshold, or one for the
    /// whole run if all of them have it.
    pub(crate) fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let of_row = |row: &'static Row| {
            let places = places_above(evidence, row.above, &row.figure);
            places.into_iter().map(move |place| {
                let sentence = (row.sentence)(&place, evidence);
                let severity = self.info.severities[0];
                place.finding(self.info.name, severity, row.blame, sentence, row.advice)
            })
        };
        self.rows.iter().flat_map(of_row).collect()
    }
}
