//! Backends: unobserved programs that work for a target, such as a database, a cache, a server
//! behind a proxy, or an unobserved target itself.
//!
//! A program works for a target if the program is busy whenever the target is loaded, and idle in
//! the pauses between slices.

use std::collections::BTreeMap;

use tenbin_plan::Plan;
use tenbin_record::{MachineUse, ProgramUse, Slice};

use crate::evidence::Evidence;
use crate::words::middle;

/// Minimum number of cores that a backend uses under load. All limits in this file are Tenbin's own
/// conventions.
const LEAST_CORES: f64 = 0.05;
/// Maximum CPU use of a backend without load, as a share of its CPU use under load.
const IDLE: f64 = 0.20;
/// Minimum share of the loaded slices in which a backend uses at least half of its median CPU use.
const STEADY: f64 = 0.80;
/// Minimum number of loaded slices.
const FEWEST_SLICES: usize = 3;
/// Minimum total time of the pauses, seconds: kernels count the CPU time of programs in ticks of 10
/// ms.
const SHORTEST_PAUSES: f64 = 0.20;

/// An unobserved program that works for a target.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Backend {
    /// Process name as the kernel reports it. Untrusted: escape before display.
    pub(crate) name: String,
    /// Process ids of the program, in ascending order.
    pub(crate) pids: Vec<i32>,
    /// Cores used while the target was loaded: median over slices.
    pub(crate) loaded: f64,
    /// Cores used while the target was not loaded.
    pub(crate) idle: f64,
    /// Whether `idle` comes from pauses instead of slices of other targets.
    pub(crate) in_pauses: bool,
}

impl Backend {
    /// Whether `program` is a process of this backend.
    pub(crate) fn is_it(&self, program: &ProgramUse) -> bool {
        self.name == program.name && self.pids.contains(&program.pid)
    }
}

/// The backends of each target of a run.
#[derive(Debug)]
pub(crate) struct Backends<'e> {
    by_target: BTreeMap<&'e str, Vec<Backend>>,
}

impl<'e> Backends<'e> {
    pub(crate) fn of(evidence: &Evidence<'e>) -> Self {
        Self::in_run(evidence.plan, evidence.slices)
    }

    pub(crate) fn in_run(plan: &'e Plan, slices: &[Slice]) -> Self {
        let targets = plan.targets.iter();
        Self {
            by_target: targets
                .map(|target| (target.name.as_str(), of_target(slices, &target.name)))
                .collect(),
        }
    }

    /// The backends of a target, the busiest first.
    pub(crate) fn of_target(&self, target: &str) -> &[Backend] {
        self.by_target.get(target).map_or(&[], Vec::as_slice)
    }

    /// Cores that the backends of the slice's target used in the slice; `None` if unknown.
    pub(crate) fn cores(&self, slice: &Slice) -> Option<f64> {
        let machine = slice.machine.as_ref()?;
        (machine.seconds > 0.0).then_some(self.seconds(slice, machine)? / machine.seconds)
    }

    /// CPU time of unrelated programs, as a share of all cores, 0 to 1.
    pub(crate) fn share_of_others(&self, slice: &Slice, machine: &MachineUse) -> Option<f64> {
        let cores = machine.cpu?.cores as f64 * machine.seconds;
        let ours = self.seconds(slice, machine).unwrap_or(0.0);
        let others = (machine.others_cpu_seconds? - ours).max(0.0);
        (cores > 0.0).then_some(others / cores)
    }

    fn seconds(&self, slice: &Slice, machine: &MachineUse) -> Option<f64> {
        let programs = machine.programs.as_ref()?;
        let backends = self.of_target(&slice.target);
        let of_backend = |program: &&ProgramUse| backends.iter().any(|b| b.is_it(program));
        Some(
            programs
                .iter()
                .filter(of_backend)
                .map(|p| p.cpu_seconds)
                .sum(),
        )
    }
}

fn of_target(slices: &[Slice], target: &str) -> Vec<Backend> {
    let loaded: Vec<&MachineUse> = machines(slices, |slice| slice.target == target);
    if loaded.len() < FEWEST_SLICES {
        return Vec::new();
    }
    let mut names: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
    for program in loaded
        .iter()
        .flat_map(|machine| machine.programs.iter().flatten())
    {
        let pids = names.entry(&program.name).or_default();
        if !pids.contains(&program.pid) {
            pids.push(program.pid);
        }
    }
    let mut found: Vec<Backend> = Vec::new();
    for (name, mut pids) in names {
        pids.sort_unstable();
        // Take all processes of this name together; if that fails, take each process alone.
        match backend(slices, target, &loaded, name, &pids) {
            Some(all) => found.push(all),
            None => found.extend(
                pids.iter()
                    .filter_map(|pid| backend(slices, target, &loaded, name, &[*pid])),
            ),
        }
    }
    found.sort_by(|one, other| other.loaded.total_cmp(&one.loaded));
    found
}

/// The processes `pids` of one name as a backend, if the processes work for the target.
fn backend(
    slices: &[Slice],
    target: &str,
    loaded: &[&MachineUse],
    name: &str,
    pids: &[i32],
) -> Option<Backend> {
    let candidate = Backend {
        name: name.to_owned(),
        pids: pids.to_vec(),
        loaded: 0.0,
        idle: 0.0,
        in_pauses: false,
    };
    let each: Vec<f64> = loaded
        .iter()
        .map(|machine| cores_of(machine, &candidate))
        .collect();
    let median = middle(each.iter().copied())?;
    if median < LEAST_CORES {
        return None;
    }
    let steady = each.iter().filter(|cores| **cores >= median / 2.0).count();
    let (idle, in_pauses) = without_load(slices, target, &candidate)?;
    let works_for_it = idle <= IDLE * median && steady as f64 >= STEADY * each.len() as f64;
    works_for_it.then_some(Backend {
        loaded: median,
        idle,
        in_pauses,
        ..candidate
    })
}

/// (Cores that a program uses while a target is not loaded, whether measured in pauses). If the
/// pauses are too short, the cores come from the slices of other targets.
fn without_load(slices: &[Slice], target: &str, candidate: &Backend) -> Option<(f64, bool)> {
    let pauses: Vec<_> = slices
        .iter()
        .filter_map(|slice| slice.machine.as_ref()?.pause.as_ref())
        .collect();
    let length: f64 = pauses.iter().map(|pause| pause.seconds).sum();
    if length >= SHORTEST_PAUSES {
        let used = pauses.iter().flat_map(|pause| &pause.programs);
        // `sum` of an empty iterator is -0.
        let used = used
            .filter(|p| candidate.is_it(p))
            .fold(0.0, |sum, p| sum + p.cpu_seconds);
        return Some((used / length, true));
    }
    let others = machines(slices, |slice| slice.target != target);
    let length: f64 = others.iter().map(|machine| machine.seconds).sum();
    let used = others
        .iter()
        .map(|machine| cores_of(machine, candidate) * machine.seconds)
        .fold(0.0, |sum, used| sum + used);
    (others.len() >= FEWEST_SLICES && length > 0.0).then(|| (used / length, false))
}

/// The machine figures of the full slices that `of` selects.
fn machines(slices: &[Slice], of: impl Fn(&Slice) -> bool) -> Vec<&MachineUse> {
    slices
        .iter()
        .filter(|slice| !slice.cut_short && of(slice))
        .filter_map(|slice| slice.machine.as_ref())
        .filter(|machine| machine.programs.is_some() && machine.seconds > 0.0)
        .collect()
}

fn cores_of(machine: &MachineUse, candidate: &Backend) -> f64 {
    let programs = machine.programs.iter().flatten();
    let of_it = programs.filter(|program| candidate.is_it(program));
    let seconds = of_it.fold(0.0, |sum, program| sum + program.cpu_seconds);
    seconds / machine.seconds
}

#[cfg(test)]
mod tests {
    use tenbin_record::PauseUse;

    use super::*;
    use crate::compare::compare;
    use crate::testing::Run;

    fn program(name: &str, cpu_seconds: f64) -> ProgramUse {
        ProgramUse {
            pid: 71,
            name: name.to_owned(),
            cpu_seconds,
            rss_bytes: None,
            processes: None,
        }
    }

    /// A run with a program that uses `of_a` cores while `a` is loaded, `of_b` cores while `b` is
    /// loaded, and `pauses` cores in pauses.
    fn with_program(of_a: f64, of_b: f64, pauses: f64) -> Run {
        let mut run = Run::pair(8);
        run.each(|slice| {
            let used = if slice.0.target == "a" { of_a } else { of_b };
            let machine = slice.machine();
            machine.programs = Some(vec![program("mariadbd", used)]);
            machine.pause = Some(PauseUse {
                seconds: 0.1,
                active_opens: None,
                programs: vec![program("mariadbd", pauses * 0.1)],
            });
            machine.others_cpu_seconds = Some(used);
        });
        run
    }

    fn found(run: &Run) -> [Vec<(String, f64)>; 2] {
        let evidence = Evidence {
            plan: &run.plan,
            slices: &run.slices,
            cells: &crate::cell::cells(&run.plan, &run.slices),
            comparisons: &compare(&run.plan, &run.slices),
            complete: true,
            cores: Some(2),
            environment: &run.environment,
            integrity: &run.integrity,
        };
        let backends = Backends::of(&evidence);
        ["a", "b"].map(|target| {
            let of_target = backends.of_target(target).iter();
            of_target.map(|b| (b.name.clone(), b.loaded)).collect()
        })
    }

    #[test]
    fn a_program_that_is_idle_with_the_target_works_for_it() {
        let database = || vec![("mariadbd".to_owned(), 0.97)];
        assert_eq!(found(&with_program(0.97, 0.01, 0.01)), [database(), vec![]]);
        assert_eq!(
            found(&with_program(0.97, 0.97, 0.01)),
            [database(), database()]
        );
    }

    #[test]
    fn a_program_that_is_busy_without_load_is_unrelated() {
        assert_eq!(found(&with_program(0.80, 0.80, 0.80)), [vec![], vec![]]);
        // An unrelated program that gets more CPU while no target is loaded.
        assert_eq!(found(&with_program(0.40, 0.60, 0.90)), [vec![], vec![]]);
    }

    #[test]
    fn a_busy_program_of_the_same_name_does_not_hide_a_backend() {
        let mut run = with_program(0.97, 0.01, 0.01);
        run.each(|slice| {
            let other = |cpu_seconds| ProgramUse {
                pid: 99,
                ..program("mariadbd", cpu_seconds)
            };
            let machine = slice.machine();
            machine.programs.as_mut().unwrap().push(other(0.5));
            machine.pause.as_mut().unwrap().programs.push(other(0.05));
        });
        assert_eq!(found(&run), [vec![("mariadbd".to_owned(), 0.97)], vec![]]);
    }

    #[test]
    fn a_program_with_random_load_is_unrelated() {
        let mut run = with_program(0.0, 0.0, 0.0);
        let mut at = 0;
        run.each_of("a", |slice| {
            at += 1;
            let used = if at % 2 == 0 { 0.9 } else { 0.0 };
            slice.machine().programs = Some(vec![program("cc1", used)]);
        });
        assert_eq!(found(&run), [vec![], vec![]]);
    }

    #[test]
    fn without_pauses_the_slices_of_the_other_target_count() {
        let mut run = with_program(0.97, 0.01, 0.0);
        run.each(|slice| slice.machine().pause = None);
        assert_eq!(found(&run)[0].len(), 1);
        let mut both = with_program(0.97, 0.97, 0.0);
        both.each(|slice| slice.machine().pause = None);
        assert_eq!(found(&both), [vec![], vec![]], "nobody knows");
    }

    #[test]
    fn its_time_is_not_that_of_others() {
        let run = with_program(0.97, 0.97, 0.01);
        let evidence = Evidence {
            plan: &run.plan,
            slices: &run.slices,
            cells: &crate::cell::cells(&run.plan, &run.slices),
            comparisons: &[],
            complete: true,
            cores: Some(2),
            environment: &run.environment,
            integrity: &run.integrity,
        };
        let backends = Backends::of(&evidence);
        let slice = &run.slices[0];
        let machine = slice.machine.as_ref().unwrap();
        assert_eq!(backends.share_of_others(slice, machine), Some(0.0));
        assert_eq!(backends.cores(slice), Some(0.97));
    }
}
