//! The section that compares each challenger with the baseline, by figure.

use tenbin_result::format::{UNKNOWN, digits, ratio, ratio_interval};
use tenbin_result::{Comparison, Document, message};
use tenbin_verdict::sentences;

use super::claims::{between_workloads, compared_by, metric, verdict_word, winner};
use crate::block::{Block, Cell, Look, Table, Text};
use crate::flagged::flagged;
use crate::language::{say, say_text, styled};
use crate::paired::paired;
use crate::words::intervals_together;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let mut table = Table::new(
        2,
        [
            "workload",
            "compared by",
            "ratio",
            "interval",
            "verdict",
            "winner",
            "p, corrected where it decides",
        ],
    );
    let mut notes = Vec::new();
    let curves = document.curves.iter();
    for comparison in curves {
        push(document, &mut table, &comparison.workload, comparison, "");
    }
    for workload in &document.workloads {
        let of_targets = document.comparisons_of(&workload.name);
        let with_others = document.comparisons_with_workloads(&workload.name);
        let mut has_flagged = false;
        for comparison in of_targets {
            push(document, &mut table, &workload.name, comparison, "");
            has_flagged |= comparison.without_flagged.is_some();
        }
        for comparison in with_others {
            let place = format!(" on {}", comparison.workload);
            push(document, &mut table, &workload.name, comparison, &place);
        }
        notes.extend(flagged(document, &workload.name).filter(|_| has_flagged));
        notes.extend(paired(document, document.comparisons_of(&workload.name)));
    }
    notes.extend(intervals_together(document).map(|note| say(document, &note)));
    let asked = document.questions();
    let asked = asked.map(|each| sentences::of_comparison(document, each));
    let verdicts = asked.chain(between_workloads(document));
    notes.extend(verdicts.map(|verdict| say(document, &verdict)));
    let Some(table) = table.block() else {
        return Vec::new();
    };
    let mut blocks = vec![table];
    blocks.extend(Block::sentences(&notes));
    blocks
}

fn push(
    document: &Document,
    table: &mut Table,
    workload: &str,
    comparison: &Comparison,
    place: &str,
) {
    let compared = compared_by(comparison);
    let decides = comparison.primary && comparison.level_of.is_none();
    let winner = winner(comparison).unwrap_or("none");
    table.push([
        workload.into(),
        Cell::Text(if decides {
            let by = styled(&(say(document, &compared) + place));
            say_text(document, &message!("decides", metric = by), Look::Strong)
        } else {
            Text::plain(say(document, &compared) + place)
        }),
        comparison
            .ratio
            .map_or_else(|| UNKNOWN.to_owned(), |figure| ratio(figure.value))
            .into(),
        ratio_interval(comparison.ratio).into(),
        verdict_word(comparison).into(),
        winner.into(),
        comparison
            .adjusted_p
            .or(comparison.p)
            .map_or_else(|| UNKNOWN.to_owned(), digits)
            .into(),
    ]);
    if let Some(without) = comparison.without_flagged {
        table.push([
            workload.into(),
            say(
                document,
                &message!("without-flagged", metric = metric(comparison)),
            )
            .into(),
            ratio(without.value).into(),
            ratio_interval(Some(without)).into(),
            Cell::empty(),
            Cell::empty(),
            Cell::empty(),
        ]);
    }
}
