//! Sets of features of a body, as hashes.

use std::collections::BTreeMap;

/// Maximum number of distinct features of one kind of a body. Further features are not recorded.
const MOST: usize = 512;
/// Number of collected features, with repetitions, after which repetitions are removed.
const FULL: usize = 4 * MOST;
/// Maximum number of names kept for reports.
const MOST_NAMES: usize = 1_024;
/// Maximum number of characters of a name.
const NAME_CHARS: usize = 60;

/// Receives the name of each feature.
pub(in crate::responses) trait Names {
    /// Records the name of a feature.
    fn name(&mut self, feature: u64, name: &dyn Fn() -> String);
}

impl Names for BTreeMap<u64, String> {
    fn name(&mut self, feature: u64, name: &dyn Fn() -> String) {
        if self.len() < MOST_NAMES {
            let shown = || {
                let name = name();
                let printable = name.chars().map(|c| if c.is_control() { ' ' } else { c });
                printable.take(NAME_CHARS).collect()
            };
            self.entry(feature).or_insert_with(shown);
        }
    }
}

/// Features in the order in which they occur, with repetitions.
#[derive(Default)]
pub(super) struct Features {
    pub(super) skeleton: Vec<u64>,
    pub(super) details: Vec<u64>,
    pub(super) words: Vec<u64>,
    /// Hash of the last tag.
    pub(super) last_tag: u64,
}

/// Adds a feature to a set.
pub(super) fn add(set: &mut Vec<u64>, feature: u64) {
    if set.len() >= FULL {
        set.sort_unstable();
        set.dedup();
        if set.len() > MOST {
            set.truncate(MOST);
        }
        if set.len() == MOST {
            return;
        }
    }
    set.push(feature);
}

/// The set without repetitions, sorted.
pub(super) fn finish(mut set: Vec<u64>) -> Vec<u64> {
    set.sort_unstable();
    set.dedup();
    set.truncate(MOST);
    set.shrink_to_fit();
    set
}

/// A hash of a text in a context.
pub(super) fn mix(context: u64, text: &[u8]) -> u64 {
    // FNV-1a, and a final step that spreads the bits.
    let mut state = context ^ 0xCBF2_9CE4_8422_2325;
    for byte in text {
        state = (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
    }
    state ^= state >> 32;
    state.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
