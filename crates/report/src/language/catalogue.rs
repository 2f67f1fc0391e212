//! Fixed texts with their translations.

use std::collections::{HashMap, HashSet};

use tenbin_result::Language;

/// Fixed texts in English with their translations.
///
/// A file contains pairs of lines, separated by empty lines: the English text, then its translation.
/// Lines that start with `#` are comments. A text is looked up as a whole: sentences with names or
/// figures in them are messages.
pub(super) struct Catalogue(HashMap<&'static str, &'static str>);

impl Catalogue {
    pub(super) fn of(file: &'static str) -> Self {
        let lines = file.lines();
        let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let pairs = std::iter::from_fn(|| Some((lines.next()?, lines.next()?)));
        Self(pairs.collect())
    }

    /// A fixed text, as a whole.
    pub(super) fn text(&self, english: &str) -> Option<&'static str> {
        self.0.get(english).copied()
    }
}

/// Translates fixed texts, which can be equal to names.
pub(super) struct Translator<'a> {
    pub(super) language: Language,
    pub(super) catalogue: &'a Catalogue,
    /// Names, which are not translated.
    pub(super) names: HashSet<&'a str>,
}

impl Translator<'_> {
    /// Translates a text, with or without a full stop. `None` for a name, and for a text that the
    /// catalogue does not contain.
    pub(super) fn translate(&self, english: &str) -> Option<String> {
        if self.names.contains(english) {
            return None;
        }
        let known = |text: &str| self.catalogue.0.get(text).copied();
        let whole = known(english).map(str::to_owned);
        whole.or_else(|| {
            let sentence = known(english.strip_suffix('.')?)?;
            Some(format!("{sentence}。"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(text: &str) -> Option<String> {
        let catalogue = &Catalogue::of("# comment\nslower\n遅い\n\nnot here.\nここではない。\n");
        let names = HashSet::from(["memory"]);
        let language = Language::Japanese;
        Translator {
            language,
            catalogue,
            names,
        }
        .translate(text)
    }

    #[test]
    fn a_text_is_translated_as_a_whole_with_or_without_a_full_stop() {
        assert_eq!(translated("slower").as_deref(), Some("遅い"));
        assert_eq!(translated("slower.").as_deref(), Some("遅い。"));
        assert_eq!(translated("not here.").as_deref(), Some("ここではない。"));
        assert_eq!(translated("slower; slower"), None);
        assert_eq!(translated("memory"), None);
        assert_eq!(translated(""), None);
    }

    #[test]
    fn every_text_has_one_translation_and_no_placeholder() {
        let mut seen = HashSet::new();
        for pair in super::super::JAPANESE_TEXTS.split("\n\n") {
            let lines = pair.lines();
            let lines: Vec<&str> = lines
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
                .collect();
            match lines.as_slice() {
                [] => {}
                [english, japanese] => {
                    assert!(seen.insert(*english), "{english} occurs twice");
                    assert!(!english.contains('{') && !japanese.contains('{'), "{pair}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
