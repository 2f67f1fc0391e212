//! Interning of operation names.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Returns `name` with a `'static` lifetime, so that samples carry no allocated operation names.
/// Each distinct name is leaked once; a plan has few names.
pub(crate) fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let new: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(new);
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once() {
        let (first, second) = (interned("a group"), interned("a group"));
        assert!(std::ptr::eq(first, second));
        assert_eq!(interned("another group"), "another group");
    }
}
