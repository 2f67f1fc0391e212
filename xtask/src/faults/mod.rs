//! `cargo xtask faults`: loses agents, coordinators, hubs and networks at random moments, and checks
//! what is left. docs/agents.md describes what must happen.

mod network;
mod trial;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Result, ensure};

use self::trial::{Ended, Trial};
use crate::{kept, shell};

/// Trials of each fault.
const TRIALS: usize = 20;
/// Trials at the same time: most of a trial is waiting.
const TOGETHER: usize = 4;

/// What is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    AgentKilled,
    AgentStopped,
    AgentPaused,
    CoordinatorKilled,
    CoordinatorInterrupted,
    HubKilled,
    CableCut,
    CableHealed,
    HubCut,
}

impl Fault {
    const ALL: [Self; 9] = [
        Self::AgentKilled,
        Self::AgentStopped,
        Self::AgentPaused,
        Self::CoordinatorKilled,
        Self::CoordinatorInterrupted,
        Self::HubKilled,
        Self::CableCut,
        Self::CableHealed,
        Self::HubCut,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::AgentKilled => "an agent gets SIGKILL",
            Self::AgentStopped => "an agent gets SIGSTOP",
            Self::AgentPaused => "an agent gets SIGSTOP, and SIGCONT after 3.2 to 8 s",
            Self::CoordinatorKilled => "the coordinator gets SIGKILL",
            Self::CoordinatorInterrupted => "the coordinator gets Ctrl-C",
            Self::HubKilled => "nats-server gets SIGKILL",
            Self::CableCut => "the cable of an agent is cut",
            Self::CableHealed => "the cable of an agent is cut for 0.2 to 5 s",
            Self::HubCut => "the cable between an agent and the hub is cut",
        }
    }

    /// Whether one agent is lost for good.
    fn loses_agent(self) -> bool {
        matches!(
            self,
            Self::AgentKilled
                | Self::AgentStopped
                | Self::AgentPaused
                | Self::CableCut
                | Self::HubCut
        )
    }

    /// Whether the lost agent can still reach the server, or reaches it again, during the run.
    fn leaves_server_in_reach(self) -> bool {
        matches!(self, Self::AgentPaused | Self::HubCut)
    }

    fn needs_network(self) -> bool {
        self.leaves_server_in_reach() || matches!(self, Self::CableCut | Self::CableHealed)
    }
}

/// Runs the trials of all faults whose name contains `words`, and prints the table. A run of all
/// faults is also saved in a dated folder.
///
/// # Errors
/// If a program cannot be built or run, or a trial has failed.
pub(crate) fn run(words: &str) -> Result<()> {
    let (words, seed) = match words.split_once("--seed ") {
        Some((words, seed)) => (words.trim(), seed.trim().parse()?),
        None => (words, 1),
    };
    let mut chosen = Fault::ALL.to_vec();
    chosen.retain(|fault| fault.name().contains(words));
    ensure!(!chosen.is_empty(), "no fault has {words:?} in its name");
    let is_root = nix::unistd::Uid::effective().is_root();
    if !is_root && chosen.iter().any(|fault| fault.needs_network()) {
        println!("NOT RUN: a cable can be cut by root only, in a network namespace");
        chosen.retain(|fault| !fault.needs_network());
    }
    shell::succeed(shell::cargo().args(["build", "-p", "tenbin"]))?;
    let root = std::env::temp_dir().join(format!("tenbin-faults-{}", std::process::id()));
    std::fs::create_dir(&root)?;
    let tenbin = copied(&root)?;
    let trials: Vec<Trial> = chosen
        .iter()
        .flat_map(|fault| (0..TRIALS).map(|number| Trial::of(*fault, number, seed)))
        .collect();
    let outcomes = all(&trials, &tenbin, &root);
    let text = format!(
        "{}.\n\n{}",
        crate::cost::machine()?,
        table(&trials, &outcomes, seed)
    );
    println!("\n{text}");
    let failed = outcomes.values().filter(|ended| ended.wrong.is_some());
    let failed = failed.count();
    if words.is_empty() && is_root {
        let page = format!("# Faults of agents\n\n`cargo xtask faults`. {text}");
        println!("kept in {}", kept::page("agents", &page)?.display());
    }
    ensure!(
        failed == 0,
        "{failed} trials failed; their files are in {}",
        root.display()
    );
    Ok(std::fs::remove_dir_all(root)?)
}

/// A copy of the program, so that a build during the trials does not change the program.
fn copied(root: &Path) -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| shell::workspace_root().join("target"), PathBuf::from);
    let copy = root.join("tenbin");
    std::fs::copy(target.join("debug/tenbin"), &copy)?;
    Ok(copy)
}

fn all(trials: &[Trial], tenbin: &Path, root: &Path) -> BTreeMap<usize, Ended> {
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..TOGETHER {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(trial) = trials.get(number) else {
                        return;
                    };
                    let ended = trial.run(tenbin, &root.join(number.to_string()));
                    let result = ended.wrong.as_deref().unwrap_or("pass");
                    println!("{number}: {trial}: {}: {result}", ended.how);
                    let mut outcomes = outcomes.lock().unwrap_or_else(|bad| bad.into_inner());
                    outcomes.insert(number, ended);
                }
            });
        }
    });
    outcomes.into_inner().unwrap_or_else(|bad| bad.into_inner())
}

fn table(trials: &[Trial], outcomes: &BTreeMap<usize, Ended>, seed: u64) -> String {
    let mut text = format!(
        "Two agents send 200 requests/s, in 6 slices of 1 s (2 of 5 s if the lost agent can reach the server). At a random moment of the run \
         (seed {seed}) something is lost. Half of the runs have --on-agent-loss stop, and half repeat \
         (continue if the lost agent can reach the server); these must be complete if they have lost an agent \
         after their first slice. A trial passes if the command ends with a documented exit \
         code, every kept slice has exactly its requests, an agent that can reach the \
         server sends at most one more request per connection once the block is measured again without it, the agents wait for the \
         next coordinator, and no process is left.\n\n\
         | what | passed | run complete | ended early, with slices | ended early, without | longest \
         time to the end |\n|---|---|---|---|---|---|\n"
    );
    for fault in Fault::ALL {
        let mine: Vec<&Ended> = outcomes
            .iter()
            .filter(|(number, _)| trials[**number].fault == fault)
            .map(|(_, ended)| ended)
            .collect();
        if mine.is_empty() {
            let _ = writeln!(text, "| {} | NOT RUN | | | | |", fault.name());
            continue;
        }
        let count = |is_one: &dyn Fn(&Ended) -> bool| mine.iter().filter(|e| is_one(e)).count();
        let (rounds, _) = trial::slices(fault);
        let longest = mine.iter().map(|ended| ended.seconds).fold(0.0, f64::max);
        let _ = writeln!(
            text,
            "| {} | {} of {} | {} | {} | {} | {longest:.1} s |",
            fault.name(),
            count(&|ended| ended.wrong.is_none()),
            mine.len(),
            count(&|ended| ended.slices == rounds),
            count(&|ended| (1..rounds).contains(&ended.slices)),
            count(&|ended| ended.slices == 0),
        );
    }
    for (number, ended) in outcomes {
        if let Some(wrong) = &ended.wrong {
            let _ = writeln!(text, "\n{}: {}: {wrong}", trials[*number], ended.how);
        }
    }
    text
}
