//! What every resolver works with: the plan's surroundings and the list of what is wrong.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::bounded::LARGEST_NAMED;
use crate::context::Context;
use crate::names::Named;
use crate::problem::{Findings, Place};
use crate::scalar::Field;
use crate::scalar::{At, List, Scalar};
use crate::trace;

/// What every resolver works with.
pub(crate) struct Desk<'a> {
    pub(crate) context: &'a mut Context,
    /// Where relative paths start.
    pub(crate) directory: PathBuf,
    pub(crate) findings: Findings,
    /// Traces by file, each read once: a pipe can be read no second time.
    traces: HashMap<PathBuf, Option<Arc<[u64]>>>,
}

impl<'a> Desk<'a> {
    pub(crate) fn new(context: &'a mut Context, directory: PathBuf, findings: Findings) -> Self {
        Self {
            context,
            directory,
            findings,
            traces: HashMap::new(),
        }
    }
}

impl Desk<'_> {
    /// The value of `field` as `read` understands it; `None` if it is missing or
    /// wrong, and if wrong, noted.
    pub(crate) fn read<T>(
        &mut self,
        key: &str,
        field: &Field,
        read: impl FnOnce(&Scalar) -> Result<T, String>,
    ) -> Option<T> {
        let field = field.as_ref()?;
        match read(&field.value) {
            Ok(value) => Some(value),
            Err(message) => {
                self.wrong(field.place, key, message);
                None
            }
        }
    }

    /// As [`Desk::read`], for text.
    pub(crate) fn text(&mut self, key: &str, field: &Field) -> Option<String> {
        self.read(key, field, |scalar| scalar.text().map(str::to_owned))
    }

    /// As [`Desk::read`], for a path; relative ones start at the plan's directory.
    pub(crate) fn path(&mut self, key: &str, field: &Field) -> Option<PathBuf> {
        let path = self.text(key, field)?;
        Some(self.directory.join(path))
    }

    /// As [`Desk::read`], for a choice among names.
    pub(crate) fn choice<T: Named>(&mut self, key: &str, field: &Field) -> Option<T> {
        self.read(key, field, |scalar| scalar.choice(T::NAMES))
    }

    /// Every item of a list, as `read` understands it; what is wrong is noted.
    pub(crate) fn each<T>(
        &mut self,
        key: &str,
        list: Option<&At<List>>,
        read: impl Fn(&Scalar, &Context) -> Result<T, String>,
    ) -> Vec<T> {
        let Some(list) = list else {
            return Vec::new();
        };
        list.items()
            .into_iter()
            .filter_map(|item| match read(item.value, self.context) {
                Ok(value) => Some(value),
                Err(message) => {
                    self.wrong(item.place, key, message);
                    None
                }
            })
            .collect()
    }

    /// Reads a file that the plan names.
    pub(crate) fn file(&mut self, place: Place, key: &str, path: &Path) -> Option<Vec<u8>> {
        let mut file = self.open(place, key, path)?;
        // Memory that is not written to is not used, and growing would hold the content twice.
        let mut bytes = Vec::with_capacity(LARGEST_NAMED as usize);
        match file.read_to_end(&mut bytes) {
            Ok(_) => {
                bytes.shrink_to_fit();
                Some(bytes)
            }
            Err(error) => self.unreadable(place, key, path, &error),
        }
    }

    /// Opens a file that the plan names.
    pub(crate) fn open(
        &mut self,
        place: Place,
        key: &str,
        path: &Path,
    ) -> Option<Box<dyn BufRead>> {
        match (self.context.open)(path) {
            Ok(file) => Some(file),
            Err(error) => self.unreadable(place, key, path, &error),
        }
    }

    fn unreadable<T>(
        &mut self,
        place: Place,
        key: &str,
        path: &Path,
        error: &io::Error,
    ) -> Option<T> {
        let message = format!("cannot read {}: {error}", path.display());
        self.wrong(place, key, message);
        None
    }

    /// The arrivals in a trace that the plan names, nanoseconds after the first.
    pub(crate) fn trace(&mut self, place: Place, key: &str, path: &Path) -> Option<Arc<[u64]>> {
        if let Some(known) = self.traces.get(path) {
            return known.clone();
        }
        if self.context.without_files {
            return Some(Arc::new([0]));
        }
        let offsets = self.file(place, key, path).and_then(|bytes| {
            trace::read(path, &bytes)
                .map_err(|message| self.wrong(place, key, message))
                .ok()
        });
        self.traces.insert(path.to_owned(), offsets.clone());
        offsets
    }

    /// Notes what is wrong with the value of `key`.
    pub(crate) fn wrong(&mut self, place: Place, key: &str, message: impl fmt::Display) {
        self.findings.about(place, key, message);
    }

    /// Notes a problem whose message says what it is about.
    pub(crate) fn refuse(&mut self, place: Place, message: impl Into<String>) {
        self.findings.add(place, message);
    }
}
