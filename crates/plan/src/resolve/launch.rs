//! Resolves how Tenbin starts a target: its command, environment and sign of readiness.

use std::collections::BTreeMap;

use super::command_line;
use super::search_servers;
use super::sweep::Axis;
use super::url::url_template;
use crate::keys::scalar::{At, Entries, Scalar};
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::secrets::placeholders;
use crate::sentence;
use crate::target::{Launch, Ready, ReadyDraft, TargetDraft};

const DEFAULT_LAUNCHED_URL: &str = "http://127.0.0.1:{port}/";
const DEFAULT_NODE_URL: &str = "http://{host}:{port}/";

/// The launch of a target with a command; `None` if the command or the URL is wrong, which is
/// reported.
pub(super) fn resolve(
    resolver: &mut Resolver<'_>,
    draft: &TargetDraft,
    axes: &[Axis],
) -> Option<Launch> {
    let swept: Vec<&str> = axes.iter().map(|axis| axis.name.as_str()).collect();
    let command = command_line::of(resolver, draft.command.as_ref()?, &swept);
    let nodes = search_servers::nodes(resolver, draft.nodes.as_ref());
    let default_url = match nodes.as_slice() {
        [] => DEFAULT_LAUNCHED_URL,
        _ => DEFAULT_NODE_URL,
    };
    let url = resolver
        .read("url", &draft.url, |scalar| {
            url_template(scalar.text()?, &swept)
        })
        .unwrap_or_else(|| default_url.to_owned());
    let env = environment(resolver, draft.env.as_ref(), &swept);
    let says_port = |text: &String| placeholders::names(text).any(|name| name == "port");
    if let Some(command) = &command
        && nodes.is_empty()
        && draft.unix.is_none()
        && says_port(&url)
        && !command.iter().chain(env.values()).any(says_port)
    {
        let place = draft.command.as_ref()?.place;
        let message = match place {
            Place::Flag(_) => sentence!(
                "no-port-in-launch",
                "does not contain {{port}}: without it, the server does not learn the port that \
                    Tenbin has chosen; add {{port}}, or start the server yourself and give its \
                    address with --target NAME=URL"
            ),
            Place::Byte(_) | Place::Nowhere => sentence!(
                "no-port-placeholder",
                "does not contain {{port}}: without it, the server does not learn the port that \
                    Tenbin has chosen; add {{port}}, or state the server's own address as the \
                    url of the target"
            ),
        };
        resolver.wrong(place, "command", message);
        return None;
    }
    let mut launch = Launch {
        command: command?,
        nodes,
        env,
        url,
        ready: ready(resolver, draft.ready.as_ref(), &swept),
        ..Launch::default()
    };
    launch.read_keys(resolver, draft);
    launch
        .directory
        .get_or_insert_with(|| resolver.directory.clone());
    Some(launch)
}

fn environment(
    resolver: &mut Resolver<'_>,
    entries: Option<&At<Entries>>,
    swept: &[&str],
) -> BTreeMap<String, String> {
    let entries = entries.map_or(&[][..], |entries| entries.value.0.as_slice());
    let mut environment = BTreeMap::new();
    for (name, value) in entries {
        let checked = value.value.text().and_then(|text| {
            placeholders::check(text, swept)?;
            if name.is_empty() || name.contains(['=', '\0']) || text.contains('\0') {
                return Err(sentence!(
                    "no-variable",
                    "is not a valid environment variable: the name is empty or contains '=', \
                        or there is a NUL character"
                ));
            }
            Ok(text.to_owned())
        });
        match checked {
            Ok(text) => {
                environment.insert(name.clone(), text);
            }
            Err(message) => resolver.wrong(value.place, &format!("env {name}"), message),
        }
    }
    environment
}

fn ready(resolver: &mut Resolver<'_>, draft: Option<&At<ReadyDraft>>, swept: &[&str]) -> Ready {
    let Some(At {
        value: draft,
        place,
    }) = draft
    else {
        return Ready::Port;
    };
    let given = [&draft.port, &draft.url, &draft.log];
    if given.iter().filter(|field| field.is_some()).count() != 1 {
        resolver.wrong(
            *place,
            "ready",
            sentence!(
                "ready-one-of",
                "give one of {{ port = true }}, {{ url = \"http://…\" }} and {{ log = \"text\" }}"
            ),
        );
        return Ready::Port;
    }
    let _ = resolver.read("port", &draft.port, |scalar| match scalar {
        Scalar::Switch(true) => Ok(()),
        other => Err(sentence!(
            "ready-port",
            "must be true, not {other}; the port is the port of the target's url",
            other
        )),
    });
    let url = resolver.read("ready", &draft.url, |scalar| {
        url_template(scalar.text()?, swept).map(Ready::Url)
    });
    let log = resolver.read("ready", &draft.log, |scalar| match scalar.text()? {
        "" => Err(sentence!(
            "ready-empty",
            "the text is empty, so any output would match; write a text that the server \
                prints when ready"
        )),
        text if placeholders::names(text).any(|name| name == "secret_key") => Err(sentence!(
            "ready-secret",
            "{{secret_key}} is not allowed here: the output of a server must not contain it"
        )),
        text => Ok(Ready::Log(text.to_owned())),
    });
    url.or(log).unwrap_or(Ready::Port)
}
