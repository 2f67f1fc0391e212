//! Updates a plan with the data sets found on targets: sets numbers and sizes of objects, and
//! renames workloads whose default names contain these values.

use std::collections::BTreeSet;

use crate::Sentence;
use crate::plan::found::Found;
use crate::plan::model::Plan;
use crate::plan::workload::Workload;

impl Plan {
    /// The reason why a workload cannot use the data set that was found, if any.
    pub fn refuses(&self, at: usize, found: Found) -> Option<Sentence> {
        let workload = self.workloads.get(at)?;
        workload.kind.protocol().refuses(found)
    }

    /// Sets a workload's number and sizes of objects to the values of the data set that was found.
    /// A default name of the workload changes accordingly, also in expectations. Returns whether
    /// the plan changed.
    ///
    /// Called before the first slice, so that every record has the final name.
    pub fn settle(&mut self, at: usize, found: Found) -> bool {
        let taken = self.workloads.iter().enumerate();
        let taken: BTreeSet<String> = taken
            .filter(|(other, _)| *other != at)
            .map(|(_, workload)| workload.name.clone())
            .collect();
        let Some(workload) = self.workloads.get_mut(at) else {
            return false;
        };
        let before = workload.clone();
        workload.settle(found, &taken);
        let changed = *workload != before;
        let name = workload.name.clone();
        for expectation in &mut self.comparing.expect {
            if expectation.workload.as_ref() == Some(&before.name) {
                expectation.workload = Some(name.clone());
            }
        }
        changed
    }
}

impl Plan {
    /// Sends the requests of a workload to the path `to`, to which the path `from` redirected before
    /// the run.
    pub fn redirect(&mut self, at: usize, from: impl Into<String>, to: impl Into<String>) {
        if let Some(workload) = self.workloads.get_mut(at) {
            workload
                .kind
                .protocol_mut()
                .redirected(from.into(), to.into());
        }
    }
}

impl Workload {
    fn settle(&mut self, found: Found, taken: &BTreeSet<String>) {
        let assumed = self.kind.protocol().default_name();
        if !self.kind.protocol_mut().settle(found) {
            return;
        }
        // `-c8` from a ramp, or a number that makes the name unique.
        let end = self.name.strip_prefix(&assumed);
        let Some(end) = end.filter(|end| is_numbering(end)) else {
            return;
        };
        let wanted = format!("{}{end}", self.kind.protocol().default_name());
        let numbers = (2_u32..).map(|number| format!("{wanted}-{number}"));
        let mut names = std::iter::once(wanted.clone()).chain(numbers);
        if let Some(name) = names.find(|name| !taken.contains(name)) {
            self.name = name;
        }
    }
}

/// Whether `end` is empty, `-c8`, `-2` or `-c8-2`.
fn is_numbering(end: &str) -> bool {
    let mut parts = end.split('-');
    let begins = parts.next() == Some("");
    begins
        && parts.all(|part| {
            let digits = part.strip_prefix('c').unwrap_or(part);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{Context, Draft};

    fn plan(workload: &str) -> Plan {
        let text = format!(
            "seed = 1\n[[target]]\nurl = \"http://h:1\"\naccess_key = \"a\"\nsecret_key = \"b\"\n\
             [[workload]]\n{workload}\n"
        );
        let mut context = Context::of_this_process().unwrap();
        let draft = Draft::from_toml(&text, Path::new("plan.toml")).unwrap();
        draft.resolve(&mut context).unwrap()
    }

    const EXISTING: &str = "kind = \"s3\"\noperation = \"get\"\ndata = \"existing\"\n";

    fn settled(workload: &str, sizes: &[u64]) -> Plan {
        let mut plan = plan(workload);
        let found = Found::of(sizes.iter().copied()).unwrap();
        assert!(plan.settle(0, found));
        plan
    }

    #[test]
    fn a_workload_is_named_after_what_was_found() {
        let name = |sizes: &[u64]| settled(EXISTING, sizes).workloads[0].name.clone();
        assert_eq!(name(&[1024, 1024]), "get-1KiB");
        assert_eq!(name(&[1000]), "get-1KB");
        assert_eq!(name(&[2048, 1024, 65_536]), "get-1KiB-to-64KiB");
        let own = settled(&format!("name = \"mine\"\n{EXISTING}"), &[1024]);
        assert_eq!(own.workloads[0].name, "mine");
        let blob = settled(
            "kind = \"blob\"\noperation = \"d\"\nlocations = \"/x\"",
            &[10_240],
        );
        assert_eq!(blob.workloads[0].name, "delete-10KiB");
    }

    #[test]
    fn a_range_beyond_what_was_found_is_refused_and_kept_out_of_the_plan() {
        let blob = "kind = \"blob\"\noperation = \"g\"\nlocations = \"/x\"\nsize = \"20KiB\"\n";
        for (work, range, sizes, is_refused) in [
            (blob, "0-20479", [10_240, 10_240], true),
            (blob, "0-10239", [10_240, 30_000], false),
            (blob, "random:15KiB", [10_240, 30_000], true),
            (blob, "random:10KiB", [10_240, 10_240], false),
            (EXISTING, "0-2047", [1024, 1024], false),
            (EXISTING, "random:2KiB", [1024, 1024], false),
            (EXISTING, "random:2KiB", [1024, 4096], false),
        ] {
            let mut plan = plan(&format!("{work}range = \"{range}\""));
            let found = Found::of(sizes).unwrap();
            let why = plan.refuses(0, found).map(|why| why.to_string());
            assert_eq!(why.is_some(), is_refused, "{range}: {why:?}");
            assert!(why.is_none_or(|why| why.contains("stored blob (10KiB)")));
            plan.settle(0, found);
            let mut context = Context::of_this_process().unwrap();
            context.environment = Box::new(|_| Some("b".to_owned()));
            let draft = Draft::from_toml(&plan.to_toml(), Path::new("plan.toml")).unwrap();
            assert!(draft.resolve(&mut context).is_ok(), "{range}");
        }
    }

    #[test]
    fn the_levels_of_a_ramp_keep_their_ends() {
        let mut plan = plan(&format!("{EXISTING}load = {{ ramp = \"1,2,4\" }}"));
        let found = Found::of([1024]).unwrap();
        for at in 0..plan.workloads.len() {
            plan.settle(at, found);
        }
        let names: Vec<&str> = plan
            .workloads
            .iter()
            .map(|work| work.name.as_str())
            .collect();
        assert_eq!(names, ["get-1KiB-c1", "get-1KiB-c2", "get-1KiB-c4"]);
    }

    #[test]
    fn the_plan_as_executed_finds_the_same_again() {
        let first = settled(EXISTING, &[1024, 1024]);
        let text = first.to_toml();
        assert!(
            text.contains("name = \"get-1KiB\"") && text.contains("objects = 2"),
            "{text}"
        );
        let mut context = Context::of_this_process().unwrap();
        context.environment = Box::new(|_| Some("b".to_owned()));
        let draft = Draft::from_toml(&text, Path::new("plan.toml")).unwrap();
        let mut again = draft.resolve(&mut context).unwrap();
        let found = Found::of([1024, 1024]).unwrap();
        assert!(!again.settle(0, found), "nothing is different");
        assert!(again.settle(0, Found::of([2048]).unwrap()));
        assert_eq!(again.workloads[0].name, "get-2KiB");
    }
}
