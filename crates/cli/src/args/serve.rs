//! `tenbin serve`: one subcommand for each built-in server.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tenbin_plan::{Sentence, sentence};
use tenbin_targets::serve::{Fault, RarePause, S3Fault, Service, Stall, share};

/// The subcommands of `tenbin serve`.
#[derive(Subcommand)]
pub enum ServeCommand {
    /// Run an HTTP server that responds to every request with the same small body
    Http(ServeHttpArgs),
    /// Run an S3 server that stores objects in memory or on disk
    S3(ServeS3Args),
    /// Run a server with the API of CubeFS's blobstore that stores blobs in memory
    Blob(ServeBlobArgs),
    /// Run an HTTP server with known delays and faults, to test load generators
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
    /// Add a Server-Timing header to every response, for --stages. Its stages are read (reading the
    /// request body), rest (the --delay) and total
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
    /// Memory limit for all objects, for example 4GiB; a PUT beyond this limit gets status 507
    /// [default: half of the free memory]
    #[arg(long, value_name = "SIZE", conflicts_with = "durable")]
    pub memory: Option<tenbin_plan::size::Size>,
    /// Access key that requests must be signed with [default: generated and printed]
    #[arg(
        long,
        value_name = "KEY",
        env = "TENBIN_ACCESS_KEY",
        hide_env_values = true
    )]
    pub access_key: Option<String>,
    /// Secret key that requests must be signed with [default: generated and printed]
    #[arg(
        long,
        value_name = "KEY",
        env = "TENBIN_SECRET_KEY",
        hide_env_values = true
    )]
    pub secret_key: Option<String>,
    /// Make a share of the requests fail, repeatable, for example busy:98%. Kinds: busy (500 for a
    /// PUT while another PUT is in progress), slow-down (503 with Retry-After for a PUT),
    /// keep-deleted (204 for a DELETE that deletes nothing), reset (close the connection on a PUT)
    #[arg(long = "fault", value_name = "KIND:SHARE")]
    pub faults: Vec<S3Fault>,
    /// Delay before every response, for example 5ms; up to 1 ms longer, because timers wake on whole
    /// milliseconds
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub delay: tenbin_plan::duration::Time,
    /// Worker threads
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = at_least_one)]
    pub workers: usize,
}

/// Response to a GET of a deleted blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GoneArg {
    /// Send only the response head, then close the connection, as CubeFS's access layer does
    Cut,
    /// Send status 404
    #[value(name = "404")]
    NotFound,
}

/// `tenbin serve blob`.
#[derive(Args)]
pub struct ServeBlobArgs {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9500", value_parser = address)]
    pub listen: SocketAddr,
    /// Time for which a blob stays readable after the server acknowledged its deletion
    #[arg(long, value_name = "TIME", default_value = "50ms")]
    pub delete_lag: tenbin_plan::duration::Time,
    /// Response to a GET of a deleted blob
    #[arg(long, value_name = "HOW", value_enum, default_value_t = GoneArg::Cut)]
    pub gone: GoneArg,
    /// With --gone cut: time between the response head and the close of the connection. A CubeFS
    /// cluster takes 610ms
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub gone_delay: tenbin_plan::duration::Time,
    /// Delay before every response, for example 5ms; up to 1 ms longer, because timers wake on whole
    /// milliseconds
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub delay: tenbin_plan::duration::Time,
    /// Maximum number of requests served at the same time, in order of arrival; further requests
    /// wait [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_in_flight: Option<NonZeroUsize>,
    /// Memory limit for all blobs, for example 4GiB; a PUT beyond this limit gets status 507
    /// [default: half of the free memory]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<tenbin_plan::size::Size>,
    /// Secret key of the tokens that requests must contain [default: no tokens required]
    #[arg(
        long,
        value_name = "KEY",
        env = "TENBIN_SECRET_KEY",
        hide_env_values = true
    )]
    pub secret_key: Option<String>,
    /// Inject a fault into a share of the requests, repeatable, for example corrupt:10%. For get:
    /// corrupt, truncate, swap, stale, misrange, 500; for put: wrong-hash, 466; for CRC-framed put:
    /// bad-block, unframed; for delete: 226, never-gone; for all requests: 400, 403, 429, 552
    #[arg(long = "fault", value_name = "KIND:SHARE")]
    pub faults: Vec<Fault>,
    /// Worker threads
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = at_least_one)]
    pub workers: usize,
}

const TRUTH_NOTES: &str = "\
Request headers override the options for one request:
  X-Tenbin-Delay: 5ms     service time of this request
  X-Tenbin-Answer: reset  kind of response: reset, truncate, malformed or ok

Columns of the log: request number, connection number; three times in nanoseconds since the
start: request read, response due, response sent; bytes received, bytes sent, kind of response.";

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
    /// Serve one request at a time, in order of arrival; the same as --workers 1
    #[arg(long, conflicts_with = "workers")]
    pub single_queue: bool,
    /// Number of requests served at the same time, in order of arrival: with --service fixed:10ms,
    /// 4 workers serve at most 400 requests per second [default: no limit]
    #[arg(long, value_name = "N")]
    pub workers: Option<NonZeroUsize>,
    /// Serve with N workers that share one listening socket, like a prefork server: connections are
    /// assigned to workers at random, and each worker serves one request at a time
    #[arg(long, value_name = "N", conflicts_with_all = ["workers", "single_queue", "capacity", "stalls", "rare_pause", "reset", "truncate", "malformed", "log"])]
    pub prefork: Option<NonZeroUsize>,
    /// Maximum number of requests started per second, evenly spaced; further requests wait
    /// [default: no limit]
    #[arg(long, value_name = "RATE")]
    pub capacity: Option<tenbin_plan::rate::Rate>,
    /// Requests that the server saves while it has fewer than --capacity, up to N, and then starts at
    /// once (token bucket, burst credit)
    #[arg(long, value_name = "N", default_value_t = 0, requires = "capacity")]
    pub credit: u64,
    /// Stall: send no responses for TIME, beginning FROM after the start, repeatable. 10s+5s stalls
    /// from 10 s to 15 s
    #[arg(long = "stall", value_name = "FROM+TIME")]
    pub stalls: Vec<Stall>,
    /// Pause once per N requests: send no response for TIME, then all responses that are due, for
    /// example 50ms/4500
    #[arg(long, value_name = "TIME/N")]
    pub rare_pause: Option<RarePause>,
    /// Share of requests to which the server responds with a connection reset, for example 1%
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = share)]
    pub reset: f64,
    /// Share of requests whose response ends after half of the body
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = share)]
    pub truncate: f64,
    /// Share of requests whose response is not valid HTTP
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = share)]
    pub malformed: f64,
    /// Send head and body of a response in two writes, with Nagle's algorithm enabled: the body
    /// waits for the client's delayed acknowledgement, about 40 ms on Linux
    #[arg(long)]
    pub two_writes: bool,
    /// File to log every request to
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

pub(super) fn address(text: &str) -> Result<SocketAddr, Sentence> {
    text.parse().map_err(|_| {
        sentence!(
            "ip-and-port",
            "write an IP address and a port, for example 127.0.0.1:8080 or [::1]:0"
        )
    })
}

fn at_least_one(text: &str) -> Result<usize, Sentence> {
    match text.parse() {
        Ok(0) => Err(sentence!("at-least-one", "must be at least 1")),
        Ok(number) => Ok(number),
        Err(_) => Err(sentence!("whole-number", "write a whole number")),
    }
}
