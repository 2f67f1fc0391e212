//! `warp run`: a YAML file with a command and its flags.

use std::collections::BTreeSet;

use tenbin_plan::{Sentence, sentence};

use super::yaml::{Entry, entries};
use crate::mistakes::{Mistakes, unreadable};
use crate::parse::{Given, World};

/// Sections whose names are the first part of the flags in them: `size` in `obj` is `--obj.size`.
const NAMING: [&str; 4] = ["analyze", "autoterm", "distribution", "obj"];
/// Sections whose names are not part of the flags in them.
const GROUPS: [&str; 4] = ["advanced", "io", "params", "remote"];

/// Keys whose flags have other names.
const OTHER_NAMES: [(&str, &str); 18] = [
    ("analyze.filter-op", "analyze.op"),
    ("analyze.segment-duration", "analyze.dur"),
    ("analyze.skip-duration", "analyze.skip"),
    ("analyze.verbose", "analyze.v"),
    ("autoterm.enabled", "autoterm"),
    ("bench-data", "benchdata"),
    ("distribution.delete", "delete-distrib"),
    ("distribution.get", "get-distrib"),
    ("distribution.put", "put-distrib"),
    ("distribution.stat", "stat-distrib"),
    ("no-clear", "noclear"),
    ("no-prefix", "noprefix"),
    ("obj.part-size", "part.size"),
    ("obj.parts", "parts"),
    ("obj.rand-size", "obj.randsize"),
    ("obj.versions", "versions"),
    ("server-profile", "serverprof"),
    ("sse-c-encrypt", "encrypt"),
];

/// The command and the flags in a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RunFile {
    pub(super) command: String,
    pub(super) arguments: Vec<String>,
}

/// Reads the file that the command line of `warp run` names.
pub(super) fn read(given: &mut Given, world: &World<'_>) -> Result<RunFile, Mistakes> {
    let operands = std::mem::take(&mut given.operands);
    let mut mistakes = std::mem::take(&mut given.mistakes);
    if operands.len() != 1 {
        mistakes.push(sentence!(
            "warp-run-file",
            "warp run takes one YAML file: warp run FILE"
        ));
    }
    Mistakes::unless_empty(mistakes)?;
    let file = &operands[0];
    let text = (world.read)(file).map_err(|error| Mistakes::one(unreadable(file, &error)))?;
    with_values(&text, given.list("var"))
        .and_then(|text| of_text(&text))
        .map_err(|why| Mistakes::one(sentence!("front-in-file", "{file}: {why}", file, why)))
}

/// Replaces `{{.NAME}}` with the values of `--var`.
fn with_values(text: &str, values: &[String]) -> Result<String, Sentence> {
    let mut replaced = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let (inner, end) = after.split_once("}}").ok_or_else(|| {
            sentence!(
                "warp-value-end",
                "\"{{{{\" has no end; write \"{{{{.NAME}}}}\""
            )
        })?;
        let name = inner.trim().strip_prefix('.').unwrap_or_default();
        let mut pairs = values.iter().filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.find(|(known, _)| *known == name).ok_or_else(|| {
            sentence!(
                "warp-no-value",
                "\"{{{{{inner}}}}}\" has no value; write \"{{{{.NAME}}}}\" and give --var NAME=VALUE",
                inner
            )
        })?;
        replaced.push_str(before);
        replaced.push_str(value);
        rest = end;
    }
    Ok(replaced + rest)
}

fn of_text(text: &str) -> Result<RunFile, Sentence> {
    let mut command = None;
    let mut is_v1 = false;
    let mut flags: Vec<(String, String)> = Vec::new();
    let mut seen = BTreeSet::new();
    for Entry { line, path, value } in entries(text)? {
        let at = |why: Sentence| sentence!("warp-line", "line {line}: {why}", line, why);
        let empty = || at(sentence!("warp-empty-key", "the key is empty"));
        let (first, path) = path.split_first().ok_or_else(empty)?;
        if first != "warp" {
            return Err(at(sentence!(
                "warp-unknown-key",
                "{first:?} is unknown; all keys are below \"warp\"",
                first
            )));
        }
        let (Some(value), Some((key, sections))) = (value, path.split_last()) else {
            continue;
        };
        match (sections, key.as_str()) {
            ([], "api") if value == "v1" => is_v1 = true,
            ([], "api") => {
                return Err(at(sentence!(
                    "warp-api",
                    "api is {value:?}, and Tenbin reads v1",
                    value
                )));
            }
            ([], "benchmark") => command = Some(value),
            _ => {
                let name = flag_of(sections, key).map_err(at)?;
                if !seen.insert(name.clone()) {
                    return Err(at(sentence!(
                        "warp-key-again", "{key:?} sets --{name} again", key, name
                    )));
                }
                flags.push((name, value));
            }
        }
    }
    if !is_v1 {
        return Err(sentence!(
            "warp-no-api",
            "the key api is missing; write \"api: v1\" below \"warp:\""
        ));
    }
    let command = command.ok_or_else(|| {
        sentence!(
            "warp-no-benchmark",
            "the key benchmark is missing; write for example \"benchmark: get\""
        )
    })?;
    let ends_early = flags
        .iter()
        .any(|(name, on)| name == "autoterm" && on == "true");
    let arguments = flags
        .iter()
        // These flags request nothing without --autoterm.
        .filter(|(name, _)| ends_early || !name.starts_with("autoterm."))
        .map(|(name, value)| format!("--{name}={value}"));
    Ok(RunFile {
        command,
        arguments: arguments.collect(),
    })
}

/// The name of the flag that a key in these sections sets.
fn flag_of(sections: &[String], key: &str) -> Result<String, Sentence> {
    let known = |section: &&String| {
        NAMING.contains(&section.as_str()) || GROUPS.contains(&section.as_str())
    };
    if let Some(unknown) = sections.iter().find(|section| !known(section)) {
        return Err(sentence!(
            "warp-unknown-section",
            "the section {unknown:?} is unknown",
            unknown
        ));
    }
    let naming = sections.iter().map(String::as_str);
    let naming = naming.filter(|section| NAMING.contains(section));
    let name = naming.chain([key]).collect::<Vec<_>>().join(".");
    let mut others = OTHER_NAMES.iter();
    let other = others.find(|(known, _)| *known == name);
    Ok(other.map_or(name, |(_, flag)| (*flag).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
# A comment.
warp:
  api: v1
  benchmark: get
  bench-data:
  remote:
    access-key: 'a''b'
    host:
      - 'h{1...2}:9000'   # two
      - other:9000
    tls: true
  params:
    objects: 1000
    obj:
      size: \"100KiB\"
      rand-size: false
    autoterm:
      enabled: false
      dur: 10s
  io:
    no-prefix: true
    prefix: ''
  analyze: { }
";

    #[test]
    fn keys_are_the_flags_of_the_command() {
        let text = FILE.replace("  analyze: { }\n", "");
        let expected = [
            "--access-key=a'b",
            "--host=h{1...2}:9000,other:9000",
            "--tls=true",
            "--objects=1000",
            "--obj.size=100KiB",
            "--obj.randsize=false",
            "--autoterm=false",
            "--noprefix=true",
            "--prefix=",
        ];
        assert_eq!(
            of_text(&text),
            Ok(RunFile {
                command: "get".to_owned(),
                arguments: expected.map(str::to_owned).to_vec(),
            })
        );
        let ends_early = text.replace("enabled: false", "enabled: true");
        let arguments = of_text(&ends_early).unwrap().arguments;
        assert!(arguments.contains(&"--autoterm.dur=10s".to_owned()));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, expected) in [
            (FILE, "line 23 is YAML that Tenbin does not read; "),
            ("other:\n  a: 1", "line 1: \"other\" is unknown; "),
            (
                "warp:\n  api: v2",
                "line 2: api is \"v2\", and Tenbin reads v1",
            ),
            ("warp:\n  benchmark: get", "the key api is missing; "),
            ("warp:\n  api: v1", "the key benchmark is missing; "),
            (
                "warp:\n  nothing:\n    a: 1",
                "line 3: the section \"nothing\" is unknown",
            ),
            (
                "warp:\n  noclear: true\n  no-clear: true",
                "line 3: \"no-clear\" sets --noclear again",
            ),
        ] {
            let why = of_text(text).unwrap_err();
            assert!(why.text().starts_with(expected), "{why}");
        }
    }

    #[test]
    fn values_replace_their_names() {
        let values = ["Size=1KiB".to_owned()];
        assert_eq!(
            with_values("size: {{.Size}} {{ .Size }}", &values).as_deref(),
            Ok("size: 1KiB 1KiB")
        );
        let why = with_values("{{.Other}}", &values).unwrap_err();
        assert!(why.text().contains("--var NAME=VALUE"), "{why}");
        assert!(with_values("{{.Size", &values).is_err());
    }
}
