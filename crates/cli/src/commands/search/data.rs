//! `tenbin search data`.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use tenbin_corpus::groonga::{INDEXES, SCHEMA};
use tenbin_corpus::synthetic::Synthetic;
use tenbin_corpus::wikipedia::{Dump, End, unpacked};
use tenbin_corpus::{Error, Page, PageWriter};

use super::news::{News, bytes};
use super::{make_directory, stop};
use crate::args::SearchDataArgs;
use crate::exit::Exit;
use crate::output;

/// Where pages come from.
enum Pages {
    Dump(Box<Dump<Box<dyn std::io::BufRead>>>),
    Synthetic(Synthetic),
}

impl Pages {
    fn of(args: &SearchDataArgs) -> Result<Self, Error> {
        if let Some(count) = args.synthetic {
            let pages = Synthetic::new(count, args.language, args.seed, args.text_limit);
            return Ok(Self::Synthetic(pages));
        }
        let path = args.dump.as_deref().unwrap_or(Path::new("-"));
        let (name, input) = tenbin_corpus::load::open(path)?;
        let input = unpacked(input).map_err(|source| Error::Read {
            name: name.clone(),
            source,
        })?;
        let dump = Dump::new(name, input, args.text_limit);
        Ok(Self::Dump(Box::new(dump)))
    }

    fn next(&mut self) -> Result<Option<Page>, Error> {
        match self {
            Self::Dump(dump) => dump.next_page(),
            Self::Synthetic(pages) => Ok(pages.next()),
        }
    }

    fn read(&self) -> String {
        match self {
            Self::Dump(dump) => format!(
                ", {} of the dump read, {} pages left out",
                bytes(dump.bytes()),
                dump.skipped()
            ),
            Self::Synthetic(_) => String::new(),
        }
    }

    fn is_cut_off(&self) -> bool {
        matches!(self, Self::Dump(dump) if dump.end() == Some(End::CutOff))
    }
}

/// Makes the three files.
pub(super) fn data(args: &SearchDataArgs) -> Result<Exit, Error> {
    let stop = stop()?;
    let mut pages = Pages::of(args)?;
    make_directory(&args.out)?;
    let made = Making::begin(&args.out)?;
    let mut writer = made.writer()?;
    let mut news = News::new(args.quiet);
    let mut count = 0;
    let mut stopped = false;
    while args.max_records.is_none_or(|most| count < most) {
        stopped = stop.is_asked();
        if stopped {
            break;
        }
        let page = match pages.next() {
            Ok(Some(page)) => page,
            Ok(None) => break,
            Err(error) => {
                news.clear();
                made.give_up();
                return Err(error);
            }
        };
        let written = writer.write(&page);
        written.map_err(|error| Error::write(made.name(), error))?;
        count += 1;
        news.show(|| format!("{count} pages{}", pages.read()));
    }
    news.clear();
    let finished = writer.finish();
    finished.map_err(|error| Error::write(made.name(), error))?;
    let files = made.keep(&args.out)?;
    output::print(format!("{count} pages{} in {files}\n", pages.read()).as_bytes());
    if stopped {
        output::error("interrupted: what had been made is kept, the rest of the pages is missing");
        return Ok(Exit::Interrupted);
    }
    if pages.is_cut_off() {
        output::error(
            "the dump ends in the middle of it, so that pages are missing; the whole ones before \
             are kept: is the download complete?",
        );
        return Ok(Exit::TargetFailed);
    }
    Ok(Exit::Done)
}

/// The file of pages while it is made: it has its name only when it is whole.
struct Making {
    part: PathBuf,
    whole: PathBuf,
}

impl Making {
    fn begin(directory: &Path) -> Result<Self, Error> {
        for (name, text) in [("schema.grn", SCHEMA), ("indexes.grn", INDEXES)] {
            let path = directory.join(name);
            std::fs::write(&path, text)
                .map_err(|error| Error::write(path.display().to_string(), error))?;
        }
        Ok(Self {
            part: directory.join("pages.grn.part"),
            whole: directory.join("pages.grn"),
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

    fn give_up(&self) {
        let _ = std::fs::remove_file(&self.part);
    }

    fn keep(&self, directory: &Path) -> Result<String, Error> {
        std::fs::rename(&self.part, &self.whole)
            .map_err(|error| Error::write(self.whole.display().to_string(), error))?;
        Ok(format!(
            "{}, with schema.grn and indexes.grn beside it",
            directory.join("pages.grn").display()
        ))
    }
}
