//! How the run stands against an earlier one.

use super::{INDENT, Ink, Page};
use crate::document::Document;
use crate::earlier;
use crate::escape::for_terminal;

impl Page {
    pub(super) fn earlier(&mut self, document: &Document) {
        let Some(earlier) = &document.earlier else {
            return;
        };
        self.line("");
        let title = self.paint(Ink::Bold, "Before and after");
        self.line(&format!(
            "{title}  against {}",
            for_terminal(&earlier.before)
        ));
        for doubt in earlier::of_doubts(earlier) {
            self.paragraph(&for_terminal(&doubt), INDENT, "    ");
        }
        self.table(&earlier::table(earlier));
        for sentence in earlier::remarks(earlier) {
            self.paragraph(&for_terminal(&sentence), INDENT, "    ");
        }
    }
}
