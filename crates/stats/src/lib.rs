//! Estimates, intervals and tests as pure functions.
//!
//! An unknown figure is [`Measured::Unknown`] or `None`, never 0. Every interval states its
//! achieved confidence. With the exact methods, the achieved confidence is at least the requested
//! confidence.

mod bands;
mod betting;
mod bisection;
mod change_points;
mod clustered;
mod coordinated;
mod correlation;
mod departures;
mod distribution;
mod estimate;
mod fisher;
mod holm;
mod knee;
mod little;
mod max_rate;
mod order;
mod pairing;
mod power;
mod proportion;
mod rank_sum;
mod run_to_run;
mod sequential;
mod signed_rank;
mod simultaneous;
mod spacing;
mod sustained;
#[cfg(test)]
mod testing;
mod usl;

pub use bands::band_shares;
pub use betting::{Null, evidence_against, running_bounds};
pub use bisection::{Bisection, Decision as BisectionDecision, Posterior, Step as BisectionStep};
pub use change_points::{FEWEST_RUNS, LevelChange, Levels, RunValue, Stretch, levels};
pub use clustered::{Cluster, clustered_mean, clustered_quantile, jackknife};
pub use coordinated::uncoordinated_quantile;
pub use correlation::correlation;
pub use departures::departures;
pub use distribution::{normal_cdf, normal_quantile, student_cdf, student_quantile};
pub use estimate::{Estimate, Measured};
pub use fisher::fewer_by_chance;
pub use holm::holm;
pub use knee::{KNEE_GAIN, Knee, knee};
pub use little::Little;
pub use max_rate::{
    MaxRate, Probe, ProbeTimes, Purpose, SEARCH_PRECISION, Search, ShareCounts, Step, Vote, Yield,
};
pub use order::{fewest_samples, median, printable_percentile};
pub use pairing::{Drift, block_log_ratio, drift, quad_carry_over, quad_drift, ratio};
pub use power::{
    blocks_for_significance, blocks_needed, detectable_log_effect, standard_deviation,
};
pub use proportion::{equal_proportions_p, proportion};
pub use rank_sum::{rank_sum_p, shift, unpaired_ratio};
pub use run_to_run::RunSpread;
pub use sequential::{DISTURBED, SHARE_ERROR, Second};
pub use signed_rank::{hodges_lehmann, interval_p, signed_rank_p};
pub use simultaneous::{bonferroni, confidence_of_each, confidence_together};
pub use spacing::independent_spacing;
pub use sustained::{contradicts, falls, falls_far, rises, settled_from};
pub use usl::{FEWEST_USL_LEVELS, Level, Usl, UslFit, usl_fit};

/// Default confidence of intervals, 0 to 1.
pub const CONFIDENCE: f64 = 0.95;
