//! Checks that only a few files name individual protocols; all other code of a protocol is in the
//! folders of that protocol.
//!
//! The table of protocols contains the names. CONTRIBUTING.md lists the files that can use the
//! names. The check fails if another file names the variant or the work of a protocol, if the list
//! is too long, or if a listed file names no protocol.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

/// File with the table of protocols: one line per protocol, such as
/// `Http(http::HttpWork, http::HttpDraft) in http,`.
const TABLE: &str = "crates/plan/src/work/mod.rs";
/// File with the list of files, and heading of the list.
const LIST: (&str, &str) = ("CONTRIBUTING.md", "### Add a protocol");
/// Largest number of existing files that a new protocol changes.
const MOST: usize = 5;
/// Folders with a subfolder per protocol.
const HOMES: &[&str] = &["crates/plan/src/work", "crates/workloads/src"];
/// File that names only exports of the table; not checked.
const EXPORTS: &str = "crates/plan/src/lib.rs";

/// A row of the table.
#[derive(Debug, PartialEq)]
struct Protocol {
    variant: String,
    work: String,
    folder: String,
}

/// Fails with a list of all lines that name a protocol in a file where this is forbidden.
pub(super) fn check() -> Result<()> {
    let looked = look(Path::new("."))?;
    if !looked.offences.is_empty() {
        bail!(
            "{}\nwhat depends on a protocol is a fact (crates/plan/src/work/facts.rs), a method of its \
             folder, or a row of a table that {} lists",
            looked.offences.join("\n"),
            LIST.0
        );
    }
    println!(
        "{} protocols, {} files; one more protocol takes {} existing files",
        looked.protocols, looked.files, looked.listed
    );
    Ok(())
}

/// Result of searching the sources below a root directory.
struct Looked {
    protocols: usize,
    files: usize,
    listed: usize,
    offences: Vec<String>,
}

fn look(root: &Path) -> Result<Looked> {
    let read = |path: &str| {
        fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))
    };
    let protocols = rows(&read(TABLE)?);
    if protocols.len() < 2 {
        bail!("{TABLE} has no table of protocols: xtask/src/check/protocols.rs reads its lines");
    }
    let listed = listed(&read(LIST.0)?);
    let mut offences = about_the_list(&listed, |path| root.join(path).exists());
    let names = shell::output_of(Command::new("git").current_dir(root).args([
        "ls-files", "--cached", "--others", "--exclude-standard", "crates/*/src/*.rs",
    ]))?;
    let mut files = 0;
    for path in names.lines() {
        // The file is deleted, but the deletion is not committed.
        let Ok(text) = read(path) else {
            continue;
        };
        files += 1;
        if !may_name_protocols(path, &listed, &protocols) {
            let lines = named_in(&text, &protocols);
            offences.extend(lines.map(|(line, name)| format!("{path}:{line}: {name}")));
        }
    }
    Ok(Looked {
        protocols: protocols.len(),
        files,
        listed: listed.len(),
        offences,
    })
}

/// Parses the rows of the table of protocols.
fn rows(table: &str) -> Vec<Protocol> {
    let row = |line: &str| {
        let (left, folder) = line.trim().strip_suffix(',')?.split_once(") in ")?;
        let (variant, path) = left.split_once('(')?;
        let work = path.split(',').next()?.rsplit("::").next()?;
        Some(Protocol {
            variant: variant.to_owned(),
            work: work.to_owned(),
            folder: folder.to_owned(),
        })
    };
    table.lines().filter_map(row).collect()
}

/// The file names in code spans in the numbered steps below the heading.
fn listed(contributing: &str) -> Vec<String> {
    let section = contributing.lines().skip_while(|line| *line != LIST.1);
    let section = section.skip(1).take_while(|line| !line.starts_with('#'));
    let text: Vec<&str> = section.collect();
    let text = text.join("\n");
    let mut files: Vec<String> = Vec::new();
    for code in text.split('`').skip(1).step_by(2) {
        let is_file = code.contains('/') && code.contains('.') && !code.contains('<');
        if is_file && !files.iter().any(|known| known == code) {
            files.push(code.to_owned());
        }
    }
    files
}

fn about_the_list(listed: &[String], exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut offences = Vec::new();
    if !listed.iter().any(|path| path == TABLE) {
        offences.push(format!("{}: {:?} does not list {TABLE}", LIST.0, LIST.1));
    }
    if listed.len() > MOST {
        let length = listed.len();
        offences.push(format!(
            "{}: a protocol takes {length} existing files, and the most is {MOST}",
            LIST.0
        ));
    }
    let missing = listed.iter().filter(|path| !exists(path));
    offences.extend(missing.map(|path| format!("{}: there is no {path}", LIST.0)));
    offences
}

fn may_name_protocols(path: &str, listed: &[String], protocols: &[Protocol]) -> bool {
    let in_a_home = protocols.iter().any(|protocol| {
        let mut homes = HOMES.iter();
        homes.any(|home| path.starts_with(&format!("{home}/{}/", protocol.folder)))
    });
    in_a_home
        || path == EXPORTS
        || path.ends_with("/testing.rs")
        || listed.iter().any(|known| known == path)
}

/// The lines outside tests and comments that name a variant or the work of a protocol, or compare
/// the name of a protocol; with line numbers from 1.
fn named_in<'a>(
    text: &'a str,
    protocols: &'a [Protocol],
) -> impl Iterator<Item = (usize, String)> + 'a {
    let lines = text.lines().enumerate();
    let code = lines.take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    code.filter_map(|(at, line)| {
        let code = line.split("//").next().unwrap_or_default();
        let name = protocols.iter().find_map(|protocol| {
            let Protocol {
                variant,
                work,
                folder,
            } = protocol;
            let names = [
                format!("WorkloadKind::{variant}"),
                work.clone(),
                format!("kind == {folder:?}"),
                format!("kind != {folder:?}"),
            ];
            names.into_iter().find(|name| has_word(code, name))
        })?;
        Some((at + 1, name))
    })
}

/// Whether the code contains the name as a complete identifier.
fn has_word(code: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(name).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + name.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "protocols! {\n    /// Requests.\n    Http(http::HttpWork, http::HttpDraft) in http,\n    \
                          /// Objects.\n    S3(s3::S3Work, s3::S3Draft) in s3,\n}\n";

    fn found(text: &str) -> Vec<(usize, String)> {
        named_in(text, &rows(SAMPLE)).collect()
    }

    #[test]
    fn the_sources_keep_to_the_list() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let looked = look(root).expect("the sources can be read");
        assert_eq!(looked.offences, [""; 0]);
        assert!(looked.protocols >= 3 && looked.files > 100);
    }

    #[test]
    fn the_rows_of_the_table_are_read() {
        let rows = rows(SAMPLE);
        let folders: Vec<&str> = rows.iter().map(|row| row.folder.as_str()).collect();
        assert_eq!(folders, ["http", "s3"]);
        assert_eq!(
            (rows[1].variant.as_str(), rows[1].work.as_str()),
            ("S3", "S3Work")
        );
    }

    #[test]
    fn a_match_on_the_kind_is_found() {
        let text =
            "fn retries() {\n    match kind {\n        WorkloadKind::S3(work) => work.retries,\n";
        assert_eq!(found(text), [(3, "WorkloadKind::S3".to_owned())]);
        assert_eq!(
            found("subject.kind == \"http\""),
            [(1, "kind == \"http\"".to_owned())]
        );
        assert_eq!(
            found("fn of(work: &HttpWork) {"),
            [(1, "HttpWork".to_owned())]
        );
    }

    #[test]
    fn comments_tests_and_longer_names_are_no_match() {
        assert_eq!(found("/// As [`HttpWork`] and WorkloadKind::Http."), []);
        assert_eq!(found("let kind = OtherWorkloadKind::S3Like; S3Works;"), []);
        let in_tests = "fn a() {}\n#[cfg(test)]\nmod tests {\n    WorkloadKind::S3(work)\n";
        assert_eq!(found(in_tests), []);
    }

    #[test]
    fn a_list_that_is_too_long_or_wrong_is_refused() {
        let text = format!(
            "{}\n\n1. `crates/x/src/<name>/`\n2. `{TABLE}`: a line.\n3. `a/b.rs`\n\n### Next\n`c/d.rs`\n",
            LIST.1
        );
        let short = listed(&text);
        assert_eq!(short, [TABLE, "a/b.rs"]);
        assert_eq!(about_the_list(&short, |_| true), [""; 0]);
        assert_eq!(about_the_list(&short, |path| path == TABLE).len(), 1);
        let mut long = short.clone();
        long.extend((0..MOST).map(|number| format!("a/{number}.rs")));
        assert_eq!(about_the_list(&long, |_| true).len(), 1);
        assert_eq!(about_the_list(&short[1..], |_| true).len(), 1);
    }

    #[test]
    fn own_folders_and_tables_may_name_protocols() {
        let listed = vec![TABLE.to_owned()];
        let may = |path: &str| may_name_protocols(path, &listed, &rows(SAMPLE));
        assert!(may("crates/plan/src/work/http/facts.rs"));
        assert!(may("crates/workloads/src/s3/mod.rs"));
        assert!(may(TABLE));
        assert!(!may("crates/plan/src/work/facts.rs"));
        assert!(!may("crates/verdict/src/rules/errors.rs"));
    }
}
