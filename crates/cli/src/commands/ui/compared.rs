//! Two runs side by side.

use std::path::PathBuf;

use tenbin_plan::sentence;
use tenbin_report::{ComparedRuns, compared_page};
use tenbin_result::{Document, Earlier};

use super::Pages;
use super::answer::Answer;
use super::request::Fields;
use super::run::result_of;
use crate::commands::results::compare::compare_documents;
use crate::commands::results::kept;
use crate::output;

/// Most workloads that are said to be affected.
const MOST_CHANGED: usize = 100;

/// The page of the two runs that a query names, the earlier one first.
pub(super) fn compared(pages: &Pages, query: &Fields) -> Answer {
    let mut named: Vec<&str> = query.all("run").collect();
    named.dedup();
    let [one, other] = named.as_slice() else {
        let count = named.len();
        return Answer::refused(sentence!(
            "choose-two",
            "choose two runs in the list to compare them; {count} are chosen",
            count
        ));
    };
    let (Some(one), Some(other)) = (pages.root.run(one), pages.root.run(other)) else {
        return Answer::no_run();
    };
    let runs = in_order(pages, one, other);
    let results = runs.each_ref().map(|run| result_of(pages, run));
    let changed = query.first("changed");
    let names = changed
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let names: Vec<String> = names.take(MOST_CHANGED).map(str::to_owned).collect();
    let earlier = earlier(&runs, &results, &names);
    let [before, after] = runs.each_ref().map(|run| kept::name_of(run));
    Answer::Page(compared_page(
        &pages.site(),
        &ComparedRuns {
            names: [&before, &after],
            results: results
                .each_ref()
                .map(|result| result.as_ref().map_err(String::as_str)),
            earlier: earlier.as_ref().map_err(String::as_str),
            changed,
        },
    ))
}

/// The runs in the order of their time.
fn in_order(pages: &Pages, one: PathBuf, other: PathBuf) -> [PathBuf; 2] {
    let runs = pages.root.runs();
    let place = |run: &PathBuf| runs.iter().position(|it| it == run);
    if place(&one) <= place(&other) {
        [one, other]
    } else {
        [other, one]
    }
}

fn earlier(
    [before, _]: &[PathBuf; 2],
    results: &[Result<Document, String>; 2],
    changed: &[String],
) -> Result<Earlier, String> {
    let [then, now] = results;
    let (then, now) = (then.as_ref()?, now.as_ref()?);
    let compared = compare_documents((before, then), now, changed);
    compared.map_err(|why| output::said(&why))
}
