//! State of requests in flight.

use std::ops::{Index, IndexMut};

/// State of requests in flight. A slot keeps its content when it is freed, so that its buffers are
/// reused.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    places: Vec<T>,
    free: Vec<usize>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T: Default> Slots<T> {
    /// Takes a free slot, with the content of its last use.
    pub(crate) fn take(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.places.push(T::default());
            // Reserves memory, so that freeing all slots at once allocates nothing.
            self.free.reserve(self.places.len());
            self.places.len() - 1
        })
    }

    /// Number of slots, taken or free.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether any slot is taken.
    pub(crate) fn are_out(&self) -> bool {
        self.free.len() < self.places.len()
    }

    /// Frees a slot. Must be called once for each [`Slots::take`].
    pub(crate) fn give_back(&mut self, place: usize) {
        self.free.push(place);
    }
}

impl<T> Index<usize> for Slots<T> {
    type Output = T;

    fn index(&self, place: usize) -> &T {
        &self.places[place]
    }
}

impl<T> IndexMut<usize> for Slots<T> {
    fn index_mut(&mut self, place: usize) -> &mut T {
        &mut self.places[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_taken_once_and_keeps_what_it_held() {
        let mut slots = Slots::<Vec<u8>>::default();
        let (one, other) = (slots.take(), slots.take());
        assert_ne!(one, other);
        slots[one].push(1);
        slots.give_back(one);
        let again = slots.take();
        assert_eq!((again, slots[again].as_slice()), (one, &[1][..]));
    }
}
