//! Texts for flagged slices.

use tenbin_result::{Document, Message, SliceFigures, Value, message};

use crate::language::say;

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
        message!(
            "flagged-slice",
            slice = Value::Plain(slice.index as u64 + 1),
            target = slice.target.as_str(),
            flags = slice.flags.join(", ")
        )
    });
    let told: Vec<Message> = told.collect();
    (!mine.is_empty()).then(|| {
        let flagged = message!(
            "flagged-included",
            slices = told,
            more = mine.len().saturating_sub(TOLD)
        );
        say(document, &flagged)
    })
}
