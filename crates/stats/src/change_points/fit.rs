//! The levels with the lowest cost, exactly: dynamic programming over the level.
//!
//! `Q(level)` is the lowest cost of the runs so far if the current stretch has this level. It is a
//! list of pieces, each a parabola: a new run adds its squared distance, limited to the cost of an
//! outlier, and the start of a new stretch is a constant. Pieces that a cheaper one covers are
//! dropped, so the work grows little faster than the number of runs.
//! Method: Fearnhead & Rigaill, "Changepoint detection in the presence of outliers", JASA 2019.

/// Cost of an outlier, as a share of the cost of a change. Below 1, one run is never a stretch of its
/// own, and two runs between others are not either, because such a stretch costs two changes.
pub(super) const OUTLIER: f64 = 0.9;

/// A part of `Q`: a·x² + b·x + c for levels from `low` to `high`.
#[derive(Debug, Clone, Copy)]
struct Piece {
    low: f64,
    high: f64,
    a: f64,
    b: f64,
    c: f64,
    /// First run of the current stretch.
    first: usize,
}

impl Piece {
    fn at(&self, level: f64) -> f64 {
        (self.a * level + self.b) * level + self.c
    }

    /// The lowest cost in the piece.
    fn lowest(&self) -> f64 {
        let vertex = if self.a > 0.0 {
            -self.b / (2.0 * self.a)
        } else {
            self.low
        };
        self.at(vertex.clamp(self.low, self.high))
    }

    /// The part of the piece between two levels.
    fn within(self, low: f64, high: f64) -> Option<Self> {
        let (low, high) = (self.low.max(low), self.high.min(high));
        (low < high).then_some(Self { low, high, ..self })
    }

    /// The levels at which the piece costs `cost`, within the piece; `None` if it costs less or more
    /// everywhere.
    fn crossings(&self, cost: f64) -> Option<(f64, f64)> {
        if self.a <= 0.0 {
            return None;
        }
        let vertex = -self.b / (2.0 * self.a);
        let above = cost - self.at(vertex);
        (above > 0.0).then(|| {
            let half = (above / self.a).sqrt();
            (vertex - half, vertex + half)
        })
    }
}

/// Indices of the first runs of all stretches; the first is 0. Distances are squared and multiplied
/// by the weights.
pub(super) fn fitted(logs: &[f64], weights: &[f64], penalty: f64) -> Vec<usize> {
    let bounds = |of: fn(f64, f64) -> f64| logs.iter().copied().reduce(of).unwrap_or(0.0);
    let (low, high) = (bounds(f64::min), bounds(f64::max));
    // Costs are relative to the middle of the values, so that no digits cancel.
    let middle = f64::midpoint(low, high);
    let mut pieces = vec![Piece {
        low: low - middle,
        high: high - middle,
        a: 0.0,
        b: 0.0,
        c: 0.0,
        first: 0,
    }];
    let cap = penalty * OUTLIER;
    let mut first_of_last = Vec::with_capacity(logs.len());
    for (at, (log, weight)) in logs.iter().zip(weights).enumerate() {
        if at > 0 {
            let lowest = lowest(&pieces).map_or(0.0, |(cost, _)| cost);
            pieces = at_most(&pieces, lowest + penalty, at);
        }
        pieces = with_run(&pieces, log - middle, *weight, cap);
        first_of_last.push(lowest(&pieces).map_or(0, |(_, first)| first));
    }
    starts(&first_of_last)
}

/// The lowest cost, and the first run of the stretch that has it.
fn lowest(pieces: &[Piece]) -> Option<(f64, usize)> {
    let costs = pieces.iter().map(|piece| (piece.lowest(), piece.first));
    costs.reduce(|best, next| if next.0 < best.0 { next } else { best })
}

/// The stretches, from the last to the first.
fn starts(first_of_last: &[usize]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut end = first_of_last.len();
    while end > 0 {
        let first = first_of_last[end - 1];
        starts.push(first);
        end = first;
    }
    starts.reverse();
    starts
}

/// Adds a piece, and joins it to the one before it if both are the same constant.
fn push(pieces: &mut Vec<Piece>, piece: Option<Piece>) {
    let Some(piece) = piece else { return };
    if let Some(last) = pieces.last_mut()
        && (last.a, last.b, last.c, last.first) == (piece.a, piece.b, piece.c, piece.first)
    {
        last.high = piece.high;
        return;
    }
    pieces.push(piece);
}

/// Replaces what costs more than `cost` by a stretch that begins with the run `first`.
fn at_most(pieces: &[Piece], cost: f64, first: usize) -> Vec<Piece> {
    let mut kept = Vec::with_capacity(pieces.len() + 2);
    for piece in pieces {
        let new = Piece {
            a: 0.0,
            b: 0.0,
            c: cost,
            first,
            ..*piece
        };
        match piece.crossings(cost) {
            Some((low, high)) => {
                push(&mut kept, new.within(piece.low, low));
                push(&mut kept, piece.within(low, high));
                push(&mut kept, new.within(high, piece.high));
            }
            None if piece.lowest() <= cost => push(&mut kept, Some(*piece)),
            None => push(&mut kept, Some(new)),
        }
    }
    kept
}

/// Adds the cost of a run.
fn with_run(pieces: &[Piece], log: f64, weight: f64, cap: f64) -> Vec<Piece> {
    let reach = (cap / weight).sqrt();
    let (low, high) = (log - reach, log + reach);
    let mut all = Vec::with_capacity(pieces.len() + 2);
    for piece in pieces {
        let far = Piece {
            c: piece.c + cap,
            ..*piece
        };
        let near = Piece {
            a: piece.a + weight,
            b: piece.b - 2.0 * weight * log,
            c: piece.c + weight * log * log,
            ..*piece
        };
        push(&mut all, far.within(piece.low, low));
        push(&mut all, near.within(low, high));
        push(&mut all, far.within(high, piece.high));
    }
    all
}
