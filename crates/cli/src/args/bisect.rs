//! `tenbin bisect`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use tenbin_plan::duration::Time;
use tenbin_plan::{
    At, Draft, Field, Figure, GateDraft, List, Percent, Refusal, Scalar, Sentence, sentence,
};

use super::deferred::Deferred;
use super::gate::{Revision, in_worktrees, quick_rounds, set_default};
use super::protocol::BisectOf;
use super::{BisectSearchArgs, OutputArgs, RunArgs, problem};

/// Name of the target that every commit is measured against.
pub(crate) const GOOD: &str = "good";
/// Name of the target that is known to be slower.
pub(crate) const BAD: &str = "bad";

/// `tenbin bisect`.
#[derive(Args)]
#[command(after_help = "\
First measures --good against --bad, until the slowdown is proven and its size is known. Then
measures the commit that splits the probability in half against --good, again and again, until one
commit has --certainty. A misleading run does not decide the search: each run only changes the
probabilities. Commits that do not build or start are skipped. The commits are those of `git
rev-list --first-parent GOOD..BAD`; a merge counts as one commit.

HTTP and search servers start again before every two rounds, so that one slow start affects only
those; S3 and blob stores, which keep data, start once for each run. --margin is the smallest slowdown to look
for, here 1%. `tenbin bisect http -h` also lists --margin and the frequent options of the
measurement. docs/bisect.md describes the method.

Exit codes: 0 found, 8 cannot tell, 6 INVALID, 3 --good or --bad does not build or start.

Examples:
  tenbin bisect http --good v1.2 --bad main --build 'make' --launch './server --port {port}'
  tenbin bisect http --good HEAD~40 --build 'cargo build --release' \\
      --launch 'target/release/server --port {port}' --path /search --figure cpu
  tenbin bisect s3 get --good v1.2 --build make --launch 'store=./store --port {port}' \\
      --launch-env 'store=ACCESS_KEY={access_key}' --launch-env 'store=SECRET_KEY={secret_key}'
  tenbin bisect run plan.toml --good v1.2 --bad v1.3 --build 'make' --budget 1h")]
pub struct BisectArgs {
    /// The commits, and when the search ends.
    #[command(flatten)]
    pub settings: BisectSettings,
    /// What is measured.
    #[command(subcommand)]
    pub command: BisectCommand,
}

/// The options that every subcommand of `tenbin bisect` takes.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Bisect (the plan has one launched target)")]
pub struct SearchOptions {
    /// Git revision that is not slower: an ancestor of --bad along first parents
    #[arg(long, value_name = "REV")]
    pub good: Option<String>,
    /// Git revision that is slower [default: HEAD]
    #[arg(long, value_name = "REV")]
    pub bad: Option<String>,
    /// Shell command that builds a commit in its worktree. Builds are kept by commit
    #[arg(long, value_name = "COMMAND")]
    pub build: Option<String>,
    /// Directory of the worktrees with their builds, by commit; created if missing [default:
    /// tenbin/builds in the user's cache directory]
    #[arg(long, value_name = "DIR")]
    pub build_dir: Option<PathBuf>,
    /// Figure that became worse: throughput, p99, cpu, memory, bandwidth or another percentile
    /// [default: throughput in a closed loop, p50 in an open loop; cpu if that cannot tell]
    #[arg(long, value_name = "FIGURE", value_parser = figure)]
    pub figure: Option<Figure>,
    /// Probability of one commit at which the search ends, 50% to 99.9% [default: 95%]
    #[arg(long, value_name = "PERCENT", value_parser = certainty)]
    pub certainty: Option<Percent>,
    /// Longest time of all measurements; builds do not count [default: 30m]
    #[arg(long, value_name = "TIME", value_parser = budget)]
    pub budget: Option<Time>,
}

/// The options of a bisect, which can stand before and after its subcommand.
pub struct BisectSettings(pub SearchOptions);

/// What a bisect measures.
#[derive(Subcommand)]
pub enum BisectCommand {
    /// With the options of a protocol's command
    #[command(flatten)]
    Protocol(Box<BisectOf>),
    /// Bisect with the options of `tenbin search ramp`
    Search(Box<Deferred<BisectSearchArgs>>),
    /// Bisect with a plan file
    Run(Box<Deferred<RunArgs>>),
}

impl Args for BisectSettings {
    fn augment_args(command: Command) -> Command {
        SearchOptions::augment_args(command).mut_args(|arg| arg.global(true))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for BisectSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        SearchOptions::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn figure(text: &str) -> Result<Figure, Sentence> {
    let figure = Figure::named(text.trim()).map_err(|error| error.sentence())?;
    if figure.has_ratio() {
        Ok(figure)
    } else {
        Err(sentence!(
            "no-block-ratio",
            "{figure} has no ratio that rounds can state; choose a percentile",
            figure
        ))
    }
}

fn certainty(text: &str) -> Result<Percent, Sentence> {
    let percent: Percent = text.parse()?;
    if (50.0..=99.9).contains(&percent.hundredths()) {
        Ok(percent)
    } else {
        Err(sentence!(
            "not-between-certainty",
            "{text:?} is not between 50% and 99.9%",
            text
        ))
    }
}

fn budget(text: &str) -> Result<Time, Sentence> {
    let time = text.parse::<Time>()?;
    if time.0 < Duration::from_secs(1) {
        return Err(sentence!(
            "budget-short",
            "{text:?} is too short; the minimum is 1s",
            text
        ));
    }
    Ok(time)
}

impl BisectArgs {
    /// The plan with one launched target, which [`of_commits`] doubles.
    ///
    /// # Errors
    /// When an option is missing or has no meaning in a bisect, or the plan file cannot be read.
    pub fn draft(&self) -> Result<Draft, Refusal> {
        if self.settings.0.good.is_none() {
            return Err(problem(sentence!(
                "bisect-needs-good",
                "a bisect needs a revision that was not slower; add for example --good v1.2"
            )));
        }
        let mut draft = match &self.command {
            BisectCommand::Protocol(protocol) => protocol.0.args().draft()?,
            BisectCommand::Search(args) => args.searched.draft()?,
            BisectCommand::Run(args) => args.draft()?,
        };
        self.output().apply(&mut draft);
        if let Some(what) = self.misfit(&draft) {
            return Err(problem(sentence!(
                "no-meaning-in-bisect",
                "{what} has no meaning in a bisect, which chooses its runs itself and prints one \
                 result; remove it",
                what
            )));
        }
        quick_rounds(&mut draft);
        set_default(&mut draft.margin, "1%");
        Ok(draft)
    }

    /// An option that has no meaning in a bisect.
    fn misfit(&self, draft: &Draft) -> Option<&'static str> {
        let (rounds, output) = (&draft.rounds, &draft.output);
        let is_set = |field: &Field| field.is_some();
        let is_listed = |list: &Option<At<List>>| list.is_some();
        let refused = [
            ("--rounds", is_set(&rounds.count)),
            ("--duration", is_set(&rounds.duration)),
            ("--max-rounds", is_set(&rounds.max_count)),
            ("--until", is_set(&rounds.until)),
            ("--relaunch", is_set(&rounds.relaunch)),
            ("--aa", is_set(&draft.aa)),
            ("--baseline", is_set(&draft.baseline)),
            ("--anchor", is_set(&draft.anchor)),
            ("--expect with a condition", is_listed(&draft.expect)),
            ("--fail-if", is_listed(&draft.fail_if)),
            ("--compare-workloads", is_listed(&draft.compare.workloads)),
            ("[gate]", draft.gate.is_some()),
            ("--strict", self.output().strict),
            ("--export", !self.output().export.export.is_empty()),
            ("[output] export", is_listed(&output.export)),
            ("--live", is_set(&output.live)),
            ("--prometheus", is_set(&output.prometheus)),
            ("--otlp", is_set(&output.otlp)),
            ("--ops-log", is_set(&output.ops_log)),
        ];
        let found = refused.into_iter().find(|(_, is_given)| *is_given);
        found.map(|(what, _)| what)
    }

    /// The output options.
    pub fn output(&self) -> &OutputArgs {
        match &self.command {
            BisectCommand::Protocol(protocol) => protocol.0.args().output(),
            BisectCommand::Search(args) => &args.searched.output,
            BisectCommand::Run(args) => &args.output,
        }
    }
}

/// A run of a bisect: a commit against the good end.
pub(crate) struct CommitRun<'a> {
    pub(crate) good: &'a Revision,
    /// The name of the target, and the commit.
    pub(crate) other: (&'a str, &'a Revision),
    /// The figure that decides; `None` for the usual one.
    pub(crate) figure: Option<Figure>,
    /// Longest time of the measurement.
    pub(crate) budget: Duration,
    /// Number of rounds; `None`: until a gate can tell.
    pub(crate) rounds: Option<u32>,
}

/// The plan of a run: a gate, whose blocks have an order at random.
///
/// # Errors
/// If the plan has another number of launched targets than one.
pub(crate) fn of_commits(mut draft: Draft, run: &CommitRun<'_>) -> Result<Draft, Refusal> {
    let mut gate = GateDraft::default();
    let figure = run
        .figure
        .map(|figure| At::flag("--figure", Scalar::from(figure.to_string())));
    gate.figures = figure.map(|figure| At::flag("--figure", List::Many(vec![figure])));
    gate.budget = Some(At::nowhere(Time(run.budget).to_string()));
    draft.gate = Some(At::nowhere(gate));
    let rounds = &mut draft.rounds;
    match run.rounds {
        Some(count) => {
            rounds.count = Some(At::nowhere(u64::from(count)));
            rounds.max_count = Some(At::nowhere(u64::from(count)));
        }
        None => rounds.max_count = Some(At::nowhere(MOST_ROUNDS_OF_ENDS)),
    }
    in_worktrees(draft, "a bisect", [(GOOD, run.good), run.other])
}

/// Most rounds of the comparison of both ends, which the budget usually ends.
const MOST_ROUNDS_OF_ENDS: u64 = 1_000;
