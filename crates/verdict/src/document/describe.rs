//! The plan in words, without its secrets.

use std::time::Duration;

use tenbin_plan::{
    Arrivals, Builtin, HttpVersion, HttpWork, ListForm, Load, Observe, ObservePage, Pace, Patterns,
    Phase, Reach, S3Operation, S3Work, Setting, Target, Think, Trace, Workload, WorkloadKind,
};

use tenbin_result::format::{count, exact_bytes, percent, plural};
use tenbin_result::{Share, Subject};

/// What a target is: its address, its command or its name among the built-in ones,
/// and the way there if it is not the plain one.
pub(crate) fn target(target: &Target) -> String {
    let way = &target.way;
    let mut text = place(target);
    match way.hosts.len() {
        0 | 1 => {}
        several => text += &format!(" and {}", plural(several as u64 - 1, "more host")),
    }
    if let Reach::Launched(launch) = &target.reach
        && !launch.nodes.is_empty()
    {
        text += &format!(", on {}", plural(launch.nodes.len() as u64, "node"));
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
    if let Some(source) = &target.observe {
        text += &format!(", observed by {}", observed_by(source));
    }
    text
}

/// What tells how much a target uses, in words.
pub(crate) fn observed_by(source: &Observe) -> String {
    let of_page = |page: &ObservePage| match page.insecure {
        true => format!("{} (certificate NOT checked)", page.url),
        false => page.url.to_string(),
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
            // A password in an address is a secret; neither call can fail on
            // an address that has a host.
            let _ = url.set_password(None);
            let _ = url.set_username("");
            target.shown_url(&url)
        }
        Reach::Launched(launch) => launch.command.join(" "),
        Reach::Builtin(Builtin::Http) => "built-in HTTP server".to_owned(),
        Reach::Builtin(Builtin::S3Memory) => "built-in S3 server, in memory".to_owned(),
        Reach::Builtin(Builtin::S3Durable) => {
            "built-in S3 server, on disk, synced before it answers".to_owned()
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

/// What is sent.
pub(crate) fn workload(workload: &Workload) -> String {
    match &workload.kind {
        WorkloadKind::Http(HttpWork {
            patterns: Some(patterns),
            ..
        }) => drawn(patterns),
        WorkloadKind::Http(work) => {
            let path = work.shown_path();
            let path = path.as_deref().unwrap_or("the target's path");
            let body = match work.body.len() {
                0 => String::new(),
                length => format!(" with a body of {}", exact_bytes(length as u64)),
            };
            format!("HTTP {} {path}{body}", work.method)
        }
        WorkloadKind::S3(work) => s3(work) + &unusual(workload),
        WorkloadKind::Blob(work) => {
            let doing = match work.phase {
                Phase::Put => "blobs put",
                Phase::Get => "blobs read",
                Phase::Delete => "blobs deleted",
            };
            format!("{doing}, {}", work.sizes) + &unusual(workload)
        }
    }
}

/// Requests drawn from patterns. Nothing that only the file itself says: it may not be
/// there any more when a run is looked at again.
fn drawn(patterns: &Patterns) -> String {
    let file = patterns.path.display();
    let mut text = format!("HTTP requests drawn from {file}, {}", patterns.order);
    if let Some(cache) = patterns.cache {
        let size = count(u64::from(cache.size));
        text += &match cache.hit {
            Some(hit) => format!(", for {hit} hits in a cache of {size}"),
            None => format!(", for a cache of {size}"),
        };
    }
    text
}

/// What is sent, for machines.
pub(crate) fn subject(workload: &Workload) -> Subject {
    match &workload.kind {
        WorkloadKind::Http(work) => Subject {
            kind: "http".to_owned(),
            operations: vec![Share {
                operation: work.method.clone(),
                interface: work.method.clone(),
                share: 1.0,
            }],
            object_bytes: None,
            objects: None,
            part_bytes: None,
        },
        WorkloadKind::S3(work) => s3_subject(work),
        WorkloadKind::Blob(work) => Subject {
            kind: "blob".to_owned(),
            operations: vec![Share {
                operation: work.phase.name().to_owned(),
                interface: work.phase.name().to_owned(),
                share: 1.0,
            }],
            object_bytes: work.sizes.only(),
            objects: work.objects,
            part_bytes: None,
        },
    }
}

fn s3_subject(work: &S3Work) -> Subject {
    let shares = work.mix.shares().iter();
    let in_parts = |operation| matches!(operation, S3Operation::Multipart | S3Operation::GetPart);
    Subject {
        kind: "s3".to_owned(),
        operations: shares
            .map(|&(operation, share)| Share {
                operation: operation.name().to_owned(),
                interface: interface(operation, work.listing.form).to_owned(),
                share,
            })
            .collect(),
        object_bytes: work.sizes.only(),
        objects: Some(work.objects),
        part_bytes: work
            .mix
            .operations()
            .any(in_parts)
            .then_some(work.part_size),
    }
}

/// What S3 itself calls it.
fn interface(operation: S3Operation, form: ListForm) -> &'static str {
    match operation {
        S3Operation::Put => "PutObject",
        S3Operation::Get => "GetObject",
        S3Operation::Delete => "DeleteObject",
        S3Operation::DeleteBatch => "DeleteObjects",
        S3Operation::List => match form {
            ListForm::V2 => "ListObjectsV2",
            ListForm::V1 => "ListObjects",
            ListForm::Versions => "ListObjectVersions",
        },
        S3Operation::Stat => "HeadObject",
        S3Operation::Copy => "CopyObject",
        S3Operation::Multipart => "MultipartUpload",
        S3Operation::GetPart => "GetObjectPart",
        S3Operation::PutTags => "PutObjectTagging",
        S3Operation::GetTags => "GetObjectTagging",
        S3Operation::DeleteTags => "DeleteObjectTagging",
        S3Operation::Retain => "PutObjectRetention",
        S3Operation::LegalHold => "PutObjectLegalHold",
        S3Operation::Append => "AppendObject",
        S3Operation::Snowball => "SnowballUpload",
        S3Operation::ZipGet => "GetObjectFromZip",
        S3Operation::ZipList => "ListObjectsInZip",
        S3Operation::FanOut => "FanOutUpload",
    }
}

fn s3(work: &S3Work) -> String {
    let name = |operation: S3Operation| operation.name().to_uppercase();
    let operations = match work.mix.single() {
        Some(only) => name(only),
        None => {
            let all: f64 = work.mix.shares().iter().map(|(_, share)| share).sum();
            let shares =
                work.mix.shares().iter().map(|&(operation, share)| {
                    format!("{} {}", name(operation), percent(share / all))
                });
            shares.collect::<Vec<_>>().join(", ")
        }
    };
    let sizes = match work.sizes.only() {
        Some(only) => exact_bytes(only),
        None => format!("sizes {}", work.sizes),
    };
    let verified = match (work.mix.operations().any(S3Operation::reads), work.verify) {
        (true, true) => ", every byte verified",
        (true, false) => ", content not verified",
        _ => "",
    };
    format!(
        "S3 {operations} of {sizes}, {}{verified}",
        plural(work.objects, "object")
    )
}

/// What differs from the same operations with nothing else asked for, each behind a
/// comma.
fn unusual(workload: &Workload) -> String {
    let settings = workload.settings();
    let unusual = settings.iter().filter(|setting| !setting.usual);
    unusual.filter_map(in_words).collect()
}

fn in_words(Setting { key, value, .. }: &Setting) -> Option<String> {
    let words = match key.as_str() {
        // Said by what stands before.
        "verify" => return None,
        "page" => format!("pages of {value} keys"),
        "versions" => format!("{value} versions of each"),
        "buckets" => format!("{value} buckets"),
        "batch" => format!("{value} objects in a request"),
        "part_size" => format!("parts of {value}"),
        "parts_at_once" => format!("{value} parts at once"),
        "style" => format!("{value}-host style"),
        "rewrite" => "written over while they are read".to_owned(),
        _ => format!("{} {value}", key.replace('_', " ")),
    };
    Some(format!(", {words}"))
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
