//! What is wrong with a command line.

use std::fmt;

/// Why a command line is not run: one sentence for each thing wrong, at least one.
/// Each names the flag and says what to do; none shows a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Mistakes {
    sentences: Vec<String>,
}

impl Mistakes {
    /// A single one.
    pub fn one(sentence: impl Into<String>) -> Self {
        Self {
            sentences: vec![sentence.into()],
        }
    }

    /// All of them, in the order of the command line.
    pub fn sentences(&self) -> &[String] {
        &self.sentences
    }

    /// Nothing, unless something is wrong.
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

/// `; did you mean …?` for the nearest candidate, or nothing.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    write: impl Fn(&str) -> String,
    candidates: impl IntoIterator<Item = &'a str>,
) -> String {
    // A third of the letters may be wrong: enough for slips, too little to turn
    // one flag into another.
    let tolerance = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= tolerance && distance < candidate.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, meant)| format!("; did you mean {}?", write(meant)))
        .unwrap_or_default()
}
