//! The part of a result that `tenbin show` prints.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use tenbin_report::Extent;

use crate::args::{ShowArgs, extent};

/// IDs of the flags for a part of a result. `--verbose` conflicts with them.
const PARTS: [&str; 2] = ["section", "findings"];

/// The flags for the part of a result that is printed. `TENBIN_VERBOSE` has no effect beside the flag of
/// a part. clap would refuse the two together, because it counts a variable as a flag that was given.
pub struct PartArgs(PartFlags);

#[derive(Args)]
struct PartFlags {
    /// Print every section of the result: comparisons of every metric, all findings, operations,
    /// connections, server cost and more
    #[arg(long, short, env = "TENBIN_VERBOSE", hide_env_values = true,
          value_parser = clap::builder::FalseyValueParser::new())]
    verbose: bool,
    /// Print only this section
    #[arg(long, value_name = "NAME", conflicts_with = "json",
          value_parser = clap::builder::PossibleValuesParser::new(tenbin_report::section_names()))]
    section: Option<String>,
    /// Print only the findings, including notes: the same as --section findings
    #[arg(long, conflicts_with_all = ["json", "section"])]
    findings: bool,
}

impl PartArgs {
    /// The part of the result that is printed.
    pub(crate) fn extent(&self) -> Extent<'_> {
        match &self.0.section {
            Some(name) => Extent::Section(name),
            None if self.0.findings => Extent::Section("findings"),
            None => extent(self.0.verbose),
        }
    }
}

impl Args for PartArgs {
    fn augment_args(command: Command) -> Command {
        PartFlags::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        PartFlags::augment_args_for_update(command)
    }
}

impl FromArgMatches for PartArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let part = PARTS.into_iter().find(|id| is_given(id));
        match part.filter(|_| is_given("verbose")) {
            Some(id) => Err(conflict(id)),
            None => PartFlags::from_arg_matches(matches).map(Self),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// clap's error for `--verbose` beside the flag of a part with this ID.
fn conflict(id: &str) -> Error {
    let mut command = ShowArgs::augment_args(Command::new("tenbin show"));
    // A flag can be printed, as in the usage, only after the command is built.
    command.build();
    let flag = command.get_arguments().find(|arg| arg.get_id() == id);
    let flag = flag.map(ToString::to_string).unwrap_or_default();
    let usage = command.render_usage();
    let mut error = Error::new(ErrorKind::ArgumentConflict);
    let context = [
        (
            ContextKind::InvalidArg,
            ContextValue::String("--verbose".to_owned()),
        ),
        (ContextKind::PriorArg, ContextValue::String(flag)),
        (ContextKind::Usage, ContextValue::StyledStr(usage)),
    ];
    for (kind, value) in context {
        error.insert(kind, value);
    }
    error
}
