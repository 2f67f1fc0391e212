//! Tenbin.
fn main() {}
