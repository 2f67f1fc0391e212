//! Checks the free space for runs and for the target's data.

use std::path::{Path, PathBuf};
use std::{fs, io};

use tenbin_plan::{Sentence, sentence};

use super::machine::bytes;
use super::process::FoundBy;
use super::{Check, CheckConfig, Outcome, TargetFacts};
use crate::counters::DiskSpace;

/// Free space below which the first run can fill the disk, bytes.
const FULL: u64 = 64 << 20;
/// Free space below which runs that write objects soon fill the disk, bytes.
const LITTLE_SPACE: u64 = 1 << 30;
/// Share of free space below which servers and filesystems slow down or refuse writes.
const LITTLE_SPACE_SHARE: f64 = 0.05;

pub(super) struct Space;

impl Check for Space {
    fn name(&self) -> &'static str {
        "space"
    }

    fn of_machine(&self, config: &CheckConfig) -> Vec<Outcome> {
        if !config.records {
            return Vec::new();
        }
        let place = nearest(&config.root);
        let subject = sentence!(
            "directory-of-runs",
            "directory of runs, {path}",
            path = config.root.display()
        );
        let advice = sentence!(
            "free-space-or-out",
            "free space, or choose another directory with --out"
        );
        vec![match make_and_remove(&place) {
            Ok(()) => check_space(&place, subject, advice),
            Err(error) => Outcome::failed(
                sentence!(
                    "cannot-create-in",
                    "{subject}: cannot create a directory in {path}: {reason}",
                    subject,
                    path = place.display(),
                    reason = error
                )
                .with_part("subject", [subject]),
                sentence!("choose-out", "choose another directory with --out"),
            ),
        }]
    }

    fn of_target(&self, _visit: &CheckConfig, target: &TargetFacts) -> Vec<Outcome> {
        let given = target.data.clone();
        let given = given.map(|path| (path.clone(), path, FoundBy::User));
        let process = target.process.as_ref();
        let Some((place, shown, found)) = given.or_else(|| process?.data()) else {
            // The server is on another machine, or its process is not visible.
            return match &target.reached {
                Ok(_) => vec![Outcome::unknown(sentence!(
                    "data-unknown",
                    "its data directory is unknown; set it with --data"
                ))],
                Err(_) => Vec::new(),
            };
        };
        let subject = sentence!(
            "data-directory",
            "{why}, {path}",
            why = found.text(),
            path = shown.display()
        );
        let subject = subject.with("found", found.name());
        let advice = sentence!("free-server-disk", "free space on the server's disk");
        vec![check_space(&place, subject, advice)]
    }
}

/// The closest existing parent directory of a path.
fn nearest(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = whole.ancestors().find(|path| path.exists());
    there.unwrap_or(Path::new("/")).to_owned()
}

/// Tests whether a directory can be created in `place`, by creating a directory. Permissions and
/// filesystem type are not reliable evidence.
fn make_and_remove(place: &Path) -> io::Result<()> {
    let probe = place.join(format!(".tenbin-doctor-{}", std::process::id()));
    fs::create_dir(&probe)?;
    fs::remove_dir(&probe)
}

fn check_space(place: &Path, subject: Sentence, advice: Sentence) -> Outcome {
    match DiskSpace::of(place) {
        Ok(Some(space)) => judge(space, subject, advice),
        Ok(None) => Outcome::unknown(
            sentence!(
                "no-size",
                "{subject}: the filesystem reports no size",
                subject
            )
            .with_part("subject", [subject]),
        ),
        Err(error) => Outcome::unknown(
            sentence!(
                "space-unreadable",
                "{subject}: {reason}",
                subject,
                reason = error.desc()
            )
            .with_part("subject", [subject]),
        ),
    }
}

fn judge(space: DiskSpace, subject: Sentence, advice: Sentence) -> Outcome {
    let DiskSpace {
        size,
        available,
        files,
    } = space;
    if files == Some(0) {
        return Outcome::failed(
            sentence!(
                "no-inodes",
                "{subject}: no more files can be created: the inodes are used up",
                subject
            )
            .with_part("subject", [subject]),
            advice,
        );
    }
    let evidence = sentence!(
        "space-free",
        "{subject}: {free} of {size} free",
        subject,
        free = bytes(available),
        size = bytes(size)
    );
    let evidence = evidence.with_part("subject", [subject]);
    if available < FULL {
        Outcome::failed(evidence, advice)
    } else if available < LITTLE_SPACE || (available as f64) < size as f64 * LITTLE_SPACE_SHARE {
        Outcome::warning(evidence, advice)
    } else {
        Outcome::ok(evidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    #[test]
    fn a_directory_that_cannot_be_created_fails() {
        let scratch = std::env::temp_dir();
        make_and_remove(&scratch).unwrap();
        for place in ["/proc", "/dev/full", "/dev/null"] {
            make_and_remove(&nearest(&Path::new(place).join("runs"))).unwrap_err();
        }
    }

    #[test]
    fn full_nearly_full_and_free_filesystems_are_distinguished() {
        let state = |size, available, files| {
            let space = DiskSpace {
                size,
                available,
                files,
            };
            judge(space, "here".into(), "".into()).state
        };
        assert_eq!(state(100 << 30, 50 << 30, None), State::Ok);
        assert_eq!(state(100 << 30, 4 << 30, None), State::Warning);
        assert_eq!(state(2 << 30, 512 << 20, None), State::Warning);
        assert_eq!(state(100 << 30, 10 << 20, None), State::Failed);
        assert_eq!(state(100 << 30, 50 << 30, Some(0)), State::Failed);
    }

    #[test]
    fn a_missing_directory_is_checked_at_its_closest_parent() {
        let directory = tempfile::tempdir().unwrap();
        let deep = directory.path().join("a/b/c");
        assert_eq!(nearest(&deep), directory.path());
        let found = check_space(&nearest(&deep), "here".into(), "".into());
        assert!(found.evidence.text().contains("free"), "{found:?}");
    }
}
