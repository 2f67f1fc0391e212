//! The rows of the list of runs.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::json;
use tenbin_plan::{LARGEST_RESULT, Sentence, read_own, sentence};
use tenbin_record::{is_running, rfc3339};
use tenbin_result::{Document, Language, Trust, document_from_json};

use crate::commands::results::index::{Index, Listed};
use crate::commands::results::{disk, kept};
use crate::language::language;
use crate::sentences::said;

/// Length of a day: `2026-01-31`.
const DAY: usize = 10;

/// Whether a text has the form of a day.
pub(crate) fn is_day(text: &str) -> bool {
    let is_right = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == DAY && text.bytes().enumerate().all(is_right)
}

/// A run in the list.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) label: Option<String>,
    /// The note that was written after the run, or that of its plan.
    pub(crate) note: Option<String>,
    /// How far the run is.
    pub(crate) state: State,
    /// What its result says first; empty for a run without a result.
    head: Listed,
    /// Its result.
    result: PathBuf,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It has a result.
    Judged(Trust),
    /// It is running.
    Running,
    /// It was killed before it had a result.
    NoResult,
    /// Its result cannot be read.
    Damaged,
}

impl Row {
    pub(crate) fn of(run: &Path, index: &mut Index<Listed>) -> Self {
        let head = index.get(run);
        let state = match &head {
            Ok(Listed {
                trust: Some(trust), ..
            }) => State::Judged(*trust),
            Ok(_) => State::Damaged,
            Err(_) if is_running(run) => State::Running,
            Err(_) => State::NoResult,
        };
        let head = head.unwrap_or_default();
        Self {
            name: kept::name_of(run),
            label: kept::label(run),
            note: kept::note(run).or_else(|| head.note.clone()),
            state,
            head,
            result: run.join("result.json"),
        }
    }

    /// The trust in the result, if there is one.
    pub(crate) fn trust(&self) -> Option<Trust> {
        match self.state {
            State::Judged(trust) => Some(trust),
            State::Running | State::NoResult | State::Damaged => None,
        }
    }

    /// The verdicts, one sentence each.
    pub(crate) fn verdicts(&self) -> &[String] {
        &self.head.verdicts
    }

    /// Names of the targets, in plan order; empty without a result.
    pub(crate) fn targets(&self) -> &[String] {
        &self.head.targets
    }

    /// The kinds of work with their operations: `s3 put, get`; empty without a result.
    pub(crate) fn question(&self) -> String {
        self.head.work.join("; ")
    }

    /// Whether the run has a target of this name.
    pub(crate) fn has_target(&self, name: &str) -> bool {
        self.targets().iter().any(|target| target == name)
    }

    /// Whether the run has work of this kind, such as `s3`.
    pub(crate) fn has_kind(&self, kind: &str) -> bool {
        let mut kinds = self.head.work.iter().map(|work| work.split(' ').next());
        kinds.any(|each| each == Some(kind))
    }

    /// Whether the label contains this text, which is in lower case.
    pub(crate) fn has_label(&self, text: &str) -> bool {
        let label = self.label.as_ref();
        label.is_some_and(|label| label.to_lowercase().contains(text))
    }

    /// Size of the run directory, bytes; `None` without a result.
    pub(crate) fn bytes(&self) -> Option<u64> {
        self.head.bytes
    }

    /// Size of the run directory now, bytes; `None` without a result. An index does not notice a file
    /// that grew in its place.
    pub(crate) fn bytes_now(&self) -> Option<u64> {
        let run = self.head.bytes.and_then(|_| self.result.parent())?;
        Some(disk::bytes_of(run))
    }

    /// Replaces the size from the index with the current size.
    pub(crate) fn refresh_size(&mut self) {
        self.head.bytes = self.bytes_now();
    }

    /// The day of the run in UTC: from the result, otherwise from the name of the run directory, otherwise
    /// from the modification time of the plan. Empty if all three are missing.
    pub(crate) fn day(&self) -> String {
        let first = |text: &str| text.get(..DAY).map(str::to_owned);
        let day = match &self.head.started {
            Some(started) => first(started),
            None => first(&self.name)
                .filter(|day| is_day(day))
                .or_else(|| first(&rfc3339(self.plan_written()?))),
        };
        day.unwrap_or_default()
    }

    /// When the plan was written, which is before the first slice.
    fn plan_written(&self) -> Option<SystemTime> {
        let plan = self.result.with_file_name("plan.toml");
        plan.metadata().ok()?.modified().ok()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        json!({
            "run": self.name,
            "label": self.label,
            "note": self.note,
            "started": self.head.started,
            "running": self.state == State::Running,
            "complete": self.head.complete,
            "targets": self.targets(),
            "question": self.head.work,
            "trust": self.trust(),
            "verdicts": self.verdicts(),
            "bytes": self.bytes(),
        })
    }

    /// Whether name, label, note or a verdict contains this text, which is in lower case.
    pub(crate) fn has(&self, text: &str) -> bool {
        let names = [Some(&self.name), self.label.as_ref(), self.note.as_ref()];
        let mut all = names.into_iter().flatten().chain(self.verdicts());
        all.any(|one| one.to_lowercase().contains(text))
    }

    /// The result in words.
    pub(crate) fn said(&self) -> String {
        match self.state {
            State::Running => said(&sentence!("still-running", "still running")),
            State::NoResult => said(&self.why_no_result()),
            State::Damaged => said(&sentence!(
                "result-unreadable",
                "result.json cannot be read; tenbin show computes it again"
            )),
            State::Judged(_) => self.judged(),
        }
    }

    /// Why the run has no result, and what helps.
    fn why_no_result(&self) -> Sentence {
        let run = self.result.parent().unwrap_or(Path::new("."));
        if kept::has_measurements(run) {
            return sentence!(
                "no-result",
                "no result: the run was killed; tenbin show computes it"
            );
        }
        let logs = kept::logs(run);
        if logs.is_empty() {
            return sentence!("no-result-no-slice", "no result: nothing was measured");
        }
        sentence!(
            "no-result-but-logs",
            "no result: nothing was measured; see {logs} in its directory",
            logs = logs.join(", ")
        )
    }

    /// The verdicts in words, and whether the run is complete.
    fn judged(&self) -> String {
        let sentences = if self.head.only_figures {
            self.said_figures()
        } else {
            self.said_verdicts()
        };
        let mut judged = match sentences.as_slice() {
            [] => said(&sentence!("no-comparison", "no comparison")),
            [only] => only.clone(),
            [first, others @ ..] => said(&sentence!(
                "first-verdict",
                "{first} (and {more} more)",
                first,
                more = others.len()
            )),
        };
        if self.head.complete == Some(false) {
            judged += &said(&sentence!("run-incomplete", " (incomplete)"));
        }
        judged
    }

    /// The figures of a run that compares nothing.
    fn said_figures(&self) -> Vec<String> {
        if self.trust() == Some(Trust::Invalid) {
            let untrusted = sentence!("row-untrusted", "the figures cannot be trusted");
            return vec![said(&untrusted)];
        }
        let figures = match language() {
            Language::English => self.head.figures.clone(),
            other => {
                let document = self.document();
                document.map_or_else(Vec::new, |it| tenbin_report::main_figures(&it, other))
            }
        };
        if figures.is_empty() {
            self.said_verdicts()
        } else {
            figures
        }
    }

    /// The result as a whole; `None` if it cannot be read.
    fn document(&self) -> Option<Document> {
        let text = read_own(&self.result, LARGEST_RESULT).ok()?;
        document_from_json(&text).ok()
    }

    /// The verdicts in the language of the reader.
    fn said_verdicts(&self) -> Vec<String> {
        let english = || self.verdicts().to_vec();
        if language() == Language::English {
            return english();
        }
        self.document().map_or_else(english, |document| {
            tenbin_report::verdicts(&document, language())
        })
    }
}
