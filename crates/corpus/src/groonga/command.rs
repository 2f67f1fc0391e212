//! A Groonga command: parsed from a line or a request path, and written as either.

use std::fmt;

use percent_encoding::percent_decode_str;
use tenbin_plan::{Sentence, sentence};

use crate::escape::query_component;

/// Commands and their arguments that can be given without names, in order.
const POSITIONAL: &[(&str, &[&str])] = &[
    (
        "table_create",
        &[
            "name", "flags", "key_type", "value_type", "default_tokenizer", "normalizer",
            "token_filters", "path",
        ],
    ),
    (
        "column_create",
        &["table", "name", "flags", "type", "source", "path"],
    ),
    (
        "load",
        &[
            "values", "table", "columns", "ifexists", "input_type", "each",
        ],
    ),
    ("table_remove", &["name", "dependent"]),
    ("table_rename", &["name", "new_name"]),
    ("column_remove", &["table", "name"]),
    ("column_rename", &["table", "name", "new_name"]),
    (
        "column_copy",
        &["from_table", "from_name", "to_table", "to_name"],
    ),
    ("delete", &["table", "key", "id", "filter", "limit", "id"]),
    ("truncate", &["target_name"]),
    ("plugin_register", &["name"]),
    ("plugin_unregister", &["name"]),
    ("register", &["path"]),
    ("config_set", &["key", "value"]),
    ("config_delete", &["key"]),
    ("object_remove", &["name", "force"]),
    ("select", &["table", "match_columns", "query", "filter"]),
    ("log_level", &["level"]),
    ("log_put", &["level", "message"]),
    ("cache_limit", &["max"]),
    ("lock_acquire", &["target_name"]),
    ("lock_release", &["target_name"]),
    ("thread_limit", &["max"]),
];

/// A Groonga command with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Name, for example `table_create`.
    pub name: String,
    /// Names and values of the arguments, in the given order.
    pub arguments: Vec<(String, String)>,
}

impl Command {
    /// Parses a line: `table_create Pages TABLE_HASH_KEY --key_type UInt64`, or
    /// `/d/table_create?name=Pages&key_type=UInt64`.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub fn parse(line: &str) -> Result<Self, Sentence> {
        let line = line.trim();
        match line.strip_prefix("/d/") {
            Some(path) => Self::from_path(path),
            None => Self::from_words(words(line)?),
        }
    }

    /// The value of the argument `name`, if given.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments
            .iter()
            .rfind(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// Path of the HTTP request for this command.
    pub fn path(&self) -> String {
        let pairs = self
            .arguments
            .iter()
            .map(|(key, value)| format!("{}={}", query_component(key), query_component(value)));
        let query: Vec<String> = pairs.collect();
        if query.is_empty() {
            format!("/d/{}", self.name)
        } else {
            format!("/d/{}?{}", self.name, query.join("&"))
        }
    }

    fn from_path(path: &str) -> Result<Self, Sentence> {
        let (name, query) = path.split_once('?').unwrap_or((path, ""));
        let name = name.split('.').next().unwrap_or_default();
        let mut arguments = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            arguments.push((decoded(key)?, decoded(value)?));
        }
        Self::named(name.to_owned(), arguments)
    }

    fn from_words(words: Vec<String>) -> Result<Self, Sentence> {
        let mut words = words.into_iter();
        let name = words
            .next()
            .ok_or_else(|| sentence!("command-missing", "the command is missing"))?;
        let mut arguments = Vec::new();
        let mut nameless = 0;
        while let Some(word) = words.next() {
            if let Some(key) = word.strip_prefix("--").filter(|key| !key.is_empty()) {
                let value = words.next().ok_or_else(|| {
                    sentence!("argument-needs-value", "a value must follow --{key}", key)
                })?;
                arguments.push((key.to_owned(), value));
                continue;
            }
            let known = POSITIONAL.iter().find(|(known, _)| *known == name);
            let key = known
                .and_then(|(_, keys)| keys.get(nameless))
                .ok_or_else(|| {
                    sentence!(
                        "argument-needs-name",
                        "{name} takes no argument {word:?} without a name: write --NAME VALUE",
                        name,
                        word
                    )
                    .with("word", word.escape_debug())
                })?;
            arguments.push(((*key).to_owned(), word));
            nameless += 1;
        }
        Self::named(name, arguments)
    }

    fn named(name: String, arguments: Vec<(String, String)>) -> Result<Self, Sentence> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(sentence!(
                "no-command-name",
                "{name:?} is not the name of a command",
                name
            )
            .with("name", name.escape_debug()));
        }
        Ok(Self { name, arguments })
    }
}

/// Writes the command as a line that [`Command::parse`] accepts.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (key, value) in &self.arguments {
            write!(f, " --{key} {}", quoted(value))?;
        }
        Ok(())
    }
}

fn decoded(text: &str) -> Result<String, Sentence> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8();
    decoded.map(|text| text.into_owned()).map_err(|_| {
        sentence!(
            "argument-not-utf8",
            "{text:?} is not UTF-8 when its escapes are resolved",
            text
        )
    })
}

fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_|,.:/+*".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) {
        return value.to_owned();
    }
    let mut text = String::from("\"");
    for c in value.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c if c.is_control() => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

/// Splits a line at white space. Single and double quotes keep text together, even inside a word; a
/// backslash escapes the next character.
fn words(line: &str) -> Result<Vec<String>, Sentence> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (_, '\\') => word.get_or_insert_default().push(escaped(&mut rest)?),
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    match quote {
        Some(open) => Err(sentence!(
            "quote-open",
            "the quote {open} is not closed",
            open
        )),
        None => {
            words.extend(word);
            Ok(words)
        }
    }
}

fn escaped(rest: &mut std::str::Chars<'_>) -> Result<char, Sentence> {
    let c = rest
        .next()
        .ok_or_else(|| sentence!("backslash-last", "nothing follows the last backslash"))?;
    Ok(match c {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let mut unit = hex(rest)?;
            if (0xd800..0xdc00).contains(&unit) && rest.as_str().starts_with("\\u") {
                rest.nth(1);
                let low = hex(rest)?;
                if (0xdc00..0xe000).contains(&low) {
                    unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                }
            }
            char::from_u32(unit).ok_or_else(|| {
                sentence!(
                    "escape-no-character",
                    "{escape} is not a character",
                    escape = format!("\\u{unit:04x}")
                )
            })?
        }
        c => c,
    })
}

fn hex(rest: &mut std::str::Chars<'_>) -> Result<u32, Sentence> {
    let digits = rest.as_str().get(..4).unwrap_or_default();
    if digits.len() != 4 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(sentence!(
            "escape-needs-digits",
            "four hexadecimal digits must follow \\u"
        ));
    }
    rest.nth(3);
    u32::from_str_radix(digits, 16).map_err(Sentence::verbatim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Vec<(String, String)> {
        Command::parse(line).expect(line).arguments
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn arguments_with_and_without_names() {
        assert_eq!(
            read("table_create Terms TABLE_PAT_KEY ShortText --normalizer NormalizerAuto"),
            pairs(&[
                ("name", "Terms"),
                ("flags", "TABLE_PAT_KEY"),
                ("key_type", "ShortText"),
                ("normalizer", "NormalizerAuto")
            ])
        );
        assert_eq!(
            read("select --table Pages Pages2"),
            pairs(&[("table", "Pages"), ("table", "Pages2")])
        );
    }

    #[test]
    fn quotes_and_escapes() {
        assert_eq!(
            read(r#"select "a b" 'c "d"' "e\"f\\" --filter 'x == "\u3042\n"'"#),
            pairs(&[
                ("table", "a b"),
                ("match_columns", "c \"d\""),
                ("query", "e\"f\\"),
                ("filter", "x == \"あ\n\""),
            ])
        );
        assert_eq!(read(r"select a\ b"), pairs(&[("table", "a b")]));
        assert_eq!(read(r"select \ud83d\ude00"), pairs(&[("table", "😀")]));
        assert_eq!(read("select ''"), pairs(&[("table", "")]));
    }

    #[test]
    fn paths_of_requests() {
        assert_eq!(
            Command::parse("/d/select.json?table=Pages&query=a+b%20%E3%81%82&x").unwrap(),
            Command {
                name: "select".to_owned(),
                arguments: pairs(&[("table", "Pages"), ("query", "a b あ"), ("x", "")])
            }
        );
        let command = Command::parse("column_create Terms p COLUMN_INDEX|WITH_POSITION").unwrap();
        assert_eq!(
            command.path(),
            "/d/column_create?table=Terms&name=p&flags=COLUMN_INDEX%7CWITH_POSITION"
        );
        assert_eq!(Command::parse(&command.path()).unwrap(), command);
    }

    #[test]
    fn invalid_lines_are_explained() {
        for (line, reason) in [
            ("", "the command is missing"),
            ("select \"x", "the quote \" is not closed"),
            ("select x\\", "nothing follows the last backslash"),
            ("select --table", "a value must follow --table"),
            (
                "status now",
                "status takes no argument \"now\" without a name: write --NAME VALUE",
            ),
            ("se/lect", "\"se/lect\" is not the name of a command"),
            ("select \\u12", "four hexadecimal digits must follow \\u"),
            ("select \\udc00", "\\udc00 is not a character"),
        ] {
            assert_eq!(Command::parse(line).unwrap_err(), reason);
        }
    }
}
