//! Responses to `/get`, including injected faults.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use serde::Deserialize;

use super::Gone;
use super::faults::FaultKind;
use super::location::Location;
use super::reply::{self, Refusal, Reply};
use super::service::Access;

/// Arguments of a `/get` request.
#[derive(Deserialize)]
pub(super) struct GetCall {
    location: Location,
    #[serde(default)]
    offset: u64,
    #[serde(default)]
    read_size: u64,
}

impl Access {
    pub(super) fn get(&self, call: &GetCall) -> Result<Reply, Refusal> {
        let (location, wanted) = (&call.location, call.read_size);
        let end = call.offset.checked_add(wanted);
        if !location.is_signed() || end.is_none_or(|end| end > location.size) {
            return Err(Refusal::Illegal);
        }
        if self.faults.applies(FaultKind::Break) {
            return Err(Refusal::Broken);
        }
        let parts = self.store.get(location, call.offset, wanted);
        let (parts, delay) = match (bytes_in(&parts) == wanted, self.gone) {
            (true, _) => (self.with_faults(call, parts), Duration::ZERO),
            (false, Gone::Cut) => (parts, self.gone_delay),
            (false, Gone::NotFound) => return Err(Refusal::NotFound),
        };
        let is_part = wanted != location.size;
        let shift = u64::from(is_part && self.faults.applies(FaultKind::Misrange));
        let offset = call.offset + shift;
        let reply = reply::content(parts, offset, wanted, location.size);
        Ok(reply.map(|body| body.delayed(delay)))
    }

    /// Applies the faults that change the requested content.
    fn with_faults(&self, call: &GetCall, parts: Vec<Bytes>) -> Vec<Bytes> {
        let mut parts = self.with_wrong_content(call, parts);
        if self.faults.applies(FaultKind::Corrupt)
            && let Some(part) = parts.first_mut().filter(|part| !part.is_empty())
        {
            let mut wrong = BytesMut::from(&part[..]);
            let middle = wrong.len() / 2;
            wrong[middle] ^= 1;
            *part = wrong.freeze();
        }
        if self.faults.applies(FaultKind::Truncate) {
            cut(&mut parts, call.read_size / 2);
        }
        parts
    }

    /// Returns the requested content, or content of another blob, repeated to the requested size.
    fn with_wrong_content(&self, call: &GetCall, parts: Vec<Bytes>) -> Vec<Bytes> {
        let other = if self.faults.applies(FaultKind::Swap) {
            self.store.another(&call.location)
        } else if self.faults.applies(FaultKind::Stale) {
            self.store.last_removed()
        } else {
            None
        };
        let Some(other) = other.filter(|other| !other.is_empty()) else {
            return parts;
        };
        let length = other.len() as u64;
        let skipped = (call.offset % length) as usize;
        let times = call.read_size.div_ceil(length);
        let repeated = (0..times).map(|_| other.clone());
        let mut parts: Vec<_> = std::iter::once(other.slice(skipped..))
            .chain(repeated)
            .collect();
        cut(&mut parts, call.read_size);
        parts
    }
}

fn bytes_in(parts: &[Bytes]) -> u64 {
    parts.iter().map(|part| part.len() as u64).sum()
}

/// Truncates `parts` to the first `bytes` bytes.
fn cut(parts: &mut Vec<Bytes>, bytes: u64) {
    let mut left = bytes;
    parts.retain_mut(|part| {
        part.truncate(left.min(part.len() as u64) as usize);
        left -= part.len() as u64;
        !part.is_empty()
    });
}
