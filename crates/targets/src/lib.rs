//! Bring targets up, observe them, stop them; Tenbin's own servers.

pub mod usage;

pub use usage::Usage;
