//! Prints a plan as TOML: the same experiment, without its secrets.

mod agents;
mod corpus;
mod load;
mod output;
mod target;
mod workload;

use crate::comparing::{DEFAULT_MARGIN, DEFAULT_START_NOISE};
use crate::draft::{CompareDraft, Draft, RoundsDraft};
use crate::duration::Time;
use crate::expectation::Demand;
use crate::load::Load;
use crate::model::Plan;
use crate::outage::OnOutage;
use crate::page::{Page, list, text};
use crate::relaunch::Relaunch;
use crate::sustain::Sustain;
use crate::target::Target;

use self::agents::agents;
use self::corpus::corpus;
use self::load::load;
use self::output::output;
use self::target::{Variables, target};
use self::workload::workload;

impl Plan {
    /// The plan as TOML that [`Draft::from_toml`](crate::Draft::from_toml) reads and that resolves
    /// to the same plan again. Credentials given literally are printed as references to the
    /// environment variable that the next run reads; generated credentials are not printed.
    ///
    /// A request body that is not UTF-8 must come from a file
    /// ([`HttpWork::body_file`](crate::HttpWork::body_file)), as it does in every resolved plan.
    pub fn to_toml(&self) -> String {
        let mut page = Page::default();
        page.comment("A Tenbin plan, every default filled in. Run it with: tenbin run <this file>");
        page.text += "\n";
        page.key(&Draft::name, text(&self.name));
        page.key(&Draft::seed, self.seed);
        page.key(&Draft::threads, self.threads);
        self.comparing(&mut page);
        if !self.comparing.workloads.is_empty() {
            page.table("[compare]");
            let names = self.compared_workloads().map(|work| text(&work.name));
            page.key(&CompareDraft::workloads, list(names));
        }
        rounds(&mut page, self);
        let shared_load = self.shared_load();
        if let Some(shared) = shared_load {
            page.table("[load]");
            load(&mut page, shared, self.rounds.slice);
        }
        let variables = Variables::new(self.written_targets());
        output(&mut page, &self.output);
        if let Some(all) = &self.agents {
            agents(&mut page, all);
        }
        if let Some(made) = &self.corpus {
            corpus(&mut page, made);
        }
        for each in self.written_targets() {
            target(&mut page, each, &self.targets, &variables);
        }
        for each in &self.workloads {
            workload(&mut page, each, shared_load.is_none(), self.rounds.slice);
        }
        page.text
    }

    /// Prints the comparison settings that differ from the defaults.
    fn comparing(&self, page: &mut Page) {
        let comparing = &self.comparing;
        if self.targets.len() > 1
            && let Some(baseline) = self.baseline()
        {
            page.key(&Draft::baseline, text(&baseline.name));
        }
        if let Some(twin) = self.twin() {
            let meaning = format!("adds {}, a second instance of the baseline", twin.name);
            page.explained("aa", "true", &meaning);
        }
        if comparing.margin != DEFAULT_MARGIN {
            page.key(&Draft::margin, text(comparing.margin));
        }
        if comparing.start_noise != DEFAULT_START_NOISE {
            page.key(&Draft::start_noise, text(comparing.start_noise));
        }
        if let Some(figure) = comparing.decide {
            page.key(&Draft::decide, text(figure));
        }
        for (key, demand) in [
            (&Draft::expect, Demand::Expect),
            (&Draft::fail_if, Demand::FailIf),
        ] {
            let conditions = comparing.expect.iter();
            let mut conditions = conditions.filter(|each| each.demand == demand).peekable();
            if conditions.peek().is_some() {
                page.key(key, list(conditions.map(text)));
            }
        }
    }

    /// The targets to print: without the twin, and of each sweep only the first point.
    fn written_targets(&self) -> Vec<&Target> {
        let twin = self.twin().map(|twin| &twin.name);
        let mut written: Vec<&Target> = Vec::new();
        let of = |target: &Target| Some(target.sweep.as_ref()?.of.clone());
        for target in &self.targets {
            let is_known = of(target).is_some() && written.iter().any(|one| of(one) == of(target));
            if twin != Some(&target.name) && !is_known {
                written.push(target);
            }
        }
        written
    }

    /// The load of all workloads, if it is the same for all.
    fn shared_load(&self) -> Option<&Load> {
        let first = &self.workloads.first()?.load;
        let same = self
            .workloads
            .iter()
            .all(|workload| workload.load == *first);
        same.then_some(first)
    }
}

fn rounds(page: &mut Page, plan: &Plan) {
    let rounds = &plan.rounds;
    page.table("[rounds]");
    let blocks = |count: u32| {
        let blocks = count / plan.rounds_per_block();
        match plan.targets.len() {
            _ if !plan.comparing.workloads.is_empty() => Some(format!("{blocks} blocks")),
            0 | 1 => None,
            2 => Some(format!("{blocks} ABBA quads")),
            _ => Some(format!("{blocks} Williams squares")),
        }
    };
    match (blocks(rounds.count), rounds.until) {
        (None, None) => page.pair("count", rounds.count),
        (Some(blocks), None) => page.explained("count", rounds.count, &blocks),
        (blocks, Some(_)) => {
            let blocks = blocks.map_or_else(String::new, |blocks| format!(": {blocks}"));
            page.explained("count", rounds.count, &format!("the fewest{blocks}"));
        }
    }
    if let Some(until) = rounds.until {
        let meaning = "ends when every primary ratio is known to this precision";
        page.explained("until", text(format!("±{}", until.within)), meaning);
        let blocks = blocks(until.most).map_or_else(String::new, |blocks| format!(": {blocks}"));
        page.explained("max_count", until.most, &format!("the most{blocks}"));
    }
    page.key(&RoundsDraft::slice, text(Time(rounds.slice)));
    page.key(&RoundsDraft::lead, text(Time(rounds.lead)));
    page.key(&RoundsDraft::gap, text(Time(rounds.gap)));
    page.explained(
        "warmup",
        text(Time(rounds.warmup)),
        match plan.relaunch() {
            Relaunch::Slice => "unmeasured, before every slice",
            Relaunch::Block => "unmeasured, on each target in every block",
            _ => "unmeasured, before the first slice of each workload on each target",
        },
    );
    if rounds.sustain != Sustain::Auto {
        let meaning = "continuous load on each target after the rounds";
        page.explained("sustain", text(rounds.sustain), meaning);
    }
    if rounds.on_outage != OnOutage::default() {
        let meaning = "when a target stops answering";
        page.explained("on_outage", text(rounds.on_outage), meaning);
    }
    let started = match (rounds.relaunch, plan.relaunch()) {
        (Relaunch::Auto, Relaunch::Block) => {
            "targets that start within 2s start again in each block"
        }
        (Relaunch::Auto, _) => return,
        (_, Relaunch::Block) => "every block finds its targets just started",
        (_, Relaunch::Slice) => "every slice finds its target just started",
        _ => "each target is started once",
    };
    page.explained("relaunch", text(rounds.relaunch.name()), started);
}
