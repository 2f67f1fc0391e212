//! `tenbin serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `tenbin serve`: the built-in servers.
#[derive(Subcommand)]
pub enum ServeCommand {
    /// Answer every HTTP request with the same small body
    Http(ServeHttpArgs),
    /// Store objects, in memory or on disk
    S3(ServeS3Args),
}

/// `tenbin serve http`.
#[derive(Args)]
pub struct ServeHttpArgs {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    pub listen: SocketAddr,
    /// Worker threads
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = at_least_one)]
    pub workers: usize,
    /// Time to rest before every answer, for example 5ms
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub delay: tenbin_plan::duration::Time,
}

/// `tenbin serve s3`.
#[derive(Args)]
pub struct ServeS3Args {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9000", value_parser = address)]
    pub listen: SocketAddr,
    /// Keep objects in this directory, made if missing, and sync them to disk before answering
    /// [default: keep them in memory]
    #[arg(long, value_name = "DIR")]
    pub durable: Option<PathBuf>,
    /// The access key that requests must be signed with [default: made up and printed]
    #[arg(
        long,
        value_name = "KEY",
        env = "TENBIN_ACCESS_KEY",
        hide_env_values = true,
        requires = "secret_key"
    )]
    pub access_key: Option<String>,
    /// The secret key that requests must be signed with [default: made up and printed]
    #[arg(
        long,
        value_name = "KEY",
        env = "TENBIN_SECRET_KEY",
        hide_env_values = true,
        requires = "access_key"
    )]
    pub secret_key: Option<String>,
    /// Worker threads
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = at_least_one)]
    pub workers: usize,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "write an IP address and a port, for example 127.0.0.1:8080 or [::1]:0".to_owned()
    })
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least one is needed".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err("write a whole number".to_owned()),
    }
}
