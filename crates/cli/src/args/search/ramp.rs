//! `tenbin search ramp`: measures search servers at several numbers of clients or rates.

use std::path::PathBuf;

use clap::Args;
use tenbin_compat::request_response::steps;
use tenbin_plan::rate::{Rate, RateError};
use tenbin_plan::{At, Draft, LoadDraft, Refusal, WorkloadDraft, sentence};

use crate::args::problem;
use crate::args::{OutputArgs, RequestArgs, RoundsArgs, TargetArgs, set};

/// `tenbin search ramp`.
#[derive(Args)]
#[command(mut_arg("gap", |gap| gap.visible_alias("interval")))]
#[command(after_help = "\
The same as tenbin http --ramp, with the option names of drnbench. Tenbin measures every number of
clients on every target; blocks of rounds with ascending and with descending numbers alternate.
Every client pauses for --wait after each response. The run directory contains ramp.csv, with
percentiles and a check of Little's law, and the charts ramp-throughput.svg and ramp-latency.svg.

With --rate, every level is a request rate (open loop) instead of a number of clients: Tenbin sends
at that rate even if the servers cannot keep up. Every rate is then a workload of the result, and
there are no ramp.csv and no charts.

Examples:
  tenbin search ramp --target groonga=http://node0:10041/ --target droonga=http://node0:10042/ \\
      --patterns patterns.txt --start-n-clients 0 --end-n-clients 20 --step 2 --duration 30s \\
      --interval 1s --output-path result.csv
  tenbin search ramp --target groonga=http://127.0.0.1:10041/ --patterns patterns.txt \\
      --clients 1..16 --wait 0s --rounds 4 --slice 1s
  tenbin search ramp --target groonga=http://127.0.0.1:10041/ --patterns patterns.txt \\
      --rate 50/s,100/s,200/s")]
pub struct SearchRampArgs {
    /// The systems under test.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// The request.
    #[command(flatten)]
    pub request: RequestArgs,
    /// Numbers of clients.
    #[command(flatten)]
    pub clients: ClientArgs,
    /// Duration and rounds.
    #[command(flatten)]
    pub rounds: RoundsArgs,
    /// File to write the result to in drnbench's format. With several targets, each target has a
    /// file named TARGET-FILE
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Output",
        conflicts_with = "rate"
    )]
    pub output_path: Option<PathBuf>,
    /// Output options.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Numbers of clients of a concurrency sweep.
#[derive(Args)]
#[command(next_help_heading = "Clients")]
pub struct ClientArgs {
    /// Numbers of clients: 1..16 (doubling), 1,2,4,8 or 2:20:2 (from, to, step). With --rate: one
    /// number, the maximum number of connections [default: 128]
    #[arg(
        long,
        value_name = "LEVELS",
        conflicts_with_all = ["start_n_clients", "end_n_clients", "step"]
    )]
    pub clients: Option<String>,
    /// Send at these rates, regardless of the speed of the servers (open loop): 100/s, or a list
    /// such as 50/s,100/s,200/s. Response times then count from the time at which a request was due
    #[arg(
        long,
        value_name = "RATES",
        conflicts_with_all = ["start_n_clients", "end_n_clients", "step", "wait"],
        allow_hyphen_values = true
    )]
    pub rate: Option<String>,
    /// Distribution of the requests at --rate: constant, or poisson (at random, from the seed)
    /// [default: constant]
    #[arg(long, value_name = "HOW", requires = "rate")]
    pub arrivals: Option<String>,
    /// Clients in the first step; 0 means 1 client [default: 0]
    #[arg(long, value_name = "N", requires = "end_n_clients")]
    pub start_n_clients: Option<u64>,
    /// Maximum number of clients in the last step
    #[arg(long, value_name = "N")]
    pub end_n_clients: Option<u64>,
    /// Clients added per step [default: 1]
    #[arg(long, value_name = "N", requires = "end_n_clients")]
    pub step: Option<u64>,
    /// Think time: pause of a client after each response, for example 100ms or exponential:100ms
    /// [default: 10ms, as in drnbench]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub wait: Option<String>,
    /// Request timeout: an operation fails without a complete response within this time
    /// [default: 30s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub timeout: Option<String>,
    /// Open a new connection for every request, as drnbench does
    #[arg(long)]
    pub no_keep_alive: bool,
}

/// Default number of connections of an open loop, as for a maximum-rate search.
const USUAL_CONNECTIONS: u64 = 128;

/// One workload per rate, named after the rate.
fn at_rates(rates: &str, workload: &WorkloadDraft) -> Result<Vec<At<WorkloadDraft>>, Refusal> {
    let mut known: Vec<f64> = Vec::new();
    let mut all = Vec::new();
    for text in rates.split(',').map(str::trim) {
        let rate: Rate = text.parse().map_err(|error: RateError| {
            problem(sentence!(
                "rate-flag",
                "--rate: {error}",
                error = error.sentence()
            ))
        })?;
        if known.contains(&rate.get()) {
            continue;
        }
        known.push(rate.get());
        let mut level = workload.clone();
        level.name = Some(At::nowhere(format!("search-{}ps", rate.get())));
        level.load = LoadDraft {
            rate: Some(At::flag("--rate", text)),
            ..LoadDraft::default()
        };
        all.push(At::nowhere(level));
    }
    Ok(all)
}

/// The default think time of a drnbench client.
const USUAL_WAIT: &str = "10ms";

impl SearchRampArgs {
    /// The plan that the options describe.
    ///
    /// # Errors
    ///
    /// If the numbers of clients are not a sweep, or an option names a target that does not exist.
    pub fn draft(&self) -> Result<Draft, Refusal> {
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere("search-ramp"));
        draft.load = self.clients.draft()?;
        draft.targets = self.targets.drafts()?;
        let rates = self.clients.rate.as_deref();
        searched(draft, &self.request, rates, &self.rounds)
    }
}

/// Adds the requests to a plan with its load and targets: one workload, or one for each rate.
fn searched(
    mut draft: Draft,
    request: &RequestArgs,
    rates: Option<&str>,
    rounds: &RoundsArgs,
) -> Result<Draft, Refusal> {
    let (comparing, statuses) = rounds.comparing.without_statuses();
    let work = request.draft(&statuses, &mut draft.targets);
    let mut workload = WorkloadDraft::of(work);
    workload.name = Some(At::nowhere("search"));
    draft.workloads = match rates {
        None => vec![At::nowhere(workload)],
        Some(rates) => at_rates(rates, &workload)?,
    };
    rounds.apply(&mut draft);
    draft.expect = None;
    comparing.apply(&mut draft);
    Ok(draft)
}

/// `tenbin gate search`.
#[derive(Args)]
#[command(mut_arg("gap", |gap| gap.visible_alias("interval")))]
#[command(after_help = "\
Measures full-text search servers with the options of tenbin search ramp. --clients also takes one
number. With several numbers or rates, each is a workload, and all must pass.

Examples:
  tenbin gate search --target base=http://127.0.0.1:10041/ \\
      --target candidate=http://127.0.0.1:10042/ --patterns patterns.txt --clients 8
  tenbin gate search --target base=http://127.0.0.1:10041/ \\
      --target candidate=http://127.0.0.1:10042/ --patterns patterns.txt --rate 100/s")]
pub struct GateSearchArgs {
    /// The systems under test.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// The request.
    #[command(flatten)]
    pub request: RequestArgs,
    /// Numbers of clients.
    #[command(flatten)]
    pub clients: ClientArgs,
    /// Duration and rounds.
    #[command(flatten)]
    pub rounds: RoundsArgs,
    /// Output options.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `tenbin bisect search`.
#[derive(Args)]
#[command(after_help = "\
Measures full-text search servers with the options of tenbin search ramp, at one number of clients
or at one rate.

Example:
  tenbin bisect search --good v1.2 --build make --launch './server {port}' \\
      --patterns patterns.txt --clients 8")]
pub struct BisectSearchArgs {
    /// The options of a gate.
    #[command(flatten)]
    pub searched: GateSearchArgs,
}

impl GateSearchArgs {
    /// The plan that the options describe, without the gate or the bisect.
    ///
    /// # Errors
    ///
    /// If the numbers of clients are neither one nor a sweep, or an option names a target that does not
    /// exist.
    pub fn draft(&self) -> Result<Draft, Refusal> {
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere("search"));
        if self.clients.are_missing() {
            return Err(problem(sentence!(
                "no-clients",
                "how many clients, or which rate? Give --clients 8 or --rate 100/s"
            )));
        }
        draft.load = match self.clients.of_one() {
            Some(load) => load,
            None => self.clients.draft()?,
        };
        draft.targets = self.targets.drafts()?;
        let rates = self.clients.rate.as_deref();
        searched(draft, &self.request, rates, &self.rounds)
    }
}

impl ClientArgs {
    fn are_missing(&self) -> bool {
        self.clients.is_none() && self.rate.is_none() && self.end_n_clients.is_none()
    }

    /// The load of a single number of clients; `None` for several numbers and for rates.
    fn of_one(&self) -> Option<LoadDraft> {
        let clients = self.clients.as_deref().filter(|_| self.rate.is_none());
        let clients: u64 = clients?.trim().parse().ok()?;
        let mut load = LoadDraft {
            connections: Some(At::flag("--clients", clients)),
            ..LoadDraft::default()
        };
        self.add_pauses(&mut load);
        Some(load)
    }

    /// Adds the options of each client of a closed loop.
    fn add_pauses(&self, load: &mut LoadDraft) {
        let wait = self.wait.as_deref().unwrap_or(USUAL_WAIT);
        if !matches!(wait, "0" | "0s" | "0ms") {
            load.think = Some(At::flag("--wait", wait));
        }
        set(&mut load.timeout, "--timeout", self.timeout.as_deref());
        let keep_alive = self.no_keep_alive.then_some(false);
        set(&mut load.keep_alive, "--no-keep-alive", keep_alive);
    }

    fn draft(&self) -> Result<LoadDraft, Refusal> {
        let mut load = LoadDraft::default();
        if self.rate.is_some() {
            // A request waits if every connection is busy, so there must be enough connections.
            let connections = match self.clients.as_deref().map(str::parse::<u64>) {
                None => USUAL_CONNECTIONS,
                Some(Ok(connections)) => connections,
                Some(Err(_)) => {
                    return Err(problem(sentence!(
                        "clients-with-rate",
                        "--clients: with --rate it is one number, the most connections; the \
                         levels are the rates"
                    )));
                }
            };
            load.connections = Some(At::flag("--clients", connections));
            set(&mut load.arrivals, "--arrivals", self.arrivals.as_deref());
            set(&mut load.timeout, "--timeout", self.timeout.as_deref());
            let keep_alive = self.no_keep_alive.then_some(false);
            set(&mut load.keep_alive, "--no-keep-alive", keep_alive);
            return Ok(load);
        }
        match (&self.clients, self.end_n_clients) {
            (Some(levels), _) => load.ramp = Some(At::flag("--clients", levels.as_str())),
            (None, Some(end)) => {
                let start = self.start_n_clients.unwrap_or(0);
                let levels = steps(start, end, self.step.unwrap_or(1));
                let levels = levels.map_err(|(flag, why)| {
                    problem(sentence!("ramp-flag", "--{flag}: {why}", flag, why))
                })?;
                let levels: Vec<String> = levels.iter().map(u64::to_string).collect();
                load.ramp = Some(At::flag("--end-n-clients", list(&levels)));
            }
            (None, None) => {
                return Err(problem(sentence!(
                    "no-clients-levels",
                    "how many clients, or which rates? Give --clients 1..16, --end-n-clients 20 \
                     --step 2, or --rate 50/s,100/s,200/s"
                )));
            }
        }
        self.add_pauses(&mut load);
        Ok(load)
    }
}

/// The levels in the plan's syntax. A single level is written twice, because the plan reads text
/// with a comma as a list.
fn list(levels: &[String]) -> String {
    match levels {
        [only] => format!("{only},{only}"),
        levels => levels.join(","),
    }
}
