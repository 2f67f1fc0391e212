//! Options of the comparison.

use clap::Args;
use tenbin_plan::{At, CompareDraft, Draft, List, Scalar, Section as _};

use crate::args::flags::Flags;

/// Options of the comparison (including `--expect` and `--fail-if`) and of the entire run.
#[derive(Args, Clone, Default)]
pub struct ComparingArgs {
    /// Flags of the plan keys at the top of a plan.
    #[command(flatten)]
    run: Flags<Draft>,
    /// Flags of the plan keys in `[compare]`.
    #[command(flatten)]
    compare: Flags<CompareDraft>,
}

impl ComparingArgs {
    /// Overrides `draft` with the options that were given.
    pub(crate) fn apply(&self, draft: &mut Draft) {
        draft.override_with(&self.run.0);
        draft.compare.override_with(&self.compare.0);
    }

    /// Whether `--aa` adds a twin of the baseline, a second target for an A/A test.
    pub(crate) fn adds_twin(&self) -> bool {
        self.run.0.aa.is_some()
    }

    /// Splits the values of `--expect` into conditions and HTTP statuses (`204`, `3xx`). Returns
    /// these options without the statuses, and the statuses.
    pub(crate) fn without_statuses(&self) -> (Self, Vec<Scalar>) {
        let mut conditions = self.clone();
        let Some(At {
            value: List::Many(values),
            place,
        }) = self.run.0.expect.clone()
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
        conditions.run.0.expect = (!values.is_empty()).then_some(At {
            value: List::Many(values),
            place,
        });
        (conditions, statuses)
    }
}
