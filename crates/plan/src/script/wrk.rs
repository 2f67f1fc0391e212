//! Lua scripts of wrk.

use super::suggestion::Suggestion;
use super::text::{items, quoted, without_comments};

/// Functions of a script that have no counterpart in a command line.
const FUNCTIONS: &[&str] = &["setup", "init", "delay", "response"];
/// Fields of `wrk` that a script sets.
const FIELDS: &[&str] = &[
    "method", "path", "body", "headers", "scheme", "host", "port",
];
/// What a line begins with that continues the value of the line above.
const CONTINUES: &[char] = &[
    '.', ':', '(', '[', '+', '-', '*', '/', '%', '^', '<', '>', '=', '~',
];

/// The command line for a script with these lines.
pub(super) fn suggestion(lines: &[&str]) -> Suggestion {
    let mut found = Suggestion::default();
    let code = statements(&without_comments(&lines.join("\n"), "--", ("--[[", "]]")));
    for statement in &code {
        // A comparison is no assignment.
        let assignment = statement.split_once('=');
        if let Some((key, value)) = assignment.filter(|(_, value)| !value.starts_with('=')) {
            take_assignment(&mut found, key.trim(), value);
        }
    }
    let code = code.join("\n");
    let mut calls = code.split("wrk.format(").skip(1);
    match calls.next() {
        Some(call) => take_call(&mut found, call),
        None if defines(&code, "request") => found.leaves_out("request"),
        None => {}
    }
    if calls.next().is_some() {
        found.leaves_out("wrk.format");
    }
    for name in FUNCTIONS {
        if defines(&code, name) {
            found.leaves_out(name);
        }
    }
    found
}

/// The lines, and the parts between semicolons; a value that goes on in the next line is in one piece.
fn statements(code: &str) -> Vec<String> {
    let mut statements: Vec<String> = Vec::new();
    for line in code.lines() {
        let mut parts = parts(line).into_iter();
        let first = parts.next().unwrap_or_default();
        let goes_on = first.starts_with(CONTINUES)
            || ["or ", "and "].iter().any(|word| first.starts_with(word));
        match statements.last_mut().filter(|_| goes_on) {
            Some(last) => {
                last.push(' ');
                last.push_str(first);
            }
            None if first.is_empty() => {}
            None => statements.push(first.to_owned()),
        }
        statements.extend(parts.filter(|part| !part.is_empty()).map(str::to_owned));
    }
    statements
}

/// The parts between the semicolons outside of quotes.
fn parts(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quote, mut escaped) = (0, None, false);
    for (at, c) in line.char_indices() {
        match quote {
            Some(open) if !escaped && c == open => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == ';' => {
                parts.push(line[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        escaped = quote.is_some() && !escaped && c == '\\';
    }
    parts.push(line[start..].trim());
    parts
}

fn defines(code: &str, name: &str) -> bool {
    let forms = [format!("function {name}("), format!("{name} = function")];
    code.lines()
        .any(|line| forms.iter().any(|form| line.starts_with(form.as_str())))
}

fn take_assignment(found: &mut Suggestion, key: &str, value: &str) {
    let header = key
        .strip_prefix("wrk.headers[")
        .or_else(|| key.strip_prefix("wrk.headers."));
    match key {
        "wrk.method" => found.set_method(value),
        "wrk.path" => found.set_path(value),
        "wrk.body" => found.set_body(value),
        _ => match header {
            Some(name) => found.add_header(quoted(name).unwrap_or(name), value),
            None => leave_out_fields(found, key),
        },
    }
}

/// Names the fields at the end of the left side of an assignment: `if empty then wrk.body`.
fn leave_out_fields(found: &mut Suggestion, key: &str) {
    let words = key.rsplit([',', ' ', ')']);
    let fields = words.map_while(|word| match word {
        "" => Some(""),
        word => word.strip_prefix("wrk."),
    });
    for field in fields {
        let name = field.split(['.', '[']).next().unwrap_or_default();
        if FIELDS.contains(&name) {
            found.leaves_out(name);
        }
    }
}

/// Takes over the arguments of `wrk.format(method, path, headers, body)`.
fn take_call(found: &mut Suggestion, call: &str) {
    let arguments = items(call);
    // A field of `wrk` stands for itself.
    let is_field = |text: &str| {
        let field = text.strip_prefix("wrk.");
        field.is_some_and(|field| FIELDS.contains(&field))
    };
    let given = |at: usize| {
        let argument = arguments.get(at).copied();
        argument.filter(|text| *text != "nil" && !is_field(text))
    };
    if let Some(method) = given(0) {
        found.set_method(method);
    }
    if let Some(path) = given(1) {
        found.set_path(path);
    }
    if given(2).is_some() {
        found.leaves_out("headers");
    }
    if let Some(body) = given(3) {
        found.set_body(body);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (String, Vec<String>) {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let found = suggestion(&lines);
        (found.command(), found.left_out)
    }

    #[test]
    fn what_a_script_computes_is_named() {
        for (text, named) in [
            ("wrk.method = verb", "method"),
            ("wrk.body = \"a\"\n  .. b", "body"),
            ("wrk.body = \"a\" -- first\n  -- second\n  .. b", "body"),
            ("wrk.path =\n  '/a'", "path"),
            ("wrk.headers[name] = 'a'", "headers"),
            ("wrk.headers = {\n  [\"Accept\"] = \"a\",\n}", "headers"),
            ("wrk.host = 'a'", "host"),
            (
                "function request() wrk.body = 'a' return wrk.format() end",
                "body",
            ),
            ("if late then wrk.path = '/b' end", "path"),
            ("request = function()\n  return all[1]\nend", "request"),
            ("function delay()\n  return 5\nend", "delay"),
            ("return wrk.format(nil, wrk.path .. '/a')", "path"),
        ] {
            let (command, left_out) = of(text);
            assert_eq!(command, "tenbin http --target NAME=URL", "{text}");
            assert_eq!(left_out, [named], "{text}");
        }
    }

    #[test]
    fn statements_end_with_semicolons_and_comments() {
        let (command, left_out) = of(
            "wrk.method = 'POST'; wrk.path = '/a;b' -- c\n--[[\nwrk.body = 'old'\n]]\n\
             if wrk.method == 'GET' then\nend\nreturn wrk.format(wrk.method, wrk.path)",
        );
        assert_eq!(
            command,
            "tenbin http --target NAME=URL -X POST --path '/a;b'"
        );
        assert!(left_out.is_empty(), "{left_out:?}");
        let (_, left_out) = of("wrk.method, wrk.body = 'PUT', 'a'");
        assert_eq!(left_out, ["body", "method"]);
    }
}
