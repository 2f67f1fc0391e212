//! Commands whose options are declared only when the command is parsed or its help is printed:
//! declaring all options of all commands would take longer than many commands run.

use std::ops::Deref;

use clap::builder::Resettable;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};

use super::brief::briefly;

/// Number of options above which `-h` prints the frequent ones only, in a line each.
const MOST_SHORT: usize = 40;

/// The options or subcommands of a command, declared when they are needed.
pub struct Deferred<T>(T);

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Args> Args for Deferred<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| keeping_about(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: Subcommand> Subcommand for Deferred<T> {
    fn augment_subcommands(command: Command) -> Command {
        command.defer(|command| keeping_about(command, T::augment_subcommands))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        T::has_subcommand(name)
    }
}

/// The command with its options. Its texts are those of the command and not of the type of its
/// options, whose documentation is for programmers.
fn keeping_about(command: Command, augment: fn(Command) -> Command) -> Command {
    let about = Resettable::from(command.get_about().cloned());
    let long_about = Resettable::from(command.get_long_about().cloned());
    let command = augment(command).about(about).long_about(long_about);
    if command.get_arguments().count() > MOST_SHORT {
        briefly(command)
    } else {
        command
    }
}
