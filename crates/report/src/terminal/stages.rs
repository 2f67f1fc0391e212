//! Stages of targets, in a terminal.

use super::{INDENT, Page};
use crate::document::{Document, Workload};
use crate::escape::for_terminal;
use crate::stages::{BANDS, band_name, notes, operations, rows};
use crate::table::Table;
use crate::words::TIME;

/// Rows of stages that are shown; SUMMARY.md and result.json have all.
const MOST_SHOWN: usize = 24;

impl Page {
    pub(super) fn stages(&mut self, document: &Document, workload: &Workload) {
        for operation in operations(document, &workload.name) {
            let rows = rows(document, &workload.name, operation);
            let mut head = vec![
                format!("stages of {}", for_terminal(operation)),
                "target".to_owned(),
            ];
            head.extend(BANDS.map(|band| band_name(band).to_owned()));
            let mut table = Table::new(head);
            let of_stages = rows.iter().filter(|row| row.is_stage).count();
            let hidden = of_stages.saturating_sub(MOST_SHOWN);
            let shown = rows[..of_stages - hidden].iter();
            for row in shown.chain(&rows[of_stages..]) {
                let mut cells = vec![for_terminal(row.what), for_terminal(row.target)];
                cells.extend(row.means.iter().map(|mean| TIME.with_spread(*mean)));
                table.push(cells);
            }
            self.line("");
            self.table(&table);
            let about = match hidden {
                0 => "means of the requests in the band".to_owned(),
                _ => format!(
                    "means of the requests in the band; {hidden} more rows are in SUMMARY.md"
                ),
            };
            self.line(&format!("{INDENT}{about}"));
        }
        for note in notes(document, &workload.name) {
            self.paragraph(&for_terminal(&note), INDENT, "    ");
        }
    }
}
