//! Git revisions in worktrees, with their builds kept by commit.
//!
//! A build lies in `<directory>/<repository>/<commit>-<build>/tree`, where `<build>` is a hash of the
//! build command, beside `built`, a file that is written when the build has succeeded. A worktree
//! without this file is what an interrupted build left: it is removed and built again. A lock beside
//! the worktree keeps two gates from building one revision at the same time.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tenbin_plan::sentence;

use crate::args::Revision;
use crate::errors::BuildError;
use crate::output;

/// The repository of the working directory, and where its builds are kept.
pub(crate) struct Repository {
    top: PathBuf,
    builds: PathBuf,
}

impl Repository {
    /// The repository of the working directory, with its builds in `directory` or in the user's cache
    /// directory.
    pub(crate) fn here(directory: Option<&Path>) -> Result<Self, BuildError> {
        let top = git(Path::new("."), ["rev-parse", "--show-toplevel"]);
        let top = PathBuf::from(top.map_err(|error| match error {
            BuildError::Git { why, .. } => BuildError::NoRepository(why),
            other => other,
        })?);
        let name = top.file_name().unwrap_or(OsStr::new("repository"));
        let own = format!(
            "{}-{:08x}",
            name.to_string_lossy(),
            short_hash(top.as_os_str())
        );
        let kept = match directory {
            Some(directory) => {
                let absolute = std::path::absolute(directory);
                absolute.map_err(|why| unusable(directory, why))?
            }
            None => cache()?.join("tenbin/builds"),
        };
        Ok(Self {
            builds: kept.join(own),
            top,
        })
    }

    /// The commit of a revision and the place of its worktree, which need not exist yet.
    pub(crate) fn revision(&self, name: &str, build: Option<&str>) -> Result<Revision, BuildError> {
        let spelled = format!("{name}^{{commit}}");
        let line = [
            "rev-parse", "--verify", "--quiet", "--end-of-options", &spelled,
        ];
        let commit = git(&self.top, line).map_err(|error| match error {
            BuildError::Git { .. } => BuildError::NoRevision {
                name: name.to_owned(),
                repository: self.top.clone(),
            },
            other => other,
        })?;
        let short: String = commit.chars().take(12).collect();
        let built = short_hash(OsStr::new(build.unwrap_or_default()));
        let directory = self.builds.join(format!("{short}-{built:08x}"));
        Ok(Revision {
            name: format!("{name} ({short})"),
            directory: directory.join("tree"),
            commit,
        })
    }

    /// What a git command prints in this repository.
    pub(crate) fn read<'a>(
        &self,
        line: impl IntoIterator<Item = &'a str>,
    ) -> Result<String, BuildError> {
        git_text(&self.top, line)
    }

    /// Whether tracked files differ from the commit that is checked out.
    pub(crate) fn has_changes(&self) -> bool {
        let line = ["status", "--porcelain", "--untracked-files=no"];
        git(&self.top, line).is_ok_and(|changes| !changes.is_empty())
    }

    /// Checks a revision out into its worktree and builds it, unless that was done before. Returns
    /// whether it was built now.
    pub(crate) fn build(
        &self,
        revision: &Revision,
        build: Option<&str>,
    ) -> Result<bool, BuildError> {
        let tree = &revision.directory;
        let place = tree.parent().unwrap_or(tree);
        fs::create_dir_all(place).map_err(|why| unusable(place, why))?;
        let _lock = lock(&place.join("lock"))?;
        let built = place.join("built");
        if built.is_file() && tree.is_dir() {
            output::say_note(&sentence!(
                "built-before",
                "{revision} was built before: {directory}",
                revision = revision.name,
                directory = tree.display()
            ));
            return Ok(false);
        }
        // A build that is killed leaves a part of its files.
        remove_file(&built)?;
        self.remove(tree)?;
        output::say_note(&sentence!(
            "building",
            "building {revision} in {directory}",
            revision = revision.name,
            directory = tree.display()
        ));
        let made = self.check_out(revision).and_then(|()| match build {
            Some(command) => run_build(revision, command),
            None => Ok(()),
        });
        if let Err(error) = made {
            self.remove(tree)?;
            return Err(error);
        }
        fs::write(&built, &revision.commit).map_err(|why| unusable(&built, why))?;
        Ok(true)
    }

    fn check_out(&self, revision: &Revision) -> Result<(), BuildError> {
        let tree = revision.directory.as_os_str();
        let line = ["worktree", "add", "--detach", "--force"].map(OsStr::new);
        let line = line.into_iter().chain([tree, OsStr::new(&revision.commit)]);
        git(&self.top, line).map(|_| ())
    }

    /// Removes a worktree, also one that was not finished.
    fn remove(&self, tree: &Path) -> Result<(), BuildError> {
        if tree.exists() {
            fs::remove_dir_all(tree).map_err(|why| unusable(tree, why))?;
        }
        git(&self.top, ["worktree", "prune"]).map(|_| ())
    }
}

/// Variables with which git names a repository to its hooks and to `git bisect run`: a build works in
/// its own worktree.
const OF_ANOTHER_TREE: [&str; 4] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"];

/// Runs the build command in the worktree. Its output goes to standard error.
fn run_build(revision: &Revision, command: &str) -> Result<(), BuildError> {
    let failed = |why: String| BuildError::Build {
        revision: revision.name.clone(),
        command: command.to_owned(),
        why,
    };
    let mut shell = Command::new("sh");
    for variable in OF_ANOTHER_TREE {
        shell.env_remove(variable);
    }
    let status = shell
        .args(["-c", command])
        .current_dir(&revision.directory)
        .env("TENBIN_COMMIT", &revision.commit)
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .status()
        .map_err(|error| failed(error.to_string()))?;
    if status.success() {
        Ok(())
    } else {
        Err(failed(status.to_string()))
    }
}

/// Runs git, and returns the first line that git prints.
fn git<S: AsRef<OsStr>>(
    directory: &Path,
    line: impl IntoIterator<Item = S>,
) -> Result<String, BuildError> {
    let text = git_text(directory, line)?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// Runs git without the repository's hooks, and returns what git prints.
fn git_text<S: AsRef<OsStr>>(
    directory: &Path,
    line: impl IntoIterator<Item = S>,
) -> Result<String, BuildError> {
    let line: Vec<S> = line.into_iter().collect();
    let output = Command::new("git")
        .args(["-c", "core.hooksPath=/dev/null"])
        .args(&line)
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .map_err(BuildError::NoGit)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let what = line.first().map(|word| word.as_ref().to_string_lossy());
    let why = String::from_utf8_lossy(&output.stderr);
    Err(BuildError::Git {
        what: what.unwrap_or_default().into_owned(),
        why: why.trim().trim_start_matches("fatal: ").to_owned(),
    })
}

/// The user's directory for what can be made again.
fn cache() -> Result<PathBuf, BuildError> {
    let set = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    set.filter(|path| path.is_absolute())
        .or_else(home)
        .ok_or(BuildError::NoCache)
}

/// Waits until no other gate builds the revision. The lock ends with the file.
fn lock(path: &Path) -> Result<File, BuildError> {
    let open = || {
        let file = File::create(path)?;
        file.lock()?;
        Ok(file)
    };
    open().map_err(|why: io::Error| unusable(path, why))
}

/// Removes a file, if it is there.
fn remove_file(path: &Path) -> Result<(), BuildError> {
    match fs::remove_file(path) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => Err(unusable(path, why)),
        _ => Ok(()),
    }
}

fn unusable(path: &Path, why: io::Error) -> BuildError {
    BuildError::Directory {
        path: path.to_owned(),
        why,
    }
}

/// A short hash that is the same in every version: FNV-1a, folded to 32 bits.
fn short_hash(text: &OsStr) -> u32 {
    let bytes = text.as_encoded_bytes().iter();
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 32) as u32 ^ hash as u32
}
