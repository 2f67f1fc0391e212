//! `tenbin serve`.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tenbin_targets::serve::{Fault, RarePause, S3Fault, Service, Stall, share};

/// `tenbin serve`: the built-in servers.
#[derive(Subcommand)]
pub enum ServeCommand {
    /// Respond to every HTTP request with the same small body
    Http(ServeHttpArgs),
    /// Store objects, in memory or on disk
    S3(ServeS3Args),
    /// Store blobs by location, in memory, as CubeFS's blobstore does
    Blob(ServeBlobArgs),
    /// Respond with known delays and faults, to test load generators
    #[command(after_help = TRUTH_NOTES)]
    Truth(ServeTruthArgs),
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
    /// Delay before every response, for example 5ms
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub delay: tenbin_plan::duration::Time,
    /// Add a Server-Timing header to every response, for --stages, with the stages read (reading
    /// the request body), rest (the --delay) and total
    #[arg(long)]
    pub server_timing: bool,
}

/// `tenbin serve s3`.
#[derive(Args)]
pub struct ServeS3Args {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9000", value_parser = address)]
    pub listen: SocketAddr,
    /// Keep objects in this directory, created if missing, and sync them to disk before responding
    /// [default: keep them in memory]
    #[arg(long, value_name = "DIR")]
    pub durable: Option<PathBuf>,
    /// Memory limit for all objects, for example 4GiB; a PUT beyond it gets 507 InsufficientStorage
    /// [default: half of the free memory]
    #[arg(long, value_name = "SIZE", conflicts_with = "durable")]
    pub memory: Option<tenbin_plan::size::Size>,
    /// The access key that requests must be signed with [default: generated and printed]
    #[arg(
        long,
        value_name = "KEY",
        env = "TENBIN_ACCESS_KEY",
        hide_env_values = true,
        requires = "secret_key"
    )]
    pub access_key: Option<String>,
    /// The secret key that requests must be signed with [default: generated and printed]
    #[arg(
        long,
        value_name = "KEY",
        env = "TENBIN_SECRET_KEY",
        hide_env_values = true,
        requires = "access_key"
    )]
    pub secret_key: Option<String>,
    /// Make a share of the requests fail, repeatable, for example busy:98%: busy (500 for a PUT
    /// while another PUT is stored), slow-down (503 with Retry-After for a PUT), keep-deleted (204
    /// for a DELETE, and the object stays) or reset (the connection is closed on a PUT)
    #[arg(long = "fault", value_name = "KIND:SHARE")]
    pub faults: Vec<S3Fault>,
    /// Worker threads
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = at_least_one)]
    pub workers: usize,
}

/// Response to a GET of a deleted blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GoneArg {
    /// Only the head, then the connection is closed, as CubeFS's access layer does
    Cut,
    /// Status 404
    #[value(name = "404")]
    NotFound,
}

/// `tenbin serve blob`.
#[derive(Args)]
pub struct ServeBlobArgs {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9500", value_parser = address)]
    pub listen: SocketAddr,
    /// How long a blob stays readable after its deletion was acknowledged
    #[arg(long, value_name = "TIME", default_value = "50ms")]
    pub delete_lag: tenbin_plan::duration::Time,
    /// Response to a GET of a blob that is gone
    #[arg(long, value_name = "HOW", value_enum, default_value_t = GoneArg::Cut)]
    pub gone: GoneArg,
    /// With --gone cut: time between the head and the close of the connection; 610ms in a CubeFS
    /// cluster
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub gone_delay: tenbin_plan::duration::Time,
    /// Memory limit for all blobs, for example 4GiB; a PUT beyond it gets 507 InsufficientStorage
    /// [default: half of the free memory]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<tenbin_plan::size::Size>,
    /// The secret of the tokens that requests must carry [default: no tokens required]
    #[arg(
        long,
        value_name = "KEY",
        env = "TENBIN_SECRET_KEY",
        hide_env_values = true
    )]
    pub secret_key: Option<String>,
    /// Fault in a share of the requests, repeatable, for example corrupt:10%: corrupt, truncate,
    /// swap, stale, misrange or 500 (get), wrong-hash or 466 (put), bad-block or unframed (a
    /// CRC-framed put), 226 or never-gone (delete), 400, 403, 429 or 552 (any)
    #[arg(long = "fault", value_name = "KIND:SHARE")]
    pub faults: Vec<Fault>,
    /// Worker threads
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = at_least_one)]
    pub workers: usize,
}

const TRUTH_NOTES: &str = "\
A request may say itself how it is to be served:
  X-Tenbin-Delay: 5ms     its service time
  X-Tenbin-Answer: reset  or truncate, malformed, ok

Each line of the log: number, connection, then nanoseconds since the start at which the
request had been read, was to be answered and was answered, bytes in and out, answer.";

/// `tenbin serve truth`.
#[derive(Args)]
pub struct ServeTruthArgs {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    pub listen: SocketAddr,
    /// Service time: fixed:TIME, bimodal:SHARE:TIME,TIME, lognormal:MEDIAN:SIGMA or
    /// exponential:MEAN
    #[arg(long, value_name = "SERVICE", default_value = "fixed:0s")]
    pub service: Service,
    /// Seed of every random choice
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Serve one request at a time, first come first served; as --workers 1
    #[arg(long, conflicts_with = "workers")]
    pub single_queue: bool,
    /// Number of requests served at a time, first come first served: with --service fixed:10ms, 4
    /// workers serve at most 400 requests per second [default: no limit]
    #[arg(long, value_name = "N")]
    pub workers: Option<NonZeroUsize>,
    /// Serve with N workers that share one listening socket, like a prefork server: connections are
    /// assigned to workers at random, and each worker serves one request at a time
    #[arg(long, value_name = "N", conflicts_with_all = ["workers", "single_queue", "capacity", "stalls", "rare_pause", "reset", "truncate", "malformed", "log"])]
    pub prefork: Option<NonZeroUsize>,
    /// Largest number of requests started per second, evenly spaced; further requests wait
    /// [default: no limit]
    #[arg(long, value_name = "RATE")]
    pub capacity: Option<tenbin_plan::rate::Rate>,
    /// Stall: START+LENGTH, for example 10s+5s sends no response from 10 s to 15 s after the start;
    /// repeatable
    #[arg(long = "stall", value_name = "FROM+TIME")]
    pub stalls: Vec<Stall>,
    /// Pause once per N requests, TIME/N, for example 50ms/4500: sends no response for TIME, then
    /// all responses that are due
    #[arg(long, value_name = "TIME/N")]
    pub rare_pause: Option<RarePause>,
    /// Share of requests whose connection is reset, for example 1%
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = share)]
    pub reset: f64,
    /// Share of requests whose response has half a body
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = share)]
    pub truncate: f64,
    /// Share of requests whose response is not HTTP
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = share)]
    pub malformed: f64,
    /// Send the head and the body of a response in two writes with Nagle's algorithm on: the body
    /// waits for the client's delayed acknowledgement, 40 ms or a little longer on Linux
    #[arg(long)]
    pub two_writes: bool,
    /// Log every request to this file
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
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
