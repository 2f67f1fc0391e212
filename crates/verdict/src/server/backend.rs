//! Backends: unobserved programs that work for a target, such as a database, a cache, a server
//! behind a proxy, or an unobserved target itself.
//!
//! A program works for the targets if the program is busy while they are loaded, at one workload at
//! least, and idle in the pauses between slices, in which no target is loaded. Several workloads and
//! targets can share such a program.

use std::collections::BTreeMap;

use tenbin_plan::{Plan, Reach, Target};
use tenbin_record::{MachineUse, ProgramUse, Slice};
use tenbin_stats::fewer_by_chance;

use crate::evidence::Evidence;
use crate::words::middle;

/// Minimum number of cores that a backend uses under load. All limits in this file are Tenbin's own
/// conventions.
const LEAST_CORES: f64 = 0.05;
/// Maximum CPU use of a backend without load, as a share of its CPU use under load.
const IDLE: f64 = 0.20;
/// Minimum share of the slices of a workload in which a backend of the target uses at least
/// [`ACTIVE`] of its median CPU use.
const STEADY: f64 = 0.80;
/// Share of the CPU use under load from which a program counts as active.
const ACTIVE: f64 = 0.50;
/// Minimum number of slices of a workload on a target.
const FEWEST_SLICES: usize = 3;
/// Maximum probability that a program whose activity does not depend on the load is active in so few
/// of the times without load.
const CHANCE: f64 = 0.005;
/// CPU time that a program with the same use in the times without load must have used there at
/// least, seconds: kernels count the CPU time of programs in ticks of 10 ms.
const COUNTABLE: f64 = 0.05;
/// Total length and number of pauses from which a program that is busy in the pauses, too, is known
/// not to work for a target.
const LONG_PAUSES: f64 = 0.5;
const MANY_PAUSES: usize = 5;

/// An unobserved program that works for a target.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Backend {
    /// Process name as the kernel reports it. Untrusted: escape before display.
    pub(crate) name: String,
    /// Process ids of the program, in ascending order.
    pub(crate) pids: Vec<i32>,
    /// Cores used while the target was loaded: median over the slices of a workload, the largest of
    /// all workloads.
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
    knows_unrelated: bool,
}

impl<'e> Backends<'e> {
    pub(crate) fn of(evidence: &Evidence<'e>) -> Self {
        Self::in_run(evidence.plan, evidence.slices)
    }

    pub(crate) fn in_run(plan: &'e Plan, slices: &[Slice]) -> Self {
        let run = Run::of(plan, slices);
        let mut by_target: BTreeMap<&str, Vec<Backend>> = BTreeMap::new();
        let fewest = run.fewest_appearances();
        for (program, appearances) in run.programs() {
            if appearances.values().sum::<usize>() < fewest {
                continue;
            }
            // Take all processes of this name together; if that fails, take each process alone.
            let pids: Vec<i32> = appearances.keys().copied().collect();
            let mut found = run.works_for(&Candidate::new(program, &pids));
            if found.is_empty() {
                let lasting = appearances.iter().filter(|(_, count)| **count >= fewest);
                let alone = lasting.map(|(pid, _)| Candidate::new(program, &[*pid]));
                found = alone.flat_map(|one| run.works_for(&one)).collect();
            }
            for (target, backend) in found {
                by_target.entry(target).or_default().push(backend);
            }
        }
        for of_target in by_target.values_mut() {
            of_target.sort_by(|one, other| other.loaded.total_cmp(&one.loaded));
        }
        let pauses = run.pauses.iter();
        let knows_unrelated = run.pauses.len() >= MANY_PAUSES
            && pauses.map(|pause| pause.seconds).sum::<f64>() >= LONG_PAUSES;
        Self {
            by_target,
            knows_unrelated,
        }
    }

    /// The backends of a target, the busiest first.
    pub(crate) fn of_target(&self, target: &str) -> &[Backend] {
        self.by_target.get(target).map_or(&[], Vec::as_slice)
    }

    /// Whether `program` works for a target of the run, whichever target is loaded.
    pub(crate) fn is_of_a_target(&self, program: &ProgramUse) -> bool {
        let mut all = self.by_target.values().flatten();
        all.any(|backend| backend.is_it(program))
    }

    /// Whether the pauses between slices are long enough to tell programs that work for a target
    /// from others.
    pub(crate) fn knows_unrelated(&self) -> bool {
        self.knows_unrelated
    }

    /// Cores that the backends of the slice's target used in the slice; `None` if unknown.
    pub(crate) fn cores(&self, slice: &Slice) -> Option<f64> {
        let machine = slice.machine()?;
        let backends = self.of_target(&slice.target);
        let used = seconds(&machine, |program| {
            backends.iter().any(|b| b.is_it(program))
        })?;
        (machine.seconds > 0.0).then_some(used / machine.seconds)
    }

    /// CPU time of programs that work for no target of the run, as a share of all cores, 0 to 1.
    pub(crate) fn share_of_others(&self, machine: &MachineUse) -> Option<f64> {
        let cores = machine.cpu?.cores as f64 * machine.seconds;
        let ours = seconds(machine, |program| self.is_of_a_target(program)).unwrap_or(0.0);
        let others = (machine.others_cpu_seconds? - ours).max(0.0);
        (cores > 0.0).then_some(others / cores)
    }
}

/// CPU time of the programs that `is_wanted` selects; `None` if programs are unknown.
fn seconds(machine: &MachineUse, is_wanted: impl Fn(&ProgramUse) -> bool) -> Option<f64> {
    let programs = machine.programs.as_ref()?.iter();
    let wanted = programs.filter(|program| is_wanted(program));
    // `sum` of an empty iterator is -0.
    Some(wanted.fold(0.0, |sum, program| sum + program.cpu_seconds))
}

/// Processes of one name.
struct Candidate<'r> {
    program: Program<'r>,
    pids: Vec<i32>,
}

impl<'r> Candidate<'r> {
    fn new(program: Program<'r>, pids: &[i32]) -> Self {
        Self {
            program,
            pids: pids.to_vec(),
        }
    }

    /// Whether the process is one of the candidate's, whose ids are in ascending order.
    fn has(&self, pid: i32) -> bool {
        self.pids.binary_search(&pid).is_ok()
    }

    fn backend(&self, loaded: f64, (idle, in_pauses): (f64, bool)) -> Backend {
        Backend {
            name: self.program.0.to_owned(),
            pids: self.pids.clone(),
            loaded,
            idle,
            in_pauses,
        }
    }
}

/// The name of a program, and its position among the names of the run.
type Program<'r> = (&'r str, u32);

/// CPU time of a process.
struct Process {
    /// Position of the program's name among the names of the run.
    name: u32,
    pid: i32,
    cpu_seconds: f64,
}

/// A time in which programs were observed: a slice or a pause.
struct Time<'r> {
    target: &'r str,
    workload: &'r str,
    seconds: f64,
    processes: Box<[Process]>,
}

impl Time<'_> {
    fn used(&self, candidate: &Candidate<'_>) -> f64 {
        let of_it = |p: &&Process| p.name == candidate.program.1 && candidate.has(p.pid);
        let mine = self.processes.iter().filter(of_it);
        mine.fold(0.0, |sum, process| sum + process.cpu_seconds)
    }

    fn cores(&self, candidate: &Candidate<'_>) -> f64 {
        self.used(candidate) / self.seconds
    }
}

/// The observed times of a run.
struct Run<'e, 'r> {
    /// The targets that can have a backend.
    targets: Vec<&'e str>,
    slices: Vec<Time<'r>>,
    pauses: Vec<Time<'r>>,
    names: Names,
}

/// The names of all programs of a run, each with its position. A run has many slices, and few names.
#[derive(Default)]
struct Names(BTreeMap<String, u32>);

impl Names {
    fn processes(&mut self, programs: Vec<ProgramUse>) -> Box<[Process]> {
        let programs = programs.into_iter().map(|program| {
            let next = self.0.len() as u32;
            Process {
                name: *self.0.entry(program.name).or_insert(next),
                pid: program.pid,
                cpu_seconds: program.cpu_seconds,
            }
        });
        programs.collect()
    }
}

impl<'e, 'r> Run<'e, 'r> {
    fn of(plan: &'e Plan, slices: &'r [Slice]) -> Self {
        let mut names = Names::default();
        let (mut times, mut pauses) = (Vec::new(), Vec::new());
        for slice in slices {
            let Some(machine) = slice.machine() else {
                continue;
            };
            let mut time = |seconds, programs| Time {
                target: &slice.target,
                workload: &slice.workload,
                seconds,
                processes: names.processes(programs),
            };
            if let Some(programs) = machine.programs.filter(|_| !slice.end.cut_short) {
                times.push(time(machine.seconds, programs));
            }
            if let Some(pause) = machine.pause {
                pauses.push(time(pause.seconds, pause.programs));
            }
        }
        times.retain(|time| time.seconds > 0.0);
        pauses.retain(|time| time.seconds > 0.0);
        let targets = plan
            .targets
            .iter()
            .filter(|target| may_have_backend(target));
        Self {
            targets: targets.map(|target| target.name.as_str()).collect(),
            slices: times,
            pauses,
            names,
        }
    }

    /// By program and process id: the number of slices in which the process used CPU time.
    fn programs(&self) -> Vec<(Program<'_>, BTreeMap<i32, usize>)> {
        let mut counts = vec![BTreeMap::new(); self.names.0.len()];
        for process in self.slices.iter().flat_map(|time| &time.processes) {
            *counts[process.name as usize]
                .entry(process.pid)
                .or_default() += 1;
        }
        let names = self.names.0.iter();
        let programs = names.map(|(name, &at)| {
            let counts = std::mem::take(&mut counts[at as usize]);
            ((name.as_str(), at), counts)
        });
        programs.collect()
    }

    /// Number of slices in which a backend must have used CPU time at least: its median use over the
    /// slices of a workload on a target is above 0. Spares the search for each of the thousands of
    /// short processes of a busy machine.
    fn fewest_appearances(&self) -> usize {
        let mut groups: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for time in &self.slices {
            *groups.entry((time.target, time.workload)).or_default() += 1;
        }
        let counted = groups.into_values().filter(|count| *count >= FEWEST_SLICES);
        counted.min().map_or(usize::MAX, |count| count.div_ceil(2))
    }

    /// The targets that `candidate` works for, with its use.
    fn works_for(&self, candidate: &Candidate<'_>) -> Vec<(&'e str, Backend)> {
        let under_load = self.targets.iter().filter_map(|&target| {
            let loaded = self.loaded(target, candidate)?;
            Some((target, loaded))
        });
        let under_load: Vec<(&str, f64)> = under_load.collect();
        let busiest = under_load.iter().map(|(_, loaded)| *loaded);
        let Some(busiest) = busiest.reduce(f64::max) else {
            return Vec::new();
        };
        let all: Vec<&Time<'_>> = self.slices.iter().collect();
        let pauses: Vec<&Time<'_>> = self.pauses.iter().collect();
        let paused = idle(candidate, busiest, &all, &pauses);
        let found = under_load.into_iter().filter_map(|(target, loaded)| {
            let (mine, others): (Vec<_>, Vec<_>) =
                all.iter().copied().partition(|time| time.target == target);
            let without = match paused {
                Some(cores) => (cores, true),
                None => (idle(candidate, loaded, &mine, &others)?, false),
            };
            Some((target, candidate.backend(loaded, without)))
        });
        found.collect()
    }

    /// Cores that `candidate` uses while a target is loaded, at the workload at which it uses most;
    /// `None` if it is steadily busy at no workload.
    fn loaded(&self, target: &str, candidate: &Candidate<'_>) -> Option<f64> {
        let mut by_workload: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for time in self.slices.iter().filter(|time| time.target == target) {
            let cores = time.cores(candidate);
            by_workload.entry(time.workload).or_default().push(cores);
        }
        let steady = by_workload.values().filter_map(|each| {
            let median = middle(each.iter().copied())?;
            let active = each.iter().filter(|cores| **cores >= ACTIVE * median);
            let is_steady = active.count() as f64 >= STEADY * each.len() as f64;
            (each.len() >= FEWEST_SLICES && median >= LEAST_CORES && is_steady).then_some(median)
        });
        steady.reduce(f64::max)
    }
}

/// Cores that `candidate` uses in the times `without` load, if it is idle there and chance does not
/// explain this; otherwise `None`. It uses `loaded` cores while its target is loaded, which is so in
/// some of the times `with` load.
fn idle(
    candidate: &Candidate<'_>,
    loaded: f64,
    with: &[&Time<'_>],
    without: &[&Time<'_>],
) -> Option<f64> {
    let sums = |times: &[&Time<'_>]| {
        let used: f64 = times.iter().map(|time| time.used(candidate)).sum();
        (used, times.iter().map(|time| time.seconds).sum::<f64>())
    };
    let ((used, length), (used_without, length_without)) = (sums(with), sums(without));
    let expected = used / length * length_without;
    // Without a slice or a pause, this is no number.
    if expected.is_nan() || expected < COUNTABLE {
        return None;
    }
    let active = |times: &[&Time<'_>]| {
        let active = times
            .iter()
            .filter(|time| time.cores(candidate) >= ACTIVE * loaded);
        (active.count(), times.len())
    };
    let idle = used_without / length_without;
    let by_chance = fewer_by_chance(active(with), active(without));
    (idle <= IDLE * loaded && by_chance <= CHANCE).then_some(idle)
}

/// Whether other programs can work for a target. The built-in servers and a directory work alone.
fn may_have_backend(target: &Target) -> bool {
    match target.reach {
        Reach::Endpoint { .. } | Reach::Launched(_) => true,
        Reach::Builtin(_) | Reach::Files(_) => false,
    }
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
        let mut run = Run::pair(8).elsewhere();
        run.each(|slice| {
            let used = if slice.0.target == "a" { of_a } else { of_b };
            let machine = slice.machine();
            machine.programs = Some(vec![program("mariadbd", used)]);
            machine.pause = Some(PauseUse {
                targets: std::collections::BTreeMap::new(),
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
            stretches: &[],
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
            stretches: &[],
            comparisons: &[],
            complete: true,
            cores: Some(2),
            environment: &run.environment,
            integrity: &run.integrity,
        };
        let backends = Backends::of(&evidence);
        let slice = &run.slices[0];
        let machine = slice.machine().unwrap();
        assert_eq!(backends.share_of_others(&machine), Some(0.0));
        assert_eq!(backends.cores(slice), Some(0.97));
    }

    /// A run of two workloads on `a` and `b` with a program that uses `get` cores in every slice of
    /// `get`, `put` cores in every slice of `put`, and nothing in pauses.
    fn with_two_workloads(get: f64, put: f64) -> Run {
        let mut run = Run::new(&["a", "b"], &["get", "put"], 16).elsewhere();
        run.each(|slice| {
            let used = if slice.0.workload == "get" { get } else { put };
            let machine = slice.machine();
            machine.programs = Some(vec![program("mariadbd", used)]);
            machine.others_cpu_seconds = Some(used);
            machine.pause = Some(PauseUse {
                targets: std::collections::BTreeMap::new(),
                seconds: 0.2,
                active_opens: None,
                programs: vec![],
            });
        });
        run
    }

    #[test]
    fn workloads_and_targets_share_a_backend() {
        let database = || vec![("mariadbd".to_owned(), 0.9)];
        for put in [0.0, 0.1, 0.3, 0.9] {
            let run = with_two_workloads(0.9, put);
            assert_eq!(found(&run), [database(), database()], "{put}");
            let backends = Backends::in_run(&run.plan, &run.slices);
            for slice in &run.slices {
                let machine = slice.machine().unwrap();
                assert_eq!(backends.share_of_others(&machine), Some(0.0));
            }
        }
    }

    #[test]
    fn servers_without_a_backend_have_none() {
        use tenbin_plan::{Builtin, Reach};
        let mut run = with_two_workloads(0.9, 0.3);
        run.plan.targets[0].reach = Reach::Builtin(Builtin::Dummy);
        assert_eq!(found(&run), [vec![], vec![("mariadbd".to_owned(), 0.9)]]);
        run.plan.targets[1].reach = Reach::Builtin(Builtin::Http);
        assert_eq!(found(&run), [vec![], vec![]]);
    }

    #[test]
    fn a_program_that_may_be_idle_in_pauses_by_chance_is_unrelated() {
        // Four slices and pauses: 1 of 70 programs with random activity look like this.
        let mut run = with_two_workloads(0.9, 0.9);
        let machines = run
            .slices
            .iter_mut()
            .filter_map(|it| it.end.machine.as_mut());
        machines
            .skip(4)
            .for_each(|machine| machine.get_mut().programs = None);
        let machines = run
            .slices
            .iter_mut()
            .filter_map(|it| it.end.machine.as_mut());
        machines
            .skip(4)
            .for_each(|machine| machine.get_mut().pause = None);
        assert_eq!(found(&run), [vec![], vec![]]);
        // A program that uses a little at all times, in pauses too short for a tick of the clock.
        let mut little = with_two_workloads(0.06, 0.06);
        little.each(|slice| slice.machine().pause.as_mut().unwrap().seconds = 0.01);
        assert_eq!(found(&little), [vec![], vec![]]);
    }
}
