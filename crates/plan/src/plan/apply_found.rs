//! Updates a plan with the data sets found on targets: sets numbers and sizes of objects, and
//! renames workloads whose default names contain these values.

use std::collections::BTreeSet;

use crate::plan::found::Found;
use crate::plan::model::Plan;
use crate::plan::workload::Workload;

impl Plan {
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
