//! `tenbin`: compares the performance of servers.

use std::process::ExitCode;

fn main() -> ExitCode {
    tenbin_cli::run()
}
