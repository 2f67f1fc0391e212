//! Progress of a `tenbin search` command on standard error.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tenbin_plan::Sentence;

use crate::output;
use crate::sentences::said;

/// Interval of progress lines without a terminal.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// An updated line on a terminal, otherwise a line every [`PLAIN_INTERVAL`].
pub(super) struct StepProgress {
    bar: ProgressBar,
    plain: bool,
    last: Instant,
}

impl StepProgress {
    pub(super) fn new(quiet: bool) -> Self {
        let terminal = output::is_smart(&std::io::stderr());
        let bar = if quiet || !terminal {
            ProgressBar::hidden()
        } else {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(4))
                .with_style(ProgressStyle::default_spinner())
        };
        Self {
            bar,
            plain: !quiet && !terminal,
            last: Instant::now(),
        }
    }

    pub(super) fn show(&mut self, text: impl Fn() -> Sentence) {
        if self.plain && self.last.elapsed() >= PLAIN_INTERVAL {
            self.last = Instant::now();
            output::say_note(&text());
        }
        if !self.bar.is_hidden() {
            self.bar.set_message(said(&text()));
            self.bar.tick();
        }
    }

    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
