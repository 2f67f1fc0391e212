//! Checks the built site: every link inside it, its stylesheets, and the search.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::shell;

/// A word that some pages contain.
const WORD: &str = "knee";

/// What the browser needs to open one local page and nothing else.
const BROWSER_OPTIONS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=20000",
    "--dump-dom",
];

/// Fails with one line for each link to a file or heading that the site does not have.
pub(super) fn check_links(site: &Path) -> Result<()> {
    let mut pages = BTreeMap::new();
    for file in html_files(site)? {
        let text = std::fs::read_to_string(&file);
        let text = text.with_context(|| format!("cannot read {}", file.display()))?;
        pages.insert(file, text);
    }
    let ids: BTreeMap<&Path, BTreeSet<&str>> = pages
        .iter()
        .map(|(file, text)| (file.as_path(), attributes(text, "id").collect()))
        .collect();
    let mut broken = BTreeSet::new();
    let mut followed = 0;
    for (page, text) in &pages {
        for link in attributes(text, "href").chain(attributes(text, "src")) {
            // The page for addresses that do not exist, and links to other sites.
            if page.ends_with("404.html") || link.contains(':') {
                continue;
            }
            followed += 1;
            let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
            let folder = page.parent().unwrap_or(site);
            let target = match path {
                "" => page.clone(),
                _ => normal(&folder.join(path)),
            };
            let has_id = |id: &str| ids.get(target.as_path()).is_none_or(|ids| ids.contains(id));
            if !target.is_file() || !(fragment.is_empty() || has_id(&decoded(fragment))) {
                let page = page.strip_prefix(site).unwrap_or(page);
                broken.insert(format!(
                    "{}: the link to {link} leads nowhere",
                    page.display()
                ));
            }
        }
    }
    let broken: Vec<String> = broken.into_iter().collect();
    ensure!(broken.is_empty(), "{}", broken.join("\n"));
    println!(
        "{} files, {followed} links lead to a file or heading",
        pages.len()
    );
    Ok(())
}

/// The stylesheets that the first page of the site links to.
pub(super) fn stylesheets(site: &Path) -> Result<Vec<String>> {
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path);
        text.with_context(|| format!("cannot read {}", path.display()))
    };
    let page = read(&site.join("index.html"))?;
    let links = attributes(&page, "href").filter(|link| link.ends_with(".css"));
    links.map(|link| read(&site.join(link))).collect()
}

/// Searches the site for a word in the browser of `cargo xtask setup`. Without a browser, says so.
pub(super) fn check_search(site: &Path) -> Result<()> {
    let Some(browser) = shell::find_program("chromium") else {
        println!("the search is not checked: chromium is missing; `cargo xtask setup` installs it");
        return Ok(());
    };
    let site = site.canonicalize().context("the site was not built")?;
    let profile = site.with_file_name("docs-browser");
    let page = format!("file://{}/index.html?search={WORD}", site.display());
    let shown = shell::output_of(
        Command::new(browser)
            .args(BROWSER_OPTIONS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(&page),
    );
    let _ = std::fs::remove_dir_all(&profile);
    let shown = shown?;
    let found = results(&shown);
    if found.is_empty() {
        bail!("a search for {WORD:?} shows no result");
    }
    println!("a search for {WORD:?} shows {} results", found.len());
    Ok(())
}

/// Addresses of the results of a search in the page that the browser shows.
fn results(page: &str) -> Vec<&str> {
    let links = attributes(page, "href");
    let marked = format!("?highlight={WORD}");
    links.filter(|link| link.contains(&marked)).collect()
}

/// Values of all attributes of this name.
fn attributes<'t>(html: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let start = format!(" {name}=\"");
    let length = start.len();
    let starts: Vec<usize> = html.match_indices(&start).map(|(at, _)| at).collect();
    starts
        .into_iter()
        .filter_map(move |at| html[at + length..].split_once('"').map(|(value, _)| value))
}

/// The path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                result.pop();
            }
            std::path::Component::CurDir => {}
            part => result.push(part),
        }
    }
    result
}

/// The text of a percent-encoded fragment, such as that of a Japanese heading.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = fragment;
    while let Some(first) = rest.chars().next() {
        let code = rest.strip_prefix('%').and_then(|code| code.get(..2));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[3..];
            }
            None => {
                bytes.extend(&rest.as_bytes()[..first.len_utf8()]);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn html_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = std::fs::read_dir(folder);
    for entry in entries.with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(html_files(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "html") {
            files.push(path);
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_links_of_a_site_are_named_and_stylesheets_found() {
        let site = std::env::temp_dir().join(format!("tenbin-site-{}", std::process::id()));
        std::fs::create_dir_all(site.join("sub")).unwrap();
        let page = |name: &str, text: &str| std::fs::write(site.join(name), text).unwrap();
        page(
            "index.html",
            r##"<h1 id="はじめ"></h1><a href="sub/a.html#b">"##,
        );
        page(
            "sub/a.html",
            r##"<h1 id="b"></h1><a href="../index.html#%E3%81%AF%E3%81%98%E3%82%81">"##,
        );
        check_links(&site).unwrap();
        page(
            "sub/a.html",
            r##"<h1 id="c"></h1><a href="../gone.html"><a href="https://a.b/">"##,
        );
        let error = check_links(&site).unwrap_err().to_string();
        let expected = "index.html: the link to sub/a.html#b leads nowhere\n\
                        sub/a.html: the link to ../gone.html leads nowhere";
        assert_eq!(error, expected);
        page("index.html", r#"<link rel="stylesheet" href="a.css">"#);
        page("a.css", "a{}");
        assert_eq!(stylesheets(&site).unwrap(), ["a{}"]);
        std::fs::remove_dir_all(&site).unwrap();
    }
}
