//! What nodes of clusters are worth, for a terminal.

use super::{INDENT, Ink, Page};
use crate::document::Document;
use crate::escape::for_terminal;
use crate::nodes::{HEAD, by_cluster, rows};
use crate::table::Table;

impl Page {
    /// The cost of the first node and the gain of each further one, by cluster.
    pub(super) fn nodes(&mut self, document: &Document) {
        for ladders in by_cluster(&document.nodes) {
            self.line("");
            let title = for_terminal(&format!("Nodes of {}", ladders[0].cluster));
            let title = self.paint(Ink::Bold, &title);
            self.line(&title);
            let mut table = Table::new(HEAD.map(str::to_owned).to_vec());
            for row in rows(&ladders) {
                table.push(row);
            }
            self.table(&table);
            for ladder in ladders {
                self.paragraph(&for_terminal(&ladder.sentence), INDENT, INDENT);
            }
        }
    }
}
