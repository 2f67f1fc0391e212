//! Trust in the figures, and the findings on which the trust is based.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::message::{FindingData, Message};

/// Whether numbers can be trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// No finding casts doubt on the numbers.
    #[default]
    Valid,
    /// The numbers may mislead.
    Suspect,
    /// The numbers cannot be trusted.
    Invalid,
}

impl Trust {
    /// The trust in a run with these findings: the most severe finding decides.
    pub fn after<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        findings
            .into_iter()
            .map(|finding| finding.severity.leaves())
            .max()
            .unwrap_or_default()
    }

    /// The trust in capitals, as printed.
    pub fn word(self) -> &'static str {
        match self {
            Self::Valid => "VALID",
            Self::Suspect => "SUSPECT",
            Self::Invalid => "INVALID",
        }
    }
}

/// How far absolute figures can be trusted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AbsoluteTrust {
    /// Trust in absolute figures; never better than the trust in the run.
    pub trust: Trust,
    /// Reasons why absolute figures, but not ratios, are in doubt; one observation per workload and
    /// target.
    pub because: Vec<String>,
    /// The reasons as data, in the same order; absent in runs of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<Message>,
}

/// One observation about a run that affects or explains the numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// Name of the rule that produced the finding.
    pub rule: String,
    /// Effect of the finding on the trust in the numbers.
    pub severity: Severity,
    /// Where the cause lies, and so what has to be changed.
    #[serde(alias = "blame")]
    pub cause: Cause,
    /// Name of the workload concerned; null if the finding concerns all workloads.
    pub workload: Option<String>,
    /// Name of the target concerned; null if the finding concerns all targets.
    pub target: Option<String>,
    /// The observation with its figures, as a clause without a full stop.
    pub evidence: String,
    /// What to do, as a clause without a full stop.
    pub advice: String,
    /// Evidence and advice as data, so that programs need not parse sentences; absent in runs of
    /// older versions and in findings about files of other tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<FindingData>,
}

impl Finding {
    /// The finding as one about a workload on a target.
    #[must_use]
    pub fn on(self, workload: &str, target: &str) -> Self {
        self.of_workload(workload).of_target(target)
    }

    /// The finding as one about a workload.
    #[must_use]
    pub fn of_workload(mut self, name: &str) -> Self {
        self.workload = Some(name.to_owned());
        self
    }

    /// The finding as one about a target.
    #[must_use]
    pub fn of_target(mut self, name: &str) -> Self {
        self.target = Some(name.to_owned());
        self
    }

    /// Whether the finding affects statements about these targets on this workload.
    pub fn concerns(&self, workload: &str, targets: &[&str]) -> bool {
        let workload_fits = self.workload.as_deref().is_none_or(|name| name == workload);
        let target_fits = self
            .target
            .as_deref()
            .is_none_or(|name| targets.contains(&name));
        workload_fits && target_fits
    }
}

/// Effect of a finding on the trust in the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Information only; the numbers can be trusted.
    Note,
    /// The numbers may mislead.
    Suspect,
    /// The numbers cannot be trusted.
    Invalid,
}

impl Severity {
    /// The trust in the numbers if no finding is more severe than this severity.
    pub fn leaves(self) -> Trust {
        match self {
            Self::Note => Trust::Valid,
            Self::Suspect => Trust::Suspect,
            Self::Invalid => Trust::Invalid,
        }
    }

    /// The next more severe kind if `so`, otherwise this kind.
    #[must_use]
    pub fn raised_if(self, so: bool) -> Self {
        match self {
            Self::Note if so => Self::Suspect,
            Self::Suspect if so => Self::Invalid,
            kept => kept,
        }
    }

    /// The name in capitals, as printed.
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "NOTE",
            Self::Suspect => Trust::Suspect.word(),
            Self::Invalid => Trust::Invalid.word(),
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Note => "note",
            Self::Suspect => "suspect",
            Self::Invalid => "invalid",
        })
    }
}

/// Where the cause of a finding lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The load generator or its machine.
    Generator,
    /// The network between load generator and target.
    Network,
    /// The target.
    Server,
    /// The configuration of the experiment.
    Setup,
    /// The plan: the planned load, connections or rounds do not suit the comparison.
    #[serde(alias = "question")]
    Plan,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Generator => "generator",
            Self::Network => "network",
            Self::Server => "server",
            Self::Setup => "setup",
            Self::Plan => "plan",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Cause, Finding};

    #[test]
    fn findings_of_earlier_versions_are_read() {
        let text = r#"{"rule": "r", "severity": "note", "blame": "question", "workload": null,
            "target": null, "evidence": "e", "advice": "a"}"#;
        let finding: Finding = serde_json::from_str(text).expect("a finding");
        assert_eq!(finding.cause, Cause::Plan);
        let text = serde_json::to_string(&finding).expect("JSON");
        assert!(text.contains(r#""cause":"plan""#), "{text}");
    }
}
