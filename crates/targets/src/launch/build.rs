//! Identifies the build of a launched program by the size and time of its files.

use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tenbin_plan::Launch;

use super::program;

/// The program of a launched target, or a file among the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Size, bytes.
    pub bytes: u64,
    /// Time of the last modification, nanoseconds since 1970.
    pub modified_ns: i64,
}

/// Returns the program and every argument that is a regular file (a script, a jar, a
/// configuration). Size and modification time identify a build without reading the files. Empty if
/// the program is not found.
pub fn program_files(launch: &Launch) -> Vec<ProgramFile> {
    let Some((program, directory)) = program_of(launch) else {
        return Vec::new();
    };
    let arguments = launch.command.iter().skip(1);
    let named = arguments.map(|argument| directory.join(argument));
    std::iter::once(program)
        .chain(named)
        .filter_map(|path| {
            let known = path.metadata().ok().filter(Metadata::is_file)?;
            Some(ProgramFile {
                path,
                bytes: known.len(),
                modified_ns: known
                    .mtime()
                    .saturating_mul(1_000_000_000)
                    .saturating_add(known.mtime_nsec()),
            })
        })
        .collect()
}

/// The full path of the program that a command starts, and the directory in which it starts. `None`
/// if the program is not found.
pub(super) fn program_of(launch: &Launch) -> Option<(PathBuf, PathBuf)> {
    let directory = launch.directory.clone().unwrap_or_default();
    let directory = Path::new(".").join(directory).canonicalize().ok()?;
    let path = launch.env.get("PATH").map(OsString::from);
    let path = path.or_else(|| std::env::var_os("PATH"));
    let program = program::find(launch.command.first()?, path.as_deref(), &directory).ok()?;
    Some((program, directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_and_its_script_are_identified_by_size_and_time() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = scratch.path().to_owned();
        let script = directory.join("server.sh");
        std::fs::write(&script, "exit 0\n").unwrap();
        let launch = Launch {
            command: ["sh", "server.sh", "--port", "{port}"]
                .map(str::to_owned)
                .to_vec(),
            nodes: Vec::new(),
            env: Default::default(),
            directory: Some(directory.clone()),
            url: String::new(),
            ready: tenbin_plan::Ready::Port,
            ready_within: Default::default(),
            stop_within: Default::default(),
        };
        let before = program_files(&launch);
        assert_eq!(before.len(), 2, "{before:?}");
        assert_eq!(before[1].bytes, 7);
        assert_eq!(program_files(&launch), before);
        std::fs::write(&script, "exit 1 # changed\n").unwrap();
        assert_ne!(program_files(&launch)[1], before[1]);
        std::fs::remove_dir_all(&directory).unwrap();
        assert_eq!(program_files(&launch), []);
    }
}
