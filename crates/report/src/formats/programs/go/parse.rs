//! The lines of Go's benchmark format: <https://go.dev/design/14313-benchmark-format>.

use std::collections::BTreeMap;
use std::rc::Rc;

use tenbin_verdict::lint::{LeftOut, Quote};

const PREFIX: &str = "Benchmark";
/// The unit of the time of an operation.
pub(super) const TIME: &str = "ns/op";
/// What `go test` prints before the name of a benchmark that failed.
const FAILED: &str = "--- FAIL: ";
/// The key of the package.
const PACKAGE: &str = "pkg";

/// Why a line that begins like a result is left out.
const WITHOUT_FIGURES: &str = "other text in place of figures";

/// What lines such as `goos: linux` state, by key.
pub(super) type Conditions<'a> = BTreeMap<&'a str, &'a str>;

/// The conditions that `go test` prints, besides the package.
pub(super) const MACHINE: [&str; 3] = ["goos", "goarch", "cpu"];

/// The content of a file.
#[derive(Debug, Default)]
pub(super) struct Benchmarks<'a> {
    pub(super) results: Vec<Result<'a>>,
    /// Whether higher figures are better, by unit, as far as the file says so.
    pub(super) higher_is_better: BTreeMap<&'a str, bool>,
    /// Lines that state no figure although they belong to a benchmark.
    pub(super) left_out: Vec<LeftOut>,
    /// Number of results that log text divided into two lines.
    pub(super) joined: u64,
}

/// Iterations, and values with their units.
#[derive(Debug, Clone)]
pub(super) struct Figures<'a> {
    pub(super) iterations: u64,
    pub(super) values: Vec<(f64, &'a str)>,
}

/// A result line.
#[derive(Debug, Clone)]
pub(super) struct Result<'a> {
    /// Name of the benchmark without the prefix, with the number of processors.
    pub(super) name: &'a str,
    /// The package, if the file names it.
    pub(super) package: Option<&'a str>,
    /// The other conditions that lines before it state, such as `cpu: …`.
    pub(super) conditions: Rc<Conditions<'a>>,
    pub(super) figures: Figures<'a>,
    pub(super) quote: Quote,
}

/// Whether a line is a result.
pub(super) fn is_result(line: &str) -> bool {
    parsed(line).is_some()
}

/// Parses a text.
pub(super) fn parse(text: &str) -> Benchmarks<'_> {
    let mut parsing = Parsing::default();
    for (line, number) in text.lines().zip(1..) {
        parsing.add(line, number);
    }
    parsing.leave_out_open(WITHOUT_FIGURES);
    let is_cut = !text.is_empty() && !text.ends_with('\n');
    if is_cut {
        parsing.leave_out_cut_line();
    }
    parsing.found
}

#[derive(Debug, Default)]
struct Parsing<'a> {
    found: Benchmarks<'a>,
    package: Option<&'a str>,
    conditions: Rc<Conditions<'a>>,
    /// Conditions whose lines follow each other, until another line does.
    block: Conditions<'a>,
    /// A benchmark whose figures have not been printed yet: other text follows its name.
    open: Option<(&'a str, Quote)>,
    /// The last line, if it is a result.
    ends_with_result: bool,
}

impl<'a> Parsing<'a> {
    fn add(&mut self, line: &'a str, number: u64) {
        self.ends_with_result = false;
        if let Some((key, value)) = condition(line) {
            self.block.insert(key, value);
            return;
        }
        self.end_block();
        let quote = || Quote {
            line: Some(number),
            text: line.to_owned(),
        };
        if let Some((name, figures)) = parsed(line) {
            self.leave_out_open(WITHOUT_FIGURES);
            self.result(name, figures, quote());
            self.ends_with_result = true;
        } else if let Some(name) = begun(line) {
            self.leave_out_open(WITHOUT_FIGURES);
            self.open = Some((name, quote()));
        } else if let Some(failed) = line.trim_start().strip_prefix(FAILED) {
            if let Some(name) = begun(failed) {
                // Its name may have been printed before.
                self.open.take_if(|(open, _)| *open == name);
                self.leave_out_open(WITHOUT_FIGURES);
                self.leave_out("failed", quote());
            }
        } else if line.starts_with("FAIL\t") {
            self.leave_out("package failed", quote());
        } else if let Some(unit) = line.strip_prefix("Unit ") {
            self.unit(unit);
        } else if let Some(((name, _), figures)) = self.open.as_ref().zip(figures(line)) {
            let name = *name;
            self.open = None;
            self.result(name, figures, quote());
            self.found.joined += 1;
            self.ends_with_result = true;
        }
    }

    /// Takes the conditions over. Text of the program under test can look like one, so a block counts
    /// if it has a key of `go test`, or stands before the first result.
    fn end_block(&mut self) {
        let mut block = std::mem::take(&mut self.block);
        if block.is_empty() {
            return;
        }
        let is_known = |key: &str| key == PACKAGE || MACHINE.contains(&key);
        if !self.found.results.is_empty() && !block.keys().any(|key| is_known(key)) {
            return;
        }
        self.package = block.remove(PACKAGE).or(self.package);
        Rc::make_mut(&mut self.conditions).extend(block);
    }

    fn result(&mut self, name: &'a str, figures: Figures<'a>, quote: Quote) {
        self.found.results.push(Result {
            name,
            package: self.package,
            conditions: Rc::clone(&self.conditions),
            figures,
            quote,
        });
    }

    /// Reads `req/s better=higher`.
    fn unit(&mut self, line: &'a str) {
        let mut words = line.split_whitespace();
        let Some(unit) = words.next() else { return };
        for word in words {
            match word {
                "better=higher" => drop(self.found.higher_is_better.insert(unit, true)),
                "better=lower" => drop(self.found.higher_is_better.insert(unit, false)),
                _ => {}
            }
        }
    }

    fn leave_out(&mut self, why: &'static str, quote: Quote) {
        self.found.left_out.push(LeftOut { why, quote });
    }

    /// Leaves out a benchmark without figures. A name alone is how `go test -v` begins.
    fn leave_out_open(&mut self, why: &'static str) {
        if let Some((_, quote)) = self.open.take()
            && quote.text.split_whitespace().nth(1).is_some()
        {
            self.leave_out(why, quote);
        }
    }

    /// Leaves out the last result of a text without an end of line, unless its last unit is complete
    /// because other lines have it.
    fn leave_out_cut_line(&mut self) {
        let results = &mut self.found.results;
        if !self.ends_with_result {
            if let Some(last) = self.found.left_out.last_mut() {
                last.why = "cut off";
            }
            return;
        }
        let Some((last, others)) = results.split_last() else {
            return;
        };
        let unit = last.figures.values.last().map(|(_, unit)| *unit);
        let is_known = |unit: &str| {
            let mut units = others.iter().flat_map(|result| &result.figures.values);
            unit == TIME || units.any(|(_, known)| *known == unit)
        };
        if !unit.is_some_and(is_known)
            && let Some(cut) = results.pop()
        {
            self.leave_out("cut off", cut.quote);
        }
    }
}

/// Name and figures of a result line; `None` for configuration and for
/// lines outside the format.
fn parsed(line: &str) -> Option<(&str, Figures<'_>)> {
    let (name, rest) = line.strip_prefix(PREFIX)?.split_once([' ', '\t'])?;
    let figures = figures(rest)?;
    (!name.is_empty()).then_some((name, figures))
}

/// Key and value of a line such as `goos: linux`. A key begins with a small letter, and has neither
/// capitals nor spaces.
fn condition(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(": ")?;
    let begins = key.starts_with(|c: char| c.is_lowercase());
    let is_key = begins && !key.contains(|c: char| c.is_uppercase() || c.is_whitespace());
    is_key.then(|| (key, value.trim()))
}

/// The name in a line that begins like a result.
fn begun(line: &str) -> Option<&str> {
    let name = line.strip_prefix(PREFIX)?;
    let name = name.split([' ', '\t']).next()?;
    // Not a sentence about benchmarks: Go's names go on with a capital or with an underscore.
    let is_name = |c: char| !c.is_lowercase();
    name.starts_with(is_name).then_some(name)
}

/// Iterations, then values with their units.
fn figures(text: &str) -> Option<Figures<'_>> {
    let mut words = text.split_whitespace();
    let iterations = words.next()?.parse::<u64>().ok()?;
    let words: Vec<&str> = words.collect();
    let pairs = words.chunks_exact(2);
    let is_whole = pairs.remainder().is_empty() && !words.is_empty();
    let values = pairs.map(|pair| Some((number(pair[0])?, pair[1])));
    let values = values.collect::<Option<_>>()?;
    is_whole.then_some(Figures { iterations, values })
}

/// Parses a number, which can be negative, infinite or `NaN`. Go writes every exponent with a sign, so a number such as `1e5` is damaged.
fn number(text: &str) -> Option<f64> {
    let exponent = text.split_once(['e', 'E']).map(|(_, exponent)| exponent);
    let is_damaged = exponent.is_some_and(|it| !it.starts_with(['+', '-']));
    text.parse().ok().filter(|_| !is_damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_and_reasons(text: &str) -> (Vec<&str>, Vec<&'static str>) {
        let found = parse(text);
        let names = found.results.iter().map(|result| result.name);
        let reasons = found.left_out.iter().map(|left_out| left_out.why);
        (names.collect(), reasons.collect())
    }

    #[test]
    fn log_text_inside_a_result_is_taken_out() {
        let text =
            "BenchmarkRead-16   \t2026/11/27 09:00:00 cache warmed\n  2460000\t812.5 ns/op\n";
        let found = parse(text);
        assert_eq!(found.joined, 1);
        assert_eq!(found.results[0].name, "Read-16");
        assert_eq!(found.results[0].figures.values, [(812.5, "ns/op")]);
        assert!(found.left_out.is_empty());
    }

    #[test]
    fn what_states_no_figure_is_named() {
        let text = "BenchmarkA-2 10 5 ns/op\nBenchmarkB-2 \tlog\nBenchmarkC-2 1 x ns/op\n--- FAIL: \
                    BenchmarkD-2\nFAIL\texample.org/kv\t3.1s\nBenchmarkE-2 10 5 ns/op\n";
        let (names, reasons) = names_and_reasons(text);
        assert_eq!(names, ["A-2", "E-2"]);
        assert_eq!(reasons.len(), 4, "{reasons:?}");
    }

    #[test]
    fn a_cut_line_is_no_figure() {
        for cut in [
            "BenchmarkB-2 10 5 ns/o", "BenchmarkB-2 10 5", "BenchmarkB-2 1",
        ] {
            let text = format!("BenchmarkA-2 10 5 ns/op\n{cut}");
            let (names, reasons) = names_and_reasons(&text);
            assert_eq!((names, reasons), (vec!["A-2"], vec!["cut off"]), "{cut}");
        }
        let (names, reasons) = names_and_reasons("BenchmarkA-2 10 5 ns/op");
        assert_eq!((names.len(), reasons.len()), (1, 0));
    }

    #[test]
    fn names_of_verbose_output_are_no_lost_results() {
        let (names, reasons) = names_and_reasons("BenchmarkRead\nBenchmarkRead-16 1 2 ns/op\n");
        assert_eq!((names, reasons.len()), (vec!["Read-16"], 0));
    }
}
