//! Space for a blob that is stored in pieces, as allocated by the access layer.

use serde::Deserialize;
use serde_json::value::RawValue;
use tenbin_plan::LARGEST_PUT;

/// Longest accepted token, bytes.
const LONGEST_TOKEN: usize = 1024;

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    location: &'a RawValue,
    #[serde(default)]
    tokens: Vec<String>,
}

/// The fields of a location that are needed to write a blob. Fields with the value 0 can be absent.
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

/// `count` pieces in the volume `vid`, with consecutive numbers from `min_bid`.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Slice {
    #[serde(default)]
    min_bid: u64,
    #[serde(default)]
    vid: u32,
    #[serde(default)]
    count: u32,
}

/// Space that the access layer allocated for one blob.
#[derive(Debug, Default)]
pub(crate) struct Allocation {
    cluster: u32,
    size: u64,
    piece_size: u64,
    slices: Vec<Slice>,
    /// One token per [`Slice`] with a full-size piece, and one more token for a shorter last piece.
    tokens: Vec<String>,
    /// Location of the blob, byte for byte as received.
    pub(crate) location: Vec<u8>,
}

/// One piece of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    pub(crate) cluster: u32,
    pub(crate) volume: u32,
    pub(crate) number: u64,
    /// Offset in the blob and length, bytes.
    pub(crate) offset: u64,
    pub(crate) length: u64,
    /// Token that permits the write.
    pub(crate) token: &'a str,
}

impl Allocation {
    /// Reads the response to an allocation for a blob of `size` bytes.
    ///
    /// # Errors
    /// What is wrong with the response.
    pub(crate) fn read(response: &[u8], size: u64) -> Result<Self, &'static str> {
        let read: Response<'_> =
            serde_json::from_slice(response).map_err(|_| "the response has no location")?;
        let location: Location = serde_json::from_str(read.location.get())
            .map_err(|_| "the location in the response cannot be parsed")?;
        let piece_size = u64::from(location.blob_size);
        if location.size != size || piece_size == 0 || piece_size > LARGEST_PUT {
            return Err("the location is for a blob of another size");
        }
        let pieces: u64 = location
            .blobs
            .iter()
            .map(|slice| u64::from(slice.count))
            .sum();
        if pieces != size.div_ceil(piece_size) {
            return Err("the pieces of the location do not add up to its size");
        }
        // Tokens are inserted into a path.
        let fits = |token: &String| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.=".contains(&byte);
            (1..=LONGEST_TOKEN).contains(&token.len()) && token.bytes().all(plain)
        };
        if read.tokens.is_empty() || !read.tokens.iter().all(fits) {
            return Err("the response has no valid tokens");
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

    /// The piece with this index, from 0; `None` after the last piece.
    pub(crate) fn piece(&self, at: u64) -> Option<Piece<'_>> {
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
        let own = if length == self.piece_size {
            self.tokens.get(nth)
        } else {
            None
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

    fn response(size: u64, counts: [u32; 2], tokens: &str) -> String {
        format!(
            r#"{{"location":{{"cluster_id":3,"size":{size},"blob_size":4,"crc":9,"blobs":[
            {{"min_bid":10,"vid":1,"count":{}}},{{"min_bid":50,"vid":2,"count":{}}}]}},
            "tokens":[{tokens}]}}"#,
            counts[0], counts[1]
        )
    }

    #[test]
    fn pieces_go_through_the_slices_with_their_tokens() {
        let text = response(18, [2, 3], r#""a","b","c""#);
        let room = Allocation::read(text.as_bytes(), 18).unwrap();
        let pieces: Vec<_> = (0..6).map_while(|at| room.piece(at)).collect();
        let seen: Vec<_> = pieces
            .iter()
            .map(|piece| {
                (
                    piece.volume, piece.number, piece.offset, piece.length, piece.token,
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
        let even = response(16, [2, 2], r#""a","b""#);
        let even = Allocation::read(even.as_bytes(), 16).unwrap();
        assert_eq!(even.piece(3).map(|piece| piece.token), Some("b"));
        assert_eq!(even.piece(4), None);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let good = response(18, [2, 3], r#""a","b","c""#);
        assert!(Allocation::read(good.as_bytes(), 18).is_ok());
        assert!(Allocation::read(good.as_bytes(), 17).is_err());
        for text in [
            response(18, [2, 2], "\"a\""),
            response(18, [2, 3], ""),
            response(18, [2, 3], r#""a b""#),
            response(18, [2, 3], r#""a\r\nx""#),
            response(18, [2, 3], "\"a\"").replace("\"blob_size\":4", "\"blob_size\":0"),
            "{}".to_owned(),
            String::new(),
        ] {
            assert!(Allocation::read(text.as_bytes(), 18).is_err(), "{text}");
        }
    }
}
