//! Blobs and counts that the coordinator and the agents of a run send to each other.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::blob::stored::batch::{Batch, Entry, Page};

/// End of the numbers and sizes that other machines can send: sums must not overflow.
const MOST: u64 = 1 << 48;
/// Most blobs in one message.
const MOST_BLOBS: usize = 1 << 26;
/// Longest location, bytes.
const LONGEST_LOCATION: u64 = 1 << 20;

/// What agents must know of a set before a slice.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct BlobState {
    /// Seed of the content.
    pub(crate) seed: u64,
    /// The first unused blob number.
    pub(crate) next: u64,
    /// Failures since the start of the run.
    pub(crate) failures: u64,
    /// As [`crate::Sequence::limit_reads`].
    pub(crate) things: Option<u64>,
    /// The blobs that the slice reads or deletes.
    pub(crate) batch: Option<SentBatch>,
}

impl BlobState {
    pub(crate) fn is_possible(&self) -> bool {
        self.next < MOST && self.failures < MOST
    }
}

/// The blobs that a slice reads or deletes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct SentBatch {
    /// Identifies the batch in its set.
    pub(crate) id: u64,
    /// The blobs; `None` if the agents have received them already.
    pub(crate) blobs: Option<Bytes>,
    /// One bit per blob: whether the blob is deleted.
    pub(crate) gone: Vec<u64>,
    /// Numbers, ascending, of the blobs that an earlier run was deleting when the run ended.
    pub(crate) deleting: Vec<u64>,
}

/// What an agent did in a slice.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct BlobReport {
    /// Blobs that were stored.
    pub(crate) stored: Bytes,
    /// Blobs that may be stored.
    pub(crate) doubtful: Bytes,
    /// One bit per blob of the batch: whether the blob is deleted.
    pub(crate) gone: Vec<u64>,
    /// One bit per blob of the batch: whether its deletion was requested with unknown outcome.
    pub(crate) unsure: Vec<u64>,
    /// Counts of this slice.
    pub(crate) counts: Counts,
}

/// Counts of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) failures: u64,
    pub(crate) orphans: u64,
    pub(crate) still_there: u64,
    pub(crate) unresolved: u64,
}

impl Counts {
    /// The counts since `before`.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            failures: self.failures.saturating_sub(before.failures),
            orphans: self.orphans.saturating_sub(before.orphans),
            still_there: self.still_there.saturating_sub(before.still_there),
            unresolved: self.unresolved.saturating_sub(before.unresolved),
        }
    }

    pub(crate) fn is_possible(self) -> bool {
        let all = [
            self.failures, self.orphans, self.still_there, self.unresolved,
        ];
        all.iter().all(|count| *count < MOST)
    }
}

/// The blobs of a batch.
pub(crate) fn encoded(batch: &Batch) -> Bytes {
    // The difference of two neighbouring numbers is small.
    let (mut bytes, mut last) = (Vec::new(), 0);
    for at in 0..batch.len() {
        let entry = batch.entry(at);
        let step = entry.number.wrapping_sub(last).cast_signed();
        push(&mut bytes, ((step << 1) ^ (step >> 63)).cast_unsigned());
        last = entry.number;
        push(&mut bytes, entry.size);
        push(&mut bytes, entry.location.len() as u64);
        bytes.extend_from_slice(entry.location);
    }
    bytes.into()
}

/// Reads what [`encoded`] has written; `None` if this is not possible.
pub(crate) fn decoded(mut bytes: &[u8]) -> Option<Page> {
    let (mut page, mut last, mut count) = (Page::default(), 0_u64, 0);
    while !bytes.is_empty() {
        let step = pull(&mut bytes)?;
        let step = (step >> 1).cast_signed() ^ -(step & 1).cast_signed();
        last = last.wrapping_add_signed(step);
        let size = pull(&mut bytes)?;
        let length = pull(&mut bytes).filter(|length| *length <= LONGEST_LOCATION)?;
        let location = bytes.split_off(..length as usize)?;
        count += 1;
        if last >= MOST || size >= MOST || count > MOST_BLOBS {
            return None;
        }
        page.push(Entry {
            number: last,
            size,
            location,
        });
    }
    Some(page)
}

/// Appends a number in groups of seven bits, lowest first.
fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn pull(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first()?;
        let group = u64::from(byte & 0x7f);
        if group << shift >> shift != group {
            return None;
        }
        number |= group << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn batch(blobs: &[(u64, u64, Vec<u8>)]) -> Batch {
        let mut page = Page::default();
        for (number, size, location) in blobs {
            page.push(Entry {
                number: *number,
                size: *size,
                location,
            });
        }
        Batch::of(vec![page])
    }

    proptest! {
        #[test]
        fn blobs_arrive_as_they_were_sent(
            blobs in prop::collection::vec(
                (0..MOST, 0..MOST, prop::collection::vec(any::<u8>(), 0..40)),
                0..20,
            ),
        ) {
            let sent = batch(&blobs);
            let bytes = encoded(&sent);
            let arrived = Batch::of(vec![decoded(&bytes).expect("blobs")]);
            prop_assert_eq!(arrived.len(), sent.len());
            for at in 0..sent.len() {
                prop_assert_eq!(arrived.entry(at), sent.entry(at));
            }
            // A prefix is shorter or nothing, never other blobs.
            let half = decoded(&bytes[..bytes.len() / 2]);
            let half = half.map_or(0, |page| Batch::of(vec![page]).len());
            prop_assert!(half <= sent.len());
        }

        #[test]
        fn other_bytes_end_nothing(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decoded(&bytes);
        }
    }

    #[test]
    fn impossible_blobs_are_refused() {
        for (number, size) in [(MOST, 1), (1, MOST), (u64::MAX, u64::MAX)] {
            assert!(decoded(&encoded(&batch(&[(number, size, Vec::new())]))).is_none());
        }
        assert!(decoded(&[0x80; 20]).is_none());
        assert!(decoded(&[0, 1, 5, b'x']).is_none());
    }

    #[test]
    fn neighbouring_blobs_without_locations_take_few_bytes() {
        let blobs: Vec<_> = (0..1_000)
            .map(|number| (number, 4_096, Vec::new()))
            .collect();
        assert!(encoded(&batch(&blobs)).len() <= 4 * 1_000);
    }
}
