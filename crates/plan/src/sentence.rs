//! Sentences with their data, for crates that know no language but English.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A sentence in English, with the id and the arguments from which the command line prints the
/// sentence in another language. [`sentence!`](crate::sentence) makes one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence(Box<Content>);

// In a box, because errors contain sentences, and results contain errors.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Content {
    text: String,
    id: Cow<'static, str>,
    args: Vec<(Cow<'static, str>, Argument)>,
}

/// An argument of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Argument {
    /// A name, a figure with its unit, or a word that selects a variant.
    Text(String),
    /// A fixed English text, which other languages look up as a whole.
    Fixed(String),
    /// Names, which each language lists in its way.
    Names(Vec<String>),
    /// Sentences within the sentence; an empty list is printed as nothing.
    Parts(Vec<Sentence>),
}

impl Sentence {
    /// A sentence with its English text and its id, without arguments.
    pub fn new(id: &'static str, text: String) -> Self {
        Self(Box::new(Content {
            text,
            id: Cow::Borrowed(id),
            args: Vec::new(),
        }))
    }

    /// The sentence in English.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Names the text in other languages; empty if there is only the English text.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The arguments with their names.
    pub fn args(&self) -> impl Iterator<Item = (&str, &Argument)> {
        self.0.args.iter().map(|(name, value)| (&**name, value))
    }

    /// A fixed English text, which other languages look up as a whole: a reason in a table.
    pub fn fixed(text: &'static str) -> Self {
        Self::new("said", text.to_owned()).with_fixed("text", text)
    }

    /// A text that is the same in every language: a figure, names, what another program says.
    pub fn verbatim(text: impl fmt::Display) -> Self {
        let text = text.to_string();
        Self::new("said", text.clone()).with("text", text)
    }

    /// What a library says, in English only: other languages quote the text. It can repeat a part of a
    /// file, whose secrets are concealed.
    pub fn quoted(text: impl fmt::Display) -> Self {
        let text = crate::conceal_text(&text.to_string());
        crate::sentence!("quoted", "{text}", text)
    }

    /// The sentences as one sentence, each on a line; empty without sentences.
    pub fn in_lines(sentences: impl IntoIterator<Item = Self>) -> Self {
        let all = sentences.into_iter().reduce(|first, next| {
            crate::sentence!(
                "lines",
                "{first}{newline}{next}",
                first,
                newline = "\n",
                next
            )
        });
        all.unwrap_or_default()
    }

    /// The sentence with an argument. The English text contains it already.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.set(name, Argument::Text(value.to_string()));
        self
    }

    /// The sentence with an argument that is a fixed English text.
    #[must_use]
    pub fn with_fixed(mut self, name: &'static str, text: &'static str) -> Self {
        self.set(name, Argument::Fixed(text.to_owned()));
        self
    }

    /// The sentence with an argument that is a list of names.
    #[must_use]
    pub fn with_names(
        mut self,
        name: &'static str,
        names: impl IntoIterator<Item = impl fmt::Display>,
    ) -> Self {
        let names = names.into_iter().map(|each| each.to_string()).collect();
        self.set(name, Argument::Names(names));
        self
    }

    /// The sentence with an argument that is a sentence, or nothing.
    #[must_use]
    pub fn with_part(mut self, name: &'static str, part: impl IntoIterator<Item = Self>) -> Self {
        self.set(name, Argument::Parts(part.into_iter().collect()));
        self
    }

    /// The sentence with `to` for each `from` in its text and its arguments, also in those of its
    /// parts.
    #[must_use]
    pub fn replaced(self, from: &str, to: &str) -> Self {
        self.with_texts(&|text: &str| text.replace(from, to))
    }

    /// The sentence with every text changed: its own, and those of its arguments and its parts. Fixed
    /// texts stay, because they are only looked up.
    #[must_use]
    pub fn with_texts<F: Fn(&str) -> String>(mut self, change: &F) -> Self {
        self.0.text = change(&self.0.text);
        for (_, value) in &mut self.0.args {
            match value {
                Argument::Text(text) => *text = change(text),
                Argument::Names(names) => {
                    for name in names {
                        *name = change(name);
                    }
                }
                Argument::Parts(parts) => {
                    for part in parts {
                        *part = std::mem::take(part).with_texts(change);
                    }
                }
                Argument::Fixed(_) => {}
            }
        }
        self
    }

    /// The sentence with an argument. The English text contains it already.
    #[doc(hidden)]
    #[must_use]
    pub fn with_argument(mut self, name: &'static str, value: Argument) -> Self {
        self.set(name, value);
        self
    }

    fn set(&mut self, name: &'static str, value: Argument) {
        self.0.args.retain(|(known, _)| known != name);
        self.0.args.push((Cow::Borrowed(name), value));
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

/// Compares the English text.
impl PartialEq<&str> for Sentence {
    fn eq(&self, other: &&str) -> bool {
        self.0.text == *other
    }
}

/// Why a value is wrong or something failed: an error that needs no other type than its sentence.
impl std::error::Error for Sentence {}

/// A sentence with an English text only.
impl From<String> for Sentence {
    fn from(text: String) -> Self {
        Self::new("", text)
    }
}

/// A sentence with an English text only.
impl From<&str> for Sentence {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// A [`Sentence`]: `sentence!("file-written", "written: {file}", file = path.display())`. The format
/// string is the English text; the texts in other languages, in Fluent syntax, use the arguments by
/// their names. `file` alone means `file = file`. An argument that is a sentence itself is printed in
/// the other language, too.
#[macro_export]
macro_rules! sentence {
    ($id:literal, $text:literal $(, $name:ident $(= $value:expr)?)* $(,)?) => {{
        #[allow(unused_imports, reason = "a sentence has no arguments, or arguments of one kind")]
        use $crate::argument::{OfSentence as _, OfText as _};
        $crate::Sentence::new(
            $id,
            ::std::format!($text $(, $name = &$crate::sentence!(@value $name $(= $value)?))*),
        )
        $(.with_argument(
            stringify!($name),
            $crate::argument::Value(&$crate::sentence!(@value $name $(= $value)?)).argument(),
        ))*
    }};
    (@value $name:ident) => { $name };
    (@value $name:ident = $value:expr) => { $value };
}

/// What [`sentence!`](crate::sentence) makes of the value of an argument: the method of a sentence
/// is found before the method of every other text.
#[doc(hidden)]
pub mod argument {
    use std::{fmt, io};

    use super::{Argument, Sentence};

    pub struct Value<'a, T>(pub &'a T);

    pub trait OfSentence {
        fn argument(self) -> Argument;
    }

    impl OfSentence for Value<'_, Sentence> {
        fn argument(self) -> Argument {
            Argument::of_sentence(self.0)
        }
    }

    impl OfSentence for Value<'_, &Sentence> {
        fn argument(self) -> Argument {
            Argument::of_sentence(self.0)
        }
    }

    impl OfSentence for Value<'_, &&Sentence> {
        fn argument(self) -> Argument {
            Argument::of_sentence(self.0)
        }
    }

    /// An error of the operating system, which is a sentence, too.
    impl OfSentence for Value<'_, io::Error> {
        fn argument(self) -> Argument {
            Argument::of_sentence(&Sentence::from(self.0))
        }
    }

    impl OfSentence for Value<'_, &io::Error> {
        fn argument(self) -> Argument {
            Argument::of_sentence(&Sentence::from(*self.0))
        }
    }

    pub trait OfText {
        fn argument(&self) -> Argument;
    }

    impl<T: fmt::Display> OfText for Value<'_, T> {
        fn argument(&self) -> Argument {
            Argument::Text(self.0.to_string())
        }
    }
}

impl Argument {
    /// A sentence, or nothing if the sentence is empty.
    fn of_sentence(sentence: &Sentence) -> Self {
        let said = (!sentence.0.text.is_empty()).then(|| sentence.clone());
        Self::Parts(said.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_has_its_english_text_and_its_arguments() {
        let part = sentence!("so-late", ", {time} late", time = "2 s");
        let said = sentence!("came", "{who:?} came{how}", who = "A", how = part);
        assert_eq!(said.to_string(), "\"A\" came, 2 s late");
        let args: Vec<(&str, &Argument)> = said.args().collect();
        let who = Argument::Text("A".to_owned());
        let how = Argument::Parts(vec![part]);
        assert_eq!(
            (said.id(), args),
            ("came", vec![("who", &who), ("how", &how)])
        );
    }

    #[test]
    fn a_text_is_replaced_in_parts_too() {
        let part = sentence!("refused", "no {why}", why = "hidden key");
        let said = sentence!("came", "{who}: {how}", who = "hidden", how = part);
        let replaced = said.replaced("hidden", "(token)");
        let part = sentence!("refused", "no {why}", why = "(token) key");
        let expected = sentence!("came", "{who}: {how}", who = "(token)", how = part);
        assert_eq!(replaced, expected);
    }

    #[test]
    fn sentences_are_joined_with_a_line_each() {
        let joined = |all: &[&str]| Sentence::in_lines(all.iter().map(|one| (*one).into()));
        assert_eq!(joined(&["one", "two", "three"]), "one\ntwo\nthree");
        assert_eq!(joined(&["one", "two"]).id(), "lines");
        assert_eq!(joined(&["one"]), Sentence::from("one"));
        assert_eq!(joined(&[]), Sentence::default());
    }
}
