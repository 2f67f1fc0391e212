//! The list of runs.

use std::path::PathBuf;

use tenbin_plan::{Sentence, sentence};
use tenbin_report::{ListFilter, ListedRun, ListedState, RunList, list_page};
use tenbin_result::Trust;

use super::Pages;
use super::answer::Answer;
use super::below;
use super::request::Fields;
use crate::commands::results::disk;
use crate::commands::results::index::{Index, Listed};
use crate::commands::results::rows::{Row, State, is_day};
use crate::commands::results::tidy::TRASH;

/// Runs on a page.
const ON_A_PAGE: usize = 50;
/// Longest text of a filter, letters.
const LETTERS: usize = 200;

/// The page of the list that a query asks for.
pub(super) fn list(pages: &Pages, query: &Fields) -> Answer {
    let filter = match filter(query) {
        Ok(filter) => filter,
        Err(why) => return Answer::refused(why),
    };
    let mut runs = pages.root.runs();
    runs.reverse();
    let total = runs.len();
    let alone = pages.alone();
    let chosen = Chosen::new(pages, runs, &filter);
    let matching = chosen.len();
    let last = matching.div_ceil(ON_A_PAGE).max(1);
    let page = query.first("page").parse().unwrap_or(1).clamp(1, last);
    let before = (page - 1) * ON_A_PAGE;
    let shown = chosen.page(before);
    drop(alone);
    let moved = query.given("moved").filter(|name| {
        let is_name = below::parts(name).is_some_and(|parts| parts.len() == 1);
        is_name && pages.root.path().join(TRASH).join(name).is_dir()
    });
    Answer::Page(list_page(
        &pages.site(),
        &RunList {
            runs: &shown,
            filter: &filter,
            first: if shown.is_empty() { 0 } else { before + 1 },
            matching,
            total,
            pages: [page, last],
            moved,
        },
    ))
}

/// What a query asks for.
fn filter(query: &Fields) -> Result<ListFilter, Sentence> {
    let text = |name: &str| -> String { query.first(name).trim().chars().take(LETTERS).collect() };
    let one_of = |name: &str, known: &[&str]| {
        let value = text(name);
        if value.is_empty() || known.contains(&value.as_str()) {
            Ok(value)
        } else {
            Err(sentence!(
                "ui-no-choice",
                "{name}: there is no {value:?}; choose one of {known}",
                name,
                value,
                known = known.join(", ")
            ))
        }
    };
    let day = |name: &str| {
        let value = text(name);
        if value.is_empty() || is_day(&value) {
            Ok(value)
        } else {
            Err(sentence!(
                "ui-no-day",
                "{name}: {value:?} is no day; write it as 2026-01-31",
                name,
                value
            ))
        }
    };
    Ok(ListFilter {
        text: text("q"),
        trust: one_of(
            "trust",
            &["valid", "suspect", "invalid", "running", "none", "damaged"],
        )?,
        verdict: text("verdict"),
        label: text("label"),
        days: [day("from")?, day("to")?],
        order: one_of("order", &["old", "name", "label", "trust"])?,
    })
}

/// The runs that a filter asks for, in its order.
enum Chosen {
    /// Without a filter: only those on the page are read.
    Unread(Vec<PathBuf>),
    Read(Vec<Row>),
}

impl Chosen {
    /// `runs` are the newest first.
    fn new(pages: &Pages, mut runs: Vec<PathBuf>, filter: &ListFilter) -> Self {
        let by_time = ListFilter {
            order: filter.order.clone(),
            ..ListFilter::default()
        };
        if *filter == by_time && ["", "old"].contains(&filter.order.as_str()) {
            if filter.order == "old" {
                runs.reverse();
            }
            return Self::Unread(runs);
        }
        let mut index = Index::<Listed>::of(pages.root.path());
        let rows = runs.iter().map(|run| Row::of(run, &mut index));
        let wanted = Wanted::new(filter);
        let mut rows: Vec<Row> = rows.filter(|row| wanted.has(row)).collect();
        index.save();
        match filter.order.as_str() {
            "old" => rows.reverse(),
            "name" => rows.sort_by_cached_key(|row| row.name.to_lowercase()),
            // Runs without a label come last.
            "label" => rows.sort_by_cached_key(|row| (row.label.is_none(), row.label.clone())),
            "trust" => rows.sort_by_key(|row| place(row.state)),
            _ => {}
        }
        Self::Read(rows)
    }

    fn len(&self) -> usize {
        match self {
            Self::Unread(runs) => runs.len(),
            Self::Read(rows) => rows.len(),
        }
    }

    /// The runs on the page after this number of runs.
    fn page(&self, before: usize) -> Vec<ListedRun> {
        match self {
            Self::Unread(runs) => {
                let mut index = Index::none();
                let shown = runs.iter().skip(before).take(ON_A_PAGE);
                shown.map(|run| listed(&Row::of(run, &mut index))).collect()
            }
            Self::Read(rows) => {
                let shown = rows.iter().skip(before).take(ON_A_PAGE);
                shown.map(listed).collect()
            }
        }
    }
}

/// A filter, with its texts in lower case.
struct Wanted<'a> {
    filter: &'a ListFilter,
    text: String,
    verdict: String,
    label: String,
}

impl<'a> Wanted<'a> {
    fn new(filter: &'a ListFilter) -> Self {
        Self {
            filter,
            text: filter.text.to_lowercase(),
            verdict: filter.verdict.to_lowercase(),
            label: filter.label.to_lowercase(),
        }
    }

    fn has(&self, row: &Row) -> bool {
        let [from, to] = &self.filter.days;
        let contains = |text: &str, part: &str| text.to_lowercase().contains(part);
        let has_label = || {
            row.label
                .as_ref()
                .is_some_and(|label| contains(label, &self.label))
        };
        let mut verdicts = row.verdicts().iter();
        (self.text.is_empty() || row.has(&self.text))
            && (self.filter.trust.is_empty() || self.filter.trust == word(row.state))
            && (self.verdict.is_empty() || verdicts.any(|said| contains(said, &self.verdict)))
            && (self.label.is_empty() || has_label())
            && (from.is_empty() || row.day() >= *from)
            && (to.is_empty() || row.day() <= *to)
    }
}

/// The word of a state in a query.
fn word(state: State) -> &'static str {
    match state {
        State::Judged(Trust::Valid) => "valid",
        State::Judged(Trust::Suspect) => "suspect",
        State::Judged(Trust::Invalid) => "invalid",
        State::Running => "running",
        State::NoResult => "none",
        State::Damaged => "damaged",
    }
}

/// The place of a state in the order of trust.
fn place(state: State) -> u8 {
    match state {
        State::Running => 0,
        State::Judged(Trust::Valid) => 1,
        State::Judged(Trust::Suspect) => 2,
        State::Judged(Trust::Invalid) => 3,
        State::NoResult => 4,
        State::Damaged => 5,
    }
}

fn listed(row: &Row) -> ListedRun {
    ListedRun {
        name: row.name.clone(),
        label: row.label.clone().unwrap_or_default(),
        targets: row.targets().join(", "),
        question: row.question(),
        size: row.bytes_now().map(disk::said).unwrap_or_default(),
        state: shown_state(row.state),
        said: match &row.note {
            Some(note) => format!("{note}: {}", row.said()),
            None => row.said(),
        },
    }
}

/// A state, for a page.
pub(super) fn shown_state(state: State) -> ListedState {
    match state {
        State::Judged(trust) => ListedState::Judged(trust),
        State::Running => ListedState::Running,
        State::NoResult => ListedState::NoResult,
        State::Damaged => ListedState::Damaged,
    }
}
