//! The data loaded before measuring: its size, and whether the data fits.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use tenbin_plan::size::Size;
use tenbin_plan::{Plan, Reach, Sentence, Target, sentence};
use tenbin_targets::Running;
use tenbin_targets::counters::DiskSpace;
use tenbin_targets::doctor::Process;
use tenbin_targets::serve::half_of_available_memory;
use tenbin_workloads::grouped;

use crate::error::RunError;
use crate::target::access::is_disposable;

/// Free space to leave on a disk, bytes.
const RESERVE: u64 = 64 << 20;

/// Estimated memory per object in addition to its content, bytes.
const EACH_OBJECT: u64 = 600;

/// The amount of data loaded into a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoadedData {
    /// Number of objects.
    pub objects: u64,
    /// Approximate size of the content, bytes.
    pub bytes: u64,
    /// Whether slices consume data, for example by deleting objects, so that data is loaded again.
    pub again: bool,
}

impl fmt::Display for LoadedData {
    /// Formats the amount as `2,500 objects (24.4 GiB)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.objects == 1 { "" } else { "s" };
        let objects = grouped(self.objects);
        write!(f, "{objects} object{s} ({})", size(self.bytes))
    }
}

impl LoadedData {
    /// The data loaded into this target, over all workloads.
    pub(crate) fn on_target(plan: &Plan, target: &Target) -> Self {
        let mut loaded = Self::default();
        let mut shared = BTreeSet::new();
        for work in &plan.workloads {
            let laid_out = plan.work_on(target, work).facts().laid_out();
            let laid_out = laid_out.filter(|one| match &one.shared {
                Some(data) => shared.insert(data.clone()),
                None => true,
            });
            if let Some(laid_out) = laid_out {
                loaded.objects = loaded.objects.saturating_add(laid_out.objects);
                loaded.bytes = loaded.bytes.saturating_add(laid_out.bytes);
                loaded.again |= laid_out.again;
            }
        }
        loaded
    }

    /// The largest amount of data on any target; `None` without data.
    pub(crate) fn largest(plan: &Plan) -> Option<Self> {
        let all = plan
            .targets
            .iter()
            .map(|target| Self::on_target(plan, target));
        all.max_by_key(|loaded| (loaded.bytes, loaded.objects))
            .filter(|loaded| loaded.objects > 0)
    }
}

/// Sets the memory limit of each built-in in-memory store for which the plan sets no limit: half of
/// the available memory, divided equally among these stores.
pub(crate) fn with_memory(plan: &Plan) -> Plan {
    let is_open = |target: &&mut Target| target.memory.is_none() && is_in_memory(target);
    let mut plan = plan.clone();
    let stores = plan.targets.iter_mut().filter(is_open).count() as u64;
    let each = half_of_available_memory().map(|bytes| bytes / stores.max(1));
    for target in plan.targets.iter_mut().filter(is_open) {
        target.memory = each;
    }
    plan
}

/// Returns an error if data does not fit into the memory of a built-in store or on the disk of the
/// run directory, which also holds the data of launched targets. Does not check disks of other
/// targets.
pub(crate) fn check(plan: &Plan, runs: &Path) -> Result<(), RunError> {
    let mut on_disk = Vec::new();
    for target in &plan.targets {
        let loaded = LoadedData::on_target(plan, target);
        match target.memory {
            Some(limit) if is_in_memory(target) => fits_in_memory(target, loaded, limit)?,
            None if is_in_memory(target) => {}
            _ if is_disposable(target) => on_disk.push((target, loaded)),
            _ => {}
        }
    }
    let whole = std::path::absolute(runs).unwrap_or_else(|_| runs.to_owned());
    let there = whole.ancestors().find(|path| path.exists());
    let Ok(Some(space)) = DiskSpace::of(there.unwrap_or(Path::new("/"))) else {
        return Ok(());
    };
    let needed: u64 = on_disk.iter().map(|(_, loaded)| loaded.bytes).sum();
    if needed == 0 || needed.saturating_add(RESERVE) <= space.available {
        return Ok(());
    }
    let names: Vec<String> = on_disk
        .iter()
        .filter(|(_, loaded)| loaded.bytes > 0)
        .map(|(target, _)| format!("\"{}\"", target.name))
        .collect();
    Err(RunError::NoSpace(sentence!(
        "no-disk-for-objects",
        "the run loads {needed} of objects into target {names} before measuring, but the disk of \
         {runs} has {available} free; {smaller}, or write runs to another disk (--out)",
        needed = size(needed),
        names = names.join(" and "),
        runs = runs.display(),
        available = size(space.available),
        smaller = smaller()
    )))
}

/// Returns an error if data does not fit on the disk of a target that the run did not launch.
/// Checks only a known disk on this machine.
pub(crate) fn check_there(plan: &Plan, target: &Target, running: &Running) -> Result<(), RunError> {
    let loaded = LoadedData::on_target(plan, target);
    if loaded.bytes == 0 || !matches!(target.reach, Reach::Endpoint { .. }) {
        return Ok(());
    }
    let directory = Process::behind(running).and_then(|process| process.data_directory());
    let space = directory.and_then(|directory| DiskSpace::of(&directory).ok()?);
    match space {
        Some(space) if loaded.bytes.saturating_add(RESERVE) > space.available => {
            Err(RunError::NoSpace(sentence!(
                "no-disk-at-target",
                "target \"{name}\" has {available} free on its disk, but the run loads {loaded} \
                 before measuring; {smaller}, or free space there",
                name = target.name,
                available = size(space.available),
                loaded,
                smaller = smaller()
            )))
        }
        _ => Ok(()),
    }
}

/// Advice in the errors about missing space.
fn smaller() -> Sentence {
    sentence!(
        "smaller-objects",
        "use fewer objects (--objects) or smaller ones (--size, with warp --obj.size)"
    )
}

fn fits_in_memory(target: &Target, loaded: LoadedData, limit: u64) -> Result<(), RunError> {
    let overhead = loaded.objects.saturating_mul(EACH_OBJECT);
    let needed = loaded.bytes.saturating_add(overhead);
    if loaded.objects == 0 || needed <= limit {
        return Ok(());
    }
    Err(RunError::NoSpace(sentence!(
        "no-memory-at-target",
        "target \"{name}\" keeps at most {limit} in memory, but the run loads {loaded} before \
         measuring; {smaller}, or raise its memory limit (memory = \"{memory}\")",
        name = target.name,
        limit = size(limit),
        loaded,
        memory = Size(needed.div_ceil(1 << 20) << 20),
        smaller = smaller()
    )))
}

fn is_in_memory(target: &Target) -> bool {
    matches!(target.reach, Reach::Builtin(builtin) if builtin.is_in_memory())
}

/// Bytes with three significant digits.
pub(crate) fn size(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && value < 100.0);
    format!("{value:.digits$} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{Context, Draft};

    use super::*;

    #[test]
    fn blobs_that_the_levels_of_a_sweep_share_are_counted_once() {
        let loaded = |more: &str| {
            let text =
                format!("[load]\nramp = \"1,4,16\"\n[[target]]\nurl = \"http://h:1\"\n{more}\n");
            let draft = Draft::from_toml(&text, Path::new("plan.toml")).unwrap();
            let mut context = Context::of_this_process().unwrap();
            let plan = draft.resolve(&mut context).unwrap();
            let loaded = LoadedData::largest(&plan).unwrap();
            (plan.workloads.len(), loaded.objects, loaded.bytes)
        };
        let mix = "[[workload]]\nkind = \"blob\"\noperation = \"put:20,get:80\"\nobjects = 200\n";
        let one = format!("{mix}size = \"64KiB\"");
        assert_eq!(loaded(&one), (3, 200, 200 << 16));
        let both = format!("{one}\n{mix}size = \"32KiB\"");
        assert_eq!(loaded(&both), (6, 400, 300 << 16));
    }

    #[test]
    fn sizes_have_up_to_three_digits() {
        for (bytes, text) in [
            (0, "0 B"),
            (1_024, "1.0 KiB"),
            (26_214_400_000, "24.4 GiB"),
            (150 << 20, "150 MiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }
}
