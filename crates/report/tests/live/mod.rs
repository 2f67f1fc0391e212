//! The page of a running benchmark, with events of a server that is not Tenbin's.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenbin_report::{ServedPage, live_page};
use tenbin_result::Language;

use crate::browser::axe::violations;
use crate::browser::devtools::{Browser, Look};
use crate::browser::{Listener, dump_at};
use crate::installed;

/// Parts that scroll sideways, the page among them.
const SCROLLS: &str = "[...document.querySelectorAll('*')].filter(part => {
  const scrolls = part === document.scrollingElement
    || ['auto', 'scroll'].includes(getComputedStyle(part).overflowX);
  return scrolls && part.scrollWidth > part.clientWidth + 1;
}).map(part => `${part.tagName.toLowerCase()}: ${part.textContent.slice(0, 80)}`)";

/// Serves the page of a running benchmark, and these events once after each load.
fn serve_live(page: ServedPage, events: String) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/t/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut is_sent = false;
        for mut connection in listener.incoming().flatten() {
            let mut head = [0; 4096];
            let length = connection.read(&mut head).unwrap_or(0);
            let head = String::from_utf8_lossy(&head[..length]);
            let response = if head.starts_with("GET /t/ ") {
                is_sent = false;
                format!(
                    "200 OK\r\nContent-Security-Policy: {}\r\nContent-Type: text/html\r\n\
                     Content-Length: {}\r\n\r\n{}",
                    page.policy,
                    page.html.len(),
                    page.html
                )
            } else if head.starts_with("GET /t/events ") && !is_sent {
                is_sent = true;
                format!("200 OK\r\nContent-Type: text/event-stream\r\n\r\n{events}")
            } else {
                // A 204 stops the browser's attempts to connect again.
                "204 No Content\r\n\r\n".to_owned()
            };
            let response =
                format!("HTTP/1.1 {response}").replacen("\r\n", "\r\nConnection: close\r\n", 1);
            let _ = connection.write_all(response.as_bytes());
        }
    });
    url
}

/// The events of a run whose workload and one of whose targets have this name. More messages than the
/// page shows at once, and a target without a figure, are among them.
fn events(hostile: &str) -> String {
    let event = |name: &str, data: Value| format!("event: {name}\ndata: {data}\n\n");
    let second = |target: &str, rate: Value, left: Value| {
        let data = json!({
            "target": target, "workload": hostile, "slice": 3, "slices": 8, "left": left,
            "limit": false, "rate": rate, "p50": 0.001_25, "p99": null, "cpu": 1.5, "errors": 0,
            "failed": 12_345, "classes": { "timeout": 12_340, "reset": 5 },
        });
        event("second", data)
    };
    let ratios = json!({
        "ratios": [{
            "workload": hostile, "baseline": "a", "challenger": hostile, "metric": "throughput",
            "blocks": 3, "rounds": 6, "ratio": "1.200", "interval": "1.150–1.250",
            "course": [[1, 1.3, null, null], [2, 1.25, 1.05, 1.45], [3, 1.2, 1.15, 1.25]],
        }],
        "more": 4,
    });
    let messages =
        (0..40).map(|number| event("message", json!({ "text": format!("note {number}") })));
    let all = [
        event("begin", json!({})),
        event("message", json!({ "text": hostile })),
        messages.collect(),
        second("a", json!(98_765.4), json!(3_700)),
        second("b", Value::Null, Value::Null),
        second(hostile, json!(45.6), json!(61)),
        event("ratios", ratios),
    ];
    format!("retry: 100\n{}", all.concat())
}

/// Mark-up that loads and runs something from this address.
fn mark_up(address: &str) -> String {
    format!(
        "</td><img src=http://{address}/a onerror=fetch('http://{address}/b')>\
         <script>document.title='gone'</script>"
    )
}

#[test]
fn a_live_page_shows_figures_and_runs_nothing_that_a_server_wrote() {
    let elsewhere = Listener::start();
    let hostile = mark_up(&elsewhere.address());
    let page = live_page(Language::English, &hostile, &[&hostile, "b"]);
    assert!(!page.html.contains("<img"), "{}", page.html);
    let url = serve_live(page, events(&hostile));
    let shown = dump_at(&url);
    for text in [
        "98,765/s",
        "1.25 ms",
        "45.6/s",
        "12,345",
        "1.50",
        "slice 3 of 8",
        "about 1m1s left, until ",
        "1.200 (1.150–1.250) after 6 rounds, not final",
        "and 4 more",
        "12,340",
        "timeout",
        "0 to 45.6/s, last 1 s",
        "&lt;img src=http://",
    ] {
        assert!(shown.dom.contains(text), "{text} in {}", shown.dom);
    }
    let body = shown
        .dom
        .split("<body>")
        .nth(1)
        .unwrap()
        .split("<script>")
        .next()
        .unwrap();
    assert!(!body.contains("<img"), "{body}");
    assert_eq!(body.matches("</tr>").count(), 11, "{body}");
    let [band, line] = ["band", "line"].map(|class| format!("<path class=\"{class}\" d=\"M"));
    assert!(body.contains(&band) && body.contains(&line), "{body}");
    assert!(body.contains("polyline"), "{body}");
    assert!(!shown.dom.contains("<title>gone"), "{}", shown.dom);
    assert_eq!(elsewhere.requests(), 0);
    let refused: Vec<_> = shown
        .console
        .iter()
        .filter(|line| line.contains("Content Security"))
        .collect();
    assert!(refused.is_empty(), "{refused:?}");
}

#[test]
fn a_live_page_with_figures_is_accessible_and_fits_a_phone() {
    let axe = installed::axe();
    let hostile = mark_up("127.0.0.1:9") + &"W".repeat(200);
    let mut browser = Browser::start();
    let mut all = Vec::new();
    for language in [Language::English, Language::Japanese] {
        browser.set_look(Look::LIGHT);
        let page = live_page(language, &hostile, &[&hostile, "b"]);
        browser.open_url(&serve_live(page, events(&hostile)));
        let start = Instant::now();
        while browser.evaluate("document.querySelector('#ratios').hidden") == json!(true) {
            assert!(start.elapsed() < Duration::from_secs(60), "no ratio");
            std::thread::sleep(Duration::from_millis(20));
        }
        let label = "document.querySelector('#courses svg').getAttribute('aria-label')";
        let label = browser.evaluate(label);
        let label = label.as_str().unwrap();
        assert!(
            label.contains("1.200") && label.contains(&hostile),
            "{label}"
        );
        browser.evaluate(&axe);
        for (mode, look) in [
            ("light", Look::LIGHT),
            ("dark", Look::DARK),
            ("phone", Look::PHONE),
        ] {
            browser.set_look(look);
            let found = violations(&mut browser).into_iter();
            all.extend(found.map(|violation| format!("{language:?}, {mode}: {violation}")));
        }
        for width in [360, 390] {
            browser.set_look(Look {
                width,
                ..Look::PHONE
            });
            let found = browser.evaluate(SCROLLS);
            let found = found.as_array().unwrap().iter();
            all.extend(found.map(|it| format!("{language:?}, {width} px: {it}")));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
