//! Patterns and their groups.

use std::fmt;
use std::time::Duration;

use crate::check::Check;
use crate::rng::{Rng, name_number};
use crate::secrets::conceal_parameters;
use crate::{Sentence, sentence};

/// A request in a file of patterns.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// Index of the pattern's group in [`PatternSet::groups`].
    pub group: usize,
    /// Request method.
    pub method: String,
    /// Path and query, as sent.
    pub path: String,
    /// The only host that receives the request; `None` for all hosts.
    pub host: Option<String>,
    /// Port that replaces the port of `host`, or of every host if `host` is `None`.
    pub port: Option<u16>,
    /// Request headers, in order. Values can be secret.
    pub headers: Vec<(String, String)>,
    /// Request body.
    pub body: Vec<u8>,
    /// Timeout, if different from the timeout of the load.
    pub timeout: Option<Duration>,
    /// The search term in the request, if targets have request templates.
    pub term: Option<String>,
    /// The response that a log records for the request, if it is no success.
    pub logged: Option<Logged>,
}

/// The status that a log records for a request: a redirect or an error of the client, which the same
/// request gets again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Logged {
    /// The status.
    pub status: u16,
    /// Whether the log also records a success for the same request, so that both are expected.
    pub or_success: bool,
}

impl Pattern {
    /// The name of the pattern in reports: method and path without the values of parameters that look
    /// secret, or the search term.
    pub fn label(&self) -> String {
        match &self.term {
            Some(term) => term.clone(),
            None => format!("{} {}", self.method, conceal_parameters(&self.path)),
        }
    }
}

// Bodies, headers and parameters can be secret.
impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pattern")
            .field("group", &self.group)
            .field("method", &self.method)
            .field("path", &conceal_parameters(&self.path))
            .field("host", &self.host)
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

/// Patterns that belong together and have separate figures.
#[derive(Debug, Clone, PartialEq)]
pub struct PatternGroup {
    /// Name.
    pub name: String,
    /// Share of the requests, above 0; the shares of all groups add up to 1.
    pub share: f64,
    /// Conditions that every response to a pattern of the group must meet, in addition to those of
    /// the workload.
    pub checks: Vec<Check>,
}

/// The distinct patterns of a file, and their groups. Every group has at least one pattern.
#[derive(Clone, Default)]
pub struct PatternSet {
    groups: Vec<PatternGroup>,
    patterns: Vec<Pattern>,
    /// How often each pattern is in the file.
    counts: Vec<u64>,
    /// One item per request of the file, in order: the position in `patterns`.
    sequence: Vec<u32>,
    notes: Vec<Sentence>,
}

impl PartialEq for PatternSet {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            groups,
            patterns,
            counts,
            sequence,
            notes,
        } = self;
        // Workloads share the content of a file, which can have a million requests.
        std::ptr::eq(self, other)
            || (*groups == other.groups
                && *patterns == other.patterns
                && *counts == other.counts
                && *sequence == other.sequence
                && *notes == other.notes)
    }
}

// The requests are left out, because bodies and headers can be secret, and because a file can have
// a million requests.
impl fmt::Debug for PatternSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} patterns", self.len())
    }
}

impl PatternSet {
    pub(super) fn new(
        groups: Vec<PatternGroup>,
        patterns: Vec<Pattern>,
        counts: Vec<u64>,
        sequence: Vec<u32>,
        notes: Vec<Sentence>,
    ) -> Self {
        Self {
            groups,
            patterns,
            counts,
            sequence,
            notes,
        }
    }

    /// The groups, in the order of the file.
    pub fn groups(&self) -> &[PatternGroup] {
        &self.groups
    }

    /// The distinct patterns, in the order in which each first occurs in the file.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The number of different patterns.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether there are no patterns, as in a plan that was resolved without its files.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The requests of the file in order, as positions in [`Self::patterns()`].
    pub fn sequence(&self) -> &[u32] {
        &self.sequence
    }

    /// How the content of the file was interpreted, one sentence per note.
    pub fn notes(&self) -> &[Sentence] {
        &self.notes
    }

    /// The probability of each pattern: the share of its group, divided among the patterns of the
    /// group by how often each is in the file.
    pub fn weights(&self) -> Vec<f64> {
        let mut totals = vec![0_u64; self.groups.len()];
        for (pattern, count) in self.patterns.iter().zip(&self.counts) {
            totals[pattern.group] += count;
        }
        let patterns = self.patterns.iter().zip(&self.counts);
        patterns
            .map(|(pattern, &count)| {
                let share = self.groups[pattern.group].share;
                share * count as f64 / totals[pattern.group] as f64
            })
            .collect()
    }

    /// The number of patterns for each group, out of `count`: in proportion to its share, and at
    /// least 1. Patterns that remain after rounding down go to the groups with the largest
    /// remainders.
    ///
    /// # Errors
    /// A group with too few patterns, or more groups than `count`.
    pub fn allot(&self, count: usize) -> Result<Vec<usize>, Sentence> {
        if count < self.groups.len() {
            return Err(sentence!(
                "fewer-than-groups",
                "{count} patterns are fewer than its {groups} groups",
                count,
                groups = self.groups.len()
            ));
        }
        let exact: Vec<f64> = self.groups.iter().map(|g| g.share * count as f64).collect();
        let mut allotted: Vec<usize> = exact.iter().map(|e| (*e as usize).max(1)).collect();
        let remainder = |group: usize, has: usize| exact[group] - has as f64;
        while allotted.iter().sum::<usize>() != count {
            let is_short = allotted.iter().sum::<usize>() < count;
            let groups = 0..allotted.len();
            let of = |group: &usize| remainder(*group, allotted[*group]);
            if is_short {
                let next = groups.rev().max_by(|a, b| of(a).total_cmp(&of(b)));
                allotted[next.unwrap_or_default()] += 1;
            } else {
                let several = groups.filter(|group| allotted[*group] > 1);
                let next = several.min_by(|a, b| of(a).total_cmp(&of(b)));
                allotted[next.unwrap_or_default()] -= 1;
            }
        }
        let mut there = vec![0; self.groups.len()];
        for pattern in &self.patterns {
            there[pattern.group] += 1;
        }
        for (group, (wanted, there)) in self.groups.iter().zip(allotted.iter().zip(there)) {
            if there < *wanted {
                return Err(match self.groups.len() {
                    1 => sentence!("it-has", "it has {there}", there),
                    _ => sentence!(
                        "group-has",
                        "{wanted} of them would be of group {group:?}, which has {there}",
                        wanted,
                        group = group.name,
                        there
                    ),
                });
            }
        }
        Ok(allotted)
    }

    /// Draws `count` of the patterns: the number for each group follows from its share, and all
    /// patterns of a group have the same probability. The choice follows from `seed`.
    ///
    /// # Errors
    /// As [`PatternSet::allot`].
    pub fn choose(&self, count: usize, seed: u64) -> Result<Self, Sentence> {
        let allotted = self.allot(count)?;
        let mut of_group: Vec<Vec<u32>> = vec![Vec::new(); self.groups.len()];
        for (at, pattern) in (0..).zip(&self.patterns) {
            of_group[pattern.group].push(at);
        }
        let mut chosen = vec![None; self.patterns.len()];
        for (group, (members, wanted)) in (0..).zip(of_group.iter_mut().zip(allotted)) {
            let mut rng = Rng::new(seed, &[name_number("chosen patterns"), group]);
            for place in 0..wanted {
                let others = (members.len() - place) as u64;
                members.swap(place, place + rng.below(others) as usize);
                chosen[members[place] as usize] = Some(0);
            }
        }
        for (place, chosen) in (0_u32..).zip(chosen.iter_mut().flatten()) {
            *chosen = place;
        }
        let kept = self.patterns.iter().zip(&chosen);
        let kept = kept.filter(|(_, chosen)| chosen.is_some());
        let mut seen = vec![false; count];
        let in_order = self.sequence.iter().filter_map(|&at| chosen[at as usize]);
        Ok(Self {
            groups: self.groups.clone(),
            patterns: kept.map(|(pattern, _)| pattern.clone()).collect(),
            counts: vec![1; count],
            sequence: in_order
                .filter(|&at| !std::mem::replace(&mut seen[at as usize], true))
                .collect(),
            notes: self.notes.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::PatternFormat;

    fn set(text: &str) -> PatternSet {
        crate::patterns::read(text.as_bytes(), PatternFormat::Auto, "GET").unwrap()
    }

    fn paths(count: usize) -> String {
        (0..count).map(|at| format!("/{at}\n")).collect()
    }

    #[test]
    fn some_are_chosen_by_the_seed_alone() {
        let all = set(&paths(100));
        let some = all.choose(40, 7).unwrap();
        assert_eq!(some.len(), 40);
        assert_eq!(some, all.choose(40, 7).unwrap());
        assert_ne!(some, all.choose(40, 8).unwrap());
        assert_eq!(some.sequence(), (0..40).collect::<Vec<_>>());
        assert_eq!(all.choose(100, 7).unwrap().patterns(), all.patterns());
        assert_eq!(all.choose(101, 7).unwrap_err(), "it has 100");
    }

    #[test]
    fn groups_keep_their_shares_among_those_chosen() {
        let group = |from: usize, to: usize| {
            let paths: Vec<String> = (from..to).map(|at| format!("\"/{at}\"")).collect();
            paths.join(",")
        };
        let text = format!(
            r#"{{"a":{{"frequency":0.75,"patterns":[{}]}},"b":{{"frequency":0.25,"patterns":[{}]}}}}"#,
            group(0, 50),
            group(50, 60),
        );
        let all = set(&text);
        assert_eq!(all.allot(10).unwrap(), [8, 2]);
        assert_eq!(all.allot(40).unwrap(), [30, 10]);
        assert_eq!(
            all.allot(44).unwrap_err(),
            "11 of them would be of group \"b\", which has 10"
        );
        assert!(all.allot(1).is_err());
        let chosen = all.choose(40, 3).unwrap();
        let of_b = chosen.patterns().iter().filter(|each| each.group == 1);
        assert_eq!(of_b.count(), 10);
        let weights = chosen.weights();
        assert!(weights.iter().all(|weight| (weight - 0.025).abs() < 1e-12));
    }

    #[test]
    fn the_name_of_a_pattern_has_no_secret() {
        let set = set("/x?api_key=hush&key=a\n");
        let pattern = &set.patterns()[0];
        assert_eq!(pattern.path, "/x?api_key=hush&key=a");
        assert_eq!(pattern.label(), "GET /x?api_key=…&key=a");
        assert!(!format!("{pattern:?}").contains("hush"));
    }

    #[test]
    fn what_stands_there_twice_weighs_twice() {
        let twice = set("/a\n/b\n/a\n");
        assert_eq!(twice.len(), 2);
        assert_eq!(twice.sequence(), [0, 1, 0]);
        let weights = twice.weights();
        assert!((weights[0] - 2.0 / 3.0).abs() < 1e-12);
    }
}
