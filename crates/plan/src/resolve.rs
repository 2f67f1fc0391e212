//! Turns a draft into a plan: fills in defaults and refuses mistakes.

mod agents;
mod command_line;
mod comparing;
mod connect;
mod connection_limit;
mod credentials;
mod gate;
mod hosts;
mod launch;
mod load;
mod look_up;
mod observe;
mod output;
mod rounds;
mod search_servers;
mod sessions;
mod sweep;
mod target;
mod tls;
mod url;
mod workload;

pub use rounds::default_rounds;

use std::time::Duration;

use crate::context::Context;
use crate::draft::{Draft, Rounds};
use crate::keys::scalar::Field;
use crate::naming;
use crate::plan::model::Plan;
use crate::plan::workload::Workload;
use crate::plan_file::problem::{Place, Refusal, Source};
use crate::resolver::Resolver;
use crate::sentence;
use crate::target::Target;

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
    pub fn resolve(mut self, context: &mut Context) -> Result<Plan, Refusal> {
        let source = self.source.take();
        let findings = std::mem::take(&mut self.findings);
        let directory = match source.as_ref().and_then(Source::directory) {
            Some(directory) => context.directory.join(directory),
            None => context.directory.clone(),
        };
        let mut resolver = Resolver::new(context, directory, findings);
        let resolver = &mut resolver;

        if target::refuse_too_many(resolver, &self.targets) {
            resolver.findings.clone().verdict(source.as_ref())?;
        }
        look_up::look_up(resolver, &mut self.targets, &mut self.workloads);
        let name = plan_name(resolver, &self.name, source.as_ref());
        let seed = resolver.value(&Draft::seed, &self.seed);
        let (workloads, rounds) = self.workloads_and_rounds(resolver);
        let seed = seed.unwrap_or(if workloads.iter().any(|work| work.facts().keeps_data()) {
            SEED_OF_KEPT_DATA
        } else {
            resolver.context.seed
        });
        let corpus = search_servers::corpus(resolver, self.corpus.as_ref());
        let needs = target::Needs::of(&workloads);
        let mut targets = target::resolve_all(resolver, std::mem::take(&mut self.targets), &needs);
        let comparing = comparing::resolve(resolver, &self, &mut targets, &workloads);
        let gate = gate::resolve(
            resolver,
            &self,
            (&targets, comparing.twin.is_some()),
            &workloads,
        );
        let output = output::resolve(resolver, &self.output);
        let agents = agents::resolve(resolver, &self.agents);
        if agents.is_some() {
            refuse_on_agents(resolver, &workloads);
        }
        connection_limit::check(resolver, &workloads, &targets);
        check_misfits(resolver, &workloads, &targets);
        let connections = workloads.iter().map(|workload| workload.load.connections);
        let threads = resolver
            .value(&Draft::threads, &self.threads)
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
            gate,
        };
        search_servers::check(resolver, &plan, self.corpus.is_some());
        std::mem::take(&mut resolver.findings).verdict(source.as_ref())?;
        Ok(plan)
    }

    /// The workloads, and the rounds in which they are measured: each depends on the other.
    fn workloads_and_rounds(&mut self, resolver: &mut Resolver<'_>) -> (Vec<Workload>, Rounds) {
        let sides = comparing::Sides::read(resolver, self);
        let mut loads = self.workloads.iter().map(|it| it.value.load.or(&self.load));
        let only_searches = !self.workloads.is_empty() && loads.all(|load| load.slo.is_some());
        let first_shape = sides.first_shape(self.workloads.len(), only_searches, &self.compare);
        let mut rounds = rounds::resolve(resolver, &self.rounds, &first_shape);
        let written = std::mem::take(&mut self.workloads);
        let workloads = workload::resolve_all(resolver, written, &self.load, rounds.slice);
        let shape = sides.shape(&workloads, &self.compare);
        if shape.hypotheses != first_shape.hypotheses {
            // The levels of a sweep are one hypothesis, and a maximum-rate search is no hypothesis.
            rounds = rounds::resolve(resolver, &self.rounds, &shape);
        }
        let has_phases = workloads.iter().any(|work| work.facts().phase().is_some());
        if self.rounds.warmup.is_none() && has_phases {
            // No phase would read the blobs that a warm-up stored, and blobs that a warm-up deleted
            // would be missing.
            rounds.warmup = Duration::ZERO;
        }
        (workloads, rounds)
    }
}

/// Reports workloads whose load agents cannot send.
fn refuse_on_agents(resolver: &mut Resolver<'_>, workloads: &[Workload]) {
    let mut unfit = workloads
        .iter()
        .filter(|work| work.facts().needs_one_machine());
    if let Some(workload) = unfit.next() {
        let why = sentence!(
            "mix-with-agents",
            "workload {name:?} is a mix of operations on blobs, whose load agents cannot \
                send; use phases, or leave out agents",
            name = workload.name
        );
        resolver.refuse(Place::Nowhere, why);
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
