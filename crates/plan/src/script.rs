//! Scripts of other load generators, which people name where a result, a plan or a list of requests is
//! expected.

mod k6;
mod suggestion;
mod text;
mod wrk;

use std::fmt;

use suggestion::Suggestion;

use crate::{Sentence, sentence};

/// A script, and the command line that comes nearest to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Its tool: `wrk` or `k6`.
    pub tool: &'static str,
    /// The command line, without secrets; settings that the script computes are left out.
    pub command: String,
    /// The environment variables that the command line reads: the secrets of the script.
    pub variables: Vec<String>,
    /// Settings of the script that the command line omits, by their names in the script.
    pub left_out: Vec<String>,
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
impl Script {
    /// Recognises a script by its text; `None` for any other text.
    pub fn of(text: &str) -> Option<Self> {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let has = |marks: &[&str]| {
            let begins = |line: &&str| marks.iter().any(|mark| line.starts_with(mark));
            lines.iter().any(begins)
        };
        if lines.iter().any(|line| is_import(line)) || has(K6) {
            let found = k6::suggestion(text);
            return Some(Self::with("k6", "docs/coming-from.md#k6", &found));
        }
        has(WRK).then(|| {
            let found = wrk::suggestion(&lines);
            Self::with("wrk", "docs/coming-from.md#wrk-and-ab", &found)
        })
    }

    fn with(tool: &'static str, section: &'static str, found: &Suggestion) -> Self {
        Self {
            tool,
            command: found.command(),
            variables: found.variables(),
            left_out: found.left_out.clone(),
            section,
        }
    }

    /// What to do instead of giving the script, with its arguments.
    pub fn sentence(&self) -> Sentence {
        let (exports, left_out) = (self.exports(), self.omitted());
        sentence!(
            "script",
            "is a script of {tool}, and Tenbin does not run scripts: start with \
             `{command}`{exports}{left_out}, list different requests in a file for --patterns, and \
             see {section} for other settings",
            tool = self.tool,
            command = self.command,
            exports,
            left_out,
            section = self.section
        )
    }

    /// What else to do. The command line is printed before this, on a separate line.
    pub fn further(&self) -> Sentence {
        let (exports, left_out) = (self.exports(), self.omitted());
        sentence!(
            "script-further",
            "list different requests in a file for --patterns, and see {section} for other \
             settings{exports}{left_out}",
            section = self.section,
            exports,
            left_out
        )
    }

    /// The environment variables to set, in brackets; empty if there are none.
    fn exports(&self) -> Sentence {
        let variables: Vec<String> = self.variables.iter().map(|it| format!("{it}=…")).collect();
        if variables.is_empty() {
            return Sentence::default();
        }
        sentence!(
            "script-secrets",
            " (export {variables} first)",
            variables = variables.join(" ")
        )
    }

    /// The settings that the command line omits, in brackets; empty if there are none.
    fn omitted(&self) -> Sentence {
        if self.left_out.is_empty() {
            return Sentence::default();
        }
        sentence!(
            "script-left-out",
            " (not taken over: {parts})",
            parts = self.left_out.join(", ")
        )
        .with_names("parts", &self.left_out)
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
        assert_eq!(Script::of(text).unwrap().left_out, ["path"]);
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
            "tenbin http --target NAME=http://a.example/x -X POST --body '{}' --connections 10 \
             --duration 30s"
        );
        let text = "import http from \"k6/http\"\nexport const options = { scenarios: { a: {\n\
                    executor: 'constant-arrival-rate', rate: 200, timeUnit: '1s',\n\
                    preAllocatedVUs: 5, duration: '1m' } } };\nhttp.get(url); http.post(other);";
        assert_eq!(
            command(text),
            "tenbin http --target NAME=URL --connections 5 --rate 200/s --duration 1m"
        );
    }

    #[test]
    fn secrets_of_scripts_become_variables() {
        let lua = "wrk.method = \"POST\"\nwrk.headers[\"Authorization\"] = \"Bearer abc-123\"\n\
                   wrk.headers['X-Api-Key'] = key .. 'abc-123'\n\
                   wrk.body = '{\"password\": \"abc-123\"}'\n";
        let k6 = "import http from 'k6/http';\n\
                  http.post('http://me:abc-123@a/x?token=abc-123', '{\"password\": \"abc-123\"}', {\n\
                  headers: { Authorization: 'Bearer abc-123', 'X-Api-Key': `abc-123`, Accept: 'a/b' } });";
        for (text, url, rest) in [
            (lua, "URL", ""),
            (k6, "'http://a/x?token=…'", " -H 'Accept: a/b'"),
        ] {
            let script = Script::of(text).unwrap();
            assert_eq!(
                script.command,
                format!(
                    "tenbin http --target NAME={url} -X POST -H 'Authorization: Bearer \
                     {{env:TOKEN}}' -H 'X-Api-Key: {{env:X_API_KEY}}'{rest}"
                )
            );
            assert!(script.left_out.contains(&"body".to_owned()), "{script:?}");
            let said = script.to_string();
            assert!(
                said.contains("(export TOKEN=… X_API_KEY=… first)"),
                "{said}"
            );
            assert!(!said.contains("abc-123"), "{said}");
        }
    }

    #[test]
    fn a_call_of_wrk_format_gives_method_path_and_body() {
        let text = "wrk.method = 'PUT'\nfunction request()\n  return wrk.format(nil, \"/a?b=1\", nil, \
                    '{\"n\": 1}')\nend\n";
        assert_eq!(
            command(text),
            "tenbin http --target NAME=URL -X PUT --path '/a?b=1' --body '{\"n\": 1}'"
        );
        let text = "request = function()\n  return wrk.format(\"POST\", \"/login\", nil, \
                    '{\"user\":\"u' .. math.random(1, 9) .. '\"}')\nend\n";
        let script = Script::of(text).unwrap();
        assert_eq!(
            script.command,
            "tenbin http --target NAME=URL -X POST --path /login"
        );
        assert_eq!(script.left_out, ["body"]);
    }

    #[test]
    fn thresholds_of_k6_become_expectations() {
        let text = "import http from 'k6/http';\nexport const options = {\n\
                    scenarios: { main: { executor: 'constant-arrival-rate', rate: 300, timeUnit: '1s', \
                    duration: '20s', preAllocatedVUs: 50 } },\n\
                    thresholds: { http_req_duration: ['p(95)<50', 'p(99.9) <= 1200', 'min<1'], \
                    'http_req_failed': [{ threshold: 'rate<0.01', abortOnFail: true }], \
                    checks: ['rate>0.9'] },\n};\n\
                    http.get('http://a/items');\nsleep(1);\n";
        let script = Script::of(text).unwrap();
        assert_eq!(
            script.command,
            "tenbin http --target NAME=http://a/items --connections 50 --rate 300/s --duration 20s \
             --expect 'p95<50ms,p99.9<=1200ms,errors<1%'"
        );
        assert_eq!(
            script.left_out,
            ["http_req_duration", "checks", "abortOnFail", "sleep"]
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
