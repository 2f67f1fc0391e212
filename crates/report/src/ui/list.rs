//! The list of runs.

use std::fmt::Write as _;

use tenbin_result::{Trust, message};

use super::site::{Content, Site, choice, encoded, field};
use crate::escape::{for_field, for_xml, shortened};
use crate::language::say_in;
use crate::page::html::{ServedPage, badge, short};

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedState {
    /// It has a result with this trust.
    Judged(Trust),
    /// It is running.
    Running,
    /// It was killed before it had a result.
    NoResult,
    /// Its result cannot be read.
    Damaged,
}

/// A run in the list.
#[derive(Debug, Clone)]
pub struct ListedRun {
    /// Name of its directory.
    pub name: String,
    /// Its label, empty without one.
    pub label: String,
    /// Names of its targets, separated by commas; empty without a result.
    pub targets: String,
    /// The kinds of work with their operations: `s3 put, get`; empty without a result.
    pub question: String,
    /// How far it is.
    pub state: ListedState,
    /// Size of its directory with the unit, empty without a result.
    pub size: String,
    /// Note and verdicts, or why there are none.
    pub said: String,
}

/// What the list shows; each text as in the form, empty if all runs are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListFilter {
    /// Text in name, label, note or verdict.
    pub text: String,
    /// The trust, `running`, `none` (no result) or `damaged`.
    pub trust: String,
    /// Text in a verdict.
    pub verdict: String,
    /// Text in the label.
    pub label: String,
    /// First and last day, such as `2026-01-31`.
    pub days: [String; 2],
    /// The order: empty for the newest first, `old`, `name`, `label` or `trust`.
    pub order: String,
}

/// Longest text of a cell, letters: more than a row shows.
const LETTERS: usize = 240;

/// The heads of the table.
const HEADS: [&str; 7] = [
    "run", "label", "targets", "question", "trust", "size", "result",
];

/// A page of the list.
#[derive(Debug)]
pub struct RunList<'a> {
    /// The runs on the page.
    pub runs: &'a [ListedRun],
    /// What was asked for.
    pub filter: &'a ListFilter,
    /// Number of the first run on the page, from 1; 0 without one.
    pub first: usize,
    /// Number of runs that were asked for.
    pub matching: usize,
    /// Number of all runs.
    pub total: usize,
    /// Number of this page and of the last one, from 1.
    pub pages: [usize; 2],
    /// Name of a run that was just moved to the trash.
    pub moved: Option<&'a str>,
}

/// The list as a page.
pub fn list_page(site: &Site<'_>, list: &RunList<'_>) -> ServedPage {
    let mut main = String::new();
    let title = message!("ui-runs-in", directory = short(site.directory));
    let title = say_in(site.language, &title);
    let _ = writeln!(main, "<h1 class=\"title\">{}</h1>", site.text("Runs"));
    if let Some(name) = list.moved {
        let moved = site.say(&message!("ui-moved", name = short(name)));
        let _ = writeln!(main, "<p class=\"notice\" role=\"status\">{moved}</p>");
    }
    filters(&mut main, site, list.filter);
    if list.runs.is_empty() {
        let why = match list.total {
            0 => "There is no run in this directory yet.",
            _ => "No run is like this.",
        };
        let _ = writeln!(main, "<p>{}</p>", site.text(why));
    } else {
        table(&mut main, site, list);
    }
    site.page(&Content {
        title,
        tab: Some(""),
        class: "list",
        main,
    })
}

fn filters(main: &mut String, site: &Site<'_>, filter: &ListFilter) {
    let all = || (String::new(), site.text("all").to_owned());
    let same = |value: &'static str| (value.to_owned(), site.text(value).to_owned());
    let own = |value: &str, text| (value.to_owned(), site.text(text).to_owned());
    let trust = [
        all(),
        own("valid", "VALID"),
        own("suspect", "SUSPECT"),
        own("invalid", "INVALID"),
        same("running"),
        own("none", "no result"),
        same("damaged"),
    ];
    let verdicts = [
        all(),
        same("faster"),
        same("slower"),
        same("equivalent"),
        same("cannot tell"),
    ];
    let orders = [
        own("", "newest first"),
        own("old", "oldest first"),
        same("name"),
        same("label"),
        same("trust"),
    ];
    let _ = writeln!(
        main,
        "<form class=\"filters\" method=\"get\" action=\"{}\" role=\"search\">",
        site.base
    );
    main.push_str(&field(
        site.text("text"),
        "search",
        "q",
        &filter.text,
        " maxlength=\"200\"",
    ));
    main.push_str(&choice(site.text("trust"), "trust", &filter.trust, &trust));
    main.push_str(&choice(
        site.text("verdict"),
        "verdict",
        &filter.verdict,
        &verdicts,
    ));
    main.push_str(&field(
        site.text("label"),
        "search",
        "label",
        &filter.label,
        " maxlength=\"200\"",
    ));
    let [from, to] = &filter.days;
    main.push_str(&field(site.text("from"), "date", "from", from, ""));
    main.push_str(&field(site.text("to"), "date", "to", to, ""));
    main.push_str(&choice(site.text("order"), "order", &filter.order, &orders));
    let _ = writeln!(
        main,
        "<div class=\"buttons\"><button class=\"main\">{}</button> <a href=\"{}\">{}</a></div>\n</form>",
        site.text("Show"),
        site.base,
        site.text("all runs")
    );
}

fn table(main: &mut String, site: &Site<'_>, list: &RunList<'_>) {
    let _ = writeln!(
        main,
        "<form method=\"get\" action=\"{}compare\">",
        site.base
    );
    bar(main, site, list);
    let heads = HEADS.map(|head| site.text(head));
    let _ = write!(
        main,
        "<div class=\"wide runs-table\" tabindex=\"0\" role=\"group\" aria-label=\"{}\"><table role=\"table\">\n\
         <thead role=\"rowgroup\"><tr role=\"row\"><td role=\"cell\"></td>",
        site.text("table")
    );
    for head in heads {
        let _ = write!(main, "<th scope=\"col\" role=\"columnheader\">{head}</th>");
    }
    main.push_str("</tr></thead>\n<tbody role=\"rowgroup\">\n");
    for run in list.runs {
        row(main, site, run, heads);
    }
    main.push_str("</tbody></table></div>\n</form>\n");
    pager(main, site, list);
}

/// The button to compare runs, and which runs are shown.
fn bar(main: &mut String, site: &Site<'_>, list: &RunList<'_>) {
    let last = list.first + list.runs.len() - 1;
    let range = site.say(&message!(
        "ui-range",
        first = list.first as u64,
        last = last as u64,
        count = list.matching as u64,
        filtered = list.matching < list.total,
        total = list.total as u64
    ));
    let _ = writeln!(
        main,
        "<div class=\"bar\"><button>{}</button> <span class=\"faint\">{}</span>\
         <span class=\"end faint\">{range}</span></div>",
        site.text("Compare"),
        site.text("Choose two runs.")
    );
}

fn row(main: &mut String, site: &Site<'_>, run: &ListedRun, heads: [&str; HEADS.len()]) {
    let name = for_xml(&short(&run.name));
    let _ = write!(
        main,
        "<tr role=\"row\"><td role=\"cell\" class=\"choose\"><input type=\"checkbox\" name=\"run\" \
         value=\"{}\" aria-label=\"{name}\"></td>\
         <th scope=\"row\" role=\"rowheader\"><a href=\"{}\">{name}</a></th>",
        for_field(&run.name),
        site.run(&run.name, "")
    );
    let cut = |text: &str| for_xml(&shortened(text, LETTERS));
    let [label, targets, question, size] =
        [&run.label, &run.targets, &run.question, &run.size].map(|text| cut(text));
    let state = state(site, run.state);
    let said = match run.said.as_str() {
        "" => String::new(),
        said => format!("<span class=\"said\">{}</span>", cut(said)),
    };
    let cells = [label, targets, question, state, size, said];
    for (head, cell) in heads.into_iter().skip(1).zip(cells) {
        let _ = match cell.as_str() {
            "" => write!(main, "<td role=\"cell\"></td>"),
            cell => write!(main, "<td role=\"cell\" data-h=\"{head}\">{cell}</td>"),
        };
    }
    main.push_str("</tr>\n");
}

/// How far a run is, as a badge.
pub(super) fn state(site: &Site<'_>, state: ListedState) -> String {
    let (class, text) = match state {
        ListedState::Judged(trust) => return badge(trust),
        ListedState::Running => ("", "running"),
        ListedState::NoResult => (" doubt", "no result"),
        ListedState::Damaged => (" bad", "damaged"),
    };
    format!("<b class=\"badge{class}\">{}</b>", site.text(text))
}

fn pager(main: &mut String, site: &Site<'_>, list: &RunList<'_>) {
    let [page, last] = list.pages;
    if last < 2 {
        return;
    }
    let _ = write!(
        main,
        "<nav class=\"bar\" aria-label=\"{}\">",
        site.text("Pages")
    );
    let links = [
        (1, "first", page > 1),
        (page - 1, "previous", page > 1),
        (page + 1, "next", page < last),
        (last, "last", page < last),
    ];
    for (to, name, is_there) in links {
        if is_there {
            let address = for_xml(&address(site, list.filter, to));
            let _ = write!(main, "<a href=\"{address}\">{}</a> ", site.text(name));
        }
    }
    let place = message!("ui-page", page = page as u64, last = last as u64);
    let _ = writeln!(
        main,
        "<span class=\"faint\">{}</span></nav>",
        site.say(&place)
    );
}

/// The address of a page of the list.
fn address(site: &Site<'_>, filter: &ListFilter, page: usize) -> String {
    let [from, to] = &filter.days;
    let page = page.to_string();
    let asked = [
        ("q", &filter.text),
        ("trust", &filter.trust),
        ("verdict", &filter.verdict),
        ("label", &filter.label),
        ("from", from),
        ("to", to),
        ("order", &filter.order),
        ("page", &page),
    ];
    let asked = asked.iter().filter(|(_, value)| !value.is_empty());
    let asked = asked.map(|(name, value)| format!("{name}={}", encoded(value)));
    format!("{}?{}", site.base, asked.collect::<Vec<_>>().join("&"))
}
