//! Frequencies in the responses of a stage: before the load, under load, or after it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::observed::{HeadNotes, Observed};
use super::reference::{Difference, Likeness, Reference};

/// Maximum number of lengths kept.
const MOST_LENGTHS: usize = 128;
/// Maximum number of features that the reference does not have.
const MOST_NEW: usize = 16;
/// Maximum number of contents of changed responses that are told apart.
const MOST_CONTENTS: usize = 8;
/// Number of recent contents with which a content is compared.
const RECENT: usize = 32;
/// Minimum time between two recent contents, nanoseconds.
const RECENT_APART: u64 = 2_000_000;
/// Time after which a content of a page that varies counts as repeated, nanoseconds: pages can show
/// the time in milliseconds.
const REPEATED_AFTER: u64 = 10_000_000;
/// Time after a change in which responses can still have the former content, nanoseconds.
const OVERLAP: u64 = 200_000_000;
/// Maximum number of encodings that are counted.
const MOST_ENCODINGS: usize = 4;
/// Largest number in a portrait from another machine.
const MOST: u64 = 1 << 48;

/// Frequencies in the responses of a stage. Responses of another kind are not included.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Portrait {
    /// Number of responses read to the end.
    pub responses: u64,
    /// Of these, number with the constant content.
    pub same: u64,
    /// Number with other content in place of the constant content, but the same shape.
    pub changed: u64,
    /// Responses more than 0.2 s after the first changed one: with the constant content, and with
    /// other content.
    pub since_change: (u64, u64),
    /// Responses of another kind that can be a rare page: too few to tell. Not in `responses`.
    pub strange: u64,
    /// By feature of the reference: number of responses that have it.
    pub features: Vec<u64>,
    /// Further responses that have all features of the reference.
    pub with_all: u64,
    /// Features that the reference does not have: hash, name, and number of responses.
    pub new: Vec<(u64, String, u64)>,
    /// Sample of the lengths of decoded bodies, bytes.
    pub lengths: Lengths,
    /// Distinct contents of the changed responses, as checksums.
    pub changed_contents: Vec<u64>,
    /// Responses whose content was compared with that of earlier ones.
    pub compared: u64,
    /// Of these, responses that repeated the content of an earlier one.
    pub repeated: u64,
    /// Responses whose words were compared with those of earlier ones.
    pub compared_words: u64,
    /// Of these, responses that repeated the words of an earlier one, apart from numbers and tokens.
    pub repeated_words: u64,
    /// Number of responses with an `Age`, from a cache, and with a `Via`.
    pub marks: [u64; 3],
    /// Number of responses by encoding.
    pub encodings: BTreeMap<String, u64>,
}

/// A random sample of lengths.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lengths {
    /// Number of bodies.
    pub count: u64,
    /// Sum of all lengths, bytes.
    pub sum: u64,
    /// The sample.
    pub kept: Vec<u64>,
}

impl Lengths {
    fn add(&mut self, length: u64) {
        self.count += 1;
        self.sum = self.sum.saturating_add(length);
        if self.kept.len() < MOST_LENGTHS {
            self.kept.push(length);
            return;
        }
        // Reservoir sampling with a fixed sequence of random numbers.
        let random = self.count.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        let place = (random % self.count) as usize;
        if let Some(kept) = self.kept.get_mut(place) {
            *kept = length;
        }
    }

    fn and(mut self, other: Self) -> Self {
        let all = self.count + other.count;
        self.sum = self.sum.saturating_add(other.sum);
        if self.kept.len() + other.kept.len() <= MOST_LENGTHS {
            self.kept.extend(other.kept);
        } else {
            let share = |count: u64| {
                (count as f64 / all.max(1) as f64 * MOST_LENGTHS as f64).round() as usize
            };
            let mine = share(self.count).min(self.kept.len());
            self.kept = evenly(&self.kept, mine);
            self.kept.extend(evenly(&other.kept, MOST_LENGTHS - mine));
        }
        self.count = all;
        self
    }
}

/// About `count` values at equal distances. The first values would not do: after several merges,
/// these are the oldest.
fn evenly(values: &[u64], count: usize) -> Vec<u64> {
    let count = count.min(values.len());
    (0..count)
        .map(|at| values[at * values.len() / count])
        .collect()
}

/// What a portrait counts of one kind of response.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Counted {
    /// Positions in [`Reference::features`].
    features: Vec<u16>,
    new: Vec<u64>,
    length: u64,
    /// As [`super::shape::Shape::sum`] and [`super::shape::Shape::masked`].
    content: (u64, u64),
    /// Checksum of the body as transferred.
    raw: u64,
}

impl Counted {
    pub(super) fn of(response: &Observed, reference: &Reference) -> Self {
        let mut counted = Self {
            length: response.shape.length,
            content: (response.shape.sum, response.shape.masked),
            raw: response.raw.1,
            ..Self::default()
        };
        for feature in response.shape.counted() {
            match reference
                .features
                .binary_search_by_key(&feature, |known| known.hash)
            {
                Ok(at) => counted.features.push(at as u16),
                Err(_) => counted.new.push(feature),
            }
        }
        counted
    }
}

impl Portrait {
    /// A portrait without responses.
    pub(super) fn new(reference: &Reference) -> Self {
        Self {
            features: vec![0; reference.features.len()],
            ..Self::default()
        }
    }

    /// The portrait of these responses. Responses of another kind are counted in the second value.
    pub(super) fn of(
        responses: &[Observed],
        reference: &Reference,
        names: &BTreeMap<u64, String>,
    ) -> (Self, Vec<Difference>) {
        let mut portrait = Self::new(reference);
        let mut recent = Recent::default();
        let mut others = Vec::new();
        for one in responses {
            match reference.compare(one, names) {
                Likeness::Strange(difference) | Likeness::Other(difference) => {
                    others.push(difference);
                }
                likeness => {
                    portrait.heads(&one.notes);
                    let counted = Counted::of(one, reference);
                    portrait.add(&likeness, &counted, one.nanos, &mut recent, names);
                }
            }
        }
        (portrait, others)
    }

    /// Adds a response that is not of another kind.
    pub(super) fn add(
        &mut self,
        likeness: &Likeness,
        counted: &Counted,
        nanos: u64,
        recent: &mut Recent,
        names: &BTreeMap<u64, String>,
    ) {
        self.responses += 1;
        match likeness {
            Likeness::Same => self.same += 1,
            Likeness::Changed => {
                self.changed += 1;
                self.change_to(counted.content.0);
            }
            Likeness::Alike | Likeness::Strange(_) | Likeness::Other(_) => {}
        }
        let since = recent.since_change(likeness, nanos);
        self.since_change.0 += u64::from(since && *likeness == Likeness::Same);
        self.since_change.1 += u64::from(since && *likeness == Likeness::Changed);
        for at in &counted.features {
            if let Some(count) = self.features.get_mut(usize::from(*at)) {
                *count += 1;
            }
        }
        for feature in &counted.new {
            match self.new.iter().position(|new| new.0 == *feature) {
                Some(at) => self.new[at].2 += 1,
                None if self.new.len() < MOST_NEW => {
                    if let Some(name) = names.get(feature) {
                        self.new.push((*feature, name.clone(), 1));
                    }
                }
                None => {}
            }
        }
        self.lengths.add(counted.length);
        self.add_content(counted.raw, nanos, recent);
        if let Some(is_repeated) = recent.words.repeated(counted.content.1, nanos) {
            self.compared_words += 1;
            self.repeated_words += u64::from(is_repeated);
        }
    }

    /// Compares the content of a response with that of earlier ones. `sum` is the checksum of the
    /// body as transferred.
    pub(super) fn add_content(&mut self, sum: u64, nanos: u64, recent: &mut Recent) {
        if let Some(is_repeated) = recent.contents.repeated(sum, nanos) {
            self.compared += 1;
            self.repeated += u64::from(is_repeated);
        }
    }

    fn change_to(&mut self, content: u64) {
        if self.changed_contents.len() < MOST_CONTENTS && !self.changed_contents.contains(&content)
        {
            self.changed_contents.push(content);
        }
    }

    /// Adds a response with the constant content of the reference, which has all its features.
    pub(super) fn add_constant(&mut self, nanos: u64, recent: &mut Recent) {
        self.responses += 1;
        self.same += 1;
        self.with_all += 1;
        self.since_change.0 += u64::from(recent.since_change(&Likeness::Same, nanos));
    }

    /// Counts what the head of a response says.
    pub(super) fn heads(&mut self, notes: &HeadNotes) {
        let marks = [notes.age, notes.hit, notes.via];
        for (count, mark) in self.marks.iter_mut().zip(marks) {
            *count += u64::from(mark);
        }
        if let Some(count) = self.encodings.get_mut(&notes.encoding) {
            *count += 1;
        } else if self.encodings.len() < MOST_ENCODINGS {
            self.encodings.insert(notes.encoding.clone(), 1);
        }
    }

    /// Merges two portraits for the same reference.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.strange += other.strange;
        if self.responses == 0 {
            return Self {
                strange: self.strange,
                ..other
            };
        }
        self.responses += other.responses;
        self.same += other.same;
        self.changed += other.changed;
        self.with_all += other.with_all;
        self.since_change.0 += other.since_change.0;
        self.since_change.1 += other.since_change.1;
        for (mine, theirs) in self.features.iter_mut().zip(&other.features) {
            *mine += theirs;
        }
        for (feature, name, count) in other.new {
            match self.new.iter().position(|new| new.0 == feature) {
                Some(at) => self.new[at].2 += count,
                None if self.new.len() < MOST_NEW => self.new.push((feature, name, count)),
                None => {}
            }
        }
        self.lengths = self.lengths.and(other.lengths);
        self.compared += other.compared;
        self.repeated += other.repeated;
        self.compared_words += other.compared_words;
        self.repeated_words += other.repeated_words;
        for content in other.changed_contents {
            self.change_to(content);
        }
        for (mine, theirs) in self.marks.iter_mut().zip(other.marks) {
            *mine += theirs;
        }
        for (encoding, count) in other.encodings {
            if self.encodings.len() < MOST_ENCODINGS || self.encodings.contains_key(&encoding) {
                *self.encodings.entry(encoding).or_default() += count;
            }
        }
        self
    }

    /// Whether this portrait, which may come from another machine, can be used in sums.
    pub(super) fn is_possible(&self) -> bool {
        let counts = [
            self.responses, self.strange, self.same, self.changed, self.since_change.0,
            self.since_change.1, self.compared, self.repeated, self.compared_words,
            self.repeated_words, self.lengths.count,
        ];
        counts.iter().chain(&self.marks).all(|count| *count < MOST)
            && self.features.iter().all(|count| *count < MOST)
            && self.new.iter().all(|new| new.2 < MOST)
            && self.encodings.values().all(|count| *count < MOST)
            && self.lengths.kept.len() <= MOST_LENGTHS
    }
}

/// Recent responses of one worker.
#[derive(Debug, Clone, Default)]
pub(super) struct Recent {
    contents: RecentSums,
    words: RecentSums,
    /// Time of the first changed response.
    changed: Option<u64>,
}

/// Recent checksums, with the time of each.
#[derive(Debug, Clone, Default)]
struct RecentSums {
    sums: Vec<(u64, u64)>,
    next: usize,
    last: Option<u64>,
}

impl RecentSums {
    /// Whether a checksum was already received some time ago; `None` if none is old enough, or the
    /// last one too new.
    fn repeated(&mut self, sum: u64, nanos: u64) -> Option<bool> {
        let is_due = self
            .last
            .is_none_or(|last| nanos.saturating_sub(last) >= RECENT_APART);
        if !is_due {
            return None;
        }
        let is_old = |at: u64| nanos.saturating_sub(at) >= REPEATED_AFTER;
        let old = || self.sums.iter().filter(|(_, at)| is_old(*at));
        let is_known = old().next().is_some();
        let is_repeated = old().any(|(known, _)| *known == sum);
        self.last = Some(nanos);
        if self.sums.len() < RECENT {
            self.sums.push((sum, nanos))
        } else {
            self.sums[self.next] = (sum, nanos)
        }
        self.next = (self.next + 1) % RECENT;
        is_known.then_some(is_repeated)
    }
}

impl Recent {
    /// Whether the first changed response is some time ago.
    fn since_change(&mut self, likeness: &Likeness, nanos: u64) -> bool {
        if *likeness == Likeness::Changed {
            self.changed.get_or_insert(nanos);
        }
        self.changed
            .is_some_and(|changed| nanos.saturating_sub(changed) > OVERLAP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_repeat_only_after_some_time() {
        let mut recent = RecentSums::default();
        let mut is_repeated = |sum, ms: u64| recent.repeated(sum, ms * 1_000_000);
        assert_eq!(is_repeated(7, 0), None);
        assert_eq!(is_repeated(7, 1), None, "the clock of a page");
        assert_eq!(is_repeated(8, 5), None, "nothing is old enough");
        assert_eq!(is_repeated(7, 12), Some(true));
        assert_eq!(is_repeated(9, 20), Some(false));
        assert_eq!(is_repeated(9, 21), None, "too soon");
    }

    #[test]
    fn samples_of_lengths_have_a_bounded_size_and_the_right_mean() {
        let of = |from: u64| {
            let mut lengths = Lengths::default();
            (from..from + 1_000).for_each(|length| lengths.add(length));
            lengths
        };
        let both = of(0).and(of(1_000));
        assert_eq!((both.count, both.sum), (2_000, 1_999_000));
        assert_eq!(both.kept.len(), MOST_LENGTHS);
        let mean = |lengths: &Lengths| lengths.kept.iter().sum::<u64>() / lengths.kept.len() as u64;
        assert!((700..1_300).contains(&mean(&both)), "{}", mean(&both));
        // Many merges forget the first ones like all others.
        let many = (0..10).fold(Lengths::default(), |all, at| all.and(of(at * 1_000)));
        assert!((4_300..5_700).contains(&mean(&many)), "{}", mean(&many));
    }
}
