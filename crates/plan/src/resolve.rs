//! From what was written to what will be run: defaults filled in, mistakes refused.

mod comparing;
mod credentials;
mod hosts;
mod load;
mod look_up;
mod naming;
mod observe;
mod room;
mod rounds;
mod searched;
mod sweep;
mod target;
mod tls;
mod url;
mod version;
mod way;
mod workload;

pub use rounds::usual_rounds;

use std::time::Duration;

use crate::context::Context;
use crate::desk::Desk;
use crate::draft::Draft;
use crate::model::Plan;
use crate::problem::{Place, Refusal, Source};
use crate::scalar::Field;
use crate::target::Target;
use crate::workload::Workload;

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
        let mut desk = Desk::new(context, directory, findings);

        look_up::look_up(&mut desk, &mut targets, &mut workloads);
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
        if !warmup && workloads.iter().any(|work| work.facts().phase().is_some()) {
            // What it stored would be read by nobody, and what it deleted would be gone.
            rounds.warmup = Duration::ZERO;
        }
        let seed = seed.unwrap_or(
            match workloads.iter().any(|work| work.facts().keeps_data()) {
                true => SEED_OF_KEPT_DATA,
                false => desk.context.seed,
            },
        );
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
        check_misfits(&mut desk, &workloads, &targets);
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

/// What targets cannot do of what is sent: each rule is reported once, for the first workload.
fn check_misfits(desk: &mut Desk<'_>, workloads: &[Workload], targets: &[Target]) {
    let mut reported = Vec::new();
    for workload in workloads {
        for (rule, sentence) in workload.kind.protocol().misfits(&workload.name, targets) {
            if !reported.contains(&rule) {
                reported.push(rule);
                desk.refuse(Place::Nowhere, sentence);
            }
        }
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
