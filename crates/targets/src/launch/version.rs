//! The version that the program of a launched target prints.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tenbin_plan::Launch;

use super::build::program_of;

/// Programs that print their version and exit, each with the argument for it. No other program is
/// started: it could do anything with an unknown argument.
const PROGRAMS: &[(&str, &str)] = &[
    ("apache2", "-v"),
    ("caddy", "version"),
    ("envoy", "--version"),
    ("garage", "--version"),
    ("groonga", "--version"),
    ("haproxy", "-v"),
    ("httpd", "-v"),
    ("lighttpd", "-v"),
    ("minio", "--version"),
    ("nginx", "-v"),
    ("rclone", "--version"),
    ("versitygw", "--version"),
    ("weed", "version"),
];

/// Longest wait for the version.
const MOST: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(5);
/// Number of bytes read of the output, and number of characters kept of a version.
const MOST_BYTES: u64 = 4096;
const MOST_CHARS: usize = 80;

/// A version that is being determined while the target starts.
#[derive(Debug)]
pub struct StatedVersion(Option<JoinHandle<Option<String>>>);

impl StatedVersion {
    /// Starts the program of `launch` with the argument for its version, if the program is known.
    pub fn of(launch: &Launch) -> Self {
        let name = launch.command.first().map(Path::new);
        let name = name
            .and_then(Path::file_name)
            .and_then(|name| name.to_str());
        let known = PROGRAMS.iter().find(|(known, _)| Some(*known) == name);
        let thread = known
            .zip(program_of(launch))
            .map(|(&(_, argument), (program, _))| {
                thread::spawn(move || version_in(&output_of(&program, argument)?))
            });
        Self(thread)
    }

    /// The version; `None` if the program is not known or prints no version.
    pub fn get(self) -> Option<String> {
        self.0?.join().ok()?
    }
}

/// What a program prints within [`MOST`], on both streams.
fn output_of(program: &Path, argument: &str) -> Option<String> {
    let mut child = Command::new(program)
        .arg(argument)
        .env_clear()
        // MinIO prints its version only if there is a home directory in the environment.
        .env("HOME", "/nonexistent")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let until = Instant::now() + MOST;
    while child.try_wait().ok()?.is_none() {
        if Instant::now() > until {
            // The program can have ended since.
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        thread::sleep(POLL);
    }
    let mut bytes = Vec::new();
    child
        .stdout?
        .take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    child
        .stderr?
        .take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The version in the first line that a program prints: the word after "version", otherwise the first
/// word that contains a digit.
fn version_in(output: &str) -> Option<String> {
    let line = output.lines().find(|line| !line.trim().is_empty())?;
    let lower = line.to_ascii_lowercase();
    let version = match lower.find("version") {
        Some(at) => word_with(&line[at + "version".len()..], |c| c.is_ascii_alphanumeric()),
        None => word_with(line, |c| c.is_ascii_digit()),
    }?;
    let shown = version.chars().filter(char::is_ascii_graphic);
    Some(shown.take(MOST_CHARS).collect())
}

/// The first word with such a character.
fn word_with(text: &str, is_wanted: fn(char) -> bool) -> Option<&str> {
    text.split_whitespace()
        .find(|word| word.contains(is_wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found_in_the_output_of_servers() {
        for (output, version) in [
            (
                "minio version RELEASE.2025-04-22T22-12-26Z (commit-id=0d7408fc)\nRuntime: go1.24.2",
                "RELEASE.2025-04-22T22-12-26Z",
            ),
            (
                "minio version DEVELOPMENT.GOGET (commit-id=x)\nRuntime: go1.26.8",
                "DEVELOPMENT.GOGET",
            ),
            ("nginx version: nginx/1.26.3\n", "nginx/1.26.3"),
            ("Version  : git\nBuild    : norev\n", "git"),
            ("Version  : v1.0.14\nBuild    : f0e5\n", "v1.0.14"),
            ("Groonga 13.0.0 [Linux,x86_64,utf8]\n", "13.0.0"),
            (
                "rclone v1.60.1-DEV\n- os/version: debian 13\n",
                "v1.60.1-DEV",
            ),
            ("Server version: Apache/2.4.62 (Debian)\n", "Apache/2.4.62"),
        ] {
            assert_eq!(version_in(output).as_deref(), Some(version), "{output}");
        }
        assert_eq!(version_in("no such option\n"), None);
        assert_eq!(version_in(""), None);
    }

    #[test]
    fn only_known_programs_are_started() {
        let scratch = tempfile::tempdir().unwrap();
        let script = |name: &str| {
            let path = scratch.path().join(name);
            std::fs::write(&path, "#!/bin/sh\necho server version 1.2\n").unwrap();
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(&path, mode).unwrap();
            let launch = Launch {
                command: vec![path.to_str().unwrap().to_owned(), "serve".to_owned()],
                ..Launch::default()
            };
            StatedVersion::of(&launch).get()
        };
        assert_eq!(script("minio").as_deref(), Some("1.2"));
        assert_eq!(script("start"), None);
    }
}
