//! Keeps blobs in memory, in pieces, including deleted blobs that are still readable.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::location::{Location, Place, Slice};
use super::ticket::Ticket;
use crate::serve::budget::{Budget, EACH_OBJECT, Full, Share};

/// Default size of a piece, bytes.
pub(super) const PIECE: u32 = 4 << 20;

/// Largest size of a piece, bytes.
pub(super) const LARGEST_PIECE: u32 = 32 << 20;

/// Id of the only cluster.
pub(super) const CLUSTER: u32 = 1;
/// Erasure-coding mode EC3P3 (`code_mode` of CubeFS), as in a cluster on one machine.
const CODE_MODE: u8 = 11;
/// Number of volumes; slices use the volumes in turn.
const VOLUMES: u64 = 4;
/// Number of consecutive pieces per slice, unless a location would get too many slices.
const SLICE: u64 = 4;
/// Maximum number of slices of a location.
const MOST_SLICES: u64 = 4;

/// Blobs in memory, and the delay of deletions.
#[derive(Debug)]
pub(super) struct Store {
    lag: Duration,
    /// Memory limit of the blobs; `None` without a limit.
    budget: Option<Arc<Budget>>,
    contents: Mutex<Contents>,
}

#[derive(Debug, Default)]
struct Contents {
    next: u64,
    pieces: BTreeMap<u64, Piece>,
    /// Ids of deleted pieces, with the time at which they are removed, in order of time.
    going: VecDeque<(Instant, Range<u64>)>,
    /// Content of the piece that was removed last.
    last_removed: Option<Bytes>,
}

#[derive(Debug)]
struct Piece {
    content: Bytes,
    /// Released when the last piece of the blob is removed, because the pieces share one
    /// allocation.
    _room: Reservation,
}

/// Reserved memory of one blob, released on drop.
#[derive(Debug, Clone)]
pub(super) struct Reservation(
    #[expect(dead_code, reason = "releases its memory on drop")] Option<Arc<Share>>,
);

impl Store {
    /// Creates an empty store for at most `limit` bytes of blobs; `None` means no limit.
    pub(super) fn new(lag: Duration, limit: Option<u64>) -> Self {
        Self {
            lag,
            budget: limit.map(Budget::new),
            contents: Mutex::default(),
        }
    }

    /// Reserves memory for `bytes` bytes of content.
    pub(super) fn reserve_memory(&self, bytes: u64) -> Result<Reservation, Full> {
        let Some(budget) = &self.budget else {
            return Ok(Reservation(None));
        };
        let pieces = bytes.div_ceil(PIECE.into()).max(1);
        let mut share = Share::of(budget);
        share.grow(bytes.saturating_add(pieces * EACH_OBJECT))?;
        Ok(Reservation(Some(Arc::new(share))))
    }

    /// Stores a blob and returns its location.
    pub(super) fn put(&self, content: Bytes, room: &Reservation) -> Location {
        let location = self.allocate(content.len() as u64, PIECE);
        let mut contents = self.contents();
        let mut rest = content;
        for (number, size) in location.pieces() {
            let piece = Piece {
                content: rest.split_to(size as usize),
                _room: room.clone(),
            };
            contents.pieces.insert(number, piece);
        }
        location
    }

    /// Allocates an empty location and creates the tokens to fill it: one token per slice for full
    /// pieces, and one token for a shorter last piece. A blob smaller than one piece has only the
    /// token for the last piece.
    pub(super) fn reserve(&self, size: u64, piece: u32) -> (Location, Vec<String>) {
        let location = self.allocate(size, piece);
        let mut tokens = Vec::new();
        let mut give = |slice: Slice, size: u32| {
            let cluster = CLUSTER;
            let ticket = Ticket {
                cluster,
                slice,
                size,
            };
            tokens.push(ticket.text());
        };
        let rest = (size % u64::from(piece)) as u32;
        let last = location.blobs.len() - 1;
        for (at, slice) in location.blobs.iter().enumerate() {
            let shorter = u32::from(at == last && rest > 0);
            let count = slice.count - shorter;
            if size >= piece.into() {
                give(Slice { count, ..*slice }, piece);
            }
            if shorter > 0 {
                let min_bid = slice.min_bid + u64::from(count);
                let count = 1;
                give(
                    Slice {
                        min_bid,
                        count,
                        ..*slice
                    },
                    rest,
                );
            }
        }
        (location, tokens)
    }

    fn allocate(&self, size: u64, piece: u32) -> Location {
        let count = size.div_ceil(u64::from(piece)).max(1);
        let mut contents = self.contents();
        contents.next += 1;
        let first = contents.next;
        contents.next += count - 1;
        let each = SLICE.max(count.div_ceil(MOST_SLICES));
        let begins = (0..count).step_by(each as usize);
        let slices = begins.map(|before| {
            let min_bid = first + before;
            Slice {
                min_bid,
                vid: (min_bid % VOLUMES + 1) as u32,
                count: (count - before).min(each) as u32,
            }
        });
        Location {
            cluster_id: CLUSTER,
            code_mode: CODE_MODE,
            size,
            blob_size: piece,
            crc: 0,
            blobs: slices.collect(),
        }
        .signed()
    }

    /// Stores one piece of a location; returns false if the token does not permit access.
    pub(super) fn put_at(&self, place: &Place<'_>, content: Bytes, room: Reservation) -> bool {
        let allowed = Ticket::allows(place);
        if allowed {
            let piece = Piece {
                content,
                _room: room,
            };
            self.contents().pieces.insert(place.number, piece);
        }
        allowed
    }

    /// Deletes one piece after the delay; returns false if the token does not permit access.
    pub(super) fn delete_piece(&self, place: &Place<'_>) -> bool {
        let allowed = Ticket::allows(place);
        if allowed {
            let only = place.number..place.number.saturating_add(1);
            self.contents().delete(self.lag, std::iter::once(only));
        }
        allowed
    }

    /// At most `size` bytes of a blob from `offset`; ends before the first missing piece.
    pub(super) fn get(&self, location: &Location, offset: u64, size: u64) -> Vec<Bytes> {
        let mut contents = self.contents();
        contents.remove_expired(Instant::now());
        let end = offset.saturating_add(size);
        let each = u64::from(location.blob_size.max(1));
        let begins = (0..).map(|at: u64| at.saturating_mul(each));
        let pieces = begins.zip(location.pieces());
        let wanted = pieces
            .skip_while(|(begin, (_, size))| begin + size <= offset)
            .take_while(|(begin, _)| *begin < end);
        let contents = wanted.map_while(|(begin, (number, size))| {
            let content = &contents.pieces.get(&number)?.content;
            let within = |at: u64| at.saturating_sub(begin).min(size) as usize;
            content
                .len()
                .ge(&(size as usize))
                .then(|| content.slice(within(offset)..within(end)))
        });
        contents.collect()
    }

    /// Deletes the existing pieces of a blob after the delay. Deleting a missing blob succeeds.
    pub(super) fn delete(&self, location: &Location) {
        let slices = location.blobs.iter().map(Slice::numbers);
        self.contents().delete(self.lag, slices);
    }

    /// Content of a piece of another existing blob.
    pub(super) fn another(&self, location: &Location) -> Option<Bytes> {
        let own: Vec<u64> = location.pieces().map(|(number, _)| number).collect();
        let contents = self.contents();
        let near = own.first().copied().unwrap_or(0);
        let candidates = (1..=64).flat_map(|far| [near.wrapping_add(far), near.wrapping_sub(far)]);
        candidates
            .filter(|number| !own.contains(number))
            .find_map(|number| Some(contents.pieces.get(&number)?.content.clone()))
    }

    /// Content of the piece that was removed last.
    pub(super) fn last_removed(&self) -> Option<Bytes> {
        let mut contents = self.contents();
        contents.remove_expired(Instant::now());
        contents.last_removed.clone()
    }

    /// Number of pieces in the store.
    pub(super) fn pieces(&self) -> usize {
        let mut contents = self.contents();
        contents.remove_expired(Instant::now());
        contents.pieces.len()
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Contents {
    fn delete(&mut self, lag: Duration, numbers: impl IntoIterator<Item = Range<u64>>) {
        let now = Instant::now();
        let numbers = numbers.into_iter();
        self.going
            .extend(numbers.map(|numbers| (now + lag, numbers)));
        self.remove_expired(now);
    }

    fn remove_expired(&mut self, now: Instant) {
        while let Some((_, numbers)) = self.going.pop_front_if(|(when, _)| *when <= now) {
            while let Some((&number, _)) = self.pieces.range(numbers.clone()).next() {
                self.last_removed = self.pieces.remove(&number).map(|piece| piece.content);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(store: &Store, location: &Location) -> Vec<u8> {
        store.get(location, 0, location.size).concat()
    }

    #[test]
    fn a_blob_of_several_pieces_is_readable_until_it_is_deleted() {
        let store = Store::new(Duration::ZERO, None);
        let content: Vec<u8> = (0..PIECE as usize * 2 + 5).map(|at| at as u8).collect();
        let location = store.put(content.clone().into(), &Reservation(None));
        assert_eq!(location.blobs[0].count, 3);
        assert_eq!(read(&store, &location), content);
        let piece = u64::from(PIECE);
        assert_eq!(
            store.get(&location, piece - 1, 2).concat(),
            [content[PIECE as usize - 1], content[PIECE as usize]]
        );
        assert_eq!(store.get(&location, piece, piece).len(), 1);
        assert!(store.get(&location, 0, 0).is_empty());
        store.delete(&location);
        assert!(read(&store, &location).is_empty());
        assert!(store.last_removed().is_some());
    }

    #[test]
    fn a_full_store_refuses_writes_until_a_blob_is_deleted() {
        let store = Store::new(Duration::ZERO, Some(10_000));
        let room = store.reserve_memory(6_000).unwrap();
        let location = store.put(vec![7; 6_000].into(), &room);
        drop(room);
        assert_eq!(store.reserve_memory(6_000).unwrap_err(), Full);
        store.delete(&location);
        assert!(store.reserve_memory(6_000).is_ok());
    }

    #[test]
    fn a_deleted_blob_stays_readable_for_the_delay() {
        let store = Store::new(Duration::from_secs(3600), None);
        let location = store.put(Bytes::from_static(b"tea"), &Reservation(None));
        store.delete(&location);
        assert_eq!(read(&store, &location), b"tea");
    }

    #[test]
    fn a_piece_is_written_with_its_own_token_only() {
        let store = Store::new(Duration::ZERO, None);
        let (location, tokens) = store.reserve(5, 3);
        let slice = location.blobs[0];
        let place = |token, at, size| Place {
            cluster: location.cluster_id,
            volume: slice.vid,
            number: slice.min_bid + at,
            size,
            token,
        };
        let put = |token, at, content: &'static [u8]| {
            let place = place(token, at, content.len() as u64);
            store.put_at(&place, Bytes::from_static(content), Reservation(None))
        };
        assert_eq!(tokens.len(), 2);
        assert!(!put("other", 0, b"abc"));
        assert!(!put(&tokens[0], 1, b"de"));
        assert!(!put(&tokens[0], 0, b"ab"));
        assert!(read(&store, &location).is_empty());
        assert!(put(&tokens[0], 0, b"abc"));
        assert!(put(&tokens[1], 1, b"de"));
        assert_eq!(read(&store, &location), b"abcde");
        assert!(!store.delete_piece(&place("other", 1, 2)));
        assert!(store.delete_piece(&place(&tokens[1], 1, 2)));
        assert_eq!(read(&store, &location), b"abc");
    }

    #[test]
    fn each_slice_and_a_short_end_have_a_token() {
        let store = Store::new(Duration::ZERO, None);
        let tokens = |size| store.reserve(size, 10).1.len();
        assert_eq!(
            [9, 10, 15, 40, 45, 80, 81].map(tokens),
            [1, 1, 2, 1, 3, 2, 4]
        );
    }
    #[test]
    fn a_large_blob_has_few_slices_with_many_pieces() {
        let store = Store::new(Duration::ZERO, None);
        for size in [17, 161, 5_u64 << 30] {
            let (location, tokens) = store.reserve(size, 10);
            assert!(location.blobs.len() <= 4 && tokens.len() <= 5, "{size}");
            let pieces: u64 = location
                .blobs
                .iter()
                .map(|slice| u64::from(slice.count))
                .sum();
            assert_eq!(pieces, size.div_ceil(10));
        }
    }
}
