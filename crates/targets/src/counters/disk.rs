//! Free space on a filesystem.

use std::path::Path;

use nix::errno::Errno;
use nix::sys::statvfs::{FsFlags, Statvfs, statvfs};

/// Size and free space of a filesystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskSpace {
    /// Size of the filesystem, bytes.
    pub size: u64,
    /// Bytes available to the current user.
    pub available: u64,
    /// Number of files that can still be created; `None` if the filesystem sets no limit.
    pub files: Option<u64>,
}

impl DiskSpace {
    /// Reads the space on the filesystem of `path`; `None` if the filesystem reports no size.
    ///
    /// # Errors
    /// When the system call fails.
    pub fn of(path: &Path) -> Result<Option<Self>, Errno> {
        Ok(Self::read(&statvfs(path)?))
    }

    /// As [`Self::of`]; also `None` if the filesystem is mounted read-only.
    ///
    /// # Errors
    /// When the system call fails.
    pub fn of_writable(path: &Path) -> Result<Option<Self>, Errno> {
        let stat = statvfs(path)?;
        let is_read_only = stat.flags().contains(FsFlags::ST_RDONLY);
        Ok(Self::read(&stat).filter(|_| !is_read_only))
    }

    /// Whether less than a tenth of the filesystem is available.
    pub fn is_nearly_full(&self) -> bool {
        self.available < self.size / 10
    }

    fn read(stat: &Statvfs) -> Option<Self> {
        let block = stat.fragment_size();
        #[allow(clippy::useless_conversion, reason = "narrower on some systems")]
        let count = |count| u64::from(count);
        let size = count(stat.blocks()) * block;
        (size > 0).then(|| Self {
            size,
            available: count(stat.blocks_available()) * block,
            files: (stat.files() > 0).then(|| count(stat.files_available())),
        })
    }
}
