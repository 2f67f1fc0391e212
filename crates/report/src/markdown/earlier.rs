//! The section about an earlier run.

use super::{Rows, heading, line};
use crate::document::Document;
use crate::earlier::{COLUMNS, cells, of_controls, of_doubts, of_intervals};
use crate::escape::for_markdown;

pub(super) fn earlier(page: &mut String, document: &Document) {
    let Some(earlier) = &document.earlier else {
        return;
    };
    heading(page, 2, "Before and after");
    for doubt in of_doubts(earlier) {
        line(page, &format!("{}.", for_markdown(&doubt)));
        line(page, "");
    }
    line(
        page,
        &format!(
            "Against the earlier run {}. The two were not interleaved: an interval covers what \
             varied inside the runs, and only controls tell what the machine did between them.",
            for_markdown(&earlier.before)
        ),
    );
    line(page, "");
    let mut table = Rows::new(page, &COLUMNS);
    for change in &earlier.changes {
        table.row(&cells(change).map(|cell| for_markdown(&cell)));
    }
    for told in [of_controls(earlier), of_intervals(earlier)]
        .into_iter()
        .flatten()
    {
        line(page, "");
        line(page, &format!("{}.", for_markdown(&told)));
    }
    for warning in &earlier.warnings {
        line(page, "");
        line(page, &format!("Note: {}.", for_markdown(warning)));
    }
}
