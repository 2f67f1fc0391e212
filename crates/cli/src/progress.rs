//! The progress of a run on standard error: an updated view on a terminal, otherwise one line every
//! ten seconds.

mod live;
mod pace;

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use tenbin_plan::Plan;
use tenbin_plan::duration::Time;
use tenbin_record::Environment;
use tenbin_report::for_terminal;
use tenbin_result::format::exact_rate;
use tenbin_runner::Progress;
use tenbin_verdict::InterimRatio;
use tenbin_verdict::hits::compare_hits;

use self::live::LiveTable;
pub(crate) use self::pace::Pace;
use crate::front;
use crate::output;

/// Interval of progress lines without a terminal.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Width in columns of a terminal that does not report its width.
const COLUMNS: usize = 80;

/// A forecast of this duration or more counts as unlimited.
const NO_LIMIT: Duration = Duration::from_secs(24 * 3600);

/// Shows [`Progress`] events.
pub(crate) struct Display {
    bar: ProgressBar,
    terminal: bool,
    quiet: bool,
    total: usize,
    pace: Pace,
    /// Words before the total duration, such as "at most".
    about: &'static str,
    /// Whether every slice ends after a number of requests.
    counted: bool,
    current: String,
    /// Whether a maximum-rate search is running.
    is_search: bool,
    /// Description of the next probe, in a maximum-rate search.
    probe: Option<String>,
    /// The lines below the progress bar.
    table: LiveTable,
    last_plain: Instant,
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
            pace: Pace::new(Duration::ZERO),
            about: "about",
            counted: false,
            current: String::new(),
            is_search: false,
            probe: None,
            table: LiveTable::default(),
            last_plain: Instant::now(),
            kept_in: None,
            directory_to_clean: None,
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
            Progress::Starting {
                target,
                awaited,
                waited,
            } => match awaited {
                None => self.bar.set_message(format!("starting {target}")),
                Some(awaited) => self.message(format!(
                    "{target}: waiting for {awaited}, {}",
                    short(*waited)
                )),
            },
            Progress::Printed { what } => self.line(&format!(
                "plan.toml contains {what}; use {{env:NAME}} in place of secret values"
            )),
            Progress::Ready { target, url } => self.line(&format!("{target} is up at {url}")),
            Progress::Pages { made, total } => {
                self.message(format!("generating pages ({made}{})", of_total(*total)));
            }
            Progress::Loading {
                target,
                server,
                loaded,
                total,
            } => self.message(format!(
                "{target}: loading pages into {server} ({loaded} of {total})"
            )),
            Progress::Stage {
                target,
                workload,
                what,
                done,
                total,
            } => self.message(format!(
                "{target}, {workload}: {what} ({done}{})",
                of_total(*total)
            )),
            Progress::WarmUp { target, workload } => self
                .bar
                .set_message(format!("warming up {target} with {workload}")),
            Progress::Slice {
                index,
                target,
                workload,
                ..
            } => self.slice_begins(*index, target, workload),
            Progress::Probe {
                target,
                workload,
                rate,
                proof,
                held,
                failed,
            } => {
                let what = if *proof { "proof of" } else { "probe of" };
                let bracket = bracket(*held, *failed);
                self.probe = Some(format!(
                    "{workload} on {target}: {what} {} ({bracket})",
                    exact_rate(*rate)
                ));
            }
            Progress::Speed {
                ok_per_second,
                failed,
            } => {
                self.table.speed(*ok_per_second, *failed);
                self.show_table(false);
            }
            Progress::Measured { slice } => {
                self.table.end(slice);
                self.show_table(false);
            }
            Progress::Second { .. } | Progress::Concluded { .. } => {}
            Progress::Hits { plan, environment } => self.hits(plan, environment),
            Progress::Warning(text) => self.warn(text),
            Progress::Left(text) => self.warn_always(text),
            Progress::Note(text) => self.line(&format!("note: {}", for_terminal(text))),
            Progress::Stopping => self.bar.set_message("stopping the targets"),
        }
    }

    /// Shows the ratios after a block of rounds.
    pub(crate) fn ratios(&mut self, ratios: &[InterimRatio]) {
        self.table.set_ratios(ratios);
        self.show_table(false);
    }

    /// Shows what is being done, or prints it without a terminal.
    fn message(&mut self, text: String) {
        self.plain(&text);
        self.bar.set_message(text);
    }

    fn started(&mut self, progress: &Progress<'_>) {
        let Progress::Started {
            directory,
            slices,
            forecast,
            longest,
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
        self.pace = Pace::new(*forecast);
        self.counted = requests.is_some();
        // A maximum-rate search usually ends before its time limit.
        let is_search = *slices == 0;
        self.about = if shortest.is_some() || *ends_early || is_search {
            "at most"
        } else {
            "about"
        };
        let what = match slices {
            0 => "a maximum-rate search".to_owned(),
            1 => "1 slice".to_owned(),
            several => format!("{several} slices"),
        };
        let shortest = shortest.filter(|_| !is_search);
        let how_long = how_long(&what, self.about, *forecast, shortest, *requests);
        let after = loaded.map_or_else(String::new, |loaded| {
            let again = if loaded.again {
                ", with further loading before each slice"
            } else {
                ""
            };
            format!(", after loading {loaded} per target{again}")
        });
        let slower = slower(*forecast, *longest, *requests);
        self.line(&format!("{how_long}{slower}{after}"));
        self.kept_in = Some(directory.display().to_string());
        self.bar.set_style(style(PREPARING));
        self.bar.enable_steady_tick(Duration::from_millis(250));
    }

    fn slice_begins(&mut self, index: usize, target: &str, workload: &str) {
        let probe = self.probe.take();
        let is_probe = probe.is_some();
        self.is_search = is_probe;
        self.current = probe.unwrap_or_else(|| format!("{workload} on {target}"));
        self.table.begin(workload, target);
        self.show_table(is_probe);
        // The number of probes is unknown in advance, so the total grows.
        self.total = self.total.max(index + 1);
        self.bar.set_length(self.total as u64);
        let whole = self.pace.whole(index, self.total);
        // The duration of slices that end after a number of requests is unknown until the
        // first slice has ended.
        self.bar.set_prefix(if self.counted && index == 0 {
            "an unknown time".to_owned()
        } else {
            let left = whole.saturating_sub(self.pace.elapsed());
            format!(
                "{} {}{}",
                self.about,
                short(whole),
                pace::until(SystemTime::now(), left)
            )
        });
        self.bar.set_position(index as u64);
        if index == 0 {
            self.bar.set_style(style(MEASURING));
        }
        // A run that cannot start keeps nothing.
        if let Some(directory) = self.kept_in.take() {
            self.line(&format!("results are kept in {directory}"));
        }
        if is_probe {
            self.plain(&self.current.clone());
        } else {
            let so_far = self.table.first_ratio();
            let so_far = so_far.map_or_else(String::new, |ratio| format!("; {ratio}"));
            self.plain(&format!("slice {} of {}{so_far}", index + 1, self.total));
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
            let text = hits.sentence(work, environment, &baseline.name, &target.name);
            if hits.too_many {
                self.warn(&format!("workload \"{}\": {text}", work.name))
            } else {
                let text = format!("workload \"{}\": {text}", work.name);
                self.line(&format!("note: {}", for_terminal(&text)));
            }
        }
    }

    /// Suspends the progress line while `write` prints on standard output.
    pub(crate) fn aside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    /// Prints a warning, unless `quiet`.
    pub(crate) fn warn(&self, text: &str) {
        if !self.quiet {
            self.warn_always(text);
        }
    }

    /// Prints a warning, even with `quiet`: about something that stays and that the user must delete,
    /// or something that was asked for and fails.
    pub(crate) fn warn_always(&self, text: &str) {
        self.print(&format!("warning: {}", for_terminal(&front::spelled(text))));
    }

    /// Prints a line, even with `quiet`.
    pub(crate) fn always(&self, text: &str) {
        self.print(&for_terminal(text));
    }

    /// Prints a note, unless `quiet`.
    pub(crate) fn note(&self, text: &str) {
        self.line(text);
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
    pub(crate) fn speaker(&self) -> impl Fn(&str) + Send + 'static {
        let (bar, quiet) = (self.bar.clone(), self.quiet);
        let directory = self.directory_to_clean.clone();
        move |text| match directory.as_ref().and_then(|known| known.get()) {
            Some(directory) => print(
                &bar,
                &format!(
                    "{text}, and objects may stay on the targets: then delete them with tenbin \
                     clean {}",
                    directory.display()
                ),
            ),
            None if quiet => {}
            None => print(&bar, text),
        }
    }

    fn print(&self, text: &str) {
        print(&self.bar, text);
    }
}

fn print(bar: &ProgressBar, text: &str) {
    bar.suspend(|| output::say(text));
}

/// The end of a count whose total may be known.
fn of_total(total: Option<u64>) -> String {
    total.map_or_else(String::new, |total| format!(" of {total}"))
}

/// The range that contains the highest rate, as known so far: `held` is the highest rate that met
/// the limits, `failed` the lowest rate that did not.
fn bracket(held: Option<f64>, failed: Option<f64>) -> String {
    match (held, failed) {
        (Some(held), Some(failed)) => {
            format!(
                "the maximum is between {} and {}",
                exact_rate(held),
                exact_rate(failed)
            )
        }
        (Some(held), None) => format!("the maximum is at least {}", exact_rate(held)),
        (None, Some(failed)) => format!("the maximum is below {}", exact_rate(failed)),
        (None, None) => "the maximum is still unknown".to_owned(),
    }
}

/// The first line of the progress: what will be measured, and for how long.
fn how_long(
    what: &str,
    about: &str,
    forecast: Duration,
    shortest: Option<Duration>,
    requests: Option<u64>,
) -> String {
    match (requests, shortest) {
        (Some(all), _) => {
            let until = format!("until {all} requests are done");
            if forecast >= NO_LIMIT {
                format!("{what}, {until}")
            } else {
                format!("{what}, {until}, or for {}", short(forecast))
            }
        }
        (None, None) => format!("{what} in {about} {}", short(forecast)),
        (None, Some(shortest)) => format!(
            "at most {what}, in at least {} and at most {}",
            short(shortest),
            short(forecast)
        ),
    }
}

/// Text with the longest duration of the run; empty if slow targets cannot prolong the run.
fn slower(forecast: Duration, longest: Option<Duration>, requests: Option<u64>) -> String {
    match (longest, requests) {
        (Some(longest), None) if forecast < NO_LIMIT => {
            format!(", up to {} if one target is much slower", short(longest))
        }
        _ => String::new(),
    }
}

fn short(time: Duration) -> Time {
    Time(Duration::from_secs(time.as_secs_f64().round() as u64))
}

/// Progress line while targets are started and prepared.
const PREPARING: &str = "{spinner} {wide_msg}";
/// Progress line while slices are measured.
const MEASURING: &str = "{wide_bar} {pos}/{len}  {clock} of {prefix}\n{msg}";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("clock", |state: &ProgressState, text: &mut dyn Write| {
            let _ = write!(text, "{}", short(state.elapsed()));
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_by_requests_has_no_made_up_length() {
        let of = |seconds, shortest, requests| {
            let forecast = Duration::from_secs(seconds);
            how_long("4 slices", "about", forecast, shortest, requests)
        };
        assert_eq!(
            of(86_401, None, Some(300)),
            "4 slices, until 300 requests are done"
        );
        assert_eq!(
            of(60, None, Some(300)),
            "4 slices, until 300 requests are done, or for 1m"
        );
        assert_eq!(of(60, None, None), "4 slices in about 1m");
        let up_to = |requests| {
            let seconds = Duration::from_secs;
            slower(seconds(60), Some(seconds(132)), requests)
        };
        assert_eq!(up_to(None), ", up to 2m12s if one target is much slower");
        assert_eq!(up_to(Some(300)), "");
        let shortest = Some(Duration::from_secs(10));
        assert_eq!(
            of(60, shortest, None),
            "at most 4 slices, in at least 10s and at most 1m"
        );
    }
}
