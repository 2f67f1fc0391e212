//! Reusable buffers of a thread that reads slices.

use crate::files::hlog;
use crate::slice::from_seconds::Sums;

/// Buffers of one thread that reads slices; every slice reuses them.
#[derive(Default)]
pub(super) struct Buffers {
    pub(super) bytes: Vec<u8>,
    pub(super) decoder: hlog::Decoder,
    pub(super) sums: Sums,
}
