//! Options of the duration, the rounds and the slices.

use clap::{Arg, Args};
use tenbin_plan::{Draft, RoundsDraft, Section as _};

use crate::args::ComparingArgs;
use crate::args::flags::Flags;

/// Options of the duration, the rounds and the slices.
#[derive(Args, Default)]
pub struct RoundsArgs {
    /// Flags of the plan keys in `[rounds]`.
    #[command(flatten)]
    pub rounds: Flags<RoundsDraft>,
    /// Options of the comparison and of the entire run.
    #[command(flatten)]
    pub comparing: ComparingArgs,
}

impl RoundsArgs {
    /// Overrides `draft` with the options that were given.
    pub(crate) fn apply(&self, draft: &mut Draft) {
        self.make_room(draft);
        draft.rounds.override_with(&self.rounds.0);
        self.comparing.apply(draft);
    }

    /// Removes the plan file's duration, slice or count if it could contradict the given options:
    /// any two of the three values determine the third.
    fn make_room(&self, draft: &mut Draft) {
        let rounds = &mut draft.rounds;
        let given = &self.rounds.0;
        match (&given.duration, &given.slice, &given.count) {
            (Some(_), Some(_), None) => rounds.count = None,
            (Some(_), None, _) => rounds.slice = None,
            (None, None, None) | (Some(_), Some(_), Some(_)) => {}
            (None, _, _) => rounds.duration = None,
        }
    }
}

/// Removes the default value from the help of a command's own option, for commands with different
/// defaults.
pub(crate) fn without_defaults(arg: Arg) -> Arg {
    if arg.is_global_set() {
        return arg;
    }
    let told = arg.get_help().map(ToString::to_string).unwrap_or_default();
    match told.split_once(" [default: ") {
        Some((help, _)) => arg.help(help.to_owned()),
        None => arg,
    }
}
