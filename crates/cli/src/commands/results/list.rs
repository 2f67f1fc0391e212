//! `tenbin list`: the runs in a directory, newest first.

use std::path::{Path, PathBuf};

use serde_json::json;
use tenbin_report::for_terminal;
use tenbin_result::Trust;

use crate::args::ListArgs;
use crate::commands::results::index::{Index, Listed};
use crate::commands::results::kept;
use crate::exit::Exit;
use crate::output;

/// Most runs without `--all`.
const MOST: usize = 20;

/// A run in the list.
struct Row {
    name: String,
    label: Option<String>,
    /// What its result says first; `None` for a run without a result.
    head: Option<Listed>,
}

impl Row {
    fn of(run: &Path, index: &mut Index<Listed>) -> Self {
        Self {
            name: kept::name_of(run),
            label: kept::label(run),
            head: index.get(run).ok(),
        }
    }

    fn note(&self) -> Option<&String> {
        self.head.as_ref()?.note.as_ref()
    }

    fn trust(&self) -> Option<Trust> {
        self.head.as_ref()?.trust
    }

    fn is_complete(&self) -> Option<bool> {
        self.head.as_ref()?.complete
    }

    fn verdicts(&self) -> &[String] {
        self.head.as_ref().map_or(&[], |head| &head.verdicts)
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "run": self.name,
            "label": self.label,
            "note": self.note(),
            "started": self.head.as_ref().and_then(|head| head.started.as_ref()),
            "complete": self.is_complete(),
            "trust": self.trust(),
            "verdicts": self.verdicts(),
        })
    }

    fn has(&self, text: &str) -> bool {
        let names = [Some(&self.name), self.label.as_ref(), self.note()];
        let mut all = names.into_iter().flatten().chain(self.verdicts());
        all.any(|one| one.to_lowercase().contains(text))
    }

    /// Trust and result in words.
    fn said(&self) -> (String, String) {
        let Some(trust) = self.trust() else {
            let why = match self.head {
                None => "no result: still running, or killed; tenbin show computes it",
                Some(_) => "result.json cannot be read; tenbin show computes it again",
            };
            return ("—".to_owned(), why.to_owned());
        };
        let mut said = match self.verdicts() {
            [] => "no comparison".to_owned(),
            [only] => only.clone(),
            [first, others @ ..] => format!("{first} (and {} more)", others.len()),
        };
        if self.is_complete() == Some(false) {
            said += " (incomplete)";
        }
        if let Some(note) = self.note() {
            said = format!("{note}: {said}");
        }
        (trust.word().to_owned(), said)
    }
}

/// Lists the runs.
pub(crate) fn list(args: &ListArgs) -> Exit {
    if !args.directory.is_dir() {
        output::error(&format!(
            "{} is no directory; name the directory with the runs",
            args.directory.display()
        ));
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
    output::print(table(&shown).as_bytes());
    if runs.is_empty() {
        output::note(&format!("there is no run in {}", args.directory.display()));
    } else if shown.is_empty() {
        output::note("no run is like this");
    } else if has_more {
        output::note(&format!("the newest {MOST} are listed; all of them: --all"));
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

fn table(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut lines = vec![["run", "label", "trust", "result"].map(str::to_owned)];
    lines.extend(rows.iter().map(|row| {
        let (trust, said) = row.said();
        let label = row.label.clone().unwrap_or_default();
        [row.name.clone(), label, trust, said].map(|cell| for_terminal(&cell).to_string())
    }));
    let width = |at: usize| {
        let widths = lines.iter().map(|line| line[at].chars().count());
        widths.max().unwrap_or(0)
    };
    let (run, label, trust) = (width(0), width(1), width(2));
    let line = |[a, b, c, d]: &[String; 4]| format!("{a:run$}  {b:label$}  {c:trust$}  {d}\n");
    lines.iter().map(line).collect()
}
