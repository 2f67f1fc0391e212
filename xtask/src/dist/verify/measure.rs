//! A short measurement: a server of the program, and the program that measures it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::shell;

/// Exit code of a run whose figures must not be used.
const INVALID: i32 = 6;

/// A server that ends with this value.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _status = self.0.wait();
    }
}

/// Starts the built-in HTTP server and measures it in another process. `tenbin` is a command for the
/// program without arguments.
///
/// # Errors
///
/// If the server does not start, or the measurement has no figure.
pub(super) fn briefly(tenbin: &dyn Fn() -> Command) -> Result<()> {
    let mut server = tenbin();
    server.args(["serve", "http", "--listen", "127.0.0.1:0"]);
    server.stdout(Stdio::piped()).stderr(Stdio::inherit());
    let shown = shell::show(&server);
    let child = server.spawn();
    let mut server = Server(child.with_context(|| format!("`{shown}` cannot be run"))?);
    let output = server.0.stdout.take().context("its output is piped")?;
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    let url = line.split_whitespace().find(|word| word.contains("://"));
    let url = url.with_context(|| format!("`{shown}` has printed no URL, but {line:?}"))?;
    let target = format!("a={url}");
    let mut run = tenbin();
    run.args(["http", "--target", &target, "--rounds", "2"]);
    run.args(["--slice", "100ms", "--warmup", "0s", "--connections", "2"]);
    let scratch = std::env::temp_dir().join(format!("tenbin-dist-{}", std::process::id()));
    std::fs::create_dir_all(&scratch)?;
    let shown = shell::show(&run);
    let output = run.env("TENBIN_LANG", "en").current_dir(&scratch).output();
    std::fs::remove_dir_all(&scratch)?;
    let output = output.with_context(|| format!("`{shown}` cannot be run"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    // A busy machine makes a run of 0.2 s invalid, with its figures.
    let has_figures = text.contains("throughput") && text.contains("/s");
    ensure!(
        matches!(output.status.code(), Some(0 | INVALID)) && has_figures,
        "`{shown}` has measured nothing ({}):\n{text}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
