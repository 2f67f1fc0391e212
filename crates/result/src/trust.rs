//! Whether the figures can be trusted, and the findings that say so.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What follows a sentence whose numbers may mislead.
pub const SUSPECT: &str = "; the numbers are suspect, see the findings";

/// Whether numbers can be trusted.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Nothing speaks against them.
    #[default]
    Valid,
    /// They may mislead.
    Suspect,
    /// They cannot be believed.
    Invalid,
}

impl Trust {
    /// As far as these findings allow.
    pub fn after<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        findings
            .into_iter()
            .map(|finding| finding.severity.leaves())
            .max()
            .unwrap_or_default()
    }

    /// The sentence, with a warning behind it where the numbers may mislead. Where they cannot be
    /// believed: that there is no verdict on `about`.
    pub fn qualify(self, sentence: String, about: &str) -> String {
        match self {
            Self::Valid => sentence,
            Self::Suspect => format!("{sentence}{SUSPECT}"),
            Self::Invalid => {
                format!("no verdict on {about}: the numbers cannot be believed, see the findings")
            }
        }
    }

    /// The same in capitals.
    pub fn word(self) -> &'static str {
        match self {
            Self::Valid => "VALID",
            Self::Suspect => "SUSPECT",
            Self::Invalid => "INVALID",
        }
    }
}

/// How far absolute figures can be trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AbsoluteTrust {
    /// Never more than that of the run.
    pub trust: Trust,
    /// Why not, if the reason concerns absolute figures only: what was observed of each workload on
    /// each target.
    pub because: Vec<String>,
}

/// One observation about a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Name of the rule that made it.
    pub rule: String,
    /// How much it matters.
    pub severity: Severity,
    /// Who has to change something.
    pub blame: Blame,
    /// The workload it is about; all of them when null.
    pub workload: Option<String>,
    /// The target it is about; all of them when null.
    pub target: Option<String>,
    /// What was observed, with figures: a clause without a full stop.
    pub evidence: String,
    /// What to do: a clause without a full stop.
    pub advice: String,
}

impl Finding {
    /// Whether it bears on what is said of these targets at this workload.
    pub fn concerns(&self, workload: &str, targets: &[&str]) -> bool {
        let workload_fits = self.workload.as_deref().is_none_or(|name| name == workload);
        let target_fits = self
            .target
            .as_deref()
            .is_none_or(|name| targets.contains(&name));
        workload_fits && target_fits
    }
}

/// How much a finding matters.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; the numbers stand.
    Note,
    /// The numbers may mislead.
    Suspect,
    /// The numbers cannot be believed.
    Invalid,
}

impl Severity {
    /// How far numbers can be trusted after a finding of this severity.
    pub fn leaves(self) -> Trust {
        match self {
            Self::Note => Trust::Valid,
            Self::Suspect => Trust::Suspect,
            Self::Invalid => Trust::Invalid,
        }
    }

    /// The same in capitals.
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

/// Who has to change something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Blame {
    /// The load generator, or the machine it runs on.
    Generator,
    /// What lies between generator and target.
    Network,
    /// The target.
    Server,
    /// How the experiment was set up.
    Setup,
    /// The question: the rounds are too few to answer it.
    Question,
}

impl fmt::Display for Blame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Generator => "generator",
            Self::Network => "network",
            Self::Server => "server",
            Self::Setup => "setup",
            Self::Question => "question",
        })
    }
}
