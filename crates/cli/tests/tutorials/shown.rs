//! Compares the output that a page shows with the output of a run: words have to be the same, figures
//! and what follows from them differ.

/// Findings that do not depend on the test machine but on what the page sets up.
const STABLE_RULES: &[&str] = &["errors", "keep_alive", "changed_untouched", "single_runs"];

/// Words that depend on figures: verdicts, units and plurals.
const VARYING: &[&str] = &[
    "is", "times", "as", "fast", "are", "and", "faster", "slower", "equivalent", "to", "from",
    "than", "cannot", "tell", "costs", "less", "more", "no", "verdict", "unknown", "valid",
    "suspect", "invalid", "s", "ms", "µs", "ns", "/s", "k/s", "m/s", "%", "…", "note", "notes",
    "reason", "reasons", "–", "-", "on", "against", "kib", "mib",
];

/// The first shown line that the output does not have, if any.
pub(crate) fn missing<'s>(shown: &'s [String], output: &str) -> Option<&'s str> {
    let output: Vec<&str> = output.lines().collect();
    let mut rest_varies = false;
    for line in shown {
        let continues = line.starts_with("  ");
        if !(continues && rest_varies) {
            rest_varies = is_varying_finding(line);
        }
        if rest_varies {
            continue;
        }
        // What follows a semicolon depends on the figures before it, and a verdict has figures only
        // if the machine was not too busy.
        let ends = [line.find(';'), line.find(": throughput")];
        let end = ends.into_iter().flatten().min();
        rest_varies = end.is_some();
        let fixed = &line[..end.unwrap_or(line.len())];
        if !is_in(fixed, &output) {
            return Some(line);
        }
    }
    None
}

/// Whether a line says how far the figures of this run can be trusted, which depends on the machine.
fn is_varying_finding(line: &str) -> bool {
    let line = line.trim_start_matches("* ");
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_finding = ["VALID", "SUSPECT", "INVALID", "NOTE:", "Trust"].contains(&first)
        || first
            .strip_suffix(':')
            .is_some_and(|rule| rule.contains('_'));
    let has_stable_rule = line
        .split([' ', ',', ':', ';'])
        .any(|word| STABLE_RULES.contains(&word));
    is_finding && !has_stable_rule
}

/// Whether the fixed words of a line are in the output in this order, on at most three lines: a
/// figure with more digits moves the line breaks.
fn is_in(line: &str, output: &[&str]) -> bool {
    let words: Vec<&str> = words_of(line).filter(|word| is_fixed(word)).collect();
    (0..output.len()).any(|start| {
        let end = output.len().min(start + 3);
        let mut found = output[start..end].iter().flat_map(|line| words_of(line));
        words.iter().all(|word| found.any(|other| other == *word))
    }) || words.is_empty()
}

/// The words of a line without the punctuation after them.
fn words_of(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split_whitespace();
    words.map(|word| word.trim_end_matches([',', ';', ':']))
}

fn is_fixed(word: &str) -> bool {
    let varies = word.contains(|c: char| c.is_ascii_digit() || ['±', '…', '(', ')'].contains(&c));
    !varies && !VARYING.contains(&word.to_lowercase().as_str())
}

#[test]
fn words_have_to_be_the_same_and_figures_not() {
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let output = "new is SLOWER than old (suspect): throughput −7 % (96 % CI −8 … −1 %)\n\
                  NO VERDICT on late against early at put\n\
                  throughput  12.1 k/s  998/s\nINVALID  errors, get: 3 of 9 operations\n  failed (33 %)\n";
    for shown in [
        "new is FASTER than old: throughput +20 % (96 % CI +18 … +22 %)",
        "throughput  1.02 k/s  1.2 k/s",
        "CANNOT TELL late from early at put: throughput +13 % (96 % CI −11 … +24 %)",
        "INVALID  errors, get: 140 of 2800 operations failed (5 %)",
        "SUSPECT  others_busy: programs used 3 %",
        "* absolute_figures: no CPU was idle\n  at all",
        "…",
    ] {
        assert_eq!(missing(&lines(shown), output), None, "{shown}");
    }
    for shown in [
        "old is FASTER than new: throughput",
        "latency 3 ms",
        "INVALID  errors, put: 1 of 2",
    ] {
        assert_eq!(missing(&lines(shown), output), Some(shown));
    }
}
