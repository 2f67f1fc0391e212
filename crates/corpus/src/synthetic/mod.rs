//! Synthetic pages whose word frequencies resemble a natural language, for use without a dump.
//! The same number of pages, language and seed always give identical pages.

mod english;
mod japanese;
mod random;

use std::fmt;
use std::str::FromStr;

use crate::page::Page;
use random::{Random, Ranks};

/// Number of words in the vocabulary. A few thousand pages rarely use more.
const WORDS: usize = 30_000;
/// Median length of a text, in content words.
const MEDIAN_WORDS: f64 = 90.0;
/// Standard deviation of the natural logarithm of the length. Most articles of an encyclopedia are
/// short, and a few are very long.
const SPREAD: f64 = 0.9;
/// Maximum length of a text, in content words.
const MOST_WORDS: f64 = 3_000.0;

/// Language of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Japanese.
    Japanese,
    /// English.
    English,
    /// Japanese and English, alternating.
    Both,
}

impl FromStr for Language {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "ja" => Ok(Self::Japanese),
            "en" => Ok(Self::English),
            "both" => Ok(Self::Both),
            _ => Err("write ja, en or both".to_owned()),
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Japanese => "ja",
            Self::English => "en",
            Self::Both => "both",
        })
    }
}

/// Creates the words and sentences of one language.
trait LanguageModel {
    /// The content word with this rank, from 0.
    fn word(&self, rank: usize) -> String;
    /// A title that is unique for each page number.
    fn title(&self, number: u64) -> String;
    /// The category with this number.
    fn category(&self, number: usize) -> String;
    /// A sentence with these words.
    fn sentence(&self, words: &[String], random: &mut Random) -> String;
    /// The first sentence of a page, which contains the title.
    fn opening(&self, title: &str, words: &[String]) -> String;
}

/// Iterator that creates synthetic pages.
pub struct Synthetic {
    language: Language,
    pages: u64,
    seed: u64,
    next: u64,
    text_limit: Option<usize>,
    words: Ranks,
    filed: Ranks,
}

impl fmt::Debug for Synthetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Synthetic({}, {} pages)", self.language, self.pages)
    }
}

impl Synthetic {
    /// Creates `pages` pages; texts are truncated to `text_limit` characters.
    pub fn new(pages: u64, language: Language, seed: u64, text_limit: Option<usize>) -> Self {
        // As in Wikipedia, about one category per ten pages.
        let categories = (pages / 10).clamp(8, 20_000) as usize;
        Self {
            language,
            pages,
            seed,
            next: 0,
            text_limit,
            words: Ranks::zipf(WORDS, 1.0, 2.7),
            filed: Ranks::zipf(categories, 0.8, 1.0),
        }
    }

    fn page(&self, number: u64) -> Page {
        let model: &dyn LanguageModel = match (self.language, number % 2) {
            (Language::Japanese, _) | (Language::Both, 0) => &japanese::Japanese,
            (Language::English | Language::Both, _) => &english::English,
        };
        let mut random = Random::new(self.seed, number);
        let title = model.title(number);
        let length = (MEDIAN_WORDS * (SPREAD * random.normal()).exp()).min(MOST_WORDS);
        let mut categories = Vec::new();
        for _ in 0..1 + random.below(4) {
            let category = model.category(self.filed.draw(&mut random));
            if !categories.contains(&category) {
                categories.push(category);
            }
        }
        // The text comes last: a text limit ends it early and must not change the other random
        // values.
        let text = self.text(model, &title, length as usize, &mut random);
        let mut page = Page {
            id: number + 1,
            title,
            text,
            categories,
        };
        page.cut(self.text_limit);
        page
    }

    fn text(
        &self,
        model: &dyn LanguageModel,
        title: &str,
        length: usize,
        random: &mut Random,
    ) -> String {
        // A page has a topic: six words are more frequent in the page than in other pages.
        let topics: Vec<usize> = (0..6).map(|_| self.words.draw(random)).collect();
        let word = |random: &mut Random| match random.below(5) {
            0 => model.word(topics[random.below(topics.len() as u64) as usize]),
            _ => model.word(self.words.draw(random)),
        };
        let opening: Vec<String> = (0..2).map(|_| word(random)).collect();
        let mut text = model.opening(title, &opening);
        let mut written = 0;
        // A character has at most four bytes.
        let enough = self
            .text_limit
            .map_or(usize::MAX, |limit| limit.saturating_mul(4));
        while written < length && text.len() < enough {
            let count = 2 + random.below(6) as usize;
            let words: Vec<String> = (0..count).map(|_| word(random)).collect();
            written += count;
            text.push_str(&model.sentence(&words, random));
            if random.below(5) == 0 {
                text.push('\n');
            }
        }
        text
    }
}

impl Iterator for Synthetic {
    type Item = Page;

    fn next(&mut self) -> Option<Page> {
        (self.next < self.pages).then(|| {
            self.next += 1;
            self.page(self.next - 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    fn made(language: Language, seed: u64) -> Vec<Page> {
        Synthetic::new(300, language, seed, None).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_pages() {
        for language in [Language::Japanese, Language::English, Language::Both] {
            assert_eq!(made(language, 1), made(language, 1));
            assert_ne!(made(language, 1)[0].text, made(language, 2)[0].text);
        }
    }

    #[test]
    fn titles_differ_and_their_pages_can_be_found_by_them() {
        for language in [Language::Japanese, Language::English, Language::Both] {
            let pages = made(language, 3);
            let titles: HashSet<&str> = pages.iter().map(|page| page.title.as_str()).collect();
            assert_eq!(titles.len(), pages.len());
            for page in &pages {
                assert!(page.text.contains(&page.title), "{page:?}");
                assert!(!page.categories.is_empty());
            }
        }
        let far = [
            0,
            1,
            89_999,
            90_000,
            1_500_000,
            3_000_000,
            u64::from(u32::MAX),
        ];
        for model in [&japanese::Japanese as &dyn LanguageModel, &english::English] {
            let titles: HashSet<String> = far.iter().map(|n| model.title(*n)).collect();
            assert_eq!(titles.len(), far.len());
        }
    }

    #[test]
    fn frequencies_follow_zipfs_law() {
        let words = Ranks::zipf(WORDS, 1.0, 2.7);
        let mut random = Random::new(1, 1);
        let mut counts: HashMap<usize, u32> = HashMap::new();
        for _ in 0..200_000 {
            *counts.entry(words.draw(&mut random)).or_default() += 1;
        }
        let of = |rank: usize| f64::from(counts[&rank]);
        // Zipf–Mandelbrot: (100 + 2.7) / (1 + 2.7) ≈ 28, ± five standard deviations.
        let ratio = of(0) / of(99);
        assert!((20.0..37.0).contains(&ratio), "{ratio}");
        let english = made(Language::English, 5);
        let texts: String = english.iter().map(|page| page.text.as_str()).collect();
        let the = texts.matches(" the ").count();
        let rare = texts.matches(&english::English.word(20_000)).count();
        assert!(the > 100 * (rare + 1), "{the} {rare}");
    }

    #[test]
    fn words_differ() {
        for model in [&japanese::Japanese as &dyn LanguageModel, &english::English] {
            let words: HashSet<String> = (0..WORDS).map(|rank| model.word(rank)).collect();
            assert_eq!(words.len(), WORDS);
        }
    }
}
