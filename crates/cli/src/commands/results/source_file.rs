//! The file of a repository that a result is about, for formats that name a file.

use std::fs;
use std::path::{Path, PathBuf};

use tenbin_plan::{Plan, Reach};

/// Path of the plan file, or else of the script that starts the last launched target, within the git
/// repository of the working directory; `None` if neither is in it. Outside of repositories, paths are
/// within the working directory.
pub(crate) fn source_file(plan_file: Option<&Path>, plan: &Plan) -> Option<String> {
    let here = std::env::current_dir().ok()?.canonicalize().ok()?;
    let of_plan = plan_file.and_then(|file| within_repository(file, &here));
    of_plan.or_else(|| {
        let mut targets = plan.targets.iter().rev();
        targets.find_map(|target| {
            let Reach::Launched(launch) = &target.reach else {
                return None;
            };
            let directory = launch.directory.as_deref().unwrap_or(&here);
            script(&launch.command, directory, &here)
        })
    })
}

/// The first word of a command, run in `directory`, that is the relative path of a file of the
/// repository.
fn script(command: &[String], directory: &Path, here: &Path) -> Option<String> {
    command.iter().enumerate().find_map(|(at, word)| {
        // A program without a slash is looked up in PATH.
        let is_in_path = at == 0 && !word.contains('/');
        if is_in_path || Path::new(word).is_absolute() {
            None
        } else {
            within_repository(&directory.join(word), here)
        }
    })
}

/// The path of an existing file within the repository of `here`, also for a file in another worktree of
/// the repository.
fn within_repository(file: &Path, here: &Path) -> Option<String> {
    let file = here.join(file);
    if !file.is_file() {
        return None;
    }
    // The file itself can be a link to another place.
    let directory = file.parent()?.canonicalize().ok()?;
    let file = directory.join(file.file_name()?);
    let root = match (repository(&directory), repository(here)) {
        (Some(root), Some(own)) if is_same(&root, &own) => root,
        (Some(root), None) => root,
        (_, Some(own)) => own,
        (None, None) => here.to_owned(),
    };
    let within = file.strip_prefix(root).ok()?;
    Some(within.display().to_string())
}

/// The root of the worktree that contains a directory.
fn repository(directory: &Path) -> Option<PathBuf> {
    let mut directories = directory.ancestors();
    let root = directories.find(|directory| directory.join(".git").exists());
    root.map(Path::to_owned)
}

/// Whether two worktrees are of one repository.
fn is_same(one: &Path, other: &Path) -> bool {
    one == other || shared(one).is_some_and(|objects| Some(objects) == shared(other))
}

/// The directory that all worktrees of a repository share.
fn shared(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return git.canonicalize().ok();
    }
    let text = fs::read_to_string(git).ok()?;
    let own = root.join(text.strip_prefix("gitdir:")?.trim());
    let shared = fs::read_to_string(own.join("commondir")).ok()?;
    own.join(shared.trim()).canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a git repository with a server in a subdirectory, and a second worktree of that repository.
    fn made() -> (tempfile::TempDir, PathBuf) {
        let scratch = tempfile::tempdir().expect("a directory");
        let place = scratch.path().canonicalize().expect("its real path");
        for directory in [
            "own/.git/worktrees/tree", "own/api", "tree/api", "other/.git", "own/module/api",
        ] {
            fs::create_dir_all(place.join(directory)).expect("a directory");
        }
        for (file, text) in [
            ("own/.git/worktrees/tree/commondir", "../..\n"),
            ("own/api/server", ""),
            ("own/plan.toml", ""),
            ("own/module/.git", "gitdir: ../.git/modules/module\n"),
            ("own/module/api/server", ""),
            ("tree/api/server", ""),
            ("other/server", ""),
        ] {
            fs::write(place.join(file), text).expect("a file");
        }
        let link = format!(
            "gitdir: {}\n",
            place.join("own/.git/worktrees/tree").display()
        );
        fs::write(place.join("tree/.git"), link).expect("a file");
        (scratch, place)
    }

    #[test]
    fn a_path_starts_at_the_root_of_the_repository() {
        let (_scratch, place) = made();
        let within = |here: &str, file: &str| within_repository(Path::new(file), &place.join(here));
        let found = |path: &str| Some(path.to_owned());
        assert_eq!(within("own", "plan.toml"), found("plan.toml"));
        assert_eq!(within("own/api", "../plan.toml"), found("plan.toml"));
        assert_eq!(within("own/api", "./server"), found("api/server"));
        assert_eq!(within("own", "../tree/api/server"), found("api/server"));
        assert_eq!(within("tree", "../own/api/server"), found("api/server"));
        assert_eq!(
            within("own", "module/api/server"),
            found("module/api/server")
        );
        assert_eq!(within("own", "../other/server"), None);
        assert_eq!(within("own", "missing"), None);
        assert_eq!(within("own", "api"), None, "a directory is no file");
        assert_eq!(within("", "other/server"), found("server"));
    }

    #[test]
    fn the_script_of_a_command_is_looked_for_where_it_runs() {
        let (_scratch, place) = made();
        let here = place.join("own");
        let of = |command: &[&str], directory: &str| {
            let words: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
            script(&words, &place.join(directory), &here)
        };
        let found = Some("api/server".to_owned());
        assert_eq!(of(&["./server", "{port}"], "own/api"), found);
        assert_eq!(of(&["./server", "{port}"], "tree/api"), found);
        assert_eq!(of(&["node", "api/server"], "own"), found);
        assert_eq!(of(&["node", "server"], "own/api"), found);
        assert_eq!(of(&["server"], "own/api"), None, "it is a program in PATH");
        assert_eq!(of(&["./server"], "own"), None, "there is no such file");
        assert_eq!(of(&["/bin/sh", "--data={data}/x", "./"], "own"), None);
    }
}
