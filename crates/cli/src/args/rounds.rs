//! Duration and number of slices.

use clap::{Arg, Args};
use tenbin_plan::Draft;

use super::{ComparingArgs, set};

/// Duration and number of slices.
#[derive(Args, Default)]
#[command(next_help_heading = "Rounds")]
pub struct RoundsArgs {
    /// Measured time per target and workload, for example 30s or 2m [default: rounds × slice]
    #[arg(long, short, value_name = "TIME", allow_hyphen_values = true)]
    pub duration: Option<String>,
    /// Rounds, each with one slice of every target; rounded up to an even number for two targets, to
    /// whole Williams squares for more [default: 8 for one target, 16 for two, otherwise the
    /// fewest with which a difference can be shown]
    #[arg(long, value_name = "N")]
    pub rounds: Option<u32>,
    /// End when every deciding ratio is known to this precision, for example ±2%; --rounds is then
    /// the smallest number of rounds. The end does not depend on whether targets differ
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub until: Option<String>,
    /// With --until: largest number of rounds [default: 8 times the smallest]
    #[arg(long, value_name = "N")]
    pub max_rounds: Option<u32>,
    /// Measured length of one slice, at least 100ms [default: 2s; 1s for three targets or more]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub slice: Option<String>,
    /// Settling time: unmeasured load at the start of every slice [default: a tenth of the slice,
    /// at most 500ms]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub lead: Option<String>,
    /// Pause between two slices [default: 200ms]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub gap: Option<String>,
    /// Unmeasured load before the first slice of each workload on each target [default: 2s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub warmup: Option<String>,
    /// When launched HTTP servers are restarted: block, with empty {data}, so that the intervals
    /// include the variation between starts of a program; slice, with their data, to measure with
    /// cold caches; never. The warm-up then runs after every restart [default: block where
    /// servers start within 2s; slice if no value is given]
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true,
          default_missing_value = "slice")]
    pub relaunch: Option<String>,
    /// Seed of every random choice, to repeat a run exactly [default: drawn and recorded]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Load generator threads [default: half the processor cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<u32>,
    /// Name of the experiment and of its run directory
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// How targets are compared.
    #[command(flatten)]
    pub comparing: ComparingArgs,
}

impl RoundsArgs {
    /// Overrides `draft` with the options that were given.
    pub(super) fn apply(&self, draft: &mut Draft) {
        self.make_room(draft);
        let rounds = &mut draft.rounds;
        set(&mut rounds.duration, "--duration", self.duration.as_deref());
        set(&mut rounds.count, "--rounds", self.rounds);
        set(&mut rounds.until, "--until", self.until.as_deref());
        set(&mut rounds.max_count, "--max-rounds", self.max_rounds);
        set(&mut rounds.slice, "--slice", self.slice.as_deref());
        set(&mut rounds.lead, "--lead", self.lead.as_deref());
        set(&mut rounds.gap, "--gap", self.gap.as_deref());
        set(&mut rounds.warmup, "--warmup", self.warmup.as_deref());
        set(&mut rounds.relaunch, "--relaunch", self.relaunch.as_deref());
        set(&mut draft.seed, "--seed", self.seed);
        set(&mut draft.threads, "--threads", self.threads);
        set(&mut draft.name, "--name", self.name.as_deref());
        self.comparing.apply(draft);
    }

    /// Two of duration, slice and count determine the third: the value in the plan file that must
    /// follow from the options is dropped.
    fn make_room(&self, draft: &mut Draft) {
        let rounds = &mut draft.rounds;
        match (&self.duration, &self.slice, &self.rounds) {
            (Some(_), Some(_), None) => rounds.count = None,
            (Some(_), None, _) => rounds.slice = None,
            (None, None, None) | (Some(_), Some(_), Some(_)) => {}
            (None, _, _) => rounds.duration = None,
        }
    }
}

/// Removes the default value from an option's help, for commands with other defaults.
pub(super) fn without_defaults(arg: Arg) -> Arg {
    let told = arg.get_help().map(ToString::to_string).unwrap_or_default();
    match told.split_once(" [default: ") {
        Some((help, _)) => arg.help(help.to_owned()),
        None => arg,
    }
}
