//! The time axis that all charts over time share.

use tenbin_result::{Document, SliceFigures, message};

use crate::chart::{Axis, Marks};
use crate::language::say;

/// Maximum number of slices for which boundaries are drawn; with more slices, none are drawn.
const BORDERS: usize = 64;
/// Maximum number of slices whose settling times a page has.
const SETTLING: usize = 256;

/// A time axis from the start of the first slice to the end of the last.
pub(super) struct TimeAxis {
    /// Length of the axis unit, seconds.
    pub(super) unit: f64,
    /// Symbol of the axis unit.
    symbol: &'static str,
    /// Start of the first slice and end of the last, in the axis unit.
    pub(super) span: (f64, f64),
}

impl TimeAxis {
    pub(super) fn of<'a>(slices: impl Iterator<Item = &'a SliceFigures>) -> Self {
        let times = slices.filter_map(|slice| Some((slice.start?, slice.end()?)));
        let (begin, end) = times.fold((f64::INFINITY, 0.0_f64), |(begin, end), (start, stop)| {
            (begin.min(start), end.max(stop))
        });
        let (unit, symbol) = clock(end);
        Self {
            unit,
            symbol,
            span: (begin.min(end) / unit, end / unit),
        }
    }

    pub(super) fn axis(&self, document: &Document) -> Axis {
        Axis {
            title: say(document, &message!("since-start")),
            logarithmic: false,
            marks: Marks::With(self.symbol),
            from_zero: false,
        }
    }

    /// Start times of the slices in the axis unit; empty if there are too many slices.
    pub(super) fn borders<'a>(
        &self,
        slices: impl Iterator<Item = &'a SliceFigures> + Clone,
    ) -> Vec<f64> {
        match slices.clone().nth(BORDERS) {
            Some(_) => Vec::new(),
            None => slices
                .filter_map(|slice| Some(slice.start? / self.unit))
                .collect(),
        }
    }

    /// Settling times of the slices, each from and to, in the axis unit; empty if they are unknown or
    /// 0, or if there are too many slices.
    pub(super) fn settling<'a>(
        &self,
        document: &Document,
        slices: impl Iterator<Item = &'a SliceFigures> + Clone,
    ) -> Vec<(f64, f64)> {
        let before = |slice: &SliceFigures| {
            let mut works = document.workloads.iter();
            let work = works.find(|work| work.name == slice.workload)?;
            let seconds = work.settling_seconds.filter(|seconds| *seconds > 0.0)?;
            let end = slice.start?;
            Some(((end - seconds).max(0.0) / self.unit, end / self.unit))
        };
        match slices.clone().nth(SETTLING) {
            Some(_) => Vec::new(),
            None => slices.filter_map(before).collect(),
        }
    }
}

/// A unit of time that keeps numbers short: length in seconds, and symbol.
fn clock(most: f64) -> (f64, &'static str) {
    match most {
        most if most > 3.0 * 3600.0 => (3600.0, "h"),
        most if most > 600.0 => (60.0, "min"),
        _ => (1.0, "s"),
    }
}
