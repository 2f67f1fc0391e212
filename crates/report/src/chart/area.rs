//! Areas of a drawing that have something in them, so that texts do not collide.

use super::svg::LETTERS;

/// A part of a drawing, in chart units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Area {
    /// The square around a point, with half its side.
    pub(super) fn around((x, y): (f64, f64), half: f64) -> Self {
        Self {
            left: x - half,
            right: x + half,
            top: y - half,
            bottom: y + half,
        }
    }

    /// The area of a straight line with `half` on each side; both ends in any order.
    pub(super) fn of_line(from: (f64, f64), to: (f64, f64), half: f64) -> Self {
        Self {
            left: from.0.min(to.0) - half,
            right: from.0.max(to.0) + half,
            top: from.1.min(to.1) - half,
            bottom: from.1.max(to.1) + half,
        }
    }

    /// The area of a line of text that begins at `left`, above and below its base line.
    pub(super) fn of_text(left: f64, base: f64, width: f64) -> Self {
        Self {
            left,
            right: left + width,
            top: base - LETTERS,
            bottom: base + LETTERS / 3.0,
        }
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// Whether the area overlaps none of the others.
    pub(super) fn is_free_of(&self, others: &[Self]) -> bool {
        !others.iter().any(|other| self.overlaps(other))
    }
}
