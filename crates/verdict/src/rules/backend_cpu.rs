//! A program that is not observed does part of a target's work.

use tenbin_result::format::plural;
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::backend::{Backend, Backends};
use crate::evidence::Evidence;
use crate::words::tame;

/// Cores from which on a program of one process may be at its limit.
const ONE_CORE: f64 = 0.90;

/// A program that is not observed does part of a target's work.
pub(super) struct BackendCpu;

impl Rule for BackendCpu {
    fn name(&self) -> &'static str {
        "backend_cpu"
    }

    fn summary(&self) -> &'static str {
        "a program that is not observed, such as a database, works for the target"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Note]
    }

    fn explanation(&self) -> &'static str {
        include_str!("backend_cpu.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let backends = Backends::of(evidence);
        let targets = evidence.plan.targets.iter();
        targets
            .filter_map(|target| {
                let found = backends.of_target(&target.name);
                let busiest = found.first()?;
                // Of a target that is not observed, others are known where its listening process is.
                let is_known = evidence.slices.iter().any(|slice| {
                    let machine = slice.machine.as_ref();
                    slice.target == target.name
                        && (crate::server::cpu_seconds(slice).is_some()
                            || machine.is_some_and(|it| it.others_cpu_seconds.is_some()))
                });
                Some(Finding {
                    rule: self.name().to_owned(),
                    severity: Severity::Note,
                    blame: Blame::Server,
                    workload: None,
                    target: Some(target.name.clone()),
                    evidence: seen(found, &target.name, is_known),
                    advice: advice(busiest),
                })
            })
            .collect()
    }
}

fn seen(found: &[Backend], target: &str, is_known: bool) -> String {
    let each = found.iter().map(|backend| {
        let processes = match backend.pids.as_slice() {
            [pid] => format!("pid {pid}"),
            pids => plural(pids.len(), "process").replace("processs", "processes"),
        };
        format!(
            "{} ({processes}) used {:.2} of a core while {target} had load and {:.2} {}",
            tame(&backend.name),
            backend.loaded,
            backend.idle,
            if backend.in_pauses {
                "in the pauses"
            } else {
                "while other targets had load"
            }
        )
    });
    let each: Vec<String> = each.collect();
    let role = match is_known {
        true => "a database or another backend of this target",
        false => {
            "it does work for this target; which process listens on the target's port cannot be seen"
        }
    };
    format!("{}: {role}", each.join(", "))
}

fn advice(busiest: &Backend) -> String {
    let limit = if busiest.pids.len() == 1 && busiest.loaded >= ONE_CORE {
        "it used a whole core: if it works on one core, it is the limit, and needs fewer or cheaper \
         queries for each request, or more cores; "
    } else {
        ""
    };
    let how = match busiest.pids.as_slice() {
        [pid] => format!("pid:{pid}"),
        _ => format!("name:{}", tame(&busiest.name)),
    };
    format!(
        "{limit}count its CPU time as the target's, not as that of other programs; --observe {how} \
         shows what it uses"
    )
}

#[cfg(test)]
mod tests {
    use tenbin_record::{PauseUse, ProgramUse};

    use super::*;
    use crate::rules::others_busy::OthersBusy;
    use crate::rules::too_few_connections::TooFewConnections;
    use crate::testing::Run;

    /// A database that uses so many cores under load and in pauses.
    fn with_database(loaded: f64, paused: f64) -> Run {
        let mut run = Run::pair(8);
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
    fn a_database_that_is_busy_with_the_target_is_named_and_not_taken_for_another_program() {
        let run = with_database(0.97, 0.0);
        let findings = run.findings(&BackendCpu);
        assert_eq!(findings.len(), 2);
        assert_eq!(
            findings[0].evidence,
            "mariadbd (pid 71) used 0.97 of a core while a had load and 0.00 in the pauses: a \
             database or another backend of this target"
        );
        assert!(findings[0].advice.starts_with("it used a whole core"));
        assert_eq!(run.findings(&OthersBusy), []);
        assert_eq!(
            run.findings(&TooFewConnections),
            [],
            "the database explains it"
        );
    }

    #[test]
    fn of_a_target_that_is_not_observed_it_says_what_is_known() {
        let mut run = with_database(0.97, 0.0);
        run.each(|slice| {
            slice.unobserved();
            slice.machine().pause.as_mut().unwrap().programs.clear();
        });
        let evidence = |run: &Run| run.findings(&BackendCpu)[0].evidence.clone();
        let seen = "mariadbd (pid 71) used 0.97 of a core while a had load and 0.00 in the pauses";
        // Its listening process was found, and this is another one.
        assert_eq!(
            evidence(&run),
            format!("{seen}: a database or another backend of this target")
        );
        run.each(|slice| slice.machine().others_cpu_seconds = None);
        assert_eq!(
            evidence(&run),
            format!(
                "{seen}: it does work for this target; which process listens on the target's port \
                 cannot be seen"
            )
        );
    }

    #[test]
    fn a_program_that_is_always_busy_is_another_one() {
        let run = with_database(0.97, 0.97);
        assert_eq!(run.findings(&BackendCpu), []);
        let findings = run.findings(&OthersBusy);
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0].evidence.contains(": mariadbd 0.97 of a core"),
            "{findings:?}"
        );
    }

    #[test]
    fn silent_in_runs_that_did_not_look() {
        assert_eq!(Run::pair(8).findings(&BackendCpu), []);
    }
}
