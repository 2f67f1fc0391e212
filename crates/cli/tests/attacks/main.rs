//! Servers, files and kills that mean harm. Whatever they do, Tenbin ends within a bound with a
//! documented exit code, without a panic, with bounded memory, with no control character on
//! standard output or in a report, and leaves no process behind.
//!
//! Each behaviour is one row of a table.

#[path = "../common/mod.rs"]
mod common;

mod bounds;
mod http1;
mod http2;
mod kills;
mod plans;
mod play;
mod results;
mod runs;
mod s3;
