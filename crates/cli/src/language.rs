//! The language of reports.

use std::env::var;
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

/// The language of reports.
pub(crate) fn language() -> Language {
    CHOSEN.get().copied().unwrap_or_default()
}
