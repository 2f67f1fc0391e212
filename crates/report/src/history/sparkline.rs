//! A series as one line of blocks, with its changes marked below.

use tenbin_result::HistorySeries;

/// From the lowest to the highest value.
const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Most columns: with more runs, a column is the median of several.
const COLUMNS: usize = 60;

/// The sparkline; `None` with fewer than two values.
pub(super) fn sparkline(series: &HistorySeries) -> Option<String> {
    let values: Vec<f64> = series
        .points
        .iter()
        .filter_map(|point| point.value)
        .map(|figure| figure.value)
        .collect();
    if values.len() < 2 || values.len() != series.points.len() {
        return None;
    }
    let columns = values.len().min(COLUMNS);
    let of_column = |column: usize| {
        let (first, end) = (
            column * values.len() / columns,
            (column + 1) * values.len() / columns,
        );
        let mut sorted = values[first..end].to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    };
    let heights: Vec<f64> = (0..columns).map(of_column).collect();
    let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let step = |height: &f64| {
        let share = if high > low {
            (height - low) / (high - low)
        } else {
            0.5
        };
        STEPS[((share * STEPS.len() as f64) as usize).min(STEPS.len() - 1)]
    };
    let line: String = heights.iter().map(step).collect();
    let marks = marks(series, columns);
    Some(if marks.is_empty() {
        line
    } else {
        format!("{line}\n{marks}")
    })
}

/// `▲` or `▼` below the first run after each change: up or down in value.
fn marks(series: &HistorySeries, columns: usize) -> String {
    let mut marks = vec![' '; columns];
    for change in &series.changes {
        let at = series.points.iter().position(|it| it.run == change.run);
        let column = at.map(|at| at * columns / series.points.len());
        let Some(column) = column.and_then(|at| marks.get_mut(at)) else {
            continue;
        };
        let is_up = change.ratio.is_none_or(|ratio| ratio.value > 1.0);
        *column = if is_up { '▲' } else { '▼' };
    }
    marks.into_iter().collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use tenbin_result::{Figure, HistoryChange, HistoryPoint};

    use super::*;

    fn series(values: &[f64], change: Option<usize>) -> HistorySeries {
        let point = |(at, value): (usize, &f64)| HistoryPoint {
            run: at.to_string(),
            value: Some(Figure {
                value: *value,
                interval: None,
                n: 1,
            }),
            ..HistoryPoint::default()
        };
        HistorySeries {
            points: values.iter().enumerate().map(point).collect(),
            changes: change
                .map(|at| HistoryChange {
                    run: at.to_string(),
                    ..HistoryChange::default()
                })
                .into_iter()
                .collect(),
            ..HistorySeries::default()
        }
    }

    #[test]
    fn the_lowest_and_the_highest_are_the_ends_and_a_change_is_marked() {
        let found = sparkline(&series(&[1.0, 1.0, 2.0, 1.5], Some(2)));
        assert_eq!(found.as_deref(), Some("▁▁█▅\n  ▲"));
        assert_eq!(sparkline(&series(&[1.0], None)), None);
        assert_eq!(sparkline(&series(&[3.0, 3.0], None)).as_deref(), Some("▅▅"));
    }

    #[test]
    fn many_runs_fit_on_a_line() {
        let values: Vec<f64> = (0..10_000).map(f64::from).collect();
        let found = sparkline(&series(&values, Some(9_999))).unwrap();
        let lines: Vec<&str> = found.lines().collect();
        assert_eq!(lines[0].chars().count(), COLUMNS);
        assert_eq!(lines[1].chars().count(), COLUMNS);
    }
}
