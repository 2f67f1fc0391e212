//! Tests of the build profiles in `Cargo.toml`. docs/architecture.md explains them.

use toml::{Table, Value};

use crate::shell;

/// The build profile with this name.
fn profile(name: &str) -> Value {
    let manifest = std::fs::read_to_string(shell::workspace_root().join("Cargo.toml"));
    let manifest: Table = manifest.expect("the manifest").parse().expect("TOML");
    manifest["profile"][name].clone()
}

#[test]
fn release_optimises_everything_alike_and_one_list_names_the_path_of_a_request() {
    let release = profile("release");
    assert_eq!(release.get("opt-level"), None);
    let levels = |profile: &Value| -> Vec<Value> {
        let packages = profile["package"].as_table().expect("packages").values();
        let levels = packages.filter_map(|settings| settings.get("opt-level"));
        levels.cloned().collect()
    };
    assert_eq!(levels(&release), []);
    let dist = levels(&profile("dist"));
    assert!(dist.iter().all(|level| level.as_integer() == Some(3)));
}

#[test]
fn a_panic_ends_only_the_program_of_the_packages() {
    assert_eq!(profile("release").get("panic"), None);
    assert_eq!(profile("dist")["panic"].as_str(), Some("abort"));
}
