//! Resolves the systems under test.

use std::path::Path;

use url::Url;

use super::connect;
use super::credentials::{self, Usage};
use super::hosts;
use super::launch;
use super::observe;
use super::search_servers;
use super::sessions;
use super::sweep::{self, Axis};
use super::url as urls;
use crate::keys::names::Named;
use crate::keys::relations;
use crate::keys::row::Section as _;
use crate::keys::scalar::{At, List, Scalar};
use crate::naming::{self, Names};
use crate::plan::workload::Workload;
use crate::plan_file::mistake::Mistake;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::sentence;
use crate::store::Store;
use crate::target::{Builtin, Credentials, Files, Host, Reach, Target, TargetDraft};
use crate::work::Facts;

/// Maximum number of targets: every round measures every target, and with more targets a round
/// would take minutes.
const MOST_TARGETS: usize = 64;

/// Refuses a plan with more than [`MOST_TARGETS`] targets, before any target is resolved. Returns
/// whether the plan was refused.
pub(super) fn refuse_too_many(resolver: &mut Resolver<'_>, drafts: &[At<TargetDraft>]) -> bool {
    let mut count = 0_usize;
    let mut first_beyond = None;
    for draft in drafts {
        count = count.saturating_add(sweep::combinations(&draft.value));
        if count > MOST_TARGETS {
            first_beyond = first_beyond.or(Some(draft.place));
        }
    }
    if let Some(place) = first_beyond {
        let message = sentence!(
            "many-targets",
            "a plan has at most {most_targets} targets, and this one has {count}, the values \
                of sweeps counted; divide it into several plans",
            most_targets = MOST_TARGETS,
            count
        );
        resolver.refuse(place, message);
    }
    first_beyond.is_some()
}

/// The features that workloads need on targets.
pub(super) struct Needs<'a>(&'a [Workload]);

impl<'a> Needs<'a> {
    pub(super) fn of(workloads: &'a [Workload]) -> Self {
        Self(workloads)
    }

    /// The name of a workload that needs S3 on a target with this storage protocol, if any.
    /// A workload that needs S3 with every storage protocol is preferred.
    fn s3_of(&self, store: Store) -> Option<&'a str> {
        let needs = |store| self.name(|facts| facts.needs_s3(store));
        needs(Store::default()).or_else(|| needs(store))
    }

    /// What the credentials of a target are for.
    fn usage(&self, target: &Target, reach: &Reach, has_web_identity: bool) -> Usage<'a> {
        let s3_workload = self.s3_of(reach.store(target.store));
        Usage {
            signature: target.signature,
            s3_workload,
            has_web_identity,
            secret_is_enough: s3_workload.is_none() && self.beyond_blob_stores().is_none(),
        }
    }

    /// The name of a workload that blob stores do not support, if any.
    fn beyond_blob_stores(&self) -> Option<&'a str> {
        self.name(|facts| !facts.is_for_blob_stores())
    }

    fn name(&self, is_meant: impl Fn(&dyn Facts) -> bool) -> Option<&'a str> {
        let found = self.0.iter().find(|work| is_meant(work.facts()));
        found.map(|work| work.name.as_str())
    }
}

pub(super) fn resolve_all(
    resolver: &mut Resolver<'_>,
    drafts: Vec<At<TargetDraft>>,
    needs: &Needs<'_>,
) -> Vec<Target> {
    if drafts.is_empty() {
        resolver.refuse(Place::Nowhere, Mistake::no_target());
    }
    let pinned: Vec<At<List>> = drafts
        .iter()
        .filter_map(|draft| draft.value.resolve.clone())
        .collect();
    let mut names = Names::default();
    let targets: Vec<Target> = drafts
        .into_iter()
        .flat_map(
            |At {
                 value: draft,
                 place,
             }| {
                let axes = sweep::axes(resolver, &draft);
                match one(resolver, &mut names, &draft, place, &axes, needs) {
                    Some(target) => swept(resolver, &mut names, target, &axes, &draft, needs),
                    None => Vec::new(),
                }
            },
        )
        .collect();
    let settings: Vec<_> = targets.iter().map(|target| &target.connect).collect();
    connect::refuse_unused_flags(resolver, &pinned, &settings);
    targets
}

/// Resolves the target as written, with the parameters of its sweep in braces.
fn one(
    resolver: &mut Resolver<'_>,
    names: &mut Names,
    draft: &TargetDraft,
    place: Place,
    axes: &[Axis],
    needs: &Needs<'_>,
) -> Option<Target> {
    let reach = reach(resolver, draft, place, axes);
    let name = names.pick(resolver, "target", &draft.name, || match &reach {
        Some((reach, _)) => default_name(reach),
        None => "target".to_owned(),
    });
    let mut target = Target::default();
    relations::check(resolver, draft);
    target.read_keys(resolver, draft);
    let (reach, hosts) = reach?;
    check_supports_work(resolver, place, &name, &reach, needs);
    let s3_workload = needs.s3_of(reach.store(target.store));
    let connect = connect::resolve(resolver, draft, &reach, hosts);
    if let Some(workload) = s3_workload {
        check_speaks_s3(resolver, draft, place, &name, &reach, workload);
    }
    let sessions = sessions::resolve(resolver, draft, place);
    let usage = needs.usage(&target, &reach, sessions.web_identity.is_some());
    sessions::check(resolver, place, &name, draft, usage);
    let credentials = credentials::resolve(resolver, draft, place, &name, &reach, usage);
    search_servers::check_nodes(resolver, draft, &reach);
    let searched = search_servers::searched(resolver, draft);
    let observe = observe::resolve(resolver, draft.observe.as_ref(), &reach, &connect);
    let reach = without_secret(resolver, reach, credentials.as_ref(), draft);
    Some(Target {
        name,
        reach,
        connect,
        credentials,
        observe,
        searched,
        sessions,
        secrets: draft.secrets.clone(),
        ..target
    })
}

/// `reach` with the secret key removed from a launched target's settings.
fn without_secret(
    resolver: &mut Resolver<'_>,
    reach: Reach,
    credentials: Option<&Credentials>,
    draft: &TargetDraft,
) -> Reach {
    match (reach, credentials) {
        (Reach::Launched(launch), Some(keys)) => {
            Reach::Launched(credentials::kept_out_of(resolver, launch, keys, draft))
        }
        (reach, _) => reach,
    }
}

/// One target for each point of the sweep; without a sweep, only `target` itself.
fn swept(
    resolver: &mut Resolver<'_>,
    names: &mut Names,
    target: Target,
    axes: &[Axis],
    draft: &TargetDraft,
    needs: &Needs<'_>,
) -> Vec<Target> {
    let (Reach::Launched(template), Some(sweep)) = (&target.reach, &draft.sweep) else {
        return vec![target];
    };
    if axes.is_empty() {
        return vec![target];
    }
    sweep::check_used(resolver, axes, template, sweep.place);
    let mut targets = Vec::new();
    for values in sweep::points(axes) {
        let name = sweep::name_of(&target.name, &values);
        names.take(resolver, "target", &name, sweep.place);
        let (launch, point) =
            sweep::at_point(resolver, template, &target.name, values, sweep.place);
        let reach = Reach::Launched(launch);
        // Generated keys differ between servers.
        let usage = needs.usage(&target, &reach, target.sessions.web_identity.is_some());
        let credentials = credentials::resolve(resolver, draft, sweep.place, &name, &reach, usage);
        let reach = without_secret(resolver, reach, credentials.as_ref(), draft);
        targets.push(Target {
            name,
            reach,
            credentials,
            sweep: Some(point),
            ..target.clone()
        });
    }
    targets
}

/// How the target is reached, and the hosts of a running target; no hosts for other targets.
fn reach(
    resolver: &mut Resolver<'_>,
    draft: &TargetDraft,
    place: Place,
    axes: &[Axis],
) -> Option<(Reach, Vec<Host>)> {
    let ways = [
        ("url", draft.url.is_some() && draft.command.is_none()),
        ("urls", draft.urls.is_some() && draft.url.is_none()),
        ("command", draft.command.is_some()),
        ("builtin", draft.builtin.is_some()),
    ];
    let mut taken = ways.iter().filter(|(_, given)| *given).map(|&(way, _)| way);
    let ways = (taken.next(), taken.next());
    if let (Some(_), None) = ways {
        refuse_other_targets_keys(resolver, draft);
    }
    match ways {
        (None, _) => {
            resolver.refuse(
                place,
                sentence!(
                    "target-of-nothing",
                    "a target needs a url, a command that starts it, or builtin = \"s3-memory\" \
                     or another built-in server"
                ),
            );
            None
        }
        (Some(first), Some(second)) => {
            resolver.refuse(
                place,
                sentence!(
                    "either-target",
                    "a target has either {first} or {second}, not both",
                    first,
                    second
                ),
            );
            None
        }
        (Some("command"), None) => launch::resolve(resolver, draft, axes)
            .map(|launch| (Reach::Launched(launch), Vec::new())),
        (Some(way), None) => {
            if way == "builtin" {
                let builtin = resolver.choice("builtin", &draft.builtin)?;
                Some((Reach::Builtin(builtin), Vec::new()))
            } else if let Some(files) = files(resolver, draft) {
                Some((Reach::Files(files?), Vec::new()))
            } else {
                let hosts = hosts::resolve(resolver, draft)?;
                let url = hosts.first()?.url.clone();
                Some((Reach::Endpoint { url }, hosts))
            }
        }
    }
}

/// Refuses keys that are for other targets only.
fn refuse_other_targets_keys(resolver: &mut Resolver<'_>, draft: &TargetDraft) {
    for (name, place) in draft.given() {
        let key = TargetDraft::KEYS.iter().find(|key| key.name == name);
        if let Some(scope) = key.and_then(|key| key.scope).filter(|it| !draft.is_in(it)) {
            resolver.wrong(place, name, scope.why);
        }
    }
}

/// The directory in the `file:` URL of a target; `None` for a target without such a URL, and
/// `Some(None)` if the URL is wrong, which is reported.
fn files(resolver: &mut Resolver<'_>, draft: &TargetDraft) -> Option<Option<Files>> {
    let is_file =
        |field: &&At<Scalar>| field.value.text().is_ok_and(|url| url.starts_with("file:"));
    draft.url.as_ref().filter(is_file)?;
    let directory = resolver.directory.clone();
    Some(resolver.read("url", &draft.url, |scalar| {
        let text = scalar.text()?;
        let (place, query) = match text.split_once('?') {
            Some((place, query)) => (place, Some(query)),
            None => (text, None),
        };
        let path = place.strip_prefix("file://").unwrap_or_default();
        if path.is_empty() {
            return Err(sentence!(
                "no-directory-name",
                "{text:?} names no directory; write for example \"file:///mnt/data\"",
                text
            ));
        }
        match query {
            None | Some("sync") => Ok(Files {
                path: directory.join(path),
                sync: query.is_some(),
            }),
            Some(other) => Err(sentence!(
                "no-directory-option",
                "{other:?} is no option of a directory; \"?sync\" syncs every file to disk",
                other
            )),
        }
    }))
}

/// Refuses workloads of other kinds than `blob` on a directory, the dummy or the built-in blob
/// server.
fn check_supports_work(
    resolver: &mut Resolver<'_>,
    place: Place,
    name: &str,
    reach: &Reach,
    needs: &Needs<'_>,
) {
    let what = match reach {
        Reach::Files(_) => sentence!("is-directory", "is a directory"),
        Reach::Builtin(Builtin::Dummy) => sentence!("is-no-server", "is no server"),
        Reach::Builtin(builtin) if builtin.is_blob_store() => {
            sentence!("is-blob-server", "is the built-in blob server")
        }
        _ => return,
    };
    if let Some(workload) = needs.beyond_blob_stores() {
        resolver.refuse(
            place,
            sentence!(
                "blob-only",
                "target {name:?} {what}, which supports workloads of kind \"blob\" only, and \
                 {workload:?} is of another kind",
                name,
                workload,
                what
            ),
        );
    }
}

fn check_speaks_s3(
    resolver: &mut Resolver<'_>,
    draft: &TargetDraft,
    place: Place,
    name: &str,
    reach: &Reach,
    workload: &str,
) {
    match reach {
        Reach::Builtin(builtin) if builtin.is_http() => resolver.refuse(
            place,
            sentence!(
                "no-s3-here",
                "target {name:?} is a built-in HTTP server, which does not speak S3, and workload \
                 {workload:?} does; use builtin = {memory:?} or {durable:?}",
                name,
                workload,
                memory = Builtin::S3Memory.name(),
                durable = Builtin::S3Durable.name()
            ),
        ),
        Reach::Endpoint { url } if !urls::is_bare(url) => {
            let place = draft.url.as_ref().map_or(place, |url| url.place);
            resolver.wrong(
                place,
                "url",
                sentence!(
                    "s3-with-path",
                    "an S3 endpoint is scheme, host and port, without a path; {url:?} has one",
                    url = url.as_str()
                ),
            );
        }
        _ => {}
    }
}

fn default_name(reach: &Reach) -> String {
    let text = match reach {
        Reach::Endpoint { url } => address(url),
        Reach::Launched(launch) => launch
            .command
            .first()
            .and_then(|program| Path::new(program).file_name())
            .map(|program| program.to_string_lossy().into_owned())
            .unwrap_or_default(),
        Reach::Builtin(builtin) => Named::name(*builtin).to_owned(),
        Reach::Files(files) if files.sync => "files-sync".to_owned(),
        Reach::Files(_) => "files".to_owned(),
    };
    match naming::from_text(&text) {
        empty if empty.is_empty() => "target".to_owned(),
        name => name,
    }
}

fn address(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}-{port}"),
        None => host.to_owned(),
    }
}
