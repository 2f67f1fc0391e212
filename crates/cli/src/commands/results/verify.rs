//! `tenbin verify`: recomputes every figure of a run and compares the figures with the result.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;
use tenbin_plan::{LARGEST_RESULT, read_own};
use tenbin_record::Source;
use tenbin_report::for_terminal;
use tenbin_report::formats::kept;
use tenbin_result::{Document, LANGUAGES, format};

use crate::args::VerifyArgs;
use crate::commands::results::opened::OpenedRun;
use crate::commands::results::show::document_from;
use crate::exit::Exit;
use crate::output;

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
    output::print(text.as_bytes());
    exit
}

fn check(directory: &Path, named: &Path) -> Result<(String, Exit), Exit> {
    let written = read_own(&directory.join(RESULT), LARGEST_RESULT)
        .map_err(|error| error.to_string())
        .and_then(|text| serde_json::from_slice(&text).map_err(|error| error.to_string()));
    let written: Value = written.map_err(|why| {
        output::error(&format!(
            "{} has no {RESULT} that can be read ({why}); `tenbin show` computes its result",
            named.display()
        ));
        Exit::Refused
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
        Ok(written) => Pages::check(directory, [&written, &document]),
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
            self.listed.push(format!(
                "{path}: {} in {RESULT}, {} computed",
                short(written),
                short(computed)
            ));
        }
    }

    fn text(&self, document: &Document, changed: &[&str]) -> String {
        let slices = document.slices.len();
        let numbers = format::count(self.numbers);
        let measured_by = document.environment.tenbin_version.as_deref();
        let measured_by = measured_by.unwrap_or("of unknown version");
        let mut text = format!(
            "{} slices of {} targets, measured by Tenbin {}\n",
            slices,
            document.targets.len(),
            for_terminal(measured_by),
        );
        match changed {
            [] => text += "raw data  unchanged: all checksums match\n",
            changed => {
                for sentence in changed {
                    let _ = writeln!(text, "raw data  CHANGED: {}", for_terminal(sentence));
                }
            }
        }
        match self.differences {
            0 => {
                let _ = writeln!(
                    text,
                    "result    all {numbers} figures, computed again from the histograms and counts of \
                     each second, agree with {RESULT}"
                );
            }
            differences => {
                let _ = writeln!(
                    text,
                    "result    DIFFERS in {} of {numbers} figures:",
                    format::count(differences)
                );
                for line in &self.listed {
                    let _ = writeln!(text, "  {}", for_terminal(line));
                }
                let rest = differences.saturating_sub(self.listed.len() as u64);
                if rest > 0 {
                    let _ = writeln!(text, "  and {} more", format::count(rest));
                }
                let this = env!("CARGO_PKG_VERSION");
                if measured_by != this {
                    let _ = writeln!(
                        text,
                        "  this is Tenbin {this}: another version may define figures differently"
                    );
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
    fn check(directory: &Path, documents: [&Document; 2]) -> Self {
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
        !self.different.is_empty() && is_of_this_version(document)
    }

    fn text(&self, document: &Document) -> String {
        let mut text = String::new();
        if !self.same.is_empty() {
            let _ = writeln!(text, "pages     unchanged: {}", self.same.join(", "));
        }
        for (file, why) in &self.different {
            let _ = match (why, is_of_this_version(document)) {
                (Some(why), _) => {
                    writeln!(
                        text,
                        "pages     CHANGED: {file} cannot be read: {}",
                        for_terminal(why)
                    )
                }
                (None, true) => {
                    writeln!(
                        text,
                        "pages     CHANGED: {file} is not the file of this result"
                    )
                }
                (None, false) => writeln!(
                    text,
                    "pages     not checked: {file}, which another version of Tenbin wrote"
                ),
            };
        }
        text
    }
}

/// Whether this version of Tenbin has measured the run.
fn is_of_this_version(document: &Document) -> bool {
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
