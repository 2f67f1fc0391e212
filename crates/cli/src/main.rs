//! `tenbin`: weigh two or more servers against each other.

use std::process::ExitCode;

fn main() -> ExitCode {
    tenbin_cli::run()
}
