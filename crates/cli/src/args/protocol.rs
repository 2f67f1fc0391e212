//! What the commands of all protocols have in common.

use clap::{ArgMatches, Command, Error, FromArgMatches, Subcommand};
use tenbin_plan::{Draft, Refusal};

use super::{EarlierArgs, OutputArgs, ProtocolCommand};

/// The options of a protocol's command.
pub trait ProtocolArgs {
    /// The plan as written by the options.
    ///
    /// # Errors
    ///
    /// Options that name a target that does not exist.
    fn draft(&self) -> Result<Draft, Refusal>;

    /// Where results go.
    fn output(&self) -> &OutputArgs;

    /// The earlier run to compare with, where one can be named.
    fn earlier(&self) -> Option<&EarlierArgs> {
        None
    }
}

/// The same commands below `tenbin plan`, which says so in its help.
pub struct PlanOf(pub ProtocolCommand);

impl FromArgMatches for PlanOf {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        ProtocolCommand::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl Subcommand for PlanOf {
    fn augment_subcommands(plan: Command) -> Command {
        let protocols = ProtocolCommand::augment_subcommands(Command::new("protocols"));
        let before = plan.get_subcommands().count();
        let commands = protocols.get_subcommands().cloned().enumerate();
        plan.subcommands(commands.map(|(at, command)| {
            let name = command.get_name();
            let about = format!("The plan of `tenbin {name}` with these options");
            command.about(about).display_order(before + at)
        }))
    }

    fn augment_subcommands_for_update(plan: Command) -> Command {
        Self::augment_subcommands(plan)
    }

    fn has_subcommand(name: &str) -> bool {
        ProtocolCommand::has_subcommand(name)
    }
}
