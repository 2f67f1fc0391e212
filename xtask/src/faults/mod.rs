//! `cargo xtask faults`: loses agents, coordinators, hubs, networks, terminals, standard error and
//! targets at random moments, and checks what is left. docs/agents.md and docs/exit-codes.md
//! describe what must happen.

mod agents;
mod network;
mod processes;
mod single;
mod trial;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};

use self::trial::{Ended, Trial};
use crate::{kept, shell};

/// Trials of each fault.
const TRIALS: usize = 20;
/// Trials at the same time: most of a trial is waiting.
const TOGETHER: usize = 4;

/// What the trials with agents do, and when they pass.
const OF_AGENTS: &str = "Two agents send 200 requests/s, in 6 slices of 1 s (2 of 5 s if the lost agent can \
    reach the server). Something is lost at a random moment. Half of the runs have --on-agent-loss \
    stop, and half repeat (continue if the lost agent can reach the server); these must be complete if \
    they have lost an agent after their first slice. A trial passes if the command ends with a \
    documented exit code, every kept slice has exactly its requests, an agent that can reach the \
    server sends at most one more request per connection once the block is measured again without it, \
    the agents wait for the next coordinator, and no process is left.";

/// What the trials without agents do, and when they pass.
const OF_ONE: &str = "Two targets are measured in 12 slices of 300 ms; something is lost at a random moment of \
    the first 6 s. Without its terminal, the run must end, write a result of its slices and leave no \
    object on the server; in half of the trials a shell passes the hang-up on. Without standard error, \
    the run must be complete. After an outage of its target, it must be complete too, without a slice \
    that has no correct response and no finding, and its result must name each outage that the run has noticed; if \
    the target is away before its first correct response, the run is refused (exit code 3). In all \
    trials no process is left.";

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
    TerminalGone,
    ErrorsFull,
    ErrorsUnread,
    TargetKilled,
    TargetPaused,
}

impl Fault {
    const ALL: [Self; 14] = [
        Self::AgentKilled,
        Self::AgentStopped,
        Self::AgentPaused,
        Self::CoordinatorKilled,
        Self::CoordinatorInterrupted,
        Self::HubKilled,
        Self::CableCut,
        Self::CableHealed,
        Self::HubCut,
        Self::TerminalGone,
        Self::ErrorsFull,
        Self::ErrorsUnread,
        Self::TargetKilled,
        Self::TargetPaused,
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
            Self::TerminalGone => "the terminal of a run vanishes",
            Self::ErrorsFull => "the disk of standard error is full",
            Self::ErrorsUnread => "the reader of standard error ends",
            Self::TargetKilled => "a target gets SIGKILL, and starts again after 0.2 to 5 s",
            Self::TargetPaused => "a target gets SIGSTOP, and SIGCONT after 0.2 to 5 s",
        }
    }

    /// Whether the run has agents.
    fn is_of_agents(self) -> bool {
        !matches!(
            self,
            Self::TerminalGone
                | Self::ErrorsFull
                | Self::ErrorsUnread
                | Self::TargetKilled
                | Self::TargetPaused
        )
    }

    /// Whether what was lost comes back after a time.
    fn comes_back(self) -> bool {
        matches!(
            self,
            Self::CableHealed | Self::AgentPaused | Self::TargetKilled | Self::TargetPaused
        )
    }

    /// Length of a run from its start, about.
    fn length_of_run(self) -> Duration {
        if self.is_of_agents() {
            agents::length_of_run(self)
        } else {
            single::LENGTH_OF_RUN
        }
    }

    /// Number of slices in a complete run.
    fn slices(self) -> usize {
        if self.is_of_agents() {
            agents::slices(self).0
        } else {
            single::SLICES
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

    /// Whether only root can cause the fault: in a network namespace, or with a small disk.
    fn needs_root(self) -> bool {
        self.needs_network() || self == Self::ErrorsFull
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
    match words {
        "agents" => chosen.retain(|fault| fault.is_of_agents()),
        "single" => chosen.retain(|fault| !fault.is_of_agents()),
        _ => chosen.retain(|fault| fault.name().contains(words)),
    }
    ensure!(!chosen.is_empty(), "no fault has {words:?} in its name");
    let is_root = nix::unistd::Uid::effective().is_root();
    if !is_root && chosen.iter().any(|fault| fault.needs_root()) {
        println!(
            "NOT RUN: only root can cut a cable in a network namespace, and mount a small disk"
        );
        chosen.retain(|fault| !fault.needs_root());
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
    if matches!(words, "" | "agents" | "single") && is_root {
        let kind = if words.is_empty() {
            "faults".to_owned()
        } else {
            format!("faults-{words}")
        };
        let page = format!("# Faults at random moments\n\n`cargo xtask faults {words}`. {text}");
        println!("kept in {}", kept::page(&kind, &page)?.display());
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
                    let ended = run_trial(trial, tenbin, &root.join(number.to_string()));
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

/// Runs a trial. The files of a passed trial are removed.
fn run_trial(trial: &Trial, tenbin: &Path, directory: &Path) -> Ended {
    let mut ended = Ended {
        how: "not started".to_owned(),
        wrong: None,
        slices: 0,
        seconds: 0.0,
    };
    let done = if trial.fault.is_of_agents() {
        trial.run_with_agents(tenbin, directory, &mut ended)
    } else {
        trial.run_single(tenbin, directory, &mut ended)
    };
    match done {
        Err(error) => ended.wrong = Some(format!("{error:#}")),
        // Leftovers stay in the system's directory for temporary files.
        Ok(()) => drop(std::fs::remove_dir_all(directory)),
    }
    ended
}

fn table(trials: &[Trial], outcomes: &BTreeMap<usize, Ended>, seed: u64) -> String {
    let mut text = format!("Seed {seed}.\n");
    let (of_agents, single): (Vec<Fault>, Vec<Fault>) = Fault::ALL
        .into_iter()
        .partition(|fault| fault.is_of_agents());
    let parts = [
        ("Runs with agents", OF_AGENTS, of_agents),
        ("Runs of one load generator", OF_ONE, single),
    ];
    for (title, what, faults) in parts {
        if !trials.iter().any(|trial| faults.contains(&trial.fault)) {
            continue;
        }
        let _ = write!(
            text,
            "\n## {title}\n\n{what}\n\n| what | passed | run complete | ended early, with slices \
             | ended early, without | longest time to the end |\n|---|---|---|---|---|---|\n"
        );
        for fault in faults {
            let of_fault = outcomes
                .iter()
                .filter(|(number, _)| trials[**number].fault == fault);
            let ended: Vec<&Ended> = of_fault.map(|(_, ended)| ended).collect();
            let _ = writeln!(
                text,
                "| {} | {} |",
                fault.name(),
                cells(&ended, fault.slices())
            );
        }
    }
    for (number, ended) in outcomes {
        if let Some(wrong) = &ended.wrong {
            let _ = writeln!(text, "\n{}: {}: {wrong}", trials[*number], ended.how);
        }
    }
    text
}

/// The cells of a fault after its name; `slices` are those of a complete run.
fn cells(all: &[&Ended], slices: usize) -> String {
    if all.is_empty() {
        return "NOT RUN | | | |".to_owned();
    }
    let count = |is_one: &dyn Fn(&Ended) -> bool| all.iter().filter(|ended| is_one(ended)).count();
    let longest = all.iter().map(|ended| ended.seconds).fold(0.0, f64::max);
    format!(
        "{} of {} | {} | {} | {} | {longest:.1} s",
        count(&|ended| ended.wrong.is_none()),
        all.len(),
        count(&|ended| ended.slices == slices),
        count(&|ended| (1..slices).contains(&ended.slices)),
        count(&|ended| ended.slices == 0),
    )
}
