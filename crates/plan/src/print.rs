//! Prints a plan as TOML: the same experiment, without its secrets.

mod load;
mod workload;

use crate::draft::{CompareDraft, Draft, Load, Output, RoundsDraft};
use crate::keys::page::{Page, list, text};
use crate::plan::model::Plan;
use crate::relaunch::Relaunch;
use crate::target::{Target, Variables, print_target};

use self::load::load;
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
        if self.output != Output::default() {
            page.table("[output]");
            self.output.print_keys(&mut page);
        }
        if let Some(agents) = &self.agents {
            page.table("[agents]");
            agents.print_keys(&mut page);
        }
        if let Some(corpus) = &self.corpus {
            page.table("[corpus]");
            corpus.print_keys(&mut page);
        }
        if let Some(gate) = &self.gate {
            page.table("[gate]");
            gate.print_keys(&mut page);
        }
        for each in self.written_targets() {
            print_target(&mut page, each, &self.targets, &variables);
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
        if let Some(anchor) = self.anchor() {
            page.key(&Draft::anchor, text(&anchor.name));
        }
        if let Some(twin) = self.twin() {
            let meaning = format!("adds {}, a second instance of the baseline", twin.name);
            page.explained("aa", "true", &meaning);
        }
        comparing.print_keys(page);
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

/// The number of blocks of `count` rounds, in words; `None` for one target.
fn blocks(plan: &Plan, count: u32) -> Option<String> {
    let each = plan.rounds_per_block();
    let blocks = count / each;
    let balanced = format!("{blocks} × {each} rounds in a balanced order");
    match plan.targets.len() {
        _ if !plan.comparing.workloads.is_empty() => Some(balanced),
        0 | 1 => None,
        2 => Some(format!("{blocks} × A B B A")),
        _ => Some(balanced),
    }
}

fn rounds(page: &mut Page, plan: &Plan) {
    let rounds = &plan.rounds;
    page.table("[rounds]");
    match (blocks(plan, rounds.count), rounds.until) {
        (None, None) => {}
        (Some(blocks), None) => page.note(&RoundsDraft::count, blocks),
        (blocks, Some(until)) => {
            let after_colon = |blocks: Option<String>| blocks.map(|blocks| format!(": {blocks}"));
            let fewest = after_colon(blocks).unwrap_or_default();
            let most = after_colon(self::blocks(plan, until.most)).unwrap_or_default();
            page.note(&RoundsDraft::count, format!("the fewest{fewest}"));
            page.note(&RoundsDraft::max_count, format!("the most{most}"));
        }
    }
    let warmup = match plan.relaunch() {
        Relaunch::Slice => "unmeasured, before every slice",
        Relaunch::Block => "unmeasured, on each target in every block",
        _ => "unmeasured, before the first slice of each workload on each target",
    };
    page.note(&RoundsDraft::warmup, warmup);
    let started = match (rounds.relaunch, plan.relaunch()) {
        (Relaunch::Auto, Relaunch::Block) => {
            "targets that start within 2s start again in each block"
        }
        (Relaunch::Auto, _) => "",
        (_, Relaunch::Block) => "every block finds its targets just started",
        (_, Relaunch::Slice) => "every slice finds its target just started",
        _ => "each target is started once",
    };
    if !started.is_empty() {
        page.note(&RoundsDraft::relaunch, started);
    }
    rounds.print_keys(page);
}
