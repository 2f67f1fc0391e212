//! The experiment as data: built from flags or TOML, validated, explained back.
//!
//! Two faces, one model. Command-line flags and plan files both become a
//! [`draft::Draft`], whose `resolve` fills in the defaults, refuses what cannot
//! work and yields a [`Plan`]. A plan prints itself as TOML that resolves to the
//! same plan again, without its secrets.

pub mod model;

pub use model::*;
