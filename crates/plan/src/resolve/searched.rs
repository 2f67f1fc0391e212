//! Search servers: the pages, how they get into a target, and clusters of several sizes.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Component, Path};

use super::naming;
use crate::desk::Desk;
use crate::draft::{CorpusDraft, TargetDraft};
use crate::model::Plan;
use crate::placeholders;
use crate::problem::Place;
use crate::reach::Reach;
use crate::relaunch::Relaunch;
use crate::scalar::{At, List, Scalar};
use crate::searched::{
    CORPUS_PATTERNS, Corpus, CorpusSource, DEFAULT_CORPUS_SEED, DEFAULT_TERMS, MOST_TERMS,
    SearchServer, Searched,
};
use crate::target::Target;

/// More made-up pages than Wikipedia has in any language are surely a slip.
const MOST_PAGES: u64 = 100_000_000;
/// More nodes than that are no machine's.
const MOST_NODES: u64 = 100;

/// The pages; `None` if the plan makes none, or what it says of them is wrong.
pub(super) fn corpus(desk: &mut Desk<'_>, draft: Option<&At<CorpusDraft>>) -> Option<Corpus> {
    let At {
        value: draft,
        place,
    } = draft?;
    let pages = desk.read("synthetic", &draft.synthetic, |scalar| {
        scalar.whole(1, MOST_PAGES)
    });
    let dump = desk.path("wikipedia", &draft.wikipedia);
    let language = desk.choice("language", &draft.language).unwrap_or_default();
    let seed = desk
        .read("seed", &draft.seed, |scalar| scalar.whole(0, u64::MAX))
        .unwrap_or(DEFAULT_CORPUS_SEED);
    let max_records = desk.read("max_records", &draft.max_records, |scalar| {
        scalar.whole(1, u64::MAX)
    });
    let text_limit = desk.read("text_limit", &draft.text_limit, |scalar| {
        scalar.whole(1, u64::MAX)
    });
    let directory = desk.path("directory", &draft.directory);
    let terms = desk.read("terms", &draft.terms, |scalar| {
        scalar.whole(1, u64::from(MOST_TERMS))
    });
    let base = desk.read("base", &draft.base, base);
    if draft.synthetic.is_some() == draft.wikipedia.is_some() {
        let misspelt = ["synthetic", "wikipedia"];
        if draft.synthetic.is_none() && misspelt.iter().any(|name| desk.findings.suggest(name)) {
            return None;
        }
        desk.refuse(
            *place,
            "[corpus] takes its pages from one place: synthetic = 5000 makes some up, wikipedia = \
             \"jawiki-….xml.bz2\" takes those of a dump",
        );
        return None;
    }
    let source = match dump {
        Some(dump) => {
            refuse_for_a_dump(desk, draft);
            CorpusSource::Wikipedia(dump)
        }
        None => CorpusSource::Synthetic {
            pages: pages?,
            language,
            seed,
        },
    };
    Some(Corpus {
        source,
        max_records,
        text_limit: text_limit.and_then(|limit| usize::try_from(limit).ok()),
        directory: directory.map(|path| without_detours(&path)),
        terms: terms
            .and_then(|terms| u32::try_from(terms).ok())
            .unwrap_or(DEFAULT_TERMS),
        base,
    })
}

fn refuse_for_a_dump(desk: &mut Desk<'_>, draft: &CorpusDraft) {
    for (key, field) in [("language", &draft.language), ("seed", &draft.seed)] {
        if let Some(field) = field {
            desk.wrong(field.place, key, "is for made-up pages (synthetic)");
        }
    }
}

/// Without `.` in it, so that it is the same text wherever it is printed.
fn without_detours(path: &Path) -> std::path::PathBuf {
    let parts = path.components();
    parts.filter(|part| *part != Component::CurDir).collect()
}

fn base(scalar: &Scalar) -> Result<String, String> {
    let base = scalar.text()?;
    let bad = base.chars().find(|c| !c.is_ascii_graphic() || *c == '#');
    match bad {
        _ if !base.starts_with('/') => Err(format!("{base:?} does not begin with a slash")),
        Some(bad) => Err(format!(
            "{base:?} has {bad:?} in it; percent-encode it, for example %20 for a space"
        )),
        None => Ok(base.to_owned()),
    }
}

/// What a target is as a server that searches.
pub(super) fn searched(desk: &mut Desk<'_>, draft: &TargetDraft, reach: &Reach) -> Searched {
    let corpus: Option<SearchServer> = desk.choice("corpus", &draft.corpus);
    let status: Option<SearchServer> = desk.choice("status", &draft.status);
    let cluster = desk.read("cluster", &draft.cluster, naming::checked);
    let keys = [
        ("corpus", &draft.corpus),
        ("status", &draft.status),
        ("cluster", &draft.cluster),
        ("cache_counters", &draft.cache_counters),
    ];
    let has_server = matches!(reach, Reach::Endpoint { .. } | Reach::Launched(_));
    for (key, field) in keys {
        if let Some(field) = field.as_ref().filter(|_| !has_server) {
            let why = "is for search servers, which have a url or a command";
            desk.wrong(field.place, key, why);
        }
    }
    let asked = corpus.or(status).is_some();
    for (key, place) in [
        ("unix", draft.unix.as_ref().map(|field| field.place)),
        ("resolve", draft.resolve.as_ref().map(|list| list.place)),
        ("tls", draft.tls.as_ref().map(|table| table.place)),
    ] {
        if let Some(place) = place.filter(|_| asked) {
            let why = "does not go with corpus and status, which ask the hosts of the url in the \
                       usual way";
            desk.wrong(place, key, why);
        }
    }
    if let (Some(SearchServer::Droonga), Some(field)) = (corpus, &draft.corpus) {
        desk.wrong(
            field.place,
            "corpus",
            "Droonga takes pages over a protocol of its own, on another port; load them with \
             tenbin search load, and leave this out",
        );
    }
    Searched {
        corpus,
        // Who loads pages into a server knows how to ask it.
        status: status.or(corpus),
        cluster,
        cache_counters: desk.read("cache_counters", &draft.cache_counters, Scalar::parsed),
    }
}

/// The addresses of a target's processes.
pub(super) fn nodes(desk: &mut Desk<'_>, list: Option<&At<List>>) -> Vec<IpAddr> {
    let Some(list) = list else { return Vec::new() };
    if let List::One(Scalar::Whole(_)) = &list.value {
        let field = list.items().first().map(|item| At {
            value: item.value.clone(),
            place: item.place,
        });
        let count = desk.read("nodes", &field, |scalar| scalar.whole(1, MOST_NODES));
        let count = count.and_then(|count| u8::try_from(count).ok());
        let address = |last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last));
        return (1..=count.unwrap_or(0)).map(address).collect();
    }
    let mut nodes: Vec<IpAddr> = Vec::new();
    for At { value, place } in list.items() {
        match address(value) {
            Ok(node) if nodes.contains(&node) => {
                let why = format!("{node} is named twice; a process needs an address of its own");
                desk.wrong(place, "nodes", why);
            }
            Ok(node) => nodes.push(node),
            Err(why) => desk.wrong(place, "nodes", why),
        }
    }
    if list.items().is_empty() {
        let why = "is empty; write for example [\"127.0.0.1\", \"127.0.0.2\"], or 2";
        desk.wrong(list.place, "nodes", why);
    }
    nodes
}

fn address(scalar: &Scalar) -> Result<IpAddr, String> {
    let text = scalar.text()?;
    let wrong = || {
        format!(
            "{text:?} is not an address of this machine; write for example \"127.0.0.2\", or how \
             many nodes there are"
        )
    };
    let address: IpAddr = text.parse().map_err(|_| wrong())?;
    match address.is_unspecified() || address.is_multicast() {
        true => Err(wrong()),
        false => Ok(address),
    }
}

/// Nodes are told apart by their addresses, and each is reached at its own.
pub(super) fn check_nodes(desk: &mut Desk<'_>, draft: &TargetDraft, reach: &Reach) {
    let (Some(list), Reach::Launched(launch)) = (&draft.nodes, reach) else {
        return;
    };
    let has_host = |text: &str| placeholders::names(text).any(|name| name == "host");
    let mut told = launch.command.iter().chain(launch.env.values());
    if !told.any(|text| has_host(text)) {
        let why = "{host} stands nowhere in command or env, so that no process would know its \
                   address";
        desk.wrong(list.place, "nodes", why);
    }
    if !has_host(&launch.url) {
        let why = "has no {host} in it, so that all nodes would be one; leave it out, or write \
                   \"http://{host}:{port}/\"";
        let place = draft.url.as_ref().map_or(list.place, |url| url.place);
        desk.wrong(place, "url", why);
    }
    for (key, place) in [
        ("unix", draft.unix.as_ref().map(|field| field.place)),
        ("observe", draft.observe.as_ref().map(|table| table.place)),
    ] {
        if let Some(place) = place {
            desk.wrong(place, key, "is not for a target with nodes");
        }
    }
}

/// What of a plan has to fit together; `says_pages` if it has a `[corpus]`, right or wrong.
pub(super) fn check(desk: &mut Desk<'_>, plan: &Plan, says_pages: bool) {
    // What is wrong with what it says has been told.
    if !says_pages && !desk.findings.suggest("corpus") {
        check_pages(desk, plan);
    }
    check_clusters(desk, plan);
    check_relaunch(desk, plan);
    check_templates(desk, plan);
}

/// Every target needs one request, and every request a target.
fn check_templates(desk: &mut Desk<'_>, plan: &Plan) {
    for workload in &plan.workloads {
        let Some(by_target) = workload.patterns().and_then(|all| all.by_target.as_ref()) else {
            continue;
        };
        let mut used = Vec::new();
        for target in &plan.targets {
            match by_target.name_for(&plan.names_of(target)) {
                Some(name) => used.push(name),
                None => desk.refuse(
                    Place::Nowhere,
                    format!(
                        "workload {:?} has no request for target {:?} in by_target: name it, or \
                         the kind of server that its corpus or status names",
                        workload.name, target.name
                    ),
                ),
            }
        }
        let names = by_target.templates.keys();
        for name in names.filter(|name| !used.contains(&name.as_str())) {
            desk.refuse(
                Place::Nowhere,
                format!(
                    "workload {:?} has a request for {name:?} in by_target, and no target is \
                     called so or is a server of that kind",
                    workload.name
                ),
            );
        }
    }
}

fn check_pages(desk: &mut Desk<'_>, plan: &Plan) {
    let is_loaded = |target: &&Target| target.searched.corpus.is_some();
    let without = "and the plan has no [corpus], which says what pages there are; write for \
                   example synthetic = 5000 in it";
    if let Some(target) = plan.targets.iter().find(is_loaded) {
        let name = &target.name;
        let why = format!("pages are to be loaded into target {name:?}, {without}");
        desk.refuse(Place::Nowhere, why);
    } else if plan.draws_from_corpus() {
        let why =
            format!("patterns = {CORPUS_PATTERNS:?} stands for requests made of pages, {without}");
        desk.refuse(Place::Nowhere, why);
    }
}

fn check_clusters(desk: &mut Desk<'_>, plan: &Plan) {
    for sizes in plan.clusters() {
        let targets = sizes.targets.iter().map(|at| &plan.targets[*at]);
        let targets: Vec<&Target> = targets.collect();
        for pair in targets.windows(2) {
            let [smaller, larger] = pair else { continue };
            if smaller.host_count() == larger.host_count() {
                desk.refuse(
                    Place::Nowhere,
                    format!(
                        "targets {:?} and {:?} are the same size of cluster {:?}, with as many \
                         hosts; a cluster has each size once",
                        smaller.name, larger.name, sizes.cluster
                    ),
                );
            }
        }
    }
}

/// What is not started again keeps its caches, and would be compared with what has lost them.
fn check_relaunch(desk: &mut Desk<'_>, plan: &Plan) {
    if matches!(plan.rounds.relaunch, Relaunch::Block | Relaunch::Slice)
        && let Some(why) = plan.why_no_restarts()
    {
        desk.refuse(Place::Nowhere, why);
    }
}
