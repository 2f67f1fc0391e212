//! `tenbin history`: figures over the runs of a directory.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tenbin_plan::{LARGEST_RESULT, read_own, sentence};
use tenbin_record::rfc3339;
use tenbin_report::{history_json, html_history, terminal_history};
use tenbin_result::{FigureFacts, History, HistoryPoint, HistorySeries, LeftOutWhy, RunFacts};
use tenbin_verdict::{HistoryOf, HistoryRun};

use crate::args::HistoryArgs;
use crate::commands::results::index::Index;
use crate::commands::results::kept;
use crate::commands::results::{file_written, no_run_in};
use crate::errors::CommandError;
use crate::exit::Exit;
use crate::language::language;
use crate::output;

/// What every result document of Tenbin contains.
const MARK: &[u8] = b"tenbin.result/";

/// Prints the history of the runs.
pub(crate) fn history(args: &HistoryArgs) -> Exit {
    match shown(args) {
        Ok(exit) => exit,
        Err(error) => output::refuse_error(&error),
    }
}

fn shown(args: &HistoryArgs) -> Result<Exit, CommandError> {
    let (directory, runs) = found(&args.directory)?;
    let of = HistoryOf {
        target: args.target.as_deref(),
        workload: args.workload.as_deref(),
        figure: args.figure,
        anchor: args.anchor.as_deref(),
    };
    check(&of, &runs)?;
    let mut history = tenbin_verdict::history(&directory.display().to_string(), &runs, &of);
    if let Some(file) = &args.html {
        return Ok(page(&history, file));
    }
    if args.json {
        output::print(history_json(&history).as_bytes());
        return Ok(Exit::Done);
    }
    let hidden = if args.all {
        0
    } else {
        hide_others(&mut history, &runs)
    };
    output::print_text(terminal_history(&history, language(), args.all));
    if hidden > 0 {
        output::say_note(&sentence!(
            "other-series",
            "{hidden} series without the newest run are hidden; --all shows all series",
            hidden
        ));
    }
    if history.runs == 0 {
        output::say_note(&no_run_in(directory));
    } else if history.series.is_empty() {
        output::say_note(&sentence!(
            "no-such-figure",
            "no run has this figure; tenbin history --help lists the figures"
        ));
    }
    Ok(Exit::Done)
}

/// The directory of the runs, and its runs. A name or label of runs in `runs/` means these runs, unless
/// there is such a directory.
fn found(named: &Path) -> Result<(&Path, Vec<HistoryRun>), CommandError> {
    let Err(error) = kept::can_read(named) else {
        return Ok((named, runs_of(named, &kept::runs_in(named))));
    };
    let of_name = kept::of_name(named);
    if of_name.is_empty() || !matches!(error, CommandError::NoDirectory { .. }) {
        return Err(error);
    }
    let root = Path::new(kept::RUNS);
    let mut runs = runs_of(root, &kept::runs_in(root));
    let names: BTreeSet<String> = of_name.iter().map(|run| kept::name_of(run)).collect();
    runs.retain(|run| names.contains(&run.name));
    output::say_note(&sentence!(
        "history-of-name",
        "{name} is no directory, so these are the runs in runs/ with this name: {count}",
        name = named.display(),
        count = runs.len()
    ));
    Ok((root, runs))
}

/// Most series that are printed whatever the newest run has measured.
const FEW_SERIES: usize = 6;

/// Of many series, keeps only those that the newest run is in. Returns the number of the others.
fn hide_others(history: &mut History, runs: &[HistoryRun]) -> usize {
    let newest = runs.iter().rfind(|run| run.facts.is_ok());
    let Some(newest) = newest.filter(|_| history.series.len() > FEW_SERIES) else {
        return 0;
    };
    let before = history.series.len();
    let is_of_newest = |run: Option<&HistoryPoint>| run.is_some_and(|it| it.run == newest.name);
    if history
        .series
        .iter()
        .any(|series| is_of_newest(series.points.last()))
    {
        let keeps = |series: &HistorySeries| is_of_newest(series.points.last());
        history.series.retain(keeps);
        let kept = |target: &str, workload: &str| {
            let is =
                |series: &HistorySeries| series.target == target && series.workload == workload;
            history.series.iter().any(is)
        };
        let left_out = std::mem::take(&mut history.left_out);
        history.left_out = left_out
            .into_iter()
            .filter(|each| {
                let series = each.series.as_ref();
                series.is_none_or(|(target, workload)| kept(target, workload))
            })
            .collect();
    }
    before - history.series.len()
}

/// Refuses names that no run has.
pub(crate) fn check(of: &HistoryOf<'_>, runs: &[HistoryRun]) -> Result<(), CommandError> {
    let [targets, workloads] = names_in(runs);
    let asked = [
        ("--target", of.target, &targets),
        ("--anchor", of.anchor, &targets),
        ("--workload", of.workload, &workloads),
    ];
    for (flag, name, known) in asked {
        let Some(name) = name else { continue };
        if !known.contains(name) {
            return Err(CommandError::InNoRun {
                flag,
                name: name.to_owned(),
                known: known.iter().cloned().collect(),
            });
        }
    }
    Ok(())
}

/// The names of the targets and of the workloads of all runs.
pub(crate) fn names_in(runs: &[HistoryRun]) -> [BTreeSet<String>; 2] {
    let facts = || runs.iter().filter_map(|run| run.facts.as_ref().ok());
    let names = |of: fn(&FigureFacts) -> &String| -> BTreeSet<String> {
        let figures = facts().flat_map(|facts| &facts.figures);
        figures.map(|figure| of(figure).clone()).collect()
    };
    [
        names(|figure| &figure.target),
        names(|figure| &figure.workload),
    ]
}

/// The facts of these runs of the directory, and of the result files in it, oldest first.
pub(crate) fn runs_of(directory: &Path, runs: &[PathBuf]) -> Vec<HistoryRun> {
    let mut index = Index::of(directory);
    let mut runs: Vec<HistoryRun> = runs.iter().map(|run| of_run(run, &mut index)).collect();
    index.save();
    runs.extend(files_in(directory).iter().filter_map(|file| of_file(file)));
    runs.sort_by(|one, other| (&one.started, &one.name).cmp(&(&other.started, &other.name)));
    runs
}

fn of_run(run: &Path, index: &mut Index<RunFacts>) -> HistoryRun {
    let facts = index.get(run);
    let name = kept::name_of(run);
    let started = facts.as_ref().map(|facts| facts.started.clone());
    HistoryRun {
        started: started.unwrap_or_else(|_| name.clone()),
        label: kept::label(run),
        note: kept::note(run),
        name,
        facts,
    }
}

/// Result files beside the run directories.
fn files_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect()
}

/// The results in a file; `None` if it is no result document of Tenbin.
fn of_file(file: &Path) -> Option<HistoryRun> {
    let content = read_own(file, LARGEST_RESULT).ok()?;
    if !content.windows(MARK.len()).any(|window| window == MARK) {
        return None;
    }
    let written = fs::metadata(file).and_then(|metadata| metadata.modified());
    let written = rfc3339(written.unwrap_or(SystemTime::UNIX_EPOCH));
    let facts = RunFacts::read(&content).map_err(|_| LeftOutWhy::Unreadable);
    let stated = facts.as_ref().ok().map(|facts| facts.started.clone());
    Some(HistoryRun {
        name: kept::name_of(file),
        label: None,
        note: None,
        started: stated.filter(|text| !text.is_empty()).unwrap_or(written),
        facts,
    })
}

fn page(history: &History, file: &Path) -> Exit {
    let page = html_history(history, language());
    match output::write_page(file, &page) {
        Ok(()) => {
            output::say_note(&file_written(file));
            Exit::Done
        }
        Err(sentence) => {
            output::say_error(&sentence);
            Exit::Record
        }
    }
}
