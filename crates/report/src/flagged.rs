//! Slices that something was wrong with, in words.

use tenbin_result::{Document, SliceFigures};

/// So many are told one by one.
const TOLD: usize = 3;

/// Which slices of a workload are flagged and by which test, without a full stop; `None`
/// when none is.
pub(crate) fn flagged(document: &Document, workload: &str) -> Option<String> {
    let mine: Vec<&SliceFigures> = document
        .slices
        .iter()
        .filter(|slice| slice.workload == workload && !slice.flags.is_empty())
        .collect();
    let told = mine.iter().take(TOLD).map(|slice| {
        let why = slice.flags.join(", ");
        format!("slice {} of {} ({why})", slice.index + 1, slice.target)
    });
    let mut text = told.collect::<Vec<_>>().join(", ");
    if mine.len() > TOLD {
        text += &format!(" and {} more", mine.len() - TOLD);
    }
    (!mine.is_empty()).then(|| {
        format!("flagged, and in all other rows: {text}; see tenbin explain flagged_slices")
    })
}
