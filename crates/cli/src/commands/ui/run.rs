//! One run.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tenbin_plan::{Plan, read_own};
use tenbin_record::{Source, live_address, newest_seconds};
use tenbin_report::{RunContent, RunPage, RunProgress, ServedPage, delete_page, run_page};
use tenbin_result::Document;

use super::Pages;
use super::answer::Answer;
use super::list::shown_state;
use super::request::Fields;
use crate::commands::clean::keyless_plan;
use crate::commands::results::index::Index;
use crate::commands::results::rows::{Row, State};
use crate::commands::results::show::{read_document, with_label};

/// The page that a run writes.
const REPORT: &str = "report.html";
/// Largest page that is sent, bytes.
const LARGEST_REPORT: u64 = 16 << 20;
/// Largest `environment.json` that is read, bytes.
const LARGEST_ENVIRONMENT: u64 = 64 << 20;
/// Seconds until the page of a running run is loaded again.
const REFRESH: &str = "5";

/// The page of a run.
pub(super) fn run(pages: &Pages, name: &str, query: &Fields) -> Answer {
    let Some(directory) = pages.root.run(name) else {
        return Answer::no_run();
    };
    let row = row_of(pages, &directory);
    if row.state == State::Running && query.first("report") != "now" {
        return running(
            pages,
            name,
            &directory,
            &row,
            query.first("refresh") != "off",
        );
    }
    let read = result_of(pages, &directory);
    let content = match &read {
        Ok(document) => RunContent::Result(document),
        Err(why) => RunContent::Unreadable(why.clone()),
    };
    Answer::Page(page(pages, name, &directory, &row, content))
}

/// What a list says of a run.
fn row_of(pages: &Pages, directory: &Path) -> Row {
    let _alone = pages.alone();
    Row::of(directory, &mut Index::none())
}

/// The result of a run, computed from its raw data, one run at a time; or why it cannot be read.
pub(super) fn result_of(pages: &Pages, directory: &Path) -> Result<Document, String> {
    let _alone = pages.alone();
    read_document(directory, Source::Slices)
        .map(|document| with_label(document, directory))
        .map_err(|why| why.said())
}

fn page(
    pages: &Pages,
    name: &str,
    directory: &Path,
    row: &Row,
    content: RunContent<'_>,
) -> ServedPage {
    run_page(
        &pages.site(),
        &RunPage {
            name,
            label: row.label.as_deref().unwrap_or_default(),
            note: row.note.as_deref().unwrap_or_default(),
            state: shown_state(row.state),
            content,
            has_report: directory.join(REPORT).is_file(),
        },
    )
}

fn running(pages: &Pages, name: &str, directory: &Path, row: &Row, refreshes: bool) -> Answer {
    let plan = keyless_plan(directory).ok();
    let slices = plan.as_ref().map(|plan| {
        let rounds = plan.rounds.most();
        plan.slices_in_rounds(rounds) + plan.times_after_rounds(rounds).len()
    });
    let seconds = newest_seconds(directory);
    let seen = RunProgress {
        seconds: &seconds,
        slices: slices.filter(|slices| *slices > 0),
        elapsed: elapsed(directory),
        forecast: plan.as_ref().map(Plan::forecast),
        live: live_address(directory),
        refreshes,
    };
    let page = page(pages, name, directory, row, RunContent::Progress(seen));
    if refreshes {
        Answer::Refreshed(page, REFRESH.to_owned())
    } else {
        Answer::Page(page)
    }
}

/// Time since the start of the run.
fn elapsed(directory: &Path) -> Option<Duration> {
    let text = read_own(&directory.join("environment.json"), LARGEST_ENVIRONMENT).ok()?;
    let environment: Value = serde_json::from_slice(&text).ok()?;
    let started = Duration::from_nanos(environment["started_unix_ns"].as_u64()?);
    SystemTime::now().duration_since(UNIX_EPOCH + started).ok()
}

/// `report.html`, as the run wrote it.
pub(super) fn kept_report(pages: &Pages, name: &str) -> Answer {
    let Some(directory) = pages.root.run(name) else {
        return Answer::no_run();
    };
    match read_own(&directory.join(REPORT), LARGEST_REPORT) {
        Ok(bytes) => Answer::Foreign(bytes),
        Err(_) => Answer::missing(),
    }
}

/// Asks whether the run is to be deleted.
pub(super) fn delete(pages: &Pages, name: &str) -> Answer {
    match pages.root.run(name) {
        Some(_) => Answer::Page(delete_page(&pages.site(), name)),
        None => Answer::no_run(),
    }
}
