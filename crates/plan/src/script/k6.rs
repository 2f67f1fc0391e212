//! Scripts of k6.

use super::suggestion::Suggestion;
use super::text::{
    after_key, after_keys, entries, is_name_char, items, literal, number, object_of,
    without_comments, word,
};

/// A function of the module `k6/http` that sends one request.
struct Call {
    /// What calls it.
    begin: &'static str,
    /// `None` if it is the first argument.
    method: Option<&'static str>,
    /// Whether the body follows the URL.
    has_body: bool,
}

const fn call(begin: &'static str, method: Option<&'static str>, has_body: bool) -> Call {
    Call {
        begin,
        method,
        has_body,
    }
}

const CALLS: &[Call] = &[
    call("http.get(", Some("GET"), false),
    call("http.post(", Some("POST"), true),
    call("http.put(", Some("PUT"), true),
    call("http.patch(", Some("PATCH"), true),
    call("http.del(", Some("DELETE"), true),
    call("http.head(", Some("HEAD"), false),
    call("http.options(", Some("OPTIONS"), true),
    call("http.request(", None, true),
    call("http.asyncRequest(", None, true),
];
/// What has no counterpart that a command line could give: beginnings in the text, and names.
const OTHERS: &[(&str, &str)] = &[
    ("stages:", "stages"),
    ("iterations:", "iterations"),
    ("maxVUs:", "maxVUs"),
    ("startTime:", "startTime"),
    ("abortOnFail:", "abortOnFail"),
    ("insecureSkipTLSVerify:", "insecureSkipTLSVerify"),
    ("noConnectionReuse:", "noConnectionReuse"),
    ("http.batch(", "http.batch"),
    ("check(", "check"),
    ("sleep(", "sleep"),
    ("function setup(", "setup"),
];

/// The command line for a script.
pub(super) fn suggestion(text: &str) -> Suggestion {
    let text = &without_comments(text, "//", ("/*", "*/"));
    let mut found = Suggestion::default();
    take_calls(&mut found, text);
    take_load(&mut found, text);
    take_thresholds(&mut found, text);
    for name in computed_options(text) {
        found.leaves_out(name);
    }
    for (begin, name) in OTHERS {
        let is_there = match begin.strip_suffix(':') {
            Some(key) => after_key(text, key).is_some(),
            None => text.contains(*begin),
        };
        if is_there {
            found.leaves_out(name);
        }
    }
    found
}

/// Takes over the first call of the module `k6/http`, and names the others.
fn take_calls(found: &mut Suggestion, text: &str) {
    let mut calls: Vec<(usize, &Call)> = Vec::new();
    for call in CALLS {
        let places = text.match_indices(call.begin).map(|(at, _)| at);
        let is_whole = |at: &usize| !text[..*at].chars().next_back().is_some_and(is_name_char);
        calls.extend(places.filter(is_whole).map(|at| (at, call)));
    }
    calls.sort_by_key(|(at, _)| *at);
    let mut calls = calls.into_iter();
    let Some((at, first)) = calls.next() else {
        return found.leaves_out("URL");
    };
    take_call(found, text, first, &text[at + first.begin.len()..]);
    for (_, other) in calls {
        found.leaves_out(other.begin.trim_end_matches('('));
    }
}

/// Takes over a call; `arguments` begins after the opening bracket.
fn take_call(found: &mut Suggestion, text: &str, call: &Call, arguments: &str) {
    let mut arguments = items(arguments).into_iter();
    match call.method {
        Some(method) => found.method = Some(method.to_owned()),
        None => {
            found.set_method(arguments.next().unwrap_or_default());
            let method = found.method.take();
            found.method = method.map(|method| method.to_ascii_uppercase());
        }
    }
    let url = arguments.next().and_then(literal);
    match url.filter(|url| url.contains("://")) {
        Some(url) => found.set_url(url),
        None => found.leaves_out("URL"),
    }
    let is_given = |value: &&str| !matches!(*value, "null" | "undefined" | "''" | "\"\"");
    if call.has_body
        && let Some(body) = arguments.next().filter(is_given)
    {
        found.set_body(body);
    }
    if let Some(params) = arguments.next().filter(is_given) {
        take_params(found, text, params);
    }
}

/// Takes over the headers of `{ headers: { … } }`, or of a variable with such an object.
fn take_params(found: &mut Suggestion, text: &str, params: &str) {
    let Some(given) = entries(params).or_else(|| entries(object_of(text, params)?)) else {
        return found.leaves_out("params");
    };
    for (name, value) in given {
        match (name, value.and_then(entries)) {
            ("headers", Some(headers)) => take_headers(found, &headers),
            (name, _) => found.leaves_out(plain(name, "params")),
        }
    }
    let is_variable = params.chars().all(is_name_char);
    if is_variable && text.contains(&format!("{params}.headers")) {
        found.leaves_out("headers");
    }
}

fn take_headers(found: &mut Suggestion, headers: &[(&str, Option<&str>)]) {
    for (name, value) in headers {
        match value {
            Some(value) => found.add_header(name, value),
            None => found.leaves_out("headers"),
        }
    }
}

/// Takes over connections, rate and duration.
fn take_load(found: &mut Suggestion, text: &str) {
    let mut users = None;
    for key in ["vus", "preAllocatedVUs"] {
        let Some(value) = after_key(text, key) else {
            continue;
        };
        match number(value) {
            Some(value) => users = users.or(Some(value)),
            None => found.leaves_out(key),
        }
    }
    if let Some(users) = users {
        found.options.push(format!("--connections {users}"));
    }
    if let Some(rate) = after_key(text, "rate") {
        let unit = after_key(text, "timeUnit").map(literal);
        let is_per_second = unit.is_none_or(|unit| unit == Some("1s"));
        match number(rate).filter(|_| is_per_second) {
            Some(rate) => found.options.push(format!("--rate {rate}/s")),
            None => found.leaves_out("rate"),
        }
    }
    match after_key(text, "duration").map(literal) {
        Some(Some(time)) => found.options.push(format!("--duration {}", word(time))),
        Some(None) => found.leaves_out("duration"),
        None => {}
    }
    if after_keys(text, "executor").count() > 1 {
        found.leaves_out("scenarios");
    }
}

/// Takes over the thresholds for which there is a condition.
fn take_thresholds(found: &mut Suggestion, text: &str) {
    let Some(value) = after_key(text, "thresholds") else {
        return;
    };
    let Some(thresholds) = entries(value) else {
        return found.leaves_out("thresholds");
    };
    let mut limits = Vec::new();
    for (metric, value) in thresholds {
        for part in value.map_or_else(|| vec![metric], conditions) {
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
}

/// The names of the options of the script that have no value in its text: `{ vus, ...others }`.
fn computed_options(text: &str) -> Vec<&str> {
    let kinds = ["const options", "let options", "var options"];
    let Some(options) = kinds.iter().find_map(|kind| text.split_once(*kind)) else {
        return Vec::new();
    };
    let value = options.1.split_once('=').map_or("", |(_, value)| value);
    let Some(options) = entries(value) else {
        return vec!["options"];
    };
    let computed = options.into_iter().filter(|(_, value)| value.is_none());
    computed.map(|(name, _)| plain(name, "options")).collect()
}

/// The conditions of a metric: `['p(95)<50']` or `[{ threshold: 'p(95)<50' }]`.
fn conditions(value: &str) -> Vec<&str> {
    let Some(inner) = value.strip_prefix('[') else {
        return vec![value];
    };
    let condition = |item| after_key(item, "threshold").unwrap_or(item);
    items(inner).into_iter().map(condition).collect()
}

/// The condition of `--expect` for a condition of k6; `None` if Tenbin has no such condition.
fn limit(metric: &str, condition: &str) -> Option<String> {
    let condition: String = literal(condition)?.split_whitespace().collect();
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
    let name = metric.split('{').next().unwrap_or_default();
    plain(name.trim(), "thresholds")
}

/// A name as it can be printed; `other` if it is none.
fn plain<'a>(name: &'a str, other: &'a str) -> &'a str {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !name.is_empty() && name.chars().all(is_plain) {
        name
    } else {
        other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (String, Vec<String>) {
        let found = suggestion(text);
        (found.command(), found.left_out)
    }

    #[test]
    fn a_request_has_its_method_first_and_other_calls_are_named() {
        let (command, left_out) = of("http.request('put', 'http://a/x', '{}', null);\n\
                                      http.batch([]); http.get('http://a/y');");
        assert_eq!(
            command,
            "tenbin http --target NAME=http://a/x -X PUT --body '{}'"
        );
        assert_eq!(left_out, ["http.get", "http.batch"]);
        let (command, left_out) = of("http.request(method, `${base}/x`);");
        assert_eq!(command, "tenbin http --target NAME=URL");
        assert_eq!(left_out, ["method", "URL"]);
        let (command, left_out) = of("// http.get('http://a/x');\nsend();");
        assert_eq!(command, "tenbin http --target NAME=URL");
        assert_eq!(left_out, ["URL"]);
    }

    #[test]
    fn headers_that_the_script_computes_are_named() {
        for (params, shown, named) in [
            ("{ headers: hers }", "", "headers"),
            ("{ headers }", "", "headers"),
            (
                "{ headers: { ...hers, Accept: 'a/b' } }",
                " -H 'Accept: a/b'",
                "headers",
            ),
            ("{ headers: { Accept: type } }", "", "Accept"),
            ("{ timeout: '3s' }", "", "timeout"),
            ("params()", "", "params"),
        ] {
            let (command, left_out) = of(&format!("http.get('http://a/x', {params});"));
            assert_eq!(
                command,
                format!("tenbin http --target NAME=http://a/x{shown}")
            );
            assert_eq!(left_out, [named], "{params}");
        }
        let text =
            "const params = { headers: { Accept: 'a/b' } };\nhttp.get('http://a/x', params);";
        let (command, left_out) = of(text);
        assert!(command.ends_with("-H 'Accept: a/b'"), "{command}");
        assert!(left_out.is_empty(), "{left_out:?}");
        let (_, left_out) = of(&format!("{text}\nparams.headers['A'] = b;"));
        assert_eq!(left_out, ["headers"]);
        // Those of another call.
        let text =
            "http.get('http://a/x'); http.post('http://a/y', null, { headers: { Accept: 'a' } })";
        let (command, left_out) = of(text);
        assert_eq!(command, "tenbin http --target NAME=http://a/x");
        assert_eq!(left_out, ["http.post"]);
    }

    #[test]
    fn a_load_that_the_script_computes_is_named() {
        for (options, named) in [
            ("vus: USERS", "vus"),
            ("vus: 2 * 5", "vus"),
            ("vus", "vus"),
            ("duration: `${TIME}`", "duration"),
            ("duration: '1' + 'm'", "duration"),
            ("rate: 60, timeUnit: '1m'", "rate"),
            ("rate: 60, timeUnit: UNIT", "rate"),
            ("rate: 60 * 2", "rate"),
            ("thresholds: LIMITS", "thresholds"),
            ("...others", "options"),
            (
                "scenarios: { a: { executor: b }, c: { executor: d } }",
                "scenarios",
            ),
        ] {
            let text = format!("export const options = {{ {options} }};\nhttp.get('http://a/x');");
            let (command, left_out) = of(&text);
            assert_eq!(command, "tenbin http --target NAME=http://a/x", "{options}");
            assert_eq!(left_out, [named], "{options}");
        }
        let (_, left_out) = of("export const options = read();\nhttp.get('http://a/x');");
        assert_eq!(left_out, ["options"]);
        let text = "export const options = { rate: 60, // it's much\n timeUnit: '1s' };\n\
                    http.get('http://a/x');";
        assert_eq!(
            of(text).0,
            "tenbin http --target NAME=http://a/x --rate 60/s"
        );
    }
}
