//! What targets can do at most, for a terminal.

use super::{INDENT, Ink, Page};
use crate::capacity::{LEVELS, hysteresis, law, levels, probes, probes_head};
use crate::document::Document;
use crate::escape::for_terminal;
use crate::table::Table;
use crate::words::Unit;

impl Page {
    /// The levels of every ladder on every target, and what follows from them.
    pub(super) fn capacities(&mut self, document: &Document) {
        for capacity in &document.capacities {
            self.line("");
            let (family, target) = (&capacity.family, &capacity.target);
            let title = for_terminal(&format!("Capacity of {target} at {family}"));
            let title = self.paint(Ink::Bold, &title);
            self.line(&title);
            let mut table = Table::new(LEVELS.map(str::to_owned).to_vec());
            for row in levels(capacity, Unit::with_spread) {
                table.push(row);
            }
            self.table(&table);
            self.paragraph(&for_terminal(&capacity.sentence), INDENT, INDENT);
            if let Some(usl) = &capacity.usl {
                self.paragraph(&law(usl), INDENT, INDENT);
            }
            self.paragraph(&hysteresis(capacity), INDENT, INDENT);
        }
        for comparison in &document.capacity_comparisons {
            self.paragraph(&for_terminal(&comparison.sentence), INDENT, INDENT);
        }
    }

    /// Every probe of every search, and what was found.
    pub(super) fn searches(&mut self, document: &Document) {
        for search in &document.searches {
            self.line("");
            let (workload, target) = (&search.workload, &search.target);
            let title = for_terminal(&format!("Highest rate of {target} at {workload}"));
            let title = self.paint(Ink::Bold, &title);
            self.line(&title);
            if !search.probes.is_empty() {
                let mut table = Table::new(probes_head(search));
                for row in probes(search) {
                    table.push(row);
                }
                self.table(&table);
            }
            self.paragraph(&for_terminal(&search.sentence), INDENT, INDENT);
        }
        for comparison in &document.rate_comparisons {
            self.paragraph(&for_terminal(&comparison.sentence), INDENT, INDENT);
        }
    }
}
