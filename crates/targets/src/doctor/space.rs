//! Is there room for runs, and for the target's data?

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::machine::bytes;
use super::{Check, Examined, Found, Visit};
use crate::vitals::DiskSpace;

/// Less than this is full as soon as a run writes.
const FULL: u64 = 64 << 20;
/// Less than this is soon full, if a run puts objects.
const NARROW: u64 = 1 << 30;
/// Servers and filesystems get slow, or refuse, with less than this share free.
const NARROW_SHARE: f64 = 0.05;

pub(super) struct Space;

impl Check for Space {
    fn name(&self) -> &'static str {
        "space"
    }

    fn of_machine(&self, visit: &Visit) -> Vec<Found> {
        let place = nearest(&visit.root);
        let whose = format!("where runs are kept, {}", visit.root.display());
        let advice = "make room, or keep runs elsewhere with --out";
        vec![match make_and_remove(&place) {
            Ok(()) => look(&place, &whose, advice),
            Err(error) => Found::failed(
                format!(
                    "{whose}: no directory can be made in {}: {error}",
                    place.display()
                ),
                "keep runs elsewhere with --out",
            ),
        }]
    }

    fn of_target(&self, _visit: &Visit, target: &Examined) -> Vec<Found> {
        let given = target.data.clone();
        let given = given.map(|path| (path, "where its data are"));
        let found = given.map(|(path, why)| (path.clone(), path, why));
        let process = target.process.as_ref();
        let Some((place, shown, why)) = found.or_else(|| process?.data()) else {
            // Elsewhere, or hidden: nothing that could be looked at.
            return match &target.reached {
                Ok(_) => vec![Found::unknown(
                    "it is not known where it keeps its data; say so with --data",
                )],
                Err(_) => Vec::new(),
            };
        };
        let whose = format!("{why}, {}", shown.display());
        let advice = "make room on the server's disk";
        vec![look(&place, &whose, advice)]
    }
}

/// What is there of a path that need not be.
fn nearest(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = whole.ancestors().find(|path| path.exists());
    there.unwrap_or(Path::new("/")).to_owned()
}

/// Whether a directory can be made there: the rights alone do not tell, nor does a
/// filesystem that holds no files of anybody's.
fn make_and_remove(place: &Path) -> io::Result<()> {
    let probe = place.join(format!(".tenbin-doctor-{}", std::process::id()));
    fs::create_dir(&probe)?;
    fs::remove_dir(&probe)
}

fn look(place: &Path, whose: &str, advice: &str) -> Found {
    match DiskSpace::of(place) {
        Ok(Some(space)) => judge(space, whose, advice),
        Ok(None) => Found::unknown(format!("{whose}: its filesystem does not tell its size")),
        Err(error) => Found::unknown(format!("{whose}: {}", error.desc())),
    }
}

fn judge(space: DiskSpace, whose: &str, advice: &str) -> Found {
    let DiskSpace {
        size,
        available,
        files,
    } = space;
    if files == Some(0) {
        return Found::failed(
            format!("{whose}: no more files can be made, the inodes are used up"),
            advice,
        );
    }
    let evidence = format!("{whose}: {} of {} free", bytes(available), bytes(size));
    if available < FULL {
        Found::failed(evidence, advice)
    } else if available < NARROW || (available as f64) < size as f64 * NARROW_SHARE {
        Found::warning(evidence, advice)
    } else {
        Found::ok(evidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    #[test]
    fn a_run_directory_can_be_made_or_it_cannot() {
        let scratch = std::env::temp_dir();
        make_and_remove(&scratch).unwrap();
        for place in ["/proc", "/dev/full", "/dev/null"] {
            make_and_remove(&nearest(&Path::new(place).join("runs"))).unwrap_err();
        }
    }

    #[test]
    fn full_narrow_and_roomy_filesystems_are_told_apart() {
        let state = |size, available, files| {
            let space = DiskSpace {
                size,
                available,
                files,
            };
            judge(space, "here", "").state
        };
        assert_eq!(state(100 << 30, 50 << 30, None), State::Ok);
        assert_eq!(state(100 << 30, 4 << 30, None), State::Warning);
        assert_eq!(state(2 << 30, 512 << 20, None), State::Warning);
        assert_eq!(state(100 << 30, 10 << 20, None), State::Failed);
        assert_eq!(state(100 << 30, 50 << 30, Some(0)), State::Failed);
    }

    #[test]
    fn a_directory_that_is_not_there_yet_is_looked_for_upwards() {
        let directory = tempfile::tempdir().unwrap();
        let deep = directory.path().join("a/b/c");
        assert_eq!(nearest(&deep), directory.path());
        let found = look(&nearest(&deep), "here", "");
        assert!(found.evidence.contains("free"), "{found:?}");
    }
}
