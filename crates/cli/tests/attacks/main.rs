//! Malicious servers and files, and kills. In every case, Tenbin ends within a time limit with a
//! documented exit code, uses limited memory, prints no control characters to standard output and
//! reports, leaves no process behind, and does not panic.
//!
//! Each behaviour is one row of a table.

#[path = "../common/mod.rs"]
mod common;

mod agents;
mod bounds;
mod http1;
mod http2;
mod interrupts;
mod kills;
mod outages;
mod plans;
mod play;
mod pressure;
mod results;
mod runs;
mod s3;
mod terminal;
