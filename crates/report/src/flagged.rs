//! Texts for flagged slices.

use tenbin_result::{Document, SliceFigures};

/// Maximum number of flagged slices listed.
const TOLD: usize = 3;

/// The flagged slices of a workload with the tests that flagged them, without a full stop; `None`
/// if no slice is flagged.
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
        format!(
            "flagged, but included in all other rows: {text}; see tenbin explain flagged_slices"
        )
    })
}
