//! The files of a release in one directory, which archive and packages take them from.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::architecture::Architecture;
use super::notices;
use super::release::Release;
use crate::shell;

/// Files of the repository, and their names in the directory.
const COPIED: &[(&str, &str)] = &[
    ("README.md", "README.md"),
    ("README.ja.md", "README.ja.md"),
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    (
        "packaging/systemd/tenbin-agent.service",
        "systemd/tenbin-agent.service",
    ),
    (
        "packaging/systemd/tenbin-observe.service",
        "systemd/tenbin-observe.service",
    ),
    ("packaging/systemd/agent.env", "systemd/agent.env"),
    ("packaging/systemd/observe.env", "systemd/observe.env"),
];

/// Directory for what packages are made of, beside the packages; removed at the end. The name has the
/// number of the process, so that the directory is not one of the user's.
pub(super) fn scratch(into: &Path) -> PathBuf {
    into.join(format!(".tenbin-dist-{}", std::process::id()))
}

/// Completion scripts: name of the shell, name of the file.
pub(super) const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "tenbin.bash"),
    ("zsh", "_tenbin"),
    ("fish", "tenbin.fish"),
    ("elvish", "tenbin.elv"),
    ("powershell", "_tenbin.ps1"),
];

/// The directory of one architecture.
pub(super) struct Layout {
    pub(super) architecture: &'static Architecture,
    /// Name of the archive without its ending, and of the directory in the archive.
    pub(super) name: String,
    /// The directory that contains the directory named `name`.
    pub(super) parent: PathBuf,
}

impl Layout {
    /// Copies the binary without its symbols and the files of the repository, and lets the binary
    /// write its manual pages and completions.
    ///
    /// # Errors
    ///
    /// If the binary does not run, or a file cannot be written.
    pub(super) fn write(
        architecture: &'static Architecture,
        binary: &Path,
        release: &Release,
        into: &Path,
    ) -> Result<Self> {
        let layout = Self {
            architecture,
            name: format!("tenbin-{}-{}", release.version, architecture.triple),
            parent: scratch(into),
        };
        let directory = layout.directory();
        if directory.exists() {
            std::fs::remove_dir_all(&directory)?;
        }
        for part in ["", "systemd", "completions"] {
            let part = directory.join(part);
            std::fs::create_dir_all(&part)
                .with_context(|| format!("cannot make the directory {}", part.display()))?;
        }
        layout.strip(binary)?;
        for (from, to) in COPIED {
            let to = directory.join(to);
            std::fs::copy(from, &to)
                .with_context(|| format!("cannot copy {from} to {}", to.display()))?;
            // What a umask leaves does not matter.
            std::fs::set_permissions(&to, std::fs::Permissions::from_mode(0o644))?;
        }
        let notices = directory.join("THIRD-PARTY.txt");
        std::fs::write(notices, notices::text(architecture)?)?;
        let run = |words: &[&str]| {
            let mut command = architecture.command(&layout.binary());
            // Help must not depend on the language of this machine.
            shell::output_of(command.args(words).env("TENBIN_LANG", "en"))
        };
        let man = directory.join("man");
        run(&["man", man.to_str().context("a path in UTF-8 is needed")?])?;
        for (shell, file) in COMPLETIONS {
            let text = run(&["completions", shell])?;
            std::fs::write(directory.join("completions").join(file), text)?;
        }
        ensure!(
            man.join("tenbin.1").is_file(),
            "`tenbin man` has written no page tenbin.1"
        );
        Ok(layout)
    }

    /// The directory with the files.
    pub(super) fn directory(&self) -> PathBuf {
        self.parent.join(&self.name)
    }

    /// The binary in the directory.
    pub(super) fn binary(&self) -> PathBuf {
        self.directory().join("tenbin")
    }

    /// Copies a binary without symbols. Those built with the profile `dist` have none; strip of
    /// another architecture would not know them.
    fn strip(&self, binary: &Path) -> Result<()> {
        let to = self.binary();
        if self.architecture.is_native() {
            shell::output_of(Command::new("strip").arg("-o").arg(&to).arg(binary))?;
        } else {
            std::fs::copy(binary, &to)
                .with_context(|| format!("cannot copy {}", binary.display()))?;
        }
        std::fs::set_permissions(&to, std::fs::Permissions::from_mode(0o755))?;
        Ok(())
    }
}
