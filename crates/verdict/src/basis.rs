//! The slices that give the figures of a target, and the figures over them.

use tenbin_record::{OpFigures, Slice};
use tenbin_stats::{CONFIDENCE, Measured, median};

use crate::evidence::Cell;
use crate::latency::{self, Kind, Pick};
use crate::metric::Metric;

/// The slices that give the figures.
pub(crate) struct Basis<'a> {
    slices: Vec<&'a Slice>,
    /// They were cut short: a figure may stand, an interval may not.
    cut_short: bool,
}

impl<'a> Basis<'a> {
    pub(crate) fn of(cell: &Cell<'a>) -> Self {
        let full = cell.full();
        let cut_short = full.is_empty();
        Self {
            slices: if cut_short { cell.slices.clone() } else { full },
            cut_short,
        }
    }

    pub(crate) fn metric(&self, metric: Metric) -> Measured {
        self.checked(metric.figure(&self.slices))
    }

    pub(crate) fn slices(&self) -> &[&'a Slice] {
        &self.slices
    }

    pub(crate) fn each(&self, figure: impl Fn(&Slice) -> Option<f64>) -> Measured {
        let values: Vec<f64> = self
            .slices
            .iter()
            .filter_map(|slice| figure(slice))
            .collect();
        self.checked(median(&values, CONFIDENCE))
    }

    /// Unknown when a slice lacks it: of a rate, those that lack it are the slow ones.
    pub(crate) fn every(&self, figure: impl Fn(&Slice) -> Option<f64>) -> Measured {
        let values: Option<Vec<f64>> = self.slices.iter().map(|slice| figure(slice)).collect();
        values.map_or(Measured::Unknown, |values| {
            self.checked(median(&values, CONFIDENCE))
        })
    }

    pub(crate) fn quantile_over(&self, q: f64, pick: &Pick<'_>) -> Measured {
        self.checked(latency::quantile_over(&self.slices, q, pick))
    }

    pub(crate) fn quantile(&self, q: f64, kind: Kind, operation: &str) -> Measured {
        let wanted = |op: &OpFigures| op.name == operation;
        self.checked(latency::quantile(&self.slices, q, kind, wanted))
    }

    pub(crate) fn checked(&self, measured: Measured) -> Measured {
        match measured {
            Measured::Interval(estimate) if self.cut_short => Measured::Point {
                value: estimate.value,
                n: estimate.n,
            },
            other => other,
        }
    }
}
