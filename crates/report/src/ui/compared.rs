//! Two runs side by side, with what changed from one to the other.

use std::fmt::Write as _;

use tenbin_result::{Document, Earlier};

use super::site::{Content, Site, field};
use crate::earlier::blocks_of;
use crate::escape::{for_field, for_xml};
use crate::page::html::{ServedPage, article, fragment, short};
use crate::section::quoted;

/// Two runs.
#[derive(Debug)]
pub struct ComparedRuns<'a> {
    /// Names of the earlier and the later run.
    pub names: [&'a str; 2],
    /// Their results, or why one cannot be read.
    pub results: [Result<&'a Document, &'a str>; 2],
    /// The comparison, or the error that prevented it.
    pub earlier: Result<&'a Earlier, &'a str>,
    /// The workloads that are said to be affected by the change, separated by commas.
    pub changed: &'a str,
}

/// The runs as a page.
pub fn compared_page(site: &Site<'_>, runs: &ComparedRuns<'_>) -> ServedPage {
    let mut main = String::new();
    let title = site.text("Two runs");
    let _ = writeln!(main, "<h1 class=\"title\">{title}</h1>");
    names(&mut main, site, runs);
    let _ = writeln!(
        main,
        "<section>\n<h2>{}</h2>",
        site.text("From the earlier run to the later one")
    );
    match runs.earlier {
        Ok(earlier) => {
            let more = command(site.directory, runs.names);
            main.push_str(&fragment(
                &blocks_of(earlier, site.language),
                &more,
                "earlier",
                site.language,
            ));
        }
        Err(why) => {
            let _ = writeln!(main, "<p class=\"notice bad\">{}</p>", for_xml(&short(why)));
        }
    }
    main.push_str("</section>\n");
    changed(&mut main, site, runs);
    main.push_str("<div class=\"pair\">\n");
    for (at, result) in runs.results.iter().enumerate() {
        let name = for_xml(&short(runs.names[at]));
        let content = match result {
            Ok(document) => article(document, at),
            Err(why) => format!("<p class=\"notice bad\">{}</p>", for_xml(&short(why))),
        };
        let _ = writeln!(main, "<div>\n<p class=\"name\">{name}</p>\n{content}</div>");
    }
    main.push_str("</div>\n");
    site.page(&Content {
        title: title.to_owned(),
        tab: None,
        class: "both",
        main,
    })
}

/// The command that prints the comparison. A name can have a space in it, or what a shell would run.
fn command(directory: &str, names: [&str; 2]) -> String {
    let [before, after] = names.map(|name| quoted(&format!("{directory}/{name}")));
    format!("tenbin compare {before} {after}")
}

/// The names of the runs, as links.
fn names(main: &mut String, site: &Site<'_>, runs: &ComparedRuns<'_>) {
    main.push_str("<ol class=\"two\">\n");
    for name in runs.names {
        let _ = writeln!(
            main,
            "<li><a href=\"{}\">{}</a></li>",
            site.run(name, ""),
            for_xml(&short(name))
        );
    }
    main.push_str("</ol>\n");
}

/// The form that says which workloads the change affects.
fn changed(main: &mut String, site: &Site<'_>, runs: &ComparedRuns<'_>) {
    let _ = writeln!(
        main,
        "<form class=\"forms\" method=\"get\" action=\"{}compare\">",
        site.base
    );
    for name in runs.names {
        let _ = writeln!(
            main,
            "<input type=\"hidden\" name=\"run\" value=\"{}\">",
            for_field(name)
        );
    }
    let label = site.text("workloads that the change affects, separated by commas");
    main.push_str(&field(
        label, "text", "changed", runs.changed, " maxlength=\"500\"",
    ));
    let _ = writeln!(main, "<button>{}</button>\n</form>", site.text("Compare"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_names_the_directories_as_words_of_a_shell() {
        assert_eq!(
            command("runs", ["2026-01-31T120000-http", "b; reboot"]),
            "tenbin compare runs/2026-01-31T120000-http 'runs/b; reboot'"
        );
    }
}
