//! Resolves the requests that a workload draws from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{ByTargetDraft, HttpDraft, TemplateDraft};
use crate::patterns::{
    self, ByTarget, CacheDial, DEFAULT_CACHE_SIZE, Fault, PatternFormat, PatternSet, Patterns,
    Spot, Template,
};
use crate::percent::Percent;
use crate::problem::Place;
use crate::resolver::Resolver;
use crate::scalar::Field;
use crate::scalar::{At, Scalar};
use crate::searched::{CORPUS_PATTERNS, SearchServer, is_of_corpus};

/// Smallest target hit ratio.
const LEAST_HIT: Percent = Percent::of(0.1);
/// Largest target hit ratio.
const MOST_HIT: Percent = Percent::of(100.0);
/// Largest value of `hits_tolerance`: with a larger value, the comparison of hits would be
/// meaningless.
const MOST_TOLERANCE: Percent = Percent::of(50.0);

pub(super) fn resolve(
    resolver: &mut Resolver<'_>,
    draft: &HttpDraft,
    method: &str,
) -> Option<Patterns> {
    let Some(file) = &draft.patterns else {
        refuse_companions(resolver, draft);
        return None;
    };
    refuse_single_request(resolver, draft);
    let place = file.place;
    let format: Option<PatternFormat> =
        resolver.value(&HttpDraft::patterns_format, &draft.patterns_format);
    let format = format.unwrap_or_default();
    let order = resolver.read("order", &draft.order, Scalar::parsed);
    let slowest = resolver.value_or_default(&HttpDraft::slowest, &draft.slowest);
    let hits = resolver.read("hits", &draft.hits, Scalar::parsed);
    let tolerance = resolver.read("hits_tolerance", &draft.hits_tolerance, |scalar| {
        Percent::within(scalar.text()?, Percent::of(0.0), MOST_TOLERANCE)
    });
    let mut by_target = draft
        .by_target
        .as_ref()
        .map(|templates| by_target(resolver, templates));
    let cache = cache(resolver, draft);
    let counters = resolver.read("cache_counters", &draft.cache_counters, Scalar::parsed);
    let of_corpus = is_of_corpus(&draft.patterns);
    let (path, set) = if of_corpus {
        refuse_format(resolver, &draft.patterns_format);
        (PathBuf::from(CORPUS_PATTERNS), Arc::default())
    } else {
        let path = resolver.path("patterns", &draft.patterns)?;
        let set = match &mut by_target {
            Some(by_target) => {
                refuse_format(resolver, &draft.patterns_format);
                read_terms(resolver, place, &path, by_target)?
            }
            None => Arc::new(read(resolver, place, &path, format, method)?),
        };
        (path, set)
    };
    if let (Some(cache), Some(hit)) = (&cache, &draft.cache_hit)
        && let Err(why) = cache.check(&set)
    {
        resolver.wrong(hit.place, "cache_hit", why);
    }
    Some(Patterns {
        path,
        of_corpus,
        format,
        order: order.unwrap_or_default(),
        slowest,
        hits: hits.unwrap_or_default(),
        hits_tolerance: tolerance.unwrap_or(Percent::of(0.0)),
        by_target,
        cache,
        counters,
        set,
    })
}

fn read(
    resolver: &mut Resolver<'_>,
    place: Place,
    path: &Path,
    format: PatternFormat,
    method: &str,
) -> Option<PatternSet> {
    if resolver.context.without_files {
        return Some(PatternSet::default());
    }
    let mut file = resolver.open(place, "patterns", path)?;
    match patterns::read_from(file.as_mut(), format, method) {
        Ok(set) => Some(set),
        Err(Fault { spot, why }) => {
            let file = path.display();
            let message = match spot {
                Spot::File => format!("{file}: {why}"),
                Spot::Line(line) => format!("{file}:{line}: {why}"),
                Spot::Column(line, column) => format!("{file}:{line}:{column}: {why}"),
            };
            resolver.wrong(place, "patterns", message);
            None
        }
    }
}

/// Fills the templates with the terms of a file, and returns the requests of any one template,
/// because every template gives the same number of requests.
fn read_terms(
    resolver: &mut Resolver<'_>,
    place: Place,
    path: &Path,
    by_target: &mut ByTarget,
) -> Option<Arc<PatternSet>> {
    if resolver.context.without_files {
        return Some(Arc::default());
    }
    let bytes = resolver.file(place, "patterns", path)?;
    let filled = patterns::terms(&bytes).and_then(|terms| by_target.fill(&terms));
    if let Err(why) = filled {
        resolver.wrong(place, "patterns", format!("{}: {why}", path.display()));
        return None;
    }
    by_target.any_set().map(Arc::clone)
}

fn by_target(resolver: &mut Resolver<'_>, table: &At<ByTargetDraft>) -> ByTarget {
    if table.value.0.is_empty() {
        let why = "is empty; write a request for each target, for example groonga = { search = \
                   \"groonga\" }";
        resolver.wrong(table.place, "by_target", why);
    }
    let mut templates = BTreeMap::new();
    for (name, At { value, place }) in &table.value.0 {
        let place = *place;
        if let Some(template) = template(resolver, value) {
            match template.check() {
                Ok(()) => drop(templates.insert(name.clone(), template)),
                Err(why) => resolver.wrong(place, &format!("by_target.{name}"), why),
            }
        }
    }
    ByTarget::new(templates)
}

fn template(resolver: &mut Resolver<'_>, draft: &TemplateDraft) -> Option<Template> {
    let server: Option<SearchServer> = resolver.choice("search", &draft.search);
    let hits = resolver.read("hits", &draft.hits, Scalar::parsed);
    if draft.search.is_some() {
        let others = [
            ("method", &draft.method),
            ("path", &draft.path),
            ("body", &draft.body),
        ];
        for (key, field) in others {
            if let Some(field) = field {
                resolver.wrong(
                    field.place,
                    key,
                    "is set by search; leave out one of the two",
                );
            }
        }
        let usual = Template::tutorial(server?);
        return Some(Template {
            hits: hits.unwrap_or(usual.hits),
            ..usual
        });
    }
    let body = resolver.text("body", &draft.body).unwrap_or_default();
    let path = resolver.text("path", &draft.path).unwrap_or_default();
    let method = resolver.read("method", &draft.method, super::method::read);
    let usual = if body.is_empty() { "GET" } else { "POST" };
    Some(Template {
        method: method.unwrap_or_else(|| usual.to_owned()),
        hits: hits.unwrap_or_default(),
        path,
        body,
    })
}

fn cache(resolver: &mut Resolver<'_>, draft: &HttpDraft) -> Option<CacheDial> {
    let hit = resolver.read("cache_hit", &draft.cache_hit, |scalar| {
        Percent::within(scalar.text()?, LEAST_HIT, MOST_HIT)
    });
    let size = resolver.value(&HttpDraft::cache_size, &draft.cache_size);
    if draft.cache_hit.is_none() && draft.cache_size.is_none() {
        return None;
    }
    Some(CacheDial {
        hit,
        size: size.unwrap_or(DEFAULT_CACHE_SIZE),
    })
}

/// Refuses `patterns_format` for requests that are generated, from pages or from search terms.
fn refuse_format(resolver: &mut Resolver<'_>, format: &Field) {
    if let Some(format) = format {
        let why = "is for a file; generated requests have no format";
        resolver.wrong(format.place, "patterns_format", why);
    }
}

/// Refuses keys of a single request: each pattern has a method, a path and a body.
fn refuse_single_request(resolver: &mut Resolver<'_>, draft: &HttpDraft) {
    let single = [
        ("path", &draft.path),
        ("body", &draft.body),
        ("body_file", &draft.body_file),
    ];
    for (key, field) in single {
        if let Some(field) = field {
            let why = "applies to a single request, but the file of patterns defines the requests; \
                       leave out one of the two";
            resolver.wrong(field.place, key, why);
        }
    }
}

fn refuse_companions(resolver: &mut Resolver<'_>, draft: &HttpDraft) {
    if let Some(table) = &draft.by_target {
        let why = "needs patterns, the file of search terms";
        resolver.wrong(table.place, "by_target", why);
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
            resolver.wrong(field.place, key, "needs patterns, the file of requests");
        }
    }
}
