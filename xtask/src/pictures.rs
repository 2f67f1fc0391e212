//! `cargo xtask pictures`: the recording of `tenbin quickstart` in the README, and the pictures of pages
//! in the README and the documentation, so that none shows an older version.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::browser::{Browser, Look};
use crate::shell;

const README: &str = "README.md";
/// The marks around the recording.
const MARKS: [&str; 2] = ["<!-- recording: begin -->", "<!-- recording: end -->"];
/// The first lines of the recording.
const COMMAND: &str = "$ cargo run --release -- quickstart";
const IMAGES: &str = "docs/images";
/// Runs in the pictures of `tenbin ui`, and the first of them on a slower target.
const RUNS: usize = 14;
const SLOWER_FROM: usize = 9;
/// Exit code of a run whose figures are not VALID, as on a busy machine.
const NOT_VALID: i32 = 6;

/// Gives a page the margins that paper has: 1 cm.
const MARGINS: &str = "document.documentElement.style.padding = '38px'";

/// Which page a picture shows.
#[derive(Clone, Copy)]
enum Page {
    /// The page of `tenbin quickstart`.
    Report,
    /// A page of `tenbin ui`, relative to the list.
    Ui(&'static str),
}

/// A picture.
struct Picture {
    file: &'static str,
    page: Page,
    look: Look,
}

const WIDE: Look = Look {
    width: 1280,
    height: 1150,
    dark: false,
    paper: false,
};
const PHONE: Look = Look {
    width: 390,
    height: 844,
    ..WIDE
};

const PICTURES: [Picture; 11] = [
    Picture {
        file: "report-page.png",
        page: Page::Report,
        look: WIDE,
    },
    Picture {
        file: "report-page-dark.png",
        page: Page::Report,
        look: Look { dark: true, ..WIDE },
    },
    Picture {
        file: "report-page-phone.png",
        page: Page::Report,
        look: PHONE,
    },
    Picture {
        file: "report-page-phone-dark.png",
        page: Page::Report,
        look: Look {
            dark: true,
            ..PHONE
        },
    },
    Picture {
        file: "report-page-print.png",
        page: Page::Report,
        // A4.
        look: Look {
            width: 794,
            height: 1123,
            paper: true,
            ..WIDE
        },
    },
    Picture {
        file: "ui-list.png",
        page: Page::Ui(""),
        look: Look {
            height: 640,
            ..WIDE
        },
    },
    Picture {
        file: "ui-list-dark.png",
        page: Page::Ui(""),
        look: Look {
            height: 640,
            dark: true,
            ..WIDE
        },
    },
    Picture {
        file: "ui-list-phone.png",
        page: Page::Ui(""),
        look: PHONE,
    },
    Picture {
        file: "ui-list-phone-dark.png",
        page: Page::Ui(""),
        look: Look {
            dark: true,
            ..PHONE
        },
    },
    Picture {
        file: "ui-history-phone.png",
        page: Page::Ui("history"),
        look: PHONE,
    },
    Picture {
        file: "ui-history.png",
        page: Page::Ui("history"),
        look: Look {
            height: 900,
            ..WIDE
        },
    },
];

/// Makes the recording and the pictures. `programs` is a directory with a `tenbin` that is already
/// built; without it, the release build is made.
///
/// # Errors
/// If a program fails, or a picture is wider than its window.
pub(crate) fn run(programs: Option<PathBuf>) -> Result<()> {
    let programs = match programs {
        Some(directory) => directory,
        None => {
            shell::succeed(shell::cargo().args(["build", "--release", "--package", "tenbin"]))?;
            shell::target_directory().join("release")
        }
    };
    let tenbin = std::path::absolute(programs.join("tenbin")).context("the path of tenbin")?;
    let directory = std::path::absolute(shell::target_directory().join("pictures"))?;
    if directory.exists() {
        std::fs::remove_dir_all(&directory).context("the last pictures cannot be removed")?;
    }
    std::fs::create_dir_all(&directory).context("no directory for the pictures")?;
    let report = record(&tenbin, &directory)?;
    let nightly = directory.join("nightly");
    measure_often(&tenbin, &nightly)?;
    let ui = Served::start(&tenbin, &["ui", "runs", "--port", "0"], &nightly)?;
    let mut browser = Browser::start(&directory.join("profile"))?;
    // The address with the token gives the browser its cookie.
    browser.open(&ui.url)?;
    let list = ui.url.split('?').next().unwrap_or_default();
    for picture in &PICTURES {
        let url = match picture.page {
            Page::Report => format!("file://{}", report.display()),
            Page::Ui(page) => format!("{list}{page}"),
        };
        browser.set_look(picture.look)?;
        browser.open(&url)?;
        if picture.look.paper {
            browser.evaluate(MARGINS)?;
        }
        let width = browser.evaluate("document.documentElement.scrollWidth")?;
        ensure!(
            width.as_u64() <= Some(picture.look.width.into()),
            "{} scrolls sideways: {width} pixels",
            picture.file
        );
        let image = browser.picture()?;
        println!("{}: {} bytes", picture.file, image.len());
        std::fs::write(Path::new(IMAGES).join(picture.file), image)?;
    }
    Ok(())
}

/// Writes what `tenbin quickstart` prints into the README, and returns the page of its run.
fn record(tenbin: &Path, directory: &Path) -> Result<PathBuf> {
    let recorded = Command::new(tenbin)
        .arg("quickstart")
        .current_dir(directory)
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
    Ok(run.join("report.html"))
}

/// Makes short runs of two servers in a directory, the later ones of a slower second server.
fn measure_often(tenbin: &Path, directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory)?;
    // With the same addresses in every run, as the servers of a nightly run have.
    let ports = [shell::free_port()?, shell::free_port()?];
    for run in 0..RUNS {
        let serve = |port: u16, service: &str| {
            let address = format!("127.0.0.1:{port}");
            let options = ["serve", "truth", "--listen", &address, "--service", service];
            Served::start(tenbin, &options, directory)
        };
        let slower = run >= SLOWER_FROM;
        let pinned = serve(ports[0], "fixed:4ms")?;
        let service = if slower { "fixed:4320us" } else { "fixed:4ms" };
        let app = serve(ports[1], service)?;
        let options = [
            "-c", "4", "--anchor", "pinned", "--name", "nightly", "--rounds", "12", "--slice",
            "100ms", "--warmup", "200ms", "--gap", "0s", "--sustain", "0", "--seed", "1",
            "--quiet",
        ];
        let done = Command::new(tenbin)
            .args(["http", "--target", &format!("pinned={}", pinned.url)])
            .args(["--target", &format!("app={}", app.url)])
            .args(options)
            .current_dir(directory)
            .env("LC_ALL", "C")
            .output()?;
        ensure!(
            matches!(done.status.code(), Some(0 | NOT_VALID)),
            "a run ended with {}: {}",
            done.status,
            String::from_utf8_lossy(&done.stderr)
        );
        let build = format!("build-{}", 120 + run);
        shell::output_of(
            Command::new(tenbin)
                .args(["label", "last", &build])
                .current_dir(directory),
        )?;
    }
    Ok(())
}

/// A `tenbin` that serves at the address that it prints; stopped on drop.
struct Served {
    child: Child,
    url: String,
}

impl Served {
    fn start(tenbin: &Path, arguments: &[&str], directory: &Path) -> Result<Self> {
        let mut child = Command::new(tenbin)
            .args(arguments)
            .current_dir(directory)
            .env("LC_ALL", "C")
            .stdout(Stdio::piped())
            .spawn()
            .context("tenbin cannot be started")?;
        let output = child.stdout.take().context("tenbin has no output")?;
        let mut served = Self {
            child,
            url: String::new(),
        };
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let url = line.split_whitespace().find(|it| it.starts_with("http"));
        url.with_context(|| format!("tenbin printed no address: {line}"))?
            .clone_into(&mut served.url);
        Ok(served)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGTERM);
        let _ = self.child.wait();
    }
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
