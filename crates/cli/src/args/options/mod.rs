//! Options that several commands share. A flag that is also a plan key, such as `--slo`, is a row in
//! `crates/plan/src/draft/`.

pub(crate) mod comparing;
pub(crate) mod connection;
pub(crate) mod export;
pub(crate) mod keys;
pub(crate) mod observed;
pub(crate) mod output;
pub(crate) mod per_target;
pub(crate) mod rounds;
pub(crate) mod target;
