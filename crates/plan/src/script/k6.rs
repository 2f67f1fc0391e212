//! Scripts of k6.

use super::suggestion::Suggestion;
use super::text::{after_key, entries, items, literal, number, quoted, word};

/// Methods of the module `k6/http`, and whether their second argument is the body.
const CALLS: &[(&str, &str, bool)] = &[
    ("get", "GET", false),
    ("post", "POST", true),
    ("put", "PUT", true),
    ("patch", "PATCH", true),
    ("del", "DELETE", true),
    ("head", "HEAD", false),
];
/// What has no counterpart that a command line could give: beginnings in the text, and names.
const OTHERS: &[(&str, &str)] = &[
    ("stages:", "stages"),
    ("iterations:", "iterations"),
    ("check(", "check"),
    ("sleep(", "sleep"),
    ("function setup(", "setup"),
];

/// The command line for a script.
pub(super) fn suggestion(text: &str) -> Suggestion {
    let mut found = Suggestion::default();
    take_call(&mut found, text);
    take_load(&mut found, text);
    let mut limits = Vec::new();
    let thresholds = after_key(text, "thresholds").unwrap_or_default();
    for (metric, value) in entries(thresholds) {
        for part in conditions(value) {
            match limit(metric, part) {
                Some(limit) => limits.push(limit),
                None => found.leaves_out(name_of(metric)),
            }
        }
    }
    if !limits.is_empty() {
        found
            .options
            .push(format!("--expect '{}'", limits.join(",")));
    }
    for (begin, name) in OTHERS {
        if text.contains(*begin) {
            found.leaves_out(name);
        }
    }
    found
}

/// Takes over the first call of the module `k6/http`.
fn take_call(found: &mut Suggestion, text: &str) {
    let calls = CALLS.iter().filter_map(|call| {
        let at = text.find(&format!("http.{}(", call.0))?;
        Some((at, call))
    });
    let Some((at, (_, method, has_body))) = calls.min_by_key(|call| call.0) else {
        return;
    };
    found.method = Some((*method).to_owned());
    let arguments = items(text[at..].split_once('(').map_or("", |(_, rest)| rest));
    let url = arguments.first().and_then(|url| literal(url));
    match url.filter(|url| url.contains("://")) {
        Some(url) => found.set_url(url),
        None => found.leaves_out("URL"),
    }
    let body = arguments.get(1).filter(|_| *has_body);
    if let Some(body) = body.filter(|body| **body != "null") {
        found.set_body(body);
    }
    for (name, value) in after_key(text, "headers").map(entries).unwrap_or_default() {
        found.add_header(name, value);
    }
}

/// Takes over connections, rate and duration.
fn take_load(found: &mut Suggestion, text: &str) {
    let users = ["vus", "preAllocatedVUs"].into_iter();
    let mut users = users.filter_map(|key| after_key(text, key).and_then(number));
    if let Some(users) = users.next() {
        found.options.push(format!("--connections {users}"));
    }
    let unit = after_key(text, "timeUnit").and_then(quoted);
    if let Some(rate) = after_key(text, "rate") {
        match number(rate).filter(|_| unit.is_none_or(|unit| unit == "1s")) {
            Some(rate) => found.options.push(format!("--rate {rate}/s")),
            None => found.leaves_out("rate"),
        }
    }
    if let Some(time) = after_key(text, "duration").and_then(quoted) {
        found.options.push(format!("--duration {}", word(time)));
    }
}

/// The conditions of a metric: `['p(95)<50']` or `[{ threshold: 'p(95)<50' }]`.
fn conditions(value: &str) -> Vec<&str> {
    let Some(inner) = value.strip_prefix('[') else {
        return vec![value];
    };
    let condition = |item| after_key(item, "threshold").unwrap_or(item);
    items(inner).into_iter().map(condition).collect()
}

/// The condition of `--expect` for a condition of k6; `None` if there is none.
fn limit(metric: &str, condition: &str) -> Option<String> {
    let condition: String = quoted(condition)?.split_whitespace().collect();
    let at = condition.find(['<', '>'])?;
    let (figure, rest) = condition.split_at(at);
    let digits = rest.trim_start_matches(['<', '>', '=']);
    let operator = &rest[..rest.len() - digits.len()];
    let is_number = digits
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value: f64 = digits.parse().ok().filter(|_| is_number)?;
    match (metric, figure, operator) {
        ("http_req_duration", figure, "<" | "<=") => {
            Some(format!("{}{operator}{value}ms", latency(figure)?))
        }
        ("http_req_failed", "rate", "<" | "<=") if value > 0.0 => {
            // Without the noise of a binary fraction.
            let share = (value * 1e8).round() / 1e6;
            Some(format!("errors{operator}{share}%"))
        }
        _ => None,
    }
}

/// The figure of `--expect` for a value of the response time in k6.
fn latency(figure: &str) -> Option<String> {
    let percentile = || {
        let inner = figure.strip_prefix("p(")?.strip_suffix(')')?;
        let value: f64 = inner.parse().ok()?;
        (value > 0.0 && value < 100.0).then(|| format!("p{inner}"))
    };
    match figure {
        "avg" => Some("mean".to_owned()),
        "med" => Some("p50".to_owned()),
        "max" => Some("max".to_owned()),
        _ => percentile(),
    }
}

/// A metric as it can be printed: without its tags.
fn name_of(metric: &str) -> &str {
    let name = metric.split('{').next().unwrap_or_default().trim();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !name.is_empty() && name.chars().all(is_plain) {
        name
    } else {
        "thresholds"
    }
}
