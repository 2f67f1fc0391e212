//! Builds servers from Go modules, into a cache that all clones of the repository share, because a
//! build takes minutes.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::say;
use crate::shell;

/// A server in the exact version that the tests require.
pub(super) struct Server {
    /// Name of the binary.
    pub(super) name: &'static str,
    /// Package that `go install` builds.
    pub(super) package: &'static str,
    /// Module that contains the package.
    pub(super) module: &'static str,
    /// Version of the module.
    pub(super) version: &'static str,
}

/// Location of a server binary.
enum State {
    /// In the cache.
    Ready(PathBuf),
    /// In the installation directory of Go, from an earlier build.
    Elsewhere(PathBuf),
    /// Not found in the required version.
    Missing,
}

/// Names of the servers that are not in the cache. Prints the state of every server.
pub(super) fn missing(servers: &[Server]) -> Result<Vec<&'static str>> {
    let go = go()?;
    let mut names = Vec::new();
    for server in servers {
        let state = server.state(&go)?;
        match &state {
            State::Ready(file) => server.say_ready(file),
            State::Elsewhere(file) => say(
                server.name,
                &format!("to be linked from {} ({})", file.display(), server.version),
            ),
            State::Missing => say(
                server.name,
                &format!("to be built with Go ({})", server.version),
            ),
        }
        if !matches!(state, State::Ready(_)) {
            names.push(server.name);
        }
    }
    Ok(names)
}

/// Builds or links every server whose required version is not in the cache.
pub(super) fn install(servers: &[Server]) -> Result<()> {
    let go = go()?;
    let cache = cache_dir()?;
    std::fs::create_dir_all(&cache)
        .with_context(|| format!("cannot make the directory {}", cache.display()))?;
    for server in servers {
        let place = cache.join(server.name);
        match server.state(&go)? {
            State::Ready(_) => {}
            State::Elsewhere(file) => {
                remove_if_there(&place)?;
                symlink(&file, &place)
                    .with_context(|| format!("cannot link {}", place.display()))?;
            }
            State::Missing => {
                remove_if_there(&place)?;
                server.build(&go, &cache)?;
            }
        }
        let State::Ready(file) = server.state(&go)? else {
            bail!("{} was built, yet is not {}", server.name, server.version);
        };
        say(
            server.name,
            &format!("{} ({})", file.display(), server.version),
        );
    }
    Ok(())
}

impl Server {
    fn state(&self, go: &Path) -> Result<State> {
        let cached = cache_dir()?.join(self.name);
        if self.is_right_version(go, &cached) {
            return Ok(State::Ready(cached));
        }
        let elsewhere = install_dirs(go)?
            .into_iter()
            .map(|directory| directory.join(self.name))
            .find(|file| self.is_right_version(go, file));
        Ok(elsewhere.map_or(State::Missing, State::Elsewhere))
    }

    fn say_ready(&self, file: &Path) {
        say(self.name, &format!("{} ({})", file.display(), self.version));
    }

    fn is_right_version(&self, go: &Path, binary: &Path) -> bool {
        binary.is_file()
            && shell::output_of(Command::new(go).args(["version", "-m"]).arg(binary))
                .is_ok_and(|info| holds_module(&info, self.module, self.version))
    }

    fn build(&self, go: &Path, into: &Path) -> Result<()> {
        println!(
            "building {} {} into {} (some minutes, once for all clones)",
            self.name,
            self.version,
            into.display()
        );
        let package = format!("{}@{}", self.package, self.version);
        shell::succeed(
            Command::new(go)
                .args(["install", &package])
                .env("GOBIN", into),
        )
    }
}

/// Whether `info`, the output of `go version -m`, names this main module in this version.
fn holds_module(info: &str, module: &str, version: &str) -> bool {
    info.lines().any(|line| {
        let mut words = line.split_whitespace();
        words.next() == Some("mod") && words.next() == Some(module) && words.next() == Some(version)
    })
}

fn go() -> Result<PathBuf> {
    shell::find_program("go")
        .or_else(|| Some(PathBuf::from("/usr/local/go/bin/go")).filter(|go| go.is_file()))
        .context(
            "Go is missing: MinIO, Versity S3 Gateway and rclone are built with it; \
             install Go 1.21 or later from https://go.dev/dl/ and run `cargo xtask setup` again",
        )
}

/// The cache directory: `TENBIN_SERVERS`, or `tenbin/servers/bin` in the user's cache directory.
/// The end-to-end tests use the same directory.
pub(super) fn cache_dir() -> Result<PathBuf> {
    if let Some(directory) = set_variable("TENBIN_SERVERS") {
        return Ok(directory);
    }
    let cache = set_variable("XDG_CACHE_HOME")
        .or_else(|| Some(set_variable("HOME")?.join(".cache")))
        .context(
            "neither HOME nor XDG_CACHE_HOME nor TENBIN_SERVERS is set: where to keep the servers?",
        )?;
    Ok(cache.join("tenbin/servers/bin"))
}

/// Default installation directories of `go install`.
fn install_dirs(go: &Path) -> Result<Vec<PathBuf>> {
    let answer = shell::output_of(Command::new(go).args(["env", "GOBIN", "GOPATH"]))?;
    let mut lines = answer.lines();
    let gobin = lines.next().unwrap_or_default();
    let gopath = lines.next().unwrap_or_default();
    let mut directories: Vec<PathBuf> = std::env::split_paths(gopath)
        .map(|path| path.join("bin"))
        .collect();
    if !gobin.is_empty() {
        directories.insert(0, gobin.into());
    }
    Ok(directories)
}

fn set_variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

fn remove_if_there(file: &Path) -> Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", file.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::holds_module;

    const INFO: &str = "minio: go1.26.8\n\tpath\texample.org/minio\n\tmod\texample.org/minio\tv1.2.3\th1:abc=\n\tdep\texample.org/other\tv9.9.9\th1:def=\n";

    #[test]
    fn only_the_main_module_in_the_exact_version_counts() {
        assert!(holds_module(INFO, "example.org/minio", "v1.2.3"));
        assert!(!holds_module(INFO, "example.org/minio", "v1.2.4"));
        assert!(!holds_module(INFO, "example.org/minio", "v1.2"));
        assert!(!holds_module(INFO, "example.org/other", "v9.9.9"));
    }
}
