//! `tenbin ab`.

use tenbin_compat::ab::{AbJob, parse};
use tenbin_plan::{Plan, Reach};
use tenbin_report::{Document, Pooled, ab};

use super::foreign::{answer, can_keep, keep, show_recorded, tell};
use super::measure::measure_and_show;
use crate::args::{ForeignArgs, OutputArgs, foreign_world};
use crate::exit::Exit;
use crate::output;

/// Does what ab's command line asks for.
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
                let pooled = Pooled::of(&recorded.slices);
                output::print(text(job, plan, &pooled, document).as_bytes());
                keep(job.csv.as_deref(), ab::csv(&pooled).as_bytes());
            });
        },
    )
}

fn text(job: &AbJob, plan: &Plan, pooled: &Pooled, document: &Document) -> String {
    let target = plan.targets.first();
    let url = target.and_then(|target| match &target.reach {
        Reach::Endpoint { url } => Some(url),
        Reach::Launched(_) | Reach::Builtin(_) | Reach::Files(_) => None,
    });
    let path = url.map(|url| match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    });
    let servers = document.environment.targets.values();
    let asked = ab::Asked {
        host: url.and_then(|url| url.host_str()).unwrap_or_default(),
        port: url
            .and_then(|url| url.port_or_known_default())
            .unwrap_or_default(),
        path: path.as_deref().unwrap_or("/"),
        connections: job.web.connections,
        keep_alive: job.web.keep_alive,
        percentages: job.percentages,
        server: servers
            .filter_map(|target| target.server_header.as_deref())
            .next(),
    };
    ab::text(&asked, pooled, document)
}
