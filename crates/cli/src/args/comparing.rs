//! Options of the comparison.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use tenbin_plan::{At, CompareDraft, Draft, List, Scalar, Section as _};

use super::flags;

/// Options of the comparison (including `--expect` and `--fail-if`) and of the entire run.
#[derive(Clone, Default)]
pub struct ComparingArgs {
    /// Values of the top-level plan keys and of `[compare]`; all other sections are empty.
    draft: Box<Draft>,
}

impl Args for ComparingArgs {
    fn augment_args(command: Command) -> Command {
        const HEADING: &str = "Comparison";
        let command = flags::add(command, HEADING, Draft::KEYS);
        flags::add(command, HEADING, CompareDraft::KEYS)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ComparingArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut draft = Draft::default();
        flags::read(matches, &mut draft);
        flags::read(matches, &mut draft.compare);
        Ok(Self {
            draft: Box::new(draft),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl ComparingArgs {
    /// Overrides `draft` with the options that were given.
    pub(super) fn apply(&self, draft: &mut Draft) {
        draft.override_with(&self.draft);
        draft.compare.override_with(&self.draft.compare);
    }

    /// Whether `--aa` adds a twin of the baseline, a second target for an A/A test.
    pub(super) fn adds_twin(&self) -> bool {
        self.draft.aa.is_some()
    }

    /// Splits the values of `--expect` into conditions and HTTP statuses (`204`, `3xx`). Returns
    /// these options without the statuses, and the statuses.
    pub(super) fn without_statuses(&self) -> (Self, Vec<Scalar>) {
        let mut conditions = self.clone();
        let Some(At {
            value: List::Many(values),
            place,
        }) = self.draft.expect.clone()
        else {
            return (conditions, Vec::new());
        };
        let mut statuses = Vec::new();
        let mut is_condition = |value: &At<Scalar>| {
            let Scalar::Text(word) = &value.value else {
                return true;
            };
            match word.parse::<u64>() {
                Ok(status) => statuses.push(status.into()),
                Err(_) if word.len() == 3 && word.ends_with("xx") => {
                    statuses.push(word.as_str().into());
                }
                Err(_) => return true,
            }
            false
        };
        let values: Vec<_> = values
            .into_iter()
            .filter(|value| is_condition(value))
            .collect();
        conditions.draft.expect = (!values.is_empty()).then_some(At {
            value: List::Many(values),
            place,
        });
        (conditions, statuses)
    }
}
