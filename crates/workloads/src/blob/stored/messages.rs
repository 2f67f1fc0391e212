//! Messages about a set of blobs at the end of a run, or when a phase has no blobs.

use crate::blob::stored::batch::Batch;
use crate::blob::stored::journal::UNKNOWN;
use crate::blob::stored::set::{Set, Source};
use crate::site::BlobAccess;
use crate::text::grouped;

/// Message that says why a phase has no blobs, and what to do.
pub(crate) fn nothing(set: &Set, source: Source, batch: &Batch) -> String {
    let name = &set.name;
    match (source, set.file()) {
        (Source::Phase(_), _) => "the p phase before it has no blobs left; order the phases so \
        that p comes first and d last"
            .to_owned(),
        (Source::Before, _) if batch.left() > 0 => format!(
            "an earlier run was deleting all {} blobs of set \"{name}\" when it ended, and whether \
            they still exist is unknown; delete them again (d), or put more",
            grouped(batch.left())
        ),
        (Source::Before, _) if batch.len() > 0 => {
            format!("all blobs of set \"{name}\" are deleted; put some first")
        }
        (Source::Before, Some(file)) => format!(
            "set \"{name}\" has no blobs in {}; put some first with the same --locations and \
            --prefix (blobstore-bench: run -m p first with the same -r and -pr)",
            file.display()
        ),
        (Source::Before, None) => "no p phase comes before it, and locations in memory start \
        empty; put first, or keep locations on disk with --locations"
            .to_owned(),
    }
}

/// Message with the number of kept blobs and the directory of their locations.
pub(crate) fn kept(set: &Set) -> String {
    let left = set.left_on_disk();
    let earlier = match set.earlier_orphans {
        0 => String::new(),
        UNKNOWN => "; more may be left of runs that were killed, and their locations are unknown"
            .to_owned(),
        some => format!(
            "; up to {} more were put by runs that were killed, and their locations are unknown",
            grouped(some)
        ),
    };
    let deleting = match set.deleting_on_disk() {
        0 => String::new(),
        some => format!(
            "; {} of them were being deleted when a run ended: whether they still exist is \
            unknown, g skips them, and d deletes them",
            grouped(some)
        ),
    };
    format!(
        "{} blob{} of set \"{}\" {} kept, with the locations in {}{deleting}{earlier}",
        grouped(left),
        s(left),
        set.name,
        if left == 1 { "is" } else { "are" },
        set.directory().display()
    )
}

/// Message about blobs that still existed although their deletion was acknowledged.
pub(crate) fn still_there(set: &Set, target: BlobAccess) -> Option<String> {
    let still_there = set.still_there();
    let late = match target {
        BlobAccess::Blobstore => {
            "; a blobstore deletes after 72 hours, unless safe_delay_time_h of its scheduler says \
             otherwise"
        }
        BlobAccess::S3 | BlobAccess::Files | BlobAccess::Dummy => "",
    };
    (still_there > 0).then(|| {
        format!(
            "{} blob{} {} still there at the last poll, although the deletion was \
            acknowledged{late}",
            grouped(still_there),
            s(still_there),
            if still_there == 1 { "was" } else { "were" },
        )
    })
}

/// Message about blobs whose deletion was acknowledged but could not be confirmed.
pub(crate) fn unresolved(set: &Set) -> Option<String> {
    let unresolved = set.unresolved();
    (unresolved > 0).then(|| {
        format!(
            "for {} blob{} whose deletion was acknowledged it is unknown whether {} gone: the last \
            poll had no conclusive response",
            grouped(unresolved),
            s(unresolved),
            if unresolved == 1 { "it is" } else { "they are" },
        )
    })
}

/// Message about blobs that cannot be found, because the outcome of their PUT is unknown.
pub(crate) fn lost(set: &Set) -> Option<String> {
    let orphans = set.orphans();
    if orphans == UNKNOWN {
        let text = "blobs of this run may be left that cannot be found: what agents stored in a \
                    slice was not reported";
        return Some(text.to_owned());
    }
    (orphans > 0).then(|| {
        format!(
            "up to {} blob{} of this run cannot be found: the outcome of {} PUT is unknown",
            grouped(orphans),
            s(orphans),
            if orphans == 1 { "its" } else { "their" },
        )
    })
}

/// The plural ending for `count`: `s` or nothing.
pub(crate) fn s(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}
