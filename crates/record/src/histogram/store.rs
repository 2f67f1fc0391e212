//! Stores the histograms of a long run in a limited amount of memory, and in an unnamed temporary
//! file beyond the limit.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

/// Most bytes of packed histograms that a run keeps in memory.
const BUDGET: usize = 1 << 20;
/// Histograms of at most this length, in bytes, stay in memory, because a reference to the file would
/// take as much memory.
pub(crate) const SHORT: usize = 22;

/// Stores histograms in memory up to a limit, and in a temporary file beyond the limit.
#[derive(Debug)]
pub(crate) struct Store {
    budget: usize,
    file: Option<Arc<File>>,
    length: u64,
    /// Whether the file cannot be created or written. All histograms then stay in memory.
    is_out_of_use: bool,
}

/// The place in the temporary file of what was written at once.
#[derive(Debug)]
pub(crate) struct Stored {
    file: Arc<File>,
    offset: u64,
}

impl Default for Store {
    fn default() -> Self {
        Self::with_budget(BUDGET)
    }
}

impl Store {
    /// A store with this memory limit, bytes.
    pub(crate) fn with_budget(budget: usize) -> Self {
        Self {
            budget,
            file: None,
            length: 0,
            is_out_of_use: false,
        }
    }

    /// Reserves memory for a histogram of `length` bytes. Returns true if the histogram must go to
    /// the file instead.
    pub(crate) fn has_no_room(&mut self, length: usize) -> bool {
        if length <= SHORT || self.is_out_of_use {
            return false;
        }
        match self.budget.checked_sub(length) {
            Some(left) => {
                self.budget = left;
                false
            }
            None => true,
        }
    }

    /// Writes `bytes` to the file; returns `None` if the bytes must stay in memory.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Option<Stored> {
        let stored = self.try_to_write(bytes);
        self.is_out_of_use = stored.is_err();
        stored.ok()
    }

    fn try_to_write(&mut self, bytes: &[u8]) -> std::io::Result<Stored> {
        let file = match &self.file {
            Some(file) => Arc::clone(file),
            None => Arc::clone(self.file.insert(Arc::new(tempfile::tempfile()?))),
        };
        let offset = self.length;
        file.write_all_at(bytes, offset)?;
        self.length += bytes.len() as u64;
        Ok(Stored { file, offset })
    }
}

impl Stored {
    /// The file and the offset of the next `length` bytes.
    pub(crate) fn next(&mut self, length: u32) -> (Arc<File>, u64) {
        let offset = self.offset;
        self.offset += u64::from(length);
        (Arc::clone(&self.file), offset)
    }
}

/// Reads bytes that [`Store::write`] wrote.
///
/// # Panics
/// When the file cannot be read, because figures without these bytes would be wrong.
pub(crate) fn read(file: &File, offset: u64, length: u32) -> Vec<u8> {
    let mut bytes = vec![0; length as usize];
    file.read_exact_at(&mut bytes, offset)
        .expect("what was written to a temporary file can be read from it");
    bytes
}
