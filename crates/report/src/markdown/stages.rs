//! The section about stages of targets.

use super::{Rows, heading, line};
use crate::document::Document;
use crate::escape::for_markdown;
use crate::stages::{BANDS, band_name, notes, operations, rows};
use crate::words::TIME;

pub(super) fn stages(page: &mut String, document: &Document) {
    let mut results = document.results.iter();
    if results.all(|result| result.stages.is_empty()) {
        return;
    }
    heading(page, 2, "Stages of the targets");
    line(
        page,
        "Times that the targets told of their own stages in the heads of their answers: means of \
         the requests in the band, by service time of the correct ones. Stages may lie within each \
         other and need not add up. Network and client is what the target's own total leaves of \
         the service time.",
    );
    for workload in &document.workloads {
        for operation in operations(document, &workload.name) {
            line(page, "");
            let title = format!("{}, {operation}", workload.name);
            line(page, &format!("**{}**", for_markdown(&title)));
            line(page, "");
            let mut head = vec!["stage", "target"];
            head.extend(BANDS.map(band_name));
            let mut table = Rows::new(page, &head);
            for row in rows(document, &workload.name, operation) {
                let mut cells = vec![for_markdown(row.what), for_markdown(row.target)];
                cells.extend(row.means.iter().map(|mean| TIME.with_interval(*mean)));
                table.row(&cells);
            }
        }
        let notes = notes(document, &workload.name);
        if !notes.is_empty() {
            line(page, "");
        }
        for note in notes {
            line(page, &format!("- {}.", for_markdown(&note)));
        }
    }
}
