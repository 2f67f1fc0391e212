//! Turns a draft into a plan: fills in defaults and refuses mistakes.

mod agents;
mod comparing;
mod connect;
mod credentials;
mod hosts;
mod load;
mod look_up;
mod naming;
mod observe;
mod output;
mod room;
mod rounds;
mod searched;
mod sweep;
mod target;
mod tls;
mod url;
mod version;
mod workload;

pub use rounds::default_rounds;

use std::time::Duration;

use crate::context::Context;
use crate::draft::Draft;
use crate::model::Plan;
use crate::problem::{Place, Refusal, Source};
use crate::resolver::Resolver;
use crate::scalar::Field;
use crate::target::Target;
use crate::workload::Workload;

/// The default seed of workloads that keep their data. Keys and content follow from the seed, so a
/// later run finds the data only with the same seed.
const SEED_OF_KEPT_DATA: u64 = 1;

impl Draft {
    /// Fills in the defaults and checks everything that can be checked before anything starts.
    /// Reads only the environment variables and the files that the draft names.
    ///
    /// # Errors
    ///
    /// All mistakes in the draft, unless one mistake hides another.
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
            output,
            agents,
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
        let mut resolver = Resolver::new(context, directory, findings);

        if target::refuse_too_many(&mut resolver, &targets) {
            resolver.findings.clone().verdict(source.as_ref())?;
        }
        look_up::look_up(&mut resolver, &mut targets, &mut workloads);
        let name = plan_name(&mut resolver, &name, source.as_ref());
        let seed = resolver.value(&Draft::seed, &seed);
        let sides = comparing::Sides::read(&mut resolver, &aa, &targets);
        let warmup = rounds.warmup.is_some();
        let draft = rounds;
        let first_shape = sides.first_shape(workloads.len(), &compare);
        let mut rounds = rounds::resolve(&mut resolver, &draft, &first_shape);
        let workloads = workload::resolve_all(&mut resolver, workloads, &load, rounds.slice);
        let shape = sides.shape(&workloads, &compare);
        if shape.hypotheses != first_shape.hypotheses {
            // The levels of a sweep are one hypothesis, and a maximum-rate search is no hypothesis.
            rounds = rounds::resolve(&mut resolver, &draft, &shape);
        }
        if !warmup && workloads.iter().any(|work| work.facts().phase().is_some()) {
            // No phase would read the blobs that a warm-up stored, and blobs that a warm-up deleted
            // would be missing.
            rounds.warmup = Duration::ZERO;
        }
        let seed = seed.unwrap_or(if workloads.iter().any(|work| work.facts().keeps_data()) {
            SEED_OF_KEPT_DATA
        } else {
            resolver.context.seed
        });
        let says_pages = corpus.is_some();
        let corpus = searched::corpus(&mut resolver, corpus.as_ref());
        let needs = target::Needs::of(&workloads);
        let mut targets = target::resolve_all(&mut resolver, targets, &needs);
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
        let comparing = comparing::resolve(&mut resolver, &written, &mut targets, &workloads);
        let output = output::resolve(&mut resolver, &output);
        let agents = agents::resolve(&mut resolver, &agents);
        room::check(&mut resolver, &workloads, &targets);
        check_misfits(&mut resolver, &workloads, &targets);
        let connections = workloads.iter().map(|workload| workload.load.connections);
        let threads = resolver
            .value(&Draft::threads, &threads)
            .unwrap_or((resolver.context.cores / 2).max(1))
            .min(connections.max().unwrap_or(1));

        let plan = Plan {
            name,
            seed,
            threads,
            rounds,
            targets,
            workloads,
            comparing,
            output,
            agents,
            corpus,
        };
        searched::check(&mut resolver, &plan, says_pages);
        resolver.findings.verdict(source.as_ref())?;
        Ok(plan)
    }
}

/// Reports operations that targets do not support: each kind of problem once, for the first
/// workload that has the problem.
fn check_misfits(resolver: &mut Resolver<'_>, workloads: &[Workload], targets: &[Target]) {
    let mut reported = Vec::new();
    for workload in workloads {
        for (rule, sentence) in workload.kind.protocol().misfits(&workload.name, targets) {
            if !reported.contains(&rule) {
                reported.push(rule);
                resolver.refuse(Place::Nowhere, sentence);
            }
        }
    }
}

fn plan_name(resolver: &mut Resolver<'_>, name: &Field, source: Option<&Source>) -> String {
    let stem = source
        .and_then(|source| source.path.file_stem())
        .map(|stem| naming::from_text(&stem.to_string_lossy()))
        .filter(|stem| !stem.is_empty());
    resolver
        .read("name", name, naming::checked)
        .or(stem)
        .unwrap_or_else(|| "experiment".to_owned())
}
