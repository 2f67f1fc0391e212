//! What was expected, and why the run ended.

use super::{INDENT, Ink, Page};
use crate::asked;
use crate::document::{Document, Standing};
use crate::escape::for_terminal;

impl Page {
    /// Why the run ended, where that was open.
    pub(super) fn ended(&mut self, document: &Document) {
        if let Some(text) = asked::ended(document) {
            self.paragraph(&text, "", INDENT);
        }
    }

    /// Everything that was expected, with the figures.
    pub(super) fn expectations(&mut self, document: &Document) {
        if document.expectations.is_empty() {
            return;
        }
        self.line("");
        let title = self.paint(Ink::Bold, "Expectations");
        self.line(&title);
        for each in &document.expectations {
            let ink = match each.standing {
                Standing::Met => Ink::Green,
                Standing::NotMet => Ink::Red,
                Standing::CannotTell if each.fails_if => Ink::Green,
                Standing::CannotTell => Ink::Yellow,
            };
            let word = format!("{:<11}", asked::standing(each));
            let word = self.paint(ink, &word);
            let subject = for_terminal(&asked::subject(each));
            self.line(&format!("{INDENT}{word}  {subject}"));
            self.paragraph(&for_terminal(&asked::outcome(each)), "    ", "    ");
        }
    }
}
