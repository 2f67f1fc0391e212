//! `tenbin agent`: sends load for a coordinator on another machine. `tenbin agents`: lists the
//! agents.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
#[cfg(target_os = "linux")]
use std::io;
use std::iter::once;
#[cfg(target_os = "linux")]
use std::os::linux::net::SocketAddrExt as _;
#[cfg(target_os = "linux")]
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::atomic::AtomicBool;

use anyhow::Context as _;
use serde_json::{Value, json};
use tenbin_cluster::{Coordinator, Introduction, ListedAgent, News};
use tenbin_plan::{Sentence, sentence};
use tenbin_result::format::{rate, time};
use tenbin_runner::{RunContext, introduce, run_agent};
use unicode_width::UnicodeWidthStr as _;

use crate::allocator;
use crate::args::{AgentArgs, AgentsArgs};
use crate::exit::Exit;
use crate::interrupt;
use crate::output;
use crate::sentences::said;

/// Runs an agent until Ctrl-C.
pub(crate) fn agent(args: &AgentArgs) -> Exit {
    let server = match args.nats.server() {
        Ok(server) => server,
        Err(error) => return output::refuse_error(&error),
    };
    let (stop, context) = match surroundings() {
        Ok(found) => found,
        Err(error) => {
            output::failed(&error);
            return Exit::Internal;
        }
    };
    let limits = args.limits();
    let mut me = introduce("agent", &limits);
    let (name, _claim) = match &args.name {
        Some(name) => (name.clone(), None),
        None => {
            let boot = tenbin_targets::counters::boot_id().unwrap_or_default();
            claimed(&name_of(&me, &boot))
        }
    };
    me.name = name;
    let waiting = sentence!(
        "agent-waits",
        "agent \"{name}\" waits for a coordinator at {url}; may send requests to {allow}",
        name = me.name,
        url = server.url,
        allow = me.allow.join(", ")
    );
    let mut tell = |news: News| match news {
        News::Warning(sentence) => output::say_warning(&sentence),
        _ if args.quiet => {}
        News::Waiting => output::say_note(&waiting),
        News::Assigned => output::say_note(&sentence!(
            "agent-assigned",
            "a coordinator has assigned a plan"
        )),
        News::Examined => output::say_note(&sentence!(
            "agent-examined",
            "a coordinator checks this machine"
        )),
        News::Ended => output::say_note(&sentence!(
            "agent-run-ended",
            "the run has ended; waiting for the next"
        )),
    };
    match run_agent(&server, me, limits, &context, stop.asked(), &mut tell) {
        Ok(()) => Exit::Done,
        Err(error) => {
            output::failure(&error);
            Exit::Target
        }
    }
}

fn surroundings() -> anyhow::Result<(tenbin_runner::Stop, RunContext)> {
    let stop = interrupt::stop(|_| {})?;
    let executable = std::env::current_exe().context(sentence!(
        "no-own-file",
        "cannot find this program's own file"
    ))?;
    let directory = std::env::current_dir().context(sentence!(
        "no-working-directory-here",
        "cannot read the working directory"
    ))?;
    let context = RunContext {
        root: directory.clone(),
        plan_directory: directory,
        executable,
        count_allocations: allocator::allocated,
        rounds_end: tenbin_verdict::rounds_end,
        departs: tenbin_verdict::departs,
        lengthen_slices: false,
    };
    Ok((stop, context))
}

/// Longest part of an agent's name that comes from the name of its machine, letters. What follows has
/// at most 16 letters.
const MACHINE: usize = 48;

/// The name of an agent without `--name`: that of the machine, with six digits that differ between
/// machines of the same name, and stay when the agent is started again.
fn name_of(me: &Introduction, boot: &str) -> String {
    let machine = me.hostname.as_deref().unwrap_or("agent");
    let named = machine.chars().take(MACHINE).map(|c| match c {
        c if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') => c,
        _ => '-',
    });
    let mut hasher = DefaultHasher::new();
    (boot, &me.addresses).hash(&mut hasher);
    let own = hasher.finish() & 0xff_ffff;
    format!("{}-{own:06x}", named.collect::<String>())
}

/// Most agents of one machine that get a number.
const MOST_NUMBERED: u32 = 1_000;

/// The name, with a number if another agent on this machine has the name; and what keeps the name until
/// this agent ends. An agent that is started again gets its name again.
#[cfg(target_os = "linux")]
fn claimed(name: &str) -> (String, Option<UnixDatagram>) {
    let numbered = (2..MOST_NUMBERED).map(|number| format!("{name}-{number}"));
    for name in once(name.to_owned()).chain(numbered) {
        // The kernel frees an abstract address when its process ends, however it ends.
        let address = SocketAddr::from_abstract_name(format!("tenbin-agent/{name}"));
        match address.and_then(|address| UnixDatagram::bind_addr(&address)) {
            Ok(claim) => return (name, Some(claim)),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            Err(_) => break,
        }
    }
    (format!("{name}-p{}", std::process::id()), None)
}

/// The name with the process id, because this system has no addresses that end with their process.
#[cfg(not(target_os = "linux"))]
fn claimed(name: &str) -> (String, Option<()>) {
    (format!("{name}-p{}", std::process::id()), None)
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
            output::failure(&error);
            return Exit::Target;
        }
    };
    if args.json {
        let document: Vec<Value> = found.iter().map(in_json).collect();
        output::print(format!("{:#}\n", Value::from(document)).as_bytes());
    }
    if found.is_empty() {
        output::say_note(&sentence!(
            "no-agents",
            "no agent responds; start `tenbin agent` on every load machine"
        ));
        return Exit::Target;
    }
    if !args.json {
        output::print_text(table(&found));
    }
    Exit::Done
}

/// State of an agent in the list.
fn state(agent: &ListedAgent) -> &'static str {
    match (agent.is_same_build, agent.introduction.is_busy) {
        (false, _) => "other build",
        (true, true) => "busy",
        (true, false) => "free",
    }
}

fn in_json(agent: &ListedAgent) -> Value {
    let about = &agent.introduction;
    json!({
        "name": about.name,
        "state": state(agent),
        "version": about.version,
        "machine": about.hostname,
        "cores": about.cores,
        "cpu": about.cpu,
        "kernel": about.kernel,
        "addresses": about.addresses,
        "clock_bound_seconds": agent.clock_bound.map(|bound| bound.as_secs_f64()),
        "ceiling_per_second": ceiling(agent),
        "allow": about.allow,
    })
}

/// Requests per second that the agent's machine can send, if known.
fn ceiling(agent: &ListedAgent) -> Option<u64> {
    Some(agent.introduction.ceiling).filter(|ceiling| *ceiling > 0)
}

/// Columns of the table of agents.
const COLUMNS: usize = 9;

fn heads() -> [Sentence; COLUMNS] {
    [
        sentence!("agents-name", "name"),
        sentence!("agents-state", "state"),
        sentence!("agents-version", "version"),
        sentence!("agents-machine", "machine"),
        sentence!("agents-cores", "cores"),
        sentence!("agents-addresses", "addresses"),
        sentence!("agents-clock", "clock"),
        sentence!("agents-ceiling", "sends up to"),
        sentence!("agents-allowed", "may send to"),
    ]
}

/// The agents as a table. Escapes what the agents sent.
fn table(agents: &[ListedAgent]) -> String {
    let unknown = || said(&sentence!("agents-unknown", "unknown"));
    let row = |agent: &ListedAgent| {
        let about = &agent.introduction;
        let list = |items: &[String]| match items {
            [] => unknown(),
            items => items.join(", "),
        };
        let bound = agent.clock_bound.map(|bound| time(bound.as_secs_f64()));
        let cells = [
            about.name.clone(),
            said(&Sentence::fixed(state(agent))),
            about.version.clone(),
            about.hostname.clone().unwrap_or_else(unknown),
            about.cores.to_string(),
            list(&about.addresses),
            bound.map_or_else(unknown, |bound| format!("±{bound}")),
            ceiling(agent).map_or_else(unknown, |ceiling| rate(ceiling as f64)),
            list(&about.allow),
        ];
        cells.map(|cell| tenbin_report::for_terminal(&cell))
    };
    let rows = agents.iter().map(row);
    let heads = heads().map(|head| said(&head));
    let rows: Vec<[String; COLUMNS]> = once(heads).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].width()).max();
    let widths: Vec<usize> = (0..COLUMNS).filter_map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let padded = row.iter().zip(&widths);
        let padded: Vec<String> = padded
            .map(|(cell, width)| {
                let gap = width.saturating_sub(cell.width());
                format!("{cell}{:gap$}", "")
            })
            .collect();
        let _ = writeln!(text, "{}", padded.join("  ").trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_of_one_name_give_their_agents_different_names() {
        let agent = |address: &str| Introduction {
            hostname: Some("load.example".to_owned()),
            addresses: vec![address.to_owned()],
            ..Introduction::default()
        };
        let name = name_of(&agent("10.0.0.1"), "boot");
        assert_eq!(name_of(&agent("10.0.0.1"), "boot"), name, "started again");
        assert_ne!(name_of(&agent("10.0.0.2"), "boot"), name);
        assert_ne!(name_of(&agent("10.0.0.1"), "another boot"), name);
        assert!(name.starts_with("load-example-"), "{name}");
        let long = Introduction {
            hostname: Some("x".repeat(100)),
            ..Introduction::default()
        };
        assert_eq!(name_of(&long, "").len(), 55);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn agents_of_one_machine_get_different_names_and_keep_them() {
        let name = format!("test-{}", std::process::id());
        let (first, held) = claimed(&name);
        let (second, _second) = claimed(&name);
        assert_eq!((&first, &second), (&name, &format!("{name}-2")));
        drop(held);
        assert_eq!(claimed(&name).0, name, "started again");
    }
}
