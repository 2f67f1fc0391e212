//! Reads members of a JSON document, with their paths as quotes.

use serde_json::Value;
use tenbin_plan::sentence;
use tenbin_verdict::lint::{Quote, Range, Said};

use crate::formats::readable::readable;
use crate::formats::reader::Fault;

/// A JSON document, or a part of one.
#[derive(Debug, Clone)]
pub(in crate::formats) struct Json<'a> {
    value: &'a Value,
    path: String,
}

/// Maximum length of a quoted member, characters.
const MOST_QUOTED: usize = 120;

impl<'a> Json<'a> {
    /// Parses a document that `tool` wrote.
    pub(in crate::formats) fn parse(content: &[u8], tool: &str) -> Result<Value, Fault> {
        if let Some(line) = odd_exponent(content) {
            return Err(Fault::in_line(
                line,
                "has a number with an exponent without sign, which the tool does not write; the \
                 file may be damaged",
            ));
        }
        let parsed = serde_json::from_slice(content);
        let parsed = parsed.or_else(|error| match with_null(content) {
            Some(content) => serde_json::from_slice(&content),
            None => Err(error),
        });
        parsed.map_err(|error| {
            let whole = error.to_string();
            let what = whole.split(" at line ").next().unwrap_or_default();
            let what = if what == "trailing characters" {
                sentence!(
                    "result-and-text",
                    "holds several results of {tool}, or other text; write each to a separate file",
                    tool
                )
            } else {
                sentence!(
                    "not-of-tool",
                    "is not what {tool} writes: {what}; it may be cut off",
                    tool,
                    what
                )
            };
            match error.line() {
                0 => Fault::of_the_file(what),
                line => Fault::in_line(line as u64, what),
            }
        })
    }

    pub(in crate::formats) fn of(value: &'a Value) -> Self {
        Self {
            value,
            path: String::new(),
        }
    }

    /// A member; `None` if it is missing or null.
    pub(in crate::formats) fn get(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        let path = if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        };
        Some(Self { value, path })
    }

    /// A required member.
    pub(in crate::formats) fn need(&self, name: &str) -> Result<Self, Fault> {
        self.get(name).ok_or_else(|| {
            let place = if self.path.is_empty() {
                name.to_owned()
            } else {
                format!("{}.{name}", self.path)
            };
            Fault::of_the_file(sentence!(
                "result-without-member",
                "has no member {place}; it may be damaged",
                place
            ))
        })
    }

    /// The members of an object.
    pub(in crate::formats) fn members(&self) -> Vec<(String, Self)> {
        let members = self.value.as_object().into_iter().flatten();
        members
            .map(|(name, value)| {
                let path = format!("{}.{name}", self.path);
                (name.clone(), Self { value, path })
            })
            .collect()
    }

    /// The elements of an array.
    pub(in crate::formats) fn elements(&self) -> Vec<Self> {
        let elements = self.value.as_array().into_iter().flatten();
        elements
            .enumerate()
            .map(|(at, value)| Self {
                value,
                path: format!("{}[{at}]", self.path),
            })
            .collect()
    }

    /// The path and value as a quote: `latencies.99th: 311079`.
    pub(in crate::formats) fn quote(&self) -> Quote {
        let text = format!("{}: {}", self.path, self.value);
        Quote {
            line: None,
            text: text.chars().take(MOST_QUOTED).collect(),
        }
    }

    pub(in crate::formats) fn text(&self) -> Option<&'a str> {
        self.value.as_str()
    }

    pub(in crate::formats) fn flag(&self) -> Option<bool> {
        self.value.as_bool()
    }

    /// The value as a count.
    pub(in crate::formats) fn count(&self) -> Result<Said<u64>, Fault> {
        let known = self.value.as_u64().or_else(|| {
            // Some tools write all numbers as floats.
            let value = self.value.as_f64()?;
            let is_whole = value.fract() == 0.0 && (0.0..9e15).contains(&value);
            is_whole.then_some(value as u64)
        });
        match known {
            Some(count) => Ok(Said::new(count, self.quote())),
            None => Err(self.fault("no count")),
        }
    }

    /// The value as a number of 0 or more, multiplied by `factor`.
    pub(in crate::formats) fn number(&self, factor: f64) -> Result<Said<Range>, Fault> {
        let known = self.value.as_f64();
        match known.filter(|value| value.is_finite() && *value >= 0.0) {
            Some(value) => Ok(Said::new(Range::exactly(value * factor), self.quote())),
            None => Err(self.fault("no number from 0")),
        }
    }

    /// An optional member as a number, multiplied by `factor`.
    pub(in crate::formats) fn maybe(
        &self,
        name: &str,
        factor: f64,
    ) -> Result<Option<Said<Range>>, Fault> {
        self.get(name)
            .map(|member| member.number(factor))
            .transpose()
    }

    pub(in crate::formats) fn fault(&self, what: &str) -> Fault {
        Fault::of_the_file(sentence!(
            "unexpected-member",
            "{path} is {what}: {quote}",
            path = self.path,
            what,
            quote = self.quote().text
        ))
    }
}

/// The document with `null` in place of `NaN`, which some tools write although JSON does not have it.
/// `None` if it has none.
fn with_null(content: &[u8]) -> Option<Vec<u8>> {
    let text = str::from_utf8(content).ok()?;
    let replaced = text.replace(": NaN", ": null").replace(":NaN", ":null");
    (replaced != text).then(|| replaced.into_bytes())
}

/// The line of the first number with an exponent without a sign, such as `1e5`. Tools write `1e+5`,
/// `1e-5` or all digits, so the `e` stands in place of a damaged digit.
pub(in crate::formats) fn odd_exponent(content: &[u8]) -> Option<u64> {
    let (mut line, mut in_text, mut escaped) = (1, false, false);
    for (at, byte) in content.iter().enumerate() {
        match byte {
            b'\n' => line += 1,
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'e' | b'E' if !in_text => {
                let digit = |at: Option<usize>| {
                    at.and_then(|at| content.get(at))
                        .is_some_and(u8::is_ascii_digit)
                };
                if digit(at.checked_sub(1)) && digit(at.checked_add(1)) {
                    return Some(line);
                }
            }
            _ => {}
        }
    }
    None
}

/// Tools, each with member names that only its documents contain.
const MARKS: &[(&str, &[&str])] = &[
    ("oha", &["\"successRate\""]),
    ("vegeta", &["\"latencies\"", "\"status_codes\""]),
    ("fortio", &["\"DurationHistogram\""]),
    ("bombardier", &["\"numberOfConnections\"", "\"testType\""]),
    ("autocannon", &["\"non2xx\"", "\"pipelining\""]),
    ("artillery", &["\"aggregate\"", "\"counters\"", "\"rates\""]),
    // The rates follow the counters, of which there can be many.
    (
        "artillery",
        &[
            "\"aggregate\"",
            "\"counters\"",
            "\"plugins.metrics-by-endpoint.",
        ],
    ),
    (
        "hyperfine",
        &["\"results\"", "\"command\"", "\"median\"", "\"system\""],
    ),
    ("fio", &["\"fio version\"", "\"jobs\""]),
    ("k6", &["\"metrics\"", "\"http_req"]),
    // The groups and checks can stand before the metrics.
    (
        "k6",
        &["\"root_group\"", "\"groups\"", "\"checks\"", "\"passes\""],
    ),
    (
        "vegeta encode",
        &[
            "\"attack\"", "\"seq\"", "\"timestamp\"", "\"latency\"", "\"bytes_in\"",
        ],
    ),
    ("k6 --out", &["\"metric\"", "\"type\"", "\"data\""]),
    (
        "gatling",
        &["\"numberOfRequests\"", "\"meanNumberOfRequestsPerSecond\""],
    ),
    ("rally", &["\"rally-version\"", "\"race-id\""]),
    ("rally", &["\"benchmark-version\"", "\"op_metrics\""]),
    ("elbencho", &["\"phase_type\"", "\"last_done\""]),
    ("go", &["\"Action\"", "\"Package\""]),
];

/// Whether a file starts like a JSON document of this tool.
pub(in crate::formats) fn is_json_of(beginning: &[u8], tool: &str) -> bool {
    tool_of(beginning) == Some(tool)
}

fn tool_of(beginning: &[u8]) -> Option<&'static str> {
    let text = readable(beginning);
    // A result of Tenbin can contain any of these names.
    if !text.trim_start().starts_with('{') || text.contains("\"tenbin.result/") {
        return None;
    }
    let mut tools = MARKS.iter();
    let found = tools.find(|(_, marks)| marks.iter().all(|mark| text.contains(mark)));
    found.map(|(tool, _)| *tool)
}
