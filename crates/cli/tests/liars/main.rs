//! Servers that save work under load and say that all is well must not pass, and honest servers
//! whose responses vary must not be accused.
//!
//! With `TENBIN_LIARS`, the results are written as tables to the file with this name. With
//! `TENBIN_LIAR`, only the servers whose name contains this text are judged, and their results are
//! kept.

#[path = "../common/mod.rs"]
mod common;
mod honest;
mod lies;
mod pages;
mod row;
mod server;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Scratch, Tenbin};

use self::honest::HONEST;
use self::lies::{LIES, LIES_OF_TWO};
use self::row::{POST, Row};

/// Rules that compare the content of responses.
const CONTENT: [&str; 4] = [
    "mixed_responses", "content_under_load", "unequal_answers", "changed_answers",
];
/// Runs at a time: they mostly wait.
const AT_A_TIME: usize = 6;

/// The findings of the content rules in a run, with their severity; empty if there are none above a
/// note. The trust of the run comes first.
struct Judged {
    trust: String,
    named: Vec<String>,
    output: String,
}

impl Judged {
    fn is_accused(&self) -> bool {
        !self.named.is_empty()
    }

    /// The result for a table.
    fn cell(&self) -> String {
        match self.named.first() {
            Some(first) => first.clone(),
            None => "no finding".to_owned(),
        }
    }
}

fn judged(scratch: &Scratch, row: &Row, with_twin: bool) -> Judged {
    let liar = format!("a={}", server::start(row.reply));
    let twin = with_twin.then(|| format!("b={}", server::start(row.twin)));
    let mut arguments = vec!["http", "--target", &liar];
    if let Some(twin) = &twin {
        arguments.extend(["--target", twin]);
    }
    // Counts, not times: a busy machine only makes the run longer.
    arguments.extend(["--rounds", "6", "--requests", "160", "--gap", "0s"]);
    arguments.extend(["--warmup", "150ms"]);
    arguments.extend(["--connections", "4", "--json", "--quiet"]);
    if row.method == POST {
        arguments.extend(["--method", "POST", "--body", "{}"]);
    }
    let run = Tenbin::new(scratch, arguments).run();
    let document: serde_json::Value = serde_json::from_str(&run.stdout)
        .unwrap_or_else(|error| panic!("{}: {error}: {run}", row.name));
    let findings = document["findings"].as_array().into_iter().flatten();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let named = findings.filter(|finding| {
        let rule = finding["rule"].as_str().unwrap_or_default();
        let is_content = match rule {
            "errors" => text(&finding["evidence"]).contains("unexpected body"),
            rule => CONTENT.contains(&rule),
        };
        finding["severity"] != "note" && is_content
    });
    Judged {
        trust: text(&document["trust"]),
        named: named
            .map(|finding| {
                let severity = text(&finding["severity"]).to_uppercase();
                format!("{severity} `{}`", text(&finding["rule"]))
            })
            .collect(),
        output: format!("{} {}", document["findings"], run.stderr),
    }
}

/// Judges all rows, several at a time, in their order.
fn all(rows: &[(&Row, bool)]) -> Vec<Judged> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                let scratch = Scratch::new("liars");
                while let Some((row, with_twin)) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let at = rows
                        .iter()
                        .position(|(one, twin)| std::ptr::eq(*one, *row) && twin == with_twin);
                    let judged = judged(&scratch, row, *with_twin);
                    results.lock().expect("no panic").push((at, judged));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no panic");
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, judged)| judged).collect()
}

fn write(name: &str, table: &str) {
    if let Some(file) = std::env::var_os("TENBIN_LIARS") {
        let file = std::path::Path::new(&file).with_extension(name);
        std::fs::write(file, table).expect("a table");
    }
}

/// The rows that `TENBIN_LIAR` names; `None` without this variable.
fn chosen<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Option<Vec<&'a Row>> {
    let part = std::env::var("TENBIN_LIAR").ok()?;
    let is_chosen = |row: &&Row| row.name.contains(&part);
    Some(rows.into_iter().filter(is_chosen).collect())
}

/// Fails with the results of all rows, for a look at some of them.
fn report(rows: &[(&Row, bool)]) {
    let results = all(rows).into_iter();
    let texts = rows.iter().zip(results).map(|((row, twin), judged)| {
        let (cell, output) = (judged.cell(), judged.output);
        format!("{} (twin: {twin}): {cell}: {output}\n", row.name)
    });
    let texts: String = texts.collect();
    assert!(texts.is_empty(), "{texts}");
}

#[test]
fn no_lie_is_valid() {
    if let Some(rows) = chosen(LIES.iter().chain(LIES_OF_TWO)) {
        let rows: Vec<_> = rows
            .iter()
            .flat_map(|row| [(*row, false), (*row, true)])
            .collect();
        return report(&rows);
    }
    let alone: Vec<_> = LIES.iter().map(|row| (row, false)).collect();
    let beside = LIES.iter().chain(LIES_OF_TWO).map(|row| (row, true));
    let rows: Vec<_> = alone.into_iter().chain(beside).collect();
    let results = all(&rows);
    let (alone, beside) = results.split_at(LIES.len());
    let mut table =
        String::from("| server | one target | beside an honest server |\n|---|---|---|\n");
    for (at, row) in LIES.iter().chain(LIES_OF_TWO).enumerate() {
        let one = alone.get(at).map_or_else(|| "—".to_owned(), Judged::cell);
        table += &format!("| {} | {one} | {} |\n", row.name, beside[at].cell());
    }
    write("lies", &table);
    let missed = rows
        .iter()
        .zip(&results)
        .filter(|(_, judged)| !judged.is_accused());
    let missed: Vec<String> = missed
        .map(|((row, twin), judged)| {
            let where_ = if *twin { "two targets" } else { "one target" };
            format!(
                "{} ({where_}, {}): {}\n",
                row.name, judged.trust, judged.output
            )
        })
        .collect();
    assert!(
        missed.is_empty(),
        "{} not found:\n{}",
        missed.len(),
        missed.concat()
    );
    // What the content rules find decides the trust.
    assert!(results.iter().all(|judged| judged.trust != "valid"));
}

#[test]
fn no_honest_server_is_accused() {
    if let Some(rows) = chosen(HONEST) {
        let rows: Vec<_> = rows.iter().map(|row| (*row, false)).collect();
        return report(&rows);
    }
    let rows: Vec<_> = HONEST.iter().map(|row| (row, false)).collect();
    let results = all(&rows);
    let mut table = String::from("| server | result |\n|---|---|\n");
    for (row, judged) in HONEST.iter().zip(&results) {
        table += &format!("| {} | {} |\n", row.name, judged.cell());
    }
    write("honest", &table);
    let accused = HONEST
        .iter()
        .zip(&results)
        .filter(|(_, judged)| judged.is_accused());
    let accused: Vec<String> = accused
        .map(|(row, judged)| format!("{}: {}\n", row.name, judged.output))
        .collect();
    assert!(
        accused.is_empty(),
        "{} accused:\n{}",
        accused.len(),
        accused.concat()
    );
}
