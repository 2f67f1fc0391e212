//! The names in compact values: of programs, links and targets. Thousands of slices have the same few.

use std::sync::{PoisonError, RwLock};

/// Most names that are kept once for all. Other programs choose their names, so there can be any
/// number.
const MOST: usize = 1_000;
/// Longest name that is kept, bytes.
const LONGEST: usize = 64;

static NAMES: RwLock<Vec<Box<str>>> = RwLock::new(Vec::new());

/// The number of a name, which is kept from then on; `None` if it is not kept.
pub(super) fn number_of(name: &str) -> Option<u64> {
    let known = |names: &[Box<str>]| names.iter().position(|each| &**each == name);
    let names = NAMES.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = known(&names) {
        return Some(at as u64);
    }
    drop(names);
    let mut names = NAMES.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = known(&names) {
        return Some(at as u64);
    }
    if name.len() > LONGEST || names.len() >= MOST {
        return None;
    }
    names.push(name.into());
    Some(names.len() as u64 - 1)
}

/// The name with this number, from [`number_of`].
pub(super) fn name_of(number: u64) -> String {
    let names = NAMES.read().unwrap_or_else(PoisonError::into_inner);
    let found = usize::try_from(number).ok().and_then(|at| names.get(at));
    found.map_or_else(String::new, |name| name.to_string())
}
