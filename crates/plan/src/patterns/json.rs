//! Groups of patterns as JSON, in the forms that drnbench accepts: groups by name, a list of
//! groups, or one group.

use std::cell::Cell;
use std::fmt;

use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::builder::{Builder, MOST_PATTERNS};
use super::fault::{Fault, Spot};
use super::request;
use super::set::Pattern;
use crate::check::Check;
use crate::{Sentence, conceal_text, sentence};

/// Reads the text; patterns without a method get `method`.
pub(super) fn read(text: &str, method: &str, builder: &mut Builder) -> Result<(), Fault> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let fault = |error| {
        if is_object_per_line(text) {
            Fault::of_values()
        } else {
            fault(error)
        }
    };
    let groups = reader
        .deserialize_any(FileVisitor(&Count::default()))
        .map_err(fault)?;
    reader.end().map_err(fault)?;
    let several = groups.len() > 1;
    for (index, (name, group)) in groups.into_iter().enumerate() {
        let name = match name {
            Some(name) => name,
            None if several => format!("group {}", index + 1),
            None => "patterns".to_owned(),
        };
        take(builder, &name, group, method).map_err(|why| {
            Fault::of_file(sentence!("of-group", "group {name:?}: {why}", name, why))
        })?;
    }
    Ok(())
}

/// Whether the first two lines are an object each, as in NDJSON.
fn is_object_per_line(text: &str) -> bool {
    let is_object =
        |line: &str| line.starts_with('{') && serde_json::from_str::<de::IgnoredAny>(line).is_ok();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = [lines.next(), lines.next()];
    first.iter().all(|line| line.is_some_and(is_object))
}

fn fault(error: serde_json::Error) -> Fault {
    let text = error.to_string();
    let why = match text.rfind(" at line ") {
        Some(place) => text[..place].to_owned(),
        None => text,
    };
    let why = conceal_text(&why);
    let spot = match error.line() {
        0 => Spot::File,
        line => Spot::Column(line, error.column().max(1)),
    };
    let why = why.into();
    Fault { spot, why }
}

fn take(builder: &mut Builder, name: &str, group: Group, method: &str) -> Result<(), Sentence> {
    if group.frequency == Some(0.0) {
        builder.note(sentence!(
            "group-left-out",
            "group {name:?} is left out: its frequency is 0",
            name
        ));
        return Ok(());
    }
    let at = builder.new_group(name, group.frequency)?;
    builder.check_group(at, group.checks);
    let shared = &group.shared;
    for (index, own) in group.patterns.into_iter().enumerate() {
        let pattern = pattern(at, own, shared, method);
        pattern
            .and_then(|pattern| builder.push(pattern))
            .map_err(|why| {
                sentence!(
                    "of-pattern",
                    "pattern {index}: {why}",
                    index = index + 1,
                    why
                )
            })?;
    }
    Ok(())
}

fn pattern(
    group: usize,
    own: Request,
    shared: &Request,
    method: &str,
) -> Result<Pattern, Sentence> {
    let given = own.method.or_else(|| shared.method.clone());
    let method = given.unwrap_or_else(|| method.to_owned());
    let path = own.path.or_else(|| shared.path.clone());
    let mut path = path.ok_or_else(|| {
        sentence!(
            "pattern-without-path",
            "it has no path, and neither has its group"
        )
    })?;
    let body = own.body.or_else(|| shared.body.clone());
    let body = match body {
        None => Vec::new(),
        // The body of a GET has no meaning: as in drnbench, the body becomes the query.
        Some(body) if matches!(method.as_str(), "GET" | "HEAD") => {
            path = request::path(&with_query(path, &body)?)?;
            Vec::new()
        }
        Some(Value::String(text)) => text.into_bytes(),
        Some(other) => other.to_string().into_bytes(),
    };
    request::body(body.len())?;
    Ok(Pattern {
        group,
        method,
        path,
        host: own.host.or_else(|| shared.host.clone()),
        port: own.port.or(shared.port),
        headers: own.headers,
        body,
        timeout: own.timeout.or(shared.timeout),
        term: None,
        logged: None,
    })
}

/// `path` with the members of the object `body` as an encoded query.
fn with_query(mut path: String, body: &Value) -> Result<String, Sentence> {
    let mut push = |text: &str| {
        path.push(if path.contains('?') { '&' } else { '?' });
        path.push_str(text);
    };
    match body {
        Value::String(query) => push(query.trim_start_matches('?')),
        Value::Object(members) => {
            for (name, value) in members {
                let mut pair = String::new();
                request::push_query_value(&mut pair, name);
                pair.push('=');
                match value {
                    Value::String(text) => request::push_query_value(&mut pair, text),
                    other => request::push_query_value(&mut pair, &other.to_string()),
                }
                push(&pair);
            }
        }
        _ => {
            return Err(sentence!(
                "body-of-get",
                "the body of a GET is text or an object: it becomes the query"
            ));
        }
    }
    Ok(path)
}

/// The keys that groups and patterns have in common.
#[derive(Default)]
struct Request {
    path: Option<String>,
    method: Option<String>,
    host: Option<String>,
    port: Option<u16>,
    timeout: Option<std::time::Duration>,
    headers: Vec<(String, String)>,
    body: Option<Value>,
}

const REQUEST_KEYS: &[&str] = &[
    "path", "method", "host", "port", "timeout", "headers", "body",
];

impl Request {
    /// Reads the value of `key`, one of [`REQUEST_KEYS`], from `map`, and checks the value.
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let wrong = <A::Error as de::Error>::custom;
        match key {
            "path" => {
                let path: String = map.next_value()?;
                self.path = Some(request::path(&path).map_err(wrong)?);
            }
            "method" => {
                let method: String = map.next_value()?;
                self.method = Some(request::method(&method).map_err(wrong)?);
            }
            "host" => {
                let host: String = map.next_value()?;
                self.host = Some(request::host(&host).map_err(wrong)?);
            }
            "port" => {
                let port: u16 = map.next_value()?;
                if port == 0 {
                    return Err(wrong("0 is not a port".into()));
                }
                self.port = Some(port);
            }
            "timeout" => {
                let seconds: f64 = map.next_value()?;
                self.timeout = Some(request::timeout(seconds).map_err(wrong)?);
            }
            "headers" => {
                let headers: serde_json::Map<String, Value> = map.next_value()?;
                request::headers(headers.len()).map_err(wrong)?;
                self.headers = headers
                    .into_iter()
                    .map(|(name, value)| {
                        let value = match value {
                            Value::String(text) => text,
                            Value::Number(number) => number.to_string(),
                            _ => return Err(format!("header {name:?} is not text").into()),
                        };
                        request::header(&name, &value)?;
                        Ok((name, value))
                    })
                    .collect::<Result<_, Sentence>>()
                    .map_err(wrong)?;
            }
            _ => self.body = Some(map.next_value()?),
        }
        Ok(())
    }
}

#[derive(Default)]
struct Group {
    frequency: Option<f64>,
    shared: Request,
    patterns: Vec<Request>,
    checks: Vec<Check>,
}

/// An element of a list: a pattern or a group, known only after the element is read.
enum Item {
    Pattern(Box<Request>),
    Group(Box<Group>),
}

/// The number of list items and members read so far. Each is counted before it is stored, so that a
/// file with too many items is refused before they take memory.
#[derive(Default)]
struct Count(Cell<usize>);

impl Count {
    fn one_more<E: de::Error>(&self) -> Result<(), E> {
        self.0.set(self.0.get() + 1);
        if self.0.get() > MOST_PATTERNS {
            Err(E::custom(format!(
                "it has more than {MOST_PATTERNS} requests"
            )))
        } else {
            Ok(())
        }
    }
}

/// A whole file: groups, each with its name if it has one.
struct FileVisitor<'c>(&'c Count);

impl<'de> Visitor<'de> for FileVisitor<'_> {
    type Value = Vec<(Option<String>, Group)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list of patterns or groups of patterns")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut groups = Vec::new();
        let mut loose = Group::default();
        while let Some(item) = seq.next_element_seed(ItemSeed(self.0))? {
            match item {
                Item::Pattern(pattern) => loose.patterns.push(*pattern),
                Item::Group(group) => groups.push((None, *group)),
            }
            if !groups.is_empty() && !loose.patterns.is_empty() {
                return Err(de::Error::custom(
                    "a list holds either patterns or groups of patterns, not both",
                ));
            }
        }
        if groups.is_empty() {
            groups.push((None, loose));
        }
        Ok(groups)
    }

    /// One group, or groups by name: keys such as `patterns` belong to one group, all other keys
    /// are names of groups.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut one: Option<Group> = None;
        let mut groups: Vec<(Option<String>, Group)> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if is_group_key(&key) {
                one.get_or_insert_default().take(&key, &mut map, self.0)?;
            } else {
                let group = match map.next_value_seed(ItemSeed(self.0))? {
                    Item::Group(group) => *group,
                    Item::Pattern(_) => {
                        return Err(de::Error::custom(format!(
                            "{key:?} is neither a group (a list, or an object with patterns) nor \
                             something that a group has"
                        )));
                    }
                };
                groups.push((Some(key), group));
            }
            if one.is_some() && !groups.is_empty() {
                return Err(de::Error::custom(
                    "it is either one group or groups by their names, not both",
                ));
            }
        }
        match one {
            Some(group) => Ok(vec![(None, group)]),
            None => Ok(groups),
        }
    }
}

fn is_group_key(key: &str) -> bool {
    matches!(key, "patterns" | "frequency" | "check") || REQUEST_KEYS.contains(&key)
}

/// The conditions of a group: one text, or a list of texts.
fn checks(value: Value) -> Result<Vec<Check>, Sentence> {
    let each = match value {
        Value::Array(each) => each,
        one => vec![one],
    };
    let read = |one: &Value| match one {
        Value::String(text) => text
            .parse()
            .map_err(|why: Sentence| format!("check: {why}").into()),
        other => Err(format!(
            "check: {other} is not text; write for example \"json:/error absent\""
        )
        .into()),
    };
    each.iter().map(read).collect()
}

impl Group {
    fn take<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        map: &mut A,
        count: &Count,
    ) -> Result<(), A::Error> {
        match key {
            "frequency" => {
                let frequency: f64 = map.next_value()?;
                if !(0.0..=1e9).contains(&frequency) {
                    return Err(de::Error::custom(format!(
                        "a frequency is a share such as 0.5, not {frequency}"
                    )));
                }
                self.frequency = Some(frequency);
            }
            "check" => self.checks = checks(map.next_value()?).map_err(de::Error::custom)?,
            "patterns" => self.patterns = map.next_value_seed(PatternsSeed(count))?,
            "headers" => {
                return Err(de::Error::custom(
                    "a group has no headers; write them into its patterns",
                ));
            }
            key => self.shared.take(key, map)?,
        }
        Ok(())
    }
}

struct PatternsSeed<'c>(&'c Count);

impl<'de> de::DeserializeSeed<'de> for PatternsSeed<'_> {
    type Value = Vec<Request>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for PatternsSeed<'_> {
    type Value = Vec<Request>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of patterns")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut patterns = Vec::new();
        while let Some(item) = seq.next_element_seed(ItemSeed(self.0))? {
            match item {
                Item::Pattern(pattern) => patterns.push(*pattern),
                Item::Group(_) => return Err(de::Error::custom("a group cannot hold groups")),
            }
        }
        Ok(patterns)
    }
}

struct ItemSeed<'c>(&'c Count);

impl<'de> de::DeserializeSeed<'de> for ItemSeed<'_> {
    type Value = Item;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.0.one_more()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ItemSeed<'_> {
    type Value = Item;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path, an object, or a list of patterns")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Item, E> {
        let path = request::path(text).map_err(E::custom)?;
        Ok(Item::Pattern(Box::new(Request {
            path: Some(path),
            ..Request::default()
        })))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Item, A::Error> {
        let patterns = PatternsSeed(self.0).visit_seq(seq)?;
        Ok(Item::Group(Box::new(Group {
            patterns,
            ..Group::default()
        })))
    }

    /// An object with `patterns` is a group.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Item, A::Error> {
        let mut group = Group::default();
        let mut is_group = false;
        let mut headers = None;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "headers" => {
                    let mut own = Request::default();
                    own.take("headers", &mut map)?;
                    headers = Some(own.headers);
                }
                key if is_group_key(key) => {
                    is_group |= matches!(key, "patterns" | "frequency");
                    group.take(key, &mut map, self.0)?;
                }
                other => {
                    return Err(de::Error::custom(format!(
                        "{} is no key of a pattern or a group; those are frequency, patterns, check, \
                         {}",
                        request::quoted(other),
                        REQUEST_KEYS.join(", ")
                    )));
                }
            }
        }
        match (is_group, headers) {
            (true, Some(_)) => Err(de::Error::custom(
                "a group has no headers; write them into its patterns",
            )),
            (true, None) => Ok(Item::Group(Box::new(group))),
            (false, _) if !group.checks.is_empty() => Err(de::Error::custom(
                "a pattern has no check; write it into its group",
            )),
            (false, headers) => {
                let mut pattern = group.shared;
                pattern.headers = headers.unwrap_or_default();
                Ok(Item::Pattern(Box::new(pattern)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::fault::Spot;
    use super::super::{PatternFormat, PatternSet, read};

    fn set(text: &str) -> PatternSet {
        match read(text.as_bytes(), PatternFormat::Auto, "GET") {
            Ok(set) => set,
            Err(fault) => panic!("{text}: {fault:?}"),
        }
    }

    fn refusal(text: &str) -> (Spot, String) {
        let fault = read(text.as_bytes(), PatternFormat::Json, "GET").unwrap_err();
        (fault.spot, fault.why.to_string())
    }

    fn labels(set: &PatternSet) -> Vec<String> {
        set.patterns().iter().map(super::Pattern::label).collect()
    }

    #[test]
    fn all_three_shapes_mean_the_same() {
        let patterns = r#"["/a", {"path": "/b", "method": "post", "body": {"q": 1}}]"#;
        let by_name = set(&format!(
            r#"{{"one": {patterns}, "two": {{"patterns": ["/c"]}}}}"#
        ));
        let listed = set(&format!(r#"[{patterns}, {{"patterns": ["/c"]}}]"#));
        let expected = ["GET /a", "POST /b", "GET /c"];
        assert_eq!(labels(&by_name), expected);
        assert_eq!(labels(&listed), expected);
        assert_eq!(by_name.groups()[1].name, "two");
        assert_eq!(listed.groups()[1].name, "group 2");
        assert_eq!(by_name.groups()[0].share, 0.5);
        assert_eq!(by_name.patterns()[1].body, br#"{"q":1}"#);
        assert_eq!(by_name.notes(), [""; 0]);
        for one in [
            r#"["/a", {"path": "/b"}]"#,
            r#"{"patterns": ["/a", "/b"]}"#,
            r#"{"path": "/b", "frequency": 1, "patterns": ["/a", {}]}"#,
        ] {
            assert_eq!(labels(&set(one)), ["GET /a", "GET /b"], "{one}");
        }
    }

    #[test]
    fn a_group_says_what_its_patterns_do_not() {
        let set = set(
            r#"{"g": {"host": "Node1", "port": 10041, "method": "POST", "timeout": 0.5,
                "patterns": [
                    {"path": "/a", "headers": {"X-Y": "z"}},
                    {"path": "/b", "host": "node2", "port": 80, "method": "GET", "timeout": 2}
                ]}}"#,
        );
        let [a, b] = set.patterns() else { panic!() };
        assert_eq!((a.host.as_deref(), a.port), (Some("node1"), Some(10041)));
        assert_eq!(a.method, "POST");
        assert_eq!(a.timeout, Some(Duration::from_millis(500)));
        assert_eq!(a.headers, [("X-Y".to_owned(), "z".to_owned())]);
        assert_eq!((b.host.as_deref(), b.port), (Some("node2"), Some(80)));
        assert_eq!(b.method, "GET");
        assert_eq!(b.timeout, Some(Duration::from_secs(2)));
    }

    #[test]
    fn the_body_of_a_get_becomes_its_query() {
        let set = set(
            r#"[{"path": "/a", "body": {"q": "日 x", "n": 5}}, {"path": "/b?x=1", "body": "y=2"}]"#,
        );
        let mut found = labels(&set);
        found.sort();
        assert!(
            found[0] == "GET /a?n=5&q=%E6%97%A5%20x" || found[0] == "GET /a?q=%E6%97%A5%20x&n=5",
            "{found:?}"
        );
        assert_eq!(found[1], "GET /b?x=1&y=2");
        assert!(set.patterns().iter().all(|pattern| pattern.body.is_empty()));
    }

    #[test]
    fn frequencies_are_taken_in_proportion_and_that_is_said() {
        let uneven = set(r#"{"a": {"frequency": 3, "patterns": ["/a"]},
                "b": {"frequency": 1, "patterns": ["/b"]},
                "c": {"frequency": 0, "patterns": ["/c"]}}"#);
        let shares: Vec<f64> = uneven.groups().iter().map(|group| group.share).collect();
        assert_eq!(shares, [0.75, 0.25]);
        assert_eq!(
            uneven.notes(),
            [
                "group \"c\" is left out: its frequency is 0",
                "the frequencies add up to 4, not to 1: they are taken in proportion",
            ]
        );
        let even = set(r#"{"a": {"frequency": 0.7, "patterns": ["/a"]},
                "b": {"frequency": 0.3, "patterns": ["/b"]}}"#);
        assert_eq!(even.notes(), [""; 0]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, spot, why) in [
            (
                "{\n \"g\": [\"/a\",\n \"b\"]}",
                Spot::Column(3, 4),
                "\"b\" does not begin with a slash",
            ),
            ("[\"/a\"", Spot::Column(1, 5), "EOF while parsing a list"),
            ("[\"/a\"] x", Spot::Column(1, 8), "trailing characters"),
            (
                "[{\"path\": \"/a\",\n \"port\": 70000}]",
                Spot::Column(2, 14),
                "invalid value: integer `70000`, expected u16",
            ),
            (
                "{\"g\": {\"frequency\": -1, \"patterns\": []}}",
                Spot::Column(1, 22),
                "a frequency is a share such as 0.5, not -1",
            ),
            (
                "[{\"pth\": \"/a\"}]",
                Spot::Column(1, 7),
                "\"pth\" is no key of a pattern or a group; those are frequency, patterns, check, path, \
                 method, host, port, timeout, headers, body",
            ),
            (
                "[{\"body\": \"x\"}]",
                Spot::File,
                "group \"patterns\": pattern 1: it has no path, and neither has its group",
            ),
            ("{\"g\": []}", Spot::File, "group \"g\" has no patterns"),
            ("[]", Spot::File, "group \"patterns\" has no patterns"),
            ("{}", Spot::File, "it contains no requests"),
            (
                "{\"g\": [\"/a\"], \"frequency\": 1}",
                Spot::Column(1, 28),
                "it is either one group or groups by their names, not both",
            ),
        ] {
            let (found, message) = refusal(text);
            assert_eq!(message, why, "{text}");
            if let (Spot::Column(line, _), Spot::Column(found, _)) = (spot, found) {
                assert_eq!(found, line, "{text}");
            } else {
                assert_eq!(found, spot, "{text}");
            }
        }
        // Nested more deeply than any pattern.
        let deep = "[".repeat(100_000);
        assert_eq!(refusal(&deep).1, "recursion limit exceeded");
    }

    #[test]
    fn a_secret_header_is_in_no_message() {
        let text = r#"[{"path": "/a", "headers": {"Authorization": "hunter2\n"}}]"#;
        let (_, why) = refusal(text);
        assert!(
            !why.contains("hunter2") && why.contains("Authorization"),
            "{why}"
        );
    }
}
