//! Options of the load.

use std::path::PathBuf;

use clap::Args;
use tenbin_plan::{At, List, LoadDraft};

use super::set;

/// Options of the load.
#[derive(Args)]
#[command(next_help_heading = "Load")]
pub struct LoadArgs {
    /// Connections over all threads; with commas, for example 1,8,64, one workload for each [default:
    /// 16]
    #[arg(long, short, visible_alias = "concurrency", value_name = "N")]
    pub connections: Option<String>,
    /// Measure at several numbers of connections, alternately ascending and descending, to find the
    /// knee: 1..256 (doubling), 1,2,4,8 or 10:100:10 (from, to, step)
    #[arg(
        long,
        value_name = "LEVELS",
        conflicts_with_all = ["connections", "rate", "steps", "trace"],
        allow_hyphen_values = true
    )]
    pub ramp: Option<String>,
    /// Requests in flight per connection: pipelining depth (HTTP/1.1) or concurrent streams
    /// (HTTP/2) [default: 1]
    #[arg(long, visible_aliases = ["pipeline", "streams"], value_name = "N")]
    pub depth: Option<u32>,
    /// Send at this rate, however fast the responses are (open loop), for example 1000/s or 60/m;
    /// response times then count from the time at which a request was due [default: each connection
    /// sends its next request after the response]
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub rate: Option<String>,
    /// Find the highest rate at which all of these limits are met, for example
    /// 'p99<10ms,errors<0.1%'; --rate sets the first rate [connections, by default: 128]
    #[arg(
        long,
        value_name = "LIMITS",
        conflicts_with_all = ["ramp", "rate_to", "steps", "trace", "think", "requests"],
        allow_hyphen_values = true
    )]
    pub slo: Option<String>,
    /// Distribution of the requests at --rate, --rate-to or --step: constant, or poisson (at
    /// random, from the seed) [default: constant; with --slo poisson]
    #[arg(long, value_name = "HOW")]
    pub arrivals: Option<String>,
    /// Change the rate linearly over each slice, from --rate to this rate
    #[arg(
        long,
        value_name = "RATE",
        requires = "rate",
        allow_hyphen_values = true
    )]
    pub rate_to: Option<String>,
    /// Send at several rates in turn in each slice, for example --step '100/s for 1s'; repeatable;
    /// the last rate lasts until the end of the slice
    #[arg(
        long = "step",
        value_name = "RATE for TIME",
        conflicts_with = "rate",
        allow_hyphen_values = true
    )]
    pub steps: Vec<String>,
    /// Send at the times in this file, one per line, in seconds or as timestamps, relative to the
    /// start of each slice
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rate", "steps"])]
    pub trace: Option<PathBuf>,
    /// Trace playback speed; 2 plays it twice as fast [default: 1]
    #[arg(long, value_name = "X", requires = "trace", allow_hyphen_values = true)]
    pub trace_speed: Option<String>,
    /// Think time: pause of each connection between a response and its next request, for example
    /// 100ms, uniform:50ms..150ms or exponential:100ms
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub think: Option<String>,
    /// Longest time for a response [default: 30s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub timeout: Option<String>,
    /// Open a new connection for every request
    #[arg(long)]
    pub no_keep_alive: bool,
    /// Open each connection N times in a slice, at equal intervals, 2 to 1000 [default: once; 8 on a
    /// ramp if the warm-up saw connections spread unevenly over the server's workers]
    #[arg(long, value_name = "N")]
    pub reopen: Option<u64>,
    /// End a slice after this many requests or after its time, whichever is first
    #[arg(long, short = 'n', value_name = "N")]
    pub requests: Option<u64>,
}

impl LoadArgs {
    pub(super) fn draft(&self) -> LoadDraft {
        let mut load = LoadDraft::default();
        let connections = self.connections.as_deref();
        match connections.map(|text| (text, text.trim().parse::<u32>())) {
            Some((_, Ok(number))) => set(&mut load.connections, "--connections", Some(number)),
            Some((text, Err(_))) => set(&mut load.connections, "--connections", Some(text)),
            None => {}
        }
        set(&mut load.ramp, "--ramp", self.ramp.as_deref());
        set(&mut load.slo, "--slo", self.slo.as_deref());
        set(&mut load.depth, "--depth", self.depth);
        set(&mut load.rate, "--rate", self.rate.as_deref());
        set(&mut load.arrivals, "--arrivals", self.arrivals.as_deref());
        set(&mut load.rate_to, "--rate-to", self.rate_to.as_deref());
        let steps = self
            .steps
            .iter()
            .map(|step| At::flag("--step", step.as_str()));
        load.steps =
            (!self.steps.is_empty()).then(|| At::flag("--step", List::Many(steps.collect())));
        let trace = self.trace.as_ref().map(|file| file.display().to_string());
        set(&mut load.trace, "--trace", trace);
        let speed = self.trace_speed.as_deref();
        set(&mut load.trace_speed, "--trace-speed", speed);
        set(&mut load.think, "--think", self.think.as_deref());
        set(&mut load.timeout, "--timeout", self.timeout.as_deref());
        set(&mut load.requests, "--requests", self.requests);
        set(&mut load.reopen, "--reopen", self.reopen);
        let keep_alive = self.no_keep_alive.then_some(false);
        set(&mut load.keep_alive, "--no-keep-alive", keep_alive);
        load
    }
}
