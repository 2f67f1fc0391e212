//! An index of the runs in a directory, so that many runs are listed without reading each result.
//!
//! The list and the history have an index each. It is a cache: one line for each run, with the size and
//! modification time of its `result.json`, the modification time of its directory, and checksums. Tenbin
//! rebuilds a line that is damaged or does not match from the result. Without an index, or if the directory
//! is not writable, commands give the same output but take longer. The file is replaced atomically, so a
//! concurrent reader sees the old or the new version.

use std::collections::HashMap;
use std::fs;
use std::io::BufReader;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;
use tenbin_plan::{LARGEST_RESULT, open_own, read_own};
use tenbin_record::write_atomically;
use tenbin_result::{Head, Language, LeftOutWhy, RunFacts, Trust, document_from_json};

use crate::commands::results::{disk, kept, question};

/// First line: the format, and the version of Tenbin, because versions keep different facts.
const FORMAT: &str = concat!("tenbin.index/5 ", env!("CARGO_PKG_VERSION"));
/// Fewest results that had to be read before an index is worth writing.
const WORTH_WRITING: usize = 32;
/// Age of a result below which it can still be written again in the same tick of the clock.
const SETTLED: Duration = Duration::from_secs(2);
/// Digits of a checksum.
const DIGITS: usize = 16;

/// What an index keeps of each result.
pub(crate) trait Indexed: Clone {
    /// Name of the file in the directory of the runs.
    const FILE: &'static str;

    /// Reads it from the result of a run.
    ///
    /// # Errors
    /// If the run has no result, or one that cannot be read.
    fn of_run(run: &Path) -> Result<Self, LeftOutWhy>;

    /// Reads it from an index; `None` if the text is something else.
    fn of_json(text: &[u8]) -> Option<Self>;

    /// Its text in an index, without tabs and line feeds.
    fn json(&self) -> Vec<u8>;
}

/// What the list of runs shows of a result.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Listed {
    pub(crate) started: Option<String>,
    pub(crate) complete: Option<bool>,
    pub(crate) note: Option<String>,
    pub(crate) trust: Option<Trust>,
    pub(crate) verdicts: Vec<String>,
    /// Whether the figures are the result.
    pub(crate) only_figures: bool,
    /// The main figures in English, if they are the result and can be trusted.
    pub(crate) figures: Vec<String>,
    /// Names of the targets, in plan order.
    pub(crate) targets: Vec<String>,
    /// The kinds of work with their operations: `s3 put, get`.
    pub(crate) work: Vec<String>,
    /// Size of the run directory when the result was read, bytes.
    pub(crate) bytes: Option<u64>,
}

impl Indexed for Listed {
    const FILE: &'static str = ".tenbin-list";

    fn of_run(run: &Path) -> Result<Self, LeftOutWhy> {
        let file = open_own(&run.join("result.json")).map_err(|_| LeftOutWhy::NoResult)?;
        let head = Head::read(BufReader::new(file));
        let is_trusted = head.trust.is_some_and(|trust| trust != Trust::Invalid);
        let figures = (head.only_figures && is_trusted).then(|| figures(run));
        Ok(Self {
            only_figures: head.only_figures,
            figures: figures.unwrap_or_default(),
            started: head.run.as_ref().map(|run| run.started.clone()),
            complete: head.run.as_ref().map(|run| run.complete),
            note: head.run.and_then(|run| run.note),
            trust: head.trust,
            verdicts: head.verdicts,
            work: question::of(&head.workloads),
            targets: head.targets.into_iter().map(|it| it.name).collect(),
            bytes: Some(disk::bytes_of(run)),
        })
    }

    fn of_json(text: &[u8]) -> Option<Self> {
        let (
            (started, complete, note, trust, verdicts, only_figures),
            figures,
            (targets, work, bytes),
        ) = serde_json::from_slice(text).ok()?;
        Some(Self {
            started,
            complete,
            note,
            trust,
            verdicts,
            only_figures,
            figures,
            targets,
            work,
            bytes,
        })
    }

    fn json(&self) -> Vec<u8> {
        let Self {
            started,
            complete,
            note,
            trust,
            verdicts,
            only_figures,
            figures,
            targets,
            work,
            bytes,
        } = self;
        json!([
            [started, complete, note, trust, verdicts, only_figures],
            figures,
            [targets, work, bytes]
        ])
        .to_string()
        .into_bytes()
    }
}

/// The main figures of a run in English; none if its result cannot be read.
fn figures(run: &Path) -> Vec<String> {
    let text = read_own(&run.join("result.json"), LARGEST_RESULT).ok();
    let document = text.and_then(|text| document_from_json(&text).ok());
    document.map_or_else(Vec::new, |it| {
        tenbin_report::main_figures(&it, Language::English)
    })
}

impl Indexed for RunFacts {
    const FILE: &'static str = ".tenbin-history";

    fn of_run(run: &Path) -> Result<Self, LeftOutWhy> {
        let content = read_own(&run.join("result.json"), LARGEST_RESULT);
        let content = content.map_err(|_| LeftOutWhy::Unreadable)?;
        Self::read(&content).map_err(|_| LeftOutWhy::Unreadable)
    }

    fn of_json(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok()
    }

    fn json(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// The index of a directory.
#[derive(Debug)]
pub(crate) struct Index<T> {
    /// The directory; `None` for an index that is not kept.
    root: Option<PathBuf>,
    /// The file as it was read.
    content: Vec<u8>,
    known: HashMap<String, Known<T>>,
    /// Number of results that had to be read.
    read: usize,
}

/// What is known of a run.
#[derive(Debug)]
struct Known<T> {
    stamp: Stamp,
    value: Value<T>,
    /// Whether the run is still there.
    is_there: bool,
}

#[derive(Debug)]
enum Value<T> {
    /// Not read yet.
    Missing,
    /// Place in the file, with its checksum.
    Stored(Range<usize>),
    /// Read from the result.
    Fresh(Box<T>),
}

/// Size and modification time of a result, and modification time of its directory, which changes when
/// a file is added, replaced or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified_ns: u64,
    directory_ns: u64,
}

impl Stamp {
    /// The last change, nanoseconds since 1970.
    fn newest(self) -> u128 {
        u128::from(self.modified_ns.max(self.directory_ns))
    }
}

impl<T: Indexed> Index<T> {
    /// An index that knows nothing and is not kept.
    pub(crate) fn none() -> Self {
        Self {
            root: None,
            content: Vec::new(),
            known: HashMap::new(),
            read: 0,
        }
    }

    /// Reads the index of a directory. Without an index file, the index is empty.
    pub(crate) fn of(root: &Path) -> Self {
        let content = read_own(&root.join(T::FILE), LARGEST_RESULT).unwrap_or_default();
        Self {
            root: Some(root.to_owned()),
            known: known(&content),
            content,
            read: 0,
        }
    }

    /// What is known of a run.
    ///
    /// # Errors
    /// If the run has no result, or one that cannot be read.
    pub(crate) fn get(&mut self, run: &Path) -> Result<T, LeftOutWhy> {
        let (name, stamp) = (kept::name_of(run), stamp(run).ok_or(LeftOutWhy::NoResult)?);
        let known = entry(&mut self.known, name, stamp);
        match &known.value {
            Value::Fresh(value) => return Ok((**value).clone()),
            Value::Stored(place) => {
                if let Some(value) = part(&self.content, place).and_then(T::of_json) {
                    return Ok(value);
                }
            }
            Value::Missing => {}
        }
        let value = T::of_run(run)?;
        known.value = Value::Fresh(Box::new(value.clone()));
        self.read += 1;
        Ok(value)
    }

    /// Writes the index if enough results had to be read. A failure is ignored: the index is only a
    /// cache.
    pub(crate) fn save(self) {
        let Some(root) = &self.root else { return };
        let file = root.join(T::FILE);
        let is_other = fs::symlink_metadata(&file).is_ok_and(|it| !it.is_file());
        if self.read < WORTH_WRITING || is_other {
            return;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let settled = now.unwrap_or_default().saturating_sub(SETTLED).as_nanos();
        let mut text = format!("{FORMAT}\n").into_bytes();
        let mut runs: Vec<(&String, &Known<T>)> = self.known.iter().collect();
        runs.sort_by_key(|(name, _)| *name);
        for (name, known) in runs {
            if known.is_there && known.stamp.newest() < settled {
                self.line(&mut text, name, known);
            }
        }
        let _ = write_atomically(&file, &text);
    }

    fn line(&self, text: &mut Vec<u8>, name: &str, known: &Known<T>) {
        let Stamp {
            bytes,
            modified_ns,
            directory_ns,
        } = known.stamp;
        let key = json!([name, bytes, modified_ns, directory_ns]).to_string();
        let value = match &known.value {
            Value::Missing => None,
            Value::Stored(place) => part(&self.content, place).map(<[u8]>::to_vec),
            Value::Fresh(value) => Some(value.json()),
        };
        let Some(value) = value else { return };
        for (part, end) in [(key.as_bytes(), b'\t'), (value.as_slice(), b'\n')] {
            text.extend_from_slice(format!("{:016x}", checksum(part)).as_bytes());
            text.extend_from_slice(part);
            text.push(end);
        }
    }
}

/// The index entry of a run; a new, empty entry if the run has changed.
fn entry<T>(known: &mut HashMap<String, Known<T>>, name: String, stamp: Stamp) -> &mut Known<T> {
    let new = || Known {
        stamp,
        value: Value::Missing,
        is_there: true,
    };
    let entry = known.entry(name).or_insert_with(new);
    if entry.stamp != stamp {
        *entry = new();
    }
    entry.is_there = true;
    entry
}

fn stamp(run: &Path) -> Option<Stamp> {
    let metadata = fs::symlink_metadata(run.join("result.json")).ok()?;
    let directory = fs::metadata(run).ok();
    let stamp = Stamp {
        bytes: metadata.len(),
        modified_ns: changed(&metadata)?,
        directory_ns: directory.as_ref().and_then(changed).unwrap_or_default(),
    };
    metadata.is_file().then_some(stamp)
}

/// Modification time, nanoseconds since 1970; `None` if unknown or earlier.
fn changed(metadata: &fs::Metadata) -> Option<u64> {
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(u64::try_from(modified.as_nanos()).unwrap_or(u64::MAX))
}

/// The lines of an index. Damaged lines, and an index of another version, are left out.
fn known<T>(content: &[u8]) -> HashMap<String, Known<T>> {
    let mut lines = content.split(|byte| *byte == b'\n');
    let mut at = match lines.next() {
        Some(first) if first == FORMAT.as_bytes() => first.len() + 1,
        _ => return HashMap::new(),
    };
    let mut all = HashMap::new();
    for line in lines {
        let begin = at;
        at += line.len() + 1;
        let Some(tab) = line.iter().position(|byte| *byte == b'\t') else {
            continue;
        };
        let key = part(content, &(begin..begin + tab));
        let key = key.and_then(|text| serde_json::from_slice(text).ok());
        let Some((name, bytes, modified_ns, directory_ns)) = key else {
            continue;
        };
        let name: String = name;
        let known = Known {
            stamp: Stamp {
                bytes,
                modified_ns,
                directory_ns,
            },
            value: Value::Stored(begin + tab + 1..begin + line.len()),
            is_there: false,
        };
        all.insert(name, known);
    }
    all
}

/// The text of a part, if it is what was written.
fn part<'a>(content: &'a [u8], place: &Range<usize>) -> Option<&'a [u8]> {
    let (sum, text) = content.get(place.clone())?.split_at_checked(DIGITS)?;
    let sum = u64::from_str_radix(std::str::from_utf8(sum).ok()?, 16).ok()?;
    (sum == checksum(text)).then_some(text)
}

/// A checksum against damage: eight bytes at a time, each multiplied as in FNV-1a.
fn checksum(text: &[u8]) -> u64 {
    let mut sum: u64 = 0xcbf2_9ce4_8422_2325 ^ text.len() as u64;
    for chunk in text.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3);
        sum ^= sum >> 32;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_beside_the_result_makes_the_entry_of_a_run_new() {
        let run = tempfile::tempdir().expect("a directory");
        assert_eq!(stamp(run.path()), None);
        fs::write(run.path().join("result.json"), "{}").expect("a result");
        let mut known = HashMap::new();
        let mut is_known = || {
            let entry = entry(
                &mut known,
                "run".to_owned(),
                stamp(run.path()).expect("a stamp"),
            );
            let is_known = matches!(entry.value, Value::Fresh(_));
            entry.value = Value::Fresh(Box::new(Listed::default()));
            is_known
        };
        assert!(!is_known());
        assert!(is_known());
        // A tick of the clock of the file system is at most 10 ms long.
        std::thread::sleep(Duration::from_millis(50));
        fs::write(run.path().join("report.html"), [0; 500]).expect("a page");
        assert!(!is_known());
        assert!(is_known());
    }
}
