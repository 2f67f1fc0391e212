//! The value of `--export`.

use std::path::PathBuf;
use std::str::FromStr;

use tenbin_plan::{Sentence, sentence};

use super::format::Format;
use super::table::{format, written};

/// An additional output format for a run, and where to write the output.
#[derive(Debug, Clone)]
pub struct Export {
    /// The output format; never one that can only be read.
    pub format: &'static Format,
    /// Where the output is written.
    pub to: Place,
}

/// Where an export is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The run directory, under the format's own file name.
    RunDirectory,
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl FromStr for Export {
    type Err = Sentence;

    /// Parses `FORMAT`, `FORMAT=FILE` or `FORMAT=-`.
    fn from_str(text: &str) -> Result<Self, Sentence> {
        let (name, file) = match text.split_once('=') {
            Some((name, file)) => (name, Some(file)),
            None => (text, None),
        };
        let writable = format(name).filter(|format| format.write.is_some());
        let Some(format) = writable else {
            let names: Vec<&str> = written().map(|format| format.name).collect();
            let why = match super::table::format(name) {
                Some(_) => sentence!("only-read", "{name} can only be read", name),
                None => sentence!("no-format", "there is no format {name:?}", name),
            };
            return Err(sentence!(
                "formats-are",
                "{why}; the formats are {formats}",
                why,
                formats = names.join(", ")
            )
            .with_names("formats", names));
        };
        let to = match file {
            None => Place::RunDirectory,
            Some("") => {
                return Err(sentence!(
                    "export-without-file",
                    "no file is named; write {name}=FILE, or {name}=- for stdout",
                    name
                ));
            }
            Some("-") => Place::Stdout,
            Some(file) => Place::File(PathBuf::from(file)),
        };
        Ok(Self { format, to })
    }
}

/// The formats that can be written, one line each, for `--help`.
pub fn help() -> String {
    let width = written().map(|format| format.name.len()).max().unwrap_or(0);
    let lines = written().map(|format| format!("  {:width$}  {}", format.name, format.about));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_with_or_without_a_file() {
        let parse = |text: &str| text.parse::<Export>();
        let known = parse("go").unwrap();
        assert_eq!((known.format.name, known.to), ("go", Place::RunDirectory));
        assert_eq!(parse("json=-").unwrap().to, Place::Stdout);
        let file = parse("json=a=b.json").unwrap();
        assert_eq!(file.to, Place::File(PathBuf::from("a=b.json")));
        let unknown = parse("gnuplot").unwrap_err();
        assert!(
            unknown
                .text()
                .starts_with("there is no format \"gnuplot\"; the formats are json, ")
        );
        assert!(!unknown.text().contains("warp-csv"), "{unknown}");
        assert!(
            parse("warp-csv")
                .unwrap_err()
                .text()
                .starts_with("warp-csv can only be read; ")
        );
        assert!(
            parse("json=")
                .unwrap_err()
                .text()
                .starts_with("no file is named")
        );
    }
}
