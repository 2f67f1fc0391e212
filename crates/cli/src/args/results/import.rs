//! `tenbin import` and `tenbin lint`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use tenbin_plan::{Sentence, sentence};

use super::columns::ColumnsArgs;

/// `tenbin import`.
#[derive(Args)]
#[command(after_help = "\
Prints the results as tables, or as a Tenbin result document (JSON). Tenbin detects the format from
the content of the file; docs/formats.md lists the supported tools. Tenbin rejects truncated files
and files with contradictory figures. Figures that a file does not contain are marked as unknown.
The result document includes the findings of `tenbin lint`.

Examples:
  tenbin import wrk.txt
  tenbin import --name nginx=a.json --name caddy=b.json --out result.json
  tenbin import --columns time=ts,duration_ms=took,status=code,operation=url requests.csv")]
pub struct ImportArgs {
    /// Result files of other tools; the file name without its extension names the target
    #[arg(value_name = "FILE", required_unless_present = "named")]
    pub files: Vec<PathBuf>,
    /// Result file with the name of its target, repeatable
    #[arg(long = "name", value_name = "NAME=FILE")]
    pub named: Vec<NamedFile>,
    /// Print the result document (JSON) instead of tables
    #[arg(long)]
    pub json: bool,
    /// Also write the result document to this file
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// How lists of requests are read.
    #[command(flatten)]
    pub columns: ColumnsArgs,
}

/// A result file and the name of its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    /// Name of the target.
    pub name: String,
    /// Path of the file.
    pub file: PathBuf,
}

impl FromStr for NamedFile {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        match text.split_once('=') {
            Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok(Self {
                name: name.to_owned(),
                file: PathBuf::from(file),
            }),
            _ => Err(sentence!(
                "name-equals-file",
                "write it as NAME=FILE, such as nginx=wrk.txt"
            )),
        }
    }
}

impl ImportArgs {
    /// All files of the command line with the names of their targets.
    pub(crate) fn all(&self) -> Vec<NamedFile> {
        let unnamed = self.files.iter().map(|file| NamedFile {
            name: stem(file, &self.files),
            file: file.clone(),
        });
        unnamed.chain(self.named.iter().cloned()).collect()
    }
}

/// The file name without extension, or the full path if two files have the same name.
fn stem(file: &Path, all: &[PathBuf]) -> String {
    let short = |file: &Path| {
        let name = file.file_stem().unwrap_or(file.as_os_str());
        name.to_string_lossy().into_owned()
    };
    let own = short(file);
    match all.iter().filter(|other| short(other) == own).count() {
        1 => own,
        _ => file.display().to_string(),
    }
}

/// `tenbin lint`.
#[derive(Args)]
#[command(after_help = "\
Each finding quotes the lines of the file that prove it. `tenbin explain RULE` explains a rule, and
docs/lint.md all rules. If two files in succession are of the same tool, Tenbin also compares the
two. Exit code 0 without findings or with notes only, 6 with findings, 2 if a file cannot be read.

Examples:
  tenbin lint wrk.txt oha.json warp-get.json.zst
  tenbin lint before.gobench.txt after.gobench.txt --changed ListObjectsV2")]
pub struct LintArgs {
    /// Result files of other tools
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Operations that the change between two files affects, repeatable or separated by commas; all
    /// other operations must not differ
    #[arg(long, value_name = "OPERATION", value_delimiter = ',')]
    pub changed: Vec<String>,
    /// Print the findings as JSON
    #[arg(long)]
    pub json: bool,
    /// How lists of requests are read.
    #[command(flatten)]
    pub columns: ColumnsArgs,
}
