//! What the pages show.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::browser::devtools::Browser;
use crate::client::{SOON, Ui, listed};
use crate::common::days::name_of;
use crate::common::{Scratch, Tenbin};
use crate::installed;
use crate::seen::{flaws, wait_for};
use crate::stand::{NEWEST, copy, days, only, small};

/// The list is loaded, after the page that sets the cookie.
const LISTED: &str =
    "document.readyState === 'complete' && document.querySelector('h1')?.textContent === 'Runs'";
/// The result of a run is loaded.
const REPORTED: &str =
    "document.readyState === 'complete' && document.querySelector('article') !== null";
/// The place of the first filter among all elements that the Tab key reaches, and their number.
const STOPS: &str = "(() => {
  const stops = 'a[href], button, input:not([type=hidden]), select, [tabindex=\"0\"]';
  const all = [...document.querySelectorAll(stops)];
  return [all.findIndex(it => it.name === 'q'), all.length];
})()";

/// The part of a page between two texts, with them.
fn part<'a>(page: &'a str, begin: &str, end: &str) -> &'a str {
    let at = page
        .find(begin)
        .unwrap_or_else(|| panic!("no {begin} in {page}"));
    let length = page[at..].rfind(end).expect("an end");
    &page[at..at + length + end.len()]
}

#[test]
fn runs_are_listed_filtered_shown_compared_and_their_history_drawn() {
    let scratch = Scratch::new("ui-pages");
    let newest = days(&scratch);
    let root = scratch.path().join("days");
    let second = "2026-02-02T120000-daily";
    copy(&newest, &root.join(second));
    fs::write(root.join(second).join("label.txt"), "after\n").expect("a label");
    fs::write(root.join(second).join("note.txt"), "new <kernel>\n").expect("a note");
    small(
        &root,
        "2026-02-03T120000-other",
        "suspect",
        "cannot tell a from b at get by throughput",
    );
    let killed = root.join("2026-02-04T120000-killed");
    fs::create_dir(&killed).expect("a directory");
    fs::copy(
        root.join(second).join("plan.toml"),
        killed.join("plan.toml"),
    )
    .expect("a plan");
    let ui = Ui::start(&scratch, "days");

    let list = ui.page("");
    let names = listed(&list);
    assert_eq!(names.len(), 35, "{names:?}");
    assert_eq!(names[1], "2026-02-03T120000-other");
    assert!(
        list.contains("1–35 of 35 runs") && list.contains("new &lt;kernel&gt;: "),
        "{list}"
    );
    for cell in [
        "data-h=\"targets\">ref, app<",
        "data-h=\"question\">http GET<",
        "data-h=\"size\">",
    ] {
        assert!(list.contains(cell), "no {cell} in {list}");
    }
    for (query, found) in [
        ("q=OTHER", vec!["2026-02-03T120000-other"]),
        ("trust=suspect&q=other", vec!["2026-02-03T120000-other"]),
        ("trust=none", vec!["2026-02-04T120000-killed"]),
        (
            "verdict=cannot+tell&q=other",
            vec!["2026-02-03T120000-other"],
        ),
        ("label=aft", vec![second]),
        ("q=kernel%3E", vec![second]),
        (
            "from=2026-01-02&to=2026-01-03&order=old",
            vec![&name_of(1), &name_of(2)],
        ),
        ("q=nothing+is+like+this", vec![]),
    ] {
        let page = ui.page(&format!("?{query}"));
        assert_eq!(listed(&page), found, "{query}");
    }
    assert_eq!(listed(&ui.page("?order=label"))[0], second);
    for wrong in ["trust=good", "from=yesterday", "order=size"] {
        assert_eq!(ui.get(&format!("?{wrong}")).status, 400, "{wrong}");
    }

    // A run is what `tenbin report` prints.
    let line = format!("report days/{second} --out page.html");
    Tenbin::line(&scratch, line).run().expect_code(0);
    let report = fs::read_to_string(scratch.join("page.html")).expect("a page");
    let article = part(&report, "<article", "</article>");
    let page = ui.page(&format!("run/{second}"));
    assert_eq!(part(&page, "<article", "</article>"), article);
    assert!(page.contains("value=\"after\"") && page.contains("value=\"new &lt;kernel&gt;\""));
    let kept = ui.get(&format!("run/{NEWEST}/report.html"));
    assert!(
        kept.head.contains("sandbox; default-src 'none'"),
        "{}",
        kept.head
    );
    assert!(kept.body.contains("<article"), "{}", kept.body);
    let damaged = ui.page(&format!("run/{}", name_of(3)));
    assert!(damaged.contains("has no measurements"), "{damaged}");

    let both = ui.page(&format!("compare?run={second}&run={NEWEST}"));
    assert_eq!(both.matches("<article").count(), 2);
    assert!(both.contains("speed, after ÷ before"), "{both}");
    let places = [NEWEST, second].map(|name| both.find(name).expect("a name"));
    assert!(places[0] < places[1], "the earlier run comes first");
    let unlike = ui.page(&format!("compare?run={second}&run={}", name_of(3)));
    assert!(unlike.contains("has no measurements"), "{unlike}");
    for wrong in [
        "",
        "?run=a",
        &format!("?run={second}&run={NEWEST}&run={}", name_of(1)),
    ] {
        assert_eq!(ui.get(&format!("compare{wrong}")).status, 400, "{wrong}");
    }
    assert_eq!(ui.get(&format!("compare?run={second}&run=a")).status, 404);

    let history = ui.page("history?target=app&figure=throughput");
    assert!(
        history.contains("<svg") && history.contains("better: +"),
        "{history}"
    );
    assert!(history.contains("from run 2026-01-23"), "{history}");
    assert!(
        ui.page("history?target=nobody")
            .contains("no run has &quot;nobody&quot;")
    );
    ui.end();
}

#[test]
fn a_running_run_is_shown_with_its_progress_and_links_to_its_live_page() {
    let scratch = Scratch::new("ui-running");
    fs::create_dir(scratch.path().join("runs")).expect("a directory");
    let ui = Ui::start(&scratch, "");
    assert!(
        ui.page("")
            .contains("There is no run in this directory yet")
    );
    let line = "http --builtin one=http --builtin other=http --rounds 200 --slice 1s --warmup 0s --gap 0s \
                --relaunch=never --connections 2 --quiet --live";
    let mut run = Tenbin::line(&scratch, line).start();
    let root = scratch.path().join("runs");
    let measures = || {
        let lines = fs::read_dir(&root)
            .ok()?
            .next()?
            .ok()?
            .path()
            .join("intervals.jsonl");
        let text = fs::read_to_string(lines).ok()?;
        text.contains("\"kind\":\"second\"").then_some(())
    };
    run.wait_until(SOON, || measures().is_some());
    let name = only(&root)
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let list = ui.page("?trust=running");
    assert_eq!(listed(&list), [name.as_str()]);
    assert!(list.contains("still running"), "{list}");
    let page = ui.get(&format!("run/{name}"));
    assert!(
        page.head.to_lowercase().contains("\r\nrefresh: 5\r\n"),
        "{}",
        page.head
    );
    assert!(page.body.contains(" of 406, "), "{}", page.body);
    assert!(
        page.body.contains("data-h=\"throughput\">"),
        "{}",
        page.body
    );
    let transcript = run.so_far();
    let live = transcript
        .lines()
        .find_map(|line| line.strip_prefix("live page: "));
    let live = live.expect("an address");
    assert!(
        page.body.contains(&format!("href=\"{live}\"")),
        "{}",
        page.body
    );
    let still = ui.get(&format!("run/{name}?refresh=off"));
    assert!(
        !still.head.to_lowercase().contains("\r\nrefresh: "),
        "{}",
        still.head
    );
    let refused = ui.post(&format!("run/{name}/delete"), "");
    assert_eq!(refused.status, 409);
    assert!(
        refused.body.contains("is still running"),
        "{}",
        refused.body
    );

    // The page of the run, the live page with a ratio, and the report that takes its place.
    let axe = installed::axe();
    let mut browser = Browser::start();
    browser.open_url(&ui.url);
    wait_for(&mut browser, LISTED);
    let address = format!("http://{}{}run/{name}?refresh=off", ui.host, ui.base);
    browser.open_url(&address);
    let mut all = flaws(&mut browser, &axe, "the page of a running run");
    browser.open_url(live);
    let is_said = "document.querySelector('#said')?.textContent.includes(' ÷ ') ?? false";
    wait_for(&mut browser, is_said);
    all.extend(flaws(&mut browser, &axe, "the live page"));
    run.signal(nix::sys::signal::Signal::SIGINT);
    wait_for(&mut browser, REPORTED);
    all.extend(flaws(&mut browser, &axe, "the report"));
    drop(browser);
    assert!(all.is_empty(), "{}", all.join("\n"));

    run.wait(SOON).expect_code(130);
    assert!(!root.join(&name).join("live.url").exists());
    let page = ui.page(&format!("run/{name}"));
    assert!(page.contains("<article"), "{page}");
    ui.end();
    scratch.expect_nobody_left(Duration::from_secs(5));
}

#[test]
fn damaged_and_hostile_runs_are_listed_with_the_reason_and_harmless() {
    let scratch = Scratch::new("ui-damaged");
    let root = scratch.path().join("runs");
    let hostile = "2026-01-05T130000-\"><script>alert(1)<b>\u{1b}[31m\u{202e}%2e%2e";
    let run = small(
        &root,
        hostile,
        "valid",
        "<img src=x onerror=alert(1)> is faster",
    );
    fs::write(run.join("label.txt"), "<b>&\u{1b}").expect("a label");
    fs::write(run.join("report.html"), "<script>alert(1)</script>").expect("a page");
    for (name, file, content) in [
        (
            "2026-01-06T120000-cut",
            "result.json",
            &b"{\"schema\": \"tenbin.resu"[..],
        ),
        (
            "2026-01-07T120000-lines",
            "intervals.jsonl",
            b"{\"kind\":\"operation\"\n\xff\n",
        ),
        ("2026-01-08T120000-plan", "plan.toml", b"\xff\xfe = ["),
        ("2026-01-09T120000-label", "label.txt", b"\xff\xfe"),
    ] {
        let run = small(&root, name, "valid", "x");
        fs::write(run.join(file), content).expect("a file");
    }
    let running = small(&root, "2026-01-10T120000-runs", "valid", "x");
    fs::remove_file(running.join("result.json")).expect("a result");
    fs::write(running.join("live.url"), "javascript:alert(1)//").expect("a file");
    let lock = File::open(&running).expect("a directory");
    lock.lock().expect("a lock");
    let ui = Ui::start(&scratch, "");
    let list = ui.page("");
    assert_eq!(listed(&list).len(), 6, "{list}");
    assert!(list.contains("result.json cannot be read"), "{list}");
    for page in listed(&list).iter().zip(list.split("<a href=\"").skip(3)) {
        let (name, rest) = page;
        let address = rest.split_once('"').expect("an address").0;
        if !address.contains("/run/") {
            continue;
        }
        let page = address.strip_prefix(&ui.base).expect("below the base");
        let shown = ui.page(page);
        for each in [&shown, &list] {
            assert!(
                !each.contains("<script") && !each.contains("<img"),
                "{name}: {each}"
            );
            assert!(
                !each.contains(['\u{1b}', '\u{202e}']) && !each.contains("javascript:"),
                "{each}"
            );
        }
    }
    let hostile = listed(&ui.page("?q=script"));
    assert_eq!(hostile.len(), 1);
    assert_eq!(
        ui.page("?trust=damaged")
            .matches("type=\"checkbox\"")
            .count(),
        1
    );
    assert!(
        ui.page("run/2026-01-10T120000-runs")
            .contains("No figures yet")
    );
    assert_eq!(ui.get("history").status, 200);
    ui.end();
}

#[test]
fn ten_thousand_runs_are_counted_paged_and_found() {
    let scratch = Scratch::new("ui-many");
    let root = scratch.path().join("runs");
    for number in 0..10_000 {
        let (day, hour, minute) = (number / 400, number / 20 % 20, number % 20);
        let name = format!("2026-01-{:02}T{hour:02}{minute:02}00-n{number}", day + 1);
        let trust = if number % 1_000 == 7 {
            "invalid"
        } else {
            "valid"
        };
        small(&root, &name, trust, &format!("b{number} is faster than a"));
    }
    let ui = Ui::start(&scratch, "");
    let first = ui.page("");
    assert!(
        first.contains("1–50 of 10,000 runs") && first.contains("page 1 of 200"),
        "{first}"
    );
    assert_eq!(listed(&first)[0], "2026-01-25T191900-n9999");
    assert_eq!(listed(&ui.page("?page=200"))[49], "2026-01-01T000000-n0");
    assert_eq!(
        listed(&ui.page("?page=9999")),
        listed(&ui.page("?page=200"))
    );
    let invalid = ui.page("?trust=invalid");
    assert!(
        invalid.contains("1–10 of 10 runs, of 10,000 in all"),
        "{invalid}"
    );
    assert_eq!(
        listed(&ui.page("?verdict=b7777+is")),
        ["2026-01-20T081700-n7777"]
    );
    let day = ui.page("?from=2026-01-03&to=2026-01-03&order=old&page=2");
    assert!(day.contains("51–100 of 400 runs"), "{day}");
    assert!(
        day.contains("from=2026-01-03&amp;to=2026-01-03&amp;order=old&amp;page=3"),
        "{day}"
    );
    hostile_names_fit(&ui, &root);
    ui.end();
}

/// Adds a page of runs with long and harmful names, and looks at the list in a browser.
fn hostile_names_fit(ui: &Ui, root: &Path) {
    let texts = [
        "<img src=x onerror=document.title=1>".to_owned(),
        "W".repeat(230),
        "\"".repeat(230),
        "\u{1b}[31m\u{202e}\u{200d}'&".repeat(12),
        "天秤".repeat(38),
        " ".repeat(99),
        "%2e%2e".to_owned(),
    ];
    for (number, text) in (0..50).zip(texts.iter().cycle()) {
        let name = format!("2026-02-01T12{number:02}00-{text}");
        let run = small(root, &name, "suspect", &text.repeat(9));
        fs::write(run.join("label.txt"), text).expect("a label");
        fs::write(run.join("note.txt"), text.repeat(2)).expect("a note");
    }
    let page = ui.page("");
    assert!(page.contains("1–50 of 10,050 runs"), "{page}");
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    let mut browser = Browser::start();
    browser.open_url(&ui.url);
    wait_for(&mut browser, LISTED);
    let harmed = browser.evaluate("[document.images.length, document.title === '1']");
    assert_eq!(harmed, json!([0, false]));
    let stops = browser.evaluate(STOPS);
    let stop = |at: usize| stops[at].as_i64().expect("a number");
    assert!((0..5).contains(&stop(0)) && stop(1) < 130, "{stops}");
    let all = flaws(&mut browser, &installed::axe(), "the list");
    assert!(all.is_empty(), "{}", all.join("\n"));
}
