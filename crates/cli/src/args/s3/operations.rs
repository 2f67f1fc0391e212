//! The subcommands of `tenbin s3` for single operations, from the rows of the operations.

use clap::error::ErrorKind;
use clap::{ArgMatches, Args as _, Command, Error, FromArgMatches, Subcommand};
use tenbin_plan::S3Operation;

use super::{Deferred, S3Args};

/// `tenbin s3 put` and the subcommands of the other operations.
pub struct OperationCommand {
    /// The operation, by the name of the subcommand.
    pub operation: S3Operation,
    /// Options of all S3 operations.
    pub args: S3Args,
}

fn named(name: &str) -> Option<S3Operation> {
    S3Operation::all().find(|operation| operation.name() == name)
}

impl Subcommand for OperationCommand {
    fn augment_subcommands(command: Command) -> Command {
        S3Operation::all().fold(command, |command, operation| {
            let own = Deferred::<S3Args>::augment_args(Command::new(operation.name()));
            command.subcommand(own.about(operation.facts().help).long_about(None))
        })
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        named(name).is_some()
    }
}

impl FromArgMatches for OperationCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let (operation, matches) = matches
            .subcommand()
            .and_then(|(name, matches)| Some((named(name)?, matches)))
            .ok_or_else(|| Error::new(ErrorKind::InvalidSubcommand))?;
        let args = S3Args::from_arg_matches(matches)?;
        Ok(Self { operation, args })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
