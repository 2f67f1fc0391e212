//! Runs the built `tenbin` and checks its output.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::processes::{kill_group, signal, tied, wait_until};
use super::scratch::Scratch;
use super::servers::search_path;

/// A `tenbin` command line that runs in the scratch directory, with the servers of `cargo xtask
/// setup` in `PATH`.
#[derive(Debug)]
pub(crate) struct Tenbin<'a> {
    scratch: &'a Scratch,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    inside: Vec<OsString>,
    limit: Duration,
}

/// The words of a command line, with quotes as in a shell.
#[track_caller]
pub(crate) fn words(line: impl AsRef<str>) -> Vec<String> {
    shlex::split(line.as_ref()).expect("quotes that are closed")
}

impl<'a> Tenbin<'a> {
    /// `tenbin` with these arguments and a time limit of one minute.
    pub(crate) fn new<A: AsRef<OsStr>>(
        scratch: &'a Scratch,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        let arguments = arguments.into_iter().map(|a| a.as_ref().to_owned());
        Self {
            scratch,
            arguments: arguments.collect(),
            variables: Vec::new(),
            inside: Vec::new(),
            limit: Duration::from_secs(180),
        }
    }

    /// `tenbin` with the words of this line.
    #[track_caller]
    pub(crate) fn line(scratch: &'a Scratch, line: impl AsRef<str>) -> Self {
        Self::new(scratch, words(line))
    }

    /// Adds an environment variable.
    pub(crate) fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        let variable = (name.as_ref().to_owned(), value.as_ref().to_owned());
        self.variables.push(variable);
        self
    }

    /// Sets the words before the command line, such as those of `unshare`.
    pub(crate) fn inside(mut self, words: &[&str]) -> Self {
        self.inside = words.iter().map(OsString::from).collect();
        self
    }

    /// Sets the time limit, after which the test fails and the process is killed.
    pub(crate) fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Runs the command line to its end.
    pub(crate) fn run(self) -> Outcome {
        let limit = self.limit;
        self.start().wait(limit)
    }

    /// Starts the command line.
    pub(crate) fn start(self) -> Running {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        // Files instead of pipes: a pipe stays open until all child processes have ended. Leftover
        // processes must not block the test; `Scratch::expect_nobody_left` checks for them.
        let stdout = self.scratch.join(&format!("tenbin-{count}.stdout"));
        let stderr = self.scratch.join(&format!("tenbin-{count}.stderr"));
        let (mark, scratch) = self.scratch.mark();
        let mut words = self.inside;
        words.push(env!("CARGO_BIN_EXE_tenbin").into());
        let child = tied(&words[0])
            .args(&words[1..])
            .args(&self.arguments)
            .current_dir(self.scratch.path())
            .env("PATH", search_path())
            .env("NO_COLOR", "1")
            .env("RUST_BACKTRACE", "0")
            .env("TENBIN_VERBOSE", "1")
            .env(mark, scratch)
            .envs(self.variables)
            .stdin(Stdio::null())
            .stdout(File::create(&stdout).expect("a file for standard output"))
            .stderr(File::create(&stderr).expect("a file for standard error"))
            .spawn()
            .expect("tenbin can be started");
        let shown: Vec<_> = self.arguments.iter().map(|a| a.to_string_lossy()).collect();
        Running {
            child,
            command: format!("tenbin {}", shown.join(" ")),
            stdout,
            stderr,
            start: Instant::now(),
        }
    }
}

/// A running `tenbin`; killed on drop.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    command: String,
    stdout: String,
    stderr: String,
    start: Instant,
}

impl Running {
    /// Process ID.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal, for example `SIGINT`, the signal of Ctrl-C.
    pub(crate) fn signal(&self, which: Signal) {
        signal(self.child.id(), which);
    }

    /// Whether the process is still running.
    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Polls `is_so` until it returns true. Fails if the process ends before, or after `limit`.
    pub(crate) fn wait_until(&mut self, limit: Duration, mut is_so: impl FnMut() -> bool) {
        let mut ended = false;
        let came = wait_until(limit, || {
            ended = !self.is_running();
            is_so() || ended
        });
        assert!(came && !ended, "it did not come to that: {}", self.so_far());
    }

    /// Standard output and standard error so far.
    pub(crate) fn so_far(&self) -> String {
        transcript(
            &self.command,
            &text_of(&self.stdout),
            &text_of(&self.stderr),
        )
    }

    /// Waits for the end of the process; fails after `limit`.
    pub(crate) fn wait(mut self, limit: Duration) -> Outcome {
        let mut status: Option<ExitStatus> = None;
        let ended = wait_until(limit, || {
            status = self.child.try_wait().expect("tenbin can be waited for");
            status.is_some()
        });
        let took = self.start.elapsed();
        assert!(ended, "not done after {took:?}: {}", self.so_far());
        let status = status.expect("it has ended");
        Outcome {
            code: status.code(),
            signal: status.signal(),
            stdout: text_of(&self.stdout),
            stderr: text_of(&self.stderr),
            took,
            command: self.command.clone(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.is_running() {
            kill_group(self.child.id());
            let _ = self.child.wait();
        }
    }
}

/// Exit status and output of a `tenbin` process.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Exit code; `None` if a signal ended the process.
    pub(crate) code: Option<i32>,
    /// The signal that ended the process, if any.
    pub(crate) signal: Option<i32>,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
    /// Duration from start to end.
    pub(crate) took: Duration,
    command: String,
}

impl Outcome {
    /// Fails unless the process ended with this exit code and without a panic.
    #[track_caller]
    pub(crate) fn expect_code(&self, code: i32) -> &Self {
        assert!(
            self.code == Some(code) && !self.stderr.contains("panicked at"),
            "exit code {code} was expected, not {:?} (signal {:?}): {self}",
            self.code,
            self.signal
        );
        self
    }

    /// Fails unless the process measured: exit code 0, or 6 where a busy machine made the run
    /// INVALID.
    #[track_caller]
    pub(crate) fn expect_measured(&self) -> &Self {
        assert!(
            matches!(self.code, Some(0 | 6)) && !self.stderr.contains("panicked at"),
            "exit code 0 or 6 was expected, not {:?} (signal {:?}): {self}",
            self.code,
            self.signal
        );
        self
    }

    /// Fails unless standard error contains this text.
    #[track_caller]
    pub(crate) fn expect_stderr(&self, text: &str) -> &Self {
        assert!(self.stderr.contains(text), "`{text}` was expected: {self}");
        self
    }

    /// Fails unless standard output contains this text.
    #[track_caller]
    pub(crate) fn expect_stdout(&self, text: &str) -> &Self {
        // Ignores line breaks, because their positions depend on the text before.
        let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = self.stdout.contains(text)
            || (!text.contains('\n') && joined(&self.stdout).contains(&joined(text)));
        assert!(found, "`{text}` was expected: {self}");
        self
    }

    /// The part of the output before the description of the measurement.
    pub(crate) fn answer(&self) -> String {
        let lines = self.stdout.lines();
        let answer = lines.take_while(|line| !line.contains(" · "));
        answer.collect::<Vec<_>>().join(" ")
    }

    /// Fails if this text (a secret) is anywhere in the output.
    #[track_caller]
    pub(crate) fn expect_silence_about(&self, secret: &str) -> &Self {
        let said = self.stdout.contains(secret) || self.stderr.contains(secret);
        assert!(!said, "`{secret}` was not expected: {self}");
        self
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&transcript(&self.command, &self.stdout, &self.stderr))
    }
}

fn transcript(command: &str, stdout: &str, stderr: &str) -> String {
    format!("$ {command}\n--- standard output\n{stdout}\n--- standard error\n{stderr}\n---")
}

fn text_of(file: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(file).expect("the output file")).into_owned()
}
