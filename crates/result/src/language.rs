//! Languages of reports.

use std::str::FromStr;

use tenbin_plan::{Sentence, sentence};

/// Language of a report. Result documents themselves are always English.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Japanese.
    Japanese,
}

/// All report languages with their tags (ISO 639-1).
pub const LANGUAGES: &[(Language, &str)] = &[(Language::English, "en"), (Language::Japanese, "ja")];

impl Language {
    /// The language tag, as in `<html lang="ja">`.
    pub fn tag(self) -> &'static str {
        let mut all = LANGUAGES.iter();
        all.find(|(language, _)| *language == self)
            .map_or("en", |(_, tag)| tag)
    }

    /// The language of a locale such as `ja_JP.UTF-8`; English for other locales.
    pub fn of_locale(locale: &str) -> Self {
        let tag = locale.split(['_', '-', '.', '@']).next();
        tag.and_then(|tag| tag.parse().ok()).unwrap_or_default()
    }
}

impl FromStr for Language {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let mut all = LANGUAGES.iter();
        let found = all.find(|(_, tag)| *tag == text);
        found.map(|(language, _)| *language).ok_or_else(|| {
            let tags: Vec<&str> = LANGUAGES.iter().map(|(_, tag)| *tag).collect();
            sentence!(
                "no-language",
                "no such language; there are {tags}",
                tags = tags.join(" and ")
            )
            .with_names("tags", tags)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_names_a_language() {
        assert_eq!(Language::of_locale("ja_JP.UTF-8"), Language::Japanese);
        assert_eq!(Language::of_locale("ja"), Language::Japanese);
        assert_eq!(Language::of_locale("C.UTF-8"), Language::English);
        assert_eq!(Language::of_locale(""), Language::English);
        assert_eq!("fr".parse::<Language>().ok(), None);
    }
}
