//! Finds a program before the launch, so that a missing program gives a clear error.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tenbin_plan::{Sentence, nearest_few, sentence};

/// Most files beside a missing program that are considered as the program that was meant.
const MOST_BESIDE: usize = 10_000;

/// Finds the full path of a program: in `path` (the value of `PATH`), as a shell does, or relative
/// to `directory` if the name contains a slash.
///
/// # Errors
/// Why the program cannot be run.
pub(super) fn find(
    program: &str,
    path: Option<&OsStr>,
    directory: &Path,
) -> Result<PathBuf, Sentence> {
    if program.contains('/') {
        let file = directory.join(program);
        return match usable(&file) {
            Usable::Yes => Ok(file),
            Usable::NotExecutable => Err(sentence!(
                "not-executable",
                "{file} is not executable",
                file = file.display()
            )),
            Usable::No => {
                let meant = meant(program, &file).map_or_else(Sentence::default, |meant| {
                    sentence!("did-you-mean", "; did you mean {meant:?}?", meant)
                });
                Err(sentence!(
                    "no-such-file",
                    "there is no file {file}{meant}",
                    file = file.display(),
                    meant
                ))
            }
        };
    }
    let path = path.map_or_else(|| OsString::from("/usr/bin:/bin"), OsStr::to_owned);
    std::env::split_paths(&path)
        .map(|place| directory.join(place).join(program))
        .find(|file| matches!(usable(file), Usable::Yes))
        .ok_or_else(|| {
            sentence!(
                "no-such-program",
                "no such program \"{program}\" in PATH; install it or give its full path",
                program
            )
        })
}

/// The program beside a missing file whose name is nearest, spelled like `program`.
fn meant(program: &str, file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    let beside = std::fs::read_dir(file.parent()?).ok()?;
    let is_program = |path: &Path| matches!(usable(path), Usable::Yes);
    let mut names: Vec<String> = beside
        .flatten()
        .take(MOST_BESIDE)
        .filter(|entry| is_program(&entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    let near = nearest_few(name, names.iter().map(String::as_str));
    let place = program.strip_suffix(name)?;
    Some(format!("{place}{}", near.first()?))
}

enum Usable {
    Yes,
    NotExecutable,
    No,
}

fn usable(file: &Path) -> Usable {
    match file.metadata() {
        Ok(data) if data.is_file() && data.permissions().mode() & 0o111 != 0 => Usable::Yes,
        Ok(_) => Usable::NotExecutable,
        Err(_) => Usable::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_as_a_shell_finds_them() {
        let here = tempfile::tempdir().unwrap();
        let tool = here.path().join("tool");
        std::fs::write(&tool, "#!/bin/sh\n").unwrap();

        let not_executable = find("./tool", None, here.path()).unwrap_err();
        assert!(
            not_executable.text().ends_with("is not executable"),
            "{not_executable}"
        );
        std::fs::set_permissions(&tool, PermissionsExt::from_mode(0o755)).unwrap();
        assert!(find("./tool", None, here.path()).is_ok());
        let misspelt = find("./tol", None, here.path()).unwrap_err();
        assert!(
            misspelt.text().ends_with("; did you mean \"./tool\"?"),
            "{misspelt}"
        );
        let other = find("./server", None, here.path()).unwrap_err();
        assert!(other.text().ends_with("/server"), "{other}");

        let path = Some(here.path().as_os_str());
        assert_eq!(find("tool", path, Path::new("/")), Ok(tool));
        assert_eq!(
            find("minio", path, Path::new("/")).unwrap_err(),
            "no such program \"minio\" in PATH; install it or give its full path"
        );
    }
}
