//! Names that live as long as the program.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The same text for as long as the program runs: what a workload's operations are
/// called, so that samples carry no text of their own. Each different name is kept
/// once; a plan has few of them.
pub(crate) fn lasting(name: &str) -> &'static str {
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
        let (first, second) = (lasting("a group"), lasting("a group"));
        assert!(std::ptr::eq(first, second));
        assert_eq!(lasting("another group"), "another group");
    }
}
