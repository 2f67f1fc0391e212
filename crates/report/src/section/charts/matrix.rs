//! Heat tables of the throughput ratio by object size and number of connections.

use std::collections::BTreeSet;

use tenbin_plan::size::Size;
use tenbin_result::format::{ratio, ratio_interval};
use tenbin_result::{Comparison, Document, Figure, Metric, Outcome, Value, message};

use super::super::claims::{Said, said, verdict_word};
use super::super::suite::place;
use crate::block::{Block, Cell, Table};
use crate::chart::{Chart, Drawing, Heat, HeatCell, Tone};
use crate::language::say;

/// Maximum number of tables.
const TABLES: usize = 8;
/// Smallest ratio, or inverse ratio, for the middle and for the strong colour.
const STRONGER: [f64; 2] = [1.1, 1.5];

pub(in crate::section) fn blocks(document: &Document) -> Vec<Block> {
    let places = || document.workloads.iter().filter_map(place);
    let operations: BTreeSet<&str> = places().map(|it| it.operation).collect();
    let of = |operation| {
        let challengers = document.challengers();
        challengers.map(move |challenger| (operation, challenger.name.as_str()))
    };
    let charts = operations.into_iter().flat_map(of);
    let charts =
        charts.filter_map(|(operation, challenger)| chart(document, operation, challenger));
    let mut charts: Vec<Chart> = charts.take(TABLES).collect();
    if let Some(first) = charts.first_mut() {
        first.file = Some("matrix.svg");
    }
    let blocks = charts.into_iter();
    blocks.map(|chart| Block::Chart(Box::new(chart))).collect()
}

/// The heat table of one operation and challenger; `None` with fewer than two sizes or two numbers
/// of connections.
fn chart(document: &Document, operation: &str, challenger: &str) -> Option<Chart> {
    let places = document.workloads.iter().filter_map(place);
    let places: Vec<_> = places.filter(|it| it.operation == operation).collect();
    let sizes: BTreeSet<u64> = places.iter().map(|it| it.bytes).collect();
    let levels: BTreeSet<u64> = places.iter().map(|it| it.connections).collect();
    if sizes.len() < 2 || levels.len() < 2 {
        return None;
    }
    let mut head = vec!["size", "connections", "ratio", "interval", "verdict"];
    let mut table = Table::new(2, head.drain(..));
    let mut rows = Vec::new();
    for bytes in &sizes {
        let size = Size(*bytes).to_string();
        let mut cells = Vec::new();
        for level in &levels {
            let mut here = places.iter();
            let here = here.find(|it| it.bytes == *bytes && it.connections == *level);
            let found = here.and_then(|it| compared(document, it.workload, challenger));
            cells.push(found.map(|(comparison, figure)| {
                table.push([
                    size.clone().into(),
                    level.to_string().into(),
                    ratio(figure.value).into(),
                    ratio_interval(Some(figure)).into(),
                    Cell::from(verdict_word(comparison)),
                ]);
                cell(comparison, figure)
            }));
        }
        rows.push((size, cells));
    }
    let baseline = document.baseline()?;
    let Some(Block::Table(table)) = table.block() else {
        return None;
    };
    let title = message!(
        "size-by-connections",
        operation,
        challenger,
        baseline = &baseline.name
    );
    let about = message!(
        "about-size-by-connections",
        challenger,
        baseline = &baseline.name,
        strong = Value::Typed(STRONGER[0]),
        strongest = Value::Typed(STRONGER[1])
    );
    Some(Chart {
        title: say(document, &title),
        about: say(document, &about),
        drawing: Drawing::Heat(Heat {
            names: ["object size".to_owned(), "connections".to_owned()],
            columns: levels.iter().map(u64::to_string).collect(),
            rows,
        }),
        table: Some(table),
        file: None,
    })
}

fn compared<'a>(
    document: &'a Document,
    workload: &'a str,
    challenger: &str,
) -> Option<(&'a Comparison, Figure)> {
    let mut all = document.comparisons_of(workload);
    let found = all.find(|it| it.challenger == challenger && it.metric == Metric::Throughput)?;
    Some((found, found.ratio?))
}

fn cell(comparison: &Comparison, figure: Figure) -> HeatCell {
    let interval = figure
        .interval
        .map_or_else(String::new, |_| ratio_interval(Some(figure)));
    HeatCell {
        said: format!(
            "{}: {} ({}), {}",
            comparison.workload,
            ratio(figure.value),
            ratio_interval(Some(figure)),
            verdict_word(comparison)
        ),
        ratio: ratio(figure.value),
        interval,
        tone: tone(comparison, figure.value),
    }
}

/// The tone of a cell follows the verdict, not the ratio: a large ratio can be noise.
fn tone(comparison: &Comparison, ratio: f64) -> Tone {
    let size = ratio.max(1.0 / ratio);
    let strength = 1 + STRONGER.iter().filter(|least| size >= **least).count() as u8;
    match said(comparison) {
        Said::Outcome(Outcome::Faster) => Tone::Better(strength),
        Said::Outcome(Outcome::Slower) => Tone::Worse(strength),
        Said::Outcome(Outcome::Equivalent { .. }) => Tone::Same,
        Said::Outcome(_) | Said::OfTwin { .. } | Said::Nothing => Tone::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenbin_result::Trust;

    #[test]
    fn a_cell_has_the_colour_of_its_verdict_and_not_of_its_ratio() {
        let pair = include_bytes!("../../../tests/documents/pair.json");
        let pair = tenbin_result::document_from_json(pair).expect("a document");
        let with = |outcome: Outcome, trust: Trust, twin: bool| Comparison {
            outcome,
            trust,
            twin,
            ..pair.comparisons[0].clone()
        };
        let unknown = Outcome::Unknown {
            why: String::new(),
            data: None,
        };
        let same = Outcome::Equivalent { within: 0.02 };
        for (outcome, trust, twin, ratio, expected) in [
            (Outcome::Faster, Trust::Valid, false, 1.05, Tone::Better(1)),
            (Outcome::Faster, Trust::Valid, false, 1.1, Tone::Better(2)),
            (Outcome::Slower, Trust::Suspect, false, 0.5, Tone::Worse(3)),
            (same, Trust::Valid, false, 1.01, Tone::Same),
            (unknown, Trust::Valid, false, 9.0, Tone::Unclear),
            (Outcome::Faster, Trust::Invalid, false, 9.0, Tone::Unclear),
            (Outcome::Faster, Trust::Valid, true, 9.0, Tone::Unclear),
        ] {
            let comparison = with(outcome, trust, twin);
            assert_eq!(tone(&comparison, ratio), expected, "{comparison:?}");
        }
    }
}
