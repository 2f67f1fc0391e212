//! English: function words, and content words composed of syllables.

use super::LanguageModel;
use super::random::Random;

/// Frequent words are repeated to approximate the frequencies of written English.
const FUNCTION_WORDS: [&str; 24] = [
    "the", "the", "the", "of the", "of", "and", "and", "in the", "in", "to", "to the", "a", "a",
    "is", "was", "for", "by the", "with", "as", "on", "at the", "from", "which", "that",
];

const FIRST: [&str; 24] = [
    "con", "per", "tra", "mon", "lan", "ser", "bel", "dor", "fin", "gra", "hal", "jor", "kel",
    "lum", "mar", "nor", "pel", "quin", "ros", "sta", "tor", "ver", "wil", "zan",
];
const MIDDLE: [&str; 20] = [
    "a", "e", "i", "o", "u", "ati", "eri", "ilo", "omo", "ula", "ane", "eka", "ivi", "oro", "ude",
    "ari", "eno", "ile", "osa", "umi",
];
const LAST: [&str; 30] = [
    "n", "r", "s", "t", "ng", "tion", "ment", "ble", "ric", "ton", "ver", "dom", "gate", "land",
    "mer", "nal", "port", "ster", "ty", "vel", "ward", "ce", "dge", "ff", "gle", "ld", "nk", "ple",
    "sh", "th",
];
const KINDS: [&str; 10] = [
    "railway station", "River", "University", "County", "Museum", "Bridge", "High School",
    "Township", "Castle", "Island",
];

pub(super) struct English;

impl LanguageModel for English {
    fn word(&self, rank: usize) -> String {
        let pairs = FIRST.len() * MIDDLE.len();
        // The first ranks are all words of three syllables, in an order that mixes the initial
        // letters; longer words follow.
        let three = pairs * LAST.len();
        let place = rank * 7_919 % three;
        let word = [
            FIRST[place % FIRST.len()],
            MIDDLE[place / FIRST.len() % MIDDLE.len()],
            LAST[place / pairs % LAST.len()],
        ]
        .concat();
        let mut longer = rank / three;
        let mut prefix = String::new();
        while longer > 0 {
            prefix.push_str(FIRST[longer % FIRST.len()]);
            longer /= FIRST.len();
        }
        prefix + &word
    }

    fn title(&self, number: u64) -> String {
        let kinds = KINDS.len() as u64;
        let kind = KINDS[(number % kinds) as usize];
        let first = self.word((number / kinds) as usize * 3);
        format!("{} {kind}", capital(&first))
    }

    fn category(&self, number: usize) -> String {
        const WHAT: [&str; 8] = [
            "History of", "Railway stations in", "People from", "Towns in", "Universities in",
            "Rivers of", "Companies of", "Works set in",
        ];
        let place = capital(&self.word(number / WHAT.len() * 5 + 1));
        format!("{} {place}", WHAT[number % WHAT.len()])
    }

    fn sentence(&self, words: &[String], random: &mut Random) -> String {
        let mut text = String::from(" The");
        for (at, word) in words.iter().enumerate() {
            if at > 0 {
                text.push(' ');
                text.push_str(FUNCTION_WORDS[random.below(FUNCTION_WORDS.len() as u64) as usize]);
            }
            text.push(' ');
            text.push_str(word);
        }
        text.push('.');
        text
    }

    fn opening(&self, title: &str, words: &[String]) -> String {
        format!("{title} is a {} of the {}.", words[0], words[1])
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
        .unwrap_or_default()
}
