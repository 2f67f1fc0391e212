//! `tenbin import` and `tenbin lint`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;

/// `tenbin import`.
#[derive(Args)]
#[command(after_help = "\
The format is recognised by the content; `tenbin show --help` and docs/formats.md list the tools. A file
that was cut off, or whose figures contradict each other, is rejected with the reason. What a file
does not say is unknown. The result document has the findings of `tenbin lint`.

Examples:
  tenbin import wrk.txt
  tenbin import --name nginx=a.json --name caddy=b.json --out result.json")]
pub struct ImportArgs {
    /// Result files of other tools; the target is named like the file
    #[arg(value_name = "FILE", required_unless_present = "named")]
    pub files: Vec<PathBuf>,
    /// A result file with a name for its target, repeatable
    #[arg(long = "name", value_name = "NAME=FILE")]
    pub named: Vec<NamedFile>,
    /// Print the result document instead of tables
    #[arg(long)]
    pub json: bool,
    /// Also write the result document to this file
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// A file and the name of the target that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    /// Name of the target.
    pub name: String,
    /// The file.
    pub file: PathBuf,
}

impl FromStr for NamedFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok(Self {
                name: name.to_owned(),
                file: PathBuf::from(file),
            }),
            _ => Err("write it as NAME=FILE, such as nginx=wrk.txt".to_owned()),
        }
    }
}

impl ImportArgs {
    /// All files with the names of their targets.
    pub(crate) fn all(&self) -> Vec<NamedFile> {
        let unnamed = self.files.iter().map(|file| NamedFile {
            name: stem(file, &self.files),
            file: file.clone(),
        });
        unnamed.chain(self.named.iter().cloned()).collect()
    }
}

/// The name of a file without folder and ending, or the whole path if another file has that name.
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
Each finding quotes the lines that it rests on; `tenbin explain RULE` has its test and its threshold,
and docs/lint.md has all of them. A file of the same tool as the one before it is also compared with
that one. Exit code 0 if nothing was found, 6 if something was, 2 if a file cannot be read.

Examples:
  tenbin lint wrk.txt oha.json warp-get.json.zst
  tenbin lint before.gobench.txt after.gobench.txt --changed ListObjectsV2")]
pub struct LintArgs {
    /// Result files of other tools
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Operations that the change between the files affects, repeatable or separated by commas;
    /// all other operations must not differ
    #[arg(long, value_name = "OPERATION", value_delimiter = ',')]
    pub changed: Vec<String>,
    /// Print the findings as JSON
    #[arg(long)]
    pub json: bool,
}
