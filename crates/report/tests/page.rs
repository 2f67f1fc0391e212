//! Checks `report.html`: its content, its size, and that it contains no hostile mark-up.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod browser;
mod installed;
mod live;
#[allow(dead_code, reason = "shared with other tests")]
mod made_up;
mod markup;

use std::collections::BTreeSet;

use browser::{Listener, dump};
use made_up::{Run, screen, terminal};
use markup::{Tag, text_of};
use serde_json::Value;
use tenbin_report::formats::kept;
use tenbin_report::html;
use tenbin_result::Document;

/// Maximum size of the page of a run, bytes.
const LIMIT: usize = 500_000;

type NamedRun = (&'static str, fn() -> Run);

fn runs() -> [(&'static str, Document); 9] {
    let made: [NamedRun; 9] = [
        ("pair", made_up::pair),
        ("single", made_up::single),
        ("invalid", made_up::invalid),
        ("killed", made_up::killed),
        ("reconnecting", made_up::reconnecting),
        ("multipart", made_up::multipart),
        ("suite", made_up::suite),
        ("matrix", made_up::matrix),
        ("telling", made_up::telling),
    ];
    made.map(|(name, run)| (name, run().document()))
}

fn page(document: &Document) -> String {
    html(&[document])
}

/// Run `TENBIN_PAGES=directory cargo test -p tenbin-report --test page` to write the pages to a
/// directory.
#[test]
fn every_run_has_a_page_of_known_tags_only() {
    for (name, document) in runs() {
        let page = page(&document);
        markup::check(&page);
        assert!(page.len() < LIMIT, "{name}: {} bytes", page.len());
        let content = page.split("<script type=\"module\">").next().unwrap();
        assert!(
            !content.contains("NaN") && !content.contains(">inf<"),
            "{name}"
        );
        if let Some(directory) = std::env::var_os("TENBIN_PAGES") {
            let file = std::path::Path::new(&directory).join(format!("{name}.html"));
            std::fs::write(file, &page).unwrap();
        }
    }
}

#[test]
fn the_answer_and_the_trust_stand_before_the_first_table() {
    for (name, document) in runs() {
        let page = page(&document);
        let text = text_of(page.split("<table").next().unwrap());
        assert!(text.contains(document.trust.word()), "{name}: {text}");
        for comparison in document
            .comparisons
            .iter()
            .filter(|each| each.primary)
            .take(1)
        {
            assert!(text.contains(&comparison.challenger), "{name}: {text}");
        }
        let mut reasons = document.findings.iter();
        if let Some(reason) = reasons.find(|each| each.severity.leaves() == document.trust) {
            let is_note = reason.severity == tenbin_result::Severity::Note;
            assert!(is_note || text.contains(&reason.rule), "{name}: {text}");
        }
    }
}

#[test]
fn a_chart_is_drawn_only_with_its_figures_and_has_them_in_a_table() {
    let drawn = |document: &Document, title: &str| {
        let page = page(document);
        let mut figures = page.split("<figure").skip(1);
        let found = figures.find(|figure| {
            figure
                .split("</figcaption>")
                .next()
                .unwrap()
                .contains(title)
        });
        found.map(|figure| {
            let (_, after) = figure.split_once("</figure>\n").unwrap();
            let table = after.strip_prefix("<details class=\"behind\">");
            let table = table.unwrap_or_else(|| panic!("{title} has no table"));
            text_of(table.split("</details>").next().unwrap())
        })
    };
    let (pair, matrix) = (made_up::pair().document(), made_up::matrix().document());
    let telling = made_up::telling().document();
    let errors = drawn(&matrix, "Errors by class").unwrap();
    assert!(
        errors.contains("timeout") && errors.contains("status"),
        "{errors}"
    );
    assert_eq!(drawn(&pair, "Errors by class"), None);
    let ratios = drawn(&matrix, "size by connections").unwrap();
    for text in ["1KB", "1MB", "slower", "faster"] {
        assert!(ratios.contains(text), "{text}: {ratios}");
    }
    assert_eq!(drawn(&pair, "size by connections"), None);
    assert!(
        drawn(&pair, "Cost and speed")
            .unwrap()
            .contains("CPU/op ratio")
    );
    let mut blind = made_up::pair();
    for slice in &mut blind.slices {
        slice.end.server = None;
    }
    assert_eq!(drawn(&blind.document(), "Cost and speed"), None);
    assert!(drawn(&telling, "Server stages").unwrap().contains("disk"));
    assert_eq!(drawn(&pair, "Server stages"), None);
}

#[test]
fn the_plan_is_on_the_page_as_text() {
    let run = made_up::pair();
    let text = text_of(&page(&run.document()));
    assert!(text.contains(run.plan.to_toml().trim()));
    assert!(text.contains("tenbin rerun runs/2026-01-02T030405-quickstart"));
}

/// The words of a text that contain a digit, without surrounding punctuation.
fn figures(text: &str) -> BTreeSet<String> {
    let words = text.split_whitespace();
    // A terminal prints the relative uncertainty of a figure, the page the ends of its interval.
    let words = words.filter(|word| !word.contains('±'));
    let trimmed = words.map(|word| word.trim_matches(|c: char| ",;.:()*".contains(c)));
    let with_digit = trimmed.filter(|word| word.contains(|c: char| c.is_ascii_digit()));
    with_digit.map(str::to_owned).collect()
}

#[test]
fn every_figure_of_the_terminal_is_on_the_page() {
    for (name, document) in runs() {
        let on_page = figures(&text_of(&page(&document)));
        for text in [
            screen(&document, 10_000, false),
            terminal(&document, 10_000, false),
        ] {
            // The page leaves out the rows of long tables beyond a limit.
            let missing: Vec<String> = figures(&text).difference(&on_page).cloned().collect();
            assert!(missing.is_empty(), "{name}: {missing:?}");
        }
    }
}

/// The document of a run of ten hours: 18,000 slices on two targets.
fn ten_hours() -> Document {
    let mut document = made_up::pair().document();
    let some = std::mem::take(&mut document.slices);
    document.slices = (0..18_000_u32)
        .map(|index| {
            let mut slice = some[index as usize % some.len()].clone();
            (slice.index, slice.block, slice.round) = (index, index / 4, index / 2);
            slice.start = Some(f64::from(index) * 2.0);
            slice.flags = vec!["outlying".to_owned()];
            slice
        })
        .collect();
    for comparison in &mut document.comparisons {
        let ratios = comparison.block_ratios.clone();
        comparison.block_ratios = ratios.into_iter().cycle().take(4_500).collect();
    }
    document
}

#[test]
fn the_page_of_a_long_run_is_no_longer_than_that_of_a_short_one() {
    let long = ten_hours();
    let page = page(&long);
    markup::check(&page);
    assert!(page.len() < LIMIT, "{} bytes", page.len());
    assert!(
        page.contains("100 of 18000 rows; all of them: <code>tenbin show"),
        "said where the rest is"
    );
    assert!(page.contains("--section slices</code>"));
    if let Some(directory) = std::env::var_os("TENBIN_PAGES") {
        std::fs::write(std::path::Path::new(&directory).join("long.html"), &page).unwrap();
    }
}

#[test]
fn long_texts_and_many_rows_do_not_make_a_long_page() {
    let mut document = made_up::suite().document();
    let long = "x".repeat(200_000);
    for workload in &mut document.workloads {
        workload.description.clone_from(&long);
    }
    let finding = document.findings.first().cloned();
    let finding = finding.unwrap_or_else(|| made_up::invalid().document().findings[0].clone());
    document.findings = (0..3_000)
        .map(|number| tenbin_result::Finding {
            evidence: format!("{number} {}", "y".repeat(3_000)),
            severity: tenbin_result::Severity::Suspect,
            ..finding.clone()
        })
        .collect();
    for result in &mut document.results {
        for operation in &mut result.operations {
            operation.failures = (0..2_000)
                .map(|number| (format!("{number} {}", "z".repeat(500)), 1))
                .collect();
        }
    }
    document.run.name = "n".repeat(100_000);
    document.run.directory = "d".repeat(100_000);
    document.verdicts = vec!["v".repeat(1_000_000)];
    let page = page(&document);
    markup::check(&page);
    assert!(page.len() < LIMIT, "{} bytes", page.len());
}

/// Texts that are harmful if not escaped, with an address that must not be requested.
fn hostile(address: &str) -> Vec<String> {
    vec![
        "</script><script>document.documentElement.dataset.harmed=1</script>".to_owned(),
        format!("\"><img src=http://{address}/img onerror=document.documentElement.dataset.harmed=1>"),
        format!("'><svg onload=document.documentElement.dataset.harmed=1><image href=http://{address}/svg />"),
        format!("</style><style>@import url(http://{address}/css);body{{display:none}}</style>"),
        format!("</title><iframe src=http://{address}/frame></iframe><base href=http://{address}/>"),
        format!("<meta http-equiv=refresh content=\"0;url=http://{address}/meta\">"),
        format!("<a href=\"javascript:document.documentElement.dataset.harmed=1\" ping=http://{address}/ping autofocus onfocus=document.documentElement.dataset.harmed=1>x</a>"),
        "\u{202e}\u{2066}\u{1b}]0;harmed\u{7}\u{1b}[2J\u{0}\u{ffff}&lt;b&gt;&#60;script&#62;--><!--]]><![CDATA[".to_owned(),
        "`${document.documentElement.dataset.harmed=1}`<!--<script>".to_owned(),
    ]
}

/// Keys whose text comes from servers, files or command lines.
const FOREIGN: &[&str] = &[
    "name", "workload", "target", "description", "evidence", "advice", "sentence", "id",
    "directory", "baseline", "challenger", "metric_phrase", "hostname", "cpu_model", "kernel",
    "platform", "governor", "clock_source", "server_header", "version", "operation", "load",
    "level_of", "observed", "rule", "because", "verdicts", "flags", "family", "missed", "why",
    "key", "value", "choice", "started", "tenbin_version", "rustc_version", "wire", "url",
    "pattern", "status", "body", "stage", "interface", "plan",
];

/// Appends `text` to every string that comes from outside.
fn spoilt(value: &mut Value, key: &str, text: &str) {
    match value {
        Value::String(own) if FOREIGN.contains(&key) => own.push_str(text),
        Value::Array(values) => values.iter_mut().for_each(|each| match each {
            Value::String(_) => spoilt(each, key, text),
            _ => spoilt(each, "", text),
        }),
        Value::Object(entries) => {
            if matches!(key, "targets" | "failures" | "by_class") {
                let renamed = std::mem::take(entries).into_iter();
                entries.extend(renamed.map(|(name, value)| (name + text, value)));
            }
            for (key, value) in entries.iter_mut() {
                spoilt(value, key, text);
            }
        }
        _ => {}
    }
}

fn spoilt_documents(address: &str) -> Vec<Document> {
    let mut all = Vec::new();
    let clean = [
        made_up::invalid().document(),
        made_up::suite().document(),
        made_up::matrix().document(),
        made_up::telling().document(),
    ];
    for text in hostile(address) {
        for document in &clean {
            let mut document = document.clone();
            for result in &mut document.results {
                for operation in &mut result.operations {
                    operation.failures.insert("503".to_owned(), 3);
                }
            }
            let mut value = serde_json::to_value(&document).unwrap();
            spoilt(&mut value, "", &text);
            all.push(serde_json::from_value(value).unwrap());
        }
    }
    all
}

#[test]
fn hostile_text_becomes_no_markup_in_pages_and_drawings() {
    for document in spoilt_documents("127.0.0.1:9") {
        let page = page(&document);
        assert!(
            page.contains("dataset.harmed")
                || page.contains("127.0.0.1:9")
                || page.contains("\\u{202e}"),
            "it is there"
        );
        markup::check(&page);
        assert!(page.len() < LIMIT, "{} bytes", page.len());
        let drawings = kept(&document).filter(|each| each.file.ends_with(".svg"));
        for drawing in drawings {
            let svg = String::from_utf8(drawing.bytes(&document)).unwrap();
            markup::check_xml(&svg);
        }
    }
}

#[test]
fn the_policy_allows_the_style_sheets_and_the_script_of_the_page_and_nothing_else() {
    use base64::Engine as _;
    use sha2::Digest as _;
    let page = page(&made_up::pair().document());
    let tags = markup::tags(&page);
    let policy = tags.iter().find_map(|tag| {
        tag.attribute("content")
            .filter(|it| it.contains("default-src"))
    });
    let policy = policy.unwrap();
    let hashes = |open: &str, close: &str| -> Vec<String> {
        let contents = page
            .split(open)
            .skip(1)
            .map(|it| it.split(close).next().unwrap());
        let hash =
            |text| base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(text));
        contents
            .map(|text| format!("'sha256-{}'", hash(text)))
            .collect()
    };
    let styles = hashes("<style>", "</style>");
    let scripts = hashes("<script type=\"module\">", "</script>");
    assert_eq!(
        policy,
        format!(
            "default-src 'none'; style-src {}; script-src {}; img-src data:; base-uri 'none'; \
             form-action 'none'",
            styles.join(" "),
            scripts.join(" ")
        )
    );
    assert_eq!((styles.len(), scripts.len()), (2, 1));
    let data = page.matches("<script type=\"application/json\"").count();
    assert_eq!(page.matches("<script").count(), data + 1);
    let place = |tag: &str| {
        tags.iter()
            .position(|known: &Tag| known.name == tag)
            .unwrap()
    };
    assert!(place("meta") < place("style"), "the policy comes first");
}

#[test]
fn a_browser_runs_nothing_and_fetches_nothing() {
    let listener = Listener::start();
    // Unescaped text is harmful here, which proves that the check can fail.
    let naked = format!(
        "<!DOCTYPE html><title>x</title>{}{}",
        hostile(&listener.address())[0].trim_start_matches("</script>"),
        hostile(&listener.address())[1]
    );
    let control = dump(&naked);
    assert!(control.dom.contains("data-harmed"), "{}", control.dom);
    assert!(listener.requests() > 0, "the address can be fetched");
    let before = listener.requests();
    let documents = spoilt_documents(&listener.address());
    let pages: Vec<&Document> = documents.iter().step_by(3).collect();
    let seen = dump(&html(&pages));
    assert!(seen.dom.contains("</html>"), "{}", seen.dom);
    assert!(!seen.dom.contains("data-harmed"), "a script ran");
    assert_eq!(listener.requests(), before, "a request left the page");
    assert_eq!(
        seen.console,
        Vec::<String>::new(),
        "the console has nothing to say"
    );
    let clean = made_up::pair().document();
    let seen = dump(&page(&clean));
    // The browser would report a style sheet that the policy does not allow.
    assert_eq!(seen.console, Vec::<String>::new());
    assert!(seen.printed > 20_000, "{} bytes of PDF", seen.printed);
}

#[test]
fn several_runs_have_a_list_of_contents() {
    let (pair, single) = (made_up::pair().document(), made_up::single().document());
    let page = html(&[&pair, &single]);
    markup::check(&page);
    let tags = markup::tags(&page);
    let links: Vec<&str> = tags
        .iter()
        .filter(|tag| tag.attribute("class") != Some("here"))
        .filter_map(|tag| tag.attribute("href"))
        .collect();
    assert_eq!(links, ["#r0", "#r1"]);
    let ids: Vec<&str> = tags.iter().filter_map(|tag| tag.attribute("id")).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "no id twice: {ids:?}");
    assert!(ids.contains(&"r0") && ids.contains(&"r1"));
}

#[test]
fn a_legend_says_rounds_and_cost_and_speed_of_one_pair_is_a_sentence() {
    let one = html(&[&made_up::reconnecting().document()]);
    assert!(one.contains(">pair of rounds</text>"), "the legend");
    assert!(!one.contains(">group of rounds</text>"), "the legend");
    assert!(one.contains("both are alone ÷ cluster"), "the sentence");
    assert!(!one.contains("faster, costs less"), "no plane");
    let several = html(&[&made_up::pair().document()]);
    assert!(several.contains("costs more</text>"), "a plane");
}
