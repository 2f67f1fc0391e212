//! Rules about result files of other tools.
//!
//! [`lint`] applies every rule of [`LINT_RULES`] to the content of the files. Each finding quotes
//! the lines that prove the finding.

mod averaged_percentiles;
mod changed_untouched;
mod document;
mod few_samples;
mod filled_in;
mod hidden_failures;
mod left_out;
mod listed;
mod little;
pub(crate) mod named;
mod new_connections;
mod no_result;
mod own_verdict;
mod repeated;
mod reported;
mod requests;
mod single_requests;
mod single_runs;
mod stopped_at_deadline;
mod throughput_of_failures;

use tenbin_plan::Sentence;
use tenbin_result::Severity;

pub use document::document;
pub use listed::{Listed, Rounding, SECOND, Second, Unit};
pub use little::{at_the_ends, excess};
pub use named::is_named;
pub use repeated::series;
pub use reported::{
    Failed, Judged, LeftOut, Measurement, Percentile, Quote, Range, Reported, Said, is_impossible,
    percentile_name,
};
pub use single_requests::{SingleRequests, WINDOW, Window};

use crate::findings::rule_info::RuleInfo;

/// A rule about result files of other tools.
#[derive(Debug)]
pub struct LintRule {
    /// The description of the rule.
    pub info: RuleInfo,
    scope: Scope,
    judge: fn(&Files<'_>) -> Vec<LintFinding>,
}

/// The files that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The figures of single files of other tools; the run behind a file that Tenbin wrote has been
    /// judged.
    OtherTools,
    /// All files.
    All,
}

/// Every rule about files of other tools. `tenbin lint` and `docs/lint.md` come from this table.
pub const LINT_RULES: &[LintRule] = &[
    LintRule {
        info: no_result::RULE,
        scope: Scope::OtherTools,
        judge: no_result::judge,
    },
    LintRule {
        info: left_out::RULE,
        scope: Scope::All,
        judge: left_out::judge,
    },
    LintRule {
        info: little::RULE,
        scope: Scope::OtherTools,
        judge: little::judge,
    },
    LintRule {
        info: filled_in::RULE,
        scope: Scope::OtherTools,
        judge: filled_in::judge,
    },
    LintRule {
        info: throughput_of_failures::RULE,
        scope: Scope::OtherTools,
        judge: throughput_of_failures::judge,
    },
    LintRule {
        info: hidden_failures::RULE,
        scope: Scope::OtherTools,
        judge: hidden_failures::judge,
    },
    LintRule {
        info: stopped_at_deadline::RULE,
        scope: Scope::OtherTools,
        judge: stopped_at_deadline::judge,
    },
    LintRule {
        info: averaged_percentiles::RULE,
        scope: Scope::OtherTools,
        judge: averaged_percentiles::judge,
    },
    LintRule {
        info: few_samples::RULE,
        scope: Scope::OtherTools,
        judge: few_samples::judge,
    },
    LintRule {
        info: new_connections::RULE,
        scope: Scope::OtherTools,
        judge: new_connections::judge,
    },
    LintRule {
        info: requests::coordinated_omission::RULE,
        scope: Scope::OtherTools,
        judge: requests::coordinated_omission::judge,
    },
    LintRule {
        info: requests::unsteady_start::RULE,
        scope: Scope::OtherTools,
        judge: requests::unsteady_start::judge,
    },
    LintRule {
        info: requests::growing_times::RULE,
        scope: Scope::OtherTools,
        judge: requests::growing_times::judge,
    },
    LintRule {
        info: requests::coarse_clock::RULE,
        scope: Scope::OtherTools,
        judge: requests::coarse_clock::judge,
    },
    LintRule {
        info: requests::repeated_rows::RULE,
        scope: Scope::OtherTools,
        judge: requests::repeated_rows::judge,
    },
    LintRule {
        info: requests::interrupted::RULE,
        scope: Scope::OtherTools,
        judge: requests::interrupted::judge,
    },
    LintRule {
        info: requests::fast_errors::RULE,
        scope: Scope::OtherTools,
        judge: requests::fast_errors::judge,
    },
    LintRule {
        info: changed_untouched::RULE,
        scope: Scope::All,
        judge: changed_untouched::judge,
    },
    LintRule {
        info: single_runs::RULE,
        scope: Scope::All,
        judge: single_runs::judge,
    },
    LintRule {
        info: own_verdict::RULE,
        scope: Scope::All,
        judge: own_verdict::judge,
    },
];

/// The files that the rules judge.
#[derive(Debug, Clone, Copy)]
pub struct Files<'a> {
    /// The contents of the files, in order. Each file is compared with the next file.
    pub all: &'a [Reported],
    /// Names of the operations that the change between the files affects; empty if unknown.
    pub changed: &'a [String],
}

/// A finding of a rule about files.
#[derive(Debug, Clone, PartialEq)]
pub struct LintFinding {
    /// Name of the rule.
    pub rule: &'static str,
    /// Severity of the finding.
    pub severity: Severity,
    /// The operation concerned, if the finding is about a single operation.
    pub operation: Option<String>,
    /// The observation with its figures: a clause without a full stop.
    pub evidence: Sentence,
    /// What to do: a clause without a full stop.
    pub advice: Sentence,
    /// The lines of the files that prove the finding.
    pub quotes: Vec<FileQuote>,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileQuote {
    /// Name of the file.
    pub file: String,
    /// The quoted line.
    pub quote: Quote,
}

impl FileQuote {
    fn new(file: &Reported, quote: &Quote) -> Self {
        Self {
            file: file.file(),
            quote: quote.clone(),
        }
    }
}

/// The findings about `files`, in the order of the rules.
pub fn lint(files: &Files<'_>) -> Vec<LintFinding> {
    let unjudged = files.all.iter().filter(|file| file.judged.is_none());
    let unjudged: Vec<Reported> = unjudged.cloned().collect();
    let other_tools = Files {
        all: &unjudged,
        changed: files.changed,
    };
    let rules = LINT_RULES.iter();
    let found = rules.flat_map(|rule| match rule.scope {
        Scope::OtherTools => (rule.judge)(&other_tools),
        Scope::All => (rule.judge)(files),
    });
    repeated::once(files, found.collect())
}

/// Every measurement with its file.
fn measurements<'a>(
    files: &Files<'a>,
) -> impl Iterator<Item = (&'a Reported, &'a Measurement)> + use<'a> {
    let files = files.all.iter();
    files.flat_map(|file| file.measurements.iter().map(move |each| (file, each)))
}

/// The quotes of a file without duplicates.
fn quotes<'a>(file: &Reported, all: impl IntoIterator<Item = &'a Quote>) -> Vec<FileQuote> {
    let mut once: Vec<FileQuote> = Vec::new();
    for quote in all {
        let quote = FileQuote::new(file, quote);
        if !once.contains(&quote) {
            once.push(quote);
        }
    }
    once
}
