//! What resolving a plan needs to know of the world around it.

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use crate::bounded::{LARGEST_NAMED, open_bounded};

/// Finds the value of an environment variable.
pub type LookUp = Box<dyn Fn(&str) -> Option<String>>;

/// Opens a file for reading.
pub type OpenFile = Box<dyn Fn(&Path) -> io::Result<Box<dyn BufRead>>>;

/// The world as far as a plan sees it. Tests replace it piece by piece.
pub struct Context {
    /// Processor cores; half of them become generator threads.
    pub cores: usize,
    /// Where relative paths start: the working directory, absolute.
    pub directory: PathBuf,
    /// The seed of a plan that gives none.
    pub seed: u64,
    /// The value of an environment variable.
    pub environment: LookUp,
    /// Opens a file that the plan names.
    pub open: OpenFile,
    /// Whether the files that a plan names, other than those with secrets, need not be
    /// there: what they hold is then left empty. To look at a plan and not to run it.
    pub without_files: bool,
    /// Unpredictable bits, for credentials made up for a run.
    pub random: Box<dyn FnMut() -> u64>,
}

/// A drawn seed is no longer than this, so that every reader of JSON and of TOML
/// takes it for the same number.
const SEED_BITS: u32 = 53;

impl Context {
    /// The real world.
    ///
    /// # Errors
    ///
    /// When the working directory cannot be told.
    pub fn of_this_process() -> io::Result<Self> {
        Ok(Self {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            directory: std::env::current_dir()?,
            seed: rand::random::<u64>() >> (u64::BITS - SEED_BITS),
            environment: Box::new(|name| std::env::var(name).ok()),
            open: Box::new(|path| open_bounded(path, LARGEST_NAMED)),
            without_files: false,
            random: Box::new(rand::random),
        })
    }
}
