//! What is found on targets and takes the place of what a plan assumed: number and sizes of
//! the objects of a data set that was there before the run.

use std::collections::BTreeSet;

use crate::blob::LARGEST_PUT;
use crate::model::{Plan, Workload, WorkloadKind};
use crate::resolve::default_name;
use crate::s3::{ByteRange, LARGEST_OBJECT, SizeRange, Sizes};

/// A data set that was there before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Number of objects; `None` where targets differ.
    pub objects: Option<u64>,
    /// Size of the smallest, bytes.
    pub least: u64,
    /// Size of the largest, bytes.
    pub most: u64,
}

impl Found {
    /// Objects of these sizes; `None` of none.
    pub fn of(sizes: impl IntoIterator<Item = u64>) -> Option<Self> {
        let one = |size| Self {
            objects: Some(1),
            least: size,
            most: size,
        };
        let join = |all: Self, next: Self| Self {
            objects: all.objects.map(|objects| objects + 1),
            ..all.and(next)
        };
        sizes.into_iter().map(one).reduce(join)
    }

    /// What several targets have.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            objects: self.objects.filter(|_| self.objects == other.objects),
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    fn sizes(self) -> Sizes {
        Sizes::Ranges(vec![SizeRange {
            from: self.least,
            to: self.most,
            share: 1.0,
        }])
    }
}

impl Plan {
    /// Notes what a workload works on, and names the workload after it, unless it has a name
    /// of its own. Expectations follow the name. Says whether anything is different now.
    ///
    /// Called before the first slice, so that every record has the name; the plan printed
    /// after it reads back as the same and finds the same.
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

impl Workload {
    fn settle(&mut self, found: Found, taken: &BTreeSet<String>) {
        let assumed = default_name(&self.kind);
        match &mut self.kind {
            WorkloadKind::Http(_) => return,
            WorkloadKind::S3(work) => {
                work.objects = found.objects.unwrap_or(work.objects);
                let is_beyond = match work.range {
                    Some(ByteRange::Fixed { last, .. }) => last >= found.least,
                    _ => false,
                };
                // No plan can say these: the sizes stay what was assumed.
                if found.most > LARGEST_OBJECT || is_beyond {
                    return;
                }
                work.sizes = found.sizes();
            }
            WorkloadKind::Blob(work) => {
                if found.most > LARGEST_PUT {
                    return;
                }
                work.sizes = found.sizes();
            }
        }
        // `-c8` of a ramp, or the number of a name that was taken.
        let end = self.name.strip_prefix(&assumed);
        let Some(end) = end.filter(|end| is_numbering(end)) else {
            return;
        };
        let wanted = format!("{}{end}", default_name(&self.kind));
        let numbers = (2_u32..).map(|number| format!("{wanted}-{number}"));
        let mut names = std::iter::once(wanted.clone()).chain(numbers);
        if let Some(name) = names.find(|name| !taken.contains(name)) {
            self.name = name;
        }
    }
}

/// Whether that is nothing, `-c8`, `-2` or both.
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
