//! Rules that compare a median figure of the slices with a threshold.

use tenbin_record::{MachineUse, Slice};
use tenbin_result::{Cause, Finding, Message, Severity, Value};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::machine::{Place, places_above};

/// A rule that compares one or more figures with thresholds.
#[derive(Debug)]
pub(crate) struct Threshold {
    /// Description of the rule.
    pub(crate) info: RuleInfo,
    /// The figures with their thresholds, usually a single row.
    pub(crate) rows: &'static [Row],
}

/// One figure with its threshold.
#[derive(Debug)]
pub(crate) struct Row {
    /// The figure of one slice; `None` if it is unknown.
    pub(crate) figure: fn(&Slice, &MachineUse) -> Option<f64>,
    /// Threshold: a larger median over the full slices is a finding.
    pub(crate) above: f64,
    /// A larger median is INVALID; `None` if every finding has the first severity of the rule.
    pub(crate) invalid_above: Option<f64>,
    /// The cause of a large figure.
    pub(crate) cause: Cause,
    /// The evidence of a finding at a place. The arguments `share`, the median as a share, and
    /// `basis` are added.
    pub(crate) evidence: fn(&Place, &Evidence<'_>) -> Message,
    /// Id of the message that says what to do.
    pub(crate) advice: &'static str,
}

impl Threshold {
    /// A finding for each workload and target with a figure above its threshold; a single finding
    /// for the run if all workloads and targets are above.
    pub(crate) fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let of_row = |row: &'static Row| {
            let places = places_above(evidence, row.above, &row.figure);
            places.into_iter().map(move |place| {
                let evidence = (row.evidence)(&place, evidence)
                    .with("share", Value::Share(place.value))
                    .with("basis", place.basis());
                let severity = match row.invalid_above {
                    Some(limit) if place.value > limit => Severity::Invalid,
                    _ => self.info.severities[0],
                };
                let advice = Message::new(row.advice);
                place.finding(&self.info, severity, row.cause, evidence, advice)
            })
        };
        self.rows.iter().flat_map(of_row).collect()
    }
}
