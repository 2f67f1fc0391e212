//! The requests that a workload draws from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{ByTargetDraft, HttpDraft, TemplateDraft};
use crate::desk::Desk;
use crate::patterns::{
    self, ByTarget, CacheDial, DEFAULT_CACHE_SIZE, DEFAULT_SLOWEST, Fault, MOST_CACHE_SIZE,
    MOST_SLOWEST, PatternFormat, PatternSet, Patterns, Spot, Template,
};
use crate::percent::Percent;
use crate::problem::Place;
use crate::scalar::Field;
use crate::scalar::{At, Scalar};
use crate::searched::{CORPUS_PATTERNS, SearchServer, is_of_corpus};

/// Rates of hits between which a number of patterns makes sense.
const LEAST_HIT: Percent = Percent::of(0.1);
const MOST_HIT: Percent = Percent::of(100.0);
/// Numbers of hits that may be farther apart than that are not compared at all.
const MOST_TOLERANCE: Percent = Percent::of(50.0);

pub(super) fn resolve(desk: &mut Desk<'_>, draft: &HttpDraft, method: &str) -> Option<Patterns> {
    let Some(file) = &draft.patterns else {
        refuse_companions(desk, draft);
        return None;
    };
    refuse_single_request(desk, draft);
    let place = file.place;
    let format: Option<PatternFormat> = desk.choice("patterns_format", &draft.patterns_format);
    let format = format.unwrap_or_default();
    let order = desk.read("order", &draft.order, Scalar::parsed);
    let slowest = desk.read("slowest", &draft.slowest, |scalar| {
        scalar.whole(0, u64::from(MOST_SLOWEST))
    });
    let hits = desk.read("hits", &draft.hits, Scalar::parsed);
    let tolerance = desk.read("hits_tolerance", &draft.hits_tolerance, |scalar| {
        Percent::within(scalar.text()?, Percent::of(0.0), MOST_TOLERANCE)
    });
    let mut by_target = draft
        .by_target
        .as_ref()
        .map(|templates| by_target(desk, templates));
    let cache = cache(desk, draft);
    let counters = desk.read("cache_counters", &draft.cache_counters, Scalar::parsed);
    let of_corpus = is_of_corpus(&draft.patterns);
    let (path, set) = match of_corpus {
        true => {
            refuse_format(desk, &draft.patterns_format);
            (PathBuf::from(CORPUS_PATTERNS), Arc::default())
        }
        false => {
            let path = desk.path("patterns", &draft.patterns)?;
            let set = match &mut by_target {
                Some(by_target) => {
                    refuse_format(desk, &draft.patterns_format);
                    read_terms(desk, place, &path, by_target)?
                }
                None => Arc::new(read(desk, place, &path, format, method)?),
            };
            (path, set)
        }
    };
    if let (Some(cache), Some(hit)) = (&cache, &draft.cache_hit)
        && let Err(why) = cache.check(&set)
    {
        desk.wrong(hit.place, "cache_hit", why);
    }
    Some(Patterns {
        path,
        of_corpus,
        format,
        order: order.unwrap_or_default(),
        slowest: slowest
            .and_then(|slowest| u32::try_from(slowest).ok())
            .unwrap_or(DEFAULT_SLOWEST),
        hits: hits.unwrap_or_default(),
        hits_tolerance: tolerance.unwrap_or(Percent::of(0.0)),
        by_target,
        cache,
        counters,
        set,
    })
}

fn read(
    desk: &mut Desk<'_>,
    place: Place,
    path: &Path,
    format: PatternFormat,
    method: &str,
) -> Option<PatternSet> {
    if desk.context.without_files {
        return Some(PatternSet::default());
    }
    let mut file = desk.open(place, "patterns", path)?;
    match patterns::read_from(file.as_mut(), format, method) {
        Ok(set) => Some(set),
        Err(Fault { spot, why }) => {
            let file = path.display();
            let message = match spot {
                Spot::File => format!("{file}: {why}"),
                Spot::Line(line) => format!("{file}:{line}: {why}"),
                Spot::Column(line, column) => format!("{file}:{line}:{column}: {why}"),
            };
            desk.wrong(place, "patterns", message);
            None
        }
    }
}

/// The requests for the terms of a file; those of any template stand for all.
fn read_terms(
    desk: &mut Desk<'_>,
    place: Place,
    path: &Path,
    by_target: &mut ByTarget,
) -> Option<Arc<PatternSet>> {
    if desk.context.without_files {
        return Some(Arc::default());
    }
    let bytes = desk.file(place, "patterns", path)?;
    let filled = patterns::terms(&bytes).and_then(|terms| by_target.fill(&terms));
    if let Err(why) = filled {
        desk.wrong(place, "patterns", format!("{}: {why}", path.display()));
        return None;
    }
    by_target.any_set().map(Arc::clone)
}

fn by_target(desk: &mut Desk<'_>, table: &At<ByTargetDraft>) -> ByTarget {
    if table.value.0.is_empty() {
        let why = "is empty; write a request for each target, for example groonga = { search = \
                   \"groonga\" }";
        desk.wrong(table.place, "by_target", why);
    }
    let mut templates = BTreeMap::new();
    for (name, At { value, place }) in &table.value.0 {
        let place = *place;
        if let Some(template) = template(desk, value) {
            match template.check() {
                Ok(()) => drop(templates.insert(name.clone(), template)),
                Err(why) => desk.wrong(place, &format!("by_target.{name}"), why),
            }
        }
    }
    ByTarget::new(templates)
}

fn template(desk: &mut Desk<'_>, draft: &TemplateDraft) -> Option<Template> {
    let server: Option<SearchServer> = desk.choice("search", &draft.search);
    let hits = desk.read("hits", &draft.hits, Scalar::parsed);
    if draft.search.is_some() {
        let others = [
            ("method", &draft.method),
            ("path", &draft.path),
            ("body", &draft.body),
        ];
        for (key, field) in others {
            if let Some(field) = field {
                desk.wrong(
                    field.place,
                    key,
                    "is part of what search stands for; leave out either",
                );
            }
        }
        let usual = Template::tutorial(server?);
        return Some(Template {
            hits: hits.unwrap_or(usual.hits),
            ..usual
        });
    }
    let body = desk.text("body", &draft.body).unwrap_or_default();
    let path = desk.text("path", &draft.path).unwrap_or_default();
    let method = desk.read("method", &draft.method, super::method::read);
    let usual = if body.is_empty() { "GET" } else { "POST" };
    Some(Template {
        method: method.unwrap_or_else(|| usual.to_owned()),
        hits: hits.unwrap_or_default(),
        path,
        body,
    })
}

fn cache(desk: &mut Desk<'_>, draft: &HttpDraft) -> Option<CacheDial> {
    let hit = desk.read("cache_hit", &draft.cache_hit, |scalar| {
        Percent::within(scalar.text()?, LEAST_HIT, MOST_HIT)
    });
    let size = desk.read("cache_size", &draft.cache_size, |scalar| {
        scalar.whole(1, MOST_CACHE_SIZE)
    });
    if draft.cache_hit.is_none() && draft.cache_size.is_none() {
        return None;
    }
    Some(CacheDial {
        hit,
        size: size
            .and_then(|size| u32::try_from(size).ok())
            .unwrap_or(DEFAULT_CACHE_SIZE),
    })
}

/// What is made of pages is written as this program likes it.
fn refuse_format(desk: &mut Desk<'_>, format: &Field) {
    if let Some(format) = format {
        let why = "is for a file; requests made of pages need none";
        desk.wrong(format.place, "patterns_format", why);
    }
}

/// Patterns have methods, paths and bodies of their own.
fn refuse_single_request(desk: &mut Desk<'_>, draft: &HttpDraft) {
    let single = [
        ("path", &draft.path),
        ("body", &draft.body),
        ("body_file", &draft.body_file),
    ];
    for (key, field) in single {
        if let Some(field) = field {
            let why = "is for a single request; patterns have their own, so leave out either";
            desk.wrong(field.place, key, why);
        }
    }
}

fn refuse_companions(desk: &mut Desk<'_>, draft: &HttpDraft) {
    if let Some(table) = &draft.by_target {
        let why = "needs patterns, the file of search terms";
        desk.wrong(table.place, "by_target", why);
    }
    let companions: [(&str, &Field); 8] = [
        ("hits_tolerance", &draft.hits_tolerance),
        ("patterns_format", &draft.patterns_format),
        ("order", &draft.order),
        ("slowest", &draft.slowest),
        ("hits", &draft.hits),
        ("cache_hit", &draft.cache_hit),
        ("cache_size", &draft.cache_size),
        ("cache_counters", &draft.cache_counters),
    ];
    for (key, field) in companions {
        if let Some(field) = field {
            desk.wrong(field.place, key, "needs patterns, the file of requests");
        }
    }
}
