//! The JSON Schema of [`Document`].

use crate::document::Document;

/// The JSON Schema of [`Document`], as published in `docs/result.schema.json`.
pub fn schema_json() -> String {
    let schema = schemars::schema_for!(Document);
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema becomes JSON");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use crate::*;
    use std::fs;
    use std::path::Path;

    /// Run `TENBIN_UPDATE=1 cargo test -p tenbin-result` to update the published schema.
    #[test]
    fn the_published_schema_is_current() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/result.schema.json");
        if std::env::var_os("TENBIN_UPDATE").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, schema_json()).unwrap();
        }
        let published = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            published == schema_json(),
            "docs/result.schema.json is out of date: TENBIN_UPDATE=1 cargo test -p tenbin-result"
        );
    }
}
