//! The result of a search for the commit that made a server slower, as in `tenbin bisect --json`.

use serde::{Deserialize, Serialize};

use crate::metric::MetricName;

/// Schema version of the result of a bisect.
pub const BISECT_SCHEMA: &str = "tenbin.bisect/1";

/// Which commit made a figure worse.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bisect {
    /// Schema version: `tenbin.bisect/1`.
    pub schema: String,
    /// The result.
    pub outcome: BisectOutcome,
    /// The good end, as given, with the start of its commit.
    pub good: String,
    /// The bad end, as given, with the start of its commit.
    pub bad: String,
    /// Name of the workload.
    pub workload: String,
    /// Name of the figure, for example `throughput`; null if no figure decided.
    pub metric: Option<MetricName>,
    /// The figure of the bad end divided by that of the good end; null if unknown.
    pub change: Option<BisectRatio>,
    /// Probability at which the search ends, 0 to 1.
    pub wanted_certainty: f64,
    /// The most probable commits, which measurements cannot tell apart: the first and the last index
    /// into `commits`. Null before both ends were told apart.
    pub group: Option<(u64, u64)>,
    /// Probability of this group, 0 to 1; null without a group.
    pub certainty: Option<f64>,
    /// The commits after the good end, oldest first. The last is the bad end.
    pub commits: Vec<BisectCommit>,
    /// Number of builds, without those of an earlier bisect or gate.
    pub builds: u64,
    /// Number of blocks.
    pub blocks: u64,
    /// Time of all measurements with the starts of the servers, seconds.
    pub seconds: f64,
    /// Longest time of all measurements, seconds.
    pub budget_seconds: f64,
    /// Time with all builds, seconds.
    pub whole_seconds: f64,
    /// The run directories, in order.
    pub runs: Vec<String>,
}

/// How a bisect ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BisectOutcome {
    /// One commit has the certainty.
    Found,
    /// A group of commits has the certainty. Commits of the group could not be measured.
    Group,
    /// The time ended before a commit had the certainty, or measurements do not show that the figure
    /// changed at one commit.
    CannotTell,
    /// The bad end is proven not worse than the good end by more than the margin.
    NotWorse,
    /// The bad end is not proven worse than the good end within its part of the time.
    NotProven,
    /// The figures of both ends cannot be used.
    Invalid,
    /// The search was interrupted.
    Interrupted,
}

/// A ratio to the good end with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BisectRatio {
    /// The ratio.
    pub value: f64,
    /// Lower end of the interval, which holds with 95 %; null if unknown.
    pub low: Option<f64>,
    /// Upper end of the interval; null if unknown.
    pub high: Option<f64>,
}

/// A commit of a bisect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BisectCommit {
    /// Full name of the commit.
    pub commit: String,
    /// Date of the author, RFC 3339.
    pub date: String,
    /// First line of the message.
    pub subject: String,
    /// Probability that this commit made the figure worse, 0 to 1; null before both ends were told
    /// apart.
    pub probability: Option<f64>,
    /// Number of blocks in which the commit was measured against the good end.
    pub blocks: u64,
    /// Median of the ratios of these blocks; null without blocks.
    pub ratio: Option<f64>,
    /// Why the commit was skipped; null if it was not.
    pub skipped: Option<String>,
    /// Whether the commit is neither like the good nor like the bad end, a sign of several changes.
    pub between: bool,
}
