//! Secret values, which no file written by Tenbin contains.

pub(crate) mod environment;
mod in_text;
pub(crate) mod literal;
mod parameters;
pub(crate) mod placeholders;
pub(crate) mod printed;
pub(crate) mod secret;

use std::fmt;

pub use in_text::{conceal_name, conceal_text, conceal_words, quotable, quoted_line};
pub use parameters::{conceal_parameters, conceal_url};
use url::Url;

/// Words in names of secrets: a value is a secret if its name contains one of these words. Names
/// are compared in lower case, without `-`, `_` and `.`.
const PARTS: &[&str] = &[
    "accesskey", "apikey", "authkey", "authorization", "cookie", "credential", "functionskey",
    "passphrase", "passwd", "password", "privatekey", "secret", "sessionid", "signature",
    "subscriptionkey", "token",
];
/// Complete names of secrets. Parts of names are not compared with these words, because many other
/// names contain one of them.
const WHOLE: &[&str] = &["auth", "jwt", "pass", "pwd", "sig"];

/// Whether a header, an environment variable, a query parameter or a field of a body with this
/// name holds a secret.
pub fn is_secret_name(name: &str) -> bool {
    let plain: String = name
        .chars()
        .filter(|c| !matches!(c, '-' | '_' | '.'))
        .map(|c| c.to_ascii_lowercase())
        .collect();
    WHOLE.contains(&plain.as_str()) || PARTS.iter().any(|part| plain.contains(part))
}

/// Minimum length in bytes of a value that is searched for in longer texts. A shorter value can be
/// part of other text by chance.
const TELLING: usize = 8;

/// Secret values of a target or a workload, each with the reference that replaces it in printed
/// text, for example `{env:API_TOKEN}`.
#[derive(Clone, Default, PartialEq)]
pub struct Secrets(Vec<Concealed>);

#[derive(Clone, PartialEq)]
struct Concealed {
    value: String,
    reference: String,
    /// Whether the value includes the name of the parameter: `sig=abc`.
    is_pair: bool,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|each| &each.reference))
            .finish()
    }
}

impl Secrets {
    /// Adds a value as written and URL-encoded. A value of fewer than [`TELLING`] bytes is
    /// concealed only if the value is the whole text, because a short value can be part of other
    /// text by chance.
    pub(crate) fn add(&mut self, value: &str, reference: &str) {
        self.add_forms(value, reference, false);
    }

    /// Adds the value of a parameter. Together with the name of the parameter, a value of any length is
    /// concealed wherever it stands.
    pub(crate) fn add_parameter(&mut self, name: &str, value: &str, reference: &str) {
        self.add(value, reference);
        let reference = format!("{name}={reference}");
        self.add_forms(&format!("{name}={value}"), &reference, true);
    }

    fn add_forms(&mut self, value: &str, reference: &str, is_pair: bool) {
        let mut forms = vec![value.to_owned()];
        forms.extend([in_query(value), as_url(value)].into_iter().flatten());
        for value in forms {
            let concealed = Concealed {
                value,
                reference: reference.to_owned(),
                is_pair,
            };
            if !concealed.value.is_empty() && !self.0.contains(&concealed) {
                self.0.push(concealed);
            }
        }
        // One secret can be part of another, so the longest is replaced first.
        self.0
            .sort_by_key(|each| std::cmp::Reverse(each.value.len()));
    }

    /// The values that are too long to be part of other text by chance, as written and URL-encoded.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        let long = self.0.iter().filter(|each| each.value.len() >= TELLING);
        long.map(|each| each.value.as_str())
    }

    fn telling(&self) -> impl Iterator<Item = &Concealed> {
        let all = self.0.iter();
        all.filter(|each| each.is_pair || each.value.len() >= TELLING)
    }

    /// The text with a reference in place of every secret value, also of one that is cut off at the
    /// end of the text.
    pub fn conceal(&self, text: &str) -> String {
        let whole = self.0.iter().find(|each| each.value == text);
        let text = whole.map_or(text, |each| &each.reference);
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            let whole = self.telling().find(|each| rest.starts_with(&each.value));
            let covered = whole.map_or(TELLING - 1, |each| each.value.len());
            let mut longer = self.telling().filter(|_| rest.len() > covered);
            let cut = longer.find(|each| each.value.starts_with(rest));
            match cut.or(whole) {
                Some(each) => {
                    shown += &each.reference;
                    rest = rest.get(each.value.len()..).unwrap_or_default();
                }
                None => {
                    shown.push(next);
                    rest = &rest[next.len_utf8()..];
                }
            }
        }
        shown
    }
}

/// The text as the `url` crate prints it after parsing; `None` if the text is not a URL.
fn as_url(text: &str) -> Option<String> {
    Some(Url::parse(text).ok()?.to_string())
}

/// The value as the `url` crate encodes it in a query.
fn in_query(value: &str) -> Option<String> {
    let url = Url::parse(&format!("http://host/?{value}")).ok()?;
    url.query().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_recognized_in_any_spelling() {
        for name in [
            "Authorization", "DB_PASSWORD", "x-api-key", "X-Amz-Signature", "MINIO_SECRET_KEY",
            "access_token", "sig", "PGPASSWORD", "X-Auth-Key", "Ocp-Apim-Subscription-Key",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["Accept", "PATH", "design", "key", "author", "bypass", "q"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn a_value_that_is_cut_off_is_concealed() {
        let mut secrets = Secrets::default();
        secrets.add("secret-1", "{env:A}");
        secrets.add("secret-1234567", "{env:B}");
        assert_eq!(secrets.conceal("/x?t=secret-1234"), "/x?t={env:B}");
        assert_eq!(secrets.conceal("/x?t=secret-1"), "/x?t={env:A}");
        // Too few characters to tell.
        assert_eq!(secrets.conceal("/x?t=secret"), "/x?t=secret");
    }

    #[test]
    fn a_value_is_concealed_wherever_it_stands_and_the_longest_first() {
        let mut secrets = Secrets::default();
        secrets.add("secret-1", "{env:A}");
        secrets.add("secret-1 2", "{env:B}");
        secrets.add("abc", "{env:C}");
        assert_eq!(
            secrets.conceal("/x?t=secret-1&u=secret-1%202&v=secret-1 2&w=abc"),
            "/x?t={env:A}&u={env:B}&v={env:B}&w=abc"
        );
        assert_eq!(secrets.conceal("abc"), "{env:C}");
        assert!(!format!("{secrets:?}").contains("abc"));
    }

    #[test]
    fn a_short_value_is_concealed_after_its_name() {
        let mut secrets = Secrets::default();
        secrets.add_parameter("sig", "ab", "{env:S}");
        assert_eq!(secrets.conceal("/ab?sig=ab&q=ab"), "/ab?sig={env:S}&q=ab");
        assert_eq!(secrets.conceal("/x?sig="), "/x?sig=");
        assert_eq!(secrets.values().count(), 0);
    }
}
