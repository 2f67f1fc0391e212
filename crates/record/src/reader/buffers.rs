//! Reusable buffers of a thread that reads slices.

use crate::fold::Sums;
use crate::hlog;

/// Buffers of one thread that reads slices; every slice reuses them.
#[derive(Default)]
pub(super) struct Buffers {
    pub(super) bytes: Vec<u8>,
    pub(super) decoder: hlog::Decoder,
    pub(super) sums: Sums,
}
