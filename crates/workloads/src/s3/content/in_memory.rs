//! Bodies in a memory-backed file, for `sendfile`.

use std::os::fd::{AsFd, OwnedFd};

use tenbin_engine::InFile;

use super::{Content, STRIDE};
use crate::s3::content::chunked::Framing;

/// Smallest body that is sent from the file, bytes. Copying a smaller body costs less than a system
/// call.
pub(super) const SMALLEST_IN_FILE: usize = 32 << 10;

/// Largest pool that is copied into a file, bytes, because the copy takes memory.
const LARGEST_POOL_IN_FILE: usize = 512 << 20;

impl Content {
    /// Copies the pool into a file in memory, so that large bodies are sent without a copy. Does
    /// nothing if the pool is too large or the system has no files in memory.
    pub fn sent_from_file(mut self) -> Self {
        let largest = self.sizes.iter().copied().max().unwrap_or(0);
        let as_it_is = self.framing == Framing::None;
        if as_it_is
            && self.unique.is_none()
            && largest >= SMALLEST_IN_FILE
            && self.pool.len() <= LARGEST_POOL_IN_FILE
        {
            self.file = file_in_memory(&self.pool);
        }
        self
    }

    /// Position of [`Content::body`] in the file, if there is a file.
    pub fn body_in_file(&self, object: u64) -> Option<InFile<'_>> {
        let file = self.file.as_ref()?;
        let index = self.index(object);
        (self.sizes[index] >= SMALLEST_IN_FILE).then(|| InFile {
            file: file.as_fd(),
            offset: (index * STRIDE) as u64,
        })
    }
}

/// A file that exists only in memory and disappears when closed; `None` if the system does not
/// support files in memory.
#[cfg(target_os = "linux")]
fn file_in_memory(bytes: &[u8]) -> Option<OwnedFd> {
    use std::io::Write;

    let flags = rustix::fs::MemfdFlags::CLOEXEC;
    let mut file = std::fs::File::from(rustix::fs::memfd_create("tenbin-bodies", flags).ok()?);
    file.write_all(bytes).ok()?;
    Some(file.into())
}

#[cfg(not(target_os = "linux"))]
fn file_in_memory(_bytes: &[u8]) -> Option<OwnedFd> {
    None
}
