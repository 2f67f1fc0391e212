//! The language of reports.

use std::env::var;
use std::ffi::OsString;
use std::sync::OnceLock;

use tenbin_result::Language;

static CHOSEN: OnceLock<Language> = OnceLock::new();

/// Sets the language of reports for this process: `--lang` if given, otherwise from the locale.
pub(crate) fn choose(flag: Option<Language>) {
    let language = flag.unwrap_or_else(|| {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
            .iter()
            .find_map(|name| var(name).ok().filter(|value| !value.is_empty()));
        locale.map_or_else(Language::default, |locale| Language::of_locale(&locale))
    });
    CHOSEN.get_or_init(|| language);
}

/// Sets the language for the help and the errors of arguments that clap does not accept.
pub(crate) fn choose_before_parsing(arguments: &[OsString]) {
    let mut words = arguments.iter().filter_map(|word| word.to_str());
    let flag = words.find_map(|word| word.strip_prefix("--lang"));
    let value = match flag {
        Some("") => words.next(),
        Some(value) => value.strip_prefix('='),
        None => None,
    };
    let variable = var("TENBIN_LANG").ok();
    let chosen = value.or(variable.as_deref());
    choose(chosen.and_then(|text| text.parse().ok()));
}

/// The language of reports.
pub(crate) fn language() -> Language {
    CHOSEN.get().copied().unwrap_or_default()
}
