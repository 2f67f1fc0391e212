//! The command line: every command and option, declared once for the parser, the help, the shell
//! completions and the manual pages.
//!
//! The options of a command that measures become a [`Draft`](tenbin_plan::Draft), the type that a
//! plan file is also read into.

mod agent;
mod bisect;
mod blob;
mod brief;
mod deferred;
mod doctor;
mod flags;
mod foreign;
mod gate;
mod groups;
mod http;
mod hub;
mod init;
mod observe;
mod options;
mod protocol;
mod quickstart;
mod results;
mod run;
mod s3;
mod search;
mod serve;
mod tip;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use tenbin_plan::{At, Draft, Field, List, Mistake, Problem, Refusal, Scalar};
use tenbin_report::Extent;
use tenbin_result::Language;

pub use agent::{AgentArgs, AgentsArgs, NatsArgs};
pub(crate) use bisect::{BAD, CommitRun, GOOD, of_commits};
pub use bisect::{BisectArgs, BisectCommand, BisectSettings, SearchOptions};
pub use blob::{BlobArgs, StoreArgs};
pub(crate) use brief::{first_examples, is_brief, whole_help};
pub use deferred::Deferred;
pub use doctor::{DoctorArgs, DoctorCommand, DoctorMachineArgs, DoctorS3Args};
pub use flags::{Flags, Offered};
pub(crate) use foreign::world as foreign_world;
pub(crate) use foreign::{AddedArgs, is_added};
pub use foreign::{ForeignArgs, TOOLS, called_by_name};
pub use gate::{
    GateArgs, GateCommand, GateSettings, ReportingArgs, Revision, RevisionArgs, of_revisions,
};
pub use groups::in_words as template;
pub use http::{HttpArgs, RequestArgs, USUAL_FORMS};
pub use hub::HubArgs;
pub use init::{CiChoice, GoalKind, InitArgs, ServerKind, value_name};
pub use observe::ObserveArgs;
pub use options::comparing::ComparingArgs;
pub use options::export::ExportArgs;
pub use options::keys::KeyArgs;
pub(crate) use options::observed::observed;
pub use options::output::OutputArgs;
pub use options::rounds::RoundsArgs;
pub use options::target::{TargetArgs, UrlOrTargets};
pub use protocol::{BisectOf, GateOf, PlanOf, ProtocolArgs};
pub use quickstart::{QuickstartArgs, QuickstartKind};
pub use results::chart::ChartArgs;
pub use results::columns::ColumnsArgs;
pub use results::compare::{CompareArgs, EarlierArgs};
pub use results::explain::ExplainArgs;
pub use results::history::HistoryArgs;
pub(crate) use results::history::figure as history_figure;
pub use results::import::{ImportArgs, LintArgs, NamedFile};
pub use results::pack::{PackArgs, RerunArgs, VerifyArgs};
pub use results::part::PartArgs;
pub use results::report::ReportArgs;
pub use results::runs::{LabelArgs, ListArgs, NoteArgs, PruneArgs, RmArgs};
pub use results::ui::UiArgs;
pub use run::RunArgs;
pub use s3::suite::{PlaceArgs, Scenario, SuiteArgs};
pub use s3::{MixArgs, MixedArgs, ObjectArgs, OperationCommand, S3Args, S3Command};
pub use search::{
    BisectSearchArgs, ClientArgs, GateSearchArgs, LoginArgs, PatternFormat, SearchCommand,
    SearchConvertArgs, SearchDataArgs, SearchDumpArgs, SearchLoadArgs, SearchPatternsArgs,
    SearchRampArgs, SearchStatusArgs, SearchTermsArgs,
};
pub use serve::{GoneArg, ServeBlobArgs, ServeCommand, ServeHttpArgs, ServeS3Args, ServeTruthArgs};
pub(crate) use tip::suggestion;
pub use tip::with_tip;

/// Compares the performance of two or more servers.
///
/// Tenbin sends the same requests to every server, in short time slices that alternate between the
/// servers, and reports which server is faster, by how much, and with what confidence.
#[derive(Parser)]
#[command(
    name = "tenbin",
    version,
    long_version = env!("TENBIN_LONG_VERSION"),
    subcommand_required = true,
    arg_required_else_help = true,
    max_term_width = 100,
    help_template = groups::template(),
    after_help = EXAMPLES
)]
pub struct Cli {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
    /// Language of reports: en or ja [default: from LC_ALL, LC_MESSAGES or LANG]
    #[arg(
        id = "lang",
        long = "lang",
        value_name = "LANG",
        global = true,
        env = "TENBIN_LANG",
        hide_env = true
    )]
    pub language: Option<Language>,
}

const EXAMPLES: &str = "\
Examples:
  Try it without a server:
    tenbin quickstart

  Which of two web servers is faster?
    tenbin http --target nginx=http://127.0.0.1:8080/ --target caddy=http://127.0.0.1:8081/

  Which of two object stores is faster at PUT of 64 KiB objects?
    tenbin s3 put --size 64KiB --target minio=http://127.0.0.1:9000 \\
        --target versity=http://127.0.0.1:7070

  Save the experiment in a plan file, to run it again later:
    tenbin plan http --target a=http://127.0.0.1:8080/ > plan.toml
    tenbin run plan.toml";

/// The commands of `tenbin`.
#[derive(Subcommand)]
pub enum Command {
    /// Compare two built-in servers, to see how Tenbin works
    Quickstart(Deferred<QuickstartArgs>),
    /// The commands of the protocols: `http`, `s3` and `blob`
    #[command(flatten)]
    Protocol(Box<ProtocolCommand>),
    /// Run a warp command line (MinIO's benchmark)
    #[command(disable_help_flag = true)]
    Warp(ForeignArgs),
    /// Run an hsbench command line
    #[command(disable_help_flag = true)]
    Hsbench(ForeignArgs),
    /// Run a blobstore-bench command line (CubeFS's benchmark)
    #[command(disable_help_flag = true)]
    BlobstoreBench(ForeignArgs),
    /// Run a wrk command line
    #[command(disable_help_flag = true)]
    Wrk(ForeignArgs),
    /// Run a wrk2 command line: a constant rate
    #[command(disable_help_flag = true)]
    Wrk2(ForeignArgs),
    /// Run an ab command line (ApacheBench)
    #[command(disable_help_flag = true)]
    Ab(ForeignArgs),
    /// Measure full-text search servers, load documents into them, extract search terms
    #[command(subcommand)]
    Search(Deferred<SearchCommand>),
    /// Run a drnbench-request-response command line: measure at a stepwise increasing load
    #[command(name = "drnbench-request-response", disable_help_flag = true)]
    RequestResponse(ForeignArgs),
    /// Run a drnbench-publish-subscribe command line: measure delivery to many subscribers
    #[command(name = "drnbench-publish-subscribe", disable_help_flag = true)]
    PublishSubscribe(ForeignArgs),
    /// Run a drnbench-extract-searchterms command line
    #[command(name = "drnbench-extract-searchterms", disable_help_flag = true)]
    ExtractSearchterms(ForeignArgs),
    /// Run a drnbench-generate-select-patterns command line
    #[command(name = "drnbench-generate-select-patterns", disable_help_flag = true)]
    GenerateSelectPatterns(ForeignArgs),
    /// Run a grn2drn command line
    #[command(name = "grn2drn", disable_help_flag = true)]
    Grn2drn(ForeignArgs),
    /// Run a grndump command line: print the commands that recreate a Groonga database
    #[command(name = "grndump", disable_help_flag = true)]
    Grndump(ForeignArgs),
    /// Run a droonga-send command line
    #[command(name = "droonga-send", disable_help_flag = true)]
    DroongaSend(ForeignArgs),
    /// Ask what to measure, try the servers, and write a plan file, also for CI
    Init(Deferred<InitArgs>),
    /// Check this machine and servers before a run: cores, limits, disk, clock, ports, S3 keys
    Doctor(Box<Deferred<DoctorArgs>>),
    /// Run the experiment that a plan file (TOML) describes
    Run(Deferred<RunArgs>),
    /// Test in CI whether a candidate is as good as its base: pass, regression or cannot tell
    Gate(Box<Deferred<GateArgs>>),
    /// Find the commit that made a server slower, by noisy binary search
    Bisect(Box<Deferred<BisectArgs>>),
    /// Print the plan file of a command line, to edit and run with `tenbin run`
    #[command(subcommand)]
    Plan(Deferred<PlanCommand>),
    /// Delete the objects and files that a killed run left on its targets and on this machine
    Clean(Deferred<CleanArgs>),
    /// List the runs in ./runs, newest first
    #[command(visible_alias = "runs")]
    List(Deferred<ListArgs>),
    /// Show how figures changed over the runs in ./runs, and date the changes
    History(Deferred<HistoryArgs>),
    /// Serve pages of the runs in ./runs to a browser on this machine, until Ctrl-C
    Ui(Deferred<UiArgs>),
    /// Give a run a label, which then names it in every command
    Label(Deferred<LabelArgs>),
    /// Give a run a note, in place of that of its plan
    Note(Deferred<NoteArgs>),
    /// Move runs to the trash
    Rm(Deferred<RmArgs>),
    /// Move all but the newest and the labelled runs to the trash
    Prune(Deferred<PruneArgs>),
    /// Print the result of an earlier run, finished or interrupted
    Show(Deferred<ShowArgs>),
    /// Write the results of one or more runs as one HTML page with charts
    Report(Deferred<ReportArgs>),
    /// Compare two runs, one before and one after a change
    Compare(Deferred<CompareArgs>),
    /// Print result files of other tools, such as wrk or vegeta, or convert them to JSON
    Import(Deferred<ImportArgs>),
    /// Check result files of other tools for measurement errors
    Lint(Deferred<LintArgs>),
    /// Draw the concurrency sweeps of several runs or drnbench result files in one chart
    Chart(Deferred<ChartArgs>),
    /// Pack a run into one file that anyone can check with `tenbin verify`
    Pack(Deferred<PackArgs>),
    /// Recompute every figure of a run from its raw data and compare it with the result
    Verify(Deferred<VerifyArgs>),
    /// Run the plan of an earlier run again and compare the two runs
    Rerun(Deferred<RerunArgs>),
    /// Explain a finding of a report: its test, its threshold and what to do
    Explain(Deferred<ExplainArgs>),
    /// Run a built-in server until Ctrl-C
    #[command(subcommand)]
    Serve(Deferred<ServeCommand>),
    /// Report a server's CPU and memory use to a load generator on another machine
    Observe(Deferred<ObserveArgs>),
    /// Send load for a coordinator on another machine, until Ctrl-C
    Agent(Deferred<AgentArgs>),
    /// List the agents connected to a NATS server
    Agents(Deferred<AgentsArgs>),
    /// Run a NATS server that connects several load machines, until Ctrl-C
    Hub(Deferred<HubArgs>),
    /// Print the completion script for a shell
    Completions(CompletionsArgs),
    /// Write the manual pages into a directory
    Man(ManArgs),
    /// Supervise the processes of a launched target (internal)
    #[command(hide = true, disable_help_flag = true, disable_version_flag = true)]
    Guard(GuardArgs),
}

/// The commands of the protocols, which `tenbin plan` has as subcommands too.
#[derive(Subcommand)]
pub enum ProtocolCommand {
    /// Measure or compare HTTP servers: repeat one request, or send requests from a file
    Http(Deferred<HttpArgs>),
    /// Measure or compare S3 object stores
    #[command(subcommand)]
    S3(Deferred<S3Command>),
    /// Measure or compare blob stores (CubeFS, S3, local files): put, get and delete phases
    Blob(Deferred<BlobArgs>),
}

impl ProtocolCommand {
    /// The options of the command.
    pub fn args(&self) -> &dyn ProtocolArgs {
        match self {
            Self::Http(args) => &**args,
            Self::S3(args) => &**args,
            Self::Blob(args) => &**args,
        }
    }
}

/// The commands whose plan can be printed.
#[derive(Subcommand)]
pub enum PlanCommand {
    /// Print the plan of `tenbin quickstart`
    Quickstart(Deferred<QuickstartArgs>),
    /// Print the plan of a protocol's command
    #[command(flatten)]
    Protocol(Box<PlanOf>),
    /// Print the plan of `tenbin search ramp` with these options
    SearchRamp(Box<Deferred<SearchRampArgs>>),
    /// Print the plan of `tenbin warp` with these arguments
    #[command(disable_help_flag = true)]
    Warp(ForeignArgs),
    /// Print the plan of `tenbin hsbench` with these arguments
    #[command(disable_help_flag = true)]
    Hsbench(ForeignArgs),
    /// Print the plan of `tenbin wrk` with these arguments
    #[command(disable_help_flag = true)]
    Wrk(ForeignArgs),
    /// Print the plan of `tenbin wrk2` with these arguments
    #[command(disable_help_flag = true)]
    Wrk2(ForeignArgs),
    /// Print the plan of `tenbin ab` with these arguments
    #[command(disable_help_flag = true)]
    Ab(ForeignArgs),
    /// Check a plan file and print it with every default filled in
    File(Deferred<RunArgs>),
    /// Print the JSON Schema of plan files, for editors and linters
    Schema,
}

impl PlanCommand {
    /// The plan that the options describe; `None` if the command prints no plan.
    ///
    /// # Errors
    ///
    /// When an option names a target that does not exist.
    pub fn draft(&self) -> Option<Result<Draft, Refusal>> {
        let (draft, output) = match self {
            Self::Quickstart(args) => (Ok(args.draft()), &args.output),
            Self::Protocol(plan) => (plan.0.args().draft(), plan.0.args().output()),
            Self::SearchRamp(args) => (args.draft(), &args.output),
            Self::Warp(args) => return Some(args.draft(foreign::planned_warp)),
            Self::Hsbench(args) => return Some(args.draft(foreign::planned_hsbench)),
            Self::Wrk(args) => return Some(args.draft(foreign::planned_wrk)),
            Self::Wrk2(args) => return Some(args.draft(foreign::planned_wrk2)),
            Self::Ab(args) => return Some(args.draft(foreign::planned_ab)),
            Self::File(args) => (args.draft(), &args.output),
            Self::Schema => return None,
        };
        Some(draft.map(|mut draft| {
            output.write_down(&mut draft);
            draft
        }))
    }
}

/// `tenbin clean`.
#[derive(Args)]
#[command(after_help = "\
Only killed runs need this command: a run that ends or is interrupted cleans up by itself. Tenbin
deletes only objects whose keys begin with the prefix of the run, and no buckets. Credentials come
from the same place as in the run, for example TENBIN_ACCESS_KEY and TENBIN_SECRET_KEY.

Example:
  tenbin clean runs/2026-01-31T120000-s3-put")]
pub struct CleanArgs {
    /// Directory of the run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
}

const SHOW_EXAMPLES: &str = "\
Examples:
  tenbin show last
  tenbin show last --export go=- | benchstat -col /target -
  tenbin show runs/2026-01-31T120000-search-ramp --drnbench result.csv
  tenbin show groonga-result.csv";

/// `tenbin show`.
#[derive(Args)]
#[command(after_help = format!("{SHOW_EXAMPLES}\n\n{}", options::export::formats()))]
pub struct ShowArgs {
    /// The run: last, previous, last~2, its label, its name (--name), the beginning of the name of
    /// its directory, or its directory, for example runs/2026-01-31T120000-s3-put; or a result file:
    /// result.json, or a file of another tool. Tenbin checks drnbench files against Little's law
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Write the concurrency sweeps of the run in drnbench's format. With several targets, each
    /// target has a file named TARGET-FILE
    #[arg(long, value_name = "FILE")]
    pub drnbench: Option<PathBuf>,
    /// The part of the result.
    #[command(flatten)]
    pub part: PartArgs,
    /// Print the result as JSON instead of tables
    #[arg(long)]
    pub json: bool,
    /// End with exit code 9 if the result is SUSPECT
    #[arg(long)]
    pub strict: bool,
    /// Files in other formats.
    #[command(flatten)]
    pub export: ExportArgs,
}

impl ShowArgs {
    /// The part of the result that is printed.
    pub(crate) fn extent(&self) -> Extent<'_> {
        self.part.extent()
    }
}

/// The part of a result that is printed: everything if `verbose`, otherwise the short report.
pub(crate) fn extent(verbose: bool) -> Extent<'static> {
    if verbose {
        Extent::Verbose
    } else {
        Extent::Screen
    }
}

/// `tenbin completions`.
#[derive(Args)]
#[command(after_help = "\
Example:
  tenbin completions bash > ~/.local/share/bash-completion/completions/tenbin")]
pub struct CompletionsArgs {
    /// Name of the shell
    pub shell: Shell,
}

/// `tenbin man`.
#[derive(Args)]
pub struct ManArgs {
    /// Directory to write the pages to; created if missing
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

/// `tenbin guard`, with all arguments after the word `guard`.
#[derive(Args)]
pub struct GuardArgs {
    /// Arguments of the guard
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}

/// The complete command line, for manual pages.
pub fn command() -> clap::Command {
    Cli::command()
}

/// The command line without hidden commands, which clap would list in the completions of some
/// shells.
pub fn completed() -> clap::Command {
    let whole = command();
    let shown = whole.get_subcommands().filter(|each| !each.is_hide_set());
    clap::Command::new("tenbin")
        .version(env!("CARGO_PKG_VERSION"))
        .long_about(whole.get_long_about().cloned().unwrap_or_default())
        .args(whole.get_arguments())
        .subcommands(shown)
}

/// Sets a field of a draft to the value of a flag, if the flag was given.
fn set<T: Into<Scalar>>(field: &mut Field, flag: &'static str, value: Option<T>) {
    if let Some(value) = value {
        *field = Some(At::flag(flag, value));
    }
}

/// The values of a repeatable flag as a list; `None` without values.
fn many<T: Clone + Into<Scalar>>(flag: &'static str, values: &[T]) -> Option<At<List>> {
    let items = values.iter().cloned().map(|value| At::flag(flag, value));
    (!values.is_empty()).then(|| At::flag(flag, List::Many(items.collect())))
}

/// Creates an error that no single value of a draft causes.
fn problem(mistake: impl Into<Mistake>) -> Refusal {
    Refusal::from(Problem {
        file: None,
        position: None,
        key: None,
        mistake: mistake.into(),
    })
}
