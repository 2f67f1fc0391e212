//! A context in which tests resolve plans.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use boon::{Compiler, SchemaIndex, Schemas};
use tenbin_plan::{Context, Draft, Plan, Refusal, schema_json};

/// Four cores, seed 7, working directory `/made-up`, and only what is given here.
pub fn world(environment: &[(&str, &str)], files: &[(&str, &[u8])]) -> Context {
    let environment: HashMap<String, String> = environment
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let files: HashMap<PathBuf, Vec<u8>> = files
        .iter()
        .map(|(path, bytes)| (PathBuf::from(path), bytes.to_vec()))
        .collect();
    let mut draws = 0;
    Context {
        cores: 4,
        directory: PathBuf::from("/made-up"),
        seed: 7,
        environment: Box::new(move |name| environment.get(name).cloned()),
        open: Box::new(move |path: &Path| match files.get(path) {
            Some(bytes) => Ok(Box::new(io::Cursor::new(bytes.clone()))),
            None => Err(io::ErrorKind::NotFound.into()),
        }),
        without_files: false,
        random: Box::new(move || {
            draws += 1;
            draws
        }),
    }
}

/// Resolves the text of `plan.toml` in `context`.
pub fn resolve_in(text: &str, context: &mut Context) -> Result<Plan, Refusal> {
    Draft::from_toml(text, Path::new("plan.toml"))?.resolve(context)
}

/// Resolves the text of `plan.toml` without environment variables or other files.
pub fn resolve(text: &str) -> Result<Plan, Refusal> {
    resolve_in(text, &mut world(&[], &[]))
}

/// Checks the text of a plan against the published schema.
///
/// # Errors
///
/// Where the plan does not conform.
pub fn against_schema(text: &str) -> Result<(), String> {
    static SCHEMA: LazyLock<(Schemas, SchemaIndex)> = LazyLock::new(|| {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        let schema = serde_json::from_str(&schema_json()).expect("JSON");
        let added = compiler.add_resource("http://localhost/plan.schema.json", schema);
        added.expect("a resource");
        let index = compiler.compile("http://localhost/plan.schema.json", &mut schemas);
        let index = index.expect("a schema");
        (schemas, index)
    });
    let plan: serde_json::Value = toml::from_str(text).map_err(|error| format!("{error}"))?;
    let (schemas, index) = &*SCHEMA;
    let checked = schemas.validate(&plan, *index);
    checked.map_err(|error| format!("{error:#}\n{text}"))
}
