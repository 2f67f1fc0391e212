//! Pages with one sentence.

use std::fmt::Write as _;

use tenbin_result::message;

use super::site::{Content, Site};
use crate::escape::for_xml;
use crate::page::html::{ServedPage, short};

/// Says why there is no page.
pub fn problem_page(site: &Site<'_>, sentence: &str) -> ServedPage {
    let main = format!(
        "<h1 class=\"title\">{}</h1>\n<p class=\"notice bad\">{}</p>\n<p><a href=\"{}\">{}</a></p>\n",
        site.text("This did not work"),
        for_xml(&short(sentence)),
        site.base,
        site.text("all runs")
    );
    plain(site, "This did not work", main)
}

/// The page that is shown while the browser opens the list with its cookie.
pub fn opening_page(site: &Site<'_>) -> ServedPage {
    let main = format!(
        "<h1 class=\"title\">Tenbin</h1>\n<p><a href=\"{}\">{}</a></p>\n",
        site.base,
        site.text("Open the list of runs")
    );
    plain(site, "Open the list of runs", main)
}

/// Asks whether a run is to be deleted.
pub fn delete_page(site: &Site<'_>, name: &str) -> ServedPage {
    let asked = site.say(&message!("ui-delete", name = short(name)));
    let mut main = format!("<h1 class=\"title\">{asked}</h1>\n");
    let _ = writeln!(
        main,
        "<p>{}</p>\n<form class=\"bar\" method=\"post\" action=\"{}\">\n{}\
         <button class=\"danger\">{}</button> <a href=\"{}\">{}</a>\n</form>",
        site.text("The run is moved to .trash in the directory of the runs. Delete that directory to free the space."),
        site.run(name, "/delete"),
        site.token_field(),
        site.text("Delete"),
        site.run(name, ""),
        site.text("Cancel")
    );
    plain(site, "Delete", main)
}

fn plain(site: &Site<'_>, title: &'static str, main: String) -> ServedPage {
    site.page(&Content {
        title: site.text(title).to_owned(),
        tab: None,
        class: "plain",
        main,
    })
}
