//! Shares of workers, objects that Tenbin may have created, and the progress of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::s3::objects::uploads::Uploads;

/// One worker's share of the objects: `first`, `first + step`, … below `objects`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) first: u64,
    pub(crate) step: u64,
    pub(crate) objects: u64,
}

impl Share {
    /// One worker's share of the numbers from `first` to `end`, exclusive.
    pub(crate) fn beyond(first: u64, worker: usize, workers: usize, end: u64) -> Self {
        Self {
            first: first + worker as u64,
            step: workers as u64,
            objects: end,
        }
    }

    /// The share of worker `worker` of `workers`.
    pub(crate) fn of(worker: usize, workers: usize, objects: u64) -> Self {
        Self {
            first: worker as u64,
            step: workers as u64,
            objects,
        }
    }

    /// The share of a worker, never empty: if there are more workers than objects, several workers
    /// have the same share.
    pub(crate) fn shared(worker: usize, workers: usize, objects: u64) -> Self {
        let workers = workers
            .min(usize::try_from(objects).unwrap_or(usize::MAX))
            .max(1);
        Self::of(worker % workers, workers, objects)
    }

    /// Number of objects in the share.
    pub(crate) fn count(self) -> u64 {
        self.objects.saturating_sub(self.first).div_ceil(self.step)
    }

    /// Index of an object in the share, from 0.
    pub(crate) fn position(self, object: u64) -> u64 {
        (object - self.first) / self.step
    }

    /// The object at this index of the share, from 0; `None` after the last object.
    pub(crate) fn at(self, position: u64) -> Option<u64> {
        let object = self.first + position * self.step;
        (object < self.objects).then_some(object)
    }
}

/// Number of objects of a share that a worker has reached. A mark has its own cache line, and is
/// written only when an object is reached for the first time.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Mark {
    share: Share,
    among: Option<Arc<[u64]>>,
    reached: AtomicU64,
}

impl Mark {
    /// The object at this index of the share, from 0; `None` after the last object.
    fn object(&self, position: u64) -> Option<u64> {
        among(self.among.as_deref(), self.share.at(position)?)
    }
}

/// The object at index `at` of `list`; without a list, the object with the number `at`.
fn among(list: Option<&[u64]>, at: u64) -> Option<u64> {
    match list {
        Some(list) => list.get(usize::try_from(at).ok()?).copied(),
        None => Some(at),
    }
}

/// State that a run keeps from slice to slice.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// Objects that Tenbin may have created: every object for which a PUT was prepared, even if the
    /// object was deleted later. A PUT without a response can take effect later.
    made: Vec<Arc<Mark>>,
    /// Objects that were read, for operations that read every object once.
    read: Vec<Arc<Mark>>,
    /// By worker: multipart uploads that may be open.
    uploads: Vec<Arc<Uploads>>,
}

impl Marks {
    /// The list of open uploads of a worker.
    pub(crate) fn uploads(&mut self, worker: usize) -> Arc<Uploads> {
        while self.uploads.len() <= worker {
            self.uploads.push(Arc::default());
        }
        Arc::clone(&self.uploads[worker])
    }

    /// Moves every upload that may be open into `all`.
    pub(crate) fn give_uploads(&mut self, all: &Uploads) {
        for open in self.uploads.iter().flat_map(|own| own.take()) {
            all.add(open);
        }
    }

    /// Whether all objects were read, for operations that read every object once.
    pub(crate) fn all_read(&self) -> bool {
        let through = |mark: &Arc<Mark>| {
            let reached = mark.reached.load(Ordering::Acquire);
            mark.share.at(reached).is_none()
        };
        !self.read.is_empty() && self.read.iter().all(through)
    }

    /// Records that each worker of another machine has read this number of objects of its share.
    pub(crate) fn read_up_to(&mut self, counts: &[u64], objects: u64) {
        for (worker, &count) in counts.iter().enumerate() {
            let share = Share::of(worker, counts.len(), objects);
            let mark = mark(&mut self.read, share, None);
            mark.reached
                .fetch_max(count.min(share.count()), Ordering::Release);
        }
    }

    /// Every object that may have been created, ascending and without duplicates; clears the marks.
    pub(crate) fn take_made(&mut self) -> Vec<u64> {
        let mut made: Vec<u64> = self
            .made
            .drain(..)
            .flat_map(|mark| {
                let reached = mark.reached.load(Ordering::Acquire);
                (0..reached).filter_map(move |position| mark.object(position))
            })
            .collect();
        made.sort_unstable();
        made.dedup();
        made
    }
}

/// The mark of a share: an existing mark from an earlier slice, or a new mark.
fn mark(marks: &mut Vec<Arc<Mark>>, share: Share, among: Option<&Arc<[u64]>>) -> Arc<Mark> {
    let own = |mark: &&Arc<Mark>| mark.share == share && mark.among.as_ref() == among;
    if let Some(mark) = marks.iter().find(own) {
        return Arc::clone(mark);
    }
    let mark = Arc::new(Mark {
        share,
        among: among.cloned(),
        reached: AtomicU64::new(0),
    });
    marks.push(Arc::clone(&mark));
    mark
}

/// An iteration over a share.
pub(crate) struct Walk {
    share: Share,
    /// The list of objects; `None` if objects are numbered consecutively.
    among: Option<Arc<[u64]>>,
    position: u64,
    /// The mark that records the reached position, and the position last recorded; `None` if no
    /// mark is kept.
    mark: Option<(Arc<Mark>, u64)>,
    again: bool,
    /// Number of times that the iteration has started over.
    turns: u64,
}

impl Walk {
    /// Iterates over the share once.
    pub(crate) fn once(share: Share) -> Self {
        Self {
            share,
            among: None,
            position: 0,
            mark: None,
            again: false,
            turns: 0,
        }
    }

    /// Iterates over the share in a cycle.
    pub(crate) fn round(share: Share) -> Self {
        Self {
            again: true,
            ..Self::once(share)
        }
    }

    /// Makes the share a share of the indices of the list `objects`, instead of object numbers.
    pub(crate) fn among(self, objects: &Arc<[u64]>) -> Self {
        Self {
            among: Some(Arc::clone(objects)),
            ..self
        }
    }

    /// Records as created every object that the iteration reaches.
    pub(crate) fn making(self, marks: &mut Marks) -> Self {
        let mark = mark(&mut marks.made, self.share, self.among.as_ref());
        let reached = mark.reached.load(Ordering::Acquire);
        Self {
            mark: Some((mark, reached)),
            ..self
        }
    }

    /// Continues where the iteration over the same share ended in an earlier slice.
    pub(crate) fn going_on(self, marks: &mut Marks) -> Self {
        let mark = mark(&mut marks.read, self.share, None);
        let reached = mark.reached.load(Ordering::Acquire);
        Self {
            position: reached,
            mark: Some((mark, reached)),
            ..self
        }
    }

    /// Number of times that the iteration has started over.
    pub(crate) fn turns(&self) -> u64 {
        self.turns
    }

    /// The next object; `None` after the last object if the share is iterated once.
    pub(crate) fn next(&mut self) -> Option<u64> {
        let object = match self.share.at(self.position) {
            Some(object) => object,
            None if self.again => {
                self.position = 0;
                self.turns += 1;
                self.share.at(0)?
            }
            None => return None,
        };
        self.position += 1;
        if let Some((mark, reached)) = &mut self.mark
            && self.position > *reached
        {
            *reached = self.position;
            // The maximum, because several workers can have the same share.
            mark.reached.fetch_max(self.position, Ordering::Release);
        }
        among(self.among.as_deref(), object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut walk: Walk) -> Vec<u64> {
        std::iter::from_fn(|| walk.next()).collect()
    }

    #[test]
    fn shares_part_the_objects() {
        let mut objects: Vec<u64> = (0..3)
            .flat_map(|worker| all(Walk::once(Share::of(worker, 3, 10))))
            .collect();
        objects.sort_unstable();
        assert_eq!(objects, (0..10).collect::<Vec<_>>());
        assert_eq!(all(Walk::once(Share::of(2, 3, 2))), [0_u64; 0]);
    }

    #[test]
    fn a_round_never_ends_even_with_fewer_objects_than_workers() {
        let mut walk = Walk::round(Share::shared(2, 3, 2));
        assert_eq!((walk.next(), walk.next()), (Some(0), Some(0)));
        let mut walk = Walk::round(Share::shared(1, 2, 5));
        let walked: Vec<_> = (0..5).map_while(|_| walk.next()).collect();
        assert_eq!(walked, [1, 3, 1, 3, 1]);
    }

    #[test]
    fn made_is_what_was_come_to_and_nothing_else() {
        let mut marks = Marks::default();
        let mut put = Walk::round(Share::of(1, 2, 7)).making(&mut marks);
        put.next();
        put.next();
        // A second slice starts again and makes less progress.
        let mut put = Walk::round(Share::of(1, 2, 7)).making(&mut marks);
        put.next();
        let mut fill = Walk::once(Share::of(0, 3, 7)).making(&mut marks);
        fill.next();
        fill.next();
        let mut delete = Walk::once(Share::of(0, 1, 7));
        delete.next();
        assert_eq!(marks.take_made(), [0, 1, 3]);
        assert_eq!(marks.take_made(), [0_u64; 0]);
    }

    #[test]
    fn reading_once_continues_in_the_next_slice() {
        let mut marks = Marks::default();
        let share = Share::of(1, 2, 7);
        let mut first = Walk::once(share).going_on(&mut marks);
        assert_eq!((first.next(), first.next()), (Some(1), Some(3)));
        let mut second = Walk::once(share).going_on(&mut marks);
        assert_eq!((second.next(), second.next()), (Some(5), None));
        assert!(marks.take_made().is_empty());
    }

    #[test]
    fn of_a_list_the_objects_on_it_are_made() {
        let mut marks = Marks::default();
        let list: Arc<[u64]> = [4, 7, 9].into();
        let mut one = Walk::once(Share::of(0, 2, 3))
            .among(&list)
            .making(&mut marks);
        let mut other = Walk::once(Share::of(1, 2, 3))
            .among(&list)
            .making(&mut marks);
        assert_eq!(
            (one.next(), one.next(), one.next()),
            (Some(4), Some(9), None)
        );
        assert_eq!(other.next(), Some(7));
        assert_eq!(marks.take_made(), [4, 7, 9]);
    }

    #[test]
    fn all_is_read_when_every_worker_is_through() {
        let mut marks = Marks::default();
        assert!(!marks.all_read());
        let mut one = Walk::once(Share::of(0, 2, 3)).going_on(&mut marks);
        let mut other = Walk::once(Share::of(1, 2, 3)).going_on(&mut marks);
        one.next();
        other.next();
        assert!(!marks.all_read());
        one.next();
        assert!(marks.all_read());

        let mut marks = Marks::default();
        marks.read_up_to(&[2, 0], 3);
        assert!(!marks.all_read());
        marks.read_up_to(&[2, 1], 3);
        assert!(marks.all_read());
    }

    #[test]
    fn a_round_makes_its_share_once() {
        let mut marks = Marks::default();
        let mut put = Walk::round(Share::of(0, 2, 4)).making(&mut marks);
        for _ in 0..100 {
            put.next();
        }
        assert_eq!(marks.take_made(), [0, 2]);
    }
}
