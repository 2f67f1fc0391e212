//! Where labels stand so that none hides another, and names short enough for a legend.

use super::axes::{BOTTOM, LEFT, PANEL, RIGHT, TOP, WIDTH, width_of};

/// Distance between the places of a line that labels keep clear of.
const CLEAR: f64 = 5.0;

/// What labels must not cover, as boxes: left, top, right, bottom.
#[derive(Default)]
pub(super) struct Labels {
    /// Those of the labels that are drawn already.
    drawn: Vec<[f64; 4]>,
    /// Those along the lines, which are covered where nothing else is free.
    lines: Vec<[f64; 4]>,
}

impl Labels {
    /// Keeps labels off the line between two points, as far as that can be.
    pub(super) fn keep_clear(&mut self, from: (f64, f64), to: (f64, f64)) {
        let (x, y) = (to.0 - from.0, to.1 - from.1);
        let pieces = (x.hypot(y) / CLEAR).ceil().max(1.0);
        for piece in 0..=pieces as u32 {
            let share = f64::from(piece) / pieces;
            let (x, y) = (from.0 + share * x, from.1 + share * y);
            self.lines.push([x - 2.0, y - 2.0, x + 2.0, y + 2.0]);
        }
    }

    /// The start of the base line of a label next to a ring. The label overlaps no other label and, if
    /// possible, no line. `None` if there is no space; the ring is then drawn without a label.
    pub(super) fn place(&mut self, x: f64, y: f64, words: &str, size: u32) -> Option<(f64, f64)> {
        let (width, height) = (width_of(words, size), f64::from(size));
        let beside = [
            (x + 9.0, y + 16.0),
            (x + 9.0, y - 8.0),
            (x - 9.0 - width, y + 16.0),
            (x - 9.0 - width, y - 8.0),
            (x - width / 2.0, y + 24.0),
            (x - width / 2.0, y - 14.0),
        ];
        let taken = |(left, base): &(f64, f64)| [*left, base - height, left + width, *base];
        let is_free = |place: &&(f64, f64)| {
            let own = taken(place);
            let is_inside = own[0] >= LEFT
                && own[2] <= WIDTH - RIGHT
                && own[1] >= TOP
                && own[3] <= PANEL - BOTTOM;
            is_inside && !self.drawn.iter().any(|other| overlap(&own, other))
        };
        let is_clear = |place: &&(f64, f64)| {
            let own = taken(place);
            !self.lines.iter().any(|line| overlap(&own, line))
        };
        let free = || beside.iter().filter(is_free);
        let place = *free().find(is_clear).or_else(|| free().next())?;
        self.drawn.push(taken(&place));
        Some(place)
    }
}

fn overlap(one: &[f64; 4], other: &[f64; 4]) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}

/// Each name shortened to its number of characters. A name that is too long loses the start that
/// it shares with another name, or its end.
pub(super) fn shortened(names: &[(&str, usize)]) -> Vec<String> {
    let same = |one: &str, other: &str| {
        let both = one.chars().zip(other.chars());
        both.take_while(|(one, other)| one == other).count()
    };
    let short = |at: usize| {
        let (name, most) = names[at];
        let characters: Vec<char> = name.chars().collect();
        if characters.len() <= most {
            return name.to_owned();
        }
        let others = names.iter().enumerate().filter(|(other, _)| *other != at);
        let shared = others.map(|(_, (other, _))| same(name, other)).max();
        let shared = shared.unwrap_or(0).min(characters.len() - 1);
        // Keeps as many shared characters before the difference as the length permits.
        let begins = match shared < most / 2 {
            true => 0,
            false => (shared - most / 3).min(characters.len() + 1 - most),
        };
        let mut rest: Vec<char> = characters[begins..].to_vec();
        let space = most - usize::from(begins > 0);
        if rest.len() > space {
            rest.truncate(space - 1);
            rest.push('…');
        }
        let before = if begins > 0 { "…" } else { "" };
        before.chars().chain(rest).collect()
    };
    (0..names.len()).map(short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_do_not_overlap() {
        let mut labels = Labels::default();
        let at_one_place: Vec<_> = (0..8)
            .filter_map(|_| labels.place(300.0, 200.0, "knee", 11))
            .collect();
        assert!(at_one_place.len() >= 4, "{at_one_place:?}");
        for (at, one) in labels.drawn.iter().enumerate() {
            let mut others = labels.drawn.iter().skip(at + 1);
            assert!(
                !others.any(|other| overlap(one, other)),
                "{:?}",
                labels.drawn
            );
        }
        // Off the line where that can be.
        let mut labels = Labels::default();
        labels.keep_clear((300.0, 200.0), (400.0, 230.0));
        let (_, base) = labels.place(300.0, 200.0, "knee", 11).expect("space");
        assert!(base < 200.0, "{base}");
    }

    #[test]
    fn long_names_are_told_apart_where_they_differ() {
        let names: Vec<String> = (1..=3)
            .map(|nodes| format!("search-cluster-with-{nodes}-nodes-result"))
            .collect();
        for most in [15, 25] {
            let long: Vec<(&str, usize)> = names.iter().map(|name| (&**name, most)).collect();
            let short = shortened(&long);
            for (name, nodes) in short.iter().zip(["1-n", "2-n", "3-n"]) {
                assert!(name.contains(nodes), "{short:?}");
                assert!(name.chars().count() <= most, "{short:?}");
            }
        }
        assert_eq!(
            shortened(&[("groonga", 15), ("a-target-with-a-long-name", 15)]),
            ["groonga", "a-target-with-…"]
        );
    }
}
