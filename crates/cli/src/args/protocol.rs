//! The interface that the commands of all protocols share.

use clap::{ArgMatches, Command, Error, FromArgMatches, Subcommand};
use tenbin_plan::{Draft, Refusal};

use super::{EarlierArgs, OutputArgs, ProtocolCommand};

/// The options of a protocol's command.
pub trait ProtocolArgs {
    /// The plan that the options describe.
    ///
    /// # Errors
    ///
    /// If an option names a target that does not exist.
    fn draft(&self) -> Result<Draft, Refusal>;

    /// The output options.
    fn output(&self) -> &OutputArgs;

    /// The earlier run to compare with; `None` for commands without `--before`.
    fn earlier(&self) -> Option<&EarlierArgs> {
        None
    }
}

/// The protocol commands as subcommands of `tenbin plan`, with help texts that mention the plan.
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
            let about = format!("Print the plan of `tenbin {name}` with these options");
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
