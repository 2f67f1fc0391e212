//! The architectures that are built.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// An architecture, by the names that compilers and package formats use.
pub(super) struct Architecture {
    /// Target of the compiler.
    pub(super) triple: &'static str,
    /// First part of the triple, which is also the name of the architecture in RPM.
    pub(super) machine: &'static str,
    /// Name in Debian packages, container images and nfpm.
    pub(super) debian: &'static str,
    /// Program of qemu that runs its binaries on other machines.
    pub(super) emulator: &'static str,
    /// Name of the step that builds it.
    pub(super) step: &'static str,
}

pub(super) const ARCHITECTURES: &[Architecture] = &[
    Architecture {
        triple: "x86_64-unknown-linux-musl",
        machine: "x86_64",
        debian: "amd64",
        emulator: "qemu-x86_64",
        step: "build for x86_64",
    },
    Architecture {
        triple: "aarch64-unknown-linux-musl",
        machine: "aarch64",
        debian: "arm64",
        emulator: "qemu-aarch64",
        step: "build for aarch64",
    },
];

/// The architectures with these names, such as `aarch64`; all without a name.
pub(super) fn chosen(names: &[&str]) -> Result<Vec<&'static Architecture>> {
    if names.is_empty() {
        return Ok(ARCHITECTURES.iter().collect());
    }
    names.iter().map(|name| named(name)).collect()
}

/// The architecture of the machine that runs this task.
pub(super) fn of_this_machine() -> Result<&'static Architecture> {
    named(std::env::consts::ARCH)
}

fn named(name: &str) -> Result<&'static Architecture> {
    let found = ARCHITECTURES.iter().find(|each| each.machine == name);
    found.with_context(|| {
        let known: Vec<&str> = ARCHITECTURES.iter().map(|each| each.machine).collect();
        format!(
            "no packages are built for `{name}`; known: {}",
            known.join(", ")
        )
    })
}

impl Architecture {
    /// Whether this machine runs its binaries without an emulator.
    pub(super) fn is_native(&self) -> bool {
        self.machine == std::env::consts::ARCH
    }

    /// A command that runs a binary of this architecture.
    pub(super) fn command(&self, binary: &Path) -> Command {
        let mut words = self.emulated(binary).into_iter();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        command
    }

    fn emulated(&self, binary: &Path) -> Vec<OsString> {
        let emulator = (!self.is_native()).then(|| OsString::from(self.emulator));
        emulator.into_iter().chain([binary.into()]).collect()
    }
}
