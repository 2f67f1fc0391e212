//! What axe-core finds on the pages in a real browser: light, dark and on a phone. All folded parts are
//! open, because axe-core skips what is hidden.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod browser;
mod installed;
#[allow(dead_code, reason = "shared with other tests")]
mod made_up;

use std::sync::LazyLock;

use browser::axe::violations;
use browser::devtools::{Browser, Look};
use serde_json::Value;
use tenbin_report::{
    ComparedRuns, HistoryForm, ListFilter, ListedRun, ListedState, RunList, Site, compared_page,
    history_page, html, list_page, live_page,
};
use tenbin_result::Language;

/// Opens every folded part of the page, and selects the first mark of each chart.
const UNFOLD: &str = "(() => {
  document.querySelectorAll('details').forEach(each => { each.open = true; });
  for (const drawing of document.querySelectorAll('.drawing')) {
    for (const key of ['Home', 'Enter']) drawing.dispatchEvent(new KeyboardEvent('keydown', { key }));
  }
})()";

/// Shortens long tables, whose rows are alike: axe-core takes a while for each cell.
const SHORTEN: &str =
    "document.querySelectorAll('tbody tr:nth-child(n+9)').forEach(row => row.remove())";

/// Texts that overlap each other, or that lie outside the drawing.
const CROWDED: &str = "(() => {
  const found = [];
  for (const svg of document.querySelectorAll('svg')) {
    const view = svg.viewBox.baseVal;
    const title = svg.getAttribute('aria-label') ?? svg.querySelector('title').textContent;
    const texts = [...svg.querySelectorAll('text')]
      .map(text => ({ words: text.textContent, box: text.getBBox() }))
      .filter(({ box }) => box.width > 0);
    texts.forEach(({ words, box }, at) => {
      if (box.x < -1 || box.x + box.width > view.width + 1
          || box.y < -1 || box.y + box.height > view.height + 1) {
        found.push(`${title}: \"${words}\" is cut`);
      }
      for (const other of texts.slice(at + 1)) {
        const wide = Math.min(box.x + box.width, other.box.x + other.box.width)
          - Math.max(box.x, other.box.x);
        const high = Math.min(box.y + box.height, other.box.y + other.box.height)
          - Math.max(box.y, other.box.y);
        if (wide > 1 && high > 4) found.push(`${title}: \"${words}\" overlaps \"${other.words}\"`);
      }
    });
  }
  return found;
})()";

/// Cells whose text does not fit between the edges of their column, and tables that are wider than the
/// page.
const CUT: &str = "(() => {
  const found = [];
  for (const cell of document.querySelectorAll('th, td')) {
    if (cell.scrollWidth > cell.clientWidth + 1) found.push(`\"${cell.textContent}\" leaves its cell`);
  }
  const width = document.scrollingElement.clientWidth;
  for (const part of document.querySelectorAll('.wide > *, .drawing > *, pre, p')) {
    const right = part.getBoundingClientRect().right;
    const scrolls = getComputedStyle(part.parentElement).overflowX === 'auto';
    if (right > width + 1 && !scrolls) found.push(`${right} px: ${part.textContent.slice(0, 120)}`);
  }
  return found;
})()";

/// Parts that scroll sideways, the page among them.
const SCROLLS: &str = "[...document.querySelectorAll('*')].filter(part => {
  const scrolls = part === document.scrollingElement
    || ['auto', 'scroll'].includes(getComputedStyle(part).overflowX);
  return scrolls && part.scrollWidth > part.clientWidth + 1;
}).map(part => `${part.tagName.toLowerCase()}: ${part.textContent.slice(0, 80)}`)";

const LOOKS: [(&str, Look); 3] = [
    ("light", Look::LIGHT),
    ("dark", Look::DARK),
    ("phone", Look::PHONE),
];

static PAGES: LazyLock<Vec<(&str, String)>> = LazyLock::new(pages);

fn pages() -> Vec<(&'static str, String)> {
    let documents = [
        ("pair", made_up::pair()),
        ("single", made_up::single()),
        ("invalid", made_up::invalid()),
        ("killed", made_up::killed()),
        ("reconnecting", made_up::reconnecting()),
        ("suite", made_up::suite()),
        ("matrix", made_up::matrix()),
        ("telling", made_up::telling()),
        ("three", made_up::three()),
    ]
    .map(|(name, run)| (name, run.document()));
    let mut pages: Vec<(&str, String)> = documents
        .iter()
        .map(|(name, document)| (*name, html(&[document])))
        .collect();
    let [(_, pair), (_, single), _, (_, killed), ..] = &documents;
    pages.push(("two runs", html(&[single, killed])));
    let mut japanese = pair.clone();
    japanese.language = Language::Japanese;
    pages.push(("Japanese", html(&[&japanese])));
    pages.push((
        "live",
        live_page(Language::English, "quickstart", &["memory", "durable"]).html,
    ));
    pages
}

/// Pages of `tenbin ui` with names that have no place for a line break.
fn wide_pages() -> Vec<(&'static str, String)> {
    let wide = "W".repeat(200);
    let site = Site {
        base: "/t/",
        token: "0",
        directory: &wide,
        language: Language::English,
    };
    let run = ListedRun {
        name: format!("2026-01-01T120000-{wide}"),
        label: wide.clone(),
        targets: wide.clone(),
        question: wide.clone(),
        state: ListedState::Damaged,
        size: "1.5 MB".to_owned(),
        said: wide.clone(),
    };
    let (runs, filter) = ([run], ListFilter::default());
    let list = RunList {
        runs: &runs,
        filter: &filter,
        first: 1,
        matching: 60,
        total: 60,
        pages: [1, 2],
        moved: Some(&wide),
    };
    let form = HistoryForm {
        target: wide.clone(),
        targets: vec![wide.clone()],
        workloads: vec![wide.clone()],
        ..HistoryForm::default()
    };
    let [pair, killed] = [made_up::pair(), made_up::killed()].map(|run| run.document());
    let compared = ComparedRuns {
        names: [wide.as_str(); 2],
        results: [Ok(&pair), Ok(&killed)],
        earlier: Err(wide.as_str()),
        changed: &wide,
    };
    vec![
        ("list", list_page(&site, &list).html),
        (
            "history",
            history_page(&site, Err(wide.as_str()), &form).html,
        ),
        ("compare", compared_page(&site, &compared).html),
    ]
}

#[test]
fn axe_finds_no_violation_in_light_dark_and_on_a_phone() {
    let axe = installed::axe();
    let mut browser = Browser::start();
    let mut all = Vec::new();
    for (name, page) in PAGES.iter() {
        browser.open(page);
        browser.evaluate(UNFOLD);
        browser.evaluate(SHORTEN);
        browser.evaluate(&axe);
        for (mode, look) in LOOKS {
            browser.set_look(look);
            let found = violations(&mut browser).into_iter();
            all.extend(found.map(|violation| format!("{name}, {mode}: {violation}")));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn axe_finds_what_is_wrong_in_each_mode() {
    let axe = installed::axe();
    let mut browser = Browser::start();
    let page = "<!DOCTYPE html><html lang=\"en\"><title>x</title>\
        <meta name=\"viewport\" content=\"width=device-width\">\
        <style>body{background:#fff;color:#000}\
        @media (prefers-color-scheme:dark){#dark{color:#ccc}}\
        @media (max-width:400px){#phone{color:#ccc}}</style>\
        <main><h1>x</h1><p id=\"dark\">words</p><p id=\"phone\">words</p></main>";
    browser.open(page);
    browser.evaluate(&axe);
    for (mode, look) in LOOKS {
        browser.set_look(look);
        let found = violations(&mut browser);
        let expected = usize::from(mode != "light");
        assert_eq!(found.len(), expected, "{mode}: {found:?}");
        for violation in found {
            assert!(
                violation.starts_with("serious color-contrast"),
                "{violation}"
            );
            assert!(
                violation.contains(&format!("id=\\\"{mode}\\\"")),
                "{violation}"
            );
        }
    }
    browser
        .open("<!DOCTYPE html><html lang=\"en\"><title>x</title><main><h1>x</h1><img src=\"x\">");
    browser.evaluate(&axe);
    let found = violations(&mut browser);
    assert!(
        found.len() == 1 && found[0].starts_with("critical image-alt"),
        "{found:?}"
    );
}

#[test]
fn nothing_scrolls_sideways_on_a_phone() {
    let mut browser = Browser::start();
    let narrow = "<!DOCTYPE html><meta name=\"viewport\" content=\"width=device-width\">\
         <style>body{margin:0}div{overflow-x:auto}p{width:900px}</style><div><p>x</p></div>";
    browser.open(narrow);
    browser.set_look(Look::PHONE);
    assert_eq!(browser.evaluate(SCROLLS), Value::from(vec!["div: x"]));
    let mut all = Vec::new();
    for (name, page) in PAGES.iter().chain(&wide_pages()) {
        browser.open(page);
        browser.evaluate(UNFOLD);
        for width in [360, 390] {
            browser.set_look(Look {
                width,
                ..Look::PHONE
            });
            let found = browser.evaluate(SCROLLS);
            let found = found.as_array().unwrap().iter();
            all.extend(found.map(|it| format!("{name}, {width} px: {}", it.as_str().unwrap())));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn rows_are_cards_on_a_phone_and_each_figure_has_its_head() {
    let mut browser = Browser::start();
    let (_, pair) = &PAGES[0];
    browser.open(pair);
    browser.set_look(Look::PHONE);
    let figure = "[...document.querySelectorAll('td[data-h=\"throughput\"]')].map(cell => {
      const [box, row] = [cell.getBoundingClientRect(), cell.parentElement.getBoundingClientRect()];
      return [getComputedStyle(cell, '::before').content, box.width >= row.width - 1];
    })[0]";
    let expected: Value = serde_json::from_str(r#"["\"throughput\"", true]"#).unwrap();
    assert_eq!(browser.evaluate(figure), expected);
    browser.set_look(Look::LIGHT);
    let expected: Value = serde_json::from_str(r#"["none", false]"#).unwrap();
    assert_eq!(browser.evaluate(figure), expected);
}

#[test]
fn no_text_of_a_chart_is_cut_or_overlaps_another() {
    let mut browser = Browser::start();
    browser.set_look(Look::LIGHT);
    browser.open(
        "<!DOCTYPE html><svg viewBox=\"0 0 200 50\"><title>x</title><text x=\"0\" y=\"20\">one</text>\
         <text x=\"9\" y=\"22\">two</text><text x=\"190\" y=\"45\">three</text></svg>",
    );
    let found = browser.evaluate(CROWDED);
    let expected = ["x: \"one\" overlaps \"two\"", "x: \"three\" is cut"];
    assert_eq!(found, Value::from(expected.to_vec()));
    let mut all = Vec::new();
    for (name, page) in PAGES.iter() {
        browser.open(page);
        browser.evaluate(UNFOLD);
        let found = browser.evaluate(CROWDED);
        let found = found.as_array().unwrap().iter();
        all.extend(found.map(|each| format!("{name}, {}", each.as_str().unwrap())));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn tables_fit_on_paper_and_their_cells_are_apart() {
    let mut browser = Browser::start();
    let mut all = Vec::new();
    for (name, page) in PAGES.iter() {
        browser.open(page);
        browser.evaluate(UNFOLD);
        for (mode, look) in [("light", Look::LIGHT), ("paper", Look::PAPER)] {
            browser.set_look(look);
            let found = browser.evaluate(CUT);
            let found = found.as_array().unwrap().iter();
            all.extend(found.map(|each| format!("{name}, {mode}: {}", each.as_str().unwrap())));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
