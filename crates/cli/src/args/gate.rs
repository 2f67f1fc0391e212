//! `tenbin gate`.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use tenbin_plan::{
    At, Draft, Field, GateDraft, Refusal, Scalar, Section as _, TargetDraft, sentence,
};

use super::deferred::Deferred;
use super::flags::Flags;
use super::problem;
use super::protocol::GateOf;
use super::{GateSearchArgs, OutputArgs, RunArgs};

/// Name of the target that is measured against.
const BASE: &str = "base";
/// Name of the target that is judged.
const CANDIDATE: &str = "candidate";

/// `tenbin gate`.
#[derive(Args)]
#[command(after_help = "\
Measures a base and a candidate in turns, until the candidate is proven not worse than --margin
(PASS), or proven worse (REGRESSION), or --budget or --max-rounds are used up (CANNOT TELL). Each
decision is wrong with a probability of at most 5 %, however long the gate measures. The first
target is the base, unless --baseline is given. `tenbin gate http -h` also lists --margin,
--max-rounds and the frequent options of the measurement. docs/gate.md describes the decisions.

Exit codes: 0 pass, 7 regression, 8 cannot tell, 6 INVALID, 9 SUSPECT with --suspect fail; with
--git-bisect those of `git bisect run`.

Examples:
  tenbin gate http --base-rev main --build 'make' --launch './server --port {port}'
  tenbin gate http --launch 'base=./old --port {port}' --launch 'candidate=./new --port {port}' \\
      --margin 3% --figure throughput --figure p99=10%
  tenbin gate s3 get --target base=http://127.0.0.1:9000 --target candidate=http://127.0.0.1:9001
  tenbin gate run plan.toml --budget 5m --export github-summary")]
pub struct GateArgs {
    /// The gate and the revisions.
    #[command(flatten)]
    pub settings: GateSettings,
    /// What is measured.
    #[command(subcommand)]
    pub command: GateCommand,
}

/// The options of the gate, which every subcommand takes.
pub struct GateSettings {
    /// Flags of the plan keys in `[gate]`.
    gate: Flags<GateDraft>,
    /// The git revisions to build and compare.
    pub revisions: RevisionArgs,
    /// How the result is reported to other programs.
    pub reporting: ReportingArgs,
}

/// How the result is reported to other programs.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Gate")]
pub struct ReportingArgs {
    /// End with the exit codes of `git bisect run`: 0 for PASS, 1 for REGRESSION, 125 (skip) for
    /// CANNOT TELL, INVALID and a candidate that does not build or start, 128 (stop) for errors and a
    /// base that does not build or start
    #[arg(long)]
    pub git_bisect: bool,
}

/// The git revisions to build and compare.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Git revisions (the plan has one launched target)")]
pub struct RevisionArgs {
    /// Git revision of the base. Its worktree is built, and --launch runs in this worktree
    #[arg(long, value_name = "REV")]
    pub base_rev: Option<String>,
    /// Git revision of the candidate [default: HEAD]
    #[arg(long, value_name = "REV")]
    pub candidate_rev: Option<String>,
    /// Shell command that builds a revision in its worktree. Builds are kept by commit
    #[arg(long, value_name = "COMMAND")]
    pub build: Option<String>,
    /// Directory of the worktrees with their builds, by commit; created if missing [default:
    /// tenbin/builds in the user's cache directory]
    #[arg(long, value_name = "DIR")]
    pub build_dir: Option<PathBuf>,
}

/// What a gate measures.
#[derive(Subcommand)]
pub enum GateCommand {
    /// With the options of a protocol's command
    #[command(flatten)]
    Protocol(Box<GateOf>),
    /// Gate with the options of `tenbin search ramp`
    Search(Box<Deferred<GateSearchArgs>>),
    /// Gate with a plan file
    Run(Box<Deferred<RunArgs>>),
}

impl Args for GateSettings {
    fn augment_args(command: Command) -> Command {
        let command = Flags::<GateDraft>::augment_args(command);
        let command = RevisionArgs::augment_args(ReportingArgs::augment_args(command));
        // Options can stand after the protocol.
        command.mut_args(|arg| arg.global(true))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for GateSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self {
            gate: Flags::from_arg_matches(matches)?,
            revisions: RevisionArgs::from_arg_matches(matches)?,
            reporting: ReportingArgs::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl RevisionArgs {
    /// Refuses options that need a base. clap cannot check this, because the options can stand before
    /// and after the protocol.
    fn check(&self) -> Result<(), Refusal> {
        let others = [
            ("--candidate-rev", self.candidate_rev.is_some()),
            ("--build", self.build.is_some()),
            ("--build-dir", self.build_dir.is_some()),
        ];
        let given = others.into_iter().find(|(_, is_given)| *is_given);
        match given.filter(|_| self.base_rev.is_none()) {
            Some((flag, _)) => Err(problem(sentence!(
                "flag-needs-revision",
                "{flag} needs a revision to compare with; add for example --base-rev main",
                flag
            ))),
            None => Ok(()),
        }
    }
}

impl GateArgs {
    /// The plan with the gate. With revisions, its launched target is not yet doubled:
    /// [`of_revisions`] does that.
    ///
    /// # Errors
    /// When an option names a target that does not exist, or the plan file cannot be read.
    pub fn draft(&self) -> Result<Draft, Refusal> {
        self.settings.revisions.check()?;
        let mut draft = match &self.command {
            GateCommand::Protocol(protocol) => protocol.0.args().draft()?,
            GateCommand::Search(args) => args.draft()?,
            GateCommand::Run(args) => args.draft()?,
        };
        let mut gate = draft.gate.take().map(|gate| gate.value).unwrap_or_default();
        gate.override_with(&self.settings.gate.0);
        draft.gate = Some(At::nowhere(gate));
        quick_rounds(&mut draft);
        Ok(draft)
    }

    /// The output options.
    pub fn output(&self) -> &OutputArgs {
        match &self.command {
            GateCommand::Protocol(protocol) => protocol.0.args().output(),
            GateCommand::Search(args) => &args.output,
            GateCommand::Run(args) => &args.output,
        }
    }
}

/// Sets short pauses and warm-ups, so that blocks are short, and nothing after the rounds.
pub(super) fn quick_rounds(draft: &mut Draft) {
    let rounds = &mut draft.rounds;
    set_default(&mut rounds.gap, "100ms");
    set_default(&mut rounds.warmup, "1s");
    set_default(&mut rounds.sustain, "0");
    set_default(&mut rounds.probes, "none");
}

pub(super) fn set_default(field: &mut Field, value: &str) {
    field.get_or_insert_with(|| At::nowhere(value));
}

/// A built revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The revision as given, with the start of its commit: `main (1a2b3c4)`.
    pub name: String,
    /// The worktree.
    pub directory: PathBuf,
    /// The full name of the commit.
    pub commit: String,
}

impl Revision {
    /// The revision as given, without its commit.
    pub(crate) fn spelled(&self) -> &str {
        let name = self.name.rsplit_once(" (");
        name.map_or(&self.name, |(spelled, _)| spelled)
    }
}

/// The plan with its launched target once in the worktree of the base and once in that of the
/// candidate.
///
/// # Errors
/// If the plan has another number of launched targets than one.
pub fn of_revisions(draft: Draft, base: &Revision, candidate: &Revision) -> Result<Draft, Refusal> {
    in_worktrees(draft, "--base-rev", [(BASE, base), (CANDIDATE, candidate)])
}

/// The plan with its launched target once in each of two worktrees, under these names. `what` needs
/// the target.
///
/// # Errors
/// If the plan has another number of launched targets than one.
pub(super) fn in_worktrees(
    mut draft: Draft,
    what: &str,
    targets: [(&str, &Revision); 2],
) -> Result<Draft, Refusal> {
    let launched = match draft.targets.as_slice() {
        [only] if only.value.command.is_some() => only.clone(),
        others => {
            return Err(problem(sentence!(
                "one-command-needed",
                "{what} needs one target with a command, which runs in the worktree of each \
                 revision; there are {others} targets: use --launch './server --port {{port}}' \
                 once",
                what,
                others = others.len()
            )));
        }
    };
    let of = |name: &str, revision: &Revision| {
        let mut target = launched.clone();
        in_worktree(&mut target.value, name, revision);
        target
    };
    draft.targets = Vec::from(targets.map(|(name, revision)| of(name, revision)));
    draft.baseline = None;
    Ok(draft)
}

fn in_worktree(target: &mut TargetDraft, name: &str, revision: &Revision) {
    target.name = Some(At::nowhere(name));
    let directory = match &target.directory {
        Some(At {
            value: Scalar::Text(within),
            ..
        }) => revision.directory.join(within),
        _ => revision.directory.clone(),
    };
    target.directory = Some(At::nowhere(directory.display().to_string().as_str()));
    if target.version.is_none() {
        target.version = Some(At::nowhere(revision.name.as_str()));
    }
}
