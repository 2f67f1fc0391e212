//! The pages of `tenbin ui`: the runs of a directory, one run, two runs, and their history.
//!
//! The pages have no script and load nothing. Their style sheet is that of the page of a result, with
//! rules for forms. What they show comes from run directories, which can be those of somebody else:
//! all text is escaped.

mod compared;
mod history;
mod list;
mod notices;
mod progress;
mod run;
mod site;

pub use compared::{ComparedRuns, compared_page};
pub use history::{HistoryForm, history_page};
pub use list::{ListFilter, ListedRun, ListedState, RunList, list_page};
pub use notices::{delete_page, opening_page, problem_page};
pub use progress::RunProgress;
pub use run::{RunContent, RunPage, run_page};
pub use site::Site;

#[cfg(test)]
mod tests;
