//! The expected response, learned from received responses.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::tally::{Kind, Kinds, MOST_KINDS, Response};
use super::{ExpectedResponse, Sameness};

/// Number of responses from which the expected response is learned.
pub(crate) const ENOUGH: u64 = 16;
/// Maximum number of alternating kinds of responses; with more kinds, the page counts as variable.
const MOST_IN_TURN: usize = 4;
/// Seconds over which the same content must be received before other content counts as unexpected,
/// because pages can show the time in seconds.
const PROVEN_SECONDS: u64 = 2;
/// Minimum slack: bytes by which a length can differ from the received lengths of a page.
const SLACK_BYTES: u64 = 64;
/// The slack of a large page is its longest received length divided by this number.
const SLACK_PART: u64 = 10;

/// A list of up to [`MOST_KINDS`] items without heap allocation.
type Few<T> = SmallVec<[T; MOST_KINDS]>;

/// The expected response to a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Expectation {
    /// Nothing is compared.
    Nothing,
    /// The expected response is not known yet; contains the responses received so far.
    Unknown(Kinds),
    /// Responses with constant content.
    Same(Same),
    /// Responses whose content varies.
    Varies(Range),
}

/// Responses with constant content.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Same {
    /// One of the responses.
    pub(super) like: Response,
    /// Time at which this content was last received, seconds since 1970-01-01 UTC.
    pub(super) last_second: u64,
    /// Whether other content is unexpected: `true` once this content was received for at least
    /// [`PROVEN_SECONDS`], or if other kinds of responses are known.
    pub(super) is_proven: bool,
    /// Other content that was received before `is_proven` was set.
    pub(super) other: Option<Range>,
}

/// Responses with lengths in a range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Range {
    pub(super) status: u16,
    /// Shortest and longest length received, bytes.
    pub(super) seen: (u64, u64),
    /// Time of the last response in the range, seconds since 1970-01-01 UTC.
    pub(super) last_second: u64,
}

impl Range {
    fn of(response: Response) -> Self {
        Self {
            status: response.status,
            seen: (response.length, response.length),
            last_second: response.second,
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            status: self.status,
            seen: (self.seen.0.min(other.seen.0), self.seen.1.max(other.seen.1)),
            last_second: self.last_second.max(other.last_second),
        }
    }

    fn shifted(self, seconds: i64) -> Self {
        Self {
            last_second: self.last_second.saturating_add_signed(seconds),
            ..self
        }
    }

    /// Shortest and longest expected length, bytes: the received lengths with some slack or, if
    /// they differ by more than the slack, half the shortest and twice the longest. An empty body
    /// is expected only after an empty body.
    pub(super) fn expected(&self) -> (u64, u64) {
        let (least, most) = self.seen;
        let slack = SLACK_BYTES.max(most / SLACK_PART);
        let (low, high) = match most - least > slack {
            true => (least / 2, most.saturating_mul(2)),
            false => (least.saturating_sub(slack), most.saturating_add(slack)),
        };
        (low.max(u64::from(least > 0)), high)
    }

    #[inline]
    pub(super) fn holds(&self, status: u16, length: u64) -> bool {
        let (low, high) = self.expected();
        status == self.status && (low..=high).contains(&length)
    }
}

impl Same {
    /// Counts a response with the expected content.
    #[inline]
    pub(super) fn came(&mut self, second: u64) {
        self.last_second = self.last_second.max(second);
        self.is_proven |= self.last_second >= self.like.second + PROVEN_SECONDS;
    }

    /// Whether a response with other content can be the same page at another time. If so, the
    /// response is recorded in `other`.
    pub(super) fn allows(&mut self, response: Response) -> bool {
        let own = Range::of(self.like);
        let is_near = response.status == self.like.status
            && response.length.abs_diff(self.like.length) <= SLACK_BYTES
            && own.holds(response.status, response.length);
        if self.is_proven || !is_near {
            return false;
        }
        let now = Range::of(response);
        self.other = Some(self.other.map_or(now, |other| other.and(now)));
        true
    }
}

impl Expectation {
    /// Derives the expected response from the responses received.
    ///
    /// A few alternating kinds are a mixture with one correct kind: the longest kind, because
    /// errors and partial pages are shorter than pages. Of several longest kinds, the first is
    /// correct. If a few kinds of similar length were each received in one continuous period, the
    /// last kind is the current page. Many kinds are one page with variable content.
    pub(crate) fn of<'a>(kinds: &'a Kinds) -> Self {
        let filled = kinds.kinds.iter().filter(|kind| kind.first.length > 0);
        // Called on the path of a request: no allocation.
        let all: Few<&Kind> = match filled.clone().next() {
            Some(_) => filled.collect(),
            None => kinds.kinds.iter().collect(),
        };
        let Some(first) = all.first() else {
            return Self::Unknown(kinds.clone());
        };
        let again = all.iter().copied().filter(|kind| kind.count > 1);
        let again: Few<&Kind> = again.collect();
        let of_again: u64 = again.iter().map(|kind| kind.count).sum();
        let of_all: u64 = all.iter().map(|kind| kind.count).sum();
        let longest = all.iter().map(|kind| kind.first.length).max().unwrap_or(0);
        let is_far = |kind: &Kind| kind.first.length.saturating_mul(2) < longest;
        let is_mixture = again.len() <= MOST_IN_TURN
            && of_again * 2 > of_all
            && (kinds.is_interleaved || all.iter().any(|kind| is_far(kind)));
        if all.len() == 1 || is_mixture {
            // The first of the longest kinds.
            let longest = |kinds: &[&'a Kind]| {
                let mut kinds = kinds.iter().rev();
                kinds.by_ref().copied().max_by_key(|kind| kind.first.length)
            };
            let chosen = longest(&again).or_else(|| longest(&all)).unwrap_or(first);
            let mut same = Same {
                like: chosen.first,
                last_second: chosen.last_second,
                is_proven: all.len() > 1,
                other: None,
            };
            same.came(chosen.last_second);
            return Self::Same(same);
        }
        let is_few = all.len() <= MOST_IN_TURN && of_all >= 2 * all.len() as u64;
        if let Some(last) = all.last().filter(|_| is_few && !kinds.is_interleaved) {
            return Self::Same(Same {
                like: last.first,
                last_second: last.last_second,
                is_proven: false,
                other: None,
            });
        }
        let ranges = all.iter().map(|kind| {
            let mut range = Range::of(kind.first);
            range.last_second = kind.last_second;
            range
        });
        ranges
            .reduce(Range::and)
            .map_or(Self::Nothing, Self::Varies)
    }

    /// The expected status, if any.
    pub(super) fn status(&self) -> Option<u16> {
        match self {
            Self::Nothing | Self::Unknown(_) => None,
            Self::Same(same) => Some(same.like.status),
            Self::Varies(range) => Some(range.status),
        }
    }

    /// The expectation before the first response.
    pub(crate) fn unknown() -> Self {
        Self::Unknown(Kinds::default())
    }

    /// Whether this expectation, which may come from another machine, can be used in sums.
    pub(crate) fn is_possible(&self) -> bool {
        const MOST: u64 = 1 << 48;
        let is_range = |range: &Range| {
            range.seen.0 <= range.seen.1 && range.seen.1 < MOST && range.last_second < MOST
        };
        let is_response = |one: &Response| one.length < MOST && one.second < MOST;
        match self {
            Self::Nothing => true,
            Self::Unknown(kinds) => kinds.kinds.iter().all(|kind| {
                let sums = [kind.count, kind.last_second, kinds.total];
                is_response(&kind.first) && sums.into_iter().all(|sum| sum < MOST)
            }),
            Self::Same(same) => {
                is_response(&same.like)
                    && same.last_second < MOST
                    && same.other.as_ref().is_none_or(is_range)
            }
            Self::Varies(range) => is_range(range),
        }
    }

    /// The expectation with all times moved by `seconds`, for a machine with another wall clock.
    pub(crate) fn shifted(self, seconds: i64) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::Unknown(kinds) => Self::Unknown(kinds.shifted(seconds)),
            Self::Same(mut same) => {
                same.like.second = same.like.second.saturating_add_signed(seconds);
                same.last_second = same.last_second.saturating_add_signed(seconds);
                same.other = same.other.map(|other| other.shifted(seconds));
                Self::Same(same)
            }
            Self::Varies(range) => Self::Varies(range.shifted(seconds)),
        }
    }

    /// A copy for a worker, which learns independently of other workers.
    pub(crate) fn for_worker(&self) -> Self {
        match self {
            Self::Unknown(_) => Self::Unknown(Kinds::with_memory()),
            known => known.clone(),
        }
    }

    /// The expectation after a slice, from the merged reports of the workers.
    pub(crate) fn after(self, reported: Self) -> Self {
        match self {
            Self::Unknown(_) => self.and(reported),
            _ => reported,
        }
        .settled()
    }

    /// The expected status, lengths and content, for reports and checks.
    pub(super) fn summary(&self) -> ExpectedResponse {
        let (status, (shortest, longest), content) = match self {
            Self::Nothing | Self::Unknown(_) => return ExpectedResponse::default(),
            Self::Same(same) => {
                let length = same.like.length;
                (same.like.status, (length, length), Sameness::Same)
            }
            Self::Varies(range) => (range.status, range.expected(), Sameness::Varies),
        };
        ExpectedResponse {
            status: Some(status),
            shortest,
            longest,
            content,
            ..ExpectedResponse::default()
        }
    }

    /// Counts a response while the expected response is unknown.
    pub(super) fn learn(&mut self, response: Response) {
        let Self::Unknown(kinds) = self else { return };
        kinds.add(response);
        if kinds.total >= ENOUGH {
            *self = Self::of(kinds);
        }
    }

    /// Merges the expectations of two workers that started from the same expectation.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown(one), Self::Unknown(other)) => Self::Unknown(one.and(other)),
            (Self::Unknown(_), known) | (known, Self::Unknown(_)) => known,
            (Self::Same(one), Self::Same(other)) if one.like.sum == other.like.sum => {
                let mut both = one;
                both.is_proven |= other.is_proven;
                both.came(other.last_second);
                both.other = match (one.other, other.other) {
                    (Some(one), Some(other)) => Some(one.and(other)),
                    (one, other) => one.or(other),
                };
                Self::Same(both)
            }
            (Self::Varies(one), Self::Varies(other)) => Self::Varies(one.and(other)),
            (first, _) => first,
        }
    }

    /// The expectation after a slice. If the content was not yet proven constant, and other content
    /// was received later, the page varies.
    pub(super) fn settled(self) -> Self {
        match self {
            Self::Same(Same {
                like,
                last_second,
                is_proven: false,
                other: Some(other),
            }) if other.last_second > last_second => Self::Varies(Range::of(like).and(other)),
            Self::Unknown(kinds) if kinds.total >= ENOUGH => Self::of(&kinds),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(length: u64, sum: u64, second: u64) -> Response {
        Response {
            status: 200,
            length,
            sum,
            second,
        }
    }

    fn after(responses: impl IntoIterator<Item = Response>) -> Expectation {
        let mut kinds = Kinds::default();
        responses.into_iter().for_each(|one| kinds.add(one));
        Expectation::of(&kinds)
    }

    fn same(expectation: &Expectation) -> Same {
        match expectation {
            Expectation::Same(same) => *same,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_page_that_is_always_the_same_is_expected_to_the_byte_once_two_seconds_have_shown_it() {
        let mut known = same(&after((0..16).map(|_| response(100, 7, 50))));
        assert_eq!((known.like.length, known.is_proven), (100, false));
        assert!(known.allows(response(100, 8, 50)));
        assert!(known.allows(response(101, 8, 50)));
        assert!(!known.allows(response(0, 8, 50)));
        assert!(!known.allows(response(22, 8, 50)));
        known.came(51);
        assert!(!known.is_proven);
        known.came(52);
        assert!(!known.allows(response(100, 8, 52)));
    }

    #[test]
    fn of_alternating_kinds_one_is_expected() {
        let in_turn = |a: (u64, u64), b: (u64, u64)| {
            let each = (0..16).map(move |at| if at % 2 == 0 { a } else { b });
            same(&after(each.map(|(length, sum)| response(length, sum, 50))))
        };
        for (a, b) in [
            ((10_000, 1), (0, 0)),
            ((10_000, 1), (9_000, 2)),
            ((10_000, 1), (10_000, 2)),
            ((10_000, 1), (22, 2)),
        ] {
            let known = in_turn(a, b);
            assert_eq!((known.like.length, known.like.sum), a);
            assert_eq!(known.is_proven, b.0 > 0, "{b:?}");
        }
        // The server was overloaded when the first request was sent.
        assert_eq!(in_turn((22, 2), (10_000, 1)).like.length, 10_000);
        assert_eq!(in_turn((9_000, 2), (10_000, 1)).like.length, 10_000);
    }

    #[test]
    fn a_kind_that_occurs_only_first_is_not_expected() {
        let cold = [response(9_000, 1, 50)];
        let warm = (0..15).map(|_| response(10_000, 2, 50));
        let known = same(&after(cold.into_iter().chain(warm)));
        assert_eq!((known.like.sum, known.is_proven), (2, false));
    }

    #[test]
    fn a_page_with_another_content_each_time_has_a_range_of_lengths() {
        let pages = (0..16).map(|at| response(10_000 + at % 5, at, 50));
        let Expectation::Varies(range) = after(pages) else {
            panic!("it varies");
        };
        assert!(range.holds(200, 9_100) && range.holds(200, 11_000));
        assert!(!range.holds(200, 22) && !range.holds(200, 0) && !range.holds(204, 10_000));
        let pages = (0..16).map(|at| response(2_000 + at * 1_000, at, 50));
        let Expectation::Varies(range) = after(pages) else {
            panic!("it varies");
        };
        assert!(range.holds(200, 1_001) && range.holds(200, 30_000));
        assert!(!range.holds(200, 900));
    }

    #[test]
    fn an_expectation_is_the_same_on_a_machine_with_another_clock() {
        let here = after((0..16).map(|_| response(100, 7, 50)));
        let there = here.clone().shifted(5_000);
        assert_eq!(there, after((0..16).map(|_| response(100, 7, 5_050))));
        assert!(!same(&there).is_proven);
        assert_eq!(there.shifted(-5_000), here);
    }

    #[test]
    fn a_page_that_shows_the_time_varies() {
        let known = after((0..16).map(|_| response(100, 50, 50)));
        let mut clock = same(&known);
        for second in 51..53 {
            assert!(clock.allows(response(100, second, second)));
        }
        let settled = Expectation::Same(clock).settled();
        assert!(matches!(settled, Expectation::Varies(_)), "{settled:?}");

        // The expected content was still received at the end, so other content is unexpected.
        let mut mixed = same(&known);
        assert!(mixed.allows(response(100, 8, 51)));
        mixed.came(51);
        let settled = Expectation::Same(mixed).settled();
        assert!(matches!(settled, Expectation::Same(_)), "{settled:?}");
    }
}
