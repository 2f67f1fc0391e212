//! CPU and memory use of a target by program: observed programs, and unobserved programs that used
//! CPU only while the target was loaded.

use tenbin_plan::{Reach, Target};
use tenbin_record::{ProgramUse, Slice};
use tenbin_result::ProcessCost;

use crate::cell::Cell;
use crate::figures::basis::Basis;
use crate::server;
use crate::server::backend::Backend;

/// CPU and memory use of each program of a target; observed programs come first.
pub(crate) fn of_cell(
    cell: &Cell<'_>,
    basis: &Basis<'_>,
    unobserved: &[Backend],
) -> Vec<ProcessCost> {
    let mut names: Vec<String> = Vec::new();
    for program in basis.slices().iter().flat_map(|slice| observed(slice)) {
        if !names.contains(&program.name) {
            names.push(program.name);
        }
    }
    let of_name = |name: &str| {
        figures(cell, basis, true, name, &|slice| {
            observed(slice).filter(|p| p.name == name).collect()
        })
    };
    let of_backend = |backend: &Backend| {
        let found = figures(cell, basis, false, &backend.name, &|slice| {
            beside(slice).filter(|p| backend.is_it(p)).collect()
        });
        ProcessCost {
            pids: backend.pids.clone(),
            ..found
        }
    };
    let named = names.iter().map(|name| of_name(name));
    named.chain(unobserved.iter().map(of_backend)).collect()
}

/// Why the resource use of a target is unknown, and how to observe the target. `None` for a target
/// that is observed or needs no observation.
pub(crate) fn not_observed(target: &Target, slices: &[&Slice]) -> Option<&'static str> {
    if target.observe.is_some() || !matches!(target.reach, Reach::Endpoint { .. }) {
        return None;
    }
    let here = slices.iter().find_map(|slice| slice.machine()?.target_here);
    Some(match here {
        Some(false) => "not observed: run tenbin observe on its machine and add --observe",
        _ => "not observed: add --observe port",
    })
}

fn figures(
    cell: &Cell<'_>,
    basis: &Basis<'_>,
    observed: bool,
    name: &str,
    pick: &dyn Fn(&Slice) -> Vec<ProgramUse>,
) -> ProcessCost {
    let all = || cell.slices.iter().map(|slice| pick(slice));
    let number = |found: &[ProgramUse]| found.iter().map(|p| p.processes.unwrap_or(1)).sum();
    let memory = |found: &[ProgramUse]| {
        let sum: Option<u64> = found.iter().map(|p| p.rss_bytes).sum();
        sum.filter(|_| !found.is_empty())
    };
    let pid = all().flatten().map(|program| program.pid).next();
    ProcessCost {
        name: name.to_owned(),
        processes: all().map(|found| number(&found)).max().unwrap_or(0),
        observed,
        pids: pid.into_iter().collect(),
        cpu: basis.each(|slice| {
            let found = pick(slice);
            if found.is_empty() || slice.ok() == 0 {
                return None;
            }
            let seconds = found.iter().map(|p| p.cpu_seconds).sum();
            // For an observed target, the times of programs cover the observed part of the window.
            let seconds = match slice.server() {
                Some(_) => server::amount(slice, |_| Some(seconds))?,
                None => seconds,
            };
            Some(seconds / slice.ok() as f64)
        }),
        rss_bytes: all().filter_map(|found| memory(&found)).max(),
    }
}

fn observed(slice: &Slice) -> impl Iterator<Item = ProgramUse> {
    let machine = slice.machine();
    let programs = machine.and_then(|machine| machine.target_programs);
    programs.into_iter().flatten()
}

fn beside(slice: &Slice) -> impl Iterator<Item = ProgramUse> {
    let machine = slice.machine();
    let programs = machine.and_then(|machine| machine.programs);
    programs.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use tenbin_record::PauseUse;

    use super::*;
    use crate::testing::Run;

    fn program(pid: i32, name: &str, cpu_seconds: f64) -> ProgramUse {
        ProgramUse {
            pid,
            name: name.to_owned(),
            cpu_seconds,
            rss_bytes: Some(1_000),
            processes: None,
        }
    }

    #[test]
    fn each_program_has_its_share_and_what_is_not_observed_is_named() {
        let mut run = Run::pair(8).elsewhere();
        run.each(|slice| {
            let machine = slice.machine();
            machine.target_programs = Some(vec![
                program(1, "access", 1.0),
                ProgramUse {
                    processes: Some(3),
                    ..program(2, "proxy", 0.5)
                },
            ]);
            machine.programs = Some(vec![program(71, "blobnode", 0.8), program(99, "cc1", 0.5)]);
            machine.pause = Some(PauseUse {
                targets: std::collections::BTreeMap::new(),
                seconds: 0.1,
                active_opens: None,
                programs: vec![program(99, "cc1", 0.05)],
            });
        });
        let all = run.figures();
        let sentence: Vec<_> = all[0]
            .processes
            .iter()
            .map(|p| {
                (
                    p.name.as_str(),
                    p.observed,
                    p.processes,
                    p.cpu.map(|cpu| cpu.value),
                )
            })
            .collect();
        // 1,000 requests in each slice.
        assert_eq!(
            sentence,
            [
                ("access", true, 1, Some(0.001)),
                ("proxy", true, 3, Some(0.0005)),
                ("blobnode", false, 1, Some(0.0008)),
            ],
            "and not the compiler that is busy without load as well"
        );
        assert_eq!(all[0].processes[2].pids, [71]);
        assert_eq!(all[0].processes[1].rss_bytes, Some(1_000));
    }

    #[test]
    fn memory_that_one_slice_lacks_is_unknown() {
        let mut run = Run::pair(8);
        run.each(|slice| {
            let silent = ProgramUse {
                rss_bytes: None,
                ..program(1, "access", 1.0)
            };
            slice.machine().target_programs = Some(vec![silent]);
        });
        assert_eq!(run.figures()[0].processes[0].rss_bytes, None);
    }
}
