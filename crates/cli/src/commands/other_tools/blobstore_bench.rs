//! `tenbin blobstore-bench`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::SystemTime;

use tenbin_compat::blobstore_bench::{Backend, BlobstoreBenchJob, parse};
use tenbin_plan::Phase;
use tenbin_report::formats::fronts::blobstore_bench::{Bytes, Parsed, Reporter};
use tenbin_runner::Progress;

use crate::args::{AddedArgs, ForeignArgs, OutputArgs};
use crate::commands::measure::measure_live;
use crate::commands::other_tools::shared::{
    answer_with_added, can_keep, print_latency, show_recorded, tell,
};
use crate::commands::results::export::keep;
use crate::exit::Exit;
use crate::output;

/// Runs a command line of blobstore-bench.
pub(crate) fn blobstore_bench(args: &ForeignArgs) -> Exit {
    answer_with_added("blobstore-bench", args, parse, run)
}

fn run(job: &BlobstoreBenchJob, added: AddedArgs) -> Exit {
    if let Err(exit) = can_keep(&[job.json.as_deref()]) {
        return exit;
    }
    tell(&job.notes);
    let draft = added.observe(job.draft());
    let options = OutputArgs::for_foreign(false, false, added.agents);
    let parameters = parameters(job);
    let phases: BTreeMap<String, Phase> = job
        .modes
        .iter()
        .map(|(phase, name)| (name.clone(), *phase))
        .collect();
    let asked = Parsed {
        parameters: &parameters,
        size: job.size,
        bytes: match job.backend {
            Backend::Blobstore(_) => Bytes::Real,
            // The dummy store transfers no bytes, but blobstore-bench counts full blobs.
            Backend::Dummy => Bytes::Each(job.size),
        },
        phases: &phases,
        interval: job.interval as usize,
    };
    let reporter = RefCell::new(None::<Reporter<'_>>);
    let live = |news: &Progress<'_>| {
        let mut reporter = reporter.borrow_mut();
        let now = SystemTime::now();
        match (news, &mut *reporter) {
            (Progress::Started { started, .. }, reporter) => {
                let reporter = reporter.insert(Reporter::new(asked.clone(), *started));
                Some(reporter.head())
            }
            (
                Progress::Slice {
                    round, workload, ..
                },
                Some(reporter),
            ) => Some(reporter.begins(*round, workload, now)),
            (Progress::Second { second }, Some(reporter)) => reporter.second(second, now),
            (Progress::Measured { slice }, Some(reporter)) => Some(reporter.ends(slice)),
            _ => None,
        }
    };
    measure_live(draft, &options, &live, &|plan, document, directory| {
        if let Some(reporter) = &*reporter.borrow() {
            output::print_text(reporter.tail(document));
            keep(job.json.as_deref(), &reporter.json());
        }
        if added.latency {
            show_recorded(plan, document, directory, |run| print_latency(run, true));
        }
    })
}

/// The parameters of the job as blobstore-bench prints them.
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
        ("interval", format!("{}.000000", job.interval)),
        ("dbDir", job.directory.clone().unwrap_or_default()),
    ]
}
