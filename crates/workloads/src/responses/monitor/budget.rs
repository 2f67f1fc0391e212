//! How many responses a worker reads, so that reading costs a small part of what requests cost.

/// Minimum cost of a small request for the load generator, picoseconds.
const REQUEST_PICOS: u64 = 5_000_000;
/// Cost per byte of a body that the kernel drops unread, picoseconds (measured with 1 MiB from
/// nginx over loopback: 29.6).
const BYTE_PICOS: u64 = 30;
/// Fixed cost of reading a body and computing its checksum, picoseconds.
const READ_PICOS: u64 = 60_000;
/// Cost of keeping the notes about the head of a response and of counting it, picoseconds.
const NOTES_PICOS: u64 = 400_000;
/// Cost of reading per byte, picoseconds, while body and socket buffer fit into the CPU cache. The
/// cost is set to about twice the measured value: reading a body of 64 KiB cost 43 picoseconds per
/// byte more than dropping the body.
const READ_BYTE_PICOS: u64 = 150;
/// Cost of reading per byte beyond [`FIRST_BYTES`], picoseconds. Measured with bodies of 1 MiB: if
/// every body is read, reading costs 51 picoseconds per byte more than dropping the body. If only
/// one body in 575 is read, reading costs about 620 picoseconds per byte more, because the data of
/// the body evicts other data from the CPU cache.
const FURTHER_BYTE_PICOS: u64 = 650;
/// Number of bytes, from the start of a body, that cost [`READ_BYTE_PICOS`] each to read.
const FIRST_BYTES: u64 = 64 << 10;
/// Fixed cost of comparing the shape of a body, nanoseconds.
const SHAPE_NANOS: u64 = 3_000;
/// Cost of comparing a shape per byte, nanoseconds.
const SHAPE_BYTE_NANOS: u64 = 20;
/// Reading content may add at most 1 / `BUDGET_PART` (2 %) to the cost of requests.
pub(super) const BUDGET_PART: u64 = 50;
/// Time for comparing shapes at the start of a slice, nanoseconds: a slice of a slow server, too,
/// gets some comparisons. After that, 1 / [`BUDGET_PART`] of the elapsed time.
pub(super) const FIRST_NANOS: u64 = 5_000_000;
/// After an unexpected response, comparing shapes may take 1 / `ALARM_PART` of the elapsed time.
pub(super) const ALARM_PART: u64 = 4;

/// What is read of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The body, for its checksum.
    Content,
    /// The body, for its checksum and shape, and the head.
    Whole,
}

/// The smallest `n`, up to 1000, for which reading one in `n` bodies of `length` bytes adds at most
/// 1 / [`BUDGET_PART`] to the cost of requests.
pub(super) fn one_in(length: u64, part: Part) -> u32 {
    let request = REQUEST_PICOS.saturating_add(length.saturating_mul(BYTE_PICOS));
    let one_in = picos_of(length, part).div_ceil((request / BUDGET_PART).max(1));
    u32::try_from(one_in).unwrap_or(u32::MAX).clamp(1, 1_000)
}

/// Cost of reading a body of `length` bytes, nanoseconds.
pub(super) fn nanos_of(length: u64, part: Part) -> u64 {
    picos_of(length, part) / 1_000
}

/// Cost of decoding a body of `length` bytes and of comparing its shape, nanoseconds. Not measured
/// in the run: how many responses are compared must not depend on how busy the machine is.
pub(super) fn shape_nanos(length: usize) -> u64 {
    SHAPE_NANOS + length as u64 * SHAPE_BYTE_NANOS
}

fn picos_of(length: u64, part: Part) -> u64 {
    let first = length.min(FIRST_BYTES);
    let further = (length - first).saturating_mul(FURTHER_BYTE_PICOS);
    let fixed = match part {
        Part::Content => READ_PICOS,
        Part::Whole => READ_PICOS + NOTES_PICOS,
    };
    (fixed + first * READ_BYTE_PICOS).saturating_add(further)
}
