//! Space on a filesystem.

use std::path::Path;

use nix::errno::Errno;
use nix::sys::statvfs::statvfs;

/// Space on a filesystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskSpace {
    /// Size, bytes.
    pub size: u64,
    /// Bytes available to this user.
    pub available: u64,
    /// Files that can still be created; `None` if there is no limit.
    pub files: Option<u64>,
}

impl DiskSpace {
    /// Space on the filesystem of `path`; `None` if the filesystem reports no size.
    ///
    /// # Errors
    /// When the system call fails.
    pub fn of(path: &Path) -> Result<Option<Self>, Errno> {
        let stat = statvfs(path)?;
        let block = stat.fragment_size();
        #[allow(clippy::useless_conversion, reason = "narrower on some systems")]
        let count = |count| u64::from(count);
        let size = count(stat.blocks()) * block;
        Ok((size > 0).then(|| Self {
            size,
            available: count(stat.blocks_available()) * block,
            files: (stat.files() > 0).then(|| count(stat.files_available())),
        }))
    }
}
