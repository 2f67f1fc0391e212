//! `tenbin list`: the runs in a directory, newest first.

use std::path::{Path, PathBuf};

use serde_json::json;
use tenbin_plan::{LARGEST_RESULT, read_own, sentence};
use tenbin_report::for_terminal;
use tenbin_result::{Language, Trust, document_from_json};
use unicode_width::UnicodeWidthStr as _;

use crate::args::ListArgs;
use crate::commands::results::index::{Index, Listed};
use crate::commands::results::{kept, no_run_in};
use crate::errors::CommandError;
use crate::exit::Exit;
use crate::language::language;
use crate::output;
use crate::sentences::said;

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
    fn said(&self, directory: &Path) -> (String, String) {
        let Some(trust) = self.trust() else {
            let why = match self.head {
                None => sentence!(
                    "no-result",
                    "no result: still running, or killed; tenbin show computes it"
                ),
                Some(_) => sentence!(
                    "result-unreadable",
                    "result.json cannot be read; tenbin show computes it again"
                ),
            };
            return ("—".to_owned(), said(&why));
        };
        let mut result = self.result(directory);
        if self.is_complete() == Some(false) {
            result += &said(&sentence!("run-incomplete", " (incomplete)"));
        }
        if let Some(note) = self.note() {
            result = format!("{note}: {result}");
        }
        (trust.word().to_owned(), result)
    }

    /// The verdicts in the language of the reader.
    fn said_verdicts(&self, directory: &Path) -> Vec<String> {
        let english = || self.verdicts().to_vec();
        if language() == Language::English {
            return english();
        }
        let file = directory.join(&self.name).join("result.json");
        let result = read_own(&file, LARGEST_RESULT).ok();
        let document = result.and_then(|text| document_from_json(&text).ok());
        document.map_or_else(english, |document| {
            tenbin_report::verdicts(&document, language())
        })
    }

    /// The verdicts in words.
    fn result(&self, directory: &Path) -> String {
        match self.said_verdicts(directory).as_slice() {
            [] => said(&sentence!("no-comparison", "no comparison")),
            [only] => only.clone(),
            [first, others @ ..] => said(&sentence!(
                "first-verdict",
                "{first} (and {more} more)",
                first = first,
                more = others.len()
            )),
        }
    }
}

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
    output::print(table(&shown, &args.directory).as_bytes());
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

fn table(rows: &[Row], directory: &Path) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let heads = [
        sentence!("head-run", "run"),
        sentence!("head-label", "label"),
        sentence!("head-trust", "trust"),
        sentence!("head-result", "result"),
    ];
    let mut lines = vec![heads.map(|head| said(&head))];
    lines.extend(rows.iter().map(|row| {
        let (trust, said) = row.said(directory);
        let label = row.label.clone().unwrap_or_default();
        [row.name.clone(), label, trust, said].map(|cell| for_terminal(&cell).to_string())
    }));
    let width = |at: usize| {
        let widths = lines.iter().map(|line| line[at].width());
        widths.max().unwrap_or(0)
    };
    let (run, label, trust) = (width(0), width(1), width(2));
    let padded = |cell: &String, width: usize| format!("{cell}{:1$}", "", width - cell.width());
    let line = |[a, b, c, d]: &[String; 4]| {
        let [a, b, c] = [padded(a, run), padded(b, label), padded(c, trust)];
        format!("{a}  {b}  {c}  {d}\n")
    };
    lines.iter().map(line).collect()
}
