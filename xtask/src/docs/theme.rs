//! The stylesheet of the site: the colours and fonts of the report page, applied to mdBook's classes.

use std::path::Path;

use anyhow::{Context, Result, ensure};

/// Where the report page has its colours.
const COLOURS: &str = "crates/report/src/chart/chart.css";
/// Where the report page has its fonts.
const FONTS: &str = "crates/report/src/page/html/page.css";
/// How mdBook's variables and classes use the colours and fonts.
const RULES: &str = include_str!("theme.css");

/// Name of the stylesheet, as `docs/book.toml` names it.
pub(super) const FILE: &str = "tenbin.css";

/// What the report page and the site have in common.
pub(super) struct Theme {
    /// Declarations of the colours on light paper.
    light: String,
    /// Declarations of the same colours on dark paper.
    dark: String,
    text_font: String,
    code_font: String,
}

impl Theme {
    /// Reads the stylesheets of the report page of the repository at `root`.
    ///
    /// # Errors
    /// If a stylesheet cannot be read, or lacks the colours or a font.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let read = |path: &str| {
            let text = std::fs::read_to_string(root.join(path));
            text.with_context(|| format!("cannot read {path}"))
        };
        let (colours, fonts) = (read(COLOURS)?, read(FONTS)?);
        let mut schemes = colours.split("--c0:").skip(1);
        let mut scheme = |name: &str| {
            let block = schemes.next().and_then(|rest| rest.split_once('}'));
            let (block, _) = block.with_context(|| format!("{COLOURS} has no {name} colours"))?;
            anyhow::Ok(format!("--c0:{block}"))
        };
        let font = |before: &str, after: char| {
            let rest = fonts.split_once(before).map(|(_, rest)| rest);
            let family = rest.and_then(|rest| rest.split_once(after));
            let (family, _) = family.with_context(|| format!("{FONTS} has no {before}"))?;
            anyhow::Ok(family.to_owned())
        };
        Ok(Self {
            light: scheme("light")?,
            dark: scheme("dark")?,
            text_font: font("font:16px/1.6 ", ';')?,
            code_font: font("code{font:.875em ", '}')?,
        })
    }

    /// The stylesheet: mdBook's light themes get the light colours, its dark ones the dark colours, and
    /// a browser without JavaScript gets those that the system prefers.
    pub(super) fn css(&self) -> String {
        let Self {
            light,
            dark,
            text_font,
            code_font,
        } = self;
        format!(
            ":root{{{light}}}\n\
             .coal,.navy,.ayu{{{dark}}}\n\
             @media (prefers-color-scheme:dark){{html:not(.js){{{dark}}}}}\n\
             html:root{{--text-font:{text_font};--mono-font:{code_font}}}\n\
             {RULES}"
        )
    }

    /// Fails if a colour is missing in all `stylesheets` of the built site.
    pub(super) fn check(&self, stylesheets: &[String]) -> Result<()> {
        for colour in self.light.split(';').chain(self.dark.split(';')) {
            ensure!(
                stylesheets.iter().any(|css| css.contains(colour)),
                "the site lacks a colour of the report page: {colour}"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    #[test]
    fn the_site_has_the_colours_and_fonts_of_the_report_page() {
        let root = shell::workspace_root();
        let theme = Theme::read(&root).expect("the stylesheets of the report page");
        let css = theme.css();
        for expected in [
            "--paper:#fff", "--paper:#15181b", "--text-font:system-ui", "--mono-font:ui-monospace",
        ] {
            assert!(css.contains(expected), "{expected}: {css}");
        }
        theme.check(&[css]).expect("all colours");
        let lost = theme.check(&[":root{--paper:#fff}".to_owned()]);
        assert!(lost.unwrap_err().to_string().contains("--c0:"), "the first");
    }

    #[test]
    fn the_book_uses_the_stylesheet_and_no_font_of_another_site() {
        let book = std::fs::read_to_string(shell::workspace_root().join("docs/book.toml"));
        let used = format!("additional-css = [\"{FILE}\"]");
        assert!(book.expect("docs/book.toml").contains(&used), "{used}");
        assert!(!RULES.contains("url(") && !RULES.contains("@import"));
    }

    #[test]
    fn every_variable_of_the_rules_is_a_colour_of_the_page_or_their_own() {
        let root = shell::workspace_root();
        let css = Theme::read(&root).expect("stylesheets").css();
        for used in RULES.split("var(").skip(1) {
            let (name, _) = used.split_once(')').expect("an end");
            assert!(css.contains(&format!("{name}:")), "{name}");
        }
    }
}
