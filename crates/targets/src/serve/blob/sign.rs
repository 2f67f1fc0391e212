//! Signs locations that clients have combined from parts of other locations.

use std::ops::Range;

use hyper::StatusCode;
use serde::Deserialize;

use super::location::{Location, Slice};
use super::reply::{self, Refusal, Reply};

/// Arguments of a `/sign` request.
#[derive(Deserialize)]
pub(super) struct SignCall {
    #[serde(default)]
    locations: Vec<Location>,
    location: Location,
}

/// Signs a location that is combined from parts of other signed locations.
pub(super) fn sign(call: SignCall) -> Result<Reply, Refusal> {
    let kind = |location: &Location| (location.cluster_id, location.code_mode, location.blob_size);
    let alike = |other: &Location| other.is_signed() && kind(other) == kind(&call.location);
    let given = covered(&call.locations);
    let slices = &call.location.blobs;
    let made_of_them = slices.iter().all(|slice| lies_in(slice, &given));
    if given.is_empty() || !call.locations.iter().all(alike) || !made_of_them {
        return Err(Refusal::Illegal);
    }
    let location = call.location.signed();
    let document = serde_json::json!({ "location": location });
    Ok(reply::json(StatusCode::OK, &document))
}

/// Id ranges of all pieces of the locations, ascending, with adjacent ranges joined.
fn covered(locations: &[Location]) -> Vec<Range<u64>> {
    let slices = locations.iter().flat_map(|location| &location.blobs);
    let mut all: Vec<_> = slices.map(Slice::numbers).collect();
    all.sort_by_key(|numbers| numbers.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for numbers in all {
        match joined.last_mut() {
            Some(last) if numbers.start <= last.end => last.end = last.end.max(numbers.end),
            _ => joined.push(numbers),
        }
    }
    joined
}

fn lies_in(slice: &Slice, covered: &[Range<u64>]) -> bool {
    let numbers = slice.numbers();
    let after = covered.partition_point(|one| one.start <= numbers.start);
    let before = after.checked_sub(1).map(|at| &covered[at]);
    before.is_some_and(|one| numbers.end <= one.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(min_bid: u64, count: u32) -> Slice {
        Slice {
            min_bid,
            vid: 1,
            count,
        }
    }

    #[test]
    fn a_range_may_span_slices_but_not_gaps() {
        let of = |blobs: Vec<Slice>| Location {
            cluster_id: 1,
            code_mode: 1,
            size: 1,
            blob_size: 1,
            crc: 0,
            blobs,
        };
        let given = covered(&[
            of(vec![slice(20, 4), slice(1, 9)]),
            of(vec![slice(2, 1), slice(10, 3)]),
        ]);
        for (inside, part) in [
            (true, slice(1, 12)),
            (true, slice(5, 7)),
            (true, slice(23, 1)),
            (false, slice(12, 2)),
            (false, slice(13, 1)),
            (false, slice(0, 2)),
            (false, slice(23, 2)),
        ] {
            assert_eq!(lies_in(&part, &given), inside, "{part:?}");
        }
        assert!(!lies_in(&slice(1, 1), &[]));
    }
}
