//! The pages in a real browser.

use std::fs;

use serde_json::{Value, json};

use crate::browser::axe::violations;
use crate::browser::devtools::{Browser, Look};
use crate::client::Ui;
use crate::common::Scratch;
use crate::installed;
use crate::stand::{NEWEST, copy, days, small};

const UNFOLD: &str = "document.querySelectorAll('details').forEach(each => each.open = true)";
/// Shortens long tables, whose rows are alike: axe-core takes a while for each cell.
const SHORTEN: &str =
    "document.querySelectorAll('tbody tr:nth-child(n+9)').forEach(row => row.remove())";
/// Parts that are wider than the page.
const WIDE: &str = "[...document.querySelectorAll('*')].filter(part => {
  const scrolls = part === document.scrollingElement
    || ['auto', 'scroll'].includes(getComputedStyle(part).overflowX);
  return scrolls && part.scrollWidth > part.clientWidth + 1;
}).map(part => `${part.tagName.toLowerCase()}: ${part.textContent.slice(0, 80)}`)";

#[test]
fn pages_are_accessible_and_forms_work_without_scripts() {
    let scratch = Scratch::new("ui-browser");
    let newest = days(&scratch);
    let root = scratch.path().join("days");
    let second = "2026-02-02T120000-daily";
    copy(&newest, &root.join(second));
    small(
        &root,
        "2026-02-03T120000-<img src=x onerror=document.title=1>",
        "invalid",
        "<img src=x onerror=document.title=1>",
    );
    let ui = Ui::start(&scratch, "days");
    let mut browser = Browser::start();
    browser.open_url(&ui.url);
    wait_for(
        &mut browser,
        "document.querySelector('h1')?.textContent === 'Runs'",
    );
    assert_eq!(
        browser.evaluate("location.search"),
        json!(""),
        "the token is gone"
    );
    assert_eq!(
        browser.evaluate("document.title"),
        json!("Runs in days · Tenbin")
    );
    assert_eq!(browser.evaluate("document.scripts.length"), json!(0));

    let axe = installed::axe();
    let address = format!("http://{}{}", ui.host, ui.base);
    let mut all = Vec::new();
    for page in [
        String::new(),
        format!("run/{second}"),
        format!("run/{}", "2026-01-04T120000-daily"),
        format!("run/{second}/delete"),
        format!("compare?run={NEWEST}&run={second}"),
        "history?target=app".to_owned(),
        "compare".to_owned(),
    ] {
        browser.open_url(&format!("{address}{page}"));
        all.extend(flaws(&mut browser, &axe, &page));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));

    without_scripts(&mut browser, &address, second);
    let label = fs::read_to_string(root.join(".trash").join(second).join("label.txt"));
    assert_eq!(label.expect("a label"), "from.a.browser\n");
    ui.end();
}

/// What axe-core finds on the page that the browser shows, light, dark and on a phone, and what scrolls
/// sideways on a phone. Shortens the tables of the page.
pub(crate) fn flaws(browser: &mut Browser, axe: &str, page: &str) -> Vec<String> {
    let mut all = Vec::new();
    browser.evaluate(UNFOLD);
    for width in [360, 390] {
        browser.set_look(Look {
            width,
            ..Look::PHONE
        });
        let wide = browser.evaluate(WIDE);
        let wide = wide.as_array().expect("a list").iter();
        all.extend(wide.map(|part| format!("{page}, {width} px: {part} scrolls sideways")));
    }
    browser.evaluate(SHORTEN);
    browser.evaluate(axe);
    for (mode, look) in [
        ("light", Look::LIGHT),
        ("dark", Look::DARK),
        ("phone", Look::PHONE),
    ] {
        browser.set_look(look);
        let found = violations(browser).into_iter();
        all.extend(found.map(|violation| format!("{page}, {mode}: {violation}")));
    }
    browser.set_look(Look::LIGHT);
    all
}

/// Labels a run, compares it with another one, and deletes it, in a browser without scripts.
fn without_scripts(browser: &mut Browser, address: &str, run: &str) {
    let off = json!({ "value": true });
    browser.call("Emulation.setScriptExecutionDisabled", off);
    let open = |browser: &mut Browser, page: &str, there: &str| {
        let url = format!("{address}{page}");
        browser.call("Page.navigate", json!({ "url": url }));
        wait_for(
            browser,
            &format!("document.querySelector('{there}') !== null"),
        );
    };
    let click = |browser: &mut Browser, button: &str| {
        browser.evaluate(&format!("document.querySelector('{button}').click()"));
    };
    open(browser, &format!("run/{run}"), "article");
    browser.evaluate("document.querySelector('input[name=label]').value = 'from.a.browser'");
    click(browser, "form[action$=label] button");
    let labelled =
        "document.querySelector('input[name=label]')?.getAttribute('value') === 'from.a.browser'";
    wait_for(browser, labelled);
    open(browser, "", "table");
    for at in [2, 3] {
        click(browser, &format!("tbody tr:nth-child({at}) input"));
    }
    click(browser, "form[action$=compare] button");
    wait_for(browser, "document.querySelectorAll('article').length === 2");
    open(browser, &format!("run/{run}/delete"), "form button");
    click(browser, "form button");
    wait_for(browser, "document.querySelector('[role=status]') !== null");
}

/// Waits until an expression is true: a page that is opened by a form or a header is loaded.
pub(crate) fn wait_for(browser: &mut Browser, expression: &str) {
    let is_so = crate::common::wait_until(crate::client::SOON, || {
        browser.try_evaluate(expression) == Some(Value::Bool(true))
    });
    assert!(
        is_so,
        "{expression}: {}",
        browser.evaluate("document.body.innerText")
    );
}
