//! Groups adjacent figures of a long series, so that a chart of a long run has no more points than
//! a chart of a short run.

/// Adjacent figures that become one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Group {
    /// Index of the first and of the last figure of the group in the series.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Median of the known figures; `None` if no figure is known.
    pub(super) middle: Option<f64>,
    /// The smallest and the largest known figure; `None` with fewer than two.
    pub(super) ends: Option<(f64, f64)>,
}

/// Figures per group, so that there are at most `most` groups.
pub(super) fn size(count: usize, most: usize) -> usize {
    count.div_ceil(most.max(1)).max(1)
}

/// Divides the figures into groups of `size`.
pub(super) fn grouped(figures: &[Option<f64>], size: usize) -> Vec<Group> {
    let chunks = figures.chunks(size.max(1)).enumerate();
    let group = |(at, chunk): (usize, &[Option<f64>])| {
        let mut known: Vec<f64> = chunk.iter().copied().flatten().collect();
        known.sort_by(f64::total_cmp);
        let first = at * size;
        Group {
            first,
            last: first + chunk.len() - 1,
            middle: middle(&known),
            ends: match known.as_slice() {
                [low, .., high] => Some((*low, *high)),
                _ => None,
            },
        }
    };
    chunks.map(group).collect()
}

/// The median; `None` without a figure.
pub(super) fn median(figures: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = figures.collect();
    sorted.sort_by(f64::total_cmp);
    middle(&sorted)
}

fn middle(sorted: &[f64]) -> Option<f64> {
    let half = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => sorted.get(half).copied(),
        _ => Some((sorted.get(half.checked_sub(1)?)? + sorted.get(half)?) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_has_its_median_and_its_ends() {
        let figures = [Some(3.0), None, Some(1.0), Some(8.0), None, None, Some(2.0)];
        let groups = grouped(&figures, 4);
        assert_eq!(groups.len(), 2);
        assert_eq!((groups[0].first, groups[0].last), (0, 3));
        assert_eq!(
            (groups[0].middle, groups[0].ends),
            (Some(3.0), Some((1.0, 8.0)))
        );
        assert_eq!((groups[1].first, groups[1].last), (4, 6));
        assert_eq!((groups[1].middle, groups[1].ends), (Some(2.0), None));
        assert_eq!(grouped(&[None, None], 4)[0].middle, None, "not 0");
    }

    #[test]
    fn no_run_has_more_groups_than_wanted() {
        for count in [1, 99, 100, 101, 18_000] {
            let figures = vec![Some(1.0); count];
            assert!(grouped(&figures, size(count, 100)).len() <= 100, "{count}");
        }
    }
}
