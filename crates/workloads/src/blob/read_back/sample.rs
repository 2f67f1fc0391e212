//! The blobs that are read back.

use std::sync::Arc;

use crate::blob::protocols::Part;
use crate::blob::stored::batch::Batch;
use crate::read_back::{Found, PART, READ, WHOLE};
use crate::rng::Rng;

/// A blob of the sample.
#[derive(Debug, Clone)]
pub(crate) struct Checked {
    /// Index of the result that counts the blob.
    pub(crate) result: usize,
    pub(crate) batch: Arc<Batch>,
    /// Index of the blob in the batch.
    pub(crate) at: u64,
    /// Whether the deletion of the blob was acknowledged.
    pub(crate) is_deleted: bool,
    /// The part of the blob that is read.
    pub(crate) part: Part,
    pub(crate) found: Found,
    /// Whether the blob was wrong at first.
    pub(crate) is_late: bool,
}

/// A random sample of the blobs in `batches` that are deleted, or that are not, for the result with
/// this index; and the number of these blobs. Blobs with an unknown outcome of a request are left
/// out.
pub(crate) fn drawn(
    batches: &[Arc<Batch>],
    is_deleted: bool,
    result: usize,
    rng: &mut Rng,
) -> (u64, Vec<Checked>) {
    let mut count = 0;
    let mut chosen: Vec<(&Arc<Batch>, u64)> = Vec::new();
    for batch in batches {
        for at in 0..batch.len() {
            let is_certain = !batch.is_unsure(at) && !batch.is_being_deleted(at);
            if batch.is_gone(at) != is_deleted || !is_certain {
                continue;
            }
            count += 1;
            if chosen.len() < READ {
                chosen.push((batch, at));
                continue;
            }
            // Every blob so far is in the sample with the same probability.
            let place = usize::try_from(rng.below(count)).unwrap_or(READ);
            if let Some(chosen) = chosen.get_mut(place) {
                *chosen = (batch, at);
            }
        }
    }
    let checked = chosen.into_iter().map(|(batch, at)| Checked {
        result,
        batch: Arc::clone(batch),
        at,
        is_deleted,
        part: part_of(batch.entry(at).size, rng),
        found: Found::Unknown,
        is_late: false,
    });
    (count, checked.collect())
}

/// The whole of a blob of this size, or a random part of a large blob.
fn part_of(size: u64, rng: &mut Rng) -> Part {
    if size <= WHOLE {
        return Part {
            offset: 0,
            length: size,
        };
    }
    Part {
        offset: rng.below(size - PART + 1),
        length: PART,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blob::stored::batch::{Entry, Page};

    fn batch(numbers: std::ops::Range<u64>, size: u64) -> Arc<Batch> {
        let mut page = Page::default();
        for number in numbers {
            page.push(Entry {
                number,
                size,
                location: b"",
            });
        }
        Arc::new(Batch::of(vec![page]))
    }

    #[test]
    fn a_sample_is_drawn_from_all_batches_without_uncertain_blobs() {
        let batches = [batch(0..1_000, 10), batch(1_000..2_000, 10)];
        batches[0].note_requested(7);
        for at in 0..100 {
            batches[1].note_gone(at);
        }
        let mut rng = Rng::new(1, &[]);
        let (count, left) = drawn(&batches, false, 0, &mut rng);
        assert_eq!((count, left.len()), (1_899, READ));
        let second = left
            .iter()
            .filter(|one| one.batch.entry(one.at).number >= 1_000);
        assert!((20..80).contains(&second.count()));
        let (count, gone) = drawn(&batches, true, 1, &mut rng);
        assert_eq!((count, gone.len()), (100, READ));
        assert!(gone.iter().all(|one| one.is_deleted && one.result == 1));
        let (_, again) = drawn(&batches, false, 0, &mut Rng::new(1, &[]));
        let places = |all: &[Checked]| all.iter().map(|one| one.at).collect::<Vec<_>>();
        assert_eq!(places(&left), places(&again));
    }

    #[test]
    fn a_part_of_a_large_blob_is_within_the_blob() {
        let mut rng = Rng::new(1, &[]);
        let (_, large) = drawn(&[batch(0..50, WHOLE + 1)], false, 0, &mut rng);
        for one in large {
            assert_eq!(one.part.length, PART);
            assert!(one.part.offset + PART <= WHOLE + 1);
        }
        let (_, small) = drawn(&[batch(0..1, WHOLE)], false, 0, &mut rng);
        assert_eq!((small[0].part.offset, small[0].part.length), (0, WHOLE));
    }
}
