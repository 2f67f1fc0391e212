//! The interface that the commands of all protocols share.

use std::marker::PhantomData;

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

/// How another command describes the commands of the protocols, which it has as subcommands.
pub trait Wording {
    /// What the subcommand with this name does.
    fn about(name: &str) -> String;
}

/// The words of `tenbin plan`.
pub struct ForPlan;

/// The words of `tenbin gate`.
pub struct ForGate;

/// The words of `tenbin bisect`.
pub struct ForBisect;

impl Wording for ForPlan {
    fn about(name: &str) -> String {
        format!("Print the plan of `tenbin {name}` with these options")
    }
}

impl Wording for ForGate {
    fn about(name: &str) -> String {
        format!("Gate with the options of `tenbin {name}`")
    }
}

impl Wording for ForBisect {
    fn about(name: &str) -> String {
        format!("Bisect with the options of `tenbin {name}`")
    }
}

/// The protocol commands as subcommands of another command, with help texts that mention it.
pub struct ProtocolOf<W>(pub ProtocolCommand, PhantomData<W>);

/// The protocol commands as subcommands of `tenbin plan`.
pub type PlanOf = ProtocolOf<ForPlan>;

/// The protocol commands as subcommands of `tenbin gate`.
pub type GateOf = ProtocolOf<ForGate>;

/// The protocol commands as subcommands of `tenbin bisect`.
pub type BisectOf = ProtocolOf<ForBisect>;

impl<W: Wording> FromArgMatches for ProtocolOf<W> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        ProtocolCommand::from_arg_matches(matches).map(|command| Self(command, PhantomData))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<W: Wording> Subcommand for ProtocolOf<W> {
    fn augment_subcommands(plan: Command) -> Command {
        let protocols = ProtocolCommand::augment_subcommands(Command::new("protocols"));
        let before = plan.get_subcommands().count();
        let commands = protocols.get_subcommands().cloned().enumerate();
        plan.subcommands(commands.map(|(at, command)| {
            let about = W::about(command.get_name());
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
