//! What is said of a set of blobs at the end of a run, or where there is nothing to do.

use super::batch::Batch;
use super::set::{Set, Source};
use crate::site::Means;
use crate::text::grouped;

/// Why a phase finds no blobs, where they were looked for, and what to do.
pub(crate) fn nothing(set: &Set, source: Source, batch: &Batch) -> String {
    let name = &set.name;
    match (source, set.file()) {
        (Source::Phase(_), _) => "no blob is left of those that the p phase before it put; let p \
                                  come first, and d last"
            .to_owned(),
        (Source::Before, _) if batch.left() > 0 => format!(
            "an earlier run was deleting all {} blobs of set \"{name}\" when it ended, and whether \
             they are gone is not known; delete them again (d), or put more",
            grouped(batch.left())
        ),
        (Source::Before, _) if batch.len() > 0 => {
            format!("every blob of set \"{name}\" has been deleted; put some first")
        }
        (Source::Before, Some(file)) => format!(
            "no blob of set \"{name}\" is in {}; put some first with the same --locations and \
             --prefix (blobstore-bench: run -m p first with the same -r and -pr)",
            file.display()
        ),
        (Source::Before, None) => "no p phase comes before it, and locations in memory begin \
                                   empty; put first, or keep locations on disk with --locations"
            .to_owned(),
    }
}

/// How many blobs stay, and where their locations are.
pub(crate) fn kept(set: &Set) -> String {
    let left = set.left_on_disk();
    let earlier = match set.earlier_orphans {
        0 => String::new(),
        some => format!(
            "; up to {} more were put by runs that were killed, and nobody knows where",
            grouped(some)
        ),
    };
    let leaving = match set.leaving_on_disk() {
        0 => String::new(),
        some => format!(
            "; {} of them were being deleted when a run ended: whether they are gone is not \
             known, g leaves them out, and d deletes them",
            grouped(some)
        ),
    };
    format!(
        "{} blob{} of set \"{}\" stay, and their locations are in {}{leaving}{earlier}",
        grouped(left),
        s(left),
        set.name,
        set.directory().display()
    )
}

/// Blobs of a target that were still there though their deletion was acknowledged.
pub(crate) fn lasting(set: &Set, target: Means) -> Option<String> {
    let lasting = set.lasting();
    let late = match target {
        Means::Blobstore => {
            "; a blobstore deletes after 72 hours, unless safe_delay_time_h of its scheduler says \
             otherwise"
        }
        Means::S3 | Means::Files | Means::Dummy => "",
    };
    (lasting > 0).then(|| {
        format!(
            "{} blob{} {} still there when last asked after, though the deletion was \
             acknowledged{late}",
            grouped(lasting),
            s(lasting),
            if lasting == 1 { "was" } else { "were" },
        )
    })
}

/// The same of which nothing is known.
pub(crate) fn untold(set: &Set) -> Option<String> {
    let untold = set.untold();
    (untold > 0).then(|| {
        format!(
            "of {} blob{} whose deletion was acknowledged it is not known whether {} gone: no \
             answer told when last asked after",
            grouped(untold),
            s(untold),
            if untold == 1 { "it is" } else { "they are" },
        )
    })
}

/// What nobody can find.
pub(crate) fn lost(set: &Set) -> Option<String> {
    let orphans = set.orphans();
    (orphans > 0).then(|| {
        format!(
            "up to {} blob{} of this run cannot be found: what became of {} PUT is not known",
            grouped(orphans),
            s(orphans),
            if orphans == 1 { "its" } else { "their" },
        )
    })
}

/// The end of a plural.
pub(super) fn s(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}
