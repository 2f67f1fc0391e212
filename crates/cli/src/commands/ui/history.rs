//! The history of the runs.

use tenbin_report::{HistoryForm, history_page};
use tenbin_result::History;
use tenbin_verdict::{HistoryOf, HistoryRun};

use super::Pages;
use super::answer::Answer;
use super::request::Fields;
use crate::args::history_figure;
use crate::commands::results::history::{check, names_in, runs_of};
use crate::output;
use crate::sentences::said;

/// The page of the history that a query asks for.
pub(super) fn history(pages: &Pages, query: &Fields) -> Answer {
    let _alone = pages.alone();
    let runs = runs_of(pages.root.path(), &pages.root.runs());
    let [targets, workloads] = names_in(&runs).map(|names| names.into_iter().collect());
    let text = |name: &str| query.first(name).to_owned();
    let form = HistoryForm {
        target: text("target"),
        workload: text("workload"),
        figure: text("figure"),
        anchor: text("anchor"),
        targets,
        workloads,
    };
    let history = asked(pages, query, &runs);
    let history = history.as_ref().map_err(String::as_str);
    Answer::Page(history_page(&pages.site(), history, &form))
}

fn asked(pages: &Pages, query: &Fields, runs: &[HistoryRun]) -> Result<History, String> {
    let figure = query.given("figure").map(history_figure).transpose();
    let figure = figure.map_err(|why| said(&why))?;
    let of = HistoryOf {
        target: query.given("target"),
        workload: query.given("workload"),
        figure,
        anchor: query.given("anchor"),
    };
    check(&of, runs).map_err(|error| output::said(&error))?;
    Ok(tenbin_verdict::history(&pages.directory, runs, &of))
}
