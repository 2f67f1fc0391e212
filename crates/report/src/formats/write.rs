//! Writes a run in a format.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use tenbin_plan::{Plan, Sentence};
use tenbin_record::RecordedRun;
use tenbin_result::Document;

/// A run, as passed to writers.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// The run directory.
    pub directory: &'a Path,
    /// The result document.
    pub document: &'a Document,
    /// The plan.
    pub plan: &'a Plan,
    /// The recorded measurements, including the figures of every second.
    pub record: &'a RecordedRun,
}

/// How a format is written: from the document alone, or from the whole run.
#[derive(Debug)]
pub enum Writer {
    /// One file, from the document alone.
    Document {
        /// Returns the data that the document lacks for the format, in one clause; `None` if
        /// nothing is missing.
        lacks: fn(&Document) -> Option<&'static str>,
        /// Writes the whole file.
        write: fn(&Document, &mut dyn io::Write) -> io::Result<()>,
    },
    /// One or several files, from the whole run.
    Run(fn(&Run<'_>) -> Result<Vec<Part>, WriteError>),
}

/// The function `lacks` of a [`Writer::Document`] whose data is never missing.
pub(super) fn nothing(_: &Document) -> Option<&'static str> {
    None
}

/// One of the files that a format writes for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Subject of the file, for example a target.
    pub name: String,
    /// The whole file.
    pub content: Vec<u8>,
}

impl Part {
    /// Path of the part's file. With several parts, the name of the part is put before the file
    /// name of `path`.
    pub fn file(&self, path: &Path, parts: usize) -> PathBuf {
        match (parts, path.file_name()) {
            (2.., Some(name)) => {
                let part = file_part(&self.name);
                path.with_file_name(format!("{part}-{}", name.to_string_lossy()))
            }
            _ => path.to_owned(),
        }
    }
}

/// A name without characters that could lead to another directory.
fn file_part(name: &str) -> Cow<'_, str> {
    let leads_away = |c: char| c == '/' || c.is_control();
    if name.contains(leads_away) {
        name.replace(leads_away, "_").into()
    } else {
        name.into()
    }
}

/// Why a run cannot be written in a format.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The run lacks data that the format needs: which data, and how to get it.
    #[error("{0}")]
    Lacks(Sentence),
}

impl WriteError {
    /// The error with its arguments.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Lacks(what) => what.clone(),
        }
    }
}

/// One part per target, in plan order.
pub(super) fn for_each_target(
    run: &Run<'_>,
    content: impl Fn(&tenbin_plan::Target) -> Vec<u8>,
) -> Vec<Part> {
    let targets = run.plan.targets.iter();
    let parts = targets.map(|target| Part {
        name: target.name.clone(),
        content: content(target),
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_parts_have_files_named_after_them() {
        let part = |name: &str| Part {
            name: name.to_owned(),
            content: Vec::new(),
        };
        let path = Path::new("out/result.csv");
        assert_eq!(part("groonga").file(path, 1), path);
        for (name, file) in [
            ("three-nodes", "out/three-nodes-result.csv"),
            ("../../etc/x", "out/.._.._etc_x-result.csv"),
        ] {
            assert_eq!(part(name).file(path, 2), Path::new(file));
        }
    }
}
