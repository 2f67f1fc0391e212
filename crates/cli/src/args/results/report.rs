//! `tenbin report`.

use std::path::PathBuf;

use clap::Args;
use tenbin_plan::{Sentence, sentence};
use tenbin_record::is_harmful;

/// `tenbin report`.
#[derive(Args)]
#[command(after_help = "\
The page is a single HTML file of at most 500 KB per run, with charts and without external resources.
Figures and charts can be read without scripts. Every run writes its own page, report.html, to its
run directory at its end.

Examples:
  tenbin report last
  tenbin report --title 'Servers A and B, week 5' last
  tenbin report --out page.html runs/2026-01-31T120000-s3-put
  tenbin report --out both.html runs/2026-01-31T120000-s3-put runs/2026-02-01T090000-s3-put")]
pub struct ReportArgs {
    /// The runs, finished or interrupted: last, previous, last~2, labels, names (--name), beginnings
    /// of names of directories, or directories
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// File to write [default: report.html in the run directory; for several runs, ./report.html]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Title and heading of the page, up to 200 characters [default: the names of run and targets]
    #[arg(long, value_name = "TEXT", value_parser = title)]
    pub title: Option<String>,
}

/// Longest title, characters.
const LONGEST_TITLE: usize = 200;

/// The title of a page.
fn title(text: &str) -> Result<String, Sentence> {
    let text = text.trim();
    let is_printable = !text.chars().any(is_harmful);
    if !text.is_empty() && is_printable && text.chars().count() <= LONGEST_TITLE {
        return Ok(text.to_owned());
    }
    Err(sentence!(
        "no-title",
        "a title is one line of 1 to {most} characters without control characters and invisible \
         characters",
        most = LONGEST_TITLE
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(title(" 天秤 & <b> ").unwrap(), "天秤 & <b>");
        assert!(title(&"é".repeat(200)).is_ok());
        for wrong in [
            "",
            " ",
            "a\nb",
            "\u{1b}[1m",
            "a\u{202e}b",
            "a\u{200b}b",
            &"é".repeat(201),
        ] {
            assert!(title(wrong).is_err(), "{wrong:?}");
        }
    }
}
