//! The texts of the help in another language.

use std::collections::HashMap;

use clap::Arg;
use tenbin_result::Language;

use super::{WIDTH, wrap};

/// Texts of the help by what they describe.
///
/// In the file, a line `@` names one or several subjects, separated by `|`, and the lines below are
/// their text. Subjects:
///
/// - `command PATH`: what a command does, for example `command s3 put`; `command` alone is `tenbin`.
/// - `option NAME`: the help of an option, or of an argument by its value name, with `-` for `|`; `option NAME / PATH` for
///   a command in which the option has another meaning.
/// - `brief NAME`: the help of an option in few words, for the `-h` of a command with many options.
/// - `heading TEXT`: a heading, by its English text.
/// - `after PATH`: the text after the options. Examples alone need none.
pub(super) struct Catalogue {
    texts: HashMap<String, &'static str>,
}

impl Catalogue {
    /// The catalogue of a language; `None` for English.
    pub(super) fn of(language: Language) -> Option<Self> {
        match language {
            Language::English => None,
            Language::Japanese => Some(Self::read(include_str!("ja.txt"))),
        }
    }

    fn read(file: &'static str) -> Self {
        let mut texts = HashMap::new();
        for part in file.split("\n@").skip(1) {
            let (subjects, text) = part.split_once('\n').unwrap_or((part, ""));
            for subject in subjects.split('|') {
                texts.insert(subject.trim().to_owned(), text.trim());
            }
        }
        Self { texts }
    }

    fn get(&self, subject: &str) -> Option<&'static str> {
        self.texts.get(subject.trim()).copied()
    }

    /// What a command does.
    pub(super) fn about(&self, path: &str) -> Option<&'static str> {
        let name = path.rsplit(' ').next().unwrap_or(path);
        let help = || (name == "help").then(|| self.get("command help")).flatten();
        let own = self.get(&format!("command {path}"));
        own.or_else(|| self.get(&format!("command {}", plain(path))))
            .or_else(help)
    }

    /// The help of an option of a command.
    pub(super) fn option(&self, arg: &Arg, path: &str) -> Option<&'static str> {
        let value = arg.get_value_names().and_then(|names| names.first());
        let name = match arg.get_long() {
            Some(long) => long,
            None => value.map_or(arg.get_id().as_str(), |name| name.as_str()),
        };
        // `|` separates subjects.
        let name = name.replace('|', "-");
        // An option of the command around a protocol's command.
        let mut words = path.split(' ').filter(|_| path != plain(path));
        let outer = words.next().unwrap_or_default();
        let path = plain(path);
        let group = path.split(' ').next().unwrap_or(path);
        [
            format!("option {name} / {outer}"),
            format!("option {name} / {path}"),
            format!("option {name} / {group}"),
            format!("option {name}"),
        ]
        .iter()
        .find_map(|subject| self.get(subject))
    }

    /// The help of an option in few words.
    pub(super) fn brief(&self, arg: &Arg) -> Option<&'static str> {
        self.get(&format!("brief {}", arg.get_long()?))
    }

    /// A heading by its English text.
    pub(super) fn heading(&self, english: &str) -> Option<String> {
        self.get(&format!("heading {english}")).map(str::to_owned)
    }

    /// The text after the options of a command: its sentences from the catalogue, and its examples,
    /// which need no translation.
    pub(super) fn after(&self, path: &str, english: &str) -> Option<String> {
        let outer = self.get(&format!("after {path}"));
        let path = plain(path);
        let group = path.split(' ').next().unwrap_or(path);
        let own = outer.or_else(|| self.get(&format!("after {path}")));
        let prose = own.or_else(|| self.get(&format!("after {group}")));
        if let Some(whole) = prose.filter(|text| text.contains("例:")) {
            return Some(whole.to_owned());
        }
        let mut parts = Vec::new();
        for part in english.split("\n\n") {
            let (first, examples) = part.split_once('\n').unwrap_or((part, ""));
            if part.starts_with("  ") {
                parts.push(part.to_owned());
            } else if first.ends_with(':') && examples.starts_with("  ") {
                let heading = self.heading(first)?;
                parts.push(if heading.ends_with('。') {
                    // The sentence says where the list is.
                    wrap::lines(&heading, WIDTH)
                } else {
                    format!("{heading}\n{examples}")
                });
            } else if parts.is_empty() {
                parts.push(wrap::lines(prose?, WIDTH));
            }
        }
        Some(parts.join("\n\n"))
    }
}

/// The command whose options a subcommand of `tenbin gate`, `tenbin bisect` or `tenbin plan` has.
fn plain(path: &str) -> &str {
    let without = ["gate ", "bisect ", "plan "].iter();
    let mut without = without.filter_map(|before| path.strip_prefix(before));
    match without.next() {
        Some("search" | "search-ramp") => "search ramp",
        Some("file") => "run",
        Some(command) => command,
        None => path,
    }
}
