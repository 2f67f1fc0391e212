//! `tenbin serve`.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tenbin_targets::serve::{Fault, RarePause, S3Fault, Service, Stall, share};

/// `tenbin serve`: the built-in servers.
#[derive(Subcommand)]
pub enum ServeCommand {
    /// Answer every HTTP request with the same small body
    Http(ServeHttpArgs),
    /// Store objects, in memory or on disk
    S3(ServeS3Args),
    /// Store blobs by location, in memory, as CubeFS's blobstore does
    Blob(ServeBlobArgs),
    /// Answer at times and in ways known beforehand, to test load generators with
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
    /// Time to rest before every answer, for example 5ms
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub delay: tenbin_plan::duration::Time,
    /// Tell in every answer how long its stages took, for --stages: read (the request's body), rest
    /// (--delay) and total
    #[arg(long)]
    pub server_timing: bool,
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
    /// Memory that all objects may take, for example 4GiB; a PUT beyond it gets 507
    /// InsufficientStorage [default: half of the free memory]
    #[arg(long, value_name = "SIZE", conflicts_with = "durable")]
    pub memory: Option<tenbin_plan::size::Size>,
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
    /// Make a share of the requests fail, repeatable, for example busy:98%: busy (500 for a PUT
    /// while another PUT is stored), slow-down (503 with Retry-After for a PUT), keep-deleted (204
    /// for a DELETE, and the object stays) or reset (the connection is closed on a PUT)
    #[arg(long = "fault", value_name = "KIND:SHARE")]
    pub faults: Vec<S3Fault>,
    /// Worker threads
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = at_least_one)]
    pub workers: usize,
}

/// What a GET gets of a blob that is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GoneArg {
    /// Its head, and then the connection is closed, as CubeFS's access layer does
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
    /// How long a blob can still be read once its deletion was acknowledged
    #[arg(long, value_name = "TIME", default_value = "50ms")]
    pub delete_lag: tenbin_plan::duration::Time,
    /// What a GET gets of a blob that is gone
    #[arg(long, value_name = "HOW", value_enum, default_value_t = GoneArg::Cut)]
    pub gone: GoneArg,
    /// With --gone cut: time between that head and the close of the connection; 610ms is that of a
    /// CubeFS cluster
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub gone_delay: tenbin_plan::duration::Time,
    /// Memory that all blobs may take, for example 4GiB; a PUT beyond it gets 507
    /// InsufficientStorage [default: half of the free memory]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<tenbin_plan::size::Size>,
    /// The secret of the tokens that requests must carry [default: none are asked for]
    #[arg(
        long,
        value_name = "KEY",
        env = "TENBIN_SECRET_KEY",
        hide_env_values = true
    )]
    pub secret_key: Option<String>,
    /// What goes wrong with a share of the requests, repeatable, for example corrupt:10%: corrupt,
    /// truncate, swap, stale, misrange or 500 (get), wrong-hash or 466 (put), bad-block or unframed
    /// (a CRC-framed put), 226 or never-gone (delete), 400,
    /// 403, 429 or 552 (any)
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
    /// How long a request takes: fixed:TIME, bimodal:SHARE:TIME,TIME, lognormal:MEDIAN:SIGMA or
    /// exponential:MEAN
    #[arg(long, value_name = "SERVICE", default_value = "fixed:0s")]
    pub service: Service,
    /// Seed of every random choice
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Serve one request at a time, first come first served; as --workers 1
    #[arg(long, conflicts_with = "workers")]
    pub single_queue: bool,
    /// Serve so many requests at a time, first come first served: with --service fixed:10ms, 4
    /// workers do 400 a second at most [default: as many as come]
    #[arg(long, value_name = "N")]
    pub workers: Option<NonZeroUsize>,
    /// Serve with N workers that share one listening socket, as a prefork server does: each serves
    /// one request at a time of the connections that it has accepted, so that connections are
    /// spread over the workers by chance
    #[arg(long, value_name = "N", conflicts_with_all = ["workers", "single_queue", "capacity", "stalls", "rare_pause", "reset", "truncate", "malformed", "log"])]
    pub prefork: Option<NonZeroUsize>,
    /// Begin at most so many requests a second, evenly spaced; the rest waits
    #[arg(long, value_name = "RATE")]
    pub capacity: Option<tenbin_plan::rate::Rate>,
    /// Answer nothing from so long after the start, for so long, for example 10s+5s; repeatable
    #[arg(long = "stall", value_name = "FROM+TIME")]
    pub stalls: Vec<Stall>,
    /// Pause every N requests: answer nothing for TIME, then at once all that waits, for example
    /// 50ms/4500
    #[arg(long, value_name = "TIME/N")]
    pub rare_pause: Option<RarePause>,
    /// Share of requests whose connection is reset, for example 1%
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = share)]
    pub reset: f64,
    /// Share of requests answered with half a body
    #[arg(long, value_name = "SHARE", default_value = "0%", value_parser = share)]
    pub truncate: f64,
    /// Share of requests answered with something that is not HTTP
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
