//! Which pages the site has, where each lies, and where its links lead.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::markdown::{self, Link};

/// The table of contents; all pages of the site are in it.
const SUMMARY: &str = "docs/SUMMARY.md";

/// The pages of the site. Pages outside of `docs/`, such as the README, are named in the table of
/// contents like those in it.
pub(super) struct Layout {
    root: PathBuf,
    /// Path in the site of every page, by its path in the repository.
    pages: BTreeMap<PathBuf, PathBuf>,
    /// Address of the repository, for links to files that are not in the site.
    repository: String,
}

impl Layout {
    /// Reads the table of contents of the repository at `root`.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let settings = read(root, Path::new("docs/book.toml"))?;
        let settings: toml::Table = settings.parse().context("docs/book.toml is not TOML")?;
        let repository = settings
            .get("output")
            .and_then(|output| output.get("html")?.get("git-repository-url")?.as_str())
            .context("docs/book.toml names no git-repository-url in [output.html]")?;
        let mut pages = BTreeMap::new();
        for link in markdown::links(&read(root, Path::new(SUMMARY))?) {
            let Some(target) = Target::of(Path::new(SUMMARY), &link)? else {
                continue;
            };
            let place = place_of(&target.path);
            let before = pages.insert(target.path.clone(), place);
            ensure!(
                before.is_none(),
                "{SUMMARY}:{}: {} is named twice",
                link.line,
                target.path.display()
            );
        }
        let places: BTreeSet<&PathBuf> = pages.values().collect();
        ensure!(
            places.len() == pages.len(),
            "two pages of {SUMMARY} would be the same file of the site"
        );
        Ok(Self {
            root: root.to_path_buf(),
            repository: repository.trim_end_matches('/').to_owned(),
            pages,
        })
    }

    /// Number of pages.
    pub(super) fn len(&self) -> usize {
        self.pages.len()
    }

    /// Fails with one line for each page of `docs/` that the table of contents lacks, and for each
    /// link to a file or heading that does not exist.
    pub(super) fn check(&self) -> Result<()> {
        let mut problems = Vec::new();
        for page in self.files_in_docs()? {
            let is_page = page.extension().is_some_and(|ending| ending == "md");
            if is_page && page != Path::new(SUMMARY) && !self.pages.contains_key(&page) {
                problems.push(format!("{SUMMARY} does not name {}", page.display()));
            }
        }
        for page in self
            .pages
            .keys()
            .map(PathBuf::as_path)
            .chain([Path::new(SUMMARY)])
        {
            for link in markdown::links(&read(&self.root, page)?) {
                if let Err(error) = self.resolve(page, &link) {
                    problems.push(format!("{error:#}"));
                }
            }
        }
        ensure!(problems.is_empty(), "{}", problems.join("\n"));
        Ok(())
    }

    /// Writes the source of the book: every page with its links as the site needs them, and the
    /// other files of `docs/` unchanged.
    pub(super) fn write(&self, into: &Path) -> Result<()> {
        let source = into.join("src");
        for page in self
            .pages
            .keys()
            .map(PathBuf::as_path)
            .chain([Path::new(SUMMARY)])
        {
            let text = read(&self.root, page)?;
            let text = markdown::with_links(&text, |link| self.link_in_site(page, link))?;
            write(&source.join(place_of(page)), text)?;
        }
        for file in self.files_in_docs()? {
            let name = file.strip_prefix("docs").unwrap_or(&file);
            let content = std::fs::read(self.root.join(&file));
            let content = content.with_context(|| format!("cannot read {}", file.display()))?;
            match name.to_str() {
                Some("book.toml") => write(&into.join(name), content)?,
                _ if name.extension().is_some_and(|ending| ending == "md") => {}
                _ => write(&source.join(name), content)?,
            }
        }
        Ok(())
    }

    /// The destination of a link in the site, if it has to change.
    fn link_in_site(&self, page: &Path, link: &Link<'_>) -> Result<Option<String>> {
        let Some(target) = self.resolve(page, link)? else {
            return Ok(None);
        };
        let fragment = target.fragment.map(|name| format!("#{name}"));
        let fragment = fragment.unwrap_or_default();
        let in_site = self.pages.get(&target.path).cloned().or_else(|| {
            let inside = target.path.strip_prefix("docs").ok()?;
            Some(inside.to_path_buf())
        });
        let Some(place) = in_site else {
            let is_directory = self.root.join(&target.path).is_dir();
            let kind = if is_directory { "tree" } else { "blob" };
            let path = target.path.display();
            return Ok(Some(format!(
                "{}/{kind}/HEAD/{path}{fragment}",
                self.repository
            )));
        };
        let up = "../".repeat(place_of(page).components().count() - 1);
        Ok(Some(format!("{up}{}{fragment}", place.display())))
    }

    /// What a link leads to: `None` for another site. Fails if the file or the heading does not
    /// exist.
    fn resolve(&self, page: &Path, link: &Link<'_>) -> Result<Option<Target>> {
        let Some(target) = Target::of(page, link)? else {
            return Ok(None);
        };
        let place = format!("{}:{}", page.display(), link.line);
        let file = self.root.join(&target.path);
        ensure!(
            file.exists(),
            "{place}: the link to {} leads nowhere",
            link.destination
        );
        let is_page = target.path.extension().is_some_and(|ending| ending == "md");
        if let Some(fragment) = target.fragment.as_ref().filter(|_| is_page) {
            let ids = markdown::heading_ids(&read(&self.root, &target.path)?);
            ensure!(
                ids.contains(fragment),
                "{place}: {} has no heading #{fragment}",
                target.path.display()
            );
        }
        Ok(Some(target))
    }

    /// All files in `docs/` and its folders, as paths in the repository.
    fn files_in_docs(&self) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        let mut folders = vec![PathBuf::from("docs")];
        while let Some(folder) = folders.pop() {
            let entries = std::fs::read_dir(self.root.join(&folder));
            let entries = entries.with_context(|| format!("cannot list {}", folder.display()))?;
            for entry in entries {
                let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
                let path = folder.join(entry.file_name());
                if entry.path().is_dir() {
                    folders.push(path);
                } else {
                    files.push(path);
                }
            }
        }
        files.sort();
        Ok(files)
    }
}

/// The file, and the heading in it, that a link of this repository leads to.
struct Target {
    path: PathBuf,
    fragment: Option<String>,
}

impl Target {
    /// `None` for a link to another site. Fails if the link leaves the repository.
    fn of(page: &Path, link: &Link<'_>) -> Result<Option<Self>> {
        let destination = link.destination;
        if destination.contains("://") || destination.starts_with("mailto:") {
            return Ok(None);
        }
        let (path, fragment) = match destination.split_once('#') {
            Some((path, fragment)) => (path, Some(fragment.to_owned())),
            None => (destination, None),
        };
        let mut found = page.to_path_buf();
        if !path.is_empty() {
            found.pop();
            for part in Path::new(path).components() {
                let is_inside = match part {
                    Component::Normal(name) => {
                        found.push(name);
                        true
                    }
                    Component::CurDir => true,
                    Component::ParentDir => found.pop(),
                    Component::RootDir | Component::Prefix(_) => false,
                };
                ensure!(
                    is_inside,
                    "{}:{}: the link to {destination} leaves the repository",
                    page.display(),
                    link.line
                );
            }
        }
        Ok(Some(Self {
            path: found,
            fragment,
        }))
    }
}

/// Where a page of the repository lies in the site.
fn place_of(page: &Path) -> PathBuf {
    let page = page.strip_prefix("docs").unwrap_or(page);
    // The first page of a folder is its index.
    if page.file_name().is_some_and(|name| name == "README.md") {
        page.with_file_name("index.md")
    } else {
        page.to_path_buf()
    }
}

fn read(root: &Path, page: &Path) -> Result<String> {
    std::fs::read_to_string(root.join(page))
        .with_context(|| format!("cannot read {}", page.display()))
}

fn write(file: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let folder = file.parent().context("a file in a folder")?;
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(file, content))
        .with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_in_the_table_of_contents_and_every_link_leads_somewhere() {
        let layout = Layout::read(&crate::shell::workspace_root()).unwrap();
        layout.check().unwrap();
    }

    #[test]
    fn a_missing_page_and_broken_links_are_named() {
        let layout = repository(&[
            ("README.md", "[guide](docs/guide.md#missing)\n"),
            (
                "docs/guide.md",
                "# Guide\n[gone](gone.md)\n[out](../../x)\n",
            ),
            ("docs/forgotten.md", "# Forgotten\n"),
        ]);
        let error = layout.check().unwrap_err().to_string();
        let expected = "docs/SUMMARY.md does not name docs/forgotten.md\n\
            README.md:1: docs/guide.md has no heading #missing\n\
            docs/guide.md:2: the link to gone.md leads nowhere\n\
            docs/guide.md:3: the link to ../../x leaves the repository";
        assert_eq!(error, expected);
        std::fs::remove_dir_all(&layout.root).unwrap();
    }

    #[test]
    fn links_lead_to_pages_of_the_site_or_to_the_repository() {
        let layout = repository(&[
            (
                "README.md",
                "[g](docs/guide.md#guide) [e](examples/run.toml) [x](https://a.b/c)\n",
            ),
            (
                "docs/guide.md",
                "# Guide\n[up](../README.md) [d](../examples) [s](s.json) [h](#guide)\n",
            ),
            ("docs/s.json", "{}"),
            ("examples/run.toml", ""),
        ]);
        layout.check().unwrap();
        let into = layout.root.join("target");
        layout.write(&into).unwrap();
        let page = |name: &str| std::fs::read_to_string(into.join("src").join(name)).unwrap();
        let readme = "[g](guide.md#guide) [e](https://r.example/t/blob/HEAD/examples/run.toml) [x](https://a.b/c)\n";
        assert_eq!(page("index.md"), readme);
        let guide = "# Guide\n[up](index.md) [d](https://r.example/t/tree/HEAD/examples) [s](s.json) [h](guide.md#guide)\n";
        assert_eq!(page("guide.md"), guide);
        assert_eq!(page("SUMMARY.md"), "[T](index.md)\n\n- [G](guide.md)\n");
        assert_eq!(page("s.json"), "{}");
        std::fs::remove_dir_all(&layout.root).unwrap();
    }

    /// A small repository with these files and a table of contents of its README and its guide.
    fn repository(files: &[(&str, &str)]) -> Layout {
        use std::sync::atomic::{AtomicU32, Ordering};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("tenbin-docs-{}-{count}", std::process::id()));
        let settings = "[output.html]\ngit-repository-url = \"https://r.example/t\"\n";
        let summary = "[T](../README.md)\n\n- [G](guide.md)\n";
        for (name, text) in [("docs/book.toml", settings), (SUMMARY, summary)] {
            write(&root.join(name), text).unwrap();
        }
        for (name, text) in files {
            write(&root.join(name), text).unwrap();
        }
        Layout::read(&root).unwrap()
    }
}
