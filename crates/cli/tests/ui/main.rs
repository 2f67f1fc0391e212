//! `tenbin ui`: pages, changes and refused requests, with real requests.
#![allow(
    clippy::too_many_lines,
    reason = "a test tells one story, or has a table of cases"
)]
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "../../../report/tests/browser/mod.rs"]
mod browser;
#[path = "../common/mod.rs"]
mod common;
#[path = "../../../report/tests/installed/mod.rs"]
mod installed;

mod changes;
mod client;
mod pages;
mod refused;
mod seen;
mod stand;
