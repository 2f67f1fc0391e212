//! `cargo xtask docs`: the documentation as a site, in `target/book`.

mod layout;
mod markdown;
mod mdbook;
mod site;
mod theme;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use self::layout::Layout;
use self::theme::Theme;
use crate::shell;

/// Builds the site, in the colours and fonts of the report page, and checks its links, its colours and
/// its search.
///
/// mdBook reads a copy of `docs/` in `target/docs`, because some pages, such as the README, lie
/// outside of `docs/`, and because links to files that are no pages have to lead to the repository.
pub(crate) fn run() -> Result<()> {
    let layout = Layout::read(Path::new("."))?;
    layout.check()?;
    let mdbook = mdbook::program()?;
    let (source, site) = (Path::new("target/docs"), Path::new("target/book"));
    for folder in [source, site] {
        if folder.exists() {
            std::fs::remove_dir_all(folder)
                .with_context(|| format!("cannot remove {}", folder.display()))?;
        }
    }
    layout.write(source)?;
    let theme = Theme::read(Path::new("."))?;
    std::fs::write(source.join(theme::FILE), theme.css())
        .with_context(|| format!("cannot write {}", theme::FILE))?;
    shell::succeed(Command::new(mdbook).arg("build").arg(source))?;
    site::check_links(site)?;
    theme.check(&site::stylesheets(site)?)?;
    site::check_search(site)?;
    println!(
        "{} pages: {}",
        layout.len(),
        site.join("index.html").display()
    );
    Ok(())
}
