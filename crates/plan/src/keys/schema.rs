//! The JSON Schema of plan files, from the tables of keys.
//!
//! The schema describes what each key can be. It does not describe which keys exclude each other and
//! what values mean, which only [`Draft::resolve`](crate::Draft::resolve) checks.

use serde_json::{Map, Value as Json, json};

use crate::draft::{Draft, WorkloadDraft};
use crate::keys::form::{Form, Kind, RATE, SIZE, TIME};
use crate::keys::row::{Key, KeyDefault, Section as _, Value};
use crate::keys::scalar::Scalar;
use crate::keys::sections::{OF_TARGETS, TABLES};
use crate::target::TargetDraft;
use crate::work::PROTOCOLS;
use crate::work::http::TemplateDraft;

/// The first line of a printed plan: editors and linters that know the directive, such as Taplo and
/// Even Better TOML, check the plan and complete its keys with this schema.
pub const SCHEMA_DIRECTIVE: &str = concat!(
    "#:schema ",
    env!("CARGO_PKG_REPOSITORY"),
    "/raw/main/docs/plan.schema.json\n"
);

/// Where the schema is published.
const URL: &str = concat!(
    env!("CARGO_PKG_REPOSITORY"),
    "/raw/main/docs/plan.schema.json"
);
/// Where the pages are that descriptions link to.
const PAGES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/");
/// The page with the keys.
const PAGE: &str = "plan-file.md";
/// The key of a workload that can also be a table.
const PATTERNS: &str = "patterns";
/// The default of a key that must be given.
const REQUIRED: &str = "required";

/// The JSON Schema (draft 7, which Taplo reads) of plan files, as published in
/// `docs/plan.schema.json`.
pub fn schema_json() -> String {
    let mut text = serde_json::to_string_pretty(&schema()).expect("a schema becomes JSON");
    text.push('\n');
    text
}

fn schema() -> Json {
    let mut plan = table(
        "A Tenbin plan: which servers are measured, and how.",
        Draft::KEYS,
    );
    plan["$schema"] = "http://json-schema.org/draft-07/schema#".into();
    plan["$id"] = URL.into();
    plan["title"] = "Tenbin plan".into();
    for (name, _) in TABLES {
        plan["properties"][name] = reference(name);
    }
    for name in ["target", "workload"] {
        plan["properties"][name] =
            json!({ "type": "array", "minItems": 1, "items": reference(name) });
    }
    plan["required"] = json!(["target", "workload"]);
    plan["definitions"] = definitions();
    plan
}

fn definitions() -> Json {
    let mut all = Map::new();
    for (name, keys) in TABLES {
        let about = format!("`[{name}]`: {}", page(&format!("#{name}")));
        all.insert((*name).to_owned(), table(&about, keys));
    }
    for (name, keys) in OF_TARGETS {
        let about = format!("`{name}` of a target: {}", page("#target"));
        all.insert((*name).to_owned(), table(&about, keys));
    }
    let about = format!("A server that is measured: {}", page("#target"));
    all.insert("target".to_owned(), table(&about, TargetDraft::KEYS));
    let about = "One request of `by_target`.";
    all.insert("template".to_owned(), table(about, TemplateDraft::KEYS));
    all.insert("workload".to_owned(), workload());
    Json::Object(all)
}

/// A workload: the keys of all protocols, of which `kind` allows those of one. Editors complete keys
/// of `properties`, and name a wrong key if `additionalProperties` refuses it, but not if an
/// alternative of `oneOf` does.
fn workload() -> Json {
    let about = format!("What is sent to every target: {}", page("#workload"));
    let mut workload = table(&about, WorkloadDraft::KEYS);
    let names: Vec<&str> = PROTOCOLS.iter().map(|each| each.traits.name).collect();
    workload["properties"]["kind"]["enum"] = json!(names);
    let load = "Keys that override `[load]` for this workload.";
    workload["properties"]["load"] = described(reference("load"), load);
    let common = workload["properties"].clone();
    // The branch of the protocol refuses unknown keys: once is enough.
    workload["additionalProperties"] = true.into();
    let mut otherwise = json!({});
    for entry in PROTOCOLS.iter().rev() {
        let kind = entry.traits.name;
        let mut own = table("", entry.keys);
        if let Some(file) = own["properties"].get(PATTERNS) {
            own["properties"][PATTERNS] = patterns(file, entry.keys);
        }
        let keys = own["properties"].clone();
        for (name, property) in members(&keys) {
            let about = format!("`kind = \"{kind}\"`: {}", description(property));
            let all = &mut workload["properties"];
            if is_shared(name) {
                let about = format!("{about}\n\n{}", description(&all[name]));
                all[name] = json!({ "description": about.trim_end() });
            } else {
                all[name] = described(property.clone(), &about);
                own["properties"][name] = true.into();
            }
        }
        for (name, _) in members(&common) {
            own["properties"][name] = true.into();
        }
        otherwise = json!({
            "if": { "properties": { "kind": { "const": kind } }, "required": ["kind"] },
            "then": own,
            "else": otherwise,
        });
    }
    for (key, value) in members(&otherwise) {
        workload[key] = value.clone();
    }
    workload
}

/// Whether several protocols have a key of this name, with different values.
fn is_shared(name: &str) -> bool {
    let has = |keys: &[Key]| keys.iter().any(|key| key.name == name);
    PROTOCOLS.iter().filter(|each| has(each.keys)).count() > 1
}

/// `patterns` can also be a table `[workload.patterns]`, which has the file in `terms`.
fn patterns(file: &Json, keys: &[Key]) -> Json {
    let mut inner = table("", keys);
    let keys = inner["properties"].as_object_mut();
    let keys = keys.expect("a table has properties");
    keys.remove(PATTERNS);
    keys.insert("terms".to_owned(), file.clone());
    let about = file["description"].clone();
    json!({ "anyOf": [file, inner], "description": about })
}

/// A table with these keys and no others.
fn table(about: &str, keys: &[Key]) -> Json {
    let properties = keys.iter().map(|key| (key.name.to_owned(), property(key)));
    let required: Vec<&str> = keys
        .iter()
        .filter(|key| matches!(key.default, KeyDefault::Rule(REQUIRED)))
        .map(|key| key.name)
        .collect();
    let mut table = json!({
        "type": "object",
        "properties": properties.collect::<Map<_, _>>(),
        "additionalProperties": false,
    });
    if !about.is_empty() {
        table["description"] = about.into();
    }
    if !required.is_empty() {
        table["required"] = json!(required);
    }
    table
}

/// A key with its values, its meaning and its default.
fn property(key: &Key) -> Json {
    let one = any_of(kinds(key));
    let list = json!({ "type": "array", "items": one });
    let form = match key.form {
        Form::One => one,
        Form::List => any_of(vec![one, list]),
        Form::Texts => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        Form::Lists => {
            let value = json!({ "type": ["string", "integer", "number", "boolean"] });
            let list = json!({ "type": "array", "items": value, "minItems": 1 });
            let values = json!({ "anyOf": [{ "type": ["string", "integer"] }, list] });
            json!({ "type": "object", "additionalProperties": values })
        }
        Form::Table(name) => reference(name),
        Form::Tables(name) => {
            let list = json!({ "type": "array", "items": reference(name) });
            any_of(vec![reference(name), list])
        }
        Form::TableByName(name) => {
            json!({ "type": "object", "additionalProperties": reference(name) })
        }
    };
    let mut property = described(form, &meaning(key));
    if let Some(default) = key.default_value() {
        property["default"] = match default {
            Scalar::Text(text) => text.into(),
            Scalar::Whole(number) => u64::try_from(number).unwrap_or_default().into(),
            Scalar::Decimal(number) => number.into(),
            Scalar::Switch(switch) => switch.into(),
        };
    }
    property
}

/// A schema with a description. Draft 7 ignores what stands beside a reference.
fn described(schema: Json, about: &str) -> Json {
    let mut described = match schema.get("$ref") {
        Some(_) => json!({ "allOf": [schema] }),
        None => schema,
    };
    described["description"] = about.into();
    described
}

/// The meaning of a key as Markdown, with its values if the schema does not have them, and its default
/// if the default is a rule.
fn meaning(key: &Key) -> String {
    let mut text = key.meaning.trim().to_owned();
    if let Value::Text(values) = key.value {
        text += &format!("\n\nValue: {values}");
    }
    if let KeyDefault::Rule(rule) | KeyDefault::Explained { rule, .. } = key.default {
        text += &format!("\n\nDefault: {rule}");
    }
    linked(&text)
}

/// The text with links to the published pages.
fn linked(text: &str) -> String {
    let mut parts = text.split("](");
    let mut linked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let target = part.split(')').next().unwrap_or_default();
        let rest = &part[target.len()..];
        linked += &format!("]({}{rest}", page(target));
    }
    linked
}

/// The address of a page, or of a heading of the page with the keys.
fn page(target: &str) -> String {
    if target.starts_with('#') {
        format!("{PAGES}{PAGE}{target}")
    } else {
        format!("{PAGES}{target}")
    }
}

/// The kinds of one value.
fn kinds(key: &Key) -> Vec<Json> {
    let mut kinds = match key.value {
        Value::Whole { least, most } => vec![kind(Kind::Whole { least, most })],
        // 0 needs no unit.
        Value::Time { least } if least.is_zero() => vec![json!({
            "type": ["string", "integer"], "pattern": TIME, "minimum": 0, "maximum": 0,
        })],
        Value::Time { .. } => vec![kind(Kind::Pattern(TIME))],
        Value::Rate => vec![json!({
            "type": ["string", "number"], "pattern": RATE, "exclusiveMinimum": 0, "maximum": 1e9,
        })],
        Value::Size => vec![json!({
            "type": ["string", "integer"], "pattern": SIZE, "minimum": 0,
        })],
        Value::Switch => vec![kind(Kind::Switch)],
        Value::Choice(names) => vec![choice(&names())],
        Value::Text(_) if key.kinds.is_empty() => vec![kind(Kind::Text)],
        Value::Text(_) => Vec::new(),
    };
    kinds.extend(key.kinds.iter().copied().map(kind));
    kinds
}

fn kind(kind: Kind) -> Json {
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Pattern(pattern) => json!({ "type": "string", "pattern": pattern }),
        Kind::Names(names) => json!({ "enum": names }),
        Kind::Whole {
            least,
            most: u64::MAX,
        } => json!({ "type": "integer", "minimum": least }),
        Kind::Whole { least, most } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Kind::Above0 { most } => {
            json!({ "type": "number", "exclusiveMinimum": 0, "maximum": most })
        }
        Kind::Switch => json!({ "type": "boolean" }),
        Kind::True => json!({ "const": true }),
    }
}

/// One of these names. A name that is a number, such as a version, may also be written as a number.
fn choice(names: &[&str]) -> Json {
    let numbers = names.iter().filter_map(|name| {
        let whole = name.parse::<u64>().map(Json::from);
        whole.or_else(|_| name.parse::<f64>().map(Json::from)).ok()
    });
    let all = names.iter().map(|name| Json::from(*name)).chain(numbers);
    json!({ "enum": all.collect::<Vec<_>>() })
}

fn any_of(mut schemas: Vec<Json>) -> Json {
    match schemas.len() {
        1 => schemas.remove(0),
        _ => json!({ "anyOf": schemas }),
    }
}

fn description(property: &Json) -> &str {
    property["description"].as_str().unwrap_or_default()
}

fn reference(name: &str) -> Json {
    json!({ "$ref": format!("#/definitions/{name}") })
}

fn members(object: &Json) -> impl Iterator<Item = (&str, &Json)> {
    let members = object.as_object().into_iter().flatten();
    members.map(|(name, value)| (name.as_str(), value))
}
