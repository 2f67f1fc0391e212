//! The problems of a plan. Each problem has a place and says what to do.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::plan_file::mistake::Mistake;
use crate::{Sentence, sentence};

/// One problem, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The plan file, if the problem is in a file.
    pub file: Option<PathBuf>,
    /// Line and column, from 1, if known.
    pub position: Option<(usize, usize)>,
    /// The key or flag whose value is wrong, if the problem is in one value.
    pub key: Option<String>,
    /// What is wrong.
    pub mistake: Mistake,
}

impl Problem {
    /// The place of the problem as it precedes the mistake in a message: `plan.toml:3:7: rate: `.
    pub fn place(&self) -> String {
        let mut place = String::new();
        if let Some(file) = &self.file {
            place += &format!("{}:", file.display());
            if let Some((line, column)) = self.position {
                place += &format!("{line}:{column}:");
            }
            place.push(' ');
        }
        if let Some(key) = &self.key {
            place += &format!("{key}: ");
        }
        place
    }
}

impl Problem {
    /// The problem with its arguments.
    pub fn sentence(&self) -> Sentence {
        Self::at(self.place(), &self.mistake)
    }

    /// The problem of a plan that is in no file yet.
    fn without_file(&self) -> Sentence {
        let key = self.key.as_ref();
        let key = key.map_or_else(String::new, |key| format!("{key}: "));
        Self::at(key, &self.mistake)
    }

    fn at(place: String, mistake: &Mistake) -> Sentence {
        sentence!(
            "problem",
            "{place}{mistake}",
            place,
            mistake = mistake.sentence()
        )
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.place(), self.mistake)
    }
}

impl std::error::Error for Problem {}

/// A plan that cannot be run, with all problems found. Prints one problem per line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    problems: Vec<Problem>,
}

impl Refusal {
    /// The problems, at least one, in the order of the plan file.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The problems with their arguments, one per line.
    pub fn sentence(&self) -> Sentence {
        Sentence::in_lines(self.problems.iter().map(Problem::sentence))
    }

    /// The problems of a plan that is in no file yet, one per line.
    pub fn without_file(&self) -> Sentence {
        Sentence::in_lines(self.problems.iter().map(Problem::without_file))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        let mistake = shortened(problem.mistake);
        Self {
            problems: vec![Problem { mistake, ..problem }],
        }
    }
}

/// A plan file's path and text, from which offsets become line and column.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

// The text can contain a secret.
impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Source").field(&self.path).finish()
    }
}

impl Source {
    /// The directory in the path of the plan file; `None` if the path is only a file name.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
    }

    fn position(&self, offset: usize) -> (usize, usize) {
        let before = &self.text[..self.text.floor_char_boundary(offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        (line, column)
    }
}

/// Where a value of a draft was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Place {
    /// At this byte offset in the plan file.
    Byte(usize),
    /// In this command-line flag.
    Flag(&'static str),
    /// At no known place.
    #[default]
    Nowhere,
}

/// Maximum number of reported problems: a file that is not a plan can have a problem in each line.
const MOST_PROBLEMS: usize = 100;
/// Maximum length of a message, characters: a message can quote the file.
const LONGEST_MESSAGE: usize = 1000;

/// The problems found so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    found: Vec<Found>,
    /// Whether there are more than [`MOST_PROBLEMS`].
    more: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct Found {
    place: Place,
    key: Option<String>,
    mistake: Mistake,
}

/// The mistake; one with a message above [`LONGEST_MESSAGE`] characters becomes a text that is cut.
fn shortened(mistake: Mistake) -> Mistake {
    let message = mistake.to_string();
    match message.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => Mistake::Other(format!("{}…", &message[..end]).into()),
        None => mistake,
    }
}

impl Findings {
    /// Adds a problem with the value of `key` at `place`.
    pub(crate) fn about(&mut self, place: Place, key: &str, mistake: impl Into<Mistake>) {
        let key = match place {
            Place::Byte(_) => Some(key.to_owned()),
            Place::Flag(flag) => Some(flag.to_owned()),
            Place::Nowhere => None,
        };
        self.add_to(place, key, mistake.into());
    }

    /// Adds a problem that is not in the value of one key, unless the same problem was added before.
    pub(crate) fn add(&mut self, place: Place, mistake: impl Into<Mistake>) {
        self.add_to(place, None, mistake.into());
    }

    fn add_to(&mut self, place: Place, key: Option<String>, mistake: Mistake) {
        let problem = Found {
            place,
            key,
            mistake: shortened(mistake),
        };
        if self.found.contains(&problem) {
            return;
        }
        if self.found.len() < MOST_PROBLEMS {
            self.found.push(problem)
        } else {
            self.more = true
        }
    }

    /// Whether an unknown key was reported with `name` as the suggestion. If so, the missing key
    /// `name` need not be reported as well.
    pub(crate) fn suggest(&self, name: &str) -> bool {
        let hint = format!("did you mean {name:?}?");
        self.found
            .iter()
            .any(|problem| problem.mistake.to_string().ends_with(&hint))
    }

    /// Whether further problems are counted, and not reported.
    pub(crate) fn is_full(&self) -> bool {
        self.more
    }

    /// The number of problems so far.
    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }

    /// Removes all problems after the first `count`.
    pub(crate) fn forget_after(&mut self, count: usize) {
        self.found.truncate(count);
    }

    /// `Ok` if no problem was found.
    pub(crate) fn verdict(mut self, source: Option<&Source>) -> Result<(), Refusal> {
        if self.found.is_empty() {
            return Ok(());
        }
        self.found.sort_by_key(|problem| match problem.place {
            Place::Byte(offset) => offset,
            Place::Flag(_) | Place::Nowhere => usize::MAX,
        });
        if self.more {
            let message = sentence!(
                "more-problems",
                "there are more problems than these {most_problems}",
                most_problems = MOST_PROBLEMS
            );
            self.found.push(Found {
                place: Place::Nowhere,
                key: None,
                mistake: message.into(),
            });
        }
        let problems = self
            .found
            .into_iter()
            .map(
                |Found {
                     place,
                     key,
                     mistake,
                 }| {
                    let offset = match place {
                        Place::Byte(offset) => Some(offset),
                        Place::Flag(_) | Place::Nowhere => None,
                    };
                    let from_file = source.filter(|_| !matches!(place, Place::Flag(_)));
                    Problem {
                        file: from_file.map(|source| source.path.clone()),
                        position: from_file
                            .zip(offset)
                            .map(|(source, offset)| source.position(offset)),
                        key,
                        mistake,
                    }
                },
            )
            .collect();
        Err(Refusal { problems })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Draft;

    /// The problems of a plan with this text.
    fn problems(text: &str) -> Vec<Problem> {
        let draft = Draft::from_toml(text, Path::new("plan.toml"));
        let mut context = crate::Context::of_this_process().unwrap();
        let resolved = draft.and_then(|draft| draft.resolve(&mut context));
        resolved.expect_err("no plan").problems().to_vec()
    }

    #[test]
    fn a_file_full_of_mistakes_is_refused_in_few_words() {
        let keys: String = (0..5000).map(|at| format!("key{at} = 1\n")).collect();
        let of_keys = problems(&keys);
        assert_eq!(of_keys.len(), MOST_PROBLEMS + 1);
        let last = of_keys[MOST_PROBLEMS].to_string();
        assert!(last.contains("more problems"), "{last}");

        for long in [
            format!("{} = 1\n", "a".repeat(1_000_000)),
            format!("seed = {}\n", "9".repeat(1_000_000)),
            format!("[[target]]\nname = \"{}\"\n", "é".repeat(500_000)),
        ] {
            let said: usize = problems(&long)
                .iter()
                .map(|one| one.to_string().len())
                .sum();
            assert!(said < 10_000, "{said} bytes");
        }
    }
}
