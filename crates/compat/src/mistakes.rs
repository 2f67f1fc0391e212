//! Mistakes in a command line.

use std::fmt;

/// The mistakes in a refused command line: at least one sentence. Each sentence names the flag and
/// what to do; no sentence contains a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Mistakes {
    sentences: Vec<String>,
}

impl Mistakes {
    /// A single mistake.
    pub fn one(sentence: impl Into<String>) -> Self {
        Self {
            sentences: vec![sentence.into()],
        }
    }

    /// All sentences, in the order of the command line.
    pub fn sentences(&self) -> &[String] {
        &self.sentences
    }

    /// `Err` if there is at least one sentence.
    pub(crate) fn unless_empty(sentences: Vec<String>) -> Result<(), Self> {
        if sentences.is_empty() {
            return Ok(());
        }
        Err(Self { sentences })
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentences.join("\n"))
    }
}

/// `; did you mean …?` with the candidate most similar to `word`, or an empty text.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    write: impl Fn(&str) -> String,
    candidates: impl IntoIterator<Item = &'a str>,
) -> String {
    // Up to a third of the letters can be wrong: enough for typos, too few to turn one flag into
    // another.
    let tolerance = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= tolerance && distance < candidate.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, meant)| format!("; did you mean {}?", write(meant)))
        .unwrap_or_default()
}
