//! The value of one run in a series: the ratio to the anchor, or the absolute figure.

use tenbin_result::{Figure, FigureFacts, LeftOutWhy, RunFacts, Trust};
use tenbin_stats::{CONFIDENCE, RunValue, hodges_lehmann, student_quantile};

use super::Key;

/// A value with its variance.
pub(super) struct Valued {
    pub(super) figure: Figure,
    pub(super) trust: Trust,
    pub(super) value: RunValue,
}

/// The value of a run.
///
/// # Errors
/// If the figure or its ratio is unknown.
pub(super) fn valued(
    facts: &RunFacts,
    key: &Key,
    anchor: Option<&str>,
) -> Result<Valued, LeftOutWhy> {
    let own = key.find(facts, &key.target).ok_or(LeftOutWhy::NoFigure)?;
    let Some(anchor) = anchor else {
        let figure = own.value.ok_or(LeftOutWhy::NoFigure)?;
        return known(figure, &[], own.trust).ok_or(LeftOutWhy::NoFigure);
    };
    let other = key.find(facts, anchor).ok_or(LeftOutWhy::NoRatio)?;
    ratio(facts, own, other).ok_or(LeftOutWhy::NoRatio)
}

/// The ratio of a target to the anchor. Both are compared with the baseline, or are the baseline.
fn ratio(facts: &RunFacts, own: &FigureFacts, anchor: &FigureFacts) -> Option<Valued> {
    let is_baseline = |figure: &FigureFacts| facts.baseline.as_ref() == Some(&figure.target);
    if is_baseline(anchor)
        && let Some(figure) = own.ratio
    {
        return known(figure, &own.blocks, own.ratio_trust);
    }
    if is_baseline(own)
        && let Some(figure) = anchor.ratio
    {
        let blocks: Vec<f64> = anchor.blocks.iter().map(|block| 1.0 / block).collect();
        return known(figure.inverse(), &blocks, anchor.ratio_trust);
    }
    let trust = own.ratio_trust.max(anchor.ratio_trust);
    if own.blocks.len() == anchor.blocks.len() && !own.blocks.is_empty() {
        let pairs = own.blocks.iter().zip(&anchor.blocks);
        let blocks: Vec<f64> = pairs.map(|(own, anchor)| own / anchor).collect();
        let logs: Vec<f64> = blocks.iter().map(|block| block.ln()).collect();
        let figure = Figure::of(hodges_lehmann(&logs, CONFIDENCE).rescaled(f64::exp))?;
        return known(figure, &blocks, trust);
    }
    // Imported results have no blocks: their ratio has no interval.
    if !facts.imported {
        return None;
    }
    let figure = Figure {
        value: own.value?.value / anchor.value?.value,
        interval: None,
        n: 1,
    };
    known(figure, &[], own.trust.max(anchor.trust))
}

/// `None` for a figure without a logarithm.
fn known(figure: Figure, blocks: &[f64], trust: Trust) -> Option<Valued> {
    let log = figure.value.ln();
    (figure.value > 0.0 && log.is_finite()).then(|| Valued {
        figure,
        trust,
        value: RunValue {
            log,
            variance: of_blocks(blocks).or_else(|| of_interval(&figure)),
        },
    })
}

/// The variance of the mean of the blocks' logarithms; `None` with fewer than two blocks.
fn of_blocks(blocks: &[f64]) -> Option<f64> {
    if blocks.len() < 2 {
        return None;
    }
    let count = blocks.len() as f64;
    let logs: Vec<f64> = blocks.iter().map(|block| block.ln()).collect();
    let mean = logs.iter().sum::<f64>() / count;
    let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    let variance = squares / (count - 1.0) / count;
    variance.is_finite().then_some(variance)
}

/// The variance of a logarithm whose interval has this width.
fn of_interval(figure: &Figure) -> Option<f64> {
    let ends = figure.interval?;
    let freedom = usize::try_from(figure.n).ok()?.checked_sub(1)?;
    let quantile = student_quantile(f64::midpoint(1.0, ends.confidence), freedom)?;
    let half = (ends.high / ends.low).ln() / 2.0;
    let variance = (half / quantile).powi(2);
    (ends.low > 0.0 && variance.is_finite()).then_some(variance)
}
