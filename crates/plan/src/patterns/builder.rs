//! Builds a set of patterns within limits.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use crate::check::Check;
use crate::{Sentence, sentence};

use super::set::{Logged, Pattern, PatternGroup, PatternSet};

/// Maximum number of groups: each group has separate figures, which take memory.
const MOST_GROUPS: usize = 64;
/// Maximum number of different requests.
pub(super) const MOST_PATTERNS: usize = 1_000_000;
const MOST_LINES: usize = 50_000_000;
const LONGEST_NAME: usize = 100;

/// The responses that a log records for a pattern.
#[derive(Debug, Clone, Copy, Default)]
struct Recorded {
    /// The first status that is no success.
    other: Option<u16>,
    has_success: bool,
}

/// A set of patterns under construction.
#[derive(Default)]
pub(super) struct Builder {
    names: Vec<String>,
    /// The frequency that the file sets for each group; a group without a frequency (`None`) gets
    /// 1 ÷ number of groups.
    frequencies: Vec<Option<f64>>,
    /// The conditions on the responses of each group.
    checks: Vec<Vec<Check>>,
    patterns: Vec<Pattern>,
    counts: Vec<u64>,
    /// What a log records for each pattern; shorter than `patterns` without a log.
    recorded: Vec<Recorded>,
    /// The position of each pattern in `patterns`, by the pattern's hash. If two patterns have the
    /// same hash, the second is stored under the next hash that is free.
    known: HashMap<u64, u32>,
    hasher: RandomState,
    sequence: Vec<u32>,
    notes: Vec<Sentence>,
}

impl Builder {
    /// The index of the group with this name, which is added if missing.
    pub(super) fn group(&mut self, name: &str) -> Result<usize, Sentence> {
        if let Some(known) = self.names.iter().position(|known| known == name) {
            return Ok(known);
        }
        self.new_group(name, None)
    }

    /// Adds a group.
    pub(super) fn new_group(
        &mut self,
        name: &str,
        frequency: Option<f64>,
    ) -> Result<usize, Sentence> {
        let is_plain = !name.trim().is_empty() && !name.chars().any(char::is_control);
        if !is_plain || name.len() > LONGEST_NAME {
            return Err(sentence!(
                "no-group-name",
                "{name:?} is not a name for a group: 1 to {longest_name} bytes without \
                    control characters",
                name = name.chars().take(40).collect::<String>(),
                longest_name = LONGEST_NAME
            ));
        }
        if self.names.iter().any(|known| known == name) {
            return Err(sentence!(
                "two-groups",
                "there are two groups {name:?}",
                name
            ));
        }
        if self.names.len() == MOST_GROUPS {
            return Err(sentence!(
                "many-groups",
                "it has more than {most_groups} groups",
                most_groups = MOST_GROUPS
            ));
        }
        self.names.push(name.to_owned());
        self.frequencies.push(frequency);
        self.checks.push(Vec::new());
        Ok(self.names.len() - 1)
    }

    /// Sets the conditions on the responses to the patterns of a group.
    pub(super) fn check_group(&mut self, group: usize, checks: Vec<Check>) {
        self.checks[group] = checks;
    }

    /// Adds one request of a log, with its recorded status if that is no success.
    pub(super) fn push_logged(
        &mut self,
        pattern: Pattern,
        status: Option<u16>,
    ) -> Result<(), Sentence> {
        self.push(pattern)?;
        let at = self.sequence.last().map_or(0, |at| *at as usize);
        if self.recorded.len() <= at {
            self.recorded.resize(at + 1, Recorded::default());
        }
        let recorded = &mut self.recorded[at];
        match status {
            Some(status) => recorded.other = recorded.other.or(Some(status)),
            None => recorded.has_success = true,
        }
        Ok(())
    }

    /// Adds one request of the file.
    pub(super) fn push(&mut self, pattern: Pattern) -> Result<(), Sentence> {
        if self.sequence.len() == MOST_LINES {
            return Err(sentence!(
                "many-requests",
                "it has more than {most_lines} requests",
                most_lines = MOST_LINES
            ));
        }
        let mut key = self.hasher.hash_one(&pattern);
        let known = loop {
            match self.known.get(&key) {
                Some(&at) if self.patterns[at as usize] != pattern => key = key.wrapping_add(1),
                found => break found.copied(),
            }
        };
        let at = match known {
            Some(known) => {
                self.counts[known as usize] += 1;
                known
            }
            None if self.patterns.len() == MOST_PATTERNS => {
                return Err(sentence!(
                    "many-patterns",
                    "it has more than {most_patterns} different requests",
                    most_patterns = MOST_PATTERNS
                ));
            }
            None => {
                let new = self.patterns.len() as u32;
                self.known.insert(key, new);
                self.patterns.push(pattern);
                self.counts.push(1);
                new
            }
        };
        self.sequence.push(at);
        Ok(())
    }

    /// Adds a note on how the content of the file was interpreted.
    pub(super) fn note(&mut self, sentence: Sentence) {
        self.notes.push(sentence);
    }

    /// The set; an error if the set is empty.
    pub(super) fn build(mut self) -> Result<PatternSet, Sentence> {
        let shares = self.shares()?;
        let mut filled = vec![false; self.names.len()];
        for pattern in &self.patterns {
            filled[pattern.group] = true;
        }
        if let Some(empty) = filled.iter().position(|filled| !filled) {
            return Err(sentence!(
                "group-empty",
                "group {name:?} has no patterns",
                name = self.names[empty]
            ));
        }
        if self.patterns.is_empty() {
            return Err(sentence!("no-requests", "it contains no requests"));
        }
        for (pattern, recorded) in self.patterns.iter_mut().zip(&self.recorded) {
            pattern.logged = recorded.other.map(|status| Logged {
                status,
                or_success: recorded.has_success,
            });
        }
        let groups = self.names.into_iter().zip(shares).zip(self.checks);
        let groups = groups.map(|((name, share), checks)| PatternGroup {
            name,
            share,
            checks,
        });
        Ok(PatternSet::new(
            groups.collect(),
            self.patterns,
            self.counts,
            self.sequence,
            self.notes,
        ))
    }

    /// The share of each group: its frequency, divided by the sum of all frequencies.
    fn shares(&mut self) -> Result<Vec<f64>, Sentence> {
        const EXACT: f64 = 1e-6;
        let usual = 1.0 / self.names.len().max(1) as f64;
        let given = self.frequencies.iter().any(Option::is_some);
        let each = self.frequencies.iter().map(|given| given.unwrap_or(usual));
        let each: Vec<f64> = each.collect();
        let sum: f64 = each.iter().sum();
        let is_share = sum > 0.0 && sum.is_finite();
        if !(each.is_empty() || is_share) {
            return Err(sentence!(
                "frequency-sum",
                "its frequencies add up to {sum}",
                sum
            ));
        }
        if given && (sum - 1.0).abs() > EXACT {
            self.notes.push(sentence!(
                "frequencies-scaled",
                "the frequencies add up to {sum}, not to 1: they are taken in proportion",
                sum
            ));
        }
        Ok(each.into_iter().map(|frequency| frequency / sum).collect())
    }
}
