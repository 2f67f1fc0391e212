//! One of the pages that a server sends in response to the same request, such as a variant of an
//! A/B test.

use serde::{Deserialize, Serialize};

use super::super::observed::Observed;
use super::super::shape::{CLASSES, Form, Shape};
use super::{Constant, Difference};

/// Share of the responses of a variant that have a feature which the variant always has.
const ALWAYS: f64 = 0.9;
/// Smallest similarity of two skeletons of the same page: common features as a share of all.
pub(super) const SAME_SKELETON: f64 = 0.6;
/// Smallest share of common words of two responses of the same page.
pub(super) const SAME_WORDS: f64 = 0.34;
/// The same for a constant page: all its words are always there.
const SAME_CONSTANT_WORDS: f64 = 0.5;
/// Smallest share of equal blocks of a constant binary body at another time.
const SAME_BLOCKS: f64 = 0.5;
/// Number of words from which shares of words mean something.
const FEW_WORDS: usize = 3;
/// Share of words that are new in the later responses, below which the vocabulary is known.
const NEW_WORDS: f64 = 0.1;
/// Maximum number of words in the vocabulary.
const MOST_WORDS: usize = 2_048;
/// Distance of two distributions of bytes over classes: sum of the absolute differences, per mille.
pub(super) const SAME_CLASSES: u16 = 300;
/// Length from which classes of bytes mean something, bytes.
const FEW_BYTES: u64 = 64;
/// Difference of two lengths that is never too short, bytes.
const SLACK_BYTES: u64 = 16;

/// One of the pages that a server sends in response to the same request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Variant {
    form: Form,
    /// Shortest and longest decoded body, bytes.
    lengths: (u64, u64),
    /// Skeleton features of any response, sorted; empty if skeletons are not compared.
    skeleton: Vec<u64>,
    /// Skeleton features that the page always has, sorted.
    core: Vec<u64>,
    /// Words that the page always has, sorted.
    words: Vec<u64>,
    /// All words of the page, sorted; empty if it has new words again and again.
    vocabulary: Vec<u64>,
    /// Mean share of each class of bytes, per mille.
    classes: [u16; CLASSES],
    /// Largest distance of a response from the mean, per mille.
    spread: u16,
    /// The end of the body, if always the same.
    ending: Option<u64>,
    /// Blocks of the first body.
    blocks: Vec<u64>,
    /// Whether enough responses are known to compare words of a page that varies.
    has_enough: bool,
}

impl Variant {
    /// The variant of these responses. With `is_diverse`, skeletons and words are not compared.
    /// Without `has_enough`, words are compared only with a constant page.
    pub(super) fn of(responses: &[&Observed], is_diverse: bool, has_enough: bool) -> Option<Self> {
        let shapes: Vec<&Shape> = responses.iter().map(|one| &one.shape).collect();
        let first = shapes.first()?;
        let compared = |features: Vec<u64>| if is_diverse { Vec::new() } else { features };
        let always = (shapes.len() as f64 * ALWAYS).ceil() as usize;
        let mut classes = [0; CLASSES];
        for (at, class) in classes.iter_mut().enumerate() {
            let sum: u64 = shapes.iter().map(|one| u64::from(one.classes[at])).sum();
            *class = (sum / shapes.len() as u64) as u16;
        }
        let spread = shapes.iter().map(|one| distance(&one.classes, &classes));
        Some(Self {
            form: first.form,
            lengths: (
                shapes.iter().map(|one| one.length).min().unwrap_or(0),
                shapes.iter().map(|one| one.length).max().unwrap_or(0),
            ),
            skeleton: compared(at_least(&shapes, 1, |one| &one.skeleton)),
            core: compared(at_least(&shapes, always, |one| &one.skeleton)),
            words: compared(at_least(&shapes, always, |one| &one.words)),
            vocabulary: compared(vocabulary(&shapes)),
            spread: spread.max().unwrap_or(0),
            classes,
            ending: shapes
                .iter()
                .all(|one| one.ending == first.ending)
                .then_some(first.ending),
            blocks: first.blocks.clone(),
            has_enough,
        })
    }

    /// Whether a response is one of this variant.
    pub(super) fn compare(
        &self,
        response: &Observed,
        constant: Option<&Constant>,
    ) -> Result<(), Difference> {
        let shape = &response.shape;
        let (shortest, longest) = self.lengths;
        if shape.form == Form::Empty || self.form == Form::Empty {
            return match (shape.form, self.form) {
                (Form::Empty, Form::Empty) => Ok(()),
                (Form::Empty, _) => Err(Difference::Empty),
                (form, _) => Err(Difference::Form(form)),
            };
        }
        if !is_same_form(shape.form, self.form) {
            let is_broken_json =
                self.form == Form::Json && shape.form == Form::Text && shape.length < shortest;
            return Err(if is_broken_json {
                Difference::CutOff
            } else {
                Difference::Form(shape.form)
            });
        }
        if constant.is_some_and(|constant| constant.masked == shape.masked) {
            return Ok(());
        }
        self.skeleton(shape)?;
        self.words(shape, constant.is_some())?;
        let is_other_end = self.ending.is_some_and(|end| end != shape.ending);
        let is_start = constant.is_some() && shape.is_start_of_blocks(&self.blocks);
        if shape.length < shortest && (is_other_end || is_start) {
            return Err(Difference::CutOff);
        }
        if shape.length + SLACK_BYTES < shortest && shape.length < least_length(shortest, longest) {
            return Err(Difference::Short);
        }
        if !matches!(self.form, Form::Text | Form::Binary) {
            return Ok(());
        }
        let most = SAME_CLASSES.max(self.spread.saturating_mul(2));
        if shape.length >= FEW_BYTES && distance(&shape.classes, &self.classes) > most {
            return Err(Difference::Bytes);
        }
        if constant.is_some() && self.form == Form::Binary && response.is_decoded {
            return self.blocks(shape);
        }
        Ok(())
    }

    fn skeleton(&self, shape: &Shape) -> Result<(), Difference> {
        if self.skeleton.is_empty() {
            return Ok(());
        }
        let known = common(&shape.skeleton, &self.skeleton);
        let always = common(&shape.skeleton, &self.core);
        let all = shape.skeleton.len() + self.core.len() - always;
        match known as f64 >= all as f64 * SAME_SKELETON {
            true => Ok(()),
            false if self.form == Form::Json => Err(Difference::Keys),
            false => Err(Difference::Tags),
        }
    }

    fn words(&self, shape: &Shape, is_constant: bool) -> Result<(), Difference> {
        let is_known = is_constant || self.has_enough;
        if shape.form == Form::Binary || self.form == Form::Binary || !is_known {
            return Ok(());
        }
        let found = common(&shape.words, &self.words);
        let least = if is_constant {
            SAME_CONSTANT_WORDS
        } else {
            SAME_WORDS
        };
        let is_other = match self.words.len() {
            0 => false,
            few if few < FEW_WORDS => found == 0,
            count => (found as f64) < count as f64 * least,
        };
        let known = common(&shape.words, &self.vocabulary);
        let is_new = !self.vocabulary.is_empty()
            && shape.words.len() >= FEW_WORDS
            && (known as f64) < shape.words.len() as f64 * SAME_WORDS;
        if is_other || is_new {
            Err(Difference::Words)
        } else {
            Ok(())
        }
    }

    /// Compares blocks of a constant binary body.
    fn blocks(&self, shape: &Shape) -> Result<(), Difference> {
        let pairs = self.blocks.iter().zip(&shape.blocks);
        let equal = pairs.filter(|(one, other)| one == other).count();
        if equal as f64 >= self.blocks.len() as f64 * SAME_BLOCKS {
            Ok(())
        } else {
            Err(Difference::Content)
        }
    }

    pub(super) fn is_possible(&self) -> bool {
        let sets = [&self.skeleton, &self.core, &self.words, &self.vocabulary];
        self.lengths.1 < super::MOST && sets.into_iter().all(|set| set.is_sorted())
    }
}

/// Text and binary data are not told apart: a page can have a few bytes that are no text.
pub(super) fn is_same_form(one: Form, other: Form) -> bool {
    let is_plain = |form| matches!(form, Form::Text | Form::Binary);
    one == other || is_plain(one) && is_plain(other)
}

/// Length below which a body is too short, bytes. A page that is sometimes `n` times as long as at
/// other times can also be `n` times as short as the shortest one so far.
pub(super) fn least_length(shortest: u64, longest: u64) -> u64 {
    let part = (longest / shortest.max(1)).max(2);
    shortest.div_ceil(part)
}

/// Whether two responses have about the same skeleton.
pub(super) fn is_same_skeleton(one: &Shape, other: &Shape) -> bool {
    let common = common(&one.skeleton, &other.skeleton);
    let all = one.skeleton.len() + other.skeleton.len() - common;
    common as f64 >= all as f64 * SAME_SKELETON
}

/// Whether two responses have enough words in common, or too few to tell.
pub(super) fn has_same_words(one: &Shape, other: &Shape) -> bool {
    let fewest = one.words.len().min(other.words.len());
    one.masked == other.masked
        || fewest == 0
        || common(&one.words, &other.words) as f64 >= fewest as f64 * SAME_WORDS
}

/// Number of common items of two sorted sets.
pub(super) fn common(one: &[u64], other: &[u64]) -> usize {
    let (few, many) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    few.iter()
        .filter(|item| many.binary_search(item).is_ok())
        .count()
}

/// The distance of two distributions of bytes, per mille.
pub(super) fn distance(one: &[u16; CLASSES], other: &[u16; CLASSES]) -> u16 {
    let pairs = one.iter().zip(other);
    pairs.map(|(one, other)| one.abs_diff(*other)).sum()
}

/// The features that at least `least` shapes have, sorted.
fn at_least(shapes: &[&Shape], least: usize, of: impl Fn(&Shape) -> &Vec<u64>) -> Vec<u64> {
    let mut all: Vec<u64> = shapes.iter().flat_map(|one| of(one)).copied().collect();
    all.sort_unstable();
    let runs = all.chunk_by(|one, other| one == other);
    runs.filter(|run| run.len() >= least)
        .filter_map(|run| run.first().copied())
        .take(MOST_WORDS)
        .collect()
}

/// All words, if the second half of the responses has hardly any new ones.
fn vocabulary(shapes: &[&Shape]) -> Vec<u64> {
    let (first, second) = shapes.split_at(shapes.len() / 2);
    let known = at_least(first, 1, |one| &one.words);
    let (mut new, mut all) = (0, 0);
    for one in second {
        all += one.words.len();
        new += one.words.len() - common(&one.words, &known);
    }
    let vocabulary = at_least(shapes, 1, |one| &one.words);
    if vocabulary.len() < MOST_WORDS && (new as f64) <= all as f64 * NEW_WORDS {
        vocabulary
    } else {
        Vec::new()
    }
}
