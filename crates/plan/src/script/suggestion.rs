//! The command line that comes nearest to a script.

use url::Url;

use super::text::{literal, quoted, word};
use crate::secrets::{conceal_parameters, is_secret_name};

/// Schemes of credentials, which stand before the secret.
const SCHEMES: &[&str] = &["Bearer", "Basic", "Token"];

/// What is known of the command line. No text in it is a secret.
#[derive(Debug, Default)]
pub(super) struct Suggestion {
    /// The URL; `None` if the script has none.
    url: Option<String>,
    /// The method.
    pub(super) method: Option<String>,
    path: Option<String>,
    body: Option<String>,
    headers: Vec<String>,
    /// Options with their values, in quotes where a shell needs them.
    pub(super) options: Vec<String>,
    /// The environment variables of the headers.
    pub(super) variables: Vec<String>,
    /// What the script has and the command line has not.
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
        self.url = Some(conceal_parameters(&shown));
    }

    /// Takes a path over, without the values of its secret parameters.
    pub(super) fn set_path(&mut self, value: &str) {
        match literal(value).filter(|path| path.starts_with('/')) {
            Some(path) => self.path = Some(conceal_parameters(path)),
            None => self.leaves_out("path"),
        }
    }

    /// Takes a body over, unless the script computes it or it names a secret.
    pub(super) fn set_body(&mut self, value: &str) {
        let is_name = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        let names_secret = |body: &&str| body.split(|c: char| !is_name(c)).any(is_secret_name);
        match literal(value).filter(|body| !names_secret(body)) {
            Some(body) => self.body = Some(body.to_owned()),
            None => self.leaves_out("body"),
        }
    }

    /// Takes a header over: a secret as a reference to an environment variable.
    pub(super) fn add_header(&mut self, name: &str, value: &str) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) {
            self.leaves_out("headers");
            return;
        }
        let text = quoted(value);
        let scheme = SCHEMES.iter().find(|scheme| {
            let rest = text.and_then(|text| text.strip_prefix(**scheme));
            rest.is_some_and(|rest| rest.starts_with(' '))
        });
        if scheme.is_some() || is_secret_name(name) {
            let variable = variable(name);
            let scheme = scheme.map_or_else(String::new, |scheme| format!("{scheme} "));
            self.headers
                .push(format!("{name}: {scheme}{{env:{variable}}}"));
            if !self.variables.contains(&variable) {
                self.variables.push(variable);
            }
        } else if let Some(text) = literal(value) {
            self.headers.push(format!("{name}: {text}"));
        } else {
            self.leaves_out(name);
        }
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
        for header in &self.headers {
            command += &format!(" -H '{header}'");
        }
        for option in &self.options {
            command += &format!(" {option}");
        }
        command
    }
}

/// The environment variable for the secret of a header.
fn variable(header: &str) -> String {
    if header.eq_ignore_ascii_case("authorization") {
        return "TOKEN".to_owned();
    }
    header.to_ascii_uppercase().replace('-', "_")
}
