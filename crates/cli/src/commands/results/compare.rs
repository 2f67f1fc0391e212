//! `tenbin compare`, and the comparison with an earlier run in commands that measure.

use std::path::Path;

use tenbin_plan::{Sentence, Workload, sentence};
use tenbin_report::formats::{ColumnMap, read_file_by, shown};
use tenbin_report::{NotComparable, Results, against, terminal_earlier};
use tenbin_result::{Document, Earlier, EarlierPart, Trust};

use crate::args::{CompareArgs, EarlierArgs};
use crate::commands::results::earlier_runs::other_runs;
use crate::commands::results::opened::OpenedRun;
use crate::commands::results::show::document_of;
use crate::errors::CommandError;
use crate::exit::Exit;
use crate::language::language;
use crate::output;

/// Prints the changes from the earlier run to the later run.
pub(crate) fn compare(args: &CompareArgs) -> Exit {
    if is_standard_input(&args.before) && is_standard_input(&args.after) {
        return output::refuse(&sentence!(
            "standard-input-once",
            "standard input can be only one of the two files; name a file for the other"
        ));
    }
    let columns = args.columns.columns.as_ref();
    let compared = Before::read(&args.before, &args.changed, columns)
        .and_then(|before| Ok((before, results_of(&args.after, |_| Vec::new(), columns)?)));
    let (before, after) = match compared {
        Ok(both) => both,
        Err(exit) => return exit,
    };
    match before.against(&after) {
        Ok(earlier) => {
            print(&earlier, args);
            exit_of(&earlier)
        }
        Err(error) => output::refuse_error(&error),
    }
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// The exit code of a comparison: INVALID takes precedence over inconclusive.
fn exit_of(earlier: &Earlier) -> Exit {
    let invalid = earlier
        .doubts
        .iter()
        .any(|doubt| doubt.trust == Trust::Invalid);
    let mut changes = earlier.changes.iter();
    if invalid {
        Exit::Invalid
    } else if changes.any(|each| each.part != EarlierPart::Control && each.change.is_undecided()) {
        Exit::Undecided
    } else {
        Exit::Done
    }
}

fn print(earlier: &Earlier, args: &CompareArgs) {
    if args.json {
        output::print(tenbin_report::earlier_json(earlier).as_bytes());
    } else {
        output::print_text(terminal_earlier(earlier, language(), args.verbose));
    }
}

/// The results of an earlier run, read before the new run starts.
pub(crate) struct Before {
    results: Results,
    changed: Vec<String>,
}

impl Before {
    /// Reads the earlier run that the options name, if any.
    pub(crate) fn from_args(args: Option<&EarlierArgs>) -> Result<Option<Self>, Exit> {
        let Some(EarlierArgs {
            before: Some(path),
            changed,
        }) = args
        else {
            return Ok(None);
        };
        Self::read(path, changed, None).map(Some)
    }

    fn read(path: &Path, changed: &[String], columns: Option<&ColumnMap>) -> Result<Self, Exit> {
        Ok(Self {
            results: results_of(path, other_runs, columns)?,
            changed: changed.to_vec(),
        })
    }

    fn against(&self, after: &Results) -> Result<Earlier, NotComparable> {
        against(&self.results, after, &self.changed)
    }

    /// Compares the run that has just been measured with the earlier run.
    pub(crate) fn against_document(&self, after: &Document) -> Result<Earlier, NotComparable> {
        self.against(&Results::of_document(after))
    }

    /// One sentence if a name in `--changed` is not a workload of the plan, otherwise `None`.
    pub(crate) fn unknown(&self, workloads: &[Workload]) -> Option<Sentence> {
        let is_known = |name: &String| workloads.iter().any(|work| work.name == *name);
        let name = self.changed.iter().find(|name| !is_known(name))?;
        let known: Vec<&str> = workloads.iter().map(|work| work.name.as_str()).collect();
        Some(sentence!(
            "changed-unknown",
            "--changed names {name:?}, and there is no such workload; there are {known}",
            name,
            known = known.join(", ")
        ))
    }
}

/// Compares two runs whose results were read. `directory` is that of the earlier run: the other runs
/// beside it show how much the experiment varies.
pub(crate) fn compare_documents(
    (directory, before): (&Path, &Document),
    after: &Document,
    changed: &[String],
) -> Result<Earlier, NotComparable> {
    let before = Results::of_document(before).with_history(other_runs(directory));
    against(&before, &Results::of_document(after), changed)
}

/// The results of a run or file, and the other runs that `others` finds beside a run directory.
fn results_of(
    path: &Path,
    others: fn(&Path) -> Vec<Results>,
    columns: Option<&ColumnMap>,
) -> Result<Results, Exit> {
    let run = OpenedRun::open(path)?;
    if run.directory.is_dir() {
        let results = Results::of_document(&document_of(&run.directory)?);
        return Ok(if run.is_packed() {
            results
        } else {
            results.with_history(others(&run.directory))
        });
    }
    if !is_standard_input(path) {
        std::fs::metadata(path).map_err(|source| {
            let path = path.to_owned();
            output::refuse_error(&CommandError::Unreadable { path, source })
        })?;
    }
    let name = path.display().to_string();
    let read = read_file_by(path, columns).map_err(|error| output::refuse_error(&error))?;
    let results = Results::of_read(shown(&name), read);
    results.map_err(|sentence| {
        output::say_error(&sentence);
        Exit::Refused
    })
}
