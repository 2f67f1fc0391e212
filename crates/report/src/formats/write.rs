//! How a run is written in a format.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use tenbin_plan::Plan;
use tenbin_record::RecordedRun;
use tenbin_result::Document;

/// A run, as writers take it.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// Its directory.
    pub directory: &'a Path,
    /// Its result.
    pub document: &'a Document,
    /// Its plan.
    pub plan: &'a Plan,
    /// What was recorded, with all seconds.
    pub record: &'a RecordedRun,
}

/// How a format is written.
#[derive(Debug)]
pub enum Writer {
    /// One file, from the document alone.
    Document {
        /// What the document lacks for it, in one clause; `None` if nothing.
        lacks: fn(&Document) -> Option<&'static str>,
        /// Writes the whole file.
        write: fn(&Document, &mut dyn io::Write) -> io::Result<()>,
    },
    /// One file or several, from the whole run.
    Run(fn(&Run<'_>) -> Result<Vec<Part>, WriteError>),
}

/// For [`Writer::Document`]: every document has what the format needs.
pub(super) fn nothing(_: &Document) -> Option<&'static str> {
    None
}

/// One of the files of a run in a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What it is about, for example a target.
    pub name: String,
    /// The whole file.
    pub content: Vec<u8>,
}

impl Part {
    /// Its file, if `path` was named for all `parts`: if there are several, the name of the part
    /// stands before the name of the file.
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

/// A name without anything that would lead to another directory.
fn file_part(name: &str) -> Cow<'_, str> {
    let leads_away = |c: char| c == '/' || c.is_control();
    match name.contains(leads_away) {
        true => name.replace(leads_away, "_").into(),
        false => name.into(),
    }
}

/// Why a run cannot be written in a format.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The run lacks what the format needs: what, and how to get it.
    #[error("{0}")]
    Lacks(Cow<'static, str>),
}

impl WriteError {
    pub(super) fn lacks(what: impl Into<Cow<'static, str>>) -> Self {
        Self::Lacks(what.into())
    }
}

/// A part for each target of the plan, in its order.
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
