//! `cargo xtask pictures`: the recording of `tenbin quickstart` in the README, and the picture of its
//! page, so that neither shows an older version.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::shell;

const README: &str = "README.md";
/// The marks around the recording.
const MARKS: [&str; 2] = ["<!-- recording: begin -->", "<!-- recording: end -->"];
const PICTURE: &str = "docs/images/report-page.png";
/// Width and height of the picture, pixels.
const SIZE: &str = "1000,1150";
/// The first lines of the recording.
const COMMAND: &str = "$ cargo run --release -- quickstart";

pub(crate) fn run() -> Result<()> {
    shell::succeed(shell::cargo().args(["build", "--release", "--package", "tenbin"]))?;
    let directory = shell::target_directory().join("pictures");
    if directory.exists() {
        std::fs::remove_dir_all(&directory).context("the last pictures cannot be removed")?;
    }
    std::fs::create_dir_all(&directory).context("no directory for the pictures")?;
    let tenbin = shell::target_directory().join("release/tenbin");
    let tenbin = std::path::absolute(tenbin).context("the path of tenbin")?;
    let recorded = Command::new(&tenbin)
        .arg("quickstart")
        .current_dir(&directory)
        .env("LC_ALL", "C")
        .output()
        .context("tenbin quickstart")?;
    let said = String::from_utf8_lossy(&recorded.stderr);
    ensure!(
        recorded.status.success(),
        "tenbin quickstart failed: {said}"
    );
    let begin = said.lines().find(|line| line.contains("slices in about"));
    let recording = format!(
        "{}\n```console\n{COMMAND}\n{}\n…\n{}```\n{}",
        MARKS[0],
        begin.unwrap_or_default(),
        String::from_utf8_lossy(&recorded.stdout),
        MARKS[1]
    );
    let readme = std::fs::read_to_string(README).context(README)?;
    std::fs::write(README, replaced(&readme, &recording)?).context(README)?;
    let run = std::fs::read_dir(directory.join("runs"))?.next();
    let run = run.context("tenbin quickstart kept no run")??.path();
    photograph(&run.join("report.html"))
}

/// The text with `recording` in place of what is between the marks.
fn replaced(readme: &str, recording: &str) -> Result<String> {
    let (before, rest) = readme
        .split_once(MARKS[0])
        .with_context(|| format!("{README} has no {}", MARKS[0]))?;
    let (_, after) = rest
        .split_once(MARKS[1])
        .with_context(|| format!("{README} has no {}", MARKS[1]))?;
    Ok(format!("{before}{recording}{after}"))
}

/// Writes the picture of a page, with the Chromium that `cargo xtask setup` installs.
fn photograph(page: &Path) -> Result<()> {
    let page = std::path::absolute(page)?;
    let picture = std::path::absolute(PICTURE)?;
    shell::succeed(
        Command::new("chromium")
            .args(["--headless=new", "--no-sandbox", "--disable-gpu"])
            .args(["--hide-scrollbars", "--disable-background-networking"])
            .arg(format!("--window-size={SIZE}"))
            .arg(format!("--screenshot={}", picture.display()))
            .arg(format!("file://{}", page.display())),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_recording_is_replaced() {
        let [begin, end] = MARKS;
        let readme = format!("a\n{begin}\nold\n{end}\nb");
        let new = format!("{begin}\nnew\n{end}");
        assert_eq!(
            replaced(&readme, &new).expect("a recording"),
            format!("a\n{begin}\nnew\n{end}\nb")
        );
        assert!(replaced("no marks", &new).is_err());
        let readme = std::fs::read_to_string(shell::workspace_root().join(README)).expect(README);
        assert!(replaced(&readme, &new).is_ok(), "the README has the marks");
    }
}
