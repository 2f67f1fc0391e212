//! An index of the runs in a directory, so that many runs are listed without reading each result.
//!
//! The index is a cache: one line for each run, with the size and modification time of its
//! `result.json` and a checksum of each part. A line that does not fit the file, or is damaged, is
//! made again from the result; without an index, or in a directory that cannot be written to,
//! everything works as before, only slower. The file is replaced as a whole, so programs at the same
//! time see one version or the other.

use std::collections::HashMap;
use std::fs;
use std::io::BufReader;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tenbin_plan::{LARGEST_RESULT, open_own, read_own};
use tenbin_record::write_atomically;
use tenbin_result::{Head, LeftOutWhy, RunFacts, Trust};

use crate::commands::results::kept;

/// Name of the file in the directory of the runs.
const FILE: &str = ".tenbin-index";
/// First line: the format, and the version of Tenbin, because versions keep different facts.
const FORMAT: &str = concat!("tenbin.index/1 ", env!("CARGO_PKG_VERSION"));
/// Fewest results that had to be read before an index is worth writing.
const WORTH_WRITING: usize = 32;
/// Age of a result below which it can still be written again in the same tick of the clock.
const SETTLED: Duration = Duration::from_secs(2);

/// What the list of runs shows of a result.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Listed {
    pub(crate) started: Option<String>,
    pub(crate) complete: Option<bool>,
    pub(crate) note: Option<String>,
    pub(crate) trust: Option<Trust>,
    pub(crate) verdicts: Vec<String>,
}

/// The index of a directory.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The directory; `None` for an index that is not kept.
    root: Option<PathBuf>,
    /// The file as it was read.
    content: Vec<u8>,
    known: HashMap<String, Known>,
    /// Number of results that had to be read.
    read: usize,
}

/// What is known of a run.
#[derive(Debug, Default)]
struct Known {
    stamp: Stamp,
    listed: Part<Listed>,
    facts: Part<RunFacts>,
    /// Whether the run is still there.
    is_there: bool,
}

/// A part of a line.
#[derive(Debug, Default)]
enum Part<T> {
    #[default]
    Missing,
    /// Place in the file, with its checksum.
    Stored(Range<usize>),
    /// Read from the result.
    Fresh(Box<T>),
}

/// Size and modification time of a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified_ns: u64,
}

impl Index {
    /// An index that knows nothing and is not kept.
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// Reads the index of a directory; an empty one if there is none.
    pub(crate) fn of(root: &Path) -> Self {
        let content = read_own(&root.join(FILE), LARGEST_RESULT).unwrap_or_default();
        let known = known(&content);
        Self {
            root: Some(root.to_owned()),
            content,
            known,
            read: 0,
        }
    }

    /// What the list shows of a run; `None` without a result.
    pub(crate) fn listed(&mut self, run: &Path) -> Option<Listed> {
        let (name, stamp) = (kept::name_of(run), stamp(run)?);
        let known = entry(&mut self.known, &name, stamp);
        match &known.listed {
            Part::Fresh(listed) => return Some((**listed).clone()),
            Part::Stored(place) => {
                let stored = part(&self.content, place).and_then(listed_from_json);
                if let Some(listed) = stored {
                    return Some(listed);
                }
            }
            Part::Missing => {}
        }
        let file = open_own(&run.join("result.json")).ok()?;
        let listed = of_head(Head::read(BufReader::new(file)));
        known.listed = Part::Fresh(Box::new(listed.clone()));
        self.read += 1;
        Some(listed)
    }

    /// The facts about a run.
    ///
    /// # Errors
    /// If the run has no result, or one that cannot be read.
    pub(crate) fn facts(&mut self, run: &Path) -> Result<RunFacts, LeftOutWhy> {
        let (name, stamp) = (kept::name_of(run), stamp(run).ok_or(LeftOutWhy::NoResult)?);
        let known = entry(&mut self.known, &name, stamp);
        if let Part::Stored(place) = &known.facts {
            let stored = part(&self.content, place);
            if let Some(facts) = stored.and_then(|text| serde_json::from_slice(text).ok()) {
                return Ok(facts);
            }
        }
        let content = read_own(&run.join("result.json"), LARGEST_RESULT);
        let content = content.map_err(|_| LeftOutWhy::Unreadable)?;
        let facts = RunFacts::read(&content).map_err(|_| LeftOutWhy::Unreadable)?;
        known.facts = Part::Fresh(Box::new(facts.clone()));
        known.listed = Part::Fresh(Box::new(of_head(Head::read(content.as_slice()))));
        self.read += 1;
        Ok(facts)
    }

    /// Writes the index if enough results had to be read. A failure is ignored: the index is only a
    /// cache.
    pub(crate) fn save(self) {
        let Some(root) = &self.root else { return };
        let file = root.join(FILE);
        let is_other = fs::symlink_metadata(&file).is_ok_and(|it| !it.is_file());
        if self.read < WORTH_WRITING || is_other {
            return;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let settled = now.unwrap_or_default().saturating_sub(SETTLED).as_nanos();
        let mut text = format!("{FORMAT}\n").into_bytes();
        let mut names: Vec<(&String, &Known)> = self.known.iter().collect();
        names.sort_by_key(|(name, _)| *name);
        for (name, known) in names {
            if known.is_there && u128::from(known.stamp.modified_ns) < settled {
                self.line(&mut text, name, known);
            }
        }
        let _ = write_atomically(&file, &text);
    }

    fn line(&self, text: &mut Vec<u8>, name: &str, known: &Known) {
        let Stamp { bytes, modified_ns } = known.stamp;
        let key = json!([name, bytes, modified_ns]).to_string();
        let listed = match &known.listed {
            Part::Missing => None,
            Part::Stored(place) => part(&self.content, place).map(<[u8]>::to_vec),
            Part::Fresh(listed) => Some(json_of_listed(listed).to_string().into_bytes()),
        };
        let facts = match &known.facts {
            Part::Missing => None,
            Part::Stored(place) => part(&self.content, place).map(<[u8]>::to_vec),
            Part::Fresh(facts) => serde_json::to_vec(facts).ok(),
        };
        let parts = [Some(key.into_bytes()), listed, facts];
        let parts = parts.map(Option::unwrap_or_default);
        for (at, part) in parts.iter().enumerate() {
            // JSON has neither tabs nor line feeds in it.
            text.extend_from_slice(if at == 0 { b"" } else { b"\t" });
            text.extend_from_slice(format!("{:016x}", checksum(part)).as_bytes());
            text.extend_from_slice(part);
        }
        text.push(b'\n');
    }
}

/// What is known of the run; nothing if its result is another one.
fn entry<'a>(known: &'a mut HashMap<String, Known>, name: &str, stamp: Stamp) -> &'a mut Known {
    let entry = known.entry(name.to_owned()).or_default();
    if entry.stamp != stamp {
        *entry = Known {
            stamp,
            ..Known::default()
        };
    }
    entry.is_there = true;
    entry
}

fn stamp(run: &Path) -> Option<Stamp> {
    let metadata = fs::symlink_metadata(run.join("result.json")).ok()?;
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    metadata.is_file().then(|| Stamp {
        bytes: metadata.len(),
        modified_ns: u64::try_from(modified.as_nanos()).unwrap_or(u64::MAX),
    })
}

/// The lines of an index. Damaged lines, and an index of another version, are left out.
fn known(content: &[u8]) -> HashMap<String, Known> {
    let mut lines = content.split(|byte| *byte == b'\n');
    let mut at = match lines.next() {
        Some(first) if first == FORMAT.as_bytes() => first.len() + 1,
        _ => return HashMap::new(),
    };
    let mut all = HashMap::new();
    for line in lines {
        let mut places = Vec::with_capacity(3);
        let mut begin = at;
        for part in line.split(|byte| *byte == b'\t') {
            places.push(begin..begin + part.len());
            begin += part.len() + 1;
        }
        at += line.len() + 1;
        let [key, listed, facts] = places.as_slice() else {
            continue;
        };
        let key = part(content, key).and_then(|text| serde_json::from_slice(text).ok());
        let Some((name, bytes, modified_ns)) = key else {
            continue;
        };
        let known = Known {
            stamp: Stamp { bytes, modified_ns },
            listed: Part::Stored(listed.clone()),
            facts: Part::Stored(facts.clone()),
            is_there: false,
        };
        let name: String = name;
        all.insert(name, known);
    }
    all
}

/// Digits of a checksum.
const DIGITS: usize = 16;

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

fn of_head(head: Head) -> Listed {
    Listed {
        started: head.run.as_ref().map(|run| run.started.clone()),
        complete: head.run.as_ref().map(|run| run.complete),
        note: head.run.and_then(|run| run.note),
        trust: head.trust,
        verdicts: head.verdicts,
    }
}

fn json_of_listed(listed: &Listed) -> Value {
    json!([
        listed.started,
        listed.complete,
        listed.note,
        listed.trust,
        listed.verdicts
    ])
}

fn listed_from_json(text: &[u8]) -> Option<Listed> {
    let (started, complete, note, trust, verdicts) = serde_json::from_slice(text).ok()?;
    Some(Listed {
        started,
        complete,
        note,
        trust,
        verdicts,
    })
}
