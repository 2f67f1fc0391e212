//! How a setting that differs between two runs is shown: a list as its items, headers by name.

use std::collections::{BTreeMap, BTreeSet};

use tenbin_result::{Message, Value, message};

use crate::escape::for_terminal;

/// The key of the request headers.
const HEADERS: &str = "headers";

/// A setting, or one header, that differs between two runs.
pub(crate) struct Difference {
    /// Key of the setting, or name of the header.
    name: String,
    is_header: bool,
    /// Value in the first run.
    pub(crate) then: Value,
    /// Value in the second run.
    pub(crate) now: Value,
}

impl Difference {
    /// What differs, to continue with both values.
    pub(crate) fn name(&self) -> Value {
        if self.is_header {
            message!("setting-header", name = self.name.as_str()).into()
        } else {
            self.name.as_str().into()
        }
    }

    /// What differs, with both values.
    pub(crate) fn message(self) -> Message {
        let Self {
            name,
            is_header,
            then,
            now,
        } = self;
        if is_header {
            message!("header-differs", name, then, now)
        } else {
            message!("setting-differs", key = name, then, now)
        }
    }
}

/// The differences between the two values of a setting, at least one. Headers that are in only one of
/// the runs are shown without their values.
pub(crate) fn differences(key: &str, then: Option<&str>, now: Option<&str>) -> Vec<Difference> {
    if key == HEADERS {
        let differing = differing_headers(then, now);
        if !differing.is_empty() {
            return differing;
        }
    }
    vec![Difference {
        name: key.to_owned(),
        is_header: false,
        then: shown(then),
        now: shown(now),
    }]
}

fn differing_headers(then: Option<&str>, now: Option<&str>) -> Vec<Difference> {
    let [then, now] = [then, now].map(headers);
    let names: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    let mut differing = Vec::new();
    for name in names {
        let (one, other) = match (then.get(name), now.get(name)) {
            (Some(one), Some(other)) if one != other => (quoted(one), quoted(other)),
            (Some(_), None) => (message!("given").into(), message!("not-given").into()),
            (None, Some(_)) => (message!("not-given").into(), message!("given").into()),
            _ => continue,
        };
        differing.push(Difference {
            name: for_terminal(name),
            is_header: true,
            then: one,
            now: other,
        });
    }
    differing
}

/// The values of each header in a list of `name: value`.
fn headers(list: Option<&str>) -> BTreeMap<String, String> {
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    for line in list.and_then(items).unwrap_or_default() {
        let (name, value) = line.split_once(':').unwrap_or((line.as_str(), ""));
        let values = headers.entry(name.trim().to_owned()).or_default();
        if !values.is_empty() {
            values.push_str(", ");
        }
        values.push_str(value.trim());
    }
    headers
}

fn shown(value: Option<&str>) -> Value {
    let Some(value) = value else {
        return message!("not-given").into();
    };
    match items(value) {
        Some(items) if !items.is_empty() => quoted(&items.join(", ")),
        _ => Value::Text(format!("{value:?}")),
    }
}

fn quoted(text: &str) -> Value {
    Value::Text(format!("\"{}\"", for_terminal(text)))
}

/// The items of a list in the syntax of plan files; `None` if the value is no list of one line.
fn items(value: &str) -> Option<Vec<String>> {
    let items: Vec<serde_json::Value> = serde_json::from_str(value).ok()?;
    let text = |item: serde_json::Value| match item {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    };
    Some(items.into_iter().map(text).collect())
}

#[cfg(test)]
mod tests {
    use tenbin_result::Language;

    use super::*;
    use crate::language::say_in;

    fn said(key: &str, then: Option<&str>, now: Option<&str>) -> Vec<String> {
        let all = differences(key, then, now).into_iter();
        all.map(|each| say_in(Language::English, &each.message()))
            .collect()
    }

    #[test]
    fn a_header_is_shown_by_its_name() {
        let key = r#"["Authorization: {env:KEY}"]"#;
        assert_eq!(
            said("headers", Some(key), None),
            ["header Authorization: given, then not given"]
        );
        let json = r#"["Accept: text/html", "X-A: 1"]"#;
        let other = r#"["Accept: */*", "X-A: 1", "X-B: 2"]"#;
        assert_eq!(
            said("headers", Some(json), Some(other)),
            [
                "header Accept: \"text/html\", then \"*/*\"",
                "header X-B: not given, then given"
            ]
        );
        let [one, two] = [r#"["A: 1", "B: 2"]"#, r#"["B: 2", "A: 1"]"#];
        assert_eq!(
            said("headers", Some(one), Some(two)),
            ["headers \"A: 1, B: 2\", then \"B: 2, A: 1\""]
        );
    }

    #[test]
    fn a_list_is_shown_as_its_items() {
        assert_eq!(
            said("accept", Some("[200, 404]"), Some("[200]")),
            ["accept \"200, 404\", then \"200\""]
        );
        assert_eq!(
            said("range", None, Some("random:512")),
            ["range not given, then \"random:512\""]
        );
    }
}
