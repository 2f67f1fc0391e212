//! `cargo xtask docs`: the documentation as a site, in `target/book`.

mod layout;
mod markdown;
mod mdbook;
mod site;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use self::layout::Layout;
use crate::shell;

/// Builds the site and checks its links and its search.
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
    shell::succeed(Command::new(mdbook).arg("build").arg(source))?;
    site::check_links(site)?;
    site::check_search(site)?;
    println!(
        "{} pages: {}",
        layout.len(),
        site.join("index.html").display()
    );
    Ok(())
}
