//! Chart of the ratio of each block of rounds in run order, which shows drift.

use std::collections::BTreeMap;

use tenbin_result::format::{UNKNOWN, ratio, ratio_ends};
use tenbin_result::{Comparison, Document, Value, message};

use super::super::claims::metric;
use super::groups::{Group, grouped, size};
use crate::block::{Block, Table};
use crate::chart::{Axis, Chart, Drawing, Marks, Panel, Panels, Point, Series, Style};
use crate::language::{figure_words, say};

/// Maximum number of comparisons in one chart.
const PANELS: usize = 4;
/// Maximum number of dots per comparison.
const DOTS: usize = 100;
/// Minimum number of blocks to show drift.
const FEWEST: usize = 3;
/// A block of two targets or workloads.
const PAIR: &str = "pair of rounds";
/// A block of more of them.
const GROUP: &str = "group of rounds";

pub(in crate::section) fn blocks(document: &Document) -> Vec<Block> {
    let primary: Vec<&Comparison> = document
        .comparisons
        .iter()
        .chain(&document.workload_comparisons)
        .filter(|each| each.primary && each.block_ratios.len() >= FEWEST)
        .collect();
    let shown = &primary[..primary.len().min(PANELS)];
    let Some(longest) = shown.iter().map(|each| each.block_ratios.len()).max() else {
        return Vec::new();
    };
    let size = size(longest, DOTS);
    let panels = shown.iter().map(|each| panel(document, each, size));
    let chart = Chart {
        title: format!("Ratio of each {}, in run order", unit_of(shown)),
        about: about(document, shown, primary.len(), size),
        drawing: Drawing::Panels(Panels {
            x: Axis {
                title: unit_of(shown).to_owned(),
                logarithmic: false,
                marks: Marks::Numbers,
                from_zero: false,
            },
            span: None,
            panels: panels.collect(),
            details: None,
            settling: Vec::new(),
        }),
        table: table(document, shown, size),
        file: Some("quads.svg"),
    };
    vec![Block::Chart(Box::new(chart))]
}

fn are_quads(shown: &[&Comparison]) -> bool {
    shown.iter().all(|each| has_quads(each))
}

fn has_quads(comparison: &Comparison) -> bool {
    comparison.rounds_per_block == 2
}

/// What a reader calls a block: `pair of rounds (A B B A)` if all blocks have two rounds, otherwise
/// `group of rounds`.
fn unit_of(shown: &[&Comparison]) -> &'static str {
    if are_quads(shown) {
        "pair of rounds (A B B A)"
    } else {
        GROUP
    }
}

/// What the legend calls a block.
fn unit(comparison: &Comparison) -> &'static str {
    if has_quads(comparison) { PAIR } else { GROUP }
}

fn name(document: &Document, comparison: &Comparison) -> String {
    let name = message!(
        "quads-of",
        workload = &comparison.workload,
        metric = metric(comparison),
        challenger = &comparison.challenger,
        baseline = &comparison.baseline
    );
    say(document, &name)
}

fn about(document: &Document, shown: &[&Comparison], all: usize, size: usize) -> String {
    let dot = match (size, are_quads(shown)) {
        (1, true) => "pair",
        (1, false) => "group",
        _ => "several",
    };
    let about = message!(
        "about-quads",
        dot = Value::Word(dot.to_owned()),
        size,
        margin = document.run.margin.is_some(),
        others = all > shown.len(),
        shown = shown.len(),
        all
    );
    say(document, &about)
}

fn panel(document: &Document, comparison: &Comparison, size: usize) -> Panel {
    let ratios: Vec<Option<f64>> = comparison.block_ratios.iter().copied().map(Some).collect();
    let flagged = flagged_blocks(document, comparison);
    let groups = grouped(&ratios, size);
    let dots = groups.iter().map(|group| Point {
        x: (group.first + group.last) as f64 / 2.0 + 1.0,
        y: group.middle,
        ends: group.ends,
        said: said(group),
        flagged: size == 1 && flagged.get(group.first).copied().unwrap_or(false),
        detail: None,
    });
    let mut series = vec![Series {
        name: unit(comparison).to_owned(),
        place: 0,
        style: Style::Dots,
        points: dots.collect(),
    }];
    if let Some(figure) = comparison.ratio {
        let ends = figure.interval.map(|ends| (ends.low, ends.high));
        let at = |x: f64| Point {
            x,
            y: Some(figure.value),
            ends,
            ..Point::default()
        };
        series.push(Series {
            name: "estimate".to_owned(),
            place: 0,
            style: Style::Line,
            points: vec![at(1.0), at(ratios.len() as f64)],
        });
        series.rotate_right(1);
    }
    let margin = document.run.margin.filter(|margin| *margin < 1.0);
    let is_near = comparison
        .block_ratios
        .iter()
        .any(|ratio| (0.5..2.0).contains(ratio));
    Panel {
        level: is_near.then_some(1.0),
        shaded: margin
            .filter(|_| is_near)
            .map(|margin| (1.0 - margin, 1.0 + margin)),
        least: comparison
            .ratio
            .zip(margin)
            .map(|(figure, margin)| (figure.value * (1.0 - margin), figure.value * (1.0 + margin))),
        ..Panel::new(name(document, comparison), Axis::of_ratios("ratio"), series)
    }
}

fn said(group: &Group) -> String {
    let Some(value) = group.middle else {
        return String::new();
    };
    if group.first == group.last {
        return format!("{}: {}", group.first + 1, ratio(value));
    }
    let range = |(low, high)| format!(" ({}–{})", ratio(low), ratio(high));
    let ends = group.ends.map(range).unwrap_or_default();
    format!(
        "{}–{}: {}{ends}",
        group.first + 1,
        group.last + 1,
        ratio(value)
    )
}

/// For each ratio, whether its block has a flagged slice. Empty if ratios cannot be matched to
/// blocks, because some blocks have no ratio.
fn flagged_blocks(document: &Document, comparison: &Comparison) -> Vec<bool> {
    let sides = [&comparison.baseline, &comparison.challenger];
    let mut blocks: BTreeMap<u32, bool> = BTreeMap::new();
    let of_work = document
        .slices
        .iter()
        .filter(|slice| slice.workload == comparison.workload && sides.contains(&&slice.target));
    for slice in of_work {
        *blocks.entry(slice.block).or_default() |= !slice.flags.is_empty();
    }
    if blocks.len() == comparison.block_ratios.len() {
        blocks.into_values().collect()
    } else {
        Vec::new()
    }
}

fn table(document: &Document, shown: &[&Comparison], size: usize) -> Option<Table> {
    let words = figure_words(document.language);
    let of_quads = are_quads(shown);
    let mut head = vec![if of_quads { PAIR } else { GROUP }.to_owned()];
    head.extend(shown.iter().map(|each| name(document, each)));
    let mut table = Table::new(1, head);
    let columns: Vec<Vec<Group>> = shown
        .iter()
        .map(|each| {
            let ratios: Vec<Option<f64>> = each.block_ratios.iter().copied().map(Some).collect();
            grouped(&ratios, size)
        })
        .collect();
    let longest = columns.iter().max_by_key(|column| column.len())?;
    for (at, group) in longest.iter().enumerate() {
        let place = if group.first == group.last {
            (group.first + 1).to_string()
        } else {
            format!("{}–{}", group.first + 1, group.last + 1)
        };
        let mut row = vec![place.into()];
        row.extend(columns.iter().map(|column| {
            let middle = column.get(at).and_then(|group| group.middle);
            middle.map_or_else(|| UNKNOWN.to_owned(), ratio).into()
        }));
        table.push(row);
    }
    let mut estimate = vec!["estimate".into()];
    estimate.extend(shown.iter().map(|each| {
        let text = each
            .ratio
            .map(|figure| format!("{} ({})", ratio(figure.value), ratio_ends(figure, words)));
        text.unwrap_or_else(|| UNKNOWN.to_owned()).into()
    }));
    table.push(estimate);
    Some(table)
}
