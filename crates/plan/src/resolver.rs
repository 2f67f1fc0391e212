//! The state of resolving a plan: its environment and the problems found.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, Read as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::bounded::LARGEST_NAMED;
use crate::context::Context;
use crate::duration::Time;
use crate::key::{Key, Value};
use crate::names::Named;
use crate::problem::{Findings, Place};
use crate::scalar::Field;
use crate::scalar::{At, List, Scalar};
use crate::trace;

/// A type of values that a key can have.
pub(crate) trait KeyValue: Sized {
    /// Reads a value and checks the limits of the key.
    fn read(scalar: &Scalar, limits: &Value) -> Result<Self, String>;
}

impl KeyValue for u64 {
    fn read(scalar: &Scalar, limits: &Value) -> Result<Self, String> {
        match *limits {
            Value::Whole { least, most } => scalar.whole(least, most),
            _ => scalar.whole(0, Self::MAX),
        }
    }
}

impl KeyValue for u8 {
    fn read(scalar: &Scalar, limits: &Value) -> Result<Self, String> {
        narrow(u64::read(scalar, limits)?)
    }
}

impl KeyValue for u32 {
    fn read(scalar: &Scalar, limits: &Value) -> Result<Self, String> {
        narrow(u64::read(scalar, limits)?)
    }
}

impl KeyValue for usize {
    fn read(scalar: &Scalar, limits: &Value) -> Result<Self, String> {
        narrow(u64::read(scalar, limits)?)
    }
}

fn narrow<T: TryFrom<u64>>(number: u64) -> Result<T, String> {
    T::try_from(number).map_err(|_| format!("{number} is too large"))
}

impl KeyValue for Duration {
    fn read(scalar: &Scalar, limits: &Value) -> Result<Self, String> {
        let time = scalar.time()?;
        match *limits {
            Value::Time { least } if time < least => Err(format!(
                "{} is too short; the minimum is {}",
                Time(time),
                Time(least)
            )),
            _ => Ok(time),
        }
    }
}

impl KeyValue for bool {
    fn read(scalar: &Scalar, _: &Value) -> Result<Self, String> {
        scalar.switch()
    }
}

impl<T: Named> KeyValue for T {
    fn read(scalar: &Scalar, _: &Value) -> Result<Self, String> {
        scalar.choice(T::NAMES)
    }
}

/// The default value of a key. The default must not be a rule.
fn default_of<T: KeyValue>(key: &Key) -> T {
    key.default_value()
        .and_then(|value| T::read(&value, &key.value).ok())
        .expect("the default in the table of keys is one of the key's values")
}

/// The state of resolving a plan.
pub(crate) struct Resolver<'a> {
    pub(crate) context: &'a mut Context,
    /// Where relative paths start.
    pub(crate) directory: PathBuf,
    pub(crate) findings: Findings,
    /// Traces by file, each read once, because a pipe can be read only once.
    traces: HashMap<PathBuf, Option<Arc<[u64]>>>,
    /// Total length so far of the environment variables that the plan names, bytes; see
    /// [`crate::references::with_values`].
    pub(crate) looked_up: Rc<Cell<usize>>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(context: &'a mut Context, directory: PathBuf, findings: Findings) -> Self {
        Self {
            context,
            directory,
            findings,
            traces: HashMap::new(),
            looked_up: Rc::default(),
        }
    }
}

impl Resolver<'_> {
    /// Reads `field` with `read`; `None` if the value is missing or wrong. A wrong value is
    /// reported.
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

    /// Reads the value of a key; `None` if the value is missing or wrong. A wrong value is
    /// reported.
    pub(crate) fn value<T: KeyValue>(&mut self, key: &Key, field: &Field) -> Option<T> {
        self.read(key.name, field, |scalar| T::read(scalar, &key.value))
    }

    /// As [`Resolver::value`], with the default of the key for a missing value.
    pub(crate) fn value_or_default<T: KeyValue>(&mut self, key: &Key, field: &Field) -> T {
        let value = self.value(key, field);
        value.unwrap_or_else(|| default_of(key))
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
        let message = format!("cannot read {}: {error}", path.display());
        self.wrong(place, key, message);
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

    /// Reports a problem with the value of `key`.
    pub(crate) fn wrong(&mut self, place: Place, key: &str, message: impl fmt::Display) {
        self.findings.about(place, key, message);
    }

    /// Reports a problem with a complete message.
    pub(crate) fn refuse(&mut self, place: Place, message: impl Into<String>) {
        self.findings.add(place, message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::{
        AgentsDraft, CorpusDraft, Draft, LoadDraft, ObserveDraft, OutputDraft, RoundsDraft,
        TargetDraft, TlsDraft, WorkloadDraft,
    };
    use crate::key::Section as _;
    use crate::work::PROTOCOLS;

    #[test]
    fn every_default_is_a_value_of_its_key() {
        let sections = [
            Draft::KEYS,
            RoundsDraft::KEYS,
            LoadDraft::KEYS,
            OutputDraft::KEYS,
            AgentsDraft::KEYS,
            CorpusDraft::KEYS,
            TargetDraft::KEYS,
            TlsDraft::KEYS,
            ObserveDraft::KEYS,
            WorkloadDraft::KEYS,
        ];
        let sections = sections
            .into_iter()
            .chain(PROTOCOLS.iter().map(|entry| entry.keys));
        let mut checked = 0;
        for key in sections.flatten() {
            let Some(value) = key.default_value() else {
                continue;
            };
            let read = match key.value {
                Value::Whole { .. } => u64::read(&value, &key.value).map(|_| ()),
                Value::Time { .. } => Duration::read(&value, &key.value).map(|_| ()),
                Value::Switch => bool::read(&value, &key.value).map(|_| ()),
                Value::Rate => value.rate().map(|_| ()),
                Value::Size => value.size().map(|_| ()),
                Value::Choice(names) => {
                    let names: Vec<(&str, ())> =
                        names().into_iter().map(|name| (name, ())).collect();
                    value.choice(&names)
                }
                Value::Text(_) => value.text().map(|_| ()),
            };
            assert_eq!(read, Ok(()), "{}", key.name);
            checked += 1;
        }
        assert!(checked > 40, "{checked} defaults");
    }
}
