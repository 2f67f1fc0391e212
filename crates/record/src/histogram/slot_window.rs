//! Counts of a histogram around one value.

use tenbin_engine::histogram::slot_of;

/// Number of slots of a window.
const WIDTH: usize = 32;

/// Counts of 32 consecutive slots of one or more histograms, and the number of values below these
/// slots.
#[derive(Debug, Clone)]
pub struct SlotWindow {
    first: usize,
    /// Values in the slots before `first`.
    below: u64,
    counts: [u64; WIDTH],
}

impl SlotWindow {
    /// An empty window with the slot of `value` in the middle.
    pub fn around(value: u64) -> Self {
        Self::from_slot(slot_of(value).saturating_sub(WIDTH / 2))
    }

    /// An empty window that ends with the slot of `value`.
    pub fn up_to(value: u64) -> Self {
        Self::from_slot((slot_of(value) + 1).saturating_sub(WIDTH))
    }

    /// An empty window whose first slot is the histogram slot that contains `value`.
    pub fn from(value: u64) -> Self {
        Self::from_slot(slot_of(value))
    }

    fn from_slot(first: usize) -> Self {
        Self {
            first,
            below: 0,
            counts: [0; WIDTH],
        }
    }

    /// The first slot of the window.
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// The slot after the last slot of the window.
    pub(crate) fn end(&self) -> usize {
        self.first + WIDTH
    }

    /// Adds `count` values in slots before the window.
    pub(crate) fn add_below(&mut self, count: u64) {
        self.below += count;
    }

    #[inline]
    pub(crate) fn add(&mut self, slot: usize, count: u64) {
        match slot.checked_sub(self.first) {
            None => self.below += count,
            Some(at) => {
                if let Some(sum) = self.counts.get_mut(at) {
                    *sum += count;
                }
            }
        }
    }

    /// Whether `value` lies below the slots of the window.
    pub fn is_above(&self, value: u64) -> bool {
        slot_of(value) < self.first
    }

    /// Number of values in the slot of `value`; `None` if the slot is outside the window.
    pub fn at(&self, value: u64) -> Option<u64> {
        let at = slot_of(value).checked_sub(self.first)?;
        self.counts.get(at).copied()
    }

    /// Number of values in all slots up to the slot of `value`; `None` if the slot is outside the
    /// window.
    pub fn at_most(&self, value: u64) -> Option<u64> {
        let at = slot_of(value).checked_sub(self.first)?;
        let inside: u64 = self.counts.get(..=at)?.iter().sum();
        Some(self.below + inside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::packed::PackedHistogram;

    #[test]
    fn a_window_has_the_counts_of_the_histogram() {
        let mut times = tenbin_engine::histogram::latency_histogram();
        for step in 0..4_000_u64 {
            times.record(100_000 + step * step % 77_777).unwrap();
        }
        let packed = PackedHistogram::from(&times);
        let value = packed.value_at_quantile(0.7);
        let mut windows = [
            SlotWindow::around(value),
            SlotWindow::up_to(value),
            SlotWindow::from(value),
            SlotWindow::around(3),
        ];
        packed.add_to_windows(&mut windows);
        packed.add_to_windows(&mut windows);
        // These windows are in ascending order and share no slots.
        let far = [3, 101_000, 130_000, 170_000, 1 << 50].map(SlotWindow::around);
        for windows in [far.to_vec(), far[1..4].to_vec(), far[..1].to_vec()] {
            let (mut apart, mut alone) = (windows.clone(), windows);
            packed.add_to_windows(&mut apart);
            for window in &mut alone {
                let mut overlapping = [window.clone(), window.clone()];
                packed.add_to_windows(&mut overlapping);
                *window = overlapping[0].clone();
            }
            let all = |windows: &[SlotWindow]| format!("{windows:?}");
            assert_eq!(all(&apart), all(&alone));
        }
        for window in &windows[..3] {
            assert_eq!(window.at(value), Some(2 * packed.count_at(value)));
            let up_to = packed.count_between(0, value);
            assert_eq!(window.at_most(value), Some(2 * up_to));
        }
        let (before, after) = (value - value / 100, value + value / 100);
        let [around, up_to, from, low] = &windows;
        assert_eq!(around.at(before), Some(2 * packed.count_at(before)));
        assert_eq!(around.at(after), Some(2 * packed.count_at(after)));
        assert_eq!((up_to.at(after), from.at(before)), (None, None));
        assert!(from.is_above(before) && !from.is_above(value));
        assert_eq!((low.at(0), low.at_most(2)), (Some(0), Some(0)));
        assert_eq!(low.at_most(value), None);
    }
}
