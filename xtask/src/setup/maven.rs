//! Fetches OpenSearch with Maven, as a directory of libraries with all dependencies. The Maven
//! settings of this machine determine the repositories.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{go, logged, say};

/// The Maven project with OpenSearch as its dependency.
const POM: &str = include_str!("pom.xml");
/// Name in messages.
const NAME: &str = "opensearch";
/// The Maven goal, in a plugin version that works with every Maven version.
const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";

/// `opensearch` if the libraries are missing, otherwise nothing. Prints the state.
pub(super) fn missing() -> Result<Vec<&'static str>> {
    if is_ready()? {
        say_ready()?;
        return Ok(Vec::new());
    }
    say(NAME, "to be fetched with Maven");
    Ok(vec![NAME])
}

/// Fetches the libraries, unless the libraries of [`POM`] are present.
pub(super) fn install() -> Result<()> {
    if !is_ready()? {
        fetch().context(
            "OpenSearch's libraries cannot be fetched with Maven: try again, or look at what the \
             settings of Maven (~/.m2/settings.xml) say about where from",
        )?;
    }
    say_ready()
}

/// Fetches the libraries to a temporary directory and renames the directory at the end, so that an
/// incomplete directory cannot be mistaken for a complete one.
fn fetch() -> Result<()> {
    let place = place()?;
    let unfinished = place.with_file_name("opensearch-unfinished");
    for old in [&unfinished, &place] {
        if old.exists() {
            std::fs::remove_dir_all(old)
                .with_context(|| format!("cannot remove {}", old.display()))?;
        }
    }
    std::fs::create_dir_all(&unfinished)
        .with_context(|| format!("cannot make the directory {}", unfinished.display()))?;
    let pom = unfinished.join("pom.xml");
    std::fs::write(&pom, POM).with_context(|| format!("cannot write {}", pom.display()))?;
    logged::run(
        "fetching OpenSearch, 55 MB, with Maven",
        Command::new("mvn")
            .args(["--batch-mode", "--quiet", "-Dstyle.color=never", "--file"])
            .arg(&pom)
            .arg("-Dmaven.wagon.http.retryHandler.count=5")
            .arg("-DoutputDirectory=lib")
            .arg(COPY),
    )?;
    let has_libraries = std::fs::read_dir(unfinished.join("lib"))
        .is_ok_and(|mut libraries| libraries.next().is_some());
    if !has_libraries {
        bail!("Maven ended well, yet there are no libraries");
    }
    std::fs::rename(&unfinished, &place)
        .with_context(|| format!("cannot make the directory {}", place.display()))
}

/// Whether the libraries were fetched with the current [`POM`].
fn is_ready() -> Result<bool> {
    let place = place()?;
    let list = std::fs::read_to_string(place.join("pom.xml"));
    Ok(list.is_ok_and(|list| list == POM) && place.join("lib").is_dir())
}

/// Directory of the libraries, next to the cache directory of the servers.
fn place() -> Result<PathBuf> {
    Ok(go::cache_dir()?.with_file_name("opensearch"))
}

fn say_ready() -> Result<()> {
    let version = version(POM).unwrap_or("unknown version");
    say(NAME, &format!("{} ({version})", place()?.display()));
    Ok(())
}

/// The version of OpenSearch: the last version in the project file.
fn version(pom: &str) -> Option<&str> {
    let (_, rest) = pom.rsplit_once("<version>")?;
    Some(rest.split_once('<')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_opensearch() {
        assert_eq!(version(POM), Some("2.19.1.0"));
    }
}
