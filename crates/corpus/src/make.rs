//! Makes the files of a corpus: schema, indexes and pages, from a dump or made up; and
//! knows again what it has made.

use std::fs::File;
use std::io::{BufRead, BufWriter};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::groonga::{INDEXES, Item, SCHEMA};
use crate::load::{Files, fingerprint, in_directory, open};
use crate::page::{Page, PageWriter};
use crate::synthetic::{Language, Synthetic};
use crate::terms::Titles;
use crate::wikipedia::{Dump, End, unpacked};

/// The file of pages.
pub const PAGES: &str = "pages.grn";
/// The table they go to.
pub const TABLE: &str = "Pages";
/// The file that says what the others were made from.
const MADE: &str = "made.json";
const FORMAT: &str = "tenbin search data 1";
const SCHEMA_FILE: &str = "schema.grn";
const INDEXES_FILE: &str = "indexes.grn";

/// From what pages are made.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// Where they come from.
    pub source: PageSource,
    /// The most that are taken; all when not set.
    pub max_records: Option<u64>,
    /// The most characters of a text; all when not set.
    pub text_limit: Option<usize>,
}

/// Where pages come from.
#[derive(Debug, Clone, PartialEq)]
pub enum PageSource {
    /// Made up.
    Synthetic {
        /// How many.
        pages: u64,
        /// What they are written in.
        language: Language,
        /// What they follow from.
        seed: u64,
    },
    /// A dump of Wikipedia's articles; `-` is standard input.
    Dump(PathBuf),
}

/// How far the making has come, or had when it ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Made {
    /// Pages written.
    pub pages: u64,
    /// Bytes of the unpacked dump read, and pages in it that were left out; `None` of made-up
    /// pages.
    pub read: Option<(u64, u64)>,
    /// It was stopped before its end.
    pub stopped: bool,
    /// The dump ends in the middle.
    pub cut_off: bool,
}

/// What stands in the file [`MADE`].
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Stamp {
    format: String,
    recipe: String,
    /// None until all are there.
    pages: Option<u64>,
}

/// Makes the files in a directory, which is made if it is missing. Only what is whole is
/// known again; what is not says so: see [`is_unfinished`].
///
/// # Errors
/// What is wrong with the dump or the directory; then nothing is left of a directory that was
/// made for it, and no file of pages in another.
pub fn make(
    recipe: &Recipe,
    directory: &Path,
    stop: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(Made),
) -> Result<Made, Error> {
    let mut pages = Pages::of(recipe)?;
    let is_new = !directory.exists();
    std::fs::create_dir_all(directory)
        .map_err(|error| Error::write(directory.display().to_string(), error))?;
    let made = fill(recipe, directory, &mut pages, stop, tell);
    if made.is_err() {
        give_up(directory, is_new);
    }
    made
}

fn fill(
    recipe: &Recipe,
    directory: &Path,
    pages: &mut Pages,
    stop: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(Made),
) -> Result<Made, Error> {
    remember(recipe, directory, None)?;
    let making = Making::begin(directory)?;
    let mut writer = making.writer()?;
    let mut made = Made::default();
    while recipe.max_records.is_none_or(|most| made.pages < most) {
        made.stopped = stop();
        if made.stopped {
            break;
        }
        let Some(page) = pages.next()? else { break };
        let written = writer.write(&page);
        written.map_err(|error| Error::write(making.name(), error))?;
        made.pages += 1;
        made.read = pages.read();
        tell(made);
    }
    made.read = pages.read();
    made.cut_off = pages.is_cut_off();
    let finished = writer.finish();
    finished.map_err(|error| Error::write(making.name(), error))?;
    making.keep()?;
    if !made.stopped && !made.cut_off {
        remember(recipe, directory, Some(made.pages))?;
    }
    Ok(made)
}

/// In a directory that was there before, what is left says that it is not whole.
fn give_up(directory: &Path, is_new: bool) {
    let _ = std::fs::remove_file(part_of(directory));
    if is_new {
        for name in [SCHEMA_FILE, INDEXES_FILE, MADE] {
            let _ = std::fs::remove_file(directory.join(name));
        }
        let _ = std::fs::remove_dir(directory);
    }
}

/// Whether [`make`] has begun in a directory and not come to its end: pages are missing.
pub fn is_unfinished(directory: &Path) -> bool {
    stamp(directory).is_some_and(|stamp| stamp.pages.is_none())
}

/// Why the files of a recipe must not be made in a directory by somebody who does not know
/// what is there, if they must not: it holds something else.
pub fn is_in_use(directory: &Path) -> Option<String> {
    let mut entries = std::fs::read_dir(directory).ok()?;
    let is_empty = entries.next().is_none();
    let what = match stamp(directory) {
        _ if is_empty => return None,
        Some(stamp) if stamp.pages.is_none() => return None,
        Some(_) => "pages that were made in another way",
        None => "files that are not this program's",
    };
    Some(format!(
        "{} holds {what}; take another directory, or remove it first",
        directory.display()
    ))
}

/// How many pages there are in a directory that was made from the same; `None` if it was
/// not, or is not whole.
///
/// # Errors
/// When the dump cannot be read.
pub fn made_already(recipe: &Recipe, directory: &Path) -> Result<Option<u64>, Error> {
    let Some(stamp) = stamp(directory) else {
        return Ok(None);
    };
    let is_same = description(recipe)? == Some(stamp.recipe);
    let is_there = directory.join(PAGES).is_file();
    Ok(stamp.pages.filter(|_| is_same && is_there))
}

/// Whether pages may be made in a directory: it is not there, has no files of commands, or
/// those that [`make`] has made there before.
pub fn may_be_made_in(directory: &Path) -> bool {
    stamp(directory).is_some() || in_directory(directory).is_err()
}

fn stamp(directory: &Path) -> Option<Stamp> {
    let text = std::fs::read(directory.join(MADE)).ok()?;
    let stamp: Stamp = serde_json::from_slice(&text).ok()?;
    (stamp.format == FORMAT).then_some(stamp)
}

/// The first so many different titles of the pages in a directory, or all if there are
/// fewer.
///
/// # Errors
/// When the pages cannot be read.
pub fn titles(directory: &Path, count: usize) -> Result<Vec<String>, Error> {
    let mut titles = Titles::default();
    for item in Files::new(&[directory.join(PAGES)]) {
        if titles.len() >= count {
            break;
        }
        if let Item::Record(record) = item? {
            let title = record.members().find(|(name, _)| *name == "title");
            titles.take(title.map(|(_, value)| value));
        }
    }
    Ok(titles.into_terms())
}

fn remember(recipe: &Recipe, directory: &Path, pages: Option<u64>) -> Result<(), Error> {
    let path = directory.join(MADE);
    let stamp = Stamp {
        format: FORMAT.to_owned(),
        // What cannot be read again is never the same.
        recipe: description(recipe)?.unwrap_or_else(|| "standard input".to_owned()),
        pages,
    };
    let failed = |error| Error::write(path.display().to_string(), error);
    let text = serde_json::to_string(&stamp).map_err(|error| failed(error.into()))?;
    std::fs::write(&path, text + "\n").map_err(failed)
}

/// Everything that the pages follow from; `None` of standard input.
fn description(recipe: &Recipe) -> Result<Option<String>, Error> {
    let from = match &recipe.source {
        PageSource::Synthetic {
            pages,
            language,
            seed,
        } => format!("synthetic {pages} {language} {seed}"),
        PageSource::Dump(path) => match fingerprint(std::slice::from_ref(path))? {
            Some(print) => format!("dump {print}"),
            None => return Ok(None),
        },
    };
    let limit = |limit: Option<u64>| limit.map_or("all".to_owned(), |limit| limit.to_string());
    let text_limit = recipe.text_limit.map(|limit| limit as u64);
    Ok(Some(format!(
        "{from}, pages {}, characters {}, version {}",
        limit(recipe.max_records),
        limit(text_limit),
        env!("CARGO_PKG_VERSION"),
    )))
}

/// Where pages come from, one after the other.
enum Pages {
    Dump(Box<Dump<Box<dyn BufRead>>>),
    Synthetic(Synthetic),
}

impl Pages {
    fn of(recipe: &Recipe) -> Result<Self, Error> {
        let path = match &recipe.source {
            PageSource::Dump(path) => path,
            PageSource::Synthetic {
                pages,
                language,
                seed,
            } => {
                let limit = recipe.text_limit;
                let pages = Synthetic::new(*pages, *language, *seed, limit);
                return Ok(Self::Synthetic(pages));
            }
        };
        let (name, input) = open(path)?;
        let input = unpacked(input).map_err(|error| Error::read(&name, error))?;
        let dump = Dump::new(name, input, recipe.text_limit);
        Ok(Self::Dump(Box::new(dump)))
    }

    fn next(&mut self) -> Result<Option<Page>, Error> {
        match self {
            Self::Dump(dump) => dump.next_page(),
            Self::Synthetic(pages) => Ok(pages.next()),
        }
    }

    fn read(&self) -> Option<(u64, u64)> {
        match self {
            Self::Dump(dump) => Some((dump.bytes(), dump.skipped())),
            Self::Synthetic(_) => None,
        }
    }

    fn is_cut_off(&self) -> bool {
        matches!(self, Self::Dump(dump) if dump.end() == Some(End::CutOff))
    }
}

fn part_of(directory: &Path) -> PathBuf {
    directory.join(format!("{PAGES}.part"))
}

/// The file of pages while it is made: it has its name only when it is whole.
struct Making {
    part: PathBuf,
    whole: PathBuf,
}

impl Making {
    fn begin(directory: &Path) -> Result<Self, Error> {
        for (name, text) in [(SCHEMA_FILE, SCHEMA), (INDEXES_FILE, INDEXES)] {
            let path = directory.join(name);
            std::fs::write(&path, text)
                .map_err(|error| Error::write(path.display().to_string(), error))?;
        }
        Ok(Self {
            part: part_of(directory),
            whole: directory.join(PAGES),
        })
    }

    fn name(&self) -> String {
        self.part.display().to_string()
    }

    fn writer(&self) -> Result<PageWriter<BufWriter<File>>, Error> {
        let failed = |error| Error::write(self.name(), error);
        let file = File::create(&self.part).map_err(failed)?;
        PageWriter::new(BufWriter::with_capacity(256 << 10, file)).map_err(failed)
    }

    fn keep(&self) -> Result<(), Error> {
        std::fs::rename(&self.part, &self.whole)
            .map_err(|error| Error::write(self.whole.display().to_string(), error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(pages: u64, seed: u64) -> Recipe {
        Recipe {
            source: PageSource::Synthetic {
                pages,
                language: Language::English,
                seed,
            },
            max_records: None,
            text_limit: Some(100),
        }
    }

    #[test]
    fn what_was_made_from_the_same_is_known_again_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("data");
        let known = |recipe: &Recipe| made_already(recipe, &place).unwrap();
        assert_eq!(known(&recipe(30, 1)), None);
        let made = make(&recipe(30, 1), &place, &|| false, &mut |_| {}).unwrap();
        assert_eq!(made.pages, 30);
        assert_eq!(known(&recipe(30, 1)), Some(30));
        assert_eq!(known(&recipe(30, 2)), None, "another seed");
        assert_eq!(known(&recipe(31, 1)), None, "another number");
        let cut = Recipe {
            text_limit: None,
            ..recipe(30, 1)
        };
        assert_eq!(known(&cut), None, "other texts");
        assert!(may_be_made_in(&place) && may_be_made_in(directory.path()));
        std::fs::remove_file(place.join(PAGES)).unwrap();
        assert_eq!(known(&recipe(30, 1)), None, "half of it is gone");
    }

    #[test]
    fn what_was_interrupted_is_not_known_again() {
        let directory = tempfile::tempdir().unwrap();
        let mut asked = 0;
        let asked = std::cell::RefCell::new(&mut asked);
        let stop = || {
            **asked.borrow_mut() += 1;
            **asked.borrow() > 10
        };
        let made = make(&recipe(30, 1), directory.path(), &stop, &mut |_| {}).unwrap();
        assert!(made.stopped && made.pages == 10, "{made:?}");
        assert_eq!(
            made_already(&recipe(30, 1), directory.path()).unwrap(),
            None
        );
        assert!(is_unfinished(directory.path()));
        assert_eq!(is_in_use(directory.path()), None, "it may be made anew");
        make(&recipe(30, 1), directory.path(), &|| false, &mut |_| {}).unwrap();
        assert!(!is_unfinished(directory.path()));
        assert!(is_in_use(directory.path()).is_some());
    }

    #[test]
    fn what_somebody_else_has_put_there_stays() {
        let directory = tempfile::tempdir().unwrap();
        assert!(may_be_made_in(directory.path()));
        std::fs::write(directory.path().join("mine.grn"), "status\n").unwrap();
        assert!(!may_be_made_in(directory.path()));
    }

    #[test]
    fn titles_are_those_of_the_first_pages_each_once() {
        let directory = tempfile::tempdir().unwrap();
        make(&recipe(30, 1), directory.path(), &|| false, &mut |_| {}).unwrap();
        let some = titles(directory.path(), 5).unwrap();
        let all = titles(directory.path(), 99).unwrap();
        assert_eq!((some.len(), all.len()), (5, 30));
        assert_eq!(some, all[..5]);
    }
}
