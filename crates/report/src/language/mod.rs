//! Languages of pages.
//!
//! Sections and findings write English, and so does `result.json`, which other versions and programs
//! read. A catalogue contains English texts with their translations, as message catalogues of other
//! programs do, and a page translates its blocks before it prints them. A text that is not in the
//! catalogue stays English. A further language is one more folder and one
//! line in [`catalogue`].

mod blocks;
mod catalogue;

use std::sync::LazyLock;

use tenbin_result::{Document, Language};

pub(crate) use blocks::translated;
use catalogue::{Catalogue, Translator};

/// The first template that matches is used: long ones come first.
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

/// A text in the language of the document.
pub(crate) fn text(document: &Document, english: &str) -> String {
    translator(document)
        .and_then(|translator| translator.translate(english))
        .unwrap_or_else(|| english.to_owned())
}

/// The catalogue of the document's language with the names in the document, which are never
/// translated: a target may be called "memory". `None` for English.
fn translator(document: &Document) -> Option<Translator<'_>> {
    let catalogue = catalogue(document.language)?;
    let targets = document.targets.iter().map(|target| target.name.as_str());
    let workloads = document.workloads.iter();
    let names = targets
        .chain(workloads.map(|workload| workload.name.as_str()))
        .chain([document.run.name.as_str()]);
    Some(Translator {
        catalogue,
        names: names.collect(),
    })
}
