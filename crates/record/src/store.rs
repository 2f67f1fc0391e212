//! Where the histograms of a long run are kept: a budget of memory, and a file without a name for
//! what goes beyond it.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

/// Bytes of packed histograms that a run keeps in memory.
const BUDGET: usize = 1 << 20;
/// Shorter ones take no less memory in a file.
const SHORTEST: usize = 64;

/// Keeps histograms in memory as long as there is room, and in a temporary file afterwards.
#[derive(Debug)]
pub(crate) struct Store {
    budget: usize,
    file: Option<Arc<File>>,
    length: u64,
    /// No file can be had, or it cannot be written: memory is left.
    is_out_of_use: bool,
}

/// A part of the file.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    file: Arc<File>,
    offset: u64,
    length: u32,
}

impl Default for Store {
    fn default() -> Self {
        Self::with_budget(BUDGET)
    }
}

impl Store {
    /// With another budget, bytes.
    pub(crate) fn with_budget(budget: usize) -> Self {
        Self {
            budget,
            file: None,
            length: 0,
            is_out_of_use: false,
        }
    }

    /// Writes `bytes` to the file; `None` if they are to stay in memory.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Option<Stored> {
        if bytes.len() < SHORTEST || self.is_out_of_use {
            return None;
        }
        if let Some(left) = self.budget.checked_sub(bytes.len()) {
            self.budget = left;
            return None;
        }
        let stored = self.write(bytes);
        self.is_out_of_use = stored.is_err();
        stored.ok()
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<Stored> {
        let file = match &self.file {
            Some(file) => Arc::clone(file),
            None => Arc::clone(self.file.insert(Arc::new(tempfile::tempfile()?))),
        };
        let offset = self.length;
        file.write_all_at(bytes, offset)?;
        self.length += bytes.len() as u64;
        let length = u32::try_from(bytes.len()).map_err(std::io::Error::other)?;
        Ok(Stored {
            file,
            offset,
            length,
        })
    }
}

impl Stored {
    /// The bytes.
    ///
    /// # Panics
    /// When the disk fails: a figure without them would be wrong.
    pub(crate) fn read(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.length as usize];
        self.file
            .read_exact_at(&mut bytes, self.offset)
            .expect("what was written to a temporary file can be read from it");
        bytes
    }
}
