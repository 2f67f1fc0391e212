//! Chart of all ratios with their intervals, around the line at 1.

use tenbin_result::format::{ratio, ratio_interval};
use tenbin_result::{Comparison, Document, Value, message};
use tenbin_verdict::NOISE_FLOOR;

use super::super::claims::{compared_by, look, metric, verdict_word};
use super::super::closing::interval;
use crate::block::{Block, Cell, Table};
use crate::chart::{Chart, Drawing, Forest, ForestRow};
use crate::language::{say, text};

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
            say(document, &compared_by(comparison)).into(),
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
        label: say(document, &metric(comparison)),
        ratio: figure,
        said: say(
            document,
            &message!(
                "forest-row",
                ratio = Value::Ratio(figure.value),
                interval = interval(figure.interval.map(|ends| (ends.low, ends.high))),
                verdict = text(document, verdict_word(comparison))
            ),
        ),
        look: look(comparison),
        decides: comparison.primary && comparison.level_of.is_none(),
    })
}

/// Smallest effect that counts as a difference: the largest one of all comparisons.
fn floor(document: &Document) -> f64 {
    let floors = document.comparisons.iter().filter_map(|it| it.noise_floor);
    floors.reduce(f64::max).unwrap_or(NOISE_FLOOR)
}

fn about(document: &Document, shown: usize, all: usize) -> String {
    let mut challengers = document.challengers().map(|it| it.name.as_str());
    let challenger = challengers.next().unwrap_or_default();
    let baseline = document.baseline().map(|it| it.name.as_str());
    let sides = match (baseline, challengers.next()) {
        (None, _) => "none",
        (Some(_), None) => "single",
        (Some(_), Some(_)) => "several",
    };
    let margin = document.run.margin;
    let about = message!(
        "about-forest",
        sides = Value::Word(sides.to_owned()),
        challenger,
        baseline = baseline.unwrap_or_default(),
        margin = margin.map_or_else(|| Value::word("none"), Value::Share),
        floor = Value::Share(floor(document)),
        start = document
            .run
            .start_noise
            .filter(|noise| *noise > 0.0)
            .map_or_else(|| Value::word("none"), Value::Share),
        others = all > shown,
        shown,
        all
    );
    say(document, &about)
}
