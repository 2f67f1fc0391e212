//! `tenbin list`: the runs in a directory, newest first.

use std::path::PathBuf;

use tenbin_plan::sentence;

use crate::args::ListArgs;
use crate::commands::results::index::Index;
use crate::commands::results::list_table::table;
use crate::commands::results::rows::Row;
use crate::commands::results::{kept, no_run_in};
use crate::exit::Exit;
use crate::output;

/// Most runs without `--all`.
const MOST: usize = 20;
/// Most runs whose files are counted each time: 1,000 take less than 50 ms.
const MOST_SIZED: usize = 1_000;

/// Lists the runs.
pub(crate) fn list(args: &ListArgs) -> Exit {
    if let Err(error) = kept::can_read(&args.directory) {
        return output::refuse_error(&error);
    }
    let runs = kept::runs_in(&args.directory);
    let wanted = Wanted::of(args);
    let (shown, has_more) = shown(args, &runs, &wanted);
    if args.json {
        let rows: Vec<serde_json::Value> = shown.iter().map(Row::json).collect();
        output::print(format!("{:#}\n", serde_json::Value::from(rows)).as_bytes());
        return Exit::Done;
    }
    let width = output::terminal_width().filter(|_| !args.verbose);
    output::print_text(table(&shown, width));
    if runs.is_empty() {
        output::say_note(&no_run_in(&args.directory));
    } else if shown.is_empty() {
        output::say_note(&sentence!("no-run-like-this", "no run is like this"));
    } else if has_more {
        output::say_note(&sentence!(
            "newest-listed",
            "the newest {most} are listed; all of them: --all",
            most = MOST
        ));
    }
    Exit::Done
}

/// What a command line asks for, with its texts in lower case.
struct Wanted<'a> {
    args: &'a ListArgs,
    text: Option<String>,
    label: Option<String>,
}

impl<'a> Wanted<'a> {
    fn of(args: &'a ListArgs) -> Self {
        let lower = |text: &Option<String>| text.as_ref().map(|text| text.to_lowercase());
        Self {
            args,
            text: lower(&args.text),
            label: lower(&args.label),
        }
    }

    /// Whether runs can be left out.
    fn is_filter(&self) -> bool {
        let ListArgs {
            directory: _,
            text,
            trust,
            target,
            kind,
            since,
            label,
            all: _,
            verbose: _,
            json: _,
        } = self.args;
        let options = [text, trust, target, kind, since, label];
        options.into_iter().any(Option::is_some)
    }

    fn has(&self, row: &Row) -> bool {
        let args = self.args;
        let trust = row.trust().map(|trust| trust.word().to_lowercase());
        fits(self.text.as_deref(), |text| row.has(text))
            && fits(self.label.as_deref(), |text| row.has_label(text))
            && fits(args.trust.as_deref(), |it| trust.as_deref() == Some(it))
            && fits(args.target.as_deref(), |name| row.has_target(name))
            && fits(args.kind.as_deref(), |kind| row.has_kind(kind))
            && fits(args.since.as_deref(), |day| *row.day() >= *day)
    }
}

/// Whether a run has what was asked for; every run has what was not.
fn fits(asked: Option<&str>, has: impl FnOnce(&str) -> bool) -> bool {
    asked.is_none_or(has)
}

/// The wanted runs, newest first, and whether there are more than are shown.
fn shown(args: &ListArgs, runs: &[PathBuf], wanted: &Wanted<'_>) -> (Vec<Row>, bool) {
    // The newest runs are read in less time than an index of all.
    let needs_all = args.all || wanted.is_filter();
    let mut index = if needs_all {
        Index::of(&args.directory)
    } else {
        Index::none()
    };
    let most = if args.all { usize::MAX } else { MOST };
    let rows = runs.iter().rev().map(|run| Row::of(run, &mut index));
    let mut rows = rows.filter(|row| wanted.has(row));
    let mut shown: Vec<Row> = rows.by_ref().take(most).collect();
    let has_more = rows.next().is_some();
    // Otherwise, the index would lose the runs that were not looked at.
    if !has_more {
        index.save();
    }
    if needs_all && shown.len() <= MOST_SIZED {
        shown.iter_mut().for_each(Row::refresh_size);
    }
    (shown, has_more)
}
