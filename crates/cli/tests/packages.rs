//! What is shipped: the version that the program tells, and the packages.
#![cfg(target_os = "linux")]

mod common;

#[path = "packages/installed.rs"]
mod installed;
#[path = "packages/version.rs"]
mod version;
