//! Locations of blobs, signed so that clients cannot forge them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Reversed polynomial of the CRC-32 that signs a location.
const POLYNOMIAL: u32 = 0x59c8_943c;

/// Secret of this server for signing locations.
const SECRET: &[u8] = b"tenbin serve blob";

/// Location of a blob, with the field names of the JSON format. Fields that are zero can be absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Location {
    #[serde(default)]
    pub(super) cluster_id: u32,
    #[serde(default)]
    pub(super) code_mode: u8,
    #[serde(default)]
    pub(super) size: u64,
    #[serde(default)]
    pub(super) blob_size: u32,
    #[serde(default)]
    pub(super) crc: u32,
    #[serde(default)]
    pub(super) blobs: Vec<Slice>,
}

/// Consecutive pieces of a blob in one volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Slice {
    #[serde(default)]
    pub(super) min_bid: u64,
    #[serde(default)]
    pub(super) vid: u32,
    #[serde(default)]
    pub(super) count: u32,
}

impl Slice {
    /// Ids of the slice's pieces.
    pub(super) fn numbers(&self) -> Range<u64> {
        self.min_bid..self.min_bid.saturating_add(self.count.into())
    }
}

impl Location {
    pub(super) fn signed(mut self) -> Self {
        self.crc = self.sum();
        self
    }

    pub(super) fn is_signed(&self) -> bool {
        self.crc == self.sum()
    }

    /// Ids of the location's pieces, each with its size in bytes.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (u64, u64)> {
        let each = u64::from(self.blob_size.max(1));
        let size = self.size;
        let numbers = self.blobs.iter().flat_map(Slice::numbers);
        numbers.enumerate().map(move |(at, number)| {
            let before = each.saturating_mul(at as u64);
            (number, size.saturating_sub(before).min(each))
        })
    }

    fn sum(&self) -> u32 {
        let mut bytes = SECRET.to_vec();
        bytes.extend_from_slice(&self.cluster_id.to_be_bytes());
        bytes.push(self.code_mode);
        bytes.extend_from_slice(&self.size.to_be_bytes());
        bytes.extend_from_slice(&self.blob_size.to_be_bytes());
        for slice in &self.blobs {
            bytes.extend_from_slice(&slice.min_bid.to_be_bytes());
            bytes.extend_from_slice(&slice.vid.to_be_bytes());
            bytes.extend_from_slice(&slice.count.to_be_bytes());
        }
        crc(&bytes)
    }
}

pub(super) fn crc(bytes: &[u8]) -> u32 {
    let fold = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ (POLYNOMIAL & (sum & 1).wrapping_neg())
        })
    };
    !bytes.iter().fold(!0, fold)
}

/// Place of a piece, and the token that permits access to the piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) cluster: u32,
    pub(super) volume: u32,
    pub(super) number: u64,
    /// Size of the piece, bytes.
    pub(super) size: u64,
    pub(super) token: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_modified_location_is_detected() {
        let location = Location {
            cluster_id: 1,
            code_mode: 11,
            size: 10,
            blob_size: 4,
            crc: 0,
            blobs: vec![Slice {
                min_bid: 5,
                vid: 7,
                count: 3,
            }],
        }
        .signed();
        assert!(location.is_signed());
        let pieces: Vec<_> = location.pieces().collect();
        assert_eq!(pieces, [(5, 4), (6, 4), (7, 2)]);
        let mut larger = location.clone();
        larger.size += 1;
        let mut another = location.clone();
        another.blobs[0].min_bid += 1;
        assert!(!larger.is_signed());
        assert!(!another.is_signed());
    }
}
