//! The history of the runs.

use std::fmt::Write as _;

use tenbin_result::History;

use super::site::{Content, Site, choice};
use crate::escape::for_xml;
use crate::history::{ALL, page_blocks, page_title};
use crate::page::html::{ServedPage, fragment, short};

/// Most runs in a table: as many rows as a table of a page has.
const MOST_RUNS: usize = 100;

/// What the history is of, and what it can be of.
#[derive(Debug, Clone, Default)]
pub struct HistoryForm {
    /// The target, empty for all.
    pub target: String,
    /// The workload, empty for all.
    pub workload: String,
    /// The figure, empty for the one that decides comparisons.
    pub figure: String,
    /// The anchor, empty for that of the newest plan.
    pub anchor: String,
    /// Names of the targets of all runs.
    pub targets: Vec<String>,
    /// Names of the workloads of all runs.
    pub workloads: Vec<String>,
}

/// The page of a history, or of the error that prevented it.
pub fn history_page(
    site: &Site<'_>,
    history: Result<&History, &str>,
    form: &HistoryForm,
) -> ServedPage {
    let title = history.map_or_else(
        |_| site.text("History").to_owned(),
        |history| page_title(history, site.language),
    );
    let mut main = format!("<h1 class=\"title\">{}</h1>\n", for_xml(&short(&title)));
    filters(&mut main, site, form);
    main.push_str("<section>\n");
    match history {
        Ok(history) if history.series.is_empty() => {
            let _ = writeln!(main, "<p>{}</p>", site.text("No run has this figure."));
        }
        Ok(_) => {}
        Err(why) => {
            let _ = writeln!(main, "<p class=\"notice bad\">{}</p>", for_xml(&short(why)));
        }
    }
    if let Ok(history) = history {
        let blocks = page_blocks(history, site.language, MOST_RUNS);
        main.push_str(&fragment(&blocks, ALL, "history", site.language));
    }
    main.push_str("</section>\n");
    site.page(&Content {
        title,
        tab: Some("history"),
        class: "history",
        main,
    })
}

fn filters(main: &mut String, site: &Site<'_>, form: &HistoryForm) {
    let named = |first: &'static str, names: &[String]| {
        let first = (String::new(), site.text(first).to_owned());
        let names = names.iter().map(|name| (name.clone(), name.clone()));
        std::iter::once(first).chain(names).collect::<Vec<_>>()
    };
    let figures = ["throughput", "p50", "p99", "cpu"].map(str::to_owned);
    let _ = writeln!(
        main,
        "<form class=\"filters\" method=\"get\" action=\"{}history\">",
        site.base
    );
    for (name, chosen, options) in [
        ("target", &form.target, named("all", &form.targets)),
        ("workload", &form.workload, named("all", &form.workloads)),
        (
            "figure",
            &form.figure,
            named("the one that decides", &figures),
        ),
        (
            "anchor",
            &form.anchor,
            named("of the newest plan", &form.targets),
        ),
    ] {
        main.push_str(&choice(site.text(name), name, chosen, &options));
    }
    let _ = writeln!(
        main,
        "<div class=\"buttons\"><button class=\"main\">{}</button></div>\n</form>",
        site.text("Show")
    );
}
