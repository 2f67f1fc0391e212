//! The progress of a run on standard error: an updated view on a terminal, otherwise one line every
//! ten seconds.

mod live;
mod pace;
pub(crate) mod steps;
mod wording;

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use tenbin_plan::duration::Time;
use tenbin_plan::{Plan, Sentence, sentence};
use tenbin_record::Environment;
use tenbin_report::for_terminal;
use tenbin_result::Language;
use tenbin_runner::Progress;
use tenbin_verdict::InterimRatio;
use tenbin_verdict::hits::compare_hits;

use self::live::LiveTable;
pub(crate) use self::pace::Pace;
use self::wording::{Lasting, about, after_loading, behind, parts_of, slower};
use crate::front;
use crate::language::language;
use crate::output::{self, note_line, warning_line};
use crate::sentences::said;

/// Interval of progress lines without a terminal.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Width in columns of a terminal that does not report its width.
const COLUMNS: usize = 80;

/// Number of waiting requests up to which a target counts as keeping up with its rate. More count if
/// the target needs longer than a second for them.
const FEW_WAITING: u64 = 100;

/// Shows [`Progress`] events.
pub(crate) struct Display {
    bar: ProgressBar,
    terminal: bool,
    quiet: bool,
    total: usize,
    pace: Pace,
    /// Whether the run can end before its total duration.
    at_most: bool,
    /// Whether every slice ends after a number of requests.
    counted: bool,
    current: String,
    /// Whether a maximum-rate search is running.
    is_search: bool,
    /// Whether the display has said that a target does not keep up with its rate.
    told_behind: bool,
    /// Description of the next probe, in a maximum-rate search.
    probe: Option<String>,
    /// The lines below the progress bar.
    table: LiveTable,
    last_plain: Instant,
    /// How many slices are measured and for how long, until it was announced.
    announcement: Option<String>,
    /// The run directory, until it was announced.
    kept_in: Option<String>,
    /// The run directory, as soon as it is known. `None` if no objects remain on targets when a
    /// second Ctrl-C ends the program.
    directory_to_clean: Option<Arc<OnceLock<PathBuf>>>,
}

impl Display {
    /// A display on standard error; with `quiet`, only what the user asked for or must delete is shown.
    pub(crate) fn new(quiet: bool) -> Self {
        let terminal = output::is_smart(&std::io::stderr());
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
            pace: Pace::new(Duration::ZERO, &[]),
            at_most: false,
            counted: false,
            current: String::new(),
            is_search: false,
            told_behind: false,
            probe: None,
            table: LiveTable::default(),
            last_plain: Instant::now(),
            announcement: None,
            kept_in: None,
            directory_to_clean: None,
        }
    }

    /// A display of the progress line alone, for a run among several of a command.
    pub(crate) fn of_line(quiet: bool) -> Self {
        Self {
            quiet: true,
            ..Self::new(quiet)
        }
    }

    /// Sets whether objects can remain on targets when a second Ctrl-C ends the program.
    pub(crate) fn tell_what_may_stay(&mut self, may_stay: bool) {
        self.directory_to_clean = may_stay.then(Arc::default);
    }

    /// Removes the progress line from the screen.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Shows one progress event.
    pub(crate) fn show(&mut self, progress: &Progress<'_>) {
        match progress {
            Progress::Started { .. } => self.started(progress),
            Progress::Announced => {
                if let Some(announcement) = self.announcement.take() {
                    self.line(&announcement);
                }
            }
            Progress::Starting {
                target,
                awaited: None,
                ..
            } => self.bar.set_message(said(&steps::starting(target))),
            Progress::Starting { .. }
            | Progress::Pages { .. }
            | Progress::Loading { .. }
            | Progress::Stage { .. } => {
                if let Some(step) = steps::lasting(progress) {
                    self.message(&step);
                }
            }
            Progress::WarmUp { target, workload } => {
                self.bar
                    .set_message(said(&steps::warming_up(target, workload)));
            }
            Progress::Printed { what } => {
                let contains = sentence!(
                    "plan-contains",
                    "plan.toml contains {what}; use {{env:NAME}} in place of secret values",
                    what
                );
                self.note(&contains.with_part("what", [(*what).clone()]));
            }
            Progress::Ready { target, url } => {
                self.tell(&sentence!("is-up", "{target} is up at {url}", target, url))
            }
            Progress::Slice {
                index,
                target,
                workload,
                ..
            } => self.slice_begins(*index, target, workload),
            Progress::Probe { .. } => self.probe = steps::probe(progress).as_ref().map(said),
            Progress::Speed {
                ok_per_second,
                failed,
                waiting,
            } => {
                self.table.speed(*ok_per_second, *failed);
                self.show_table(false);
                self.say_if_behind(*ok_per_second, *waiting);
            }
            Progress::Measured { slice } => {
                self.table.end(slice);
                self.show_table(false);
            }
            Progress::Second { .. } | Progress::Concluded { .. } => {}
            Progress::Hits { plan, environment } => self.hits(plan, environment),
            Progress::Warning(text) => self.warn(text),
            Progress::Left(text) => self.warn_always(text),
            Progress::Note(text) => self.note(text),
            Progress::Stopping => self.bar.set_message(said(&steps::stopping())),
        }
    }

    /// Says once that a target does not keep up with a fixed rate. The probes of a maximum-rate search
    /// do so on purpose.
    fn say_if_behind(&mut self, ok_per_second: f64, waiting: u64) {
        let is_behind = waiting > FEW_WAITING && waiting as f64 > ok_per_second;
        if is_behind && !self.is_search && !self.told_behind {
            self.told_behind = true;
            self.note(&behind(waiting));
        }
    }

    /// Shows the ratios after a block of rounds.
    pub(crate) fn ratios(&mut self, ratios: &[InterimRatio]) {
        self.table.set_ratios(ratios);
        self.show_table(false);
    }

    /// Shows what is being done, or prints it without a terminal.
    fn message(&mut self, sentence: &Sentence) {
        let text = said(sentence);
        self.plain(&text);
        self.bar.set_message(text);
    }

    fn started(&mut self, progress: &Progress<'_>) {
        let Progress::Started {
            directory,
            slices,
            after_rounds,
            forecast,
            measured,
            longest,
            behind,
            shortest,
            ends_early,
            requests,
            loaded,
            ..
        } = progress
        else {
            return;
        };
        if let Some(known) = &self.directory_to_clean {
            let _ = known.set(directory.to_path_buf());
        }
        self.total = *slices;
        self.pace = Pace::new(*forecast, after_rounds);
        self.counted = requests.is_some();
        // A maximum-rate search usually ends before its time limit.
        let is_search = *slices == 0;
        // The budget of a gate can end the run with its smallest number of rounds.
        let shortest = shortest.filter(|shortest| shortest < forecast);
        self.at_most = shortest.is_some() || *ends_early || is_search;
        let shortest = shortest.filter(|_| !is_search);
        let lasting = Lasting {
            slices: *slices,
            at_most: self.at_most,
            forecast: *forecast,
            shortest,
            requests: *requests,
        };
        let after = loaded.map_or_else(String::new, |loaded| said(&after_loading(&loaded)));
        let slower = slower(*forecast, *longest, *behind, *requests);
        let slower = slower.map_or_else(String::new, |slower| said(&slower));
        let parts = measured.filter(|_| front::is_own());
        let parts = parts.map(|measured| said(&parts_of(measured, !after_rounds.is_empty())));
        let parts = parts.unwrap_or_default();
        let lasting = said(&lasting.sentence());
        self.announcement = Some(format!("{lasting}{parts}{slower}{after}"));
        self.kept_in = Some(directory.display().to_string());
        self.bar.set_style(style(PREPARING));
        self.bar.enable_steady_tick(Duration::from_millis(250));
    }

    fn slice_begins(&mut self, index: usize, target: &str, workload: &str) {
        let probe = self.probe.take();
        let is_probe = probe.is_some();
        self.is_search = is_probe;
        self.current = probe.unwrap_or_default();
        self.table.begin(workload, target);
        self.show_table(is_probe);
        // The number of probes is unknown in advance, so the total grows.
        self.total = self.total.max(index + 1);
        self.bar.set_length(self.total as u64);
        let whole = self.pace.whole(index, self.total);
        // The duration of slices that end after a number of requests is unknown until the
        // first slice has ended.
        let in_all = if self.counted && index == 0 {
            sentence!("unknown-time", "an unknown time")
        } else {
            about(self.at_most, whole)
        };
        let of = sentence!("of-time", "of {time}", time = in_all);
        let of = said(&of.with_part("time", [in_all]));
        let left = whole.saturating_sub(self.pace.elapsed());
        let end = pace::end(SystemTime::now(), left).filter(|_| !(self.counted && index == 0));
        let until = end.map(|clock| said(&sentence!("until", ", until {clock} UTC", clock)));
        self.bar
            .set_prefix(format!("{of}{}", until.unwrap_or_default()));
        self.bar.set_position(index as u64);
        if index == 0 {
            self.bar.set_style(style(MEASURING));
        }
        // A run that cannot start keeps nothing.
        if let Some(directory) = self.kept_in.take() {
            let kept = sentence!("kept-in", "results are kept in {directory}", directory);
            self.tell(&kept);
        }
        if is_probe {
            self.plain(&self.current.clone());
        } else {
            let slice = sentence!(
                "slice-of",
                "slice {slice} of {total}",
                slice = index + 1,
                total = self.total
            );
            let so_far = self.table.first_ratio();
            let so_far = so_far.map_or_else(String::new, |ratio| format!("; {ratio}"));
            self.plain(&format!("{}{so_far}", said(&slice)));
        }
    }

    /// Shows the table below the progress bar; in a maximum-rate search, also shows the probe, in a
    /// line above the table.
    fn show_table(&self, starts_probe: bool) {
        if self.bar.is_hidden() {
            return;
        }
        let width = terminal_size::terminal_size_of(std::io::stderr());
        let width = width.map_or(COLUMNS, |(width, _)| usize::from(width.0));
        let table = self.table.text(width.saturating_sub(1));
        self.bar.set_message(if self.is_search || starts_probe {
            let probe: String = self.current.chars().take(width.saturating_sub(1)).collect();
            format!("{}\n{table}", for_terminal(&probe))
        } else {
            table
        });
    }

    /// Reports before the run whether the targets return the same numbers of search hits.
    fn hits(&self, plan: &Plan, environment: &Environment) {
        let Some(baseline) = plan.baseline() else {
            return;
        };
        let others = || plan.targets.iter().filter(|one| one.name != baseline.name);
        let pairs = plan.workloads.iter();
        for (work, target) in pairs.flat_map(|work| others().map(move |other| (work, other))) {
            let Some(hits) = compare_hits(work, environment, &baseline.name, &target.name) else {
                continue;
            };
            let in_language =
                |language| hits.sentence(work, environment, &baseline.name, &target.name, language);
            let text = sentence!(
                "of-workload",
                "workload \"{workload}\": {text}",
                workload = work.name,
                text = in_language(Language::English)
            );
            let text = text.with("text", in_language(language()));
            if hits.too_many {
                self.warn(&text)
            } else {
                self.note(&text)
            }
        }
    }

    /// Suspends the progress line while `write` prints on standard output.
    pub(crate) fn aside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    /// Prints a warning, unless `quiet`.
    pub(crate) fn warn(&self, sentence: &Sentence) {
        if !self.quiet {
            self.warn_always(sentence);
        }
    }

    /// Prints a warning, even with `quiet`: about something that stays and that the user must delete,
    /// or something that was asked for and fails.
    pub(crate) fn warn_always(&self, sentence: &Sentence) {
        self.print(&for_terminal(&warning_line(sentence)));
    }

    /// Prints a line, even with `quiet`.
    pub(crate) fn always(&self, text: &str) {
        self.print(&for_terminal(text));
    }

    /// Prints a note, unless `quiet`.
    pub(crate) fn note(&self, sentence: &Sentence) {
        if !self.quiet {
            self.print(&for_terminal(&note_line(sentence)));
        }
    }

    /// Prints a sentence, unless `quiet`.
    pub(crate) fn tell(&self, sentence: &Sentence) {
        self.line(&said(sentence));
    }

    fn line(&self, text: &str) {
        if !self.quiet {
            self.print(&for_terminal(&front::spelled(text)));
        }
    }

    /// Prints a line at most every [`PLAIN_INTERVAL`] if standard error is not a terminal.
    fn plain(&mut self, text: &str) {
        if !self.terminal && !self.quiet && self.last_plain.elapsed() >= PLAIN_INTERVAL {
            self.last_plain = Instant::now();
            self.print(&for_terminal(text));
        }
    }

    /// The function with which the signal thread reports Ctrl-C. Objects that can remain on targets
    /// are reported even with `quiet`, because the user must delete these objects.
    pub(crate) fn speaker(&self) -> impl Fn(&Sentence) + Send + 'static {
        let (bar, quiet) = (self.bar.clone(), self.quiet);
        let directory = self.directory_to_clean.clone();
        move |stopping| match directory.as_ref().and_then(|known| known.get()) {
            Some(directory) => {
                let stays = sentence!(
                    "objects-may-stay",
                    "{stopping}, and objects may stay on the targets: then delete them with tenbin \
                     clean {directory}",
                    stopping,
                    directory = directory.display()
                );
                print(
                    &bar,
                    &said(&stays.with_part("stopping", [stopping.clone()])),
                );
            }
            None if quiet => {}
            None => print(&bar, &said(stopping)),
        }
    }

    fn print(&self, text: &str) {
        print(&self.bar, text);
    }
}

fn print(bar: &ProgressBar, text: &str) {
    bar.suspend(|| output::say(text));
}

/// Progress line while targets are started and prepared.
const PREPARING: &str = "{spinner} {wide_msg}";
/// Progress line while slices are measured.
const MEASURING: &str = "{wide_bar} {pos}/{len}  {clock} {prefix}\n{msg}";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("clock", |state: &ProgressState, text: &mut dyn Write| {
            let _ = write!(text, "{}", Time::rounded(state.elapsed()));
        })
}
