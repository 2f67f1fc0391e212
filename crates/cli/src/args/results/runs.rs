//! `tenbin list`, `tenbin label`, `tenbin note`, `tenbin rm` and `tenbin prune`.

use std::ops::Range;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::Args;
use tenbin_plan::{Sentence, sentence};
use tenbin_record::rfc3339;

/// Length of a day: `2026-01-31`.
const DAY: usize = 10;
/// Most days back.
const MOST_DAYS: u64 = 10_000;

/// `tenbin list`.
#[derive(Args)]
#[command(after_help = "\
The words for a run work in every command that takes a RUN: its directory, last, previous, last~2,
its label, its name (--name), or the beginning of the name of its directory. A run is listed if it
fits all options; if none fits, a note says so, and the exit code is 0.

Examples:
  tenbin list
  tenbin list --match nginx --trust valid
  tenbin list --target nginx --kind http --since 7d
  tenbin list --json | jq -r '.[].run'")]
pub struct ListArgs {
    /// Directory with the runs
    #[arg(value_name = "DIR", default_value = "runs")]
    pub directory: PathBuf,
    /// List only runs with this text in name, label, note or verdict, in upper or lower case
    #[arg(long = "match", value_name = "TEXT")]
    pub text: Option<String>,
    /// List only runs with this trust: valid, suspect or invalid
    #[arg(long, value_name = "TRUST", value_parser = ["valid", "suspect", "invalid"])]
    pub trust: Option<String>,
    /// List only runs with a target of this name
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,
    /// List only runs with this kind of work: http, s3, blob or search
    #[arg(long, value_name = "KIND", value_parser = ["http", "s3", "blob", "search"])]
    pub kind: Option<String>,
    /// List only runs since this day, in UTC: a date such as 2026-01-31, or a number of days back
    /// such as 7d
    #[arg(long, value_name = "DATE", value_parser = since)]
    pub since: Option<String>,
    /// List only runs with this text in the label, in upper or lower case
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
    /// List all runs [default: the newest 20]
    #[arg(long)]
    pub all: bool,
    /// Print every line as a whole; otherwise, a line ends with … where the terminal ends
    #[arg(long, short, conflicts_with = "json")]
    pub verbose: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `tenbin label`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tenbin label last before-upgrade
  tenbin compare before-upgrade last
  tenbin label before-upgrade ''")]
pub struct LabelArgs {
    /// The run: its directory, last, previous, last~2, its label, its name (--name), or the
    /// beginning of the name of its directory
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The label: letters, digits, - _ and ., up to 60; empty to remove it
    #[arg(value_name = "LABEL")]
    pub label: String,
}

/// `tenbin note`.
#[derive(Args)]
#[command(after_help = "\
The note is kept in note.txt in the run directory. tenbin show, report, list, pack and ui show it in
place of the note of the plan (--note), which stays in the result.

Examples:
  tenbin note last 'after the kernel update'
  tenbin note last ''")]
pub struct NoteArgs {
    /// The run: its directory, last, previous, last~2, its label, its name (--name), or the
    /// beginning of the name of its directory
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The note: one line of up to 500 characters; empty to remove it
    #[arg(value_name = "TEXT")]
    pub note: String,
}

/// `tenbin rm`.
#[derive(Args)]
#[command(after_help = "\
Moves the runs to .trash in their directory. Delete that directory to free the space.

Examples:
  tenbin rm last
  tenbin rm runs/2026-01-31T120000-s3-put")]
pub struct RmArgs {
    /// The runs: directories, last, previous, last~2, labels, names (--name), or beginnings of names
    /// of directories
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
}

/// `tenbin prune`.
#[derive(Args)]
#[command(after_help = "\
Keeps the newest runs and all runs with a label. Moves the others to .trash in their directory.

Examples:
  tenbin prune --keep 50")]
pub struct PruneArgs {
    /// Directory with the runs
    #[arg(value_name = "DIR", default_value = "runs")]
    pub directory: PathBuf,
    /// Number of newest runs to keep
    #[arg(long, value_name = "N")]
    pub keep: usize,
}

/// The first day that `--since` asks for, such as `2026-01-31`.
fn since(text: &str) -> Result<String, Sentence> {
    let day = match text.strip_suffix('d') {
        Some(days) => days_back(days, SystemTime::now()),
        None => is_date(text).then(|| text.to_owned()),
    };
    day.ok_or_else(|| {
        sentence!(
            "list-since",
            "{text:?} is no day; write a date such as 2026-01-31, or a number of days up to 10000 \
             such as 7d",
            text
        )
    })
}

/// The day this number of days before `now`.
fn days_back(days: &str, now: SystemTime) -> Option<String> {
    let is_number = days.bytes().all(|byte| byte.is_ascii_digit());
    let days: u64 = is_number.then(|| days.parse().ok()).flatten()?;
    let back = Duration::from_secs(days.min(MOST_DAYS) * 24 * 60 * 60);
    let then = rfc3339(now.checked_sub(back)?);
    let is_near = days <= MOST_DAYS;
    is_near.then(|| then.get(..DAY).unwrap_or_default().to_owned())
}

/// Whether the text is a date: its form, a month up to 12 and a day up to 31.
fn is_date(text: &str) -> bool {
    let is_right = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    let has_form = text.len() == DAY && text.bytes().enumerate().all(is_right);
    let part = |range: Range<usize>| -> Option<u8> { text.get(range)?.parse().ok() };
    has_form
        && part(5..7).is_some_and(|month| (1..=12).contains(&month))
        && part(8..10).is_some_and(|day| (1..=31).contains(&day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_a_date_or_a_number_of_days_back() {
        assert_eq!(since("2026-01-31").as_deref(), Ok("2026-01-31"));
        assert!(since("7d").is_ok_and(|day| is_date(&day)));
        for wrong in [
            "", "d", "7", "7h", "-1d", "+1d", "1.5d", "10001d", "99999999999999999999d",
            "2026-1-31", "2026-13-01", "2026-00-10", "2026-01-32", "2026-01-00", "2026/01/31",
            "2026-01-31T00", "２０２６-01", "yesterday",
        ] {
            let refused = since(wrong).expect_err("no day").to_string();
            assert!(refused.contains("2026-01-31, or"), "{wrong:?}: {refused}");
        }
        let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(59 * 86_400 + 43_200);
        assert_eq!(days_back("0", noon).as_deref(), Some("1970-03-01"));
        assert_eq!(days_back("7", noon).as_deref(), Some("1970-02-22"));
        assert_eq!(days_back("10001", noon), None);
    }
}
