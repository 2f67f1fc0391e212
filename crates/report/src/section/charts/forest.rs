//! Chart of all ratios with their intervals, around the line at 1.

use tenbin_result::format::{percent, ratio, ratio_ends, ratio_interval};
use tenbin_result::{Comparison, Document};

use super::super::claims::{look, verdict_word};
use crate::block::{Block, Cell, Table};
use crate::chart::{Chart, Drawing, Forest, ForestRow};

/// Maximum number of rows in the plot. If there are more ratios, those of primary comparisons are
/// drawn first.
const ROWS: usize = 40;

pub(in crate::section) fn blocks(document: &Document) -> Vec<Block> {
    let all = all(document);
    let shown: Vec<&Comparison> = if all.len() > ROWS {
        let (primary, others): (Vec<_>, Vec<_>) = all.iter().partition(|each| each.primary);
        primary.into_iter().chain(others).take(ROWS).collect()
    } else {
        all.clone()
    };
    if shown.is_empty() {
        return Vec::new();
    }
    let several = document.targets.len() > 2;
    let mut table = Table::new(2, ["workload", "ratio of", "ratio", "interval", "verdict"]);
    for comparison in &shown {
        table.push([
            comparison.workload.clone().into(),
            label(comparison, true).into(),
            Cell::from(
                comparison
                    .ratio
                    .map_or_else(String::new, |figure| ratio(figure.value)),
            ),
            ratio_interval(comparison.ratio).into(),
            verdict_word(comparison).into(),
        ]);
    }
    let Some(Block::Table(table)) = table.block() else {
        return Vec::new();
    };
    let rows = shown.iter().filter_map(|each| row(document, each, several));
    let chart = Chart {
        title: "All ratios".to_owned(),
        about: about(document, shown.len(), all.len()),
        drawing: Drawing::Forest(Forest {
            sides: ["lower".to_owned(), "higher".to_owned()],
            margin: document.run.margin,
            rows: rows.collect(),
        }),
        table: Some(table),
        file: Some("forest.svg"),
    };
    vec![Block::Chart(Box::new(chart))]
}

/// All comparisons of the document that have a ratio.
fn all(document: &Document) -> Vec<&Comparison> {
    let works = document.workloads.iter();
    let of_targets = works.flat_map(|work| document.comparisons_of(&work.name));
    let curves = document.curves.iter();
    let all = curves
        .chain(of_targets)
        .chain(&document.workload_comparisons);
    all.filter(|comparison| comparison.ratio.is_some())
        .collect()
}

fn label(comparison: &Comparison, with_targets: bool) -> String {
    if with_targets {
        format!(
            "{}, {} ÷ {}",
            comparison.metric_phrase, comparison.challenger, comparison.baseline
        )
    } else {
        comparison.metric_phrase.clone()
    }
}

fn row(document: &Document, comparison: &Comparison, several: bool) -> Option<ForestRow> {
    let figure = comparison.ratio?;
    let group = match (several, document.workloads.len()) {
        (true, _) => format!(
            "{}: {} ÷ {}",
            comparison.workload, comparison.challenger, comparison.baseline
        ),
        (false, 0 | 1) => String::new(),
        (false, _) => comparison.workload.clone(),
    };
    Some(ForestRow {
        group,
        label: label(comparison, false),
        ratio: figure,
        said: format!(
            "{} ({})  {}",
            ratio(figure.value),
            ratio_ends(figure),
            verdict_word(comparison)
        ),
        look: look(comparison),
        decides: comparison.primary && comparison.level_of.is_none(),
    })
}

fn about(document: &Document, shown: usize, all: usize) -> String {
    let targets: Vec<&str> = document.challengers().map(|it| it.name.as_str()).collect();
    let sides = match (targets.as_slice(), document.baseline()) {
        ([one], Some(baseline)) => format!("{one} ÷ {}", baseline.name),
        (_, Some(baseline)) => format!("each target ÷ {}", baseline.name),
        _ => "challenger ÷ baseline".to_owned(),
    };
    let mut text = format!(
        "{sides}, with its interval. An interval that does not touch the line at 1 is a difference; \
         a filled square decides the workload"
    );
    if let Some(margin) = document.run.margin {
        text += &format!(
            "; an interval inside the grey band (±{}) is equivalence",
            percent(margin)
        );
    }
    text.push('.');
    if all > shown {
        text += &format!(" {shown} of {all} ratios; the others are in the section Comparisons.");
    }
    text
}
