//! `tenbin serve`: the built-in servers on their own.

use std::net::SocketAddr;

use tenbin_plan::Credentials;
use tenbin_targets::serve::{self, HttpOptions, S3Options};

use crate::args::ServeCommand;
use crate::exit::Exit;
use crate::output;

/// Serves until Ctrl-C.
pub(crate) fn serve(command: &ServeCommand) -> Exit {
    let served = match command {
        ServeCommand::Http(args) => serve::http(
            &HttpOptions {
                listen: args.listen,
                delay: args.delay.0,
                workers: args.workers,
            },
            listening,
        ),
        ServeCommand::S3(args) => serve::s3(
            &S3Options {
                listen: args.listen,
                durable: args.durable.clone(),
                credentials: Credentials::literal(&args.access_key, &args.secret_key),
                workers: args.workers,
            },
            listening,
        ),
    };
    match served {
        Ok(()) => Exit::Done,
        Err(error) => {
            output::error(&error.to_string());
            Exit::Target
        }
    }
}

fn listening(address: SocketAddr) {
    output::print(format!("listening on http://{address}/\n").as_bytes());
}
