//! `tenbin hub`: runs a NATS server for several load machines.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::thread;
use std::time::Duration;

use tenbin_cluster::hub::{self, Hub, NatsServer, Options};
use tenbin_plan::{Launch, Reach, Ready, Sentence, Target, sentence};
use tenbin_report::quoted;
use tenbin_runner::Stop;
use tenbin_targets::{LaunchContext, Running, TargetError, Waiting, bring_up, helper_time};

use crate::args::HubArgs;
use crate::exit::Exit;
use crate::interrupt;
use crate::output;
use crate::sentences::said;

/// Name of the server in messages and of its log file.
const NAME: &str = "nats-server";
/// Time limit for the server to end after SIGTERM.
const STOP_WITHIN: Duration = Duration::from_secs(3);
/// Time between two checks of whether the server still runs.
const POLL: Duration = Duration::from_millis(100);

/// Runs the server until Ctrl-C.
pub(crate) fn hub(args: &HubArgs) -> Exit {
    match run(args) {
        Ok(()) => Exit::Done,
        Err(why) => {
            output::say_error(&why);
            Exit::Target
        }
    }
}

fn run(args: &HubArgs) -> Result<(), Sentence> {
    let server = NatsServer::find(args.nats_server.as_deref()).map_err(|why| why.sentence())?;
    let options = Options {
        listen: args.listen,
        directory: args.dir.clone(),
        names: args.names.clone(),
    };
    let hub = hub::prepare(&options).map_err(|why| why.sentence())?;
    server.check(&hub).map_err(|why| why.sentence())?;
    let stop = interrupt::stop(|_| {})?;
    let mut running = match start(&server, &hub, &stop) {
        Ok(running) => running,
        Err(TargetError::Interrupted { .. }) => return Ok(()),
        Err(why) => return Err(failure(&why)),
    };
    tell(&hub, args.listen);
    let ended = wait_for_end(&running, &stop);
    let stopped = running.stop().map_err(|why| failure(&why));
    ended.and(stopped)
}

fn start(server: &NatsServer, hub: &Hub, stop: &Stop) -> Result<Running, TargetError> {
    let unusable = |reason: Sentence| TargetError::Start {
        target: NAME.to_owned(),
        reason,
    };
    let program = server.program();
    let program = program.to_str().ok_or_else(|| {
        unusable(sentence!(
            "program-not-utf8",
            "path {program} is not in UTF-8",
            program = program.display()
        ))
    })?;
    let guard = std::env::current_exe().map_err(|error| {
        unusable(sentence!(
            "no-tenbin-program",
            "cannot find the tenbin program: {error}",
            error
        ))
    })?;
    let arguments = hub::ARGUMENTS.map(str::to_owned);
    let launch = Launch {
        command: [program.to_owned()].into_iter().chain(arguments).collect(),
        env: BTreeMap::new(),
        nodes: Vec::new(),
        directory: None,
        // Only the address matters: the readiness check connects and sends nothing.
        url: format!("http://{}/", hub.local),
        ready: Ready::Port,
        ready_within: helper_time::limit().map_err(unusable)?,
        stop_within: STOP_WITHIN,
    };
    bring_up(
        &Target::new(NAME, Reach::Launched(launch)),
        &LaunchContext {
            run_dir: &hub.directory,
            guard_exe: &guard,
            plan_dir: &hub.directory,
            stop: stop.asked(),
            waiting: &waiting,
        },
    )
}

fn waiting(progress: &Waiting<'_>) {
    let seconds = progress.waited.as_secs_f64();
    output::say_note(&sentence!(
        "hub-waiting",
        "{name}: waiting for {awaited}, {seconds} s of at most {limit} s",
        name = NAME,
        awaited = progress.awaited,
        seconds = format!("{seconds:.0}"),
        limit = format!("{:.0}", progress.limit.as_secs_f64())
    ));
}

/// Prints the commands that connect machines to the hub.
fn tell(hub: &Hub, listen: SocketAddr) {
    let shown = |path: &Path| quoted(&path.display().to_string());
    let directory = shown(&hub.directory);
    let agent = shown(&hub.directory.join(hub::AGENT_CREDS));
    let coordinator = shown(&hub.directory.join(hub::COORDINATOR_CREDS));
    let url = &hub.url;
    let again = if hub.has_earlier_keys {
        sentence!(
            "hub-earlier-keys",
            " (those of an earlier start: its copies stay valid)"
        )
    } else {
        Sentence::default()
    };
    let creds = hub::AGENT_CREDS;
    let at = sentence!(
        "hub-at",
        "hub at {url}; keys in {directory}{again}",
        url,
        directory,
        again
    );
    let there = sentence!("hub-on-machines", "on every load machine:");
    let copy = sentence!("hub-copy", "(copy {agent} there)", agent);
    let here = sentence!("hub-here", "here:");
    let [at, there, copy, here] = [at, there, copy, here].map(|text| said(&text));
    let text = format!(
        "{at}\n{there:<22}  tenbin agent --nats {url} --creds {creds}   {copy}\n\
         {here:<22}  tenbin run PLAN --agents 2 --nats {url} --creds {coordinator}\n"
    );
    output::print_text(&text);
    if hub.is_local_only {
        output::say_note(&sentence!(
            "hub-local-only",
            "only this machine can connect to the hub; for others, use --listen 0.0.0.0:{port}",
            port = listen.port()
        ));
    }
}

/// Waits for Ctrl-C. Fails if the server ends before.
fn wait_for_end(running: &Running, stop: &Stop) -> Result<(), Sentence> {
    while !stop.is_asked() {
        thread::sleep(POLL);
        if let Err(exit) = running.alive() {
            // The last lines of output can still be in the pipe.
            thread::sleep(POLL);
            return Err(sentence!(
                "hub-ended",
                "{name} {exit}{log_tail}",
                name = NAME,
                exit = exit.sentence(),
                log_tail = running.log_tail().sentence()
            ));
        }
    }
    Ok(())
}

fn failure(error: &TargetError) -> Sentence {
    match error {
        TargetError::EndedEarly { exit, tail, .. } => {
            sentence!(
                "hub-ended-early",
                "{name} {exit}, before it accepted connections{tail}",
                name = NAME,
                exit = exit.sentence(),
                tail = tail.sentence()
            )
        }
        TargetError::NotReady {
            limit,
            reason,
            tail,
            ..
        } => sentence!(
            "hub-not-ready",
            "{name} did not accept connections within {limit}: {reason}{tail}",
            name = NAME,
            limit = format!("{limit:?}"),
            reason,
            tail = tail.sentence()
        ),
        TargetError::Occupied { address, .. } => {
            sentence!(
                "hub-occupied",
                "something else already listens on {address}; stop it, or change --listen",
                address
            )
        }
        other => other.sentence(),
    }
}
