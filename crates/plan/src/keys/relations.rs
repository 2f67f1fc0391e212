//! Keys of a section that exclude or need each other: one relation, in the rows of the keys, for
//! plan files, flags, and keys that a workload inherits.

use crate::keys::row::{Exclusion, Key, Section};
use crate::resolver::Resolver;

/// Reports keys that exclude each other, and keys without a key that they need.
pub(crate) fn check<S: Section>(resolver: &mut Resolver<'_>, draft: &S) {
    let given = draft.given();
    let is_given = |name: &&str| given.iter().any(|(key, _)| key == name);
    for (name, place) in &given {
        let Some(key) = S::KEYS.iter().find(|key| key.name == *name) else {
            continue;
        };
        for Exclusion { keys, why, .. } in key.excludes.iter().flatten() {
            if keys.iter().any(&is_given) {
                resolver.wrong(*place, name, *why);
            }
        }
        if let Some(need) = key.needs.filter(|need| !need.any_of.iter().any(&is_given)) {
            resolver.wrong(*place, name, need.why);
        }
    }
}

/// Whether a workload with the keys `own` does not inherit the key `name` from the section that all
/// workloads share.
pub(crate) fn is_replaced<S: Section>(own: &[&str], name: &str) -> bool {
    let key = |name: &str| S::KEYS.iter().find(|key| key.name == name);
    let is_excluded = |name: &str| {
        let replacing = own.iter().filter_map(|own| key(own));
        let mut replacing = replacing.filter(|own| own.needs.is_none());
        replacing
            .any(|own| replaces(own, name) || key(name).is_some_and(|key| replaces(key, own.name)))
    };
    let lacks_need = || {
        let need = key(name)?.needs?;
        let is_lost = |any: &&str| !own.contains(any) && is_excluded(any);
        Some(need.any_of.iter().all(is_lost))
    };
    is_excluded(name) || lacks_need() == Some(true)
}

fn replaces(key: &Key, other: &str) -> bool {
    let mut excludes = key.excludes.iter().flatten();
    excludes.any(|exclusion| exclusion.replaces && exclusion.keys.contains(&other))
}
