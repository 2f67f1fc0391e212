//! The environment in which a plan is resolved.

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use crate::bounded::{LARGEST_NAMED, open_bounded};

/// Finds the value of an environment variable.
pub type LookUp = Box<dyn Fn(&str) -> Option<String>>;

/// Opens a file for reading.
pub type OpenFile = Box<dyn Fn(&Path) -> io::Result<Box<dyn BufRead>>>;

/// The environment of a plan: cores, variables, files. Tests replace some of the fields.
pub struct Context {
    /// Number of processor cores. The default number of load generator threads is half of this
    /// number.
    pub cores: usize,
    /// Where relative paths start: the working directory, absolute.
    pub directory: PathBuf,
    /// The seed of a plan without a `seed`.
    pub seed: u64,
    /// Returns the value of an environment variable.
    pub environment: LookUp,
    /// Opens a file that the plan names.
    pub open: OpenFile,
    /// Do not read the files that a plan names, except files with secrets; the files then count as
    /// empty. Used to print a plan without running it.
    pub without_files: bool,
    /// Returns unpredictable bits, for credentials that are generated for a run.
    pub random: Box<dyn FnMut() -> u64>,
}

/// Bits of a generated seed: few enough that every reader of JSON and TOML keeps the exact number.
const SEED_BITS: u32 = 53;

impl Context {
    /// The environment of this process.
    ///
    /// # Errors
    ///
    /// When the working directory is unknown.
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
