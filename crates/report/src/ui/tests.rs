use std::collections::BTreeSet;

use tenbin_result::{Language, Trust};

use super::*;

const SOURCES: [&str; 7] = [
    include_str!("compared.rs"),
    include_str!("history.rs"),
    include_str!("list.rs"),
    include_str!("notices.rs"),
    include_str!("progress.rs"),
    include_str!("run.rs"),
    include_str!("site.rs"),
];

fn site(language: Language) -> Site<'static> {
    Site {
        base: "/abc/",
        token: "0\"<",
        directory: "runs<b>",
        language,
    }
}

/// The texts between quotes in the calls of `text`.
fn texts() -> BTreeSet<&'static str> {
    let calls = SOURCES
        .iter()
        .flat_map(|source| source.split("site.text(\"").skip(1));
    calls
        .filter_map(|call| call.split_once("\")").map(|(text, _)| text))
        .collect()
}

#[test]
fn every_fixed_text_is_in_the_catalogue() {
    let all = texts();
    assert!(all.len() > 25, "{all:?}");
    // Texts that are in tables of these files.
    let others = [
        "Runs",
        "all",
        "running",
        "damaged",
        "faster",
        "slower",
        "equivalent",
        "cannot tell",
        "name",
        "no result",
        "newest first",
        "oldest first",
        "run",
        "targets",
        "question",
        "size",
        "trust",
        "result",
        "workload",
        "target",
        "throughput",
        "failed",
        "figure",
        "anchor",
        "note",
        "first",
        "previous",
        "next",
        "last",
        "There is no run in this directory yet.",
        "No run is like this.",
        "Stop refreshing",
        "Refresh every 5 seconds",
        "the one that decides",
        "of the newest plan",
        "The report so far is computed on the cores of the load generator, which disturbs the run.",
    ];
    let japanese = site(Language::Japanese);
    for text in all.into_iter().chain(others) {
        assert_ne!(
            japanese.text(text),
            text,
            "{text:?} has no Japanese text in language/ui.ja.txt"
        );
    }
}

#[test]
fn hostile_names_are_text_in_every_place() {
    let hostile = "\"><script>alert(1)</script><b a='\u{202e}";
    let run = ListedRun {
        name: hostile.to_owned(),
        label: hostile.to_owned(),
        targets: hostile.to_owned(),
        question: hostile.to_owned(),
        state: ListedState::Judged(Trust::Valid),
        size: hostile.to_owned(),
        said: hostile.to_owned(),
    };
    let filter = ListFilter {
        text: hostile.to_owned(),
        trust: hostile.to_owned(),
        verdict: hostile.to_owned(),
        label: hostile.to_owned(),
        days: [hostile.to_owned(), hostile.to_owned()],
        order: hostile.to_owned(),
    };
    let form = HistoryForm {
        targets: vec![hostile.to_owned()],
        target: hostile.to_owned(),
        ..HistoryForm::default()
    };
    for language in [Language::English, Language::Japanese] {
        let site = &site(language);
        let list = RunList {
            runs: std::slice::from_ref(&run),
            filter: &filter,
            first: 1,
            matching: 1,
            total: 2,
            pages: [1, 2],
            moved: Some(hostile),
        };
        let progress = RunProgress {
            live: Some(hostile.to_owned()),
            ..RunProgress::default()
        };
        let of = |content| RunPage {
            name: hostile,
            label: hostile,
            note: hostile,
            state: ListedState::Damaged,
            content,
            has_report: true,
        };
        let runs = ComparedRuns {
            names: [hostile; 2],
            results: [Err(hostile); 2],
            earlier: Err(hostile),
            changed: hostile,
        };
        for page in [
            list_page(site, &list),
            run_page(site, &of(RunContent::Unreadable(hostile.to_owned()))),
            run_page(site, &of(RunContent::Progress(progress))),
            compared_page(site, &runs),
            history_page(site, Err(hostile), &form),
            delete_page(site, hostile),
            problem_page(site, hostile),
            opening_page(site),
        ] {
            assert!(
                !page.html.contains("<script") && !page.html.contains("<b a"),
                "{}",
                page.html
            );
            assert!(
                !page.html.contains('\u{202e}') && !page.html.contains("runs<b>"),
                "{}",
                page.html
            );
            assert!(
                page.policy
                    .starts_with("default-src 'none'; style-src 'sha256-")
            );
        }
    }
}

#[test]
fn a_page_of_the_list_is_small_whatever_the_names() {
    // A directory has a name of at most 255 bytes.
    let (name, long) = ("\u{1b}".repeat(255), "\u{e0001}".repeat(10_000));
    let run = ListedRun {
        name,
        label: long.clone(),
        targets: long.clone(),
        question: long.clone(),
        state: ListedState::Damaged,
        size: String::new(),
        said: long,
    };
    let runs = vec![run; 50];
    let list = RunList {
        runs: &runs,
        filter: &ListFilter::default(),
        first: 1,
        matching: 10_000,
        total: 10_000,
        pages: [1, 200],
        moved: None,
    };
    let page = list_page(&site(Language::Japanese), &list);
    assert!(page.html.len() < 1_000_000, "{} bytes", page.html.len());
}

/// The classes that a style sheet names.
fn classes(sheet: &str) -> BTreeSet<&str> {
    let parts = sheet.split('.').skip(1);
    let names = parts.map(|part| {
        let end = part.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'));
        &part[..end.unwrap_or(part.len())]
    });
    // A number such as `.25rem` is no class.
    let is_class = |name: &&str| name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    names.filter(is_class).collect()
}

/// A page of a run has both style sheets: a class of one would change what the other shows.
#[test]
fn the_style_sheets_share_no_class_by_chance() {
    let pages = classes(include_str!("ui.css"));
    let results = classes(include_str!("../page/html/page.css"));
    assert!(pages.contains("runs-table") && results.contains("drawing"));
    let shared: Vec<&&str> = pages.intersection(&results).collect();
    assert_eq!(shared, [&"bad", &"badge"]);
}
