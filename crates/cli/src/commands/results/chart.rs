//! `tenbin chart`: draws the concurrency sweeps of several runs and files in one chart.

use std::path::Path;

use tenbin_plan::{LARGEST_RESULT, Sentence, read_regular, sentence};
use tenbin_report::Overlay;
use tenbin_report::formats::{Content, read_bytes};

use crate::args::ChartArgs;
use crate::commands::results::file_written;
use crate::commands::results::opened::OpenedRun;
use crate::commands::results::show::document_of;
use crate::exit::Exit;
use crate::output;

/// Writes the chart and a table with the same figures.
pub(crate) fn chart(args: &ChartArgs) -> Exit {
    let mut overlay = Overlay::default();
    let opened = args.sources.iter().map(|source| OpenedRun::open(source));
    let opened = match opened.collect::<Result<Vec<OpenedRun>, Exit>>() {
        Ok(opened) => opened,
        Err(exit) => return exit,
    };
    let sources = opened.iter().map(|run| run.directory.as_path());
    let runs = sources.clone().filter(|path| path.is_dir()).count();
    for source in sources {
        if let Err(exit) = add(&mut overlay, source, runs > 1) {
            return exit;
        }
    }
    for (ending, text) in [("svg", overlay.svg()), ("csv", overlay.csv())] {
        let mut path = args.out.clone().into_os_string();
        path.push(format!(".{ending}"));
        let path = Path::new(&path);
        if let Err(error) = std::fs::write(path, text) {
            return output::refuse(&sentence!(
                "cannot-write-result",
                "cannot write {path}: {error}",
                path = path.display(),
                error
            ));
        }
        output::say_note(&file_written(path));
    }
    Exit::Done
}

fn add(overlay: &mut Overlay, source: &Path, several_runs: bool) -> Result<(), Exit> {
    let refuse = |why: Sentence| {
        output::refuse(&sentence!(
            "of-source",
            "{source}: {why}",
            source = source.display(),
            why
        ))
    };
    let name = source.file_stem().unwrap_or(source.as_os_str());
    let name = name.to_string_lossy();
    if source.is_dir() {
        let document = document_of(source)?;
        let before = if several_runs { &*name } else { "" };
        return match overlay.add_run(&document, before) {
            0 => Err(refuse(sentence!(
                "no-ramp",
                "the run has no ramp of connections; make one with --ramp or tenbin search \
                    ramp"
            ))),
            _ => Ok(()),
        };
    }
    let content =
        read_regular(source, LARGEST_RESULT).map_err(|error| refuse(Sentence::from(&error)))?;
    let shown = source.display().to_string();
    let steps = match read_bytes(&shown, &content) {
        Ok(Content::Steps(steps)) => steps,
        Err(error) if !error.is_unknown_format() => return Err(output::refuse_error(&error)),
        Ok(_) | Err(_) => {
            let why = sentence!(
                "neither-run-nor-drnbench",
                "neither a run directory nor a result file of drnbench"
            );
            return Err(refuse(why.to_owned()));
        }
    };
    overlay.add_steps(&steps, &name);
    Ok(())
}
