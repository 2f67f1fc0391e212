//! What can be wrong with a run, one rule per file.
//!
//! A new rule is a file here with a page of explanation beside it, a line in
//! [`RULES`], and two tests: one in which it fires, one in which it is silent.

mod absolute_figures;
mod accept_queue;
mod backend_cpu;
mod bandwidth;
mod busy_idle_target;
mod cache_forecast;
mod cache_share;
mod carry_over;
mod censored;
mod changed_answers;
mod changed_record;
mod client_saturated;
mod coordinated_waiting;
mod cpu_frequency;
mod disk_space;
mod drift;
mod errors;
mod flagged_slices;
mod highest_rate;
mod hysteresis;
mod incomplete;
mod keep_alive;
mod large_objects;
mod little;
mod machine_full;
mod medium_objects;
mod mixed_responses;
mod network_latency;
mod no_hits;
mod one_start;
mod optimum_concurrency;
mod others_busy;
mod overload;
mod port_exhaustion;
mod proxy_hop;
mod quantised;
mod rate_too_low;
mod retransmits;
mod send_lag;
mod server_cpu;
mod shared_cores;
mod short_slices;
mod slow_stage;
mod slowing;
mod small_objects;
mod stalls;
mod steal;
mod storage_pressure;
mod swapping;
mod sweep_optimum;
mod tail_signature;
mod throttled;
mod too_few_connections;
mod too_few_samples;
mod too_wide;
mod twin;
mod unbalanced_hosts;
mod unequal_answers;
mod unequal_hits;
mod unequal_paths;
mod unequal_requests;
mod uneven_hosts;
mod uneven_workers;
mod unobserved;
mod warm_up;
mod worker_limit;

pub(crate) use absolute_figures::NAME as ABSOLUTE_FIGURES;
pub use little::connecting;
pub(crate) use little::rho;

use tenbin_result::{Finding, Severity};

use crate::evidence::Evidence;

/// Looks at a run for one thing that makes numbers lie.
pub trait Rule: Sync {
    /// Its name in files and reports, for example `client_saturated`.
    fn name(&self) -> &'static str;

    /// What it looks for, one line without a full stop.
    fn summary(&self) -> &'static str;

    /// How severe its findings are, the mildest first.
    fn severities(&self) -> &'static [Severity];

    /// A page, Markdown: the test, the threshold and where it comes from, why it
    /// matters, what to do.
    fn explanation(&self) -> &'static str;

    /// What it finds.
    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding>;
}

/// Every rule, in the order in which findings of one severity are told.
pub static RULES: &[&dyn Rule] = &[
    &errors::Errors,
    &mixed_responses::MixedResponses,
    &unequal_answers::UnequalAnswers,
    &unequal_hits::UnequalHits,
    &no_hits::NoHits,
    &changed_answers::ChangedAnswers,
    &unequal_requests::UnequalRequests,
    &cache_forecast::CacheForecast,
    &cache_share::CacheShare,
    &port_exhaustion::PortExhaustion,
    &little::LittlesLaw,
    &client_saturated::ClientSaturated,
    &send_lag::SendLag,
    &throttled::Throttled,
    &swapping::Swapping,
    &network_latency::NetworkLatency,
    &bandwidth::Bandwidth,
    &retransmits::Retransmits,
    &accept_queue::AcceptQueue,
    &steal::Steal,
    &busy_idle_target::BusyIdleTarget,
    &censored::Censored,
    &overload::Overload,
    &changed_record::ChangedRecord,
    &incomplete::Incomplete,
    &keep_alive::KeepAlive,
    &proxy_hop::ProxyHop,
    &unequal_paths::UnequalPaths,
    &unbalanced_hosts::UnbalancedHosts,
    &uneven_hosts::UnevenHosts,
    &tail_signature::TailSignature,
    &slow_stage::SlowStage,
    &worker_limit::WorkerLimit,
    &server_cpu::ServerCpu,
    &backend_cpu::BackendCpu,
    &stalls::Stalls,
    &short_slices::ShortSlices,
    &storage_pressure::StoragePressure,
    &cpu_frequency::CpuFrequency,
    &disk_space::DiskSpace,
    &uneven_workers::UnevenWorkers,
    &too_few_connections::TooFewConnections,
    &rate_too_low::RateTooLow,
    &coordinated_waiting::CoordinatedWaiting,
    &quantised::Quantised,
    &warm_up::WarmUp,
    &carry_over::CarryOver,
    &twin::Twin,
    &flagged_slices::FlaggedSlices,
    &slowing::Slowing,
    &drift::Drifting,
    &shared_cores::SharedCores,
    &absolute_figures::AbsoluteFigures,
    &machine_full::MachineFull,
    &others_busy::OthersBusy,
    &too_few_samples::TooFewSamples,
    &too_wide::TooWide,
    &one_start::OneStart,
    &unobserved::Unobserved,
    &optimum_concurrency::OptimumConcurrency,
    &sweep_optimum::SweepOptimum,
    &hysteresis::Hysteresis,
    &highest_rate::HighestRate,
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
            assert!(!rule.severities().is_empty(), "{}", rule.name());
            assert!(rule.severities().is_sorted(), "{}", rule.name());
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
