//! Learns the reference from responses.
//!
//! Responses are grouped into variants: pages with the same kind of content, the same skeleton and
//! common words. A few variants can all be right, such as those of an A/B test or of languages. A
//! variant that looks like an error, like nothing or like a part of another one is not part of the
//! reference; neither is one to which the server turns after some requests, never to return.

use std::collections::{BTreeMap, BTreeSet};

use super::super::observed::Observed;
use super::super::shape::Form;
use super::variant::{
    SAME_CLASSES, SAME_SKELETON, Variant, common, distance, has_same_words, is_same_form,
    is_same_skeleton,
};
use super::{Constant, Feature, MOST_LISTED, Reference};

/// Number of responses of a variant to which the server turned for good.
const FOR_GOOD: usize = 8;
/// Number of responses before that.
const BEFORE: usize = 3;
/// A variant whose bodies are all shorter than this part of those of another one, and have nothing
/// in common with them, is not a page.
const FAR_SHORTER: u64 = 4;
/// Fewest responses from which the words of a page that varies are known.
const ENOUGH: usize = 32;
/// Maximum number of features whose frequencies are compared.
const MOST_FEATURES: usize = 128;

pub(super) fn learned(
    responses: &[Observed],
    is_unloaded: bool,
    names: &BTreeMap<u64, String>,
) -> Option<Reference> {
    let (groups, is_diverse) = groups(responses);
    let accepted = accepted(responses, groups, names);
    let mut at: Vec<usize> = accepted.iter().flatten().copied().collect();
    at.sort_unstable();
    let all: Vec<&Observed> = at.iter().map(|at| &responses[*at]).collect();
    let raw = || all.iter().map(|one| one.raw.0);
    let of_group = |group: &Vec<usize>| {
        let members: Vec<&Observed> = group.iter().map(|at| &responses[*at]).collect();
        Variant::of(&members, is_diverse, responses.len() >= ENOUGH)
    };
    Some(Reference {
        responses: responses.len() as u64,
        is_unloaded,
        statuses: distinct(all.iter().map(|one| one.status))
            .into_iter()
            .collect(),
        media: Some(distinct(all.iter().map(|one| one.notes.media())))
            .filter(|media| media.len() <= MOST_LISTED)
            .map(|media| media.into_iter().collect()),
        undecoded: distinct(
            all.iter()
                .filter(|one| !one.is_decoded)
                .map(|one| one.notes.encoding.clone()),
        )
        .into_iter()
        .take(MOST_LISTED)
        .collect(),
        constant: constant(&all),
        lengths: (raw().min()?, raw().max()?),
        variants: accepted.iter().filter_map(of_group).collect(),
        features: features(&all, names),
    })
}

fn distinct<T: Ord>(all: impl Iterator<Item = T>) -> BTreeSet<T> {
    all.collect()
}

/// Groups responses into variants, by their positions. The second value is whether the responses
/// have so many kinds that only the kind of content is compared.
fn groups(responses: &[Observed]) -> (Vec<Vec<usize>>, bool) {
    let by_kind = |one: &Observed, other: &Observed| is_same_form(one.shape.form, other.shape.form);
    let by_skeleton = |one: &Observed, other: &Observed| {
        by_kind(one, other) && is_same_skeleton(&one.shape, &other.shape)
    };
    let by_words = |one: &Observed, other: &Observed| {
        by_skeleton(one, other)
            && has_same_words(&one.shape, &other.shape)
            && distance(&one.shape.classes, &other.shape.classes) <= 2 * SAME_CLASSES
    };
    let strict = grouped(responses, by_words);
    if strict.len() <= MOST_LISTED {
        return (strict, false);
    }
    let loose = grouped(responses, by_skeleton);
    if loose.len() <= MOST_LISTED {
        return (loose, false);
    }
    (grouped(responses, by_kind), true)
}

fn grouped(
    responses: &[Observed],
    is_same: impl Fn(&Observed, &Observed) -> bool,
) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, response) in responses.iter().enumerate() {
        let is_member = |group: &&mut Vec<usize>| {
            let ends = [group.first(), group.last()];
            ends.into_iter()
                .flatten()
                .any(|known| is_same(&responses[*known], response))
        };
        match groups.iter_mut().find(is_member) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

/// The groups that are part of the reference.
fn accepted(
    responses: &[Observed],
    groups: Vec<Vec<usize>>,
    names: &BTreeMap<u64, String>,
) -> Vec<Vec<usize>> {
    let is_counted = |group: &Vec<usize>| group.len() > 1 || responses.len() < 4 * groups.len();
    let is_page = |(at, group): (usize, &Vec<usize>)| {
        let others = groups.iter().enumerate();
        let mut others = others.filter(|(other, group)| *other != at && is_counted(group));
        !others.any(|(_, other)| is_less(responses, group, other, names))
    };
    let pages = groups
        .iter()
        .enumerate()
        .filter(|(at, group)| is_page((*at, group)));
    let whole = pages.map(|(_, group)| {
        let whole = group.iter().filter(|at| !is_cut(responses, **at));
        whole.copied().collect::<Vec<_>>()
    });
    let pages: Vec<Vec<usize>> = whole.filter(|group| !group.is_empty()).collect();
    match pages.first().zip(pages.get(1)) {
        Some((first, second)) if is_turn(responses, first, second) => {
            pages.into_iter().take(1).collect()
        }
        Some(_) => pages,
        None if pages.is_empty() => groups,
        None => pages,
    }
}

/// Whether a response is only the start of another one, and not an earlier state of a page that
/// grows: the longer one came before, or the same short one came again after it.
fn is_cut(responses: &[Observed], at: usize) -> bool {
    let one = &responses[at].shape;
    let is_again = |later: &Observed| later.shape.sum == one.sum;
    responses.iter().enumerate().any(|(other, longer)| {
        one.is_start_of(&longer.shape) && (other < at || responses[other..].iter().any(is_again))
    })
}

/// Whether the server turned from one variant to the other for good, and the other one is not a
/// longer state of the same page, such as a list that was empty at first.
fn is_turn(responses: &[Observed], first: &[usize], second: &[usize]) -> bool {
    let Some(((from, last), (to, _))) = first
        .first()
        .zip(first.last())
        .zip(second.first().zip(second.last()))
    else {
        return false;
    };
    let (one, other) = (&responses[*from].shape, &responses[*to].shape);
    let kept = common(&one.skeleton, &other.skeleton);
    let is_grown = one.length < other.length
        && one.form == other.form
        && !one.skeleton.is_empty()
        && kept as f64 >= one.skeleton.len() as f64 * SAME_SKELETON;
    !is_grown
        && first.len() >= BEFORE
        && second.len() >= FOR_GOOD
        && last < to
        && first.len() + second.len() == responses.len()
}

/// Whether a variant is an error, nothing, or a part of another variant.
fn is_less(
    responses: &[Observed],
    group: &[usize],
    other: &[usize],
    names: &BTreeMap<u64, String>,
) -> bool {
    let (Some(one), Some(whole)) = (group.first(), other.first()) else {
        return false;
    };
    let (one, whole) = (&responses[*one], &responses[*whole]);
    if one.shape.form == Form::Empty || whole.shape.form == Form::Empty {
        return one.shape.form == Form::Empty && whole.shape.form != Form::Empty;
    }
    if one.shape.is_start_of(&whole.shape) {
        return true;
    }
    let longest = group.iter().map(|at| responses[*at].shape.length).max();
    let shortest = other.iter().map(|at| responses[*at].shape.length).min();
    let is_far_shorter = longest
        .zip(shortest)
        .is_some_and(|(longest, shortest)| longest.saturating_mul(FAR_SHORTER) < shortest);
    let is_stranger = !is_same_form(one.shape.form, whole.shape.form)
        || common(&one.shape.skeleton, &whole.shape.skeleton) == 0 && !is_list(one, whole, names);
    let is_stranger = match one.shape.form {
        Form::Markup | Form::Text => !has_same_words(&one.shape, &whole.shape),
        Form::Json | Form::Binary | Form::Empty => is_stranger,
    };
    is_far_shorter && is_stranger || is_error(one, names) && !is_error(whole, names)
}

/// Whether both are JSON arrays, of which one may be empty.
fn is_list(one: &Observed, other: &Observed, names: &BTreeMap<u64, String>) -> bool {
    let is_root = |feature: &u64| {
        names
            .get(feature)
            .is_some_and(|name| name == "/: array" || name == "/: empty array")
    };
    let has_root = |response: &Observed| response.shape.details.iter().any(is_root);
    has_root(one) && has_root(other)
}

/// Words of errors: in keys and short values of JSON, and in pages.
const ERRORS: [&str; 14] = [
    "error", "errors", "overloaded", "overload", "unavailable", "throttled", "exceeded", "failed",
    "failure", "denied", "forbidden", "busy", "timeout", "retry",
];

/// Whether a response looks like an error: a JSON document with a key or a short value, or a page
/// with several words that say so.
pub(super) fn is_error(response: &Observed, names: &BTreeMap<u64, String>) -> bool {
    let shape = &response.shape;
    let says = |features: &[u64]| {
        let named = features.iter().filter_map(|feature| names.get(feature));
        let mut found = BTreeSet::new();
        for name in named {
            let name = name.to_ascii_lowercase();
            let words = name.split(|c: char| !c.is_ascii_alphabetic());
            found.extend(words.filter_map(|word| ERRORS.iter().position(|one| *one == word)));
        }
        found.len()
    };
    match shape.form {
        Form::Json => shape.skeleton.len() <= 4 && says(&shape.details) > 0,
        Form::Markup | Form::Text => shape.words.len() <= 64 && says(&shape.words) > 1,
        Form::Binary | Form::Empty => false,
    }
}

/// The content, if it is the same in all responses, apart from the first one of a cold server.
fn constant(all: &[&Observed]) -> Option<Constant> {
    let last = all.last()?;
    let is_last = |one: &&Observed| one.shape.sum == last.shape.sum;
    let rest = if all.iter().all(is_last) {
        all
    } else {
        &all[1..]
    };
    if !rest.iter().all(is_last) {
        return None;
    }
    let raw = rest.iter().map(|one| (one.status, one.raw.0, one.raw.1));
    let raw = distinct(raw);
    (raw.len() <= MOST_LISTED).then(|| Constant {
        sum: last.shape.sum,
        masked: last.shape.masked,
        raw: raw.into_iter().collect(),
    })
}

/// The features that most responses have.
fn features(all: &[&Observed], names: &BTreeMap<u64, String>) -> Vec<Feature> {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for feature in all.iter().flat_map(|one| one.shape.counted()) {
        *counts.entry(feature).or_default() += 1;
    }
    let usual = counts.iter().filter(|(_, count)| **count * 2 > all.len());
    let named = usual.filter_map(|(hash, _)| {
        let name = names.get(hash)?.clone();
        Some(Feature { hash: *hash, name })
    });
    named.take(MOST_FEATURES).collect()
}
