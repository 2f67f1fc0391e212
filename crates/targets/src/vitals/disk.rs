//! Room on a filesystem.

use std::path::Path;

use nix::errno::Errno;
use nix::sys::statvfs::statvfs;

/// Room on a filesystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskSpace {
    /// Bytes it has.
    pub size: u64,
    /// Bytes of it that this user could still fill.
    pub available: u64,
    /// Files that could still be made; `None` where that is not limited.
    pub files: Option<u64>,
}

impl DiskSpace {
    /// That of the filesystem on which `path` lies; `None` for one that does not tell
    /// its size.
    ///
    /// # Errors
    /// When the system refuses to tell.
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
