//! Changes: labels, notes and deletion, as `tenbin label`, `tenbin note` and `tenbin rm` make them.

use std::path::Path;

use tenbin_http::StatusCode;
use tenbin_plan::Sentence;

use super::Pages;
use super::answer::Answer;
use super::request::Fields;
use crate::commands::results::tidy;

/// Labels a run.
pub(super) fn label(pages: &Pages, name: &str, form: &Fields) -> Answer {
    changed(pages, name, |run| {
        tidy::set_label(run, form.first("label").trim())?;
        tidy::write_page_again(run);
        Ok(())
    })
}

/// Writes the note of a run.
pub(super) fn note(pages: &Pages, name: &str, form: &Fields) -> Answer {
    changed(pages, name, |run| {
        tidy::set_note(run, form.first("note"))?;
        tidy::write_page_again(run);
        Ok(())
    })
}

/// Moves a run to the trash.
pub(super) fn delete(pages: &Pages, name: &str) -> Answer {
    let to = pages.site().list_after(name);
    done(pages, name, to, |run| tidy::trash(run).map(drop))
}

fn changed(
    pages: &Pages,
    name: &str,
    change: impl FnOnce(&Path) -> Result<(), Sentence>,
) -> Answer {
    let to = pages.site().run_address(name);
    done(pages, name, to, change)
}

fn done(
    pages: &Pages,
    name: &str,
    to: String,
    change: impl FnOnce(&Path) -> Result<(), Sentence>,
) -> Answer {
    let _alone = pages.alone();
    let Some(run) = pages.root.run(name) else {
        return Answer::no_run();
    };
    match change(&run) {
        Ok(()) => Answer::SeeOther(to),
        Err(why) => Answer::Problem(StatusCode::CONFLICT, why),
    }
}
