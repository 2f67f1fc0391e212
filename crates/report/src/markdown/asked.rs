//! What was expected, and the best value of what was swept.

use super::{Rows, heading, line};
use crate::asked;
use crate::document::Document;
use crate::escape::{as_code, for_markdown};

/// Why the run ended, where that was open.
pub(super) fn ended(page: &mut String, document: &Document) {
    if let Some(text) = asked::ended(document) {
        line(page, "");
        line(page, &format!("The run {text}."));
    }
}

/// Every expectation with its figure, and every optimum.
pub(super) fn asked(page: &mut String, document: &Document) {
    if !document.expectations.is_empty() {
        heading(page, 2, "Expectations");
        let mut table = Rows::new(page, &["", "expected", "target", "workload", "figure"]);
        for each in &document.expectations {
            table.row(&[
                asked::standing(each).to_owned(),
                as_code(&asked::condition(each)),
                for_markdown(&each.target),
                for_markdown(&each.workload),
                for_markdown(&asked::outcome(each)),
            ]);
        }
    }
    if !document.optima.is_empty() {
        heading(page, 2, "Sweeps");
        for optimum in &document.optima {
            line(page, &format!("- {}.", for_markdown(&optimum.sentence)));
        }
    }
}
