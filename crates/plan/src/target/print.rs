//! Prints targets, with references in place of their secrets.

use std::collections::BTreeMap;

use super::{
    Connect, Files, Host, Launch, Reach, Ready, Sessions, SweepPoint, Target, TargetDraft,
};
use crate::keys::names::Named;
use crate::keys::page::{Page, inline_table, list, text};
use crate::observe::{Observe, ObservePage, Processes, Within};
use crate::secrets::secret::KeySource;

/// Prints a target of a plan, whose targets are `all`.
pub(crate) fn target(page: &mut Page, target: &Target, all: &[Target], variables: &Variables) {
    page.table("[[target]]");
    let sweep = target.sweep.as_ref();
    page.key(
        &TargetDraft::name,
        text(sweep.map_or(&target.name, |point| &point.of)),
    );
    reach(page, target);
    if let Some(point) = sweep {
        page.explained("sweep", sweep_table(point, all), "a target for each value");
    }
    target.connect.print_keys(page);
    target.searched.print_keys(page);
    page.variable_suffix = variables.of(&target.name);
    target.print_keys(page);
    target.sessions.print_keys(page);
}

fn reach(page: &mut Page, target: &Target) {
    let hosts = &target.connect.hosts;
    match &target.reach {
        Reach::Endpoint { url } if hosts.is_empty() => {
            page.key(&TargetDraft::url, text(target.shown_url(url)));
        }
        Reach::Endpoint { .. } => {
            let hosts = hosts.iter().map(Host::to_string);
            let shown = hosts.map(|host| text(target.secrets.conceal(&host)));
            page.key(&TargetDraft::urls, list(shown));
        }
        Reach::Launched(launch) => {
            let sweep = target.sweep.as_ref();
            let mut launch = sweep.map_or(launch, |point| &point.template).clone();
            for value in launch.env.values_mut() {
                *value = target.secrets.conceal(value);
            }
            launch.print_keys(page);
        }
        Reach::Builtin(builtin) => page.key(&TargetDraft::builtin, text(Named::name(*builtin))),
        Reach::Files(files) => page.key(&TargetDraft::url, text(file_url(files))),
    }
}

pub(super) fn command(launch: &Launch, page: &mut Page) {
    page.key(&TargetDraft::command, list(launch.command.iter().map(text)));
}

pub(super) fn nodes(launch: &Launch, page: &mut Page) {
    if !launch.nodes.is_empty() {
        page.key(&TargetDraft::nodes, list(launch.nodes.iter().map(text)));
    }
}

pub(super) fn env(launch: &Launch, page: &mut Page) {
    if !launch.env.is_empty() {
        page.key(&TargetDraft::env, inline_table(&launch.env));
    }
}

pub(super) fn launched_url(launch: &Launch, page: &mut Page) {
    page.key(&TargetDraft::url, text(&launch.url));
}

pub(super) fn ready(launch: &Launch, page: &mut Page) {
    let check = match &launch.ready {
        Ready::Port => "{ port = true }".to_owned(),
        Ready::Url(url) => format!("{{ url = {} }}", text(url)),
        Ready::Log(line) => format!("{{ log = {} }}", text(line)),
    };
    page.key(&TargetDraft::ready, check);
}

pub(super) fn unix(connect: &Connect, page: &mut Page) {
    if let Some(path) = &connect.unix {
        page.key(&TargetDraft::unix, text(path.display()));
    }
}

pub(super) fn resolve(connect: &Connect, page: &mut Page) {
    if !connect.resolve.is_empty() {
        let pins = connect.resolve.iter().map(text);
        page.key(&TargetDraft::resolve, list(pins));
    }
}

pub(super) fn tls(connect: &Connect, page: &mut Page) {
    let Some(table) = connect.tls.table() else {
        return;
    };
    if connect.tls.insecure {
        page.note(&TargetDraft::tls, "certificates are not checked");
    }
    page.key(&TargetDraft::tls, table);
}

pub(super) fn observe(target: &Target, page: &mut Page) {
    if let Some(source) = &target.observe {
        page.key(&TargetDraft::observe, observed(target, source));
    }
}

/// The `file:` URL of a directory, in plan-file syntax.
fn file_url(files: &Files) -> String {
    let sync = if files.sync { "?sync" } else { "" };
    format!("file://{}{sync}", files.path.display())
}

/// The sweep as a table: every parameter with its values at all points.
fn sweep_table(first: &SweepPoint, all: &[Target]) -> String {
    let points = || {
        let points = all.iter().filter_map(|target| target.sweep.as_ref());
        points.filter(|point| point.of == first.of)
    };
    let axes = first.values.iter().map(|(name, _)| {
        let mut values: Vec<&String> = Vec::new();
        let mine = points().flat_map(|point| &point.values);
        for (_, value) in mine.filter(|(other, _)| other == name) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        format!("{name} = {}", list(values.into_iter().map(text)))
    });
    format!("{{ {} }}", axes.collect::<Vec<_>>().join(", "))
}

fn observed(target: &Target, source: &Observe) -> String {
    let one = |key: &str, value: String| format!("{{ {key} = {value} }}");
    match source {
        Observe::Processes(Processes::Pid(pid)) => one("pid", pid.to_string()),
        Observe::Processes(Processes::Port(port)) => one("port", port.to_string()),
        Observe::Processes(Processes::OwnPort) => one("port", "true".to_owned()),
        Observe::Processes(Processes::Name(name)) => one("name", text(name)),
        Observe::Processes(Processes::NameWithin(name, within)) => {
            let (key, path) = match within {
                Within::Directory(path) => ("dir", path),
                Within::Cgroup(path) => ("cgroup", path),
            };
            format!(
                "{{ name = {}, {key} = {} }}",
                text(name),
                text(path.display())
            )
        }
        Observe::Tenbin(page) => observed_page(target, "tenbin", page, None),
        Observe::Prometheus { page, group } => {
            observed_page(target, "prometheus", page, group.as_deref())
        }
        Observe::Several(all) => list(all.iter().map(|one| observed(target, one))),
    }
}

fn observed_page(target: &Target, key: &str, page: &ObservePage, group: Option<&str>) -> String {
    let token = page.token.as_ref().and_then(|token| match &token.source {
        KeySource::Env(variable) => Some(("token_env", text(variable))),
        KeySource::File(path) => Some(("token_file", text(path.display()))),
        // A plan reads a token only from a file or from a variable.
        KeySource::Literal | KeySource::Generated => None,
    });
    let pairs = [
        Some((key, text(target.shown_url(&page.url)))),
        group.map(|group| ("group", text(group))),
        token,
        page.ca.as_ref().map(|path| ("ca", text(path.display()))),
        page.insecure.then(|| ("insecure", "true".to_owned())),
    ];
    let pairs = pairs.into_iter().flatten();
    let pairs: Vec<String> = pairs
        .map(|(key, value)| format!("{key} = {value}"))
        .collect();
    format!("{{ {} }}", pairs.join(", "))
}

pub(super) fn credentials(target: &Target, page: &mut Page) {
    let Some(keys) = &target.credentials else {
        return;
    };
    if keys.secret_key_source == KeySource::Generated {
        page.comment("credentials are generated for every run");
        return;
    }
    key(page, "access_key", &keys.access_key_source);
    key(page, "secret_key", &keys.secret_key_source);
    if let Some(token) = &keys.session_token {
        key(page, "session_token", &token.source);
    }
}

pub(super) fn web_identity(sessions: &Sessions, page: &mut Page) {
    if let Some(identity) = &sessions.web_identity {
        key(page, "web_identity_token", &identity.source);
    }
}

fn key(page: &mut Page, name: &str, source: &KeySource) {
    match source {
        KeySource::Env(variable) => page.pair(&format!("{name}_env"), text(variable)),
        KeySource::File(path) => page.pair(&format!("{name}_file"), text(path.display())),
        KeySource::Generated => {}
        KeySource::Literal => {
            let variable = format!("TENBIN_{}{}", name.to_uppercase(), page.variable_suffix);
            page.explained(
                &format!("{name}_env"),
                text(variable),
                "keys are not written down: put it there",
            );
        }
    }
}

/// The environment variables for credentials that were given literally: the same variables for all
/// targets with equal credentials, otherwise separate variables for each target.
pub(crate) struct Variables {
    suffixes: BTreeMap<String, String>,
}

impl Variables {
    pub(crate) fn new(targets: Vec<&Target>) -> Self {
        let literal: Vec<&Target> = targets
            .into_iter()
            .filter(|target| has_literal(target))
            .collect();
        let same = literal
            .windows(2)
            .all(|pair| same_secrets(pair[0], pair[1]));
        let mut suffixes = BTreeMap::new();
        for (index, target) in literal.iter().enumerate() {
            let by_name = format!("_{}", as_variable(&target.name));
            let suffix = match same {
                true => String::new(),
                false if suffixes.values().any(|taken| *taken == by_name) => {
                    format!("{by_name}_{index}")
                }
                false => by_name,
            };
            suffixes.insert(target.name.clone(), suffix);
        }
        Self { suffixes }
    }

    fn of(&self, target: &str) -> String {
        self.suffixes.get(target).cloned().unwrap_or_default()
    }
}

fn same_secrets(one: &Target, other: &Target) -> bool {
    let secrets = |target: &Target| {
        let keys = target.credentials.as_ref().map(|keys| {
            let token = keys.session_token.as_ref();
            let token = token.map(|token| token.secret.clone());
            (keys.access_key.clone(), keys.secret_key.clone(), token)
        });
        let identity = target.sessions.web_identity.as_ref();
        (keys, identity.map(|identity| identity.secret.clone()))
    };
    secrets(one) == secrets(other)
}

fn has_literal(target: &Target) -> bool {
    let identity = target.sessions.web_identity.as_ref();
    let has_literal_identity = identity.is_some_and(|it| it.source == KeySource::Literal);
    has_literal_identity
        || target.credentials.as_ref().is_some_and(|keys| {
            let token = keys.session_token.as_ref();
            keys.access_key_source == KeySource::Literal
                || keys.secret_key_source == KeySource::Literal
                || token.is_some_and(|token| token.source == KeySource::Literal)
        })
}

fn as_variable(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    name.chars().map(plain).collect()
}
