//! Builds servers from Go modules, into a cache that all clones of the repository share, because a
//! build takes minutes.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{logged, say};
use crate::shell;

/// A server in the exact version that the tests require.
pub(super) struct Server {
    /// Name of the binary.
    pub(super) name: &'static str,
    /// What Go builds.
    pub(super) source: Source,
    /// Module that contains the package.
    pub(super) module: &'static str,
    /// Version of the module.
    pub(super) version: &'static str,
}

/// What Go builds a server from.
pub(super) enum Source {
    /// A main package of the module.
    Package(&'static str),
    /// The text of a main program that uses only parts of the module, because the whole module
    /// takes several times as long to compile.
    Main(&'static str),
}

/// Flags that omit debug information, which takes an eighth of the CPU time of a build.
const WITHOUT_DEBUG_INFO: [&str; 2] = ["-gcflags=all=-dwarf=false", "-ldflags=-s -w"];

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
                .is_ok_and(|info| self.is_in(&info))
    }

    /// Whether the output of `go version -m` names the module in this version: as the module of
    /// the program or, for a main program of ours, as a module that the program uses.
    fn is_in(&self, info: &str) -> bool {
        info.lines().any(|line| {
            let mut words = line.split_whitespace();
            let kind = words.next();
            let is_part = kind == Some("dep") && matches!(self.source, Source::Main(_));
            (kind == Some("mod") || is_part)
                && words.next() == Some(self.module)
                && words.next() == Some(self.version)
        })
    }

    fn build(&self, go: &Path, into: &Path) -> Result<()> {
        let purpose = format!("building {} {}", self.name, self.version);
        match self.source {
            Source::Package(package) => logged::run(
                &purpose,
                Command::new(go)
                    .arg("install")
                    .args(WITHOUT_DEBUG_INFO)
                    .arg(format!("{package}@{}", self.version))
                    .env("GOBIN", into),
            ),
            Source::Main(main) => self.build_main(&purpose, go, into, main),
        }
    }

    fn build_main(&self, purpose: &str, go: &Path, into: &Path, main: &str) -> Result<()> {
        let sources = into.with_file_name(format!("{}-source", self.name));
        std::fs::create_dir_all(&sources)
            .with_context(|| format!("cannot make the directory {}", sources.display()))?;
        let requirement = format!("{} {}", self.module, self.version);
        // From this version on, Go reads only the modules that the program uses. Before, it reads
        // thousands of files, one after the other, to find the versions.
        let go_line = "go 1.21";
        let name = self.name;
        let module = format!("module tenbin-{name}\n\n{go_line}\n\nrequire {requirement}\n");
        for (name, text) in [("go.mod", module.as_str()), ("main.go", main)] {
            let file = sources.join(name);
            std::fs::write(&file, text)
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        logged::run(
            purpose,
            Command::new(go)
                .args(["build", "-mod=mod"])
                .args(WITHOUT_DEBUG_INFO)
                .arg("-o")
                .arg(into.join(self.name))
                .current_dir(&sources),
        )
    }
}

fn go() -> Result<PathBuf> {
    shell::find_program("go")
        .or_else(|| Some(PathBuf::from("/usr/local/go/bin/go")).filter(|go| go.is_file()))
        .context(
            "Go is missing: MinIO, Versity S3 Gateway, rclone and nats-server are built with it; \
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
    use super::{Server, Source};

    const INFO: &str = "minio: go1.26.8\n\tpath\texample.org/minio\n\tmod\texample.org/minio\tv1.2.3\th1:abc=\n\tdep\texample.org/other\tv9.9.9\th1:def=\n";

    fn is_in_info(module: &'static str, version: &'static str, source: Source) -> bool {
        let server = Server {
            name: "minio",
            module,
            version,
            source,
        };
        server.is_in(INFO)
    }

    #[test]
    fn only_the_main_module_in_the_exact_version_counts() {
        assert!(is_in_info(
            "example.org/minio",
            "v1.2.3",
            Source::Package("")
        ));
        assert!(!is_in_info(
            "example.org/minio",
            "v1.2.4",
            Source::Package("")
        ));
        assert!(!is_in_info(
            "example.org/minio",
            "v1.2",
            Source::Package("")
        ));
        assert!(!is_in_info(
            "example.org/other",
            "v9.9.9",
            Source::Package("")
        ));
    }

    #[test]
    fn a_main_program_of_ours_uses_the_module_in_the_exact_version() {
        assert!(is_in_info("example.org/other", "v9.9.9", Source::Main("")));
        assert!(!is_in_info("example.org/other", "v9.9.8", Source::Main("")));
    }
}
