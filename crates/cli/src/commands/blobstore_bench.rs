//! `tenbin blobstore-bench`.

use std::collections::BTreeMap;

use tenbin_compat::blobstore_bench::{Asked, Backend, BlobstoreBenchJob, parse};
use tenbin_plan::Phase;
use tenbin_report::{blobstore_bench, hsbench};

use super::foreign::{can_keep, keep, refuse, show_recorded, tell};
use super::measure::measure_and_show;
use crate::args::{ForeignArgs, OutputArgs, foreign_world};
use crate::exit::Exit;
use crate::output;

/// Does what blobstore-bench's command line asks for.
pub(crate) fn blobstore_bench(args: &ForeignArgs) -> Exit {
    match parse(&args.arguments, &foreign_world()) {
        Ok(Asked::Help(text)) => {
            output::print(text.as_bytes());
            Exit::Done
        }
        Ok(Asked::Measure(job)) => run(&job),
        Err(mistakes) => refuse(&mistakes),
    }
}

fn run(job: &BlobstoreBenchJob) -> Exit {
    if let Err(exit) = can_keep(&[job.json.as_deref()]) {
        return exit;
    }
    tell(&job.notes);
    let options = OutputArgs::for_foreign(false, false);
    let parameters = parameters(job);
    let phases: BTreeMap<String, Phase> = job
        .modes
        .iter()
        .map(|(phase, name)| (name.clone(), *phase))
        .collect();
    let asked = blobstore_bench::Asked {
        parameters: &parameters,
        size: job.size,
        phases: &phases,
    };
    measure_and_show(Ok(job.draft()), &options, &|_, document, directory| {
        show_recorded(document, directory, |recorded| {
            let rows = blobstore_bench::rows(recorded, &asked);
            let text = blobstore_bench::text(recorded.started, &rows, &asked, document);
            output::print(text.as_bytes());
            keep(job.json.as_deref(), &hsbench::json(&rows));
        });
    })
}

/// As the tool echoes them.
fn parameters(job: &BlobstoreBenchJob) -> Vec<(&'static str, String)> {
    let number = |number: Option<u64>| number.map_or("-1".to_owned(), |number| number.to_string());
    let backend = match job.backend {
        Backend::Blobstore(_) => "blobstore",
        Backend::Dummy => "dummy",
    };
    vec![
        ("backend", backend.to_owned()),
        ("database", job.database.clone()),
        ("conf", job.conf.clone()),
        ("runName", job.prefix.clone().unwrap_or_default()),
        ("poolName", String::new()),
        ("objSize", job.written_size.clone()),
        ("maxObjCnt", number(job.objects)),
        (
            "durationSecs",
            number(job.duration.map(|time| time.as_secs())),
        ),
        ("threads", job.threads.to_string()),
        ("loops", job.loops.to_string()),
        ("interval", "1.000000".to_owned()),
        ("dbDir", job.directory.clone().unwrap_or_default()),
    ]
}
