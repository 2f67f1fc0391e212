//! Units of which only one of two files says which figures are better.

use tenbin_verdict::{Better, Measure, Series};

use super::Results;

/// Both sides with the same direction for each unit: that of the file that states one. Where the
/// files state different ones, it is unknown.
pub(super) fn directed(before: &Results, after: &Results) -> (Results, Results) {
    let with_directions_of = |side: &Results, other: &Results| Results {
        series: side
            .series
            .iter()
            .map(|each| directed_series(each, &other.series))
            .collect(),
        ..side.clone()
    };
    (
        with_directions_of(before, after),
        with_directions_of(after, before),
    )
}

fn directed_series(series: &Series, others: &[Series]) -> Series {
    let Measure::Unit { name, better } = &series.measure else {
        return series.clone();
    };
    let theirs = others.iter().find_map(|other| match &other.measure {
        Measure::Unit {
            name: other,
            better,
        } if other == name => Some(*better),
        _ => None,
    });
    let common = match (*better, theirs) {
        (own, None | Some(Better::Unknown)) => own,
        (Better::Unknown, Some(theirs)) => theirs,
        (own, Some(theirs)) if own == theirs => own,
        _ => Better::Unknown,
    };
    let measure = Measure::Unit {
        name: name.clone(),
        better: common,
    };
    let values = if measure.is_inverse() == series.measure.is_inverse() {
        series.values.clone()
    } else {
        series.values.iter().map(|value| value.recip()).collect()
    };
    Series {
        measure,
        values,
        ..series.clone()
    }
}
