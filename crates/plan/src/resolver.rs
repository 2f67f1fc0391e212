//! The state of resolving a plan: its environment and the problems found.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::{self, BufRead, Read as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use crate::bounded::LARGEST_NAMED;
use crate::context::Context;
use crate::keys::names::Named;
use crate::keys::row::Key;
use crate::keys::scalar::{At, Field, List, Scalar};
use crate::keys::value::{KeyValue, Reader, Reading, default_of};
use crate::load::trace;
use crate::plan_file::mistake::Mistake;
use crate::plan_file::problem::{Findings, Place};

/// The state of resolving a plan.
pub(crate) struct Resolver<'a> {
    pub(crate) context: &'a mut Context,
    /// Where relative paths start.
    pub(crate) directory: PathBuf,
    pub(crate) findings: Findings,
    /// What precedes the names of keys in messages: `tls.`.
    prefix: &'static str,
    /// Traces by file, each read once, because a pipe can be read only once.
    traces: HashMap<PathBuf, Option<Arc<[u64]>>>,
    /// Total length so far of the environment variables that the plan names, bytes; see
    /// [`crate::secrets::environment::with_values`].
    pub(crate) looked_up: Rc<Cell<usize>>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(context: &'a mut Context, directory: PathBuf, findings: Findings) -> Self {
        Self {
            context,
            directory,
            findings,
            prefix: "",
            traces: HashMap::new(),
            looked_up: Rc::default(),
        }
    }
}

impl Resolver<'_> {
    /// Reads `field` with `read`; `None` if the value is missing or wrong. A wrong value is
    /// reported.
    pub(crate) fn read<T, E: Into<Mistake>>(
        &mut self,
        key: &str,
        field: &Field,
        read: impl FnOnce(&Scalar) -> Result<T, E>,
    ) -> Option<T> {
        let field = field.as_ref()?;
        match read(&field.value) {
            Ok(value) => Some(value),
            Err(mistake) => {
                self.wrong(field.place, key, mistake);
                None
            }
        }
    }

    /// Reads the value of a key; `None` if the value is missing or wrong. A wrong value is
    /// reported.
    pub(crate) fn value<T: KeyValue>(&mut self, key: &Key, field: &Field) -> Option<T> {
        let field = field.as_ref()?;
        self.item(key, field.place, &field.value, T::read)
    }

    /// Reads one value of a key, or one item of its list; `None` if the value is wrong, which is
    /// reported.
    pub(crate) fn item<T>(
        &mut self,
        key: &Key,
        place: Place,
        scalar: &Scalar,
        read: Reader<T>,
    ) -> Option<T> {
        let value = read(scalar, &Reading::new(key, &self.directory));
        value.map_err(|why| self.wrong(place, key.name, why)).ok()
    }

    /// As [`Resolver::value`], with the default of the key for a missing value.
    pub(crate) fn value_or_default<T: KeyValue>(&mut self, key: &Key, field: &Field) -> T {
        let value = self.value(key, field);
        value.unwrap_or_else(|| default_of(key, T::read))
    }

    /// As [`Resolver::read`], for text.
    pub(crate) fn text(&mut self, key: &str, field: &Field) -> Option<String> {
        self.read(key, field, |scalar| scalar.text().map(str::to_owned))
    }

    /// As [`Resolver::read`], for a path. Relative paths start at the plan's directory.
    pub(crate) fn path(&mut self, key: &str, field: &Field) -> Option<PathBuf> {
        let path = self.text(key, field)?;
        Some(self.directory.join(path))
    }

    /// As [`Resolver::read`], for a choice among names.
    pub(crate) fn choice<T: Named>(&mut self, key: &str, field: &Field) -> Option<T> {
        self.read(key, field, |scalar| scalar.choice(T::NAMES))
    }

    /// Reads every item of a list with `read`; wrong items are reported.
    pub(crate) fn each<T, E: Into<Mistake>>(
        &mut self,
        key: &str,
        list: Option<&At<List>>,
        read: impl Fn(&Scalar, &Context) -> Result<T, E>,
    ) -> Vec<T> {
        let Some(list) = list else {
            return Vec::new();
        };
        list.items()
            .into_iter()
            .filter_map(|item| match read(item.value, self.context) {
                Ok(value) => Some(value),
                Err(mistake) => {
                    self.wrong(item.place, key, mistake);
                    None
                }
            })
            .collect()
    }

    /// Reads a file that the plan names.
    pub(crate) fn file(&mut self, place: Place, key: &str, path: &Path) -> Option<Vec<u8>> {
        let mut file = self.open(place, key, path)?;
        // Reserving the maximum avoids copies; unused reserved memory costs nothing.
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
        self.wrong(place, key, Mistake::cannot_read(path, error));
        None
    }

    /// Reads the arrivals in a trace that the plan names, in nanoseconds after the first arrival.
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

    /// Resolves the keys of a table inside a section, such as `tls.`.
    pub(crate) fn inside(&mut self, prefix: &'static str, resolve: impl FnOnce(&mut Self)) {
        self.prefix = prefix;
        resolve(self);
        self.prefix = "";
    }

    /// Reports a problem with the value of `key`.
    pub(crate) fn wrong(&mut self, place: Place, key: &str, mistake: impl Into<Mistake>) {
        let key = format!("{}{key}", self.prefix);
        self.findings.about(place, &key, mistake);
    }

    /// Reports a problem that is not in the value of one key.
    pub(crate) fn refuse(&mut self, place: Place, mistake: impl Into<Mistake>) {
        self.findings.add(place, mistake);
    }
}
