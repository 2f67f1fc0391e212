//! Descriptions of targets and workloads in words, without secrets.

use std::time::Duration;

use tenbin_plan::{
    Arrivals, Builtin, HttpVersion, Load, Observe, ObservePage, Pace, Reach, Sizes, Target, Think,
    Trace, Workload,
};

use tenbin_result::format::plural;
use tenbin_result::{Share, Subject};

/// Describes a target: the address, the command or the name of the built-in server, and the
/// connection settings that differ from the defaults.
pub(crate) fn target(target: &Target) -> String {
    let connect = &target.connect;
    let mut text = place(target);
    match connect.hosts.len() {
        0 | 1 => {}
        several => text += &format!(" and {}", plural(several as u64 - 1, "more host")),
    }
    if let Reach::Launched(launch) = &target.reach
        && !launch.nodes.is_empty()
    {
        text += &format!(", on {}", plural(launch.nodes.len() as u64, "node"));
    }
    if let Some(socket) = &connect.unix {
        text += &format!(", through socket {}", socket.display());
    }
    if connect.http == HttpVersion::Http2 {
        text += ", HTTP/2";
    }
    if let Some(source) = connect.source {
        text += &format!(", from {source}");
    }
    if connect.tls.insecure {
        text += ", certificate NOT checked";
    }
    if let Some(source) = &target.observe {
        text += &format!(", observed by {}", observed_by(source));
    }
    text
}

/// Describes the source of the figures of a target's resource use.
pub(crate) fn observed_by(source: &Observe) -> String {
    let of_page = |page: &ObservePage| {
        if page.insecure {
            format!("{} (certificate NOT checked)", page.url)
        } else {
            page.url.to_string()
        }
    };
    match source {
        Observe::Processes(processes) => processes.to_string(),
        Observe::Tenbin(page) => format!("tenbin at {}", of_page(page)),
        Observe::Prometheus { page, group: None } => format!("Prometheus page {}", of_page(page)),
        Observe::Prometheus {
            page,
            group: Some(group),
        } => format!("group {group:?} of Prometheus page {}", of_page(page)),
        Observe::Several(all) => {
            let each: Vec<String> = all.iter().map(observed_by).collect();
            each.join(" and ")
        }
    }
}

fn place(target: &Target) -> String {
    match &target.reach {
        Reach::Endpoint { url } => {
            let mut url = url.clone();
            // A password in an address is a secret. Both calls succeed for every address with a
            // host.
            let _ = url.set_password(None);
            let _ = url.set_username("");
            target.shown_url(&url)
        }
        Reach::Launched(launch) => launch.command.join(" "),
        Reach::Builtin(Builtin::Http) => "built-in HTTP server".to_owned(),
        Reach::Builtin(Builtin::S3Memory) => "built-in S3 server, in memory".to_owned(),
        Reach::Builtin(Builtin::S3Durable) => {
            "built-in S3 server, on disk, synced before it responds".to_owned()
        }
        Reach::Builtin(Builtin::Blob) => "built-in blob server, in memory".to_owned(),
        Reach::Builtin(Builtin::Dummy) => "no server: the cost of Tenbin itself".to_owned(),
        Reach::Files(files) => {
            let synced = if files.sync {
                ", each synced to disk"
            } else {
                ""
            };
            format!("files in {}{synced}", files.path.display())
        }
    }
}

/// Describes the requests of a workload in words.
pub(crate) fn workload(workload: &Workload) -> String {
    workload.describe()
}

/// Describes the requests of a workload in machine-readable form.
pub(crate) fn subject(workload: &Workload) -> Subject {
    let facts = workload.facts();
    let operations = facts.operations().into_iter();
    Subject {
        kind: facts.traits().name.to_owned(),
        operations: operations
            .map(|operation| Share {
                operation: operation.name.to_owned(),
                interface: operation.interface.to_owned(),
                share: operation.share,
            })
            .collect(),
        object_bytes: facts.sizes().and_then(Sizes::only),
        objects: facts.objects(),
        part_bytes: facts.part_bytes(),
    }
}

/// Describes the load: pace, think time, connections and connection settings.
pub(crate) fn load(load: &Load) -> String {
    let pace = match &load.pace {
        Pace::Closed => match load.think {
            Some(think) => format!("closed loop, think time {}", thinking(think)),
            None => "closed loop".to_owned(),
        },
        Pace::Constant { per_second } => format!("open loop at {per_second}/s"),
        Pace::Poisson { per_second } => format!("open loop at {per_second}/s, Poisson arrivals"),
        Pace::Ramp { from, to, arrivals } => {
            format!("open loop from {from}/s to {to}/s{}", spread(*arrivals))
        }
        Pace::Steps { steps, arrivals } => {
            let steps: Vec<String> = steps
                .iter()
                .map(|(rate, length)| format!("{rate}/s for {} s", length.as_secs_f64()))
                .collect();
            format!("open loop at {}{}", steps.join(", "), spread(*arrivals))
        }
        Pace::Trace(trace) => trace_of(trace),
        Pace::Search(search) => format!(
            "the highest rate within {}{}",
            search.slo,
            spread(search.arrivals)
        ),
    };
    let depth = match load.depth {
        1 => String::new(),
        depth => format!(" with up to {} each", plural(depth as u64, "request")),
    };
    let keep_alive = if load.keep_alive {
        ""
    } else {
        ", a new one for every request"
    };
    format!(
        "{pace}, {}{depth}{keep_alive}, timeout {} s",
        plural(load.connections as u64, "connection"),
        load.timeout.as_secs_f64()
    )
}

fn spread(arrivals: Arrivals) -> &'static str {
    match arrivals {
        Arrivals::Constant => "",
        Arrivals::Poisson => ", Poisson arrivals",
    }
}

fn trace_of(trace: &Trace) -> String {
    let file = trace.path.file_name().unwrap_or_default();
    let speed = match trace.speed {
        1.0 => String::new(),
        speed => format!(" at {speed} times its speed"),
    };
    format!("open loop by the trace {}{speed}", file.display())
}

fn thinking(think: Think) -> String {
    let seconds = |time: Duration| time.as_secs_f64();
    match think {
        Think::Fixed(time) => format!("{} s", seconds(time)),
        Think::Uniform { from, to } => {
            format!("{} s to {} s, uniform", seconds(from), seconds(to))
        }
        Think::Exponential { mean } => format!("{} s on average, exponential", seconds(mean)),
    }
}
