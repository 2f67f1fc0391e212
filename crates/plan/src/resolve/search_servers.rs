//! Resolves settings of search servers: the pages, how they are loaded, and clusters of several
//! sizes.

use std::net::{IpAddr, Ipv4Addr};

use crate::draft::{Corpus, CorpusDraft};
use crate::keys::scalar::{At, List, Scalar};
use crate::plan::model::Plan;
use crate::plan_file::problem::Place;
use crate::relaunch::Relaunch;
use crate::resolver::Resolver;
use crate::search_servers::{CORPUS_PATTERNS, CorpusSource, SearchServer};
use crate::secrets::placeholders;
use crate::target::{Reach, Searched, Target, TargetDraft};
use crate::{Sentence, sentence};

/// Maximum number of nodes of a target on one machine.
const MOST_NODES: u64 = 100;

/// The pages; `None` without a `[corpus]`, or if the `[corpus]` is wrong, which is reported.
pub(super) fn corpus(
    resolver: &mut Resolver<'_>,
    draft: Option<&At<CorpusDraft>>,
) -> Option<Corpus> {
    let At {
        value: draft,
        place,
    } = draft?;
    let pages = resolver.value(&CorpusDraft::synthetic, &draft.synthetic);
    let dump = resolver.path("wikipedia", &draft.wikipedia);
    let language = resolver.value_or_default(&CorpusDraft::language, &draft.language);
    let seed = resolver.value_or_default(&CorpusDraft::seed, &draft.seed);
    let mut corpus = Corpus::default();
    corpus.read_keys(resolver, draft);
    if draft.synthetic.is_some() == draft.wikipedia.is_some() {
        let misspelt = ["synthetic", "wikipedia"];
        if draft.synthetic.is_none() && misspelt.iter().any(|name| resolver.findings.suggest(name))
        {
            return None;
        }
        resolver.refuse(
            *place,
            sentence!(
                "corpus-source",
                "[corpus] needs one source of pages: synthetic = 5000 generates pages, wikipedia \
                 = \"jawiki-….xml.bz2\" reads them from a dump"
            ),
        );
        return None;
    }
    let source = match dump {
        Some(dump) => {
            refuse_for_a_dump(resolver, draft);
            CorpusSource::Wikipedia(dump)
        }
        None => CorpusSource::Synthetic {
            pages: pages?,
            language,
            seed,
        },
    };
    Some(Corpus { source, ..corpus })
}

fn refuse_for_a_dump(resolver: &mut Resolver<'_>, draft: &CorpusDraft) {
    for (key, field) in [("language", &draft.language), ("seed", &draft.seed)] {
        if let Some(field) = field {
            resolver.wrong(
                field.place,
                key,
                sentence!("for-synthetic", "is for synthetic pages (synthetic)"),
            );
        }
    }
}

/// Resolves the search settings of a target.
pub(super) fn searched(resolver: &mut Resolver<'_>, draft: &TargetDraft) -> Searched {
    let mut searched = Searched::default();
    searched.read_keys(resolver, draft);
    // A kind of server that pages can be loaded into can also report its nodes.
    searched.status = searched.status.or(searched.corpus);
    for (key, place) in [
        ("unix", draft.unix.as_ref().map(|field| field.place)),
        ("resolve", draft.resolve.as_ref().map(|list| list.place)),
        ("tls", draft.tls.as_ref().map(|table| table.place)),
    ] {
        if let Some(place) = place.filter(|_| searched.status.is_some()) {
            let why = sentence!(
                "unix-with-corpus",
                "is not possible with corpus and status, which connect to the hosts of the \
                    url directly"
            );
            resolver.wrong(place, key, why);
        }
    }
    if let (Some(SearchServer::Droonga), Some(field)) = (searched.corpus, &draft.corpus) {
        resolver.wrong(
            field.place,
            "corpus",
            sentence!(
                "droonga-corpus",
                "Droonga loads pages over another protocol, on another port; load them with \
                 tenbin search load, and leave this out"
            ),
        );
    }
    searched
}

/// The addresses of a target's processes.
pub(super) fn nodes(resolver: &mut Resolver<'_>, list: Option<&At<List>>) -> Vec<IpAddr> {
    let Some(list) = list else { return Vec::new() };
    if let List::One(Scalar::Whole(_)) = &list.value {
        let field = list.items().first().map(|item| At {
            value: item.value.clone(),
            place: item.place,
        });
        let count = resolver.read("nodes", &field, |scalar| scalar.whole(1, MOST_NODES));
        let count = count.and_then(|count| u8::try_from(count).ok());
        let address = |last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last));
        return (1..=count.unwrap_or(0)).map(address).collect();
    }
    let mut nodes: Vec<IpAddr> = Vec::new();
    for At { value, place } in list.items() {
        match address(value) {
            Ok(node) if nodes.contains(&node) => {
                let why = sentence!(
                    "node-twice",
                    "{node} is listed twice; every process needs a different address",
                    node
                );
                resolver.wrong(place, "nodes", why);
            }
            Ok(node) => nodes.push(node),
            Err(why) => resolver.wrong(place, "nodes", why),
        }
    }
    if list.items().is_empty() {
        let why = sentence!(
            "nodes-empty",
            "is empty; write for example [\"127.0.0.1\", \"127.0.0.2\"], or 2"
        );
        resolver.wrong(list.place, "nodes", why);
    }
    nodes
}

fn address(scalar: &Scalar) -> Result<IpAddr, Sentence> {
    let text = scalar.text()?;
    let wrong = || {
        sentence!(
            "no-node",
            "{text:?} is not an address of this machine; write for example \"127.0.0.2\", or \
                how many nodes there are",
            text
        )
    };
    let address: IpAddr = text.parse().map_err(|_| wrong())?;
    if address.is_unspecified() || address.is_multicast() {
        Err(wrong())
    } else {
        Ok(address)
    }
}

/// Checks the placeholder `{host}` of a target with `nodes`: the command or its environment, and
/// the URL, must contain `{host}`, because every node has a different address.
pub(super) fn check_nodes(resolver: &mut Resolver<'_>, draft: &TargetDraft, reach: &Reach) {
    let (Some(list), Reach::Launched(launch)) = (&draft.nodes, reach) else {
        return;
    };
    let has_host = |text: &str| placeholders::names(text).any(|name| name == "host");
    let mut texts = launch.command.iter().chain(launch.env.values());
    if !texts.any(|text| has_host(text)) {
        let why = sentence!(
            "nodes-no-host",
            "{{host}} is missing from command and env, so the processes cannot know their \
                addresses; add {{host}} to command or env"
        );
        resolver.wrong(list.place, "nodes", why);
    }
    if !has_host(&launch.url) {
        let why = sentence!(
            "nodes-same-url",
            "does not contain {{host}}, so all nodes would have the same URL; leave url out, \
                or write \"http://{{host}}:{{port}}/\""
        );
        let place = draft.url.as_ref().map_or(list.place, |url| url.place);
        resolver.wrong(place, "url", why);
    }
    for (key, place) in [
        ("unix", draft.unix.as_ref().map(|field| field.place)),
        ("observe", draft.observe.as_ref().map(|table| table.place)),
    ] {
        if let Some(place) = place {
            resolver.wrong(
                place,
                key,
                sentence!("not-for-nodes", "is not for a target with nodes"),
            );
        }
    }
}

/// Checks that the search settings of a plan fit together; `says_pages` is true if the plan has a
/// `[corpus]`, correct or not.
pub(super) fn check(resolver: &mut Resolver<'_>, plan: &Plan, says_pages: bool) {
    // Mistakes in [corpus] have been reported.
    if !says_pages && !resolver.findings.suggest("corpus") {
        check_pages(resolver, plan);
    }
    check_clusters(resolver, plan);
    check_relaunch(resolver, plan);
    check_templates(resolver, plan);
}

/// Checks that every target has a request template, and every template a target.
fn check_templates(resolver: &mut Resolver<'_>, plan: &Plan) {
    for workload in &plan.workloads {
        let Some(by_target) = workload.patterns().and_then(|all| all.by_target.as_ref()) else {
            continue;
        };
        let mut used = Vec::new();
        for target in &plan.targets {
            match by_target.name_for(&plan.names_of(target)) {
                Some(name) => used.push(name),
                None => resolver.refuse(
                    Place::Nowhere,
                    sentence!(
                        "by-target-missing",
                        "workload {name:?} has no request for target {target:?} in by_target: \
                         name it, or the kind of server that its corpus or status names",
                        name = workload.name,
                        target = target.name
                    ),
                ),
            }
        }
        let names = by_target.templates.keys();
        for name in names.filter(|name| !used.contains(&name.as_str())) {
            resolver.refuse(
                Place::Nowhere,
                sentence!(
                    "by-target-unknown",
                    "workload {name:?} has a request for {target:?} in by_target, but that is \
                     neither the name of a target nor the kind of a target's server",
                    name = workload.name,
                    target = name
                ),
            );
        }
    }
}

fn check_pages(resolver: &mut Resolver<'_>, plan: &Plan) {
    let is_loaded = |target: &&Target| target.searched.corpus.is_some();
    let without = sentence!(
        "without-corpus",
        "but the plan has no [corpus] section, which defines the pages; add one, for example \
            with synthetic = 5000"
    );
    if let Some(target) = plan.targets.iter().find(is_loaded) {
        let name = &target.name;
        let why = sentence!(
            "pages-without-corpus",
            "pages are to be loaded into target {name:?}, {without}",
            name,
            without
        );
        resolver.refuse(Place::Nowhere, why);
    } else if plan.draws_from_corpus() {
        let why = sentence!(
            "patterns-without-corpus",
            "patterns = {corpus_patterns:?} means requests generated from pages, {without}",
            corpus_patterns = CORPUS_PATTERNS,
            without
        );
        resolver.refuse(Place::Nowhere, why);
    }
}

fn check_clusters(resolver: &mut Resolver<'_>, plan: &Plan) {
    for sizes in plan.clusters() {
        let targets = sizes.targets.iter().map(|at| &plan.targets[*at]);
        let targets: Vec<&Target> = targets.collect();
        for pair in targets.windows(2) {
            let [smaller, larger] = pair else { continue };
            if smaller.host_count() == larger.host_count() {
                resolver.refuse(
                    Place::Nowhere,
                    sentence!(
                        "same-cluster-size",
                        "targets {name:?} and {other:?} of cluster {cluster:?} have the same \
                         number of hosts; give each target of a cluster another number of hosts",
                        name = smaller.name,
                        other = larger.name,
                        cluster = sizes.cluster
                    ),
                );
            }
        }
    }
}

/// Refuses restarts if one of the targets or workloads does not support restarts. A target that is
/// not restarted would keep its caches and have an advantage.
fn check_relaunch(resolver: &mut Resolver<'_>, plan: &Plan) {
    if matches!(plan.rounds.relaunch, Relaunch::Block | Relaunch::Slice)
        && let Some(why) = plan.why_no_restarts()
    {
        resolver.refuse(Place::Nowhere, why);
    }
}
