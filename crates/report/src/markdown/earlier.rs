//! The section about an earlier run.

use super::{Rows, heading, line};
use crate::document::Document;
use crate::earlier::{COLUMNS, cells, of_controls};
use crate::escape::for_markdown;

pub(super) fn earlier(page: &mut String, document: &Document) {
    let Some(earlier) = &document.earlier else {
        return;
    };
    heading(page, 2, "Before and after");
    line(
        page,
        &format!(
            "Against the earlier run {}. The two were not taken in turns: an interval covers what \
             varied inside the runs, and only controls tell what the machine did between them.",
            for_markdown(&earlier.before)
        ),
    );
    line(page, "");
    let mut table = Rows::new(page, &COLUMNS);
    for change in &earlier.changes {
        table.row(&cells(change).map(|cell| for_markdown(&cell)));
    }
    if let Some(controls) = earlier.controls {
        line(page, "");
        line(page, &format!("{}.", of_controls(controls)));
    }
    for warning in &earlier.warnings {
        line(page, "");
        line(page, &format!("Note: {}.", for_markdown(warning)));
    }
}
