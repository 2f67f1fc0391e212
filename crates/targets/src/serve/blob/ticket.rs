//! Permissions to write or delete pieces of a location, which `/alloc` returns as tokens.
//!
//! The server stores no tickets: a token contains the permission and a checksum.

use super::location::{Place, Slice, crc};

/// Secret of this server for the checksums of tokens.
const SECRET: &[u8] = b"tenbin serve blob pieces";

/// Permission to write or delete consecutive pieces of the same size in one volume of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticket {
    pub(super) cluster: u32,
    pub(super) slice: Slice,
    /// Size of each piece, bytes.
    pub(super) size: u32,
}

impl Ticket {
    /// The token that represents the ticket.
    pub(super) fn text(&self) -> String {
        let Slice { min_bid, count, .. } = self.slice;
        let (size, sum) = (self.size, self.sum());
        format!("{min_bid:016x}{count:08x}{size:08x}{sum:08x}")
    }

    /// Whether the token in `place` permits access to `place`.
    pub(super) fn allows(place: &Place<'_>) -> bool {
        let number = |from: usize, digits: usize| {
            let digits = place.token.get(from..from + digits)?;
            u64::from_str_radix(digits, 16).ok()
        };
        let read = || {
            let slice = Slice {
                min_bid: number(0, 16)?,
                vid: place.volume,
                count: number(16, 8)?.try_into().ok()?,
            };
            Some(Self {
                cluster: place.cluster,
                slice,
                size: number(24, 8)?.try_into().ok()?,
            })
        };
        read().is_some_and(|ticket| {
            ticket.text() == place.token
                && ticket.slice.numbers().contains(&place.number)
                && u64::from(ticket.size) == place.size
        })
    }

    fn sum(&self) -> u32 {
        let mut bytes = SECRET.to_vec();
        for field in [self.cluster, self.slice.vid, self.slice.count, self.size] {
            bytes.extend_from_slice(&field.to_be_bytes());
        }
        bytes.extend_from_slice(&self.slice.min_bid.to_be_bytes());
        crc(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_permits_only_its_pieces() {
        let slice = Slice {
            min_bid: 7,
            vid: 3,
            count: 2,
        };
        let ticket = Ticket {
            cluster: 1,
            slice,
            size: 10,
        };
        let token = ticket.text();
        let place = Place {
            cluster: 1,
            volume: 3,
            number: 8,
            size: 10,
            token: &token,
        };
        assert!(Ticket::allows(&place));
        let others = [
            Place {
                cluster: 2,
                ..place
            },
            Place { volume: 4, ..place },
            Place { number: 6, ..place },
            Place { number: 9, ..place },
            Place { size: 9, ..place },
            Place { token: "", ..place },
            Place {
                token: "é",
                ..place
            },
            Place {
                token: &token.to_uppercase().replace('0', "1"),
                ..place
            },
            Place {
                token: &format!("{token}0"),
                ..place
            },
        ];
        for other in others {
            assert!(!Ticket::allows(&other), "{other:?}");
        }
    }
}
