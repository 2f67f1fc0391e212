//! Shows a run under way on standard error: a line that lives on a terminal, a
//! line a block elsewhere.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tenbin_report::text::{duration, escape, rate};
use tenbin_weigh::Progress;

/// How often news is repeated where there is no terminal.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Shows [`Progress`].
pub(crate) struct Display {
    bar: ProgressBar,
    terminal: bool,
    quiet: bool,
    total: usize,
    current: String,
    last_plain: Instant,
}

impl Display {
    /// With `quiet`, warnings alone are shown.
    pub(crate) fn new(quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = if quiet || !terminal {
            ProgressBar::hidden()
        } else {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8))
        };
        Self {
            bar,
            terminal,
            quiet,
            total: 0,
            current: String::new(),
            last_plain: Instant::now(),
        }
    }

    /// Takes what is shown off the screen.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Shows one piece of news.
    pub(crate) fn show(&mut self, progress: &Progress<'_>) {
        match progress {
            Progress::Begun {
                directory,
                slices,
                forecast,
            } => {
                self.total = *slices;
                self.line(&format!(
                    "{} slices in about {}, kept in {}",
                    slices,
                    duration(*forecast),
                    directory.display()
                ));
                self.bar.set_style(style());
                self.bar.enable_steady_tick(Duration::from_millis(250));
            }
            Progress::Starting {
                target,
                awaited: None,
                ..
            } => self.bar.set_message(format!("starting {target}")),
            Progress::Starting {
                target,
                awaited: Some(awaited),
                waited,
            } => {
                let text = format!("{target}: waiting for {awaited}, {}", duration(*waited));
                self.bar.set_message(text.clone());
                self.plain(&text);
            }
            Progress::Up { target, url } => self.line(&format!("{target} is up at {url}")),
            Progress::Stage {
                target,
                workload,
                what,
                done,
                total,
            } => {
                let of = total.map_or_else(String::new, |total| format!(" of {total}"));
                let text = format!("{target}, {workload}: {what} ({done}{of})");
                self.bar.set_message(text.clone());
                self.plain(&text);
            }
            Progress::WarmUp { target, workload } => {
                self.bar
                    .set_message(format!("warming up {target} with {workload}"));
            }
            Progress::Slice {
                index,
                target,
                workload,
            } => {
                self.bar.set_length(self.total as u64);
                self.bar.set_position(*index as u64);
                self.current = format!("{workload} on {target}");
                self.bar.set_message(self.current.clone());
                self.plain(&format!("slice {} of {}", index + 1, self.total));
            }
            Progress::Stretch {
                ok,
                failed,
                seconds,
            } if *seconds > 0.0 => {
                let failed = if *failed > 0 {
                    format!(", {failed} failed")
                } else {
                    String::new()
                };
                self.bar.set_message(format!(
                    "{}: {}{failed}",
                    self.current,
                    rate(*ok as f64 / seconds)
                ));
            }
            Progress::Stretch { .. } | Progress::Measured { .. } => {}
            Progress::Warning(text) => self.warn(text),
            Progress::Stopping => self.bar.set_message("stopping the targets"),
        }
    }

    /// Says something worth a word, quiet or not.
    pub(crate) fn warn(&self, text: &str) {
        self.print(&format!("warning: {}", escape(text)));
    }

    fn line(&self, text: &str) {
        if !self.quiet {
            self.print(&escape(text));
        }
    }

    /// Where nothing can be drawn over, now and then is enough.
    fn plain(&mut self, text: &str) {
        if !self.terminal && !self.quiet && self.last_plain.elapsed() >= PLAIN_INTERVAL {
            self.last_plain = Instant::now();
            self.print(&escape(text));
        }
    }

    #[expect(clippy::print_stderr, reason = "progress goes to standard error")]
    fn print(&self, text: &str) {
        self.bar.suspend(|| eprintln!("{text}"));
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{wide_bar} {pos}/{len}  {elapsed} of about {duration}\n{msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}
