//! Helpers of the end-to-end tests: a scratch directory that finds the processes of its test, real
//! servers, and the built `tenbin`.
//!
//! ```ignore
//! let scratch = Scratch::new("nginx");
//! let nginx = Nginx::start(&scratch);
//! let run = Tenbin::new(&scratch, ["http", "--target", &nginx.target("nginx")]).run();
//! run.expect_code(0);
//! scratch.expect_nobody_left(Duration::from_secs(2));
//! ```
#![allow(
    dead_code,
    unused_imports,
    clippy::print_stderr,
    reason = "every test file uses its own part; a failed test tells where its files are"
)]

mod broadcast;
mod cached;
mod certificates;
pub(crate) mod days;
mod forward;
pub(crate) mod groonga;
mod hub;
pub(crate) mod lying_s3;
mod machine;
pub(crate) mod mixed;
pub(crate) mod nats;
mod nginx;
pub(crate) mod opensearch;
mod own_server;
mod owned;
mod ports;
mod processes;
#[cfg(target_os = "linux")]
pub(crate) mod reflector;
mod scratch;
mod servers;
mod shell;
mod spinner;
mod stores;
mod tenbin;

pub(crate) use broadcast::Broadcast;
pub(crate) use cached::{CACHED, COUNTERS, Cached};
pub(crate) use certificates::Certificates;
pub(crate) use forward::Receiver;
pub(crate) use groonga::Groonga;
pub(crate) use hub::{Agents, Hub};
pub(crate) use machine::{MACHINE_RULES, names_machine_rule};
pub(crate) use mixed::Mixed;
pub(crate) use nginx::Nginx;
pub(crate) use opensearch::OpenSearch;
pub(crate) use own_server::OwnServer;
pub(crate) use owned::Owned;
pub(crate) use ports::free_port;
pub(crate) use processes::{tied, wait_until};
pub(crate) use scratch::Scratch;
pub(crate) use servers::{
    Server, opensearch as opensearch_libraries, path_of, search_path, search_path_with_tenbin,
};
pub(crate) use shell::shell;
pub(crate) use spinner::Spinner;
pub(crate) use stores::{ACCESS, SECRET, Store};
pub(crate) use tenbin::{Outcome, Running, Tenbin, words};

/// Says in the output of the tests that a part was not run, and why.
pub(crate) fn not_run(why: &str) {
    eprintln!("NOT RUN: {why}");
}

/// Says in the output of the tests what was shown, where a busy machine may keep a test from it.
pub(crate) fn shown(what: &str) {
    eprintln!("SHOWN: {what}");
}
