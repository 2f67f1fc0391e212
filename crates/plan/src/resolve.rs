//! From what was written to what will be run: defaults filled in, mistakes refused.

mod comparing;
mod credentials;
mod hosts;
mod load;
mod naming;
mod observe;
mod references;
mod room;
mod rounds;
mod searched;
mod sweep;
mod target;
mod tls;
mod url;
mod way;
mod workload;

pub use rounds::usual_rounds;
pub(crate) use workload::default_name;

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::bounded::LARGEST_NAMED;
use crate::context::Context;
use crate::draft::{Draft, Field};
use crate::model::{Plan, Reach, Signature, Target, Workload, WorkloadKind};
use crate::names::Named;
use crate::problem::{Findings, Place, Refusal, Source};
use crate::s3::{DataSet, Encryption, Payload};
use crate::scalar::Scalar;
use crate::trace;

const MOST_THREADS: u64 = 1024;

/// Keys and content follow from the seed: data that stays is found again only with
/// the seed that it was made with.
const SEED_OF_KEPT_DATA: u64 = 1;

impl Draft {
    /// Fills in the defaults and checks everything that can be checked before
    /// anything starts. Reads the environment variables and the files that the
    /// draft names, and nothing else.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the draft, as far as one mistake does not
    /// hide another.
    pub fn resolve(self, context: &mut Context) -> Result<Plan, Refusal> {
        let Self {
            name,
            seed,
            threads,
            baseline,
            aa,
            margin,
            start_noise,
            decide,
            expect,
            compare,
            fail_if,
            rounds,
            load,
            corpus,
            mut targets,
            mut workloads,
            source,
            findings,
        } = self;
        let directory = match source.as_ref().and_then(Source::directory) {
            Some(directory) => context.directory.join(directory),
            None => context.directory.clone(),
        };
        let mut desk = Desk {
            context,
            directory,
            findings,
            traces: HashMap::new(),
        };

        references::look_up(&mut desk, &mut targets, &mut workloads);
        let name = plan_name(&mut desk, &name, source.as_ref());
        let seed = desk.read("seed", &seed, |scalar| scalar.whole(0, u64::MAX));
        let sides = comparing::Sides::read(&mut desk, &aa, &targets);
        let warmup = rounds.warmup.is_some();
        let draft = rounds;
        let first_shape = sides.first_shape(workloads.len(), &compare);
        let mut rounds = rounds::resolve(&mut desk, &draft, &first_shape);
        let workloads = workload::resolve_all(&mut desk, workloads, &load, rounds.slice);
        let shape = sides.shape(&workloads, &compare);
        if shape.questions != first_shape.questions {
            // Levels of a sweep are one question, and a search for a rate is none.
            rounds = rounds::resolve(&mut desk, &draft, &shape);
        }
        if !warmup
            && workloads
                .iter()
                .any(|work| matches!(work.kind, WorkloadKind::Blob(_)))
        {
            // What it stored would be read by nobody, and what it deleted would be gone.
            rounds.warmup = Duration::ZERO;
        }
        let seed = seed.unwrap_or(match workloads.iter().any(keeps_data) {
            true => SEED_OF_KEPT_DATA,
            false => desk.context.seed,
        });
        let says_pages = corpus.is_some();
        let corpus = searched::corpus(&mut desk, corpus.as_ref());
        let needs = target::Needs::of(&workloads);
        let mut targets = target::resolve_all(&mut desk, targets, &needs);
        let written = comparing::Written {
            baseline: &baseline,
            aa: &aa,
            margin: &margin,
            start_noise: &start_noise,
            decide: &decide,
            expect: expect.as_ref(),
            compare: &compare,
            fail_if: fail_if.as_ref(),
        };
        let comparing = comparing::resolve(&mut desk, &written, &mut targets, &workloads);
        room::check(&mut desk, &workloads, &targets);
        check_payloads(&mut desk, &workloads, &targets);
        check_keys_of_our_own(&mut desk, &workloads, &targets);
        let connections = workloads.iter().map(|workload| workload.load.connections);
        let threads = desk
            .read("threads", &threads, |scalar| scalar.whole(1, MOST_THREADS))
            .and_then(|threads| usize::try_from(threads).ok())
            .unwrap_or((desk.context.cores / 2).max(1))
            .min(connections.max().unwrap_or(1));

        let plan = Plan {
            name,
            seed,
            threads,
            rounds,
            targets,
            workloads,
            comparing,
            corpus,
        };
        searched::check(&mut desk, &plan, says_pages);
        desk.findings.verdict(source.as_ref())?;
        Ok(plan)
    }
}

/// Payloads in chunks are a part of Signature Version 4.
fn check_payloads(desk: &mut Desk<'_>, workloads: &[Workload], targets: &[Target]) {
    let in_chunks = |workload: &&Workload| match &workload.kind {
        WorkloadKind::Http(_) | WorkloadKind::Blob(_) => false,
        WorkloadKind::S3(work) => matches!(work.payload, Payload::Streaming | Payload::Trailer),
    };
    let older = |target: &&Target| target.signature != Signature::V4;
    let (Some(workload), Some(target)) =
        (workloads.iter().find(in_chunks), targets.iter().find(older))
    else {
        return;
    };
    desk.refuse(
        Place::Nowhere,
        format!(
            "workload {:?} sends its payload in chunks, which belongs to signatures of version 4, \
             and target {:?} has signature = {:?}; take payload = \"signed\" or \"unsigned\"",
            workload.name,
            target.name,
            target.signature.name(),
        ),
    );
}

/// A key in every request is for TLS only: S3 refuses it elsewhere (Amazon S3 user
/// guide, "Using server-side encryption with customer-provided keys").
fn check_keys_of_our_own(desk: &mut Desk<'_>, workloads: &[Workload], targets: &[Target]) {
    let carries_key = |workload: &&Workload| match &workload.kind {
        WorkloadKind::Http(_) | WorkloadKind::Blob(_) => false,
        WorkloadKind::S3(work) => work.stored.encryption == Encryption::SseC,
    };
    let in_the_clear = |target: &&Target| match &target.reach {
        Reach::Endpoint { url } => {
            let hosts = target.way.hosts.iter().map(|host| &host.url);
            hosts.chain([url]).any(|url| url.scheme() == "http")
        }
        Reach::Launched(launch) => launch.url.starts_with("http:"),
        // Tenbin's own take it.
        Reach::Builtin(_) | Reach::Files(_) => false,
    };
    if let (Some(workload), Some(target)) = (
        workloads.iter().find(carries_key),
        targets.iter().find(in_the_clear),
    ) {
        desk.refuse(
            Place::Nowhere,
            format!(
                "workload {:?} has encryption = \"sse-c\", which sends its key along with every \
                 request and which S3 takes over TLS only, and target {:?} is reached by plain \
                 http; give an https URL, or take \"sse-s3\"",
                workload.name, target.name,
            ),
        );
    }
}

fn keeps_data(workload: &Workload) -> bool {
    match &workload.kind {
        WorkloadKind::Http(_) => false,
        WorkloadKind::Blob(work) => work.locations.is_some(),
        WorkloadKind::S3(work) => work.data != DataSet::Fresh,
    }
}

fn plan_name(desk: &mut Desk<'_>, name: &Field, source: Option<&Source>) -> String {
    let stem = source
        .and_then(|source| source.path.file_stem())
        .map(|stem| naming::from_text(&stem.to_string_lossy()))
        .filter(|stem| !stem.is_empty());
    desk.read("name", name, naming::checked)
        .or(stem)
        .unwrap_or_else(|| "experiment".to_owned())
}

/// What every resolver needs: the world, and somewhere to put what is wrong.
struct Desk<'a> {
    context: &'a mut Context,
    /// Where relative paths start.
    directory: PathBuf,
    findings: Findings,
    /// Traces by file, each read once: a pipe can be read no second time.
    traces: HashMap<PathBuf, Option<Arc<[u64]>>>,
}

impl Desk<'_> {
    /// The value of `field` as `read` understands it; `None` if it is missing or
    /// wrong, and if wrong, noted.
    fn read<T>(
        &mut self,
        key: &str,
        field: &Field,
        read: impl FnOnce(&Scalar) -> Result<T, String>,
    ) -> Option<T> {
        let field = field.as_ref()?;
        match read(&field.value) {
            Ok(value) => Some(value),
            Err(message) => {
                self.wrong(field.place, key, message);
                None
            }
        }
    }

    /// As [`Desk::read`], for text.
    fn text(&mut self, key: &str, field: &Field) -> Option<String> {
        self.read(key, field, |scalar| scalar.text().map(str::to_owned))
    }

    /// As [`Desk::read`], for a path; relative ones start at the plan's directory.
    fn path(&mut self, key: &str, field: &Field) -> Option<PathBuf> {
        let path = self.text(key, field)?;
        Some(self.directory.join(path))
    }

    /// As [`Desk::read`], for a choice among names.
    fn choice<T: Named>(&mut self, key: &str, field: &Field) -> Option<T> {
        self.read(key, field, |scalar| scalar.choice(T::NAMES))
    }

    /// Reads a file that the plan names.
    fn file(&mut self, place: Place, key: &str, path: &Path) -> Option<Vec<u8>> {
        let mut file = self.open(place, key, path)?;
        // Memory that is not written to is not used, and growing would hold the content twice.
        let mut bytes = Vec::with_capacity(LARGEST_NAMED as usize);
        match file.read_to_end(&mut bytes) {
            Ok(_) => {
                bytes.shrink_to_fit();
                Some(bytes)
            }
            Err(error) => self.unreadable(place, key, path, &error),
        }
    }

    /// Opens a file that the plan names.
    fn open(&mut self, place: Place, key: &str, path: &Path) -> Option<Box<dyn BufRead>> {
        match (self.context.open)(path) {
            Ok(file) => Some(file),
            Err(error) => self.unreadable(place, key, path, &error),
        }
    }

    fn unreadable<T>(
        &mut self,
        place: Place,
        key: &str,
        path: &Path,
        error: &io::Error,
    ) -> Option<T> {
        let message = format!("cannot read {}: {error}", path.display());
        self.wrong(place, key, message);
        None
    }

    /// The arrivals in a trace that the plan names, nanoseconds after the first.
    fn trace(&mut self, place: Place, key: &str, path: &Path) -> Option<Arc<[u64]>> {
        if let Some(known) = self.traces.get(path) {
            return known.clone();
        }
        if self.context.without_files {
            return Some(Arc::new([0]));
        }
        let offsets = self.file(place, key, path).and_then(|bytes| {
            trace::read(path, &bytes)
                .map_err(|message| self.wrong(place, key, message))
                .ok()
        });
        self.traces.insert(path.to_owned(), offsets.clone());
        offsets
    }

    /// Notes what is wrong with the value of `key`.
    fn wrong(&mut self, place: Place, key: &str, message: impl fmt::Display) {
        self.findings.about(place, key, message);
    }

    /// Notes a problem whose message says what it is about.
    fn refuse(&mut self, place: Place, message: impl Into<String>) {
        self.findings.add(place, message);
    }
}
