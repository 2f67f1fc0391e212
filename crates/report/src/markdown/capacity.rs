//! What targets can do at most, for `SUMMARY.md`.

use super::{Rows, heading, line};
use crate::capacity::{LEVELS, hysteresis, law, levels, probes, probes_head};
use crate::document::Document;
use crate::escape::for_markdown;
use crate::words::Unit;

/// The levels of every ladder on every target, and what follows from them.
pub(super) fn capacities(page: &mut String, document: &Document) {
    if document.capacities.is_empty() {
        return;
    }
    heading(page, 2, "Capacity");
    line(page, "![Throughput against clients](ramp-throughput.svg)");
    line(page, "");
    line(page, "![Service time against clients](ramp-latency.svg)");
    for capacity in &document.capacities {
        let title = format!("{} at {}", capacity.target, capacity.family);
        heading(page, 3, &for_markdown(&title));
        line(page, &format!("{}.", for_markdown(&capacity.sentence)));
        line(page, "");
        let mut table = Rows::new(page, &LEVELS);
        for row in levels(capacity, Unit::with_interval) {
            table.row(&row);
        }
        line(page, "");
        if let Some(usl) = &capacity.usl {
            line(page, &format!("{}.", law(usl)));
            line(page, "");
        }
        let hysteresis = hysteresis(capacity);
        line(page, &format!("Hysteresis: {hysteresis}."));
    }
    sentences(
        page,
        document.capacity_comparisons.iter().map(|c| &c.sentence),
    );
}

/// Every probe of every search, and what was found.
pub(super) fn searches(page: &mut String, document: &Document) {
    if document.searches.is_empty() {
        return;
    }
    heading(page, 2, "Highest rate");
    for search in &document.searches {
        let title = format!("{} at {}", search.target, search.workload);
        heading(page, 3, &for_markdown(&title));
        line(page, &format!("{}.", for_markdown(&search.sentence)));
        if search.probes.is_empty() {
            continue;
        }
        line(page, "");
        let head: Vec<String> = probes_head(search)
            .iter()
            .map(|cell| for_markdown(cell))
            .collect();
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let mut table = Rows::new(page, &head);
        for row in probes(search) {
            table.row(&row);
        }
    }
    sentences(page, document.rate_comparisons.iter().map(|c| &c.sentence));
}

fn sentences<'a>(page: &mut String, sentences: impl Iterator<Item = &'a String>) {
    for (at, sentence) in sentences.enumerate() {
        if at == 0 {
            line(page, "");
        }
        line(page, &format!("- {}.", for_markdown(sentence)));
    }
}
