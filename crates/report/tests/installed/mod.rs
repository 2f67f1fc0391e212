//! Files that `cargo xtask setup` installs (xtask/src/setup/): what is missing fails the test.

use std::path::{Path, PathBuf};

/// The source of axe-core, from a Python package that contains it.
#[allow(dead_code, reason = "not every test file needs it")]
pub(crate) fn axe() -> String {
    let file = files(&beside_servers("python/lib"))
        .map(|version| version.join("site-packages/axe_playwright_python/axe.min.js"))
        .find(|file| file.is_file())
        .unwrap_or_else(|| panic!("axe-core is missing; run `cargo xtask setup`"));
    std::fs::read_to_string(file).unwrap()
}

/// The Java library of HdrHistogram, which is among the libraries of OpenSearch.
#[allow(dead_code, reason = "not every test file needs it")]
pub(crate) fn hdr_histogram() -> PathBuf {
    let is_wanted = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("HdrHistogram-") && name.ends_with(".jar")
    };
    files(&beside_servers("opensearch/lib"))
        .find(is_wanted)
        .unwrap_or_else(|| panic!("HdrHistogram's jar is missing; run `cargo xtask setup`"))
}

fn files(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    entries.flatten().map(|entry| entry.path())
}

/// A path beside the directory of the servers (xtask/src/setup/go.rs).
fn beside_servers(path: &str) -> PathBuf {
    let set = |name: &str| {
        let value = std::env::var_os(name);
        value.filter(|value| !value.is_empty()).map(PathBuf::from)
    };
    let servers = set("TENBIN_SERVERS").or_else(|| {
        let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
        Some(cache.join("tenbin/servers/bin"))
    });
    servers.unwrap_or_default().with_file_name(path)
}
