//! Whether the files of a run directory are unchanged since the run.

use std::fmt;

use tenbin_plan::{Sentence, sentence};

use crate::files::names::{INTERVALS_FILE, LATENCY_FILE, TOTALS_FILE};

/// Result of checking whether the files of a run directory are unchanged since the run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Integrity {
    /// Whether the files have no check values, because an older version wrote them. Changes are
    /// then not detected.
    pub is_unchecked: bool,
    /// Changes after the run, at most one per file and kind.
    pub changed: Vec<Change>,
    /// The incomplete end of a file, for example after a kill or on a full disk.
    pub cut_off: Option<CutOff>,
}

impl Integrity {
    /// The changes in English, separated by semicolons.
    pub fn changes(&self) -> String {
        self.sentence().to_string()
    }

    /// The changes, separated as the language separates clauses.
    pub(crate) fn sentence(&self) -> Sentence {
        let changes = self.changed.iter().map(Change::sentence);
        let all =
            changes.reduce(|first, next| sentence!("changes", "{first}; {next}", first, next));
        all.unwrap_or_default()
    }
}

/// A change of a file after the run wrote it; one clause in English.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Somewhere in this file, which has one check value.
    File(&'static str),
    /// Lines of `intervals.jsonl` were changed, or lines before them were removed.
    Lines {
        /// The first of the lines, numbered from 1; at least one.
        listed: Vec<u64>,
        /// Number of further lines.
        further: u64,
    },
    /// One of these lines of `latency.hlog`, numbered from 1, was changed.
    HistogramLines {
        /// The first line.
        first: u64,
        /// The last line.
        last: u64,
        /// Whether later lines do not match either.
        is_followed: bool,
    },
    /// Histograms of slices in `slices.bin` do not match the seconds of the slices.
    Histograms {
        /// The first of the slices.
        slice: u32,
        /// Number of further slices.
        further: u64,
    },
    /// Lines were added to the end of `latency.hlog`.
    LinesAdded,
    /// Bytes were added to the end of `slices.bin`.
    BytesAdded,
    /// The end of `slices.bin` was removed.
    HistogramsRemoved,
    /// The end of the record of a complete run was removed.
    EndRemoved,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence().text())
    }
}

impl Change {
    /// The change with its arguments.
    fn sentence(&self) -> Sentence {
        match self {
            Self::File(name) => sentence!(
                "changed-file",
                "{name} was changed after the run wrote it",
                name
            ),
            Self::Lines { listed, further } => of_lines(listed, *further),
            Self::HistogramLines {
                first,
                last,
                is_followed,
            } => of_histogram_lines(*first, *last, *is_followed),
            Self::Histograms { slice, further } => of_histograms(*slice, *further),
            Self::LinesAdded => sentence!(
                "added-lines",
                "lines were added to the end of {file} after the run wrote it",
                file = LATENCY_FILE
            ),
            Self::BytesAdded => sentence!(
                "added-bytes",
                "bytes were added to the end of {file} after the run wrote it",
                file = TOTALS_FILE
            ),
            Self::HistogramsRemoved => sentence!(
                "removed-histograms",
                "the end of {file} was removed after the run wrote it",
                file = TOTALS_FILE
            ),
            Self::EndRemoved => sentence!(
                "removed-end",
                "the end of the record was removed: result.json belongs to a complete run"
            ),
        }
    }
}

fn of_lines(listed: &[u64], further: u64) -> Sentence {
    if let [line] = listed {
        return sentence!(
            "changed-line",
            "line {line} of {file} was changed after the run wrote it, or the line before it was \
             removed",
            line,
            file = INTERVALS_FILE
        );
    }
    let listed: Vec<String> = listed.iter().map(u64::to_string).collect();
    let others = match further {
        0 => Sentence::default(),
        _ => sentence!("further-lines", " and {further} more", further),
    };
    sentence!(
        "changed-lines",
        "lines {listed}{others} of {file} were changed after the run wrote them, or lines before \
         them were removed",
        listed = listed.join(", "),
        others,
        file = INTERVALS_FILE
    )
}

fn of_histogram_lines(first: u64, last: u64, is_followed: bool) -> Sentence {
    let lines = if last > first {
        sentence!(
            "one-of-lines",
            "one of the lines {first} to {last}",
            first,
            last
        )
    } else {
        sentence!("one-line", "line {first}", first)
    };
    let others = if is_followed {
        sentence!("later-lines", ", and later lines do not match either")
    } else {
        Sentence::default()
    };
    sentence!(
        "changed-histogram-lines",
        "{lines} of {file} was changed after the run wrote it{others}",
        lines,
        file = LATENCY_FILE,
        others
    )
}

fn of_histograms(slice: u32, further: u64) -> Sentence {
    let others = match further {
        0 => Sentence::default(),
        _ => sentence!("further-slices", ", and those of {further} more", further),
    };
    sentence!(
        "changed-histograms",
        "the histograms of slice {slice} in {file} do not match its seconds: they were changed \
         after the run wrote them{others}",
        slice,
        file = TOTALS_FILE,
        others
    )
}

/// How the record of a run ends too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutOff {
    /// `intervals.jsonl` ends within a line.
    WithinLine,
    /// `latency.hlog` ends before the last second of `intervals.jsonl`.
    BeforeLastSecond,
}
