//! `tenbin warp`.

use std::path::Path;

use tenbin_compat::Mistakes;
use tenbin_compat::warp::{Parsed, Reading, WarpJob, WarpReading, parse};
use tenbin_plan::sentence;
use tenbin_report::formats::fronts::warp;
use tenbin_report::formats::{Run, Selection, merge, read_requests};
use tenbin_verdict::lint::Reported;

use crate::args::{AddedArgs, ForeignArgs, OutputArgs, foreign_world};
use crate::commands::measure::measure_and_show;
use crate::commands::other_tools::shared::{
    help_with_added, print_latency, refuse, show_recorded, tell, version,
};
use crate::commands::results::show::{document_of, plan_of};
use crate::errors::sentence_of;
use crate::exit::Exit;
use crate::front;
use crate::output;

/// Runs a command line of warp.
pub(crate) fn warp(args: &ForeignArgs) -> Exit {
    if let [only] = args.arguments.as_slice()
        && matches!(only.as_str(), "--version" | "-v" | "version")
    {
        return version("warp");
    }
    front::choose("warp");
    let (added, arguments) = match args.divide() {
        Ok(divided) => divided,
        Err(mistakes) => return refuse(&mistakes),
    };
    match parse(&arguments, &foreign_world()) {
        Ok(Parsed::Help(asked)) => help_with_added(&asked),
        Ok(Parsed::Measure(job)) => run(&job, added),
        Ok(Parsed::Read(reading)) => read(&reading),
        Err(mistakes) => refuse(&mistakes),
    }
}

fn run(job: &WarpJob, added: AddedArgs) -> Exit {
    tell(&job.notes);
    let draft = added.observe(job.draft());
    let options = OutputArgs::for_foreign(job.quiet, job.json, added.agents);
    measure_and_show(draft, &options, &|plan, document, directory| {
        if job.json {
            output::json(document);
            return;
        }
        show_recorded(plan, document, directory, |run| {
            output::print_text(warp::of_run(run, job.only.as_deref()));
            print_latency(run, added.latency);
        });
    })
}

fn read(reading: &WarpReading) -> Exit {
    tell(&reading.notes);
    let selection = Selection {
        operation: reading.operation.clone(),
        host: reading.host.clone(),
        skip: reading.skip,
        offset: reading.offset,
        limit: reading.limit,
    };
    let mut results = Vec::with_capacity(reading.files.len());
    let mut unfit = Vec::new();
    for file in &reading.files {
        match result(file, &selection) {
            Ok((result, is_invalid)) => {
                results.push(result);
                unfit.extend(is_invalid.then(|| file.clone()));
            }
            Err(exit) => return exit,
        }
    }
    unfit.dedup();
    if reading.reading == Reading::Merge {
        results = match merge(results) {
            Ok(merged) => vec![merged],
            Err(sentence) => return refuse(&Mistakes::one(sentence)),
        };
    }
    let exit = if unfit.is_empty() {
        Exit::Done
    } else {
        Exit::Invalid
    };
    if reading.json {
        output::print(&warp::analyze_json(&results));
        return exit;
    }
    let mut text = match (reading.reading, results.as_slice()) {
        (Reading::Cmp, [before, after]) => warp::cmp(before, after, &unfit),
        (_, results) => results
            .iter()
            .map(|result| warp::analyze(result, reading.segment_seconds))
            .collect::<Vec<_>>()
            .join("\n"),
    };
    if !unfit.is_empty() && reading.reading != Reading::Cmp {
        text += &warp::unfit_line(&unfit);
    }
    output::print(text.as_bytes());
    exit
}

/// Reads a warp result file or a Tenbin run directory. Also returns whether the run is INVALID.
fn result(file: &str, selection: &Selection) -> Result<(Reported, bool), Exit> {
    let path = Path::new(file);
    if !path.is_dir() {
        return read_requests(file, selection)
            .map(|reported| (reported, false))
            .map_err(|error| refuse(&Mistakes::one(sentence_of(&error))));
    }
    let whole = Selection {
        operation: selection.operation.clone(),
        ..Selection::default()
    };
    if *selection != whole {
        return Err(refuse(&Mistakes::one(sentence!(
            "warp-no-requests",
            "{file}: a run directory has no list of all requests to select from; give the \
             .csv.zst that --full wrote, or omit the selection",
            file
        ))));
    }
    let recorded =
        tenbin_record::read(path).map_err(|error| refuse(&Mistakes::one(sentence_of(&error))))?;
    let plan = plan_of(&recorded, path).map_err(|why| why.print())?;
    let document = document_of(path)?;
    let mut reported = warp::reported(&Run {
        directory: path,
        document: &document,
        plan: &plan,
        record: &recorded,
    });
    if let Some(wanted) = &selection.operation {
        reported
            .measurements
            .retain(|of| of.operation.eq_ignore_ascii_case(wanted));
    }
    Ok((reported, warp::is_invalid(&document)))
}
