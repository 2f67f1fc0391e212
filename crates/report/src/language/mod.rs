//! Languages of pages.
//!
//! A sentence is a message with arguments, printed last in the language of the document. Fixed texts,
//! such as the heads of columns, are written in English and looked up as a whole before a page is
//! printed; a text that the catalogue does not contain stays English. `result.json`, which other
//! versions and programs read, is always English. To add a language, add its files and one line in
//! [`catalogue`].

mod blocks;
mod catalogue;

use std::borrow::Cow;
use std::sync::LazyLock;

use tenbin_result::format::{ENGLISH, Words};
use tenbin_result::{Document, Language, Message, Value, message};
use tenbin_verdict::{Messages, said, said_reasons, without_unknown_messages};

use crate::block::{Look, Text};

pub(crate) use blocks::{translated, translated_beside};
use catalogue::{Catalogue, Translator};

/// The messages of pages.
static PAGES: Messages = Messages {
    english: include_str!("en.ftl"),
    japanese: include_str!("ja.ftl"),
};

/// Mark the styled word of a message. Both are private-use characters, which no font has.
const STYLED: [char; 2] = ['\u{e000}', '\u{e001}'];

/// A message of a page in the language of the document.
pub(crate) fn say(document: &Document, message: &Message) -> String {
    say_in(document.language, message)
}

/// A message of a page in a language.
pub(crate) fn say_in(language: Language, message: &Message) -> String {
    let said = PAGES.say(message, language);
    said.unwrap_or_else(|| PAGES.in_english(message))
}

/// The verdicts of a document in a language, one sentence each.
pub fn verdicts(document: &Document, language: Language) -> Vec<String> {
    let verdicts = tenbin_verdict::sentences::verdicts(document);
    let said = verdicts.iter();
    said.map(|verdict| say_in(language, verdict)).collect()
}

/// A message that was read from a document in a language; `None` if this version does not know it.
pub(crate) fn known_in(language: Language, message: &Message) -> Option<String> {
    let said = PAGES.say(message, language);
    said.or_else(|| PAGES.say(message, Language::English))
}

/// The words that stand for what is missing of a figure, in a language.
pub(crate) fn figure_words(language: Language) -> &'static Words {
    static JAPANESE: LazyLock<Words> =
        LazyLock::new(|| tenbin_verdict::figure_words(Language::Japanese));
    match language {
        Language::English => &ENGLISH,
        Language::Japanese => &JAPANESE,
    }
}

/// Marks a word of a message; [`say_text`] prints it in another style.
pub(crate) fn styled(word: &str) -> String {
    let [begin, end] = STYLED;
    format!("{begin}{word}{end}")
}

/// A message of a page, with its [`styled`] word in the style `look`.
pub(crate) fn say_text(document: &Document, message: &Message, look: Look) -> Text {
    let [begin, end] = STYLED;
    let said = say(document, message);
    let parts = said
        .split_once(begin)
        .and_then(|(before, rest)| Some((before, rest.split_once(end)?)));
    match parts {
        Some((before, (word, after))) => {
            Text::plain(before).and(look, word).and(Look::Plain, after)
        }
        None => Text::plain(said),
    }
}

/// Parts of a sentence one after the other: `first; second; third`.
pub(crate) fn clauses(first: Message, more: impl IntoIterator<Item = Message>) -> Message {
    let all = std::iter::once(first).chain(more).collect();
    message!("clauses", clauses = Value::Clauses(all))
}

/// Fixed texts in Japanese.
const JAPANESE_TEXTS: &str = include_str!("ja.txt");

/// The catalogue of a language; `None` for English.
fn catalogue(language: Language) -> Option<&'static Catalogue> {
    static JAPANESE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::of(JAPANESE_TEXTS));
    match language {
        Language::English => None,
        Language::Japanese => Some(&JAPANESE),
    }
}

/// The document with its findings and reasons in the language of its reader. A page is printed from this
/// document; `result.json` is written from the original.
pub(crate) fn for_reader(document: &Document) -> Cow<'_, Document> {
    let known = without_unknown_messages(document);
    if document.language == Language::English {
        return known.map_or(Cow::Borrowed(document), Cow::Owned);
    }
    let mut printed = known.unwrap_or_else(|| document.clone());
    for finding in &mut printed.findings {
        (finding.evidence, finding.advice) = said(finding, document.language);
    }
    if let Some(absolute) = &mut printed.absolute {
        absolute.because = said_reasons(absolute, document.language);
    }
    Cow::Owned(printed)
}

/// Translates a text to the language of the document.
pub(crate) fn text(document: &Document, english: &str) -> String {
    translator(document)
        .and_then(|translator| translator.translate(english))
        .unwrap_or_else(|| english.to_owned())
}

/// A fixed text, without names, in a language.
pub(crate) fn fixed(language: Language, english: &str) -> String {
    translator_beside(language, std::iter::empty())
        .and_then(|translator| translator.translate(english))
        .unwrap_or_else(|| english.to_owned())
}

/// A text of the pages of `tenbin ui`; in English if it has no text in the language. They are apart from
/// those of reports, which look up every cell of their tables.
pub(crate) fn of_ui(language: Language, english: &'static str) -> &'static str {
    static JAPANESE: LazyLock<Catalogue> =
        LazyLock::new(|| Catalogue::of(include_str!("ui.ja.txt")));
    let known = match language {
        Language::English => None,
        Language::Japanese => JAPANESE.text(english),
    };
    known.unwrap_or(english)
}

/// The translator for the document's language; `None` for English. Names in the document are never
/// translated, because a target can be called "memory".
fn translator(document: &Document) -> Option<Translator<'_>> {
    let targets = document.targets.iter().map(|target| target.name.as_str());
    let workloads = document.workloads.iter();
    let names = targets
        .chain(workloads.map(|workload| workload.name.as_str()))
        .chain(document.agents.iter().map(|part| part.agent.as_str()))
        .chain([document.run.name.as_str()]);
    translator_beside(document.language, names)
}

/// The translator for a language, which never translates `names`; `None` for English.
fn translator_beside<'a>(
    language: Language,
    names: impl Iterator<Item = &'a str>,
) -> Option<Translator<'a>> {
    Some(Translator {
        language,
        catalogue: catalogue(language)?,
        names: names.collect(),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// The arguments of each message: the names after `$`.
    fn arguments(text: &str) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut id = "";
        for line in text
            .lines()
            .filter(|it| !it.is_empty() && !it.starts_with('#'))
        {
            if let Some((name, _)) = line.split_once(" =")
                && !name.starts_with(' ')
            {
                id = name;
                assert!(
                    all.insert(id, BTreeSet::new()).is_none(),
                    "{id} occurs twice"
                );
            }
            let names = line.split('$').skip(1);
            let names = names.map(|rest| {
                let end =
                    rest.find(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '_');
                &rest[..end.unwrap_or(rest.len())]
            });
            all.entry(id).or_default().extend(names);
        }
        all
    }

    #[test]
    fn messages_of_pages_have_the_same_arguments_in_all_languages() {
        let english = arguments(PAGES.english);
        assert!(english.len() > 50, "{}", english.len());
        assert_eq!(english, arguments(PAGES.japanese));
        assert!(!PAGES.japanese.contains("[one]"), "Japanese has no plural");
    }

    #[test]
    fn no_message_of_pages_hides_one_that_findings_share() {
        let shared = [
            include_str!("../../../verdict/src/findings/messages/en.ftl"),
            include_str!("../../../verdict/src/findings/messages/verdicts.en.ftl"),
        ];
        let shared = shared.join("\n");
        let shared = arguments(&shared);
        let hidden = arguments(PAGES.english);
        let hidden: Vec<&&str> = hidden
            .keys()
            .filter(|id| shared.contains_key(*id))
            .collect();
        assert!(hidden.is_empty(), "{hidden:?}");
    }

    #[test]
    fn every_message_of_pages_has_a_text_in_all_languages() {
        for (id, arguments) in arguments(PAGES.english) {
            let message = arguments
                .iter()
                .fold(Message::new(id), |message, name| message.with(name, 2_u64));
            for language in [Language::English, Language::Japanese] {
                assert!(PAGES.say(&message, language).is_some(), "{id}");
            }
        }
    }
}
