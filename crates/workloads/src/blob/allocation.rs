//! Room for a blob that is stored piece by piece, as the access layer allots it.

use serde::Deserialize;
use serde_json::value::RawValue;
use tenbin_plan::LARGEST_PUT;

/// The longest token that is taken, bytes.
const LONGEST_TOKEN: usize = 1024;

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    location: &'a RawValue,
    #[serde(default)]
    tokens: Vec<String>,
}

/// What has to be known of a location to fill it. Zeros may be absent.
#[derive(Deserialize)]
struct Location {
    #[serde(default)]
    cluster_id: u32,
    #[serde(default)]
    size: u64,
    #[serde(default)]
    blob_size: u32,
    #[serde(default)]
    blobs: Vec<Slice>,
}

/// Pieces with consecutive numbers in one volume.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Slice {
    #[serde(default)]
    min_bid: u64,
    #[serde(default)]
    vid: u32,
    #[serde(default)]
    count: u32,
}

/// Room for a blob.
#[derive(Debug, Default)]
pub(super) struct Allocation {
    cluster: u32,
    size: u64,
    piece_size: u64,
    slices: Vec<Slice>,
    /// One for each slice, where it holds a whole piece; and one more for a last piece
    /// that is shorter than the others.
    tokens: Vec<String>,
    /// As the server wrote it.
    pub(super) location: Vec<u8>,
}

/// One piece of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub(super) cluster: u32,
    pub(super) volume: u32,
    pub(super) number: u64,
    /// Where it begins in the blob, and how long it is, bytes.
    pub(super) offset: u64,
    pub(super) length: u64,
    /// Proof that it may be filled.
    pub(super) token: &'a str,
}

impl Allocation {
    /// Room for a blob of that size.
    ///
    /// # Errors
    /// What is wrong with the answer.
    pub(super) fn read(answer: &[u8], size: u64) -> Result<Self, &'static str> {
        let read: Answer<'_> =
            serde_json::from_slice(answer).map_err(|_| "the answer has no location")?;
        let location: Location = serde_json::from_str(read.location.get())
            .map_err(|_| "the answer has a location that cannot be read")?;
        let piece_size = u64::from(location.blob_size);
        if location.size != size || piece_size == 0 || piece_size > LARGEST_PUT {
            return Err("the location is not one for a blob of that size");
        }
        let pieces: u64 = location
            .blobs
            .iter()
            .map(|slice| u64::from(slice.count))
            .sum();
        if pieces != size.div_ceil(piece_size) {
            return Err("the pieces of the location do not make up its size");
        }
        // They become part of a path.
        let fits = |token: &String| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.=".contains(&byte);
            (1..=LONGEST_TOKEN).contains(&token.len()) && token.bytes().all(plain)
        };
        if read.tokens.is_empty() || !read.tokens.iter().all(fits) {
            return Err("the answer has no tokens that can be used");
        }
        Ok(Self {
            cluster: location.cluster_id,
            size,
            piece_size,
            slices: location.blobs,
            tokens: read.tokens,
            location: read.location.get().as_bytes().to_vec(),
        })
    }

    /// The piece at that place, from 0; `None` behind the last.
    pub(super) fn piece(&self, at: u64) -> Option<Piece<'_>> {
        let offset = at.checked_mul(self.piece_size)?;
        let length = self.size.checked_sub(offset)?.min(self.piece_size);
        if length == 0 {
            return None;
        }
        let mut before = 0;
        let (nth, slice) = self.slices.iter().enumerate().find(|(_, slice)| {
            before += u64::from(slice.count);
            at < before
        })?;
        let inside = at - (before - u64::from(slice.count));
        let own = match length == self.piece_size {
            true => self.tokens.get(nth),
            false => None,
        };
        Some(Piece {
            cluster: self.cluster,
            volume: slice.vid,
            number: slice.min_bid.wrapping_add(inside),
            offset,
            length,
            token: own.or(self.tokens.last())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(size: u64, counts: [u32; 2], tokens: &str) -> String {
        format!(
            r#"{{"location":{{"cluster_id":3,"size":{size},"blob_size":4,"crc":9,"blobs":[
            {{"min_bid":10,"vid":1,"count":{}}},{{"min_bid":50,"vid":2,"count":{}}}]}},
            "tokens":[{tokens}]}}"#,
            counts[0], counts[1]
        )
    }

    #[test]
    fn pieces_go_through_the_slices_with_their_tokens() {
        let text = answer(18, [2, 3], r#""a","b","c""#);
        let room = Allocation::read(text.as_bytes(), 18).unwrap();
        let pieces: Vec<_> = (0..6).map_while(|at| room.piece(at)).collect();
        let seen: Vec<_> = pieces
            .iter()
            .map(|piece| {
                (
                    piece.volume,
                    piece.number,
                    piece.offset,
                    piece.length,
                    piece.token,
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                (1, 10, 0, 4, "a"),
                (1, 11, 4, 4, "a"),
                (2, 50, 8, 4, "b"),
                (2, 51, 12, 4, "b"),
                (2, 52, 16, 2, "c")
            ]
        );
        assert!(room.location.starts_with(b"{\"cluster_id\":3"));
        let even = answer(16, [2, 2], r#""a","b""#);
        let even = Allocation::read(even.as_bytes(), 16).unwrap();
        assert_eq!(even.piece(3).map(|piece| piece.token), Some("b"));
        assert_eq!(even.piece(4), None);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let good = answer(18, [2, 3], r#""a","b","c""#);
        assert!(Allocation::read(good.as_bytes(), 18).is_ok());
        assert!(Allocation::read(good.as_bytes(), 17).is_err());
        for text in [
            answer(18, [2, 2], "\"a\""),
            answer(18, [2, 3], ""),
            answer(18, [2, 3], r#""a b""#),
            answer(18, [2, 3], r#""a\r\nx""#),
            answer(18, [2, 3], "\"a\"").replace("\"blob_size\":4", "\"blob_size\":0"),
            "{}".to_owned(),
            String::new(),
        ] {
            assert!(Allocation::read(text.as_bytes(), 18).is_err(), "{text}");
        }
    }
}
