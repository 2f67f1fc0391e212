//! The rules, one per file, in folders by subject.
//!
//! To add a rule, add a file with a page of explanation, a line in [`RULES`], and two tests: a run
//! with the finding and a run without the finding.

mod cache;
mod comparison;
mod connections;
mod generator;
mod load;
mod machine;
mod objects;
mod record;
mod responses;
mod target;

pub(crate) use comparison::absolute_figures::NAME as ABSOLUTE_FIGURES;
pub(crate) use comparison::sustained::RULE as SUSTAINED;
pub use generator::little::connecting;
pub(crate) use generator::little::rho;

use machine::thresholds;

use crate::findings::rule::Rule;

/// Creates the rule that a file defines.
macro_rules! rule {
    ($room:ident::$file:ident) => {
        Rule::new(&$room::$file::RULE, $room::$file::judge)
    };
}

/// Every rule. Findings of one tier and severity are reported in this order.
pub static RULES: &[Rule] = &[
    rule!(responses::errors),
    rule!(responses::read_back),
    rule!(responses::mixed_responses),
    rule!(responses::suspicious_response),
    rule!(responses::content_under_load),
    rule!(responses::unequal_answers),
    rule!(connections::stream_limit),
    rule!(cache::unequal_hits),
    rule!(cache::no_hits),
    rule!(responses::literal_template),
    rule!(responses::changed_answers),
    rule!(responses::unchecked_content),
    rule!(responses::unequal_requests),
    rule!(responses::left_behind),
    rule!(cache::cache_forecast),
    rule!(cache::cache_share),
    rule!(connections::port_exhaustion),
    rule!(generator::little),
    rule!(generator::client_saturated),
    rule!(generator::send_lag),
    rule!(generator::start_skew),
    rule!(generator::agents_differ),
    rule!(generator::agents_disagree),
    rule!(generator::agent_saturated),
    rule!(generator::agent_far),
    rule!(generator::agents_unlike),
    rule!(generator::agent_lost),
    Rule::threshold(&thresholds::THROTTLED),
    rule!(machine::swapping),
    rule!(connections::network_latency),
    Rule::threshold(&thresholds::BANDWIDTH),
    Rule::threshold(&thresholds::RETRANSMITS),
    rule!(machine::accept_queue),
    Rule::threshold(&thresholds::STEAL),
    rule!(machine::busy_idle_target),
    rule!(responses::censored),
    rule!(target::overload),
    rule!(record::changed_record),
    rule!(record::incomplete),
    rule!(connections::resent),
    rule!(target::process_ended),
    rule!(target::outage),
    rule!(target::dead_hosts),
    rule!(target::failed_start),
    rule!(connections::keep_alive),
    rule!(connections::proxy_hop),
    rule!(connections::unequal_paths),
    rule!(connections::unbalanced_hosts),
    rule!(connections::uneven_hosts),
    rule!(target::tail_signature),
    rule!(target::slow_stage),
    rule!(target::worker_limit),
    rule!(target::server_cpu),
    rule!(target::backend_cpu),
    rule!(target::stalls),
    rule!(comparison::short_slices),
    Rule::threshold(&thresholds::STORAGE_PRESSURE),
    Rule::threshold(&thresholds::CPU_FREQUENCY),
    rule!(machine::disk_space),
    rule!(target::uneven_workers),
    rule!(load::too_few_connections),
    rule!(load::rate_too_low),
    rule!(generator::coordinated_waiting),
    rule!(target::quantised),
    rule!(comparison::warm_up),
    rule!(comparison::carry_over),
    rule!(comparison::twin),
    rule!(comparison::flagged_slices),
    rule!(comparison::sustained),
    rule!(comparison::slowing),
    rule!(comparison::drift),
    rule!(machine::shared_cores),
    rule!(comparison::absolute_figures),
    rule!(machine::machine_full),
    rule!(machine::others_busy),
    rule!(comparison::too_few_samples),
    rule!(comparison::too_wide),
    rule!(comparison::one_start),
    rule!(record::unobserved),
    rule!(responses::bare_line_feeds),
    rule!(load::optimum_concurrency),
    rule!(load::sweep_optimum),
    rule!(load::hysteresis),
    rule!(load::highest_rate),
    rule!(objects::small_objects),
    rule!(objects::medium_objects),
    rule!(objects::large_objects),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;
    use std::collections::BTreeSet;

    #[test]
    fn every_rule_has_its_own_name_and_a_page() {
        let names: BTreeSet<&str> = RULES.iter().map(|rule| rule.info.name).collect();
        assert_eq!(names.len(), RULES.len());
        for rule in RULES {
            assert!(!rule.info.summary.ends_with('.'), "{}", rule.info.name);
            assert!(!rule.info.severities.is_empty(), "{}", rule.info.name);
            assert!(rule.info.severities.is_sorted(), "{}", rule.info.name);
            let page = rule.info.explanation;
            assert!(page.len() > 300, "{}", rule.info.name);
            for part in ["**Test.**", "**Threshold.**", "**What to do.**"] {
                assert!(page.contains(part), "{} lacks {part}", rule.info.name);
            }
        }
    }

    #[test]
    fn a_good_run_has_no_findings() {
        let run = Run::pair(8);
        for rule in RULES {
            assert_eq!(run.findings(rule.info), [], "{}", rule.info.name);
        }
    }
}
