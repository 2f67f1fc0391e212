//! `--get-distrib`, `--stat-distrib`, `--put-distrib` and `--delete-distrib`.

use tenbin_plan::sentence;

use crate::parse::Given;

/// An operation of a mix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "warp's own words")]
pub enum MixedOperation {
    Get,
    Stat,
    Put,
    Delete,
}

const SHARES: [(MixedOperation, &str, &str); 4] = [
    (MixedOperation::Get, "get-distrib", "get"),
    (MixedOperation::Stat, "stat-distrib", "stat"),
    (MixedOperation::Put, "put-distrib", "put"),
    (MixedOperation::Delete, "delete-distrib", "delete"),
];

/// The shares, without zeros. If any share is given, the shares not given are 0 instead of warp's
/// defaults.
pub(super) fn read(given: &mut Given) -> Vec<(MixedOperation, f64)> {
    let named = |flag: &str| given.is_given(flag);
    let some_named = SHARES.iter().any(|(_, flag, _)| named(flag));
    let shares: Vec<(MixedOperation, f64)> = SHARES
        .iter()
        .filter(|(_, flag, _)| !some_named || named(flag))
        .map(|&(operation, flag, _)| (operation, given.decimal(flag)))
        .filter(|&(_, share)| share > 0.0)
        .collect();
    if shares.is_empty() {
        let why = sentence!("warp-no-shares", "all shares are 0; increase one of them");
        given.wrong("get-distrib", why);
    } else if some_named {
        explain_the_unnamed(given);
    }
    shares
}

/// If some of the shares are not given, adds a note on the shares that warp would have used.
fn explain_the_unnamed(given: &mut Given) {
    let unnamed: Vec<String> = SHARES
        .iter()
        .filter(|(_, flag, _)| !given.is_given(flag))
        .map(|(_, flag, name)| format!("{name} {}", given.decimal(flag)))
        .collect();
    if unnamed.is_empty() {
        return;
    }
    let total: f64 = SHARES.iter().map(|(_, flag, _)| given.decimal(flag)).sum();
    let share = |(_, flag, name): &(MixedOperation, &str, &str)| {
        format!("{name} {:.0}", given.decimal(flag) / total * 100.0)
    };
    let real: Vec<String> = SHARES.iter().map(share).collect();
    given.note(sentence!(
        "warp-missing-shares",
        "missing shares are 0 here; warp would have kept its defaults ({defaults}) and actually run \
         {real} per cent",
        defaults = unnamed.join(", "),
        real = real.join(", ")
    ));
}
