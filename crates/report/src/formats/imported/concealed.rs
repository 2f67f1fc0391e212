//! Hides secrets in names of requests that are URLs. The content of every imported file passes through
//! this module, in all formats.

use std::collections::{BTreeMap, BTreeSet};

use tenbin_plan::{conceal_name, conceal_words};
use tenbin_verdict::Series;
use tenbin_verdict::lint::{Listed, Measurement, Quote, Reported};

/// The figures with `…` in place of the secrets in URLs: in the names of operations, and in the lines
/// and failure texts of the file.
pub(in crate::formats) fn without_secrets(mut reported: Reported) -> Reported {
    let mut names = Names::default();
    for of in &mut reported.measurements {
        of.operation = names.shown(&of.operation);
        conceal_texts(of);
    }
    reported.command_line = reported.command_line.map(|line| conceal_words(&line));
    let left_out = reported.left_out.iter_mut().map(|each| &mut each.quote);
    reported
        .aborted
        .iter_mut()
        .chain(left_out)
        .for_each(conceal_quote);
    reported
}

/// The series with `…` in place of the secrets in URLs in their names.
pub(in crate::formats) fn series_without_secrets(mut all: Vec<Series>) -> Vec<Series> {
    let mut names = Names::default();
    for series in &mut all {
        series.workload = names.shown(&series.workload);
    }
    all
}

/// The names of a file as they are shown.
#[derive(Default)]
struct Names {
    /// The shown name of each name in the file.
    shown: BTreeMap<String, String>,
    /// All shown names.
    taken: BTreeSet<String>,
}

impl Names {
    /// The name without its secrets. Names that differ only by their secrets are numbered, so that
    /// they are not taken for repetitions of one operation.
    fn shown(&mut self, name: &str) -> String {
        if let Some(known) = self.shown.get(name) {
            return known.clone();
        }
        let concealed = conceal_name(name);
        let mut shown = concealed.clone();
        let mut number = 1_u32;
        while !self.taken.insert(shown.clone()) {
            number += 1;
            shown = format!("{concealed} ({number})");
        }
        self.shown.insert(name.to_owned(), shown.clone());
        shown
    }
}

fn conceal_texts(of: &mut Measurement) {
    of.quotes_mut().into_iter().for_each(conceal_quote);
    for failed in &mut of.failures {
        failed.what = conceal_words(&failed.what);
    }
    if let Some(listed) = &mut of.listed {
        conceal_failures(listed);
    }
}

fn conceal_failures(listed: &mut Listed) {
    for (text, count) in std::mem::take(&mut listed.failures) {
        let known = listed.failures.entry(conceal_words(&text)).or_default();
        *known = known.saturating_add(count);
    }
}

fn conceal_quote(quote: &mut Quote) {
    quote.text = conceal_words(&quote.text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_only_by_their_secrets_stay_apart() {
        let mut names = Names::default();
        for (name, shown) in [
            ("GET /a?api_key=1&q=2", "GET /a?api_key=…&q=2"),
            ("GET /a?api_key=2&q=2", "GET /a?api_key=…&q=2 (2)"),
            ("GET /a?api_key=1&q=2", "GET /a?api_key=…&q=2"),
            ("http://me:x@h/?q=1", "http://…@h/?q=1"),
            ("mail to a@b", "mail to a@b"),
        ] {
            assert_eq!(names.shown(name), shown);
        }
    }
}
