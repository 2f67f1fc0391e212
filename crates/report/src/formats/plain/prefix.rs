//! What log collectors, mail and pages put before each line.

use std::collections::HashMap;

use super::times::{after_time, digits, separated};
use crate::formats::readable::readable;

/// A prefix of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Prefix {
    /// Spaces or tabs, this many.
    Indentation(usize),
    /// `> `, of mail and of Markdown.
    Quotation,
    /// A time, with or without a date and brackets, such as `2026-11-27T09:12:44.123Z `.
    Time,
    /// The name of a container, such as `wrk-1  | `.
    Container,
    /// Text in brackets, such as `[pod/load/wrk] `.
    Brackets,
    /// Host and unit of a system log, such as `host systemd[1]: `.
    Unit,
    /// The kind of a line in a log of GitLab, such as `00O `, or of Kubernetes, such as `stdout F `.
    Stream,
    /// The number of a line, such as `12:` or `    12<tab>`.
    Number,
    /// The same text before each line, such as `wrk.txt:` or `pod-1 wrk `.
    Same(String),
    /// Job and step of a log of GitHub, such as `build<tab>test<tab>`.
    Step,
}

/// The prefixes without a length, in the order in which they are tried.
const KINDS: [Prefix; 8] = [
    Prefix::Time,
    Prefix::Container,
    Prefix::Stream,
    Prefix::Unit,
    Prefix::Brackets,
    Prefix::Step,
    Prefix::Quotation,
    Prefix::Number,
];

/// Share of the lines that must have a prefix: other text can stand between them.
const SHARE: f64 = 0.7;

/// Share of the lines that must have the same text in front: lines with another text can be of
/// another result.
const SHARE_OF_SAME: f64 = 0.9;

/// Number of words at the beginning of a line that can be the same text.
const MOST_WORDS: usize = 4;

/// Deepest indentation that is tried on a few lines of a text.
const DEEPEST: usize = 16;

/// What `kubectl logs --prefix` writes before the names of pod and container.
const POD: &str = "[pod/";

impl Prefix {
    /// The prefix that most lines of a text have.
    pub(super) fn of_most_lines(text: &str) -> Option<Self> {
        // The end of the text may divide a line.
        let whole = text.rsplit_once('\n').map_or(text, |(whole, _)| whole);
        let lines: Vec<&str> = whole.lines().filter(|line| !line.is_empty()).collect();
        if lines.is_empty() {
            return None;
        }
        let is_common = |prefix: &Self| {
            let with = lines
                .iter()
                .filter(|line| prefix.length(line.as_bytes()) > 0);
            with.count() as f64 >= SHARE * lines.len() as f64
        };
        KINDS.into_iter().find(is_common).or_else(|| {
            let blank = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
            let written = lines.iter().filter(|line| !line.trim().is_empty());
            let all: Vec<usize> = written.map(blank).collect();
            let indented: Vec<usize> = all.iter().copied().filter(|blank| *blank > 0).collect();
            let are_most = indented.len() as f64 >= SHARE * all.len() as f64;
            let least = indented.into_iter().min().filter(|_| are_most);
            least.map(Self::Indentation)
        })
    }

    /// The prefixes that some lines of a text have, in the order in which they are tried.
    pub(super) fn of_some_lines(text: &str) -> Vec<Self> {
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        let is_there = |prefix: &Self| {
            let with = lines
                .iter()
                .filter(|line| prefix.length(line.as_bytes()) > 0);
            with.take(2).count() == 2
        };
        let kinds = KINDS.into_iter().filter(is_there);
        let blank = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let indented = (1..=DEEPEST).filter(|depth| lines.iter().any(|line| blank(line) == *depth));
        kinds
            .chain(same_text(&lines))
            .chain(indented.map(Self::Indentation))
            .collect()
    }

    /// What wrote the line, if the prefix says it: the name of a container, or job and step.
    pub(super) fn source<'a>(&self, prefix: &'a str) -> Option<&'a str> {
        match self {
            Self::Container => Some(prefix.trim_end_matches([' ', '|'])),
            Self::Step => {
                let mut tabs = prefix.match_indices('\t');
                tabs.nth(1).map(|(at, _)| &prefix[..at])
            }
            // Other text in brackets is a level, a time, a thread or a count.
            Self::Brackets => Some(prefix.trim_end()).filter(|text| text.starts_with(POD)),
            Self::Unit => {
                let unit = prefix.trim_end_matches([' ', ':']);
                // Priority and time differ from line to line.
                let long = unit
                    .strip_prefix('<')
                    .and_then(|long| long.splitn(3, ' ').nth(2));
                Some(long.unwrap_or(unit))
            }
            Self::Indentation(_)
            | Self::Quotation
            | Self::Time
            | Self::Stream
            | Self::Number
            | Self::Same(_) => None,
        }
    }

    /// Length of the prefix of a line, bytes; 0 if the line has none.
    pub(super) fn length(&self, line: &[u8]) -> usize {
        let text = readable(line);
        let rest = match self {
            Self::Indentation(most) => {
                let blank = line
                    .iter()
                    .take(*most)
                    .take_while(|c| matches!(c, b' ' | b'\t'));
                return blank.count();
            }
            Self::Quotation => text.strip_prefix('>').map(without_space),
            Self::Time => after_time(text),
            Self::Container => after_container(text),
            Self::Brackets => after_brackets(text),
            Self::Unit => after_unit(text).or_else(|| after_message_head(text)),
            Self::Stream => after_stream(text),
            Self::Number => after_number(text),
            Self::Same(same) => text
                .strip_prefix(same.as_str())
                .or_else(|| text.is_empty().then_some(text))
                .or_else(|| {
                    text.strip_prefix(same.trim_end())
                        .filter(|rest| rest.is_empty())
                }),
            Self::Step => after_step(text),
        };
        rest.map_or(0, |rest| text.len() - rest.len())
    }

    /// The prefix in words, as something that is removed.
    pub(super) fn words(&self) -> &'static str {
        match self {
            Self::Indentation(_) => "the indentation of its lines",
            Self::Quotation => "the quotation marks before its lines",
            Self::Time => "the time stamps before its lines",
            Self::Container => "the names of containers before its lines",
            Self::Brackets => "the text in brackets before its lines",
            Self::Unit => "host and unit before its lines",
            Self::Stream => "the kinds of lines of a log",
            Self::Number => "the numbers of its lines",
            Self::Same(_) => "the same text before its lines",
            Self::Step => "job and step before its lines",
        }
    }
}

fn without_space(text: &str) -> &str {
    text.strip_prefix(' ').unwrap_or(text)
}

/// The text after `wrk-1  | `.
fn after_container(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once('|')?;
    let trimmed = name.trim_end_matches(' ');
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_padded = trimmed.len() < name.len();
    let is_right = !trimmed.is_empty() && is_padded && trimmed.chars().all(is_name);
    is_right.then(|| without_space(rest))
}

fn after_brackets(text: &str) -> Option<&str> {
    let (_, rest) = text.strip_prefix('[')?.split_once(']')?;
    separated(rest, &[' '])
}

/// The text after `host unit[123]: ` or `unit[123]: `.
fn after_unit(text: &str) -> Option<&str> {
    let (head, rest) = text.split_once(':')?;
    let mut words = head.split(' ');
    let unit = words.next_back()?;
    let is_alone = words.count() <= 1;
    let is_name = |c: char| c.is_ascii_graphic();
    let has_number = unit.strip_suffix(']').is_some_and(|unit| {
        let number = unit.split_once('[').map(|(_, number)| number);
        number.is_some_and(|number| number.bytes().all(|c| c.is_ascii_digit()))
    });
    let is_right = is_alone && has_number && unit.chars().all(is_name);
    is_right.then(|| without_space(rest))
}

/// The text after `<14>1 2026-11-27T09:12:44Z host unit 123 - - `, the head of a message of syslog
/// (RFC 5424).
fn after_message_head(text: &str) -> Option<&str> {
    let (priority, rest) = text.strip_prefix('<')?.split_once(">1 ")?;
    let is_priority = priority.bytes().all(|c| c.is_ascii_digit());
    let rest = after_time(rest).filter(|_| is_priority)?;
    // Host, unit, process, kind, and no data.
    let (_, rest) = rest.split_once(" - ")?;
    Some(rest.strip_prefix("- ").unwrap_or(rest))
}

/// The text after `00O `, `01E+`, or `stdout F `. A line that continues in the next one (`P`) has no
/// such prefix: its parts are no lines.
fn after_stream(text: &str) -> Option<&str> {
    for whole in ["stdout F", "stderr F"] {
        if let Some(rest) = text.strip_prefix(whole) {
            return separated(rest, &[' ']);
        }
    }
    let rest = digits(text, 2)?;
    let rest = rest.strip_prefix(['O', 'E'])?;
    separated(rest, &[' ', '+'])
}

/// The text after the number of a line.
fn after_number(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(' ');
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = rest.len() < text.len();
    rest.strip_prefix([':', '\t']).filter(|_| is_number)
}

/// Texts that almost all lines begin with, short ones first.
fn same_text(lines: &[&str]) -> Vec<Prefix> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in lines {
        let ends = line.match_indices([' ', '\t', ':', '|']);
        for (at, _) in ends.take(MOST_WORDS) {
            *counts.entry(&line[..=at]).or_default() += 1;
        }
    }
    let is_common = |count: usize| count as f64 >= SHARE_OF_SAME * lines.len() as f64;
    let common = counts.into_iter().filter(|(_, count)| is_common(*count));
    let mut all: Vec<&str> = common.map(|(text, _)| text).collect();
    all.retain(|text| !text.trim().is_empty());
    all.sort_by_key(|text| text.len());
    let prefixes = all.into_iter().map(|text| Prefix::Same(text.to_owned()));
    prefixes.filter(|_| lines.len() > 1).collect()
}

/// The text after two fields that end with a tab, before a time.
fn after_step(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('\t')?;
    let (_, rest) = rest.split_once('\t')?;
    let rest = rest.strip_prefix('\u{feff}').unwrap_or(rest);
    after_time(rest).map(|_| rest)
}
