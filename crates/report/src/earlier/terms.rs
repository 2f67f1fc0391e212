//! The settings of a workload, which must be equal in two runs to be compared.

use std::collections::{BTreeMap, BTreeSet};

use tenbin_result::{Message, Value, Workload, message};

use crate::differing_settings::{Difference, differences};

/// Rewrites the sizes in a name or setting to the current notation: earlier versions wrote `1kB`
/// for `1KB`, 1,000 bytes.
pub(super) fn spelled(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut after_digit = false;
    for (at, each) in text.char_indices() {
        let is_unit = after_digit && text[at..].starts_with("kB");
        out.push(if is_unit { 'K' } else { each });
        after_digit = each.is_ascii_digit();
    }
    out
}

/// Settings of a workload.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    description: String,
    load: String,
    /// Settings by key; `None` in documents of older versions.
    settings: Option<BTreeMap<String, String>>,
}

impl Terms {
    pub(super) fn of(workload: &Workload) -> Self {
        let settings = workload.settings.as_ref().map(|settings| {
            let pairs = settings.iter();
            pairs
                .map(|each| (each.key.clone(), spelled(&each.value)))
                .collect()
        });
        Self {
            description: spelled(&workload.description),
            load: workload.load.clone(),
            settings,
        }
    }

    /// Whether each target has its own request template for search terms.
    pub(super) fn has_own_words(&self) -> bool {
        let settings = self.settings.as_ref();
        settings.is_some_and(|settings| settings.contains_key("by_target"))
    }

    /// The first difference between two sets of settings, if any.
    pub(super) fn difference(&self, other: &Self) -> Option<Message> {
        if let (Some(mine), Some(theirs)) = (&self.settings, &other.settings) {
            let keys: BTreeSet<&String> = mine.keys().chain(theirs.keys()).collect();
            // If each target has its own request template, the hits show whether both do the same
            // work.
            let own_words = |key: &str| {
                key == "by_target" && mine.contains_key(key) && theirs.contains_key(key)
            };
            let differs = |key: &&&String| !own_words(key) && mine.get(**key) != theirs.get(**key);
            let told: Vec<Message> = keys
                .iter()
                .filter(differs)
                .flat_map(|key| {
                    let [then, now] = [mine, theirs].map(|of| of.get(*key).map(String::as_str));
                    differences(key, then, now)
                })
                .map(Difference::message)
                .collect();
            if !told.is_empty() {
                return Some(message!("clauses", clauses = Value::Clauses(told)));
            }
        }
        let whole = |terms: &Self| format!("{}, {}", terms.description, terms.load);
        let (then, now) = (whole(self), whole(other));
        (then != now).then(|| message!("work-differs", then, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_earlier_versions_are_spelled_as_now() {
        assert_eq!(spelled("put-1kB"), "put-1KB");
        assert_eq!(
            spelled("put of 64kB, 10 objects of 1kB"),
            "put of 64KB, 10 objects of 1KB"
        );
        for same in ["put-1KB", "put-1KiB", "skB-test", "1k"] {
            assert_eq!(spelled(same), same);
        }
    }
}
