//! Figures of the load generator's machine per slice, and the places (workload and target) where
//! the median is too large.

pub(crate) mod generator;
pub(crate) mod processor;

use tenbin_record::{MachineUse, Slice};
use tenbin_result::{Cause, Finding, Message, Severity, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::words::middle;

/// Share of idle CPU time above which the load generator can use more threads on this machine.
pub(crate) const IDLE_CORES: f64 = 0.2;

/// A figure of one slice; `None` if it is unknown.
pub(crate) type Figure<'f> = &'f dyn Fn(&Slice, &MachineUse) -> Option<f64>;

/// A workload on a target, or the whole run, for which a figure is above a threshold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    workload: Option<String>,
    target: Option<String>,
    /// The median of the figure over the full slices.
    pub(crate) value: f64,
    slices: usize,
}

impl Place {
    pub(crate) fn of_cell(cell: &Cell<'_>, figure: Figure<'_>) -> Option<Self> {
        let values = values(&cell.full(), figure);
        Some(Self {
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            value: middle(values.iter().copied())?,
            slices: values.len(),
        })
    }

    /// The basis of the median: "median of 8 slices".
    pub(crate) fn basis(&self) -> Message {
        message!("median-of-slices", slices = self.slices)
    }

    /// Whether a slice belongs to this place.
    pub(crate) fn contains(&self, slice: &Slice) -> bool {
        let is = |wanted: &Option<String>, name: &str| wanted.as_deref().is_none_or(|w| w == name);
        is(&self.workload, &slice.workload) && is(&self.target, &slice.target)
    }

    /// A finding of `rule` at this place.
    pub(crate) fn finding(
        self,
        rule: &RuleInfo,
        severity: Severity,
        cause: Cause,
        evidence: Message,
        advice: Message,
    ) -> Finding {
        Finding {
            workload: self.workload,
            target: self.target,
            ..rule.finding(severity, cause, evidence, advice)
        }
    }
}

/// The places where the median of the figure is above the threshold. If all places are above, the
/// result is one place for the whole run, because all places share the machine.
pub(crate) fn places_above(
    evidence: &Evidence<'_>,
    threshold: f64,
    figure: Figure<'_>,
) -> Vec<Place> {
    let cells = evidence.cells();
    let known: Vec<Place> = cells
        .iter()
        .filter_map(|cell| Place::of_cell(cell, figure))
        .collect();
    let places = known.len();
    let above: Vec<Place> = known
        .into_iter()
        .filter(|place| place.value > threshold)
        .collect();
    if places < 2 || above.len() < places {
        return above;
    }
    let full: Vec<&Slice> = cells.iter().flat_map(Cell::full).collect();
    let values = values(&full, figure);
    let slices = values.len();
    let whole = middle(values).map(|value| Place {
        workload: None,
        target: None,
        value,
        slices,
    });
    whole.into_iter().collect()
}

fn values(slices: &[&Slice], figure: Figure<'_>) -> Vec<f64> {
    let known = slices.iter().filter_map(|slice| {
        let machine = slice.machine()?;
        figure(slice, &machine)
    });
    known.collect()
}

/// The figure divided by the observed seconds.
pub(crate) fn per_second(figure: Option<u64>, machine: &MachineUse) -> Option<f64> {
    (machine.seconds > 0.0).then_some(figure? as f64 / machine.seconds)
}

/// A time in microseconds as a share of the observed time: 0 to 1 for a single thread, more for
/// several threads.
pub(crate) fn share_of_time(micros: Option<u64>, machine: &MachineUse) -> Option<f64> {
    Some(per_second(micros, machine)? / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compare;
    use crate::testing::Run;

    fn places(run: &Run) -> Vec<(Option<String>, Option<String>, f64, usize)> {
        let evidence = Evidence {
            plan: &run.plan,
            slices: &run.slices,
            cells: &crate::cell::cells(&run.plan, &run.slices),
            stretches: &[],
            comparisons: &compare(&run.plan, &run.slices),
            complete: true,
            cores: Some(2),
            environment: &run.environment,
            integrity: &run.integrity,
        };
        let figure: Figure<'_> = &|_, machine| per_second(machine.swapped_pages, machine);
        places_above(&evidence, 10.0, figure)
            .into_iter()
            .map(|place| (place.workload, place.target, place.value, place.slices))
            .collect()
    }

    #[test]
    fn a_figure_above_its_threshold_everywhere_is_one_place() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().swapped_pages = Some(20));
        assert_eq!(places(&run), [(None, None, 20.0, 32)]);
    }

    #[test]
    fn a_figure_above_its_threshold_in_one_place_names_it() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| slice.machine().swapped_pages = Some(20));
        let (get, b) = (Some("get".to_owned()), Some("b".to_owned()));
        assert_eq!(places(&run), [(get, b, 20.0, 16)]);
    }

    #[test]
    fn an_unknown_figure_has_no_place() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().swapped_pages = None);
        assert_eq!(places(&run), []);
        run.each(|slice| slice.0.end.machine = None);
        assert_eq!(places(&run), []);
    }
}
