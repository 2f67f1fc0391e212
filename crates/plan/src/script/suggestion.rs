//! The command line that comes nearest to a script.

use url::Url;

use super::text::{literal, word};
use crate::secrets::{conceal_parameters, is_secret_name};

/// Schemes of credentials, which stand before the secret.
const SCHEMES: &[&str] = &["Bearer", "Basic", "Token"];

/// Headers whose values are shown. Any other can hold a secret under a name that nobody knows.
const SHOWN: &[&str] = &[
    "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control",
    "connection", "content-encoding", "content-language", "content-type", "expect", "host",
    "if-modified-since", "if-none-match", "origin", "pragma", "range", "referer", "te",
    "user-agent", "x-requested-with",
];

/// What is known of the command line. No text in it is a secret.
#[derive(Debug, Default)]
pub(super) struct Suggestion {
    /// The URL; `None` if the script has none.
    url: Option<String>,
    /// The method.
    pub(super) method: Option<String>,
    path: Option<String>,
    body: Option<String>,
    /// Names and values.
    headers: Vec<(String, String)>,
    /// Options with their values, in quotes where a shell needs them.
    pub(super) options: Vec<String>,
    /// The headers that are read from the environment, in lower case, and their variables.
    variables: Vec<(String, String)>,
    /// Settings of the script that the command line omits.
    pub(super) left_out: Vec<String>,
}

impl Suggestion {
    /// Takes a URL over, without its user and the values of its secret parameters.
    pub(super) fn set_url(&mut self, url: &str) {
        let has_user = |url: &Url| !url.username().is_empty() || url.password().is_some();
        let shown = match Url::parse(url) {
            Ok(mut parsed) if has_user(&parsed) => {
                let removed = parsed.set_username("").and(parsed.set_password(None));
                if removed.is_err() {
                    return self.leaves_out("URL");
                }
                self.leaves_out("user");
                parsed.to_string()
            }
            Err(_) if url.contains('@') => return self.leaves_out("URL"),
            _ => url.to_owned(),
        };
        let shown = self.without_fragment(&shown);
        self.url = Some(conceal_parameters(shown));
    }

    /// Takes a path over, without the values of its secret parameters.
    pub(super) fn set_path(&mut self, value: &str) {
        match literal(value).filter(|path| path.starts_with('/')) {
            Some(path) => self.path = Some(conceal_parameters(self.without_fragment(path))),
            None => {
                self.path = None;
                self.leaves_out("path");
            }
        }
    }

    /// What stands before `#`, which is not sent, and may be followed by a token.
    fn without_fragment<'a>(&mut self, url: &'a str) -> &'a str {
        let Some((sent, _)) = url.split_once('#') else {
            return url;
        };
        self.leaves_out("fragment");
        sent
    }

    /// Takes a method over, unless the script computes it.
    pub(super) fn set_method(&mut self, value: &str) {
        self.method = literal(value).map(str::to_owned);
        if self.method.is_none() {
            self.leaves_out("method");
        }
    }

    /// Takes a body over, unless the script computes it or it names a secret.
    pub(super) fn set_body(&mut self, value: &str) {
        let is_name = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        let names_secret = |body: &&str| body.split(|c: char| !is_name(c)).any(is_secret_name);
        match literal(value).filter(|body| !names_secret(body)) {
            Some(body) => self.body = Some(body.to_owned()),
            None => {
                self.body = None;
                self.leaves_out("body");
            }
        }
    }

    /// Takes a header over: what may be a secret as a reference to an environment variable.
    pub(super) fn add_header(&mut self, name: &str, value: &str) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) {
            self.leaves_out("headers");
            return;
        }
        self.headers
            .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        let scheme = scheme(value);
        let text = literal(value);
        let shown = text.filter(|text| scheme.is_none() && is_shown(name, text));
        if let Some(text) = shown {
            self.headers.push((name.to_owned(), text.to_owned()));
        } else if text.is_some() || scheme.is_some() || is_secret_name(name) {
            let scheme = scheme.map_or_else(String::new, |scheme| format!("{scheme} "));
            let variable = self.variable(name);
            self.headers
                .push((name.to_owned(), format!("{scheme}{{env:{variable}}}")));
        } else {
            self.leaves_out(name);
        }
    }

    /// The environment variable for a header: no other header has it.
    fn variable(&mut self, header: &str) -> String {
        let header = header.to_ascii_lowercase();
        let known = self.variables.iter().find(|(known, _)| *known == header);
        if let Some((_, variable)) = known {
            return variable.clone();
        }
        let plain = match header.as_str() {
            "authorization" => "TOKEN".to_owned(),
            other => other.to_ascii_uppercase().replace('-', "_"),
        };
        let mut variable = plain.clone();
        let mut number = 2;
        while self.variables.iter().any(|(_, known)| *known == variable) {
            variable = format!("{plain}_{number}");
            number += 1;
        }
        self.variables.push((header, variable.clone()));
        variable
    }

    /// The environment variables that the command line reads.
    pub(super) fn variables(&self) -> Vec<String> {
        let read = |variable: &str| {
            let reference = format!("{{env:{variable}}}");
            let mut values = self.headers.iter().map(|(_, value)| value);
            values.any(|value| value.contains(&reference))
        };
        let all = self.variables.iter().map(|(_, variable)| variable);
        all.filter(|variable| read(variable.as_str()))
            .cloned()
            .collect()
    }

    /// Names a part of the script that has no place in the command line.
    pub(super) fn leaves_out(&mut self, part: &str) {
        if !self.left_out.iter().any(|known| known == part) {
            self.left_out.push(part.to_owned());
        }
    }

    /// The command line.
    pub(super) fn command(&self) -> String {
        let url = self.url.as_deref().unwrap_or("URL");
        let mut command = format!("tenbin http --target NAME={}", word(url));
        if let Some(method) = self.method.as_deref().filter(|method| *method != "GET") {
            command += &format!(" -X {}", word(method));
        }
        if let Some(path) = &self.path {
            command += &format!(" --path {}", word(path));
        }
        if let Some(body) = &self.body {
            command += &format!(" --body '{body}'");
        }
        for (name, value) in &self.headers {
            command += &format!(" -H '{name}: {value}'");
        }
        for option in &self.options {
            command += &format!(" {option}");
        }
        command
    }
}

/// Whether the value of a header is no secret.
fn is_shown(header: &str, text: &str) -> bool {
    let header = header.to_ascii_lowercase();
    let is_known = SHOWN.contains(&header.as_str());
    let is_url = matches!(header.as_str(), "host" | "origin" | "referer");
    let is_plain_url = !is_url || !text.contains(['?', '#', '@', ';']);
    is_known && is_plain_url && !text.contains("{env:")
}

/// The scheme of credentials with which a value begins, also if the script computes the rest.
fn scheme(value: &str) -> Option<&'static str> {
    let text = value.trim_start().strip_prefix(['\'', '"', '`'])?;
    let begins = |scheme: &&&str| {
        let rest = text.strip_prefix(**scheme);
        rest.is_some_and(|rest| rest.starts_with(' '))
    };
    SCHEMES.iter().find(begins).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_headers_without_secrets_are_shown() {
        let mut found = Suggestion::default();
        for (name, value) in [
            ("Accept", "'a/b'"),
            ("User-Agent", "'test'"),
            ("Referer", "'http://a/b'"),
            ("X-Auth", "'abc-123'"),
            ("X-Auth-Key", "'abc-123'"),
            ("X-Functions-Key", "\"abc-123\""),
            ("Ocp-Apim-Subscription-Key", "'abc-123'"),
            ("Origin", "'http://me:abc-123@a'"),
            ("User", "name"),
        ] {
            found.add_header(name, value);
        }
        assert_eq!(
            found.command(),
            "tenbin http --target NAME=URL -H 'Accept: a/b' -H 'User-Agent: test' -H 'Referer: \
             http://a/b' -H 'X-Auth: {env:X_AUTH}' -H 'X-Auth-Key: {env:X_AUTH_KEY}' -H \
             'X-Functions-Key: {env:X_FUNCTIONS_KEY}' -H 'Ocp-Apim-Subscription-Key: \
             {env:OCP_APIM_SUBSCRIPTION_KEY}' -H 'Origin: {env:ORIGIN}'"
        );
        assert_eq!(found.left_out, ["User"]);
        found.add_header("Referer", "'http://a/b?token=abc-123'");
        assert!(!found.command().contains("abc-123"), "{found:?}");
    }

    #[test]
    fn each_header_has_its_own_variable() {
        let mut found = Suggestion::default();
        for (name, value) in [
            ("Authorization", "`Bearer ${key}`"),
            ("Token", "'a'"),
            ("X-A", "'a'"),
            ("X_A", "'a'"),
            ("authorization", "'Basic ' + key"),
        ] {
            found.add_header(name, value);
        }
        assert_eq!(
            found.command(),
            "tenbin http --target NAME=URL -H 'Token: {env:TOKEN_2}' -H 'X-A: {env:X_A}' -H \
             'X_A: {env:X_A_2}' -H 'authorization: Basic {env:TOKEN}'"
        );
        assert_eq!(found.variables(), ["TOKEN", "TOKEN_2", "X_A", "X_A_2"]);
    }

    #[test]
    fn secrets_of_urls_are_not_shown() {
        for (url, shown) in [
            ("http://a/b#access_token=abc-123", "http://a/b"),
            ("http://me:abc-123@a/b#c", "http://a/b"),
            (
                "http://a/b;jsessionid=abc-123?c=d",
                "'http://a/b;jsessionid=…?c=d'",
            ),
            ("http://a/b?c=/d?token=abc-123", "'http://a/b?c=…'"),
        ] {
            let mut found = Suggestion::default();
            found.set_url(url);
            assert_eq!(
                found.command(),
                format!("tenbin http --target NAME={shown}"),
                "{url}"
            );
        }
        let mut found = Suggestion::default();
        found.set_path("'/a#access_token=abc-123'");
        assert_eq!(found.command(), "tenbin http --target NAME=URL --path /a");
        assert_eq!(found.left_out, ["fragment"]);
    }
}
