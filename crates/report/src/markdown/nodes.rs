//! What nodes of clusters are worth, for `SUMMARY.md`.

use super::{Rows, heading, line};
use crate::document::Document;
use crate::escape::for_markdown;
use crate::nodes::{HEAD, by_cluster, rows};

/// The cost of the first node and the gain of each further one, by cluster.
pub(super) fn nodes(page: &mut String, document: &Document) {
    if document.nodes.is_empty() {
        return;
    }
    heading(page, 2, "Nodes");
    for ladders in by_cluster(&document.nodes) {
        heading(page, 3, &for_markdown(&ladders[0].cluster));
        let mut table = Rows::new(page, &HEAD);
        for row in rows(&ladders) {
            table.row(&row);
        }
        line(page, "");
        for ladder in ladders {
            line(page, &format!("- {}.", for_markdown(&ladder.sentence)));
        }
    }
}
