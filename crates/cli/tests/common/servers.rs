//! Paths of the programs that `cargo xtask setup` installs.

use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::Scratch;

/// An external program that the tests need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Server {
    Nginx,
    Minio,
    Versitygw,
    Rclone,
    Nats,
    Wrk,
    Groonga,
    /// Not a server; reads `benchmark.txt`.
    Benchstat,
    /// Not a server; checks workflows of GitHub Actions.
    Actionlint,
    /// Not a server; checks TOML files with their schema.
    Taplo,
    /// Not a server; checks files of CI systems with their published schemas.
    CheckJsonschema,
}

impl Server {
    fn program(self) -> &'static str {
        match self {
            Self::Nginx => "nginx",
            Self::Minio => "minio",
            Self::Versitygw => "versitygw",
            Self::Rclone => "rclone",
            Self::Nats => "nats-server",
            Self::Wrk => "wrk",
            Self::Groonga => "groonga",
            Self::Benchstat => "benchstat",
            Self::Actionlint => "actionlint",
            Self::Taplo => "taplo",
            Self::CheckJsonschema => "check-jsonschema",
        }
    }
}

/// Path of the program. A missing program fails the test; no test is skipped.
pub(crate) fn path_of(server: Server) -> PathBuf {
    let program = server.program();
    std::env::split_paths(&search_path())
        .map(|directory| directory.join(program))
        .find(|file| file.is_file())
        .unwrap_or_else(|| panic!("{program} is missing; run `cargo xtask setup`"))
}

/// Directory of the OpenSearch libraries, which the launcher also uses. Missing libraries fail the
/// test.
pub(crate) fn opensearch() -> PathBuf {
    let libraries = cache_dir().map(|programs| programs.with_file_name("opensearch/lib"));
    libraries
        .filter(|libraries| libraries.is_dir())
        .unwrap_or_else(|| panic!("OpenSearch is missing; run `cargo xtask setup`"))
}

/// `PATH` for child processes: the servers of `cargo xtask setup`, the `PATH` of this process, and
/// Debian's directories for administrator programs.
pub(crate) fn search_path() -> OsString {
    let own = std::env::var_os("PATH").unwrap_or_default();
    let directories = cache_dir()
        .into_iter()
        .chain(std::env::split_paths(&own))
        .chain(["/usr/sbin".into(), "/usr/bin".into()]);
    std::env::join_paths(directories).expect("no directory has a colon in its name")
}

/// [`search_path`] after a directory that has only the built `tenbin`.
pub(crate) fn search_path_with_tenbin(scratch: &Scratch) -> OsString {
    let programs = scratch.path().join("programs");
    std::fs::create_dir(&programs).expect("a directory");
    symlink(env!("CARGO_BIN_EXE_tenbin"), programs.join("tenbin")).expect("a link");
    let others = search_path();
    let all = std::iter::once(programs).chain(std::env::split_paths(&others));
    std::env::join_paths(all).expect("no directory has a colon in its name")
}

/// The server directory of `cargo xtask setup` (xtask/src/setup/go.rs).
fn cache_dir() -> Option<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    set("TENBIN_SERVERS").or_else(|| {
        let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
        Some(cache.join("tenbin/servers/bin"))
    })
}
