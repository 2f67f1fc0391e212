//! Descriptions of targets and workloads in words, without secrets.

use std::time::Duration;

use tenbin_plan::{
    Arrivals, Builtin, HttpVersion, Load, Observe, ObservePage, Pace, Reach, Sizes, Target, Think,
    Trace, Workload, conceal_parameters,
};

use tenbin_result::format::plural;
use tenbin_result::{Message, Share, Subject, message};

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
        text += &format!(", observed by {}", observed_by(target, source));
    }
    text
}

/// Describes the source of the figures of a target's resource use.
pub(crate) fn observed_by(target: &Target, source: &Observe) -> String {
    let of_page = |page: &ObservePage| {
        let url = conceal_parameters(&target.shown_url(&page.url));
        if page.insecure {
            format!("{url} (certificate NOT checked)")
        } else {
            url
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
            let each: Vec<String> = all.iter().map(|one| observed_by(target, one)).collect();
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
        Reach::Builtin(Builtin::HttpOneWorker) => {
            "built-in HTTP server, one worker of 5 ms".to_owned()
        }
        Reach::Builtin(Builtin::HttpFourWorkers) => {
            "built-in HTTP server, four workers of 5 ms".to_owned()
        }
        Reach::Builtin(Builtin::S3Memory) => "built-in S3 server, in memory".to_owned(),
        Reach::Builtin(Builtin::S3Durable) => {
            "built-in S3 server, on disk, synced before it responds".to_owned()
        }
        Reach::Builtin(Builtin::Blob) => "built-in blob server, in memory".to_owned(),
        Reach::Builtin(Builtin::BlobOneWorker) => {
            "built-in blob server, in memory, one worker of 5 ms".to_owned()
        }
        Reach::Builtin(Builtin::BlobFourWorkers) => {
            "built-in blob server, in memory, four workers of 5 ms".to_owned()
        }
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
        searches: false,
    }
}

/// Describes the load: pace, think time, connections and connection settings.
pub(crate) fn load(load: &Load) -> Message {
    let depth = (load.depth > 1).then(|| message!("load-depth", count = load.depth));
    message!(
        "load",
        pace = pace(load),
        connections = message!("load-connections", count = load.connections),
        depth,
        keep_alive = load.keep_alive,
        timeout = seconds(load.timeout)
    )
}

fn pace(load: &Load) -> Message {
    let per_second = |rate: &f64| format!("{rate}/s");
    match &load.pace {
        Pace::Closed => {
            let think = load.think.map(thinking);
            let think = think.map(|time| message!("load-think", time));
            message!("load-closed", think)
        }
        Pace::Constant { per_second: rate } => message!(
            "load-constant",
            rate = per_second(rate),
            spread = spread(Arrivals::Constant)
        ),
        Pace::Poisson { per_second: rate } => message!(
            "load-constant",
            rate = per_second(rate),
            spread = spread(Arrivals::Poisson)
        ),
        Pace::Ramp { from, to, arrivals } => message!(
            "load-ramp",
            from = per_second(from),
            to = per_second(to),
            spread = spread(*arrivals)
        ),
        Pace::Steps { steps, arrivals } => {
            let step = |(rate, length): &(f64, Duration)| {
                let (rate, length) = (per_second(rate), seconds(*length));
                message!("load-step", rate, seconds = length)
            };
            let steps: Vec<Message> = steps.iter().map(step).collect();
            message!("load-steps", steps, spread = spread(*arrivals))
        }
        Pace::Trace(trace) => trace_of(trace),
        Pace::Search(search) => message!(
            "load-search",
            slo = search.slo.to_string(),
            spread = spread(search.arrivals)
        ),
    }
}

fn spread(arrivals: Arrivals) -> Option<Message> {
    (arrivals == Arrivals::Poisson).then(|| message!("poisson-arrivals"))
}

fn trace_of(trace: &Trace) -> Message {
    let file = trace.path.file_name().unwrap_or_default();
    let speed = trace.speed;
    let speed = (speed != 1.0).then(|| message!("trace-speed", speed = speed.to_string()));
    message!("load-trace", file = file.display().to_string(), speed)
}

fn thinking(think: Think) -> Message {
    match think {
        Think::Fixed(time) => message!("think-fixed", seconds = seconds(time)),
        Think::Uniform { from, to } => {
            message!("think-uniform", from = seconds(from), to = seconds(to))
        }
        Think::Exponential { mean } => message!("think-exponential", mean = seconds(mean)),
    }
}

fn seconds(time: Duration) -> String {
    time.as_secs_f64().to_string()
}
