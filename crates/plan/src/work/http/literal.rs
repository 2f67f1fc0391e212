//! Text in a request that looks like a template of another tool and is sent literally.

use serde_json::Value;

use super::HttpWork;
use super::draft::Patterns;
use crate::patterns::PatternFormat;
use crate::work::facts::{LiteralTemplate, TemplatePart};

/// Longest placeholder, bytes: longer text in braces is content.
const LONGEST: usize = 60;
/// Methods that a document in braces can begin with instead of a brace: GraphQL.
const GRAPHQL: [&str; 4] = ["query", "mutation", "subscription", "fragment"];
/// Names of shells and of k6 that stand without braces.
const BARE: [&str; 3] = ["$RANDOM", "__VU", "__ITER"];

/// The parts of the request that look like templates, one for each part.
pub(super) fn literal_templates(work: &HttpWork) -> Vec<LiteralTemplate> {
    let headers = work.printed_headers.iter().zip(&work.headers);
    let headers = headers.filter_map(|((name, printed), (_, value))| {
        let text = in_text(printed, false).or_else(|| whole(value))?;
        Some(found_in(TemplatePart::Header(name.clone()), text))
    });
    if let Some(patterns) = &work.patterns {
        return in_patterns(patterns).into_iter().chain(headers).collect();
    }
    let mut all = Vec::new();
    if let Some(path) = work.shown_path() {
        all.extend(in_path(&TemplatePart::Path, &path));
    }
    all.extend(headers);
    if work.body_file.is_none()
        && let Ok(body) = str::from_utf8(&work.body)
    {
        let is_stored_template = work.path.as_deref().is_some_and(|path| {
            // OpenSearch replaces {{name}} in stored and in sent search templates.
            path.contains("template") || path.contains("_scripts")
        });
        let body = work.secrets.conceal(body);
        let found = in_body(&body, is_stored_template);
        all.extend(found.map(|text| found_in(TemplatePart::Body, &text)));
    }
    all
}

/// The first template in the paths of a file of patterns, unless the file is a log or the requests are
/// made from templates.
fn in_patterns(patterns: &Patterns) -> Option<LiteralTemplate> {
    let is_log = matches!(
        patterns.patterns_format,
        PatternFormat::AccessLog | PatternFormat::GroongaLog | PatternFormat::OpenSearchLog
    );
    if is_log || patterns.by_target.is_some() || patterns.of_corpus {
        return None;
    }
    let mut paths = patterns.set.patterns().iter().map(|pattern| &pattern.path);
    paths.find_map(|path| in_path(&TemplatePart::PatternPath, path))
}

/// The template in the path and query of a URL, if any.
pub(crate) fn in_path(part: &TemplatePart, path: &str) -> Option<LiteralTemplate> {
    // Most paths, of which a file of patterns can have a million, need no further look.
    if !path.contains(['{', '[', '$']) && !path.contains("%7B") && !path.contains("__") {
        return None;
    }
    // URLs are kept with percent-encoded braces.
    let path = path.replace("%7B", "{").replace("%7D", "}");
    let path = path.replace("%20", " ");
    let found = in_text(&path, false).or_else(|| range(&path))?;
    Some(found_in(part.clone(), found))
}

fn found_in(part: TemplatePart, text: &str) -> LiteralTemplate {
    let text = text.chars().take(LONGEST).collect();
    LiteralTemplate { part, text }
}

fn in_body(body: &str, is_stored_template: bool) -> Option<String> {
    let trimmed = body.trim();
    let is_file_name = trimmed.len() > 1 && !trimmed.contains(char::is_whitespace);
    if trimmed.starts_with('@') && is_file_name {
        return Some(trimmed.to_owned());
    }
    if let Ok(value) = serde_json::from_str::<Value>(trimmed) {
        return in_json(&value, is_stored_template).map(str::to_owned);
    }
    let is_graphql = GRAPHQL.iter().any(|word| trimmed.starts_with(word));
    in_text(trimmed, is_graphql || trimmed.starts_with('{')).map(str::to_owned)
}

/// The first template in the names and texts of a JSON document.
fn in_json(value: &Value, is_stored_template: bool) -> Option<&str> {
    let wanted = |text: &&str| !(is_stored_template && text.starts_with("{{"));
    match value {
        Value::String(text) => in_text(text, false).filter(wanted),
        Value::Array(items) => items.iter().find_map(|it| in_json(it, is_stored_template)),
        Value::Object(entries) => entries.iter().find_map(|(name, value)| match value {
            // A document of GraphQL has words in braces.
            Value::String(text) if name == "query" => in_text(text, true),
            value => in_text(name, false)
                .filter(wanted)
                .or_else(|| in_json(value, is_stored_template)),
        }),
        _ => None,
    }
}

/// The template that is the whole value of a header, but for the name of a scheme such as `Bearer`.
/// What is printed of a header with a secret has a reference in place of the value, and only a value
/// that is nothing but a template is surely none.
fn whole(value: &str) -> Option<&str> {
    let last = value.rsplit(' ').next().unwrap_or(value);
    (template(last) == Some(last.len())).then_some(last)
}

/// The first template in a text: `{word}`, `{{word}}`, `${word}`, `$(command)`, `{1..9}`,
/// `{word 1-9}`, and the names in [`BARE`]. With `nests`, a word in braces counts only after a colon
/// or an equals sign, because the language of the text has other words in braces.
fn in_text(text: &str, nests: bool) -> Option<&str> {
    let mut from = 0;
    while let Some(found) = text[from..].find(['{', '$']) {
        let at = from + found;
        let (before, rest) = (text[..at].trim_end(), &text[at..]);
        let is_value = !nests || before.ends_with([':', '=']);
        let is_clear =
            |length: usize| rest.starts_with("{{") || is_name_with_numbers(&rest[1..length - 1]);
        if let Some(length) = template(rest).filter(|length| is_value || is_clear(*length)) {
            return Some(&rest[..length]);
        }
        from = at + 1;
    }
    let mut bare = BARE.iter();
    bare.find_map(|name| Some(&text[text.find(*name)?..][..name.len()]))
}

/// The length of the template at the start of `text`.
fn template(text: &str) -> Option<usize> {
    let (open, close) = [("{{", "}}"), ("${", "}"), ("$(", ")"), ("{", "}")]
        .into_iter()
        .find(|(open, _)| text.starts_with(open))?;
    let inner = &text[open.len()..];
    let inner = &inner[..inner.find(close).filter(|length| *length <= LONGEST)?];
    let is_template = match open {
        "$(" => inner
            .trim_start_matches('(')
            .starts_with(|c: char| c.is_ascii_alphabetic()),
        _ => is_word(inner.trim()) || is_span(inner) || is_name_with_numbers(inner),
    };
    (is_template && !inner.starts_with("env:")).then_some(open.len() + inner.len() + close.len())
}

/// A name as in templates: `random`, `$randomInt`, `.id`, `user.id`, `randInt:1:9`.
fn is_word(text: &str) -> bool {
    let name = text.trim_start_matches(['$', '.', '#', '_']);
    let is_first = |c: char| c.is_ascii_alphabetic();
    let is_further = |c: char| c.is_ascii_alphanumeric() || "._:-".contains(c);
    // A call such as randomInt(1,9).
    let name = name.split_once('(').map_or(name, |(name, _)| name);
    name.starts_with(is_first) && name.chars().all(is_further)
}

/// A name with numbers, as in templates: `random:1-9`, `random 1..9`, `randInt(1,9)`.
fn is_name_with_numbers(text: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let Some((end, sign)) = text.char_indices().find(|(_, c)| !is_name(*c)) else {
        return false;
    };
    let numbers = text[end..].trim_start_matches([':', '(', ' ']);
    let numbers = numbers.trim_end_matches([')', ' ']);
    let is_part = |c: char| c.is_ascii_digit() || ".,- ".contains(c);
    // One number alone is rather code or an object: `return 1`, `a:1.5`.
    let are_several = numbers.contains("..") || numbers.contains([',', '-']);
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && matches!(sign, ':' | '(' | ' ')
        && are_several
        && numbers.starts_with(|c: char| c.is_ascii_digit())
        && numbers.chars().all(is_part)
}

/// Numbers from one to another: `1..100`.
fn is_span(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.split_once("..")
        .is_some_and(|(first, last)| is_number(first) && is_number(last))
}

/// Numbers as curl replaces them: `[1-100]`.
fn range(path: &str) -> Option<&str> {
    let at = path.find('[')?;
    let length = path[at..].find(']')?;
    let (first, last) = path[at + 1..at + length].split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (is_number(first) && is_number(last)).then(|| &path[at..=at + length])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::facts::TemplateMeaning;

    fn body(text: &str) -> Option<String> {
        in_body(text, false)
    }

    #[test]
    fn templates_of_other_tools_are_recognised() {
        for (path, text) in [
            ("/json?x={random}", "{random}"),
            ("/items/{{id}}", "{{id}}"),
            ("/items/%7Bid%7D", "{id}"),
            ("/items/${__VU}", "${__VU}"),
            ("/items/$(uuidgen)", "$(uuidgen)"),
            ("/items/{1..100}", "{1..100}"),
            ("/items/[1-100]", "[1-100]"),
            ("/items/{{$randomInt}}", "{{$randomInt}}"),
            ("/items/{randInt(1,9)}", "{randInt(1,9)}"),
            ("/items/{random:1..1000}", "{random:1..1000}"),
            ("/items/%7Brandom%201-1000%7D", "{random 1-1000}"),
            ("/items/u{random:1-1000}", "{random:1-1000}"),
            ("/items/$RANDOM", "$RANDOM"),
            ("/items/__VU", "__VU"),
        ] {
            let found = in_path(&TemplatePart::Path, path).expect(path);
            assert_eq!(found.text, text);
        }
        for (given, text) in [
            (r#"{"id":{random}}"#, "{random}"),
            (r#"{"id":"{random}"}"#, "{random}"),
            (r#"{"a":[{"b":"x-{{uuid}}"}]}"#, "{{uuid}}"),
            ("id={random}&b=1", "{random}"),
            (r#"{"user":"u{random 1-1000}"}"#, "{random 1-1000}"),
            (r#"{"user":u{random:1-1000}}"#, "{random:1-1000}"),
            (r#"{"user":"u$RANDOM"}"#, "$RANDOM"),
            ("user=u__VU", "__VU"),
            ("@file.json", "@file.json"),
            ("@-", "@-"),
        ] {
            assert_eq!(body(given).as_deref(), Some(text), "{given}");
        }
        let meaning = |text: &str| found_in(TemplatePart::Body, text).meaning();
        assert_eq!(meaning("@f"), TemplateMeaning::File);
        assert_eq!(meaning("{term:groonga}"), TemplateMeaning::Terms);
        assert_eq!(meaning("{random}"), TemplateMeaning::Values);
    }

    #[test]
    fn a_range_of_numbers_is_read_and_a_wrong_range_is_none() {
        let meaning = |text: &str| found_in(TemplatePart::Path, text).meaning();
        for text in [
            "{random:1-1000}", "{random 1-1000}", "{random:1..1000}", "{randInt(1,1000)}",
            "{1..1000}", "[1-1000]",
        ] {
            let (first, last) = (1, 1000);
            assert_eq!(
                meaning(text),
                TemplateMeaning::Numbers { first, last },
                "{text}"
            );
        }
        for text in [
            "{random:9-1}",
            "{random:a-b}",
            "{random:}",
            "{random:1}",
            "{random:1-99999999}",
            "{random:-5-9}",
            "{v1-2}",
            "{random:99999999999999999999-3}",
        ] {
            assert_eq!(meaning(text), TemplateMeaning::Values, "{text}");
        }
    }

    #[test]
    fn ordinary_braces_are_no_templates() {
        for path in [
            "/a?filter={\"a\":1}", "/a?q={}", "/a?price=$5", "/a[0]?b[c]=1",
            "/a?q=%7B%22a%22%3A1%7D",
        ] {
            assert_eq!(in_path(&TemplatePart::Path, path), None, "{path}");
        }
        for given in [
            "",
            "{}",
            r#"{"query":{"match_all":{}}}"#,
            r#"{"a":{"b":[1,2,{"c":null}]}}"#,
            r#"{"query":"{ user { name } }"}"#,
            r#"{"query":"{hero}"}"#,
            "query { user(id: 1) { name } }",
            r#"{"query":"query($id: ID!) { user(id: $id) {name} }"}"#,
            r#"{"$gt":1,"price":"$5"}"#,
            "{\"index\":{}}\n{\"query\":{\"match_all\":{}}}\n",
            "user@example.com",
            "@user hello",
            "function f() {\n  return 1;\n}",
            "f=() => {return 1}",
            "{ user(id: 1) { name } }",
            "{a:1.5}",
        ] {
            assert_eq!(body(given), None, "{given}");
        }
        let template = r#"{"id":"stored","params":{"name":"{{name}}"}}"#;
        assert_eq!(in_body(template, true), None);
    }
}
