//! What a workload was asked to do: must be the same on both sides of a comparison.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::Workload;

/// What was sent and how.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    description: String,
    load: String,
    /// By key; `None` in documents of versions that did not say.
    settings: Option<BTreeMap<String, String>>,
}

impl Terms {
    pub(super) fn of(workload: &Workload) -> Self {
        let settings = workload.settings.as_ref().map(|settings| {
            let pairs = settings.iter();
            pairs
                .map(|each| (each.key.clone(), each.value.clone()))
                .collect()
        });
        Self {
            description: workload.description.clone(),
            load: workload.load.clone(),
            settings,
        }
    }

    /// What the other does that this one does not, in words.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        if let (Some(mine), Some(theirs)) = (&self.settings, &other.settings) {
            let keys: BTreeSet<&String> = mine.keys().chain(theirs.keys()).collect();
            let differs = |key: &&&String| mine.get(**key) != theirs.get(**key);
            let shown = |value: Option<&String>| match value {
                Some(value) => format!("{value:?}"),
                None => "not given".to_owned(),
            };
            let told: Vec<String> = keys
                .iter()
                .filter(differs)
                .map(|key| {
                    let (then, now) = (shown(mine.get(*key)), shown(theirs.get(*key)));
                    format!("{key} {then}, then {now}")
                })
                .collect();
            if !told.is_empty() {
                return Some(told.join("; "));
            }
        }
        let whole = |terms: &Self| format!("{}, {}", terms.description, terms.load);
        (whole(self) != whole(other)).then(|| format!("{}; then {}", whole(self), whole(other)))
    }
}
