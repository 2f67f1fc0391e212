//! Resolves the connection settings of a target.

use std::path::PathBuf;

use url::Url;

use super::tls;
use crate::keys::names::Named;
use crate::keys::scalar::{At, Field, List, Scalar};
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::secrets::placeholders;
use crate::target::{Connect, Host, HttpVersion, NOT_BUILT_IN, Pin, Reach, TargetDraft, ip};
use crate::{Sentence, sentence};

/// Longest path of a Unix socket, bytes: a socket address of Linux holds 108 bytes with the final
/// NUL.
const LONGEST_SOCKET_PATH: usize = 107;

/// Resolves the connection settings; `hosts` are the hosts of a running target, and empty for other
/// targets.
pub(super) fn resolve(
    resolver: &mut Resolver<'_>,
    draft: &TargetDraft,
    reach: &Reach,
    hosts: Vec<Host>,
) -> Connect {
    let mut connect = Connect {
        tls: tls::resolve(resolver, draft.tls.as_ref(), reach),
        unix: unix(resolver, &draft.unix, reach),
        resolve: pins(resolver, draft.resolve.as_ref(), reach, &hosts),
        hosts: if hosts.len() > 1 { hosts } else { Vec::new() },
        ..Connect::default()
    };
    connect.read_keys(resolver, draft);
    if let (Reach::Builtin(_) | Reach::Files(_), Some(place)) = (reach, place(&draft.http))
        && connect.http != HttpVersion::Http1
    {
        resolver.wrong(place, TargetDraft::http.name, NOT_BUILT_IN);
    }
    refuse_contradictions(resolver, draft, &connect);
    connect
}

fn place(field: &Field) -> Option<Place> {
    Some(field.as_ref()?.place)
}

fn refuse_contradictions(resolver: &mut Resolver<'_>, draft: &TargetDraft, connect: &Connect) {
    if connect.unix.is_some() {
        let keys = [
            ("source", place(&draft.source)),
            ("ip_version", place(&draft.ip_version)),
            ("resolve", draft.resolve.as_ref().map(|list| list.place)),
        ];
        for (key, place) in keys {
            if let Some(place) = place {
                resolver.wrong(
                    place,
                    key,
                    sentence!(
                        "no-effect-with-socket",
                        "has no effect with a Unix socket (unix); leave it out"
                    ),
                );
            }
        }
    }
    if let (Some(place), true) = (place(&draft.dead_hosts), connect.hosts.len() < 2) {
        resolver.wrong(
            place,
            "dead_hosts",
            sentence!(
                "for-several-hosts",
                "is for a target with several hosts; leave it out"
            ),
        );
    }
    if let (Some(place), true) = (place(&draft.unix), connect.hosts.len() > 1) {
        resolver.wrong(
            place,
            "unix",
            sentence!("one-socket", "one socket cannot reach several hosts"),
        );
    }
    if let (Some(place), Some(source), Some(version)) =
        (place(&draft.source), connect.source, connect.ip_version)
        && !version.has(source)
    {
        let why = sentence!(
            "source-version",
            "{source} is not an IPv{version} address, which ip_version requires; change \
                source or ip_version",
            source,
            version = Named::name(version)
        );
        resolver.wrong(place, "source", why);
    }
}

fn unix(resolver: &mut Resolver<'_>, field: &Field, reach: &Reach) -> Option<PathBuf> {
    let launched = matches!(reach, Reach::Launched(_));
    let path = resolver.read("unix", field, |scalar| socket_path(scalar, launched))?;
    let path = if path.starts_with("{data}") {
        PathBuf::from(path)
    } else {
        resolver.directory.join(path)
    };
    let length = path.as_os_str().len();
    if length > LONGEST_SOCKET_PATH {
        let why = sentence!(
            "socket-path-long",
            "{path} has {length} bytes, and the path of a Unix socket has at most \
                {longest_socket_path}",
            path = path.display(),
            length,
            longest_socket_path = LONGEST_SOCKET_PATH
        );
        resolver.wrong(field.as_ref()?.place, "unix", why);
        return None;
    }
    Some(path)
}

fn socket_path(scalar: &Scalar, launched: bool) -> Result<String, Sentence> {
    let path = scalar.text()?;
    if path.is_empty() || path.contains('\0') {
        return Err(sentence!(
            "no-socket-path",
            "is not the path of a socket; write for example \"/run/server.sock\""
        ));
    }
    if launched {
        placeholders::check(path, &[])?;
        let allowed = ["data", "port"];
        if let Some(name) = placeholders::names(path).find(|name| !allowed.contains(name)) {
            return Err(sentence!(
                "no-placeholder-in-socket",
                "{{{name}}} is not allowed in the path of a socket",
                name
            ));
        }
    }
    Ok(path.to_owned())
}

fn pins(
    resolver: &mut Resolver<'_>,
    list: Option<&At<List>>,
    reach: &Reach,
    hosts: &[Host],
) -> Vec<Pin> {
    let mut pins: Vec<Pin> = Vec::new();
    let Some(list) = list else { return pins };
    if matches!(reach, Reach::Launched(_)) {
        let why = sentence!(
            "pin-for-running",
            "is for a running target; write the address into the url of this target, and the \
                name in its certificate into tls.server_name"
        );
        resolver.wrong(list.place, "resolve", why);
        return pins;
    }
    for At { value, place } in list.items() {
        match value.text().and_then(pin) {
            // An address given by a flag can be for another target.
            Ok(pin) if !is_used(&pin, hosts) && matches!(place, Place::Flag(_)) => {}
            Ok(pin) if !is_used(&pin, hosts) => {
                let why = sentence!(
                    "pin-no-host",
                    "no host of this target is {host}:{port}",
                    host = pin.host,
                    port = pin.port
                );
                resolver.wrong(place, "resolve", why);
            }
            Ok(pin) if is_for(&pins, &pin) => {
                let why = sentence!(
                    "pin-twice",
                    "{host}:{port} is given twice; put all its addresses behind it with commas",
                    host = pin.host,
                    port = pin.port
                );
                resolver.wrong(place, "resolve", why);
            }
            Ok(pin) => pins.push(pin),
            Err(message) => resolver.wrong(place, "resolve", message),
        }
    }
    pins
}

fn is_for(pins: &[Pin], pin: &Pin) -> bool {
    pins.iter()
        .any(|other| (&other.host, other.port) == (&pin.host, pin.port))
}

fn is_used(pin: &Pin, hosts: &[Host]) -> bool {
    let at = |url: &Url| {
        url.host_str() == Some(pin.host.as_str()) && url.port_or_known_default() == Some(pin.port)
    };
    hosts.iter().any(|host| at(&host.url))
}

/// Reads `name:port:address[,address…]`.
fn pin(text: &str) -> Result<Pin, Sentence> {
    let wrong = || {
        sentence!(
            "no-pin",
            "{text:?} is not name:port:address; write for example \"db:9000:127.0.0.1,[::1]\"",
            text
        )
    };
    let (host, rest) = text.split_once(':').ok_or_else(wrong)?;
    let (port, listed) = rest.split_once(':').ok_or_else(wrong)?;
    let port = port
        .parse()
        .ok()
        .filter(|&port| port > 0)
        .ok_or_else(wrong)?;
    if host.is_empty() || host.starts_with('[') {
        return Err(wrong());
    }
    let mut addresses = Vec::new();
    for item in listed.split(',') {
        let address = ip(item.trim()).ok_or_else(|| {
            sentence!(
                "pin-no-address",
                "{item:?} in {text:?} is not an address",
                item,
                text
            )
        })?;
        if addresses.contains(&address) {
            return Err(sentence!(
                "pin-address-twice",
                "{address} is twice in {text:?}",
                address,
                text
            ));
        }
        addresses.push(address);
    }
    Ok(Pin {
        host: host.to_ascii_lowercase(),
        port,
        addresses,
    })
}

/// Refuses addresses given by the flag `--resolve` for hosts that no target has. `given` are the
/// `resolve` lists of all targets, `settings` their resolved settings.
pub(super) fn refuse_unused_flags(
    resolver: &mut Resolver<'_>,
    given: &[At<List>],
    settings: &[&Connect],
) {
    for At { value, place } in given.iter().flat_map(At::items) {
        let Ok(pin) = value.text().and_then(pin) else {
            continue;
        };
        let is_used = settings
            .iter()
            .any(|connect| connect.resolve.contains(&pin));
        if matches!(place, Place::Flag(_)) && !is_used {
            let why = sentence!(
                "pin-no-target",
                "no target has a host {host}:{port}",
                host = pin.host,
                port = pin.port
            );
            resolver.wrong(place, "resolve", why);
        }
    }
}
