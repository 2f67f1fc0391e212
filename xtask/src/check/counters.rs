//! Checks that a counter or a histogram of an operation is declared once, so that a new one touches
//! few files.
//!
//! `Operation` of the engine carries all of them from the tally to the files. The check fails if
//! more than [`MOST`] files declare one of their names again: as a field, or as a name in a file.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

/// File with the counters and histograms, one line each, such as `Censored censored;`.
const TABLE: &str = "crates/engine/src/operation.rs";
/// Largest number of files that declare a name: a new counter with its figure touches no more.
const MOST: usize = 4;
/// Names that other figures have too: bytes of a slice, times of a host, parts of a transaction.
const SHARED: &[&str] = &[
    "ok", "sent", "received", "payload", "service", "response", "lag", "first_byte", "failed",
];

/// Fails with the files that declare the name of a counter, if there are too many.
pub(super) fn check() -> Result<()> {
    let (names, most) = look(Path::new("."))?;
    println!("{names} counters and histograms, each declared in at most {most} files");
    Ok(())
}

/// The number of names, and the largest number of files that declare one.
fn look(root: &Path) -> Result<(usize, usize)> {
    let table = fs::read_to_string(root.join(TABLE));
    let names = names(&table.with_context(|| format!("cannot read {TABLE}"))?);
    let is_own = |name: &&String| !SHARED.contains(&name.as_str());
    if !names.iter().any(|name| is_own(&name)) {
        bail!("{TABLE} has no counters: xtask/src/check/counters.rs reads its lines");
    }
    let sources = sources(root)?;
    let mut most = 0;
    for name in names.iter().filter(is_own) {
        let files = declaring(name, &sources);
        most = most.max(files.len());
        if files.len() > MOST {
            bail!(
                "{} files declare the counter `{name}`, and the most is {MOST}: {}\n`Operation` of \
                 {TABLE} carries a counter everywhere; use it instead of a field for each counter",
                files.len(),
                files.join(", ")
            );
        }
    }
    Ok((names.len(), most))
}

/// The sources of all crates without tests: paths and texts.
fn sources(root: &Path) -> Result<Vec<(String, String)>> {
    let listed = shell::output_of(Command::new("git").current_dir(root).args([
        "ls-files", "--cached", "--others", "--exclude-standard", "crates/*/src/*.rs",
    ]))?;
    let tests = ["/testing.rs", "/simulation/"];
    let is_shipped = |path: &&str| !tests.iter().any(|part| path.contains(part));
    let shipped = listed.lines().filter(is_shipped);
    // A deleted file can be listed until its deletion is committed.
    let read = |path: &str| Some((path.to_owned(), fs::read_to_string(root.join(path)).ok()?));
    Ok(shipped.filter_map(read).collect())
}

/// The names of the counters and histograms: lines such as `Censored censored;` of the tables.
fn names(table: &str) -> Vec<String> {
    let tables = table.lines();
    let tables = tables.take_while(|line| !line.contains("enum SetupStep"));
    let rows = tables.filter_map(|line| {
        let (variant, field) = line.trim().strip_suffix(';')?.split_once(' ')?;
        let is_name = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let is_row = variant.starts_with(|c: char| c.is_ascii_uppercase())
            && is_name(variant)
            && field.starts_with(|c: char| c.is_ascii_lowercase())
            && is_name(field);
        is_row.then(|| field.to_owned())
    });
    let mut names: Vec<String> = rows.collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The paths of the files that declare the name.
fn declaring<'a>(name: &str, sources: &'a [(String, String)]) -> Vec<&'a str> {
    let declare = sources.iter().filter(|(_, text)| declares(text, name));
    declare.map(|(path, _)| path.as_str()).collect()
}

/// Whether code outside tests and comments has a row, a field or a text with this name.
fn declares(text: &str, name: &str) -> bool {
    let lines = text.lines();
    let mut code = lines
        .take_while(|line| line.trim() != "#[cfg(test)]")
        .map(|line| line.split("//").next().unwrap_or_default().trim());
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    code.any(|line| {
        let field = format!("{name}:");
        let mut fields = line.match_indices(&field);
        let is_field = fields.any(|(at, _)| {
            let is_path = line[at + field.len()..].starts_with(':');
            !is_path && !line[..at].ends_with(is_part)
        });
        let is_row = line.ends_with(&format!(" {name};")) && !line.contains("mod ");
        is_field || is_row || line.contains(&format!("\"{name}\""))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_the_engine_is_read() {
        let table = include_str!("../../../crates/engine/src/operation.rs");
        let names = names(table);
        for name in ["censored", "ok", "first_byte", "lag"] {
            assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
        }
        let is_known = |name: &&&str| names.iter().any(|known| known == **name);
        assert_eq!(SHARED.iter().filter(is_known).count(), SHARED.len());
    }

    #[test]
    fn no_counter_is_declared_in_many_files() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let (names, most) = look(&root).unwrap();
        assert!(names > 8 && most > 1, "{names} names, {most} files");
    }

    #[test]
    fn a_declaration_is_a_row_a_field_or_a_text() {
        for line in [
            "    Censored censored;", "    pub censored: u64,", "Self { ok: 1, censored: 2 }",
            "    \"censored\",",
        ] {
            assert!(declares(line, "censored"), "{line}");
        }
        for line in [
            "sum += op.counts.censored;",
            "pub(crate) mod censored;",
            "use censored::judge;",
            "// censored: of no use",
            "pub uncensored: u64,",
            "#[cfg(test)]\nlet all = Waiting { censored: 1 };",
        ] {
            assert!(!declares(line, "censored"), "{line}");
        }
    }

    #[test]
    fn too_many_declarations_are_named() {
        let file = |name: &str| (name.to_owned(), "pub censored: u64,".to_owned());
        let sources = [
            file("one.rs"),
            file("two.rs"),
            ("three.rs".to_owned(), String::new()),
        ];
        assert_eq!(declaring("censored", &sources), ["one.rs", "two.rs"]);
    }
}
