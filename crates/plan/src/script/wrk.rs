//! Lua scripts of wrk.

use super::suggestion::Suggestion;
use super::text::{items, quoted};

/// The command line for a script with these lines.
pub(super) fn suggestion(lines: &[&str]) -> Suggestion {
    let mut found = Suggestion::default();
    let is_code = |line: &&&str| !line.starts_with("--");
    for line in lines.iter().filter(is_code) {
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        match key.trim() {
            "wrk.method" => found.method = quoted(value).map(str::to_owned),
            "wrk.path" => found.set_path(value),
            "wrk.body" => found.set_body(value),
            key => {
                let name = key.strip_prefix("wrk.headers[").and_then(quoted);
                if let Some(name) = name.or_else(|| key.strip_prefix("wrk.headers.")) {
                    found.add_header(name, value);
                }
            }
        }
    }
    let code: Vec<&str> = lines.iter().filter(is_code).copied().collect();
    if let Some((_, call)) = code.join("\n").split_once("wrk.format(") {
        take_call(&mut found, call);
    }
    found
}

/// Takes over the arguments of `wrk.format(method, path, headers, body)`.
fn take_call(found: &mut Suggestion, call: &str) {
    let arguments = items(call);
    let given = |at: usize| {
        let argument = arguments.get(at).copied();
        argument.filter(|text| *text != "nil" && !text.starts_with("wrk."))
    };
    match given(0).map(quoted) {
        Some(Some(method)) => found.method = Some(method.to_owned()),
        Some(None) => found.leaves_out("method"),
        None => {}
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
