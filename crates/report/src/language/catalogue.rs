//! Catalogues of texts with their translations.

use std::collections::{HashMap, HashSet};

/// Maximum depth of templates within templates.
const DEEPEST: usize = 6;

/// A catalogue: English texts with their translations.
///
/// A catalogue file contains pairs of lines, separated by empty lines: the English text, then its
/// translation. Both lines can contain placeholders: `{1}` stands for any text, for example a name
/// or a figure; `{1!}` in a translation stands for a text that is also translated. The first pair
/// that matches is used. Lines that start with `#` are comments.
pub(super) struct Catalogue {
    texts: HashMap<&'static str, &'static str>,
    templates: Vec<Template>,
}

struct Template {
    /// The text before, between and after the placeholders.
    literals: Vec<&'static str>,
    numbers: Vec<usize>,
    translation: Vec<Part>,
}

enum Part {
    Literal(&'static str),
    Captured { number: usize, translate: bool },
}

impl Catalogue {
    pub(super) fn of_files(files: &[&'static str]) -> Self {
        let mut catalogue = Self {
            texts: HashMap::new(),
            templates: Vec::new(),
        };
        let lines = files.iter().flat_map(|file| file.lines());
        let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        while let (Some(english), Some(translation)) = (lines.next(), lines.next()) {
            if !english.contains("{1}") {
                catalogue.texts.insert(english, translation);
            } else {
                catalogue.templates.push(Template::of(english, translation))
            }
        }
        catalogue
    }
}

/// Translates texts that can contain names, using a catalogue.
pub(super) struct Translator<'a> {
    pub(super) catalogue: &'a Catalogue,
    /// Names, which are not translated.
    pub(super) names: HashSet<&'a str>,
}

impl Translator<'_> {
    /// Translates a text, with or without a full stop. `None` for a name, and for a text that the
    /// catalogue does not contain.
    pub(super) fn translate(&self, english: &str) -> Option<String> {
        self.within(english, 0).or_else(|| self.sentences(english))
    }

    /// Translates several sentences, if the catalogue contains all of them.
    fn sentences(&self, english: &str) -> Option<String> {
        let sentences: Vec<&str> = english.split_inclusive(". ").map(str::trim_end).collect();
        if sentences.len() < 2 {
            return None;
        }
        sentences
            .iter()
            .map(|sentence| self.within(sentence, 0))
            .collect()
    }

    fn within(&self, english: &str, depth: usize) -> Option<String> {
        if depth > DEEPEST || english.is_empty() || self.names.contains(english) {
            return None;
        }
        if let Some(translation) = self.catalogue.texts.get(english) {
            return Some((*translation).to_owned());
        }
        let mut templates = self.catalogue.templates.iter();
        templates
            .find_map(|template| {
                let captured = template.captured(english)?;
                Some(template.filled(&captured, |text| {
                    self.within(text, depth + 1)
                        .unwrap_or_else(|| text.to_owned())
                }))
            })
            .or_else(|| {
                let sentence = english.strip_suffix('.')?;
                let translated = self.within(sentence, depth + 1)?;
                Some(format!("{translated}。"))
            })
            .or_else(|| self.clauses(english, depth))
    }

    /// Translates clauses separated by semicolons, if the catalogue contains all of them.
    fn clauses(&self, english: &str, depth: usize) -> Option<String> {
        let clauses: Vec<&str> = english.split("; ").collect();
        if clauses.len() < 2 {
            return None;
        }
        let translated = clauses
            .iter()
            .map(|clause| self.within(clause, depth + 1))
            .collect::<Option<Vec<_>>>()?;
        Some(translated.join("。"))
    }
}

impl Template {
    fn of(english: &'static str, translation: &'static str) -> Self {
        let mut template = Self {
            literals: Vec::new(),
            numbers: Vec::new(),
            translation: Vec::new(),
        };
        for (literal, placeholder) in parts(english) {
            template.literals.push(literal);
            template
                .numbers
                .extend(placeholder.map(|(number, _)| number));
        }
        for (literal, placeholder) in parts(translation) {
            template.translation.push(Part::Literal(literal));
            let captured =
                placeholder.map(|(number, translate)| Part::Captured { number, translate });
            template.translation.extend(captured);
        }
        template
    }

    /// The parts of `text` that match the placeholders, each as short as possible; `None` if the
    /// text does not match.
    fn captured<'t>(&self, text: &'t str) -> Option<Vec<(usize, &'t str)>> {
        let (first, rest) = self.literals.split_first()?;
        let mut text = text.strip_prefix(first)?;
        let mut captured = Vec::with_capacity(self.numbers.len());
        for (at, (number, literal)) in self.numbers.iter().zip(rest).enumerate() {
            let is_last = at + 1 == rest.len();
            let length = match (is_last, literal.is_empty()) {
                (true, _) => text.strip_suffix(literal)?.len(),
                (false, true) => return None,
                (false, false) => text.find(literal)?,
            };
            if length == 0 {
                return None;
            }
            captured.push((*number, &text[..length]));
            text = &text[length + literal.len()..];
        }
        Some(captured)
    }

    fn filled(&self, captured: &[(usize, &str)], translated: impl Fn(&str) -> String) -> String {
        let parts = self.translation.iter().map(|part| match part {
            Part::Literal(text) => (*text).to_owned(),
            Part::Captured { number, translate } => {
                let found = captured.iter().find(|(each, _)| each == number);
                let text = found.map_or("", |(_, text)| *text);
                match translate {
                    true => translated(text),
                    false => text.to_owned(),
                }
            }
        });
        parts.collect()
    }
}

/// The literals of a template, each with the placeholder after it: the number, and whether it has
/// `!`.
fn parts(template: &str) -> impl Iterator<Item = (&str, Option<(usize, bool)>)> {
    let mut rest = Some(template);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let found = text.match_indices('{').find_map(|(open, _)| {
            let close = open + text[open..].find('}')?;
            let inside = &text[open + 1..close];
            let number = inside.strip_suffix('!').unwrap_or(inside).parse().ok()?;
            Some((open, close, (number, inside.ends_with('!'))))
        });
        match found {
            None => Some((text, None)),
            Some((open, close, placeholder)) => {
                rest = Some(&text[close + 1..]);
                Some((&text[..open], Some(placeholder)))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
# comment
slower
遅い

{1} is {2} than {3}
{1} は {3} より{2!}

{1} s
{1} 秒
";

    fn translated(text: &str) -> Option<String> {
        let catalogue = &Catalogue::of_files(&[FILE]);
        let names = HashSet::new();
        Translator { catalogue, names }.translate(text)
    }

    #[test]
    fn placeholders_are_kept_or_translated() {
        let said = translated("slower is slower than b");
        assert_eq!(said.as_deref(), Some("slower は b より遅い"));
        assert_eq!(translated("4 s.").as_deref(), Some("4 秒。"));
        assert_eq!(translated("other words"), None);
        assert_eq!(translated(" s"), None);
    }

    #[test]
    fn a_name_with_braces_is_text() {
        let said = translated("{2} is slower than {}");
        assert_eq!(said.as_deref(), Some("{2} は {} より遅い"));
    }

    /// Every pair of the catalogue must have the same placeholders in both languages.
    #[test]
    fn both_languages_have_the_same_placeholders() {
        let files = super::super::JAPANESE_FILES.iter();
        let pairs: Vec<Vec<&'static str>> = files
            .flat_map(|file| file.split("\n\n"))
            .map(|pair| {
                let lines = pair.lines();
                lines
                    .filter(|line| !line.is_empty() && !line.starts_with('#'))
                    .collect()
            })
            .filter(|pair: &Vec<&str>| !pair.is_empty())
            .collect();
        let numbers = |text: &'static str| {
            let found = parts(text).filter_map(|(_, placeholder)| placeholder);
            let mut numbers: Vec<usize> = found.map(|(number, _)| number).collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        for pair in pairs {
            assert_eq!(pair.len(), 2, "{pair:?}");
            assert_eq!(numbers(pair[0]), numbers(pair[1]), "{pair:?}");
        }
    }
}
