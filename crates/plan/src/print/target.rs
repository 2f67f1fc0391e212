//! Prints targets, with references in place of their secrets.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::comparing::SweepPoint;
use crate::connect::{ClientCertificate, Connect, DeadHosts, HttpVersion, Tls};
use crate::draft::TargetDraft;
use crate::duration::Time;
use crate::names::Named;
use crate::observe::{Observe, ObservePage, Processes};
use crate::reach::{Files, Launch, Reach, Ready};
use crate::searched::Searched;
use crate::secret::KeySource;
use crate::secrets::Secrets;
use crate::size::Size;
use crate::target::DEFAULT_REGION;
use crate::target::{Credentials, Target};

use crate::page::{Page, inline_table, list, text};

pub(super) fn target(page: &mut Page, target: &Target, all: &[Target], variables: &Variables) {
    page.table("[[target]]");
    let sweep = target.sweep.as_ref();
    page.key(
        &TargetDraft::name,
        text(sweep.map_or(&target.name, |point| &point.of)),
    );
    match &target.reach {
        Reach::Endpoint { url } if target.connect.hosts.is_empty() => {
            page.key(&TargetDraft::url, text(target.shown_url(url)))
        }
        Reach::Endpoint { .. } => page.key(
            &TargetDraft::urls,
            list(
                target
                    .connect
                    .hosts
                    .iter()
                    .map(|host| text(target.secrets.conceal(&host.to_string()))),
            ),
        ),
        Reach::Launched(launched) => launch(
            page,
            sweep.map_or(launched, |point| &point.template),
            &target.secrets,
        ),
        Reach::Builtin(builtin) => page.key(&TargetDraft::builtin, text(Named::name(*builtin))),
        Reach::Files(files) => page.key(&TargetDraft::url, text(file_url(files))),
    }
    if let Some(version) = &target.version {
        page.key(&TargetDraft::version, text(version));
    }
    if let Some(bytes) = target.memory {
        page.key(&TargetDraft::memory, text(Size(bytes)));
    }
    if let Some(point) = sweep {
        page.explained("sweep", sweep_table(point, all), "a target for each value");
    }
    connect(page, &target.connect);
    searched(page, &target.searched);
    if let Some(source) = &target.observe {
        page.key(&TargetDraft::observe, observe(source));
    }
    if let Some(keys) = &target.credentials {
        credentials(page, keys, &variables.of(&target.name));
    }
    page.name_unless(&TargetDraft::signature, target.signature);
    page.name_unless(&TargetDraft::store, target.store);
    if target.region != DEFAULT_REGION {
        page.key(&TargetDraft::region, text(&target.region));
    }
}

fn searched(page: &mut Page, searched: &Searched) {
    let servers = [("corpus", searched.corpus), ("status", searched.status)];
    for (key, server) in servers {
        if let Some(server) = server {
            page.pair(key, text(server));
        }
    }
    if let Some(cluster) = &searched.cluster {
        page.key(&TargetDraft::cluster, text(cluster));
    }
    if let Some(counters) = &searched.cache_counters {
        page.key(&TargetDraft::cache_counters, text(counters));
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

/// The connection settings that differ from the defaults.
fn connect(page: &mut Page, connect: &Connect) {
    if connect.http != HttpVersion::default() {
        page.key(&TargetDraft::http, text(connect.http.name()));
    }
    if let Some(path) = &connect.unix {
        page.key(&TargetDraft::unix, text(path.display()));
    }
    if !connect.resolve.is_empty() {
        page.key(
            &TargetDraft::resolve,
            list(connect.resolve.iter().map(text)),
        );
    }
    if let Some(version) = connect.ip_version {
        page.key(&TargetDraft::ip_version, version.name());
    }
    if let Some(source) = connect.source {
        page.key(&TargetDraft::source, text(source));
    }
    if connect.dead_hosts != DeadHosts::default() {
        page.key(&TargetDraft::dead_hosts, text(connect.dead_hosts.name()));
    }
    let pairs = tls(&connect.tls);
    if !pairs.is_empty() {
        let pairs = pairs.iter().map(|(key, value)| format!("{key} = {value}"));
        let table = format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "));
        if connect.tls.insecure {
            page.explained("tls", table, "certificates are not checked")
        } else {
            page.key(&TargetDraft::tls, table)
        }
    }
}

fn tls(tls: &Tls) -> Vec<(&'static str, String)> {
    let path = |path: &PathBuf| text(path.display());
    let client = |file: fn(&ClientCertificate) -> &PathBuf| tls.client.as_ref().map(file);
    [
        ("ca", tls.ca.as_ref().map(path)),
        ("cert", client(|client| &client.cert).map(path)),
        ("key", client(|client| &client.key).map(path)),
        ("insecure", tls.insecure.then(|| "true".to_owned())),
        ("server_name", tls.server_name.as_ref().map(text)),
        ("resume", tls.resume.then(|| "true".to_owned())),
        ("version", tls.version.map(|version| text(version.name()))),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?)))
    .collect()
}

fn observe(source: &Observe) -> String {
    let one = |key: &str, value: String| format!("{{ {key} = {value} }}");
    match source {
        Observe::Processes(Processes::Pid(pid)) => one("pid", pid.to_string()),
        Observe::Processes(Processes::Port(port)) => one("port", port.to_string()),
        Observe::Processes(Processes::OwnPort) => one("port", "true".to_owned()),
        Observe::Processes(Processes::Name(name)) => one("name", text(name)),
        Observe::Tenbin(page) => observed_page("tenbin", page, None),
        Observe::Prometheus { page, group } => observed_page("prometheus", page, group.as_deref()),
        Observe::Several(all) => list(all.iter().map(observe)),
    }
}

fn observed_page(key: &str, page: &ObservePage, group: Option<&str>) -> String {
    let token = page.token.as_ref().and_then(|token| match &token.source {
        KeySource::Env(variable) => Some(("token_env", text(variable))),
        KeySource::File(path) => Some(("token_file", text(path.display()))),
        // A plan reads a token only from a file or from a variable.
        KeySource::Literal | KeySource::Generated => None,
    });
    let pairs = [
        Some((key, text(&page.url))),
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

fn launch(page: &mut Page, launch: &Launch, secrets: &Secrets) {
    page.key(&TargetDraft::command, list(launch.command.iter().map(text)));
    if !launch.nodes.is_empty() {
        page.key(&TargetDraft::nodes, list(launch.nodes.iter().map(text)));
    }
    if !launch.env.is_empty() {
        let shown = |(name, value): (&String, &String)| (name.clone(), secrets.conceal(value));
        page.key(
            &TargetDraft::env,
            inline_table(&launch.env.iter().map(shown).collect()),
        );
    }
    if let Some(directory) = &launch.directory {
        page.key(&TargetDraft::directory, text(directory.display()));
    }
    page.key(&TargetDraft::url, text(&launch.url));
    match &launch.ready {
        Ready::Port => page.key(&TargetDraft::ready, "{ port = true }"),
        Ready::Url(url) => page.key(&TargetDraft::ready, format!("{{ url = {} }}", text(url))),
        Ready::Log(line) => page.key(&TargetDraft::ready, format!("{{ log = {} }}", text(line))),
    }
    page.key(&TargetDraft::ready_within, text(Time(launch.ready_within)));
    page.key(&TargetDraft::stop_within, text(Time(launch.stop_within)));
}

fn credentials(page: &mut Page, keys: &Credentials, suffix: &str) {
    if keys.secret_key_source == KeySource::Generated {
        page.comment("credentials are generated for every run");
        return;
    }
    key(page, "access_key", &keys.access_key_source, suffix);
    key(page, "secret_key", &keys.secret_key_source, suffix);
    if let Some(token) = &keys.session_token {
        key(page, "session_token", &token.source, suffix);
    }
}

fn key(page: &mut Page, name: &str, source: &KeySource, suffix: &str) {
    match source {
        KeySource::Env(variable) => page.pair(&format!("{name}_env"), text(variable)),
        KeySource::File(path) => page.pair(&format!("{name}_file"), text(path.display())),
        KeySource::Generated => {}
        KeySource::Literal => {
            let variable = format!("TENBIN_{}{suffix}", name.to_uppercase());
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
pub(super) struct Variables {
    suffixes: BTreeMap<String, String>,
}

impl Variables {
    pub(super) fn new(targets: Vec<&Target>) -> Self {
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
        let keys = target.credentials.as_ref()?;
        let token = keys.session_token.as_ref();
        let token = token.map(|token| token.secret.clone());
        Some((keys.access_key.clone(), keys.secret_key.clone(), token))
    };
    secrets(one) == secrets(other)
}

fn has_literal(target: &Target) -> bool {
    target.credentials.as_ref().is_some_and(|keys| {
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
