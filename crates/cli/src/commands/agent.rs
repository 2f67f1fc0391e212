//! `tenbin agent`: sends load for a coordinator on another machine. `tenbin agents`: lists the
//! agents.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use anyhow::Context as _;
use tenbin_cluster::{Coordinator, Introduction, News};
use tenbin_runner::{RunContext, introduce, run_agent};

use crate::allocator;
use crate::args::{AgentArgs, AgentsArgs};
use crate::exit::Exit;
use crate::interrupt;
use crate::output;

/// Runs an agent until Ctrl-C.
pub(crate) fn agent(args: &AgentArgs) -> Exit {
    let server = match args.nats.server() {
        Ok(server) => server,
        Err(error) => {
            output::error(&error.to_string());
            return Exit::Refused;
        }
    };
    let (stop, context) = match surroundings() {
        Ok(found) => found,
        Err(error) => {
            output::error(&format!("{error:#}"));
            return Exit::Internal;
        }
    };
    let limits = args.limits();
    let mut me = introduce("agent", &limits);
    me.name = args.name.clone().unwrap_or_else(|| name_of(&me));
    let waiting = format!(
        "agent \"{}\" waits for a coordinator at {}; may send requests to {}",
        me.name,
        server.url,
        me.allow.join(", ")
    );
    let mut tell = |news: News| match news {
        News::Warning(sentence) => output::warning(&sentence),
        _ if args.quiet => {}
        News::Waiting => output::note(&waiting),
        News::Assigned => output::note("a coordinator has assigned a plan"),
        News::Ended => output::note("the run has ended; waiting for the next"),
    };
    match run_agent(&server, me, limits, &context, stop.asked(), &mut tell) {
        Ok(()) => Exit::Done,
        Err(error) => {
            output::error(&error.to_string());
            Exit::Target
        }
    }
}

fn surroundings() -> anyhow::Result<(tenbin_runner::Stop, RunContext)> {
    let stop = interrupt::stop(|_| {}).context("cannot install the Ctrl-C handler")?;
    let executable = std::env::current_exe().context("cannot find this program's own file")?;
    let directory = std::env::current_dir().context("cannot read the working directory")?;
    let context = RunContext {
        root: directory.clone(),
        plan_directory: directory,
        executable,
        count_allocations: allocator::allocated,
        is_precise: tenbin_verdict::is_precise,
        lengthen_slices: false,
    };
    Ok((stop, context))
}

/// The name of the machine as the name of an agent.
fn name_of(me: &Introduction) -> String {
    let machine = me.hostname.as_deref().unwrap_or("agent");
    let named = machine.chars().take(64).map(|c| match c {
        c if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') => c,
        _ => '-',
    });
    named.collect()
}

/// Lists the agents that a NATS server knows.
pub(crate) fn agents(args: &AgentsArgs) -> Exit {
    let found = args
        .nats
        .server()
        .and_then(|server| Coordinator::list(&server, &AtomicBool::new(false)));
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            output::error(&error.to_string());
            return Exit::Target;
        }
    };
    if found.is_empty() {
        output::note("no agent responds; start `tenbin agent` on every load machine");
        return Exit::Target;
    }
    let mut text = String::new();
    for agent in &found {
        let state = if agent.is_busy { "busy" } else { "free" };
        let line = format!(
            "{}  {state}  tenbin {}  {} cores  {}  may send requests to {}",
            agent.name,
            agent.version,
            agent.cores,
            agent.hostname.as_deref().unwrap_or("unknown machine"),
            agent.allow.join(", ")
        );
        let _ = writeln!(text, "{}", tenbin_report::for_terminal(&line));
    }
    output::print(text.as_bytes());
    Exit::Done
}
