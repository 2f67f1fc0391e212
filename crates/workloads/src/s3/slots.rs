//! Room for what belongs to requests that are out.

use std::ops::{Index, IndexMut};

/// Room for what belongs to requests that are out. What was in a place is still there
/// when it is taken again, so that its buffers are used again.
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
    /// A place that nobody has, as whoever had it last left it.
    pub(crate) fn take(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.places.push(T::default());
            // As much room for all of them to be free at once.
            self.free.reserve(self.places.len());
            self.places.len() - 1
        })
    }

    /// Places that there are, taken or not.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether anybody has a place.
    pub(crate) fn are_out(&self) -> bool {
        self.free.len() < self.places.len()
    }

    /// The place is free again. To be told once for each [`Slots::take`].
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
