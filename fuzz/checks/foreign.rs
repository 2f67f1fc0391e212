//! What must hold for the result files that Tenbin reads, whatever they hold: those of every tool
//! in the table of formats, and its own `result.json`.
//!
//! An input is the file. A first line that begins with `?` is not part of it: each character
//! behind it picks something of the selection with which files of warp are read.

use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use tenbin_report::formats::fronts::warp;
use tenbin_report::formats::{
    Content, Selection, format, merge, read_bytes, read_requests, reported_bytes,
};
use tenbin_report::{
    Extent, Overlay, Results, View, against, earlier_json, for_terminal, lint_json, lint_text,
    terminal, terminal_earlier,
};
use tenbin_result::document_from_json;
use tenbin_verdict::lint::{Files, document, lint};

/// Panics when a file is refused without a reason, or when what is shown of it has control
/// characters. Says whether any reader took the input.
pub(crate) fn check(input: &[u8]) -> bool {
    let (selection, file) = taken_apart(input);
    let by_warp = check_warp(file, &selection);
    let by_drnbench = check_drnbench(file);
    let by_compare = check_compare(file);
    let by_import = check_import(file);
    let by_tenbin = check_document(file);
    by_warp || by_drnbench || by_compare || by_import || by_tenbin
}

fn taken_apart(input: &[u8]) -> (Selection, &[u8]) {
    let Some(rest) = input.strip_prefix(b"?") else {
        return (Selection::default(), input);
    };
    let end = rest.iter().position(|&byte| byte == b'\n');
    let (line, file) = match end {
        Some(end) => (&rest[..end], &rest[end + 1..]),
        None => (rest, &rest[..0]),
    };
    let mut selection = Selection::default();
    for byte in line {
        match byte {
            b'o' => selection.operation = Some("GET".to_owned()),
            b'h' => selection.host = Some("127.0.0.1:9000".to_owned()),
            b's' => selection.skip = Duration::from_secs(1),
            b'f' => selection.offset = 2,
            b'l' => selection.limit = Some(3),
            _ => {}
        }
    }
    (selection, file)
}

fn check_warp(content: &[u8], selection: &Selection) -> bool {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME
        .lock()
        .unwrap_or_else(|held| held.into_inner());
    let path = file();
    std::fs::write(path, content).expect("a file in memory");
    let name = path.to_str().expect("a path in UTF-8");
    let imported = match read_requests(name, selection) {
        Ok(imported) => imported,
        Err(error) => {
            expect_one_sentence(&error.to_string());
            return false;
        }
    };
    for segment in [0, 1] {
        expect_harmless(&warp::analyze(&imported, segment));
    }
    expect_harmless(&warp::cmp(&imported, &imported, &[]));
    let json = warp::analyze_json(std::slice::from_ref(&imported));
    let read: Result<serde_json::Value, _> = serde_json::from_slice(&json);
    assert!(read.is_ok(), "the JSON of a result cannot be read");
    match merge([imported.clone(), imported]) {
        Ok(merged) => expect_harmless(&warp::analyze(&merged, 1)),
        Err(sentence) => expect_one_sentence(&sentence),
    }
    true
}

fn check_drnbench(content: &[u8]) -> bool {
    match read_bytes("file", content) {
        Ok(Content::Steps(steps)) => {
            expect_harmless(&steps.text("file"));
            let _ = steps.is_trusted();
            let mut overlay = Overlay::default();
            overlay.add_steps(&steps, "file");
            let _ = (overlay.svg(), overlay.csv());
            true
        }
        Ok(_) => false,
        Err(error) => {
            expect_one_sentence(&error.to_string());
            false
        }
    }
}

fn check_compare(content: &[u8]) -> bool {
    match Results::of_file("file", content) {
        Ok(results) => {
            compare(&results);
            true
        }
        Err(why) => {
            expect_one_sentence(&why);
            false
        }
    }
}

/// What `tenbin import` and `tenbin lint` do with a file.
fn check_import(content: &[u8]) -> bool {
    let reported = match reported_bytes("file", content) {
        Ok(reported) => reported,
        Err(error) => {
            expect_one_sentence(&error.to_string());
            return false;
        }
    };
    expect_harmless(&warp::analyze(&reported, 1));
    let document = document(&[("file".to_owned(), reported.clone())]);
    let mut json = Vec::new();
    let format = format("json").expect("the format of results");
    format.write_document(&document, &mut json).expect("memory");
    let read = document_from_json(&json).expect("an imported result is a result");
    compare(&Results::of_document(&read));
    let all = [reported.clone(), reported];
    let findings = lint(&Files {
        all: &all,
        changed: &[],
    });
    expect_harmless(&lint_text(&all, &findings, &|sentence| {
        sentence.to_string()
    }));
    let read: Result<serde_json::Value, _> = serde_json::from_str(&lint_json(&all, &findings));
    assert!(read.is_ok(), "the JSON of findings cannot be read");
    true
}

fn check_document(content: &[u8]) -> bool {
    if !content.trim_ascii_start().starts_with(b"{") {
        return false;
    }
    match document_from_json(content) {
        Ok(document) => {
            let view = View {
                width: 80,
                colour: false,
                extent: Extent::Verbose,
            };
            expect_harmless(&terminal(&document, view));
            compare(&Results::of_document(&document));
            true
        }
        Err(why) => {
            expect_one_sentence(&why);
            false
        }
    }
}

fn compare(results: &Results) {
    match against(results, results, &[]) {
        Ok(earlier) => {
            expect_harmless(&terminal_earlier(
                &earlier,
                tenbin_result::Language::English,
                true,
            ));
            let json = earlier_json(&earlier);
            let read: Result<serde_json::Value, _> = serde_json::from_str(&json);
            assert!(read.is_ok(), "the JSON of a comparison cannot be read");
        }
        Err(refusal) => expect_one_sentence(&refusal.to_string()),
    }
}

/// Errors are made harmless where they are printed.
fn expect_one_sentence(text: &str) {
    assert!(!text.trim().is_empty(), "refused without a reason");
    assert!(text.len() < 4096, "a reason of {} bytes", text.len());
}

/// What goes to a terminal as it is.
#[track_caller]
fn expect_harmless(text: &str) {
    for line in text.lines() {
        let tabs_apart = line.replace('\t', " ");
        assert_eq!(
            for_terminal(&tabs_apart),
            tabs_apart,
            "control characters are shown"
        );
    }
}

fn file() -> &'static PathBuf {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    FILE.get_or_init(|| {
        let memory = PathBuf::from("/dev/shm");
        let root = if memory.is_dir() {
            memory
        } else {
            std::env::temp_dir()
        };
        root.join(format!("tenbin-foreign-{}", std::process::id()))
    })
}
