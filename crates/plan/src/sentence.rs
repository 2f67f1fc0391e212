//! Sentences with their data, for crates that know no language but English.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A sentence in English, with the id and the arguments from which the command line prints the
/// sentence in another language. [`sentence!`](crate::sentence) makes one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
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
    /// Sentences within the sentence; an empty list is printed as nothing.
    Parts(Vec<Sentence>),
}

impl Sentence {
    /// A sentence with its English text and its id, without arguments.
    pub fn new(id: &'static str, text: String) -> Self {
        Self {
            text,
            id: Cow::Borrowed(id),
            args: Vec::new(),
        }
    }

    /// The sentence in English.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Names the text in other languages; empty if there is only the English text.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The arguments with their names.
    pub fn args(&self) -> impl Iterator<Item = (&str, &Argument)> {
        self.args.iter().map(|(name, value)| (&**name, value))
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

    /// The sentence with an argument that is a sentence, or nothing.
    #[must_use]
    pub fn with_part(mut self, name: &'static str, part: impl IntoIterator<Item = Self>) -> Self {
        self.set(name, Argument::Parts(part.into_iter().collect()));
        self
    }

    fn set(&mut self, name: &'static str, value: Argument) {
        self.args.retain(|(known, _)| known != name);
        self.args.push((Cow::Borrowed(name), value));
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

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
/// their names.
#[macro_export]
macro_rules! sentence {
    ($id:literal, $text:literal $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::Sentence::new($id, ::std::format!($text $(, $name = &$value)*))
            $(.with(stringify!($name), &$value))*
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_has_its_english_text_and_its_arguments() {
        let part = sentence!("so-late", ", {time} late", time = "2 s");
        let said = sentence!("came", "{who:?} came{how}", who = "A", how = &part);
        let said = said.with_part("how", [part.clone()]);
        assert_eq!(said.to_string(), "\"A\" came, 2 s late");
        let args: Vec<(&str, &Argument)> = said.args().collect();
        let who = Argument::Text("A".to_owned());
        let how = Argument::Parts(vec![part]);
        assert_eq!(
            (said.id(), args),
            ("came", vec![("who", &who), ("how", &how)])
        );
    }
}
