//! The description of a rule.

use tenbin_result::{Cause, Finding, FindingData, Language, Message, Severity};

use crate::findings::distortion::Distortion;
use crate::findings::messages::Messages;

/// The subject of a finding, in the order of the report; [`Tier::Cause`] and [`Tier::Question`]
/// share a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tier {
    /// Whether the work was done, was equal for all targets, and was counted correctly.
    Work,
    /// The cause of a ratio or a limit: a property of a target, of the load or of the route.
    Cause,
    /// As [`Tier::Cause`], but the finding asks for another load and so does not explain the
    /// figures.
    Question,
    /// Conditions on the machines, which add noise and shift absolute figures.
    Circumstance,
    /// Whether there are enough slices and samples for a conclusion.
    Precision,
    /// The result that the run was meant to find.
    Result,
}

impl Tier {
    /// The position of the tier in a report, from 0.
    pub(crate) fn place(self) -> u8 {
        match self {
            Self::Work => 0,
            Self::Cause | Self::Question => 1,
            Self::Circumstance => 2,
            Self::Precision => 3,
            Self::Result => 4,
        }
    }
}

/// A text in every language.
#[derive(Debug, Clone, Copy)]
pub struct Texts {
    /// The text in English.
    pub english: &'static str,
    /// The same text in Japanese.
    pub japanese: &'static str,
}

impl Texts {
    const NONE: Self = Self {
        english: "",
        japanese: "",
    };

    /// The text in a language.
    pub fn in_language(self, language: Language) -> &'static str {
        match language {
            Language::English => self.english,
            Language::Japanese => self.japanese,
        }
    }
}

/// The pages `<name>.md` and `<name>.ja.md` beside the file of the rule.
macro_rules! pages {
    ($name:literal) => {
        $crate::findings::rule_info::Texts {
            english: include_str!(concat!($name, ".md")),
            japanese: include_str!(concat!($name, ".ja.md")),
        }
    };
}
pub(crate) use pages;

/// Description of a rule for `docs/findings.md`, `tenbin explain` and the reports.
#[derive(Debug)]
pub struct RuleInfo {
    /// Name of the rule in files and reports, for example `client_saturated`.
    pub name: &'static str,
    /// What the rule finds, in one line without a full stop.
    pub summary: Texts,
    /// The severities that findings of the rule can have, the mildest first.
    pub severities: &'static [Severity],
    /// A page in Markdown: the test, the threshold and its source, why the finding matters, what to
    /// do.
    pub explanation: Texts,
    /// The sentences of the rule's findings.
    pub(crate) messages: Messages,
    /// The place of the rule's findings in a report.
    pub(crate) tier: Tier,
    /// Findings of the rule that are only a circumstance, whatever the tier of the rule.
    pub(crate) is_circumstance: fn(&Finding) -> bool,
    /// The rules that explain findings of this rule: a finding is removed if one of them has a
    /// finding, at least as severe, about the same workload and target.
    pub(crate) explained_by: &'static [&'static RuleInfo],
    /// Whether a note of the rule says what limits a target. The first screen has the line on the
    /// limit instead, if that is known.
    pub(crate) tells_limit: bool,
    /// The limits that findings of the rule, except notes, name, by their names in the table of
    /// causes. They contradict any other limit.
    pub(crate) says_limit: &'static [&'static str],
    /// Findings of the rule that no other finding explains.
    pub(crate) stands_alone: fn(&Finding) -> bool,
    /// The figures that the fault can distort, and in which direction.
    pub(crate) distorts: Distortion,
}

impl RuleInfo {
    /// The values of a rule without exceptions, for struct updates.
    pub(crate) const PLAIN: Self = Self {
        name: "",
        summary: Texts::NONE,
        severities: &[],
        explanation: Texts::NONE,
        messages: Messages::NONE,
        tier: Tier::Cause,
        is_circumstance: |_| false,
        explained_by: &[],
        tells_limit: false,
        says_limit: &[],
        stands_alone: |_| false,
        distorts: Distortion::ANY,
    };

    /// A finding of this rule about the whole run, with its sentences as messages of the rule.
    pub(crate) fn finding(
        &self,
        severity: Severity,
        cause: Cause,
        evidence: Message,
        advice: Message,
    ) -> Finding {
        Finding {
            rule: self.name.to_owned(),
            severity,
            cause,
            workload: None,
            target: None,
            evidence: self.messages.in_english(&evidence),
            advice: self.messages.in_english(&advice),
            data: Some(FindingData {
                evidence,
                advice,
                also: None,
            }),
        }
    }
}
