//! Unrelated programs that use the cores.

use std::collections::BTreeMap;

use tenbin_result::format::{percent, plural};
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::machine::places_above;
use crate::server::backend::Backends;
use crate::words::{middle, tame};

/// Share of the CPU time of all cores above which there is a finding.
const NOTICEABLE: f64 = 0.10;

/// Share of busy slices (slices in which other programs exceed [`NOTICEABLE`]) above which there is
/// a finding even if the median slice is not busy.
const SEVERAL: f64 = 0.02;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "others_busy",
    summary: "other programs used the machine during the measurement",
    severities: &[Severity::Note, Severity::Suspect],
    explanation: include_str!("others_busy.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let backends = Backends::of(evidence);
    let places = places_above(evidence, NOTICEABLE, &|_, machine| {
        backends.share_of_others(machine)
    });
    if places.is_empty() {
        let other = now_and_then(evidence, &backends);
        let other = other.or_else(|| server_included(evidence, &backends));
        return other.into_iter().collect();
    }
    let (programs, advice) = if backends.knows_unrelated() {
        ("programs that do not work for a target", ADVICE)
    } else {
        ("other programs", ADVICE_IF_UNKNOWN)
    };
    let finding = places.into_iter().map(|place| {
        let sentence = format!(
            "{programs} used {} of the CPU time of all cores ({}){}",
            percent(place.value),
            place.basis(),
            busiest(evidence, &backends)
        );
        place.finding(
            RULE.name,
            Severity::Suspect,
            Cause::Generator,
            sentence,
            advice,
        )
    });
    finding.collect()
}

const ADVICE: &str = "stop other programs before the run (updates, backups, builds, containers); \
                      `tenbin doctor` shows whether the machine is idle";

const ADVICE_IF_UNKNOWN: &str = "if a program works for a target (a database, a storage node), name \
     it with --observe, or use --gap 200ms and at least 3 rounds so that the pauses show this; stop \
     other programs before the run (updates, backups, builds, containers)";

/// Maximum number of programs that a finding names.
const NAMED: usize = 3;

/// Cores below which a program is not named.
const LEAST_NAMED: f64 = 0.01;

/// The names of the busiest unrelated programs, with the mean number of cores that each program
/// used over all slices.
fn busiest(evidence: &Evidence<'_>, backends: &Backends<'_>) -> String {
    let mut seconds = 0.0;
    let mut used: BTreeMap<&str, f64> = BTreeMap::new();
    for slice in evidence.slices {
        let Some(machine) = &slice.machine else {
            continue;
        };
        let programs = machine.programs.iter().flatten();
        let others = programs.filter(|program| !backends.is_of_a_target(program));
        seconds += machine.seconds;
        others.for_each(|program| *used.entry(&program.name).or_default() += program.cpu_seconds);
    }
    let mut used: Vec<(&str, f64)> = used.into_iter().collect();
    used.sort_by(|one, other| other.1.total_cmp(&one.1));
    let used = used.iter().map(|(name, used)| (name, used / seconds));
    let named = used
        .filter(|(_, cores)| *cores >= LEAST_NAMED)
        .take(NAMED)
        .map(|(name, cores)| format!("{} {cores:.2} of a core", tame(name)));
    let named: Vec<String> = named.collect();
    match named.as_slice() {
        [] => String::new(),
        named => format!(": {}", named.join(", ")),
    }
}

/// Finding for a target on this machine whose processes cannot be separated from other programs.
fn server_included(evidence: &Evidence<'_>, backends: &Backends<'_>) -> Option<Finding> {
    let shares = evidence.slices.iter().filter_map(|slice| {
        let machine = slice.machine.as_ref().filter(|_| !slice.cut_short)?;
        let is_unknown = machine.others_cpu_seconds.is_none() && machine.target_here?;
        let cores = machine.cpu?.cores as f64 * machine.seconds;
        let programs = machine.programs.as_ref()?.iter();
        let others = programs.filter(|program| !backends.is_of_a_target(program));
        let seconds: f64 = others.map(|program| program.cpu_seconds).sum();
        (is_unknown && cores > 0.0).then(|| seconds / cores)
    });
    let shares: Vec<f64> = shares.collect();
    let share = middle(shares.iter().copied()).filter(|share| *share > NOTICEABLE)?;
    Some(Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Note,
        cause: Cause::Setup,
        workload: None,
        target: None,
        evidence: format!(
            "other programs, including the server, used {} of the CPU time of all cores (median \
             of {}){}; the server's share is unknown, because no process that listens on its \
             port is visible",
            percent(share),
            plural(shares.len(), "slice"),
            busiest(evidence, backends)
        ),
        advice: "name the server's process with --observe pid:N or --observe name:NAME, so that \
                 its CPU time is separated from that of other programs"
            .to_owned(),
    })
}

/// Finding on single slices in which other programs were busy, in a run with little such use in
/// most slices.
fn now_and_then(evidence: &Evidence<'_>, backends: &Backends<'_>) -> Option<Finding> {
    let shares: Vec<f64> = evidence
        .slices
        .iter()
        .filter(|slice| !slice.cut_short)
        .filter_map(|slice| backends.share_of_others(slice.machine.as_ref()?))
        .collect();
    let disturbed = shares.iter().filter(|share| **share > NOTICEABLE).count();
    let worst = shares.iter().copied().fold(0.0, f64::max);
    let is_several = disturbed as f64 > SEVERAL * shares.len() as f64;
    is_several.then(|| Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Note,
        cause: Cause::Generator,
        workload: None,
        target: None,
        evidence: format!(
            "in {disturbed} of {}, other programs used up to {} of the CPU time of all cores{}",
            plural(shares.len(), "slice"),
            percent(worst),
            busiest(evidence, backends)
        ),
        advice: if backends.knows_unrelated() {
            ADVICE
        } else {
            ADVICE_IF_UNKNOWN
        }
        .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use tenbin_record::ProgramUse;

    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_above_a_tenth_of_the_machine_and_says_how_much() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| {
            slice.machine().others_cpu_seconds = Some(0.5);
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("a"));
        assert!(findings[0].evidence.contains("used 25 % of the CPU time"));
    }

    #[test]
    fn a_few_disturbed_slices_are_a_note() {
        let mut run = Run::pair(8);
        run.first_of("a").machine().others_cpu_seconds = Some(1.0);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert!(findings[0].evidence.starts_with("in 1 of 32 slices"));
        assert!(findings[0].evidence.contains("50 %"));
    }

    #[test]
    fn one_disturbed_slice_of_many_is_not_reported() {
        let mut run = Run::pair(32);
        run.first_of("a").machine().others_cpu_seconds = Some(1.0);
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn a_server_that_is_not_visible_is_included_in_other_programs() {
        let mut run = Run::pair(8).elsewhere();
        let program = |pid, name: &str, cpu_seconds| ProgramUse {
            pid,
            name: name.to_owned(),
            cpu_seconds,
            rss_bytes: None,
            processes: None,
        };
        run.each(|slice| {
            slice.unobserved();
            let machine = slice.machine();
            machine.others_cpu_seconds = None;
            machine.programs = Some(vec![
                program(7, "build", 0.6),
                program(8, "server", 0.2),
                program(9, "shell", 0.000_2),
            ]);
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(
            findings[0].evidence,
            "other programs, including the server, used 40 % of the CPU time of all cores \
             (median of 32 slices): build 0.60 of a core, server 0.20 of a core; the server's \
             share is unknown, because no process that listens on its port is visible"
        );
        run.each(|slice| slice.machine().target_here = Some(false));
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn silent_below_it_and_when_the_target_is_not_visible() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().others_cpu_seconds = Some(0.19));
        assert_eq!(run.findings(&RULE), []);
        run.each(|slice| slice.machine().others_cpu_seconds = None);
        assert_eq!(run.findings(&RULE), []);
    }
}
