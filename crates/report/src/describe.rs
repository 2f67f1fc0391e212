//! The plan in words, without its secrets.

use std::time::Duration;

use tenbin_plan::{
    Arrivals, Builtin, HttpVersion, Load, Pace, Reach, S3Operation, Target, Think, Trace, Workload,
    WorkloadKind,
};

use crate::words::{count, plural};

/// What a target is: its address, its command or its name among the built-in ones,
/// and the way there if it is not the plain one.
pub(crate) fn target(target: &Target) -> String {
    let way = &target.way;
    let mut text = place(target);
    match way.hosts.len() {
        0 | 1 => {}
        several => text += &format!(" and {}", plural(several as u64 - 1, "more host")),
    }
    if let Some(socket) = &way.unix {
        text += &format!(", through socket {}", socket.display());
    }
    if way.http == HttpVersion::Http2 {
        text += ", HTTP/2";
    }
    if let Some(source) = way.source {
        text += &format!(", from {source}");
    }
    if way.tls.insecure {
        text += ", certificate NOT checked";
    }
    text
}

fn place(target: &Target) -> String {
    match &target.reach {
        Reach::Endpoint { url } => {
            let mut url = url.clone();
            // A password in an address is a secret; neither call can fail on
            // an address that has a host.
            let _ = url.set_password(None);
            let _ = url.set_username("");
            url.to_string()
        }
        Reach::Launched(launch) => launch.command.join(" "),
        Reach::Builtin(Builtin::Http) => "built-in HTTP server".to_owned(),
        Reach::Builtin(Builtin::S3Memory) => "built-in S3 server, in memory".to_owned(),
        Reach::Builtin(Builtin::S3Durable) => {
            "built-in S3 server, on disk, synced before it answers".to_owned()
        }
    }
}

/// What is sent.
pub(crate) fn workload(workload: &Workload) -> String {
    match &workload.kind {
        WorkloadKind::Http(work) => {
            let path = work.path.as_deref().unwrap_or("the target's path");
            let body = match work.body.len() {
                0 => String::new(),
                length => format!(" with a body of {}", size(length as u64)),
            };
            format!("HTTP {} {path}{body}", work.method)
        }
        WorkloadKind::S3(work) => {
            let operation = match work.operation {
                S3Operation::Put => "PUT",
                S3Operation::Get => "GET",
                S3Operation::Delete => "DELETE",
            };
            let verified = match (work.operation, work.verify) {
                (S3Operation::Get, true) => ", every byte verified",
                (S3Operation::Get, false) => ", content not verified",
                _ => "",
            };
            format!(
                "S3 {operation} of {}, {}{verified}",
                size(work.size),
                plural(work.objects, "object")
            )
        }
    }
}

/// How it is issued.
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

/// A size that somebody chose: exact, in the largest unit that leaves it whole.
fn size(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let whole = |unit: &&(u64, &str)| bytes > 0 && bytes.is_multiple_of(unit.0);
    match units.iter().find(whole) {
        Some((unit, name)) => format!("{} {name}", count(bytes / unit)),
        None => format!("{} B", count(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_stay_exact() {
        assert_eq!(size(1_024), "1 KiB");
        assert_eq!(size(1_025), "1,025 B");
        assert_eq!(size(3 << 30), "3 GiB");
        assert_eq!(size(0), "0 B");
    }
}
