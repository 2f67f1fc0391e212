//! Creates the files of a corpus (schema, indexes and pages) from a dump or as synthetic pages.
//! Recognizes files that were created earlier with the same settings.

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
use crate::wikipedia::{Dump, End};

/// Name of the file with the pages.
pub const PAGES: &str = "pages.grn";
/// Name of the table with the pages.
pub const TABLE: &str = "Pages";
/// Name of the file with the settings that the other files were created with.
const RECIPE_FILE: &str = "made.json";
const FORMAT: &str = "tenbin search data 1";
const SCHEMA_FILE: &str = "schema.grn";
const INDEXES_FILE: &str = "indexes.grn";

/// Settings that determine the created pages.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// Source of the pages.
    pub source: PageSource,
    /// Maximum number of pages; `None` for all.
    pub max_records: Option<u64>,
    /// Maximum characters per text; `None` for no limit.
    pub text_limit: Option<usize>,
}

/// Source of pages.
#[derive(Debug, Clone, PartialEq)]
pub enum PageSource {
    /// Synthetic pages.
    Synthetic {
        /// Number of pages.
        pages: u64,
        /// Language of the texts.
        language: Language,
        /// Seed of the pseudorandom number generator.
        seed: u64,
    },
    /// A dump of Wikipedia's articles at this path; `-` is standard input.
    Dump(PathBuf),
}

/// Progress or result of the creation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Made {
    /// Pages written.
    pub pages: u64,
    /// Bytes read (uncompressed) and pages skipped in the dump; `None` for synthetic pages.
    pub read: Option<(u64, u64)>,
    /// Whether the user interrupted the creation.
    pub stopped: bool,
    /// Whether the dump is truncated.
    pub cut_off: bool,
}

/// Content of the file [`RECIPE_FILE`].
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Stamp {
    format: String,
    recipe: String,
    /// Number of pages; `None` until all pages are written.
    pages: Option<u64>,
}

/// Creates the files in a directory, which is created if missing. Until all pages are written,
/// [`is_unfinished`] returns true for the directory.
///
/// # Errors
/// When the dump or the directory is unusable. A directory created by this call is removed again;
/// in an existing directory, only the partial file of pages is removed.
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
        clean_up(directory, is_new);
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
    let making = PartialFile::begin(directory)?;
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

/// Removes the files of a failed creation. In an existing directory, the remaining files stay
/// marked as unfinished.
fn clean_up(directory: &Path, is_new: bool) {
    let _ = std::fs::remove_file(part_of(directory));
    if is_new {
        for name in [SCHEMA_FILE, INDEXES_FILE, RECIPE_FILE] {
            let _ = std::fs::remove_file(directory.join(name));
        }
        let _ = std::fs::remove_dir(directory);
    }
}

/// Whether [`make`] started in a directory and did not write all pages.
pub fn is_unfinished(directory: &Path) -> bool {
    stamp(directory).is_some_and(|stamp| stamp.pages.is_none())
}

/// Reason not to write to a directory without confirmation: the directory contains files of another
/// program, or pages created with other settings. `None` if the directory can be used.
pub fn is_in_use(directory: &Path) -> Option<String> {
    let mut entries = std::fs::read_dir(directory).ok()?;
    let is_empty = entries.next().is_none();
    let what = match stamp(directory) {
        _ if is_empty => return None,
        Some(stamp) if stamp.pages.is_none() => return None,
        Some(_) => "pages that were created with other settings",
        None => "files of another program",
    };
    Some(format!(
        "{} holds {what}; use another directory, or remove it first",
        directory.display()
    ))
}

/// Number of pages in `directory` if its files were created from `recipe` and are complete;
/// otherwise `None`.
///
/// # Errors
/// When the dump of the recipe cannot be read.
pub fn made_already(recipe: &Recipe, directory: &Path) -> Result<Option<u64>, Error> {
    let Some(stamp) = stamp(directory) else {
        return Ok(None);
    };
    let is_same = description(recipe)? == Some(stamp.recipe);
    let is_there = directory.join(PAGES).is_file();
    Ok(stamp.pages.filter(|_| is_same && is_there))
}

/// Whether pages can be created in a directory: the directory does not exist, has no Groonga
/// command files, or has been used by [`make`] before.
pub fn may_be_made_in(directory: &Path) -> bool {
    stamp(directory).is_some() || in_directory(directory).is_err()
}

fn stamp(directory: &Path) -> Option<Stamp> {
    let text = std::fs::read(directory.join(RECIPE_FILE)).ok()?;
    let stamp: Stamp = serde_json::from_slice(&text).ok()?;
    (stamp.format == FORMAT).then_some(stamp)
}

/// The first distinct titles of the pages in a directory, at most `count`.
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
    let path = directory.join(RECIPE_FILE);
    let stamp = Stamp {
        format: FORMAT.to_owned(),
        // Standard input is never recognized, because it cannot be read again.
        recipe: description(recipe)?.unwrap_or_else(|| "standard input".to_owned()),
        pages,
    };
    let failed = |error| Error::write(path.display().to_string(), error);
    let text = serde_json::to_string(&stamp).map_err(|error| failed(error.into()))?;
    std::fs::write(&path, text + "\n").map_err(failed)
}

/// Text that identifies everything the pages depend on; `None` for standard input.
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

/// Iterator over the pages of a source.
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

/// The file of pages under a temporary name, until the file is complete.
struct PartialFile {
    part: PathBuf,
    whole: PathBuf,
}

impl PartialFile {
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
    fn only_files_of_the_same_recipe_are_recognized() {
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
        assert_eq!(known(&recipe(30, 1)), None, "files are missing");
    }

    #[test]
    fn incomplete_files_are_not_recognized() {
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
        assert_eq!(is_in_use(directory.path()), None, "it may be created again");
        make(&recipe(30, 1), directory.path(), &|| false, &mut |_| {}).unwrap();
        assert!(!is_unfinished(directory.path()));
        assert!(is_in_use(directory.path()).is_some());
    }

    #[test]
    fn files_of_another_program_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        assert!(may_be_made_in(directory.path()));
        std::fs::write(directory.path().join("mine.grn"), "status\n").unwrap();
        assert!(!may_be_made_in(directory.path()));
    }

    #[test]
    fn titles_are_those_of_the_first_pages_without_duplicates() {
        let directory = tempfile::tempdir().unwrap();
        make(&recipe(30, 1), directory.path(), &|| false, &mut |_| {}).unwrap();
        let some = titles(directory.path(), 5).unwrap();
        let all = titles(directory.path(), 99).unwrap();
        assert_eq!((some.len(), all.len()), (5, 30));
        assert_eq!(some, all[..5]);
    }
}
