//! Suggestions for misspelt words.

use crate::{Sentence, sentence};

/// The candidate nearest to `word`, if it is near enough to be the word that was meant.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let word = plain(word);
    // Up to a third of the letters can be wrong: enough for typing errors, too few to turn one word
    // into another.
    let length = word.chars().count();
    let tolerance = (length / 3).max(1);
    candidates
        .into_iter()
        // The distance is at least the difference of the lengths; a word of megabytes is never compared.
        .filter(|candidate| length.abs_diff(candidate.chars().count()) <= tolerance)
        .map(|candidate| {
            (
                strsim::damerau_levenshtein(&word, &plain(candidate)),
                candidate,
            )
        })
        .filter(|&(distance, candidate)| {
            distance <= tolerance && distance < candidate.chars().count()
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// The candidates that contain `word`; before them the candidate nearest to `word`, if it is near
/// enough and does not contain `word`.
pub fn nearest_few<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str> + Clone,
) -> Vec<&'a str> {
    let part = plain(word);
    let contains = |candidate: &&str| !part.is_empty() && plain(candidate).contains(&part);
    let mut found: Vec<&str> = candidates.clone().into_iter().filter(contains).collect();
    if let Some(near) = nearest(word, candidates)
        && !found.contains(&near)
    {
        found.insert(0, near);
    }
    found
}

/// `; did you mean "…"?` with the nearest candidate, or nothing.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Sentence {
    meant_by(nearest(word, candidates))
}

/// The end of a sentence that names what was probably meant; nothing if that is unknown.
pub(crate) fn meant_by(meant: Option<&str>) -> Sentence {
    meant.map_or_else(Sentence::default, |meant| {
        sentence!("did-you-mean", "; did you mean {meant:?}?", meant)
    })
}

fn plain(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_forgiven_and_other_words_are_not() {
        let words = ["connections", "rate", "timeout", "keep_alive"];
        assert_eq!(nearest("conections", words), Some("connections"));
        assert_eq!(nearest("keep-alive", words), Some("keep_alive"));
        assert_eq!(nearest("tiemout", words), Some("timeout"));
        assert_eq!(nearest("colour", words), None);
        assert_eq!(nearest("x", ["s3"]), None);
        assert_eq!(nearest("s4", ["http", "s3"]), Some("s3"));
    }

    #[test]
    fn a_part_of_a_word_will_do() {
        let words = ["keep_alive", "too_few_samples", "too_few_connections"];
        assert_eq!(nearest_few("alive", words), ["keep_alive"]);
        assert_eq!(nearest_few("Too-Few", words), words[1..]);
        assert_eq!(nearest_few("kep_alive", words), ["keep_alive"]);
        assert!(nearest_few("colour", words).is_empty());
        assert!(nearest_few("", words).is_empty());
    }
}
