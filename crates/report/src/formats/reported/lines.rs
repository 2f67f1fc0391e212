//! Splits a text into lines with their numbers.

use tenbin_plan::sentence;
use tenbin_verdict::lint::{Quote, Range, Said};

use super::number::{count, decimal};
use crate::formats::reader::{Fault, Reason};

/// Maximum length of a quoted line, characters.
const MOST_QUOTED: usize = 200;

/// A line.
#[derive(Debug, Clone, Copy)]
pub(in crate::formats) struct Line<'a> {
    /// Line number, from 1.
    pub(in crate::formats) number: u64,
    pub(in crate::formats) text: &'a str,
}

impl<'a> Line<'a> {
    /// The line as a quote.
    pub(in crate::formats) fn quote(&self) -> Quote {
        Quote {
            line: Some(self.number),
            text: self.text.trim().chars().take(MOST_QUOTED).collect(),
        }
    }

    /// A figure with this line as its quote.
    pub(in crate::formats) fn said<T>(&self, value: T) -> Said<T> {
        Said::new(value, self.quote())
    }

    /// An error in this line.
    pub(in crate::formats) fn fault(&self, what: impl Reason) -> Fault {
        Fault::in_line(self.number, what)
    }

    /// An error that says that this line has `text` instead of `what`, which the tool prints at
    /// this point.
    pub(in crate::formats) fn no(&self, what: &str, text: &str) -> Fault {
        self.fault(sentence!(
            "unexpected-value", "{what} is {text:?}", what, text
        ))
    }

    /// The text after `label`, trimmed; `None` if the line does not start with `label`.
    pub(in crate::formats) fn after(&self, label: &str) -> Option<&'a str> {
        let rest = self.text.trim_start().strip_prefix(label)?;
        Some(rest.trim())
    }

    /// Parses `text` of this line as a count.
    pub(in crate::formats) fn count(&self, what: &str, text: &str) -> Result<Said<u64>, Fault> {
        let count = count(text).ok_or_else(|| self.no(what, text))?;
        Ok(self.said(count))
    }

    /// Parses `text` of this line as a decimal number.
    pub(in crate::formats) fn decimal(&self, what: &str, text: &str) -> Result<Said<Range>, Fault> {
        let number = decimal(text).ok_or_else(|| self.no(what, text))?;
        Ok(self.said(number))
    }
}

/// The complete lines of a text.
pub(in crate::formats) struct Lines<'a>(pub(in crate::formats) Vec<Line<'a>>);

impl<'a> Lines<'a> {
    /// Splits a text into lines. The last line must end with a line break or with one of `endings`,
    /// so that a cut-off number is not taken for a complete number.
    pub(in crate::formats) fn of(content: &'a [u8], endings: &[&str]) -> Result<Self, Fault> {
        let text = str::from_utf8(content)
            .map_err(|_| Fault::of_the_file("is not UTF-8 text; it may be damaged"))?;
        let is_whole = text.ends_with('\n') || endings.iter().any(|end| text.ends_with(end));
        if !is_whole {
            let last = text.lines().count() as u64;
            return Err(Fault::in_line(
                last,
                "the last line has no end; the file may be cut off",
            ));
        }
        let lines = text.lines().zip(1..);
        Ok(Self(
            lines.map(|(text, number)| Line { number, text }).collect(),
        ))
    }

    /// The first line with this label, and the text after the label.
    pub(in crate::formats) fn find(&self, label: &str) -> Option<(Line<'a>, &'a str)> {
        let mut all = self.0.iter();
        all.find_map(|line| Some((*line, line.after(label)?)))
    }

    /// Like [`Self::find`], with an error if the line is missing.
    pub(in crate::formats) fn need(&self, label: &str) -> Result<(Line<'a>, &'a str), Fault> {
        self.find(label).ok_or_else(|| {
            Fault::of_the_file(sentence!(
                "result-without-line",
                "has no line {label:?}; it may be cut off",
                label
            ))
        })
    }

    /// The lines after the first line that starts with `title`, up to the first line for which
    /// `ends` is true.
    pub(in crate::formats) fn section(
        &self,
        title: &str,
        ends: impl Fn(&str) -> bool,
    ) -> Vec<Line<'a>> {
        let behind = self
            .0
            .iter()
            .skip_while(|line| line.after(title).is_none())
            .skip(1);
        behind
            .take_while(|line| !ends(line.text))
            .copied()
            .collect()
    }

    /// Refuses a file with several results of a tool, each of which has one line with this label.
    pub(in crate::formats) fn of_one_result(&self, label: &str, tool: &str) -> Result<(), Fault> {
        if self.how_many(label) <= 1 {
            return Ok(());
        }
        Err(Fault::of_the_file(sentence!(
            "several-results",
            "holds several results of {tool}; write each to a separate file",
            tool
        )))
    }

    /// Number of lines that start with this label.
    pub(in crate::formats) fn how_many(&self, label: &str) -> usize {
        self.0
            .iter()
            .filter(|line| line.after(label).is_some())
            .count()
    }
}
