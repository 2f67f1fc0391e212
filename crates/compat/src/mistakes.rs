//! Mistakes in a command line.

use std::fmt;
use std::io;

use tenbin_plan::{Sentence, sentence};

/// The mistakes in a refused command line: at least one sentence. Each sentence names the flag and
/// what to do; no sentence contains a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Mistakes {
    sentences: Vec<Sentence>,
}

impl Mistakes {
    /// A single mistake.
    pub fn one(sentence: impl Into<Sentence>) -> Self {
        Self {
            sentences: vec![sentence.into()],
        }
    }

    /// All sentences, in the order of the command line.
    pub fn sentences(&self) -> &[Sentence] {
        &self.sentences
    }

    /// All sentences as one, each on a line.
    pub fn in_lines(&self) -> Sentence {
        Sentence::in_lines(self.sentences.iter().cloned())
    }

    /// `Err` if there is at least one sentence.
    pub(crate) fn unless_empty(sentences: Vec<Sentence>) -> Result<(), Self> {
        if sentences.is_empty() {
            return Ok(());
        }
        Err(Self { sentences })
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<&str> = self.sentences.iter().map(Sentence::text).collect();
        f.write_str(&texts.join("\n"))
    }
}

/// For a file that a flag names.
pub(crate) fn unreadable(file: &str, error: &io::Error) -> Sentence {
    sentence!(
        "front-unreadable",
        "{file:?} cannot be read: {error}",
        file,
        error
    )
}

/// For a number that must not be 0.
pub(crate) fn at_least_one() -> Sentence {
    sentence!("at-least-one", "must be at least 1")
}

/// For a number that is not a port.
pub(crate) fn not_a_port() -> Sentence {
    sentence!("front-port", "a port is a number from 1 to 65535")
}

/// `; did you mean …?` with the candidate most similar to `word`, or an empty sentence.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    write: impl Fn(&str) -> String,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Sentence {
    // Up to a third of the letters can be wrong: enough for typos, too few to turn one flag into
    // another.
    let tolerance = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= tolerance && distance < candidate.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, meant)| {
            let meant = write(meant);
            sentence!("meant-flag", "; did you mean {meant}?", meant)
        })
        .unwrap_or_default()
}
