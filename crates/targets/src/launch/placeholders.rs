//! Replaces the placeholders of commands and URLs, such as `{port}`.

use std::path::PathBuf;

use tenbin_plan::Credentials;

/// Values of the placeholders for one process.
#[derive(Debug)]
pub(super) struct Placeholders {
    /// The host as written in a URL: IPv6 addresses in brackets.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) data: PathBuf,
    pub(super) credentials: Option<Credentials>,
}

impl Placeholders {
    /// Replaces the placeholders in one pass; inserted values are not searched for placeholders.
    /// Other text in braces is unchanged.
    pub(super) fn fill(&self, template: &str) -> String {
        let mut result = String::with_capacity(template.len());
        let mut rest = template;
        while let Some(brace) = rest.find('{') {
            result.push_str(&rest[..brace]);
            rest = &rest[brace..];
            match self.value_at(rest) {
                Some((placeholder, value)) => {
                    result.push_str(&value);
                    rest = &rest[placeholder.len()..];
                }
                None => {
                    result.push('{');
                    rest = &rest[1..];
                }
            }
        }
        result + rest
    }

    fn value_at(&self, text: &str) -> Option<(&'static str, String)> {
        let credentials = self.credentials.as_ref();
        let values = [
            ("{host}", Some(self.host.clone())),
            ("{port}", Some(self.port.to_string())),
            ("{data}", Some(self.data.display().to_string())),
            ("{access_key}", credentials.map(|c| c.access_key.clone())),
            (
                "{secret_key}",
                credentials.map(|c| c.secret_key.reveal().to_owned()),
            ),
        ];
        values
            .into_iter()
            .find(|(placeholder, _)| text.starts_with(placeholder))
            .and_then(|(placeholder, value)| Some((placeholder, value?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_once_and_other_braces_are_kept() {
        let values = Placeholders {
            host: "127.0.0.2".into(),
            port: 81,
            data: "/d/{port}".into(),
            credentials: Some(Credentials::literal("AK", "{port}")),
        };
        assert_eq!(
            values.fill("{data} {port}{port} {host} {secret_key} {access_key} ${x} {\"a\":{} {"),
            "/d/{port} 8181 127.0.0.2 {port} AK ${x} {\"a\":{} {"
        );
    }
}
