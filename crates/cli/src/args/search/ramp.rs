//! `tenbin search ramp`: search servers under one number of clients after another.

use std::path::PathBuf;

use clap::Args;
use tenbin_compat::request_response::steps;
use tenbin_plan::{At, Draft, LoadDraft, Refusal};

use crate::args::patterns::PatternArgs;
use crate::args::target::problem;
use crate::args::{OutputArgs, RequestArgs, RoundsArgs, TargetArgs, set};

/// `tenbin search ramp`.
#[derive(Args)]
#[command(after_help = "\
This is tenbin http --ramp with the words of drnbench's ramps: every number of clients is measured
on every target in turns, up and down. Every client rests for --wait after each answer. The run
directory has ramp.csv with percentiles and Little's law, and the charts ramp-throughput.svg and
ramp-latency.svg.

Examples:
  tenbin search ramp --target groonga=http://node0:10041/ --target droonga=http://node0:10042/ \\
      --patterns patterns.txt --start-n-clients 0 --end-n-clients 20 --step 2 --duration 30s \\
      --interval 1s --output-path result.csv
  tenbin search ramp --target groonga=http://127.0.0.1:10041/ --patterns patterns.txt \\
      --clients 1..16 --wait 0s --rounds 4 --slice 1s")]
pub struct SearchRampArgs {
    /// The systems under test.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// What is sent.
    #[command(flatten)]
    pub request: RequestArgs,
    /// What is sent, if it is many.
    #[command(flatten)]
    pub patterns: PatternArgs,
    /// By how many.
    #[command(flatten)]
    pub clients: ClientArgs,
    /// How long.
    #[command(flatten)]
    pub rounds: RoundsArgs,
    /// File for the result in drnbench's format; with several targets the name of each stands before
    /// the file's
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub output_path: Option<PathBuf>,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The clients of a ramp.
#[derive(Args)]
#[command(next_help_heading = "Clients")]
pub struct ClientArgs {
    /// Numbers of clients: 1..16 (doubling), 1,2,4,8 or 2:20:2 (from, to, step)
    #[arg(
        long,
        value_name = "LEVELS",
        conflicts_with_all = ["start_n_clients", "end_n_clients", "step"]
    )]
    pub clients: Option<String>,
    /// Clients of the first step, 0 being 1 [default: 0]
    #[arg(long, value_name = "N", requires = "end_n_clients")]
    pub start_n_clients: Option<u64>,
    /// Most clients of the last step
    #[arg(long, value_name = "N")]
    pub end_n_clients: Option<u64>,
    /// Clients that each step has more [default: 1]
    #[arg(long, value_name = "N", requires = "end_n_clients")]
    pub step: Option<u64>,
    /// Rest of a client after each answer, for example 100ms or exponential:100ms [default: 10ms, as
    /// drnbench has it]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub wait: Option<String>,
    /// Longest time for one answer [default: 30s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub timeout: Option<String>,
    /// Open a new connection for every request, as drnbench does
    #[arg(long)]
    pub no_keep_alive: bool,
}

/// As long as a client of drnbench rests when nothing else is said.
const USUAL_WAIT: &str = "10ms";

impl SearchRampArgs {
    /// The plan as written by the options.
    ///
    /// # Errors
    ///
    /// Numbers of clients that make no ramp, or options that refer to a target that there
    /// is not.
    pub fn draft(&self) -> Result<Draft, Refusal> {
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere("search-ramp"));
        draft.load = self.clients.draft()?;
        draft.targets = self.targets.drafts()?;
        let (comparing, statuses) = self.rounds.comparing.without_statuses();
        let mut workload = self.request.draft(&statuses);
        workload.name = Some(At::nowhere("search"));
        self.patterns.apply(&mut workload);
        draft.workloads = vec![At::nowhere(workload)];
        self.rounds.apply(&mut draft);
        draft.expect = None;
        comparing.apply(&mut draft);
        Ok(draft)
    }
}

impl ClientArgs {
    fn draft(&self) -> Result<LoadDraft, Refusal> {
        let mut load = LoadDraft::default();
        match (&self.clients, self.end_n_clients) {
            (Some(levels), _) => load.ramp = Some(At::flag("--clients", levels.as_str())),
            (None, Some(end)) => {
                let start = self.start_n_clients.unwrap_or(0);
                let levels = steps(start, end, self.step.unwrap_or(1));
                let levels = levels.map_err(|(flag, why)| problem(format!("--{flag}: {why}")))?;
                let levels: Vec<String> = levels.iter().map(u64::to_string).collect();
                load.ramp = Some(At::flag("--end-n-clients", list(&levels)));
            }
            (None, None) => {
                let why = "how many clients? say --clients 1..16 or --end-n-clients 20 --step 2";
                return Err(problem(why.to_owned()));
            }
        }
        let wait = self.wait.as_deref().unwrap_or(USUAL_WAIT);
        if !matches!(wait, "0" | "0s" | "0ms") {
            load.think = Some(At::flag("--wait", wait));
        }
        set(&mut load.timeout, "--timeout", self.timeout.as_deref());
        let keep_alive = self.no_keep_alive.then_some(false);
        set(&mut load.keep_alive, "--no-keep-alive", keep_alive);
        Ok(load)
    }
}

/// As a ramp has its levels; a comma makes a list even of one.
fn list(levels: &[String]) -> String {
    match levels {
        [only] => format!("{only},{only}"),
        levels => levels.join(","),
    }
}
