//! The page of one run: its result, its label and its note.

use std::fmt::Write as _;

use tenbin_result::Document;

use super::list::{ListedState, state};
use super::progress::{RunProgress, progress};
use super::site::{Content, Site, field};
use crate::escape::for_xml;
use crate::page::html::{ServedPage, article, short};

/// Longest label and note that a form accepts, letters.
const LETTERS: [(&str, usize); 2] = [("label", 60), ("note", 500)];

/// One run.
#[derive(Debug)]
pub struct RunPage<'a> {
    /// Name of its directory.
    pub name: &'a str,
    /// Its label, empty without one.
    pub label: &'a str,
    /// Its note, empty without one.
    pub note: &'a str,
    /// How far it is.
    pub state: ListedState,
    /// What is known of it.
    pub content: RunContent<'a>,
    /// Whether the run wrote `report.html`.
    pub has_report: bool,
}

/// What is known of a run.
#[derive(Debug)]
pub enum RunContent<'a> {
    /// Its result.
    Result(&'a Document),
    /// It is running.
    Progress(RunProgress<'a>),
    /// Why it cannot be read, one sentence.
    Unreadable(String),
}

/// The run as a page.
pub fn run_page(site: &Site<'_>, run: &RunPage<'_>) -> ServedPage {
    let mut main = String::new();
    let is_article = matches!(run.content, RunContent::Result(_));
    // The article of a result has a heading of the first level.
    let tag = if is_article { "p" } else { "h1" };
    let _ = writeln!(
        main,
        "<{tag} class=\"title\">{}</{tag}>",
        for_xml(&short(run.name))
    );
    tools(&mut main, site, run);
    match &run.content {
        RunContent::Result(document) => main.push_str(&article(document, 0)),
        RunContent::Progress(seen) => progress(&mut main, site, run.name, seen),
        RunContent::Unreadable(why) => {
            let _ = writeln!(
                main,
                "<section>\n<p>{}</p>\n<p class=\"notice bad\">{}</p>\n</section>",
                state(site, run.state),
                for_xml(&short(why))
            );
        }
    }
    site.page(&Content {
        title: run.name.to_owned(),
        tab: None,
        class: "run-page",
        main,
    })
}

/// The forms and links of a run.
fn tools(main: &mut String, site: &Site<'_>, run: &RunPage<'_>) {
    main.push_str("<div class=\"forms\">\n");
    for ((name, most), value) in LETTERS.into_iter().zip([run.label, run.note]) {
        let class = if name == "note" {
            " class=\"wide-field\""
        } else {
            ""
        };
        let more = format!(" maxlength=\"{most}\" autocomplete=\"off\"");
        let _ = writeln!(
            main,
            "<form{class} method=\"post\" action=\"{}\">\n{}{}<button>{}</button>\n</form>",
            site.run(run.name, &format!("/{name}")),
            site.token_field(),
            field(site.text(name), "text", name, value, &more),
            site.text("Save")
        );
    }
    main.push_str("<div class=\"links\">");
    if run.has_report {
        let _ = write!(
            main,
            "<a href=\"{}\">{}</a> ",
            site.run(run.name, "/report.html"),
            site.text("report.html of the run")
        );
    }
    if run.state != ListedState::Running {
        let _ = write!(
            main,
            "<a class=\"button danger\" href=\"{}\">{}</a>",
            site.run(run.name, "/delete"),
            site.text("Delete…")
        );
    }
    main.push_str("</div>\n</div>\n");
}
