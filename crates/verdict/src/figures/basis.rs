//! The slices that the figures of a target come from, and figures over these slices.

use std::rc::Rc;

use hdrhistogram::Histogram;
use tenbin_record::Slice;
use tenbin_result::{Figure, Metric};
use tenbin_stats::{CONFIDENCE, Measured, median};

use crate::cell::Cell;
use crate::compare::metric::Measure;
use crate::figures::latency::{self, Kind, Pick, Sums};

/// The slices that the figures of a target come from.
pub(crate) struct Basis<'a> {
    slices: Vec<&'a Slice>,
    sums: Sums,
    /// Whether the slices were cut short, so that figures have no interval.
    cut_short: bool,
}

impl<'a> Basis<'a> {
    pub(crate) fn of(cell: &Cell<'a>) -> Self {
        let full = cell.full();
        let cut_short = full.is_empty();
        Self {
            slices: if cut_short { cell.slices.clone() } else { full },
            sums: cell.sums.clone(),
            cut_short,
        }
    }

    pub(crate) fn metric(&self, metric: Metric) -> Option<Figure> {
        self.checked(metric.figure(&self.slices))
    }

    pub(crate) fn slices(&self) -> &[&'a Slice] {
        &self.slices
    }

    /// The sum of the histograms that `pick` selects from the slices; `None` without a histogram.
    pub(crate) fn merged(&self, pick: &Pick<'_>) -> Option<Rc<Histogram<u64>>> {
        self.sums.merged(&self.slices, pick)
    }

    pub(crate) fn each(&self, figure: impl Fn(&Slice) -> Option<f64>) -> Option<Figure> {
        let values: Vec<f64> = self
            .slices
            .iter()
            .filter_map(|slice| figure(slice))
            .collect();
        self.checked(median(&values, CONFIDENCE))
    }

    /// The median of `figure` over the slices. `None` if a slice lacks the figure: slices without a
    /// rate are slow slices, so leaving them out would bias the median.
    pub(crate) fn every(&self, figure: impl Fn(&Slice) -> Option<f64>) -> Option<Figure> {
        let values: Option<Vec<f64>> = self.slices.iter().map(|slice| figure(slice)).collect();
        self.checked(median(&values?, CONFIDENCE))
    }

    pub(crate) fn quantiles_over<const N: usize>(
        &self,
        quantiles: [f64; N],
        pick: &Pick<'_>,
    ) -> [Option<Figure>; N] {
        let found = latency::quantiles_over(&self.slices, &self.sums, quantiles, pick);
        found.map(|each| self.checked(each))
    }

    pub(crate) fn quantiles<const N: usize>(
        &self,
        quantiles: [f64; N],
        kind: Kind,
        operation: &str,
    ) -> [Option<Figure>; N] {
        self.quantiles_over(quantiles, &|slice| {
            let mine = slice.ops.iter().filter(|op| op.name == operation);
            mine.map(kind).collect()
        })
    }

    /// The measured value as a figure, without an interval if the slices were cut short.
    pub(crate) fn checked(&self, measured: Measured) -> Option<Figure> {
        let figure = Figure::of(measured)?;
        Some(Figure {
            interval: figure.interval.filter(|_| !self.cut_short),
            ..figure
        })
    }
}
