//! The script of a page in a real browser: what a reader can do with charts and tables, and that a page
//! is complete without it.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod browser;
#[allow(dead_code, reason = "shared with other tests")]
mod made_up;

use browser::devtools::{Browser, Look};
use serde_json::{Value, json};
use tenbin_report::html;
use tenbin_result::{Document, Language};

/// Opens the page of a document on a screen, with all parts unfolded.
fn opened(document: &Document) -> Browser {
    let mut browser = Browser::start();
    browser.set_look(Look::LIGHT);
    browser.open(&html(&[document]));
    browser.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })");
    browser
}

fn text(browser: &mut Browser, expression: &str) -> String {
    browser.evaluate(expression).as_str().unwrap().to_owned()
}

/// The middle of an element in the window, after scrolling to it.
fn middle(browser: &mut Browser, selector: &str) -> (f64, f64) {
    let selector = json!(selector);
    let found = browser.evaluate(&format!(
        "(() => {{ const found = document.querySelector({selector});
           found.scrollIntoView({{ block: 'center', behavior: 'instant' }});
           const box = found.getBoundingClientRect();
           return [(box.left + box.right) / 2, (box.top + box.bottom) / 2]; }})()"
    ));
    (found[0].as_f64().unwrap(), found[1].as_f64().unwrap())
}

fn click(browser: &mut Browser, selector: &str) {
    let place = middle(browser, selector);
    browser.mouse(&[place], true);
}

/// Paths, places and texts of the drawings that a redraw changes, by chart.
const DRAWN: &str = "[...document.querySelectorAll('svg')].map(svg =>
  [...svg.querySelectorAll('.plot path, .plot text, .plot .mark, .ticks *')]
    .filter(it => it.getAttribute('display') !== 'none')
    .map(it => [it.className.baseVal.replace(' on', ''), it.getAttribute('d'), it.getAttribute('x'),
      it.getAttribute('y'), it.getAttribute('transform'), it.nodeName === 'text' ? it.textContent : '']
      .join(' ')))";

/// Whether two drawings are the same, except for what rounding moves.
fn are_same(before: &Value, after: &Value) -> bool {
    let numbers = |text: &str| -> Vec<f64> {
        let parts = text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != '-');
        parts.filter_map(|part| part.parse().ok()).collect()
    };
    let words = |text: &str| text.replace(|c: char| c.is_ascii_digit() || c == '.', "");
    match (before, after) {
        (Value::Array(before), Value::Array(after)) => {
            before.len() == after.len() && before.iter().zip(after).all(|(a, b)| are_same(a, b))
        }
        (Value::String(before), Value::String(after)) => {
            let moved = numbers(before).into_iter().zip(numbers(after));
            words(before) == words(after) && moved.into_iter().all(|(a, b)| (a - b).abs() < 0.15)
        }
        _ => false,
    }
}

/// Sets the axes of all charts.
fn set_axes(browser: &mut Browser, name: &str) {
    let name = json!(name);
    browser.evaluate(&format!(
        "document.querySelectorAll('.tools > select').forEach(each => {{
           each.value = {name}; each.dispatchEvent(new Event('change')); }})"
    ));
}

#[test]
fn the_pointer_and_the_keys_show_what_a_point_stands_for() {
    let mut browser = opened(&made_up::pair().document());
    let mark = "#r0-timeline-0 .broad .mark";
    let place = middle(&mut browser, mark);
    browser.mouse(&[place], false);
    let tip = text(&mut browser, "document.querySelector('.tip').textContent");
    assert!(tip.contains("slice 0") && tip.contains("/s"), "{tip}");
    browser.mouse(&[(2.0, 2.0)], false);
    assert_eq!(
        browser.evaluate("document.querySelector('.tip').hidden"),
        json!(true)
    );
    browser.evaluate("document.querySelector('#r0-timeline-0 .drawing').focus()");
    browser.press("ArrowRight");
    let first = text(
        &mut browser,
        "document.querySelector('[role=status]').textContent",
    );
    assert_eq!(first, tip);
    browser.press("ArrowRight");
    let next = text(
        &mut browser,
        "document.querySelector('[role=status]').textContent",
    );
    assert_ne!(next, tip);
    browser.press("ArrowLeft");
    browser.press("Enter");
    // The figures of the selected slice are those of the table of slices.
    let shown = "Object.fromEntries([...document.querySelectorAll('.selected div')]
      .map(it => [it.firstChild.textContent, it.lastChild.textContent]))";
    let shown = browser.evaluate(shown);
    let row = "(() => { const table = [...document.querySelectorAll('details.part table')]
        .find(it => it.tHead?.textContent.startsWith('slice'));
      const heads = [...table.tHead.rows[0].cells].map(it => it.textContent);
      return Object.fromEntries([...table.tBodies[0].rows[0].cells]
        .map((it, at) => [heads[at], it.textContent.replaceAll('\\u00a0', ' ')])); })()";
    let row = browser.evaluate(row);
    for head in [
        "slice", "start", "throughput", "p50", "p99", "max", "failed",
    ] {
        assert!(shown[head].is_string(), "{head}: {shown}");
        assert_eq!(shown[head], row[head], "{head}");
    }
    browser.press("Escape");
    assert_eq!(
        browser.evaluate("document.querySelector('.selected')"),
        Value::Null
    );
    assert_eq!(browser.console(), [] as [String; 0]);
}

#[test]
fn a_chart_that_is_drawn_again_is_the_chart_of_the_page() {
    let documents = [
        made_up::pair().document(),
        made_up::three().document(),
        made_up::matrix().document(),
        made_up::reconnecting().document(),
        made_up::telling().document(),
    ];
    let mut browser = Browser::start();
    browser.set_look(Look::LIGHT);
    for document in &documents {
        browser.open(&html(&[document]));
        let before = browser.evaluate(DRAWN);
        set_axes(&mut browser, "log");
        let logarithmic = browser.evaluate(DRAWN);
        set_axes(&mut browser, "linear");
        let linear = browser.evaluate(DRAWN);
        assert!(before != logarithmic && before != linear && linear != logarithmic);
        set_axes(&mut browser, "drawn");
        let after = browser.evaluate(DRAWN);
        let charts = before.as_array().unwrap().iter();
        for (before, after) in charts.zip(after.as_array().unwrap()) {
            let marks = before
                .as_array()
                .unwrap()
                .iter()
                .zip(after.as_array().unwrap());
            let changed: Vec<_> = marks.filter(|(a, b)| !are_same(a, b)).take(4).collect();
            assert!(
                are_same(before, after),
                "{}: {changed:#?}",
                document.run.name
            );
        }
    }
    assert_eq!(browser.console(), [] as [String; 0]);
}

#[test]
fn the_timeline_is_zoomed_by_dragging_and_by_keys_and_targets_are_hidden() {
    let mut browser = opened(&made_up::pair().document());
    let visible = "[...document.querySelectorAll('#r0-timeline-0 .broad .mark')]
      .filter(it => it.getClientRects().length > 0).length";
    let before = browser.evaluate(DRAWN);
    let all = browser.evaluate(visible).as_u64().unwrap();
    let (x, y) = middle(&mut browser, "#r0-timeline-0 svg.broad");
    let drag = [(x - 150.0, y), (x - 50.0, y), (x, y), (x + 20.0, y)];
    browser.mouse(&drag, true);
    let zoomed = browser.evaluate(visible).as_u64().unwrap();
    assert!(0 < zoomed && zoomed < all, "{zoomed} of {all}");
    let axis = "document.querySelector('#r0-timeline-0 .broad .ticks').textContent";
    let ticks = text(&mut browser, axis);
    browser.evaluate("document.querySelector('#r0-timeline-0 .drawing').focus()");
    browser.press("+");
    assert!(browser.evaluate(visible).as_u64().unwrap() <= zoomed);
    assert_ne!(text(&mut browser, axis), ticks);
    for _ in 0..2 {
        browser.press("Escape");
    }
    assert!(are_same(&browser.evaluate(DRAWN), &before), "Escape resets");
    browser.evaluate("[...document.querySelectorAll('#r0-timeline-0 .tools button')][0].click()");
    assert!(
        !are_same(&browser.evaluate(DRAWN), &before),
        "the button zooms"
    );
    browser.evaluate(
        "document.querySelector('#r0-timeline-0 .drawing').dispatchEvent(new MouseEvent('dblclick'))",
    );
    assert!(
        are_same(&browser.evaluate(DRAWN), &before),
        "a double click resets"
    );
    click(&mut browser, "#r0-timeline-0 .over.broad");
    let pressed = "document.querySelector('#r0-timeline-0 .over.broad').ariaPressed";
    assert_eq!(browser.evaluate(pressed), json!("false"));
    assert_eq!(browser.evaluate(visible).as_u64().unwrap(), all / 2);
    browser.press(" ");
    assert_eq!(browser.evaluate(pressed), json!("true"), "by keys, too");
    assert!(are_same(&browser.evaluate(DRAWN), &before));
    assert_eq!(browser.console(), [] as [String; 0]);
}

#[test]
fn the_settling_time_of_slices_is_shaded_on_demand() {
    let document = made_up::pair().document();
    let work = &document.workloads[0];
    assert_eq!(work.settling_seconds, Some(0.2));
    let slices = document.slices.iter();
    let slices = slices.filter(|it| it.workload == work.name).count();
    let mut browser = opened(&document);
    let before = browser.evaluate(DRAWN);
    let panels = "document.querySelectorAll('#r0-timeline-0 svg.broad .plot').length";
    let panels = browser.evaluate(panels).as_u64().unwrap();
    let shaded = "[...document.querySelectorAll('#r0-timeline-0 svg.broad .settling')]
      .map(it => it.getAttribute('d').split('M').length - 1)";
    assert_eq!(browser.evaluate(shaded), json!([]));
    let toggle = "[...document.querySelectorAll('#r0-timeline-0 .tools button')]
      .find(it => it.textContent === 'warm-up')";
    let pressed = format!("{toggle}.ariaPressed");
    assert_eq!(browser.evaluate(&pressed), json!("false"));
    browser.evaluate(&format!("{toggle}.click()"));
    assert_eq!(browser.evaluate(&pressed), json!("true"));
    let all: Vec<usize> = (0..panels).map(|_| slices).collect();
    assert_eq!(browser.evaluate(shaded), json!(all));
    // Each shade ends where the upright line of its slice is.
    let ends = browser.evaluate(
        "(() => { const plot = document.querySelector('#r0-timeline-0 svg.broad .plot');
          const shades = plot.querySelector('.settling').getAttribute('d').match(/(?<=H)[\\d.]+(?=V)/g);
          const lines = [...plot.querySelectorAll('.border')].map(it => it.getAttribute('d').match(/[\\d.]+/)[0]);
          return [shades.slice().sort(), lines.sort()]; })()",
    );
    assert_eq!(ends[0], ends[1]);
    browser.evaluate(&format!("{toggle}.click()"));
    assert!(are_same(&browser.evaluate(DRAWN), &before));
    assert_eq!(browser.console(), [] as [String; 0]);
}

/// Seconds of a time as pages print it.
fn seconds(text: &str) -> f64 {
    let (number, unit) = text.split_once(['\u{a0}', ' ']).unwrap();
    let factor = [("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)];
    let (_, factor) = factor.into_iter().find(|(name, _)| *name == unit).unwrap();
    number.replace(',', "").parse::<f64>().unwrap() * factor
}

#[test]
fn tables_are_sorted_by_figures_and_equal_rows_keep_their_order() {
    let mut document = made_up::pair().document();
    for (at, slice) in document.slices.iter_mut().enumerate() {
        slice.p99 = [Some(0.0009), Some(0.000_02), None, Some(2.5), Some(0.011)][at % 5];
    }
    let mut browser = opened(&document);
    let table = "const table = [...document.querySelectorAll('details.part table')]
        .find(it => it.tHead?.textContent.startsWith('slice'));
      const heads = [...table.tHead.rows[0].cells];";
    let column = |browser: &mut Browser, head: &str| -> Vec<String> {
        let cells = browser.evaluate(&format!(
            "(() => {{ {table} const at = heads.findIndex(it => it.textContent === {head:?});
             return [...table.tBodies[0].rows].map(row => row.cells[at].textContent); }})()"
        ));
        serde_json::from_value(cells).unwrap()
    };
    let sort = |browser: &mut Browser, head: &str| {
        let direction = browser.evaluate(&format!(
            "(() => {{ {table} const head = heads.find(it => it.textContent === {head:?});
             head.querySelector('button').click(); return head.getAttribute('aria-sort'); }})()"
        ));
        direction.as_str().unwrap_or("none").to_owned()
    };
    let original = column(&mut browser, "slice");
    assert_eq!(sort(&mut browser, "p99"), "ascending");
    let sorted = column(&mut browser, "p99");
    let known: Vec<f64> = sorted
        .iter()
        .filter(|it| *it != "unknown")
        .map(|it| seconds(it))
        .collect();
    assert!(
        known.is_sorted() && known.len() < sorted.len(),
        "{sorted:?}"
    );
    assert_eq!(
        sorted.last().unwrap(),
        "unknown",
        "unknown figures are last"
    );
    let times = sorted.iter().zip(column(&mut browser, "slice"));
    let first: Vec<u32> = times
        .clone()
        .filter(|(time, _)| **time == sorted[0])
        .map(|(_, slice)| slice.parse().unwrap())
        .collect();
    assert!(
        first.is_sorted() && first.len() > 1,
        "equal rows keep their order: {first:?}"
    );
    assert_eq!(sort(&mut browser, "p99"), "descending");
    let sorted = column(&mut browser, "p99");
    assert!(
        seconds(&sorted[0]) > 1.0 && sorted.last().unwrap() == "unknown",
        "{sorted:?}"
    );
    assert_eq!(sort(&mut browser, "p99"), "none");
    assert_eq!(column(&mut browser, "slice"), original);
    assert_eq!(sort(&mut browser, "slice"), "ascending");
    let slices: Vec<u32> = column(&mut browser, "slice")
        .iter()
        .map(|it| it.parse().unwrap())
        .collect();
    assert!(slices.is_sorted(), "10 is after 9: {slices:?}");
    assert_eq!(browser.console(), [] as [String; 0]);
}

/// Replaces the name of a target everywhere in a document.
fn renamed(document: &Document, name: &str) -> Document {
    let json = serde_json::to_string(document).unwrap();
    let quoted = serde_json::to_string(name).unwrap();
    serde_json::from_str(&json.replace("\"durable\"", &quoted)).unwrap()
}

#[test]
fn a_table_is_copied_and_no_name_is_a_formula_or_mark_up() {
    let hostile = "=1+1|\"x\",@me #12</script><img src=x onerror=document.documentElement.dataset.harmed=1>\u{2028}`";
    let document = renamed(&made_up::pair().document(), hostile);
    let mut browser = opened(&document);
    browser.evaluate("navigator.clipboard.writeText = (text) => { globalThis.copied = text; return Promise.resolve(); }");
    let press = |browser: &mut Browser, label: &str| {
        browser.evaluate(&format!(
            "[...document.querySelectorAll('#r0 .tools button')].find(it => it.ariaLabel === {label:?}).click()"
        ));
        text(browser, "globalThis.copied")
    };
    let csv = press(&mut browser, "copy as CSV");
    let lines: Vec<&str> = csv.split_terminator("\r\n").collect();
    let rows = browser.evaluate("document.querySelector('.wide table').rows.length");
    assert_eq!(json!(lines.len()), rows, "{csv}");
    assert!(
        lines[0].contains(",throughput,") || lines[0].contains(",throughput"),
        "{csv}"
    );
    let named: Vec<&&str> = lines.iter().filter(|line| line.contains("=1+1")).collect();
    assert!(!named.is_empty(), "{csv}");
    for line in named {
        assert!(
            line.contains("\"'=1+1|\"\"x\"\",@me #12</script>"),
            "{line}"
        );
    }
    let figure = text(
        &mut browser,
        "document.querySelector('.wide tbody .n').firstChild.textContent.trim().replaceAll('\\u00a0', ' ')",
    );
    assert!(csv.contains(&figure), "{figure}: {csv}");
    let markdown = press(&mut browser, "copy as Markdown");
    assert!(markdown.contains("\n| --- |"), "{markdown}");
    assert!(
        markdown.contains("=1+1\\|\"x\",\\@<!-- -->me \\#<!-- -->12\\</script\\>\\<img"),
        "{markdown}"
    );
    // Every control is used, with this name in tooltips, in figures of slices and in the legend.
    browser.evaluate(
        "for (const drawing of document.querySelectorAll('.drawing')) {
           for (const key of ['Home', 'ArrowDown', 'ArrowRight', 'Enter', '+', '-', '0', 'End', 'Enter']) {
             drawing.dispatchEvent(new KeyboardEvent('keydown', { key }));
           }
         }
         for (const each of document.querySelectorAll('.over, .sort')) each.click();",
    );
    let made = browser.evaluate(
        "[document.querySelectorAll('img').length, document.documentElement.dataset.harmed ?? 'no']",
    );
    assert_eq!(made, json!([0, "no"]));
    assert_eq!(browser.console(), [] as [String; 0]);
}

#[test]
fn a_chart_is_saved_as_a_picture_with_its_style() {
    let mut browser = opened(&made_up::pair().document());
    browser.evaluate(
        "URL.createObjectURL = (blob) => { globalThis.saved = blob; return 'data:,'; };
         HTMLAnchorElement.prototype.click = function () { globalThis.named = this.download; };",
    );
    let save = |browser: &mut Browser, kind: &str| {
        browser.evaluate(&format!(
            "(globalThis.saved = null, [...document.querySelectorAll('#r0-forest-0 .tools button')]
               .find(it => it.textContent === {kind:?}).click())"
        ));
        let wait = "new Promise(done => { const look = () => globalThis.saved ? done(true) : setTimeout(look, 20); look(); })";
        browser.evaluate(wait);
        text(browser, "globalThis.named")
    };
    assert_eq!(save(&mut browser, "SVG"), "All-ratios.svg");
    let svg = browser.evaluate("globalThis.saved.text()");
    let svg = svg.as_str().unwrap();
    assert!(
        svg.starts_with("<svg") && svg.contains("<style>") && svg.contains("class=\"paper\""),
        "{svg}"
    );
    assert_eq!(save(&mut browser, "PNG"), "All-ratios.png");
    // The picture is not of one colour.
    let colours = browser.evaluate(
        "createImageBitmap(globalThis.saved).then(image => {
           const canvas = new OffscreenCanvas(image.width, image.height);
           const context = canvas.getContext('2d');
           context.drawImage(image, 0, 0);
           const { data } = context.getImageData(0, 0, image.width, image.height);
           const seen = new Set();
           for (let at = 0; at < data.length; at += 4) seen.add(data.slice(at, at + 3).join());
           return [image.width, seen.size];
         })",
    );
    assert_eq!(colours[0], json!(1440));
    assert!(colours[1].as_u64().unwrap() > 5, "{colours}");
    assert_eq!(browser.console(), [] as [String; 0]);
}

#[test]
fn a_page_without_its_script_has_all_texts_and_no_control() {
    let mut document = made_up::pair().document();
    for language in [Language::English, Language::Japanese] {
        document.language = language;
        let page = html(&[&document]);
        let mut browser = Browser::start();
        browser.set_look(Look::LIGHT);
        let unfolded = "(() => {
          document.querySelectorAll('details').forEach(each => { each.open = true; });
          const lines = (element) => element.innerText.split('\\n').map(it => it.trim()).filter(it => it);
          return [lines(document.querySelector('main')), document.querySelectorAll('button, select').length,
            [...document.querySelectorAll('.drawing')].filter(it => it.clientHeight < 50).length];
        })()";
        browser.allow_scripts(false);
        browser.open(&page);
        let without = browser.evaluate(unfolded);
        browser.allow_scripts(true);
        browser.open(&page);
        let with = browser.evaluate(unfolded);
        assert_eq!(without[1], json!(0), "no control without a script");
        assert!(with[1].as_u64().unwrap() > 20, "{}", with[1]);
        assert_eq!(without[2], json!(0), "every chart is drawn");
        let lines =
            |value: &Value| -> Vec<String> { serde_json::from_value(value[0].clone()).unwrap() };
        let (without, with) = (lines(&without), lines(&with));
        let lost: Vec<&String> = with
            .iter()
            .filter(|it| it.chars().count() > 20 && !without.contains(it))
            .collect();
        assert!(without.len() > 50, "{without:?}");
        assert!(lost.len() < 3, "only the texts of controls: {lost:?}");
        assert_eq!(browser.console(), [] as [String; 0]);
    }
}
