//! A machine without an idle core that runs load generator and target.

use tenbin_plan::Reach;
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::machine::Place;
use crate::rules::generator::client_saturated;
use crate::rules::machine::others_busy;
use crate::rules::machine::shared_cores;
use crate::rules::target::server_cpu;
use crate::server::backend::Backends;

/// Share of the CPU time of all cores below which no core counts as idle.
pub(crate) const IDLE: f64 = 0.10;
/// Share of idle CPU time below which processes certainly waited for a core.
pub(crate) const NONE_IDLE: f64 = 0.01;
/// CPU share of other programs above which `others_busy` reports the programs.
const OF_OTHERS: f64 = 0.10;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "machine_full",
    summary: Texts {
        english: "the machine that runs load generator and target had no idle core",
        japanese: "負荷生成側とターゲットが動くマシンに空きコアがなかった",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("machine_full"),
    messages: Messages {
        english: r#"
            little-idle =
                only { $share } of the CPU time of the machine that runs both load generator and
                target was idle ({ $basis })
        "#,
        japanese: r#"
            little-idle =
                負荷生成側とターゲットの両方が動くマシンの CPU の空きは { $share } しかなかった({ $basis })
        "#,
    },
    tier: Tier::Circumstance,
    explained_by: &[
        &others_busy::RULE,
        &shared_cores::RULE,
        &server_cpu::RULE,
        &client_saturated::RULE,
    ],
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let sentence = |cell: &&Cell<'_>| shared_cores::is_reported(cell, evidence);
    let rest = cells.iter().filter(|cell| !sentence(cell));
    let backends = Backends::of(evidence);
    let compares = evidence.plan.hypotheses() > 0;
    rest.filter_map(|cell| of_cell(cell, &backends, compares))
        .collect()
}

fn of_cell(cell: &Cell<'_>, backends: &Backends<'_>, compares: bool) -> Option<Finding> {
    let others = Place::of_cell(cell, &|_, machine| backends.share_of_others(machine));
    if others
        .as_ref()
        .is_some_and(|others| others.value > OF_OTHERS)
    {
        return None;
    }
    let is_ours = !matches!(cell.target.reach, Reach::Endpoint { .. });
    let is_accounted_for = is_ours && others.is_some();
    let idle = Place::of_cell(cell, &|slice, machine| {
        // `agent_saturated` reports the machines of agents.
        let here = machine.target_here? && slice.agents.is_empty();
        machine.cpu?.idle_share().filter(|_| here)
    })?;
    if idle.value >= IDLE {
        return None;
    }
    let little_idle = message!(
        "little-idle",
        share = Value::Share(idle.value),
        basis = idle.basis()
    );
    // Ratios can still be right; `absolute_figures` reports absolute figures as wrong.
    let severity =
        Severity::Note.raised_if(idle.value < NONE_IDLE && !is_accounted_for && !compares);
    let advice = message!("read-ratio");
    Some(idle.finding(&RULE, severity, Cause::Setup, little_idle, advice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Run, agent};
    use tenbin_result::Trust;

    /// A target on this machine that Tenbin did not start and does not observe.
    fn full(idle: f64) -> Run {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.unobserved();
            let machine = slice.machine();
            machine.others_cpu_seconds = None;
            let cpu = machine.cpu.as_mut().unwrap();
            (cpu.busy, cpu.interrupts, cpu.idle, cpu.iowait) = (2.0 - idle, 0.0, idle, 0.0);
        });
        run
    }

    #[test]
    fn fires_without_knowing_what_the_target_used() {
        let findings = full(0.1).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(findings[0].evidence.starts_with("only 5 % of the CPU time"));
    }

    #[test]
    fn suspect_when_nothing_is_idle_and_the_cause_is_unknown() {
        let severity = |run: &Run| run.findings(&RULE)[0].severity;
        let full = |idle: f64| {
            let mut run = full(idle);
            run.plan.targets.remove(0);
            run.slices.retain(|slice| slice.target == "b");
            run
        };
        assert_eq!(severity(&full(0.1)), Severity::Note);
        assert_eq!(severity(&full(0.01)), Severity::Suspect);
        let mut known = full(0.01);
        known.each(|slice| slice.machine().others_cpu_seconds = Some(0.02));
        assert_eq!(severity(&known), Severity::Note);
        assert_eq!(severity(&known.elsewhere()), Severity::Suspect);
    }

    #[test]
    fn a_ratio_stands_where_nothing_is_idle() {
        let run = full(0.01);
        assert_eq!(run.findings(&RULE)[0].severity, Severity::Note);
        let assessment = run.assess();
        assert_eq!(assessment.trust, Trust::Valid);
        assert_eq!(assessment.absolute.trust, Trust::Suspect);
    }

    #[test]
    fn silent_with_room_to_spare_or_a_target_elsewhere() {
        assert_eq!(full(0.3).findings(&RULE), []);
        let mut run = full(0.1);
        run.each(|slice| slice.machine().target_here = Some(false));
        assert_eq!(run.findings(&RULE), []);
        run.each(|slice| slice.machine().target_here = None);
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn silent_if_agents_send_the_load() {
        let mut run = full(0.1);
        run.agents_of("b", |_| vec![agent(1_000, 0.2)]);
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn the_cpu_time_of_agents_is_not_that_of_this_machine() {
        let mut run = Run::pair(8);
        run.each(|slice| {
            slice.0.client.cpu_seconds = 1.0;
            slice.server_cpu(1.2);
        });
        assert_eq!(run.findings(&shared_cores::RULE).len(), 2);
        for target in ["a", "b"] {
            run.agents_of(target, |_| vec![agent(1_000, 0.2)]);
        }
        assert_eq!(run.findings(&shared_cores::RULE), []);
    }

    #[test]
    fn silent_when_another_rule_names_the_cause() {
        let mut known = full(0.1);
        known.each_of("b", |slice| slice.server_cpu(1.7));
        assert_eq!(known.findings(&RULE), []);
        assert_eq!(known.findings(&shared_cores::RULE).len(), 1);
        let mut others = full(0.1);
        others.each(|slice| slice.machine().others_cpu_seconds = Some(0.9));
        assert_eq!(others.findings(&RULE), []);
    }
}
