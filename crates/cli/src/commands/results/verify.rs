//! `tenbin verify`: recomputes every figure of a run and compares the figures with the result.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;
use tenbin_plan::{LARGEST_RESULT, Sentence, read_own, sentence};
use tenbin_record::Source;
use tenbin_report::for_terminal;
use tenbin_report::formats::kept;
use tenbin_result::{Document, LANGUAGES, format};

use crate::args::VerifyArgs;
use crate::commands::results::opened::OpenedRun;
use crate::commands::results::show::{document_from, with_label};
use crate::exit::Exit;
use crate::output;
use crate::sentences::said;

/// The file with the result that the run wrote.
const RESULT: &str = "result.json";
/// Largest number of differences to list.
const MOST_LISTED: usize = 10;
/// Largest relative difference of two figures that count as equal.
const SAME: f64 = 1e-9;
/// Fields of the result that do not follow from the raw data: location of the run, and comparison
/// with an earlier run.
const NOT_COMPUTED: [&str; 3] = [".run.directory", ".run.id", ".earlier"];
/// The rule that reports files changed after the run.
const CHANGED: &str = "changed_record";

/// Verifies a run.
pub(crate) fn verify(args: &VerifyArgs) -> Exit {
    let checked = OpenedRun::open(&args.run).and_then(|run| check(&run.directory, &args.run));
    let (text, exit) = match checked {
        Ok(checked) => checked,
        Err(exit) => return exit,
    };
    output::print_text(&text);
    exit
}

fn check(directory: &Path, named: &Path) -> Result<(String, Exit), Exit> {
    let written = read_own(&directory.join(RESULT), LARGEST_RESULT)
        .map_err(|error| Sentence::from(&error))
        .and_then(|text| {
            let read = serde_json::from_slice(&text);
            read.map_err(Sentence::verbatim)
        });
    let written: Value = written.map_err(|why| {
        output::refuse(&sentence!(
            "no-readable-result",
            "{name} has no {file} that can be read ({reason}); `tenbin show` computes its result",
            name = named.display(),
            file = RESULT,
            reason = why
        ))
    })?;
    let document = document_from(directory, Source::Seconds)?;
    let computed = serde_json::to_value(&document).map_err(|error| {
        output::failure(&error);
        Exit::Internal
    })?;
    let mut found = Found::default();
    found.compare("", &written, &computed);
    let changed = changed_files(&document);
    let pages = match serde_json::from_value(written) {
        Ok(written) => {
            // `tenbin label` and `tenbin note` write the page again.
            let labelled = [&written, &document];
            let labelled = labelled.map(|it| with_label(Document::clone(it), directory));
            let [one, other] = &labelled;
            Pages::check(directory, &[&written, &document, one, other])
        }
        Err(_) => Pages::default(),
    };
    let text = found.text(&document, &changed) + &pages.text(&document);
    let is_intact = found.differences == 0 && changed.is_empty() && !pages.are_forged(&document);
    let exit = if is_intact { Exit::Done } else { Exit::Invalid };
    Ok((text, exit))
}

/// The evidence that files were changed after the run, from their checksums.
fn changed_files(document: &Document) -> Vec<&str> {
    let findings = document.findings.iter();
    let changed = findings.filter(|finding| finding.rule == CHANGED);
    changed.map(|finding| finding.evidence.as_str()).collect()
}

/// Result of comparing the recomputed result with the written result.
#[derive(Default)]
struct Found {
    numbers: u64,
    differences: u64,
    listed: Vec<String>,
}

impl Found {
    fn compare(&mut self, path: &str, written: &Value, computed: &Value) {
        if NOT_COMPUTED.contains(&path) {
            return;
        }
        match (written, computed) {
            (Value::Object(one), Value::Object(other)) => {
                let mut keys: Vec<&String> = one.keys().chain(other.keys()).collect();
                keys.sort_unstable();
                keys.dedup();
                for key in keys {
                    let field = |values: &serde_json::Map<_, _>| values.get(key).cloned();
                    let (one, other) = (field(one), field(other));
                    let path = format!("{path}.{key}");
                    self.compare(&path, &one.unwrap_or_default(), &other.unwrap_or_default());
                }
            }
            (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
                for (at, (one, other)) in one.iter().zip(other).enumerate() {
                    self.compare(&format!("{path}[{at}]"), one, other);
                }
            }
            (Value::Number(one), Value::Number(other)) => {
                self.numbers += 1;
                let (Some(one), Some(other)) = (one.as_f64(), other.as_f64()) else {
                    return self.differ(path, written, computed);
                };
                if (one - other).abs() > SAME * one.abs().max(other.abs()) {
                    self.differ(path, written, computed);
                }
            }
            _ if written == computed => {}
            _ => self.differ(path, written, computed),
        }
    }

    fn differ(&mut self, path: &str, written: &Value, computed: &Value) {
        self.differences += 1;
        if self.listed.len() < MOST_LISTED {
            let path = path.trim_start_matches('.');
            self.listed.push(said(&sentence!(
                "figure-differs",
                "{path}: {written} in {file}, {computed} computed",
                path,
                written = short(written),
                file = RESULT,
                computed = short(computed)
            )));
        }
    }

    fn text(&self, document: &Document, changed: &[&str]) -> String {
        let slices = document.slices.len();
        let numbers = format::count(self.numbers);
        let measured_by = document.environment.tenbin_version.as_deref();
        let measured = sentence!(
            "measured-by",
            "{slices} slices of {targets} targets, measured by Tenbin {version}",
            slices,
            targets = document.targets.len(),
            version = for_terminal(measured_by.unwrap_or("of unknown version"))
        );
        let measured = match measured_by {
            None => measured.with("version", "unknown"),
            Some(_) => measured,
        };
        let mut text = said(&measured) + "\n";
        if changed.is_empty() {
            let unchanged = sentence!("raw-unchanged", "raw data  unchanged: all checksums match");
            text += &(said(&unchanged) + "\n");
        }
        for evidence in changed {
            let changed = sentence!(
                "raw-changed",
                "raw data  CHANGED: {evidence}",
                evidence = for_terminal(evidence)
            );
            text += &(said(&changed) + "\n");
        }
        match self.differences {
            0 => {
                let agrees = sentence!(
                    "result-agrees",
                    "result    all {figures} figures, computed again from the histograms and counts of \
                     each second, agree with {file}",
                    figures = numbers,
                    file = RESULT
                );
                let _ = writeln!(text, "{}", said(&agrees));
            }
            differences => {
                let differs = sentence!(
                    "result-differs",
                    "result    DIFFERS in {different} of {figures} figures:",
                    different = format::count(differences),
                    figures = numbers
                );
                let _ = writeln!(text, "{}", said(&differs));
                for line in &self.listed {
                    let _ = writeln!(text, "  {}", for_terminal(line));
                }
                let rest = differences.saturating_sub(self.listed.len() as u64);
                if rest > 0 {
                    let more = sentence!("and-more", "and {more} more", more = format::count(rest));
                    let _ = writeln!(text, "  {}", said(&more));
                }
                let this = env!("CARGO_PKG_VERSION");
                if measured_by != Some(this) {
                    let other = sentence!(
                        "other-version",
                        "this is Tenbin {version}: another version may define figures differently",
                        version = this
                    );
                    let _ = writeln!(text, "  {}", said(&other));
                }
            }
        }
        text
    }
}

/// The files for people in a run directory or packed run, each built again from the result.
#[derive(Default)]
struct Pages {
    /// Files that agree with the result.
    same: Vec<&'static str>,
    /// Files that differ, each with a reason if the file cannot be read.
    different: Vec<(&'static str, Option<String>)>,
}

impl Pages {
    /// Compares the files with those of the documents, in every language: `tenbin report` can have
    /// written a file again.
    fn check(directory: &Path, documents: &[&Document]) -> Self {
        let mut pages = Self::default();
        for format in kept(documents[0]).filter(|format| format.file != RESULT) {
            let text = match read_own(&directory.join(format.file), LARGEST_RESULT) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => {
                    pages.different.push((format.file, Some(error.to_string())));
                    continue;
                }
                Ok(text) => text,
            };
            let mut built = documents.iter().flat_map(|document| {
                LANGUAGES.iter().map(move |(language, _)| {
                    let mut document = Document::clone(document);
                    document.language = *language;
                    format.bytes(&document)
                })
            });
            if built.any(|built| built == text) {
                pages.same.push(format.file)
            } else {
                pages.different.push((format.file, None))
            }
        }
        pages
    }

    /// Whether a file was changed after the run. Another version of Tenbin can write other files.
    fn are_forged(&self, document: &Document) -> bool {
        !self.different.is_empty() && is_from_this_version(document)
    }

    fn text(&self, document: &Document) -> String {
        let mut text = String::new();
        if !self.same.is_empty() {
            let unchanged = sentence!(
                "pages-unchanged",
                "pages     unchanged: {files}",
                files = self.same.join(", ")
            );
            let _ = writeln!(text, "{}", said(&unchanged));
        }
        for (file, why) in &self.different {
            let page = match (why, is_from_this_version(document)) {
                (Some(why), _) => sentence!(
                    "page-unreadable",
                    "pages     CHANGED: {file} cannot be read: {reason}",
                    file,
                    reason = for_terminal(why)
                ),
                (None, true) => sentence!(
                    "page-changed",
                    "pages     CHANGED: {file} is not the file of this result",
                    file
                ),
                (None, false) => sentence!(
                    "page-not-checked",
                    "pages     not checked: {file}, which another version of Tenbin wrote",
                    file
                ),
            };
            let _ = writeln!(text, "{}", said(&page));
        }
        text
    }
}

/// Whether this version of Tenbin has measured the run.
fn is_from_this_version(document: &Document) -> bool {
    document.environment.tenbin_version.as_deref() == Some(env!("CARGO_PKG_VERSION"))
}

/// A value as JSON, truncated to 60 characters.
fn short(value: &Value) -> String {
    const MOST: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
