//! Resolves the sources of a target's resource usage.

use std::path::PathBuf;

use super::credentials::{file, one_of, variable};
use super::url as urls;
use crate::draft::{ObserveDraft, ObservedDraft};
use crate::keys::scalar::{At, Field, Scalar};
use crate::observe::{Observe, ObservePage, Processes, Token, Within};
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::target::{Connect, Host, Reach};
use crate::{Sentence, sentence};

/// The largest process id (the kernel's `PID_MAX_LIMIT`).
const MOST_PIDS: u64 = 1 << 22;

pub(super) fn resolve(
    resolver: &mut Resolver<'_>,
    draft: Option<&At<ObservedDraft>>,
    reach: &Reach,
    connect: &Connect,
) -> Option<Observe> {
    let At { value, place } = draft?;
    let drafts: Vec<(&ObserveDraft, Place)> = match value {
        ObservedDraft::One(draft) => vec![(&**draft, *place)],
        ObservedDraft::Several(list) => list.iter().map(|one| (&one.value, one.place)).collect(),
    };
    if drafts.is_empty() {
        resolver.wrong(
            *place,
            "observe",
            sentence!("empty-list", "is empty; leave it out"),
        );
        return None;
    }
    let is_only_one = drafts.len() == 1;
    let mut all: Vec<Observe> = Vec::new();
    for (draft, place) in &drafts {
        let found = source(resolver, draft, *place)?;
        refuse_others(resolver, draft, &found);
        if let Err(why) = suits(&found, reach, connect, is_only_one) {
            resolver.wrong(*place, "observe", why);
            return None;
        }
        if all.contains(&found) {
            resolver.wrong(
                *place,
                "observe",
                sentence!(
                    "observed-twice",
                    "is listed twice, so its CPU time would be counted twice; remove one"
                ),
            );
            return None;
        }
        all.push(found);
    }
    if is_only_one {
        all.pop()
    } else {
        Some(Observe::Several(all))
    }
}

fn source(resolver: &mut Resolver<'_>, draft: &ObserveDraft, place: Place) -> Option<Observe> {
    let ways = [
        ("pid", &draft.pid),
        ("port", &draft.port),
        ("name", &draft.name),
        ("tenbin", &draft.tenbin),
        ("prometheus", &draft.prometheus),
    ];
    let mut given = ways.iter().filter(|(_, field)| field.is_some());
    let (Some((key, _)), None) = (given.next(), given.next()) else {
        resolver.wrong(
            place,
            "observe",
            sentence!(
                "observe-one-of",
                "give one of {{ pid = 1234 }}, {{ port = true }}, {{ port = 8080 }}, {{ name = \
                 \"nginx\" }}, {{ tenbin = \"https://…\" }} and {{ prometheus = \"http://…\" }}"
            ),
        );
        return None;
    };
    match *key {
        "pid" => {
            let pid = resolver.read("observe.pid", &draft.pid, |scalar| {
                scalar.whole(1, MOST_PIDS)
            })?;
            Some(Observe::Processes(Processes::Pid(u32::try_from(pid).ok()?)))
        }
        "port" => resolver
            .read("observe.port", &draft.port, port)
            .map(Observe::Processes),
        "name" => named(resolver, draft).map(Observe::Processes),
        "tenbin" => {
            let page = page(resolver, "tenbin", &draft.tenbin, draft, place)?;
            if page.token.is_none() {
                resolver.wrong(
                    place,
                    "observe",
                    sentence!(
                        "observe-needs-token",
                        "tenbin observe requires its token; name the file with token_file \
                         (--observe-token-file), or a variable with token_env \
                         (--observe-token-env)"
                    ),
                );
            }
            Some(Observe::Tenbin(page))
        }
        _ => {
            let page = page(resolver, "prometheus", &draft.prometheus, draft, place)?;
            let group = resolver.read("observe.group", &draft.group, |scalar| {
                group(scalar).map(str::to_owned)
            });
            Some(Observe::Prometheus { page, group })
        }
    }
}

/// The processes with the name, in the directory or in the cgroup of `draft`, if any.
fn named(resolver: &mut Resolver<'_>, draft: &ObserveDraft) -> Option<Processes> {
    let name = resolver.read("observe.name", &draft.name, name)?;
    let directory = resolver.path("observe.dir", &draft.dir);
    let cgroup = resolver.read("observe.cgroup", &draft.cgroup, cgroup);
    if let (Some(field), Some(_)) = (&draft.cgroup, &directory) {
        let why = sentence!(
            "not-with-dir",
            "cannot be given with dir; leave one of them out"
        );
        resolver.wrong(field.place, "observe.cgroup", why);
    }
    let directory = directory.map(Within::Directory);
    Some(match directory.or(cgroup.map(Within::Cgroup)) {
        None => Processes::Name(name),
        Some(within) => Processes::NameWithin(name, within),
    })
}

fn cgroup(scalar: &Scalar) -> Result<PathBuf, Sentence> {
    let path = scalar.text()?;
    if path.starts_with('/') && !path.chars().any(char::is_control) {
        Ok(path.into())
    } else {
        Err(sentence!(
            "no-cgroup",
            "{path:?} is not the path of a cgroup; /proc/PID/cgroup has the path, for example \
                /system.slice/minio.service",
            path
        ))
    }
}

fn port(scalar: &Scalar) -> Result<Processes, Sentence> {
    match scalar {
        Scalar::Switch(true) => Ok(Processes::OwnPort),
        Scalar::Whole(_) => {
            let port = scalar.whole(1, u64::from(u16::MAX))?;
            Ok(Processes::Port(port as u16))
        }
        other => Err(sentence!(
            "observe-no-port",
            "{other} is not a port; write its number, or true for the one in the target's url",
            other
        )),
    }
}

fn name(scalar: &Scalar) -> Result<String, Sentence> {
    let name = scalar.text()?;
    if name.is_empty() || name.contains('/') || name.chars().any(char::is_control) {
        return Err(sentence!(
            "no-process-name",
            "{name:?} is not the name of a process; write that of its program, without a path",
            name
        ));
    }
    Ok(name.to_owned())
}

fn group(scalar: &Scalar) -> Result<&str, Sentence> {
    match scalar.text()? {
        "" => Err(sentence!("is-empty", "is empty")),
        group if group.chars().any(char::is_control) => Err(sentence!(
            "has-control",
            "contains a line break or another control character"
        )),
        group => Ok(group),
    }
}

fn page(
    resolver: &mut Resolver<'_>,
    key: &str,
    field: &Field,
    draft: &ObserveDraft,
    place: Place,
) -> Option<ObservePage> {
    let url = resolver.read(&dotted(key), field, |scalar| urls::checked(scalar.text()?))?;
    let token = one_of(
        resolver,
        place,
        &[
            ("observe.token_env", variable(&draft.token_env)),
            ("observe.token_file", file(&draft.token_file)),
        ],
    );
    let is_https = url.scheme() == "https";
    let of_tls = [("ca", &draft.ca), ("insecure", &draft.insecure)];
    for (key, field) in of_tls {
        if let (Some(field), false) = (field, is_https) {
            let why = sentence!(
                "page-not-https",
                "is for https, and this page does not begin with https://"
            );
            resolver.wrong(field.place, &dotted(key), why);
        }
    }
    let ca = ca(resolver, &draft.ca);
    let insecure = resolver
        .read("observe.insecure", &draft.insecure, Scalar::switch)
        .unwrap_or(false);
    if let (Some(ca), true) = (&draft.ca, insecure) {
        let why = sentence!(
            "insecure-with-ca",
            "no certificate is checked when insecure is set; leave out one of the two"
        );
        resolver.wrong(ca.place, "observe.ca", why);
    }
    Some(ObservePage {
        url,
        token: token.map(|(secret, source)| Token { secret, source }),
        ca,
        insecure,
    })
}

/// The PEM file, which is read now so that a wrong path is reported before anything starts.
fn ca(resolver: &mut Resolver<'_>, field: &Field) -> Option<PathBuf> {
    let path = resolver.path("observe.ca", field)?;
    resolver.file(field.as_ref()?.place, "observe.ca", &path)?;
    Some(path)
}

fn dotted(key: &str) -> String {
    format!("observe.{key}")
}

/// Refuses keys that belong to another source.
fn refuse_others(resolver: &mut Resolver<'_>, draft: &ObserveDraft, found: &Observe) {
    let of_pages = [
        ("token_env", &draft.token_env),
        ("token_file", &draft.token_file),
        ("ca", &draft.ca),
        ("insecure", &draft.insecure),
    ];
    if matches!(found, Observe::Processes(_)) {
        for (key, field) in of_pages {
            if let Some(field) = field {
                let why = sentence!(
                    "for-a-page",
                    "is for a page (tenbin or prometheus), and this is a process"
                );
                resolver.wrong(field.place, &dotted(key), why);
            }
        }
    }
    for (key, field) in [("dir", &draft.dir), ("cgroup", &draft.cgroup)] {
        if let (Some(field), None) = (field, &draft.name) {
            let why = sentence!(
                "for-named-processes",
                "is for processes that are observed by name"
            );
            resolver.wrong(field.place, &dotted(key), why);
        }
    }
    if let (Some(field), false) = (&draft.group, matches!(found, Observe::Prometheus { .. })) {
        let why = sentence!(
            "for-prometheus",
            "is for a page of Prometheus' process exporter"
        );
        resolver.wrong(field.place, "observe.group", why);
    }
}

/// Whether a port is that of all hosts, which are addresses of this machine: processes are found by
/// their port, on whatever address they listen.
fn covers_all(found: &Observe, connect: &Connect) -> bool {
    let is_loopback = |host: &Host| match host.url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    let port_of = |host: &Host| host.url.port_or_known_default();
    let own = connect.hosts.first().and_then(port_of);
    let port = match found {
        Observe::Processes(Processes::Port(port)) => Some(*port),
        Observe::Processes(Processes::OwnPort) => own,
        _ => None,
    };
    let mut hosts = connect.hosts.iter();
    port.is_some() && hosts.all(|host| is_loopback(host) && port_of(host) == port)
}

fn suits(
    found: &Observe,
    reach: &Reach,
    connect: &Connect,
    is_only_one: bool,
) -> Result<(), Sentence> {
    let by_name = matches!(found, Observe::Processes(processes) if processes.are_named());
    let by_pid = matches!(found, Observe::Processes(Processes::Pid(_)));
    let by_own_port = matches!(found, Observe::Processes(Processes::OwnPort));
    match reach {
        Reach::Builtin(_) => Err(sentence!(
            "observed-built-in",
            "is not for a built-in server, which is always observed"
        )),
        Reach::Files(_) => Err(sentence!(
            "observed-directory",
            "is not for a directory, which has no server"
        )),
        Reach::Launched(_) if by_pid => Err(sentence!(
            "observed-pid-of-launched",
            "a launched target has no process yet; use port or name, or leave out observe: \
                launched targets are always observed"
        )),
        _ if connect.hosts.len() > 1 && !by_name && is_only_one && !covers_all(found, connect) => {
            Err(sentence!(
                "observe-several-hosts",
                "a target with several hosts needs several sources; give a list, or use name \
                    for processes that are all on this machine"
            ))
        }
        _ if by_own_port && connect.unix.is_some() => Err(sentence!(
            "observe-socket",
            "the port of the url is not used with a Unix socket; use pid or name"
        )),
        _ => Ok(()),
    }
}
