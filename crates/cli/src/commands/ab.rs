//! `tenbin ab`.

use std::path::{Path, PathBuf};

use tenbin_compat::ab::{AbJob, parse};
use tenbin_plan::{Plan, Reach, Target};
use tenbin_report::{Pooled, ab, last_lines};
use tenbin_result::Document;

use super::foreign::{answer, can_keep, keep, show_recorded, tell};
use super::measure::measure_and_show;
use crate::args::{ForeignArgs, OutputArgs, foreign_world};
use crate::exit::Exit;
use crate::output;

/// Runs a command line of ab.
pub(crate) fn ab(args: &ForeignArgs) -> Exit {
    answer("ab", parse(&args.arguments, &foreign_world()), run)
}

fn run(job: &AbJob) -> Exit {
    if let Err(exit) = can_keep(&[job.csv.as_deref()]) {
        return exit;
    }
    tell(&job.web.notes);
    let options = OutputArgs::for_foreign(job.quiet, false);
    measure_and_show(
        Ok(job.web.draft()),
        &options,
        &|plan, document, directory| {
            show_recorded(document, directory, |recorded| {
                let mut text = String::new();
                for target in &plan.targets {
                    let pooled = Pooled::of(recorded, &target.name);
                    text.push_str(&ab::text(&asked(job, target, document), &pooled));
                    text.push('\n');
                    if let Some(file) = &job.csv {
                        let file = file_of(file, target, plan);
                        keep(file.to_str(), ab::csv(&pooled).as_bytes());
                    }
                }
                text.push_str(&last_lines(document));
                output::print(text.as_bytes());
            });
        },
    )
}

/// The file for the percentages of a target; with several targets, the file name starts with the
/// target's name.
fn file_of(file: &str, target: &Target, plan: &Plan) -> PathBuf {
    let file = Path::new(file);
    match (plan.targets.len(), file.file_name()) {
        (2.., Some(name)) => {
            let name = format!("{}-{}", target.name, name.to_string_lossy());
            file.with_file_name(name)
        }
        _ => file.to_owned(),
    }
}

fn asked<'a>(job: &AbJob, target: &'a Target, document: &'a Document) -> ab::Asked<'a> {
    let url = match &target.reach {
        Reach::Endpoint { url } => Some(url),
        Reach::Launched(_) | Reach::Builtin(_) | Reach::Files(_) => None,
    };
    let environment = document.environment.targets.get(&target.name);
    ab::Asked {
        host: url.and_then(|url| url.host_str()).unwrap_or_default(),
        port: url
            .and_then(|url| url.port_or_known_default())
            .unwrap_or_default(),
        path: url.map_or("/", |url| url.path()),
        query: url.and_then(|url| url.query()),
        connections: job.web.connections,
        keep_alive: job.web.keep_alive,
        sends: job.web.body_file.is_some(),
        percentages: job.percentages,
        server: environment.and_then(|target| target.server_header.as_deref()),
    }
}
