//! Objects and requests of S3 operations.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use tenbin_plan::{At, Key, S3Draft, Section as _, WorkloadDraft};

use crate::args::flags::{self, Offered};

/// Plan keys whose flags exist only for `tenbin s3 mixed`.
const OF_MIXES: &[&str] = &["operation", "rewrite"];

const DEFAULT_MIX: &str = "get:45,stat:30,put:15,delete:10";

impl Offered for S3Draft {
    const HEADING: &'static str = "Objects";
}

/// Options of the stored objects and of the requests for them.
pub struct ObjectArgs {
    draft: Box<S3Draft>,
    /// Values of `--size`; each value is a separate workload.
    sizes: Vec<String>,
}

fn keys(of_mixes: bool) -> impl Iterator<Item = &'static Key> {
    let keys = S3Draft::KEYS.iter();
    keys.filter(move |key| OF_MIXES.contains(&key.name) == of_mixes)
}

impl Args for ObjectArgs {
    fn augment_args(command: Command) -> Command {
        flags::add(command, S3Draft::HEADING, keys(false))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ObjectArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut draft = S3Draft::default();
        flags::read(matches, &mut draft);
        let sizes = matches.get_many("size");
        Ok(Self {
            draft: Box::new(draft),
            sizes: sizes.into_iter().flatten().cloned().collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The options of `tenbin s3 mixed` that describe the mix of operations.
pub struct MixArgs(pub(super) Box<S3Draft>);

impl Args for MixArgs {
    fn augment_args(command: Command) -> Command {
        flags::add(command, S3Draft::HEADING, keys(true))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for MixArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut draft = S3Draft::default();
        flags::read(matches, &mut draft);
        draft
            .operation
            .get_or_insert_with(|| At::flag("--operations", DEFAULT_MIX));
        Ok(Self(Box::new(draft)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl ObjectArgs {
    /// One workload for each `--size`, or one workload of the default size without `--size`. Each
    /// workload has the operations of `mix`.
    pub(super) fn drafts(&self, mix: &S3Draft) -> Vec<At<WorkloadDraft>> {
        let of_size = |size: Option<&str>| {
            let mut draft = S3Draft::clone(&self.draft);
            for key in OF_MIXES {
                draft.copy(mix, |name| name == *key);
            }
            draft.size = size.map(|size| At::flag("--size", size));
            At::nowhere(WorkloadDraft::of(draft))
        };
        match self.sizes.as_slice() {
            [] => vec![of_size(None)],
            sizes => {
                let sizes = sizes.iter().flat_map(|text| split(text));
                sizes.map(|size| of_size(Some(size))).collect()
            }
        }
    }
}

/// Splits plain sizes at commas. Does not split a size distribution, which contains a colon.
fn split(text: &str) -> Vec<&str> {
    if text.contains(':') {
        vec![text]
    } else {
        text.split(',').collect()
    }
}
