//! Languages of pages.
//!
//! Sections and findings are written in English, and so is `result.json`, which other versions and
//! programs read. A catalogue contains English texts with their translations, like message
//! catalogues of other programs; a page translates its blocks before printing. Text that is not in
//! the catalogue stays English. To add a language, add a folder and one line in [`catalogue`].

mod blocks;
mod catalogue;

use std::sync::LazyLock;

use tenbin_result::{Document, Language};

pub(crate) use blocks::translated;
use catalogue::{Catalogue, Translator};

/// Catalogue files for Japanese. The first matching template is used, so long templates must come
/// first.
const JAPANESE_FILES: &[&str] = &[
    include_str!("ja/findings.txt"),
    include_str!("ja/pages.txt"),
    include_str!("ja/words.txt"),
];

/// The catalogue of a language; `None` for English.
fn catalogue(language: Language) -> Option<&'static Catalogue> {
    static JAPANESE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::of_files(JAPANESE_FILES));
    match language {
        Language::English => None,
        Language::Japanese => Some(&JAPANESE),
    }
}

/// Translates a text to the language of the document.
pub(crate) fn text(document: &Document, english: &str) -> String {
    translator(document)
        .and_then(|translator| translator.translate(english))
        .unwrap_or_else(|| english.to_owned())
}

/// The translator for the document's language; `None` for English. Names in the document are never
/// translated, because a target can be called "memory".
fn translator(document: &Document) -> Option<Translator<'_>> {
    let catalogue = catalogue(document.language)?;
    let targets = document.targets.iter().map(|target| target.name.as_str());
    let workloads = document.workloads.iter();
    let names = targets
        .chain(workloads.map(|workload| workload.name.as_str()))
        .chain(document.agents.iter().map(|part| part.agent.as_str()))
        .chain([document.run.name.as_str()]);
    Some(Translator {
        catalogue,
        names: names.collect(),
    })
}
