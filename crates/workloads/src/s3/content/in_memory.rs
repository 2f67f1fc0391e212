//! Bodies in a file that is in memory, for the kernel to send from.

use std::os::fd::{AsFd, OwnedFd};

use tenbin_engine::InFile;

use super::{Content, STRIDE};
use crate::s3::content::chunked::Framing;

/// Smaller bodies are copied: that costs less than a system call of their own.
pub(super) const SMALLEST_IN_FILE: usize = 32 << 10;

/// The file is a second copy of the pool; beyond this that is too much memory.
const LARGEST_POOL_IN_FILE: usize = 512 << 20;

impl Content {
    /// Lays the pool down in a file as well, where that is worth its memory and the
    /// system has such files. Bodies are then sent without being copied.
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

    /// Where [`Content::body`] lies in a file, if it does.
    pub fn body_in_file(&self, object: u64) -> Option<InFile<'_>> {
        let file = self.file.as_ref()?;
        let index = self.index(object);
        (self.sizes[index] >= SMALLEST_IN_FILE).then(|| InFile {
            file: file.as_fd(),
            offset: (index * STRIDE) as u64,
        })
    }
}

/// A file that exists in memory alone and goes when it is closed; `None` where the
/// system has none, which costs copies and nothing else.
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
