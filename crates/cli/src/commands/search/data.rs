//! `tenbin search data`.

use std::path::Path;

use tenbin_corpus::Error;
use tenbin_corpus::make::{Made, PAGES, PageSource, Recipe, is_in_use, made_already, make};
use tenbin_plan::{Sentence, sentence};
use tenbin_result::format::growing_bytes;

use super::progress::StepProgress;
use super::stop;
use crate::args::SearchDataArgs;
use crate::exit::Exit;
use crate::output;
use crate::sentences::said;

/// Creates the schema, index and record files.
pub(super) fn data(args: &SearchDataArgs) -> Result<Exit, Error> {
    let stop = stop()?;
    let recipe = recipe(args);
    if let Some(pages) = made_already(&recipe, &args.out)? {
        let sentence = sentence!(
            "pages-there",
            "{pages} already contains {count} pages with these settings",
            pages = args.out.join(PAGES).display(),
            count = pages
        );
        output::print_text(format!("{}\n", said(&sentence)));
        return Ok(Exit::Done);
    }
    if let Some(why) = is_in_use(&args.out) {
        return Err(Error::refused(why));
    }
    let mut progress = StepProgress::new(args.quiet);
    let made = make(&recipe, &args.out, &|| stop.is_asked(), &mut |made| {
        progress.show(|| described(&made))
    });
    progress.clear();
    let made = made?;
    let pages = args.out.join(PAGES);
    let sentence = sentence!(
        "pages-made",
        "{made} in {pages}; schema.grn and indexes.grn are in the same directory",
        pages = pages.display(),
        made = described(&made)
    );
    output::print_text(format!("{}\n", said(&sentence)));
    if made.stopped {
        output::say_error(&sentence!(
            "data-interrupted",
            "interrupted: the pages so far are kept and marked as unfinished; run the same \
                command to start again"
        ));
        return Ok(Exit::Interrupted);
    }
    if made.cut_off {
        output::say_error(&sentence!(
            "data-cut",
            "the dump is truncated, so pages are missing; the complete ones before are kept \
                and marked as unfinished: check that the download is complete"
        ));
        return Ok(Exit::TargetFailed);
    }
    Ok(Exit::Done)
}

fn recipe(args: &SearchDataArgs) -> Recipe {
    Recipe {
        source: match args.synthetic {
            Some(pages) => PageSource::Synthetic {
                pages,
                language: args.language,
                seed: args.seed,
            },
            None => {
                let dump = args.dump.as_deref().unwrap_or(Path::new("-"));
                PageSource::Dump(dump.to_owned())
            }
        },
        max_records: args.max_records,
        text_limit: args.text_limit,
    }
}

fn described(made: &Made) -> Sentence {
    let read = made.read.map_or_else(Sentence::default, |(read, skipped)| {
        sentence!(
            "dump-read",
            ", {read} of the dump read, {skipped} pages left out",
            read = growing_bytes(read),
            skipped
        )
    });
    sentence!(
        "pages-counted",
        "{pages} pages{read}",
        pages = made.pages,
        read
    )
}
