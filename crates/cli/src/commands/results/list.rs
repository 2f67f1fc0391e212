//! `tenbin list`: the runs in a directory, newest first.

use std::path::PathBuf;

use tenbin_plan::sentence;

use crate::args::ListArgs;
use crate::commands::results::index::Index;
use crate::commands::results::list_table::table;
use crate::commands::results::rows::Row;
use crate::commands::results::{kept, no_run_in};
use crate::errors::CommandError;
use crate::exit::Exit;
use crate::output;

/// Most runs without `--all`.
const MOST: usize = 20;

/// Lists the runs.
pub(crate) fn list(args: &ListArgs) -> Exit {
    if !args.directory.is_dir() {
        let path = args.directory.clone();
        output::failure(&CommandError::NoDirectory { path });
        return Exit::Refused;
    }
    let text = args.text.as_ref().map(|text| text.to_lowercase());
    let is_wanted = |row: &Row| {
        let trust = row.trust().map(|trust| trust.word().to_lowercase());
        text.as_ref().is_none_or(|text| row.has(text))
            && (args.trust.is_none() || args.trust == trust)
    };
    let runs = kept::runs_in(&args.directory);
    let (shown, has_more) = shown(args, &runs, is_wanted);
    if args.json {
        let rows: Vec<serde_json::Value> = shown.iter().map(Row::json).collect();
        output::print(format!("{:#}\n", serde_json::Value::from(rows)).as_bytes());
        return Exit::Done;
    }
    output::print(table(&shown, output::terminal_width()).as_bytes());
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

/// The wanted runs, newest first, and whether there are more than are shown.
fn shown(args: &ListArgs, runs: &[PathBuf], is_wanted: impl Fn(&Row) -> bool) -> (Vec<Row>, bool) {
    // The newest runs are read in less time than an index of all.
    let needs_all = args.all || args.text.is_some() || args.trust.is_some();
    let mut index = if needs_all {
        Index::of(&args.directory)
    } else {
        Index::none()
    };
    let most = if args.all { usize::MAX } else { MOST };
    let rows = runs.iter().rev().map(|run| Row::of(run, &mut index));
    let mut rows = rows.filter(|row| is_wanted(row));
    let shown: Vec<Row> = rows.by_ref().take(most).collect();
    let has_more = rows.next().is_some();
    index.save();
    (shown, has_more)
}
