//! Whether the files of a run directory are unchanged since the run.

use std::fmt;

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
        let changed: Vec<String> = self.changed.iter().map(Change::to_string).collect();
        changed.join("; ")
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
        let after = "after the run wrote it";
        match self {
            Self::File(name) => write!(f, "{name} was changed {after}"),
            Self::Lines { listed, further } => write_lines(f, listed, *further),
            Self::HistogramLines {
                first,
                last,
                is_followed,
            } => {
                if last > first {
                    write!(f, "one of the lines {first} to {last}")?;
                } else {
                    write!(f, "line {first}")?;
                }
                write!(f, " of {LATENCY_FILE} was changed {after}")?;
                if *is_followed {
                    f.write_str(", and later lines do not match either")?;
                }
                Ok(())
            }
            Self::Histograms { slice, further } => {
                write!(
                    f,
                    "the histograms of slice {slice} in {TOTALS_FILE} do not match its seconds: \
                     they were changed after the run wrote them"
                )?;
                match further {
                    0 => Ok(()),
                    more => write!(f, ", and those of {more} more"),
                }
            }
            Self::LinesAdded => {
                write!(f, "lines were added to the end of {LATENCY_FILE} {after}")
            }
            Self::BytesAdded => write!(f, "bytes were added to the end of {TOTALS_FILE} {after}"),
            Self::HistogramsRemoved => write!(f, "the end of {TOTALS_FILE} was removed {after}"),
            Self::EndRemoved => f.write_str(
                "the end of the record was removed: result.json belongs to a complete run",
            ),
        }
    }
}

fn write_lines(f: &mut fmt::Formatter<'_>, listed: &[u64], further: u64) -> fmt::Result {
    if let [line] = listed {
        return write!(
            f,
            "line {line} of {INTERVALS_FILE} was changed after the run wrote it, or the line \
             before it was removed"
        );
    }
    let listed: Vec<String> = listed.iter().map(u64::to_string).collect();
    write!(f, "lines {}", listed.join(", "))?;
    if further > 0 {
        write!(f, " and {further} more")?;
    }
    write!(
        f,
        " of {INTERVALS_FILE} were changed after the run wrote them, or lines before them were \
         removed"
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
