//! A secret and its source.

use std::fmt;
use std::path::PathBuf;

/// Source of a secret, so that a printed plan can name the source instead of the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// Written in the plan file or on the command line.
    Literal,
    /// Read from this environment variable.
    Env(String),
    /// Read from this file.
    File(PathBuf),
    /// Generated for this run.
    Generated,
}

/// Text that must appear in no file, log, process title or error.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself, for signing and for the environment of a launched target.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
