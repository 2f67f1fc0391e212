//! The rules, one per file, in folders by subject. Rules that only compare a figure of the machine
//! with a limit, such as `steal`, are rows in `machine/thresholds.rs`.
//!
//! To add a rule, add a file with a page of explanation in each language, a line in [`RULES`], and two tests: a run
//! with the finding and a run without the finding.

mod availability;
mod cache;
mod comparison;
pub(crate) mod connections;
mod content;
pub(crate) mod generator;
mod load;
pub(crate) mod machine;
mod objects;
mod record;
mod responses;
mod target;

pub(crate) use comparison::absolute_figures::NAME as ABSOLUTE_FIGURES;
pub(crate) use comparison::sustained::RULE as SUSTAINED;
pub use content::literal_template::template_in;
pub use generator::little::connecting;
pub use responses::left_behind::left_behind;

use machine::thresholds;

use crate::findings::rule::Rule;
use crate::findings::rule_info::RuleInfo;

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
    rule!(content::mixed_responses),
    rule!(content::suspicious_response),
    rule!(content::content_under_load),
    rule!(content::unequal_answers),
    rule!(connections::stream_limit),
    rule!(cache::unequal_hits),
    rule!(cache::no_hits),
    rule!(content::literal_template),
    rule!(content::changed_answers),
    rule!(content::unchecked_content),
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
    rule!(availability::process_ended),
    rule!(availability::outage),
    rule!(availability::key_renewal),
    rule!(availability::dead_hosts),
    rule!(availability::failed_start),
    rule!(responses::checksum_ignored),
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
    rule!(load::unfinished),
    Rule::threshold(&thresholds::STORAGE_PRESSURE),
    Rule::threshold(&thresholds::CPU_FREQUENCY),
    rule!(machine::disk_space),
    rule!(target::development_server),
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
    rule!(content::bare_line_feeds),
    rule!(load::optimum_concurrency),
    rule!(load::sweep_optimum),
    rule!(load::hysteresis),
    rule!(load::highest_rate),
    rule!(objects::small_objects),
    rule!(objects::medium_objects),
    rule!(objects::large_objects),
];

/// The description of a rule by its name; `None` for a rule that this version does not have.
pub(crate) fn named(name: &str) -> Option<&'static RuleInfo> {
    let mut all = RULES.iter();
    all.find(|rule| rule.info.name == name)
        .map(|rule| rule.info)
}

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
            assert!(
                !rule.info.summary.english.ends_with('.'),
                "{}",
                rule.info.name
            );
            assert!(!rule.info.severities.is_empty(), "{}", rule.info.name);
            assert!(rule.info.severities.is_sorted(), "{}", rule.info.name);
            let page = rule.info.explanation.english;
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
