//! OpenSearch as a directory of libraries, which Maven finds with all that they need.
//! From where, the settings of this machine's Maven say.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{go, say};
use crate::shell;

/// What Maven is to find.
const POM: &str = include_str!("pom.xml");
/// How the thing is called in what is said.
const NAME: &str = "opensearch";
/// The plugin in the version that is known to do it, whatever Maven there is.
const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";

/// Names of what is not there; says how it stands.
pub(super) fn missing() -> Result<Vec<&'static str>> {
    if is_ready()? {
        say_ready()?;
        return Ok(Vec::new());
    }
    say(NAME, "to be fetched with Maven");
    Ok(vec![NAME])
}

/// Fetches the libraries unless they are those of the list.
pub(super) fn install() -> Result<()> {
    if !is_ready()? {
        fetch().context(
            "OpenSearch's libraries cannot be fetched with Maven: try again, or look at what the \
             settings of Maven (~/.m2/settings.xml) say about where from",
        )?;
    }
    say_ready()
}

/// They come into a directory of their own first: a half-filled one must not pass for
/// the whole.
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
    println!("fetching OpenSearch (some 55 MB, once for all clones)");
    shell::succeed(
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

/// Whether what is there was fetched by this list.
fn is_ready() -> Result<bool> {
    let place = place()?;
    let list = std::fs::read_to_string(place.join("pom.xml"));
    Ok(list.is_ok_and(|list| list == POM) && place.join("lib").is_dir())
}

/// The directory, beside that of the programs.
fn place() -> Result<PathBuf> {
    Ok(go::cache_dir()?.with_file_name("opensearch"))
}

fn say_ready() -> Result<()> {
    let version = version(POM).unwrap_or("unknown version");
    say(NAME, &format!("{} ({version})", place()?.display()));
    Ok(())
}

/// The version of what is wanted: that of the last thing on the list.
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
