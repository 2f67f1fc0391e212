//! Something that is no part of the run keeps cores busy.

use std::collections::BTreeMap;

use tenbin_result::format::{percent, plural};
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::backend::Backends;
use crate::evidence::Evidence;
use crate::machine::places_above;
use crate::words::{middle, tame};

/// Share of the CPU time of all cores.
const NOTICEABLE: f64 = 0.10;

/// Share of the slices from which on single ones are worth a word.
const SEVERAL: f64 = 0.02;

/// Something that is no part of the run keeps cores busy.
pub(super) struct OthersBusy;

impl Rule for OthersBusy {
    fn name(&self) -> &'static str {
        "others_busy"
    }

    fn summary(&self) -> &'static str {
        "other programs used the machine during the measurement"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note, Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("others_busy.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let backends = Backends::of(evidence);
        let places = places_above(evidence, NOTICEABLE, &|slice, machine| {
            backends.share_of_others(slice, machine)
        });
        if places.is_empty() {
            let other = self.now_and_then(evidence, &backends);
            let other = other.or_else(|| self.server_included(evidence, &backends));
            return other.into_iter().collect();
        }
        let finding = places.into_iter().map(|place| {
            let told = format!(
                "programs that do not work for a target used {} of the CPU time of all cores ({}){}",
                percent(place.value),
                place.basis(),
                busiest(evidence, &backends)
            );
            place.finding(
                self.name(),
                Severity::Suspect,
                Blame::Generator,
                told,
                ADVICE,
            )
        });
        finding.collect()
    }
}

const ADVICE: &str = "stop other programs before the run: updates, backups, builds, containers; \
                      `tenbin doctor` says whether the machine is fit to measure";

/// How many programs are named.
const NAMED: usize = 3;

/// Cores below which a program is not named.
const LEAST_NAMED: f64 = 0.01;

/// The busiest of these programs with the cores that each used, over all slices.
fn busiest(evidence: &Evidence<'_>, backends: &Backends<'_>) -> String {
    let mut seconds = 0.0;
    let mut used: BTreeMap<&str, f64> = BTreeMap::new();
    for slice in evidence.slices {
        let Some(machine) = &slice.machine else {
            continue;
        };
        let ours = backends.of_target(&slice.target);
        let programs = machine.programs.iter().flatten();
        let others = programs.filter(|program| !ours.iter().any(|backend| backend.is_it(program)));
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

impl OthersBusy {
    /// Of a target on this machine whose processes nobody can tell from other programs.
    fn server_included(&self, evidence: &Evidence<'_>, backends: &Backends<'_>) -> Option<Finding> {
        let shares = evidence.slices.iter().filter_map(|slice| {
            let machine = slice.machine.as_ref().filter(|_| !slice.cut_short)?;
            let is_unknown = machine.others_cpu_seconds.is_none() && machine.target_here?;
            let cores = machine.cpu?.cores as f64 * machine.seconds;
            let ours = backends.of_target(&slice.target);
            let programs = machine.programs.as_ref()?.iter();
            let others = programs.filter(|program| !ours.iter().any(|own| own.is_it(program)));
            let seconds: f64 = others.map(|program| program.cpu_seconds).sum();
            (is_unknown && cores > 0.0).then(|| seconds / cores)
        });
        let shares: Vec<f64> = shares.collect();
        let share = middle(shares.iter().copied()).filter(|share| *share > NOTICEABLE)?;
        Some(Finding {
            rule: self.name().to_owned(),
            severity: Severity::Note,
            blame: Blame::Setup,
            workload: None,
            target: None,
            evidence: format!(
                "other programs, the server included, used {} of the CPU time of all cores (median \
                 of {}){}; how much of it the server used is unknown, since no process that listens \
                 on its port can be seen",
                percent(share),
                plural(shares.len(), "slice"),
                busiest(evidence, backends)
            ),
            advice:
                "name the server's process with --observe pid:N or --observe name:NAME, so that \
                     its CPU time can be told from that of other programs"
                    .to_owned(),
        })
    }

    /// Some slices of a run that was left alone on the whole.
    fn now_and_then(&self, evidence: &Evidence<'_>, backends: &Backends<'_>) -> Option<Finding> {
        let shares: Vec<f64> = evidence
            .slices
            .iter()
            .filter(|slice| !slice.cut_short)
            .filter_map(|slice| backends.share_of_others(slice, slice.machine.as_ref()?))
            .collect();
        let disturbed = shares.iter().filter(|share| **share > NOTICEABLE).count();
        let worst = shares.iter().copied().fold(0.0, f64::max);
        let is_several = disturbed as f64 > SEVERAL * shares.len() as f64;
        is_several.then(|| Finding {
            rule: self.name().to_owned(),
            severity: Severity::Note,
            blame: Blame::Generator,
            workload: None,
            target: None,
            evidence: format!(
                "in {disturbed} of {} other programs used up to {} of the CPU time of all cores{}",
                plural(shares.len(), "slice"),
                percent(worst),
                busiest(evidence, backends)
            ),
            advice: ADVICE.to_owned(),
        })
    }
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
        let findings = run.findings(&OthersBusy);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("a"));
        assert!(findings[0].evidence.contains("used 25 % of the CPU time"));
    }

    #[test]
    fn a_few_disturbed_slices_are_a_note() {
        let mut run = Run::pair(8);
        run.first_of("a").machine().others_cpu_seconds = Some(1.0);
        let findings = run.findings(&OthersBusy);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert!(findings[0].evidence.starts_with("in 1 of 32 slices"));
        assert!(findings[0].evidence.contains("50 %"));
    }

    #[test]
    fn one_of_very_many_is_not_worth_a_word() {
        let mut run = Run::pair(32);
        run.first_of("a").machine().others_cpu_seconds = Some(1.0);
        assert_eq!(run.findings(&OthersBusy), []);
    }

    #[test]
    fn a_server_that_cannot_be_told_from_other_programs_is_said_to_be_included() {
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
        let findings = run.findings(&OthersBusy);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(
            findings[0].evidence,
            "other programs, the server included, used 40 % of the CPU time of all cores (median \
             of 32 slices): build 0.60 of a core, server 0.20 of a core; how much of it the server \
             used is unknown, since no process that listens on its port can be seen"
        );
        run.each(|slice| slice.machine().target_here = Some(false));
        assert_eq!(run.findings(&OthersBusy), []);
    }

    #[test]
    fn silent_below_it_and_when_a_part_cannot_be_told_from_a_target() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().others_cpu_seconds = Some(0.19));
        assert_eq!(run.findings(&OthersBusy), []);
        run.each(|slice| slice.machine().others_cpu_seconds = None);
        assert_eq!(run.findings(&OthersBusy), []);
    }
}
