//! What axe-core finds on the page that a browser shows. Its script must have been evaluated before.

use serde_json::Value;

use super::devtools::Browser;

/// Runs every rule that axe-core has on by default.
const RUN: &str =
    "axe.run(document, { resultTypes: ['violations'] }).then(found => found.violations)";

/// Impact, rule and first place of each violation.
pub(crate) fn violations(browser: &mut Browser) -> Vec<String> {
    let found = browser.evaluate(RUN);
    let found = found.as_array().unwrap().iter();
    let told = found.map(|violation| {
        let of = |key: &str| violation[key].as_str().unwrap_or_default().to_owned();
        let nodes = violation["nodes"].as_array().unwrap();
        let first: &Value = &nodes[0];
        format!(
            "{} {}: {} ({} places, first {})",
            of("impact"),
            of("id"),
            of("help"),
            nodes.len(),
            first["html"]
        )
    });
    told.collect()
}
