//! The time of the run as an axis, the same in every chart over time.

use tenbin_result::SliceFigures;

use crate::chart::{Axis, Marks};

/// The most slices whose borders are drawn.
const BORDERS: usize = 64;

/// The axis from the first to the last of some slices.
pub(super) struct TimeAxis {
    /// Length of its unit, seconds.
    pub(super) unit: f64,
    /// Name of its unit.
    name: &'static str,
    /// Start of the first slice and end of the last, in its unit.
    pub(super) span: (f64, f64),
}

impl TimeAxis {
    pub(super) fn of<'a>(slices: impl Iterator<Item = &'a SliceFigures>) -> Self {
        let times = slices.filter_map(|slice| Some((slice.start?, slice.end()?)));
        let (begin, end) = times.fold((f64::INFINITY, 0.0_f64), |(begin, end), (start, stop)| {
            (begin.min(start), end.max(stop))
        });
        let (unit, name) = clock(end);
        Self {
            unit,
            name,
            span: (begin.min(end) / unit, end / unit),
        }
    }

    pub(super) fn axis(&self) -> Axis {
        Axis {
            title: format!("{} since the start of the run", self.name),
            logarithmic: false,
            marks: Marks::Numbers,
            from_zero: false,
        }
    }

    /// Where slices start, unless there are too many.
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
}

/// A unit of time that keeps numbers short, with its length in seconds.
fn clock(most: f64) -> (f64, &'static str) {
    match most {
        most if most > 3.0 * 3600.0 => (3600.0, "hours"),
        most if most > 600.0 => (60.0, "minutes"),
        _ => (1.0, "seconds"),
    }
}
