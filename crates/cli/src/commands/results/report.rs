//! `tenbin report`: writes runs to one HTML page.

use std::path::{Path, PathBuf};

use tenbin_record::{Source, write_atomically};
use tenbin_result::Document;

use crate::args::ReportArgs;
use crate::commands::results::file_written;
use crate::commands::results::opened::OpenedRun;
use crate::commands::results::show::{document_of, read_document, with_label};
use crate::exit::Exit;
use crate::output;

/// Default file name of the page.
pub(crate) const PAGE: &str = "report.html";

/// Writes the page.
pub(crate) fn report(args: &ReportArgs) -> Exit {
    match write(args) {
        Ok(file) => {
            output::say_note(&file_written(&file));
            Exit::Done
        }
        Err(exit) => exit,
    }
}

/// Writes the page in the directory of a run again.
///
/// # Errors
/// If the run cannot be read or the page cannot be written.
pub(crate) fn rewrite(run: &Path) -> anyhow::Result<()> {
    let document = with_label(read_document(run, Source::Slices)?, run);
    let page = tenbin_report::html(&[&document]);
    Ok(write_atomically(&run.join(PAGE), page.as_bytes())?)
}

fn write(args: &ReportArgs) -> Result<PathBuf, Exit> {
    let mut runs = Vec::with_capacity(args.runs.len());
    for run in &args.runs {
        runs.push(OpenedRun::open(run)?);
    }
    let mut documents: Vec<Document> = Vec::with_capacity(runs.len());
    for run in &runs {
        documents.push(document_of(&run.directory)?);
    }
    let file = match (&args.out, runs.as_slice()) {
        (Some(file), _) => file.clone(),
        (None, [only]) if !only.is_packed() => only.directory.join(PAGE),
        (None, _) => PathBuf::from(PAGE),
    };
    let documents: Vec<&Document> = documents.iter().collect();
    let page = tenbin_report::titled_html(&documents, args.title.as_deref());
    output::write_page(&file, &page).map_err(|sentence| output::refuse(&sentence))?;
    Ok(file)
}
