//! Scripts of other load generators, which people name where a result, a plan or a list of requests is
//! expected.

use std::borrow::Cow;
use std::fmt;

use crate::{Sentence, sentence};

/// A script, and the command line that comes nearest to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Its tool: `wrk` or `k6`.
    pub tool: &'static str,
    /// The command line; settings that the script computes are left out.
    pub command: String,
    /// The section of the documentation with the names of its settings.
    pub section: &'static str,
}

/// What a Lua script of wrk has at the beginning of a line.
const WRK: &[&str] = &[
    "wrk.method", "wrk.body", "wrk.path", "wrk.headers", "wrk.format", "wrk.scheme",
    "function request(", "function response(", "function delay(", "request = function",
    "response = function", "return wrk.format",
];
/// What a script of k6 has at the beginning of a line, beside its imports.
const K6: &[&str] = &[
    "export const options", "export let options", "export var options",
];
/// Longest value that is taken over, bytes.
const LONGEST: usize = 200;

impl Script {
    /// Recognises a script by its text; `None` for any other text.
    pub fn of(text: &str) -> Option<Self> {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let has = |marks: &[&str]| {
            let begins = |line: &&str| marks.iter().any(|mark| line.starts_with(mark));
            lines.iter().any(begins)
        };
        if lines.iter().any(|line| is_import(line)) || has(K6) {
            return Some(Self {
                tool: "k6",
                command: of_k6(text),
                section: "docs/coming-from.md#k6",
            });
        }
        has(WRK).then(|| Self {
            tool: "wrk",
            command: of_wrk(&lines),
            section: "docs/coming-from.md#wrk-and-ab",
        })
    }

    /// What to do instead of giving the script, with its arguments.
    pub fn sentence(&self) -> Sentence {
        sentence!(
            "script",
            "is a script of {tool}, and Tenbin does not run scripts: start with `{command}`, list \
             different requests in a file for --patterns, and see {section} for other settings",
            tool = self.tool,
            command = self.command,
            section = self.section
        )
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

/// Whether a line imports a module of k6: `import http from 'k6/http';`.
fn is_import(line: &str) -> bool {
    let is_module = |quote: &str| {
        line.contains(&format!("{quote}k6/")) || line.contains(&format!("{quote}k6{quote}"))
    };
    line.starts_with("import ") && ["'", "\""].into_iter().any(is_module)
}

/// The command line for a Lua script of wrk.
fn of_wrk(lines: &[&str]) -> String {
    let mut command = "tenbin http --target NAME=URL".to_owned();
    for line in lines {
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let Some(value) = quoted(value) else { continue };
        match key.trim() {
            "wrk.method" => command += &format!(" -X {}", word(value)),
            "wrk.body" => command += &format!(" --body '{value}'"),
            key => {
                let name = key.strip_prefix("wrk.headers[").and_then(quoted);
                if let Some(name) = name {
                    command += &format!(" -H '{name}: {value}'");
                }
            }
        }
    }
    command
}

/// The command line for a script of k6.
fn of_k6(text: &str) -> String {
    let calls = ["get", "post", "put", "patch", "del", "head"];
    let calls = calls.iter().filter_map(|name| {
        let at = text.find(&format!("http.{name}("))?;
        let url = quoted(text[at..].split_once('(')?.1);
        let url = url.filter(|url| url.contains("://"));
        Some((at, *name, url.unwrap_or("URL")))
    });
    let first = calls.min_by_key(|call| call.0);
    let (_, name, url) = first.unwrap_or((0, "get", "URL"));
    let mut command = format!("tenbin http --target NAME={}", word(url));
    if name != "get" {
        let method = if name == "del" { "DELETE" } else { name };
        command += &format!(" -X {}", method.to_ascii_uppercase());
    }
    if let Some(vus) = after_key(text, "vus").and_then(number) {
        command += &format!(" --connections {vus}");
    }
    let unit = after_key(text, "timeUnit").and_then(quoted);
    if let Some(rate) = after_key(text, "rate").and_then(number)
        && unit.is_none_or(|unit| unit == "1s")
    {
        command += &format!(" --rate {rate}/s");
    }
    if let Some(time) = after_key(text, "duration").and_then(quoted) {
        command += &format!(" --duration {}", word(time));
    }
    command
}

/// What stands after a key of an object of JavaScript: `vus: 10`.
fn after_key<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(key).find_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + key.len()..].trim_start_matches(['\'', '"']);
        let value = after.trim_start().strip_prefix(':')?;
        (!before.is_some_and(is_name)).then(|| value.trim_start())
    })
}

/// The whole number at the beginning of a text; `None` for `0.5`, `1_000` and `1e3`.
fn number(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || ['.', '_'].contains(&c)));
    let digits = &text[..end.unwrap_or(text.len())];
    let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_whole && !digits.is_empty() && digits.len() < 10).then_some(digits)
}

/// A text of [`quoted`] as a word of a shell: in quotes unless it has letters, digits and marks of URLs
/// only.
fn word(text: &str) -> Cow<'_, str> {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-._~:/@%+,=".contains(c);
    if text.chars().all(is_safe) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("'{text}'"))
    }
}

/// The text in quotes at the beginning of a text, if a shell would read it back from single quotes.
fn quoted(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| ['\'', '"'].contains(c))?;
    let (value, _) = text[1..].split_once(quote)?;
    let is_plain = |c: char| !c.is_control() && !['\'', '\\', '`', '$'].contains(&c);
    (!value.is_empty() && value.len() <= LONGEST && value.chars().all(is_plain)).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> String {
        Script::of(text).unwrap().command
    }

    #[test]
    fn a_lua_script_of_wrk_becomes_a_command_line() {
        let text = "-- a login\nwrk.method = \"POST\"\nwrk.body   = '{\"a\": 1}'\n\
                    wrk.headers[\"Content-Type\"] = \"application/json\"\n";
        assert_eq!(
            command(text),
            "tenbin http --target NAME=URL -X POST --body '{\"a\": 1}' -H 'Content-Type: \
             application/json'"
        );
        let text = "request = function()\n  return wrk.format('GET', path)\nend\n";
        assert_eq!(command(text), "tenbin http --target NAME=URL");
        let text = "wrk.body = \"it's\"";
        assert_eq!(command(text), "tenbin http --target NAME=URL");
        let said = Script::of(text).unwrap().to_string();
        assert!(
            said.contains("script of wrk") && said.contains("--patterns"),
            "{said}"
        );
    }

    #[test]
    fn a_script_of_k6_becomes_a_command_line() {
        let text = "import http from 'k6/http';\nimport { sleep } from 'k6';\n\
                    export const options = { vus: 10, duration: '30s' };\n\
                    export default function () {\n  http.post('http://a.example/x', '{}');\n}\n";
        assert_eq!(
            command(text),
            "tenbin http --target NAME=http://a.example/x -X POST --connections 10 --duration 30s"
        );
        let text = "import http from \"k6/http\"\nexport const options = { scenarios: { a: {\n\
                    executor: 'constant-arrival-rate', rate: 200, timeUnit: '1s',\n\
                    preAllocatedVUs: 5, duration: '1m' } } };\nhttp.get(url); http.post(other);";
        assert_eq!(
            command(text),
            "tenbin http --target NAME=URL --rate 200/s --duration 1m"
        );
    }

    #[test]
    fn what_a_shell_would_read_is_in_quotes() {
        let text = "import http from 'k6/http'\nexport const options = { vus: 1_000, rate: 0.5,\n\
                    duration: '1m; ls' };\nhttp.get('http://a/x?a=1&b=2');";
        assert_eq!(
            command(text),
            "tenbin http --target NAME='http://a/x?a=1&b=2' --duration '1m; ls'"
        );
        assert_eq!(
            command("wrk.method = \"GET; ls\""),
            "tenbin http --target NAME=URL -X 'GET; ls'"
        );
    }

    #[test]
    fn other_texts_are_no_scripts() {
        for text in [
            "",
            "/a\n/b?wrk.method=1\n",
            "[[target]]\nurl = \"http://a\"\n",
            "metric_name,timestamp\nhttp_req_duration,1\n",
            "import os from 'os'\n",
            "  http_reqs......: 15157  7577.60546/s\n",
        ] {
            assert_eq!(Script::of(text), None, "{text}");
        }
    }
}
