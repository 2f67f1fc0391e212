//! Objects and requests of S3 operations.

use tenbin_plan::{At, Flag, S3Draft, Section as _, WorkloadDraft};

use crate::args::flags::{Flags, Offered};

/// Heading of the flags that exist only for `tenbin s3 mixed`.
const OF_MIXES: &str = "Operations";

const DEFAULT_MIX: &str = "get:45,stat:30,put:15,delete:10";

impl Offered for S3Draft {
    type Draft = Self;
    const HEADING: &'static str = "Objects";

    fn offers(flag: &Flag) -> bool {
        flag.heading != Some(OF_MIXES)
    }
}

/// Options of the stored objects and of the requests for them.
pub type ObjectArgs = Flags<S3Draft>;

/// The flags of `tenbin s3 mixed` that describe the mix of operations.
pub struct Mixes;

impl Offered for Mixes {
    type Draft = S3Draft;
    const HEADING: &'static str = OF_MIXES;

    fn offers(flag: &Flag) -> bool {
        flag.heading == Some(OF_MIXES)
    }
}

/// The options of `tenbin s3 mixed` that describe the mix of operations.
pub type MixArgs = Flags<Mixes>;

impl Flags<Mixes> {
    /// The mix, by default one of reads and writes.
    pub(super) fn mix(&self) -> S3Draft {
        let mut mix = S3Draft::clone(&self.0);
        mix.operation
            .get_or_insert_with(|| At::flag("--operations", DEFAULT_MIX));
        mix
    }
}

impl Flags<S3Draft> {
    /// One workload for each `--size`, or one workload of the default size without `--size`. Each
    /// workload has the operations of `mix`.
    pub(super) fn drafts(&self, mix: &S3Draft) -> Vec<At<WorkloadDraft>> {
        let of_size = |size: Option<&str>| {
            let mut draft = S3Draft::clone(&self.0);
            draft.override_with(mix);
            draft.size = size.map(|size| At::flag("--size", size));
            At::nowhere(WorkloadDraft::of(draft))
        };
        match self.values("--size") {
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
