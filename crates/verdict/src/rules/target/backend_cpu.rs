//! Unobserved programs that work for a target.

use tenbin_result::format::plural;
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::server::backend::{Backend, Backends};
use crate::words::tame;

/// Cores from which a program with one process may be at its limit.
const ONE_CORE: f64 = 0.90;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "backend_cpu",
    summary: "a program that is not observed, such as a database, works for the target",
    severities: &[Severity::Note],
    explanation: include_str!("backend_cpu.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let backends = Backends::of(evidence);
    let targets = evidence.plan.targets.iter();
    targets
        .filter_map(|target| {
            let found = backends.of_target(&target.name);
            let busiest = found.first()?;
            // For an unobserved target, other programs are known only if the target's listening
            // process was found.
            let is_known = evidence.slices.iter().any(|slice| {
                let machine = slice.machine.as_ref();
                slice.target == target.name
                    && (crate::server::cpu_seconds(slice).is_some()
                        || machine.is_some_and(|it| it.others_cpu_seconds.is_some()))
            });
            Some(Finding {
                rule: RULE.name.to_owned(),
                severity: Severity::Note,
                cause: Cause::Server,
                workload: None,
                target: Some(target.name.clone()),
                evidence: seen(found, evidence, &target.name, is_known),
                advice: advice(busiest),
            })
        })
        .collect()
}

fn seen(found: &[Backend], evidence: &Evidence<'_>, target: &str, is_known: bool) -> String {
    let up_to = match evidence.plan.workloads.len() {
        0 | 1 => "",
        _ => "up to ",
    };
    let each = found.iter().map(|backend| {
        let processes = match backend.pids.as_slice() {
            [pid] => format!("pid {pid}"),
            pids => plural(pids.len(), "process").replace("processs", "processes"),
        };
        format!(
            "{} ({processes}) used {up_to}{:.2} of a core while {target} was loaded and {:.2} {}",
            tame(&backend.name),
            backend.loaded,
            backend.idle,
            if backend.in_pauses {
                "during the pauses"
            } else {
                "while other targets were loaded"
            }
        )
    });
    let each: Vec<String> = each.collect();
    let role = if is_known {
        "a database or another backend of this target"
    } else {
        "its CPU use follows the load on this target; the process that listens on the target's \
         port is not visible"
    };
    format!("{}: {role}", each.join(", "))
}

fn advice(busiest: &Backend) -> String {
    let limit = if busiest.pids.len() == 1 && busiest.loaded >= ONE_CORE {
        "the program used a full core: if the program is single-threaded, that core is the \
         bottleneck; use fewer or less expensive queries per request, or more cores; "
    } else {
        ""
    };
    let how = match busiest.pids.as_slice() {
        [pid] => format!("pid:{pid}"),
        _ => format!("name:{}", tame(&busiest.name)),
    };
    format!(
        "{limit}attribute its CPU time to the target, not to other programs; --observe {how} \
         adds it to the report"
    )
}

#[cfg(test)]
mod tests {
    use tenbin_record::{PauseUse, ProgramUse};

    use super::*;
    use crate::rules::load::too_few_connections;
    use crate::rules::machine::others_busy;
    use crate::testing::Run;

    /// A run with a database that uses `loaded` cores under load and `paused` cores in pauses.
    fn with_database(loaded: f64, paused: f64) -> Run {
        let mut run = Run::pair(8).elsewhere();
        let program = |cpu_seconds| ProgramUse {
            pid: 71,
            name: "mariadbd".to_owned(),
            cpu_seconds,
            rss_bytes: None,
            processes: None,
        };
        run.each(|slice| {
            slice.server_cpu(0.3);
            let machine = slice.machine();
            machine.others_cpu_seconds = Some(loaded);
            machine.programs = Some(vec![program(loaded)]);
            machine.pause = Some(PauseUse {
                seconds: 0.1,
                active_opens: None,
                programs: vec![program(paused * 0.1)],
            });
        });
        run
    }

    #[test]
    fn a_database_that_is_busy_with_the_target_is_a_backend() {
        let run = with_database(0.97, 0.0);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 2);
        assert_eq!(
            findings[0].evidence,
            "mariadbd (pid 71) used 0.97 of a core while a was loaded and 0.00 during the \
             pauses: a database or another backend of this target"
        );
        assert!(
            findings[0]
                .advice
                .starts_with("the program used a full core")
        );
        assert_eq!(run.findings(&others_busy::RULE), []);
        assert_eq!(
            run.findings(&too_few_connections::RULE),
            [],
            "the database explains it"
        );
    }

    #[test]
    fn backends_of_unobserved_targets_are_described() {
        let mut run = with_database(0.97, 0.0);
        run.each(|slice| {
            slice.unobserved();
            slice.machine().pause.as_mut().unwrap().programs.clear();
        });
        let evidence = |run: &Run| run.findings(&RULE)[0].evidence.clone();
        let seen = "mariadbd (pid 71) used 0.97 of a core while a was loaded and 0.00 during the \
                    pauses";
        // The listening process of the target was found, and the database is another program.
        assert_eq!(
            evidence(&run),
            format!("{seen}: a database or another backend of this target")
        );
        run.each(|slice| slice.machine().others_cpu_seconds = None);
        assert_eq!(
            evidence(&run),
            format!(
                "{seen}: its CPU use follows the load on this target; the process that listens on \
                 the target's port is not visible"
            )
        );
    }

    #[test]
    fn a_program_that_is_always_busy_is_unrelated() {
        let run = with_database(0.97, 0.97);
        assert_eq!(run.findings(&RULE), []);
        let findings = run.findings(&others_busy::RULE);
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0].evidence.contains(": mariadbd 0.97 of a core"),
            "{findings:?}"
        );
    }

    #[test]
    fn silent_in_runs_without_these_figures() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
